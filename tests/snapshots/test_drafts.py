"""Draft folders: the result is complete or absent, and drafts of killed processes are removed."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from snapshots.files.draft_folders import draft_of, put_in_place, remove_abandoned
from tests.commands import run
from tests.concurrency.threads import at_once

HOLDER = """
import sys, time
from pathlib import Path
from snapshots.files.draft_folders import draft_of
with draft_of(Path(sys.argv[1])) as draft:
    (draft / "half.txt").write_text("half")
    print("writing", flush=True)
    time.sleep(60)
"""


def killed_over(target: Path) -> None:
    """Runs a process that is killed by SIGKILL while it fills a draft."""
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(target)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"writing\n"
        process.send_signal(signal.SIGKILL)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != "var")


def test_a_draft_gets_its_name_whole_and_is_open_to_other_accounts(tmp_path):
    with draft_of(tmp_path / "new" / "here") as draft:
        (draft / "a.txt").write_text("a")
        assert not (tmp_path / "new" / "here").exists()
        put_in_place(draft, tmp_path / "new" / "here")
    assert names(tmp_path / "new") == ["here"]
    assert (tmp_path / "new" / "here").stat().st_mode & 0o777 == 0o755


def test_a_draft_that_is_not_put_in_place_is_gone(tmp_path):
    def fail() -> None:
        with draft_of(tmp_path / "here") as draft:
            (draft / "a.txt").write_text("a")
            raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        fail()
    assert names(tmp_path) == []


def test_what_a_killed_process_left_is_removed_by_the_next_one_and_nothing_else(tmp_path):
    for name in ("here", "there"):
        killed_over(tmp_path / name)
    (tmp_path / ".here.settings").mkdir()
    assert len(names(tmp_path)) == 3
    with draft_of(tmp_path / "here"):
        pass
    left = names(tmp_path)
    assert left[0] == ".here.settings"
    assert [name.startswith(".there.") for name in left[1:]] == [True]
    assert remove_abandoned(tmp_path) == 1
    assert names(tmp_path) == [".here.settings"]


def test_a_draft_that_somebody_fills_is_left_alone(tmp_path):
    with draft_of(tmp_path / "here") as first, draft_of(tmp_path / "here") as second:
        assert remove_abandoned(tmp_path) == 0
        assert first.exists()
        assert second.exists()


def test_many_drafts_of_one_place_at_once_take_nothing_from_each_other(tmp_path):
    def fill() -> bool:
        with draft_of(tmp_path / "here") as draft:
            (draft / "a.txt").write_text("a")
            return (draft / "a.txt").exists()

    assert at_once([fill] * 8) == [True] * 8
    assert names(tmp_path) == []


@pytest.mark.django_db
def test_doctor_clears_away_what_killed_freezes_left(settings):
    killed_over(settings.SNAPSHOT_ROOT / "small" / "1")
    assert "1 unfinished folder of a killed process was removed" in run("doctor").out
    assert names(settings.SNAPSHOT_ROOT / "small") == []
    assert "unfinished" not in run("doctor").out
