"""Checks a snapshot from its files alone: `python -m snapshots.verify DIR`. Standard library, no database.

Hashes and sizes, every line's fields, gold labels by the stated rule, every count and the agreement of the
manifest, and that no premise stands in two partitions. Each finding names file, line and reason.
"""

import argparse
import hashlib
import json
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from snapshots.tally import (
    EXPORT,
    FACTS,
    FORMAT,
    MANIFEST,
    NO_GOLD,
    PARTITION_FILES,
    Line,
    Tally,
    content_sha256,
    distribution,
    file_sha256,
    gold_by_votes,
    manifest_sha256,
    stays_inside,
)

TOLD_A_FILE = 20  # one mistake in a file makes thousands of findings; nobody reads them all
TEXTS = (
    "author",
    "genre",
    "gold_label",
    "gold_source",
    "pairID",
    "promptID",
    "sentence1",
    "sentence1_binary_parse",
    "sentence1_parse",
    "sentence2",
    "sentence2_binary_parse",
    "sentence2_parse",
)
LISTS = ("annotator_codes", "annotator_labels")
FIELDS = {*TEXTS, *LISTS, "author_label", "label_distribution", "premise_sentences", "prompt_version"}
SOURCES = ("voted", "adjudicated", "published", "author", "none")


@dataclass(frozen=True)
class Finding:
    """Something that is not as the snapshot says. `line` is None where it concerns the whole file."""

    file: str
    line: int | None
    text: str

    def __str__(self) -> str:
        return f"{self.file}{f', line {self.line:,}' if self.line else ''}: {self.text}"


@dataclass
class Report:
    """What was checked and what was found. `more` counts findings by file that were not kept."""

    folder: str
    snapshot: str = ""
    sha256: str = ""
    pairs: int = 0
    findings: list[Finding] = field(default_factory=list)
    more: Counter[str] = field(default_factory=Counter)

    @property
    def ok(self) -> bool:
        return not self.findings

    def add(self, file: str, text: str, line: int | None = None) -> None:
        if sum(finding.file == file for finding in self.findings) < TOLD_A_FILE:
            self.findings.append(Finding(file, line, text))
        else:
            self.more[file] += 1

    def as_json(self) -> dict[str, Any]:
        return {
            "folder": self.folder,
            "snapshot": self.snapshot,
            "sha256": self.sha256,
            "pairs": self.pairs,
            "ok": self.ok,
            "findings": [asdict(finding) for finding in self.findings],
            "more": dict(self.more),
        }


def verify(folder: Path) -> Report:
    """Checks everything that the files allow to check. Raises nothing: what cannot be read is a finding."""
    report = Report(str(folder))
    manifest = _manifest(folder, report)
    if manifest is None:
        return report
    report.snapshot, report.sha256 = str(manifest["name"]), str(manifest["sha256"])
    present = _check_files(folder, manifest, report)
    facts = manifest["corpus"]
    if FACTS in present and _json(folder / FACTS, report) not in (facts, None):
        report.add(FACTS, f"differs from the facts under 'corpus' in {MANIFEST}")
    reading = _Reading(facts, report)
    for name, partition in sorted(PARTITION_FILES.items(), key=lambda item: item[1]):
        if name in present:
            _check_line_count(
                reading.read(folder / name, partition), manifest["files"].get(name, {}), name, report
            )
    report.pairs = reading.tally.pairs
    _compare(manifest, reading, report)
    return report


def _manifest(folder: Path, report: Report) -> dict[str, Any] | None:
    """The manifest, if it is one and can be worked with."""
    if not folder.is_dir():
        report.add(str(folder), "there is no such folder")
        return None
    if not (folder / MANIFEST).is_file():
        hint = ""
        if (folder / EXPORT).is_file():
            hint = " This is an export in another format; check the snapshot itself, or export it as jsonl."
        report.add(MANIFEST, f"is missing: nothing says what this folder should hold.{hint}")
        return None
    manifest = _json(folder / MANIFEST, report)
    if manifest is None:
        return None
    lacking = _lacking(manifest)
    if lacking:
        report.add(MANIFEST, f"lacks or garbles {lacking}: it cannot be worked with")
        return None
    if manifest["format"] != FORMAT:
        report.add(MANIFEST, f"says the format {manifest['format']!r}; this program knows {FORMAT!r}")
        return None
    if manifest_sha256(manifest) != manifest["manifest_sha256"]:
        report.add(MANIFEST, "was edited: it does not fit its own manifest_sha256")
    return manifest


def _lacking(manifest: Any) -> str:
    """The first key that the checks below cannot do without, if it is not there or of the wrong kind."""
    kinds: dict[str, type] = {
        "format": str,
        "name": str,
        "sha256": str,
        "manifest_sha256": str,
        "files": dict,
        "corpus": dict,
        "partitions": dict,
        "placements": dict,
        "agreement": dict,
    }
    if not isinstance(manifest, dict):
        return "its braces"
    for key, kind in kinds.items():
        if not isinstance(manifest.get(key), kind):
            return repr(key)
    question = manifest["corpus"].get("question")
    rule = [question.get(key) for key in ("seats", "threshold")] if isinstance(question, dict) else [None]
    if not all(isinstance(number, int) for number in rule):
        return "'corpus.question' (seats and threshold)"
    if not isinstance(manifest["corpus"].get("labels"), list) or "ordinal" not in manifest["corpus"]:
        return "'corpus.labels'"
    return "" if all(isinstance(entry, dict) for entry in manifest["files"].values()) else "'files'"


