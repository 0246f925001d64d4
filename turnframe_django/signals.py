"""What a host may listen to. Every signal is sent after the commit, once, by the process that committed.

They wake and inform; they are not a queue. A process that dies right after its commit sends none, so whatever must happen belongs in a
command's ``outgoing`` or is found in the tables. Each passes ids and codes, never a user's words, and its ``sender`` is the model class.
Receivers are called by ``send_robust``: one that raises is logged and changes nothing.
"""

from django.dispatch import Signal

#: A conversation was opened. ``sender`` Conversation; ``conversation_id`` UUID, ``account`` str.
conversation_opened = Signal()

#: A turn has its reply. ``sender`` Turn; ``turn_id`` UUID, ``conversation_id`` UUID, ``account`` str, ``source`` str (``TurnSource``).
turn_delivered = Signal()

#: A turn ended without a reply and nothing of it stands. ``sender`` Turn; as ``turn_delivered``, and ``error_code`` str.
turn_failed = Signal()

#: A command ran and its events stand. ``sender`` Command; ``command_id`` UUID, ``turn_id`` UUID (the one in which it ran), ``account`` str,
#: ``name`` str (the command's key), ``case`` str (engine/name/id), ``event_ids`` list of UUID in the order of the ledger.
command_committed = Signal()

#: A card was raised. ``sender`` Interaction; ``interaction_id`` UUID, ``conversation_id`` UUID, ``account`` str, ``case`` str.
interaction_raised = Signal()

#: A card reached its end. ``sender`` Interaction; as ``interaction_raised``, and ``status`` str (``InteractionStatus``), ``turn_id`` UUID
#: or None where no turn did it, ``option_id`` str, empty where nobody chose it.
interaction_settled = Signal()

#: An external effect has an outcome, or its outcome is in doubt. ``sender`` OutboxEntry; ``outbox_id`` UUID, ``command_id`` UUID,
#: ``account`` str, ``destination`` str, ``status`` str (``OutboxStatus``).
outbox_settled = Signal()
