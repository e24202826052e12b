"""Names the words by which a label can be guessed, for writers under prompts with a coach."""

from django.core.cache import cache

from collection.advice import words_of
from collection.models import Corpus, Pair
from snapshots.statistics.artifacts import corrected_p, standing_out
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
    texts = list(pairs.values_list("author_label", "hypothesis")[:NEWEST])
    found = standing_out((label or "", words_of(text)) for label, text in texts)
    tests = len(found) * len({label for label, _ in texts})
    told: dict[str, list[str]] = {}
    for each in found:
        if each.z > 0 and corrected_p(each.z, tests) < SIGNIFICANT:
            told.setdefault(each.label, []).append(each.word)
    return told
