"""Events and the receipts that rest on them."""

from decimal import Decimal

import pytest
from django.test import override_settings
from django.utils import translation
from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _

from turnframe_django import flow
from turnframe_django.flow.events import ReceiptText, check_templates, receipt_of


class Paid(flow.Event, code="test.paid", title=_("Paid"), body="{amount} to {whom}"):
    """Money went out."""

    amount: Decimal
    whom: str


class Kept(flow.Event, code="test.kept"):
    """Nobody is told."""


class Counted(flow.Event, code="test.counted", title="Counted", severity="info"):
    """Needs more than a template."""

    count: int

    def receipt(self) -> flow.Receipt | None:
        if not self.count:
            return None
        return flow.Receipt("One" if self.count == 1 else "Many", severity="warning" if self.count > 9 else None)


def test_a_receipt_is_the_template_filled_in_the_turn_s_language() -> None:
    with translation.override("it"):
        assert receipt_of(Paid(amount=Decimal("9.5"), whom="Ann")) == ReceiptText("test.paid", "success", "Paid", "9,5 to Ann")


def test_an_event_without_a_title_shows_no_receipt() -> None:
    assert receipt_of(Kept()) is None


def test_an_author_may_write_the_receipt_by_hand() -> None:
    assert receipt_of(Counted(count=0)) is None
    assert receipt_of(Counted(count=1)) == ReceiptText("test.counted", "info", "One", "")
    assert receipt_of(Counted(count=10)) == ReceiptText("test.counted", "warning", "Many", "")


def test_nothing_in_a_receipt_is_invisible() -> None:
    receipt = receipt_of(Paid(amount=Decimal(1), whom="Ann\u202e\u200b\x07"))
    assert receipt is not None
    assert receipt.body == "1 to Ann\\u{202E}\\u{200B}\\u{0007}"


def test_a_value_cannot_act_as_a_template() -> None:
    receipt = receipt_of(Paid(amount=Decimal(1), whom="{amount.__class__}"))
    assert receipt is not None
    assert receipt.body == "1 to {amount.__class__}"


def in_language(texts: dict[str, str]) -> flow.Text:
    made: flow.Text = lazy(lambda: texts.get(translation.get_language() or "", texts["en"]), str)()
    return made


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        ({"en": "{name}", "it": "{nome}"}, ["it", "nome"]),
        ({"en": "{name.__class__}"}, ["en", "plain name"]),
        ({"en": "{name}", "it": "{name"}, ["it", "not a template"]),
    ],
)
def test_a_template_is_checked_in_every_language(texts: dict[str, str], told: list[str]) -> None:
    class Named(flow.Event, code="test.named", title=_("Named"), body=in_language(texts)):
        """Something got a name."""

        name: str

    with override_settings(LANGUAGES=[("en", "English"), ("it", "Italiano")]):
        problems = " ".join(check_templates(Named))
    assert all(word in problems for word in ["Named", "body", *told])


def test_a_sound_template_passes() -> None:
    assert list(check_templates(Paid)) == []
