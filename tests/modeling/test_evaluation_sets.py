"""Tables about evaluation sets: human ceiling, power, challenge sets, parity, and near duplicates."""

import json
import random
from itertools import combinations

import pytest

from collection.models import Pair
from modeling.models import Evaluation
from modeling.reports.evaluation_sets import LeftOut
from modeling.reports.near_duplicates import SIMILAR, jaccard, near_duplicates, shingles_of
from modeling.reports.overviews import overview
from modeling.reports.parity import minimal_pairs
from modeling.results.actions import record_evaluation
from modeling.running import evaluating
from modeling.running.evaluating import EvaluationFailed
from shared.intervals import wilson
from snapshots.models import Snapshot
from tests.commands import run as command
from tests.modeling.material import done_run, metrics, small_snapshot, write_predictions
from tests.modeling.test_error_browser import answers
from tests.modeling.test_overviews import rows_of, wrong_at
from tests.snapshots.material import corpus_of, freeze, label_pairs
from validation.models import Label

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]


def refrozen(corpus) -> Snapshot:
    return Snapshot.objects.select_related("corpus").get(pk=freeze(corpus).pk)


def test_the_human_ceiling_is_that_of_each_label_against_the_others():
    corpus = corpus_of(6, test=9, dev=0)
    pairs = Pair.objects.filter(corpus=corpus, author_label="entailment")
    Label.objects.filter(pair__in=pairs).delete()
    label_pairs([(pair, "eeeen") for pair in pairs])
    snapshot = refrozen(corpus)
    table = overview("human", [snapshot], "test", 50)
    rows = {row["labels left out"]: row for row in rows_of(table)}
    # Six pairs have five equal labels; of each of the three others four labels of five are as the rest.
    assert (rows["all"]["pairs"], rows["all"]["labels"]) == (9, 45)
    assert rows["all"]["as the others"] == pytest.approx(42 / 45)
    # All premises have the same share: there is no spread, so each of the three counts as one label.
    assert (rows["all"]["from"], rows["all"]["to"]) == wilson(42 / 45, 3)
    assert rows["author"]["as the others"] == 1
    assert (rows["validators"]["labels"], rows["validators"]["as the others"]) == (36, pytest.approx(33 / 36))
    assert rows["genre fiction"]["labels"] == 45
    assert rows["gold label of the others entailment"]["as the others"] == pytest.approx(12 / 15)
    run = done_run(snapshot, accuracy=0.75)
    best = rows_of(overview("human", [snapshot], "test", 50))[-1]
    assert best["labels left out"] == f"best run: cbow, run {run.pk}"
    assert best["as the others"] == 0.75
    assert (best["from"], best["to"]) == wilson(0.75, 6)


def test_runs_on_two_classes_are_no_bar_for_three():
    snapshot = small_snapshot(3)
    run = done_run(snapshot, accuracy=0.5)
    done_run(snapshot, "edit_distance", accuracy=0.7, regime={"collapse": True})
    Evaluation.objects.filter(run__baseline="edit_distance").update(majority=0.65)
    best = rows_of(overview("human", [snapshot], "test", 50))[-1]
    assert best["labels left out"] == f"best run: cbow, run {run.pk}"
    majority, of_two, *_ = rows_of(overview("challenge", [snapshot], "test", 50))
    assert majority["small@1"] == 0.4
    assert (of_two["model"], of_two["small@1"]) == ("majority class (labels read as two classes)", 0.65)


def test_labels_of_one_premise_do_not_count_as_independent():
    together, apart = LeftOut(), LeftOut()
    for number in range(40):
        together.add(f"premise {number // 10}", 1, 1, number < 20)
        apart.add(f"premise {number}", 1, 1, number < 20)
    # Four premises whose ten labels are all equal say as much as three labels, forty as much as thirty-nine.
    assert together.interval == pytest.approx(wilson(0.5, 3))
    assert apart.interval == pytest.approx(wilson(0.5, 39))
    assert LeftOut().interval == (None, None)


def test_without_labels_the_human_ceiling_says_so():
    corpus = corpus_of(3, dev=0)
    snapshot = refrozen(corpus)
    table = overview("human", [snapshot], "dev", 50)
    assert all(row[-1] is None for row in table.cells())
    assert "No pair of dev has 3 labels here." in table.notes


