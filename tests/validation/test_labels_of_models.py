"""A model's labels come from a file, have its name, and never count."""

import json
from pathlib import Path

import pytest
from django.db import IntegrityError

from collection.models import Pair
from tests.commands import run
from tests.corpora import make_corpus, make_pair, make_premise
from tests.made_once import made_once
from tests.validation.votes import gold_of, vote
from validation.models import Label, Question
from validation.statistics.agreement import agreement
from validation.statistics.annotator_quality import annotators

pytestmark = pytest.mark.django_db


@made_once
def question() -> Question:
    """Makes two pairs whose five labels split, and one without labels."""
    corpus = make_corpus()
    for name in ("one", "two", "three"):
        make_pair(corpus, make_premise(corpus, f"About {name}."), f"Sentence {name}.", public_id=name)
    question = corpus.questions.get()
    for pair in Pair.objects.exclude(public_id="three"):
        vote(pair, question, "eennc")
    return question


def file_of(folder: Path, *lines: object) -> Path:
    path = folder / "said.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return path


ONE = {"id": "one", "label": "entailment", "reason": "It says so."}
THREE = {"id": "three", "label": "neutral"}


def test_they_are_kept_with_the_models_name_and_count_nowhere(question, tmp_path):
    before = agreement(Pair.objects.all(), question)
    told = run(
        "keep_model_labels", "small", file_of(tmp_path, ONE, "", THREE), model="large 1", json=True
    ).json
    assert told == {"corpus": "small", "model": "large 1", "new": 2, "known": 0}
    kept = Label.objects.filter(origin="model").order_by("pk")
    assert list(kept.values_list("pair__public_id", "label", "model", "reason")) == [
        ("one", "entailment", "large 1", "It says so."),
        ("three", "neutral", "large 1", ""),
    ]
    assert not kept.exclude(position=None, annotator=None).exists()
    assert gold_of(Pair.objects.get(public_id="one"), question) == (None, "none")
    assert gold_of(Pair.objects.get(public_id="three"), question) == (None, "none")
    assert agreement(Pair.objects.all(), question) == before
    assert annotators(question) == []


def test_the_same_file_again_adds_nothing_and_another_model_is_another(question, tmp_path):
    path = file_of(tmp_path, ONE)
    run("keep_model_labels", "small", path, model="large 1")
    again = run("keep_model_labels", "small", path, model=" large 1 ", json=True).json
    assert (again["new"], again["known"]) == (0, 1)
    assert "1 new labels of large 2" in run("keep_model_labels", "small", path, model="large 2").out
    assert Label.objects.filter(origin="model").count() == 2


def test_a_faulty_file_keeps_nothing_and_names_its_lines(question, tmp_path):
    run("keep_model_labels", "small", file_of(tmp_path, ONE), model="large 1")
    path = file_of(
        tmp_path,
        THREE,
        "{",
        ["one"],
        {"id": "four", "label": "neutral"},
        {"id": "two", "label": "maybe"},
        {"id": "one", "label": "neutral"},
        THREE,
    )
    failure = run("keep_model_labels", "small", path, model="large 1").failure
    for said in (
        "Line 2 is not JSON",
        "Line 3 is not an object",
        "Line 4: the corpus has no pair 'four'.",
        "Line 5: 'maybe' is not a label of this question. Use one of: entailment, neutral, contradiction.",
        "Line 6: large 1 gave the label entailment before.",
        "Line 7: the pair three is in the file twice.",
    ):
        assert said in failure
    assert Label.objects.filter(origin="model").count() == 1
    assert "is empty" in run("keep_model_labels", "small", file_of(tmp_path), model="large 1").failure
    assert "1 to 100" in run("keep_model_labels", "small", path, model=" ").failure


def test_the_database_keeps_one_label_a_model_and_pair(question, tmp_path):
    run("keep_model_labels", "small", file_of(tmp_path, ONE), model="large 1")
    twice = Label.objects.get(origin="model")
    twice.pk, twice.token = None, "another"
    with pytest.raises(IntegrityError, match="one_label_a_model_and_pair"):
        twice.save()


def test_a_researcher_who_decides_sees_what_a_model_said_and_that_it_is_one(
    question, tmp_path, browser_of, rosa
):
    Question.objects.update(gold_rule="adjudicated")
    run("keep_model_labels", "small", file_of(tmp_path, ONE), model="large 1")
    page = browser_of(rosa).get("/corpora/small/adjudication/").content.decode()
    assert "large 1 (a model)" in page
    assert "It says so." in page
