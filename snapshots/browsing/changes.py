"""List what changed from one snapshot of a corpus to the next: pairs, gold labels, partitions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from django.db.models import Exists, OuterRef, QuerySet, Value
from django.db.models.functions import Coalesce

from nli.labels import NO_GOLD
from snapshots.models import Snapshot, SnapshotPair

ADDED, LABEL, PARTITION, GONE = "added", "label", "partition", "gone"
# kind -> what is said of one pair, and of several
CHANGES = {
    ADDED: ("is new", "are new"),
    LABEL: ("has another gold label", "have another gold label"),
    PARTITION: ("is in another partition", "are in another partition"),
    GONE: ("is no longer in this snapshot", "are no longer in this snapshot"),
}


# kind of answers in a manifest -> what it is called
ANSWERS = {
    "labels": "labels in all",
    "deciding": "labels that decide",
    "extra": "labels beyond the seats",
    "withdrawn": "labels that were withdrawn",
    "expert": "labels of experts",
    "model": "labels of models",
    "skips": "skips",
    "with_reason": "answers with a reason",
    "of_other_questions": "answers to other questions",
    "left_out": "answers that name several labels",
}


@dataclass(frozen=True)
class Change:
    """One kind of change with its number of pairs, and the snapshot in whose list they are."""

    name: str
    meaning: str
    number: int
    listed_in: Snapshot


def before(snapshot: Snapshot) -> Snapshot | None:
    """Returns the frozen snapshot of the same corpus before this one."""
    earlier = Snapshot.objects.frozen().filter(corpus=snapshot.corpus_id, version__lt=snapshot.version)
    return earlier.select_related("corpus").order_by("-version").first()


def changes(old: Snapshot, new: Snapshot) -> list[Change]:
    """Returns the kinds of change from `old` to `new`, also those without a pair."""
    found = []
    for name, (one, several) in CHANGES.items():
        number = changed(old, new, name).count()
        found.append(Change(name, one if number == 1 else several, number, old if name == GONE else new))
    return found


def changed_answers(old: Snapshot, new: Snapshot) -> list[tuple[str, int, int]]:
    """Returns what each kind of answers is called, its number in `old` and in `new`; none of those that did not change.

    By the manifests: an early one does not count answers.
    """
    then, now = _answers_in(old), _answers_in(new)
    return [
        (said, then.get(kind, 0), now.get(kind, 0))
        for kind, said in ANSWERS.items()
        if then and then.get(kind, 0) != now.get(kind, 0)
    ]


def _answers_in(snapshot: Snapshot) -> Mapping[str, int]:
    manifest = snapshot.read_manifest()
    return cast(Mapping[str, int], manifest.get("answers", {}) if manifest else {})


def changed(old: Snapshot, new: Snapshot, name: str) -> QuerySet[SnapshotPair]:
    """Returns the rows that changed so; rows of `old` for pairs that are gone, else of `new`."""
    if name == GONE:
        return changed(new, old, ADDED)
    rows = SnapshotPair.objects.filter(snapshot=new)
    other = SnapshotPair.objects.filter(snapshot=old, pair=OuterRef("pair"))
    if name == ADDED:
        return rows.filter(~Exists(other))
    if name == PARTITION:
        return rows.filter(Exists(other.exclude(partition=OuterRef("partition"))))
    label = Coalesce("gold_label", Value(NO_GOLD))
    return rows.annotate(now=label).filter(Exists(other.annotate(then=label).exclude(then=OuterRef("now"))))
