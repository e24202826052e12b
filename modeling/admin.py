"""Registers runs, scores and workers in the admin, read-only. The page of a run has the actions on it."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from accounts.pages.admin_lists import ResearcherAdmin
from modeling.models import Evaluation, TrainingRun, Worker
from modeling.results.trials import not_chosen


@admin.register(TrainingRun)
class TrainingRunAdmin(ResearcherAdmin):
    list_display = ("page", "baseline", "snapshot", "seed", "status", "worker", "requested_at", "finished_at")
    list_display_links = None
    list_filter = ("status", "baseline", "snapshot__corpus")
    list_select_related = ("snapshot__corpus",)
    ordering = ("-id",)
    list_per_page = 50

    @admin.display(description="run", ordering="id")
    def page(self, run: TrainingRun) -> str:
        return format_html('<a href="{}">{}</a>', reverse("run", args=[run.pk]), run.pk)


@admin.register(Evaluation)
class EvaluationAdmin(ResearcherAdmin):
    list_display = ("page", "snapshot", "partition", "pairs", "accuracy", "majority")
    list_display_links = None
    list_filter = ("partition", "run__baseline", "snapshot__corpus")
    list_select_related = ("run__snapshot__corpus", "snapshot__corpus")
    ordering = ("-id",)
    list_per_page = 50

    def get_queryset(self, request: HttpRequest) -> QuerySet[Evaluation]:
        hidden = not_chosen(TrainingRun.objects.all())
        return super().get_queryset(request).exclude(partition="test", run__in=hidden)

    @admin.display(description="run", ordering="run")
    def page(self, evaluation: Evaluation) -> str:
        return format_html('<a href="{}">{}</a>', reverse("run", args=[evaluation.run_id]), evaluation.run)


@admin.register(Worker)
class WorkerAdmin(ResearcherAdmin):
    list_display = ("name", "queues", "started_at", "seen_at")
    list_display_links = None
    ordering = ("-seen_at",)
