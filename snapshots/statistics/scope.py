"""A snapshot as the scope of figures: its stored counts, the names of its labels and genres, the pairs behind numbers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.core.management.base import CommandError
from django.urls import reverse
from django.utils.http import urlencode

from accounts.rest.problems import problems
from jobs.claims import JobError
from jobs.tasks import enqueue
from nli.labels import NO_GOLD
from nli.lines import PARTITIONS
from shared.figures import Parameters, Scope
from shared.tables import Column, Row, Table
from snapshots.api import frozen_snapshot
from snapshots.errors import SnapshotError
from snapshots.models import Snapshot, SnapshotStatistics
from snapshots.statistics.job import EDITIONS, compute_statistics, request_statistics
from validation.questions.lookup import Names, labels_named, named, names_of

KINDS_OF_NAMES = {
    **dict.fromkeys(("gold label", "gold", "label", "most frequent label"), "label"),
    "genre": "genre",
    **dict.fromkeys(("labels", "labels of the premises", "predicted", "commonest label"), "labels"),
}
# Key of a column of texts -> filter of the list. A table with another column of texts counts something else than pairs.
FILTERS = {"partition": "partition", "genre": "genre", "gold label": "label", "label": "label"}
PAIRS, WORD, WHOLE = "pairs", "word", "all"
BY, VALUE = "by", "value"
NO_GOLD_NAME = "no gold label"
ASKED = "names_on_pages"  # the attribute of a snapshot whose names were asked for


class SnapshotScope(Scope):
    name, path = "snapshot", "snapshots/<int:pk>/"

    def find(self, asked: Mapping[str, str], **place: Any) -> Snapshot:
        return frozen_snapshot(place["pk"])

    def named(self, text: str) -> Snapshot:
        """Returns the frozen snapshot CORPUS@VERSION. Raises CommandError that lists the newest snapshots."""
        snapshot: Snapshot | None = Snapshot.objects.frozen().named(text).first()
        if snapshot is None:
            known = ", ".join(map(str, Snapshot.objects.frozen().newest_first()[:20])) or "none yet"
            raise CommandError(f"There is no frozen snapshot {text!r}. The newest ones: {known}.")
        return snapshot

    def place(self, subject: Snapshot) -> dict[str, Any]:
        return {"pk": subject.pk}

    def file(self, subject: Snapshot) -> str:
        return f"{subject.corpus.slug}-{subject.version}"

    def stored(self, subject: Snapshot, source: str, parameters: Parameters) -> tuple[Any, Any]:
        if not source:
            return subject, None
        row = subject.statistics.current(EDITIONS).filter(kind=source).first()
        return (row.data if row else None), row

    def request(self, subject: Snapshot, source: str, parameters: Parameters) -> None:
        with problems({SnapshotError: 422}):
            row = request_statistics(snapshot=subject, kind=source)
        if row.status == SnapshotStatistics.Status.REQUESTED:
            enqueue(row)

    def count(
        self, subject: Snapshot, source: str, parameters: Parameters, tell: Callable[[str], None]
    ) -> Any:
        if not source:
            return subject
        try:
            row = request_statistics(snapshot=subject, kind=source)
            return compute_statistics(statistics_id=row.pk, progress=tell).data
        except (SnapshotError, JobError) as error:
            raise CommandError(str(error)) from None
        except KeyboardInterrupt:
            raise CommandError("Stopped by hand. Nothing was stored.") from None

    def dressed(self, table: Table, subject: Snapshot) -> Table:
        """Counts of pairs lead to these pairs, a word to the pairs whose hypotheses have it, a pair to its page."""
        linked = [{**_links(table.columns, row, subject), **row} for row in table.rows]
        return in_names(replace(table, rows=linked), subject)


SNAPSHOT = SnapshotScope()


def in_names(table: Table, snapshot: Snapshot) -> Table:
    """Returns the table with the names of the snapshot's labels and genres, which are not asked for without need."""
    names = names_on(snapshot) if _has_names(table, snapshot.corpus.labels) else {}
    rows = [{key: name_of_cell(names, key, value) for key, value in row.items()} for row in table.rows]
    words = names.get("label", {})
    colours = {**table.colours, **{words[key]: one for key, one in table.colours.items() if key in words}}
    columns = [replace(column, name=name_of_column(names, column.name)) for column in table.columns]
    return replace(table, columns=columns, rows=rows, colours=colours)


