"""Reads and checks corpus files. Reports all errors of a file at once, with their lines.

For the format see examples/demo/corpus.toml and docs/reference/corpus-file.md.
"""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from collection.corpora.toml_places import line_at, lines_of, too_much
from collection.corpus_schema import CorpusFile
from schemas.base import Part, SchemaError, SchemaErrors, checked, field_at, is_list, part_in


class BadCorpusFile(Exception):
    """The file cannot be loaded. `errors`: one sentence each, with file, line, table and key."""

    def __init__(self, errors: Sequence[str]) -> None:
        super().__init__("\n".join(errors))
        self.errors = list(errors)


def read_corpus_file(path: Path) -> CorpusFile:
    """Reads and checks the file. Raises BadCorpusFile with all of its errors."""
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = raw[: problem.start].count(b"\n") + 1
        raise BadCorpusFile([f"{path.name}, line {line}: not UTF-8. Save the file as UTF-8."]) from None
    return corpus_file_in(text, path.name)


def corpus_file_in(text: str, name: str) -> CorpusFile:
    """Checks the text of a corpus file; `name` stands in errors. Raises BadCorpusFile with all of its errors."""
    text = text.replace("\r\n", "\n")
    if why := too_much(text):
        joint = ", " if why.startswith("line") else " "
        raise BadCorpusFile([f"{name}{joint}{why}."])
    try:
        content = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        raise BadCorpusFile([f"{name}: not valid TOML: {problem}."]) from None
    except ValueError:  # Python converts no more digits
        raise BadCorpusFile([f"{name}: a number has thousands of digits; shorten it."]) from None
    try:
        return checked(CorpusFile, content, CorpusFile.errors).with_schemes()
    except SchemaErrors as faulty:
        raise BadCorpusFile(_sentences(name, text, content, faulty.errors)) from None


def _sentences(name: str, text: str, content: dict[str, Any], errors: Sequence[SchemaError]) -> list[str]:
    lines = lines_of(text)
    placed = sorted(((line_at(error.place, lines), error) for error in errors), key=lambda each: each[0])
    sentences = []
    for line, error in placed:
        field = field_at(CorpusFile, error.place)
        is_whole_table = len(error.place) == 1 and field is not None and field.is_required()
        if is_whole_table and error.what.startswith("is missing"):
            sentences.append(f"{name}: there is no [{error.place[0]}] table; add it.")
        else:
            where = filter(None, (f"{name}, line {line}", *_where(error, content), error.what))
            sentences.append(": ".join(where) + ".")
    return list(dict.fromkeys(sentences))


def _where(error: SchemaError, content: Any) -> tuple[str, str]:
    """Returns the table, such as `[[prompts]] "fiction" [[check]] 1`, and the key of an error."""
    table: list[str] = []
    value = content
    for number, step in enumerate(error.place, start=1):
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            value = None
        if isinstance(step, int):
            slug = value.get("slug") if isinstance(value, dict) else None
            table.append(f'"{slug}"' if isinstance(slug, str) and slug else str(step + 1))
            continue
        field = field_at(CorpusFile, error.place[:number])
        part = part_in(field.annotation) if field else None
        if field is None or part is None or not issubclass(part, Part):
            return " ".join(table), step
        table.append(f"[[{step}]]" if is_list(field) else f"[{step}]")
    return " ".join(table), ""
