"""Delivery: the reply's blocks, the replay record, the frames and the released lease, in the transaction of the commit.

Where a model writes the reply, commit and delivery part; until then nobody ever sees an effect without its reply.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from turnframe_django import __version__, codec
from turnframe_django.flow.reply import Draft
from turnframe_django.models import ConversationCase, DomainEvent, OutboxEntry, ReplayRecord
from turnframe_django.protocol.turns import head_text
from turnframe_django.runtime import announcing, rows, stored
from turnframe_django.runtime.effects import Effects
from turnframe_django.runtime.writing import TurnRows


@dataclass(slots=True)
class Account:
    """What the replay record tells beside the outcomes: the plan that was decided and the material that reduction read."""

    plan_digest: str = ""
    results: Sequence[codec.Json] = ()
    material: str = ""


def deliver(work: TurnRows, effects: Effects, drafts: Sequence[Draft], account: Account, *, new_turn: bool) -> str:
    """Write the reply and everything gathered, and return the turn's exact text.

    ``new_turn`` says that the turn's own row is written here too (a click, or news from outside).
    """
    turn, conversation = work.turn, work.conversation
    blocks = work.write_blocks(drafts)
    turn.deliver()
    turn.head = head_text(conversation_id=conversation.pk, turn_id=turn.pk, replay_token=turn.replay_token)
    turn.delivered_at = work.now
    turn.memory = codec.encode({"subjects": [case.path for case in effects.cases.values()]})
    delivered: codec.Json = {
        "block_ids": [str(block.pk) for block in blocks],
        "digest": codec.digest("".join(work.bodies)),
        "replay_token": str(turn.replay_token),
    }
    work.conclude("turn.delivered", codec.encode(delivered))
    work.add(_replay_record(work, effects, account))
    if new_turn:
        work.add(turn)
    else:
        rows.update(turn, "phase", "head", "delivered_at", "memory")
        conversation.lease_turn, conversation.lease_until = None, None
    conversation.last_activity_at = work.now
    rows.update(conversation, "last_ordinal", "lease_token", "lease_turn", "lease_until", "last_activity_at")
    announcing.delivered(work)
    work.flush()
    return stored.text(turn, work.bodies)


def _replay_record(work: TurnRows, effects: Effects, account: Account) -> ReplayRecord:
    record: codec.Json = {
        "blocks": [{"block_id": str(block), "digest": codec.digest(body)} for block, body in work.numbered_blocks()],
        "cases": [{"case": case.path, "opened": case.opened, "revision": case.ref.revision} for case in effects.cases.values()],
        "events": [str(event.pk) for event in work.gathered(DomainEvent)],
        "interactions": [str(draft.interaction_id) for draft in effects.raised],
        "joined": [str(case) for case in work.gathered(ConversationCase)],
        "outbox": [str(entry.pk) for entry in work.gathered(OutboxEntry)],
        "outcomes": effects.outcomes,
        "plan_digest": account.plan_digest,
        "results": list(account.results),
        "versions": {
            "turnframe": __version__,
            **{f"workflow:{case.workflow.name}": case.workflow.version for case in effects.cases.values()},
        },
    }
    return ReplayRecord(turn_id=work.turn.pk, record=codec.encode(record), material=account.material, at=work.now)
