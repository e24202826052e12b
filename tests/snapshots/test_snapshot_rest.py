"""Snapshots over REST: the list, and files with ranges and ETags."""

import hashlib

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from accounts.sign_in.tokens import create_api_token
from collection.models import Corpus
from snapshots.models import Snapshot, SnapshotFile
from tests.corpora import make_corpus, make_premise
from tests.made_once import made_once
from tests.snapshots.material import add_premise, corpus_of, folder, freeze, published_pair

pytestmark = pytest.mark.django_db


@made_once
def corpus():
    return corpus_of(6)


@made_once
def snapshot():
    return freeze(Corpus.objects.get())


@pytest.fixture
def api(api_of, rosa):
    return api_of(rosa)


@pytest.fixture
def train(snapshot):
    """Returns the bytes of train.jsonl, its address and its ETag."""
    data = (folder(snapshot) / "train.jsonl").read_bytes()
    return data, f"/api/v1/snapshots/{snapshot.pk}/files/train.jsonl", f'"{hashlib.sha256(data).hexdigest()}"'


def body(response) -> bytes:
    return response.getvalue()


def test_the_list_has_the_newest_first_and_pages_by_key(api, corpus, snapshot):
    add_premise(corpus, "New.")
    second = freeze(corpus)
    page = api.get("/api/v1/snapshots/?page_size=1").json()
    assert [row["name"] for row in page["results"]] == ["small@2"]
    assert page["results"][0]["sha256"] == second.sha256
    add_premise(corpus, "Newer.")
    freeze(corpus)
    older = api.get(page["next"]).json()
    assert [row["name"] for row in older["results"]] == ["small@1"]


def test_one_snapshot_tells_its_files_and_its_manifest(api, snapshot):
    told = api.get(f"/api/v1/snapshots/{snapshot.pk}/").json()
    assert (told["name"], told["status"], told["pairs"]) == ("small@1", "frozen", 18)
    names = [file["name"] for file in told["files"]]
    assert names == ["corpus.json", "dev.jsonl", "manifest.json", "test.jsonl", "train.jsonl"]
    assert told["manifest"]["sha256"] == told["sha256"]
    assert body(api.get(told["files"][1]["url"])) == (folder(snapshot) / "dev.jsonl").read_bytes()


def test_an_unknown_snapshot_is_404_with_a_sentence(api):
    answer = api.get("/api/v1/snapshots/1/")
    assert answer.status_code == 404
    assert "its freeze made no new one" in answer.json()["detail"]


def test_a_file_comes_whole_with_its_hash_as_etag(api, train):
    data, path, etag = train
    answer = api.get(path)
    assert answer.status_code == 200
    assert body(answer) == data
    assert answer["ETag"] == etag
    assert answer["Content-Length"] == str(len(data))
    assert answer["Accept-Ranges"] == "bytes"
    assert answer["Content-Type"] == "application/jsonl; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="small-1-train.jsonl"'


def test_head_tells_the_same_without_a_body(api, train):
    data, path, etag = train
    answer = api.head(path)
    assert answer.status_code == 200
    assert (answer["ETag"], answer["Content-Length"]) == (etag, str(len(data)))
    assert answer.content == b""


@pytest.mark.parametrize(
    ("asked", "start", "stop"),
    [
        ("bytes=0-9", 0, 10),
        ("bytes=10-", 10, None),
        ("bytes=-7", -7, None),
        ("bytes=5-999999999", 5, None),
        ("bytes=-999999999", 0, None),
        ("bytes=0-0", 0, 1),
    ],
)
def test_a_range_gives_those_bytes(api, train, asked, start, stop):
    data, path, etag = train
    answer = api.get(path, headers={"Range": asked})
    wanted = data[start:stop]
    first = data.index(wanted) if start >= 0 else len(data) + start
    assert answer.status_code == 206
    assert body(answer) == wanted
    assert answer["Content-Length"] == str(len(wanted))
    assert answer["Content-Range"] == f"bytes {first}-{first + len(wanted) - 1}/{len(data)}"
    assert answer["ETag"] == etag


def test_a_download_in_two_parts_is_the_file(api, train):
    data, path, etag = train
    first = api.get(path, headers={"Range": "bytes=0-99"})
    rest = api.get(path, headers={"Range": "bytes=100-", "If-Range": etag})
    assert body(first) + body(rest) == data


def test_head_of_a_range_has_its_length_and_no_body(api, train):
    answer = api.head(train[1], headers={"Range": "bytes=0-9"})
    assert (answer.status_code, answer["Content-Length"], answer.content) == (206, "10", b"")


@pytest.mark.parametrize("asked", ["bytes=999999999-", "bytes=-0"])
def test_a_range_beyond_the_end_is_416(api, train, asked):
    data, path, _ = train
    answer = api.get(path, headers={"Range": asked})
    assert answer.status_code == 416
    assert answer["Content-Range"] == f"bytes */{len(data)}"
    assert answer.json()["detail"].startswith(f"train.jsonl has {len(data):,} bytes")


