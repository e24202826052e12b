"""Snapshots and their rows, the partitions of premises, datasheet answers, derived trees, and the jobs about them."""

from pathlib import Path

from django.conf import settings
from django.db import models
from django.db.models import Q

from collection.models import PARTITION_CHOICES, PARTITIONS, Corpus, Pair, Premise, Source
from jobs.models import Job, job_constraints
from jobs.querysets import JobQuerySet
from nli.answers import KEYS
from nli.gold import SOURCES
from nli.labels import SCHEME_CHOICES
from nli.lines import HELD_OUT, LONGEST_SET_NAME
from nli.manifest import Manifest
from shared.constraints import check, label_fits_scheme, unique
from snapshots.files.datasheet import QUESTIONS
from snapshots.files.reading import manifest_in
from snapshots.querysets import AnswerQuerySet, SnapshotPairQuerySet, SnapshotQuerySet, StatisticsQuerySet


class Parser(models.Model):
    """What made parse trees: versions of spaCy, of its model and of our rules, or a file (`source`) of trees made elsewhere.

    Trees of two parsers are never mixed.
    """

    spacy = models.CharField(max_length=40, blank=True, help_text="version")
    model = models.CharField(max_length=80, help_text="package and version; of a file: what made its trees")
    rules = models.PositiveSmallIntegerField(default=0, help_text="snapshots.parses.tree_rules.RULES")
    source = models.OneToOneField(
        Source, on_delete=models.PROTECT, null=True, blank=True, related_name="trees"
    )

    class Meta:
        constraints = [
            unique("one_parser_a_version", "spacy", "model", "rules", where=Q(source=None)),
            check("trees_of_a_file_have_no_rules", Q(source=None) | Q(spacy="", rules=0)),
        ]

    def __str__(self) -> str:
        if self.source is not None:
            return f"{self.model}, {self.source.name}"
        return f"spaCy {self.spacy}, {self.model}, rules {self.rules}"


class DerivedTree(models.Model):
    """The trees derived for one sentence, without its words: each word is replaced by its length.

    The words are restored from the sentence. Once a text is erased, its tree can no longer be read.
    """

    # No index: the constraint below begins with this column.
    parser = models.ForeignKey(Parser, on_delete=models.PROTECT, related_name="trees", db_index=False)
    digest = models.BinaryField(max_length=32, help_text="sha256 of the sentence")
    parse = models.TextField(blank=True, help_text="empty where the sentence has no word")
    binary_parse = models.TextField(blank=True)

    class Meta:
        constraints = [unique("one_tree_a_sentence_and_parser", "parser", "digest")]


