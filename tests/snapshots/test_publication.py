"""Answering the datasheet, publishing once it has no blanks, and retracting with a notice."""

import json

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone
from lxml import html

from snapshots.files.datasheet import QUESTIONS, canary
from snapshots.freezing.job import request_freeze
from snapshots.models import DatasheetAnswer, Snapshot
from snapshots.publishing.actions import (
    DatasheetHasBlanks,
    NotPublishable,
    ReasonMissing,
    UnknownQuestion,
    answer_datasheet,
    publish,
    retract,
)
from snapshots.publishing.forms import EXAMPLES
from snapshots.verify import verify
from tests.commands import run
from tests.made_once import made_once
from tests.snapshots.material import add_premise, corpus_of, folder, freeze, manifest

pytestmark = pytest.mark.django_db
ALL = {key: f"About {key}: it is known." for key in QUESTIONS}


@made_once
def corpus():
    return corpus_of(4)


@pytest.fixture
def published(corpus, rosa):
    answer_datasheet(corpus=corpus, answers=ALL, by=rosa)
    return publish(snapshot=freeze(corpus), by=rosa)


def test_freezing_asks_for_no_answers_and_publishing_names_every_blank(corpus, rosa):
    snapshot = freeze(corpus)
    answer_datasheet(corpus=corpus, answers={**ALL, "uses": "", "biases": "   "}, by=rosa)
    with pytest.raises(DatasheetHasBlanks, match="2 of 8 questions") as refused:
        publish(snapshot=snapshot, by=rosa)
    assert refused.value.blanks == {key: QUESTIONS[key] for key in ("uses", "biases")}
    assert all(question in str(refused.value) for question in refused.value.blanks.values())
    assert Snapshot.objects.get().published_at is None


def test_answers_have_a_history_and_the_newest_counts(corpus, rosa):
    assert answer_datasheet(corpus=corpus, answers={"uses": "For tests."}, by=rosa) == ["uses"]
    assert answer_datasheet(corpus=corpus, answers={"uses": " For tests. "}, by=rosa) == [], "nothing new"
    answer_datasheet(corpus=corpus, answers={"uses": "For training."}, by=rosa)
    answer_datasheet(corpus=corpus, answers={"uses": ""}, by=rosa)
    assert list(DatasheetAnswer.objects.order_by("id").values_list("text", flat=True)) == [
        "For tests.",
        "For training.",
        "",
    ]
    assert DatasheetAnswer.objects.standing() == {"uses": ""}


def test_a_question_that_no_datasheet_has_is_refused_and_nothing_is_kept(corpus, rosa):
    with pytest.raises(UnknownQuestion, match=r"no question 'colour'\. It has: purpose"):
        answer_datasheet(corpus=corpus, answers={"uses": "Much.", "colour": "Blue."}, by=rosa)
    assert not DatasheetAnswer.objects.exists()


def test_a_published_snapshot_keeps_the_answers_of_its_day(corpus, rosa, published):
    answer_datasheet(corpus=corpus, answers={"uses": "Something else by now."}, by=rosa)
    assert published.datasheet_answers()["uses"] == ALL["uses"]
    add_premise(corpus, "New.")
    assert freeze(corpus).datasheet_answers()["uses"] == "Something else by now."
    before = published.published_at
    assert publish(snapshot=published, by=rosa).published_at == before, "publishing twice changes nothing"


def test_what_is_not_frozen_cannot_be_published(corpus, rosa):
    answer_datasheet(corpus=corpus, answers=ALL, by=rosa)
    with pytest.raises(NotPublishable, match="is not frozen yet"):
        publish(snapshot=request_freeze(corpus=corpus), by=rosa)


def test_retraction_needs_a_reason_and_a_publication_and_alters_no_file(corpus, rosa, published):
    before = {path.name: path.read_bytes() for path in folder(published).iterdir()}
    with pytest.raises(ReasonMissing):
        retract(snapshot=published, because="  ", by=rosa)
    first = retract(snapshot=published, because="Two documents were not ours.", by=rosa)
    assert retract(snapshot=published, because="Another reason.", by=rosa).retracted_because == (
        first.retracted_because
    )
    assert {path.name: path.read_bytes() for path in folder(published).iterdir()} == before
    assert verify(folder(published)).ok
    with pytest.raises(NotPublishable, match="was retracted"):
        publish(snapshot=published, by=rosa)
    add_premise(corpus, "New.")
    with pytest.raises(NotPublishable, match="was never published"):
        retract(snapshot=freeze(corpus), because="Wrong.", by=rosa)


def test_the_database_refuses_half_a_publication_and_half_a_retraction(corpus, rosa):
    snapshot = freeze(corpus)
    now = timezone.now()
    for broken, constraint in (
        ({"published_at": now}, "published_is_frozen_and_by_somebody"),
        ({"retracted_at": now, "retracted_by": rosa, "retracted_because": "Why not."}, "retracted_was"),
        (
            {"published_at": now, "published_by": rosa, "retracted_at": now, "retracted_by": rosa},
            "retracted_was_published_and_says_why",
        ),
    ):
        with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
            Snapshot.objects.filter(pk=snapshot.pk).update(**broken)
    with pytest.raises(IntegrityError, match="datasheet_question_is_known"), transaction.atomic():
        DatasheetAnswer.objects.create(corpus=corpus, question="colour", text="Blue.", answered_by=rosa)


