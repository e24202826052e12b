"""Counts the repeated pairs of a file on disk, so that the memory of an import does not grow with the file."""

import sqlite3


class Repeats:
    """The number of occurrences of each id. It is in a temporary database, which SQLite deletes when it is closed."""

    def __init__(self) -> None:
        self._store = sqlite3.connect("", isolation_level=None)
        self._store.execute("PRAGMA journal_mode=OFF")
        self._store.execute("CREATE TABLE met (id TEXT PRIMARY KEY, times INTEGER NOT NULL) WITHOUT ROWID")
        self._store.execute("BEGIN")

    def met(self, public_id: str) -> int:
        """Counts an occurrence of the id. Returns the number of its earlier occurrences."""
        (times,) = self._store.execute(
            "INSERT INTO met VALUES (?, 1) ON CONFLICT (id) DO UPDATE SET times = times + 1 RETURNING times",
            (public_id,),
        ).fetchone()
        return int(times) - 1
