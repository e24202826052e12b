"""Measures the agreement of two people on the phenomena of the pairs that both have marked."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import combinations

from modeling.models import Mark, Marking
from nli.agreement import cohen_kappa

YES, NO = "yes", "no"


@dataclass(frozen=True)
class Agreement:
    """Agreement on the pairs that both marked: how many have a phenomenon by each and both, equal answers, kappa.

    `kappa` (Cohen's) is None if both always gave the same answer.
    """

    phenomenon: str
    one: int
    other: int
    both: int
    same: float
    kappa: float | None


@dataclass(frozen=True)
class Progress:
    """The marks of a sample: pairs by person, and the agreement of the two who have the most pairs in common.

    by_premises: phenomenon, marks that name the premises which show it, those that name one, and premises a mark together
    (MPE, section 5.3: an item has a phenomenon if at least one premise shows it).
    """

    pairs: int
    people: list[tuple[str, int]]
    two: tuple[str, str] | None
    common: int
    agreement: list[Agreement]
    counts: list[tuple[str, int]]
    by_premises: list[tuple[str, int, int, int]]


def progress_of(marking: Marking) -> Progress:
    """Returns the progress of a marking, by three queries."""
    marks: dict[str, dict[int, set[str]]] = defaultdict(dict)
    rows = Mark.objects.filter(pair__marking=marking).order_by("by__code", "pair")
    named: dict[str, list[int]] = defaultdict(list)
    for who, pair, phenomena, premises in rows.values_list("by__code", "pair", "phenomena", "premises"):
        marks[who][pair] = set(phenomena)
        for name, numbers in premises.items():
            named[name].append(len(numbers))
    couples = (
        (len(marks[one].keys() & marks[other].keys()), one, other) for one, other in combinations(marks, 2)
    )
    common, *two = max(couples, key=lambda couple: couple[0], default=(0, "", ""))
    seen = Counter(name for by_pair in marks.values() for names in by_pair.values() for name in names)
    return Progress(
        pairs=marking.pairs.count(),
        people=[(who, len(by_pair)) for who, by_pair in marks.items()],
        two=(two[0], two[1]) if common else None,
        common=common,
        agreement=_agreement(marking.phenomena, marks[two[0]], marks[two[1]]) if common else [],
        counts=[(name, seen[name]) for name in marking.phenomena],
        by_premises=[
            (name, len(named[name]), named[name].count(1), sum(named[name]))
            for name in marking.phenomena
            if name in named
        ],
    )


def _agreement(phenomena: list[str], one: dict[int, set[str]], other: dict[int, set[str]]) -> list[Agreement]:
    pairs = one.keys() & other.keys()
    found = []
    for name in phenomena:
        table = Counter(
            (YES if name in one[pair] else NO, YES if name in other[pair] else NO) for pair in pairs
        )
        found.append(
            Agreement(
                name,
                table[YES, YES] + table[YES, NO],
                table[YES, YES] + table[NO, YES],
                table[YES, YES],
                (table[YES, YES] + table[NO, NO]) / len(pairs),
                cohen_kappa(table),
            )
        )
    return found
