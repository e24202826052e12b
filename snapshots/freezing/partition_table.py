"""Tabulate pairs by genre and partition, for the pages of a plan and of a snapshot."""

from collections.abc import Mapping
from dataclasses import dataclass

from nli.lines import PARTITIONS


@dataclass(frozen=True)
class PartitionTable:
    """Pairs by genre (rows) and partition (columns), with sums: each number but the last of a row with its partition."""

    partitions: tuple[str, ...]
    rows: list[tuple[str, list[tuple[str, int]], int]]
    sums: list[tuple[str, int]]
    total: int


def partition_table(pairs: Mapping[str, Mapping[str, int]]) -> PartitionTable:
    """Make the table from the numbers of pairs by partition and genre."""
    genres = sorted({genre for counts in pairs.values() for genre in counts})
    rows = []
    for genre in genres:
        counts = [(partition, pairs.get(partition, {}).get(genre, 0)) for partition in PARTITIONS]
        rows.append((genre, counts, sum(number for _, number in counts)))
    sums = [(partition, sum(pairs.get(partition, {}).values())) for partition in PARTITIONS]
    return PartitionTable(PARTITIONS, rows, sums, sum(number for _, number in sums))
