"""A migration that a database may have is never changed or removed."""

from pathlib import Path

import pytest

from scripts import lint
from scripts.migrations import ROOT, main

FIRST, SECOND = "shop/migrations/0001_first.py", "shop/migrations/0002_second.py"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Returns a project of one landed migration."""
    for folder in ("scripts", "shop/migrations"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "scripts/migrations.txt").touch()
    (tmp_path / FIRST).write_text("first")
    assert main("add", root=tmp_path) == 0
    return tmp_path


def test_a_new_one_is_asked_for_and_added(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(root=project) == 0
    (project / SECOND).write_text("second")
    assert main(root=project) == 1
    assert "0002_second.py: new. Once finished, run" in capsys.readouterr().out
    assert main("add", root=project) == main(root=project) == 0


@pytest.mark.parametrize("change", ["changed", "removed"])
def test_a_landed_one_is_restored_and_no_command_forgets_it(
    project: Path, capsys: pytest.CaptureFixture[str], change: str
) -> None:
    if change == "changed":
        (project / FIRST).write_text("another")
    else:
        (project / FIRST).unlink()
    for words in ((), ("add",), ()):
        assert main(*words, root=project) == 1
        assert f"{FIRST} was {change}: databases may have it. Restore it" in capsys.readouterr().out


def test_all_of_this_project_are_listed_and_lint_looks() -> None:
    assert main(root=ROOT) == 0
    assert ["-m", "scripts.migrations"] in [command for _, command in lint.QUICK]
