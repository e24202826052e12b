"""The canonical files of a snapshot: JSON Lines with the field names of SNLI and MultiNLI, and a manifest.

Byte-stable: sorted keys, sorted lines, UTF-8 as it is, "\\n": the same content gives the same bytes. What
differs from one freeze to the next (version, times, software) stands in the manifest alone.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from django.db.models import QuerySet

from collection.models import Corpus
from collection.models.querysets import tell_planner
from nli.answers import FIRST, QUESTIONS, all_counts, is_deciding, ordered
from nli.labels import NO_GOLD, SCHEMES
from nli.lines import FACTS, MANIFEST, PARTITION_FILES, distribution, scheme_facts
from snapshots import single_premises
from snapshots.manifest import manifest_of, text_of
from snapshots.models import Snapshot, SnapshotAnswer, SnapshotLabel, SnapshotPair, SnapshotSentenceLabel
from snapshots.parses import Parses, derived_parses, premise_sentences
from snapshots.planning import FreezePlan
from snapshots.tally import Tally, content_sha256
from validation.models import Question
from validation.statistics.extra_labels import question_of_single_premises

PAIRS_AT_ONCE = 5000
# Plain values: to make five model instances a pair took most of the time of a freeze.
COLUMNS = (
    "pk",
    "snapshot_id",
    "snapshot__parser",
    "partition",
    "gold_label",
    "gold_source",
    "pair__public_id",
    "pair__hypothesis",
    "pair__metadata",
    "pair__author_label",
    "pair__author__code",
    "pair__prompt_version__prompt__slug",
    "pair__prompt_version__number",
    "pair__premise__public_id",
    "pair__premise__group",
    "pair__premise__text",
    "pair__premise__sentence_count",
    "pair__premise__genre__slug",
    "pair__parse__premise_parse",
    "pair__parse__premise_binary_parse",
    "pair__parse__hypothesis_parse",
    "pair__parse__hypothesis_binary_parse",
)


# Column of SnapshotAnswer -> key in a line.
ANSWER_COLUMNS = {
    "question": "question",
    "sentence": "sentence",
    "position": "position",
    "label": "label",
    "skip_reason": "skip",
    "reason": "reason",
    "origin": "origin",
    "model": "model",
    "withdrawn_because": "withdrawn",
}
Given = tuple[int, str, str]  # position, label, annotator's code

_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, allow_nan=False).encode


@dataclass(frozen=True)
class WrittenFile:
    name: str
    sha256: str
    size: int
    lines: int | None


@dataclass(frozen=True)
class Written:
    """What `write` made: the content's hash, its files (manifest last) and the number of pairs."""

    sha256: str
    files: list[WrittenFile]
    pairs: int


def write(snapshot: Snapshot, planned: FreezePlan, folder: Path, progress: Callable[[str], None]) -> Written:
    """Writes all files of a snapshot from its copied rows into `folder`, which is empty.

    Reads 5,000 pairs at a time, so memory does not grow with the corpus; `progress` hears of every portion
    and may raise to stop. Raises OSError, as for a full disk.
    """
    tell_planner(SnapshotPair, SnapshotLabel, SnapshotAnswer)
    facts = facts_of(planned.question) | _questions_beside(snapshot)
    tally = Tally(planned.question.rule)
    files = [_write_text(folder / FACTS, text_of(facts)), *_write_lines(snapshot, folder, tally, progress)]
    progress("writing the manifest")
    content = content_sha256({file.name: file.sha256 for file in files})
    listed = {file.name: {"sha256": file.sha256, "bytes": file.size, "lines": file.lines} for file in files}
    manifest = manifest_of(snapshot, planned, facts, tally, listed, content)
    files.append(_write_text(folder / MANIFEST, text_of(manifest)))
    _sync(folder)
    return Written(content, files, tally.pairs)


def facts_of(question: Question) -> dict[str, Any]:
    """What a reader must know to understand the labels. It is content: other words make another snapshot."""
    corpus: Corpus = question.corpus
    return {
        **_asked_of_single_premises(question),
        "slug": corpus.slug,
        "name": corpus.name,
        "description": corpus.description,
        **scheme_facts(question.rule),
        "protocol": corpus.protocol,
        "language": corpus.language,
        "licence": corpus.licence,
        "made_for_demo": corpus.made_for_demo,
        "question": {
            "wording": question.wording,
            "seats": question.seats,
            "threshold": question.threshold,
            "gold_rule": question.gold_rule,
            "label_wordings": {each.label: each.wording for each in question.label_wordings.all()},
        },
        "genres": {
            genre.slug: {"name": genre.name, "register": genre.register, "in_training": genre.in_training}
            for genre in corpus.genres.order_by("slug")
        },
    }


