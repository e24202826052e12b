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


def all_pages(browser: Any, address: str, order: str) -> list[tuple[str, Any]]:
    """Returns the rows of every page in an order; checks that the pages before hold the same rows where there are such."""
    pages, address = [], f"{address}?order={order}"
    while address:
        answer = browser.get(address)
        assert listed(answer).view.order == order
        pages.append([(row.name, row.cells) for row in listed(answer).rows])
        last, address = answer, listed(answer).next
    back = []
    while before := listed(last).previous:
        last = browser.get(before)
        back.append([(row.name, row.cells) for row in listed(last).rows])
    assert not back or back[::-1] == pages[:-1]
    return [row for page in pages for row in page]


def is_sorted_by(rows: list[tuple[str, Any]], order: str, value: Any) -> bool:
    """Returns whether the rows of `all_pages` are in the order of a value of their cells."""
    found = [value(cells) for _, cells in rows]
    return len(set(found)) > 1 and found == sorted(found, reverse=order.startswith("-"))
