"""A snapshot that is imported and frozen again has the same content, but for the name of its corpus."""

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from collection.formats.records import WRITTEN
from collection.models import Corpus, Guidance, Pair, PairEdit, Parse, PromptVersion, Source
from collection.models.withdrawal import CORRECTED, VETTED
from nli.labels import QUESTION
from snapshots.exports.formats import export
from snapshots.verify import verify
from tests.cast import ana, person, rosa
from tests.commands import run
from tests.corpora import ask, make_pair, make_premise, new_label
from tests.made_once import made_once
from tests.snapshots.material import add_pair, add_premise, corpus_of, folder, freeze, label_pair, manifest
from tests.snapshots.test_every_answer import give
from validation.annotators.exclusion import exclude
from validation.models import Adjudication, Assignment, BatchItem, Label, Question
from validation.pairs.pair_sets import put_into_set

pytestmark = pytest.mark.django_db
E, N, C = "entailment", "neutral", "contradiction"
LEFT_BEHIND = {f"manifest.json: {key}" for key in ("annotators", "times")}
FILES = ("corpus.json", "train.jsonl", "dev.jsonl", "test.jsonl")


def skip(pair: Pair, question: Question, code: str, reason: str, position: int, sentence: int = 0) -> None:
    batch = Assignment.objects.create(
        question=question, annotator=person(code), leased_until=timezone.now(), closed_at=timezone.now()
    )
    seat = Label.objects.filter(question=question, pair=pair, position=position, sentence=sentence).first()
    seat = seat or give(
        pair, question, None, position=position, sentence=sentence, cast_at=None, leased_until=None
    )
    BatchItem.objects.create(assignment=batch, seat=seat, order=1, skip_reason=reason)


def with_every_kind_of_row() -> Corpus:
    corpus = corpus_of(
        4, slug="ferry", dev=3, test=3, licence="CC BY 4.0", description="Ferries.", made_for_demo=True
    )
    main = Question.objects.get(corpus=corpus)
    Question.objects.filter(pk=main.pk).update(gold_rule="adjudicated", instructions="Read.")
    main.refresh_from_db()
    corpus.genres.create(slug="travel", name="Travel guides", register="written", in_training=False)
    grammar = ask(corpus, "grammar", scheme="grammar3", wording="Is it right?", seats=3, hides_premise=True)
    single = ask(corpus, "each", wording="And of each sentence?", seats=2, by_sentence=True)
    model = {"origin": "model", "position": None}
    expert = {"origin": "expert", "position": None, "annotator": rosa()}

    told = add_pair(make_premise(corpus, "A line that splits people.", group="a book"), "e", "Nobody agrees.")
    label_pair(told, "eennc")
    Label.objects.filter(pair=told, position=3).update(reason="It depends\non the line.")
    for position, label in enumerate((N, N, C), start=6):
        give(told, main, label, f"more{position}", position=position)
    give(told, main, C, "late", position=None)  # a surplus label
    give(told, main, N, "slip", position=4, withdrawn_at=timezone.now(), withdrawn_because=CORRECTED)
    give(told, main, N, **expert)
    give(told, main, E, model="tiny-1", reason="It says so.", **model)
    give(told, main, C, model="tiny-2", **model)
    give(told, grammar, "minor", "more6", position=1, reason="A comma.")
    give(told, grammar, "none", "more7", position=4)
    give(told, grammar, "none", model="tiny-1", **model)
    skip(told, main, "shy", "upsetting", 5)
    skip(told, main, "shyer", "other", 7)
    skip(told, grammar, "shy", "unclear", 2)

    decided = add_pair(make_premise(corpus, "A line that a researcher decides."), "e", "It is decided.")
    put_into_set(corpus=corpus, name="For the paper", keys=[told.pk, decided.pk])
    put_into_set(corpus=corpus, name="A second one", keys=[told.pk])
    label_pair(decided, "eeccn")
    Adjudication.objects.create(
        question=main, pair=decided, scheme="nli3", label=N, reason="Read aloud.", by=rosa()
    )
    Pair.objects.filter(pk=told.pk).update(arm="edit", author_reason="They split.")
    Pair.objects.filter(pk=decided.pk).update(family=told.public_id)
    PairEdit.objects.create(pair=decided, edited_from="Nobody agrees.", distance=2)
    PairEdit.objects.create(pair=told, edited_from="Nobody agreed.", distance=1)
    Guidance.objects.create(pair=told, label=N, model_answer=E, twin_answer=C, model_tries=3)
    Guidance.objects.create(pair=decided, label=E, advice_seen=True)
    split = add_pair(make_premise(corpus, "A line without a gold label."), "n", "It splits.")
    label_pair(split, "nnecc")
    waiting = add_pair(make_premise(corpus, "A line that waits for labels."), "e", "It waits.")
    label_pair(waiting, "en")
    Label.objects.bulk_create(
        new_label(main, waiting, None, position=k, author=ana(), turn=k) for k in (3, 4, 5)
    )
    add_premise(corpus, "A line that nobody judged.", validated=False)
    skipped = add_pair(make_premise(corpus, "A line that all pass over."), "e", "They pass.")
    skip(skipped, main, "shy", "language", 2)
    lone = add_pair(make_premise(corpus, "A line that only a model read."), "e", "It read.")
    give(lone, main, N, model="tiny-1", **model)

    scene = make_premise(corpus, "Two dogs run.\nThey play.", sentence_count=2)
    several = make_pair(corpus, scene, "Dogs move.", published_label=E, metadata={"a": [1, None, "x\u2028y"]})
    for position, code in enumerate(("x", "y", "z"), start=1):
        give(several, main, C, code, position=position, origin="imported", cast_at=None, leased_until=None)
    for sentence, letters in enumerate(((E, N), (C, C)), start=1):
        for position, label in enumerate(letters, start=1):
            give(several, single, label, f"each{position}", position=position, sentence=sentence)
    skip(several, single, "shy", "unclear", 1, sentence=2)
    Parse.objects.create(
        pair=several, premise_parse="(ROOT (S Dogs))", hypothesis_binary_parse="( Dogs move )"
    )

    published = make_pair(
        corpus, make_premise(corpus, "A line with a published label."), "It is so.",
        author_label=E, published_label=E, published_partition="dev",
    )  # fmt: skip
    for position, label in enumerate((E, C, C, C), start=1):
        give(
            published, main, label, "" if position == 1 else f"i{position}", position=position,
            origin="author" if position == 1 else "imported", cast_at=None, leased_until=None,
        )  # fmt: skip
    guessed = add_pair(make_premise(corpus, "A line of a guesser."), "e", "Somebody guessed.")
    label_pair(guessed, "eeee")
    give(guessed, main, C, "guesser", position=5, author=ana())
    exclude(corpus=corpus, annotator=person("guesser"), by=rosa(), reason="guesses")
    return corpus


