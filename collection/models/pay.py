"""The ledger of what people earned."""

import re
from collections.abc import Mapping, Sequence

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, ngettext

from collection.models.corpora import Corpus
from collection.models.querysets import LedgerQuerySet
from shared.constraints import RowExists, check, unique
from shared.translatable import gettext_noop, ngettext_noop

# Above this ($1,000), a researcher checks the measured time before anything is paid.
MOST_TOP_UP_CENTS = 100_000
LONGEST_REASON = 200


class PayList(models.Model):
    """Earnings of a corpus that a researcher approved together. The list is then exported, and later marked as paid."""

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="pay_lists")
    approved_at = models.DateTimeField(default=timezone.now)
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    exported_at = models.DateTimeField(null=True, blank=True)
    exported_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    paid_at = models.DateTimeField(null=True, blank=True)
    paid_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ["-pk"]
        constraints = [
            # Ledger entries refer to both.
            unique("pay_list_with_its_corpus", "id", "corpus"),
            check(
                "pay_list_exported_by_somebody",
                Q(exported_at=None, exported_by=None)
                | Q(exported_at__isnull=False, exported_by__isnull=False),
            ),
            check(
                "pay_list_paid_after_its_export",
                Q(paid_at=None, paid_by=None)
                | Q(paid_at__isnull=False, paid_by__isnull=False, exported_at__isnull=False),
            ),
        ]


class LedgerEntry(models.Model):
    """Money earned in a corpus, in cents. Entries are only ever added; `pay_list` is set once, by an approval."""

    class Kind(models.TextChoices):
        WRITING = "writing"
        SKIP = "skip", "skip: a text that was skipped because it is upsetting"
        LABELS = "labels"
        BONUS = "bonus", "bonus: agreed with an expert on a control item"
        FOOLED = "fooled", "fooled: a sentence that a model answered wrongly and two people upheld"
        READING = "reading", "reading: the instructions of a prompt, once"
        TOP_UP = "topup", "topup: brought up to an hourly wage"

    # No index by `user` alone: the unique one begins with it.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="ledger", db_index=False
    )
    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="ledger", db_index=False)
    kind = models.CharField(max_length=7, choices=Kind.choices)
    cents = models.BigIntegerField()
    reason = models.CharField(max_length=LONGEST_REASON)
    key = models.CharField(max_length=100, help_text="The same piece of work earns once.")
    created_at = models.DateTimeField(auto_now_add=True)
    pay_list = models.ForeignKey(
        PayList,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="entries",
        db_index=False,  # `pay_by_list` finds them
    )

    objects = LedgerQuerySet.as_manager()

    class Meta:
        constraints = [
            unique("one_entry_a_piece_of_work", "user", "key"),
            check("pay_is_never_taken_back", Q(cents__gte=0)),
            check(
                "kind_of_pay_is_known",
                Q(kind__in=["writing", "skip", "labels", "bonus", "fooled", "reading", "topup"]),
            ),
            check("top_up_is_bounded", ~Q(kind="topup") | Q(cents__lte=MOST_TOP_UP_CENTS)),
            RowExists(
                columns=["pay_list_id", "corpus_id"],
                to="collection_paylist",
                to_columns=["id", "corpus_id"],
                name="entry_is_of_the_corpus_of_its_pay_list",
            ),
        ]
        indexes = [
            models.Index(fields=["corpus", "user"], name="pay_by_corpus"),
            models.Index(fields=["pay_list"], condition=Q(pay_list__isnull=False), name="pay_by_list"),
        ]
        verbose_name_plural = "ledger entries"

    @property
    def translated_reason(self) -> SafeString:
        """Returns the reason in the reader's language, as HTML; as it is stored if it was not made of REASONS."""
        for stored, text in [*((each, each) for each in REASONS.values()), *EARLIER_REASONS]:
            for form in stored if isinstance(stored, tuple) else (stored,):
                pattern = re.sub(r"%\\\((\w+)\\\)s", r"(?P<\1>.*)", re.escape(form))
                found = re.fullmatch(pattern.replace("(?P<count>.*)", r"(?P<count>\d+)"), self.reason)
                if found:
                    values = found.groupdict()
                    words = (
                        ngettext(*text, int(values["count"])) if isinstance(text, tuple) else gettext(text)
                    )
                    marked = {name: format_html("<bdi>{}</bdi>", value) for name, value in values.items()}
                    return mark_safe(words % marked)
        return format_html("<bdi>{}</bdi>", self.reason)


# Why somebody earned something. The ledger stores it in English; a person's own page translates it.
REASONS: Mapping[str, str | tuple[str, str]] = {
    LedgerEntry.Kind.WRITING: ngettext_noop(
        "Wrote %(count)s sentence for %(name)s", "Wrote %(count)s sentences for %(name)s"
    ),
    LedgerEntry.Kind.SKIP: gettext_noop("Skipped an upsetting text of %(name)s"),
    LedgerEntry.Kind.LABELS: ngettext_noop(
        "Judged %(count)s sentence for %(name)s", "Judged %(count)s sentences for %(name)s"
    ),
    LedgerEntry.Kind.BONUS: gettext_noop("Bonus for %(name)s: an expert chose the same answer as you"),
    LedgerEntry.Kind.FOOLED: gettext_noop(
        "Bonus for %(name)s: you misled the model, and two people agreed with you"
    ),
    LedgerEntry.Kind.READING: gettext_noop("Read the instructions “%(prompt)s” of %(name)s"),
    LedgerEntry.Kind.TOP_UP: gettext_noop("Topped up to %(wage)s an hour for %(name)s"),
}
# Wordings of earlier versions, and what they are called now.
EARLIER_REASONS: Sequence[tuple[str | tuple[str, str], str | tuple[str, str]]] = [
    (
        ("Labelled %(count)s pair of %(name)s", "Labelled %(count)s pairs of %(name)s"),
        REASONS[LedgerEntry.Kind.LABELS],
    ),
    ("Bonus: you and an expert agreed on a pair of %(name)s", REASONS[LedgerEntry.Kind.BONUS]),
]
