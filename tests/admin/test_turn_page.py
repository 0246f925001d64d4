"""A turn's page reads like the conversation, with what stands behind each part."""

import pytest
from django.db import connection

from tests.admin.reading import Reader, address, redact, words
from tests.desk.models import Parcel
from tests.desk.workflows import NameParcel, ParcelWorkflow, TidyParcel, WeighParcel
from turnframe_django.models import Block, Command, DomainEvent, Interaction, ModelCall, OutboxEntry, ReplayRecord, Turn
from turnframe_django.testing import Scenario, ScenarioFactory

pytestmark = pytest.mark.django_db


def turn(ordinal: int) -> Turn:
    return Turn.objects.get(ordinal=ordinal)


def test_the_input_comes_first_and_then_the_blocks_in_stored_order(staff: Reader, told: Scenario) -> None:
    page = staff.page(turn(1))
    places = [page.index("it weighs 3, send it")]
    keys = Block.objects.filter(turn=turn(1)).order_by("position").values_list("pk", flat=True)
    places += [page.index(f'data-block-id="{key}"') for key in keys]
    assert len(places) > 3
    assert places == sorted(places)


def test_a_receipt_stands_above_its_event_with_command_and_revision(staff: Reader, told: Scenario) -> None:
    page = staff.page(turn(1))
    event = DomainEvent.objects.get(type="parcel.weighed")
    shown = page[page.index("Parcel weighed") :]
    shown = shown[: shown.index("</article>")]
    for said in (
        address(event),
        address(event.command),
        "parcel.weighed",
        f"{event.position} in the account acme",
        "&quot;weight&quot;: 3",
    ):
        assert said in shown
    assert f"Revision {event.revision}" in words(shown)
    assert "no card · direct_safe_user_act" in words(shown)
    assert "It is kept without" not in shown


def test_an_event_names_the_card_that_authorised_it(staff: Reader, told: Scenario) -> None:
    card = Interaction.objects.get(status="resolved")
    shown = staff.page(turn(5))
    assert f'Authorised by</dt><dd><a href="{address(card)}">' in shown
    assert "option “confirm”" in shown


def test_an_event_without_a_receipt_is_shown_apart(staff: Reader, told: Scenario) -> None:
    page = staff.page(turn(1))
    apart = page[page.index("Events without a receipt") :]
    assert "parcel.noted" in apart
    assert "parcel.weighed" not in apart[: apart.index("</section>")]


def test_a_card_shows_its_state_its_history_and_what_its_options_do(staff: Reader, told: Scenario) -> None:
    card = Interaction.objects.get(status="declined")
    shown = words(staff.page(turn(1)))
    assert f"Payload hash {card.payload_hash}" in shown
    assert f"Bound to revision {card.bound_revision}" in shown
    assert "active ann 1 raised" in shown
    assert "active → declined ann 2 declined" in shown
    assert '"op": "decline_commands"' in shown
    assert "decline chosen" in shown
    assert "Status dropped" in shown
    assert "Origin none: it never ran" in shown


def test_a_command_that_waits_says_that_it_waits(staff: Reader, asking: Scenario) -> None:
    assert "Origin none yet: it waits for its card" in words(staff.page(turn(1)))


def test_a_click_is_shown_with_its_card_and_the_words_that_came_with_it(staff: Reader, told: Scenario) -> None:
    page = staff.page(turn(2))
    card = Interaction.objects.get(status="declined")
    assert f'Click on “decline” of <a href="{address(card)}">' in page
    assert "too late" in page
    assert address(card) in page[page.index("Cards it answered") :]


def test_a_command_shows_why_it_was_allowed_and_what_became_of_it(staff: Reader, told: Scenario) -> None:
    command = Command.objects.get(status="failed")
    shown = words(staff.page(turn(3)))
    assert f"Decision {command.decision} {command.reason}" in shown
    assert f"Key {command.idempotency_key}" in shown
    assert "parcel.name_forbidden" in shown
    assert "Status failed" in shown


