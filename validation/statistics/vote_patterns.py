"""Counts pairs by vote pattern, from the votes and decisions that the view of gold labels (validation/gold) gives.

A pattern (nli.agreement.Pattern) is all that a pair's labels contribute to agreement. A profile is the patterns of the
pairs of one premise group, with their numbers: the bootstrap of confidence_intervals.py draws premise groups.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

from django.db.models import Case, CharField, Count, Exists, F, Max, OuterRef, Q, QuerySet, Value, When
from django.db.models.functions import Cast, Coalesce, Concat, TruncDate, TruncWeek

from accounts.models import User
from collection.models import Pair, PairInSet
from collection.models.querysets import PairQuerySet
from collection.premises.partitions import partition_of
from nli.agreement import Pattern, has_all_labels
from nli.gold import ADJUDICATED, PUBLISHED
from shared.among import Among
from shared.numbers import short_day
from validation.gold.queries import (
    deciding_labels,
    missing_answers,
    more_sort_memory,
    waits_for_adjudication,
    with_gold_label,
)
from validation.models import Label, Question
from validation.questions.addresses import address_in
from validation.statistics.confidence_intervals import Profiles


def _week(time: Any) -> Any:
    """Returns the expression of the Monday, as text, of the week of a time; empty without a time."""
    return Coalesce(Cast(TruncDate(TruncWeek(time)), CharField()), Value(""))


# The dimensions that are properties of a pair: name -> an expression on pairs; `pair__` reaches it from labels.
Key = Callable[[str], Any]
PAIR_KEYS: dict[str, Key] = {
    "genre": lambda pair: F(f"{pair}premise__genre__slug"),
    "partition": partition_of,
    "prompt": lambda pair: Coalesce(f"{pair}prompt_version__prompt__slug", Value("")),
    "version": lambda pair: Case(
        When(
            **{f"{pair}prompt_version__isnull": False},
            then=Concat(
                f"{pair}prompt_version__prompt__slug",
                Value(" version "),
                Cast(f"{pair}prompt_version__number", CharField()),
            ),
        ),
        default=Value(""),
        output_field=CharField(),
    ),
    "arm": lambda pair: F(f"{pair}arm"),
    "author": lambda pair: Coalesce(f"{pair}author__code", Value("")),
    "written": lambda pair: Case(
        When(**{f"{pair}source__isnull": True}, then=_week(f"{pair}created_at")),
        default=Value(""),
        output_field=CharField(),
    ),
}
DIMENSIONS = {
    "genre": "the premise's genre",
    "partition": "the published partition, or where a snapshot placed the premise or holds it out",
    "prompt": "the prompt under which the hypothesis was written",
    "version": "the prompt, and its version, under which the hypothesis was written",
    "arm": "the arm of the prompt, where it had several, under which the hypothesis was written",
    "author": "who wrote the hypothesis",
    "written": "the week, by its Monday, in which the hypothesis was written here",
    "validator": "who validated: the pairs that have a label of this person among those that count",
    "week": "the week, by its Monday, in which the pair got its last label",
    "set": "the named sets in which the pair is",
}
TITLES = {"version": "prompt version", "written": "week of writing"}  # of dimensions, where they differ
WEEKS = ("written", "week")  # dimensions whose groups are Mondays, and stand in their order
# With more groups than this, rows have no intervals, so that their pairs need not be counted by premise group.
ROWS_WITH_INTERVALS = 30
PORTION = 5000  # rows that are fetched at a time


class Counted(NamedTuple):
    """Profiles of all pairs, profiles by group, and how many of the pairs wait for a researcher's decision."""

    profiles: Profiles
    groups: dict[str, Profiles]
    undecided: int


def count_patterns(
    pairs: PairQuerySet,
    question: Question,
    by: str = "",
    across: str = "",
    *,
    keys: Collection[int] | None = None,
) -> Counted:
    """Counts these pairs, except withdrawn ones, by profile and by group.

    `by`: a key of DIMENSIONS; without it there are no groups. The name of a group is its key; of a validator, the id.
    `across`: another one; then a group is a pair of keys. `keys`: as in `with_gold_label`.
    """
    whole: defaultdict[str, Counter[Pattern]] = defaultdict(Counter)
    groups: defaultdict[Any, defaultdict[str, Counter[Pattern]]] = defaultdict(lambda: defaultdict(Counter))
    undecided = 0
    with more_sort_memory():
        members = {name: MEMBERS[name](question) for name in (by, across) if name in MEMBERS}
        few = all(len(set().union(*of.values())) <= ROWS_WITH_INTERVALS for of in members.values())
        for pair, sentence, premises, waits, key, other, *rest in _voted(pairs, question, (by, across), keys):
            pattern = _pattern(*rest)
            whole[premises][pattern] += 1
            undecided += waits
            mine, others = (
                members[name].get((pair, sentence if name == "validator" else 0), ())
                if name in members
                else (one,)
                for name, one in ((by, key), (across, other))
            )
            found: Iterable[Any] = product(mine, others) if across else mine
            for each in found:
                groups[each][premises if few else ""][pattern] += 1
    named = {key: _profiles(counts.values()) for key, counts in groups.items()} if by else {}
    return Counted(_profiles(whole.values()), named, undecided)


