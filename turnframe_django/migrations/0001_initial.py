"""Every table of the app, and the guards of those that hold facts."""

import django.db.models.deletion
from django.db import migrations, models

import turnframe_django.fields
import turnframe_django.ids
from turnframe_django.models.guards import InstallGuards


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Counter",
            fields=[
                ("scope", turnframe_django.fields.ExactTextField(max_length=100, primary_key=True, serialize=False)),
                ("value", models.PositiveBigIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="Conversation",
            fields=[
                ("id", models.UUIDField(default=turnframe_django.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ("redacted_at", models.DateTimeField(editable=False, null=True)),
                ("redaction_authority", models.CharField(editable=False, max_length=120, null=True)),
                ("account", models.CharField(max_length=64)),
                ("owner", models.CharField(max_length=64)),
                ("engine", models.CharField(default="flow", max_length=16)),
                ("chat_name", models.CharField(max_length=80, null=True)),
                ("chat_version", models.PositiveIntegerField(null=True)),
                ("title", models.TextField(blank=True, default="")),
                ("locale", models.CharField(max_length=35)),
                ("last_ordinal", models.PositiveBigIntegerField(default=0)),
                ("lease_token", models.PositiveBigIntegerField(default=0)),
                ("lease_turn", models.UUIDField(null=True)),
                ("lease_until", models.DateTimeField(null=True)),
                ("created_at", models.DateTimeField()),
                ("last_activity_at", models.DateTimeField()),
            ],
            options={
                "indexes": [models.Index(fields=["account", "owner", "-last_activity_at", "-id"], name="turnframe_conversation_list")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(models.Q(("account", ""), _negated=True), models.Q(("owner", ""), _negated=True)),
                        name="turnframe_conversation_scoped",
                    ),
                    models.CheckConstraint(condition=models.Q(("engine__in", ["chat", "flow"])), name="turnframe_conversation_engine"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("redacted_at__isnull", True), ("redaction_authority__isnull", True)),
                            models.Q(("redacted_at__isnull", False), ("redaction_authority__isnull", False)),
                            _connector="OR",
                        ),
                        name="turnframe_conversation_door",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Interaction",
            fields=[
                ("id", models.UUIDField(default=turnframe_django.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ("redacted_at", models.DateTimeField(editable=False, null=True)),
                ("redaction_authority", models.CharField(editable=False, max_length=120, null=True)),
                ("account", models.CharField(max_length=64)),
                ("engine", models.CharField(max_length=16)),
                ("case_name", models.CharField(max_length=80)),
                ("case_id", models.CharField(max_length=80)),
                ("bound_revision", models.PositiveBigIntegerField()),
                ("binds_to_revision", models.BooleanField(default=True)),
                ("key", models.CharField(max_length=120)),
                ("kind", models.CharField(max_length=32)),
                ("blocking", models.BooleanField()),
                ("payload", models.TextField()),
                ("payload_hash", models.CharField(max_length=64)),
                ("preview_digest", models.CharField(blank=True, default="", max_length=64)),
                ("text_policy", models.CharField(default="never", max_length=32)),
                ("risk", models.CharField(default="irreversible", max_length=32)),
                ("on_failure", models.CharField(default="fail", max_length=8)),
                ("status", turnframe_django.fields.StateField(default="active", max_length=16)),
                ("created_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField(null=True)),
                ("resolved_option_id", models.CharField(blank=True, default="", max_length=64)),
                ("resolved_at", models.DateTimeField(null=True)),
                ("failure_code", models.CharField(blank=True, default="", max_length=120)),
                (
                    "conversation",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="interactions",
                        to="turnframe.conversation",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Command",
            fields=[
                ("id", models.UUIDField(default=turnframe_django.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ("redacted_at", models.DateTimeField(editable=False, null=True)),
                ("redaction_authority", models.CharField(editable=False, max_length=120, null=True)),
                ("account", models.CharField(max_length=64)),
                ("position", models.PositiveSmallIntegerField(default=0)),
                ("engine", models.CharField(max_length=16)),
                ("case_name", models.CharField(max_length=80)),
                ("case_id", models.CharField(max_length=80)),
                ("name", models.CharField(max_length=120)),
                ("arguments", models.TextField()),
                ("idempotency_key", models.CharField(max_length=64)),
                ("expected_revision", models.PositiveBigIntegerField()),
                ("origin", models.CharField(max_length=32, null=True)),
                ("risk", models.CharField(max_length=32)),
                ("confirmation", models.CharField(max_length=32)),
                ("decision", models.CharField(max_length=64)),
                ("reason", models.CharField(max_length=200)),
                ("status", turnframe_django.fields.StateField(default="awaiting_confirmation", max_length=24)),
                ("outcome", models.TextField(blank=True, default="")),
                ("created_at", models.DateTimeField()),
                ("completed_at", models.DateTimeField(null=True)),
                (
                    "interaction",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="commands", to="turnframe.interaction"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Turn",
            fields=[
                ("id", models.UUIDField(default=turnframe_django.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ("redacted_at", models.DateTimeField(editable=False, null=True)),
                ("redaction_authority", models.CharField(editable=False, max_length=120, null=True)),
                ("ordinal", models.PositiveBigIntegerField()),
                ("source", models.CharField(default="user", max_length=16)),
                ("actor", models.CharField(max_length=64, null=True)),
                ("input", models.TextField(blank=True, default="")),
                ("client_turn_id", models.CharField(max_length=255)),
                ("request_digest", models.CharField(max_length=64)),
                ("phase", turnframe_django.fields.StateField(default="received", max_length=16)),
                ("locale", models.CharField(max_length=35)),
                ("lease_token", models.PositiveBigIntegerField(default=0)),
                ("error_code", models.CharField(blank=True, default="", max_length=64)),
                ("error_reference", models.CharField(blank=True, default="", max_length=40)),
                ("head", models.TextField(blank=True, default="")),
                ("memory", models.TextField(blank=True, default="")),
                ("replay_token", models.UUIDField(unique=True)),
                ("received_at", models.DateTimeField()),
                ("delivered_at", models.DateTimeField(null=True)),
                (
                    "conversation",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="turns", to="turnframe.conversation"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="OutboxEntry",
            fields=[
                ("id", models.UUIDField(default=turnframe_django.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ("redacted_at", models.DateTimeField(editable=False, null=True)),
                ("redaction_authority", models.CharField(editable=False, max_length=120, null=True)),
                ("account", models.CharField(max_length=64)),
                ("destination", models.CharField(max_length=80)),
                ("key", models.CharField(max_length=64)),
                ("payload", models.TextField()),
                ("status", turnframe_django.fields.StateField(default="pending", max_length=16)),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("next_attempt_at", models.DateTimeField(null=True)),
                ("claimed_by", models.CharField(blank=True, default="", max_length=80)),
                ("claimed_at", models.DateTimeField(null=True)),
                ("created_at", models.DateTimeField()),
                ("completed_at", models.DateTimeField(null=True)),
                ("remote_ref", models.CharField(blank=True, default="", max_length=200)),
                ("last_failure", models.CharField(blank=True, default="", max_length=120)),
                (
                    "command",
                    models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="outbox_entries", to="turnframe.command"),
                ),
                (
                    "turn",
                    models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="outbox_entries", to="turnframe.turn"),
                ),
            ],
            options={
                "verbose_name_plural": "outbox entries",
            },
        ),
        migrations.CreateModel(
            name="ModelCall",
            fields=[
                ("id", models.UUIDField(default=turnframe_django.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ("purpose", models.CharField(max_length=40)),
                ("provider", models.CharField(max_length=120)),
                ("model", models.CharField(blank=True, default="", max_length=120)),
                ("prompt_digest", models.CharField(max_length=64)),
                ("verdict", models.CharField(max_length=40)),
                ("input_tokens", models.PositiveIntegerField(null=True)),
                ("output_tokens", models.PositiveIntegerField(null=True)),
                ("latency_ms", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
                ("turn", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="model_calls", to="turnframe.turn")),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="InteractionTransition",
            fields=[
                ("id", models.UUIDField(default=turnframe_django.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ("from_status", models.CharField(blank=True, default="", max_length=16)),
                ("to_status", models.CharField(max_length=16)),
                ("at", models.DateTimeField()),
                ("actor", models.CharField(max_length=64, null=True)),
                ("reason", models.CharField(max_length=120)),
                (
                    "interaction",
                    models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="history", to="turnframe.interaction"),
                ),
                (
                    "turn",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="interaction_transitions",
                        to="turnframe.turn",
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="interaction",
            name="resolved_turn",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.PROTECT, related_name="answered_interactions", to="turnframe.turn"
            ),
        ),
        migrations.AddField(
            model_name="interaction",
            name="turn",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="raised_interactions", to="turnframe.turn"),
        ),
        migrations.CreateModel(
            name="DomainEvent",
            fields=[
                ("id", models.UUIDField(default=turnframe_django.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ("redacted_at", models.DateTimeField(editable=False, null=True)),
                ("redaction_authority", models.CharField(editable=False, max_length=120, null=True)),
                ("account", models.CharField(max_length=64)),
                ("position", models.PositiveBigIntegerField()),
                ("engine", models.CharField(max_length=16)),
                ("case_name", models.CharField(max_length=80)),
                ("case_id", models.CharField(max_length=80)),
                ("revision", models.PositiveBigIntegerField()),
                ("type", models.CharField(max_length=120)),
                ("payload", models.TextField()),
                ("at", models.DateTimeField()),
                ("command", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="events", to="turnframe.command")),
                ("turn", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="events", to="turnframe.turn")),
            ],
        ),
        migrations.AddField(
            model_name="command",
            name="settled_turn",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.PROTECT, related_name="settled_commands", to="turnframe.turn"
            ),
        ),
        migrations.AddField(
            model_name="command",
            name="turn",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="commands", to="turnframe.turn"),
        ),
        migrations.CreateModel(
            name="Block",
            fields=[
                ("id", models.UUIDField(default=turnframe_django.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ("redacted_at", models.DateTimeField(editable=False, null=True)),
                ("redaction_authority", models.CharField(editable=False, max_length=120, null=True)),
                ("position", models.PositiveSmallIntegerField()),
                ("kind", models.CharField(max_length=32)),
                ("schema_version", models.PositiveSmallIntegerField(default=1)),
                ("author", models.CharField(default="server", max_length=8)),
                ("body", models.TextField()),
                ("digest", models.CharField(max_length=64)),
                ("question", models.CharField(blank=True, default="", max_length=32)),
                (
                    "interaction",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="blocks", to="turnframe.interaction"
                    ),
                ),
                (
                    "turn",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="blocks", to="turnframe.turn"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="StreamFrame",
            fields=[
                ("id", models.UUIDField(default=turnframe_django.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ("seq", models.PositiveBigIntegerField()),
                ("type", models.CharField(max_length=32)),
                ("data", models.TextField(blank=True, default="")),
                ("at", models.DateTimeField()),
                (
                    "block",
                    models.ForeignKey(
                        db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name="frames", to="turnframe.block"
                    ),
                ),
                (
                    "conversation",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="frames", to="turnframe.conversation"
                    ),
                ),
                (
                    "turn",
                    models.ForeignKey(
                        db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name="frames", to="turnframe.turn"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ConversationCase",
            fields=[
                ("id", models.UUIDField(default=turnframe_django.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ("engine", models.CharField(default="flow", max_length=16)),
                ("name", models.CharField(max_length=80)),
                ("case_id", models.CharField(max_length=80)),
                ("created_at", models.DateTimeField()),
                (
                    "conversation",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="cases", to="turnframe.conversation"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["engine", "name", "case_id"], name="turnframe_conversation_case_of")],
                "constraints": [
                    models.UniqueConstraint(fields=("conversation", "engine", "name", "case_id"), name="turnframe_conversation_case_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="BlockEvent",
            fields=[
                ("id", models.UUIDField(default=turnframe_django.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ("position", models.PositiveSmallIntegerField(default=0)),
                (
                    "block",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="event_links", to="turnframe.block"
                    ),
                ),
                (
                    "event",
                    models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="block_links", to="turnframe.domainevent"),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("block", "event"), name="turnframe_block_event_once")],
            },
        ),
        migrations.CreateModel(
            name="InteractionOption",
            fields=[
                ("redacted_at", models.DateTimeField(editable=False, null=True)),
                ("redaction_authority", models.CharField(editable=False, max_length=120, null=True)),
                ("id", models.UUIDField(default=turnframe_django.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ("position", models.PositiveSmallIntegerField()),
                ("option_id", models.CharField(max_length=64)),
                ("label", models.TextField()),
                ("action", models.TextField()),
                ("freeform_mode", models.CharField(default="forbidden", max_length=10)),
                ("freeform_max_length", models.PositiveIntegerField(null=True)),
                ("style", models.CharField(default="secondary", max_length=10)),
                (
                    "interaction",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="options", to="turnframe.interaction"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("interaction", "option_id"), name="turnframe_option_once"),
                    models.CheckConstraint(
                        condition=models.Q(("freeform_mode__in", ["forbidden", "optional", "required"])), name="turnframe_option_freeform"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("redacted_at__isnull", True), ("redaction_authority__isnull", True)),
                            models.Q(("redacted_at__isnull", False), ("redaction_authority__isnull", False)),
                            _connector="OR",
                        ),
                        name="turnframe_option_door",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ReplayRecord",
            fields=[
                ("redacted_at", models.DateTimeField(editable=False, null=True)),
                ("redaction_authority", models.CharField(editable=False, max_length=120, null=True)),
                (
                    "turn",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="replay",
                        serialize=False,
                        to="turnframe.turn",
                    ),
                ),
                ("record", models.TextField()),
                ("material", models.TextField(blank=True, default="")),
                ("at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("redacted_at__isnull", True), ("redaction_authority__isnull", True)),
                            models.Q(("redacted_at__isnull", False), ("redaction_authority__isnull", False)),
                            _connector="OR",
                        ),
                        name="turnframe_replay_door",
                    )
                ],
            },
        ),
        migrations.AddIndex(
            model_name="turn",
            index=models.Index(
                condition=models.Q(("phase__in", ["delivered", "failed"]), _negated=True),
                fields=["received_at"],
                name="turnframe_turn_unfinished",
            ),
        ),
        migrations.AddConstraint(
            model_name="turn",
            constraint=models.UniqueConstraint(fields=("conversation", "ordinal"), name="turnframe_turn_ordinal"),
        ),
        migrations.AddConstraint(
            model_name="turn",
            constraint=models.UniqueConstraint(fields=("conversation", "client_turn_id"), name="turnframe_turn_client_id"),
        ),
        migrations.AddConstraint(
            model_name="turn",
            constraint=models.CheckConstraint(
                condition=models.Q(("phase__in", ["committed", "delivered", "failed", "received", "reduced"])), name="turnframe_turn_phase"
            ),
        ),
        migrations.AddConstraint(
            model_name="turn",
            constraint=models.CheckConstraint(
                condition=models.Q(("source__in", ["application", "callback", "operator", "user", "worker"])), name="turnframe_turn_source"
            ),
        ),
        migrations.AddConstraint(
            model_name="turn",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("redacted_at__isnull", True), ("redaction_authority__isnull", True)),
                    models.Q(("redacted_at__isnull", False), ("redaction_authority__isnull", False)),
                    _connector="OR",
                ),
                name="turnframe_turn_door",
            ),
        ),
        migrations.AddIndex(
            model_name="outboxentry",
            index=models.Index(condition=models.Q(("status", "pending")), fields=["created_at", "id"], name="turnframe_outbox_pending"),
        ),
        migrations.AddIndex(
            model_name="outboxentry",
            index=models.Index(condition=models.Q(("status", "dispatching")), fields=["claimed_at"], name="turnframe_outbox_claimed"),
        ),
        migrations.AddConstraint(
            model_name="outboxentry",
            constraint=models.UniqueConstraint(fields=("destination", "key"), name="turnframe_outbox_key"),
        ),
        migrations.AddConstraint(
            model_name="outboxentry",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["completed", "dispatching", "failed", "outcome_unknown", "pending"])),
                name="turnframe_outbox_status",
            ),
        ),
        migrations.AddConstraint(
            model_name="outboxentry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("redacted_at__isnull", True), ("redaction_authority__isnull", True)),
                    models.Q(("redacted_at__isnull", False), ("redaction_authority__isnull", False)),
                    _connector="OR",
                ),
                name="turnframe_outbox_door",
            ),
        ),
        migrations.AddConstraint(
            model_name="interactiontransition",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("to_status__in", ["active", "declined", "dismissed", "expired", "failed", "invalidated", "resolved", "resolving"])
                ),
                name="turnframe_transition_to",
            ),
        ),
        migrations.AddIndex(
            model_name="interaction",
            index=models.Index(fields=["account", "engine", "case_name", "case_id", "bound_revision"], name="turnframe_interaction_case"),
        ),
        migrations.AddIndex(
            model_name="interaction",
            index=models.Index(fields=["conversation", "created_at"], name="turnframe_interaction_list"),
        ),
        migrations.AddIndex(
            model_name="interaction",
            index=models.Index(condition=models.Q(("status", "active")), fields=["expires_at"], name="turnframe_interaction_due"),
        ),
        migrations.AddConstraint(
            model_name="interaction",
            constraint=models.UniqueConstraint(
                condition=models.Q(("blocking", True), ("status__in", ["active", "resolving"])),
                fields=("account", "engine", "case_name", "case_id"),
                name="turnframe_one_open_blocking_card",
            ),
        ),
        migrations.AddConstraint(
            model_name="interaction",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("status__in", ["active", "declined", "dismissed", "expired", "failed", "invalidated", "resolved", "resolving"])
                ),
                name="turnframe_interaction_status",
            ),
        ),
        migrations.AddConstraint(
            model_name="interaction",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "kind__in",
                        [
                            "boolean",
                            "confirm_command",
                            "external_signature",
                            "freeform",
                            "reauthenticate",
                            "resolve_validation_error",
                            "review_changes",
                            "select_target",
                            "single_select",
                        ],
                    )
                ),
                name="turnframe_interaction_kind",
            ),
        ),
        migrations.AddConstraint(
            model_name="interaction",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "risk__in",
                        ["destructive", "external_regulated", "irreversible", "read_only", "reversible_low_risk", "sensitive_data_change"],
                    )
                ),
                name="turnframe_interaction_risk",
            ),
        ),
        migrations.AddConstraint(
            model_name="interaction",
            constraint=models.CheckConstraint(
                condition=models.Q(("on_failure__in", ["fail", "restore"])), name="turnframe_interaction_on_failure"
            ),
        ),
        migrations.AddConstraint(
            model_name="interaction",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("redacted_at__isnull", True), ("redaction_authority__isnull", True)),
                    models.Q(("redacted_at__isnull", False), ("redaction_authority__isnull", False)),
                    _connector="OR",
                ),
                name="turnframe_interaction_door",
            ),
        ),
        migrations.AddIndex(
            model_name="domainevent",
            index=models.Index(fields=["account", "engine", "case_name", "case_id", "position"], name="turnframe_event_case"),
        ),
        migrations.AddConstraint(
            model_name="domainevent",
            constraint=models.UniqueConstraint(fields=("account", "position"), name="turnframe_event_position"),
        ),
        migrations.AddConstraint(
            model_name="domainevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("redacted_at__isnull", True), ("redaction_authority__isnull", True)),
                    models.Q(("redacted_at__isnull", False), ("redaction_authority__isnull", False)),
                    _connector="OR",
                ),
                name="turnframe_event_door",
            ),
        ),
        migrations.AddConstraint(
            model_name="command",
            constraint=models.UniqueConstraint(fields=("account", "idempotency_key"), name="turnframe_command_key"),
        ),
        migrations.AddConstraint(
            model_name="command",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["awaiting_confirmation", "committed", "dropped", "failed"])),
                name="turnframe_command_status",
            ),
        ),
        migrations.AddConstraint(
            model_name="command",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "risk__in",
                        ["destructive", "external_regulated", "irreversible", "read_only", "reversible_low_risk", "sensitive_data_change"],
                    )
                ),
                name="turnframe_command_risk",
            ),
        ),
        migrations.AddConstraint(
            model_name="command",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "confirmation__in",
                        ["explicit_click", "human_professional_review", "none", "qualified_signature", "reauthentication", "review_card"],
                    )
                ),
                name="turnframe_command_confirmation",
            ),
        ),
        migrations.AddConstraint(
            model_name="command",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("origin__in", ["confirmed_interaction", "direct_safe_user_act", "external_callback", "internal_policy"]),
                    ("origin__isnull", True),
                    _connector="OR",
                ),
                name="turnframe_command_origin",
            ),
        ),
        migrations.AddConstraint(
            model_name="command",
            constraint=models.CheckConstraint(
                condition=models.Q(models.Q(("status", "committed"), _negated=True), ("origin__isnull", False), _connector="OR"),
                name="turnframe_committed_has_origin",
            ),
        ),
        migrations.AddConstraint(
            model_name="command",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("redacted_at__isnull", True), ("redaction_authority__isnull", True)),
                    models.Q(("redacted_at__isnull", False), ("redaction_authority__isnull", False)),
                    _connector="OR",
                ),
                name="turnframe_command_door",
            ),
        ),
        migrations.AddConstraint(
            model_name="block",
            constraint=models.UniqueConstraint(fields=("turn", "position"), name="turnframe_block_position"),
        ),
        migrations.AddConstraint(
            model_name="block",
            constraint=models.CheckConstraint(condition=models.Q(("author__in", ["model", "server"])), name="turnframe_block_known_author"),
        ),
        migrations.AddConstraint(
            model_name="block",
            constraint=models.CheckConstraint(
                condition=models.Q(("author", "server"), ("kind__in", ["answer", "transition"]), _connector="OR"),
                name="turnframe_block_author",
            ),
        ),
        migrations.AddConstraint(
            model_name="block",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("interaction__isnull", False), ("kind", "interaction")),
                    models.Q(models.Q(("kind", "interaction"), _negated=True), ("interaction__isnull", True)),
                    _connector="OR",
                ),
                name="turnframe_block_card",
            ),
        ),
        migrations.AddConstraint(
            model_name="block",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("redacted_at__isnull", True), ("redaction_authority__isnull", True)),
                    models.Q(("redacted_at__isnull", False), ("redaction_authority__isnull", False)),
                    _connector="OR",
                ),
                name="turnframe_block_door",
            ),
        ),
        migrations.AddConstraint(
            model_name="streamframe",
            constraint=models.UniqueConstraint(fields=("conversation", "seq"), name="turnframe_frame_seq"),
        ),
        InstallGuards(),
    ]
