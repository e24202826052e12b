"""REST addresses about snapshots, under /api/v1/."""

from django.urls import path

from snapshots.api import (
    RowListView,
    SnapshotFileView,
    SnapshotListView,
    SnapshotView,
    StatisticsListView,
    StatisticsView,
)

urlpatterns = [
    path("snapshots/", SnapshotListView.as_view(), name="api-snapshots"),
    path("snapshots/<int:pk>/", SnapshotView.as_view(), name="api-snapshot"),
    path("snapshots/<int:pk>/rows/", RowListView.as_view(), name="api-snapshot-rows"),
    path("snapshots/<int:pk>/statistics/", StatisticsListView.as_view(), name="api-snapshot-statistics"),
    path(
        "snapshots/<int:pk>/statistics/<slug:kind>/",
        StatisticsView.as_view(),
        name="api-snapshot-statistics-kind",
    ),
    path("snapshots/<int:pk>/files/<str:name>", SnapshotFileView.as_view(), name="api-snapshot-file"),
]
