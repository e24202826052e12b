"""The figure of the stock of pairs: how many of each genre are not open yet, open, or complete."""

from collections import Counter
from collections.abc import Iterator

from shared.figures import Figure, picture
from shared.findings import mostly
from shared.tables import Column, Row, Table
from validation.questions.addresses import address_in
from validation.statistics.cached import Kind
from validation.statistics.scope import QUESTION, Counted

STATES = {"unopened": "not open yet", "open": "labels are missing", "complete": "all seats are filled"}
COLOURS = {"unopened": "--step-5", "open": "--step-3", "complete": "--step-1"}


def _rows(data: Counted) -> Iterator[Row]:
    stock: dict[str, Counter[str]] = {}
    for group in data.found:
        for state in STATES.keys() & set(group.votes):
            stock.setdefault(group.genre, Counter())[state] += group.number
    for genre in sorted(stock, key=lambda genre: (-stock[genre]["unopened"], -stock[genre].total(), genre)):
        there = [state for state in STATES if stock[genre][state]]
        hrefs = {state: address_in("pairs", data.question, genre=genre, votes=state) for state in there}
        counts = {state: stock[genre][state] for state in STATES}
        yield {"genre": data.genres.get(genre, genre), **counts, "hrefs": hrefs}


def _found(table: Table) -> str:
    unopened = {row["genre"]: row["unopened"] for row in table.rows}
    pairs = sum(row[state] for row in table.rows for state in STATES)
    where = mostly(unopened)
    return f"{sum(unopened.values()):,} of {pairs:,} pairs are not open yet{where and f', {where}'}."


STOCK = Figure(
    "labelling-stock",
    "Pairs by genre and state",
    QUESTION,
    _rows,
    [Column("genre"), *(Column(state, name, "count") for state, name in STATES.items())],
    picture("bars", y="genre", series=list(STATES), x_name="pairs", colours=COLOURS),
    _found,
    source=Kind.PAIRS,
    only_with_rows=True,
)
