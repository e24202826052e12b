"""Publishing and retracting by command and over REST, with the rules and errors of the page."""

import pytest

from snapshots.files.datasheet import QUESTIONS
from snapshots.freezing.job import request_freeze
from snapshots.models import Snapshot
from snapshots.publishing.actions import answer_datasheet, publish
from tests.cast import with_token
from tests.commands import run
from tests.made_once import made_once
from tests.snapshots.material import corpus_of, folder, freeze

pytestmark = pytest.mark.django_db
ALL = {key: f"About {key}: it is known." for key in QUESTIONS}
BECAUSE = "Two genres were swapped."


@made_once
def snapshot():
    return freeze(corpus_of(3))


@pytest.fixture
def answered(snapshot, rosa):
    answer_datasheet(corpus=snapshot.corpus, answers=ALL, by=rosa)
    return snapshot


def test_a_terminal_publishes_what_is_answered_and_names_what_is_blank(snapshot, rosa):
    refused = run("publish_snapshot", "small@1", by="rosa").failure
    assert refused.startswith("small@1 cannot be published yet: 8 of 8 questions")
    assert QUESTIONS["uses"] in refused
    answer_datasheet(corpus=snapshot.corpus, answers=ALL, by=rosa)
    assert run("publish_snapshot", "small@1", by="rosa").out.startswith("small@1 was published on 20")
    snapshot.refresh_from_db()
    assert snapshot.published_by == rosa


def test_a_terminal_retracts_with_a_notice_and_the_first_one_stays(answered, rosa):
    assert "never published" in run("retract_snapshot", "small@1", because=BECAUSE, by="rosa").failure
    run("publish_snapshot", "small@1", by="rosa")
    assert "Give a reason" in run("retract_snapshot", "small@1", because="  ", by="rosa").failure
    told = run("retract_snapshot", "small@1", because=BECAUSE, by="rosa").out
    assert told.endswith(f": {BECAUSE}\n")
    assert run("retract_snapshot", "small@1", because="Another.", by="rosa").out == told
    assert "small@1 was retracted" in run("publish_snapshot", "small@1", by="rosa").failure


def test_a_terminal_must_name_a_researcher_and_a_frozen_snapshot(answered, ana):
    for name in ("ana", "nobody"):
        refused = run("publish_snapshot", "small@1", by=name).failure
        assert refused.startswith(f"There is no researcher '{name}'.")
    assert "The newest ones: small@1." in run("publish_snapshot", "small@2", by="ana").failure
    assert Snapshot.objects.get().published_at is None


def test_rest_publishes_what_is_answered_and_names_what_is_blank(snapshot, rosa):
    api, path = with_token(rosa, "all"), f"/api/v1/snapshots/{snapshot.pk}/publish/"
    refused = api.post(path)
    assert refused.status_code == 422
    assert refused.json()["errors"] == {key: [question] for key, question in QUESTIONS.items()}
    answer_datasheet(corpus=snapshot.corpus, answers=ALL, by=rosa)
    told = api.post(path).json()
    assert told["published_at"]
    assert api.post(path).json() == told, "publishing twice changes nothing"


def test_rest_retracts_with_a_notice_and_no_file_changes(answered, rosa):
    api, path = with_token(rosa, "all"), f"/api/v1/snapshots/{answered.pk}/retract/"
    assert api.post(path, {"because": BECAUSE}, format="json").status_code == 409
    publish(snapshot=answered, by=rosa)
    before = {each.name: each.read_bytes() for each in folder(answered).iterdir()}
    for nothing in ({}, {"because": " "}, {"because": "x" * 2001}):
        told = api.post(path, nothing, format="json")
        assert (told.status_code, list(told.json()["errors"])) == (422, ["because"])
    assert api.post(path, {"because": BECAUSE}, format="json").json()["retraction"]["because"] == BECAUSE
    assert {each.name: each.read_bytes() for each in folder(answered).iterdir()} == before
    assert api.post(f"/api/v1/snapshots/{answered.pk}/publish/").status_code == 409


def test_a_token_that_only_reads_and_a_person_who_only_labels_publish_nothing(answered, rosa, ana):
    for user, scope in ((rosa, "read"), (rosa, "work"), (ana, "all")):
        for what in ("publish", "retract"):
            path = f"/api/v1/snapshots/{answered.pk}/{what}/"
            assert with_token(user, scope).post(path, {"because": BECAUSE}).status_code == 403
    answered.refresh_from_db()
    assert answered.published_at is None


def test_rest_publishes_nothing_that_is_not_frozen_or_not_there(rosa):
    corpus = corpus_of(2)
    answer_datasheet(corpus=corpus, answers=ALL, by=rosa)
    requested = request_freeze(corpus=corpus)
    told = with_token(rosa, "all").post(f"/api/v1/snapshots/{requested.pk}/publish/")
    assert (told.status_code, told.json()["detail"][:24]) == (409, "small@1 is not frozen ye")
    assert with_token(rosa, "all").post("/api/v1/snapshots/99999/publish/").status_code == 404
