"""An alarm while sentences come in: who, what or which week lets a single word tell the label. With a stated error rate.

Somebody bets on the label of each sentence, and knows of it one word: the one that told most among the sentences before.
Where words tell nothing such bets are fair; here they may even win a tenth a sentence, as with usual sentences. What they
win is then a supermartingale, and exceeds 1 / level at any time with a probability of at most the level (Ville 1939; Shafer
2021, Testing by betting). Who begins late to give labels away is found, too: part of the stake waits (starts are weighted).

Texts and counts of words are in memory.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from shared.sequential import LEVEL
from snapshots.statistics.regression import Ints, counted
from snapshots.statistics.tags import negates
from snapshots.statistics.words import stop_words, tokens

FEWEST = 30  # sentences of whom, or of what, is watched
USUAL_GAIN = 0.1  # of a stake, for each sentence: what a word may tell
FIRST, ANEW = 10, 1.1  # the word is chosen at the 10th sentence, and whenever there are a tenth more
RARE = 3  # times: a word that is rarer tells nothing
FAINT, BEFORE = 2.0, 10.0  # sentences that are added to counts: with each word, and of each corpus
MANY = 1000  # of a kind that share its part of the level; more share it, too
KINDS = ("word", "writer", "prompt", "week")
NEGATION = "not, no, never …"

DEFINITIONS = {
    "alarm": (
        "Rings if one who knows a single word of each sentence, chosen by the sentences before, would clearly win more than"
        f" {USUAL_GAIN:.0%} of a stake a sentence by bets on the label (testing by betting, Shafer 2021). False alarms: of"
        f" corpora in which no word tells that much, at most {LEVEL:.0%} ever ring, however often they are counted. Watched"
        f" are all sentences, and each writer, prompt version and week of {FEWEST} sentences or more."
    ),
    "rang": "After how many sentences of theirs, three of each premise where three are asked for.",
    "word": "The word, or two neighbouring words, or any negation, that told most then.",
    "share": "Of all sentences with it, how many have the label that it goes with.",
}


class Sentence(NamedTuple):
    """A hypothesis, with the label it was written for. writer, prompt, week: empty where there is none. when: as ISO."""

    text: str
    label: str
    premise: int
    when: str
    writer: str = ""
    prompt: str = ""
    week: str = ""


def alarms(
    sentences: Iterable[Sentence],
    *,
    labels: Sequence[str],
    language: str = "en",
    progress: Callable[[float], None] = lambda share: None,
) -> dict[str, Any]:
    """Watches over sentences in the order in which they came.

    Returns what rang, the earliest first, and how many of each kind were watched.
    """
    known = [each for each in sentences if each.label in labels]
    if not known:
        return {"rang": [], "watched": dict.fromkeys(KINDS, 0)}
    words, names = _words([each.text for each in known], language)
    truth = np.array([labels.index(each.label) for each in known], dtype=np.int64)
    premises = np.array([each.premise for each in known], dtype=np.int64)
    usual = np.bincount(truth, minlength=len(labels)) / len(truth)
    rang, watched = [], {}
    for place, kind in enumerate(KINDS):
        parts: defaultdict[str, list[int]] = defaultdict(list)
        for at, sentence in enumerate(known):
            parts["" if kind == "word" else getattr(sentence, kind)].append(at)
        if kind != "word":
            parts.pop("", None)
        limit = math.log(len(KINDS) / LEVEL * (math.log(max(MANY, len(parts))) + 0.58))  # the sum of 1 / n
        watched[kind] = sum(len(each) >= FEWEST for each in parts.values())
        for number, (name, rows) in enumerate(parts.items(), start=1):
            if len(rows) < FEWEST:
                continue
            here = in_order(np.array(rows), premises)
            found = first_ring(words[here], truth[here], usual, limit + math.log(number))
            if found:
                at, word = found
                has = np.asarray(words[here, word].todense()).ravel() > 0
                hits = np.bincount(truth[here][has], minlength=len(labels))
                label = int((hits / usual).argmax())
                rang.append(
                    {
                        "kind": kind,
                        "name": name,
                        "rang": at,
                        "sentences": len(rows),
                        "word": str(names[word]),
                        "label": labels[label],
                        "with_word": int(has.sum()),
                        "share": float(hits[label] / has.sum()),
                        "when": known[here[at - 1]].when,
                    }
                )
        progress((place + 1) / len(KINDS))
    return {"rang": sorted(rang, key=lambda row: (row["when"], row["kind"])), "watched": watched}


def in_order(rows: Ints, premises: Ints) -> Ints:
    """Returns the rows with those of a premise together, by its first one: files may be sorted by label."""
    _, first, which = np.unique(premises[rows], return_index=True, return_inverse=True)
    return rows[np.argsort(first[which], kind="stable")]


def first_ring(words: Any, truth: Ints, usual: Any, limit: float) -> tuple[int, int] | None:
    """Returns after how many sentences the logarithm of the winnings reaches the limit, and the word of then."""
    gains, chosen = _gains(words, truth, usual)
    won = np.cumsum(gains - math.log1p(USUAL_GAIN))
    start = np.arange(1, len(won) + 1)
    before = np.concatenate([[0.0], won[:-1]])
    all_starts = won + np.logaddexp.accumulate(-np.log(start * (start + 1.0)) - before)
    reached = np.flatnonzero(all_starts >= limit)
    return (int(reached[0]) + 1, int(chosen[reached[0]])) if len(reached) else None


def _gains(words: Any, truth: Ints, usual: Any) -> tuple[Any, Ints]:
    """Returns by what factor (its logarithm) a bet multiplies at each sentence, and the word that the bettor knows."""
    number, classes = len(truth), len(usual)
    often = np.flatnonzero(np.asarray(words.sum(0)).ravel() >= RARE)
    words = words[:, often]
    gains, chosen = np.zeros(number), np.full(number, -1)
    with_word, total = np.zeros((words.shape[1], classes)), np.zeros(classes)
    begin, end, word = 0, min(FIRST, number), -1
    while begin < number:
        block, labels = words[begin:end], truth[begin:end]
        marks = np.eye(classes)[labels]
        if word >= 0:
            has = np.asarray(block[:, word].todense()).ravel() > 0
            so_far = total + np.vstack([np.zeros(classes), marks[:-1]]).cumsum(0)
            told = with_word[word] + np.vstack([np.zeros(classes), (marks * has[:, None])[:-1]]).cumsum(0)
            share = (so_far + BEFORE * usual) / (so_far.sum(1, keepdims=True) + BEFORE)
            alike = np.where(has[:, None], told, so_far - told)
            bet = (alike + FAINT * share) / (alike.sum(1, keepdims=True) + FAINT)
            each = np.arange(len(labels))
            gains[begin:end] = np.log(bet[each, labels] / share[each, labels])
            chosen[begin:end] = often[word]
        with_word += np.asarray(block.T @ marks)
        total += marks.sum(0)
        begin, end = end, min(max(end + FIRST // 2, int(end * ANEW)), number)
        word = _telling(with_word, total, usual) if len(often) else -1
    return gains, chosen


def _telling(with_word: Any, total: Any, usual: Any) -> int:
    """Returns the word by which most would have been won so far."""
    share = (total + BEFORE * usual) / (total.sum() + BEFORE)
    won = np.zeros(len(with_word))
    for alike in (with_word, total - with_word):
        won += (alike * np.log((alike / share + FAINT) / (alike.sum(1, keepdims=True) + FAINT))).sum(1)
    return int(won.argmax())


def _words(texts: Sequence[str], language: str) -> tuple[Any, Any]:
    """Returns which words and neighbouring words stand in which sentences, negations as one word beside, and their names."""
    from scipy.sparse import csr_matrix, hstack

    words, names = counted(texts, language)
    if not stop_words(language):  # of a language whose negations are not known
        return words, names
    negated = [[any(negates(token.lower()) for token in tokens(text, language))] for text in texts]
    return hstack([words, csr_matrix(np.array(negated, dtype=np.float32))], format="csr"), [*names, NEGATION]