@made_once
def ferry():
    corpus = with_every_kind_of_row()
    return corpus, freeze(corpus)


def brought(source: Path, slug: str, tmp_path: Path, name: str) -> tuple[Path, list[dict]]:
    release = tmp_path / name
    shutil.copytree(source, release)
    summaries = [
        run("import_pairs", slug, path, format="snapshot", json=True).json
        for path in sorted(release.glob("*.jsonl"))
    ]
    return folder(freeze(Corpus.objects.get(slug=slug))), summaries


def content(place: Path) -> dict[str, Any]:
    found: dict[str, Any] = {
        name: [json.loads(line) for line in (place / name).read_text().strip("\n").split("\n")]
        for name in FILES[1:]
    }
    facts = json.loads((place / "corpus.json").read_text())
    return found | {"corpus.json": {key: facts[key] for key in facts if key not in ("slug", "name")}}


def test_every_kind_of_row_comes_back_and_once_more_with_the_same_bytes(ferry, tmp_path):
    _corpus, snapshot = ferry
    first = folder(snapshot)
    again, summaries = brought(first, "again", tmp_path, "one")
    assert [summary["refused"] for summary in summaries] == [[], [], []]
    assert {key for summary in summaries for key in summary["keys_not_read"]} == LEFT_BEHIND
    whole = content(again)
    text = json.dumps(whole, sort_keys=True).replace("ferry:", "")
    back = json.loads(text)
    for name, theirs in content(first).items():
        if name == "corpus.json":
            assert back[name] == theirs
        else:
            for ours, line in zip(back[name], theirs, strict=True):
                assert ours == line
    third, summaries = brought(again, "third", tmp_path, "two")
    assert summaries[0]["keys_not_read"] == {"manifest.json: provenance": 1}
    assert content(third) == whole  # codes stay as they are
    for name in FILES[1:]:
        assert (third / name).read_bytes() == (again / name).read_bytes()
    for place in (first, again, third):
        assert verify(place).findings == []


