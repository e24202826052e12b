"""Check each line of a snapshot's files: fields, labels, gold label, answers, trees. Standard library only."""

import hashlib
import json
import math
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from nli import answers, single_premises
from nli.gold import AUTHOR, MAJORITY, NONE, OF_ALL, SOURCES, WITHHELD, Rule
from nli.labels import NO_GOLD, SCHEMES
from nli.lines import FIELDS, SIDES, Line, distribution, rule_of, rules_in, shape_errors, text_alone
from nli.manifest import Facts
from snapshots.files.counts import LineCounts
from snapshots.files.trees import BadTree, fits, is_binary, read

MOST_FINDINGS = 20  # for each file: one mistake may be in thousands of lines
PAIR, PREMISE, HYPOTHESIS, GROUP = "pair", "premise", "hypothesis", "group"


# SQLite sorts larger amounts in files of its own.
MEMORY_KIB = 8 << 10


class Occurrences:
    """Names (any bytes) of several kinds with partition and line, in an unnamed database that is deleted with the object."""

    def __init__(self) -> None:
        self.database = sqlite3.connect("", isolation_level=None)
        self.database.execute(f"PRAGMA cache_size = -{MEMORY_KIB}")
        self.database.execute("PRAGMA temp_store = FILE")
        self.database.execute("CREATE TABLE noted (kind TEXT, name BLOB, partition TEXT, line INTEGER)")
        self.database.execute("BEGIN")

    def __enter__(self) -> "Occurrences":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.database.close()

    def note(self, kind: str, partition: str, names: Iterable[tuple[bytes, int]]) -> None:
        """Stores names, each with its line (0 if the line is irrelevant)."""
        rows = ((kind, name, partition, line) for name, line in names)
        self.database.executemany("INSERT INTO noted VALUES (?, ?, ?, ?)", rows)

    def in_several(self, kind: str, limit: int = -1) -> Iterator[tuple[bytes, list[str]]]:
        """Yields the names that occur in several partitions, sorted, each with those partitions."""
        found = self.database.execute(
            "SELECT name, group_concat(DISTINCT partition) FROM noted WHERE kind = ?"
            " GROUP BY name HAVING min(partition) <> max(partition) ORDER BY name LIMIT ?",
            (kind, limit),
        )
        return ((name, sorted(partitions.split(","))) for name, partitions in found)

    def number_in_several(self, kind: str) -> int:
        return sum(1 for _ in self.in_several(kind))

    def by_partition(self, kind: str) -> Counter[str]:
        """Returns the number of different names in each partition."""
        counted = self.database.execute(
            "SELECT partition, count(*) FROM (SELECT DISTINCT name, partition FROM noted WHERE kind = ?) GROUP BY partition",
            (kind,),
        )
        return Counter(dict(counted))

    def again(self, kind: str) -> Iterator[tuple[str, int, bytes]]:
        """Yields partition, line and name of every occurrence of a name except the first."""
        return self.database.execute(
            "SELECT partition, line, name FROM (SELECT *, row_number() OVER (PARTITION BY name ORDER BY rowid) AS nth"
            " FROM noted WHERE kind = ?) WHERE nth > 1",
            (kind,),
        )


@dataclass
class Part:
    """The counts and the errors of some lines of a partition; lines are numbered from 1.

    errors: (line, text), the first twenty; `more` counts the others. first: line number and pairID of the first line
    that could be read. names: kind -> (name, line), to be compared with those of the other parts.
    """

    counts: LineCounts
    lines: int = 0
    errors: list[tuple[int, str]] = field(default_factory=list)
    more: int = 0
    first: tuple[int, str] | None = None
    last: str = ""
    names: dict[str, dict[bytes, int] | list[tuple[bytes, int]]] = field(default_factory=dict)
    authors: set[str] = field(default_factory=set)

    def add_error(self, number: int, text: str) -> None:
        if len(self.errors) < MOST_FINDINGS:
            self.errors.append((number, text))
        else:
            self.more += 1


