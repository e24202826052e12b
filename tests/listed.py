"""What a page of a long list shows, as tests look at it."""

from typing import Any

from shared.lists import Shown


def listed(page: Any) -> Shown:
    found: Shown = page.context["list"]
    return found


def bars_in(page: Any) -> dict[str, dict]:
    """Returns key -> the JSON of each histogram beside the list."""
    return {chart.table.key: chart.table.as_json() for chart in listed(page).histograms}


def cells(page: Any, key: str) -> dict[str, Any]:
    """Returns name of a row -> its cell in the column `key`."""
    return {row.name: row.cells[key] for row in listed(page).rows}