def test_the_page_takes_answers_lists_blanks_and_shows_earlier_ones(corpus, rosa, browser_of):
    browser = browser_of(rosa)
    address = f"/snapshots/datasheet/{corpus.slug}/"
    assert "8 questions are not answered yet" in browser.get(address).content.decode()
    assert browser.post(address, {**ALL, "uses": ""}).status_code == 302
    page = browser.get(address).content.decode()
    assert "1 question is not answered yet" in page
    assert f"<li>{QUESTIONS['uses']}</li>" in page
    browser.post(address, {**ALL, "uses": "For <b>tests</b>."})
    page = browser.get(address).content.decode()
    assert "All questions are answered" in page
    assert "For &lt;b&gt;tests&lt;/b&gt;." in page
    assert canary(manifest(freeze(corpus))) in page


def test_each_open_question_has_an_example_and_an_answered_one_has_none(corpus, rosa, browser_of):
    assert EXAMPLES.keys() == QUESTIONS.keys()
    answer_datasheet(corpus=corpus, answers={"uses": "For tests.", "biases": ""}, by=rosa)
    page = browser_of(rosa).get(f"/snapshots/datasheet/{corpus.slug}/")
    shown = html.fromstring(page.content).xpath("//details[not(@open)]/p/text()")
    found = [text.removeprefix("Of an invented corpus: ") for text in shown if text.startswith("Of an")]
    assert found == [EXAMPLES[key] for key in QUESTIONS if key != "uses"]


def test_an_answer_that_is_too_long_is_said_to_be_and_stays_in_its_field(corpus, rosa, browser_of):
    long = "a" * 20_001
    page = browser_of(rosa).post(f"/snapshots/datasheet/{corpus.slug}/", {"uses": long}).content.decode()
    assert "at most 20000 characters" in page
    assert long in page
    assert not DatasheetAnswer.objects.exists()


def test_the_snapshots_page_offers_what_can_be_done_next(corpus, rosa, browser_of):
    browser, snapshot = browser_of(rosa), freeze(corpus)
    address = f"/snapshots/{snapshot.pk}/"
    assert "This snapshot cannot be published yet: 8 questions" in browser.get(address).content.decode()
    refused = browser.post(f"{address}publish/", follow=True).content.decode()
    assert "small@1 cannot be published yet: 8 of 8 questions" in refused
    answer_datasheet(corpus=corpus, answers=ALL, by=rosa)
    assert "Publish small@1" in browser.get(address).content.decode()
    assert "Published on" in browser.post(f"{address}publish/", follow=True).content.decode()
    page = browser.post(f"{address}retract/", {"because": ""}, follow=True).content.decode()
    assert "Give a reason" in page
    page = browser.post(f"{address}retract/", {"because": "Two texts were not ours."}, follow=True)
    assert "Retracted on" in page.content.decode()
    assert "Two texts were not ours." in page.content.decode()
    for page in (f"{address}exports/", f"{address}statistics/", f"/runs/new/{snapshot.pk}/"):
        assert "Two texts were not ours." in browser.get(page).content.decode()
    assert "Retracted" in browser.get("/snapshots/").content.decode()


def test_pages_about_releases_are_for_researchers(corpus, ana, browser_of):
    snapshot, browser = freeze(corpus), browser_of(ana)
    for address in (f"/snapshots/datasheet/{corpus.slug}/", f"/snapshots/{snapshot.pk}/datasheet.md"):
        assert browser.get(address).status_code == 403
    assert browser.post(f"/snapshots/{snapshot.pk}/publish/").status_code == 403
    assert browser.post(f"/snapshots/{snapshot.pk}/retract/", {"because": "x"}).status_code == 403


def test_rest_says_that_a_snapshot_was_retracted_beside_its_manifest_and_its_files(rosa, published, api_of):
    api, address = api_of(rosa), f"/api/v1/snapshots/{published.pk}/"
    told = api.get(address).json()
    assert told["published_at"]
    assert told["retraction"] is None
    assert "Quintet-Retracted" not in api.head(f"{address}files/manifest.json")
    retract(snapshot=published, because="Two documents were not ours.", by=rosa)
    told = api.get(address).json()
    assert told["retraction"]["because"] == "Two documents were not ours."
    assert told["manifest"]["sha256"] == told["sha256"]
    assert api.get("/api/v1/snapshots/").json()["results"][0]["retraction"] == told["retraction"]
    today = timezone.now().date().isoformat()
    for name in ("manifest.json", "train.jsonl"):
        assert api.head(f"{address}files/{name}")["Quintet-Retracted"] == today


def test_the_datasheet_and_the_metadata_of_an_export_have_the_answers(published, rosa, browser_of, tmp_path):
    assert run("export_snapshot", "small@1", format="parquet", out=tmp_path / "out").failure == ""
    told = (tmp_path / "out" / "datasheet.md").read_text()
    assert all(text in told for text in ALL.values())
    assert "questions are not answered" not in told
    assert canary(manifest(published)) in told
    assert json.loads((tmp_path / "out" / "croissant.json").read_text())["rai:dataBiases"] == ALL["biases"]
    page = browser_of(rosa).get(f"/snapshots/{published.pk}/datasheet.md")
    assert page.content.decode() == told


def test_an_export_of_a_retracted_snapshot_says_so(published, rosa, tmp_path):
    retract(snapshot=published, because="Two documents were not ours.", by=rosa)
    said = run("export_snapshot", "small@1", format="jsonl", out=tmp_path / "out")
    assert "small@1 was retracted: Two documents were not ours." in said.err
