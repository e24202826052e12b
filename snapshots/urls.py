from django.urls import path

from snapshots import views

urlpatterns = [
    path("snapshots/", views.snapshot_list, name="snapshots"),
    path("snapshots/freeze/<slug:slug>/plan/", views.freeze_plan, name="freeze-plan"),
    path("snapshots/freeze/<slug:slug>/", views.freeze, name="freeze"),
    path("snapshots/<int:pk>/", views.snapshot, name="snapshot"),
    path("snapshots/<int:pk>/state/", views.state, name="snapshot-state"),
    path("snapshots/<int:pk>/files/<str:name>", views.snapshot_file, name="snapshot-file"),
]
