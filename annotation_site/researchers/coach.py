"""Names the words by which a label can be guessed, for writers under prompts with a coach."""

from collections import Counter

from django.core.cache import cache

from collection.advice import words_of
from collection.models import Corpus, Pair
from snapshots.statistics.artifacts import AT_LEAST, corrected_p, z_value
from snapshots.statistics.hypothesis_bias import SIGNIFICANT

NEWEST = 5000  # texts that are counted
KEPT_SECONDS = 300


def words_that_give_away(corpus: Corpus) -> dict[str, list[str]]:
    """Returns label -> the words that stand with it significantly more often than chance allows, the clearest first.

    Of the newest 5,000 texts written for a label; z as Gardner et al. 2021 (Competency Problems) have it, with the share of
    the label in all texts, after Bonferroni's correction. Counted anew after five minutes.
    """
    return cache.get_or_set(f"words-that-give-away-{corpus.pk}", lambda: _count(corpus), KEPT_SECONDS) or {}


def _count(corpus: Corpus) -> dict[str, list[str]]:
    pairs = Pair.objects.standing().filter(corpus=corpus, author_label__isnull=False).order_by("-pk")
    sizes, containing = Counter[str](), dict[str, Counter[str]]()
    for label, text in pairs.values_list("author_label", "hypothesis")[:NEWEST]:
        sizes[label] += 1
        for word in set(words_of(text)):
            containing.setdefault(word, Counter())[label] += 1
    often = {word: by_label for word, by_label in containing.items() if by_label.total() >= AT_LEAST}
    told: dict[str, list[tuple[float, str]]] = {label: [] for label in sizes}
    for word, by_label in often.items():
        label, times = by_label.most_common(1)[0]
        z = z_value(times, by_label.total(), sizes[label] / sizes.total())
        if z is not None and z > 0 and corrected_p(z, len(often) * len(sizes)) < SIGNIFICANT:
            told[label].append((-z, word))
    return {label: [word for _, word in sorted(words)] for label, words in told.items()}
