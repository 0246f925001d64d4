"""What the database itself enforces, one breach for each constraint. A constraint without a breach here fails a test."""

import datetime
from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.db import IntegrityError, models, transaction

from tests.factories import (
    NOW,
    BlockEventFactory,
    BlockFactory,
    CommandFactory,
    ConversationCaseFactory,
    ConversationFactory,
    DomainEventFactory,
    InteractionFactory,
    InteractionOptionFactory,
    InteractionTransitionFactory,
    OutboxEntryFactory,
    ReplayRecordFactory,
    StreamFrameFactory,
    TurnFactory,
    make,
)
from tests.threads import together
from turnframe_django import ids
from turnframe_django.context import Actor
from turnframe_django.models import Conversation, Interaction, Turn
from turnframe_django.models.fact import Redactable
from turnframe_django.protocol.states import CardKind, Confirmation, OriginKind, Risk, TurnSource

TABLES = list(apps.get_app_config("turnframe").get_models())
DECLARED = {constraint.name: constraint for model in TABLES for constraint in model._meta.constraints}
STAMPED = [model for model in TABLES if issubclass(model, Redactable)]


def once(factory: Any, **wrong: Any) -> Callable[[], Any]:
    """Return a breach: one row with values that the table refuses."""
    return lambda: factory.create(**wrong)


def twice(factory: Any, *same: str, **given: Any) -> Callable[[], Any]:
    """Return a breach: a second row with the same values in ``same``."""

    def breach() -> None:
        first = factory.create(**given)
        factory.create(**given, **{name: getattr(first, name) for name in same})

    return breach


#: By the name of the constraint.
BREACHES: dict[str, list[Callable[[], Any]]] = {
    "turnframe_conversation_scoped": [once(ConversationFactory, account=""), once(ConversationFactory, owner="")],
    "turnframe_conversation_engine": [once(ConversationFactory, engine="neither")],
    "turnframe_conversation_case_once": [twice(ConversationCaseFactory, "conversation", "engine", "name", "case_id")],
    "turnframe_turn_ordinal": [twice(TurnFactory, "conversation", "ordinal")],
    "turnframe_turn_client_id": [twice(TurnFactory, "conversation", "client_turn_id")],
    "turnframe_turn_phase": [once(TurnFactory, phase="interpreted")],
    "turnframe_turn_source": [once(TurnFactory, source="model")],
    "turnframe_block_position": [twice(BlockFactory, "turn", "position")],
    "turnframe_block_known_author": [once(BlockFactory, kind="answer", author="user")],
    "turnframe_block_author": [
        once(BlockFactory, kind=kind, author="model") for kind in ("receipt", "notice", "artifact", "question", "unheard_of")
    ],
    "turnframe_block_card": [once(BlockFactory, kind="interaction"), once(BlockFactory, card=True, kind="receipt")],
    "turnframe_block_event_once": [twice(BlockEventFactory, "block", "event")],
    "turnframe_one_open_blocking_card": [
        twice(InteractionFactory, "account", "engine", "case_name", "case_id", status=status) for status in ("active", "resolving")
    ],
    "turnframe_interaction_status": [once(InteractionFactory, status="answered")],
    "turnframe_interaction_kind": [once(InteractionFactory, kind="multi_select")],
    "turnframe_interaction_risk": [once(InteractionFactory, risk="low")],
    "turnframe_interaction_on_failure": [once(InteractionFactory, on_failure="retry")],
    "turnframe_option_once": [twice(InteractionOptionFactory, "interaction", "option_id")],
    "turnframe_option_freeform": [once(InteractionOptionFactory, freeform_mode="none")],
    "turnframe_transition_to": [once(InteractionTransitionFactory, to_status="answered")],
    "turnframe_command_key": [twice(CommandFactory, "account", "idempotency_key")],
    "turnframe_command_status": [once(CommandFactory, status="executing")],
    "turnframe_command_risk": [once(CommandFactory, risk="low")],
    "turnframe_command_confirmation": [once(CommandFactory, confirmation="spoken")],
    "turnframe_command_origin": [once(CommandFactory, origin="model_proposed"), once(CommandFactory, origin="")],
    "turnframe_committed_has_origin": [once(CommandFactory, origin=None)],
    "turnframe_event_position": [twice(DomainEventFactory, "account", "position")],
    "turnframe_outbox_key": [twice(OutboxEntryFactory, "destination", "key")],
    "turnframe_outbox_status": [once(OutboxEntryFactory, status="sent")],
    "turnframe_frame_seq": [twice(StreamFrameFactory, "conversation", "seq")],
}
DOORS = {constraint.name: model for model in STAMPED for constraint in model._meta.constraints if constraint.name.endswith("_door")}


def test_every_constraint_has_a_breach() -> None:
    assert set(BREACHES) | set(DOORS) == set(DECLARED)
    assert set(DOORS.values()) == set(STAMPED)


@pytest.mark.django_db
@pytest.mark.parametrize("name", BREACHES)
def test_a_breach_is_refused(name: str) -> None:
    constraint = DECLARED[name]
    # SQLite names the columns of a unique constraint and not the constraint.
    columns = constraint.fields if isinstance(constraint, models.UniqueConstraint) else ()
    for breach in BREACHES[name]:
        with pytest.raises(IntegrityError) as refusal, transaction.atomic():
            breach()
        told = str(refusal.value)
        assert name in told or ("UNIQUE" in told and all(f".{column}" in told for column in columns)), told


