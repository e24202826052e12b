"""Measures what the hypotheses of a corpus reveal, from its pairs in the database."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from statistics import median
from typing import Any

from django.db.models import F, Value

from annotation_site.researchers.looks import with_looks
from annotation_site.researchers.wages import minutes_of_texts
from collection.models import LedgerEntry, Pair
from collection.pay import key_of_text
from collection.premises.partitions import partition_of
from snapshots.statistics.hypothesis_bias import Labelled, measure_bias
from validation.gold.queries import gold_and_upheld
from validation.models import CachedStatistics, Question
from validation.statistics.progress import NothingToCount
from validation.statistics.vote_patterns import DIMENSIONS, PAIR_KEYS, Key

PORTION = 2000
Tasks = defaultdict[str | None, Counter[tuple[int, str]]]  # group -> (id and token of a task) -> its pairs
USUAL = "genre"
OF_PAIRS: dict[str, Key] = {**PAIR_KEYS, "source": lambda pair: F(f"{pair}source__name")}
# What groups can go by beside keys of the metadata, with what each means.
BY = {
    by: DIMENSIONS.get(by, "the file from which the pair was imported")
    for by in (USUAL, *(each for each in OF_PAIRS if each != USUAL))
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
    """Returns the result of `measure_bias` over counted pairs with a gold, published or author's label, and what they took.

    by: of BY (genre, where it is empty), or a key of the pairs' metadata (`misc.property`: a key within one). By arm it is a
    look, where looks are planned, and written down (looks.py). Raises NoSuchProperty.
    """
    total = max(Pair.objects.standing().filter(corpus=question.corpus_id).count(), 1)
    keys: set[str] = set()
    tasks: Tasks = defaultdict(Counter)
    found = measure_bias(
        _labelled(question, by or USUAL, keys, tasks),
        labels=question.rule.gold_labels,
        language=question.corpus.language,
        progress=lambda done: progress(done / total),
    )
    if found["pairs"] and by and by not in BY and by not in keys:
        known = ", ".join([*BY, *sorted(keys)[:KEYS_SHOWN]])
        raise NoSuchProperty(f"No pair has the property “{by}”. Group pairs by one of: {known}.")
    pages = sorted(key for key in keys - BY.keys() if len(key) <= LONGEST_KEY)[:KEYS_SHOWN]
    tasks[None] = sum(tasks.values(), Counter())
    took = _took(question, tasks)
    groups = [{**row, **took.get(row["group"], {})} for row in found["groups"]]
    found = with_looks(question, by, {**found, "groups": groups})
    return {**found, "by": by or USUAL, "properties": [*BY, *pages]}


def _took(question: Question, tasks: Tasks) -> dict[str | None, dict[str, Any]]:
    """Returns, of each group whose texts were written here, the median minutes of a task, and the cents for a pair."""
    if not tasks[None]:
        return {}
    minutes = minutes_of_texts(question.corpus)
    paid = LedgerEntry.objects.filter(corpus=question.corpus_id, kind=LedgerEntry.Kind.WRITING)
    by_token = dict(paid.values_list("key", "cents"))
    found = {}
    for group, pairs in tasks.items():
        times = [minutes[task] for task, _ in pairs if task in minutes]
        cents = [by_token[key] for _, token in pairs if (key := key_of_text(token)) in by_token]
        found[group] = {
            "tasks": len(pairs),
            "minutes": median(times) if times else None,
            "cents": sum(cents) / pairs.total() if cents else None,
        }
    return found


def _labelled(question: Question, by: str, keys: set[str], tasks: Tasks) -> Iterator[Labelled]:
    """Yields the corpus's pairs; notes the keys of their metadata, and each group's tasks with the number of their pairs."""
    pairs = Pair.objects.standing().filter(corpus=question.corpus_id).order_by("pk")
    of_pair = OF_PAIRS[by]("") if by in OF_PAIRS else Value("")
    last = 0
    while part := list(
        pairs.filter(pk__gt=last).values_list(
            "pk",
            "hypothesis",
            "premise",
            "premise__text",
            "premise__group",
            partition_of(),
            of_pair,
            "metadata",
            "author",
            "assignment",
            "assignment__token",
        )[:PORTION]
    ):
        last = part[-1][0]
        labels, upheld = gold_and_upheld(question, [row[0] for row in part])
        for pk, hypothesis, premise, text, group, partition, fact, metadata, author, task, token in part:
            properties = dict(_properties(metadata or {}))
            keys.update(properties)
            kind = fact or "" if by in OF_PAIRS else str(properties.get(by, ""))
            if task:
                tasks[kind][task, token] += 1
            yield Labelled(
                hypothesis,
                labels.get(pk) or "",
                group or f"premise {premise}",
                partition,
                kind,
                str(author or ""),
                text,
                upheld.get(pk),
            )


def _properties(metadata: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yields the keys of a pair's metadata with their values, and the keys within those that are objects."""
    for key, value in metadata.items():
        yield key, value
        if isinstance(value, dict):
            yield from ((f"{key}.{inner}", each) for inner, each in value.items())
