"""`pair_premises` makes premises of four captions and hypotheses for them, the same each time."""

import json
from collections import Counter

import pytest

from annotation_site.intake import machine_pairs as premise_pairing
from collection.models import Corpus, Pair, Premise, Source, WritingSeat
from collection.pairing import wordnet
from collection.pairing.draw import Hypothesis
from collection.pairing.report import SAME
from collection.pairing.saving import PairedScene, write_paired
from nli import wordnet_files
from tests.collection.pairing_material import SCENES, example_scenes
from tests.commands import run, write_jsonl
from tests.corpora import make_corpus
from tests.made_once import made_once

pytestmark = pytest.mark.django_db

RECORDS = [json.loads(line) for line in SCENES.read_text().splitlines()]


@made_once
def corpus() -> Corpus:
    return make_corpus(protocol="judged")


@pytest.fixture
def few(tmp_path):
    """Returns eight scenes only, because parsing is slow."""
    return write_jsonl(tmp_path / "few.jsonl", RECORDS[:8])


def pair(path=SCENES, **options):
    return run("pair_premises", "small", path, **{"genre": "fiction", "seed": 1, "json": True, **options})


def content():
    return sorted(Pair.objects.values_list("public_id", "premise__public_id", "hypothesis", "construction"))


def test_scenes_become_premises_of_four_sentences_with_judged_pairs(corpus):
    report = pair(licence="CC0").json
    assert (report["scenes"], report["premises"], report["pairs"]) == (
        25,
        Premise.objects.count(),
        Pair.objects.count(),
    )
    premise = Premise.objects.get(public_id="ferry")
    assert premise.sentences == RECORDS[1]["captions"][:4]
    assert (premise.group, premise.document, premise.line) == ("ferry", "ferry", 2)
    source = Source.objects.get()
    assert (premise.source, source.name, source.licence) == (source, "scenes.jsonl", "CC0")
    for made in Pair.objects.all():
        assert (made.author, made.author_label, made.published_label, made.scheme) == (
            None,
            None,
            None,
            "nli3",
        )
        assert made.source == source
    assert not WritingSeat.objects.exists()


def test_each_pair_keeps_how_its_hypothesis_was_made(corpus):
    pair()
    ferry = Pair.objects.get(
        premise__public_id="ferry", construction__startswith="caption 5 of the same scene"
    )
    assert ferry.construction == "caption 5 of the same scene: modifier, prepositional_phrase"
    assert all(made.construction for made in Pair.objects.all())


def test_the_pairs_can_be_opened_for_validation(corpus):
    made = pair().json["pairs"]
    assert run("open_pairs", "small", json=True).json["opened"] == made > 10


def test_the_same_command_again_adds_nothing(corpus, few):
    first = pair(few, captions=1).json
    before = content()
    again = pair(few, captions=1).json
    assert (again["premises"], again["pairs"], again["passed_over"]) == (0, 0, first["premises"])
    assert content() == before


def test_the_same_seed_makes_the_same_once_more_and_another_seed_does_not(corpus, few):
    def made(seed):
        Pair.objects.all().delete()
        Premise.objects.all().delete()
        pair(few, captions=1, seed=seed)
        return content()

    assert made(1) == made(1) != made(2)


def test_scenes_that_are_new_in_the_file_are_added_and_the_others_left_alone(corpus, few, tmp_path):
    pair(few, captions=1)
    before = content()
    report = pair(write_jsonl(tmp_path / "more.jsonl", RECORDS[:10]), captions=1).json
    assert report["passed_over"] == 8
    assert report["premises"] == 2
    assert set(before) < set(content())


def test_a_run_that_broke_off_is_taken_up_and_ends_as_if_it_had_not(corpus, few, monkeypatch):
    pair(few, captions=1)
    whole = content()
    Pair.objects.all().delete()
    Premise.objects.all().delete()
    monkeypatch.setattr(premise_pairing, "SCENES_AT_ONCE", 3)
    write, calls = premise_pairing.write_paired, []

    def broken(**words):
        calls.append(words)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return write(**words)

    monkeypatch.setattr(premise_pairing, "write_paired", broken)
    assert "Interrupted" in pair(few, captions=1).failure
    assert 0 < len(content()) < len(whole)
    assert pair(few, captions=1).json["passed_over"] == 3
    assert content() == whole


def test_a_dry_run_reports_the_same_and_writes_nothing(corpus, few):
    told = pair(few, dry_run=True, captions=1).json
    assert not Premise.objects.exists()
    assert not Source.objects.exists()
    done = pair(few, captions=1).json
    assert {**told, "dry_run": False} == done


def test_every_step_reports_what_it_dropped_and_the_report_adds_up(corpus, few):
    report = pair(few, each=2).json
    drawn = 0
    for origin in report["origins"].values():
        assert origin["made"] == origin["drawn"] + sum(step["count"] for step in origin["dropped"].values())
        assert all(bool(step["examples"]) == bool(step["count"]) for step in origin["dropped"].values())
        drawn += origin["drawn"]
    assert drawn == report["pairs"]


