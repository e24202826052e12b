"""The pages about training runs."""

from django.urls import path

from modeling import views

urlpatterns = [
    path("runs/", views.runs, name="runs"),
    path("runs/new/<int:snapshot_id>/", views.new_run, name="new-run"),
    path("runs/start/<int:snapshot_id>/", views.start_run, name="start-run"),
    path("runs/<int:pk>/", views.run, name="run"),
    path("runs/<int:pk>/stop/", views.stop, name="stop-run"),
    path("runs/<int:pk>/resume/", views.resume, name="resume-run"),
    path("runs/<int:pk>/predictions/<str:partition>/", views.predictions, name="run-predictions"),
]