def check_part(lines: Iterable[bytes], partition: str, facts: Facts, *, is_early: bool) -> Part:
    """Checks consecutive lines of a partition's file. is_early: the snapshot has the first version of the format."""
    rules = rules_in(facts, partition)
    part = Part(LineCounts(rule_of(facts)))
    pairs: list[tuple[bytes, int]] = []
    premises: dict[bytes, int] = {}
    hypotheses: dict[bytes, int] = {}
    groups: dict[bytes, int] = {}
    for number, data in enumerate(lines, start=1):
        part.lines = number
        reason, line = read_line(data)
        if line is None:
            part.add_error(number, reason)
            continue
        name = line["pairID"]
        if part.first is None:
            part.first = number, name
        elif name <= part.last:
            part.add_error(number, out_of_order(name))
        part.last = name
        for reason in line_errors(line, facts, rules, is_early=is_early):
            part.add_error(number, reason)
        part.counts.add(partition, line)
        pairs.append((as_bytes(name), number))
        premises.setdefault(as_bytes(line["promptID"]), number)
        # Sixteen bytes of a hash instead of the text: half a million sentences are compared.
        hypotheses.setdefault(hashlib.sha256(as_bytes(line["sentence2"])).digest()[:16], number)
        # A premise without a group of its own is one.
        groups.setdefault(as_bytes(line.get("group", line["promptID"])), number)
        if line["author"]:
            part.authors.add(line["author"])
    part.names = {PAIR: pairs, PREMISE: premises, HYPOTHESIS: hypotheses, GROUP: groups}
    return part


def as_bytes(text: str) -> bytes:
    """Encodes a text that may hold half a surrogate pair, which JSON allows and UTF-8 does not."""
    return text.encode("utf-8", "surrogatepass")


def out_of_order(name: str) -> str:
    return f"pairID {name!r} is out of order"


def read_line(data: bytes) -> tuple[str, dict[str, Any] | None]:
    """Returns a line if it has all required fields with values of the right types, otherwise the error."""
    if not data.endswith(b"\n"):
        return "the file ends in the middle of this line", None
    try:
        line = json.loads(data)
    except (ValueError, RecursionError) as error:  # deeply nested JSON ends in the second
        return f"is not JSON ({error})", None
    if not isinstance(line, dict):
        return "is not a JSON object", None
    for wrong in shape_errors(line):
        return wrong, None
    return "", line


def line_errors(line: Line, facts: Facts, rules: Sequence[Rule], *, is_early: bool) -> Iterator[str]:
    """Yields the errors in the content of one well-formed line. One of `rules` decided its gold label."""
    if line["gold_source"] == WITHHELD and line != text_alone(line):
        yield "has more than its texts, although its labels are withheld"
        return
    rule = rules[-1]  # an imported pair may have more labels than its partition has seats
    if not FIELDS.issuperset(line):
        yield f"has fields that no snapshot has: {', '.join(sorted(set(line) - FIELDS))}"
    given, author = line["annotator_labels"], line["author_label"]
    for label in dict.fromkeys(given):
        if label not in rule.labels:
            yield f"the label {label!r} is not one of: {', '.join(rule.labels)}"
    if author and author not in rule.gold_labels:
        yield f"the author's label {author!r} is not one of: {', '.join(rule.gold_labels)}"
    if len(given) > rule.seats:
        yield f"has {len(given)} labels, but there are {rule.seats} seats"
    if len(line["annotator_codes"]) != len(given):
        yield f"has {len(line['annotator_codes'])} annotator_codes for {len(given)} annotator_labels"
    if line["genre"] not in facts.get("genres", {}):
        yield f"the genre {line['genre']!r} is not one of the corpus"
    sentences = line.get("premise_sentences")
    if sentences is not None and " ".join(sentences) != line["sentence1"]:
        yield "sentence1 is not premise_sentences joined by spaces"
    if not (is_early and "label_distribution" not in line) and not equal(
        line.get("label_distribution"), distribution(given, rule.labels)
    ):
        yield "label_distribution does not follow from annotator_labels"
    yield from tree_errors(line)
    yield from single_premises.errors(line, facts)
    yield from answers.errors(line, facts, rule)
    wrong = [gold_error(line, each, is_early=is_early) for each in rules]
    if all(wrong):
        yield wrong[0]