@pytest.mark.parametrize(
    "asked", ["bytes=9-1", "bytes=-", "bytes=a-b", "lines=1-2", "bytes=0-1,3-4", "bytes=1-2x", ""]
)
def test_what_is_no_single_range_gives_the_whole_file(api, train, asked):
    answer = api.get(train[1], headers={"Range": asked})
    assert answer.status_code == 200
    assert body(answer) == train[0]


def test_if_range_of_another_file_gives_the_whole_one(api, train):
    answer = api.get(train[1], headers={"Range": "bytes=0-9", "If-Range": '"other"'})
    assert (answer.status_code, body(answer)) == (200, train[0])


@pytest.mark.parametrize("form", ["{}", "W/{}", '"other", {}', "*"])
def test_if_none_match_answers_304(api, train, form):
    answer = api.get(train[1], headers={"If-None-Match": form.format(train[2])})
    assert (answer.status_code, answer.content, answer["ETag"]) == (304, b"", train[2])


def test_if_none_match_of_another_file_gives_this_one(api, train):
    assert body(api.get(train[1], headers={"If-None-Match": '"other"'})) == train[0]


def test_any_accept_header_gets_the_file(api, train):
    assert body(api.get(train[1], headers={"Accept": "application/x-tar"})) == train[0]


@pytest.mark.parametrize(
    "name", ["../../../secret-key", "%2e%2e%2fmanifest.json", "..%2F..%2Fsecret-key", "nothing.jsonl", ".."]
)
def test_only_files_of_the_snapshot_are_given_out(api, snapshot, name):
    assert api.get(f"/api/v1/snapshots/{snapshot.pk}/files/{name}").status_code == 404


def test_a_torn_file_is_503_with_a_sentence(api, snapshot, train):
    (folder(snapshot) / "train.jsonl").write_bytes(train[0][:-5])
    answer = api.get(train[1])
    assert answer.status_code == 503
    assert answer["Content-Type"] == "application/problem+json"
    whole = len(train[0])
    assert answer.json()["detail"] == (
        f"train.jsonl of small@1 is incomplete: it has {whole - 5:,} of {whole:,} bytes. "
        "Ask the operator to restore the snapshot's folder from a backup."
    )


def test_a_missing_file_is_503_with_a_sentence(api, snapshot, train):
    (folder(snapshot) / "train.jsonl").unlink()
    answer = api.get(train[1])
    assert answer.status_code == 503
    assert "train.jsonl of small@1 is missing on the server" in answer.json()["detail"]


def test_files_of_an_unfinished_snapshot_are_not_there(api, train):
    Snapshot.objects.update(status="failed", error="It failed.", sha256="", frozen_at=None)
    assert api.get(train[1]).status_code == 404


class TestWhoMay:
    PATHS = ("/api/v1/snapshots/", "/api/v1/snapshots/{}/", "/api/v1/snapshots/{}/files/train.jsonl")

    @pytest.mark.parametrize("path", PATHS)
    def test_annotators_may_not_read(self, api_of, stan, snapshot, path):
        answer = api_of(stan).get(path.format(snapshot.pk))
        assert answer.status_code == 403
        assert answer.json()["detail"] == "This is for the researchers of the project."

    @pytest.mark.parametrize("path", PATHS)
    def test_strangers_may_not_read(self, snapshot, path):
        assert APIClient().get(path.format(snapshot.pk)).status_code == 401

    def test_a_researchers_token_opens_the_files(self, rosa, train):
        token = create_api_token(user=rosa, name="GPU node")
        assert body(Client().get(train[1], headers={"Authorization": f"Token {token}"})) == train[0]

    def test_an_annotators_token_does_not(self, ana, train):
        token = create_api_token(user=ana, name="mine")
        assert Client().get(train[1], headers={"Authorization": f"Token {token}"}).status_code == 403


def queries(api, path) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert api.get(path).status_code == 200
    return len(captured)


def test_lists_ask_as_many_queries_for_more_snapshots(api, corpus, snapshot):
    one = queries(api, "/api/v1/snapshots/"), queries(api, f"/api/v1/snapshots/{snapshot.pk}/")
    for number in range(4):
        add_premise(corpus, f"New {number}.")
        newest = freeze(corpus)
    assert (queries(api, "/api/v1/snapshots/"), queries(api, f"/api/v1/snapshots/{newest.pk}/")) == one


def test_names_of_rows_alone_decide_what_is_read(api, snapshot):
    """Even a row whose name contains a path sends no file outside the folder."""
    SnapshotFile.objects.create(snapshot=snapshot, name="../1/train.jsonl", sha256="0", size=1)
    assert api.get(f"/api/v1/snapshots/{snapshot.pk}/files/../1/train.jsonl").status_code == 404


def test_a_large_file_is_sent_in_blocks(api):
    corpus = make_corpus()
    premise = make_premise(corpus, "A man sleeps.")
    for number in range(30):
        text = "word " * 2000
        published_pair(corpus, premise, "neutral", "train", f"{number}", hypothesis=f"{number} {text}")
    large = freeze(corpus)
    data = (folder(large) / "train.jsonl").read_bytes()
    answer = api.get(f"/api/v1/snapshots/{large.pk}/files/train.jsonl", headers={"Range": "bytes=1-200001"})
    blocks = list(answer.streaming_content)
    assert b"".join(blocks) == data[1:200002]
    assert max(map(len, blocks)) <= 65536
