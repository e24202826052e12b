"""Registers corpora, genres, pairs and pay in the admin, read-only."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.text import Truncator

from accounts.pages.admin_lists import ResearcherAdmin, is_administrator
from accounts.templatetags.markdown import markdown
from accounts.templatetags.money import dollars
from collection.models import Corpus, Genre, LedgerEntry, Pair

TEXT_SHOWN = 100


@admin.register(Corpus)
class CorpusAdmin(ResearcherAdmin):
    list_display = ["slug", "name", "scheme", "protocol", "language", "made_for_demo", "created_at"]
    list_filter = ["scheme", "protocol", "made_for_demo"]
    search_fields = ["slug", "name"]
    raw_id_fields = ["consent_form"]
    ordering = ["slug"]
    readonly_fields = ["about"]

    def get_fields(self, request: HttpRequest, obj: Corpus | None = None) -> Any:
        return [
            "about" if name == "description" else name
            for name in super().get_fields(request, obj)
            if name != "about"
        ]

    @admin.display(description="description")
    def about(self, corpus: Corpus) -> str:
        return markdown(corpus.description)


@admin.register(Genre)
class GenreAdmin(ResearcherAdmin):
    list_display = ["corpus", "slug", "name", "register", "in_training", "prompt"]
    list_display_links = ["slug"]
    list_filter = ["in_training", ("corpus", admin.RelatedOnlyFieldListFilter)]
    list_select_related = ["corpus", "prompt"]
    search_fields = ["slug", "name"]
    ordering = ["corpus", "slug"]


@admin.register(Pair)
class PairAdmin(ResearcherAdmin):
    """Filters list all corpora and genres. Listing only those that occur would read every pair."""

    list_display = [
        "public_id",
        "short_hypothesis",
        "premise",
        "genre",
        "author_label",
        "author",
        "withdrawn_at",
    ]
    list_filter = [
        "author_label",
        "assignment__model_helped",
        ("withdrawn_at", admin.EmptyFieldListFilter),
        "corpus",
        "premise__genre",
    ]
    list_select_related = ["premise__genre", "author"]
    list_per_page = 50
    search_fields = ["public_id__exact", "hypothesis"]
    search_help_text = "the public id, or words of the hypothesis"
    raw_id_fields = ["premise", "author", "assignment", "source"]
    ordering = ["-pk"]

    def get_queryset(self, request: HttpRequest) -> Any:
        rows = super().get_queryset(request)
        return rows if is_administrator(request) else rows.shown()

    @admin.display(description="hypothesis")
    def short_hypothesis(self, pair: Pair) -> str:
        return Truncator(pair.hypothesis).chars(TEXT_SHOWN)

    @admin.display(description="genre")
    def genre(self, pair: Pair) -> str:
        return pair.premise.genre.slug


@admin.register(LedgerEntry)
class LedgerEntryAdmin(ResearcherAdmin):
    list_display = ("created_at", "user", "corpus", "kind", "amount", "reason")
    list_select_related = ("user", "corpus")
    list_filter = ("corpus", "kind")
    search_fields = ("user__code",)
    ordering = ("-pk",)

    @admin.display(description="amount", ordering="cents")
    def amount(self, entry: LedgerEntry) -> str:
        return dollars(entry.cents)
