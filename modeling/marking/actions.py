"""Begins the marking of a sample, stores marks, and adds them to the tables: one function per state change."""

import random
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from django.db import IntegrityError, transaction
from django.db.models import ProtectedError

from accounts.models import User
from collection.models import PARTITIONS
from modeling.folders import predictions_of
from modeling.models import Mark, MarkedPair, Marking, TrainingRun
from modeling.results.breakdowns import store_marks, store_marks_of_run
from snapshots.models import Snapshot

# MPE, Table 5.
PHENOMENA = (
    "word equivalence",
    "word hypernymy",
    "phrase equivalence",
    "phrase hypernymy",
    "mutual exclusion",
    "compatibility",
    "world knowledge",
)
MOST_PAIRS, MOST_PHENOMENA, LONGEST = 5000, 30, 60


class MarkingError(Exception):
    """A request about marks breaks a rule. The sentence says which."""


def begin_marking(
    *, snapshot: Snapshot, partition: str, number: int, phenomena: Sequence[str], seed: int, by: User
) -> Marking:
    """Draws a sample of the pairs of a partition that have a gold label, by the seed. Raises MarkingError."""
    names = list(dict.fromkeys(name for given in phenomena if (name := " ".join(given.split()))))
    if partition not in PARTITIONS:
        raise MarkingError(f"There is no partition {partition!r}. Name one of: {', '.join(PARTITIONS)}.")
    if not names or len(names) > MOST_PHENOMENA or max(map(len, names)) > LONGEST:
        raise MarkingError(f"List 1 to {MOST_PHENOMENA} phenomena, each of {LONGEST} characters at most.")
    rows = snapshot.pairs.filter(partition=partition, gold_label__isnull=False)
    keys = list(rows.order_by("pk").values_list("pk", flat=True))
    if not 1 <= number <= min(len(keys), MOST_PAIRS):
        raise MarkingError(
            f"{snapshot} has {len(keys):,} pairs with a gold label in {partition}: ask for 1 to"
            f" {min(len(keys), MOST_PAIRS):,} of them."
        )
    chosen = random.Random(seed).sample(keys, number)
    try:
        with transaction.atomic():
            marking = Marking.objects.create(
                snapshot=snapshot, partition=partition, phenomena=names, seed=seed, by=by
            )
            MarkedPair.objects.bulk_create(
                MarkedPair(marking=marking, row_id=key, place=place)
                for place, key in enumerate(chosen, start=1)
            )
    except IntegrityError:
        raise MarkingError(
            f"A sample of {partition} of {snapshot} is being marked already: mark its pairs."
        ) from None
    return marking


def discard_marking(*, marking: Marking) -> None:
    """Removes a sample of which nobody has marked a pair, so that another can be drawn. Raises MarkingError."""
    try:
        with transaction.atomic():
            marking.pairs.all().delete()
            marking.delete()
    except (ProtectedError, IntegrityError):  # the second: a mark that came meanwhile
        raise MarkingError("Somebody has marked pairs of this sample, so it stays.") from None


def mark(
    *,
    pair: MarkedPair,
    phenomena: Sequence[str],
    by: User,
    premises: Mapping[str, Collection[int]] = MappingProxyType({}),
) -> Mark:
    """Stores which phenomena a person sees in a pair, or that there is none. It replaces an earlier mark of theirs.

    premises: phenomenon -> which sentences of the premise show it, by their numbers from 1 (MPE, Table 5); it may be left
    out. Raises MarkingError.
    """
    known = pair.marking.phenomena
    unknown = [name for name in phenomena if name not in known]
    if unknown:
        raise MarkingError(f"There is no phenomenon {unknown[0]!r} here. There are: {', '.join(known)}.")
    chosen = [name for name in known if name in phenomena]
    sentences, said = pair.row.pair.premise.sentence_count, {}
    for name, numbers in premises.items():
        if name not in chosen:
            raise MarkingError(f"Tick {name}, or no premise of it.")
        if not set(numbers) <= set(range(1, sentences + 1)):
            raise MarkingError(f"{name}: the premises of this pair are 1 to {sentences}.")
        if numbers:
            said[name] = sorted(set(numbers))
    found, _ = Mark.objects.update_or_create(
        pair=pair, by=by, defaults={"phenomena": chosen, "premises": said}
    )
    return found


def count_marks(*, marking: Marking) -> int:
    """Adds the marks to the breakdowns of the pairs and of every run with predictions on this machine.

    Returns these runs.
    """
    snapshot, partition = marking.snapshot, marking.partition
    store_marks(snapshot, partition)
    scored = TrainingRun.objects.filter(
        evaluations__snapshot=snapshot, evaluations__partition=partition, status=TrainingRun.Status.DONE
    )
    counted = 0
    for run in scored.select_related("snapshot__corpus").distinct().order_by("pk"):
        path = predictions_of(run, snapshot, partition)
        if path is not None:
            store_marks_of_run(run, snapshot, partition, path)
            counted += 1
    return counted
