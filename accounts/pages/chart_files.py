"""The table of a chart as a file, for the pages that have charts."""

from collections.abc import Iterable

from django.http import Http404, HttpResponse

from shared.csv_files import csv_file
from shared.table_formats import as_csv
from shared.tables import Table


def chart_file(charts: Iterable[Table], key: str, prefix: str) -> HttpResponse:
    """Returns the chart `key` as CSV, in a file named after `prefix`. Raises Http404 if there is no such chart."""
    chart = next((chart for chart in charts if chart.key == key), None)
    if chart is None:
        raise Http404("There is no such chart.")
    return csv_file(as_csv(chart), f"{prefix}-{key}")
