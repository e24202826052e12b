"""What must be true of each line of a snapshot's files. Standard library only, no database."""

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nli import answers
from nli.gold import AUTHOR, MAJORITY, NONE, SOURCES, Rule
from nli.labels import NO_GOLD, SCHEMES
from nli.lines import FIELDS, SIDES, Facts, Line, distribution, rule_of, rules_in, shape_errors
from snapshots.files import single_premises
from snapshots.files.counts import Tally
from snapshots.files.trees import BadTree, fits, is_binary, read

TOLD_A_FILE = 20  # one mistake in a file makes thousands of findings; nobody reads them all
PAIR, PREMISE, HYPOTHESIS, GROUP = "pair", "premise", "hypothesis", "group"


@dataclass
class Part:
    """What some lines of a partition hold and what is wrong with them; lines are numbered from 1.

    complaints: (line, text), the first twenty, and `more` counts the others. first: line and pairID of the first line
    that could be read. names: kind -> (name, line) to be compared with those of the other parts.
    """

    tally: Tally
    lines: int = 0
    complaints: list[tuple[int, str]] = field(default_factory=list)
    more: int = 0
    first: tuple[int, str] | None = None
    last: str = ""
    names: dict[str, dict[bytes, int] | list[tuple[bytes, int]]] = field(default_factory=dict)
    authors: set[str] = field(default_factory=set)

    def complain(self, number: int, text: str) -> None:
        if len(self.complaints) < TOLD_A_FILE:
            self.complaints.append((number, text))
        else:
            self.more += 1


def check_part(lines: Iterable[bytes], partition: str, facts: Facts) -> Part:
    """Checks lines that stand one after the other in a partition's file."""
    rules = rules_in(facts, partition)
    part = Part(Tally(rule_of(facts)))
    pairs: list[tuple[bytes, int]] = []
    premises: dict[bytes, int] = {}
    hypotheses: dict[bytes, int] = {}
    groups: dict[bytes, int] = {}
    for number, data in enumerate(lines, start=1):
        part.lines = number
        reason, line = read_line(data)
        if line is None:
            part.complain(number, reason)
            continue
        name = line["pairID"]
        if part.first is None:
            part.first = number, name
        elif name <= part.last:
            part.complain(number, out_of_order(name))
        part.last = name
        for reason in line_complaints(line, facts, rules):
            part.complain(number, reason)
        part.tally.add(partition, line)
        pairs.append((as_bytes(name), number))
        premises.setdefault(as_bytes(line["promptID"]), number)
        # Sixteen bytes that stand for a text: half a million sentences are compared.
        hypotheses.setdefault(hashlib.sha256(as_bytes(line["sentence2"])).digest()[:16], number)
        # A premise without a group of its own is one.
        groups.setdefault(as_bytes(line.get("group", line["promptID"])), number)
        if line["author"]:
            part.authors.add(line["author"])
    part.names = {PAIR: pairs, PREMISE: premises, HYPOTHESIS: hypotheses, GROUP: groups}
    return part


def as_bytes(text: str) -> bytes:
    """JSON may hold half a surrogate pair, which is no UTF-8."""
    return text.encode("utf-8", "surrogatepass")


def out_of_order(name: str) -> str:
    return f"pairID {name!r} is out of order"


def read_line(data: bytes) -> tuple[str, dict[str, Any] | None]:
    """A line whose fields are all there and of the right kind, or the reason why it is none."""
    if not data.endswith(b"\n"):
        return "the file ends in the middle of this line", None
    try:
        line = json.loads(data)
    except ValueError as error:
        return f"is not JSON ({error})", None
    if not isinstance(line, dict):
        return "is not a JSON object", None
    for wrong in shape_errors(line):
        return wrong, None
    return "", line


def line_complaints(line: Line, facts: Facts, rules: Sequence[Rule]) -> Iterator[str]:
    """What is wrong with the content of a well-formed line, looked at alone; one of `rules` decided its gold label."""
    rule = rules[0]
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
        yield "sentence1 is not its premise_sentences joined"
    shares = line.get("label_distribution")  # older snapshots have none
    if shares is not None and not equal(shares, distribution(given, rule.labels)):
        yield "label_distribution is not that of its annotator_labels"
    yield from tree_complaints(line)
    yield from single_premises.complaints(line, facts)
    yield from answers.errors(line, facts, rule)
    wrong = [gold_complaint(line, each) for each in rules]
    if all(wrong):
        yield wrong[0]


def gold_complaint(line: Line, rule: Rule) -> str:
    """Return why the gold label of a line does not follow from its labels; empty if it does."""
    told, source, author = line["gold_label"], line["gold_source"], line["author_label"]
    if source not in SOURCES:
        return f"gold_source {source!r} is not one of: {', '.join(SOURCES)}"
    if told not in rule.gold_labels and not (told == NO_GOLD and source == NONE):
        return f"gold_label {told!r} does not go with gold_source {source!r}{_scheme_hint(told, rule)}"
    if source == AUTHOR and told != author:
        return f"gold_label is {told!r}, but the author's label is {author!r}"
    given = tuple(line["annotator_labels"])
    if rule.explains(None if told == NO_GOLD else told, source, given, author):
        return ""
    named = "" if rule.name == MAJORITY else f", {rule.name}"
    return (
        f"gold_label is {told!r} ({source}), but its labels ({', '.join(given)}) give "
        f"{rule.voted(rule.count(given)) or NO_GOLD!r} by the rule: {rule.threshold} of {rule.seats}{named}"
    )


def _scheme_hint(gold: str, rule: Rule) -> str:
    if rule.gold_scheme or not any(gold in labels for labels in SCHEMES.values()):
        return ""
    return (
        f". It is a label of another scheme than {rule.scheme}: a snapshot that was frozen before corpus.json had"
        " gold_scheme cannot be checked; freeze the corpus again"
    )


def equal(told: Any, found: Any) -> bool:
    return told == found or not any(differences(told, found, ""))


def differences(told: Any, found: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """The places where two values differ; numbers by more than rounding."""
    if isinstance(told, dict) and isinstance(found, dict):
        for key in sorted({*told, *found}):
            yield from differences(told.get(key), found.get(key), f"{path}.{key}")
    elif isinstance(told, list) and isinstance(found, list) and len(told) == len(found):
        for index, (one, other) in enumerate(zip(told, found, strict=True)):
            yield from differences(one, other, f"{path}.{index}")
    elif isinstance(told, float | int) and isinstance(found, float | int):
        if not math.isclose(told, found, rel_tol=1e-9, abs_tol=1e-12):
            yield path, told, found
    elif told != found:
        yield path, json.dumps(told), json.dumps(found)


def tree_complaints(line: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the derived trees of a line: each must be one tree, of its sentence's own tokens.

    Trees that came with a corpus are kept as they are; the manifest counts those with other tokens.
    """
    sides = line.get("derived_parses", [])
    if not isinstance(sides, list) or sides != [side for side in SIDES if side in sides]:
        yield f"derived_parses must be a list of {' and '.join(SIDES)}"
        return
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
