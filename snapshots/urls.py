from django.urls import path

from snapshots import views

urlpatterns = [
    path("snapshots/", views.snapshot_list, name="snapshots"),
    path("snapshots/freeze/<slug:slug>/plan/", views.freeze_plan, name="freeze-plan"),
    path("snapshots/freeze/<slug:slug>/", views.freeze, name="freeze"),
    path("snapshots/<int:pk>/", views.snapshot, name="snapshot"),
    path("snapshots/<int:pk>/state/", views.state, name="snapshot-state"),
    path("snapshots/<int:pk>/stop/", views.stop, name="stop-freeze"),
    path("snapshots/datasheet/<slug:slug>/", views.datasheet_answers, name="datasheet-answers"),
    path("snapshots/<int:pk>/datasheet.md", views.datasheet, name="datasheet"),
    path("snapshots/<int:pk>/publish/", views.publish, name="publish-snapshot"),
    path("snapshots/<int:pk>/retract/", views.retract, name="retract-snapshot"),
    path("snapshots/<int:pk>/statistics/", views.statistics, name="snapshot-statistics"),
    path("snapshots/<int:pk>/statistics/ask/", views.ask_for_statistics, name="ask-for-statistics"),
    *(
        path(
            f"snapshots/<int:pk>/statistics/<slug:name>.{ending}",
            views.statistics_file,
            {"ending": ending},
            name=f"statistics-{ending}",
        )
        for ending in views.STATISTICS_FILES
    ),
    path("snapshots/<int:pk>/exports/", views.exports, name="snapshot-exports"),
    path("snapshots/<int:pk>/exports/<slug:format_name>/", views.ask_for_export, name="ask-for-export"),
    path(
        "snapshots/<int:pk>/exports/<slug:format_name>/<str:name>", views.exported_file, name="exported-file"
    ),
    path("snapshots/<int:pk>/files/<str:name>", views.snapshot_file, name="snapshot-file"),
]