def test_commands_stand_in_the_order_in_which_they_ran(staff: Reader, scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, Parcel(account="acme", name="Books", revision=3))
    for number in range(1, 6):
        name = f"Novel {number}"
        s.user(f"call it {name}, it weighs {number}", proposes=[NameParcel(name=name), WeighParcel(weight=number)])
        s.expect_receipt("parcel.weighed")
    for kept in (True, False):
        if not kept:
            ReplayRecord.objects.all().delete()
        for told in Turn.objects.all():
            shown = words(staff.page(told))
            shown = shown[shown.index("Commands Command parcel.") :]
            assert shown.index("Command parcel.name_parcel") < shown.index("Command parcel.weigh_parcel"), (kept, told.ordinal)


def test_what_was_promised_to_the_outside_is_shown_with_its_attempts(staff: Reader, told: Scenario) -> None:
    entry = OutboxEntry.objects.get()
    page = staff.page(turn(5))
    assert address(entry) in page
    assert f"Attempts {entry.attempts}" in words(page)
    assert "Remote reference carrier-1" in words(page)


def test_the_replay_record_is_set_out_in_lines(staff: Reader, told: Scenario) -> None:
    page = staff.page(turn(1))
    assert page[page.index("Replay record") :].count("\n  &quot;") > 3


def test_without_a_replay_record_the_page_says_so(staff: Reader, told: Scenario) -> None:
    ReplayRecord.objects.all().delete()
    assert "There is none: the turn did not commit" in staff.page(turn(1))


def test_calls_to_a_model_are_listed(staff: Reader, told: Scenario) -> None:
    page = staff.page(turn(1))
    assert ModelCall.objects.filter(turn=turn(1)).exists() == ("interpret" in page[page.index("Calls to a model") :])


def test_a_failed_turn_says_that_nothing_was_committed(staff: Reader, scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, Parcel(account="acme", name="Books", revision=3))
    s.user("call it broken", proposes=[NameParcel(name="broken")])
    assert s.problem is not None
    page = staff.page(turn(1))
    assert "Nothing: the turn failed" in page
    assert turn(1).error_code in page


def test_a_told_turn_says_that_it_was_told(staff: Reader, scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, Parcel(account="acme", name="Books", revision=3))
    s.tell(TidyParcel(), key="tidy")
    assert "the turn was told from outside the conversation" in staff.page(turn(1))


def test_a_block_redacted_by_sql_is_shown_as_redacted(staff: Reader, told: Scenario) -> None:
    block = Block.objects.get(turn=turn(1), kind="interaction")
    key = block.pk.hex if connection.vendor == "sqlite" else str(block.pk)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE turnframe_block SET body = '', redacted_at = %s, redaction_authority = 'a court' WHERE id = %s",
            ["2026-12-01 00:00:00+00:00", key],
        )
        assert cursor.rowcount == 1
    page = staff.page(turn(1))
    shown = page[page.index(f'data-block-id="{block.pk}"') :]
    shown = shown[: shown.index('<div class="tfa-basis">')]
    assert shown.count("These words were removed.") == 1
    assert "Removed 2026-12-01 00:00:00 UTC, on the authority of: a court" in shown


def test_every_redacted_text_is_shown_as_removed_and_never_as_it_was(staff: Reader, told: Scenario) -> None:
    first = turn(1)
    for event in DomainEvent.objects.all():
        redact(event, "payload")
    for command in Command.objects.all():
        redact(command, "arguments")
    card = Interaction.objects.get(status="declined")
    redact(card, "payload")
    for option in card.options.all():
        redact(option, "label", "action")
    for block in Block.objects.filter(turn=first):
        redact(block, "body")
    redact(first, "input")
    redact(ReplayRecord.objects.get(turn=first), "material")
    page = staff.page(first)
    assert "it weighs 3" not in page
    assert "Send it now?" not in page
    assert "decline_commands" not in page
    assert "on the authority of: a court &lt;b&gt;" in page
    assert "These words were removed." in words(staff.page(card))
    assert "These words were removed." in words(staff.list("turn"))


def test_turns_lead_to_the_earlier_and_the_later(staff: Reader, told: Scenario) -> None:
    page = staff.page(turn(3))
    assert f'href="{address(turn(2))}">← Earlier turn' in page
    assert f'href="{address(turn(4))}">Later turn →' in page
    assert "Earlier turn" not in staff.page(turn(1))
