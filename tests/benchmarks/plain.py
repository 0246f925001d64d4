"""The plain baseline: the very rows of ours, written by straightforward ORM code in one module.

Rows that come in lists (blocks, frames) are created in bulk, as anybody would. It keeps the rows and none of the rules: no plan, no views,
no policy, no leases, no claim guard.
"""

import hashlib
import json
from datetime import datetime
from typing import Any, TypeAlias

from django.db import transaction
from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tests.desk.models import Parcel
from turnframe_django import ids
from turnframe_django.models import (
    Block,
    BlockEvent,
    Command,
    Conversation,
    Counter,
    DomainEvent,
    Interaction,
    InteractionTransition,
    ModelCall,
    OutboxEntry,
    ReplayRecord,
    StreamFrame,
    Turn,
)
from turnframe_django.protocol.states import OutboxStatus

#: A frame to come: its type, its data and its block.
Told: TypeAlias = tuple[str, str, Block | None]


class ClickIn(serializers.Serializer[Any]):
    """The answer to a card."""

    interaction_id = serializers.UUIDField()
    option_id = serializers.CharField(max_length=64)
    expected_case_revision = serializers.IntegerField()


class TurnIn(serializers.Serializer[Any]):
    """A text, or a click."""

    text = serializers.CharField(max_length=8000, required=False)
    interaction_response = ClickIn(required=False)
    client_turn_id = serializers.CharField(max_length=255, required=False)


class Conversations(APIView):
    """The user's conversations."""

    def get(self, request: Request) -> Response:
        """Return the 50 with the newest activity."""
        owner = str(request.user.pk)
        found = Conversation.objects.filter(account=owner, owner=owner).order_by("-last_activity_at", "-id")[:50]
        now = timezone.now()
        return Response(
            [
                {
                    "conversation_id": str(row.pk),
                    "engine": row.engine,
                    "chat": row.chat_name,
                    "title": row.title,
                    "locale": row.locale,
                    "created_at": row.created_at,
                    "last_activity_at": row.last_activity_at,
                    "turn_in_progress": row.lease_until is not None and row.lease_until > now,
                }
                for row in found
            ]
        )


