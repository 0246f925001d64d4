"""The facts. Import models from here; a submodule imports only those it depends on, in the order below.

``CaseModel`` is public. Everything else is read through its querysets and written by ``runtime`` alone.
"""

from turnframe_django.models.block import Block, BlockEvent
from turnframe_django.models.case import CaseModel
from turnframe_django.models.command import Command
from turnframe_django.models.conversation import Conversation, ConversationCase
from turnframe_django.models.counter import Counter
from turnframe_django.models.event import DomainEvent
from turnframe_django.models.interaction import Interaction, InteractionOption, InteractionTransition
from turnframe_django.models.outbox import OutboxEntry
from turnframe_django.models.replay import ModelCall, ReplayRecord
from turnframe_django.models.stream import StreamFrame
from turnframe_django.models.turn import Turn

__all__ = [
    "Block",
    "BlockEvent",
    "CaseModel",
    "Command",
    "Conversation",
    "ConversationCase",
    "Counter",
    "DomainEvent",
    "Interaction",
    "InteractionOption",
    "InteractionTransition",
    "ModelCall",
    "OutboxEntry",
    "ReplayRecord",
    "StreamFrame",
    "Turn",
]
