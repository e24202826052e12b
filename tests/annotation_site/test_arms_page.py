"""The arms of a corpus on their page, over REST, and the drafts that a command brings."""

import json

import pytest
from django.utils import timezone

from collection.models import (
    Corpus,
    OfferedText,
    PairEdit,
    PilotWriter,
    Premise,
    Prompt,
    PromptVersion,
    WritingAssignment,
    WritingSeat,
)
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.starts import starts_of
from collection.writing.submitting import skip_writing, submit_writing
from tests.cast import person, rosa, signed_in, with_token
from tests.commands import run
from tests.corpora import make_arm, make_corpus, make_premises

pytestmark = pytest.mark.django_db

PAGE = "/c/small/arms/"
TEXTS = {"entailment": "Something is there.", "neutral": "It is red.", "contradiction": "Nothing is there."}


@pytest.fixture
def corpus() -> Corpus:
    corpus = make_corpus()
    make_seats(premises=make_premises(corpus, [f"Premise number {number}." for number in range(9)]))
    return corpus


def write(corpus: Corpus, name: str) -> None:
    task = claim_writing(corpus=corpus, annotator=person(name))
    submit_writing(annotator=person(name), token=task.token, texts=TEXTS, key=task.token)


def test_page_rest_and_figure_count_the_same(corpus):
    make_arm(corpus, "edit", share=2)
    for name in ("ana", "ben", "cem"):
        write(corpus, name)
    task = claim_writing(corpus=corpus, annotator=person("dora"))
    skip_writing(annotator=person("dora"), token=task.token)
    claim_writing(corpus=corpus, annotator=person("ed"))
    client = with_token(rosa())
    rest = {each["arm"]: each for each in client.get("/api/v1/corpora/small/arms/").json()}
    assert list(rest) == ["fiction", "edit"]
    assert {each["prompt"] for each in rest.values()} == {"fiction"}
    assert sum(each["sent"] for each in rest.values()) == 3
    assert sum(each["in_hand"] for each in rest.values()) == 1
    assert sum(each["skipped"] for each in rest.values()) == 1
    assert sum(each["belong"] for each in rest.values()) == 5
    figure = client.get("/api/v1/corpora/small/figures/arms").json()
    names = ("arm", "recent", "sent", "in_hand", "skipped", "left", "belong")
    assert [[row[name] for name in names] for row in figure["rows"]] == [
        [each[name] for name in names] for each in rest.values()
    ]
    assert [row["wanted"] for row in figure["rows"]] == [pytest.approx(1 / 3), pytest.approx(2 / 3)]
    page = signed_in(rosa()).get(PAGE)
    assert page.context["each"].table.title == figure["title"]
    assert "apart" in figure["title"]


def test_an_arm_is_closed_and_opened_with_its_history(corpus):
    make_arm(corpus, "edit")
    client = signed_in(rosa())
    said = client.post(PAGE, {"arm": "edit", "status": "closed"}, follow=True).content.decode()
    assert "The arm edit is closed." in said
    assert Prompt.objects.get(slug="edit").status == "closed"
    assert "edit closed: nobody writes, share 1" in said
    for sent in ({"arm": "edit", "status": "pilot"}, {"arm": "edit", "status": "ajar"}, {"arm": "none"}, {}):
        assert client.post(PAGE, sent, follow=True).context["messages"]
    assert Prompt.objects.get(slug="edit").status == "closed"
    client.post(PAGE, {"arm": "edit", "status": "open"})
    assert Prompt.objects.get(slug="edit").history.count() == 2


def test_a_corpus_without_arms_says_how_to_make_one(corpus):
    assert "arm_of" in signed_in(rosa()).get(PAGE).content.decode()
    assert with_token(rosa()).get("/api/v1/corpora/small/arms/").json() == []


def test_drafts_of_a_file_are_stored_once(corpus, tmp_path):
    ids = list(Premise.objects.order_by("pk").values_list("public_id", flat=True)[:2])
    file = tmp_path / "drafts.jsonl"
    rows = [
        {"premise": ids[0], "text": "A  draft."},
        {"premise": ids[1], "label": "neutral", "text": "Another."},
    ]
    file.write_text("\n".join(map(json.dumps, rows)))
    assert "2 drafts stored, 0 were there" in run("offer_texts", "small", file, "--origin", "model 1").out
    assert "0 drafts stored, 2 were there" in run("offer_texts", "small", file, "--origin", "model 1").out
    assert set(OfferedText.objects.values_list("label", "text", "origin")) == {
        ("", "A  draft.", "model 1"),
        ("neutral", "Another.", "model 1"),
    }


