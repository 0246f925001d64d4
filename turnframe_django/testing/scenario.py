"""A conversation to talk through in a test, in the words of the protocol: what a user says, clicks and sees.

Everything goes through ``runtime.handle_turn`` and ``runtime.receive_callback``, so a scenario proves what a site would do.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, cast

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import models
from django.test import override_settings

from turnframe_django import codec, registry, runtime
from turnframe_django.context import Actor
from turnframe_django.exceptions import Problem
from turnframe_django.flow.commands import Command as FlowCommand
from turnframe_django.flow.proposal import Brief, Proposal
from turnframe_django.flow.workflow import Workflow
from turnframe_django.models import Command, OutboxEntry
from turnframe_django.protocol.turns import InteractionResponse, OriginInput, TurnInput
from turnframe_django.runtime.telling import Source
from turnframe_django.understanding.scripted import Proposed, ScriptedInterpreter

Block: TypeAlias = dict[str, Any]
Meanwhile: TypeAlias = Callable[[], object]

#: The interpreter that the running scenario's messages are read by.
current = ScriptedInterpreter()


class _Reader(ScriptedInterpreter):
    """The interpreter of one message; while it reads, ``meanwhile`` happens in the test's own thread."""

    def __init__(self, script: Mapping[str, Proposed], meanwhile: Meanwhile | None) -> None:
        super().__init__(script)
        self.meanwhile = meanwhile
        self.disproved: AssertionError | None = None

    async def interpret(self, brief: Brief, /) -> Proposal:
        if self.meanwhile is not None:
            try:
                await sync_to_async(self.meanwhile)()
            except AssertionError as error:
                # A turn takes any error here for a model that is down; what a test asserts must not get lost in that.
                self.disproved = error
                raise
        return await super().interpret(brief)