def _check_files(folder: Path, manifest: Mapping[str, Any], report: Report) -> set[str]:
    """Every file that is listed and every file that is there; returns the names of those present."""
    listed: dict[str, Any] = manifest["files"]
    there = {path.name for path in folder.iterdir()}
    for name in sorted(name for name in listed if not stays_inside(name)):
        report.add(MANIFEST, f"lists {name!r}, which would stand outside the folder")
    for name in sorted(there - set(listed) - {MANIFEST}):
        report.add(name, f"stands in the folder, but not in {MANIFEST}")
    for name in sorted(set(listed) - there):
        report.add(name, "is missing")
    hashes = {}
    for name in sorted(set(listed) & there):
        size, hashes[name] = (folder / name).stat().st_size, file_sha256(folder / name)
        if size != listed[name].get("bytes"):
            report.add(
                name, f"is torn or was changed: {size:,} bytes, but {listed[name].get('bytes')} are listed"
            )
        elif hashes[name] != listed[name].get("sha256"):
            report.add(name, f"was changed: its sha256 is {hashes[name]}, not the one listed")
    if (
        content_sha256({name: str(entry.get("sha256")) for name, entry in listed.items()})
        != manifest["sha256"]
    ):
        report.add(MANIFEST, "its sha256 is not the one over the files that it lists")
    return set(hashes)


class _Reading:
    """Reads the partitions' files one after the other and remembers what must be compared."""

    def __init__(self, facts: Mapping[str, Any], report: Report) -> None:
        self.facts, self.report = facts, report
        self.labels: list[str] = facts["labels"]
        self.tally = Tally(self.labels)
        self.pairs: set[bytes] = set()
        self.premises: defaultdict[str, set[str]] = defaultdict(set)
        self.hypotheses: defaultdict[bytes, set[str]] = defaultdict(set)
        self.authors: defaultdict[str, set[str]] = defaultdict(set)

    def read(self, path: Path, partition: str) -> int:
        """Checks every line; returns how many there are."""
        number, previous = 0, ""
        for number, data in _numbered(path):
            reason, line = self._line(data)
            if line is None:
                self.report.add(path.name, reason, number)
                continue
            for reason in self._complaints(line, previous):
                self.report.add(path.name, reason, number)
            previous = line["pairID"]
            self.tally.add(partition, line)
            self.premises[line["promptID"]].add(partition)
            self.hypotheses[_short(line["sentence2"])].add(partition)
            if line["author"]:
                self.authors[line["author"]].add(partition)
        return number

    def _line(self, data: bytes) -> tuple[str, dict[str, Any] | None]:
        """A line whose fields are all there and of the right kind, or the reason why it is none."""
        if not data.endswith(b"\n"):
            return "the file ends in the middle of this line", None
        try:
            line = json.loads(data)
        except ValueError as error:
            return f"is not JSON ({error})", None
        if not isinstance(line, dict):
            return "is not a JSON object", None
        for name in TEXTS:
            if not isinstance(line.get(name), str):
                return f"{name} is {'not a text' if name in line else 'missing'}", None
        for name in LISTS:
            value = line.get(name)
            if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
                return f"{name} must be a list of texts", None
        if not isinstance(line.get("prompt_version", ""), str):
            return "prompt_version is not a text", None
        if not isinstance(line.get("author_label", 0), str | None):
            return "author_label must be a label or null", None
        return "", line

    def _complaints(self, line: Line, previous: str) -> Iterator[str]:
        """What is wrong with the content of a well-formed line."""
        if unknown := sorted(set(line) - FIELDS):
            yield f"has fields that no snapshot has: {', '.join(unknown)}"
        if line["pairID"] <= previous:
            yield f"pairID {line['pairID']!r} is out of order"
        key = _short(line["pairID"])
        if key in self.pairs:
            yield f"pairID {line['pairID']!r} occurs a second time"
        self.pairs.add(key)
        given, seats = line["annotator_labels"], self.facts["question"]["seats"]
        for label in dict.fromkeys([*given, *([line["author_label"]] if line["author_label"] else [])]):
            if label not in self.labels:
                yield f"the label {label!r} is not one of: {', '.join(self.labels)}"
        if len(given) > seats:
            yield f"has {len(given)} labels, but there are {seats} seats"
        if len(line["annotator_codes"]) != len(given):
            yield f"has {len(line['annotator_codes'])} annotator_codes for {len(given)} annotator_labels"
        if line["genre"] not in self.facts.get("genres", {}):
            yield f"the genre {line['genre']!r} is not one of the corpus"
        sentences = line.get("premise_sentences")
        if sentences is not None and " ".join(map(str, sentences)) != line["sentence1"]:
            yield "sentence1 is not its premise_sentences joined"
        shares = line.get("label_distribution")  # older snapshots have none
        if shares is not None and not _equal(shares, distribution(given, self.labels)):
            yield "label_distribution is not that of its annotator_labels"
        if wrong := gold_complaint(line, self.labels, self.facts["question"]):
            yield wrong


