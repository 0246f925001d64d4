"""A first walk through everything."""

import pytest
from tests.desk.models import Parcel
from tests.desk.workflows import *
from turnframe_django.testing import act, ScenarioFactory

pytest_plugins = ["turnframe_django.testing.plugin"]


def test_walk(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow)
    s.user("start a parcel called Books", proposes=[OpenParcel(name="Books")])
    print(s.problem, s.body)
    s.expect_receipt("parcel.opened")
    s.user("it weighs 3, send it", proposes=[WeighParcel(weight=3), AskToSend()])
    print(s.body)
    card = s.expect_card("confirm_command")
    s.expect_receipt("parcel.weighed")
    s.click(card, "confirm")
    print(s.problem, s.body)
    s.expect_receipt("parcel.sent")
    s.click(card, "confirm")
    s.expect_same_turn_bytes()
    s.expect_command_ran_once(SendParcel)
    s.callback("carrier", {"parcel": str(Parcel.objects.get().pk), "status": "arrived"})
    print(s.body)
    s.expect_receipt("parcel.carrier_answered")
