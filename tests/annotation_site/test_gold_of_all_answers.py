"""Gold labels of corpora whose answers vary in number do not depend on the order of the answers in the file."""

import csv
import json
import random
from collections import Counter

import pytest

from collection.formats.registry import FORMATS
from collection.models import Pair
from snapshots.files.datasheet import datasheet
from snapshots.models import Snapshot
from tests.annotation_site.imported_lines import C, E, N, bring_lines, record
from tests.commands import run
from tests.corpora import new_label
from validation.gold.queries import with_gold_label
from validation.models import Label, Question
from validation.statistics.agreement import agreement

pytestmark = pytest.mark.django_db
__all__ = ["bring_lines"]

# Nine to twelve answers: by the first eight, most pairs have another gold label, or one too many.
SAID = {
    "p1": [N, N, N, N, N, E, E, E, E, E, E],
    "p2": [E, E, E, E, E, C, C, C, C, C],
    "p3": [C, N, C, N, C, N, C, N, C],
    "p4": [E, E, E, E, N, N, N, N, E, E],
    "p5": [N] * 8,
}


def by_all(labels: list[str], left_out: int = 0) -> str | None:
    label, most = Counter(labels).most_common(1)[0]
    return label if 2 * most > len(labels) + left_out else None


def gold_of(slug: str) -> dict[str, str | None]:
    question = Question.objects.get(corpus__slug=slug, is_main=True)
    pairs = with_gold_label(Pair.objects.filter(corpus__slug=slug), question)
    return dict(pairs.values_list("public_id", "gold_label"))


def shuffled(labels: list[str], seed: int) -> list[str]:
    return random.Random(seed).sample(labels, len(labels))


def test_more_than_half_of_all_answers_is_gold_in_whatever_order_they_come(bring):
    expected = {name: by_all(labels) for name, labels in SAID.items()}
    assert set(expected.values()) == {E, N, C, None}
    for seed in range(4):
        lines = [record(labels=shuffled(labels, seed)) | {"id": name} for name, labels in SAID.items()]
        summary = bring(
            lines, into=f"c{seed}", protocol="judged", seats=11, gold_rule="majority_of_all", split="none"
        ).json
        assert (summary["pairs"], summary["fewer_labels"], summary["more_labels"]) == (5, 0, 0)
        assert gold_of(f"c{seed}") == expected


def test_commitmentbank_gives_gold_by_all_its_answers(tmp_path):
    scale = {E: 3, N: 0, C: -2}
    for seed in range(3):
        path = tmp_path / f"items{seed}.csv"
        with path.open("w") as file:
            rows = csv.writer(file)
            rows.writerow(("uID", "Context", "Target", "Prompt", "Responses", "genre"))
            for name, labels in SAID.items():
                given = ", ".join(str(scale[label]) for label in shuffled(labels, seed))
                rows.writerow((name, "It rained.", f"He knows {name}.", "It is so.", given, "news"))
        assert run("import_pairs", f"bank{seed}", path, format="commitmentbank", json=True).json["pairs"] == 5
        assert gold_of(f"bank{seed}") == {name: by_all(labels) for name, labels in SAID.items()}


def test_answers_that_name_several_labels_are_no_votes_and_still_answers(tmp_path):
    """Three of six name one label, which is no majority of the six."""
    head = "uid,premise,hypothesis,worker_id,multilabel\n"
    said = {
        "a": ["true"] * 3 + ["true | either"] * 3,
        "b": ["true"] * 4 + ["true | either"] * 2 + ["false"],
        "c": ["true | either"] * 2,
    }
    path = tmp_path / "answers.csv"
    rows = [
        f"{name},P {name}.,H.,w{place},{answer}"
        for name, answers in said.items()
        for place, answer in enumerate(answers)
    ]
    path.write_text(head + "\n".join(rows) + "\n")
    summary = run("import_pairs", "live", path, format="livenli", split="50:25:25", json=True).json
    assert (summary["rows"], summary["pairs"], summary["labels"]) == (15, 3, 8)
    assert (summary["refused_count"], summary["answers_left_out"]) == (0, 7)
    assert gold_of("live") == {"a": None, "b": E, "c": None}
    assert dict(Pair.objects.values_list("public_id", "answers_left_out")) == {"a": 3, "b": 2, "c": 2}
    run("freeze_snapshot", "live")
    snapshot = Snapshot.objects.get()
    lines = {line["pairID"]: line for line in lines_of(snapshot)}
    assert {name: line["answers_left_out"] for name, line in lines.items()} == {"a": 3, "b": 2, "c": 2}
    assert lines["b"]["label_distribution"] == {E: 0.8, N: 0.0, C: 0.2}
    told = json.loads((snapshot.folder / "manifest.json").read_text())
    assert told["answers"]["left_out"] == 7
    assert "7 answers name several labels" in datasheet(told)
    run("verify_snapshot", snapshot.folder)
    files = sorted(snapshot.folder.glob("t*.jsonl")) + sorted(snapshot.folder.glob("dev.jsonl"))
    back = run("import_pairs", "again", *files, format="snapshot", json=True)
    assert not back.failure, (back.failure, back.err)
    assert gold_of("again") == gold_of("live")
    assert not Label.objects.filter(label=None).exists(), "no seat is opened"


