"""Registers sources, premises and dropped lines in the admin."""

from collections.abc import Iterable
from typing import Any, cast

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.text import Truncator

from accounts.models import User
from accounts.pages.admin_lists import ResearcherAdmin
from collection.models import DroppedLine, Premise, Source
from collection.premises.filters.registry import NAMES
from collection.premises.intake import restore_lines

TEXT_SHOWN = 200
NAMED = 5  # lines that a message names one by one


def _short(text: str) -> str:
    return Truncator(text).chars(TEXT_SHOWN)


def _premises(count: int) -> str:
    return "1 premise is" if count == 1 else f"{count:,} premises are"


@admin.register(Source)
class SourceAdmin(ResearcherAdmin):
    list_display = ["name", "corpus", "licence", "imported_at"]
    list_filter = [("corpus", admin.RelatedOnlyFieldListFilter)]
    list_select_related = ["corpus"]
    search_fields = ["name", "sha256"]
    ordering = ["-pk"]


@admin.register(Premise)
class PremiseAdmin(ResearcherAdmin):
    list_display = ["public_id", "short_text", "genre", "status", "dropped_because", "document"]
    list_filter = ["status", "corpus", "genre"]
    list_select_related = ["genre"]
    search_fields = ["text", "public_id"]
    search_help_text = "words of the text, or the public id"
    raw_id_fields = ["source"]
    ordering = ["-pk"]

    @admin.display(description="text")
    def short_text(self, premise: Premise) -> str:
        return _short(premise.text)


class FilterFilter(admin.SimpleListFilter):
    """Lists all filters. Listing only those that occur would read every line."""

    title = "filter"
    parameter_name = "filter"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Iterable[tuple[str, str]]:
        return [(name, name.replace("_", " ")) for name in NAMES]

    def queryset(self, request: HttpRequest, lines: QuerySet[DroppedLine]) -> QuerySet[DroppedLine]:
        return lines.filter(filter=self.value()) if self.value() else lines


@admin.register(DroppedLine)
class DroppedLineAdmin(ResearcherAdmin):
    """Lines that filters dropped. Researchers restore those that a filter dropped wrongly."""

    list_display = ["short_text", "filter", "genre", "source", "line", "restored_at"]
    list_filter = [
        FilterFilter,
        ("restored_at", admin.EmptyFieldListFilter),
        "genre__corpus",
        "genre",
    ]
    list_select_related = ["genre", "source"]
    search_fields = ["text", "document"]
    search_help_text = "words of the text, or the document"
    ordering = ["pk"]
    actions = ["restore"]

    @admin.display(description="text")
    def short_text(self, line: DroppedLine) -> str:
        return _short(line.text)

    @admin.action(description="Restore as premises", permissions=["view"])
    def restore(self, request: HttpRequest, lines: QuerySet[DroppedLine]) -> None:
        result = restore_lines(lines=lines, by=cast(User, request.user))
        if result.premises:
            count = len(result.premises)
            messages.success(
                request, f"{_premises(count)} restored, and open for writers where people write."
            )
        if result.refused:
            count = len(result.refused)
            named = format_html_join(
                "",
                "<li>{}, line {}: {}.</li>",
                ((line.source, line.line, why) for line, why in result.refused[:NAMED]),
            )
            more = f"and {count - NAMED:,} more" if count > NAMED else ""
            stayed = "1 line stays dropped" if count == 1 else f"{count:,} lines stay dropped"
            messages.warning(request, format_html("{}:<ul>{}</ul>{}", stayed, named, more))
