"""Finds the lines of keys in a TOML text, and rejects texts that would take too long to parse.

The standard library's reader reports no lines of keys, and takes minutes and gigabytes for a key of thousands of dots.
"""

import re

from schemas.base import Place

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


def lines_of(text: str) -> dict[Place, int]:
    """Returns place -> line for tables and keys of valid TOML. Keys in braces have the line of their table."""
    found: dict[Place, int] = {(): 1}
    counts: dict[Place, int] = {}
    table: Place = ()
    for number, line in _statements(text):
        if header := _HEADER.match(line):
            table = _entered(_names(header[2]), header[1] == "[[", counts)
            found.setdefault(table, number)
        elif key := _KEY.match(line):
            found.setdefault((*table, *_names(key[1])), number)
    return found


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


def _statements(text: str) -> list[tuple[int, str]]:
    """Returns (number, text) of lines on which a header or key begins, not those inside a text or list."""
    begins, depth, number, found = 0, 0, 1, []
    first = 1
    for token in _TOKEN.finditer(text + "\n"):
        if token[0] == "\n":
            if depth == 0:
                found.append((first, text[begins : token.start()]))
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
