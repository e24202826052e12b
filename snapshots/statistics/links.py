"""Finds the pairs behind the numbers of a snapshot's statistics: addresses in the list of its pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode

from nli.labels import NO_GOLD
from nli.lines import PARTITIONS
from shared.charts import Chart
from snapshots.models import Snapshot
from snapshots.statistics.paper_tables import Table

# Name of a column of texts -> filter of the list. A table with another column of texts counts something else than pairs.
FILTERS = {"partition": "partition", "genre": "genre", "gold label": "label", "label": "label"}
PAIRS, WORD, PAIR, WHOLE = "pairs", "word", "pair", "all"
BY, VALUE = "by", "value"


def links_of(made: Table, snapshot: Snapshot) -> list[list[str]]:
    """Returns the address behind each cell of a table, "" for none.

    Counts of pairs lead to these pairs, a word to the pairs whose hypotheses have it, a pair to its page.
    """
    names = [(column.name, column.kind) for column in made.columns]
    return [_links(names, row, snapshot) for row in made.rows]


def with_links(chart: Chart, snapshot: Snapshot) -> Chart:
    """Returns the chart of a table with the same links."""
    names = [(column.key, column.kind) for column in chart.columns]
    rows = []
    for row in chart.rows:
        links = _links(names, [row.get(key) for key, _ in names], snapshot)
        found = {key: link for (key, _), link in zip(names, links, strict=True) if link}
        first = {"href": found[names[0][0]]} if names[0][0] in found else {}
        rows.append({**first, **row, "hrefs": {**found, **row.get("hrefs", {})}})
    return replace(chart, rows=rows)


def _links(names: Sequence[tuple[str, str]], row: Sequence[Any], snapshot: Snapshot) -> list[str]:
    texts = {
        name: str(value) for (name, kind), value in zip(names, row, strict=True) if kind in ("text", "pair")
    }
    if BY in texts and texts[BY] in FILTERS and VALUE in texts:
        texts[texts.pop(BY)] = texts.pop(VALUE)
    elif BY in texts and texts[BY] == WHOLE:
        del texts[BY], texts[VALUE]
    are_pairs = texts.keys() <= FILTERS.keys()
    where = {FILTERS[name]: value for name, value in texts.items() if name in FILTERS and value != WHOLE}
    return [
        _link(name, kind, value, where, are_pairs, snapshot)
        for (name, kind), value in zip(names, row, strict=True)
    ]


def _link(
    name: str, kind: str, value: Any, where: Mapping[str, str], are_pairs: bool, snapshot: Snapshot
) -> str:
    if name == PAIR and value:
        return reverse("pair", args=[snapshot.corpus.slug, value])
    if name == WORD and value:
        return _pairs(snapshot, {"text": str(value)})
    if kind != "count" or not value or not are_pairs:
        return ""
    if name in PARTITIONS:
        return _pairs(snapshot, {**where, "partition": name})
    if name in (*snapshot.corpus.labels, NO_GOLD):
        return _pairs(snapshot, {**where, "label": name})
    return _pairs(snapshot, where) if name == PAIRS else ""


def _pairs(snapshot: Snapshot, where: Mapping[str, str]) -> str:
    address = reverse("snapshot-pairs", args=[snapshot.pk])
    return f"{address}?{urlencode(where)}" if where else address