class Scenario:
    """One actor's conversation. ``blocks`` are those of the last turn; ``body`` is that turn's exact text."""

    def __init__(
        self,
        workflow: type[Workflow[Any, Any]],
        record: models.Model | None = None,
        *,
        actor: Actor | None = None,
        locale: str = "en",
    ) -> None:
        self.workflow = registry.workflows()[workflow.name]
        account = self.workflow.account_of(record) if record is not None else ""
        self.actor = actor or Actor(account or "acme", "ann")
        self.record = record
        if record is not None and record._state.adding:
            record.save()
        named = [(self.workflow.name, str(record.pk))] if record is not None else []
        self.conversation = runtime.open_conversation(self.actor, locale=locale, cases_named=named)
        self.body = ""
        self.replayed = False
        self.problem: Problem | None = None
        self._first: dict[str, str] = {}

    # --- what a user does ----------------------------------------------------------------------------------------------------------

    def user(
        self,
        text: str,
        *,
        proposes: Proposed = (),
        key: str | None = None,
        origin: models.Model | None = None,
        meanwhile: Meanwhile | None = None,
    ) -> "Scenario":
        """Say ``text``; the model proposes ``proposes``, and ``meanwhile`` happens while it reads.

        ``origin`` is the record that the user's page shows.
        """
        shown = OriginInput(name=self.workflow.name, case_id=str(origin.pk)) if origin is not None else None
        return self._turn(TurnInput(client_turn_id=key, text=text, origin=shown), _Reader({text: proposes}, meanwhile))

    def click(
        self,
        card: Mapping[str, Any],
        option: str,
        *,
        text: str | None = None,
        proposes: Proposed = (),
        freeform: str | None = None,
        key: str | None = None,
        meanwhile: Meanwhile | None = None,
    ) -> "Scenario":
        """Click ``option`` of ``card`` as it was shown. With ``text`` there are words beside the click, read as in ``user``."""
        response = InteractionResponse(
            interaction_id=str(card["interaction_id"]),
            option_id=option,
            expected_case_revision=card["case_ref"]["revision"],
            freeform_input=freeform,
        )
        turn_input = TurnInput(client_turn_id=key, text=text, interaction_response=response)
        return self._turn(turn_input, _Reader({text: proposes} if text is not None else {}, meanwhile))

    def tell(self, command: FlowCommand[Any, Any], *, key: str, source: Source = "worker") -> "Scenario":
        """Let a worker, an operator or the application run ``command`` on the scenario's record."""
        assert self.record is not None
        case_id = str(self.record.pk)
        return self._took(lambda: runtime.tell(type(self.workflow), case_id, command, key=key, source=source))

    def callback(self, name: str, body: Mapping[str, object], *, key: str | None = None) -> "Scenario":
        """Let the outside answer through the callback ``name``."""
        return self._took(lambda: runtime.receive_callback(name, body, key=key))

    # --- what a user sees ----------------------------------------------------------------------------------------------------------

    @property
    def turn(self) -> dict[str, Any]:
        """The last turn."""
        return cast("dict[str, Any]", codec.decode(self.body))

    @property
    def blocks(self) -> list[Block]:
        """The blocks of the last turn, in order."""
        return cast("list[Block]", self.turn["assistant_turn"]["blocks"])

    def of_kind(self, kind: str) -> list[Block]:
        """Return the last turn's blocks of ``kind``."""
        return [block for block in self.blocks if block["kind"] == kind]

    @property
    def card(self) -> Block | None:
        """The last card of the last turn."""
        found = self.of_kind("interaction")
        return found[-1]["interaction"] if found else None

    @property
    def notices(self) -> list[str]:
        """The codes of the last turn's notices."""
        return [block["code"] for block in self.of_kind("notice")]

    @property
    def receipts(self) -> list[str]:
        """The status codes of the last turn's receipts."""
        return [block["receipt"]["status_code"] for block in self.of_kind("receipt")]

    # --- what a test expects -------------------------------------------------------------------------------------------------------

    def expect_card(self, kind: str) -> Block:
        """Return the last turn's card, which must be of ``kind``."""
        assert self.problem is None, self.problem
        assert self.card is not None, f"no card among {[block['kind'] for block in self.blocks]}"
        assert self.card["kind"] == kind, f"the card is of kind {self.card['kind']}"
        return self.card

    def expect_no_card(self) -> None:
        """The last turn shows no card."""
        assert self.card is None, self.card

    def expect_receipt(self, code: str) -> Block:
        """Return the last turn's receipt of ``code``; it rests on committed events."""
        assert self.problem is None, self.problem
        found = [block["receipt"] for block in self.of_kind("receipt") if block["receipt"]["status_code"] == code]
        assert found, f"no receipt {code} among {self.receipts}; notices: {self.notices}"
        assert found[0]["event_ids"], "a receipt without events"
        return cast(Block, found[0])

    def expect_no_receipt(self) -> None:
        """The last turn claims nothing done."""
        assert not self.receipts, self.receipts

    def expect_notice(self, code: str) -> Block:
        """Return the last turn's notice of ``code``."""
        found = [block for block in self.of_kind("notice") if block["code"] == code]
        assert found, f"no notice {code} among {self.notices}"
        return found[0]

    def expect_problem(self, code: str) -> Problem:
        """Return the problem that the last turn met."""
        assert self.problem is not None, "no problem"
        assert self.problem.code == code, f"the problem is {self.problem.code}"
        return self.problem

    def expect_same_turn_bytes(self) -> None:
        """The last answer was an earlier turn's, byte for byte."""
        assert self.replayed, "the last answer is a turn of its own"
        turn_id = str(self.turn["turn_id"])
        assert self._first[turn_id] == self.body, "the bytes differ"

    def expect_command_ran_once(self, command: type[FlowCommand[Any, Any]]) -> None:
        """``command`` was committed exactly once in this conversation."""
        name = f"{self.workflow.name}.{command.declared.key}"
        ran = Command.objects.filter(turn__conversation=self.conversation, name=name, status="committed").count()
        assert ran == 1, f"{name} ran {ran} times"

    @property
    def outbox(self) -> list[OutboxEntry]:
        """What this conversation promised to the outside, oldest first."""
        return list(OutboxEntry.objects.filter(turn__conversation=self.conversation).order_by("created_at", "id"))

    def fresh(self) -> Any:
        """Return the record as it is stored now."""
        assert self.record is not None
        return type(self.record)._default_manager.get(pk=self.record.pk)

    # -------------------------------------------------------------------------------------------------------------------------------

    def _turn(self, turn_input: TurnInput, interpreter: _Reader) -> "Scenario":
        global current
        current = interpreter
        self._took(lambda: runtime.handle_turn(self.actor, self.conversation.pk, turn_input))
        if interpreter.disproved is not None:
            raise interpreter.disproved
        return self

    def _took(self, take: Callable[[], runtime.TurnAnswer]) -> "Scenario":
        self.problem = None
        told = {**getattr(settings, "TURNFRAME", {}), "INTERPRETER": f"{__name__}.current"}
        with override_settings(TURNFRAME=told):
            try:
                answer = take()
            except Problem as problem:
                self.problem = problem
                return self
        self.problem, self.body, self.replayed = None, answer.body, answer.replayed
        self._first.setdefault(str(answer.turn_id), answer.body)
        return self


ScenarioFactory: TypeAlias = type[Scenario]
