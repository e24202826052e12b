"""Tabulate and draw pairs by genre and partition, for the pages of a plan and of a snapshot."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.utils.http import urlencode

from nli.lines import PARTITIONS
from shared.numbers import percent
from shared.tables import Column, Table, with_values
from snapshots.freezing.plan import FreezePlan


@dataclass(frozen=True)
class PartitionTable:
    """Pairs by genre (rows) and partition (columns), with sums: each number but the last of a row with its partition."""

    partitions: tuple[str, ...]
    rows: list[tuple[str, list[tuple[str, int]], int]]
    sums: list[tuple[str, int]]
    total: int


def partition_table(pairs: Mapping[str, Mapping[str, int]]) -> PartitionTable:
    """Makes the table from the numbers of pairs by partition and genre."""
    genres = sorted({genre for counts in pairs.values() for genre in counts})
    rows = []
    for genre in genres:
        counts = [(partition, pairs.get(partition, {}).get(genre, 0)) for partition in PARTITIONS]
        rows.append((genre, counts, sum(number for _, number in counts)))
    sums = [(partition, sum(pairs.get(partition, {}).values())) for partition in PARTITIONS]
    return PartitionTable(PARTITIONS, rows, sums, sum(number for _, number in sums))


def plan_charts(planned: FreezePlan, names: Mapping[str, str]) -> list[Table]:
    """Returns the charts of a planned freeze."""
    chart = contents_chart(partition_table(planned.plan.pairs), names)
    return with_values([chart and replace(chart, notes=planned.warnings)])


def contents_chart(table: PartitionTable, names: Mapping[str, str], pairs: str = "") -> Table | None:
    """Draws the table as bars, the largest genre first; None without pairs.

    names: genre -> its name on pages. pairs: the address of the list of these pairs, if there is one.
    """
    parts = [partition for partition, number in table.sums if number]
    if not parts:
        return None
    rows = []
    for genre, counts, total in sorted(table.rows, key=lambda row: -row[2]):
        row = {"genre": names.get(genre, genre), **dict(counts), "all": total}
        if pairs:
            row["href"] = f"{pairs}?{urlencode({'genre': genre})}"
            row["hrefs"] = {
                part: f"{pairs}?{urlencode({'partition': part, 'genre': genre})}" for part, n in counts if n
            } | {"all": row["href"]}
        rows.append(row)
    shares = [f"{part} {percent(number / table.total)}" for part, number in table.sums if number]
    genres = "1 genre" if len(rows) == 1 else f"{len(rows):,} genres"
    return Table(
        "contents",
        "bars",
        f"{table.total:,} pairs of {genres}: {', '.join(shares)}.",
        [
            Column("genre", "genre"),
            *(Column(part, part, "count") for part in parts),
            Column("all", "together", "count"),
        ],
        rows,
        {"y": "genre", "series": parts, "x_name": "pairs"},
    )
