"""News that no user's turn brought: a callback's answer, a worker's finding, an operator's or the application's decision.

It is a turn like any other, without a model and without a lease: it commits beside a running turn, whose own commit then meets the moved
revision. Nothing is ever told through a side channel (docs/concepts.md, "The turn").
"""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias
from uuid import UUID

from django.db import IntegrityError
from pydantic import BaseModel, ValidationError

from turnframe_django import codec, flow, ids, registry
from turnframe_django.context import Actor
from turnframe_django.exceptions import Problem
from turnframe_django.flow.policy import Origin, decide
from turnframe_django.flow.targets import CaseRef
from turnframe_django.models import Command, Conversation, ConversationCase, DomainEvent, Turn
from turnframe_django.protocol.states import Engine, OriginKind, TurnSource
from turnframe_django.runtime import cases, clock, rows, stored
from turnframe_django.runtime.cases import AnyWorkflow, HeldCase
from turnframe_django.runtime.compose import reply
from turnframe_django.runtime.deliver import Account, deliver
from turnframe_django.runtime.effects import Effects
from turnframe_django.runtime.intake import TurnAnswer, new_turn, speaking
from turnframe_django.runtime.transactions import LockWaitOver, retried, work
from turnframe_django.runtime.writing import TurnRows

Source: TypeAlias = Literal["callback", "worker", "operator", "application"]


