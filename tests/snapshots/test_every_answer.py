"""A snapshot holds every answer about a pair: counted labels and others, reasons, skips, other questions, models."""

import json
import shutil
from pathlib import Path

import pytest
from datasets import load_dataset
from django.utils import timezone

from accounts.models import User
from collection.models import Pair
from collection.models.withdrawal import ANNOTATOR_EXCLUDED
from nli.answers import answers_of
from nli.lines import SETS, votes_in
from nli.manifest import FORMATS
from snapshots.exports.formats import export
from snapshots.verify import verify
from tests.cast import person, rosa
from tests.commands import run, write_jsonl
from tests.corpora import ask, make_premise
from tests.made_once import made_once
from tests.snapshots.material import add_pair, corpus_of, folder, freeze, label_pair, manifest
from validation.models import Assignment, BatchItem, Label, Question

pytestmark = pytest.mark.django_db
E, N, C = "entailment", "neutral", "contradiction"


def give(pair: Pair, question: Question, label: str, code: str = "", **fields: object) -> Label:
    now = timezone.now()
    usual = {"origin": "cast", "cast_at": now, "leased_until": now, "scheme": question.scheme}
    usual["annotator"] = person(code) if code else None
    return Label.objects.create(
        question=question,
        pair=pair,
        premise=pair.premise,
        label=label,
        **{**usual, **fields},
    )


@made_once
def told():
    """Makes a corpus in which one pair has every kind of answer; returns (corpus, that pair)."""
    corpus = corpus_of(2, dev=0, test=0)
    pair = add_pair(make_premise(corpus, "A line that splits people."), "e", "Nobody agrees about it.")
    label_pair(pair, "eennc")
    main = Question.objects.get(corpus=corpus)
    grammar = ask(corpus, "grammar", scheme="grammar3", wording="Is it right?", seats=3)
    Label.objects.filter(pair=pair, position=3).update(reason="It depends on the line.")
    for position, label in enumerate((N, N, C), start=6):
        give(pair, main, label, f"more{position}", position=position)
    give(
        pair,
        main,
        C,
        "guesser",
        withdrawn_at=timezone.now(),
        withdrawn_because=ANNOTATOR_EXCLUDED,
        position=2,
    )
    give(pair, main, N, position=None, origin="expert", annotator=rosa(), cast_at=None, leased_until=None)
    give(pair, main, E, position=None, origin="model", model="tiny-1", cast_at=None, leased_until=None)
    give(pair, grammar, "minor", "more6", position=1)
    batch = Assignment.objects.create(
        question=main, annotator=person("shy"), leased_until=timezone.now(), closed_at=timezone.now()
    )
    seat = Label.objects.get(pair=pair, position=5)
    BatchItem.objects.create(assignment=batch, seat=seat, order=1, skip_reason="upsetting")
    return corpus, pair


def test_the_skip_of_a_seat_that_was_asked_for_beyond_the_others_stands_in_its_round(told):
    corpus, pair = told
    extra = Label.objects.get(pair=pair, position=7)
    BatchItem.objects.update(seat=extra)
    snapshot = freeze(corpus)
    answers = lines_of(folder(snapshot))[pair.public_id]["answers"]
    assert [answer for answer in answers if "skip" in answer] == [
        {"code": person("shy").code, "counts": False, "round": 2, "skip": "upsetting"}
    ]
    counted = manifest(snapshot)["answers"]
    assert (counted["skips"], counted["extra"]) == (1, 3)
    assert verify(folder(snapshot)).findings == []


def lines_of(place: Path) -> dict[str, dict]:
    texts = (text for path in place.glob("*.jsonl") for text in path.read_text().splitlines())
    return {json.loads(text)["pairID"]: json.loads(text) for text in texts}