class Snapshot(Job):
    """An immutable, numbered, content-hashed release, cited as CORPUS@VERSION. Its freeze is a job."""

    WORK, AFTER_FAILURE = "snapshots.freezing.job.work", "snapshots.freezing.job.forget_freeze"
    WORKING, DONE, AGAIN = "freezing", "frozen", "freeze again"

    class Status(models.TextChoices):
        REQUESTED = "requested"
        FREEZING = "freezing"
        FROZEN = "frozen"
        FAILED = "failed"

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="snapshots")
    version = models.PositiveIntegerField()
    status = models.CharField(max_length=9, choices=Status.choices, default=Status.REQUESTED)
    seed = models.IntegerField(default=0)
    dev_from_train = models.PositiveIntegerField(
        default=0, help_text="whole premises of a published train partition held out as dev"
    )
    author_disjoint = models.BooleanField(default=False, help_text="no author of test pairs in train")
    parser = models.ForeignKey(
        Parser,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="derives trees for sentences that came without; empty: none are derived",
    )
    sha256 = models.CharField(
        max_length=64, blank=True, help_text="over the content files; empty until frozen"
    )
    pair_count = models.PositiveIntegerField(default=0)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True
    )
    frozen_at = models.DateTimeField(null=True, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    retracted_at = models.DateTimeField(null=True, blank=True)
    retracted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    retracted_because = models.TextField(blank=True, help_text="the notice that every reader sees")

    objects = SnapshotQuerySet.as_manager()

    class Meta:
        constraints = [
            *job_constraints("snapshot", working="freezing"),
            unique("snapshot_version_unique", "corpus", "version"),
            unique("one_snapshot_a_content", "corpus", "sha256", where=~Q(sha256="")),
            unique("one_freeze_at_a_time", "corpus", where=Q(status__in=["requested", "freezing"])),
            check(
                "frozen_has_hash_and_time", ~Q(status="frozen") | (~Q(sha256="") & Q(frozen_at__isnull=False))
            ),
            check(
                "published_is_frozen_and_by_somebody",
                Q(published_at=None, published_by=None)
                | Q(published_at__isnull=False, published_by__isnull=False, status="frozen"),
            ),
            check(
                "retracted_was_published_and_says_why",
                Q(retracted_at=None, retracted_by=None, retracted_because="")
                | Q(retracted_at__isnull=False, retracted_by__isnull=False, published_at__isnull=False)
                & ~Q(retracted_because=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.corpus.slug}@{self.version}"

    @property
    def folder(self) -> Path:
        """Returns the folder of its files. The name comes from the database, never from a request."""
        return Path(settings.SNAPSHOT_ROOT) / self.corpus.slug / str(self.version)

    @property
    def sealed_folder(self) -> Path:
        """Returns the folder of the full files of withheld partitions, which no address serves as it is."""
        return Path(settings.VAR) / "withheld" / self.corpus.slug / str(self.version)

    @property
    def state(self) -> str:
        """Returns its status in one word: retracted or published if it is, else that of the freeze."""
        return "retracted" if self.retracted_at else "published" if self.published_at else self.status

    def read_manifest(self) -> Manifest | None:
        """Reads manifest.json; None before the freeze is done, or if the file is missing or damaged."""
        return manifest_in(self.folder) if self.status == self.Status.FROZEN else None

    def datasheet_answers(self) -> dict[str, str]:
        """Returns the answers of the datasheet: those at publication, or the current ones if it is unpublished."""
        return DatasheetAnswer.objects.filter(corpus=self.corpus_id).standing(until=self.published_at)


class Placement(models.Model):
    """The partition of a premise, decided once. Published partitions are on the pairs themselves."""

    class Origin(models.TextChoices):
        MADE = "made", "made here, by seed"
        HELD_OUT = "held_out", "held out as dev from a published train partition"

    premise = models.OneToOneField(Premise, on_delete=models.PROTECT, related_name="placement")
    partition = models.CharField(max_length=5, choices=PARTITION_CHOICES)
    origin = models.CharField(max_length=8, choices=Origin.choices, default=Origin.MADE)
    first_snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            check("partition_is_known", Q(partition__in=PARTITIONS)),
            check("held_out_premises_are_dev", ~Q(origin="held_out") | Q(partition="dev")),
        ]


class SnapshotPair(models.Model):
    """One pair as it was at the freeze, with copies of the facts that could change."""

    # No index: two indexes below begin with this column.
    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="pairs", db_index=False)
    pair = models.ForeignKey(Pair, on_delete=models.PROTECT, related_name="+")
    partition = models.CharField(max_length=5, choices=PARTITION_CHOICES)
    scheme = models.CharField(max_length=20, choices=SCHEME_CHOICES)
    gold_label = models.CharField(max_length=20, null=True)
    gold_source = models.CharField(max_length=11, choices=list(SOURCES.items()))
    seats_waiting = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="open seats, under a gold rule that is over all answers"
    )

    objects = SnapshotPairQuerySet.as_manager()

    class Meta:
        # Writing files and REST both read a snapshot in the order of keys.
        indexes = [models.Index(fields=["snapshot", "id"], name="snapshot_by_key")]
        constraints = [
            unique("one_row_a_pair_and_snapshot", "snapshot", "pair"),
            check("frozen_partition_is_known", Q(partition__in=PARTITIONS)),
            check("frozen_gold_fits_scheme", label_fits_scheme("gold_label")),
            check(
                "frozen_gold_has_a_source",
                Q(gold_source__in=["none", "withheld"], gold_label=None)
                | (~Q(gold_source__in=["none", "withheld"]) & Q(gold_label__isnull=False)),
            ),
        ]


