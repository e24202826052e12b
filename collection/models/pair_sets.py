"""Named sets of pairs, which researchers put aside: “For the paper”."""

from django.db import models
from django.db.models import Q

from collection.models.corpora import Corpus
from collection.models.pairs import Pair
from shared.constraints import check, unique


class PairSet(models.Model):
    """A named set of pairs of a corpus. It changes nothing about them. One without pairs is deleted."""

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="pair_sets", db_index=False)
    name = models.CharField(max_length=100)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [unique("one_set_a_name", "corpus", "name"), check("set_has_a_name", ~Q(name=""))]
        verbose_name_plural = "sets of pairs"

    def __str__(self) -> str:
        return self.name


class PairInSet(models.Model):
    """A pair's place in a set."""

    pair_set = models.ForeignKey(PairSet, on_delete=models.CASCADE, related_name="places", db_index=False)
    pair = models.ForeignKey(Pair, on_delete=models.PROTECT, related_name="sets")

    class Meta:
        constraints = [unique("once_in_a_set", "pair_set", "pair")]
        verbose_name_plural = "places in sets"
