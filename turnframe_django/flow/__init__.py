"""What an author of workflows imports: ``from turnframe_django import flow``.

Pure: nothing here reads a database or the network. ``snapshot``, ``visible_to``, ``label``, ``artifacts`` and ``execute`` are the
author's, and only the runtime calls them. docs/workflows.md walks through one workflow from top to bottom.
"""

from turnframe_django.context import Actor
from turnframe_django.flow.cards import Card, Option, apply, confirm, decline, dismiss
from turnframe_django.flow.commands import Command, Rejected
from turnframe_django.flow.data import Quoted, dump, load
from turnframe_django.flow.events import Event, Receipt
from turnframe_django.flow.notices import Notice
from turnframe_django.flow.operations import Operation
from turnframe_django.flow.outside import (
    Completed,
    ExternalStatus,
    Outgoing,
    Permanent,
    Retryable,
    SenderResult,
    Tell,
    Unknown,
    callback,
    sender,
)
from turnframe_django.flow.phases import Phase, external, system, terminal, user
from turnframe_django.flow.policy import Policy
from turnframe_django.flow.proposal import Brief, NotUnderstood, OperationBrief, Proposal, ProposedAct, RecordBrief
from turnframe_django.flow.registration import register
from turnframe_django.flow.text import Text, phrase
from turnframe_django.flow.view import Obligation, View
from turnframe_django.flow.workflow import Artifact, Workflow

__all__ = [
    "Actor",
    "Artifact",
    "Brief",
    "Card",
    "Command",
    "Completed",
    "Event",
    "ExternalStatus",
    "NotUnderstood",
    "Notice",
    "Obligation",
    "Operation",
    "OperationBrief",
    "Option",
    "Outgoing",
    "Permanent",
    "Phase",
    "Policy",
    "Proposal",
    "ProposedAct",
    "Quoted",
    "Receipt",
    "RecordBrief",
    "Rejected",
    "Retryable",
    "SenderResult",
    "Tell",
    "Text",
    "Unknown",
    "View",
    "Workflow",
    "apply",
    "callback",
    "confirm",
    "decline",
    "dismiss",
    "dump",
    "external",
    "load",
    "phrase",
    "register",
    "sender",
    "system",
    "terminal",
    "user",
]