class Turns(APIView):
    """The turns of one conversation."""

    def get(self, request: Request, key: str) -> Response:
        """Return the first 50 turns with their blocks and the states of their cards."""
        conversation = get_object_or_404(Conversation, pk=key, account=str(request.user.pk), owner=str(request.user.pk))
        found = conversation.turns.order_by("ordinal").prefetch_related("blocks__interaction")[:50]
        return Response([shown(turn, sorted(turn.blocks.all(), key=lambda block: block.position)) for turn in found])

    def post(self, request: Request, key: str) -> Response:
        """Take a text or a click."""
        said = TurnIn(data=request.data)
        said.is_valid(raise_exception=True)
        owner = str(request.user.pk)
        click = said.validated_data.get("interaction_response")
        if click is not None:
            return self.click(owner, key, said, click)
        return self.text(owner, key, said)

    def text(self, owner: str, key: str, said: TurnIn) -> Response:
        """Name the parcel: accepted first, finished once the words were read."""
        text = said.validated_data["text"]
        with transaction.atomic():
            conversation = get_object_or_404(Conversation.objects.select_for_update(), pk=key, account=owner, owner=owner)
            now = timezone.now()
            turn = new_turn(conversation, owner, said, now)
            turn.save(force_insert=True)
            conversation.lease_turn, conversation.lease_until = turn.pk, now
            conversation.save()
            frames(conversation, turn, now, [("turn.received", "", None)])
        case = conversation.cases.get()
        parcel = Parcel.objects.get(pk=case.case_id, account=owner)
        name = text.removeprefix("call it ")
        with transaction.atomic():
            conversation = Conversation.objects.select_for_update().get(pk=conversation.pk)
            parcel = Parcel.objects.select_for_update().get(pk=case.case_id, account=owner)
            now = timezone.now()
            ModelCall.objects.create(
                turn=turn, purpose="interpret", provider="scripted", prompt_digest=digest(text), verdict="accepted", latency_ms=0, at=now
            )
            revision = parcel.revision
            parcel.name, parcel.revision = name, revision + 1
            parcel.save()
            command = Command(
                account=owner,
                turn=turn,
                engine="flow",
                case_name="parcel",
                case_id=str(parcel.pk),
                name="parcel.name_parcel",
                arguments=json.dumps({"name": name}),
                idempotency_key=digest(f"{turn.pk}/{parcel.pk}/{revision}"),
                expected_revision=revision,
                risk="reversible_low_risk",
                confirmation="none",
                created_at=now,
            )
            settle(command, turn, now, "direct_safe_user_act", parcel.revision)
            command.save(force_insert=True)
            receipt = {"status_code": "parcel.named", "title": "Parcel named", "body": f"It is now called {name}.", "severity": "success"}
            told: list[Told] = [
                (f"turn.phase:{phase}", json.dumps({"phase": phase}), None) for phase in ("interpreted", "reduced", "committed")
            ]
            blocks = reply(conversation, turn, parcel, command, "parcel.named", receipt, now, told, material=text)
            conversation.lease_turn, conversation.lease_until, conversation.last_activity_at = None, None, now
            conversation.save()
        return Response(shown(turn, blocks), status=201)

    def click(self, owner: str, key: str, said: TurnIn, click: dict[str, Any]) -> Response:
        """Send the parcel, once."""
        card = get_object_or_404(
            Interaction.objects.select_related("resolved_turn"), pk=click["interaction_id"], conversation_id=key, account=owner
        )
        if card.resolved_turn is not None:
            return Response(shown(card.resolved_turn, list(card.resolved_turn.blocks.order_by("position"))))
        with transaction.atomic():
            conversation = get_object_or_404(Conversation.objects.select_for_update(), pk=key, account=owner, owner=owner)
            parcel = Parcel.objects.select_for_update().get(pk=card.case_id, account=owner)
            card = Interaction.objects.select_for_update().get(pk=card.pk)
            if card.bound_revision != click["expected_case_revision"] or card.bound_revision != parcel.revision or not card.is_open:
                return Response({"detail": "conflict"}, status=409)
            option = card.options.get(option_id=click["option_id"])
            now = timezone.now()
            turn = new_turn(conversation, owner, said, now)
            turn.save(force_insert=True)
            parcel.status, parcel.revision = Parcel.Status.SENT, parcel.revision + 1
            parcel.save()
            command = card.commands.get(status="awaiting_confirmation")
            settle(command, turn, now, "confirmed_interaction", parcel.revision)
            command.save()
            card.resolve()
            card.resolved_option_id, card.resolved_at, card.resolved_turn = option.option_id, now, turn
            card.save()
            InteractionTransition.objects.create(
                interaction=card, from_status="active", to_status="resolved", at=now, turn=turn, actor=owner, reason="answered"
            )
            OutboxEntry.objects.create(
                account=owner,
                turn=turn,
                command=command,
                destination="carrier",
                key=command.idempotency_key,
                payload=command.arguments,
                status=OutboxStatus.PENDING,
                created_at=now,
            )
            moved = {"from": "active", "interaction_id": str(card.pk), "reason": "answered", "to": "resolved"}
            told: list[Told] = [("turn.received", "", None), ("interaction.changed", json.dumps(moved), None)]
            receipt = {"status_code": "parcel.sent", "title": "Parcel sent", "body": f"{parcel.name} is with the carrier."}
            blocks = reply(conversation, turn, parcel, command, "parcel.sent", receipt, now, told)
            conversation.last_activity_at = now
            conversation.save()
        return Response(shown(turn, blocks), status=201)


def new_turn(conversation: Conversation, owner: str, said: TurnIn, now: datetime) -> Turn:
    """Return the next turn, not yet stored."""
    conversation.last_ordinal += 1
    given = json.dumps(said.validated_data, default=str)
    turn_id = ids.new_id()
    return Turn(
        id=turn_id,
        conversation=conversation,
        ordinal=conversation.last_ordinal,
        actor=owner,
        input=given,
        client_turn_id=said.validated_data.get("client_turn_id") or str(ids.new_id()),
        request_digest=digest(given),
        locale=conversation.locale,
        replay_token=ids.new_id(),
        received_at=now,
    )


def settle(command: Command, turn: Turn, now: datetime, origin: str, revision: int) -> None:
    """Say that the command ran."""
    command.commit()
    command.origin, command.decision, command.reason = origin, "turnframe.policy.allowed", "The user asked for it."
    command.outcome = json.dumps({"revision": revision})
    command.completed_at, command.settled_turn = now, turn


