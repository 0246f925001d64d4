"""Rows for tests of the tables themselves: each factory makes a valid graph, bypassing the runtime that writes them in life."""

import datetime
from typing import Any, TypeVar

from django.db import models
from factory.declarations import LazyAttribute, LazyFunction, SelfAttribute, Sequence, SubFactory, Trait
from factory.django import DjangoModelFactory

from turnframe_django import codec, ids
from turnframe_django.models import (
    Block,
    BlockEvent,
    Command,
    Conversation,
    ConversationCase,
    DomainEvent,
    Interaction,
    InteractionOption,
    InteractionTransition,
    ModelCall,
    OutboxEntry,
    ReplayRecord,
    StreamFrame,
    Turn,
)

NOW = datetime.datetime(2026, 12, 1, 9, 30, tzinfo=datetime.UTC)

M = TypeVar("M", bound=models.Model)


class ConversationFactory(DjangoModelFactory[Conversation]):
    """A conversation that the traveller of account ``acme`` owns."""

    account = "acme"
    owner = "traveller"
    title = "Rome in May"
    locale = "en"
    created_at = NOW
    last_activity_at = NOW

    class Meta:
        model = Conversation


class ConversationCaseFactory(DjangoModelFactory[ConversationCase]):
    """A record that a conversation is about."""

    conversation = SubFactory(ConversationFactory)
    name = "trip"
    case_id = Sequence(lambda n: f"case-{n}")
    created_at = NOW

    class Meta:
        model = ConversationCase


class TurnFactory(DjangoModelFactory[Turn]):
    """A turn that was just accepted."""

    id = LazyFunction(ids.new_id)
    conversation = SubFactory(ConversationFactory)
    ordinal = Sequence(lambda n: n + 1)
    actor = "traveller"
    input = '{"text":"Call it Rome in May"}'
    client_turn_id = Sequence(lambda n: f"client-{n}")
    request_digest = LazyAttribute(lambda turn: codec.digest(turn.input))
    locale = "en"
    replay_token = LazyAttribute(lambda turn: ids.replay_token(turn.id))
    received_at = NOW

    class Meta:
        model = Turn


class InteractionFactory(DjangoModelFactory[Interaction]):
    """An active blocking card on a record of its own."""

    turn = SubFactory(TurnFactory)
    conversation = SelfAttribute("turn.conversation")
    account = SelfAttribute("conversation.account")
    engine = "flow"
    case_name = "trip"
    case_id = Sequence(lambda n: f"case-{n}")
    bound_revision = 3
    key = "confirm-rebooking"
    kind = "confirm_command"
    blocking = True
    payload = '{"title":"Ask for the rebooking?"}'
    payload_hash = LazyAttribute(lambda card: codec.digest(card.payload))
    created_at = NOW
    expires_at = NOW + datetime.timedelta(hours=24)

    class Meta:
        model = Interaction


class InteractionOptionFactory(DjangoModelFactory[InteractionOption]):
    """One answer of a card."""

    interaction = SubFactory(InteractionFactory)
    position = Sequence(lambda n: n % 1000)
    option_id = Sequence(lambda n: f"option-{n}")
    label = "Yes, ask"
    action = '{"type":"confirm_commands"}'

    class Meta:
        model = InteractionOption


class InteractionTransitionFactory(DjangoModelFactory[InteractionTransition]):
    """The move by which a card was raised."""

    interaction = SubFactory(InteractionFactory)
    to_status = "active"
    at = NOW
    turn = SelfAttribute("interaction.turn")
    actor = "traveller"
    reason = "raised"

    class Meta:
        model = InteractionTransition


