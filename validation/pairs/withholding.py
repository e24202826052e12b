"""Takes the pairs of a withheld partition, with their labels, out of everything that is counted or shown, and back."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db.models import QuerySet
from django.utils import timezone

from collection.models import Corpus, Exclusion, Pair, Withholding
from collection.models.withdrawal import ANNOTATOR_EXCLUDED, WITHHELD
from collection.premises.partitions import partition_of
from shared.portions import portions
from validation.models import CachedStatistics, Label
from validation.pairs.withdrawal import PORTION, restore_pairs, withdraw_pairs

STANDING = {"withdrawn_at": None, "withdrawn_because": ""}


def pairs_of(withholding: Withholding) -> QuerySet[Pair]:
    """Returns the pairs of the corpus that are in the partition and were not withdrawn."""
    pairs: QuerySet[Pair] = Pair.objects.filter(corpus=withholding.corpus_id).to_freeze()
    return pairs.annotate(placed=partition_of()).filter(placed=withholding.partition)


def withholding_of(pair: Pair) -> Withholding | None:
    """Returns what withholds the labels of a pair; None if nothing does."""
    if pair.withdrawn_because != WITHHELD:
        return None
    placed = Pair.objects.annotate(placed=partition_of()).values_list("placed", flat=True).get(pk=pair.pk)
    return Withholding.objects.standing().filter(corpus=pair.corpus_id, partition=placed).first()


def seal(*, pairs: QuerySet[Pair], corpus: Corpus) -> int:
    """Withdraws pairs and their labels as WITHHELD and closes their empty seats, in the transaction of the caller.

    Forgets the statistics of the corpus, which counted them. Returns the number of pairs that were not sealed before.
    """
    keys, now = list(pairs.values_list("pk", flat=True)), timezone.now()
    sealed = 0
    for part in portions(keys, PORTION):
        sealed += withdraw_pairs(pairs=Pair.objects.filter(pk__in=part), because=WITHHELD, at=now)
        _seal_labels(part, now)
    if sealed:
        CachedStatistics.objects.filter(question__corpus=corpus).delete()
    return sealed


def unseal(*, corpus: Corpus, pairs: QuerySet[Pair]) -> int:
    """Lets sealed pairs and their labels count again, in the transaction of the caller. Returns the number of pairs.

    Labels of people who have been excluded since stay withdrawn, as their other labels.
    """
    keys = list(pairs.withheld().values_list("pk", flat=True))  # type: ignore[attr-defined]
    excluded = Exclusion.objects.standing().filter(corpus=corpus)
    for part in portions(keys, PORTION):
        sealed = Label.objects.filter(pair__in=part, withdrawn_because=WITHHELD)
        for exclusion in excluded:
            theirs = sealed.filter(annotator=exclusion.annotator_id, origin=Label.Origin.CAST)
            theirs.update(withdrawn_because=ANNOTATOR_EXCLUDED, exclusion=exclusion)
        sealed.update(**STANDING)
        restore_pairs(pairs=Pair.objects.filter(pk__in=part))
    CachedStatistics.objects.filter(question__corpus=corpus).delete()
    return len(keys)


@contextmanager
def unsealed(corpus: Corpus) -> Iterator[None]:
    """Lets all sealed pairs of a corpus count while a freeze copies them, in its transaction: nobody else sees them."""
    keys = list(Pair.objects.filter(corpus=corpus).withheld().values_list("pk", flat=True))
    now = timezone.now()
    for part in portions(keys, PORTION):
        Label.objects.filter(pair__in=part, withdrawn_because=WITHHELD).update(**STANDING)
        Pair.objects.filter(pk__in=part).update(**STANDING)
    yield
    for part in portions(keys, PORTION):
        Pair.objects.filter(pk__in=part).update(withdrawn_at=now, withdrawn_because=WITHHELD)
        _seal_labels(part, now)


def _seal_labels(pairs: list[int], at: datetime) -> None:
    given = Label.objects.standing().filter(pair__in=pairs, label__isnull=False)
    given.update(withdrawn_at=at, withdrawn_because=WITHHELD)
