"""REST addresses about snapshots, under /api/v1/."""

from django.urls import path

from snapshots.browsing.api import (
    RowListView,
    SnapshotFileView,
    SnapshotListView,
    SnapshotView,
)
from snapshots.exports.api import ExportFileView, ExportListView, ExportView
from snapshots.handing_in.api import HandInView
from snapshots.publishing.api import PublishView, RetractView
from snapshots.withholding.api import ReadersView, ReaderView, ReleaseView, WithheldView

WITHHELD = "corpora/<slug:slug>/withheld/"
urlpatterns = [
    path(WITHHELD, WithheldView.as_view(), name="api-withheld"),
    path(f"{WITHHELD}<slug:partition>/readers/", ReadersView.as_view(), name="api-withheld-readers"),
    path(
        f"{WITHHELD}<slug:partition>/readers/<slug:code>/", ReaderView.as_view(), name="api-withheld-reader"
    ),
    path(f"{WITHHELD}<slug:partition>/release/", ReleaseView.as_view(), name="api-withheld-release"),
    path("snapshots/<int:pk>/hand-ins/", HandInView.as_view(), name="api-hand-ins"),
    path("snapshots/", SnapshotListView.as_view(), name="api-snapshots"),
    path("snapshots/<int:pk>/", SnapshotView.as_view(), name="api-snapshot"),
    path("snapshots/<int:pk>/publish/", PublishView.as_view(), name="api-snapshot-publish"),
    path("snapshots/<int:pk>/retract/", RetractView.as_view(), name="api-snapshot-retract"),
    path("snapshots/<int:pk>/rows/", RowListView.as_view(), name="api-snapshot-rows"),
    path("snapshots/<int:pk>/exports/", ExportListView.as_view(), name="api-snapshot-exports"),
    path("snapshots/<int:pk>/exports/<slug:format_name>/", ExportView.as_view(), name="api-snapshot-export"),
    path(
        "snapshots/<int:pk>/exports/<slug:format_name>/<str:name>",
        ExportFileView.as_view(),
        name="api-snapshot-export-file",
    ),
    path("snapshots/<int:pk>/files/<str:name>", SnapshotFileView.as_view(), name="api-snapshot-file"),
]
