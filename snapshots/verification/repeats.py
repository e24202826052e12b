"""Find names that occur twice, or in several partitions. They are stored on disk, so memory does not grow.

Standard library only.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from types import TracebackType

# SQLite sorts larger amounts in files of its own.
MEMORY_KIB = 8 << 10


class Occurrences:
    """Names (any bytes) of several kinds with partition and line, in an unnamed database that is deleted with the object."""

    def __init__(self) -> None:
        self.database = sqlite3.connect("", isolation_level=None)
        self.database.execute(f"PRAGMA cache_size = -{MEMORY_KIB}")
        self.database.execute("PRAGMA temp_store = FILE")
        self.database.execute("CREATE TABLE noted (kind TEXT, name BLOB, partition TEXT, line INTEGER)")
        self.database.execute("BEGIN")

    def __enter__(self) -> "Occurrences":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.database.close()

    def note(self, kind: str, partition: str, names: Iterable[tuple[bytes, int]]) -> None:
        """Stores names, each with its line (0 if the line is irrelevant)."""
        rows = ((kind, name, partition, line) for name, line in names)
        self.database.executemany("INSERT INTO noted VALUES (?, ?, ?, ?)", rows)

    def in_several(self, kind: str, limit: int = -1) -> Iterator[tuple[bytes, list[str]]]:
        """Yields the names that occur in several partitions, sorted, each with those partitions."""
        found = self.database.execute(
            "SELECT name, group_concat(DISTINCT partition) FROM noted WHERE kind = ?"
            " GROUP BY name HAVING min(partition) <> max(partition) ORDER BY name LIMIT ?",
            (kind, limit),
        )
        return ((name, sorted(partitions.split(","))) for name, partitions in found)

    def number_in_several(self, kind: str) -> int:
        return sum(1 for _ in self.in_several(kind))

    def by_partition(self, kind: str) -> Counter[str]:
        """Returns the number of different names in each partition."""
        counted = self.database.execute(
            "SELECT partition, count(*) FROM (SELECT DISTINCT name, partition FROM noted WHERE kind = ?) GROUP BY partition",
            (kind,),
        )
        return Counter(dict(counted))

    def again(self, kind: str) -> Iterator[tuple[str, int, bytes]]:
        """Yields partition, line and name of every occurrence of a name except the first."""
        return self.database.execute(
            "SELECT partition, line, name FROM (SELECT *, row_number() OVER (PARTITION BY name ORDER BY rowid) AS nth"
            " FROM noted WHERE kind = ?) WHERE nth > 1",
            (kind,),
        )
