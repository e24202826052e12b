"""Store the rows of a plan by group, and read the groups in the order in which they are drawn.

The rows are on disk: a plan for a million groups needs no more memory than one for ten. Standard library only.
"""

import errno
import hashlib
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, fields
from itertools import groupby
from operator import attrgetter

TABLE = """
CREATE TABLE given (turn BLOB, author_turn BLOB, "group" TEXT, genre TEXT, pairs INTEGER, published TEXT,
                    placed TEXT, validated INTEGER, author INTEGER)
"""
# A group has the turn of its first author if authors are drawn; else all values of author_turn are equal.
SORTED = """
CREATE TABLE drawn AS SELECT turn, "group", genre, pairs, published, placed, validated, author FROM given
ORDER BY min(author_turn) OVER (PARTITION BY turn), turn
"""
ROWS = 'SELECT "group", genre, pairs, published, placed, validated, author FROM drawn ORDER BY rowid'


@dataclass(frozen=True, slots=True)
class Row:
    """A number of pairs of one group and genre with the same facts. A row of 0 pairs only binds its group to a partition.

    published: the partition that they were imported with, or dev if they are held out of a published train. placed: the
    partition that a freeze gave their premise. validated: every seat of the main question is filled.
    author: the caller's key of their author, if authors are drawn.
    """

    group: str
    genre: str
    pairs: int
    published: str | None = None
    placed: str | None = None
    validated: bool = False
    author: int | None = None


_values = attrgetter(*(field.name for field in fields(Row)))


def turn(seed: int, name: str) -> bytes:
    """Returns the key by which groups are ordered: a hash, so that neither age nor name decides."""
    return hashlib.sha256(f"{seed}\n{name}".encode()).digest() + name.encode()


class Groups:
    """A context manager that iterates over (group, rows) in the order of `turn`, any number of times.

    by_author: order the groups by the turn of their first author; all pairs without an author count as one author's.
    Raises OSError if the disk is full.
    """

    def __init__(self, rows: Iterable[Row], seed: int, *, by_author: bool = False) -> None:
        self._link = sqlite3.connect("")  # a file without a name, deleted when it is closed
        try:
            self._link.execute(TABLE)
            keyed = (
                (turn(seed, row.group), _author_turn(seed, row) if by_author else b"", row) for row in rows
            )
            self._link.executemany(
                "INSERT INTO given VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                ((own, of_author, *_values(row)) for own, of_author, row in keyed),
            )
            self._link.execute(SORTED)
            self._link.execute("DROP TABLE given")
        except sqlite3.OperationalError as error:
            self._link.close()
            raise OSError(
                errno.ENOSPC, f"The rows of the plan could not be written to disk ({error})"
            ) from error
        except BaseException:
            self._link.close()
            raise

    def __enter__(self) -> "Groups":
        return self

    def __exit__(self, *_: object) -> None:
        self._link.close()

    def __iter__(self) -> Iterator[tuple[str, list[Row]]]:
        with closing(self._link.execute(ROWS)) as found:
            for group, rows in groupby(found, key=lambda row: str(row[0])):
                yield group, [_row(*values) for values in rows]

    def genres(self) -> set[str]:
        return {genre for (genre,) in self._link.execute("SELECT DISTINCT genre FROM drawn")}


def _author_turn(seed: int, row: Row) -> bytes:
    return turn(seed, f"author {row.author or ''}")


def _row(group: str, genre: str, pairs: int, published: str | None, placed: str | None, *rest: int) -> Row:
    validated, author = rest
    return Row(group, genre, pairs, published, placed, bool(validated), author)