def test_how_hypotheses_were_written_comes_back_from_parquet_too(ferry, tmp_path):
    corpus, snapshot = ferry
    export(folder(snapshot), str(snapshot), "parquet", tmp_path / "out")
    files = sorted((tmp_path / "out").glob("*.parquet"))
    report = run("import_pairs", "again", *files, format="auto", json=True)
    written = ("arm", "author_reason", "family", "edit__edited_from", "edit__distance")
    brought = [
        Pair.objects.filter(corpus__slug="again", hypothesis=pair.hypothesis).values_list(*written).get()
        for pair in (
            corpus.pairs.get(edit__edited_from=text) for text in ("Nobody agreed.", "Nobody agrees.")
        )
    ]
    of_family = corpus.pairs.get(edit__edited_from="Nobody agrees.").family
    assert brought == [
        ("edit", "They split.", "", "Nobody agreed.", 1),
        ("", "", of_family, "", 2),  # it was made of the hypothesis that the family is named after
    ]
    genres = [
        Counter(Pair.objects.filter(corpus__slug=slug).values_list("premise__genre__slug", flat=True))
        for slug in (corpus.slug, "again")
    ]
    assert genres[0] == genres[1]
    kept = {"annotator_codes", "genre", *WRITTEN}
    assert not kept & set(report.json["keys_not_read"])


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"edited_from": "It was so."}, '"edited_from" has no "edit_distance" beside it'),
        (
            {"edited_from": "It was so.", "edit_distance": "many"},
            '"edit_distance" is no number of words, but "many"',
        ),
        ({"arm": "a" * 61}, '"arm" is 61 characters long; the limit is 60'),
    ],
)
@pytest.mark.django_db
def test_what_a_line_says_of_its_writing_must_be_storable(values, told, tmp_path):
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps({"premise": "A.", "hypothesis": "It is so.", "label": "neutral", **values}))
    assert told in run("import_pairs", "new", path, format="jsonl").err


def test_the_manifest_counts_the_same_answers_and_names_the_files_before(ferry, tmp_path):
    _corpus, snapshot = ferry
    first = manifest(snapshot)
    again, _ = brought(folder(snapshot), "again", tmp_path, "one")
    told = json.loads((again / "manifest.json").read_text())
    for key in ("answers", "agreement", "gold_sources", "partitions", "pairs_with_metadata", "parses"):
        assert told[key] == first[key], key


def test_seats_that_were_open_are_open_again_and_can_be_filled(ferry, tmp_path):
    _corpus, snapshot = ferry
    brought(folder(snapshot), "again", tmp_path, "one")
    pair = Pair.objects.get(corpus__slug="again", hypothesis="It waits.")
    open_seats = pair.labels.open().order_by("position")
    assert list(open_seats.values_list("position", flat=True)) == [3, 4, 5]
    assert all(seat.turn for seat in open_seats)


def test_the_import_of_a_whole_snapshot_can_be_withdrawn(ferry, tmp_path):
    corpus, snapshot = ferry
    people, pairs = User.objects.count(), Pair.objects.count()
    brought(folder(snapshot), "again", tmp_path, "one")
    third = tmp_path / "three"
    shutil.copytree(folder(snapshot), third)
    files = sorted(third.glob("*.jsonl"))
    for path in files:
        run("import_pairs", "other", path, format="snapshot")
    for path in files:
        told = run("withdraw_import", "other", path.name, with_corpus=path == files[-1])
        assert told.failure == ""
    assert not Corpus.objects.filter(slug="other").exists()
    assert Pair.objects.filter(corpus=corpus).count() == pairs
    assert User.objects.count() > people  # those of "again" stay


def test_what_cannot_come_back_is_named(ferry, tmp_path):
    corpus, _ = ferry
    Pair.objects.filter(hypothesis="Nobody agrees.").update(
        prompt_version=PromptVersion.objects.get(prompt__corpus=corpus)
    )
    _, summaries = brought(folder(freeze(corpus)), "again", tmp_path, "one")
    told = {key for summary in summaries for key in summary["keys_not_read"]}
    assert told == LEFT_BEHIND | {"prompt_version"}


def test_a_pair_that_was_withdrawn_is_named_too(ferry, tmp_path):
    corpus, _ = ferry
    gone = Pair.objects.get(corpus=corpus, hypothesis="They pass.")
    Pair.objects.filter(pk=gone.pk).update(withdrawn_at=timezone.now(), withdrawn_because=VETTED)
    second = freeze(corpus)
    assert manifest(second)["withdrawn"]["pairs"]
    _, summaries = brought(folder(second), "again", tmp_path, "one")
    assert sorted(summaries[0]["keys_not_read"]) == sorted({*LEFT_BEHIND, "manifest.json: withdrawn"})