def test_each_two_systems_have_their_discordant_pairs_and_what_their_difference_needs():
    snapshot = small_snapshot(9, test=9)
    first, second = done_run(snapshot), done_run(snapshot, "bilstm")
    answers(first, wrong_at(0))
    answers(second, wrong_at(1, 2, 3, 4))
    done_run(snapshot, "esim")  # without predictions here
    row, *general = rows_of(overview("power", [snapshot], "test", 50))
    assert row["comparison"] == f"cbow (run {first.pk}) and bilstm (run {second.pk})"
    assert (row["difference"], row["discordant pairs"]) == (pytest.approx(3 / 9), pytest.approx(5 / 9))
    assert row["p"] == pytest.approx(0.375)  # one against four: 2 * (1 + 5) / 32
    assert row["pairs needed"] == 37
    assert {each["pairs here"] for each in (row, *general)} == {9}
    assert general[0]["pairs needed"] > general[1]["pairs needed"]


def test_challenge_sets_stand_beside_each_other_and_what_is_missing_is_named():
    snapshot, other = small_snapshot(3), small_snapshot(3, slug="other")
    runs = [done_run(snapshot, seed=seed, accuracy=accuracy) for seed, accuracy in ((1, 0.5), (2, 0.7))]
    record_evaluation(run=runs[0], snapshot=other, metrics=metrics(0.3, majority=0.35))
    table = overview("challenge", [snapshot, other], "test", 50)
    majority, row = rows_of(table)
    assert (majority["model"], majority["small@1"], majority["other@1"]) == ("majority class", 0.4, 0.35)
    assert (row["model"], row["seeds"], row["small@1"]) == ("cbow", 2, pytest.approx(0.6))
    assert row["small@1 ±"] == pytest.approx(0.1414, abs=1e-4)
    assert (row["other@1"], row["other@1 ±"]) == (0.3, None)
    assert table.notes[-1] == (
        f"Missing: run {runs[1].pk} on other@1 test: manage.py evaluate {runs[1].pk} other@1 --partition test."
    )
    assert "other@1" in command("report", "small@1", "other@1", "challenge").out


def test_every_missing_cell_of_challenge_sets_is_named_and_filled_on_request(monkeypatch):
    snapshot = small_snapshot(3)
    others = [small_snapshot(3, slug=slug) for slug in ("one", "two")]
    names = ["small@1", "one@1", "two@1"]
    runs = [done_run(snapshot, baseline) for baseline in ("cbow", "lstm")]
    record_evaluation(run=runs[0], snapshot=others[0], metrics={"test": metrics(0.3)["test"]})
    wanted = [(runs[0].pk, "two@1"), (runs[1].pk, "one@1"), (runs[1].pk, "two@1")]
    table = overview("challenge", [snapshot, *others], "test", 50)
    assert [each for each in table.notes if each.startswith("Missing")] == [
        f"Missing: run {run} on {name} test: manage.py evaluate {run} {name} --partition test."
        for run, name in wanted
    ]
    scored = []

    def evaluate(run, on, partitions, *, tell):
        scored.append((run.pk, str(on)))
        assert partitions == ["test"]
        if (run.pk, str(on)) == wanted[1]:
            raise EvaluationFailed("The evaluation was killed.")
        return {"test": metrics(0.6)["test"]}

    monkeypatch.setattr(evaluating, "evaluate", evaluate)
    told = command("report", *names, "challenge", "--train-missing")
    assert (told.failure, scored) == ("", wanted)
    assert f"run {runs[1].pk} on one@1 test: The evaluation was killed." in told.err
    assert told.out.count("Missing: ") == 1
    assert told.out.count("60.0%") == 2


def write_test(snapshot, rows):
    """Replaces the test part by lines of (id, group, premise, hypothesis, gold label)."""
    told = [
        {"pairID": name, "group": group, "promptID": name, "sentence1": premise, "sentence2": hypothesis,
         "gold_label": gold, "genre": "g", "author": "", "annotator_labels": []}
        for name, group, premise, hypothesis, gold in rows
    ]  # fmt: skip
    path = snapshot.folder / "test.jsonl"
    path.chmod(0o644)
    path.write_text("".join(json.dumps(line) + "\n" for line in told))


def test_minimal_pairs_differ_in_one_word_and_parity_counts_equal_answers():
    snapshot = small_snapshot(3)
    nurse = "The nurse told him that {} would pay ."
    write_test(
        snapshot,
        [
            ("a", "nurse", nurse.format("he"), "The nurse pays .", "neutral"),
            ("b", "nurse", nurse.format("she"), "The nurse pays .", "neutral"),
            ("c", "nurse", nurse.format("he"), "The nurse slept well .", "neutral"),
            ("d", "nurse", nurse.format("she"), "The nurse slept well .", "neutral"),
            ("e", "nurse", nurse.format("she"), "The nurse sleeps .", "entailment"),
            ("f", "cook", nurse.format("he"), "The nurse sleeps .", "neutral"),
        ],
    )
    assert sorted(minimal_pairs(snapshot, "test")) == [("a", "b"), ("c", "d")]
    run = done_run(snapshot)
    write_predictions(run, "test", wrong=1)
    (row,) = rows_of(overview("parity", [snapshot], "test", 50))
    assert (row["minimal pairs"], row["parity"], row["both right"], row["one right"]) == (2, 0.5, 0.5, 0.5)


