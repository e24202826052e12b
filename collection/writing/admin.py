"""Registers prompts, tasks and problem reports in the admin. Texts of annotators are never edited."""

from typing import Any, cast

from django.contrib import admin
from django.http import HttpRequest
from django.utils.text import Truncator

from accounts.models import User
from accounts.pages.admin_lists import ReadOnlyInline, ResearcherAdmin, is_researcher
from collection.models import (
    FaqEntry,
    ProblemReport,
    Prompt,
    PromptField,
    PromptVersion,
    WorkedExample,
    WritingAssignment,
)
from collection.templatetags.durations import duration, milliseconds
from collection.writing import problem_reports

TEXT_SHOWN = 100


class VersionInline(ReadOnlyInline):
    model = PromptVersion
    fields = readonly_fields = ["number", "pay_cents", "seconds", "created_at"]
    ordering = ["-number"]
    show_change_link = True


@admin.register(Prompt)
class PromptAdmin(ResearcherAdmin):
    list_display = ["corpus", "slug", "name"]
    list_display_links = ["slug"]
    list_filter = [("corpus", admin.RelatedOnlyFieldListFilter)]
    list_select_related = ["corpus"]
    search_fields = ["slug", "name"]
    ordering = ["corpus", "slug"]
    inlines = [VersionInline]


class FieldInline(ReadOnlyInline):
    model = PromptField


class ExampleInline(ReadOnlyInline):
    model = WorkedExample


class FaqInline(ReadOnlyInline):
    model = FaqEntry


@admin.register(PromptVersion)
class PromptVersionAdmin(ResearcherAdmin):
    """Versions are never edited. Load a changed corpus file to make a new version."""

    list_display = ["prompt", "number", "pay_cents", "seconds", "created_at"]
    list_filter = [("prompt__corpus", admin.RelatedOnlyFieldListFilter)]
    list_select_related = ["prompt"]
    ordering = ["prompt", "-number"]
    inlines = [FieldInline, ExampleInline, FaqInline]


@admin.register(WritingAssignment)
class WritingAssignmentAdmin(ResearcherAdmin):
    """Tasks with their outcome and signals, to read."""

    list_display = ["created_at", "annotator", "corpus", "outcome", "skip_reason", "took", "active", "pasted"]
    list_filter = ["outcome", "skip_reason", "corpus"]
    list_select_related = ["annotator", "corpus", "signals"]
    search_fields = ["annotator__code__exact"]
    search_help_text = "the annotator's code"
    fields = [
        *(
            "corpus",
            "annotator",
            "premise",
            "prompt_version",
            "created_at",
            "closed_at",
            "outcome",
            "skip_reason",
        ),
        *("took", "active", "keystrokes", "pasted", "met_advice"),
    ]
    readonly_fields = fields
    ordering = ["-pk"]

    @admin.display(description="from first to last")
    def took(self, task: WritingAssignment) -> str:
        return duration(task.closed_at - task.created_at if task.closed_at else None)

    @admin.display(description="time at work")
    def active(self, task: WritingAssignment) -> str:
        return milliseconds(task.signals.active_ms) if _is_measured(task) else "not measured"

    @admin.display(description="keys pressed")
    def keystrokes(self, task: WritingAssignment) -> str:
        return str(task.signals.keystrokes) if _is_measured(task) else "not measured"

    @admin.display(description="pasted")
    def pasted(self, task: WritingAssignment) -> str:
        if not _is_measured(task):
            return "not measured"
        return f"{task.signals.pastes} times, {task.signals.pasted_chars} characters"

    @admin.display(description="premise")
    def premise(self, task: WritingAssignment) -> str:
        return task.seat.premise.text

    @admin.display(description="advice")
    def met_advice(self, task: WritingAssignment) -> str:
        given = task.advice.order_by("pk").values_list("label", "advice", "refused")
        return (
            "; ".join(f"{label}: {kind}{', refused' * refused}" for label, kind, refused in given) or "none"
        )


def _is_measured(task: WritingAssignment) -> bool:
    """Returns whether the page measured this task. It does not without scripts, nor over REST."""
    return hasattr(task, "signals")


@admin.register(ProblemReport)
class ProblemReportAdmin(ResearcherAdmin):
    """Researchers answer reports here. The report itself is not edited."""

    list_display = ["created_at", "short_text", "premise", "annotator", "answered_at"]
    list_filter = [("answered_at", admin.EmptyFieldListFilter)]
    list_select_related = ["assignment__seat__premise", "assignment__annotator"]
    search_fields = ["text"]
    fields = ["whole_premise", "annotator", "text", "created_at", "answer", "answered_at", "answered_by"]
    readonly_fields = ["whole_premise", "annotator", "text", "created_at", "answered_at", "answered_by"]
    ordering = ["-pk"]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_researcher(request)

    def save_model(self, request: HttpRequest, report: ProblemReport, form: Any, change: bool) -> None:
        if "answer" in form.changed_data:
            problem_reports.answer_report(report=report, answer=report.answer, by=cast(User, request.user))

    @admin.display(description="report")
    def short_text(self, report: ProblemReport) -> str:
        return _short(report.text)

    @admin.display(description="premise")
    def premise(self, report: ProblemReport) -> str:
        return _short(report.assignment.seat.premise.text)

    @admin.display(description="premise")
    def whole_premise(self, report: ProblemReport) -> str:
        return report.assignment.seat.premise.text

    @admin.display(description="annotator")
    def annotator(self, report: ProblemReport) -> str:
        return report.assignment.annotator.code


def _short(text: str) -> str:
    return Truncator(text).chars(TEXT_SHOWN)