def test_a_pair_whose_seats_wait_has_no_gold_label_by_its_votes_and_returns_with_its_seats(bring):
    lines = [record(labels=labels) | {"id": name} for name, labels in SAID.items()]
    bring(lines, into="first", protocol="judged", seats=11, gold_rule="majority_of_all", split="none")
    question = Question.objects.get()
    pair = Pair.objects.get(public_id="p5")  # eight times the same label, and two seats that wait
    Label.objects.bulk_create(new_label(question, pair, None, position=k, turn=k) for k in (9, 10))
    gold = {name: by_all(labels) for name, labels in SAID.items()} | {"p5": None}
    assert gold_of("first") == gold
    assert agreement(Pair.objects.all(), question)["pairs_with_all_labels"] == 4
    run("freeze_snapshot", "first")
    snapshot = Snapshot.objects.get()
    assert {
        line["pairID"]: line["seats_waiting"] for line in lines_of(snapshot) if "seats_waiting" in line
    } == {"p5": 2}
    told = json.loads((snapshot.folder / "manifest.json").read_text())
    assert told["agreement"]["pairs_with_all_labels"] == 4
    run("verify_snapshot", snapshot.folder)
    back = run(
        "import_pairs", "again", *sorted(snapshot.folder.glob("[td]*.jsonl")), format="snapshot", json=True
    )
    assert (back.json["waiting"], back.json["keys_not_read"].get("seats_waiting")) == (1, None)
    assert gold_of("again") == gold
    run("freeze_snapshot", "again")
    assert lines_of(Snapshot.objects.get(corpus__slug="again")) == lines_of(snapshot)


def test_agreement_is_over_all_answers_of_pairs_without_one_left_out(bring):
    lines = [record(labels=labels) | {"id": name} for name, labels in SAID.items()]
    bring(lines, protocol="judged", seats=11, gold_rule="majority_of_all", split="none")
    Pair.objects.filter(public_id="p4").update(answers_left_out=1)
    question = Question.objects.get()
    found = agreement(Pair.objects.all(), question)
    counted = [labels for name, labels in SAID.items() if name != "p4"]
    for_gold = sum(labels.count(by_all(labels)) for labels in counted)
    assert (found["pairs"], found["pairs_with_all_labels"], found["no_gold"]) == (5, 4, 1 / 4)
    assert found["unanimous"] == 1 / 4
    assert found["individual_equals_gold_all_pairs"] == for_gold / sum(map(len, counted))
    assert found["fleiss_kappa"]["overall"] is None, "the numbers of labels differ"
    assert found["krippendorff_alpha"] is not None


def test_more_labels_than_seats_are_refused_where_nothing_says_which_decide(bring):
    """The first five decided, by the order of the file, and the others were called a second round."""
    result = bring([record(labels=[E] * 5), record(2, labels=[N, N, N, E, E, E, E])], protocol="judged")
    assert result.json["refused_count"] == 1
    (refused,) = result.json["refused"]
    assert refused["line"] == 2
    assert "7 labels are more than the 5 seats" in refused["reason"]
    assert "majority_of_all" in refused["reason"]
    assert not Label.objects.filter(position__gt=5).exists()


def test_the_rule_of_an_existing_corpus_cannot_be_changed_by_an_import(bring):
    bring([record(labels=[E] * 5)], protocol="judged")
    failure = bring([record(2, labels=[E] * 5)], gold_rule="majority_of_all").failure
    assert 'new has the gold rule "majority"' in failure


def test_only_what_the_file_calls_later_is_a_second_round(tmp_path):
    """ChaosNLI's hundred were asked for later; nobody was asked twice in a corpus of varying numbers of answers."""
    assert {name for name, form in FORMATS.items() if form.has_rounds} == {"chaosnli", "snapshot"}
    line = {
        "uid": "u1",
        "example": {"premise": "P.", "hypothesis": "H.", "source": "mnli_m"},
        "old_labels": [E, N, N, N, E],
        "old_label": "n",
        "label_count": [60, 30, 10],
    }
    path = tmp_path / "chaos.jsonl"
    path.write_text(json.dumps(line) + "\n")
    assert run("import_pairs", "chaos", path, format="chaosnli", json=True).json["more_labels"] == 1
    run("freeze_snapshot", "chaos")
    bank = tmp_path / "pairs.jsonl"
    bank.write_text(json.dumps(record(labels=[E] * 9)) + "\n" + json.dumps(record(2, labels=[N] * 7)) + "\n")
    run("import_pairs", "bank", bank, format="jsonl", protocol="judged", seats=9, gold_rule="majority_of_all")
    run("freeze_snapshot", "bank")
    rounds = {
        each.corpus.slug: Counter(
            answer.get("round", 1) for line in lines_of(each) for answer in line.get("answers", ())
        )
        for each in Snapshot.objects.all()
    }
    assert rounds == {"chaos": {1: 5, 2: 100}, "bank": {}}


def lines_of(snapshot: Snapshot) -> list[dict]:
    return [
        json.loads(line)
        for path in sorted(snapshot.folder.glob("*.jsonl"))
        for line in path.read_text().splitlines()
    ]
