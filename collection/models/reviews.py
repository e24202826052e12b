"""Reviews: sentences that were drawn for a researcher to judge, what their writers read of it, and their levels."""

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from collection.corpus_schema import LevelPart
from collection.models.corpora import Corpus
from collection.models.pairs import Pair
from schemas.base import default_of
from shared.constraints import check, unique


class Level(models.Model):
    """A level of a corpus's writers, as its file says. The first one (`order` 0) is that of newcomers."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="levels")
    order = models.PositiveSmallIntegerField()
    slug = models.SlugField(max_length=60)
    name = models.CharField(max_length=200)
    of = models.PositiveSmallIntegerField(default=default_of(LevelPart, "of"))
    rises_from = models.PositiveSmallIntegerField(default=0)
    falls_below = models.PositiveSmallIntegerField(default=0)
    review_percent = models.PositiveSmallIntegerField(default=0)
    pay_cents = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["order"]
        constraints = [
            unique("one_level_a_place", "corpus", "order"),
            check("reviews_decide_about_a_level", Q(of__gte=1)),
            check(
                "level_counts_in_percent",
                Q(rises_from__lte=100, falls_below__lte=100, review_percent__lte=100),
            ),
        ]

    def __str__(self) -> str:
        return self.name


class ReviewQuerySet(models.QuerySet["Review"]):
    def waiting(self, corpus: models.Model | None = None) -> "ReviewQuerySet":
        """Keeps what nobody has judged, without withdrawn pairs: labels that are withheld are among them."""
        mine = self.filter(verdict="", pair__withdrawn_at=None)
        return mine if corpus is None else mine.filter(corpus=corpus.pk)

    def judged(self) -> "ReviewQuerySet":
        return self.exclude(verdict="")

    def said_to(self, writer: models.Model) -> "ReviewQuerySet":
        """Keeps what this writer reads, with the sentences."""
        mine = self.judged().filter(writer=writer.pk, is_feedback=True)
        return mine.select_related("pair__premise", "corpus").order_by("judged_at", "pk")

    def unread(self, writer: models.Model) -> "ReviewQuerySet":
        """Keeps what this writer has still to read."""
        return self.judged().filter(writer=writer.pk, is_feedback=True, read_at=None)

    def for_levels(
        self, writer: models.Model, corpus: models.Model, since: datetime | None
    ) -> "ReviewQuerySet":
        """Keeps judged sentences that count for the writer's level: those sent since it began, the latest judged first."""
        mine = self.judged().filter(writer=writer.pk, corpus=corpus.pk, is_feedback=True)
        return (mine.filter(drawn_at__gt=since) if since else mine).order_by("-judged_at", "-pk")


class Review(models.Model):
    """A sentence that was drawn for review when it was sent. A review changes nothing about the pair.

    is_sample: drawn by the share of its prompt, so that these are a sample of what is written under it; others were
    drawn because of their writer's level.
    """

    class Verdict(models.TextChoices):
        FINE = "fine", gettext_lazy("Good")
        LABEL = "label", gettext_lazy("It does not fit the answer that was asked for")
        GIVEAWAY = "giveaway", gettext_lazy("The answer can be guessed without the text")
        COPIED = "copied", gettext_lazy("It is too close to the text")
        UNRELATED = "unrelated", gettext_lazy("It has too little to do with the text")
        LANGUAGE = "language", gettext_lazy("It is hard to understand, or has mistakes")
        OTHER = "other", gettext_lazy("Something else, see the remark")

    pair = models.OneToOneField(Pair, on_delete=models.PROTECT, related_name="review")
    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="reviews", db_index=False)
    writer = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="reviews", db_index=False
    )
    percent = models.PositiveSmallIntegerField(help_text="of the sentences of its prompt were drawn then")
    is_sample = models.BooleanField(help_text="drawn by the prompt's share, not for its writer's level")
    is_feedback = models.BooleanField(help_text="whether its writer reads it")
    drawn_at = models.DateTimeField(auto_now_add=True)
    held_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    held_until = models.DateTimeField(null=True, blank=True)
    verdict = models.CharField(max_length=9, choices=Verdict.choices, blank=True)
    remark = models.TextField(blank=True, help_text="the writer reads it")
    judged_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    judged_at = models.DateTimeField(null=True, blank=True)
    read_at = models.DateTimeField(null=True, blank=True)

    objects = ReviewQuerySet.as_manager()

    class Meta:
        constraints = [
            check("share_of_a_review_is_a_share", Q(percent__lte=100)),
            check(
                "review_held_by_somebody",
                Q(held_by=None, held_until=None) | Q(held_by__isnull=False, held_until__isnull=False),
            ),
            check(
                "review_judged_by_somebody",
                Q(verdict="", judged_by=None, judged_at=None, remark="")
                | Q(
                    verdict__in=["fine", "label", "giveaway", "copied", "unrelated", "language", "other"],
                    judged_by__isnull=False,
                    judged_at__isnull=False,
                    held_by=None,
                ),
            ),
            check("other_problem_has_a_remark", ~Q(verdict="other", remark="")),
            check(
                "feedback_is_read_once_it_is_there",
                Q(read_at=None) | Q(is_feedback=True, judged_at__isnull=False),
            ),
        ]
        indexes = [
            models.Index(fields=["corpus", "id"], condition=Q(verdict=""), name="reviews_to_do"),
            models.Index(fields=["corpus", "writer", "judged_at"], name="reviews_of_writer"),
            models.Index(
                fields=["writer"],
                condition=Q(is_feedback=True, read_at=None) & ~Q(verdict=""),
                name="reviews_to_read",
            ),
        ]

    def __str__(self) -> str:
        return f"review {self.pk}"


class LevelChange(models.Model):
    """A writer's new level, with what decided it. Rows are added, never changed; without one it is the first level."""

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="level_changes", db_index=False)
    writer = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="level_changes"
    )
    level = models.SmallIntegerField(help_text="its place, from 0; -1: the exam is to be taken again")
    good = models.PositiveSmallIntegerField(help_text="of the reviews that decided")
    of = models.PositiveSmallIntegerField(help_text="so many reviews decided")
    review = models.OneToOneField(
        Review, on_delete=models.PROTECT, related_name="decided", help_text="the last of these"
    )
    changed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [check("level_is_a_place_or_the_exam", Q(level__gte=-1))]
        indexes = [models.Index(fields=["corpus", "writer", "-id"], name="levels_of_writer")]