def _questions_beside(snapshot: Snapshot) -> dict[str, Any]:
    """The questions beside the main one that a pair of the snapshot has an answer to."""
    answered = SnapshotAnswer.objects.filter(row__snapshot=snapshot).exclude(question="").order_by()
    slugs = set(answered.values_list("question", flat=True).distinct())
    beside = Question.objects.filter(corpus=snapshot.corpus, slug__in=slugs).order_by("slug")
    told = {
        each.slug: {
            "wording": each.wording,
            "scheme": each.scheme,
            "labels": list(each.labels),
            "seats": each.seats,
            "threshold": each.threshold,
            "by_sentence": each.by_sentence,
            "hides_premise": each.hides_premise,
        }
        for each in beside
    }
    return {QUESTIONS: told} if told else {}


def _asked_of_single_premises(question: Question) -> dict[str, Any]:
    single = question_of_single_premises(question)
    if single is None:
        return {}
    rule = {"seats": single.seats, "threshold": single.threshold}
    return {single_premises.FACT: {"question": single.slug, "wording": single.wording, **rule}}


def line_of(
    row: Any,
    labels: list[Given],
    scheme: str,
    derived: Mapping[str, Parses] | None = None,
    single: Mapping[int, list[tuple[str, str]]] | None = None,
    answers: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """One pair as it stands in a file. `row` has COLUMNS; `labels` are (position, label, annotator's code), of the
    question's `scheme`; the gold label and the author's are of the corpus's.

    answers: what `labels` leave out; see SnapshotAnswer.
    derived: the parses that were made here for a side ("sentence1", "sentence2") that came without.
    single: label and code for each sentence of the premise that was judged by itself, by its number from 1.

    A pair that nobody was asked about again has its author's label alone, as in SNLI's training file, if the question
    has the same labels.
    """
    author, author_label = row.pair__author__code or "", row.pair__author_label
    if not labels and author_label in SCHEMES[scheme]:
        labels = [(1, author_label, author)]
    sentences = premise_sentences(row)
    line = {
        "annotator_codes": [code for _, _, code in labels],
        "annotator_labels": [label for _, label, _ in labels],
        "author": author,
        "author_label": author_label,
        "genre": row.pair__premise__genre__slug,
        "gold_label": row.gold_label or NO_GOLD,
        "gold_source": row.gold_source,
        "pairID": row.pair__public_id,
        "promptID": row.pair__premise__public_id,
        "sentence1": " ".join(sentences),
        "sentence1_binary_parse": row.pair__parse__premise_binary_parse or "",
        "sentence1_parse": row.pair__parse__premise_parse or "",
        "sentence2": row.pair__hypothesis,
        "sentence2_binary_parse": row.pair__parse__hypothesis_binary_parse or "",
        "sentence2_parse": row.pair__parse__hypothesis_parse or "",
    }
    if shares := distribution(line["annotator_labels"], SCHEMES[scheme]):
        line["label_distribution"] = shares
    if row.pair__premise__group != row.pair__premise__public_id:
        line["group"] = row.pair__premise__group
    if row.pair__prompt_version__number is not None:
        line["prompt_version"] = (
            f"{row.pair__prompt_version__prompt__slug}/{row.pair__prompt_version__number}"
        )
    if len(sentences) > 1:
        line["premise_sentences"] = sentences
    for side, (parse, binary_parse) in (derived or {}).items():
        line |= {f"{side}_parse": parse, f"{side}_binary_parse": binary_parse}
    if derived:
        line["derived_parses"] = sorted(derived)
    if single:
        judged = [single.get(number, []) for number in range(1, len(sentences) + 1)]
        line[single_premises.LABELS] = [[label for label, _ in each] for each in judged]
        line[single_premises.CODES] = [[code for _, code in each] for each in judged]
    if answers:
        line["answers"] = _all_answers(labels, answers)
        if counts := all_counts(line["answers"], SCHEMES[scheme]):
            line["all_label_counts"] = counts
    if row.pair__metadata:
        line["metadata"] = row.pair__metadata
    return line


def _all_answers(labels: list[Given], others: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The labels that decide with the other answers; of one that stands in both, the one with its reason."""
    there = {answer["position"] for answer in others if is_deciding(answer)}
    deciding = [
        {"code": code, "counts": True, "label": label, "position": position}
        for position, label, code in labels
        if position not in there
    ]
    return ordered([*deciding, *others])


class _HashedFile:
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
    snapshot: Snapshot, folder: Path, tally: Tally, progress: Callable[[str], None]
) -> list[WrittenFile]:
    names = {partition: name for name, partition in PARTITION_FILES.items()}
    total = SnapshotPair.objects.filter(snapshot=snapshot).count()
    files: dict[str, _HashedFile] = {}
    previous = ("", "")
    with ExitStack() as stack:
        for rows in _portions(SnapshotPair.objects.filter(snapshot=snapshot)):
            labels, derived = _labels_of(rows), derived_parses(rows, snapshot.parser_id)
            single = _labels_of_single_premises(rows)
            answers = _answers_by_row(
                SnapshotAnswer.objects.filter(row__gte=rows[0].pk, row__lte=rows[-1].pk)
            )
            for row in rows:
                line = line_of(
                    row,
                    labels.get(row.pk, []),
                    tally.rule.scheme,
                    derived.get(row.pk),
                    single.get(row.pk),
                    answers.get(row.pk),
                )
                place = (row.partition, line["pairID"])
                if place <= previous:
                    raise RuntimeError(
                        f"pair {place} came after {previous}: the copied rows are out of order"
                    )
                previous = place
                if row.partition not in files:
                    files[row.partition] = _HashedFile(folder / names[row.partition], stack)
                files[row.partition].add(line)
                tally.add(row.partition, line)
            progress(f"{tally.pairs:,} of {total:,} pairs written")
        return [file.finish() for file in files.values()]


def _portions(rows: QuerySet[SnapshotPair]) -> Iterator[list[Any]]:
    """The rows in the order of the files, which is the order of their keys (see copies.py)."""
    last = 0
    plain = rows.order_by("pk").values_list(*COLUMNS, named=True)
    while portion := list(plain.filter(pk__gt=last)[:PAIRS_AT_ONCE]):
        last = portion[-1].pk
        yield portion


def _labels_of(rows: list[Any]) -> dict[int, list[Given]]:
    """Row key -> labels by position. The keys of a portion are one stretch: no list of 5,000 of them is sent."""
    return _by_row(SnapshotLabel.objects.filter(row__gte=rows[0].pk, row__lte=rows[-1].pk))


def lines_of(rows: list[Any], scheme: str) -> list[dict[str, Any]]:
    """The lines of a page of rows of one snapshot (with COLUMNS), each with its partition; `scheme` is the question's.

    Two queries, whatever their number, and one more each where parses were derived and where premises have
    several sentences.
    """
    keys = [row.pk for row in rows]
    labels = _by_row(SnapshotLabel.objects.filter(row__in=keys))
    answers = _answers_by_row(SnapshotAnswer.objects.filter(row__in=keys))
    derived = derived_parses(rows, rows[0].snapshot__parser if rows else None)
    single = _labels_of_single_premises(rows)
    return [
        {
            "partition": row.partition,
            **line_of(
                row,
                labels.get(row.pk, []),
                scheme,
                derived.get(row.pk),
                single.get(row.pk),
                answers.get(row.pk),
            ),
        }
        for row in rows
    ]


def _by_row(stored: QuerySet[SnapshotLabel]) -> dict[int, list[Given]]:
    labels: dict[int, list[Given]] = {}
    rows = stored.order_by("row", "position").values_list("row", "position", "label", "annotator_code")
    for key, position, label, code in rows:
        labels.setdefault(key, []).append((position, label, code))
    return labels


def _answers_by_row(stored: QuerySet[SnapshotAnswer]) -> dict[int, list[dict[str, Any]]]:
    """Row key -> answers in the words of nli.answers; what is not there, or is the usual, has no key."""
    found: dict[int, list[dict[str, Any]]] = {}
    columns = ("row", "counts", "annotator_code", "round", *ANSWER_COLUMNS)
    for key, counts, code, round_, *rest in stored.order_by().values_list(*columns):
        answer = {"code": code, "counts": counts, **({"round": round_} if round_ != FIRST else {})}
        answer |= {name: value for name, value in zip(ANSWER_COLUMNS.values(), rest, strict=True) if value}
        found.setdefault(key, []).append(answer)
    return found


def _labels_of_single_premises(rows: list[Any]) -> dict[int, dict[int, list[tuple[str, str]]]]:
    """Row key -> number of the sentence -> labels by position. Asked only where premises have several sentences."""
    several = [row.pk for row in rows if row.pair__premise__sentence_count > 1]
    if not several:
        return {}
    stored = SnapshotSentenceLabel.objects.filter(row__in=several)
    labels: dict[int, dict[int, list[tuple[str, str]]]] = {}
    ordered = stored.order_by("row", "sentence", "position")
    for key, sentence, label, code in ordered.values_list("row", "sentence", "label", "annotator_code"):
        labels.setdefault(key, {}).setdefault(sentence, []).append((label, code))
    return labels


def _write_text(path: Path, text: str) -> WrittenFile:
    data = text.encode()
    with path.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    return WrittenFile(path.name, hashlib.sha256(data).hexdigest(), len(data), None)


def _sync(folder: Path) -> None:
    """The names too must survive a loss of power, not only what is in the files."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
