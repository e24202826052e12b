from django.urls import path

from snapshots import views

urlpatterns = [
    path("snapshots/", views.snapshot_list, name="snapshots"),
    path("snapshots/freeze/<slug:slug>/plan/", views.freeze_plan, name="freeze-plan"),
    path("snapshots/freeze/<slug:slug>/", views.freeze, name="freeze"),
    path("snapshots/<int:pk>/", views.snapshot, name="snapshot"),
    path("snapshots/<int:pk>/state/", views.state, name="snapshot-state"),
    path("snapshots/datasheet/<slug:slug>/", views.datasheet_answers, name="datasheet-answers"),
    path("snapshots/<int:pk>/datasheet.md", views.datasheet, name="datasheet"),
    path("snapshots/<int:pk>/publish/", views.publish, name="publish-snapshot"),
    path("snapshots/<int:pk>/retract/", views.retract, name="retract-snapshot"),
    path("snapshots/<int:pk>/statistics/", views.statistics, name="snapshot-statistics"),
    path("snapshots/<int:pk>/statistics/ask/", views.ask_for_statistics, name="ask-for-statistics"),
    path("snapshots/<int:pk>/statistics/<slug:name>.csv", views.statistics_csv, name="statistics-csv"),
    path("snapshots/<int:pk>/files/<str:name>", views.snapshot_file, name="snapshot-file"),
]
