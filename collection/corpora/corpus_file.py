"""Reads and checks corpus files. Reports all errors of a file at once, with their lines.

For the format see examples/demo/corpus.toml and docs/reference/corpus-file.md.
"""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from collection.corpus_schema import CorpusFile
from schemas.base import Part, Place, SchemaError, SchemaErrors, checked, field_at, is_list, part_in


@dataclass(frozen=True)
class Fault:
    """An error of a file: the whole sentence, its line (0: none), and for an error of a key its place and what is wrong."""

    sentence: str
    line: int = 0
    place: Place = ()
    what: str = ""


class BadCorpusFile(Exception):
    """The file cannot be loaded. `errors`: one sentence each, with file, line, table and key."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = list(faults)
        self.errors = [fault.sentence for fault in faults]
        super().__init__("\n".join(self.errors))


def read_corpus_file(path: Path) -> CorpusFile:
    """Reads and checks the file. Raises BadCorpusFile with all of its errors."""
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = raw[: problem.start].count(b"\n") + 1
        raise BadCorpusFile(
            [Fault(f"{path.name}, line {line}: not UTF-8. Save the file as UTF-8.", line)]
        ) from None
    return corpus_file_in(text, path.name)


def corpus_file_in(text: str, name: str) -> CorpusFile:
    """Checks the text of a corpus file; `name` stands in errors. Raises BadCorpusFile with all of its errors."""
    text = text.replace("\r\n", "\n")
    if why := too_much(text):
        joint = ", " if why.startswith("line") else " "
        raise BadCorpusFile([Fault(f"{name}{joint}{why}.", _line_in(why))])
    try:
        content = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        said = str(problem)
        hint = next((hint for words, hint in TOML_HINTS.items() if said.startswith(words)), "")
        raise BadCorpusFile([Fault(f"{name}: not valid TOML: {said}.{hint}", _line_in(said))]) from None
    except ValueError:  # Python converts no more digits
        raise BadCorpusFile([Fault(f"{name}: a number has thousands of digits; shorten it.")]) from None
    try:
        return checked(CorpusFile, content, CorpusFile.errors).with_schemes().read_from(text)
    except SchemaErrors as faulty:
        raise BadCorpusFile(_faults(name, text, content, faulty.errors)) from None


# What somebody who writes TOML for the first time did where the library says so.
TOML_HINTS = {
    "Illegal character '\\n'": " A text ends on its line with the quote that it began with; three quotes go around several.",
    "Invalid value": " A text stands in quotes; a number, true and false stand without.",
    "Cannot overwrite a value": " The key is there twice in its table.",
    "Cannot declare": " The table is there twice; tables of a list have [[two brackets]].",
    "Unclosed array": " A list ends with ].",
    "Unterminated string": " A text ends with the quotes that it began with.",
}


def _line_in(said: str) -> int:
    found = re.search(r"line (\d+)", said)
    return int(found[1]) if found else 0


def _faults(name: str, text: str, content: dict[str, Any], errors: Sequence[SchemaError]) -> list[Fault]:
    lines = lines_of(text)
    placed = sorted(((line_at(error.place, lines), error) for error in errors), key=lambda each: each[0])
    found = []
    for line, error in placed:
        field = field_at(CorpusFile, error.place)
        is_whole_table = len(error.place) == 1 and field is not None and field.is_required()
        if is_whole_table and error.what.startswith("is missing"):
            sentence = f"{name}: there is no [{error.place[0]}] table; add it."
        else:
            where = filter(None, (f"{name}, line {line}", *_where(error, content), error.what))
            sentence = ": ".join(where) + "."
        found.append(Fault(sentence, line, error.place, error.what))
    return list({fault.sentence: fault for fault in found}.values())


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


# The standard library's reader reports no lines of keys, and takes minutes and gigabytes for a key of thousands of dots.
MOST_BYTES = 1_000_000
MOST_DOTS = 20

_TOKEN = re.compile(
    r'#[^\n]*|"""(?:\\.|[^\\])*?"""+|\'\'\'.*?\'\'\'+|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|[\[\]{}]|\n',
    re.DOTALL,
)
_STRING = ('"', "'")
_NAME = r"[A-Za-z0-9_-]+|\"(?:\\.|[^\"\\\n])*\"|'[^'\n]*'"
_HEADER = re.compile(rf"[ \t]*(\[\[?)((?:[ \t]*(?:{_NAME})[ \t]*\.?)+)\]")
_KEY = re.compile(rf"[ \t]*((?:(?:{_NAME})[ \t]*\.?[ \t]*)+)=")
# Only where a name begins: tried at each letter of a long text, it took as long as the rest of a load.
_DOTTED = re.compile(rf"(?<![A-Za-z0-9_-])(?:[A-Za-z0-9_-]+[ \t]*\.[ \t]*){{{MOST_DOTS + 1}}}")


def too_much(text: str) -> str | None:
    """Returns why the text must not be parsed ("line 7: ..."); None if it may be."""
    if len(text.encode()) > MOST_BYTES:
        return f"is larger than {MOST_BYTES:,} bytes; a corpus file holds instructions, not data"
    plain = _TOKEN.sub(lambda found: "_" * len(found[0]) if found[0][0] in _STRING else found[0], text)
    plain = re.sub(r"#[^\n]*", "", plain)
    if found := _DOTTED.search(plain):
        line = plain[: found.start()].count("\n") + 1
        return f"line {line}: a key with more than {MOST_DOTS} dots; write a table instead"
    return None


@dataclass(frozen=True)
class Statement:
    """A header or a key of a file. `start`, `end`: where its lines begin and end, the last line break included."""

    place: Place
    line: int
    start: int
    end: int
    is_header: bool


def statements_of(text: str) -> list[Statement]:
    """Returns the headers and keys of valid TOML, in their order. What is in braces belongs to its key."""
    found: list[Statement] = []
    counts: dict[Place, int] = {}
    table: Place = ()
    for number, start, line in _statements(text):
        end = min(start + len(line) + 1, len(text))
        if header := _HEADER.match(line):
            table = _entered(_names(header[2]), header[1] == "[[", counts)
            found.append(Statement(table, number, start, end, is_header=True))
        elif key := _KEY.match(line):
            found.append(Statement((*table, *_names(key[1])), number, start, end, is_header=False))
    return found


def lines_of(text: str) -> dict[Place, int]:
    """Returns place -> line for tables and keys of valid TOML. Keys in braces have the line of their table."""
    found: dict[Place, int] = {(): 1}
    for each in statements_of(text):
        found.setdefault(each.place, each.line)
    return found


def value_span(statement: str) -> tuple[int, int]:
    """Returns where the value of a statement with a key begins and ends, without a comment behind it."""
    key = _KEY.match(statement)
    assert key is not None
    tokens = _TOKEN.finditer(statement, key.end())
    comment = next((token.start() for token in tokens if token[0].startswith("#")), len(statement))
    value = statement[key.end() : comment]
    return key.end() + len(value) - len(value.lstrip()), key.end() + len(value.rstrip())


def line_at(place: Place, lines: dict[Place, int]) -> int:
    """Returns the line of a place, or of the nearest place around it."""
    while place not in lines:
        place = place[:-1]
    return lines[place]


def _entered(names: list[str], is_list: bool, counts: dict[Place, int]) -> Place:
    """Returns the place of a header: in the last table of each enclosing list, or in a new table."""
    place: Place = ()
    for number, name in enumerate(names, start=1):
        place = (*place, name)
        if is_list and number == len(names):
            counts[place] = counts.get(place, -1) + 1
        if place in counts:
            place = (*place, counts[place])
    return place


def _names(dotted: str) -> list[str]:
    return [name.strip("\"'") for name in re.findall(_NAME, dotted)]


def _statements(text: str) -> list[tuple[int, int, str]]:
    """Returns (number, where it begins, text) of lines on which a header or key begins, not those inside a text or list."""
    begins, depth, number, found = 0, 0, 1, []
    first = 1
    for token in _TOKEN.finditer(text + "\n"):
        if token[0] == "\n":
            if depth == 0:
                found.append((first, begins, text[begins : token.start()]))
            number += 1
            if depth == 0:
                begins, first = token.end(), number
        elif token[0] in "[{":
            depth += 1
        elif token[0] in "]}":
            depth -= 1
        else:
            number += token[0].count("\n")
    return found
