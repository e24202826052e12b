"""The pages about training runs."""

from django.urls import path

from modeling.launching import views as launching
from modeling.marking import views as marking
from modeling.reports import views as reports
from modeling.results import views as results
from modeling.watching import views as watching

urlpatterns = [
    path("runs/", watching.runs, name="runs"),
    path("runs/curves/", watching.run_curves, name="run-curves"),
    path("runs/new/<int:snapshot_id>/", launching.new_run, name="new-run"),
    path("runs/start/<int:snapshot_id>/", launching.start_run, name="start-run"),
    path("runs/start/<int:snapshot_id>/<slug:name>/", launching.start_usual, name="start-usual-runs"),
    path("snapshots/<int:pk>/result-tables/", reports.reports, name="result-tables"),
    path("snapshots/<int:pk>/marking/", marking.markings, name="markings"),
    path("snapshots/<int:pk>/marking/<str:partition>/", marking.mark_pair, name="mark-pair"),
    path("snapshots/<int:pk>/marking/<str:partition>.csv", marking.marks_csv, name="marks-csv"),
    path("snapshots/<int:pk>/marking/<str:partition>/count/", marking.count, name="count-marks"),
    path("snapshots/<int:pk>/tables/leaks/count/", reports.count_leaks, name="count-leaks"),
    path("snapshots/<int:pk>/tables/leaks/stop/", reports.stop_leaks, name="stop-leaks"),
    path("snapshots/<int:pk>/tables/<slug:name>/", reports.overview_page, name="run-table"),
    path("snapshots/<int:pk>/tables/<slug:name>.csv", reports.overview_csv, name="run-table-csv"),
    path("runs/<int:pk>/", watching.run, name="run"),
    path("runs/<int:pk>/stop/", launching.stop, name="stop-run"),
    path("runs/<int:pk>/resume/", launching.resume, name="resume-run"),
    path("runs/<int:pk>/hand-in/", watching.hand_in_run, name="hand-in-run"),
    path("runs/<int:pk>/data-map/", results.read_data_map, name="data-map"),
    path("runs/<int:pk>/data-map.csv", results.data_map_csv, name="data-map-csv"),
    path("runs/<int:pk>/predictions/<str:partition>/", results.read_predictions, name="run-predictions"),
    path(
        "runs/<int:pk>/predictions/<str:partition>.csv", results.predictions_csv, name="run-predictions-csv"
    ),
]
