"""Who is good and who is guessing: a few figures an annotator, and flags with their rules.

By SQL, in a handful of queries; the two models of reliability are in reliability_models.py.
"""

import math
from collections import Counter, defaultdict
from dataclasses import dataclass

from django.db import connection
from django.db.models import Count, F, Func, IntegerField, OuterRef, Q, Subquery

from accounts.models import User
from nli.agreement import share
from validation.gold.queries import counted
from validation.models import BatchItem, CalibrationAnswer, Label, Question

# A flag from control items waits for so many: at one percent, few say nothing.
CONTROLS_BEFORE_A_FLAG = 20
FEWEST = 20  # labels, pairs or timed answers that a flag waits for
FAST = 1 / 3  # of the median of all annotators
ONE_LABEL = 0.8
MISSING_LABEL = 0.6  # what the pool must stay under for one label to be remarkable
BY_CHANCE = 1.645  # standard errors: one in twenty guessers does better
BUCKET_MS = 100
RULES = {
    "too fast": f"the median time for a label is under a third of the median of all, over {FEWEST} timed labels or more",
    "one label": f"{ONE_LABEL:.0%} or more of {FEWEST} labels or more are the same one, and of all annotators' labels"
    f" less than {MISSING_LABEL:.0%} are",
    "controls by chance": f"of {CONTROLS_BEFORE_A_FLAG} control and calibration items or more, taken together, no more are"
    " right than guessing would get"
    " (up to 1.645 standard errors above chance, which one guesser in twenty passes)",
    "others by chance": f"over {FEWEST} pairs or more, equals the majority of the others no more often than anybody with"
    " the same label frequencies would by chance (up to 1.645 standard errors above it)",
}
MEANINGS = {
    "labels": "Labels that stand among those that decide gold; an author's own are left out.",
    "equals_others": "Leave-one-out: the share of these labels that equal the majority of the other labels of the pair, over"
    " pairs where more than half of at least two others agree. The author's label is among the others.",
    "chance": "How often somebody would equal the others who gives labels as often as this person, but without looking"
    " at the pair.",
    "controls": "Labels on pairs that an expert has labelled too, and how many equal the expert's.",
    "calibration": "Answers to texts from outside the corpus that an expert has labelled, and how many equal the expert's."
    " They are none of the labels.",
    "shares": "How often each label was given.",
    "median_seconds": "The median active time of a label, to a tenth of a second; skipped pairs are left out.",
    "dawid_skene": "Dawid and Skene's model: the probability that the annotator gives a pair the label that the model"
    " holds for true, over the model's frequencies of labels.",
    "mace": "MACE: the probability that the annotator labels from the pair and does not guess.",
}


@dataclass(frozen=True)
class Annotator:
    """One annotator's figures. Shares from 0 to 1; None where there is nothing to share.

    others: pairs in `equals_others`. chance: what the same label frequencies would give there.
    flags: keys of RULES.
    """

    code: str
    labels: int
    shares: dict[str, float | None]
    others: int
    equals_others: float | None
    chance: float | None
    controls: int
    controls_right: int
    timed: int
    median_seconds: float | None
    flags: tuple[str, ...] = ()
    calibration: int = 0
    calibration_right: int = 0


def annotators(question: Question) -> list[Annotator]:
    """Everybody whose labels count for this question, those with most labels first."""
    given, against = _given(question)
    times, controls, calibration = _times(question), _controls(question), _calibration(question)
    codes = dict(User.objects.filter(pk__in=given.keys() | times.keys()).values_list("pk", "code"))
    everybody: Counter[str] = Counter()
    for counts in given.values():
        everybody.update(counts)
    all_times = sum(times.values(), Counter())
    found = []
    for pk, counts in given.items():
        total, met = sum(counts.values()), controls.get(pk, (0, 0))
        agreed = sum(n for (own, others), n in against[pk].items() if own == others)
        compared = sum(against[pk].values())
        found.append(
            _flagged(
                Annotator(
                    code=codes[pk],
                    labels=total,
                    shares={label: share(counts[label], total) for label in question.labels},
                    others=compared,
                    equals_others=share(agreed, compared),
                    chance=_chance(against[pk]),
                    controls=met[0],
                    controls_right=met[1],
                    timed=sum(times.get(pk, Counter()).values()),
                    median_seconds=_median(times.get(pk, Counter())),
                    calibration=calibration.get(pk, (0, 0))[0],
                    calibration_right=calibration.get(pk, (0, 0))[1],
                ),
                question,
                {label: share(everybody[label], sum(everybody.values())) or 0 for label in question.labels},
                _median(all_times),
            )
        )
    return sorted(found, key=lambda each: (-each.labels, each.code))


