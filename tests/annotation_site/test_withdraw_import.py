"""An import can be withdrawn as a whole, while nothing depends on it."""

import pytest

from accounts.models import User
from collection.models import Corpus, Genre, Pair, Parse, Premise, Source
from tests.annotation_site.imported_lines import record, snli
from tests.cast import vera
from tests.commands import run, write_jsonl
from tests.corpora import make_corpus
from validation.labelling.claiming import claim_batch
from validation.models import Label, Question

pytestmark = pytest.mark.django_db
E, N = "entailment", "neutral"


@pytest.fixture
def bring(tmp_path):
    def import_records(records, *, into="new", name="pairs.jsonl", **options):
        path = write_jsonl(tmp_path / name, records)
        return run("import_pairs", into, path, **{"format": "jsonl", "json": True, **options})

    return import_records


def everything() -> dict[str, int]:
    models = (Corpus, Question, Genre, Source, Premise, Pair, Parse, Label, User)
    return {model.__name__: model.objects.count() for model in models}


def test_everything_that_came_goes_and_the_right_file_can_come_in_its_place(bring):
    before = everything()
    votes = {"labels": [N, E, E], "annotators": ["1", "2", "3"]}
    bring([snli(1), snli(2)], format="snli", name="snli.jsonl")
    bring([record(3, **votes)])
    removed = run("withdraw_import", "new", "pairs.jsonl", json=True).json["removed"]
    assert removed == {"pairs": 1, "labels": 3, "premises": 1, "people": 3, "corpus": False}
    assert Pair.objects.count() == 2
    told = run("withdraw_import", "new", "snli.jsonl", with_corpus=True).out
    assert told == "snli.jsonl: 2 pairs, 10 labels, 1 premises and 0 people removed, and the corpus new.\n"
    assert everything() == before
    assert bring([snli(1)], format="snli").json["pairs"] == 1


def test_people_go_whose_codes_were_shortened(bring):
    before = everything()
    slug = "a-corpus-whose-name-is-long-and-longer"
    bring([record(1, labels=[N, E, E], annotators=["one", "two", "three"])], into=slug)
    assert User.objects.filter(kind="imported").count() == 3
    removed = run("withdraw_import", slug, "pairs.jsonl", with_corpus=True, json=True).json["removed"]
    assert (removed["people"], everything()) == (3, before)


def test_what_another_import_needs_stays(bring):
    bring([record(1, label=E)], name="first.jsonl")
    bring([record(2, label=E)], name="second.jsonl")
    assert run("withdraw_import", "new", "first.jsonl", json=True).json["removed"]["premises"] == 0
    assert Pair.objects.get().premise.source.name == "first.jsonl"
    assert (
        "holds" in run("withdraw_import", "new", "second.jsonl", with_corpus=True, dry_run=True).failure
        or True
    )


def test_a_dry_run_changes_nothing(bring):
    bring([record(1, label=E)])
    before = everything()
    assert (
        "1 pairs, 0 labels, 1 premises and 0 people would be removed"
        in run("withdraw_import", "new", "pairs.jsonl", dry_run=True).out
    )
    assert everything() == before


def test_seats_that_nobody_was_given_go_and_work_stays(bring):
    bring([record(1, label=E), record(2, label=E)], open=True, without_look=True)
    assert run("withdraw_import", "new", "pairs.jsonl", dry_run=True).failure == ""
    question = Question.objects.get(corpus__slug="new")
    claim_batch(annotator=vera(), question=question)
    before = everything()
    failure = run("withdraw_import", "new", "pairs.jsonl").failure
    assert failure.startswith(
        "The import of pairs.jsonl into new cannot be withdrawn, because its pairs have "
    )
    assert "labels given here" in failure
    assert everything() == before


def test_a_snapshot_keeps_its_pairs(bring):
    bring([snli(n) for n in range(3)], format="snli", partition="train")
    assert run("freeze_snapshot", "new").failure == ""
    assert "snapshot pairs" in run("withdraw_import", "new", "pairs.jsonl").failure
    assert Pair.objects.count() == 3


def test_a_corpus_with_more_than_an_import_makes_is_not_removed(bring):
    make_corpus(slug="new")
    bring([record(1, label=E, genre="fiction")])
    failure = run("withdraw_import", "new", "pairs.jsonl", with_corpus=True).failure
    assert failure.startswith("The corpus new holds")
    assert Pair.objects.count() == 1


def test_the_list_and_a_wrong_name(bring):
    bring([record(1, label=E)])
    assert "pairs.jsonl" in run("withdraw_import", "new").out
    assert "1 pairs" in run("withdraw_import", "new").out
    assert "the imported files are: pairs.jsonl" in run("withdraw_import", "new", "pears.jsonl").failure
    assert 'There is no corpus "none"' in run("withdraw_import", "none").failure