def test_consistency_counts_families_that_are_all_right():
    snapshot = small_snapshot(3)
    words = [("a", "f"), ("b", "f"), ("c", "g"), ("d", "g"), ("e", ""), ("f", "h")]
    write_test(snapshot, [(name, "p", "A dog .", f"A {name} .", "neutral") for name, _ in words])
    path = snapshot.folder / "test.jsonl"
    told = [json.loads(line) for line in path.read_text().splitlines()]
    path.chmod(0o644)
    path.write_text(
        "".join(
            json.dumps({**line, **({"family": family} if family else {})}) + "\n"
            for line, (_, family) in zip(told, words, strict=True)
        )
    )
    run = done_run(snapshot)
    write_predictions(run, "test", wrong=1)
    (row,) = rows_of(overview("consistency", [snapshot], "test", 50))
    assert (row["families"], row["pairs"]) == (2, 4)
    assert (row["all right"], row["pairs right"]) == (0.5, 0.75)


def test_pairs_of_several_groups_are_minimal_pairs_where_they_share_the_hypothesis():
    """As Winogender's in the DNC: he and she are in two groups, as each premise comes from a sentence of its own."""
    snapshot = small_snapshot(3)
    cook = "The cook told {} that {} would pay ."
    write_test(
        snapshot,
        [
            ("a", "male", cook.format("him", "he"), "The cook pays .", "neutral"),
            ("b", "female", cook.format("him", "she"), "The cook pays .", "neutral"),
            ("c", "", cook.format("her", "he"), "The cook pays .", "entailment"),
            ("d", "", cook.format("her", "he"), "The cook eats .", "neutral"),
        ],
    )
    assert sorted(minimal_pairs(snapshot, "test")) == [("a", "b")]


def test_minimal_pairs_are_those_that_comparing_each_two_pairs_finds():
    """Among them pairs with equal texts, texts of other lengths, and pairs without a gold label."""
    snapshot, dice = small_snapshot(3), random.Random(5)

    def text() -> str:
        return " ".join(dice.choices("ab", k=dice.choice((2, 3))))

    rows = [
        (
            f"p{number}",
            dice.choice(("one", "two")),
            text(),
            text(),
            dice.choice(("neutral", "entailment", "-")),
        )
        for number in range(120)
    ]
    write_test(snapshot, rows)

    def differences(one: str, other: str) -> int:
        mine, theirs = one.split(), other.split()
        return sum(map(str.__ne__, mine, theirs)) if len(mine) == len(theirs) else 2

    expected = {
        (one[0], other[0])
        for one, other in combinations(rows, 2)
        if one[4] == other[4] != "-"
        and (
            (one[3] == other[3] and differences(one[2], other[2]) == 1)
            or (one[1:3] == other[1:3] and differences(one[3], other[3]) == 1)
        )
    }
    found = list(minimal_pairs(snapshot, "test"))
    assert len(found) == len(set(found)) > 50
    assert set(found) == expected


def test_minhash_finds_what_comparing_all_texts_finds():
    dice = random.Random(1)
    words = [f"w{number}" for number in range(400)]
    theirs = [[" ".join(dice.choices(words, k=25))] for _ in range(200)]
    ours = []
    for number in range(200):
        text = theirs[number][0].split()
        for _ in range(dice.randrange(4)):
            text[dice.randrange(25)] = dice.choice(words)
        ours.append([" ".join(text)])
    first, second = shingles_of(ours), shingles_of(theirs)
    alike = {
        one
        for one in range(200)
        if any(jaccard(first.of(one), second.of(other)) >= SIMILAR for other in range(200))
    }
    assert 20 < len(alike) < 180
    found = near_duplicates(first, second)
    assert found.keys() == alike
    assert all(jaccard(first.of(one), second.of(other)) >= SIMILAR for one, other in found.items())


def test_no_texts_and_empty_texts_have_no_near_duplicates_by_accident():
    nothing = shingles_of([])
    assert near_duplicates(nothing, shingles_of([["a"]])) == {}
    assert near_duplicates(shingles_of([["a"]]), nothing) == {}
    assert near_duplicates(shingles_of([["a", ""]]), shingles_of([["", "a"]])) == {}
