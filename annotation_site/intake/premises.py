"""Imports a file of premises, or reports what the filters would drop."""

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from json import dumps
from pathlib import Path
from typing import Any

from django.utils import timezone

from annotation_site.intake.files import PORTION, remember_source
from annotation_site.intake.report import LISTED, Refusal
from collection.formats.lines import BadLine, sha256_of
from collection.models import Genre, PremiseImport
from collection.premises.files import read_premises
from collection.premises.filters.candidates import Candidate, PremiseFilter
from collection.premises.filters.registry import DUPLICATE, VERSION, filters_for, sift
from collection.premises.filters.shape import LONGEST
from collection.premises.intake import import_batch, known_texts
from collection.texts import one_line

FIRST = 10  # premises that a preview shows
EXAMPLES = 3  # lines of each filter that a report shows


@dataclass(frozen=True)
class PremiseOrder:
    """What to import, and how.

    document: of the premises, unless a line names another. alone: every premise is its own group, unless its
    line names a group. without: filters to leave out. longest: the most characters of a sentence.
    """

    genre: Genre
    path: Path
    licence: str = ""
    encoding: str = "utf-8"
    split: bool = False
    document: str = ""
    alone: bool = False
    longest: int = LONGEST
    without: Sequence[str] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "document", one_line(self.document))

    def candidates(self) -> Iterator[Candidate | BadLine]:
        return read_premises(
            self.path,
            encoding=self.encoding,
            split=self.genre.corpus.language if self.split else "",
            document=self.document,
            alone=self.alone,
        )

    def filters(self) -> tuple[PremiseFilter, ...]:
        return filters_for(self.genre.corpus.language, longest=self.longest, without=self.without)

    def settings_digest(self) -> str:
        """Returns a digest of the settings that decide about a line. With other settings the file is read again."""
        settings = [
            *(VERSION, self.genre.corpus.language, self.encoding, self.split, self.document, self.alone),
            *(self.longest, sorted(self.without)),
        ]
        return sha256(dumps(settings).encode()).hexdigest()


@dataclass
class PremiseReport:
    """The result of an import, or of its preview.

    present: lines that an earlier reading had made premises. resumed_after: the line after which this
    reading began. finished_before: the whole file had been read, on that day. first: the first premises of a preview.
    refused: the first thousand.
    """

    filters: Sequence[PremiseFilter]
    examples: int = EXAMPLES
    lines_read: int = 0
    premises: int = 0
    present: int = 0
    resumed_after: int = 0
    finished_before: str = ""
    first: list[str] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    shown: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    refused: list[Refusal] = field(default_factory=list)
    refused_count: int = 0

    def drop(self, dropped: Iterable[tuple[Candidate, PremiseFilter]]) -> None:
        for each, rule in dropped:
            self.dropped[rule.name] += 1
            shown = self.shown.setdefault(rule.name, [])
            if len(shown) < self.examples:
                shown.append((each.line, each.text))

    def refuse(self, file: str, bad: Iterable[BadLine]) -> None:
        for line in bad:
            self.refused_count += 1
            if len(self.refused) < LISTED:
                self.refused.append(Refusal(file, line.line, line.reason))


def import_premises(
    order: PremiseOrder, tell: Callable[[str], None] = lambda text: None, examples: int = EXAMPLES
) -> PremiseReport:
    """Imports the file, or the rest of it after an interruption. Raises collection.premises.intake.ReadElsewhere.

    Calls `tell` with the progress after every batch. After an interruption, the same import continues where it stopped.
    """
    filters, name = order.filters(), order.path.name
    report = PremiseReport(filters, examples)
    digest, progress = sha256_of(order.path), None
    for batch in batches(order.candidates()):
        good = [item for item in batch if not isinstance(item, BadLine)]
        if progress is None and good:
            progress = _progress(order, digest)
            report.resumed_after = progress.lines_read
            if progress.finished_at:
                report.finished_before = f"{progress.finished_at:%Y-%m-%d}"
                return report
        behind = report.resumed_after
        report.lines_read = batch[-1].line
        report.refuse(name, (item for item in batch if isinstance(item, BadLine) and item.line > behind))
        good = [item for item in good if item.line > behind]
        if good and progress is not None:
            done = import_batch(
                progress=progress, candidates=good, filters=filters, lines_read=batch[-1].line
            )
            report.premises += done.added
            report.present += done.present
            report.drop(done.dropped)
            report.refuse(name, done.refused)
        tell(f"{name}: line {report.lines_read:,}, {report.premises:,} premises in")
    if progress is not None:
        PremiseImport.objects.filter(pk=progress.pk).update(finished_at=timezone.now())
    return report