class NotAdmitted(Exception):
    """Policy does not let this source run this command; nothing was written. ``code`` is the decision's."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(f"{code}: {reason}")
        self.code = code


def tell(
    workflow: type[flow.Workflow[Any, Any]],
    case_id: str,
    command: flow.Command[Any, Any],
    *,
    key: str,
    source: Source = "application",
    name: str = "",
    conversation_id: UUID | None = None,
) -> TurnAnswer:
    """Run ``command`` on a record and tell it in the conversation whose turn last committed on the record, or in the one given.

    ``key`` names the news: told again under the same key (and ``name``), it is answered with the first turn and runs nothing. ``name`` is
    the callback's, or whatever keeps keys of different senders apart. A domain refusal is told too, and journaled as failed.

    Raises ``Problem``: ``not_found`` when there is no such record or no conversation about it, ``invalid_text`` for a key that no database
    keeps. Raises ``NotAdmitted``.
    """
    news = f"{source}:{name}:{key}" if name else f"{source}:{key}"
    try:
        news.encode()
    except UnicodeEncodeError:
        raise Problem("invalid_text") from None
    definition = registry.workflows()[workflow.name]
    record = cases.read_by_key(definition, case_id)
    if record is None:
        raise Problem("not_found")
    account = definition.account_of(record)
    # A key of any length and alphabet: the journal keeps its digest, which also tells a repeat apart wherever the first was told.
    journal_key = codec.digest(f"turnframe.told.v1\0{definition.name}\0{news}")
    try:
        return retried(
            lambda: (
                _earlier(account, journal_key)
                or _tell(definition, case_id, command, account, news, journal_key, TurnSource(source), conversation_id)
            )
        )
    except LockWaitOver:
        raise Problem("temporarily_unavailable", retry_after=1) from None
    except IntegrityError:
        earlier = _earlier(account, journal_key)
        if earlier is None:
            raise
        return earlier


def receive_callback(name: str, body: Mapping[str, object] | BaseModel, *, key: str | None = None) -> TurnAnswer:
    """Take the body of a callback whose authority was checked, and tell what its function makes of it.

    ``key`` is the sender's own name for this message; without one the digest of the body stands in, so the same message twice is one turn.
    Raises ``Problem``: ``not_found`` for an unknown callback or record, ``invalid_input`` for a body that does not fit.
    """
    callback = registry.callbacks().get(name)
    if callback is None:
        raise Problem("not_found")
    try:
        parsed = callback.body_type.model_validate(body if not isinstance(body, BaseModel) else body.model_dump())
    except ValidationError as error:
        errors: list[codec.Json] = [
            {"code": str(item["type"]), "pointer": "".join(f"/{part}" for part in item["loc"])}
            for item in error.errors(include_input=False)
        ]
        raise Problem("invalid_input", errors=errors) from None
    try:
        digest = codec.digest(codec.encode(parsed.model_dump(mode="json")))
    except codec.CodecError as error:
        raise Problem("invalid_text" if error.code == "invalid_text" else "invalid_input") from None
    told = callback.function(parsed)
    own_key = key or (callback.key(parsed) if callback.key is not None else None)
    return tell(
        told.workflow,
        told.case_id,
        told.command,
        key=own_key or digest,
        source="callback",
        name=name,
    )


def _earlier(account: str, journal_key: str) -> TurnAnswer | None:
    found = (
        Command.objects.using(rows.database()).filter(account=account, idempotency_key=journal_key).select_related("settled_turn").first()
    )
    if found is None or found.settled_turn is None:
        return None
    return TurnAnswer(200, stored.read(found.settled_turn), found.settled_turn.pk, replayed=True)


def _tell(
    workflow: AnyWorkflow,
    case_id: str,
    command: flow.Command[Any, Any],
    account: str,
    news: str,
    journal_key: str,
    source: TurnSource,
    conversation_id: UUID | None,
) -> TurnAnswer:
    with work():
        told_in = conversation_id or _conversation_about(account, workflow.name, case_id)
        found = rows.select_with_clock(Conversation, "id = %s AND account = %s", [told_in, account]) if told_in is not None else None
        record = cases.lock_by_key(workflow, case_id) if found is not None else None
        if found is None or record is None:
            raise Problem("not_found")
        conversation, now = found[0], clock.read(found[1])
        callback = source is TurnSource.CALLBACK
        origin = Origin(OriginKind.EXTERNAL_CALLBACK if callback else OriginKind.INTERNAL_POLICY, signature_verified=callback)
        actor = Actor(account, f"{source}", face="worker")
        turn = new_turn(
            conversation,
            now,
            actor=None,
            source=source,
            client_turn_id=news if len(news) <= 255 and codec.is_clean_text(news) else f"{source}:{journal_key}",
            request_digest=journal_key,
            input_text="",
        )
        gathered = TurnRows(conversation, turn, now, None)
        gathered.announce("turn.received")
        effects = Effects(gathered, actor)
        case = HeldCase(workflow, record, CaseRef(Engine.FLOW.value, workflow.name, case_id, workflow.revision_of(record)))
        with speaking(turn):
            effects.hold([case])
            case.project()
            decision = decide(command, case.state, actor, origin)
            if not decision.allowed:
                raise NotAdmitted(decision.code, decision.reason)
            effects.run(
                case,
                [effects.planned(case, command, decision, origin, command_id=ids.command_id(turn.pk, "told", 0), key=journal_key)],
            )
            effects.settle(case)
            drafts = reply(effects, subjects=[case], with_words=False)
        body = deliver(gathered, effects, drafts, Account(), new_turn=True)
        return TurnAnswer(201, body, turn.pk)


def _conversation_about(account: str, name: str, case_id: str) -> UUID | None:
    """Return the conversation whose turn last committed on the case, else the one that opened or joined it last."""
    last = (
        DomainEvent.objects.using(rows.database())
        .filter(account=account, engine=Engine.FLOW, case_name=name, case_id=case_id)
        .order_by("-position")
        .values_list("turn_id", flat=True)
        .first()
    )
    if last is not None:
        return Turn.objects.using(rows.database()).values_list("conversation_id", flat=True).get(pk=last)
    return (
        ConversationCase.objects.using(rows.database())
        .filter(engine=Engine.FLOW, name=name, case_id=case_id, conversation__account=account)
        .order_by("-created_at", "-id")
        .values_list("conversation_id", flat=True)
        .first()
    )
