"""Sources, premises, and the lines that filters dropped."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from collection.models.corpora import Corpus, Genre
from collection.models.querysets import DroppedLineQuerySet, PremiseQuerySet
from shared.constraints import check, unique


def sentences_of(text: str, count: int) -> list[str]:
    """Returns a string for each sentence. A single sentence stays as it is, with its line breaks."""
    return [text] if count == 1 else text.split("\n")


class Source(models.Model):
    """A file that premises or pairs came from: provenance and licence."""

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="sources")
    name = models.CharField(max_length=300)
    sha256 = models.CharField(max_length=64)
    licence = models.CharField(max_length=200, blank=True)
    imported_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [unique("source_file_known_once", "corpus", "name", "sha256")]

    def __str__(self) -> str:
        return self.name


class Premise(models.Model):
    """One sentence, or several about one scene (each a line of `text`)."""

    class Status(models.TextChoices):
        OPEN = "open"
        PAUSED = "paused"
        DROPPED = "dropped"

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="premises")
    genre = models.ForeignKey(Genre, on_delete=models.PROTECT, related_name="premises")
    source = models.ForeignKey(Source, on_delete=models.PROTECT, null=True, blank=True)
    document = models.CharField(
        max_length=300, blank=True, help_text="the text, image or file that it comes from"
    )
    line = models.PositiveIntegerField(null=True, blank=True, help_text="its line in the source file")
    place = models.PositiveIntegerField(default=1, help_text="which sentence of the line, from 1")
    public_id = models.CharField(max_length=200)
    group = models.CharField(max_length=300, help_text="premises of one group share a partition")
    text = models.TextField()
    sentence_count = models.PositiveSmallIntegerField(default=1)
    digest = models.CharField(max_length=64, editable=False)
    status = models.CharField(max_length=7, choices=Status.choices, default=Status.OPEN)
    dropped_because = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = PremiseQuerySet.as_manager()

    class Meta:
        constraints = [
            unique("premise_unique_in_genre", "genre", "digest"),
            unique("premise_id_unique_in_corpus", "corpus", "public_id"),
            check("premise_not_empty", ~Q(text="")),
            check("premise_has_a_sentence", Q(sentence_count__gte=1)),
            check("premise_status_is_known", Q(status__in=["open", "paused", "dropped"])),
            check(
                "premise_dropped_for_a_reason",
                (Q(status="dropped") & ~Q(dropped_because=""))
                | (~Q(status="dropped") & Q(dropped_because="")),
            ),
        ]

    def __str__(self) -> str:
        return self.public_id

    @property
    def sentences(self) -> list[str]:
        return sentences_of(self.text, self.sentence_count)


class OfferedText(models.Model):
    """A draft that writers of a premise get to change: a model's, or a sentence from elsewhere.

    The drafts of an arm stand in place of those for all arms. A task shows those that were there when it was begun.
    """

    premise = models.ForeignKey(Premise, on_delete=models.CASCADE, related_name="offered", db_index=False)
    arm = models.CharField(
        max_length=60, blank=True, default="", help_text="the slug of a prompt; empty: for all"
    )
    label = models.CharField(max_length=20, blank=True, help_text="empty: for every label")
    text = models.TextField()
    origin = models.CharField(max_length=200, help_text="where it comes from, such as the name of a model")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [
            unique("one_draft_a_premise_arm_and_label", "premise", "arm", "label"),
            check("draft_not_empty", ~Q(text="")),
        ]

    def __str__(self) -> str:
        return f"for {self.premise_id}, {self.label or 'every label'}"


class PremiseImport(models.Model):
    """How far a source file has been read into a genre; written with each batch of lines."""

    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="premise_imports")
    genre = models.ForeignKey(Genre, on_delete=models.PROTECT)
    settings_digest = models.CharField(max_length=64, help_text="of the options that decide what goes in")
    lines_read = models.PositiveIntegerField(default=0)
    added = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [unique("one_progress_a_source_and_genre", "source", "genre", "settings_digest")]


class DroppedLine(models.Model):
    """A candidate that a filter dropped. Researchers can read and restore it."""

    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="dropped_lines")
    genre = models.ForeignKey(Genre, on_delete=models.PROTECT, related_name="dropped_lines")
    line = models.PositiveIntegerField(help_text="its line in the source file")
    place = models.PositiveIntegerField(default=1, help_text="which sentence of the line, from 1")
    document = models.CharField(max_length=300, blank=True)
    group = models.CharField(max_length=300, blank=True)
    public_id = models.CharField(max_length=200, blank=True)
    text = models.TextField()
    sentence_count = models.PositiveSmallIntegerField(default=1)
    filter = models.CharField(max_length=30)
    restored_as = models.ForeignKey(
        Premise, on_delete=models.PROTECT, null=True, blank=True, related_name="restored_from"
    )
    restored_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True)
    restored_at = models.DateTimeField(null=True, blank=True)

    objects = DroppedLineQuerySet.as_manager()

    class Meta:
        constraints = [
            unique("a_line_is_dropped_once", "source", "genre", "line", "place"),
            check(
                "restored_line_is_a_premise",
                Q(restored_as=None, restored_at=None)
                | Q(restored_as__isnull=False, restored_at__isnull=False),
            ),
        ]
        indexes = [models.Index(fields=["genre", "filter", "id"], name="dropped_lines_by_filter")]

    def __str__(self) -> str:
        return f"{self.source}, line {self.line}"
