"""The admin: what happened and why, read as it is stored.

Stock pages in the stock theme. Nobody adds, changes or deletes anything here, not even a superuser: facts are read, and what may still
change is changed by the runtime. A page costs the same number of statements whatever the tables hold, and none of them counts rows.
"""

from django.contrib import admin

from turnframe_django.admin.commands import CommandAdmin
from turnframe_django.admin.conversations import ConversationAdmin
from turnframe_django.admin.events import EventAdmin
from turnframe_django.admin.interactions import InteractionAdmin
from turnframe_django.admin.outbox import OutboxAdmin
from turnframe_django.admin.turns import TurnAdmin
from turnframe_django.models import Command, Conversation, DomainEvent, Interaction, OutboxEntry, Turn

__all__ = ["CommandAdmin", "ConversationAdmin", "EventAdmin", "InteractionAdmin", "OutboxAdmin", "TurnAdmin"]

admin.site.register(Conversation, ConversationAdmin)
admin.site.register(Turn, TurnAdmin)
admin.site.register(Interaction, InteractionAdmin)
admin.site.register(Command, CommandAdmin)
admin.site.register(DomainEvent, EventAdmin)
admin.site.register(OutboxEntry, OutboxAdmin)