def test_an_unknown_corpus_and_a_missing_file_are_named(corpus, tmp_path):
    file = tmp_path / "drafts.jsonl"
    assert "does not exist" in run("offer_texts", "small", file, "--origin", "model 1").failure
    file.write_text("{}")
    assert 'There is no corpus "smal"' in run("offer_texts", "smal", file, "--origin", "model 1").failure


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"premise": "nobody", "text": "A."}, "line 2: premise “nobody” is not in small"),
        ({"label": "perhaps", "text": "A."}, "line 2: label “perhaps” is none of"),
        ({"text": " "}, "line 2: text is empty"),
        ({"text": 3}, "line 2: premise, label and text must be texts"),
        ({"label": "neutral", "text": "A \ud800 dog."}, "line 2: text"),
        ({"text": "Other."}, "line 2: another draft for this premise and label is there"),
        ("{", "line 2"),
    ],
)
def test_a_file_with_an_error_brings_no_draft(corpus, tmp_path, row, says):
    first = Premise.objects.order_by("pk").first().public_id
    file = tmp_path / "drafts.jsonl"
    good = json.dumps({"premise": first, "text": "A draft."})
    file.write_text(f"{good}\n{row if isinstance(row, str) else json.dumps({'premise': first, **row})}\n")
    failure = run("offer_texts", "small", file, "--origin", "model 1").failure
    assert says in failure
    assert not OfferedText.objects.exists()


def test_drafts_of_an_arm_want_an_arm_whose_sentences_are_changed(corpus, tmp_path):
    make_arm(corpus, "edit")
    first = Premise.objects.order_by("pk").first().public_id
    file = tmp_path / "drafts.jsonl"
    file.write_text(json.dumps({"premise": first, "text": "A draft."}))
    asked = ("offer_texts", "small", file, "--origin", "model 1", "--arm", "edit")
    assert "“edit” is no prompt with mode = “edit”; these are: none" in run(*asked).failure
    PromptVersion.objects.filter(prompt__slug="edit").update(mode="edit")
    assert run(*asked).out.startswith("1 drafts stored")
    assert run(*asked[:-2]).out.startswith("1 drafts stored"), "beside it, one for all other arms"


def test_a_task_that_was_begun_keeps_its_sentence_also_when_its_time_is_over(corpus, tmp_path):
    PromptVersion.objects.update(mode="edit")
    task = claim_writing(corpus=corpus, annotator=person("ana"))
    premise = task.seat.premise
    file = tmp_path / "drafts.jsonl"
    file.write_text(json.dumps({"premise": premise.public_id, "text": "A draft."}))
    WritingAssignment.objects.filter(pk=task.pk).update(outcome="expired", closed_at=timezone.now())
    WritingSeat.objects.filter(pk=task.seat_id).update(leased_until=None, annotator=None)
    assert run("offer_texts", "small", file, "--origin", "model 1").out.startswith("1 drafts stored")
    assert set(starts_of(task, {}).values()) == {premise.text}
    submit_writing(annotator=person("ana"), token=task.token, texts=TEXTS, key=task.token)
    assert set(PairEdit.objects.values_list("edited_from", flat=True)) == {premise.text}
    WritingSeat.objects.exclude(premise=premise).delete()
    WritingSeat.objects.filter(premise=premise).update(submitted_at=None, leased_until=None, annotator=None)
    later = claim_writing(corpus=corpus, annotator=person("ben"))
    assert set(starts_of(later, {}).values()) == {"A draft."}


def test_the_writing_page_of_an_arm_is_previewed(corpus):
    make_arm(corpus, "edit")
    page = signed_in(rosa()).get("/c/small/preview/writing/?prompt=edit")
    assert page.context["version"].prompt.slug == "edit"
    assert "/c/small/preview/writing/?prompt=edit" in signed_in(rosa()).get(PAGE).content.decode()


def test_the_page_of_an_arm_offers_no_pilot_of_it_alone(corpus):
    make_arm(corpus, "edit")
    page = "/corpora/small/pilots/edit/"
    said = signed_in(rosa()).get(page).content.decode()
    assert "Start the pilot" not in said
    assert "Choose as a pilot" not in said
    assert "Make seats" not in said
    answer = signed_in(rosa()).post(page, {"add": person("ana").code}, follow=True)
    assert "piloted with the prompt whose arm it is" in answer.content.decode()
    assert not PilotWriter.objects.exists()
    closed = signed_in(rosa()).post(page, {"status": "closed"}, follow=True).content.decode()
    assert "nobody can claim" not in closed
