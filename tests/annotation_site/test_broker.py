"""The embedded broker hands out whole messages only."""

import json
import os
import threading
from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection
from kombu.exceptions import ChannelError

from annotation_site import broker


@pytest.fixture
def connection(tmp_path: Path):
    folders = {
        "data_folder_in": str(tmp_path),
        "data_folder_out": str(tmp_path),
        "control_folder": str(tmp_path),
    }
    broker.install()
    with Connection("filesystem://", transport_options=folders) as opened:
        yield opened


def test_a_message_goes_in_and_comes_out(connection):
    channel = connection.channel()
    channel._put("training", {"body": "one"})
    assert channel._get("training") == {"body": "one"}
    with pytest.raises(Empty):
        channel._get("training")


def test_a_message_that_is_still_being_written_is_left_alone(connection, tmp_path):
    (tmp_path / "1_x.training.msg.part").write_text('{"bo')
    with pytest.raises(Empty):
        connection.channel()._get("training")


def test_a_full_disk_leaves_no_half_message(connection, tmp_path, monkeypatch):
    def full(self, text, **options):
        self.write_bytes(b"{")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(ChannelError, match="accepts no message: No space left on device"):
        connection.channel()._put("training", {"body": "one"})
    assert list(tmp_path.glob("*.msg*")) == []


def test_what_a_killed_writer_left_is_removed_when_it_is_old(tmp_path):
    old, new = tmp_path / "1_x.training.msg.part", tmp_path / "2_x.training.msg.part"
    for part in (old, new):
        part.write_text("{")
    os.utime(old, (0, 0))
    assert broker.remove_abandoned_parts(tmp_path) == 1
    assert list(tmp_path.glob("*.part")) == [new]


def test_a_reader_that_never_rests_meets_no_half_message(connection):
    """With kombu's own transport, a reader in a loop sooner or later gets an empty file."""
    sent, got, errors = 300, list[dict](), list[Exception]()

    def read() -> None:
        channel = connection.channel()
        while len(got) < sent and not errors:
            try:
                got.append(channel._get("training"))
            except Empty:
                continue
            except Exception as error:
                errors.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    writer = connection.channel()
    for number in range(sent):
        writer._put("training", {"body": json.dumps(number)})
    reader.join(timeout=300)
    assert errors == []
    assert sorted(int(message["body"]) for message in got) == list(range(sent))
