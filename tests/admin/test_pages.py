"""The other pages and the lists: everything leads to everything it belongs to."""

import pytest
from django.db.models import Model

from tests.admin.conftest import NASTY
from tests.admin.reading import KINDS, MODELS, Reader, address, words
from tests.desk.models import Parcel
from tests.desk.workflows import AskToSend, ParcelWorkflow
from tests.factories import ConversationFactory, TurnFactory
from turnframe_django.models import Block, Command, Conversation, DomainEvent, Interaction, OutboxEntry, Turn
from turnframe_django.testing import Scenario, ScenarioFactory

pytestmark = pytest.mark.django_db


def test_every_fact_has_a_page(staff: Reader, told: Scenario) -> None:
    for model in MODELS:
        rows = list(model._default_manager.all())
        assert rows
        for row in rows:
            assert "tfa-page" in staff.page(row)


def test_the_conversation_leads_to_its_turns_cards_and_records(staff: Reader, asking: Scenario) -> None:
    page = staff.page(Conversation.objects.get())
    card = Interaction.objects.get()
    assert f'<a href="{address(card)}">Send it now?</a>' in page
    assert address(Turn.objects.get()) in page
    assert f"flow/parcel/{Parcel.objects.get().pk}" in page
    assert "send it" in page
    assert "free · fencing token" in words(page)


def test_the_conversation_shows_the_newest_fifty_turns_and_says_where_the_rest_is(staff: Reader, db: None) -> None:
    conversation = ConversationFactory.create()
    turns = [TurnFactory.create(conversation=conversation, ordinal=number) for number in range(1, 56)]
    page = staff.page(conversation)
    assert address(turns[5]) in page
    assert address(turns[4]) not in page
    assert "Older turns are in the list." in page
    assert f"/admin/turnframe/turn/?conversation__id__exact={conversation.pk}" in page


def test_an_empty_conversation_says_so(staff: Reader, db: None) -> None:
    shown = words(staff.page(ConversationFactory.create(title="")))
    for said in ("Nothing is being asked.", "It is about no record yet.", "Nobody has said anything yet."):
        assert said in shown


def test_links_go_both_ways(staff: Reader, told: Scenario) -> None:
    event = DomainEvent.objects.get(type="parcel.sent")
    command = event.command
    card = Interaction.objects.get(status="resolved")
    entry = OutboxEntry.objects.get()
    raised, settled = command.turn, event.turn
    assert command.settled_turn == settled
    wanted: dict[Model, list[Model]] = {
        event: [command, card, settled, settled.conversation],
        command: [event, card, entry, raised, settled, settled.conversation],
        card: [command, raised, settled, settled.conversation],
        entry: [command, card, settled, settled.conversation],
        settled: [event, command, card, entry, settled.conversation],
        raised: [command, card, raised.conversation],
        settled.conversation: [raised, settled],
    }
    for row, others in wanted.items():
        page = staff.page(row)
        assert not [other for other in others if address(other) not in page], row


def test_an_event_shows_the_receipt_that_tells_of_it(staff: Reader, told: Scenario) -> None:
    page = staff.page(DomainEvent.objects.get(type="parcel.sent"))
    block = Block.objects.get(event_links__event__type="parcel.sent")
    assert f'data-block-id="{block.pk}"' in page
    assert "None: it is kept without a receipt." in staff.page(DomainEvent.objects.filter(type="parcel.noted")[0])


@pytest.mark.parametrize("kind", KINDS)
def test_no_word_becomes_markup(staff: Reader, nasty: Scenario, kind: str) -> None:
    model = next(model for model in MODELS if model._meta.model_name == kind)
    pages = [staff.list(kind), *(staff.page(row) for row in model._default_manager.all())]
    for page in pages:
        assert "<script>alert" not in page
        assert "<img" not in page.replace('<img src="/static/admin/', "")
    if kind in {"turn", "command", "domainevent"}:
        assert any("&lt;script&gt;" in page for page in pages)
    if kind == "turn":
        assert any(NASTY in words(page) for page in pages)


def test_a_title_and_an_account_are_escaped_too(staff: Reader, db: None) -> None:
    conversation = ConversationFactory.create(title=NASTY, account=NASTY[:30], owner=NASTY[:20])
    for page in (staff.page(conversation), staff.list("conversation")):
        assert "<script>alert" not in page
        assert "&lt;script&gt;" in page


def test_numbers_are_written_as_they_are(staff: Reader, scenario: ScenarioFactory, settings: object) -> None:
    settings.USE_THOUSAND_SEPARATOR = True  # type: ignore[attr-defined]
    s = scenario(ParcelWorkflow, Parcel(account="acme", name="Books", revision=1234567))
    s.user("send it", proposes=[AskToSend()])
    assert "Bound to revision 1234567" in words(staff.page(Interaction.objects.get()))
    assert "Expected revision 1234567" in words(staff.page(Command.objects.get()))


def test_a_page_has_both_style_sheets_and_none_of_the_forms(staff: Reader, told: Scenario) -> None:
    page = staff.page(Turn.objects.get(ordinal=1))
    assert "turnframe/blocks.css" in page
    assert "turnframe/admin.css" in page
    main = page.partition('<div id="content"')[2]
    assert "<form" not in main
    assert "<input" not in main