def preview(
    order: PremiseOrder, tell: Callable[[str], None] = lambda text: None, examples: int = EXAMPLES
) -> PremiseReport:
    """Reports what an import from the first line would do. Writes nothing and takes no lock."""
    report = PremiseReport(order.filters(), examples)
    seen = _Seen()
    for batch in batches(order.candidates()):
        good = [item for item in batch if not isinstance(item, BadLine)]
        report.refuse(order.path.name, (item for item in batch if isinstance(item, BadLine)))
        known = known_texts(order.genre, good).keys() | seen.among(good)
        sifted = sift(good, known, report.filters)
        seen.add(sifted.kept)
        report.lines_read = batch[-1].line
        report.premises += len(sifted.kept)
        report.first += [each.text for each in sifted.kept[: max(0, FIRST - len(report.first))]]
        report.drop(sifted.dropped)
        tell(f"{order.path.name}: line {report.lines_read:,}")
    return report


class _Seen:
    """The digests that a preview would have written, in a temporary file, since they may be millions."""

    def __init__(self) -> None:
        self.file = sqlite3.connect("")
        self.file.execute("CREATE TABLE seen (digest TEXT PRIMARY KEY) WITHOUT ROWID")

    def add(self, kept: Iterable[Candidate]) -> None:
        self.file.executemany("INSERT INTO seen VALUES (?)", ((each.digest,) for each in kept))

    def among(self, candidates: Iterable[Candidate]) -> set[str]:
        find = "SELECT digest FROM seen WHERE digest = ?"
        return {
            each.digest
            for each in candidates
            if self.file.execute(find, (each.digest,)).fetchone() is not None
        }


def batches(items: Iterable[Candidate | BadLine], size: int = PORTION) -> Iterator[list[Candidate | BadLine]]:
    """Yields batches of about `size` items; the sentences of one line stay together."""
    batch: list[Candidate | BadLine] = []
    for item in items:
        if len(batch) >= size and item.line != batch[-1].line:
            yield batch
            batch = []
        batch.append(item)
    if batch:
        yield batch


def _progress(order: PremiseOrder, digest: str) -> PremiseImport:
    source = remember_source(
        corpus=order.genre.corpus, name=order.path.name, digest=digest, licence=order.licence
    )
    progress, _ = PremiseImport.objects.select_related("source", "genre").get_or_create(
        source=source, genre=order.genre, settings_digest=order.settings_digest()
    )
    return progress


def summary(order: PremiseOrder, report: PremiseReport, dry_run: bool) -> dict[str, Any]:
    """Returns the report for `--json`. `dropped` lists every filter in order, also those that dropped nothing."""
    return {
        "corpus": order.genre.corpus.slug,
        "genre": order.genre.slug,
        "file": order.path.name,
        "dry_run": dry_run,
        "lines_read": report.lines_read,
        "resumed_after": report.resumed_after,
        "finished_before": report.finished_before,
        "premises": report.premises,
        "first": report.first,
        "present": report.present,
        "dropped": {
            rule.name: {
                "reason": rule.reason,
                "count": report.dropped[rule.name],
                "examples": [{"line": line, "text": text} for line, text in report.shown.get(rule.name, [])],
            }
            for rule in (DUPLICATE, *report.filters)
        },
        "refused": [vars(refusal) for refusal in report.refused],
        "refused_count": report.refused_count,
    }
