"""The claim guard: no block says more than what was committed and stored. It reads records, never prose.

A violation stops the reply from being composed (docs/concepts.md, "Claims").
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from uuid import UUID

from turnframe_django.flow.reply import Draft
from turnframe_django.flow.view import Violation

#: The only kinds a model may write.
MODEL_KINDS = frozenset({"answer", "transition"})


def check(drafts: Sequence[Draft], raised: Collection[UUID], *, committed: Collection[UUID] | None = None) -> list[Violation]:
    """Return what ``drafts`` claim without backing; an empty list when everything stands.

    ``raised`` are the cards stored by or before this turn that it may show; ``committed``, where given, all events it may cite.
    """
    return [
        *_receipts(drafts, committed),
        *_repeats(drafts),
        *_prose(drafts, raised),
        *_cards(drafts, raised),
        *_authors(drafts),
    ]


def _receipts(drafts: Sequence[Draft], committed: Collection[UUID] | None) -> Iterator[Violation]:
    for draft in drafts:
        if draft.kind != "receipt":
            continue
        if not draft.event_ids:
            yield Violation("receipt_without_events", draft.key)
        elif committed is not None and not set(draft.event_ids) <= set(committed):
            yield Violation("receipt_for_uncommitted_event", draft.key)


def _repeats(drafts: Sequence[Draft]) -> Iterator[Violation]:
    for key, count in Counter(draft.key for draft in drafts).items():
        if count > 1:
            yield Violation("duplicate_receipt" if key.startswith("receipt:") else "duplicate_block", key)


def _prose(drafts: Sequence[Draft], raised: Collection[UUID]) -> Iterator[Violation]:
    backing = [set(draft.event_ids) for draft in drafts if draft.kind == "receipt"]
    shown = {draft.interaction_id for draft in drafts if draft.kind == "interaction"}
    for draft in drafts:
        if draft.kind not in MODEL_KINDS:
            continue
        if draft.event_ids and not any(set(draft.event_ids) <= events for events in backing):
            yield Violation("unbacked_operational_outcome", draft.key)
        if draft.interaction_id is not None and (draft.interaction_id not in shown or draft.interaction_id not in raised):
            yield Violation("interaction_not_in_turn", draft.key)


def _cards(drafts: Sequence[Draft], raised: Collection[UUID]) -> Iterator[Violation]:
    for draft in drafts:
        if draft.kind == "interaction" and draft.interaction_id not in raised:
            yield Violation("interaction_not_persisted", draft.key)


def _authors(drafts: Sequence[Draft]) -> Iterator[Violation]:
    for draft in drafts:
        if draft.author == "model" and draft.kind not in MODEL_KINDS:
            yield Violation("model_authored_fact", draft.key)
