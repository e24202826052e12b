"""Published corpora of several protocols, as groups: what hypotheses alone tell is what others counted.

docs/statistics.md has the published figures beside ours. Writers are kept together where the files name them, else premises.
"""

import csv
import gzip
import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from snapshots.statistics.alarm import NEGATION, Sentence, alarms
from snapshots.statistics.hypothesis_bias import Labelled, measure_bias
from tests.replication.conftest import WORDS

pytestmark = pytest.mark.thorough

LABELS = tuple(WORDS.values())


def opened(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
        yield from lines


def table(path: Path) -> Iterator[dict[str, str]]:
    return csv.DictReader(opened(path), delimiter="\t", quoting=csv.QUOTE_NONE)


def new_protocols(folder: Path) -> Iterator[Labelled]:
    for protocol in ("base", "edit_premise", "contrast"):
        for row in (
            *table(folder / f"{protocol}_train.tsv.gz"),
            *map(json.loads, opened(folder / f"{protocol}_val.jsonl")),
        ):
            yield Labelled(row["sentence2"], row["gold_label"], row["promptID"], "", protocol)


def lingnli(folder: Path) -> Iterator[Labelled]:
    """`label` is the one that was asked for: in the first round `annotator_labels` has entailment for nearly all."""
    for protocol in ("base", "LotS"):
        for row in map(json.loads, opened(folder / f"train_{protocol}.jsonl.gz")):
            group = f"{protocol} {row['promptID']}"
            yield Labelled(row["hypothesis"], row["label"], group, "", protocol, str(row["AnonId"]))


def semi_automatic(folder: Path) -> Iterator[Labelled]:
    for protocol in ("base", "translate"):
        (path,) = folder.glob(f"{protocol}_wiki_train.jsonl*")
        for row in map(json.loads, opened(path)):
            yield Labelled(
                row["hypothesis"], WORDS.get(row["label"], ""), row["premise"], "", protocol, row["annId"]
            )


def counterfactual(folder: Path) -> Iterator[Labelled]:
    for protocol in ("original", "revised_hypothesis"):
        for path in sorted(folder.glob(f"{protocol}_*.tsv")):
            for row in table(path):
                yield Labelled(row["sentence2"], row["gold_label"], row["sentence1"], "", protocol)


def measured(
    pairs: Iterator[Labelled],
) -> tuple[dict[str, dict[str, Any]], dict[tuple[str, ...], dict[str, Any]]]:
    found = measure_bias(pairs, labels=LABELS)
    groups = {row["group"]: row["within"] for row in found["groups"] if row["group"]}
    return groups, {tuple(row["groups"]): row for row in found["compared"]}


def test_the_new_protocols(shared_data):
    """Counted before with other parts: 47.3, 40.8 and 56.2, each with an interval of a point."""
    groups, differences = measured(new_protocols(shared_data / "entailment_new_protocols"))
    found = {name: round(100 * each["share"], 1) for name, each in groups.items()}
    assert found == {
        "base": pytest.approx(48.6, abs=0.5),
        "edit_premise": pytest.approx(41.4, abs=0.5),
        "contrast": pytest.approx(56.5, abs=0.5),
    }
    assert not any(each["by_writer"] for each in groups.values())
    edit = differences["edit_premise", "base"]
    assert edit["effect"] == pytest.approx(-0.085, abs=0.01)
    assert edit["corrected_p"] < 0.01
    assert differences["base", "contrast"]["effect"] == pytest.approx(0.062, abs=0.01), (
        "of the two labels of contrast"
    )


def test_lingnli_with_and_without_a_linguist_on_the_side(shared_data):
    groups, differences = measured(lingnli(shared_data / "lingnli"))
    base, beside = groups["base"], groups["LotS"]
    assert (base["clusters"], beside["clusters"]) == (35, 29)
    assert (base["share"], beside["share"]) == (
        pytest.approx(0.525, abs=0.01),
        pytest.approx(0.451, abs=0.01),
    )
    assert base["low"] < 0.539 < base["high"], "as it was counted before"
    assert beside["low"] < 0.454 < beside["high"]
    (found,) = differences.values()
    assert found["low"] > 0.03
    assert found["p"] < 0.01


def test_semi_automatic_writing(shared_data):
    groups, differences = measured(semi_automatic(shared_data / "semi_automatic_nli"))
    assert groups["base"]["share"] == pytest.approx(0.457, abs=0.01)
    assert groups["translate"]["share"] == pytest.approx(0.371, abs=0.01)
    (found,) = differences.values()
    assert (found["clusters"], found["in_both"]) == ((326, 160), 160)
    assert found["high"] < 0


def test_revised_hypotheses_tell_less_than_the_originals(shared_data):
    groups, differences = measured(counterfactual(shared_data / "counterfactual_nli"))
    assert groups["original"]["share"] == pytest.approx(0.514, abs=0.012)
    assert groups["revised_hypothesis"]["share"] == pytest.approx(0.458, abs=0.012)
    (found,) = differences.values()
    assert found["groups"] == ("revised_hypothesis", "original")
    assert found["effect"] == pytest.approx(-0.10, abs=0.03)
    assert found["p"] < 0.01


def watched(pairs: Iterator[Labelled], bad: str = "") -> list[dict[str, Any]]:
    """Returns what the alarm says of a corpus in which one writer, if any, puts "not" into each contradiction."""
    premises: dict[str, int] = {}
    return alarms(
        [
            Sentence(
                f"{each.hypothesis} Not"
                if each.writer == bad and each.label == "contradiction"
                else each.hypothesis,
                each.label,
                premises.setdefault(each.group, len(premises)),
                "",
                each.writer,
            )
            for each in pairs
        ],
        labels=LABELS,
    )["rang"]


def test_the_alarm_names_the_worst_writers_of_lingnli_and_none_of_the_better_protocol(shared_data):
    """In the base protocol some writers make contradictions by negation; with a linguist on the side nobody does."""
    pairs = list(lingnli(shared_data / "lingnli"))
    base, beside = ([each for each in pairs if each.kind == kind] for kind in ("base", "LotS"))
    rang = watched(iter(base))
    assert {(row["kind"], row["word"], row["label"]) for row in rang} == {
        ("writer", NEGATION, "contradiction")
    }
    assert {row["name"] for row in rang if row["rang"] <= 150} == {"102", "118", "136"}
    assert watched(iter(beside)) == []
    numbers = Counter(each.writer for each in beside)
    for writer in [each for each, number in numbers.most_common() if number >= 150][::3]:
        after = {row["name"]: row["rang"] for row in watched(iter(beside), bad=writer)}
        assert after.keys() <= {writer, ""}, "all sentences ring where the file begins with this writer's"
        assert after[writer] <= 150


def test_honest_corpora_made_of_a_real_one_do_not_ring(shared_data):
    """Writers of the better protocol get the sentences of all, by premises that are drawn: of twenty one rings at most."""
    beside = [each for each in lingnli(shared_data / "lingnli") if each.kind == "LotS"]
    by_premise: dict[str, list[Labelled]] = {}
    for each in beside:
        by_premise.setdefault(each.group, []).append(each)
    rang = 0
    for seed in range(20):
        dice = random.Random(seed)
        drawn = dice.sample(list(by_premise), 600)
        rang += bool(
            watched(
                replace(each, writer=f"w{n % 12}")
                for n, group in enumerate(drawn)
                for each in by_premise[group]
            )
        )
    assert rang <= 1


def revised_after_originals(folder: Path) -> Iterator[Labelled]:
    """Yields the originals of train to learn from, and originals and revisions of test to try."""
    for protocol, part in (
        ("original", "train"),
        ("original", "test"),
        ("revised_hypothesis", "test"),
        ("revised_premise", "test"),
    ):
        for row in table(folder / f"{protocol}_{part}.tsv"):
            kind = protocol if part == "test" else ""
            yield Labelled(row["sentence2"], row["gold_label"], f"{part} {row['sentence1']}", part, kind)


def test_what_originals_tell_of_hypotheses_is_lost_on_revisions(shared_data):
    """Kaushik et al. 2020, section 5, with a network: what is learnt of originals fails on what was revised."""
    found = measure_bias(revised_after_originals(shared_data / "counterfactual_nli"), labels=LABELS)
    assert found["tried_on"] == "dev and test"
    of = {
        row["group"]: round(100 * row["hypothesis_only"], 1)
        for row in found["groups"]
        if row["tried"] and row["group"]
    }
    assert of == {
        "original": pytest.approx(54.5, abs=1),
        "revised_hypothesis": pytest.approx(37.5, abs=1),
        "revised_premise": pytest.approx(22.8, abs=1),
    }


def revised_premises(folder: Path) -> Iterator[Labelled]:
    """Yields pairs whose equal hypotheses are in one part: with another premise they have other labels."""
    for protocol in ("original", "revised_premise"):
        for path in sorted(folder.glob(f"{protocol}_*.tsv")):
            for row in table(path):
                yield Labelled(row["sentence2"], row["gold_label"], row["sentence2"], "", protocol)


def test_revised_premises_with_equal_hypotheses_in_one_part(shared_data):
    groups, differences = measured(revised_premises(shared_data / "counterfactual_nli"))
    assert groups["revised_premise"]["share"] == pytest.approx(0.399, abs=0.012)
    assert groups["original"]["share"] == pytest.approx(0.516, abs=0.012)
    (found,) = differences.values()
    assert found["effect"] < -0.1
    assert found["p"] < 0.01


def anli(folder: Path) -> Iterator[Labelled]:
    for row in map(json.loads, opened(folder / "anli_dev_with_verifiers.jsonl.gz")):
        yield Labelled(
            row["hypothesis"], WORDS[row["gold_label"]], row["context"], "", f"round {row['round']}"
        )


def test_rounds_of_anli_and_how_many_pairs_took_a_third_verifier(shared_data):
    groups, differences = measured(anli(shared_data / "anli"))
    assert {name: round(100 * each["share"], 1) for name, each in groups.items()} == {
        "round 1": pytest.approx(43.9, abs=1),
        "round 2": pytest.approx(43.8, abs=1),
        "round 3": pytest.approx(38.6, abs=1),
    }
    assert differences["round 3", "round 1"]["corrected_p"] < 0.15, (
        "three comparisons of a thousand pairs each"
    )
    thirds: dict[int, list[bool]] = {}
    for row in map(json.loads, opened(shared_data / "anli" / "anli_dev_with_verifiers.jsonl.gz")):
        thirds.setdefault(row["round"], []).append(len(row["verifier_labels"]) > 2)
    shares = {number: round(100 * sum(each) / len(each), 1) for number, each in sorted(thirds.items())}
    assert shares == {1: 29.8, 2: 29.0, 3: 32.6}
