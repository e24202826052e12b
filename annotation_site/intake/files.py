"""Helpers of the commands that read files, and the record of what was read from which."""

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from collection.formats.field_errors import FieldError, said_by_command
from collection.formats.lines import packed
from collection.models import Corpus, Genre, Source
from collection.texts import one_line
from nli.wordnet_files import NoWordNet

INTERRUPTED = (
    "Interrupted. What was written stays (nothing under --strict); the same command goes on where it stopped."
)
MAX_LICENCE = 100


def readable_files(paths: Sequence[Path]) -> list[Path]:
    """Returns the paths if all can be read. Raises FieldError naming those that cannot."""
    problems = [problem for path in paths if (problem := _problem(path))]
    if problems:
        raise FieldError("\n".join(problems))
    return list(paths)


def _problem(path: Path) -> str | None:
    if path.is_dir():
        return f"{path} is a folder; name the files in it."
    try:
        return f"{why}." if (why := packed(path)) else None
    except FileNotFoundError:
        return f"{path} does not exist; check the name and the folder."
    except OSError as problem:
        return f"{path} cannot be read: {problem.strerror}."


def known_corpus(slug: str) -> Corpus:
    """Returns the corpus of that slug. Raises FieldError listing the existing ones."""
    corpus = Corpus.objects.filter(slug=slug).first()
    if corpus is None:
        known = ", ".join(Corpus.objects.order_by("slug").values_list("slug", flat=True))
        hint = (
            f"The corpora are: {known}."
            if known
            else "There is none yet; `load_corpus FILE.toml` creates one."
        )
        raise FieldError(f'There is no corpus "{slug}". {hint}')
    return corpus


def known_genre(corpus: Corpus, slug: str) -> Genre:
    """Returns the genre of that slug. Raises FieldError listing the existing ones."""
    genre = corpus.genres.filter(slug=slug).first()
    if genre is None:
        known = ", ".join(corpus.genres.order_by("slug").values_list("slug", flat=True)) or "none"
        raise FieldError(f'{corpus.slug} has no genre "{slug}"; its genres are: {known}.')
    return genre


class OrderCommand(BaseCommand):
    """A command that makes an order. A refusal of the order, with the option, is how it ends."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except KeyboardInterrupt:
            raise CommandError(INTERRUPTED) from None
        except (FieldError, NoWordNet) as problem:
            raise CommandError(said_by_command(problem)) from None


class Progress:
    """Prints the progress of a long import on standard error every few seconds."""

    def __init__(self, every: float = 5.0) -> None:
        self.every, self.last = every, time.monotonic()

    def tell(self, text: str) -> None:
        if time.monotonic() - self.last >= self.every:
            self.last = time.monotonic()
            sys.stderr.write(f"{text}\n")
            sys.stderr.flush()


PORTION = 2000  # lines that one transaction writes


def remember_source(*, corpus: Corpus, name: str, digest: str, licence: str = "") -> Source:
    """Returns the file as a source of the corpus. A repeated file is the same source."""
    # A file name may hold bytes that are not text, and line breaks.
    name = one_line(name.encode(errors="backslashreplace").decode())[:300]
    source, _ = Source.objects.get_or_create(
        corpus=corpus, name=name, sha256=digest, defaults={"licence": licence}
    )
    return source