def gold_complaint(line: Line, labels: list[str], rule: Mapping[str, Any]) -> str:
    """Why the gold label of a line does not follow from its labels; empty if it does."""
    gold, source, given = line["gold_label"], line["gold_source"], line["annotator_labels"]
    voted = gold_by_votes(given, rule["threshold"])
    if source not in SOURCES:
        return f"gold_source {source!r} is not one of: {', '.join(SOURCES)}"
    if gold not in labels and not (gold == NO_GOLD and source == "none"):
        return f"gold_label {gold!r} does not go with gold_source {source!r}"
    if source == "author" and gold != line["author_label"]:
        return f"gold_label is {gold!r}, but the author's label is {line['author_label']!r}"
    if source in ("voted", "none") and gold != voted:
        return (
            f"gold_label is {gold!r}, but its labels ({', '.join(given)}) give {voted!r} "
            f"by the rule: {rule['threshold']} of {rule['seats']}"
        )
    return ""


def _check_line_count(lines: int, listed: Mapping[str, Any], name: str, report: Report) -> None:
    if lines != listed.get("lines"):
        report.add(name, f"has {lines:,} lines, but {listed.get('lines')} are listed")


def _compare(manifest: Mapping[str, Any], reading: _Reading, report: Report) -> None:
    """Recounts what the manifest says."""
    in_two = {premise: sorted(where) for premise, where in reading.premises.items() if len(where) > 1}
    if not manifest["placements"].get("published", {}).get("pairs") and in_two:
        for premise, where in sorted(in_two.items())[:TOLD_A_FILE]:
            report.add(f"{where[0]}.jsonl", f"the premise {premise!r} stands in {' and '.join(where)}")
    if manifest.get("author_disjoint") and not manifest["placements"].get("published", {}).get("pairs"):
        both = sorted(author for author, where in reading.authors.items() if where >= {"train", "test"})
        for author in both[:TOLD_A_FILE]:
            report.add("train.jsonl", f"the author {author!r} wrote pairs of test too")
    premises: Counter[str] = Counter(partition for where in reading.premises.values() for partition in where)
    counted = {
        "pairs": reading.tally.pairs,
        "partitions": reading.tally.partitions(premises),
        "gold_sources": dict(reading.tally.sources),
        "premises_in_two_partitions": len(in_two),
        "hypotheses_in_two_partitions": sum(len(where) > 1 for where in reading.hypotheses.values()),
        "agreement": reading.tally.agreement(reading.facts),
    }
    for key, value in counted.items():
        for path, told, found in _differences(manifest.get(key), value, key):
            report.add(MANIFEST, f"{path} is {told}, but the files give {found}")


def _equal(told: Any, found: Any) -> bool:
    return not any(_differences(told, found, ""))


def _differences(told: Any, found: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """The places where two values differ; numbers by more than rounding."""
    if isinstance(told, dict) and isinstance(found, dict):
        for key in sorted({*told, *found}):
            yield from _differences(told.get(key), found.get(key), f"{path}.{key}")
    elif isinstance(told, list) and isinstance(found, list) and len(told) == len(found):
        for index, (one, other) in enumerate(zip(told, found, strict=True)):
            yield from _differences(one, other, f"{path}.{index}")
    elif isinstance(told, float | int) and isinstance(found, float | int):
        if not math.isclose(told, found, rel_tol=1e-9, abs_tol=1e-12):
            yield path, told, found
    elif told != found:
        yield path, json.dumps(told), json.dumps(found)


def _json(path: Path, report: Report) -> dict[str, Any] | None:
    try:
        value: dict[str, Any] = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        report.add(path.name, f"cannot be read as JSON ({error})")
        return None
    return value


def _numbered(path: Path) -> Iterator[tuple[int, bytes]]:
    with path.open("rb") as stream:
        yield from enumerate(stream, start=1)


def _short(text: str) -> bytes:
    """Sixteen bytes that stand for a text: half a million sentences are kept in mind at once."""
    return hashlib.sha256(text.encode()).digest()[:16]


def report_lines(report: Report, *, as_json: bool) -> Iterator[str]:
    """Findings one a line, or everything as one JSON object."""
    if as_json:
        yield json.dumps(report.as_json(), ensure_ascii=False)
        return
    yield from map(str, report.findings)
    for file, number in report.more.items():
        yield f"{file}: and {number:,} more"
    if report.ok:
        yield f"{report.snapshot} is whole: {report.pairs:,} pairs, sha256 {report.sha256}"


def main(arguments: list[str] | None = None) -> int:
    """Returns 0 if everything fits, 1 if something does not."""
    parser = argparse.ArgumentParser(
        prog="python -m snapshots.verify", description="Checks a snapshot from its files alone."
    )
    parser.add_argument("folder", type=Path, help="the folder with manifest.json")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    report = verify(options.folder)
    for line in report_lines(report, as_json=options.json):
        print(line)
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main())
