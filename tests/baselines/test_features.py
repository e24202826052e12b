"""The classifiers with features: their features, their fit, and their runs."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from nltk.translate.bleu_score import sentence_bleu

from modeling.baselines.batches import EncodedPairs, distributions_of, encode_texts, texts_of
from modeling.baselines.catalogue import BASELINES, make_settings
from modeling.baselines.data import Pair
from modeling.baselines.features import tagged
from modeling.baselines.features.edits import WEIGHTS, edit_distances
from modeling.baselines.features.lexicon import Features
from modeling.baselines.features.measures import bleus, length_difference, overlap_shares, overlaps
from modeling.baselines.features.tagged import Tagger, Word
from modeling.baselines.networks import FittedNetwork, make_network
from modeling.baselines.prediction import predict
from modeling.baselines.results import top_features
from modeling.baselines.settings import FeatureSettings, LexicalizedSettings
from modeling.baselines.vocabulary import RESERVED, build_vocabulary
from tests.baselines.small import line, lines, run_evaluate, run_train, small_run, write_lines
from tests.baselines.test_resuming import StopAfter, assert_same_result

WITH_FEATURES = sorted(name for name, kind in BASELINES.items() if issubclass(kind, FeatureSettings))
CPU = torch.device("cpu")


def words(text: str) -> list[Word]:
    """Reads words like `word/TAG`. A word that begins with ~ is a stop word; its lemma is its first three letters."""
    parts = [one.rsplit("/", 1) for one in text.split()]
    return [Word(one.lstrip("~"), one.lstrip("~")[:3], tag, one[0] == "~") for one, tag in parts]


PREMISE = words("~two/CD dogs/NNS run/VBP ~in/IN ~the/DT park/NN")
HYPOTHESIS = words("dogs/NNS running/VBG ~in/IN ~the/DT house/NN")


def pair(premise: str, hypothesis: str, label: int = 0, **more: Any) -> Pair:
    return Pair(f"{premise}|{hypothesis}", (premise,), hypothesis, label, "g", **more)


def names_of(**switches: bool) -> set[str]:
    off = dict.fromkeys(("hypothesis_ngrams", "cross_unigrams", "cross_bigrams"), False)
    settings = LexicalizedSettings(**(off | switches))
    return set(Features(RESERVED, settings).names_of(PREMISE, HYPOTHESIS))


@pytest.mark.parametrize(
    ("premise", "hypothesis"),
    [
        ("a dog runs in the big park", "a dog runs in the park"),
        ("a dog runs in the big park", "the big park in which a dog runs in the big sun is a very big park"),
        ("a a a b c d", "a a b c d e"),
    ],
)
def test_bleu_is_that_of_nltk(premise: str, hypothesis: str):
    ours = bleus(*(words(" ".join(f"{word}/X" for word in text.split())) for text in (premise, hypothesis)))
    for length, value in enumerate(ours, start=1):
        theirs = sentence_bleu([premise.split()], hypothesis.split(), weights=[1 / length] * length)
        assert value == pytest.approx(theirs)


def test_bleu_is_zero_from_the_length_on_of_which_nothing_is_shared():
    assert [value > 0 for value in bleus(PREMISE, HYPOTHESIS)] == [True, True, False, False]
    assert bleus(PREMISE, []) == bleus([], HYPOTHESIS) == [0.0] * 4


def test_overlap_is_counted_and_set_against_what_is_possible():
    assert length_difference(PREMISE, HYPOTHESIS) == [-1.0]
    # dogs, in, the; of the content words dogs, run, park and dogs, running, house: dogs.
    assert overlaps(PREMISE, HYPOTHESIS) == [3.0, 3 / 5, 1.0, 1 / 3]
    assert overlaps([], HYPOTHESIS) == [0.0] * 4
    shares = overlap_shares(PREMISE, HYPOTHESIS)
    assert shares[:3] == [3 / 5, 3 / 6, 3 / 5 * 3 / 6]
    assert shares[3:6] == [4 / 5, 4 / 6, 4 / 5 * 4 / 6]  # run and running have one lemma here
    assert shares[6:] == [2 / 3, 2 / 3, 4 / 9]


def test_words_of_the_hypothesis_are_features_alone_and_with_their_neighbours():
    assert names_of(hypothesis_ngrams=True) == {
        "1 dogs", "1 running", "1 in", "1 the", "1 house",
        "2 dogs running", "2 running in", "2 in the", "2 the house",
    }  # fmt: skip


def test_words_with_the_same_tag_are_crossed():
    expected = {
        f"11 {theirs.text} {mine.text}" for theirs in PREMISE for mine in HYPOTHESIS if theirs.tag == mine.tag
    }
    assert names_of(cross_unigrams=True) == expected
    assert "11 park house" in expected
    assert len(expected) == 4


def test_word_pairs_are_crossed_where_their_second_words_have_the_same_tag():
    assert names_of(cross_bigrams=True) == {
        "22 run in running in",
        "22 in the in the",
        "22 the park the house",
    }


def plain_distance(given: list[str], said: list[str], delete: float, replace: float) -> float:
    """Computes the lowest cost by its definition."""

    @cache
    def cost(left: int, right: int) -> float:
        if not left or not right:
            return left * delete + right
        same = given[left - 1] == said[right - 1]
        return min(
            cost(left - 1, right) + delete,
            cost(left, right - 1) + 1,
            cost(left - 1, right - 1) + (0 if same else replace),
        )

    dearest = len(given) * delete + len(said)
    return cost(len(given), len(said)) / dearest if dearest else 0.0


@pytest.mark.parametrize("stop_words", [True, False])
def test_edit_distances_are_those_of_the_definition(stop_words: bool):
    for premise, hypothesis in ((PREMISE, HYPOTHESIS), (HYPOTHESIS, PREMISE), (PREMISE, []), ([], [])):
        given, said = (
            [word.text for word in side if stop_words or not word.is_stop] for side in (premise, hypothesis)
        )
        expected = [plain_distance(given, said, *weights) for weights in WEIGHTS]
        assert edit_distances(premise, hypothesis, stop_words) == pytest.approx(expected)


def test_the_tagger_gives_tags_lemmas_and_stop_words_in_lower_case():
    ((premise, hypothesis),) = Tagger().read([Pair("1", ("Two dogs ran.", "It  rains."), "", 0, "g")])
    assert [(word.text, word.lemma, word.tag, word.is_stop) for word in premise] == [
        ("two", "two", "CD", True), ("dogs", "dog", "NNS", False), ("ran", "run", "VBD", False), (".", ".", ".", True),
        ("it", "it", "PRP", True), ("rains", "rain", "VBZ", False), (".", ".", ".", True),
    ]  # fmt: skip
    assert hypothesis == []


def test_runs_on_one_snapshot_tag_a_sentence_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    first, second = (
        Pair(str(place), (text,), "It rains.", 0, "g") for place, text in enumerate(("A dog ran.", "Two."))
    )
    words = []
    for pairs in ([first], [first, second]):
        tagger = Tagger()
        tagger.keep_in(tmp_path, "0" * 64)
        words.append(list(tagger.read(pairs)))
    assert words[1][:1] == words[0]
    assert words[1] == list(Tagger().read([first, second])), "as without a cache"
    monkeypatch.setattr(tagged, "_model", lambda parses: pytest.fail("spaCy is asked again"))
    again = Tagger()
    again.keep_in(tmp_path, "0" * 64)
    assert list(again.read([first, second])) == words[1]


def test_a_damaged_cache_of_words_is_passed_over(tmp_path: Path):
    for file in ("", "not a database"):
        tagger = Tagger()
        tagger.keep_in(tmp_path, "0" * 64)
        (tmp_path / "tagged").mkdir(exist_ok=True)
        (tmp_path / "tagged" / f"1-{'0' * 64}-en.sqlite3").write_text(file)
        ((_, hypothesis),) = tagger.read([Pair("1", ("A dog.",), "It rains.", 0, "g")])
        assert [word.text for word in hypothesis] == ["it", "rains", "."]


SENTENCES = ("A dog sleeps.", "", "zzz qqq", "Two dogs run in a park.", " ".join(["runs"] * 401))


def fitted(baseline: str, soft: bool = False, **changes: Any) -> tuple[FittedNetwork, EncodedPairs]:
    """Returns a baseline that was fitted to pairs of every length, and these pairs."""
    settings = make_settings(baseline, changes)
    assert isinstance(settings, FeatureSettings)
    classes = 3 if baseline == "lexicalized" else 2
    pairs = [
        pair(one, other, (3 * i + i // 5) % classes, votes=(2, 1, 2)[:classes] if i % 4 else ())
        for i, (one, other) in enumerate((one, other) for one in SENTENCES for other in SENTENCES)
    ]
    lexicon = Features(RESERVED, settings)
    network = make_network(settings, len(RESERVED), 0, classes)
    sides = [texts_of(side, pairs, lexicon) for side in network.reads]
    found = build_vocabulary((names for side in sides for (names,) in side), 1)
    lexicon = Features(found.words, settings, lexicon.tagger)
    network = make_network(settings, len(lexicon), 0, classes)
    assert isinstance(network, FittedNetwork)
    encoded = encode_texts(sides, pairs, lexicon, distributions_of(pairs, classes) if soft else None)
    assert network.fit(encoded, np.arange(len(pairs))) == ""
    return network.eval(), encoded


@pytest.mark.parametrize("baseline", WITH_FEATURES)
def test_padding_and_company_never_change_a_prediction(baseline: str):
    network, pairs = fitted(baseline)
    classes = 3 if baseline == "lexicalized" else 2
    together = predict(network, pairs, classes, CPU, lambda: None)
    alone = [network(pairs.cut(np.array([row]), CPU)).softmax(dim=1).numpy() for row in range(len(pairs))]
    assert np.isfinite(together).all()
    np.testing.assert_allclose(together, np.concatenate(alone), atol=1e-6)


@pytest.mark.parametrize("soft", [False, True])
def test_a_regression_ends_where_no_small_change_of_a_weight_makes_it_better(soft: bool):
    network, pairs = fitted("lexicalized", soft, l2=0.5)
    assert pairs.measures is not None
    batch = replace(
        pairs.cut(np.arange(len(pairs)), CPU), measures=torch.from_numpy(pairs.measures.astype(np.float64))
    )
    spread = torch.from_numpy(pairs.measures.astype(np.float64).std(axis=0))
    weights = {name: tensor.double().requires_grad_() for name, tensor in network.state_dict().items()}
    logits = torch.func.functional_call(network, weights, (batch,))
    targets = batch.targets.double() if soft else batch.targets
    loss = torch.nn.functional.cross_entropy(logits, targets, reduction="sum")
    penalty = (weights["names"] ** 2).sum() + ((weights["measures"] * spread) ** 2).sum()
    gradients = torch.autograd.grad(loss + 0.5 / 2 * penalty, list(weights.values()))
    for name, gradient in zip(weights, gradients, strict=True):
        # L2 is on the weights of measures that have been divided by their spread.
        assert (gradient / (spread if name == "measures" else 1)).abs().max() < 0.01, name
    untrained = torch.nn.functional.cross_entropy(torch.zeros_like(logits), targets, reduction="sum")
    assert loss < 0.9 * untrained


def test_the_threshold_and_the_weights_of_edits_are_the_best_there_are():
    network, pairs = fitted("edit_distance")
    right = (predict(network, pairs, 2, CPU, lambda: None).argmax(axis=1) == pairs.labels).sum()
    assert pairs.measures is not None
    best = max(
        ((distances > threshold) == pairs.labels).sum()
        for distances in pairs.measures.T
        for threshold in (-1, *distances)
    )
    assert right == best
    assert 2 * best > len(pairs)


def test_soft_labels_weigh_what_people_said():
    network, pairs = fitted("edit_distance", soft=True)
    assert pairs.distributions is not None
    counts = network.state_dict()["counts"].numpy() - 1
    np.testing.assert_allclose(counts.sum(axis=0), pairs.distributions.sum(axis=0), rtol=1e-5)


def giveaway(where: Path, baseline: str, **changes: Any) -> dict[str, Any]:
    """Returns the metrics of a run on pairs whose hypothesis gives the label away."""
    code, events = run_train(small_run(where, baseline, **changes), where)
    assert code == 0, events[-1]
    return dict(events[-1]["metrics"])


@pytest.mark.thorough
def test_lexicalized_learns_pairs_by_heart_and_without_words_it_cannot(tmp_path: Path):
    assert giveaway(tmp_path / "all", "lexicalized")["train"]["accuracy"] == 1.0
    unlexicalized = dict.fromkeys(("hypothesis_ngrams", "cross_unigrams", "cross_bigrams"), False)
    where = tmp_path / "some"
    assert giveaway(where, "lexicalized", settings=unlexicalized)["test"]["pairs"] == 12
    assert json.loads((where / "run/vocabulary.json").read_text()) == list(RESERVED)


def test_the_top_features_of_a_label_are_those_far_above_the_mean_over_labels():
    names = (*RESERVED, "1 dog", "2 a dog", "11 cat dog", "22 a cat a dog")
    weights = torch.tensor([[9.0, 0, 0], [9, 0, 0], [3, 0, 0], [1, 1, 1], [0, 6, 0], [0, -3, 0]])
    found = top_features(names, weights, ("e", "n", "c"))
    assert [(one["feature"], one["weight"]) for one in found["e"]] == [("dog", 2.0), ("a cat → a dog", 1.0)]
    assert found["n"] == [
        {"feature": "cat → dog", "kind": "word of the premise with one of the hypothesis", "weight": 4.0}
    ]
    assert [one["feature"] for one in found["c"]] == ["a cat → a dog"]


def test_a_word_that_gives_the_label_away_is_a_top_feature_of_its_label(tmp_path: Path):
    giveaway(tmp_path, "lexicalized")
    found = json.loads((tmp_path / "run/top_features.json").read_text())
    assert found.keys() == {"entailment", "neutral", "contradiction"}
    pairs = [json.loads(text) for text in (tmp_path / "train.jsonl").read_text().splitlines()]
    for label, features in found.items():
        first = next(one["feature"] for one in features if one["kind"] == "word of the hypothesis")
        given = [one["sentence2"] for one in pairs if one["gold_label"] == label]
        assert all(first in text.lower() for text in given)
    assert not (tmp_path / "run/training_dynamics.jsonl").exists()


@pytest.mark.thorough
def test_a_run_is_scored_again_from_its_folder_alone(tmp_path: Path):
    for baseline in WITH_FEATURES:
        run = small_run(tmp_path / baseline, baseline)
        giveaway(tmp_path / baseline, baseline)
        folder = tmp_path / baseline / "run"
        told = json.loads((folder / "environment.json").read_text())
        assert {"scikit-learn", "spacy"} < set(told["packages"])
        assert told["vectors"] is None
        evaluation = {
            "snapshot": run["snapshot"],
            "files": {"test": run["files"]["test"]},
            "folder": str(tmp_path / baseline / "again"),
            "collapse": baseline != "lexicalized",
        }
        code, events = run_evaluate(folder, evaluation, tmp_path)
        assert code == 0, events[-1]
        name = "predictions-test.jsonl"
        assert (tmp_path / baseline / "again" / name).read_bytes() == (folder / name).read_bytes()


@pytest.mark.thorough
def test_a_stopped_run_ends_as_one_that_never_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    giveaway(tmp_path / "whole", "lexicalized")
    run = small_run(tmp_path / "stopped", "lexicalized")
    with monkeypatch.context() as patch:
        patch.setattr("modeling.baselines.program.Stop", lambda: StopAfter(2))
        assert run_train(run, tmp_path)[0] == 3
    assert run_train(run, tmp_path)[0] == 0
    assert_same_result(tmp_path / "whole/run", tmp_path / "stopped/run")


def test_a_regression_that_did_not_converge_says_so(tmp_path: Path):
    _, events = run_train(small_run(tmp_path, "lexicalized", settings={"iterations": 1}), tmp_path)
    warned = [event["message"] for event in events if event["event"] == "warning"]
    assert any("had not converged after 1 steps" in message for message in warned)


@pytest.mark.parametrize(
    ("baseline", "change", "says"),
    [
        ("edit_distance", {"scheme": "nli3", "collapse": False}, "tells two classes apart"),
        ("overlap_classifier", {"scheme": "ordinal5", "collapse": False}, "tells two classes apart"),
        ("lexicalized", {"start": {"folder": "FIRST", "how": "update"}}, "is fitted in one step"),
        ("majority", {"start": {"folder": "FIRST", "how": "transfer"}}, "is fitted in one step"),
        (
            "lexicalized",
            {"settings": dict.fromkeys(
                ("bleu", "length", "overlap", "hypothesis_ngrams", "cross_unigrams", "cross_bigrams"), False
            )},
            "no feature is left",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_learnt_is_refused(tmp_path: Path, baseline: str, change: dict[str, Any], says: str):
    if "start" in change:
        giveaway(tmp_path / "first", "majority")
        change = {"start": change["start"] | {"folder": str(tmp_path / "first/run")}}
    code, events = run_train(small_run(tmp_path, baseline, **change), tmp_path)
    assert code == 1
    assert says in events[-1]["message"]


def test_pairs_of_one_label_teach_a_regression_nothing(tmp_path: Path):
    run = small_run(tmp_path, "lexicalized")
    rows = [line(f"x{i}", "A.", f"B {i}.", "neutral") for i in range(4)]
    run["files"]["train"] = write_lines(tmp_path / "train.jsonl", rows)
    code, events = run_train(run, tmp_path)
    assert (code, "the same label" in events[-1]["message"]) == (1, True)


def test_a_label_that_training_lacks_gets_no_probability(tmp_path: Path):
    run = small_run(tmp_path, "lexicalized")
    rows = [row for row in lines() if row["gold_label"] != "neutral"]
    run["files"]["train"] = write_lines(tmp_path / "train.jsonl", rows)
    code, events = run_train(run, tmp_path)
    assert code == 0, events[-1]
    for text in (tmp_path / "run/predictions-test.jsonl").read_text().splitlines():
        shares = json.loads(text)["probabilities"]
        assert shares["neutral"] == 0
        assert sum(shares.values()) == pytest.approx(1, abs=1e-5)
