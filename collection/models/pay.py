"""The ledger of what people earned."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from collection.models.corpora import Corpus
from collection.models.querysets import LedgerQuerySet

# Above this ($1,000), a researcher checks the measured time before anything is paid.
MOST_TOP_UP_CENTS = 100_000


class LedgerEntry(models.Model):
    """Money earned in a corpus, in cents. Entries are only ever added."""

    class Kind(models.TextChoices):
        WRITING = "writing"
        SKIP = "skip", "skip: a text that was skipped because it is upsetting"
        LABELS = "labels"
        BONUS = "bonus", "bonus: agreed with an expert on a control item"
        READING = "reading", "reading: the instructions of a prompt, once"
        TOP_UP = "topup", "topup: brought up to an hourly wage"

    # No index by `user` alone: the unique one begins with it.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="ledger", db_index=False
    )
    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="ledger", db_index=False)
    kind = models.CharField(max_length=7, choices=Kind.choices)
    cents = models.BigIntegerField()
    reason = models.CharField(max_length=200)
    key = models.CharField(max_length=100, help_text="The same piece of work earns once.")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = LedgerQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "key"], name="one_entry_a_piece_of_work"),
            models.CheckConstraint(condition=Q(cents__gte=0), name="pay_is_never_taken_back"),
            models.CheckConstraint(
                condition=Q(kind__in=["writing", "skip", "labels", "bonus", "reading", "topup"]),
                name="kind_of_pay_is_known",
            ),
            models.CheckConstraint(
                condition=~Q(kind="topup") | Q(cents__lte=MOST_TOP_UP_CENTS), name="top_up_is_bounded"
            ),
        ]
        indexes = [models.Index(fields=["corpus", "user"], name="pay_by_corpus")]
        verbose_name_plural = "ledger entries"
