"""Find annotation artifacts: words and lengths of hypotheses that reveal a label.

Poliak et al. 2018, section 6 (p(label | word), Figure 6 and the word lists); PMI with smoothing after Gururangan et al.
2018; z after Gardner et al. 2021. Works for any number of labels.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from snapshots.statistics.distributions import spread
from snapshots.statistics.pairs import Pair
from snapshots.statistics.words import TOKEN, is_word, tokens

EDITION = 5
AT_LEAST = 5  # occurrences: rarer words are not listed (section 6.2)
SMOOTHING = 100
THRESHOLDS = (0.8, 0.5)
KEPT = 50  # words for each label and ranking
DEV = "dev"
WORD_PAIRS, TRIPLES = "word_pairs", "triples"
READINGS = 2  # of all pairs
TOLD_EVERY = 10_000

Prompts = defaultdict[str, Counter[int]]  # version -> hundredths -> pairs
DEFINITIONS = {
    "token": TOKEN,
    "pairs": "Pairs with a gold label; the others are left out of everything here.",
    "word": "A token of the hypothesis with a letter or a digit in it; case is kept.",
    WORD_PAIRS: "Two neighbouring words of the hypothesis; punctuation between them does not count.",
    TRIPLES: (
        "The lemma of a word of the hypothesis, the name of a relation, and the lemma of a word that depends on it by this"
        " relation: spaCy's small English model, in small letters, without punctuation."
    ),
    "count": (
        "How often the word occurs in hypotheses. Words with fewer than five occurrences are not listed."
    ),
    "p": "p(label | word): of the word's occurrences, the share that stands in hypotheses of this label.",
    "pmi": (
        "Pointwise mutual information of word and label in bits, by occurrences; 100 are added to each "
        "count, so that rare words do not lead (Gururangan et al. 2018)."
    ),
    "z": (
        "How many standard errors the share of this label among the pairs that contain the word lies from"
        " its share among all pairs (a word counts once a pair)."
    ),
    "corrected_p": (
        "The two-sided p value of z by the normal approximation, times the number of tests (listed words "
        "times labels; Bonferroni), at most 1."
    ),
    "giveaways": (
        "Words with p(label | word) of at least the threshold, the most frequent first. The paper's lists"
        " fit 0.8 for SNLI and 0.5 for MPE, and the dev sets."
    ),
    "of": (
        "Whose words were counted: those of all pairs, or of dev alone, where dev is a part of them. All "
        "numbers of a row are of these pairs."
    ),
    "answerable": (
        "Pairs whose hypothesis has a word with p(any label | word) of at least the threshold. Counted "
        "with all words (as in the paper's Figure 6, where a word that occurs once has p = 1) and with "
        "those that occur five times."
    ),
    "lengths": "Tokens of the hypotheses, punctuation counted.",
    "given_away": (
        "The share of hypotheses that have a word that occurs five times and has p(any label | word) of at least 0.8,"
        " counted over all pairs of the snapshot: so prompts with many and with few pairs are measured by the same words."
    ),
}


def measure(
    pairs: Callable[[], Iterable[Pair]],
    *,
    labels: Sequence[str],
    language: str = "en",
    progress: Callable[[int], None] = lambda done: None,
) -> dict[str, Any]:
    """Computes words and lengths by gold label. `dev` has the words of dev only; None if dev is empty or is all there is.

    Reads `pairs()` twice and calls `progress` every ten thousand pairs. A pair that was read once counts half, so that
    the progress ends at the number of pairs, not at its double.
    """
    words_of, neighbours_of = Counts(labels), Counts(labels)
    lengths: defaultdict[tuple[str, str, str], Counter[float]] = defaultdict(Counter)
    for pair in _reporting(_with_gold(pairs(), labels), 0, progress):
        sentence = tokens(pair.hypothesis, language)
        words = [token for token in sentence if is_word(token)]
        words_of.add(pair, words)
        neighbours_of.add(pair, map(" ".join, pairwise(words)))
        for by, value in (
            ("all", ""),
            ("genre", pair.genre),
            ("prompt_version", pair.prompt_version),
            ("author", pair.author),
        ):
            if by == "all" or value:
                lengths[by, value, pair.label][len(sentence)] += 1
    total = words_of.whole.sizes.total()
    again = _reporting(_with_gold(pairs(), labels), total, progress)
    prompts: Prompts = defaultdict(Counter)
    return {
        "edition": EDITION,
        "definitions": DEFINITIONS,
        "labels": list(labels),
        **words_of.figures(),
        WORD_PAIRS: neighbours_of.figures(),
        "answerable": _answerable(again, words_of.whole, language, prompts),
        "prompt_versions": [
            {
                "prompt_version": version,
                "pairs": highest.total(),
                "given_away": sum(times for value, times in highest.items() if value >= 100 * THRESHOLDS[0]),
                "mean_length": _mean_length(lengths, version),
            }
            for version, highest in sorted(prompts.items())
        ],
        "lengths": [
            {"by": by, "value": value, "label": label, **spread(lengths[by, value, label])}
            for by, value, label in sorted(
                lengths, key=lambda key: (_BY.index(key[0]), key[1], labels.index(key[2]))
            )
        ],
    }


def _mean_length(lengths: Mapping[tuple[str, str, str], Counter[float]], version: str) -> float | None:
    of_version = [
        counts for (by, value, _), counts in lengths.items() if (by, value) == ("prompt_version", version)
    ]
    mean: float | None = spread(sum(of_version, Counter()))["mean"]
    return mean


_BY = ("all", "genre", "prompt_version", "author")


class WordCounts:
    """Counts of words in hypotheses by label: occurrences, then hypotheses that contain the word, in one list a word.

    Of pairs of words there are very many: a list takes a fifth of two counters.
    """

    def __init__(self, labels: Sequence[str]) -> None:
        self.labels = list(labels)
        self.counts: dict[str, list[int]] = {}
        self.sizes: Counter[str] = Counter()

    def add(self, label: str, words: Mapping[str, int]) -> None:
        self.sizes[label] += 1
        at, wide = self.labels.index(label), len(self.labels)
        for word, times in words.items():
            found = self.counts.get(word)
            if found is None:
                found = self.counts[word] = [0] * (2 * wide)
            found[at] += times
            found[wide + at] += 1

    def occurrences(self) -> Iterator[tuple[str, list[int]]]:
        """Yields each word with its occurrences under each label."""
        return ((word, counts[: len(self.labels)]) for word, counts in self.counts.items())

    def figures(self) -> dict[str, Any]:
        scored = list(_scored(self))
        return {
            "pairs": {label: self.sizes[label] for label in self.labels},
            "different_words": len(self.counts),
            "listed_words": len(scored) // len(self.labels) if self.labels else 0,
            "words": _chosen(scored, self.labels),
        }


class Counts:
    """Counts of words, or of what is counted like them, in all pairs and in dev."""

    def __init__(self, labels: Sequence[str]) -> None:
        self.whole, self.dev = WordCounts(labels), WordCounts(labels)

    def add(self, pair: Pair, words: Iterable[str]) -> None:
        found = Counter(words)
        self.whole.add(pair.label, found)
        if pair.partition == DEV:
            self.dev.add(pair.label, found)

    def figures(self) -> dict[str, Any]:
        """Returns the figures; `dev` has those of dev, or None if dev is empty or is all there is."""
        is_part = 0 < self.dev.sizes.total() < self.whole.sizes.total()
        return {**self.whole.figures(), DEV: self.dev.figures() if is_part else None}


def _with_gold(pairs: Iterable[Pair], labels: Sequence[str]) -> Iterator[Pair]:
    known = frozenset(labels)
    return (pair for pair in pairs if pair.label in known)


def _reporting(pairs: Iterable[Pair], before: int, progress: Callable[[int], None]) -> Iterator[Pair]:
    for done, pair in enumerate(pairs, start=before + 1):
        yield pair
        if done % TOLD_EVERY == 0:
            progress(done // READINGS)


def _scored(counted: WordCounts) -> Iterator[dict[str, Any]]:
    """Yields one entry for each frequent word and each label."""
    labels, sizes, wide = counted.labels, counted.sizes, len(counted.labels)
    often = sorted(word for word, counts in counted.occurrences() if sum(counts) >= AT_LEAST)
    tests = len(often) * wide
    smoothed = [
        sum(counts[at] for counts in counted.counts.values()) + SMOOTHING * len(counted.counts)
        for at in range(wide)
    ]
    everything = sum(smoothed)
    pairs = sizes.total()
    for word in often:
        counts, inside = counted.counts[word][:wide], counted.counts[word][wide:]
        of_word = sum(counts) + SMOOTHING * wide
        for at, label in enumerate(labels):
            z = z_value(inside[at], sum(inside), sizes[label] / pairs)
            yield {
                "label": label,
                "word": word,
                "count": sum(counts),
                "p": counts[at] / sum(counts),
                "pmi": math.log2((counts[at] + SMOOTHING) * everything / (of_word * smoothed[at])),
                "z": z,
                "corrected_p": None if z is None else corrected_p(z, tests),
            }


def z_value(hits: int, number: int, expected: float) -> float | None:
    """Returns the z value; None if every pair has the label, or none has it."""
    variance = number * expected * (1 - expected)
    return (hits - number * expected) / math.sqrt(variance) if variance else None


def corrected_p(z: float, tests: int) -> float:
    """Returns the two-sided p value after Bonferroni's correction for so many tests, at most 1."""
    return min(1.0, math.erfc(abs(z) / math.sqrt(2)) * tests)