def test_all_of_them_stand_in_the_line_beside_the_fields_of_snli(told):
    corpus, pair = told
    snapshot = freeze(corpus)
    line = lines_of(folder(snapshot))[pair.public_id]
    assert line["annotator_labels"] == [E, E, N, N, C]
    assert line["label_distribution"] == {E: 0.4, N: 0.4, C: 0.2}
    assert line["extra_label_counts"] == {E: 0, N: 2, C: 1}
    assert line["all_label_counts"] == {E: 2, N: 4, C: 2}
    assert [dict(votes_in(line, name)) for name in SETS] == [
        {E: 2, N: 2, C: 1}, {N: 2, C: 1}, {E: 2, N: 4, C: 2},
    ]  # fmt: skip
    before = {key: value for key, value in line.items() if key != "extra_label_counts"}
    assert [votes_in(before, name) for name in SETS] == [votes_in(line, name) for name in SETS]
    ana, v2, v3, v4, v5 = line["annotator_codes"]
    code = rosa().code
    assert line["answers"] == [
        {"code": ana, "counts": True, "label": E, "position": 1},
        {"code": v2, "counts": True, "label": E, "position": 2},
        {
            "code": person("guesser").code,
            "counts": False,
            "label": C,
            "position": 2,
            "withdrawn": ANNOTATOR_EXCLUDED,
        },
        {"code": v3, "counts": True, "label": N, "position": 3, "reason": "It depends on the line."},
        {"code": v4, "counts": True, "label": N, "position": 4},
        {"code": v5, "counts": True, "label": C, "position": 5},
        *(
            {"code": person(f"more{n}").code, "counts": False, "label": label, "position": n, "round": 2}
            for n, label in ((6, N), (7, N), (8, C))
        ),
        {"code": person("shy").code, "counts": False, "skip": "upsetting"},
        {"code": code, "counts": False, "label": N, "origin": "expert"},
        {"code": "", "counts": False, "label": E, "origin": "model", "model": "tiny-1"},
        {
            "code": person("more6").code,
            "counts": True,
            "label": "minor",
            "position": 1,
            "question": "grammar",
        },
    ]
    counted = manifest(snapshot)["answers"]
    assert counted == {
        "labels": 42, "deciding": 35, "extra": 3, "withdrawn": 1, "expert": 1, "model": 1,
        "skips": 1, "with_reason": 1, "of_other_questions": 1,
    }  # fmt: skip
    assert manifest(snapshot)["corpus"]["questions"]["grammar"]["seats"] == 3
    assert verify(folder(snapshot)).findings == []


def test_a_line_with_nothing_more_to_say_has_no_such_field(told):
    corpus, pair = told
    others = [line for name, line in lines_of(folder(freeze(corpus))).items() if name != pair.public_id]
    assert all("answers" not in line and "all_label_counts" not in line for line in others)
    assert [answer["position"] for answer in answers_of(others[0])] == [1, 2, 3, 4, 5]


def test_labels_beyond_the_seats_make_another_snapshot_which_says_so(browser_of):
    corpus = corpus_of(1, dev=0, test=0)
    User.objects.filter(username="v2").update(kind="simulated")
    first = freeze(corpus)
    pair = Pair.objects.filter(corpus=corpus).first()
    question = Question.objects.get(corpus=corpus)
    give(pair, question, N, "more", position=6)
    give(
        pair,
        question,
        C,
        "guesser",
        position=7,
        withdrawn_at=timezone.now(),
        withdrawn_because=ANNOTATOR_EXCLUDED,
    )
    User.objects.filter(username__in=["more", "guesser"]).update(kind="simulated")
    second = freeze(corpus)
    assert second.version == 2
    made = [manifest(each)["simulated"]["labels"] for each in (first, second)]
    assert made[1] == made[0] + 1, "the label beyond the seats stands, the withdrawn one does not"
    page = browser_of(rosa()).get(f"/snapshots/{second.pk}/changes/")
    assert page.context["answers"] == [
        ("labels in all", 15, 17),
        ("labels beyond the seats", 0, 1),
        ("labels that were withdrawn", 0, 1),
    ]
    assert "17 labels in all, 15 before" in page.content.decode()


def spoil(change, told, tmp_path) -> list[str]:
    """Freezes, changes the answers of the pair's line in a copy, and returns what the checker says of that line."""
    corpus, pair = told
    place = tmp_path / "copy"
    shutil.copytree(folder(freeze(corpus)), place)
    path = place / "train.jsonl"
    lines = [json.loads(text) for text in path.read_text().splitlines()]
    for line in lines:
        if line["pairID"] == pair.public_id:
            change(line)
    write_jsonl(path, (json.dumps(line, sort_keys=True, ensure_ascii=False) for line in lines))
    return [each.text for each in verify(place).findings if each.line]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda line: line["answers"][0].update(label=N), "the answers that count are not annotator_labels"),
        (lambda line: line["answers"][6].update(counts=True), "answer 7: counts is True"),
        (lambda line: line["answers"][6].pop("round"), "answer 7: round is 1, but position 6 of 5 seats"),
        (lambda line: line["answers"][6].update(label=E), "all_label_counts is not what its answers give"),
        (
            lambda line: line["extra_label_counts"].update({E: 1}),
            "extra_label_counts is not what its answers",
        ),
        (lambda line: line.update(answers_left_out=0), "answers_left_out is not a number from 1"),
        (lambda line: line["answers"].reverse(), "answers is out of order"),
        (lambda line: line["answers"][-1].update(question="none"), "is to the question 'none'"),
        (
            lambda line: line["answers"][-1].update(label=E),
            "the label 'entailment' is not one of: none, minor",
        ),
        (
            lambda line: line["answers"][9].update(label=E),
            "answer 10 must have a label or a skip, and not both",
        ),
        (lambda line: line["answers"][9].update(mood="sad"), "answer 10 has keys that no snapshot has: mood"),
        (lambda line: line["answers"][11].pop("model"), "answer 12: origin is not one of"),
        (lambda line: line["answers"][0].update(counts="yes"), "answer 1: counts is not true or false"),
        (lambda line: line["answers"][0].update(position=0), "answer 1: position is not a number from 1"),
        (lambda line: line.pop("answers"), "has extra_label_counts without answers"),
        (lambda line: line.update(answers={}), "answers is not a list of objects"),
    ],
)
def test_the_checker_recounts_them(change, said, told, tmp_path):
    assert said in " ".join(spoil(change, told, tmp_path))