@pytest.mark.django_db
@pytest.mark.parametrize("name", DOORS)
@pytest.mark.parametrize("stamp", [{"redacted_at": NOW}, {"redaction_authority": "privacy office"}])
def test_a_stamp_is_whole_or_absent(name: str, stamp: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        make(DOORS[name], **stamp)
    row: Any = make(DOORS[name], redacted_at=NOW, redaction_authority="privacy office")
    assert row.is_redacted


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["account", "owner"])
def test_a_conversation_always_has_an_account_and_an_owner(name: str) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        ConversationFactory.create(**{name: None})


@pytest.mark.django_db
def test_a_replay_token_belongs_to_one_turn() -> None:
    turn = TurnFactory.create()
    with pytest.raises(IntegrityError), transaction.atomic():
        TurnFactory.create(replay_token=turn.replay_token)


@pytest.mark.django_db
def test_a_turn_has_one_replay_record() -> None:
    record = ReplayRecordFactory.create()
    with pytest.raises(IntegrityError), transaction.atomic():
        ReplayRecordFactory.create(turn=record.turn)


@pytest.mark.django_db(transaction=True)
def test_a_receipt_rests_on_an_event_that_exists() -> None:
    block = BlockFactory.create()
    with pytest.raises(IntegrityError), transaction.atomic():
        BlockEventFactory.create(block=block, event=None, event_id=ids.new_id())


# What the constraints leave open.


@pytest.mark.django_db
def test_cards_share_a_case_when_all_but_one_are_settled_or_do_not_block() -> None:
    first = InteractionFactory.create()
    same = {"case_id": first.case_id}
    InteractionFactory.create(**same, blocking=False)
    InteractionFactory.create(**same, blocking=False)
    for status in ("resolved", "declined", "dismissed", "invalidated", "expired", "failed"):
        InteractionFactory.create(**same, status=status)
    other = ConversationFactory.create(account="globex")
    InteractionFactory.create(**same, turn__conversation=other)
    InteractionFactory.create(**same, engine="chat")
    InteractionFactory.create(**same, case_name="order")
    assert Interaction.objects.open().filter(case_id=first.case_id, blocking=True, account="acme").count() == 3


@pytest.mark.django_db(transaction=True)
def test_of_two_blocking_cards_raised_at_once_one_stands() -> None:
    turns = [TurnFactory.create(), TurnFactory.create()]
    outcomes = together(2, lambda number: InteractionFactory.create(turn=turns[number], case_id="contested"))
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["IntegrityError", "Interaction"]
    assert Interaction.objects.open().filter(case_id="contested").count() == 1


@pytest.mark.django_db
def test_a_settled_card_gives_its_slot_to_the_next() -> None:
    first = InteractionFactory.create()
    first.invalidate()
    first.save()
    second = InteractionFactory.create(case_id=first.case_id)
    assert second.is_open
    assert not first.is_open


@pytest.mark.django_db
def test_two_conversations_count_their_turns_apart() -> None:
    first = TurnFactory.create()
    TurnFactory.create(ordinal=first.ordinal, client_turn_id=first.client_turn_id)
    assert Turn.objects.filter(ordinal=first.ordinal).count() == 2


@pytest.mark.django_db
def test_two_accounts_count_their_events_and_keys_apart() -> None:
    first = DomainEventFactory.create()
    other = TurnFactory.create(conversation__account="globex")
    command = CommandFactory.create(turn=other, idempotency_key=first.command.idempotency_key)
    assert DomainEventFactory.create(command=command, position=first.position).account == "globex"


@pytest.mark.django_db
def test_a_model_may_write_answers_and_transitions() -> None:
    assert {BlockFactory.create(kind=kind, author="model").author for kind in ("answer", "transition")} == {"model"}
    assert BlockFactory.create(card=True).interaction is not None


@pytest.mark.django_db
def test_a_waiting_command_has_no_origin_and_runs_with_one() -> None:
    command = CommandFactory.create(awaiting=True)
    assert command.origin is None
    command.commit()
    with pytest.raises(IntegrityError, match="turnframe_committed_has_origin"), transaction.atomic():
        command.save()
    command.origin = OriginKind.CONFIRMED_INTERACTION
    command.save()


@pytest.mark.django_db
def test_every_known_value_is_accepted() -> None:
    for kind in CardKind:
        InteractionFactory.create(kind=kind)
    for source in TurnSource:
        TurnFactory.create(source=source)
    for number, risk in enumerate(Risk):
        CommandFactory.create(risk=risk, confirmation=list(Confirmation)[number], origin=list(OriginKind)[number % len(OriginKind)])


@pytest.mark.django_db
def test_a_conversation_is_listed_newest_first_and_for_its_owner_alone() -> None:
    older, newer = (ConversationFactory.create(last_activity_at=NOW + datetime.timedelta(hours=hours)) for hours in (1, 2))
    ConversationFactory.create(owner="somebody else")
    ConversationFactory.create(account="globex")
    assert list(Conversation.objects.for_actor(Actor("acme", "traveller")).latest_first()) == [newer, older]


@pytest.mark.django_db
def test_a_card_is_for_the_owner_of_its_conversation_alone() -> None:
    card = InteractionFactory.create()
    InteractionFactory.create(turn__conversation__owner="somebody else")
    InteractionFactory.create(turn__conversation__account="globex")
    assert list(Interaction.objects.for_actor(Actor("acme", "traveller"))) == [card]
