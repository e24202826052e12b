"""Measures what the hypotheses of a corpus reveal, from its pairs in the database."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from django.db.models import F, Value

from collection.models import Pair
from collection.premises.partitions import partition_of
from snapshots.statistics.hypothesis_bias import Labelled, measure_bias
from validation.models import CachedStatistics, Gold, Question
from validation.statistics.progress import NothingToCount
from validation.statistics.vote_patterns import DIMENSIONS, PAIR_KEYS, Key

PORTION = 2000
USUAL = "genre"
OF_PAIRS: dict[str, Key] = {**PAIR_KEYS, "source": lambda pair: F(f"{pair}source__name")}
# What groups can go by beside keys of the metadata, with what each means.
BY = {
    by: DIMENSIONS.get(by, "the file from which the pair was imported")
    for by in (USUAL, "partition", "source", "prompt", "version", "arm", "author", "written")
}
KEYS_SHOWN = 20
LONGEST_KEY: int = CachedStatistics._meta.get_field("by").max_length or 0


def stored_by(by: str) -> str:
    """Returns the key under which the count by this property is stored: that by genre has the empty one."""
    return "" if by == USUAL else by


class NoSuchProperty(NothingToCount):
    """No pair has the requested property for groups. The text lists the existing properties."""


def bias_of(
    question: Question, by: str, progress: Callable[[float], None] = lambda share: None
) -> dict[str, Any]:
    """Returns the result of `measure_bias` over counted pairs with a gold, published or author's label.

    by: of BY (genre, where it is empty), or a key of the pairs' metadata (`misc.property`: a key within one). Raises
    NoSuchProperty.
    """
    total = max(Pair.objects.standing().filter(corpus=question.corpus_id).count(), 1)
    keys: set[str] = set()
    found = measure_bias(
        _labelled(question, by or USUAL, keys),
        labels=question.rule.gold_labels,
        language=question.corpus.language,
        progress=lambda done: progress(done / total),
    )
    if found["pairs"] and by and by not in BY and by not in keys:
        known = ", ".join([*BY, *sorted(keys)[:KEYS_SHOWN]])
        raise NoSuchProperty(f"No pair has the property “{by}”. Group pairs by one of: {known}.")
    pages = sorted(key for key in keys - BY.keys() if len(key) <= LONGEST_KEY)[:KEYS_SHOWN]
    return {**found, "by": by or USUAL, "properties": [*BY, *pages]}


def _labelled(question: Question, by: str, keys: set[str]) -> Iterator[Labelled]:
    pairs = Pair.objects.standing().filter(corpus=question.corpus_id).order_by("pk")
    of_pair = OF_PAIRS[by]("") if by in OF_PAIRS else Value("")
    last = 0
    while part := list(
        pairs.filter(pk__gt=last).values_list(
            "pk",
            "hypothesis",
            "premise",
            "premise__group",
            partition_of(),
            of_pair,
            "metadata",
        )[:PORTION]
    ):
        last = part[-1][0]
        gold = Gold.objects.filter(question=question, pair__in=[row[0] for row in part])
        labels = dict(gold.values_list("pair", "label"))
        for pk, hypothesis, premise, group, partition, fact, metadata in part:
            properties = dict(_properties(metadata or {}))
            keys.update(properties)
            kind = fact or "" if by in OF_PAIRS else str(properties.get(by, ""))
            yield Labelled(hypothesis, labels.get(pk) or "", group or f"premise {premise}", partition, kind)


def _properties(metadata: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yields the keys of a pair's metadata with their values, and the keys within those that are objects."""
    for key, value in metadata.items():
        yield key, value
        if isinstance(value, dict):
            yield from ((f"{key}.{inner}", each) for inner, each in value.items())