class StandsOut(NamedTuple):
    """A word with the label that most of its texts have: in `hits` of `texts`; `usual` is the label's share of all texts."""

    z: float
    word: str
    label: str
    hits: int
    texts: int
    usual: float


def standing_out(texts: Iterable[tuple[str, Iterable[str]]]) -> list[StandsOut]:
    """Returns the words in AT_LEAST texts or more (label, its words), by z, the highest first. A text counts a word once."""
    sizes, containing = Counter[str](), dict[str, Counter[str]]()
    for label, words in texts:
        sizes[label] += 1
        for word in set(words):
            containing.setdefault(word, Counter())[label] += 1
    found = []
    for word, by_label in containing.items():
        number, (label, hits) = by_label.total(), by_label.most_common(1)[0]
        usual = sizes[label] / sizes.total()
        if number >= AT_LEAST and (z := z_value(hits, number, usual)) is not None:
            found.append(StandsOut(z, word, label, hits, number, usual))
    return sorted(found, key=lambda each: (-each.z, each.word))


def _chosen(scored: list[dict[str, Any]], labels: Sequence[str]) -> list[dict[str, Any]]:
    """Chooses the first fifty words of each label in each ranking, without repetition, ordered by label and frequency."""
    chosen: list[dict[str, Any]] = []
    for label in labels:
        of_label = [entry for entry in scored if entry["label"] == label]
        names: set[str] = set()
        for threshold in THRESHOLDS:
            names.update(entry["word"] for entry in giveaways(of_label, label, threshold)[:KEPT])
        for key in ("z", "pmi"):
            ranked = sorted(of_label, key=lambda entry: (-(entry[key] or 0.0), entry["word"]))
            names.update(entry["word"] for entry in ranked[:KEPT])
        chosen += sorted(
            (entry for entry in of_label if entry["word"] in names),
            key=lambda entry: (-entry["count"], entry["word"]),
        )
    return chosen


