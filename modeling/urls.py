"""The pages about training runs."""

from django.urls import path

from modeling.launching import views as launching
from modeling.reports import views as reports
from modeling.results import views as results
from modeling.watching import views as watching

urlpatterns = [
    path("runs/", watching.runs, name="runs"),
    path("runs/new/<int:snapshot_id>/", launching.new_run, name="new-run"),
    path("runs/start/<int:snapshot_id>/", launching.start_run, name="start-run"),
    path("snapshots/<int:pk>/result-tables/", reports.reports, name="result-tables"),
    path("runs/<int:pk>/", watching.run, name="run"),
    path("runs/<int:pk>/stop/", launching.stop, name="stop-run"),
    path("runs/<int:pk>/resume/", launching.resume, name="resume-run"),
    path("runs/<int:pk>/predictions/<str:partition>/", results.read_predictions, name="run-predictions"),
]
