"""The key-like text; ``models/test_state_field.py`` has the state."""

import pytest
from django.db import connection

from turnframe_django.fields import ExactTextField
from turnframe_django.models import Counter


@pytest.mark.django_db
def test_a_text_used_as_a_key_has_no_second_index_for_patterns() -> None:
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, Counter._meta.db_table)
    assert [name for name, about in found.items() if about["index"] and not about["primary_key"]] == []


@pytest.mark.django_db
def test_a_text_used_as_a_key_is_found_whole() -> None:
    Counter.objects.create(scope="frames:x", value=1)
    assert Counter.objects.get(scope="frames:x").value == 1
    assert not Counter.objects.filter(scope="frames:X").exists()


def test_a_migration_names_our_path() -> None:
    assert ExactTextField(max_length=8).deconstruct()[1:] == ("turnframe_django.fields.ExactTextField", [], {"max_length": 8})