class CommandFactory(DjangoModelFactory[Command]):
    """A command that ran on a user's word; with ``awaiting``, one that waits for its card."""

    turn = SubFactory(TurnFactory)
    account = SelfAttribute("turn.conversation.account")
    engine = "flow"
    case_name = "trip"
    case_id = Sequence(lambda n: f"case-{n}")
    name = "rename_trip"
    arguments = '{"name":"Rome in May"}'
    idempotency_key = Sequence(lambda n: codec.digest(f"key-{n}"))
    expected_revision = 3
    origin: Any = "direct_safe_user_act"
    risk = "reversible_low_risk"
    confirmation = "none"
    decision = "turnframe.policy.allowed"
    reason = "A reversible act in the user's own words."
    status = "committed"
    created_at = NOW

    class Meta:
        model = Command

    class Params:
        awaiting = Trait(
            interaction=SubFactory(InteractionFactory, turn=SelfAttribute("..turn")),
            origin=None,
            risk="irreversible",
            confirmation="explicit_click",
            status="awaiting_confirmation",
        )


class DomainEventFactory(DjangoModelFactory[DomainEvent]):
    """One committed event."""

    command = SubFactory(CommandFactory)
    turn = SelfAttribute("command.turn")
    account = SelfAttribute("command.account")
    position = Sequence(lambda n: n + 1)
    engine = SelfAttribute("command.engine")
    case_name = SelfAttribute("command.case_name")
    case_id = SelfAttribute("command.case_id")
    revision = 4
    type = "trip_renamed"
    payload = '{"name":"Rome in May"}'
    at = NOW

    class Meta:
        model = DomainEvent


class BlockFactory(DjangoModelFactory[Block]):
    """One block of a reply; with ``card``, one that shows a card of its turn."""

    turn = SubFactory(TurnFactory)
    position = Sequence(lambda n: n % 1000)
    kind = "receipt"
    body = '{"title":"Renamed"}'
    digest = LazyAttribute(lambda block: codec.digest(block.body))

    class Meta:
        model = Block

    class Params:
        card = Trait(kind="interaction", interaction=SubFactory(InteractionFactory, turn=SelfAttribute("..turn")))


class BlockEventFactory(DjangoModelFactory[BlockEvent]):
    """A receipt's link to its event."""

    event = SubFactory(DomainEventFactory)
    block = SubFactory(BlockFactory, turn=SelfAttribute("..event.turn"))

    class Meta:
        model = BlockEvent


class OutboxEntryFactory(DjangoModelFactory[OutboxEntry]):
    """An external effect that nobody has sent yet."""

    command = SubFactory(CommandFactory)
    turn = SelfAttribute("command.turn")
    account = SelfAttribute("command.account")
    destination = "airline"
    key = Sequence(lambda n: codec.digest(f"outbox-{n}"))
    payload = '{"ask":"rebooking"}'
    created_at = NOW

    class Meta:
        model = OutboxEntry


class StreamFrameFactory(DjangoModelFactory[StreamFrame]):
    """One frame of a conversation."""

    conversation = SubFactory(ConversationFactory)
    seq = Sequence(lambda n: n + 1)
    type = "turn_delivered"
    at = NOW

    class Meta:
        model = StreamFrame


class ReplayRecordFactory(DjangoModelFactory[ReplayRecord]):
    """Why a turn did what it did."""

    turn = SubFactory(TurnFactory)
    record = '{"versions":{}}'
    material = '{"proposal":{}}'
    at = NOW

    class Meta:
        model = ReplayRecord


class ModelCallFactory(DjangoModelFactory[ModelCall]):
    """One call to a model."""

    turn = SubFactory(TurnFactory)
    purpose = "interpret"
    provider = "scripted"
    prompt_digest = codec.digest("prompt")
    verdict = "accepted"
    latency_ms = 12
    at = NOW

    class Meta:
        model = ModelCall


FACTORIES: dict[type[models.Model], type[DjangoModelFactory[Any]]] = {
    made._meta.model: made for made in DjangoModelFactory.__subclasses__() if made.__module__ == __name__
}


def make(model: type[M], **given: Any) -> M:
    """Return a stored row of ``model``, with whatever else it needs."""
    row = FACTORIES[model](**given)
    assert isinstance(row, model)
    return row