def giveaways(words: Iterable[dict[str, Any]], label: str, threshold: float) -> list[dict[str, Any]]:
    """Returns the words that reveal a label, the most frequent first."""
    chosen = (entry for entry in words if entry["label"] == label and entry["p"] >= threshold)
    return sorted(chosen, key=lambda entry: (-entry["count"], entry["word"]))


def _answerable(
    pairs: Iterable[Pair],
    counted_words: WordCounts,
    language: str,
    prompts: Prompts,
) -> list[dict[str, Any]]:
    """Counts, for thresholds from 0.00 to 1.00, the pairs of each label that have a word at or above the threshold.

    Counts the pairs of each prompt version in `prompts` by the threshold that their frequent words reach.
    """
    best = {word: max(counts) / sum(counts) for word, counts in counted_words.occurrences()}
    often = {word for word, counts in counted_words.occurrences() if sum(counts) >= AT_LEAST}
    reached: dict[str, dict[str, Counter[int]]] = {
        which: {label: Counter() for label in counted_words.labels}
        for which in ("all_words", "frequent_words")
    }
    for pair in pairs:
        words = {token for token in tokens(pair.hypothesis, language) if is_word(token)}
        for which, counted in (("all_words", words), ("frequent_words", words & often)):
            highest = max((best[word] for word in counted), default=0.0)
            # In whole hundredths, rounded down; the small number corrects for floating point.
            hundredths = math.floor(100 * highest + 1e-9)
            reached[which][pair.label][hundredths] += 1
            if which == "frequent_words" and pair.prompt_version:
                prompts[pair.prompt_version][hundredths] += 1
    return [
        {
            "threshold": hundredths / 100,
            **{
                which: {
                    label: sum(times for value, times in counts.items() if value >= hundredths)
                    for label, counts in by_label.items()
                }
                for which, by_label in reached.items()
            },
        }
        for hundredths in range(101)
    ]
