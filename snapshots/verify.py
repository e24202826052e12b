"""Check a snapshot from its files alone: `python -m snapshots.verify DIR`.

Needs the folders snapshots/ and nli/ of Quintet, and Python 3.11 or later; no other package and no database.

Checks hashes and sizes, the fields of every line, gold labels by the stated rule, every count and the agreement in the
manifest, and that no premise and no group of premises is in two partitions. Each finding names file, line and reason.
"""

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from typing import Any, cast

from nli.lines import EXPORT, FACTS, FULL_FILES, MANIFEST, PARTITION_FILES, is_known, rule_of, text_alone
from nli.manifest import FORMATS, Facts, Manifest, is_early, manifest_errors, still_counted
from snapshots.files.counts import ATTACHED, DERIVED, LineCounts
from snapshots.files.hashes import content_sha256, file_sha256, manifest_sha256, stays_inside
from snapshots.files.parallel import in_order, portions_of
from snapshots.verification.lines import (
    GROUP,
    HYPOTHESIS,
    MOST_FINDINGS,
    PAIR,
    PREMISE,
    Occurrences,
    Part,
    check_part,
    differences,
    out_of_order,
    read_line,
)

# The keys of the manifest without which the files cannot be checked.
NEEDED = {"name", "sha256", "manifest_sha256", "files", "corpus", "placements", "agreement"}


@dataclass(frozen=True)
class Finding:
    """An error in a file. `line` is None if it concerns the whole file."""

    file: str
    line: int | None
    text: str

    def __str__(self) -> str:
        return f"{self.file}{f', line {self.line:,}' if self.line else ''}: {self.text}"


@dataclass
class Report:
    """The checks and their findings. `more` counts, for each file, the findings beyond the first twenty."""

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
        if sum(finding.file == file for finding in self.findings) < MOST_FINDINGS:
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


def verify(folder: Path, expected: str | None = None) -> Report:
    """Checks a snapshot or an export in a folder. Raises nothing: an unreadable file is a finding.

    expected: the cited sha256, of the snapshot's content or of its manifest (manifest_sha256), which covers the content
    and every count. An export in another format has its own hash.
    """
    report = Report(str(folder))
    if (folder / EXPORT).is_file() and not (folder / MANIFEST).is_file():
        _check_export(folder, report, expected)
        return report
    manifest = _manifest(folder, report)
    if manifest is None:
        return report
    report.snapshot, report.sha256 = manifest["name"], manifest["sha256"]
    withheld = manifest.get("withheld", {})
    released = {name: entry for name, entry in withheld.items() if (folder / name).exists()}
    present = _check_files(folder, {**manifest["files"], **released}, MANIFEST, report)
    listed = {name: entry["sha256"] for name, entry in {**manifest["files"], **withheld}.items()}
    if content_sha256(listed) != manifest["sha256"]:
        report.add(MANIFEST, "its sha256 does not follow from the files that it lists")
    _check_expected(expected, (report.sha256, manifest["manifest_sha256"]), MANIFEST, report)
    facts = manifest["corpus"]
    if FACTS in present and _json(folder / FACTS, report) not in (facts, None):
        report.add(FACTS, f"differs from the facts under 'corpus' in {MANIFEST}")
    with Occurrences() as seen:
        reading = _Reading(manifest, report, seen)
        for partition, name in sorted(PARTITION_FILES.items()):
            if name in present:
                lines, listed_lines = reading.read(folder / name, partition), manifest["files"][name]["lines"]
                if lines != listed_lines:
                    report.add(name, f"has {lines:,} lines, but {listed_lines} are listed")
        for partition, name in FULL_FILES.items():
            if name in released and name in present:
                _check_full(folder, partition, facts, report)
        report.pairs = reading.counts.pairs
        _compare(manifest, reading, report)
    return report


def _check_full(folder: Path, partition: str, facts: Facts, report: Report) -> None:
    """Checks the lines of a withheld partition with their labels, once they are released: they have the same texts."""
    name, text_file = FULL_FILES[partition], PARTITION_FILES[partition]
    with (folder / name).open("rb") as full, (folder / text_file).open("rb") as texts:
        part = check_part(full, partition, facts, is_early=False)
        full.seek(0)
        for number, (line, text) in enumerate(zip_longest(full, texts), start=1):
            whole, alone = (read_line(each)[1] if each else None for each in (line, text))
            if whole is None or text_alone(whole) != alone:
                report.add(name, f"is not the line of {text_file} with its labels", number)
    for number, wrong in part.errors:
        report.add(name, wrong, number)
    report.more.update({name: part.more} if part.more else {})