def test_a_simulated_crowd_is_one_again_in_every_copy(tmp_path):
    corpus = with_every_kind_of_row()
    crowd = User.objects.filter(username__in=["v2", "each1", "guesser", "shyer"])
    assert crowd.update(kind=User.Kind.SIMULATED) == 4
    frozen = freeze(corpus)
    first = manifest(frozen)["simulated"]
    assert first["labels"]
    assert len(first["people"]) == 4
    run("import_pairs", "other", folder(frozen) / "train.jsonl", format="snapshot")
    assert User.objects.filter(code__startswith="ferry:", kind=User.Kind.SIMULATED).exists()
    assert run("withdraw_import", "other", "train.jsonl").failure == ""
    assert not User.objects.filter(code__startswith="ferry:").exists()
    again, _ = brought(folder(frozen), "again", tmp_path, "one")
    third, _ = brought(again, "third", tmp_path, "two")
    for place in (again, third):
        told = json.loads((place / "manifest.json").read_text())
        assert (told["simulated"]["labels"], told["annotators"]["people"]) == (first["labels"], 0)
        assert told["simulated"]["people"] == [f"ferry:{code}" for code in first["people"]]
        assert verify(place).findings == []


def test_a_snapshot_that_does_not_say_who_was_simulated_has_that_named(ferry, tmp_path):
    _, snapshot = ferry
    shutil.copytree(folder(snapshot), tmp_path / "old")
    path = tmp_path / "old" / "manifest.json"
    path.write_text(json.dumps({**manifest(snapshot), "simulated": {"labels": 7, "pairs": 0}}))
    told = run("import_pairs", "again", tmp_path / "old" / "train.jsonl", format="snapshot", json=True).json
    assert "manifest.json: simulated" in told["keys_not_read"]
    path.write_text('{"format": "quintet-snapshot-2"}')
    told = run("import_pairs", "again", tmp_path / "old" / "train.jsonl", format="snapshot")
    assert "manifest.json is not the manifest.json of a snapshot: " in told.failure


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        ({"question": "colour"}, 'an answer is to the question "colour"'),
        ({"label": "maybe"}, 'the label "maybe" of an answer is none of entailment, neutral, contradiction'),
        ({"withdrawn": "for fun"}, 'an answer was withdrawn for a reason that is not known: "for fun"'),
        ({"position": 99_999_999}, "has the position 99,999,999"),
        ({"sentence": 70_000}, "sentence 70,000"),
        ({"model": 7, "origin": "model"}, "model is not a text"),
    ],
)
def test_an_answer_that_cannot_be_stored_refuses_its_line(ferry, tmp_path, broken, told):
    _, snapshot = ferry
    line = next(
        json.loads(text)
        for path in folder(snapshot).glob("*.jsonl")
        for text in path.read_text().splitlines()
        if '"tiny-1"' in text and '"grammar"' in text
    )
    answer = {"code": "someone", "counts": False, "label": N, "position": 4, "withdrawn": CORRECTED}
    line["answers"].append(answer | broken)
    shutil.copy(folder(snapshot) / "corpus.json", tmp_path)
    (tmp_path / "train.jsonl").write_text(json.dumps(line) + "\n")
    assert told in run("import_pairs", "new", tmp_path / "train.jsonl", format="snapshot").err


def test_labels_that_people_gave_to_the_standard_question_keep_it(tmp_path):
    corpus = corpus_of(4)
    Question.objects.filter(corpus=corpus).update(wording=QUESTION)
    first = folder(freeze(corpus))
    again, _ = brought(first, "again", tmp_path, "one")
    assert content(again)["corpus.json"] == content(first)["corpus.json"]


def test_dnc_keeps_every_key_of_its_metadata(tmp_path):
    corpus = corpus_of(2, dev=0, test=0)
    about = {"length": "short", "corpus": "Ferries", "corpus-sent-id": "7", "misc": {"a": 1}, "odd key": [1]}
    Pair.objects.filter(corpus=corpus).update(metadata=about)
    snapshot = freeze(corpus)
    export(folder(snapshot), str(snapshot), "dnc", tmp_path / "out")
    path = tmp_path / "out" / "train_data.json"
    summary = run("import_pairs", "again", path, format="dnc-function-words", json=True).json
    follow_from_the_label = {"binary-label": 6, "label-set": 6}
    assert (summary["keys_not_read"], summary["pairs"]) == (follow_from_the_label, 6)
    found = Pair.objects.filter(corpus__slug="again").values_list("metadata", flat=True)
    assert [each for each in found if each != about] == []
    assert Source.objects.filter(corpus__slug="again").count() == 1
