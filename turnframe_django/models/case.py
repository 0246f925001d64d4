"""What an adopter's record inherits."""

from django.db import models

from turnframe_django import ids
from turnframe_django.fields import ExactTextField


class CaseModel(models.Model):
    """A record that a workflow may change: a UUID key, the account it belongs to, and a revision.

    The revision starts at 0 for a row that no turn has touched, and the runtime raises it by one with each committed batch.
    """

    id = models.UUIDField(primary_key=True, default=ids.new_id, editable=False)
    account = ExactTextField(max_length=64, db_index=True, editable=False)
    revision = models.PositiveBigIntegerField(default=0, editable=False)

    class Meta:
        abstract = True
