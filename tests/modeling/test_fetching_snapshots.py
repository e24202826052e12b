"""A worker that shares no folder with the site fetches files over REST, checks their hashes, and continues downloads."""

import errno
import os
import socket
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
import requests
from django.conf import settings as django_settings
from django.utils import timezone

from accounts.models import ApiToken
from accounts.sign_in.tokens import create_api_token
from modeling.launching.actions import resume_run, stop_run
from modeling.running import configs, fetching, runner
from snapshots.models import Snapshot
from snapshots.publishing.actions import retract
from tests.modeling.material import a_run, claimed, small_snapshot
from tests.snapshots.material import folder

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def snapshot():
    return small_snapshot(8)


@pytest.fixture
def node(live_server, rosa, settings, monkeypatch, tmp_path):
    """Makes this process a worker without the site's snapshots; the site runs in a thread, on the same database."""
    settings.SITE_URL = live_server.url
    settings.SITE_TOKEN = create_api_token(user=rosa, name="node", scope=ApiToken.Scope.READ)
    # The site reads Snapshot.folder in the same process, so only the worker's look at it is diverted.
    elsewhere, path_of = SimpleNamespace(folder=tmp_path / "none here"), configs._path_of
    monkeypatch.setattr(configs, "_path_of", lambda _, *more: path_of(elsewhere, *more))
    monkeypatch.setattr(fetching, "WAIT_SECONDS", 0.01)
    return Path(settings.CACHE_ROOT) / "snapshots"


def train_file(snapshot):
    return snapshot.files.get(name="train.jsonl")


def ended(snapshot):
    return runner.carry_out(claimed(a_run(snapshot)))


@pytest.mark.usefixtures("programs_start_at_once")
def test_a_run_trains_on_files_fetched_from_the_site_and_the_next_one_fetches_nothing(
    node, snapshot, monkeypatch
):
    run = ended(snapshot)
    assert (run.status, run.error) == ("done", "")
    for file in snapshot.files.filter(name__in=("train.jsonl", "dev.jsonl", "test.jsonl")):
        assert (node / file.sha256).read_bytes() == (folder(snapshot) / file.name).read_bytes()
    assert not list(node.glob("*.part")) or all(not part.stat().st_size for part in node.glob("*.part"))
    monkeypatch.setattr(requests, "get", lambda *_, **__: pytest.fail("it was fetched before"))
    assert ended(snapshot).status == "done"


def test_a_fetch_that_broke_off_goes_on_at_the_byte_where_it_was(node, snapshot, monkeypatch):
    file = train_file(snapshot)
    whole = (folder(snapshot) / file.name).read_bytes()
    node.mkdir(parents=True)
    (node / f"{file.sha256}.part").write_bytes(whole[:100])
    asked, get = [], requests.get

    def watched(address, headers, **more):
        asked.append(headers.get("Range"))
        return get(address, headers=headers, **more)

    monkeypatch.setattr(requests, "get", watched)
    assert fetching.cached_file(file).read_bytes() == whole
    assert asked == ["bytes=100-"]


def test_a_connection_that_breaks_midway_is_made_again(node, snapshot, monkeypatch):
    file, get = train_file(snapshot), requests.get
    breaks: list[int] = []

    class Breaking:
        def __init__(self, answer):
            self.answer = answer

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.answer.close()

        def __getattr__(self, name):
            return getattr(self.answer, name)

        def iter_content(self, _):
            for block in self.answer.iter_content(200):
                yield block
                if len(breaks) < 3:
                    breaks.append(1)
                    raise requests.exceptions.ChunkedEncodingError("gone")

    monkeypatch.setattr(requests, "get", lambda *a, **k: Breaking(get(*a, **k)))
    assert fetching.cached_file(file).read_bytes() == (folder(snapshot) / file.name).read_bytes()
    assert len(breaks) == 3


@pytest.mark.usefixtures("programs_start_at_once")
def test_other_bytes_than_those_that_were_frozen_are_refused_and_not_kept(node, snapshot):
    path = folder(snapshot) / "train.jsonl"
    path.write_bytes(path.read_bytes().replace(b"entailment", b"entailmenT", 1))
    run = ended(snapshot)
    assert run.status == "failed"
    assert "sent another file than train.jsonl of small@1" in run.error
    assert "verify_snapshot" in run.error
    assert not (node / train_file(snapshot).sha256).exists()
    path.write_bytes(path.read_bytes().replace(b"entailmenT", b"entailment", 1))
    resume_run(run=run)
    assert runner.carry_out(claimed(run)).status == "done"


