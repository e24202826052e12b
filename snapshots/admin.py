"""List snapshots in the admin. A freeze makes them, and nobody edits them."""

from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html

from accounts.pages.admin_lists import ResearcherAdmin
from snapshots.models import Snapshot


@admin.register(Snapshot)
class SnapshotAdmin(ResearcherAdmin):
    list_display = ("page", "status", "pair_count", "sha256", "requested_at", "frozen_at")
    list_display_links = None
    list_filter = ("status", "corpus")
    list_select_related = ("corpus",)
    ordering = ("-id",)
    list_per_page = 50

    @admin.display(description="snapshot", ordering="id")
    def page(self, snapshot: Snapshot) -> str:
        return format_html('<a href="{}">{}</a>', reverse("snapshot", args=[snapshot.pk]), snapshot)
