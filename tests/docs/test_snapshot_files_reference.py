"""The reference of snapshots names the files, fields and keys that a frozen one has."""

import json
import re
from collections.abc import Iterator
from typing import Any, get_args, is_typeddict

import pytest

from collection.models import Guidance, Pair, PairEdit, PromptVersion
from nli.answers import KEYS
from nli.gold import OF_ALL, SOURCES
from nli.lines import FIELDS
from nli.manifest import FORMATS as VERSIONS
from nli.manifest import Facts, Manifest
from nli.shapes import fields_of
from snapshots.exports.formats import FORMATS
from snapshots.exports.parquet import features
from snapshots.exports.tab_separated import MPE
from tests.docs.pages import REFERENCE, rows, sections, ticked
from tests.snapshots.material import add_premise, corpus_of, folder, freeze, lines, manifest
from tests.validation.test_single_premises import ask_of_single_premises, judge
from tests.validation.votes import vote
from validation.models import Question
from validation.pairs.pair_sets import put_into_set

pytestmark = pytest.mark.django_db
TEXT = (REFERENCE / "snapshot-files.md").read_text()


def first_column(text: str) -> set[str]:
    return {word for cells in rows(text) for word in ticked(cells[0])}


def test_the_files_of_a_snapshot_are_those_of_the_reference() -> None:
    snapshot = freeze(corpus_of(4))
    before_the_first_section = TEXT.partition("\n## ")[0]
    assert {path.name for path in folder(snapshot).iterdir()} == first_column(before_the_first_section)


def test_the_fields_of_a_line_are_those_of_the_reference() -> None:
    corpus = corpus_of(1, dev=0, test=0)
    premise = add_premise(corpus, "Two dogs run.\nThey play.", group="A picture of dogs")
    premise.sentence_count = 2
    premise.save(update_fields=["sentence_count"])
    premise.pairs.update(prompt_version=PromptVersion.objects.get())
    single = ask_of_single_premises(corpus)
    pair = premise.pairs.first()
    judge(single, pair, 1, "ene")
    pair.metadata = {"corpus": "VerbNet"}
    pair.answers_left_out = 1
    pair.arm, pair.author_reason = "edit", "It is so."
    pair.save(update_fields=["metadata", "answers_left_out", "arm", "author_reason"])
    Pair.objects.exclude(pk=pair.pk).update(family=pair.public_id)
    PairEdit.objects.create(pair=pair, edited_from="A dog runs.", distance=1)
    answered = {"model_answer": "neutral", "twin_answer": "neutral", "model_tries": 2}
    Guidance.objects.create(pair=pair, advice_seen=True, **answered)
    put_into_set(corpus=corpus, name="For the paper", keys=[pair.pk])
    question = Question.objects.get(corpus=corpus, is_main=True)
    vote(pair, question, "e", first=6)
    question.gold_rule = OF_ALL
    question.save(update_fields=["gold_rule"])
    pair.labels.filter(question=question, position=5).update(
        label=None, annotator=None, cast_at=None, leased_until=None
    )
    found = {name for line in lines(freeze(corpus, derived_parses=True), "train") for name in line}
    found.add(
        "attached_parses"
    )  # of a freeze that names a file of trees: tests/snapshots/test_attached_trees.py
    fields, answers = sections(TEXT)["A line"].split("### answers")
    assert first_column(fields) == found == FIELDS
    assert first_column(answers) == KEYS.keys()


def test_every_source_of_gold_is_explained() -> None:
    told = next(cells[2] for cells in rows(sections(TEXT)["A line"]) if cells[0] == "`gold_source`")
    assert ticked(told) == list(SOURCES)


def test_the_keys_of_the_manifest_and_of_the_facts_are_those_of_the_reference() -> None:
    """The reference's tables are written from these classes; another test compares them."""
    corpus = corpus_of(4)
    ask_of_single_premises(corpus)
    snapshot = freeze(corpus)
    assert {field.name for field in fields_of(Manifest)} == {
        *manifest(snapshot),
        "withheld",
        "models",
        "preregistration",
    }
    facts = json.loads((folder(snapshot) / "corpus.json").read_bytes())
    elsewhere = {
        "questions",
        "gold_scheme",
        "gold_labels",
    }  # answers to other questions, labels of two schemes
    assert {field.name for field in fields_of(Facts)} == {*facts, *elsewhere}


def test_what_is_in_an_object_of_the_manifest_is_explained() -> None:
    """Keys of objects within objects, too; `corpus` has a table of its own."""
    for field in (*fields_of(Manifest), *fields_of(Facts)):
        assert field.meaning, field.name
        assert field.kind is Facts or {*keys_within(field.kind)} <= {*ticked(field.meaning)}, field.name


def test_a_key_that_older_snapshots_lack_says_since_when_it_is_there() -> None:
    """mypy requires code that reads a NotRequired key to handle snapshots without it."""
    later = {field.name for field in fields_of(Manifest) if field.since != 1}
    assert later == Manifest.__optional_keys__
    assert all(
        1 < field.since <= len(VERSIONS)
        for field in fields_of(Manifest)
        if field.name in later and field.since
    )
    told = {cells[0].strip("`"): cells[2] for cells in rows(sections(TEXT)["manifest.json"])}
    assert told == {field.name: str(field.since or "where needed") for field in fields_of(Manifest)}


def keys_within(kind: Any) -> Iterator[str]:
    if is_typeddict(kind):
        for field in fields_of(kind):
            yield field.name
            yield from keys_within(field.kind)
    else:
        for inner in get_args(kind):
            yield from keys_within(inner)


def exports() -> dict[str, str]:
    """Returns format -> the text under its heading; "" -> the text before the first one."""
    first, *others = re.split(r"^### +", sections(TEXT)["Exports"], flags=re.MULTILINE)
    return {"": first, **{part.partition("\n")[0].strip(): part for part in others}}


def test_every_format_of_exports_is_listed() -> None:
    assert first_column(exports()[""]) == set(FORMATS)


def test_the_columns_of_exports_are_those_of_the_reference() -> None:
    judgements_and_captions = first_column(exports()["mpe"]) | {"premise2", "premise3"}
    assert judgements_and_captions == set(MPE)
    told = first_column(exports()["parquet"].partition("| file |")[0])
    assert told == set(features(["a"], has_gold=True))
