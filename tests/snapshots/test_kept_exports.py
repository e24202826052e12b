"""Exports over REST and on their page: requested, written by a worker, sent in parts, and written again if lost."""

import hashlib
import json
import shutil
import tracemalloc

import pytest

from jobs.claims import InOtherHands, JobFailed
from snapshots.exports import job
from snapshots.exports.formats import UnknownFormat
from snapshots.exports.job import (
    MADE,
    carry_out_export,
    request_export,
)
from snapshots.exports.limits import ExportError
from snapshots.files.datasheet import QUESTIONS
from snapshots.models import ExportedFile, SnapshotExport
from snapshots.publishing.actions import answer_datasheet, publish
from tests.commands import run
from tests.concurrency.threads import at_once
from tests.jobs.material import claim_elsewhere, silence, sweep, work
from tests.made_once import made_once
from tests.snapshots.material import corpus_of, freeze

pytestmark = pytest.mark.django_db


@made_once
def snapshot():
    return freeze(corpus_of(4))


@pytest.fixture
def api(rosa, api_of):
    return api_of(rosa)


def path_of(snapshot, format_name: str) -> str:
    return f"/api/v1/snapshots/{snapshot.pk}/exports/{format_name}/"


def made(snapshot, format_name: str = "snli_txt") -> SnapshotExport:
    return carry_out_export(export_id=request_export(snapshot=snapshot, format_name=format_name).pk)


@pytest.mark.parametrize("format_name", [name for name in MADE if name != "mpe"])
def test_rest_gives_the_same_files_as_the_command(snapshot, api, tmp_path, format_name):
    asked = api.post(path_of(snapshot, format_name))
    assert (asked.status_code, asked.json()["status"], asked.json()["files"]) == (202, "requested", [])
    work(SnapshotExport.objects.get())
    told = api.get(path_of(snapshot, format_name)).json()
    assert told["status"] == "done"
    run("export_snapshot", "small@1", format=format_name, out=tmp_path / "out")
    ours = {file.name: file.read_bytes() for file in (tmp_path / "out").iterdir()}
    assert {file["name"] for file in told["files"]} == ours.keys()
    for file in told["files"]:
        answer = api.get(file["url"])
        assert b"".join(answer.streaming_content) == ours[file["name"]]
        assert answer["ETag"] == f'"{file["sha256"]}"'
        assert hashlib.sha256(ours[file["name"]]).hexdigest() == file["sha256"]
        assert len(ours[file["name"]]) == file["bytes"]
    assert api.post(path_of(snapshot, format_name)).status_code == 200, "it is there: nothing is made anew"


def test_a_part_of_a_file_and_a_file_that_one_has_already(snapshot, api):
    row = made(snapshot)
    file = row.files.get(name="train.txt")
    url = f"{path_of(snapshot, 'snli_txt')}train.txt"
    whole = b"".join(api.get(url).streaming_content)
    part = api.get(url, HTTP_RANGE="bytes=100-")
    assert part.status_code == 206
    assert b"".join(part.streaming_content) == whole[100:]
    assert part["Content-Type"] == "text/tab-separated-values; charset=utf-8"
    assert api.get(url, HTTP_IF_NONE_MATCH=f'"{file.sha256}"').status_code == 304
    assert api.get(url, HTTP_RANGE="bytes=99999999-").status_code == 416


def test_a_large_file_is_never_in_the_web_process_as_a_whole(snapshot, api):
    row = made(snapshot)
    size = 40_000_000
    with (row.folder / "train.txt").open("r+b") as stream:
        stream.truncate(size)
    row.files.filter(name="train.txt").update(size=size)
    tracemalloc.start()
    try:
        sent = sum(
            len(block) for block in api.get(f"{path_of(snapshot, 'snli_txt')}train.txt").streaming_content
        )
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert sent == size
    assert peak < 5_000_000


def test_what_a_format_cannot_hold_is_said(snapshot, api):
    api.post(path_of(snapshot, "mpe"))
    work(SnapshotExport.objects.get())
    told = api.get(path_of(snapshot, "mpe")).json()
    assert told["status"] == "failed"
    assert "mpe has four sentences in each premise" in told["error"]
    assert told["files"] == []
    assert api.post(path_of(snapshot, "mpe")).json()["status"] == "requested", "it may be asked for again"


def test_formats_and_files_that_are_not_there_are_404_with_a_sentence(snapshot, api):
    for format_name, sentence in (
        ("klue", "There is no format 'klue'. Known formats: snli_txt"),
        ("jsonl", "get its own files"),
        ("dnc", "The export dnc was not requested yet"),
    ):
        told = api.get(path_of(snapshot, format_name))
        assert (told.status_code, sentence in told.json()["detail"]) == (404, True)
    assert api.post(path_of(snapshot, "klue")).status_code == 404
    assert api.post("/api/v1/snapshots/99999/exports/dnc/").status_code == 404
    made(snapshot)
    assert api.get(f"{path_of(snapshot, 'snli_txt')}dev.jsonl").status_code == 404
    with pytest.raises(UnknownFormat):
        request_export(snapshot=snapshot, format_name="../..")