def reply(
    conversation: Conversation,
    turn: Turn,
    parcel: Parcel,
    command: Command,
    kind: str,
    receipt: dict[str, Any],
    now: datetime,
    told: list[Told],
    material: str = "",
) -> list[Block]:
    """Store the event, the reply that rests on it, the record of why, and the frames; return the blocks."""
    event = DomainEvent.objects.create(
        account=conversation.account,
        position=taken(f"account:{conversation.account}", 1),
        turn=turn,
        command=command,
        engine="flow",
        case_name="parcel",
        case_id=str(parcel.pk),
        revision=parcel.revision,
        type=kind,
        payload=json.dumps({"name": parcel.name}),
        at=now,
    )
    texts: list[dict[str, Any]] = [
        {"kind": "transition", "text": "Done. What would you like to do next: name the parcel, say what it weighs, leave a note?"},
        {"kind": "receipt", "receipt": {**receipt, "event_ids": [str(event.pk)], "receipt_id": str(ids.new_id())}},
    ]
    blocks = []
    for position, body in enumerate(texts):
        block_id = ids.new_id()
        text = json.dumps({**body, "block_id": str(block_id), "schema_version": 1})
        blocks.append(Block(id=block_id, turn=turn, position=position, kind=body["kind"], body=text, digest=digest(text)))
    Block.objects.bulk_create(blocks)
    BlockEvent.objects.create(block=blocks[1], event=event)
    turn.deliver()
    turn.head = json.dumps({"conversation_id": str(conversation.pk), "turn_id": str(turn.pk), "replay_token": str(turn.replay_token)})
    turn.delivered_at = now
    turn.memory = json.dumps({"subjects": [f"flow/parcel/{parcel.pk}"]})
    turn.save()
    record = {
        "blocks": [{"block_id": str(block.pk), "digest": block.digest} for block in blocks],
        "cases": [{"case": f"flow/parcel/{parcel.pk}", "opened": False, "revision": parcel.revision}],
        "events": [str(event.pk)],
        "outcomes": [{"command_id": str(command.pk), "key": command.idempotency_key, "name": command.name, "reason": command.reason}],
        "versions": {"workflow:parcel": 1},
    }
    state = {"name": parcel.name, "weight": parcel.weight, "note": parcel.note, "status": parcel.status}
    ReplayRecord.objects.create(turn=turn, record=json.dumps(record), material=json.dumps([material, state]) if material else "", at=now)
    delivered = {"block_ids": [str(block.pk) for block in blocks], "digest": digest("".join(block.body for block in blocks))}
    last = ("turn.delivered", json.dumps(delivered), None)
    frames(conversation, turn, now, [*told, *(("block", "", block) for block in blocks), last])
    return blocks


def frames(conversation: Conversation, turn: Turn, now: datetime, told: list[Told]) -> None:
    """Store frames under the conversation's next numbers."""
    first = taken(f"conversation:{conversation.pk}", len(told))
    StreamFrame.objects.bulk_create(
        StreamFrame(conversation=conversation, seq=number, type=kind.split(":")[0], turn=turn, block=block, data=data, at=now)
        for number, (kind, data, block) in enumerate(told, first)
    )


def taken(scope: str, count: int) -> int:
    """Take ``count`` numbers of a counter and return the first."""
    counter, _made = Counter.objects.select_for_update().get_or_create(scope=scope, defaults={"value": 0})
    counter.value += count
    counter.save()
    return counter.value - count + 1


def shown(turn: Turn, blocks: list[Block]) -> dict[str, Any]:
    """Return a turn as it is shown."""
    cards = [block.interaction for block in blocks if block.interaction is not None]
    return {
        "turn_id": str(turn.pk),
        "conversation_id": str(turn.conversation_id),
        "client_turn_id": turn.client_turn_id,
        "ordinal": turn.ordinal,
        "source": turn.source,
        "phase": turn.phase,
        "input": json.loads(turn.input or "null"),
        "received_at": turn.received_at,
        "delivered_at": turn.delivered_at,
        "assistant_turn": {**json.loads(turn.head or "{}"), "blocks": [json.loads(block.body) for block in blocks]},
        "interaction_states": {str(card.pk): {"status": card.status, "option": card.resolved_option_id} for card in cards},
    }


def digest(text: str) -> str:
    """Return the SHA-256 of a text, in hex."""
    return hashlib.sha256(text.encode()).hexdigest()
