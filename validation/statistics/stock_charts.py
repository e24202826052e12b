"""The chart of the stock of pairs: how many of each genre are not open yet, open, or complete."""

from collections import Counter

from shared.findings import mostly
from shared.tables import Column, Table, with_values
from validation.models import Question
from validation.questions.addresses import address_in
from validation.statistics.cached import current_pair_counts

STATES = {"unopened": "not open yet", "open": "labels are missing", "complete": "all seats are filled"}
COLOURS = {"unopened": "--step-5", "open": "--step-3", "complete": "--step-1"}


def stock_charts(question: Question) -> list[Table]:
    """Returns the chart; none without pairs, or while no worker has counted those of a large corpus."""
    groups, _ = current_pair_counts(question)
    stock: dict[str, Counter[str]] = {}
    for group in groups or ():
        for state in STATES.keys() & set(group.votes):
            stock.setdefault(group.genre, Counter())[state] += group.number
    return with_values([_chart(question, stock)])


def _chart(question: Question, stock: dict[str, Counter[str]]) -> Table | None:
    if not stock:
        return None
    names = dict(question.corpus.genres.values_list("slug", "name"))
    whole = sum(stock.values(), Counter[str]())
    genres = sorted(stock, key=lambda genre: (-stock[genre]["unopened"], -stock[genre].total(), genre))
    title = f"{whole['unopened']:,} of {whole.total():,} pairs are not open yet"
    if where := mostly({names.get(genre, genre): stock[genre]["unopened"] for genre in genres}):
        title += f", {where}"
    return Table(
        "stock",
        "bars",
        f"{title}.",
        [Column("genre", "genre"), *(Column(state, name, "count") for state, name in STATES.items())],
        [
            {
                "genre": names.get(genre, genre),
                **{state: stock[genre][state] for state in STATES},
                "hrefs": {
                    state: address_in("pairs", question, genre=genre, votes=state)
                    for state in STATES
                    if stock[genre][state]
                },
            }
            for genre in genres
        ],
        {"y": "genre", "series": list(STATES), "x_name": "pairs"},
        colours=COLOURS,
    )