def _has_names(table: Table, labels: Sequence[str]) -> bool:
    """Returns whether a cell, the head of a column or a colour can be a label or a genre."""
    heads = (column.name.partition(", ")[0] for column in table.columns)
    keys = (key for row in table.rows for key in row)
    return (
        any(key in KINDS_OF_NAMES for key in keys)
        or any(head in labels for head in heads)
        or any(key in labels for key in table.colours)
    )


def names_on(snapshot: Snapshot) -> Names:
    """Returns what labels and genres are called, asked for once for all figures of a page."""
    ask_names([snapshot])
    names: Names = vars(snapshot)[ASKED]
    return names


def ask_names(snapshots: Iterable[Snapshot]) -> None:
    """Asks for the names on all these snapshots at once, by two queries, for a page with figures of several."""
    unknown = [snapshot for snapshot in snapshots if ASKED not in vars(snapshot)]
    names = names_of(snapshot.corpus for snapshot in unknown) if unknown else {}
    for snapshot in unknown:
        vars(snapshot)[ASKED] = names[snapshot.corpus_id]


def name_of_cell(names: Names, column: str, value: Any) -> Any:
    """Returns what a page shows for a value in a column with this key."""
    kind = KINDS_OF_NAMES.get(column)
    if not kind or not isinstance(value, str):
        return value
    if kind == "label" and value == NO_GOLD:
        return NO_GOLD_NAME
    return labels_named(names, value) if kind == "labels" else named(names, kind, value)


def name_of_column(names: Names, column: str) -> str:
    """Returns the head of a column on pages, which may be that of a label: “neutral, share”."""
    label, comma, rest = column.partition(", ")
    return f"{NO_GOLD_NAME if label == NO_GOLD else named(names, 'label', label)}{comma}{rest}"


def _links(columns: Any, row: Row, snapshot: Snapshot) -> dict[str, Any]:
    """Returns `href` and `hrefs` of a row."""
    texts = {each.key: str(row.get(each.key)) for each in columns if each.kind in ("text", "pair")}
    if BY in texts and texts[BY] in FILTERS and VALUE in texts:
        texts[texts.pop(BY)] = texts.pop(VALUE)
    elif BY in texts and texts[BY] == WHOLE:
        del texts[BY], texts[VALUE]
    are_pairs = texts.keys() <= FILTERS.keys()
    where = {FILTERS[key]: value for key, value in texts.items() if key in FILTERS and value != WHOLE}
    links = {each.key: _link(each, row.get(each.key), where, are_pairs, snapshot) for each in columns}
    found = {key: link for key, link in links.items() if link}
    return {"href": found.get(columns[0].key, ""), "hrefs": found}


def _link(column: Column, value: Any, where: Mapping[str, str], are_pairs: bool, snapshot: Snapshot) -> str:
    if column.kind == "pair" and value:
        return reverse("pair", args=[snapshot.corpus.slug, value])
    if column.key == WORD and value:
        return _pairs(snapshot, {"text": str(value)})
    if column.kind != "count" or not value or not are_pairs:
        return ""
    if column.key in PARTITIONS:
        return _pairs(snapshot, {**where, "partition": column.key})
    if column.key in (*snapshot.corpus.labels, NO_GOLD):
        return _pairs(snapshot, {**where, "label": column.key})
    return _pairs(snapshot, where) if column.key == PAIRS else ""


def _pairs(snapshot: Snapshot, where: Mapping[str, str]) -> str:
    address = reverse("snapshot-pairs", args=[snapshot.pk])
    return f"{address}?{urlencode(where)}" if where else address
