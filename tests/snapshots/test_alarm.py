"""The alarm names who lets a word tell the label, and cries wolf in one honest corpus of twenty at most."""

from typing import Any

import numpy as np
import pytest

from snapshots.statistics.alarm import NEGATION, USUAL_GAIN, Sentence, alarms

LABELS = ("entailment", "neutral", "contradiction")
WRITERS, PREMISES = 20, 40
HABIT = {
    "entailment": 0.10,
    "neutral": 0.10,
    "contradiction": 0.36,
}  # how often honest writers use their word
SEED = 33


def corpus(
    dice: Any,
    bad: int | None = None,
    since: int = 0,
    words: tuple[str, ...] = ("seldom",),
    habit: Any = HABIT,
) -> list[Sentence]:
    """Returns a corpus whose writers have a word that tells as much as is usual. bad: lets one tell, from a premise on."""
    weights = 1 / np.arange(1, 301)
    found = []
    for premise in range(PREMISES):
        for writer in range(WRITERS):
            for label in LABELS:
                text = [f"w{n}" for n in dice.choice(300, 6, p=weights / weights.sum())]
                text += [f"h{writer % 5}"] * (dice.random() < habit[label])
                if writer == bad and premise >= since and (label == "contradiction" or dice.random() < 0.1):
                    text.append(dice.choice(words))
                found.append(
                    Sentence(
                        " ".join(text),
                        label,
                        premise * WRITERS + writer,
                        f"2026-03-{premise // 2 + 1:02d}",
                        f"writer {writer}",
                        "fiction version 1",
                        f"week {premise // 10}",
                    )
                )
    return found


def rang(sentences: list[Sentence]) -> list[tuple[str, str, str]]:
    return [(row["kind"], row["name"], row["word"]) for row in alarms(sentences, labels=LABELS)["rang"]]


def test_the_habit_of_honest_writers_is_as_telling_as_the_alarm_allows():
    """By definition: one who knows the shares wins the sum over words and labels of p(label | word)^2 p(word) / p(label)."""
    with_word = np.array([*HABIT.values()]) / 3
    without = 1 / 3 - with_word
    won = sum((each**2).sum() / each.sum() * 3 for each in (with_word, without)) - 1
    assert won == pytest.approx(USUAL_GAIN, abs=0.002)


def test_the_writer_is_named_with_the_word_within_150_sentences():
    (row,) = alarms(corpus(np.random.default_rng(SEED), bad=7), labels=LABELS)["rang"]
    assert (row["kind"], row["name"], row["word"]) == ("writer", "writer 7", "seldom")
    assert (row["label"], row["sentences"]) == ("contradiction", 3 * PREMISES)
    assert 10 < row["rang"] < 80
    assert row["share"] > 0.7
    assert row["when"].startswith("2026-03-")


def test_negations_are_one_word():
    told = rang(corpus(np.random.default_rng(SEED), bad=7, words=("not", "never", "nobody")))
    assert told == [("writer", "writer 7", NEGATION)]


def test_who_begins_late_is_named_too():
    assert rang(corpus(np.random.default_rng(SEED), bad=7, since=12)) == [("writer", "writer 7", "seldom")]


@pytest.mark.parametrize("kind", ["word", "prompt", "week"])
def test_what_all_writers_do_is_the_word_s_the_prompt_s_or_the_week_s(kind):
    """Under a prompt, or in a week, the label is told by a word that each writer uses a few times."""
    found = []
    for n, each in enumerate(corpus(np.random.default_rng(SEED))):
        bad = {"word": True, "prompt": n % 5 == 0, "week": each.week == "week 2"}[kind]
        text = f"{each.text} never" if bad and each.label == "contradiction" else each.text
        writer = f"writer {n // 3 % 400}"  # of few sentences each
        prompt = "version 2" if kind == "prompt" and bad else "version 1"
        found.append(each._replace(text=text, writer=writer, prompt=prompt))
    names = {(of, name) for of, name, _ in rang(found)}
    assert {"word": ("word", ""), "prompt": ("prompt", "version 2"), "week": ("week", "week 2")}[
        kind
    ] in names


def test_a_file_that_is_sorted_by_label_does_not_ring():
    honest = corpus(np.random.default_rng(SEED))
    assert rang(sorted(honest, key=lambda each: each.label)) == []


def test_labels_of_unlike_frequency_do_not_ring():
    honest = corpus(np.random.default_rng(SEED), habit=dict.fromkeys(LABELS, 0.1))
    assert rang([each for n, each in enumerate(honest) if each.label == "neutral" or n % 4 == 0]) == []


def test_what_was_found_in_part_of_a_corpus_stays_found():
    """A count of another night does not take an alarm back."""
    whole = corpus(np.random.default_rng(SEED), bad=7)
    early, late = (alarms(each, labels=LABELS)["rang"][0] for each in (whole[: len(whole) * 3 // 4], whole))
    assert (late["name"], late["when"]) == (early["name"], early["when"])


@pytest.mark.parametrize("sentences", [[], [Sentence("It rained.", "entailment", 1, "2026-03-01")]])
def test_nothing_rings_where_there_is_nothing(sentences):
    assert alarms(sentences, labels=LABELS)["rang"] == []


@pytest.mark.thorough
def test_one_honest_corpus_in_twenty_rings_at_most_and_most_bad_writers_are_named():
    """All honest writers are at the limit of what is honest: the worst case."""
    false = [bool(rang(corpus(np.random.default_rng(seed)))) for seed in range(60)]
    assert np.mean(false) <= 0.05
    named = [
        rang(corpus(np.random.default_rng(seed), bad=seed)) == [("writer", f"writer {seed}", "seldom")]
        for seed in range(20)
    ]
    assert np.mean(named) >= 0.9
