"""Counts broken rules for `doctor`: those across tables and files, which no constraint can guard."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Exists, F, Max, OuterRef, Q
from django.db.models.functions import Greatest

from collection.models import Exclusion, Pair, PairInSet
from modeling.models import TrainingRun
from validation.models import BatchItem, Label, PartitionRule


@dataclass(frozen=True)
class Invariant:
    """A rule as a sentence, and how many rows break it."""

    rule: str
    broken: Callable[[], int]


def seats_beyond_the_question() -> int:
    return (
        Label.objects.seats()
        .filter(position__gt=Greatest("question__seats", "question__most_labels"))
        .count()
    )


def places_with_a_gap() -> int:
    """Counts pairs whose label positions are not 1, 2, ...: a withdrawn label must leave a seat behind."""
    asked = Label.objects.that_count().values("question", "pair", "sentence")
    counted = asked.annotate(places=Count("pk"), last=Max("position"), turns=Count("turn"))
    return counted.filter(turns__gt=0).exclude(places=F("last")).count()


def labels_of_excluded_people() -> int:
    excluded = Exclusion.objects.standing().filter(
        corpus=OuterRef("question__corpus"), annotator=OuterRef("annotator")
    )
    return Label.objects.seats().filter(Exists(excluded), origin="cast").count()


def withdrawn_pairs_handed_out() -> int:
    """Counts withdrawn pairs in later batches. Allows a minute: a claim may commit while a withdrawal is being written."""
    later = F("seat__pair__withdrawn_at") + timedelta(minutes=1)
    return BatchItem.objects.filter(assignment__created_at__gt=later).count()


def answers_without_a_label() -> int:
    label = Label.objects.filter(
        annotator=OuterRef("assignment__annotator"),
        question=OuterRef("seat__question"),
        premise=OuterRef("seat__premise"),
        pair=OuterRef("seat__pair"),
        label__isnull=False,
    )
    return BatchItem.objects.filter(~Exists(label), answer__isnull=False).count()


def batches_with_a_premise_twice() -> int:
    items = BatchItem.objects.order_by().values("assignment", "seat__premise")
    return items.annotate(items=Count("pk")).filter(items__gt=1).count()


def pairs_with_too_many_labels() -> int:
    counted = Label.objects.counted().values("question", "pair", "question__seats")
    return counted.annotate(labels=Count("id")).filter(labels__gt=F("question__seats")).count()


def partitions_with_more_seats() -> int:
    return PartitionRule.objects.filter(seats__gt=F("question__seats")).count()


def own_pairs_labelled() -> int:
    return Label.objects.standing().filter(origin="cast", annotator=F("pair__author")).count()


def copies_that_differ() -> int:
    """Counts labels whose copies of facts of their pair and question differ. `author` may be NULL on both sides."""
    same_author = Q(author=F("pair__author")) | Q(author=None, pair__author=None)
    same = Q(premise=F("pair__premise"), scheme=F("question__scheme")) & same_author
    return Label.objects.exclude(same).count()


def author_labels_that_differ() -> int:
    return Label.objects.standing().filter(origin="author").exclude(label=F("pair__author_label")).count()


def pairs_of_another_corpus() -> int:
    return Pair.objects.exclude(corpus=F("premise__corpus"), scheme=F("corpus__scheme")).count()


def sets_with_pairs_of_another_corpus() -> int:
    return PairInSet.objects.exclude(pair__corpus=F("pair_set__corpus")).count()


def done_runs_without_result() -> int:
    return TrainingRun.objects.filter(status="done", train_accuracy=None).count()


INVARIANTS = (
    Invariant("No pair has more labels than its question allows", seats_beyond_the_question),
    Invariant("The label positions of an opened pair have no gap", places_with_a_gap),
    Invariant("No pair has more counted labels than its question has seats", pairs_with_too_many_labels),
    Invariant("No partition has more seats than its question", partitions_with_more_seats),
    Invariant("Nobody validated their own pair", own_pairs_labelled),
    Invariant("Labels repeat the premise, author and scheme of their pair and question", copies_that_differ),
    Invariant("Label 1 is what the author was asked to write", author_labels_that_differ),
    Invariant("No label of somebody who is excluded counts", labels_of_excluded_people),
    Invariant("No pair was handed out after it was withdrawn", withdrawn_pairs_handed_out),
    Invariant("Every answer is stored as a label", answers_without_a_label),
    Invariant("No batch holds a premise twice", batches_with_a_premise_twice),
    Invariant("A pair, its premise and its scheme are of one corpus", pairs_of_another_corpus),
    Invariant("A named set has pairs of its corpus alone", sets_with_pairs_of_another_corpus),
    Invariant("A run that is done has its accuracy", done_runs_without_result),
)