class SnapshotLabel(models.Model):
    """One of the labels that decided a pair's gold label, as it was at the freeze."""

    row = models.ForeignKey(SnapshotPair, on_delete=models.PROTECT, related_name="labels")
    position = models.PositiveSmallIntegerField()
    label = models.CharField(max_length=20)
    annotator_code = models.CharField(max_length=40, blank=True)

    class Meta:
        constraints = [unique("one_frozen_label_a_position", "row", "position")]


class SnapshotSet(models.Model):
    """A named set in which a pair was at the freeze."""

    # The constraint below begins with it.
    row = models.ForeignKey(SnapshotPair, on_delete=models.PROTECT, related_name="sets", db_index=False)
    name = models.CharField(max_length=LONGEST_SET_NAME)

    class Meta:
        constraints = [unique("once_in_a_frozen_set", "row", "name")]


class SnapshotSentenceLabel(models.Model):
    """A label of a single sentence of a pair's premise, as it was at the freeze. Sentences are numbered from 1."""

    # The constraint below begins with it.
    row = models.ForeignKey(
        SnapshotPair, on_delete=models.PROTECT, related_name="sentence_labels", db_index=False
    )
    sentence = models.PositiveSmallIntegerField()
    position = models.PositiveSmallIntegerField()
    label = models.CharField(max_length=20)
    annotator_code = models.CharField(max_length=40, blank=True)

    class Meta:
        constraints = [unique("one_frozen_label_a_sentence_and_position", "row", "sentence", "position")]


class SnapshotAnswer(models.Model):
    """An answer about a pair that SnapshotLabel does not hold completely, as it was at the freeze. See nli.answers.

    `question` is empty for the main question. A deciding label is here too if it has a reason.
    """

    row = models.ForeignKey(SnapshotPair, on_delete=models.PROTECT, related_name="answers")
    question = models.CharField(max_length=60, blank=True)
    sentence = models.PositiveSmallIntegerField(default=0)
    position = models.PositiveSmallIntegerField(null=True)
    round = models.PositiveSmallIntegerField(default=1, help_text="2: asked for beyond the seats")
    counts = models.BooleanField()
    label = models.CharField(max_length=20, null=True)
    skip_reason = models.CharField(max_length=10, null=True)
    annotator_code = models.CharField(max_length=40, blank=True)
    reason = models.TextField(blank=True)
    origin = models.CharField(max_length=8, blank=True, help_text="expert or model; empty: a person's")
    model = models.CharField(max_length=100, blank=True)
    withdrawn_because = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [
            check(
                "frozen_answer_is_a_label_or_a_skip",
                Q(label=None, skip_reason__isnull=False) | Q(label__isnull=False, skip_reason=None),
            ),
            check(
                "frozen_answer_that_counts_stands",
                Q(counts=False)
                | Q(label__isnull=False, position__isnull=False, origin="", withdrawn_because=""),
            ),
        ]


# Key of an answer in a line (nli.answers) -> its column of SnapshotAnswer.
_NAMED = {"skip": "skip_reason", "code": "annotator_code", "withdrawn": "withdrawn_because"}
ANSWER_COLUMNS = {key: _NAMED.get(key, key) for key in KEYS}


class SnapshotFile(models.Model):
    """A file of a snapshot, with its hash."""

    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="files")
    name = models.CharField(max_length=100)
    sha256 = models.CharField(max_length=64)
    size = models.BigIntegerField(help_text="bytes")
    lines = models.PositiveIntegerField(null=True)

    class Meta:
        ordering = ["name"]
        constraints = [unique("one_file_a_name", "snapshot", "name")]


