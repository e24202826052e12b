"""Addresses of the pages about snapshots, room by room."""

from django.urls import path

from snapshots.browsing import pairs_page
from snapshots.browsing import views as browsing
from snapshots.exports import views as exports
from snapshots.freezing import views as freezing
from snapshots.handing_in import views as handing_in
from snapshots.publishing import views as publishing
from snapshots.statistics import views as statistics
from snapshots.withholding import views as withholding

urlpatterns = [
    path("snapshots/", browsing.snapshot_list, name="snapshots"),
    path("snapshots/<int:pk>/", browsing.snapshot, name="snapshot"),
    path("snapshots/<int:pk>/state/", browsing.state, name="snapshot-state"),
    path("snapshots/<int:pk>/pairs/", pairs_page.snapshot_pairs, name="snapshot-pairs"),
    path("snapshots/<int:pk>/changes/", pairs_page.snapshot_changes, name="snapshot-changes"),
    path("snapshots/<int:pk>/files/<str:name>", browsing.snapshot_file, name="snapshot-file"),
    path("snapshots/freeze/<slug:slug>/plan/", freezing.freeze_plan, name="freeze-plan"),
    path("snapshots/freeze/<slug:slug>/", freezing.freeze, name="freeze"),
    path("snapshots/<int:pk>/stop/", freezing.stop, name="stop-freeze"),
    path("snapshots/datasheet/<slug:slug>/", publishing.datasheet_answers, name="datasheet-answers"),
    path("snapshots/<int:pk>/datasheet.md", publishing.datasheet, name="datasheet"),
    path("snapshots/<int:pk>/leaderboard/", handing_in.leaderboard, name="leaderboard"),
    path("snapshots/withheld/<slug:slug>/", withholding.withheld, name="withheld"),
    path("snapshots/<int:pk>/files/withheld/<str:name>", withholding.withheld_file, name="withheld-file"),
    path("snapshots/<int:pk>/publish/", publishing.publish, name="publish-snapshot"),
    path("snapshots/<int:pk>/retract/", publishing.retract, name="retract-snapshot"),
    path("snapshots/<int:pk>/statistics/", statistics.statistics, name="snapshot-statistics"),
    path("snapshots/<int:pk>/statistics/ask/", statistics.ask_for_statistics, name="ask-for-statistics"),
    path("snapshots/<int:pk>/exports/", exports.exports, name="snapshot-exports"),
    path("snapshots/<int:pk>/exports/<slug:format_name>/", exports.ask_for_export, name="ask-for-export"),
    path(
        "snapshots/<int:pk>/exports/<slug:format_name>/<str:name>",
        exports.exported_file,
        name="exported-file",
    ),
]
