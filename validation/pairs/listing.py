"""The list of pairs: filtered pages for researchers, and rows for REST."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import orjson
from django.db.models import Case, Count, Exists, F, FloatField, OrderBy, OuterRef, Q, QuerySet, When
from django.db.models.functions import Cast, Length

from collection.models import Pair
from collection.models.premises import sentences_of
from collection.models.querysets import PairQuerySet
from nli.gold import ADJUDICATED
from nli.labels import NO_GOLD
from shared.among import Among
from shared.csv_files import csv_text
from shared.facets import Address, Wish, classes_between, counted, histograms, several, share_chart
from shared.facets import Numbers as Values
from shared.pages_by_key import Order, counted_up_to, portions_by_key
from shared.tables import Table, with_values
from validation.gold.queries import agrees, how_votes_stand, more_sort_memory, with_gold_label
from validation.models import Adjudication, BatchItem, Label, Question
from validation.pairs.random_order import in_drawn_order
from validation.statistics.cached import current_pair_counts
from validation.statistics.pair_counts import Group, pair_counts
from validation.statistics.vote_patterns import in_group, in_sets

# `modeling` adds these when it starts: how sure a run is about each pair.
# (run, corpus) -> a modeling.results.doubts.Doubts; None if the run predicted no pair of the corpus, or elsewhere.
DOUBTS: list[Callable[[int, int], Any]] = []
# corpus -> (number, name) of the newest runs that predicted pairs of it.
RUNS: list[Callable[[int], list[tuple[int, str]]]] = []

LINES_AT_ONCE = 1000  # pairs
# A page counts gold labels for at most so many pairs. So a filter that few pairs pass costs more clicks, but never a
# page that takes minutes.
FIRST_EXAMINED, MOST_EXAMINED = 1_000, 10_000
MOST_WITHDRAWN = (
    500  # pairs of a run's ranking that a page reads beyond its own, as some are withdrawn by now
)
MOST_COUNTED = 100_000  # a total goes no further
MOST_IN_FACETS = (
    3_000  # pairs that are counted during the request, if filters pass them of which there are no counts
)
LIMITS = ("shortest", "longest")
FACETS = ("gold", "votes", "genre", "author_label")  # filters that show the number of pairs beside each value
# Filters whose pairs are counted in validation/statistics/pair_counts.py.
COUNTED = (*FACETS, "source", "agreement")
SEVERAL = (*FACETS, "source", "set")  # filters that accept several values
UNOPENED = "unopened"
VOTES = {
    UNOPENED: "not opened yet",
    "open": "labels are missing",
    "complete": "all seats are filled",
    "unanimous": "all are the same",
    "split": "not all are the same",
    "disputed": "all seats are filled, and the votes give no gold label",
}


@dataclass(frozen=True)
class Wanted:
    """The filters of the list; an empty filter accepts all pairs, one with several values those with any of them.

    genre: slugs. author: a code. gold: gold labels, or "-" for none. source: of the gold label.
    votes: keys of VOTES. skipped: only pairs that somebody skipped. text: part of premise or hypothesis. premise: the id
    of a premise. shortest, longest: characters of the hypothesis; 0: no limit. by, group: a dimension of agreement and
    one of its groups. agreement: a class of `agrees`; 0: any. set: names of sets.
    found: the keys of all pairs that have `text`, if they were looked for before.
    """

    genre: str | Collection[str] = ()
    author: str = ""
    author_label: str | Collection[str] = ()
    gold: str | Collection[str] = ()
    source: str | Collection[str] = ()
    votes: str | Collection[str] = ()
    skipped: bool = False
    text: str = ""
    premise: str = ""
    shortest: int = 0
    longest: int = 0
    by: str = ""
    group: str = ""
    agreement: int = 0
    set: str | Collection[str] = ()
    found: Collection[int] | None = None

    def __post_init__(self) -> None:
        for name in SEVERAL:
            object.__setattr__(self, name, several(getattr(self, name)))

    @property
    def needs_votes(self) -> bool:
        """Returns whether the votes of pairs must be read to decide which pass."""
        return bool(self.gold or self.source or self.votes or self.agreement)

    def without(self, *names: str) -> "Wanted":
        """Returns the filters without these."""
        nothing = Wanted()
        return replace(self, **{name: getattr(nothing, name) for name in names})

    def searched(self, question: Question) -> "Wanted":
        """Returns the filters with the pairs that have `text`, so that a page reads all texts once; not if they are many."""
        if not self.text:
            return self
        rows = by_columns(question, Wanted(text=self.text)).order_by()
        found = list(rows.values_list("pk", flat=True)[: MOST_COUNTED + 1])
        return self if len(found) > MOST_COUNTED else replace(self, found=found)


FIRST_ADDED = Order("pk")
SORTED = {"genre": "premise__genre__name", "author": "author__code"}
# Order of the list -> what sorts it; equals follow their keys. Each has an index.
ORDERS: dict[str, Order] = {
    "": FIRST_ADDED,
    "newest": Order("-pk"),
    "id": Order("public_id"),
    "-id": Order("-public_id"),
    "characters": Order("characters", Length("hypothesis")),
    "-characters": Order("-characters", Length("hypothesis")),
    **{f"{way}{name}": Order.among(f"{way}{name}", SORTED) for name in SORTED for way in ("", "-")},
}
# Orders for which votes are counted -> an expression on `with_gold_label`; up to MOST_EXAMINED pairs are sorted so.
SORTED_BY_VOTES: dict[str, Any] = {
    "gold": F("gold_label"),
    "agreement": Case(When(votes__gt=0, then=Cast("most", FloatField()) / F("votes"))),
}


def pairs_to_read(
    question: Question, wanted: Wanted, *, after: int = 0, order: str = "", size: int = 50
) -> tuple[list[Any], int | None]:
    """Returns (pairs of a page with gold labels, in one of ORDERS; the key of the pair after which the next page begins).

    It leaves out withdrawn pairs. The key is None on the last page. A page examines at most ten thousand pairs, so it
    may hold fewer than `size`, even none, and still not be the last.
    """
    with more_sort_memory():
        keys = by_columns(question, wanted)
        return scan(question, keys, _by_votes(question, wanted), after, size, ORDERS[order])


def in_order_of_votes(
    question: Question, wanted: Wanted, order: str, after: int, size: int
) -> tuple[list[Any], int | None] | None:
    """Returns (pairs of a page in an order of SORTED_BY_VOTES, the place at which the next begins or None).

    Pairs without a value are last. after: the place at which to begin. None if too many pairs would have to be sorted.
    """
    with more_sort_memory():
        keys = list(by_columns(question, wanted).values_list("pk", flat=True)[: MOST_EXAMINED + 1])
        if len(keys) > MOST_EXAMINED:
            return None
        rows = with_gold_label(Pair.objects.all(), question, keys).filter(_by_votes(question, wanted))
        value = OrderBy(
            SORTED_BY_VOTES[order.removeprefix("-")], descending=order.startswith("-"), nulls_last=True
        )
        found = list(rows.order_by(value, "pk").values_list("pk", flat=True)[after : after + size + 1])
        return _shown(question, found[:size]), after + size if len(found) > size else None


def in_ranked_order(
    question: Question, wanted: Wanted, ids: Sequence[str], after: int, size: int
) -> tuple[list[Any], int | None]:
    """Returns (pairs of a page that pass, in the order of these ids; the place at which the next page begins or None).

    after: the place at which to begin.
    """
    end = after + (MOST_EXAMINED if wanted != Wanted() else size + MOST_WITHDRAWN)
    places = {name: place for place, name in enumerate(ids[after:end], after)}
    with more_sort_memory():
        keys = by_columns(question, wanted).filter(Among("public_id", list(places)))
        place_of = {key: places[name] for key, name in keys.values_list("pk", "public_id")}
        passing = _passing(question, _by_votes(question, wanted), sorted(place_of, key=place_of.__getitem__))
        found = _shown(question, passing[:size])
    if len(passing) > size:
        return found, place_of[passing[size]]
    return found, end if end < len(ids) else None


def passing_among(question: Question, wanted: Wanted, ids: Sequence[str]) -> frozenset[str] | None:
    """Returns those of these ids whose pairs pass; None if they are too many to look at."""
    condition = _by_votes(question, wanted)
    if len(ids) > (MOST_EXAMINED if condition else MOST_COUNTED):
        return None
    with more_sort_memory():
        keys = by_columns(question, wanted).order_by().filter(Among("public_id", ids))
        of_key = dict(keys.values_list("pk", "public_id"))
        return frozenset(of_key[key] for key in _passing(question, condition, list(of_key)))


def sample_of(question: Question, wanted: Wanted, seed: int, size: int = 50) -> list[Any]:
    """Returns up to `size` random pairs that pass, with gold labels. The same seed draws the same pairs."""
    condition = _by_votes(question, wanted)
    with more_sort_memory():
        drawn = in_drawn_order(by_columns(question, wanted), str(seed)).values_list("pk", flat=True)
        keys = list(drawn[: MOST_EXAMINED if condition else size])
        return _shown(question, _passing(question, condition, keys)[:size])


def votes_on(question: Question, pairs: Collection[Pair]) -> dict[int, Counter[str]]:
    """Returns pair id -> label -> how many labels in its seats say so, in one query."""
    rows = (
        Label.objects.filter(question=question, pair__in=pairs).in_seats().order_by().values("pair", "label")
    )
    found: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for row in rows.annotate(number=Count("pk")):
        found[row["pair"]][row["label"]] = row["number"]
    return found


@dataclass(frozen=True)
class Numbers:
    """Numbers beside the list. total: pairs that pass, and whether there are more; None if they were not counted.

    values: of each filter, as `counted` returns them. made_at: when a worker counted; None: just now.
    is_awaited: whether a worker has not counted yet.
    """

    total: tuple[int, bool] | None
    values: Values = field(default_factory=dict)
    made_at: datetime | None = None
    is_awaited: bool = False


def numbers_of(question: Question, wanted: Wanted, ids: Sequence[str] | None = None) -> Numbers:
    """Returns the numbers of the pairs that pass, or of those with these ids.

    Under filters that are not in COUNTED it counts the pairs that pass these, if they are few. Of all pairs of a large
    corpus it returns what a worker counted last.
    """
    lengths = classes_between(wanted.shortest, wanted.longest)
    others, row = wanted.without(*COUNTED, *(LIMITS if lengths is not None else ())), None
    groups: list[Group] | None = None
    if ids is not None and len(ids) > MOST_COUNTED:
        return Numbers(None)
    named = [] if ids is None else [Among("public_id", ids)]
    if others == Wanted() and not named:
        groups, row = current_pair_counts(question)
    else:
        rows = by_columns(question, others).filter(*named)
        keys = list(rows.order_by().values_list("pk", flat=True)[: MOST_IN_FACETS + 1])
        groups = pair_counts(question, keys) if len(keys) <= MOST_IN_FACETS else None
    if groups is None:
        rows = by_columns(question, wanted).filter(*named)
        return Numbers(
            None if wanted.needs_votes else counted_up_to(rows, MOST_COUNTED), is_awaited=row is not None
        )
    chosen: dict[str, Wish] = {name: frozenset(getattr(wanted, name)) for name in (*FACETS, "source")}
    chosen["length"] = lengths or frozenset()
    chosen["agreement"] = frozenset({wanted.agreement} if wanted.agreement else ())
    values, number = counted(groups, chosen, {"votes": tuple(VOTES)})
    return Numbers((number, False), values, row.made_at if row else None)


def charts_of(
    numbers: Numbers, wanted: Wanted, tenths: Sequence[int], doubt: int, address: Address
) -> list[Table]:
    """Returns the histograms by which the list is filtered: lengths, agreement, and doubts of a run.

    tenths: as `tenths_of` returns them. doubt: the upper end of the chosen tenth, in percent; 0: none.
    """
    finding = f"The run doubts {sum(tenths[5:]):,} of {sum(tenths):,} gold labels by more than a half."
    return with_values(
        [
            *histograms(numbers.values, wanted.shortest, wanted.longest, wanted.agreement, address),
            share_chart("doubt", finding, "doubt", tenths, doubt, address),
        ]
    )


def tenths_of(question: Question, wanted: Wanted, doubts: Any) -> list[int]:
    """Returns how many pairs that pass are in each tenth of the doubts; none if they are too many to look at.

    doubts: a modeling.results.doubts.Doubts, or None.
    """
    passing = passing_among(question, wanted, doubts.ids) if doubts else None
    return [] if passing is None else doubts.by_tenth(passing)


def keys_of(question: Question, wanted: Wanted) -> Iterator[list[int]]:
    """Yields the keys of all pairs that pass, portion by portion."""
    condition = _by_votes(question, wanted)
    for rows in portions_by_key(by_columns(question, wanted), LINES_AT_ONCE):
        yield _passing(question, condition, [key for (key,) in rows])


def names_of(question: Question, wanted: Wanted, ids: Collection[str] | None = None) -> Iterator[str]:
    """Yields the ids of all pairs that pass, or of those of these that do."""
    among = None if ids is None else frozenset(ids)
    for keys in keys_of(question, wanted):
        found = dict(Pair.objects.filter(Among("pk", keys)).values_list("pk", "public_id"))
        yield from (found[key] for key in keys if among is None or found[key] in among)


def csv_of(
    question: Question,
    wanted: Wanted,
    doubts: Mapping[str, float] | None = None,
    ids: Collection[str] | None = None,
) -> Iterator[str]:
    """Yields all pairs that pass as CSV, portion by portion, each with its labels in the order of their seats.

    doubts: id -> the doubt of a run, for one column more. ids: of the pairs that may pass.
    """
    yield csv_text([[*ROW, "labels", *(["doubt"] if doubts is not None else [])]])
    for keys in keys_of(question, wanted):
        yield csv_text(
            [
                *(_cell(row[name]) for name in ROW),
                " ".join(label["label"] for label in row["labels"]),
                *([doubts.get(row["id"], "")] if doubts is not None else []),
            ]
            for row in rows_of(question, keys)
            if ids is None or row["id"] in ids
        )


def _cell(value: Any) -> Any:
    return "\n".join(value) if isinstance(value, list) else value


def scan(
    question: Question,
    keys: QuerySet[Pair],
    condition: Q,
    after: int,
    number: int,
    order: Order = FIRST_ADDED,
) -> tuple[list[Any], int | None]:
    """Returns (up to `number` pairs beyond the pair `after` that fulfil the condition; the key of the next page or None).

    `after` 0 begins with the first. It is four queries at most, or two where nothing is asked of the votes, however many
    pairs it examines.
    """
    most = MOST_EXAMINED if condition else number + 1
    examined = list(order.rows(keys, after).values_list("pk", flat=True)[:most])
    # Mostly the first of them are enough.
    passing = _passing(question, condition, examined[:FIRST_EXAMINED])
    if len(passing) <= number:
        passing += _passing(question, condition, examined[FIRST_EXAMINED:])
    found = _shown(question, passing[:number])
    if len(passing) > number:
        return found, passing[number - 1]
    return found, examined[-1] if len(examined) == most else None


def _passing(question: Question, condition: Q, keys: Sequence[int]) -> list[int]:
    """Returns the keys of the pairs that fulfil a condition on `with_gold_label`, in the order of `keys`."""
    if not condition or not keys:
        return list(keys)
    rows = with_gold_label(Pair.objects.all(), question, keys).filter(condition)
    passing = set(rows.order_by().values_list("pk", flat=True))
    return [key for key in keys if key in passing]


def _shown(question: Question, keys: Sequence[int]) -> list[Any]:
    """Returns these pairs in this order, with gold labels and what a row shows."""
    rows = with_gold_label(Pair.objects.all(), question, keys).select_related("premise__genre", "author")
    of_key = {pair.pk: pair for pair in rows}
    return [of_key[key] for key in keys if key in of_key]


def by_columns(question: Question, wanted: Wanted) -> PairQuerySet:
    """Returns the pairs that pass the filters for which no votes need be counted."""
    pairs = Pair.objects.standing().filter(corpus=question.corpus_id).order_by("pk")
    columns: dict[str, Any] = {
        "premise__genre__slug__in": wanted.genre,
        "author__code": wanted.author,
        "author_label__in": wanted.author_label,
        "premise__public_id": wanted.premise,
    }
    pairs = pairs.filter(**{name: value for name, value in columns.items() if value})
    if wanted.found is not None:
        pairs = pairs.filter(Among("pk", wanted.found))
    elif wanted.text:
        pairs = pairs.with_words(wanted.text, question.corpus_id)
    if wanted.shortest or wanted.longest:
        lengths = {"gte": wanted.shortest, "lte": wanted.longest}
        limits = {f"characters__{side}": number for side, number in lengths.items() if number}
        pairs = pairs.annotate(characters=Length("hypothesis")).filter(**limits)
    if wanted.set:
        pairs = in_sets(pairs, question, wanted.set)
    if wanted.by:
        pairs = in_group(pairs, question, wanted.by, wanted.group)
    if wanted.votes == (UNOPENED,):
        pairs = pairs.filter(~is_opened(question))
    elif wanted.votes and UNOPENED not in wanted.votes:
        pairs = pairs.filter(is_opened(question))
    if wanted.source == (ADJUDICATED,):
        pairs = pairs.filter(
            Exists(Adjudication.objects.standing().filter(question=question, pair=OuterRef("pk")))
        )
    if wanted.skipped:
        skips = BatchItem.objects.filter(
            seat__pair=OuterRef("pk"), seat__question=question, skip_reason__isnull=False
        )
        pairs = pairs.filter(Exists(skips))
    return pairs


def is_opened(question: Question) -> Exists:
    return Exists(Label.objects.seats().filter(question=question, pair=OuterRef("pk")))


def _by_votes(question: Question, wanted: Wanted) -> Q:
    """Returns the other filters, as a condition on `with_gold_label`; an empty one if nothing is asked of the votes."""
    standing = [state for name, state in how_votes_stand().items() if name in wanted.votes]
    condition = Q.create([*standing], Q.OR)
    if standing and UNOPENED in wanted.votes:
        condition = condition & Q(is_opened(question)) | ~Q(is_opened(question))
    if wanted.agreement:
        condition &= agrees(wanted.agreement)
    if wanted.gold:
        has_label = Q(gold_label__in=[label for label in wanted.gold if label != NO_GOLD])
        condition &= has_label | Q(gold_label=None) if NO_GOLD in wanted.gold else has_label
    return condition & Q(gold_source__in=wanted.source) if wanted.source else condition


# The columns of a row; pairs/api.py describes them. Premises are loaded as text and number of sentences.
ROW = {
    "id": "public_id",
    "genre": "premise__genre__slug",
    "premise_id": "premise__public_id",
    "premise": "premise__text",
    **{name: name for name in ("hypothesis", "author_label", "published_label", "published_partition")},
    "author": "author__code",
    **{name: name for name in ("gold_label", "gold_source", "gold_note")},
}
LABEL = {"position": "position", "label": "label", "origin": "origin", "annotator": "annotator__code"}


def rows_of(question: Question, keys: Collection[int]) -> list[dict[str, Any]]:
    """Returns these pairs with gold label and labels, ordered by key, as REST shows them.

    It makes two queries, and no model objects, since these would take most of the time.
    """
    given: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    labels = Label.objects.filter(Among("pair_id", keys), question=question)
    counted = labels.counted().order_by("pair", "position")
    for pair, *label in counted.values_list("pair", *LABEL.values()):
        given[pair].append(dict(zip(LABEL, label, strict=True)))
    pairs = with_gold_label(Pair.objects.all(), question, keys).order_by("pk")
    rows = []
    for pair, sentences, *values in pairs.values_list("pk", "premise__sentence_count", *ROW.values()):
        row = dict(zip(ROW, values, strict=True))
        row["premise"] = sentences_of(row["premise"], sentences)
        row["labels"] = given[pair]
        rows.append(row)
    return rows


def lines_of(question: Question, pairs: QuerySet[Pair]) -> Iterator[bytes]:
    """Yields the rows of these pairs as JSON Lines, portion by portion; each portion is read when it is needed.

    Memory holds one portion, and no query or transaction stays open while the client reads.
    """
    for keys in portions_by_key(pairs, LINES_AT_ONCE):
        rows = rows_of(question, [key for (key,) in keys])
        yield b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)


def runs_for(corpus_id: int) -> list[tuple[int, str]]:
    return [run for runs in RUNS for run in runs(corpus_id)]


def doubts_of(run: int, corpus_id: int) -> Any:
    return next((doubts(run, corpus_id) for doubts in DOUBTS), None)