def _flagged(
    one: Annotator, question: Question, pool: dict[str, float], pool_median: float | None
) -> Annotator:
    most = max(question.labels, key=lambda label: one.shares[label] or 0)
    met = one.controls + one.calibration
    checks = {
        "too fast": one.timed >= FEWEST and (one.median_seconds or 0) < FAST * (pool_median or 0),
        "one label": one.labels >= FEWEST
        and (one.shares[most] or 0) >= ONE_LABEL
        and pool[most] < MISSING_LABEL,
        "controls by chance": met >= CONTROLS_BEFORE_A_FLAG
        and is_by_chance(one.controls_right + one.calibration_right, met, 1 / len(question.labels)),
        "others by chance": one.others >= FEWEST
        and one.equals_others is not None
        and one.chance is not None
        and is_by_chance(one.equals_others * one.others, one.others, one.chance),
    }
    return Annotator(**{**vars(one), "flags": tuple(name for name, holds in checks.items() if holds)})


def is_by_chance(right: float, tries: int, chance: float) -> bool:
    """Would a guesser who is right with probability `chance` do as well, but for one in twenty?"""
    return right <= tries * chance + BY_CHANCE * math.sqrt(tries * chance * (1 - chance))


def _given(
    question: Question,
) -> tuple[dict[int, Counter[str]], dict[int, Counter[tuple[str, str]]]]:
    """Annotator -> labels; annotator -> (own label, majority of the others') -> pairs."""
    decisive = counted(question)
    votes = {f"votes_{k}": Count("pk", filter=Q(label=label)) for k, label in enumerate(question.labels)}
    pairs = decisive.values("pair_id", "sentence").annotate(**votes)
    own = decisive.exclude(origin=Label.Origin.AUTHOR).filter(annotator__isnull=False)
    own_sql, own_params = own.values("pair_id", "sentence", "annotator_id", "label").query.sql_with_params()
    pairs_sql, pairs_params = pairs.query.sql_with_params()
    columns = ", ".join(votes)
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT own.annotator_id, own.label, {columns}, COUNT(*) FROM ({own_sql}) AS own"
            f" JOIN ({pairs_sql}) AS fallen ON fallen.pair_id = own.pair_id AND fallen.sentence = own.sentence"
            f" GROUP BY own.annotator_id, own.label, {columns}",
            (*own_params, *pairs_params),
        )
        rows = cursor.fetchall()
    given: defaultdict[int, Counter[str]] = defaultdict(Counter)
    against: defaultdict[int, Counter[tuple[str, str]]] = defaultdict(Counter)
    for annotator, label, *fallen, number in rows:
        given[annotator][label] += number
        others = [n - (each == label) for n, each in zip(fallen, question.labels, strict=True)]
        most = max(others)
        if sum(others) >= 2 and 2 * most > sum(others):
            against[annotator][label, question.labels[others.index(most)]] += number
    return dict(given), against


def _chance(table: Counter[tuple[str, str]]) -> float | None:
    """How often two would agree who give labels as often as these, but not on the same pairs."""
    total = sum(table.values())
    own: Counter[str] = Counter()
    others: Counter[str] = Counter()
    for (label, other), number in table.items():
        own[label] += number
        others[other] += number
    return share(sum(own[label] * others[label] for label in own), total * total)


def _controls(question: Question) -> dict[int, tuple[int, int]]:
    """Annotator -> control items met, and how many of them right."""
    expert = Label.objects.standing().filter(
        origin=Label.Origin.EXPERT, question=question, pair=OuterRef("pair"), sentence=OuterRef("sentence")
    )
    rows = (
        Label.objects.cast()
        .filter(question=question, origin=Label.Origin.CAST)
        .annotate(expert=Subquery(expert.values("label")[:1]))
        .filter(expert__isnull=False)
        .order_by()
        .values_list("annotator_id")
        .annotate(met=Count("pk"), right=Count("pk", filter=Q(label=F("expert"))))
    )
    return {annotator: (met, right) for annotator, met, right in rows}


def _calibration(question: Question) -> dict[int, tuple[int, int]]:
    """Annotator -> calibration items answered, and how many of them right."""
    rows = (
        CalibrationAnswer.objects.filter(item__question=question, answer__isnull=False)
        .values_list("annotator_id")
        .annotate(met=Count("pk"), right=Count("pk", filter=Q(answer=F("item__label"))))
    )
    return {annotator: (met, right) for annotator, met, right in rows}


def _times(question: Question) -> dict[int, Counter[int]]:
    """Annotator -> active time in tenths of a second -> labels."""
    tenths = Func(F("active_ms"), template=f"(%(expressions)s / {BUCKET_MS})", output_field=IntegerField())
    rows = (
        BatchItem.objects.filter(assignment__question=question, answer__isnull=False, active_ms__gt=0)
        .order_by()
        .annotate(tenths=tenths)
        .values_list("assignment__annotator_id", "tenths")
        .annotate(Count("pk"))
    )
    times: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for annotator, bucket, number in rows:
        times[annotator][bucket] += number
    return dict(times)


def _median(times: Counter[int]) -> float | None:
    """The median of the buckets, in seconds: the lower of the two in the middle."""
    left = (sum(times.values()) + 1) // 2
    for bucket in sorted(times):
        left -= times[bucket]
        if left <= 0:
            return bucket * BUCKET_MS / 1000
    return None
