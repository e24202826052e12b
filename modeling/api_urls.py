"""REST addresses about training runs, under /api/v1/."""

from django.urls import path

from modeling.launching.api import ResumeRunView, RunListView, StopRunView
from modeling.results.api import RunPredictionsView
from modeling.watching.api import RunView

urlpatterns = [
    path("runs/", RunListView.as_view(), name="api-runs"),
    path("runs/<int:pk>/", RunView.as_view(), name="api-run"),
    path("runs/<int:pk>/predictions/", RunPredictionsView.as_view(), name="api-run-predictions"),
    path("runs/<int:pk>/stop/", StopRunView.as_view(), name="api-stop-run"),
    path("runs/<int:pk>/resume/", ResumeRunView.as_view(), name="api-resume-run"),
]
