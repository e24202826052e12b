"""A figure is one thing: what it is computed from, its columns, its picture and its finding, declared once.

A page shows it by templates/charts/_figure.html, REST and files have it at `…/figures/NAME`, a terminal prints it by
`manage.py figure`. Each app registers its figures when it starts (`AppConfig.ready`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from pydantic import ConfigDict

from schemas.base import Part
from shared.table_formats import as_csv, as_json, as_latex
from shared.tables import Column, Row, Table

# Name of a form in addresses -> (its name on pages, ending of its file, content type, writer).
FILES: Mapping[str, tuple[str, str, str, Callable[[Table], str]]] = {
    "csv": ("CSV", "csv", "text/csv", as_csv),
    "latex": ("LaTeX", "tex", "application/x-tex", as_latex),
    "json": ("JSON", "json", "application/json", as_json),
}


class Parameters(Part):
    """What an address may add about a figure, as text: `?days=30`. A figure with parameters has a class of its own."""

    model_config = ConfigDict(strict=False, extra="forbid", frozen=True, defer_build=True)
    container = "parameters"

    def asked(self) -> dict[str, str]:
        """Returns the parameters that differ from their defaults, as an address has them."""
        return {key: str(value) for key, value in self.model_dump(exclude_defaults=True).items()}

    @property
    def counted_by(self) -> str:
        """Returns by what a stored count goes that depends on the parameters; empty if it depends on none."""
        by: str = getattr(self, "by", "")
        return by

    @property
    def source(self) -> str:
        """Returns the name of the stored count that these parameters need; empty if it is the figure's own."""
        return ""


class Scope:
    """Of what a figure is: a corpus, a question, a snapshot or a run. It gives address, lookup, names and stored counts.

    name: also that of its addresses; scopes with the same path share it. path: their beginning, below /api/v1/. asks: what
    `find` reads of a query.
    """

    name = ""
    path = ""
    asks: tuple[str, ...] = ()

    def find(self, asked: Mapping[str, str], **place: Any) -> Any:
        """Returns the subject of an address. asked: its query. Raises Http404."""
        raise NotImplementedError

    def named(self, text: str) -> Any:
        """Returns the subject that a person types, such as CORPUS@VERSION. Raises CommandError."""
        raise NotImplementedError

    def place(self, subject: Any) -> dict[str, Any]:
        """Returns the values in the path of the subject's addresses."""
        raise NotImplementedError

    def query(self, subject: Any) -> dict[str, str]:
        """Returns what the query of an address has to say about the subject."""
        return {}

    def file(self, subject: Any) -> str:
        """Returns the beginning of the names of files about the subject."""
        return str(subject)

    def dressed(self, table: Table, subject: Any) -> Table:
        """Returns the table with names for its labels and genres, and with the addresses of the data behind it."""
        return table

    def said(self, finding: str, subject: Any) -> str:
        """Returns the finding as a sentence that says of what it is."""
        return finding

    def stored(self, subject: Any, source: str, parameters: Parameters) -> tuple[Any, Any]:
        """Returns (what a worker counted, the row of its job), each None if there is none."""
        return subject, None

    def request(self, subject: Any, source: str, parameters: Parameters) -> None:
        """Lets a worker count. Raises Problem."""
        raise NotImplementedError

    def count(self, subject: Any, source: str, parameters: Parameters, tell: Callable[[str], None]) -> Any:
        """Returns what is stored, or counts now. Raises CommandError."""
        return self.stored(subject, source, parameters)[0]


Picture = Mapping[str, Any]  # fields of shared.tables.Table
ALL = "all"  # in a column of groups: all of them together


def picture(
    kind: str, *, note: str = "", colours: Mapping[str, str] = {}, lines: Any = (), **draw: Any
) -> Picture:
    """Returns how a table is drawn; `draw` is what static/js/chart-kinds.js reads.

    `whole` among it: a column of groups; the rows of all of them together are drawn, or those of the only one.
    """
    return {"kind": kind, "draw": draw, "lines": lines, "colours": colours, "note": note}


def whole(table: Table, key: str) -> Row:
    """Returns what the rows of all groups together have in this column, or those of the only group."""
    values = [row[key] for row in table.rows]
    return {key: ALL if ALL in values or not values else values[0]}


def rows_of(table: Table, where: Row) -> list[Row]:
    return [row for row in table.rows if where.items() <= row.items()]