def test_a_cached_file_that_rotted_is_fetched_again(node, snapshot):
    file = train_file(snapshot)
    path = fetching.cached_file(file)
    whole = path.read_bytes()
    path.write_bytes(b"x" * len(whole))
    assert fetching.cached_file(file).read_bytes() == whole


def test_without_a_token_or_with_one_that_ended_it_is_told_which_token_is_needed(node, snapshot, settings):
    settings.SITE_TOKEN = ""
    assert "SITE_TOKEN is not" in ended(snapshot).error
    settings.SITE_TOKEN = "quintet_nonsense"
    told = ended(snapshot).error
    assert "rejects this machine's token (401)" in told
    assert "of a researcher" in told


def test_somebody_who_is_no_researcher_cannot_lend_the_token(node, snapshot, settings, ana):
    settings.SITE_TOKEN = create_api_token(user=ana, name="node")
    assert "rejects this machine's token (403)" in ended(snapshot).error


def test_a_retracted_snapshot_is_not_fetched(node, snapshot, rosa):
    Snapshot.objects.filter(pk=snapshot.pk).update(published_at=timezone.now(), published_by=rosa)
    retract(snapshot=snapshot, because="Half of it is missing.", by=rosa)
    told = ended(snapshot).error
    assert "small@1 was retracted on" in told
    assert "Train on another version" in told


def test_a_site_that_lost_the_file_itself_is_quoted(node, snapshot):
    (folder(snapshot) / "train.jsonl").unlink()
    assert "train.jsonl of small@1 is missing on the server" in ended(snapshot).error


def test_a_site_that_does_not_answer_is_named(node, snapshot, settings):
    settings.SITE_URL = "http://127.0.0.1:9"
    told = ended(snapshot).error
    assert "http://127.0.0.1:9 did not answer" in told
    assert "resume the run" in told


def test_a_disk_without_room_is_told_before_and_while_it_fills(node, snapshot, monkeypatch):
    usage = SimpleNamespace(free=10)
    with monkeypatch.context() as patch:
        patch.setattr(fetching.shutil, "disk_usage", lambda _: usage)
        told = ended(snapshot).error
        assert "has no room for" in told
        assert "10 free" in told
        assert "QUINTET_VAR" in told

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(fetching, "_fetch_rest", full)
    assert "has no room for" in ended(snapshot).error


def test_two_runs_of_a_node_fetch_a_file_once(node, snapshot, monkeypatch):
    file, get, asked = train_file(snapshot), requests.get, []
    assert file.snapshot.corpus  # read here, since the threads must not use the database

    def counted(*arguments, **more):
        asked.append(1)
        return get(*arguments, **more)

    monkeypatch.setattr(requests, "get", counted)
    threads = [threading.Thread(target=fetching.cached_file, args=(file,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (node / file.sha256).stat().st_size == file.size
    assert len(asked) == 1


def test_a_run_can_be_stopped_while_it_fetches(node, snapshot, monkeypatch):
    monkeypatch.setattr(runner, "TICK_SECONDS", 0)
    run = claimed(a_run(snapshot))

    def slow(file, between):
        between()
        stop_run(run=run)
        between()
        pytest.fail("it goes on")

    monkeypatch.setattr(configs, "cached_file", slow)
    assert runner.carry_out(run).status == "stopped"


def test_a_site_that_hangs_is_given_up(node, snapshot, settings, monkeypatch):
    monkeypatch.setattr(fetching, "TIMEOUT", (0.1, 0.1))
    signs: list[int] = []
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings.SITE_URL = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(
            fetching.NotFetched, match=r"did not answer for train\.jsonl of small@1 \(ReadTimeout\)"
        ):
            fetching.cached_file(train_file(snapshot), lambda: signs.append(1))
    assert len(signs) == fetching.ATTEMPTS - 1


def test_without_the_address_of_the_site_the_way_to_fetch_is_told(snapshot, monkeypatch, tmp_path):
    assert not django_settings.SITE_URL
    monkeypatch.setattr(Snapshot, "folder", tmp_path)
    assert "set SITE_URL and SITE_TOKEN" in ended(snapshot).error
