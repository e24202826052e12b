"""Statistics of each annotator's labels, and flags for those who may be guessing.

A few queries compute them. The two models of reliability are in reliability_models.py.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Count, F, Func, IntegerField, Q
from django.db.models.functions import TruncWeek

from accounts.models import User
from nli.agreement import share
from nli.gold import gold_of_the_others
from validation.gold.queries import deciding_labels
from validation.models import BatchItem, CalibrationAnswer, Label, Question

# The flag for control items needs this many answers: fewer say little about an annotator.
CONTROLS_BEFORE_A_FLAG = 20
FEWEST = 20  # labels, pairs or timed answers that each of the other flags needs
FAST = 1 / 3  # of the median time of all annotators
ONE_LABEL = 0.8
MISSING_LABEL = 0.6  # the share of this label in the pool must be lower for the flag "one label"
BY_CHANCE = 1.645  # standard errors: one guesser in twenty does better
BUCKET_MS = 100
RULES = {
    "too fast": f"the median time per label is under a third of the median of all annotators, over {FEWEST} timed labels or"
    " more",
    "one label": f"{ONE_LABEL:.0%} or more of at least {FEWEST} labels are the same label, which makes up less"
    f" than {MISSING_LABEL:.0%} of the labels of all annotators",
    "controls by chance": f"of at least {CONTROLS_BEFORE_A_FLAG} control and calibration items together, no more are"
    " right than guessing would get (up to 1.645 standard errors above chance; one guesser in twenty does better)",
    "others by chance": f"over at least {FEWEST} pairs, the labels equal the gold label of the others no more often"
    " than random labels with the same frequencies would (up to 1.645 standard errors above chance)",
}
MEANINGS = {
    "labels": "Labels in seats that are not withdrawn, without those that authors gave as authors.",
    "equals_others": "Leave-one-out: the share of these labels that equal the gold label of the pair's other labels, over"
    " pairs whose others, at least two, have one: more than half of them agree, all under the rule unanimous. A label of a"
    " scale equals the gold label that it stands for. The author's label is one of the others.",
    "chance": "The share that somebody would reach by guessing with the label frequencies of this annotator.",
    "controls": "Labels on pairs that an expert also labelled, and how many of them equal the expert's label.",
    "calibration": "Answers to calibration items, which are not part of the corpus, and how many of them equal the"
    " expert's label. They do not count as labels.",
    "shares": "The share of each label among this annotator's labels.",
    "median_seconds": "The median active time per label, to a tenth of a second, without skipped pairs.",
    "weeks": "By the week of the label (its Monday), where it is known: labels, pairs that the agreement compares, how many"
    " of them agree.",
    "dawid_skene": "Dawid and Skene's model: the probability that the annotator gives the label that the model takes for"
    " true, averaged over the model's label frequencies.",
    "mace": "MACE: the probability that the annotator reads the pair and does not guess.",
}


@dataclass(frozen=True)
class Annotator:
    """The statistics of one annotator. Shares are from 0 to 1, or None without labels to divide by.

    others: number of pairs that `equals_others` counts. chance: the share by guessing. flags: keys of RULES.
    weeks: (Monday, labels, pairs compared, pairs that agree), in order.
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
    weeks: Sequence[Sequence[Any]] = ()


def annotators(question: Question) -> list[Annotator]:
    """Returns the statistics of everybody whose labels count for this question, most labels first."""
    given, against, weeks = _given(question)
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
                    weeks=tuple((week, *counts) for week, counts in sorted(weeks[pk].items())),
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
    """Returns whether the result is at most the 95% quantile of guessing with probability `chance`."""
    return right <= tries * chance + BY_CHANCE * math.sqrt(tries * chance * (1 - chance))


def _given(
    question: Question,
) -> tuple[dict[int, Counter[str]], dict[int, Counter[tuple[str, str]]], dict[int, dict[str, list[int]]]]:
    """Returns annotator -> label -> number; annotator -> (own label as a gold label, gold label of the others) -> number of
    pairs; annotator -> week -> [labels, pairs compared, pairs that agree]."""
    rule = question.rule
    decisive = deciding_labels(question)
    votes = {f"votes_{k}": Count("pk", filter=Q(label=label)) for k, label in enumerate(question.labels)}
    pairs = decisive.values("pair_id", "sentence").annotate(**votes)
    own = decisive.exclude(origin=Label.Origin.AUTHOR).filter(annotator__isnull=False)
    own_sql, own_params = own.values(
        "pair_id", "sentence", "annotator_id", "label", week=TruncWeek("cast_at")
    ).query.sql_with_params()
    pairs_sql, pairs_params = pairs.query.sql_with_params()
    columns = ", ".join(votes)
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT own.annotator_id, own.label, own.week, {columns}, COUNT(*) FROM ({own_sql}) AS own"
            f" JOIN ({pairs_sql}) AS fallen ON fallen.pair_id = own.pair_id AND fallen.sentence = own.sentence"
            f" GROUP BY own.annotator_id, own.label, own.week, {columns}",
            (*own_params, *pairs_params),
        )
        rows = cursor.fetchall()
    given: defaultdict[int, Counter[str]] = defaultdict(Counter)
    against: defaultdict[int, Counter[tuple[str, str]]] = defaultdict(Counter)
    weeks: defaultdict[int, dict[str, list[int]]] = defaultdict(dict)
    for annotator, label, week, *fallen, number in rows:
        given[annotator][label] += number
        # SQLite gives a text, PostgreSQL a time; a label of a published file may have neither.
        of_week = weeks[annotator].setdefault(str(week)[:10], [0, 0, 0]) if week else [0, 0, 0]
        of_week[0] += number
        gold = gold_of_the_others(rule, fallen, label)
        if gold is not None:
            against[annotator][rule.reads[label], gold] += number
            of_week[1] += number
            of_week[2] += number * (rule.reads[label] == gold)
    return dict(given), against, weeks


def _chance(table: Counter[tuple[str, str]]) -> float | None:
    """Returns the expected agreement of two independent annotators with these label frequencies."""
    total = sum(table.values())
    own: Counter[str] = Counter()
    others: Counter[str] = Counter()
    for (label, other), number in table.items():
        own[label] += number
        others[other] += number
    return share(sum(own[label] * others[label] for label in own), total * total)


def _controls(question: Question) -> dict[int, tuple[int, int]]:
    """Returns annotator -> (number of answered control items, number of correct answers)."""
    rows = (
        Label.objects.met_controls(question)
        .order_by()
        .values_list("annotator_id")
        .annotate(met=Count("pk"), right=Count("pk", filter=Q(label=F("expert"))))
    )
    return {annotator: (met, right) for annotator, met, right in rows}


def _calibration(question: Question) -> dict[int, tuple[int, int]]:
    """Returns annotator -> (number of answered calibration items, number of correct answers)."""
    rows = (
        CalibrationAnswer.objects.filter(item__question=question, answer__isnull=False)
        .values_list("annotator_id")
        .annotate(met=Count("pk"), right=Count("pk", filter=Q(answer=F("item__label"))))
    )
    return {annotator: (met, right) for annotator, met, right in rows}


def _times(question: Question) -> dict[int, Counter[int]]:
    """Returns annotator -> active time in tenths of a second -> number of labels."""
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
    """Returns the median of the buckets in seconds; of two middle values, the lower one."""
    left = (sum(times.values()) + 1) // 2
    for bucket in sorted(times):
        left -= times[bucket]
        if left <= 0:
            return bucket * BUCKET_MS / 1000
    return None