def test_the_list_has_what_was_asked_for_and_costs_the_same_however_long(
    snapshot, api, django_assert_max_num_queries
):
    list_path = f"/api/v1/snapshots/{snapshot.pk}/exports/"
    assert api.get(list_path).json() == []
    for name in ("snli_txt", "dnc", "multinli_txt"):
        made(snapshot, name)
    with django_assert_max_num_queries(5):
        told = api.get(list_path).json()
    assert [row["format"] for row in told] == ["dnc", "multinli_txt", "snli_txt"]


def test_new_answers_ask_for_a_new_export_and_the_old_files_go(snapshot, rosa, api):
    old = made(snapshot, "parquet")
    answer_datasheet(corpus=snapshot.corpus, answers={"uses": "For weather."}, by=rosa)
    assert api.get(path_of(snapshot, "parquet")).status_code == 404
    new = made(snapshot, "parquet")
    assert "For weather." in (new.folder / "datasheet.md").read_text()
    assert not old.folder.exists()
    assert SnapshotExport.objects.get() == new


def test_answers_that_come_while_it_is_asked_for_are_not_put_under_the_old_ones(snapshot, rosa):
    asked = request_export(snapshot=snapshot, format_name="parquet")
    answer_datasheet(corpus=snapshot.corpus, answers={"uses": "For weather."}, by=rosa)
    with pytest.raises(ExportError, match="new answers since"):
        carry_out_export(export_id=asked.pk)


def test_an_export_of_a_published_snapshot_stays_when_answers_change(snapshot, rosa, api):
    answer_datasheet(corpus=snapshot.corpus, answers=dict.fromkeys(QUESTIONS, "Known."), by=rosa)
    snapshot = publish(snapshot=snapshot, by=rosa)
    row = made(snapshot, "parquet")
    answer_datasheet(corpus=snapshot.corpus, answers={"uses": "For weather."}, by=rosa)
    assert made(snapshot, "parquet") == row


def test_files_that_were_lost_are_made_again_with_the_same_bytes(snapshot, api):
    row = made(snapshot)
    before = sorted(row.files.values_list("name", "sha256"))
    shutil.rmtree(row.folder)
    lost = api.get(f"{path_of(snapshot, 'snli_txt')}train.txt")
    assert lost.status_code == 503
    assert "Request the export again" in lost.json()["detail"]
    assert api.post(path_of(snapshot, "snli_txt")).status_code == 202
    assert sorted(made(snapshot).files.values_list("name", "sha256")) == before
    (row.folder / "train.txt").write_text("torn")
    assert sorted(made(snapshot).files.values_list("name", "sha256")) == before
    assert (row.folder / "train.txt").read_text() != "torn"


def test_a_lost_message_and_a_lost_worker_are_made_good_by_the_sweep(snapshot):
    row = request_export(snapshot=snapshot, format_name="dnc")
    claim_elsewhere(SnapshotExport)
    sweep()
    row.refresh_from_db()
    assert row.status == "working", "its worker is alive"
    with pytest.raises(InOtherHands):
        carry_out_export(export_id=row.pk)
    silence(SnapshotExport)
    sweep()
    row.refresh_from_db()
    assert row.status == "done"


def test_a_full_disk_is_said_on_the_row(snapshot, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(job, "export", full)
    with pytest.raises(JobFailed, match="No space left on device"):
        made(snapshot)
    row = SnapshotExport.objects.get()
    assert (row.status, row.error[-32:]) == ("failed", " device. Make room, then ask again."[-32:])


@pytest.mark.django_db(transaction=True)
def test_many_that_ask_and_work_at_once_make_one_export():
    snapshot = freeze(corpus_of(3))

    def ask_and_work():
        return carry_out_export(export_id=request_export(snapshot=snapshot, format_name="snli_txt").pk)

    answers = at_once([ask_and_work] * 6)
    assert any(isinstance(answer, SnapshotExport) for answer in answers)
    assert all(isinstance(answer, SnapshotExport | InOtherHands) for answer in answers)
    assert SnapshotExport.objects.get().status == "done"
    assert ExportedFile.objects.count() == 4


def test_the_page_asks_shows_the_state_and_gives_the_files(snapshot, rosa, browser_of):
    client = browser_of(rosa)
    page = f"/snapshots/{snapshot.pk}/exports/"
    assert "Write the files" in client.get(page).content.decode()
    assert client.post(f"{page}snli_txt/").url == page
    waiting = client.get(page).content.decode()
    assert "Being written: waiting for a worker" in waiting
    assert 'hx-trigger="every 2s"' in waiting
    work(SnapshotExport.objects.get())
    part = client.get(page, headers={"HX-Request": "true"}).content.decode()
    assert "<h1>" not in part
    assert f"{page}snli_txt/dev.txt" in part
    told = json.loads(b"".join(client.get(f"{page}snli_txt/export.json").streaming_content))
    assert told["snapshot"] == "small@1"
    assert client.post(f"{page}klue/").status_code == 404
    assert page in client.get(f"/snapshots/{snapshot.pk}/").content.decode()


def test_exports_are_for_researchers(snapshot, ana, browser_of, api_of):
    row = made(snapshot)
    client = browser_of(ana)
    for path in (f"/snapshots/{snapshot.pk}/exports/", f"/snapshots/{snapshot.pk}/exports/snli_txt/dev.txt"):
        assert client.get(path).status_code == 403
    assert client.post(f"/snapshots/{snapshot.pk}/exports/dnc/").status_code == 403
    assert api_of(ana).get(path_of(snapshot, "snli_txt")).status_code == 403
    assert SnapshotExport.objects.get() == row
