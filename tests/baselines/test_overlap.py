"""Evaluated pairs that occur in training are counted and reported."""

from pathlib import Path

from modeling.baselines.data import Pair
from modeling.baselines.overlap import count_overlap, load_training_texts, save_training_texts, training_texts
from tests.baselines.small import line, run_train, small_run, write_lines


def pair(premise: str, hypothesis: str) -> Pair:
    return Pair("x", (premise,), hypothesis, 0, "g")


TRAIN = [pair("A dog runs.", "It moves."), pair("A cat sleeps.", "It rests.")]
EVALUATED = [
    pair("A dog runs.", "It moves."),
    pair("A dog  runs. ", "It moves."),
    pair("A dog runs.", "It rests."),
    pair("A cow eats.", "It rests."),
    pair("A cow eats.", "It eats."),
    pair("It moves.", "A dog runs."),
]


def test_pairs_premises_and_hypotheses_seen_in_training_are_counted(tmp_path: Path):
    expected = {"pairs": 2, "premises": 3, "hypotheses": 4}
    texts = training_texts(TRAIN)
    assert count_overlap(EVALUATED, texts) == expected
    save_training_texts(tmp_path / "texts.safetensors", texts)
    assert load_training_texts(tmp_path / "texts.safetensors") == texts


def test_overlap_is_a_warning_and_part_of_the_metrics(tmp_path: Path):
    run = small_run(tmp_path)
    run["files"]["test"] = write_lines(
        tmp_path / "test.jsonl",
        [line("t1", "A dog waits on a bridge.", "A dog waits for a friend.", "neutral")],
    )
    events = run_train(run, tmp_path)[1]
    expected = {"pairs": 1, "premises": 1, "hypotheses": 1}
    warned = [event for event in events if event.get("partition") == "test" and "overlap" in event]
    assert [event["overlap"] for event in warned] == [expected]
    assert events[-1]["metrics"]["overlap"]["test"] == events[-1]["metrics"]["test"]["overlap"] == expected
