"""Partitions whose labels nobody sees but administrators and the researchers named for them."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.models import User
from collection.models.corpora import Corpus
from collection.models.querysets import WithholdingQuerySet
from nli.lines import HELD_OUT
from shared.constraints import check, unique


class Withholding(models.Model):
    """A partition of a corpus whose labels are withheld. Lifted by `lifted_at`, never deleted.

    While it stands, its pairs and their labels are withdrawn as WITHHELD, so they count nowhere on the corpus's pages; a
    freeze takes them in, and its files have their texts alone.
    """

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="withholdings")
    partition = models.CharField(max_length=5, choices=[(name, name) for name in HELD_OUT])
    since = models.DateTimeField()
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="empty: a command",
    )
    readers = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="+", blank=True)
    lifted_at = models.DateTimeField(null=True, blank=True)
    lifted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    objects = WithholdingQuerySet.as_manager()

    class Meta:
        constraints = [
            unique("one_standing_withholding", "corpus", "partition", where=Q(lifted_at=None)),
            check("train_is_never_withheld", Q(partition__in=HELD_OUT)),
            check(
                "withholding_lifted_by_somebody",
                Q(lifted_at=None, lifted_by=None) | Q(lifted_at__isnull=False, lifted_by__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.partition} of {self.corpus}"

    def may_read(self, user: object) -> bool:
        """Returns whether somebody may read the labels: an administrator, or a researcher who is named."""
        if not isinstance(user, User) or not user.is_researcher:
            return False
        return user.role == User.Role.ADMINISTRATOR or self.readers.filter(pk=user.pk).exists()
