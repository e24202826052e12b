"""Tables of the snapshot pages: what the manifest or a plan says, in rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from collection.templatetags.labels import MARKS
from snapshots.partition import PARTITIONS
from snapshots.statistics.plots import Plot, plot
from snapshots.statistics.rendering import shown_rows
from snapshots.statistics.tables import TABLES, Column, Table, table
from validation.statistics.definitions import DEFINITIONS, NAMES, PUBLISHED

AGREEMENT = "agreement"


@dataclass(frozen=True)
class AgreementRow:
    """One figure as text, its definition, and what SNLI and MultiNLI report (empty: they do not)."""

    name: str
    here: str
    snli: str
    multinli: str
    definition: str


@dataclass(frozen=True)
class ShownTable:
    """A table of statistics as its page shows it; long ones are folded up."""

    table: Table
    rows: list[list[tuple[str, str]]]
    plot: Plot | None
    is_long: bool


@dataclass(frozen=True)
class PartitionTable:
    """Pairs by genre (rows) and partition (columns), with sums."""

    partitions: tuple[str, ...]
    rows: list[tuple[str, list[int], int]]
    sums: list[int]
    total: int


def partition_table(pairs: Mapping[str, Mapping[str, int]]) -> PartitionTable:
    """From partition -> genre -> pairs."""
    genres = sorted({genre for counts in pairs.values() for genre in counts})
    rows = []
    for genre in genres:
        counts = [pairs.get(partition, {}).get(genre, 0) for partition in PARTITIONS]
        rows.append((genre, counts, sum(counts)))
    sums = [sum(pairs.get(partition, {}).values()) for partition in PARTITIONS]
    return PartitionTable(PARTITIONS, rows, sums, sum(sums))


def share_rows(figures: Mapping[str, Any]) -> list[AgreementRow]:
    """The shares of the papers' tables, line by line in their order."""
    rows = []
    for key, name in NAMES.items():
        snli, multinli = (percent(share) for share in PUBLISHED.get(key, (None, None)))
        rows.append(AgreementRow(name, percent(figures[key]), snli, multinli, DEFINITIONS[key]))
    return rows


def agreement_rows(manifest: Mapping[str, Any]) -> list[AgreementRow]:
    """The shares of the papers' tables, then kappa by category and alpha."""
    figures = manifest["agreement"]
    rows = share_rows(figures)
    for category in ("overall", *manifest["corpus"]["labels"]):
        kappa = figures["fleiss_kappa"][category]
        definition = DEFINITIONS["fleiss_kappa"]
        rows.append(AgreementRow(f"Fleiss’ kappa, {category}", _three(kappa), "", "", definition))
    alpha = _three(figures["krippendorff_alpha"])
    rows.append(AgreementRow("Krippendorff’s alpha", alpha, "", "", DEFINITIONS["krippendorff_alpha"]))
    return rows


def agreement_table(manifest: Mapping[str, Any]) -> Table:
    """The papers' figures as a table of its own, for `report`."""
    figures = manifest["agreement"]
    columns = (Column("figure"), *(Column(name, "share") for name in ("here", "SNLI", "MultiNLI")))
    rows: list[list[Any]] = [
        [name, figures[key], *PUBLISHED.get(key, (None, None))] for key, name in NAMES.items()
    ]
    told = tuple(f"{name}: {DEFINITIONS[key]}" for key, name in NAMES.items())
    return Table(AGREEMENT, "Agreement (SNLI, Table 3; MultiNLI, Table 2)", columns, rows, told)


LONG = 30


def statistics_tables(kind: str, data: Mapping[str, Any]) -> list[ShownTable]:
    """The tables of one kind of statistics, with the plots of those that are curves."""
    made = [(each, table(name, data)) for name, each in TABLES.items() if each.source == kind]
    return [_shown(each) for told, each in made if each.rows or not told.only_with_rows]


def _shown(made: Table) -> ShownTable:
    kinds = ["" if column.kind == "text" else "number" for column in made.columns]
    rows = [list(zip(kinds, row, strict=True)) for row in shown_rows(made)]
    return ShownTable(made, rows, _curves(made), len(rows) > LONG)


def _curves(made: Table) -> Plot | None:
    """Figure 2 of SNLI and MultiNLI, Figure 6 of Poliak et al.; None for tables that are no curves."""
    if made.name not in ("length_distribution", "answerable"):
        return None
    lines = [
        (column.name, [(row[0], row[index]) for row in made.rows if row[index] is not None])
        for index, column in enumerate(made.columns[1:], start=1)
    ]
    is_share = made.name == "answerable"
    x_name = "threshold" if is_share else "words"
    return plot(made.name, made.title, lines, x_name=x_name, percent=is_share, css_of=_label_colour)  # type: ignore[arg-type]


def _label_colour(name: str) -> str:
    """The colour of a label's mark for the line "entailment, all words"; lines of other things have none of their own."""
    label = name.partition(",")[0]
    return MARKS[label][0] if label in MARKS else ""


def percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f}%"


def _three(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
