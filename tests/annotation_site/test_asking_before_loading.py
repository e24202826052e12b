"""`load_corpus` shows the differences first; it asks a person at a terminal, but not a script."""

import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation_site.management.commands import load_corpus
from collection.models import Corpus
from tests.commands import run
from tests.conftest import REPOSITORY

pytestmark = pytest.mark.django_db

CAPTIONS = REPOSITORY / "examples" / "captions" / "corpus.toml"


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[str]]:
    """`typed("y\\n")`: standard input is a terminal where somebody types that. The list holds the questions."""

    def sit_down(text: str) -> list[str]:
        questions: list[str] = []
        terminal = Terminal(text)
        monkeypatch.setattr(sys, "stdin", terminal)

        def ask(question: str) -> str:
            questions.append(question)
            # Nothing has been done at the moment of the question.
            assert not Corpus.objects.exists()
            line = terminal.readline()
            if not line:
                raise EOFError
            return line.removesuffix("\n")

        monkeypatch.setattr("builtins.input", ask)
        return questions

    return sit_down


@pytest.mark.parametrize("answer", ["y\n", "Yes\n"])
def test_a_person_sees_the_difference_is_asked_and_agrees(
    typed: Callable[[str], list[str]], answer: str, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = typed(answer)
    call_command("load_corpus", CAPTIONS)
    assert questions == ["Make these 6 changes? [y/N] "]
    out = capsys.readouterr().out
    assert out.index("+ corpus captions") < out.index("captions: 6 changes made.")
    assert Corpus.objects.filter(slug="captions").exists()


@pytest.mark.parametrize("answer", ["\n", "n\n", "maybe\n", ""])
def test_whoever_does_not_say_yes_changes_nothing(typed: Callable[[str], list[str]], answer: str) -> None:
    typed(answer)
    with pytest.raises(CommandError, match=r"^Nothing was changed\.$"):
        call_command("load_corpus", CAPTIONS)
    assert not Corpus.objects.exists()


@pytest.mark.parametrize("option", ["--yes", "--json"])
def test_who_says_it_beforehand_is_not_asked(typed: Callable[[str], list[str]], option: str) -> None:
    questions = typed("")
    call_command("load_corpus", CAPTIONS, option)
    assert questions == []
    assert Corpus.objects.exists()


def test_a_trial_run_asks_nothing(typed: Callable[[str], list[str]]) -> None:
    questions = typed("")
    call_command("load_corpus", CAPTIONS, "--dry-run")
    assert (questions, Corpus.objects.exists()) == ([], False)


def test_without_a_terminal_nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO())
    call_command("load_corpus", CAPTIONS)
    assert Corpus.objects.exists()


def test_code_that_keeps_the_output_is_not_asked(typed: Callable[[str], list[str]]) -> None:
    questions = typed("")
    assert not run("load_corpus", CAPTIONS).failure
    assert questions == []


def test_nothing_to_change_is_no_question(typed: Callable[[str], list[str]]) -> None:
    run("load_corpus", CAPTIONS)
    questions = typed("")
    call_command("load_corpus", CAPTIONS)
    assert questions == []


def test_what_was_not_shown_is_not_done(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Somebody else changes the corpus after the difference was shown and before it was confirmed."""
    run("load_corpus", CAPTIONS)
    path = tmp_path / "corpus.toml"
    path.write_text(CAPTIONS.read_text().replace("batch_size = 5", "batch_size = 4"))

    def change_and_agree(count: int) -> bool:
        Corpus.objects.update(name="Renamed meanwhile")
        return True

    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr(load_corpus, "agreed", change_and_agree)
    with pytest.raises(CommandError, match="Somebody else has just changed the corpus"):
        call_command("load_corpus", path)
    corpus = Corpus.objects.get()
    assert corpus.name == "Renamed meanwhile"
    assert corpus.questions.get().batch_size == 5
