"""What must always hold, counted for `doctor`: rules that no constraint can see, across tables and files."""

from collections.abc import Callable
from dataclasses import dataclass

from django.db.models import Count, F, Q

from collection.models import Pair
from modeling.models import TrainingRun
from snapshots.manifest import folder_of
from snapshots.models import Snapshot, SnapshotFile
from validation.models import Label


@dataclass(frozen=True)
class Invariant:
    """A rule as a sentence, and how many rows break it."""

    rule: str
    broken: Callable[[], int]


def seats_beyond_the_question() -> int:
    return Label.objects.seats().filter(sentence=0, position__gt=F("question__seats")).count()


def pairs_with_too_many_labels() -> int:
    counted = Label.objects.counted().values("question", "pair", "question__seats")
    return counted.annotate(labels=Count("id")).filter(labels__gt=F("question__seats")).count()


def own_pairs_labelled() -> int:
    return Label.objects.standing().filter(origin="cast", annotator=F("pair__author")).count()


def copies_that_differ() -> int:
    """`Label` repeats facts of its pair and question for constraints; `author` may be NULL on both sides."""
    same_author = Q(author=F("pair__author")) | Q(author=None, pair__author=None)
    same = Q(premise=F("pair__premise"), scheme=F("question__scheme")) & same_author
    return Label.objects.exclude(same).count()


def author_labels_that_differ() -> int:
    return Label.objects.standing().filter(origin="author").exclude(label=F("pair__author_label")).count()


def pairs_of_another_corpus() -> int:
    return Pair.objects.exclude(corpus=F("premise__corpus")).count()


def torn_snapshot_files() -> int:
    """Files that are missing or have another size. `verify_snapshot` reads them to the last byte."""
    frozen = SnapshotFile.objects.filter(snapshot__status=Snapshot.Status.FROZEN)
    return sum(is_torn(file) for file in frozen.select_related("snapshot__corpus"))


def is_torn(file: SnapshotFile) -> bool:
    path = folder_of(file.snapshot) / file.name
    return not path.is_file() or path.stat().st_size != file.size


def done_runs_without_result() -> int:
    return TrainingRun.objects.filter(status="done", train_accuracy=None).count()


INVARIANTS = (
    Invariant("No label lies beyond the seats of its question", seats_beyond_the_question),
    Invariant("No pair has more counted labels than its question has seats", pairs_with_too_many_labels),
    Invariant("Nobody validated an own pair", own_pairs_labelled),
    Invariant("Labels repeat the premise, author and scheme of their pair and question", copies_that_differ),
    Invariant("Label 1 is what the author was asked to write", author_labels_that_differ),
    Invariant("A pair and its premise are of one corpus", pairs_of_another_corpus),
    Invariant("The files of frozen snapshots are all there, at full length", torn_snapshot_files),
    Invariant("A run that is done has its accuracy", done_runs_without_result),
)