def test_the_report_reads_well_on_a_screen(corpus):
    out = pair(json=False).out.splitlines()
    pairs = Pair.objects.count()
    assert out[0] == (
        f"small, fiction: {Premise.objects.count()} premises and {pairs} pairs made of 25 scenes of scenes.jsonl,"
        " with seed 1."
    )
    assert any(line.endswith("dropped: shares too many words with the premises") for line in out)
    assert any(line.startswith("  word overlap 0.") for line in out)


def test_bad_lines_are_refused_by_number_while_good_ones_go_in(corpus, tmp_path):
    bad = [
        {"id": "four", "captions": RECORDS[0]["captions"][:4]},
        {"id": "seven", "captions": RECORDS[0]["captions"] + RECORDS[1]["captions"][:2]},
        {"id": "empty", "captions": [*RECORDS[0]["captions"][:4], ""]},
        "{",
    ]
    result = pair(write_jsonl(tmp_path / "scenes.jsonl", [*bad, *RECORDS[:3]]), captions=1)
    assert result.failure == ""
    assert result.json["scenes"] == result.json["premises"] == 3
    assert [(each["line"], each["reason"][:44]) for each in result.json["refused"]] == [
        (1, "a scene has 5 captions, but this one has 4"),
        (2, "a scene has 5 captions, but this one has 7"),
        (3, '"captions" is empty'),
        (4, "not valid JSON: Expecting property name encl"),
    ]
    assert "scenes.jsonl, line 2: a scene has 5 captions, but this one has 7." in result.err


def test_a_file_without_a_scene_is_an_error(corpus, tmp_path):
    result = pair(write_jsonl(tmp_path / "scenes.jsonl", ["{"]))
    assert "contains no valid scene" in result.failure
    assert not Source.objects.exists()


@pytest.mark.parametrize(
    ("fields", "options", "reason"),
    [
        ({"protocol": "elicited"}, {}, 'protocol = "judged"'),
        ({"language": "ar"}, {}, "are for English only"),
        ({}, {"genre": "poems"}, 'small has no genre "poems"'),
    ],
)
def test_what_cannot_be_done_is_said_before_any_work(fields, options, reason):
    make_corpus(**{"protocol": "judged", **fields})
    assert reason in pair(**options).failure


def test_without_wordnet_the_command_says_what_to_install(corpus, monkeypatch):
    monkeypatch.setattr(wordnet_files.importlib.util, "find_spec", lambda name: None)
    wordnet.load_nouns.cache_clear()
    assert "make env" in pair().failure


def test_a_premise_that_is_there_is_used_and_one_that_was_dropped_is_left_alone(corpus, few, tmp_path):
    records = [{"id": record["id"], "text": record["captions"][:4]} for record in RECORDS[:2]]
    run("import_premises", "small", write_jsonl(tmp_path / "premises.jsonl", records), genre="fiction")
    Premise.objects.filter(public_id="market").update(status="dropped", dropped_because="a test")
    report = pair(few, captions=1).json
    assert report["passed_over"] == 1
    assert not Pair.objects.filter(premise__public_id="market").exists()
    assert Pair.objects.filter(premise__public_id="ferry").count() == 2
    assert Premise.objects.filter(public_id="ferry").count() == 1


def test_an_id_that_belongs_to_another_premise_gets_a_tail(corpus):
    scene = example_scenes()[0]
    made = [PairedScene(scene, [Hypothesis("A man works.", SAME, scene.id, 5, ("modifier",))])]
    source = Source.objects.create(corpus=corpus, name="a", sha256="0")
    genre = corpus.genres.get()
    Premise.objects.create(
        corpus=corpus, genre=genre, public_id=scene.id, group="x", text="Another.", digest="another"
    )
    assert write_paired(genre=genre, source=source, items=made) == {"premises": 1, "pairs": 1}
    assert Pair.objects.get().premise.public_id.startswith("market~")
    assert write_paired(genre=genre, source=source, items=made) == {"premises": 0, "pairs": 0}


def test_pairs_keep_the_partition_of_their_scene_and_a_draw_is_the_same_again(corpus, tmp_path):
    named = [{**record, "partition": "train" if at < 9 else "dev"} for at, record in enumerate(RECORDS[:12])]
    path = write_jsonl(tmp_path / "scenes.jsonl", named)
    report = pair(path, captions=1, draw="train=6, dev=2").json
    assert (report["pairs"], set(report["passing"])) == (8, {"train", "dev"})
    made = Pair.objects.values_list("published_partition", "premise__public_id")
    assert Counter(part for part, _ in made) == {"train": 6, "dev": 2}
    where = {record["id"]: record["partition"] for record in named}
    assert all(where[scene] == part for part, scene in made)
    before = content()
    assert pair(path, captions=1, draw="train=6, dev=2").json["pairs"] == 0
    assert content() == before


@pytest.mark.parametrize("draw", ["0", "-3", "many", "train=", "train=1,train=2", "odd=3", "3,4", "١"])
def test_a_draw_that_is_no_number_is_refused(corpus, draw):
    assert f'--draw: "{draw}" is no number of pairs' in pair(draw=draw).failure


def test_a_draw_by_partition_needs_scenes_that_name_theirs(corpus, few):
    assert '--draw: no scene has the partition "dev".' in pair(few, draw="dev=2").failure
