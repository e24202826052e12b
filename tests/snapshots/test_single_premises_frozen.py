"""Labels of single premises: in a snapshot's lines, checked from the files alone, and counted as in MPE's Table 4."""

import json
import shutil

import pytest

from snapshots.statistics.job import compute_statistics, request_statistics
from snapshots.verify import verify
from tests.commands import run
from tests.corpora import LABELS, make_corpus, make_pair, make_premise
from tests.made_once import made_once
from tests.snapshots.altered import edit_manifest, findings, rewrite, seal
from tests.snapshots.material import corpus_of, folder, freeze, lines
from tests.validation.test_single_premises import ask_of_single_premises, judge
from tests.validation.votes import vote
from validation.models import Question
from validation.statistics.extra_labels import single_premises

pytestmark = pytest.mark.django_db
LETTER = dict(zip("enc", LABELS, strict=True))
# The five labels of the whole, then the three of each premise.
SCENES = [
    ("eeeen", ["nnn", "nnc", "nen", "ncn"]),
    ("eeeee", ["eee", "een", "ccc", "nnn"]),
    ("ccccc", ["ccc", "cce", "ccn", "cec"]),
    ("nnnnn", ["eee", "nnn", "enc", "ccc"]),
    ("eennc", ["eee", "eee", "eee", "eee"]),
]


@made_once
def corpus():
    """Makes five scenes of four premises (one without gold, one premise without a majority), and one that lacks labels."""
    corpus = make_corpus(protocol="judged", dev_pairs_per_genre=2)
    main, single = Question.objects.get(), ask_of_single_premises(corpus)
    for number, (whole, parts) in enumerate([*SCENES, ("eeeee", ["eee", "ee", "eee", "eee"])]):
        texts = "\n".join(f"Sentence {place} of scene {number}." for place in "abcd")
        premise = make_premise(corpus, texts, sentence_count=4)
        pair = make_pair(corpus, premise, f"Hypothesis {number}.", public_id=f"scene-{number}")
        vote(pair, main, whole)
        for place, part in enumerate(parts, start=1):
            judge(single, pair, place, part)
    return corpus


@pytest.fixture
def snapshot(corpus):
    return freeze(corpus)


def test_lines_have_the_labels_of_each_premise_and_corpus_json_what_was_asked(snapshot):
    found = {line["pairID"]: line for part in ("train", "dev") for line in lines(snapshot, part)}
    for number, (_, parts) in enumerate(SCENES):
        line = found[f"scene-{number}"]
        assert line["single_premise_labels"] == [[LETTER[letter] for letter in part] for part in parts]
        assert line["single_premise_codes"] == [[""] * 3] * 4
    facts = json.loads((folder(snapshot) / "corpus.json").read_bytes())
    assert facts["single_premises"] == {"question": "single", "wording": "", "seats": 3, "threshold": 2}
    assert verify(folder(snapshot)).findings == []


def test_rest_gives_the_same_lines(snapshot, rosa, api_of):
    rows = api_of(rosa).get(f"/api/v1/snapshots/{snapshot.pk}/rows/").json()["results"]
    ours = {line["pairID"]: line for part in ("train", "dev") for line in lines(snapshot, part)}
    assert len(rows) == 6
    for row in rows:
        row.pop("partition")
        assert row == ours[row["pairID"]]


def test_a_corpus_that_never_asked_so_has_nothing_of_it():
    frozen = freeze(corpus_of(2))
    assert not any("single" in key for line in lines(frozen, "train") for key in line)
    assert b"single_premises" not in (folder(frozen) / "corpus.json").read_bytes()
    data = compute_statistics(statistics_id=request_statistics(snapshot=frozen, kind="corpus").pk).data
    assert data["single_premises"] == {"groups": [], "examples": []}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda line: line["single_premise_labels"].pop(), "has 3 lists for 4 sentences"),
        (lambda line: line["single_premise_codes"][0].pop(), "single_premise_codes has other lengths"),
        (lambda line: line.pop("single_premise_codes"), "must both be there"),
        (
            lambda line: line["single_premise_labels"][1].__setitem__(0, "maybe"),
            "the label 'maybe' of a single",
        ),
        (lambda line: line.update(single_premise_labels="neutral"), "is not a list of lists of texts"),
        (
            lambda line: [
                line[name][0].append("neutral") for name in ("single_premise_labels", "single_premise_codes")
            ],
            "more labels than 3 seats",
        ),
    ],
)
def test_the_checker_finds_labels_of_premises_that_do_not_fit(snapshot, tmp_path, change, sentence):
    copied = shutil.copytree(folder(snapshot), tmp_path / "copied")
    rewrite(copied, "dev.jsonl", lambda rows: change(rows[0]))
    seal(copied)
    assert any(sentence in each for each in findings(copied))


def test_figures_are_those_of_the_agreement_page(corpus, snapshot):
    row = compute_statistics(statistics_id=request_statistics(snapshot=snapshot, kind="corpus").pk)
    figures = row.data["single_premises"]
    whole = next(group for group in figures["groups"] if group["partition"] is None)
    assert whole["pairs"] == 4, "one scene has no gold label, one lacks a label of a premise"
    assert whole["agree"] == {"0": 0.25, "1": 0.25, "2": 0.25, "3": 0.0, "4": 0.25}
    assert whole["majority_of_premises"] == 0.25
    assert whole["more_of_premises"] == 0.75
    told = single_premises(Question.objects.get(corpus=corpus, is_main=True))
    assert {key: told[key] for key in ("pairs", "agree", "majority_of_premises", "more_of_premises")} == {
        key: whole[key] for key in ("pairs", "agree", "majority_of_premises", "more_of_premises")
    }
    assert [example["agree"] for example in figures["examples"]] == [0, 1, 2, 4]
    assert figures["examples"][1]["labels"] == ["entailment", "neutral", "-", "contradiction"]


def test_it_is_a_table_on_the_page_and_for_papers(snapshot, rosa, browser_of):
    told = run("report", "small@1", "single-premises", format="csv").out.splitlines()
    assert told[0].startswith(
        "partition,pairs,0 agree,1 agree,2 agree,3 agree,4 agree,most premises agree,voting scheme"
    )
    assert told[-1].startswith("all,4,0.25,0.25,0.25,0.0,0.25,0.25,0.75")
    assert r"all & 4 & 25.0" in run("report", "small@1", "single-premises", format="latex").out
    examples = run("report", "small@1", "single-premise-examples").out
    assert "Sentence a of scene 2. / Sentence b of scene 2." in examples
    page = browser_of(rosa).get(f"/snapshots/{snapshot.pk}/statistics/").content.decode()
    assert "Single premises and all of them (MPE, Table 4)" in page


def test_an_edited_rule_of_single_premises_is_found(snapshot, tmp_path):
    copied = shutil.copytree(folder(snapshot), tmp_path / "copied")
    edit_manifest(copied, lambda told: told["corpus"]["single_premises"].update(seats=9), sealed=True)
    assert any("corpus.json: differs from the facts" in each for each in findings(copied))