@dataclass(frozen=True)
class Figure:
    """A figure. It is declared as data, and every way to look at it follows.

    name: in addresses and commands. title: what it shows, and where a paper has it. scope: of what it is. compute: takes the
    subject, or what a worker counted of it if there is a `source`, and the parameters; returns the rows, in the order of
    the columns or by their keys. A finished Table has columns of its own; None is nothing to show. columns: with their
    definitions. draw: the picture, or what makes it of the table and the data. finding: makes a sentence of the whole
    table. source: the name of a stored count. notes: what else is to know. only_with_rows: pages leave it out if it has
    no rows. gather: takes the subject and the parameters and returns what it is computed from instead of the subject; a
    page that shows several figures of the same data gathers once. Raises Http404.
    """

    name: str
    title: str
    scope: Scope
    compute: Callable[..., Iterable[Sequence[Any] | Row] | Table | None]
    columns: Sequence[Column] = ()
    draw: Picture | Callable[[Table, Any], Picture | None] | None = None
    finding: Callable[[Table], str] = lambda table: ""
    source: str = ""
    parameters: type[Parameters] = Parameters
    notes: Sequence[str] = ()
    only_with_rows: bool = False
    gather: Callable[..., Any] | None = None

    def stored(self, subject: Any, parameters: Parameters) -> tuple[Any, Any]:
        """Returns what it is computed from, or None, and the row of its job if a worker counts it."""
        if self.gather:
            return self.gather(subject, **dict(parameters)), None
        return self.scope.stored(subject, self.source_of(parameters), parameters)

    def source_of(self, parameters: Parameters) -> str:
        """Returns the name of the stored count that it needs with these parameters; empty if it needs none."""
        return parameters.source or self.source

    def table(self, data: Any, **parameters: Any) -> Table | None:
        """Returns the table with raw labels and its picture, without names and finding."""
        found = self.compute(data, **parameters)
        if found is None or isinstance(found, Table):
            return found
        columns = [each for column in self.columns for each in column.spread(data)]
        keys = [column.key for column in columns]
        rows = [row if isinstance(row, Mapping) else dict(zip(keys, row, strict=True)) for row in found]
        made = Table(self.name, "", "", columns, rows, notes=self.notes, caption=self.title)
        drawn = self.draw(made, data) if callable(self.draw) and rows else self.draw
        if not drawn or callable(drawn) or not rows:
            return made
        of = drawn["draw"].get("whole")
        draw = {**drawn["draw"], "where": whole(made, of)} if of else drawn["draw"]
        return replace(made, **{**drawn, "draw": draw})

    def shown(self, subject: Any, data: Any, parameters: Parameters | None = None) -> Table | None:
        """Returns the table as pages show it: with names, addresses, and its finding."""
        made = self.table(data, **dict(parameters or ()))
        if made is None or not made.caption:  # finished
            return made
        dressed = self.scope.dressed(made, subject)
        found = dressed.title or (self.scope.said(self.finding(dressed), subject) if dressed.rows else "")
        return replace(dressed, title=found or dressed.caption)

    def address(self, subject: Any, parameters: Parameters | None = None) -> str:
        """Returns the figure's address, to which `as=csv` can be added."""
        place = {**self.scope.place(subject), "name": self.name}
        query = {**self.scope.query(subject), **(parameters.asked() if parameters else {})}
        path = reverse(f"api-{self.scope.name}-figure", kwargs=place)
        return f"{path}?{urlencode(query)}&" if query else f"{path}?"


def page(
    room: str,
    scope: Scope,
    titles: Mapping[str, str],
    make: Callable[..., Iterable[Table]],
    parameters: type[Parameters] = Parameters,
) -> list[Figure]:
    """Returns the figures of a page whose tables are made together, `room`-`key` each. titles: by the keys of the tables."""

    def one(key: str) -> Callable[..., Table | None]:
        return lambda subject, **asked: next(
            (each for each in make(subject, **asked) if each.key == key), None
        )

    return [
        Figure(f"{room}-{key}", title, scope, one(key), parameters=parameters)
        for key, title in titles.items()
    ]


@dataclass(frozen=True)
class Shown:
    """A figure on a page: its table, and its address."""

    figure: Figure
    table: Table
    address: str

    @property
    def files(self) -> list[tuple[str, str]]:
        """Returns (name, address) of each file of it."""
        return [(name, f"{self.address}as={form}") for form, (name, *_) in FILES.items()]


FIGURES: dict[str, Figure] = {}


def of_page(room: str, subject: Any, tables: Iterable[Table], **asked: Any) -> list[Shown]:
    """Returns tables of a page that were made together (see `page`), with the addresses of their figures."""
    figures = [(FIGURES[f"{room}-{table.key}"], table) for table in tables]
    return [
        Shown(figure, table, figure.address(subject, figure.parameters(**asked))) for figure, table in figures
    ]


def register(*figures: Figure) -> None:
    for figure in figures:
        if FIGURES.setdefault(figure.name, figure) is not figure:
            raise ValueError(f"Two figures are called {figure.name}.")


def shown(
    figures: Iterable[Figure],
    subject: Any,
    data: Any = None,
    parameters: Parameters | None = None,
    mark: Any = "",
) -> Iterator[Shown]:
    """Yields these figures of a subject for a page, without those that have nothing to show.

    data: what they are computed from; the subject, if it is left out. mark: tells them from the same figures of another
    subject on the page.
    """
    for figure in figures:
        table = figure.shown(subject, subject if data is None else data, parameters)
        if table is not None and (table.rows or not figure.only_with_rows):
            table = replace(table, key=f"{table.key}-{mark}") if mark else table
            yield Shown(figure, table, figure.address(subject, parameters))