class HandIn(models.Model):
    """Predictions for a withheld partition, with their scores. Never changed."""

    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="handed_in")
    partition = models.CharField(max_length=5, choices=PARTITION_CHOICES)
    team = models.CharField(max_length=60)
    name = models.CharField(max_length=100, help_text="of the system")
    description = models.TextField(blank=True)
    is_baseline = models.BooleanField(default=False)
    predictions = models.JSONField(help_text="pair id -> label")
    scores = models.JSONField(help_text="genre -> [pairs with a gold label, pairs that are right]")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            unique("one_system_a_name_and_team", "snapshot", "partition", "team", "name"),
            check("hand_in_is_for_a_held_out_part", Q(partition__in=HELD_OUT)),
            check("hand_in_is_named", ~Q(team="") & ~Q(name="")),
        ]

    def __str__(self) -> str:
        return f"{self.name} by {self.team}"


class DatasheetAnswer(models.Model):
    """An answer to a question of a corpus's datasheet. The newest counts; the others are history.

    An empty text removes the answer.
    """

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="datasheet_answers")
    question = models.CharField(max_length=20, help_text="a key of QUESTIONS")
    text = models.TextField(blank=True)
    answered_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    answered_at = models.DateTimeField(auto_now_add=True)

    objects = AnswerQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["corpus", "question", "-id"], name="newest_answer")]
        constraints = [
            check("datasheet_question_is_known", Q(question__in=list(QUESTIONS))),
        ]

    def __str__(self) -> str:
        return f"{self.corpus.slug}: {self.question}"


class Work(Job):
    """A job on a frozen snapshot."""

    class Status(models.TextChoices):
        REQUESTED = "requested"
        WORKING = "working"
        DONE = "done"
        FAILED = "failed"

    status = models.CharField(max_length=9, choices=Status.choices, default=Status.REQUESTED)

    class Meta:
        abstract = True


class SnapshotStatistics(Work):
    """Statistics of one kind over a snapshot, computed once and never changed.

    `edition` is the version of the definitions. When one changes in the code, a new edition is stored beside this one.
    """

    class Kind(models.TextChoices):
        CORPUS = "corpus", "sizes, lengths, overlap, labels"
        ARTIFACTS = "artifacts", "words and lengths that give labels away"
        TAGS = "tags", "annotation tags"

    WORK = "snapshots.statistics.job.compute_statistics"

    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="statistics")
    kind = models.CharField(max_length=9, choices=Kind.choices)
    edition = models.PositiveIntegerField()
    data = models.JSONField(null=True, help_text="what snapshots.statistics made")

    objects = StatisticsQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "snapshot statistics"
        constraints = [
            *job_constraints("statistics"),
            unique("one_statistics_a_kind_and_edition", "snapshot", "kind", "edition"),
            check("statistics_kind_is_known", Q(kind__in=["corpus", "artifacts", "tags"])),
            check(
                "statistics_have_data_when_done",
                Q(status="done", data__isnull=False) | (~Q(status="done") & Q(data__isnull=True)),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.snapshot} {self.kind}"


class SnapshotExport(Work):
    """A snapshot in another format. Its files can be written again at any time, with the same bytes.

    `basis` is the hash of what else decides the bytes: the formats' edition and the datasheet's answers.
    """

    WORK = "snapshots.exports.job.carry_out_export"

    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="exports")
    format = models.CharField(max_length=20)
    basis = models.CharField(max_length=64)

    objects = JobQuerySet.as_manager()

    class Meta:
        constraints = [
            *job_constraints("export"),
            unique("one_export_a_format_and_basis", "snapshot", "format", "basis"),
        ]

    def __str__(self) -> str:
        return f"{self.snapshot} as {self.format}"

    @property
    def folder(self) -> Path:
        """Returns the folder of its files. The name comes from the database, never from a request."""
        snapshot, name = self.snapshot, f"{self.format}-{self.basis[:12]}"
        return Path(settings.EXPORT_ROOT) / snapshot.corpus.slug / str(snapshot.version) / name


class ExportedFile(models.Model):
    """A file of a finished export, with its hash."""

    export = models.ForeignKey(SnapshotExport, on_delete=models.CASCADE, related_name="files")
    name = models.CharField(max_length=100)
    sha256 = models.CharField(max_length=64)
    size = models.BigIntegerField(help_text="bytes")

    class Meta:
        ordering = ["name"]
        constraints = [unique("one_exported_file_a_name", "export", "name")]
