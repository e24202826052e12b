"""The rows of a plan by group, in the order in which groups are drawn. They lie on the disk: a plan takes as much
memory for a million groups as for ten. Standard library only.
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
                    placed TEXT, held_out INTEGER, validated INTEGER, author INTEGER)
"""
# A group comes when the first of its authors does, where authors are drawn; else all author_turns are the same.
SORTED = """
CREATE TABLE drawn AS SELECT turn, "group", genre, pairs, published, placed, held_out, validated, author FROM given
ORDER BY min(author_turn) OVER (PARTITION BY turn), turn
"""
ROWS = (
    'SELECT "group", genre, pairs, published, placed, held_out, validated, author FROM drawn ORDER BY rowid'
)


@dataclass(frozen=True, slots=True)
class Row:
    """`pairs` pairs of one group and genre that share these facts. With 0 pairs it only ties its group.

    `published` is the partition that they came with; `placed` the one where their premise was put
    before; `held_out` says that it was held out of a published train; `validated` that every seat of
    the main question is filled; `author` is who wrote them (a key of the caller's), where that matters.
    """

    group: str
    genre: str
    pairs: int
    published: str | None = None
    placed: str | None = None
    held_out: bool = False
    validated: bool = False
    author: int | None = None


_values = attrgetter(*(field.name for field in fields(Row)))


def turn(seed: int, name: str) -> bytes:
    """The key by which groups are drawn: a hash, so that neither age nor name decides."""
    return hashlib.sha256(f"{seed}\n{name}".encode()).digest() + name.encode()


class Groups:
    """A context that iterates over (group, its rows), as often as wanted, in the order of `turn`.

    `by_author`: in the order of the turn of each group's first author, pairs without an author being of one.
    Raises OSError where the disk has no room.
    """

    def __init__(self, rows: Iterable[Row], seed: int, *, by_author: bool = False) -> None:
        self._link = sqlite3.connect("")  # a file without a name, which goes when it is closed
        try:
            self._link.execute(TABLE)
            keyed = (
                (turn(seed, row.group), _author_turn(seed, row) if by_author else b"", row) for row in rows
            )
            self._link.executemany(
                "INSERT INTO given VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                ((own, of_author, *_values(row)) for own, of_author, row in keyed),
            )
            self._link.execute(SORTED)
            self._link.execute("DROP TABLE given")
        except sqlite3.OperationalError as error:
            self._link.close()
            raise OSError(errno.ENOSPC, f"The plan's rows could not be put on the disk ({error})") from error
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
    held_out, validated, author = rest
    return Row(group, genre, pairs, published, placed, bool(held_out), bool(validated), author)
