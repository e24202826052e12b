"""Puts pairs into named sets, and takes them out."""

from collections.abc import Collection

from django.db.models import Count

from collection.models import Corpus, Pair, PairInSet, PairSet
from nli.lines import LONGEST_SET_NAME, set_name
from shared.among import Among
from shared.transactions import one_transaction
from validation.errors import ValidationError

TO_DECIDE = "To decide"  # the set to which pairs go that a researcher shall adjudicate


def clean_name(name: str) -> str:
    """Returns the name of a set without spaces around. Raises ValidationError."""
    name = set_name(name)
    if not name or len(name) > LONGEST_SET_NAME:
        raise ValidationError(f"Give the set a name of up to {LONGEST_SET_NAME} characters.")
    return name


def sets_of(corpus: Corpus) -> dict[str, int]:
    """Returns the names of the corpus's sets, each with the number of its pairs that are not withdrawn, in order."""
    rows = PairInSet.objects.filter(pair_set__corpus=corpus, pair__withdrawn_at=None).order_by(
        "pair_set__name"
    )
    return dict(rows.values_list("pair_set__name").annotate(number=Count("pk")))


def in_set(corpus: Corpus, name: str, keys: Collection[int]) -> set[int]:
    """Returns those of the pairs with these keys that are in the set."""
    rows = PairInSet.objects.named(corpus.pk, [name]).filter(Among("pair_id", keys))
    return set(rows.values_list("pair", flat=True))


@one_transaction
def put_into_set(*, corpus: Corpus, name: str, keys: Collection[int]) -> int:
    """Puts pairs of the corpus into the set of this name, which is made if it is new. Returns how many are new in it.

    Raises ValidationError.
    """
    found, _ = PairSet.objects.get_or_create(corpus=corpus, name=clean_name(name))
    PairSet.objects.select_for_update().get(pk=found.pk)
    there = in_set(corpus, found.name, keys)
    pairs = Pair.objects.filter(Among("pk", keys), corpus=corpus).values_list("pk", flat=True)
    new = [PairInSet(pair_set=found, pair_id=key) for key in pairs.order_by("pk") if key not in there]
    PairInSet.objects.bulk_create(new, batch_size=5000)
    return len(new)


@one_transaction
def take_out_of_set(*, corpus: Corpus, name: str, keys: Collection[int]) -> int:
    """Takes pairs out of the set; one that is left without pairs is deleted. Returns how many were in it."""
    found = PairSet.objects.select_for_update().filter(corpus=corpus, name=name).first()
    if found is None:
        return 0
    number, _ = PairInSet.objects.filter(Among("pair_id", keys), pair_set=found).delete()
    if not found.places.exists():
        found.delete()
    return number
