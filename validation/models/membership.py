"""The pool of a question: its members and their status."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from collection.models import Exclusion
from shared.constraints import check, unique
from validation.models.questions import Question


class Membership(models.Model):
    """A member of a question's pool, and the turn of the last seat that they claimed.

    An exclusion writes a row under every question of the corpus, so that the person cannot join a pool. `before` is
    the status that undoing the exclusion restores; it is empty if there was no row.
    """

    class Status(models.TextChoices):
        ACTIVE = "active"
        PAUSED = "paused"
        EXCLUDED = "excluded"

    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="memberships")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.ACTIVE)
    exclusion = models.ForeignKey(
        Exclusion, on_delete=models.PROTECT, null=True, blank=True, related_name="memberships"
    )
    before = models.CharField(max_length=8, choices=Status.choices, blank=True)
    cursor = models.PositiveIntegerField(default=0, help_text="the turn of the last seat claimed")

    class Meta:
        constraints = [
            unique("one_membership_a_question", "question", "annotator"),
            check("membership_status_is_known", Q(status__in=["active", "paused", "excluded"])),
            check(
                "excluded_member_has_exclusion",
                Q(status="excluded", exclusion__isnull=False, before__in=["", "active", "paused"])
                | ~Q(status="excluded") & Q(exclusion=None, before=""),
            ),
        ]