def _check_export(folder: Path, report: Report, expected: str | None) -> None:
    """Checks the files of an export against the hashes in its export.json, without counting their content."""
    listed = _json(folder / EXPORT, report)
    files = listed.get("files") if isinstance(listed, dict) else None
    if listed is None:
        return
    if not isinstance(files, dict) or not all(isinstance(entry, dict) for entry in files.values()):
        report.add(EXPORT, "'files' is missing or invalid, so nothing can be checked")
        return
    report.snapshot = f"{listed.get('snapshot')} as {listed.get('format')}"
    hashes = _check_files(folder, files, EXPORT, report)
    report.sha256 = content_sha256({**hashes, EXPORT: file_sha256(folder / EXPORT)})
    _check_expected(expected, (report.sha256,), EXPORT, report)


def _check_expected(expected: str | None, found: tuple[str, ...], name: str, report: Report) -> None:
    if expected and expected not in found:
        report.add(name, f"its sha256 is {found[0]}, but {expected} was expected")


def _manifest(folder: Path, report: Report) -> Manifest | None:
    """Returns the manifest, or None if it is missing or the other checks cannot be made with it."""
    if not folder.is_dir():
        report.add(str(folder), "there is no such folder")
        return None
    if not (folder / MANIFEST).is_file():
        report.add(MANIFEST, "is missing. It lists what should be in this folder.")
        return None
    manifest = _json(folder / MANIFEST, report)
    if manifest is None:
        return None
    if not isinstance(manifest, dict):
        report.add(MANIFEST, "is not a JSON object")
        return None
    if (stated := manifest.get("format")) not in FORMATS:
        report.add(
            MANIFEST, f"has the format {stated!r}, but this program checks {' and '.join(map(repr, FORMATS))}"
        )
        return None
    wrong = set()
    for key, text in manifest_errors(manifest):
        wrong.add(key)
        report.add(MANIFEST, text)
    is_complete = not wrong & NEEDED
    knows = is_complete and is_known(manifest["corpus"])
    if is_complete and not knows:
        report.add(
            MANIFEST, "'corpus' has a scheme, labels, gold_scheme or question.gold_rule that is not known"
        )
    if not knows:
        report.add(MANIFEST, "does not say what the files should be, so nothing else was checked")
        return None
    if (said := manifest.get("preregistration")) and sha256(said["text"].encode()).hexdigest() != said[
        "sha256"
    ]:
        report.add(MANIFEST, "holds a preregistration that does not match its sha256")
    if manifest_sha256(manifest) != manifest["manifest_sha256"]:
        report.add(MANIFEST, "was changed: it does not match its own manifest_sha256")
    return cast(Manifest, manifest)


def _check_files(
    folder: Path, listed: Mapping[str, Mapping[str, Any]], by: str, report: Report
) -> dict[str, str]:
    """Checks every file that is listed in the file `by`, and every file that is there; return name -> sha256."""
    there = {path.name for path in folder.iterdir()}
    for name in sorted(name for name in listed if not stays_inside(name)):
        report.add(by, f"lists {name!r}, which is outside the folder")
    for name in sorted(there - set(listed) - {by}):
        report.add(name, f"is in the folder, but not listed in {by}")
    for name in sorted(set(listed) - there):
        report.add(name, "is missing")
    hashes = {}
    for name in sorted(set(listed) & there):
        if not (folder / name).is_file():
            report.add(name, "is not a file")
            continue
        size, hashes[name] = (folder / name).stat().st_size, file_sha256(folder / name)
        if size != listed[name].get("bytes", size):
            report.add(
                name,
                f"was changed or is incomplete: it has {size:,} bytes, but {listed[name]['bytes']} are listed",
            )
        elif hashes[name] != listed[name].get("sha256"):
            report.add(name, f"was changed: its sha256 is {hashes[name]}, but another one is listed")
    return hashes


class _Reading:
    """A reader of the partitions' files, one by one and in portions; it stores on disk what must be compared."""

    def __init__(self, manifest: Manifest, report: Report, seen: Occurrences) -> None:
        self.facts, self.report, self.seen = manifest["corpus"], report, seen
        self.is_early = is_early(manifest)
        self.counts = LineCounts(rule_of(self.facts))
        self.authors: defaultdict[str, set[str]] = defaultdict(set)

    def read(self, path: Path, partition: str) -> int:
        """Checks every line of a file. Returns their number."""
        before, last = 0, ""
        for part in in_order(
            lambda portion: check_part(portion.lines(), partition, self.facts, is_early=self.is_early),
            portions_of(path),
        ):
            if part.first is not None and part.first[1] <= last:
                number, name = part.first
                self.report.add(path.name, out_of_order(name), before + number)
            for number, text in part.errors:
                self.report.add(path.name, text, before + number)
            self.report.more.update({path.name: part.more} if part.more else {})
            self._keep(part, partition, before)
            before += part.lines
            last = part.last or last
        return before

    def _keep(self, part: Part, partition: str, before: int) -> None:
        self.counts.include(part.counts)
        for kind, names in part.names.items():
            pairs = names.items() if isinstance(names, dict) else names
            self.seen.note(kind, partition, ((name, before + number) for name, number in pairs))
        for author in part.authors:
            self.authors[author].add(partition)


