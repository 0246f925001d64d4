"""Many answers to one card: one is carried out, and everybody gets its bytes."""

import pytest

from tests.desk.models import Parcel
from tests.races.crowd import Card, answers, asked, crowd
from tests.threads import together
from turnframe_django.models import Command, Counter, DomainEvent, Interaction, OutboxEntry, StreamFrame, Turn


def carried_out_once(card: Card) -> None:
    """One execution, one event, one effect outside, and numbers without gaps."""
    assert Command.objects.filter(status="committed").count() == 1
    assert DomainEvent.objects.filter(type="parcel.sent").count() == 1
    assert OutboxEntry.objects.count() == 1
    record = Parcel.objects.get()
    assert (record.status, record.revision) == ("sent", 4)
    without_gaps(card)


def without_gaps(card: Card) -> None:
    assert list(Turn.objects.order_by("ordinal").values_list("ordinal", flat=True)) == [1, 2]
    frames = list(StreamFrame.objects.order_by("seq").values_list("seq", flat=True))
    assert frames == list(range(1, len(frames) + 1))
    assert Counter.objects.get(scope=f"conversation:{card.conversation.pk}").value == len(frames)


@pytest.mark.parametrize("same_key", [False, True], ids=["keys of their own", "one key"])
def test_r3_a_crowd_clicking_one_card_executes_once_and_gets_the_same_bytes(same_key: bool) -> None:
    card = asked()
    outcomes = answers(together(crowd(), lambda number: card.click(key="k" if same_key else f"k{number}")))
    assert len({outcome.body for outcome in outcomes}) == 1
    assert sorted(outcome.status for outcome in outcomes) == [200] * (crowd() - 1) + [201]
    assert sum(outcome.replayed for outcome in outcomes) == crowd() - 1
    assert {outcome.resolved_option for outcome in outcomes} == {"confirm"}
    carried_out_once(card)


def test_r4_a_crowd_of_yes_and_no_carries_out_one_of_them() -> None:
    card = asked()
    options = ["confirm", "decline"]
    outcomes = answers(together(crowd(), lambda number: card.click(options[number % 2])))
    assert len({outcome.body for outcome in outcomes}) == 1
    assert sum(outcome.status == 201 for outcome in outcomes) == 1
    (option,) = {outcome.resolved_option for outcome in outcomes}
    row = Interaction.objects.get()
    assert (row.status, row.resolved_option_id) == ({"confirm": "resolved", "decline": "declined"}[str(option)], option)
    if option == "confirm":
        carried_out_once(card)
    else:
        assert not DomainEvent.objects.exists()
        assert Command.objects.get().status == "dropped"
        without_gaps(card)


def test_a_crowd_clicking_a_card_that_is_refused_is_told_once() -> None:
    card = asked()
    Parcel.objects.update(note="no carrier")
    outcomes = answers(together(crowd(), lambda number: card.click()))
    assert len({outcome.body for outcome in outcomes}) == 1
    assert Command.objects.get().status == "failed"
    assert Interaction.objects.get().status == "failed"
    assert not DomainEvent.objects.exists()