def of_week(
    question: Question, begin: datetime, by: tuple[str, str]
) -> Iterator[tuple[str, Pattern, Any, list[str]]]:
    """Yields each pair (or sentence) with all labels that got its last one in the week that begins on this Monday.

    As (premise group, pattern, its two groups of the dimensions `by`, the codes of those who validated it).
    """
    labels = deciding_labels(question).filter(cast_at__gte=begin, cast_at__lt=begin + timedelta(days=7))
    pairs = Pair.objects.standing().filter(corpus=question.corpus_id)
    with more_sort_memory():
        keys = list(pairs.filter(pk__in=labels.values("pair")).values_list("pk", flat=True))
        validators = _validators(question, keys)
        ids = {int(each) for of_pair in validators.values() for each in of_pair}
        codes = {str(pk): code for pk, code in User.objects.filter(pk__in=ids).values_list("pk", "code")}
        for pair, sentence, premises, _, week, *groups_and_rest in _voted(
            pairs, question, ("week", *by), keys
        ):
            groups, pattern = groups_and_rest[:2], _pattern(*groups_and_rest[2:])
            is_full = has_all_labels(sum(pattern.votes), question.rule, pattern.missing)
            if is_full and week == begin.date().isoformat():
                yield (
                    premises,
                    pattern,
                    groups,
                    [codes[each] for each in validators.get((pair, sentence), ())],
                )


def among_keys(pairs: PairQuerySet, keys: Collection[int] | None) -> PairQuerySet:
    """Returns those of the pairs that have these keys; all without keys.

    Not for `with_gold_label`, which names the keys by itself: named twice, PostgreSQL expects far too few pairs, and
    compares each with each.
    """
    return pairs if keys is None else pairs.filter(Among("pk", keys))


def in_group(pairs: PairQuerySet, question: Question, by: str, group: str) -> PairQuerySet:
    """Returns the pairs of a group that `count_patterns` would count; `group` is its name, or a validator's code."""
    if by in PAIR_KEYS:
        return pairs.alias(group_name=PAIR_KEYS[by]("")).filter(group_name=group)
    if by == "validator":
        who = User.objects.filter(
            code=group
        ).first()  # known beforehand, so that the index of annotators finds their labels
        theirs = deciding_labels(question).exclude(origin=Label.Origin.AUTHOR).filter(annotator=who)
        return pairs.filter(pk__in=theirs.values("pair")) if who else pairs.none()
    if by == "set":
        return in_sets(pairs, question, [group])
    of_pair = deciding_labels(question).filter(pair=OuterRef("pk"))
    try:
        monday = datetime.combine(date.fromisoformat(group), time(), tzinfo=UTC)
    except ValueError:
        return pairs.none()
    end = monday + timedelta(days=7)
    return pairs.filter(
        Exists(of_pair.filter(cast_at__gte=monday, cast_at__lt=end)),
        ~Exists(of_pair.filter(cast_at__gte=end)),
    )


def in_sets(pairs: PairQuerySet, question: Question, names: Collection[str]) -> PairQuerySet:
    """Returns the pairs that are in any of these named sets."""
    return pairs.filter(pk__in=PairInSet.objects.named(question.corpus_id, names).values("pair"))


def behind(question: Question, by: str, group: str, **query: str) -> str:
    """Returns the address of the list of the pairs that `in_group` returns."""
    if by == "genre" or (by == "author" and group):
        return address_in("pairs", question, **{by: group}, **query)
    return address_in("pairs", question, by=by, group=group, **query)


def behind_both(question: Question, one: tuple[str, str], other: tuple[str, str], **query: str) -> str:
    """Returns the address of the pairs of two groups, each (dimension, group); empty where the list cannot show them."""
    for (by, group), (also, beside) in ((one, other), (other, one)):
        if by == "genre" or (by == "author" and group):
            return behind(question, also, beside, **{by: group}, **query)
    return ""


def name_of_group(by: str, group: str, names: Mapping[str, Mapping[str, str]]) -> str:
    """Returns what pages call a group; empty if it has no name. names: as `validation.questions.lookup.names_in`."""
    if by in WEEKS and group:
        return short_day(date.fromisoformat(group))
    return names.get(by, {}).get(group, group)


def _voted(
    pairs: PairQuerySet, question: Question, by: Iterable[str], keys: Collection[int] | None
) -> Iterator[tuple[Any, ...]]:
    """Yields a row for each pair (or sentence) that has a vote, except of withdrawn pairs.

    A row: pair, sentence (0 for a whole pair), premise group, whether it waits for a decision, the key of each
    dimension, then the arguments of `_pattern`.
    """
    rows = (
        _voted_sentences(among_keys(pairs.standing(), keys), question, by)
        if question.by_sentence
        else _voted_pairs(pairs.standing(), question, by, keys)
    )
    return rows.iterator(PORTION)


