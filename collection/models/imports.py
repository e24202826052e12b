"""Imports of pairs that a page requested: the request, its progress and its result."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from jobs.models import Job, job_constraints
from jobs.querysets import JobQuerySet
from shared.constraints import check

PREMISES = "premises"  # stands in the place of a recipe where a file of premises is imported


class PairImportJob(Job):
    """An import of pairs or premises, or a recasting, of files in the folder for incoming files.

    The commands do the same without a row.
    """

    WORK, AGAIN = "annotation_site.intake.jobs.work", "start the same import again"
    STOPS_ITSELF = True

    class Status(models.TextChoices):
        REQUESTED = "requested"
        WORKING = "working"
        DONE = "done"
        FAILED = "failed"

    status = models.CharField(max_length=9, choices=Status.choices, default=Status.REQUESTED)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    corpus_slug = models.CharField(max_length=60, help_text="the corpus, which the import may make")
    files = models.JSONField(help_text="names in the folder for incoming files")
    recipe = models.CharField(
        max_length=100, blank=True, help_text="by which the files are recast; empty: an import"
    )
    options = models.JSONField(help_text="of the command that would do the same")
    dry_run = models.BooleanField(default=True, help_text="says what would go in, and writes nothing")
    report = models.JSONField(null=True, blank=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        constraints = [
            *job_constraints("pair_import"),
            check("pair_import_has_its_report", ~Q(status="done") | Q(report__isnull=False)),
        ]

    @property
    def is_of_premises(self) -> bool:
        return self.recipe == PREMISES

    def __str__(self) -> str:
        return f"{'look at' if self.dry_run else 'import of'} {', '.join(self.files)} into {self.corpus_slug}"