def test_the_checker_counts_answers_for_the_manifest(told, tmp_path):
    corpus, _ = told
    place = tmp_path / "copy"
    shutil.copytree(folder(freeze(corpus)), place)
    whole = json.loads((place / "manifest.json").read_text())
    whole["answers"]["extra"] = 4
    (place / "manifest.json").write_text(json.dumps(whole))
    assert "answers.extra is 4, but the files give 3" in " ".join(
        each.text for each in verify(place).findings
    )


def test_a_snapshot_from_before_is_whole_still(tmp_path):
    """Neither its lines nor its manifest have answers."""
    place = tmp_path / "copy"
    shutil.copytree(folder(freeze(corpus_of(1, dev=0, test=0))), place)
    whole = json.loads((place / "manifest.json").read_text())
    del whole["answers"], whole["pairs_with_metadata"]
    whole["format"] = FORMATS[0]
    (place / "manifest.json").write_text(json.dumps(whole))
    assert [each.text for each in verify(place).findings] == [
        "was changed: it does not match its own manifest_sha256"
    ]


def test_parquet_holds_them_and_other_formats_say_what_they_leave_out(told, tmp_path):
    corpus, pair = told
    snapshot = freeze(corpus)
    export(folder(snapshot), str(snapshot), "parquet", tmp_path / "parquet")
    found = load_dataset(str(tmp_path / "parquet"), "no_gold", cache_dir=str(tmp_path / "cache"))["train"][0]
    assert found["pairID"] == pair.public_id
    assert (found["extra_label_counts"], found["all_label_counts"]) == ([0, 2, 1], [2, 4, 2])
    assert found["answers_left_out"] == 0
    card = (tmp_path / "parquet" / "README.md").read_text()
    assert (
        "| `extra_label_counts` | `extra`: the 3 labels that were asked for later, beyond the seats |" in card
    )
    assert 'load_dataset("FOLDER", "no_gold")' in card
    assert "answers_left_out" not in card
    assert len(found["answers"]) == 13
    assert found["answers"][3]["reason"] == "It depends on the line."
    assert "answers_left_out" not in json.loads((tmp_path / "parquet" / "export.json").read_text())
    for name in ("snli_txt", "multinli_jsonl", "dnc"):
        export(folder(snapshot), str(snapshot), name, tmp_path / name)
        assert json.loads((tmp_path / name / "export.json").read_text())["answers_left_out"] == 8


def test_rest_rows_and_a_second_import_have_them(told, api_of, tmp_path):
    corpus, pair = told
    snapshot = freeze(corpus)
    rows = api_of(rosa()).get(f"/api/v1/snapshots/{snapshot.pk}/rows/").json()["results"]
    (row,) = [row for row in rows if row["pairID"] == pair.public_id]
    assert row["answers"] == lines_of(folder(snapshot))[pair.public_id]["answers"]
    run("import_pairs", "again", folder(snapshot) / "train.jsonl", format="snapshot")
    again = Pair.objects.get(corpus__slug="again", public_id=pair.public_id)
    main = again.labels.seats().filter(question__is_main=True).order_by("position")
    given = list(main.values_list("position", "label"))
    assert given == [(1, E), (2, E), (3, N), (4, N), (5, C), (6, N), (7, N), (8, C)]


def test_what_the_dnc_says_of_a_pairs_origin_comes_out_again(tmp_path):
    about = {
        "corpus": "VerbNet", "corpus-license": None, "corpus-sent-id": "drive-11.5", "creation-approach": "automatic",
        "misc": {"xtag": "", "secondary": "NP-PP"}, "pair-id": 7,
    }  # fmt: skip
    data = {
        "binary-label": True, "context": "Ana drove home.", "hypothesis": "Ana moved.", "label": "entailed",
        "label-set": ["entailed", "not-entailed"], "pair-id": 7, "split": "train", "type-of-inference": "VerbNet",
    }  # fmt: skip
    (tmp_path / "recast_x_data.json").write_text(json.dumps([data]))
    (tmp_path / "recast_x_metadata.json").write_text(json.dumps([about]))
    assert run("import_pairs", "recast", tmp_path / "recast_x_data.json", format="dnc").failure == ""
    assert run("freeze_snapshot", "recast").failure == ""
    assert run("export_snapshot", "recast@1", format="dnc", out=tmp_path / "out").failure == ""
    assert json.loads((tmp_path / "out" / "train_metadata.json").read_text()) == [about]
    assert json.loads((tmp_path / "out" / "train_data.json").read_text()) == [data]