def gold_error(line: Line, rule: Rule, *, is_early: bool) -> str:
    """Returns why the gold label of a line does not follow from its labels; empty if it does."""
    gold, source, author = line["gold_label"], line["gold_source"], line["author_label"]
    if source not in SOURCES:
        return f"gold_source {source!r} is not one of: {', '.join(SOURCES)}"
    if source == WITHHELD:
        return ""  # `line_errors` has looked that there is no label
    if gold not in rule.gold_labels and not (gold == NO_GOLD and source == NONE):
        return f"gold_label {gold!r} does not go with gold_source {source!r}{_scheme_hint(gold, rule)}"
    if source == AUTHOR and gold != author:
        return f"gold_label is {gold!r}, but the author's label is {author!r}"
    given = tuple(line["annotator_labels"])
    left_out = line.get("answers_left_out", 0)
    found = None if gold == NO_GOLD else gold
    waiting = line.get("seats_waiting", 0)
    if rule.explains(found, source, given, author, left_out=left_out, waiting=waiting, is_early=is_early):
        return ""
    answers = len(given) + left_out if rule.name == OF_ALL else rule.seats
    named = "" if rule.name == MAJORITY else f", {rule.name}"
    voted = rule.voted(rule.count(given), left_out=left_out) or NO_GOLD
    return (
        f"gold_label is {gold!r} ({source}), but its labels ({', '.join(given)}) give "
        f"{voted!r} by the rule: {rule.needed(answers)} of {answers}{named}"
    )


def _scheme_hint(gold: str, rule: Rule) -> str:
    if rule.gold_scheme or not any(gold in labels for labels in SCHEMES.values()):
        return ""
    return (
        f". It is a label of another scheme than {rule.scheme}: a snapshot that was frozen before corpus.json had"
        " gold_scheme cannot be checked; freeze the corpus again"
    )


def equal(stated: Any, found: Any) -> bool:
    return bool(stated == found) or not any(differences(stated, found, ""))


def differences(stated: Any, found: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """Yields the places where two values differ; numbers differ by more than rounding."""
    if isinstance(stated, dict) and isinstance(found, dict):
        for key in sorted({*stated, *found}):
            yield from differences(stated.get(key), found.get(key), f"{path}.{key}")
    elif isinstance(stated, list) and isinstance(found, list) and len(stated) == len(found):
        for index, (one, other) in enumerate(zip(stated, found, strict=True)):
            yield from differences(one, other, f"{path}.{index}")
    elif isinstance(stated, float | int) and isinstance(found, float | int):
        if not math.isclose(stated, found, rel_tol=1e-9, abs_tol=1e-12):
            yield path, stated, found
    elif stated != found:
        yield path, json.dumps(stated), json.dumps(found)


def tree_errors(line: Mapping[str, Any]) -> Iterator[str]:
    """Yields the errors in derived and attached trees of a line: each must be one tree of exactly its sentence's tokens.

    Trees that came with a corpus are not checked; the manifest counts those with other tokens.
    """
    sides = []
    for key in ("derived_parses", "attached_parses"):
        named = line.get(key, [])
        if not isinstance(named, list) or named != [side for side in SIDES if side in named]:
            yield f"{key} must be a list of {' and '.join(SIDES)}"
            return
        sides += named
    for side in sides:
        parse, binary_parse = line[f"{side}_parse"], line[f"{side}_binary_parse"]
        try:
            read(parse)
        except BadTree as error:
            yield f"{side}_parse is not a tree ({error})"
        if not is_binary(binary_parse):
            yield f"{side}_binary_parse is not a binary tree"
        if not fits(line[side], parse, binary_parse):
            yield f"the tokens of {side}_parse and {side}_binary_parse are not those of {side}"
