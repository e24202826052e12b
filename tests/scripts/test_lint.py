"""Each check of `make lint` fails for code that it should reject."""

import os
import sys
from pathlib import Path

import pytest

from scripts import lint

PYPROJECT = """
[tool.importlinter]
root_packages = ["upper", "lower"]
[[tool.importlinter.contracts]]
name = "One way"
type = "layers"
layers = ["upper", "lower"]
"""
COMMANDS = dict(lint.CHECKS["all"])


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Makes two small packages that pass every check."""
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    for name in ("upper", "lower"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    monkeypatch.setattr(lint, "ROOT", tmp_path)
    return tmp_path


def passes(name: str) -> bool:
    return lint.check(name, [sys.executable, *COMMANDS[name]], dict(os.environ))


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("ruff check", "import os\n"),
        ("ruff format", "a  =  1\n"),
        ("imports", "import upper\n"),
        pytest.param("mypy", "number: int = 'one'\n", marks=pytest.mark.thorough),
    ],
)
def test_a_fault_is_found(name: str, fault: str, tree: Path) -> None:
    assert passes(name)
    (tree / "lower" / "__init__.py").write_text(fault)
    assert not passes(name)