def _voted_pairs(
    pairs: PairQuerySet, question: Question, by: Iterable[str], keys: Collection[int] | None
) -> QuerySet[Any, tuple[Any, ...]]:
    """Returns the rows of pairs, as the view of gold labels counts them."""
    counted: Any = with_gold_label(pairs, question, keys)  # mypy does not know the columns of the view
    voted: QuerySet[Any] = counted.filter(votes__gt=0).order_by()
    return voted.values_list(
        "pk",
        Value(0),
        "premise__group",
        Case(When(waits_for_adjudication(question), then=1), default=0),
        *(_key("", each, F("gold__last_cast_at")) for each in by),
        "gold__author_vote",
        "adjudicated_label",
        "standing_label",
        "gold__self_validated",
        missing_answers(question),
        *_votes(question),
    )


def _voted_sentences(
    pairs: PairQuerySet, question: Question, by: Iterable[str]
) -> QuerySet[Any, tuple[Any, ...]]:
    """Returns the rows of sentences.

    The columns for an adjudicated label and an author's label are empty: a sentence has neither.
    """
    labels: Any = deciding_labels(question).filter(pair__in=pairs).values("pair_id", "sentence")
    counted = labels.annotate(
        by_author=Max(Case(When(~Q(origin=Label.Origin.AUTHOR), annotator=F("author"), then=1), default=0)),
        **{name: Count("pk", filter=Q(label=label)) for name, label in _votes(question).items()},
    )
    nothing = Value(None, output_field=CharField())
    return counted.values_list(
        "pair_id",
        "sentence",
        "pair__premise__group",
        Value(0),
        *(_key("pair__", each, Max("cast_at")) for each in by),
        nothing,
        nothing,
        nothing,
        "by_author",
        Value(0),
        *_votes(question),
    )


def _votes(question: Question) -> dict[str, str]:
    """Returns the columns of vote counts, with the label that each counts."""
    return {f"votes_{k}": label for k, label in enumerate(question.labels)}


def _key(pair: str, by: str, last_cast_at: Any) -> Any:
    """Returns the expression of a row's group. `pair`: how the row names its pair, as in PAIR_KEYS."""
    if by == "week":
        return _week(last_cast_at)
    return PAIR_KEYS[by](pair) if by in PAIR_KEYS else Value("")


def _validators(question: Question, keys: Collection[int] | None = None) -> dict[tuple[int, int], set[str]]:
    """Returns who validated each pair or sentence: (pair, sentence) -> ids of annotators. keys: of the pairs, if few."""
    given = deciding_labels(question).exclude(origin=Label.Origin.AUTHOR).filter(annotator__isnull=False)
    if keys is not None:
        given = given.filter(Among("pair_id", keys))
    found: defaultdict[tuple[int, int], set[str]] = defaultdict(set)
    for pair, sentence, annotator in given.values_list("pair_id", "sentence", "annotator_id").iterator(
        PORTION
    ):
        found[pair, sentence].add(str(annotator))
    return found


def _sets(question: Question) -> dict[tuple[int, int], set[str]]:
    """Returns in which named sets each pair is, if in any: (pair, 0) -> names."""
    found: defaultdict[tuple[int, int], set[str]] = defaultdict(set)
    places = PairInSet.objects.filter(pair_set__corpus=question.corpus_id).order_by()
    for pair, name in places.values_list("pair_id", "pair_set__name").iterator(PORTION):
        found[pair, 0].add(name)
    return found


# Dimensions in which a pair may be in several groups, or in none.
MEMBERS = {"validator": _validators, "set": _sets}


@lru_cache(maxsize=10_000)
def _pattern(
    author: str | None,
    adjudicated: str | None,
    published: str | None,
    by_author: int,
    missing: int,
    *votes: int,
) -> Pattern:
    by = ADJUDICATED if adjudicated else PUBLISHED if published else ""
    return Pattern(author, votes, adjudicated or published, by, bool(by_author), missing)


def _profiles(counts: Iterable[Counter[Pattern]]) -> Profiles:
    """Counts premise groups by their patterns: profile -> number of premise groups."""
    counts = list(counts)
    # In a fixed order, since the database returns pairs in any order.
    ordered = sorted(set().union(*counts), key=_order)
    place = {pattern: number for number, pattern in enumerate(ordered)}
    return Counter(
        tuple(sorted(each.items(), key=lambda entry: place[entry[0]]))
        if len(each) > 1
        else tuple(each.items())
        for each in counts
    )


def _order(pattern: Pattern) -> tuple[Any, ...]:
    return (pattern.author or "", pattern.decided or "", *pattern[3:], pattern.votes)


def patterns_of(profiles: Profiles) -> dict[Pattern, int]:
    """Sums profiles up: pattern -> number of pairs."""
    patterns: Counter[Pattern] = Counter()
    for profile, premises in profiles.items():
        for pattern, pairs in profile:
            patterns[pattern] += pairs * premises
    return dict(patterns)
