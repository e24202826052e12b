"""What a page asked a worker to do for a corpus: the request, its progress and its result."""

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q

from accounts.models import User
from collection.models.corpora import Corpus
from collection.models.querysets import SEES_RESULTS
from jobs.models import Job, job_constraints
from jobs.querysets import JobQuerySet
from shared.constraints import check


class ImportQuerySet(JobQuerySet):
    def of(self, user: User | None) -> "ImportQuerySet":
        """Keeps the imports into corpora of this researcher (`CorpusQuerySet.of`), and their own that made none yet."""
        if user is None or (user.is_administrator and not user.bound_to):
            return self.all()
        seen = Q(corpus_slug__in=Corpus.objects.of(user, SEES_RESULTS).values("slug"))
        if not user.bound_to:
            seen |= Q(~Exists(Corpus.objects.filter(slug=OuterRef("corpus_slug"))), by=user)
        return self.filter(seen)


class PairImportJob(Job):
    """An import of pairs or premises, or what else makes rows by machine. The commands do the same without a row."""

    WORK, AGAIN = "annotation_site.intake.jobs.work", "start the same import again"
    STOPS_ITSELF = True

    class Status(models.TextChoices):
        REQUESTED = "requested"
        WORKING = "working"
        DONE = "done"
        FAILED = "failed"

    class Kind(models.TextChoices):
        PAIRS = "pairs", "import"
        PREMISES = "premises", "import of premises"
        SCENES = "scenes", "pairing by machine"
        CROWD = "crowd", "simulated crowd"
        TABLE = "table", "missing runs of a table"

    kind = models.CharField(max_length=8, choices=Kind.choices, default=Kind.PAIRS)
    status = models.CharField(max_length=9, choices=Status.choices, default=Status.REQUESTED)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    corpus_slug = models.CharField(max_length=60, help_text="the corpus, which the import may make")
    files = models.JSONField(help_text="names in the folder for incoming files")
    recipe = models.CharField(max_length=100, blank=True, help_text="by which pairs are recast; empty: none")
    options = models.JSONField(help_text="of the command that would do the same")
    dry_run = models.BooleanField(default=True, help_text="says what would go in, and writes nothing")
    report = models.JSONField(null=True, blank=True)

    objects = ImportQuerySet.as_manager()

    class Meta:
        constraints = [
            *job_constraints("pair_import"),
            check("only_pairs_have_a_recipe", Q(kind="pairs") | Q(recipe="")),
            check("pair_import_has_its_report", ~Q(status="done") | Q(report__isnull=False)),
        ]

    def __str__(self) -> str:
        if self.kind not in (self.Kind.PAIRS, self.Kind.PREMISES):
            return f"{self.get_kind_display()}{' (preview)' if self.dry_run else ''}, {self.corpus_slug}"
        return f"{'look at' if self.dry_run else 'import of'} {', '.join(self.files)} into {self.corpus_slug}"
