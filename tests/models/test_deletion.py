"""Facts stay: neither the models nor a foreign key nor a vanished user takes them away."""

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import models
from django.db.models import ProtectedError

from tests.factories import (
    FACTORIES,
    BlockEventFactory,
    BlockFactory,
    ConversationCaseFactory,
    ConversationFactory,
    InteractionTransitionFactory,
    TurnFactory,
    make,
)
from turnframe_django.models import Conversation, ConversationCase, InteractionTransition, ModelCall, ReplayRecord, StreamFrame, Turn
from turnframe_django.models.fact import Fact

TABLES = sorted(apps.get_app_config("turnframe").get_models(), key=lambda model: model.__name__)
FACTS = [model for model in TABLES if issubclass(model, Fact)]


@pytest.mark.django_db
@pytest.mark.parametrize("model", FACTS)
def test_a_fact_refuses_to_be_deleted(model: type[models.Model]) -> None:
    row = make(model)
    with pytest.raises(ProtectedError, match="never deleted"):
        row.delete()
    with pytest.raises(ProtectedError, match="never deleted"):
        model._default_manager.filter(pk=row.pk).delete()
    with pytest.raises(ProtectedError, match="never deleted"):
        model._default_manager.all().delete()
    assert model._base_manager.filter(pk=row.pk).exists()


@pytest.mark.django_db
def test_the_rows_of_one_turn_refuse_to_be_deleted_through_it() -> None:
    turn = BlockFactory.create().turn
    with pytest.raises(ProtectedError, match="never deleted"):
        turn.blocks.all().delete()
    with pytest.raises(ProtectedError, match="never deleted"):
        turn.conversation.turns.delivered().delete()


@pytest.mark.parametrize("model", TABLES)
def test_every_foreign_key_protects_what_it_points_at(model: type[models.Model]) -> None:
    keys = [field for field in model._meta.get_fields() if isinstance(field, models.ForeignKey)]
    assert [field.name for field in keys if field.remote_field.on_delete is not models.PROTECT] == []


@pytest.mark.parametrize("model", TABLES)
def test_no_foreign_key_points_at_a_table_of_the_host(model: type[models.Model]) -> None:
    keys = [field for field in model._meta.get_fields() if isinstance(field, models.ForeignKey)]
    assert [field.name for field in keys if field.related_model._meta.app_label != "turnframe"] == []


@pytest.mark.django_db
def test_a_row_that_others_rest_on_is_protected_even_behind_the_models() -> None:
    turn = TurnFactory.create()
    with pytest.raises(ProtectedError):
        Conversation._base_manager.filter(pk=turn.conversation_id).delete()
    link = BlockEventFactory.create()
    with pytest.raises(ProtectedError):
        type(link.event)._base_manager.filter(pk=link.event_id).delete()
    card = InteractionTransitionFactory.create().interaction
    with pytest.raises(ProtectedError):
        type(card)._base_manager.filter(pk=card.pk).delete()
    assert InteractionTransition.objects.filter(interaction=card).exists()


@pytest.mark.django_db
@pytest.mark.parametrize("model", [StreamFrame, ReplayRecord, ModelCall, ConversationCase])
def test_what_is_no_fact_can_be_deleted(model: type[models.Model]) -> None:
    make(model)
    model._default_manager.all().delete()
    assert not model._default_manager.exists()


@pytest.mark.django_db
def test_deleting_a_user_never_fails_and_leaves_their_rows() -> None:
    user = User.objects.create_user("traveller")
    key = str(user.pk)
    conversation = ConversationFactory.create(account=key, owner=key)
    turn = TurnFactory.create(conversation=conversation, actor=key)
    ConversationCaseFactory.create(conversation=conversation)
    for model in FACTORIES:
        make(model)
    user.delete()
    assert not User.objects.filter(pk=key).exists()
    assert Turn.objects.get(pk=turn.pk).actor == key
    assert Conversation.objects.get(pk=conversation.pk).owner == key
