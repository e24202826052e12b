"""Tables of rows without keys, for the result tables of the papers; the figures of a snapshot's statistics among them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shared import tables
from shared.figures import FIGURES, Figure
from shared.table_formats import FORMATS
from shared.tables import TEXTS

Cell = str | int | float | None


@dataclass(frozen=True)
class Column:
    """A column. kind: how a value is written, see shared.numbers.written; pair and run are texts that a page links."""

    name: str
    kind: str = "text"

    @property
    def is_number(self) -> bool:
        return self.kind not in TEXTS


@dataclass(frozen=True)
class Table:
    """Rows of raw values with their definitions. Shares are from 0 to 1; an empty cell is None."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: list[list[Cell]]
    definitions: tuple[str, ...]

    def written(self, form: str) -> str:
        """Returns the table in one of FORMATS; the names of its columns are their keys."""
        columns = [tables.Column(column.name, kind=column.kind) for column in self.columns]
        keys = [column.name for column in columns]
        rows = [dict(zip(keys, row, strict=True)) for row in self.rows]
        return FORMATS[form](tables.Table(self.name, "", self.title, columns, rows, notes=self.definitions))


def table(name: str, data: Mapping[str, Any]) -> Table:
    """Makes the table of a figure of statistics from what was counted. Raises KeyError."""
    made = FIGURES[name].table(data)
    assert made is not None
    columns = tuple(Column(column.name, column.kind) for column in made.columns)
    definitions = (*(f"{key}: {meaning}" for key, meaning in made.definitions), *made.notes)
    return Table(name, made.caption, columns, list(made.cells()), definitions)


def statistics_figures() -> dict[str, Figure]:
    return {
        name: figure for name, figure in FIGURES.items() if figure.scope.name == "snapshot" and figure.source
    }
