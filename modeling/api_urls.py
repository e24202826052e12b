"""REST addresses about training runs, under /api/v1/."""

from django.urls import path

from modeling.launching.api import ResumeRunView, RunListView, StopRunView
from modeling.marking.api import MarksView
from modeling.reports.api import LeaksView, LearningCurvesView, OverviewView, StopLeaksView
from modeling.results.api import RunPredictionsView
from modeling.watching.api import RunModelView, RunView

urlpatterns = [
    path("runs/", RunListView.as_view(), name="api-runs"),
    path("runs/<int:pk>/", RunView.as_view(), name="api-run"),
    path("runs/<int:pk>/model/", RunModelView.as_view(), name="api-run-model"),
    path("runs/<int:pk>/predictions/", RunPredictionsView.as_view(), name="api-run-predictions"),
    path("snapshots/<int:pk>/learning-curves/", LearningCurvesView.as_view(), name="api-learning-curves"),
    path("snapshots/<int:pk>/marks/", MarksView.as_view(), name="api-marks"),
    path("snapshots/<int:pk>/leaks/", LeaksView.as_view(), name="api-leaks"),
    path("snapshots/<int:pk>/leaks/stop/", StopLeaksView.as_view(), name="api-stop-leaks"),
    path("snapshots/<int:pk>/tables/<slug:name>/", OverviewView.as_view(), name="api-run-table"),
    path("runs/<int:pk>/stop/", StopRunView.as_view(), name="api-stop-run"),
    path("runs/<int:pk>/resume/", ResumeRunView.as_view(), name="api-resume-run"),
]