def _compare(manifest: Manifest, reading: _Reading, report: Report) -> None:
    """Compares the manifest with the counts of the files."""
    seen = reading.seen
    for partition, number, pair in seen.again(PAIR):
        report.add(PARTITION_FILES[partition], f"pairID {_text(pair)!r} occurs a second time", number)
    if not manifest["placements"]["published"]["pairs"]:
        named: set[bytes] = set()
        for kind in (PREMISE, GROUP):
            for name, where in seen.in_several(kind, limit=MOST_FINDINGS):
                if name not in named:  # a premise that is its own group is reported once
                    text = f"the {kind} {_text(name)!r} is in {' and '.join(where)}"
                    report.add(PARTITION_FILES[where[0]], text)
                named.add(name)
    if manifest.get("author_disjoint") and not manifest["placements"]["published"]["pairs"]:
        both = sorted(author for author, where in reading.authors.items() if where >= {"train", "test"})
        for author in both[:MOST_FINDINGS]:
            report.add(PARTITION_FILES["train"], f"the author {author!r} also wrote pairs of test")
    counted: dict[str, Any] = {
        "pairs": reading.counts.pairs,
        "partitions": reading.counts.partitions(seen.by_partition(PREMISE)),
        "gold_sources": dict(reading.counts.sources),
        "premises_in_two_partitions": seen.number_in_several(PREMISE),
        "groups_in_two_partitions": seen.number_in_several(GROUP),
        "hypotheses_in_two_partitions": seen.number_in_several(HYPOTHESIS),
        "agreement": reading.counts.agreement(),
        "answers": reading.counts.answer_counts(),
        "pairs_with_metadata": reading.counts.with_metadata,
        "parses": reading.counts.parse_counts(),
    }
    stated: dict[str, Any] = dict(manifest)
    if is_early(manifest):
        stated["agreement"] = still_counted(manifest["agreement"])
    for key, value in counted.items():
        if key not in stated:  # reported before, unless the snapshot is older than the key
            continue
        for path, listed, found in differences(stated[key], value, key):
            report.add(MANIFEST, f"{path} is {listed}, but the files give {found}")
    parser = manifest.get("parser")
    for kind, is_named in ((DERIVED, parser), (ATTACHED, isinstance(parser, dict) and "file" in parser)):
        if reading.counts.parses[kind] and not is_named:
            report.add(MANIFEST, f"'parser' is missing, but the files have {kind} trees")


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogatepass")


def _json(path: Path, report: Report) -> Any:
    """Returns the content of a file; None if it cannot be read, which is a finding."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:  # deeply nested JSON ends in the last
        report.add(path.name, f"cannot be read as JSON ({error})")
        return None


def report_lines(report: Report, *, as_json: bool) -> Iterator[str]:
    """Yields the findings line by line, or the whole report as one JSON object."""
    if as_json:
        yield json.dumps(report.as_json(), ensure_ascii=False)
        return
    yield from map(str, report.findings)
    for file, number in report.more.items():
        yield f"{file}: and {number:,} more"
    if report.ok:
        counted = f"{report.pairs:,} pairs, " if report.pairs else ""
        yield f"{report.snapshot} is whole: {counted}sha256 {report.sha256}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the checker, for this program and for manage.py."""
    parser.add_argument(
        "folder",
        type=Path,
        metavar="DIR",
        help="the folder with manifest.json, or of an export in any format",
    )
    parser.add_argument(
        "--sha256", type=sha256_text, metavar="EXPECTED", help="the hash under which it is cited"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def sha256_text(text: str) -> str:
    """Returns a sha256 in lower case. Raises ArgumentTypeError for any other text."""
    if not re.fullmatch("[0-9a-fA-F]{64}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not 64 hexadecimal digits")
    return text.lower()


def main(arguments: list[str] | None = None) -> int:
    """Runs the checker. Returns 0 without findings, else 1."""
    parser = argparse.ArgumentParser(
        prog="python -m snapshots.verify", description="Check a snapshot from its files alone."
    )
    add_arguments(parser)
    options = parser.parse_args(arguments)
    report = verify(options.folder, options.sha256)
    for line in report_lines(report, as_json=options.json):
        print(line)
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main())
