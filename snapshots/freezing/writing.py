"""Write the files of a snapshot: JSON Lines with the field names of SNLI and MultiNLI, corpus.json and the manifest.

The same content gives the same bytes: keys and lines are sorted, text is UTF-8, lines end with "\\n". What differs between
two freezes of the same content (version, times, software) is in the manifest only.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from django.db.models import QuerySet

from collection.models import Corpus
from collection.models.querysets import refresh_planner
from nli.labels import QUESTION
from nli.lines import FACTS, FULL_FILES, MANIFEST, PARTITION_FILES, text_alone
from nli.manifest import Facts, ListedFile, OtherQuestion
from snapshots.files.counts import LineCounts
from snapshots.files.hashes import content_sha256
from snapshots.freezing.lines import COLUMNS, lines_of
from snapshots.freezing.manifest import manifest_of, text_of
from snapshots.freezing.plan import FreezePlan
from snapshots.models import Snapshot, SnapshotAnswer, SnapshotLabel, SnapshotPair
from validation.models import Question
from validation.statistics.extra_labels import question_of_single_premises

PAIRS_AT_ONCE = 5000
_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, allow_nan=False).encode


@dataclass(frozen=True)
class WrittenFile:
    name: str
    sha256: str
    size: int
    lines: int | None


@dataclass(frozen=True)
class Written:
    """The result of `write`: the hash of the content, the files (manifest last), the number of pairs, what is withheld."""

    sha256: str
    files: list[WrittenFile]
    pairs: int
    withheld: frozenset[str]


def write(
    snapshot: Snapshot, planned: FreezePlan, folder: Path, sealed: Path, progress: Callable[[str], None]
) -> Written:
    """Writes all files of a snapshot from its copied rows into the empty `folder`.

    The lines of a withheld partition go there without their labels, and as they are into the empty folder `sealed`.

    Reads 5,000 pairs at a time, so memory does not grow with the corpus. Calls `progress` after each portion; it may
    raise an error to stop the freeze. Raises OSError, for example if the disk is full.
    """
    refresh_planner(SnapshotPair, SnapshotLabel, SnapshotAnswer)
    facts = facts_of(snapshot, planned)
    counts = LineCounts(planned.question.rule)
    written = _write_lines(snapshot, folder, dict.fromkeys(planned.withheld, sealed), counts, progress)
    full = [file for file in written if file.name in FULL_FILES.values()]
    files = [_write_text(folder / FACTS, text_of(facts)), *(file for file in written if file not in full)]
    progress("writing the manifest")
    content = content_sha256({file.name: file.sha256 for file in (*files, *full)})
    manifest = manifest_of(snapshot, planned, facts, counts, _listed(files), content, _listed(full))
    files.append(_write_text(folder / MANIFEST, text_of(manifest)))
    _sync(folder)
    return Written(content, files, counts.pairs, planned.withheld)


def _listed(files: Iterable[WrittenFile]) -> dict[str, ListedFile]:
    return {file.name: {"sha256": file.sha256, "bytes": file.size, "lines": file.lines} for file in files}


def facts_of(snapshot: Snapshot, planned: FreezePlan) -> Facts:
    """Returns the facts of corpus.json. They are content: a change of wording makes another snapshot.

    Wordings are empty where nobody was asked here, no file brought the question and the corpus has none of its own: the
    annotators of an import never saw Quintet's.
    """
    question = planned.question
    corpus: Corpus = question.corpus
    is_own = question.wording_came or question.wording != QUESTION
    is_asked = is_own or planned.history["times"]["labelled"] is not None
    rule = question.rule
    facts: Facts = {
        "slug": corpus.slug,
        "name": corpus.name,
        "description": corpus.description,
        "scheme": rule.scheme,
        "labels": list(rule.labels),
        "ordinal": rule.ordinal,
        "protocol": corpus.protocol,
        "language": corpus.language,
        "licence": corpus.licence,
        "made_for_demo": corpus.made_for_demo,
        "question": {
            "wording": question.wording if is_asked else "",
            "seats": question.seats,
            "threshold": question.threshold,
            "gold_rule": question.gold_rule,
            "label_wordings": {
                each.label: each.wording for each in question.label_wordings.all() if is_asked
            },
        },
        "genres": {
            genre.slug: {"name": genre.name, "register": genre.register, "in_training": genre.in_training}
            for genre in corpus.genres.order_by("slug")
        },
    }
    if rule.gold_labels != rule.labels:
        facts["gold_scheme"], facts["gold_labels"] = rule.gold_scheme, list(rule.gold_labels)
    if own := question.partitions.all():
        facts["question"]["partitions"] = {
            each.partition: {"seats": each.seats, "threshold": each.threshold} for each in own
        }
        for each in own:
            if each.undecided:
                facts["question"]["partitions"][each.partition]["undecided"] = list(each.undecided_labels)
    if others := _other_questions(snapshot):
        facts["questions"] = others
    if single := question_of_single_premises(question):
        facts["single_premises"] = {
            "question": single.slug,
            "wording": single.wording,
            "seats": single.seats,
            "threshold": single.threshold,
        }
    return facts


def _other_questions(snapshot: Snapshot) -> dict[str, OtherQuestion]:
    """Returns the facts of the other questions that have answers in the snapshot, by slug."""
    answered = SnapshotAnswer.objects.filter(row__snapshot=snapshot).exclude(question="").order_by()
    slugs = set(answered.values_list("question", flat=True).distinct())
    others = Question.objects.filter(corpus=snapshot.corpus, slug__in=slugs).order_by("slug")
    return {
        each.slug: {
            "wording": each.wording,
            "scheme": each.scheme,
            "labels": list(each.labels),
            "seats": each.seats,
            "threshold": each.threshold,
            "by_sentence": each.by_sentence,
            "hides_premise": each.hides_premise,
        }
        for each in others
    }


class HashedFile:
    """A file that is hashed while it is written."""

    def __init__(self, path: Path, stack: ExitStack) -> None:
        self.name = path.name
        self.stream: IO[bytes] = stack.enter_context(path.open("wb"))
        self.digest = hashlib.sha256()
        self.size = self.lines = 0

    def add(self, line: dict[str, Any]) -> None:
        data = (_encode(line) + "\n").encode()
        self.stream.write(data)
        self.digest.update(data)
        self.size += len(data)
        self.lines += 1

    def finish(self) -> WrittenFile:
        self.stream.flush()
        os.fsync(self.stream.fileno())
        return WrittenFile(self.name, self.digest.hexdigest(), self.size, self.lines)


def _write_lines(
    snapshot: Snapshot,
    folder: Path,
    sealed: Mapping[str, Path],
    counts: LineCounts,
    progress: Callable[[str], None],
) -> list[WrittenFile]:
    """Writes the lines of each partition; of those in `sealed`, the whole lines go into that folder."""
    total = SnapshotPair.objects.filter(snapshot=snapshot).count()
    files: dict[str, HashedFile] = {}
    previous = ("", "")
    with ExitStack() as stack:
        for rows in _portions(SnapshotPair.objects.filter(snapshot=snapshot)):
            for row, line in zip(rows, lines_of(rows, counts.rule.scheme), strict=True):
                del line["partition"]  # the file's name says it
                place = (row.partition, line["pairID"])
                if place <= previous:
                    raise RuntimeError(
                        f"pair {place} came after {previous}: the copied rows are out of order"
                    )
                previous = place
                name = PARTITION_FILES[row.partition]
                if row.partition in sealed:
                    full = FULL_FILES[row.partition]
                    if full not in files:
                        files[full] = HashedFile(sealed[row.partition] / full, stack)
                    files[full].add(line)
                    line = text_alone(line)
                if name not in files:
                    files[name] = HashedFile(folder / name, stack)
                files[name].add(line)
                counts.add(row.partition, line)
            progress(f"{counts.pairs:,} of {total:,} pairs written")
        return [file.finish() for file in files.values()]


def _portions(rows: QuerySet[SnapshotPair]) -> Iterator[list[Any]]:
    """Yields the rows in the order of the files, which is that of their keys (see copying.py)."""
    last = 0
    plain = rows.order_by("pk").values_list(*COLUMNS, named=True)
    while portion := list(plain.filter(pk__gt=last)[:PAIRS_AT_ONCE]):
        last = portion[-1].pk
        yield portion


def _write_text(path: Path, text: str) -> WrittenFile:
    data = text.encode()
    with path.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    return WrittenFile(path.name, hashlib.sha256(data).hexdigest(), len(data), None)


def _sync(folder: Path) -> None:
    """Writes the file names of a folder to disk, so that they survive a power failure, as the content does."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
