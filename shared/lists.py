"""Long lists of researchers' pages: what their address asks for, and what templates/lists/list.html shows.

One mechanism for all of them. The address holds the whole view: filters, order, size of a page, columns. Which rows pass,
and in which order, is each list's own affair, since some are rows of the database and some are arrays.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, TypeVar

from django.core.paginator import Page, Paginator
from django.http import HttpRequest

from shared.facets import Numbers, counted, passes
from shared.sorted_lists import Head
from shared.tables import Column, Table

SIZES = (25, 50, 100, 200)
USUAL_SIZE = 50
LONGEST = 200  # characters of what is typed into a filter
# What of an address is a place in the list, or another form of it.
PLACES = ("after", "before", "page", "pair", "as", "chart", "part", "seed")
# What of an address says what the list is of, and how it looks: the list without filters keeps it.
KEPT = ("question", "on", "with", "corpus", "seeds", "size", "column")
T = TypeVar("T")
VALUES_SHOWN = 8  # of a facet; the others are folded


@dataclass(frozen=True)
class Filter:
    """A filter of a list. options: value -> what people read, if it has known values. kind: of the field that is typed into.

    is_choice: the known values stand in a field, and not as links: what they choose is no filter of rows. nothing: what
    that field says without a choice. is_folded: its values are folded until one is chosen. Rows with any of the chosen
    values pass. is_single: only one is chosen at a time.
    """

    key: str
    title: str
    options: Mapping[str, str] | None = None
    kind: str = "text"
    is_choice: bool = False
    is_folded: bool = False
    nothing: str = "none"
    is_single: bool = False


LENGTHS = (
    Filter("shortest", "Shortest hypothesis (characters)", kind="number"),
    Filter("longest", "Longest hypothesis (characters)", kind="number"),
)


def chosen_numbers(shortest: int, longest: int, agreement: int, doubt: int = 0) -> dict[tuple[str, ...], str]:
    """Returns what is chosen by a histogram: parameters of the address -> what people read. 0: nothing.

    agreement, doubt: the upper end of a class, in percent.
    """
    characters = f"{shortest} to {longest} characters" if longest else f"{shortest} characters or more"
    return {
        ("shortest", "longest"): characters if shortest or longest else "",
        ("agreement",): f"agreement up to {agreement}%" if agreement else "",
        ("doubt",): f"doubt up to {doubt}%" if doubt else "",
    }


def orders_of(columns: Iterable[Column]) -> dict[str, str]:
    """Returns the orders by each of these columns, up (its key) and down ("-" before it) -> what people read."""
    orders: dict[str, str] = {}
    for each in columns:
        up, down = ("smallest first", "largest first") if each.is_number else ("A to Z", "Z to A")
        if each.largest_first:
            up, down = "oldest first", "newest first"
        orders |= {each.key: f"{each.name}, {up}", f"-{each.key}": f"{each.name}, {down}"}
    return orders


def heads_of(columns: Iterable[Column]) -> dict[str, tuple[str | None, str | None]]:
    """Returns key of a column -> its two orders in `orders_of`."""
    return {each.key: (each.key, f"-{each.key}") for each in columns}


@dataclass(frozen=True)
class Value:
    """A value of a facet. number: rows under the other filters, None if they are not counted. share: of the largest number,
    in percent. link: the address that chooses it, or lets it go if it is chosen."""

    value: str
    number: int | None
    is_chosen: bool
    link: str
    share: int = 0


@dataclass(frozen=True)
class Facet:
    """A filter with its values as links. `more`: those that are folded."""

    name: str
    values: list[Value]
    is_folded: bool = False

    @property
    def first(self) -> list[Value]:
        return self.values[:VALUES_SHOWN]

    @property
    def more(self) -> list[Value]:
        return self.values[VALUES_SHOWN:]


@dataclass(frozen=True)
class Row:
    """A row. name: of the pair, or what else it is; empty if it cannot be chosen. cells: by the keys of columns."""

    name: str
    cells: Mapping[str, Any]


@dataclass
class View:
    """What the address of a list asks for.

    columns: all, in order; those with `on_page` are shown unless others are chosen. orders: value of the address -> what
    people read. by: key of a column -> the orders up and down that its head leads to; "" is an order, None is none.
    sort: the parameter that names the order. forced: the order that a filter brings with it.
    """

    request: HttpRequest
    columns: Sequence[Column]
    orders: Mapping[str, str]
    by: Mapping[str, tuple[str | None, str | None]] = field(default_factory=dict)
    usual: str = ""
    sort: str = "order"
    forced: str = ""

    @classmethod
    def by_heads(cls, request: HttpRequest, columns: Sequence[Column], usual: str) -> "View":
        """Returns the view of a list that each of its columns orders, up and down. usual: a key, perhaps after "-"."""
        return cls(request, columns, orders_of(columns), heads_of(columns), usual, "sort")

    def text(self, name: str) -> str:
        return self.request.GET.get(name, "").replace("\0", "")[:LONGEST].strip()

    def chosen(self, name: str) -> list[str]:
        """Returns all values of a parameter, without empty and repeated ones."""
        texts = (each.replace("\0", "")[:LONGEST].strip() for each in self.request.GET.getlist(name))
        return [*dict.fromkeys(filter(None, texts))]

    def number(self, name: str, usual: int, most: int) -> int:
        """Reads an integer, at most `most`; returns `usual` for anything else."""
        text = self.request.GET.get(name, "")
        return min(int(text), most) if text.isdecimal() and len(text) < 19 else usual

    sizes = SIZES
    usual_size = USUAL_SIZE

    @property
    def size(self) -> int:
        asked = self.number("size", USUAL_SIZE, 10**6)
        return asked if asked in SIZES else USUAL_SIZE

    @property
    def order(self) -> str:
        asked = self.request.GET.get(self.sort, "")
        return self.forced or (asked if asked in self.orders else self.usual)

    @property
    def said(self) -> str:
        """Returns the order as people read it."""
        return self.orders[self.order]

    @property
    def shown(self) -> list[Column]:
        asked = self.request.GET.getlist("column")
        if not {column.key for column in self.columns}.isdisjoint(asked):
            return [column for column in self.columns if column.key in asked or column.names_row]
        return [column for column in self.columns if column.on_page]

    def query(self) -> Any:
        """Returns what the address says, without places and without what is empty."""
        query = self.request.GET.copy()
        for name in [*query]:
            values = [value for value in query.getlist(name) if value]
            if name in PLACES or not values:
                del query[name]
            else:
                query.setlist(name, values)
        return query

    def address(self, values: Mapping[str, Any]) -> str:
        """Returns the address of the list with other values; those that are empty are left out."""
        query = self.query()
        for name, value in values.items():
            if isinstance(value, list):
                query.setlist(name, value)
            elif value in ("", None, 0):
                query.pop(name, None)
            else:
                query[name] = str(value)
        return f"{self.request.path}?{query.urlencode()}" if query else self.request.path

    @property
    def everything(self) -> str:
        """Returns the address of the list without filters."""
        return self.address({name: "" for name in self.query() if name not in (*KEPT, self.sort)})

    def hidden(self, *fields: str) -> list[tuple[str, str]]:
        """Returns (name, value) of what a form has to send beside these fields."""
        return [
            (name, value) for name, values in self.query().lists() if name not in fields for value in values
        ]

    def heads(self) -> Iterator[Head]:
        for column in self.shown:
            up, down = self.by.get(column.key, (None, None))
            now = (
                {up: "ascending", down: "descending"}.get(self.order, "")
                if (up, down) != (None, None)
                else ""
            )
            wanted = (
                (down if now == "ascending" or up is None else up)
                if now
                else (
                    down
                    if down is not None and (column.is_number or column.largest_first or up is None)
                    else up
                )
            )
            address = "" if wanted is None else self.address({self.sort: wanted})
            yield Head(column.name, address, now, column.is_number)

    def facets(
        self, filters: Iterable[Filter], numbers: Mapping[str, Sequence[tuple[Any, int]]]
    ) -> list[Facet]:
        """Returns the filters with known values; one with a single value says nothing, unless it is chosen.

        numbers: key of a filter -> (value, rows); without them all known values stand there.
        """
        found = []
        for each in filters:
            if each.options is None or each.is_choice:
                continue
            chosen = self.chosen(each.key)
            counted = numbers.get(each.key)
            values: list[tuple[Any, int | None]] = (
                [(value, None) for value in each.options] if counted is None else list(counted)
            )
            known = {value for value, _ in values}
            values[:0] = [(value, None if counted is None else 0) for value in chosen if value not in known]
            if len(values) < 2 and not chosen and counted is not None:
                continue
            most = max((number or 0 for _, number in values), default=0)
            links = [
                Value(
                    each.options.get(value) or value,
                    number,
                    value in chosen,
                    self.turned(each, value),
                    round(100 * (number or 0) / most) if most else 0,
                )
                for value, number in values
            ]
            if len(links) > VALUES_SHOWN:
                links.sort(key=lambda link: not link.is_chosen)
            if links:
                found.append(Facet(each.title, links, each.is_folded and not chosen))
        return found

    def turned(self, of: Filter, value: str) -> str:
        """Returns the address that chooses a value, beside others if the filter has several, or lets it go."""
        others = [each for each in self.chosen(of.key) if each != value]
        if value in self.chosen(of.key):
            return self.address({of.key: others or ""})
        return self.address({of.key: value if of.is_single else [*others, value]})

    def narrowed(
        self, filters: Iterable[Filter], rows: Iterable[tuple[T, Mapping[str, Any]]]
    ) -> tuple[list[T], Numbers]:
        """Returns the rows that pass, and the numbers beside the values of the filters.

        rows: each with its value, or values, in each filter, and the `text` in which words are looked for.
        """
        words = self.text("text").casefold()
        found = [
            (row, SimpleNamespace(number=1, **facts))
            for row, facts in rows
            if words in facts["text"].casefold()
        ]
        known = {
            each.key: tuple(each.options)
            for each in filters
            if each.options is not None and not each.is_choice
        }
        wanted = {key: frozenset(self.chosen(key)) for key in known}
        numbers, _ = counted([facts for _, facts in found], wanted, known)
        return [row for row, facts in found if passes(facts, wanted)], numbers

    def page(self, rows: Any, number: int) -> Page:
        """Returns the page of rows (a list or a query, of so many) that the address names by its number."""
        pages = Paginator(rows, self.size)
        pages.count = number  # it would ask the database
        return pages.get_page(self.request.GET.get("page"))

    def chips(
        self, filters: Iterable[Filter], others: Mapping[tuple[str, ...], str] = {}
    ) -> list[tuple[str, str]]:
        """Returns (what is chosen, the address without it) of each filter that is set.

        others: parameters -> what people read, for what no filter of `filters` holds.
        """
        found = []
        for each in filters:
            for value in () if each.is_choice else self.chosen(each.key):
                said = (each.options or {}).get(value, value)
                found.append((f"{each.title}: {said}", self.turned(each, value)))
        found += [(said, self.address(dict.fromkeys(names, ""))) for names, said in others.items() if said]
        return found

    def page_of(
        self,
        rows: Sequence[Row],
        filters: Sequence[Filter],
        *,
        numbers: Mapping[str, Sequence[tuple[Any, int]]] = {},
        chosen: Mapping[tuple[str, ...], str] = {},
        charts: Sequence[Table] | None = None,
        after: Any = None,
        before: Any = None,
        page: Page | None = None,
        facets: Sequence[Facet] | None = None,
        csv: str = "",
        **more: Any,
    ) -> "Shown":
        """Returns what the page shows of these rows. numbers, chosen: as of `facets` and `chips`.

        charts: histograms of a list of hypotheses; lengths are typed below theirs, or where none has them. after, before:
        where the next and the previous page begin, if there is one. page: of a list whose pages have numbers. facets, csv:
        in place of those that the filters and the address give. more: further fields of Shown.
        """
        at = "after", "before"
        if page is not None:
            at = "page", "page"
            after = page.next_page_number() if page.has_next() else None
            before = page.previous_page_number() if page.has_previous() else None
            more = {"total": (page.paginator.count, False), **more}
        beside = [Histogram(chart, self, LENGTHS if chart.key == "length" else ()) for chart in charts or ()]
        typed = () if charts is None or any(chart.fields for chart in beside) else LENGTHS
        return Shown(
            self,
            rows,
            filters=[*filters, *typed],
            histograms=beside,
            facets=self.facets(filters, numbers) if facets is None else facets,
            chips=self.chips(filters, chosen),
            next=self.address({at[0]: after}) if after else "",
            previous=self.address({at[1]: before}) if before else "",
            csv=csv or self.address({"as": "csv"}),
            **more,
        )


@dataclass(frozen=True)
class Bar:
    """A bar of a small histogram, in a picture of 100 by 30."""

    x: float
    width: float
    height: float
    label: str
    href: str
    is_out: bool

    @property
    def y(self) -> float:
        return 30 - self.height


def bars_of(table: Table) -> list[Bar]:
    """Returns the bars of a histogram (shared/facets.py): links that the page draws without a script."""
    most = max((row["pairs"] for row in table.rows), default=0) or 1
    width = 100 / (len(table.rows) or 1)
    return [
        Bar(
            round(place * width, 2),
            round(width - 1, 2),
            max(1.0, round(30 * row["pairs"] / most, 1)) if row["pairs"] else 0,
            f"{row['class']}: {row['pairs']:,}",
            row["href"],
            row["is_out"],
        )
        for place, row in enumerate(table.rows)
    ]


@dataclass(frozen=True)
class Histogram:
    """A histogram beside the list. table: what is drawn. fields: filters that are typed below it."""

    table: Table
    view: View
    fields: Sequence[Filter] = ()

    @property
    def csv(self) -> str:
        return self.view.address({"chart": self.table.key})

    @property
    def typed(self) -> list[tuple[Filter, str]]:
        return [(each, self.view.text(each.key)) for each in self.fields]

    @property
    def bars(self) -> list[Bar]:
        return bars_of(self.table)

    @property
    def ends(self) -> tuple[str, str]:
        """Returns the names of the first and the last bar."""
        return self.table.rows[0]["class"], self.table.rows[-1]["class"]


@dataclass
class Shown:
    """What templates/lists/list.html shows of a list.

    typed: filters that are typed, with what is typed. total: how many rows pass, and whether there are more. next,
    previous, first, another: addresses; "" for none. foot: rows below them, such as quartiles. ticks: the name of the
    boxes by which rows are chosen; without acts, for a form that the page has itself.
    """

    view: View
    rows: Sequence[Row]
    total: tuple[int, bool] | None = None
    facets: Sequence[Facet] = ()
    histograms: Sequence[Histogram] = ()
    filters: Sequence[Filter] = ()
    chips: Sequence[tuple[str, str]] = ()
    marked: str = ""
    next: str = ""
    previous: str = ""
    first: str = ""
    another: str = ""
    csv: str = ""
    name: str = "pair"
    foot: Sequence[Row] = ()
    ticks: str = ""
    acts: Mapping[str, Any] = field(default_factory=dict)
    language: str = ""
    direction: str = "auto"
    words: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.ticks = self.ticks or ("pair" if self.acts else "")

    @property
    def heads(self) -> list[Head]:
        return list(self.view.heads())

    @property
    def names(self) -> list[str]:
        return [row.name for row in self.rows]

    @property
    def typed(self) -> list[tuple[Filter, str]]:
        below = {each.key for chart in self.histograms for each in chart.fields}
        return [
            (each, self.view.text(each.key))
            for each in self.filters
            if (each.options is None or each.is_choice) and each.key not in below and each.key != "text"
        ]

    @property
    def search(self) -> Filter | None:
        return next((each for each in self.filters if each.key == "text"), None)

    @property
    def hidden(self) -> list[tuple[str, str]]:
        """Returns what the form of the view sends beside its own fields."""
        own = [each.key for each in self.filters if each.options is None or each.is_choice]
        own += [each.key for chart in self.histograms for each in chart.fields]
        return self.view.hidden(*own, self.view.sort, "size", "column")

    @property
    def choices(self) -> list[tuple[Column, bool]]:
        """Returns each column that may be left out, and whether it is shown."""
        shown = self.view.shown
        return [(column, column in shown) for column in self.view.columns if not column.names_row]
