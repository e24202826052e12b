"""Questions, members and labels in the admin, read-only: only actions change labels."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from accounts.pages.admin_lists import ResearcherAdmin, is_administrator
from validation.models import Label, Membership, Question


@admin.register(Question)
class QuestionAdmin(ResearcherAdmin):
    list_display = ["corpus", "slug", "scheme", "seats", "threshold", "pool_is_open", "pay_cents"]
    list_select_related = ["corpus"]
    search_fields = ["corpus__slug", "wording"]


@admin.register(Membership)
class MembershipAdmin(ResearcherAdmin):
    list_display = ["question", "annotator", "status"]
    list_filter = ["status"]
    list_select_related = ["question__corpus", "annotator"]
    search_fields = ["annotator__code"]


@admin.register(Label)
class LabelAdmin(ResearcherAdmin):
    list_display = ["pair", "position", "label", "origin", "annotator", "cast_at", "withdrawn_at"]
    list_filter = [
        "origin",
        "label",
        ("position", admin.EmptyFieldListFilter),  # with the next two: surplus labels (LabelQuerySet.surplus)
        ("withdrawn_at", admin.EmptyFieldListFilter),
        ("pair__withdrawn_at", admin.EmptyFieldListFilter),
        "question__corpus",
    ]
    list_select_related = ["pair", "annotator"]
    search_fields = ["pair__public_id", "annotator__code"]
    ordering = ["-pk"]
    raw_id_fields = ["pair", "premise", "annotator", "author"]

    def get_queryset(self, request: HttpRequest) -> Any:
        rows = super().get_queryset(request)
        return rows if is_administrator(request) else rows.shown()
