"""Reads files with one answer on each line, or with the answers of a pair by annotator. Gathers them into pairs.

Votes are single labels. An answer that names several labels is counted as left out.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from collection.formats import records
from collection.formats.lines import BadLine, Record, json_object, read_lines, whole_text
from collection.formats.records import LEFT_OUT, LETTERS, ImportedPair, Unreadable
from collection.formats.tables import any_records, tsv_records
from nli.lines import PARTITIONS

LABELS = tuple(LETTERS.values())
ANNOTATORS = 4
MOST_ANSWERS = 1000  # of one pair

Records = Iterator[Record | BadLine]


def gathered(
    by: tuple[str, ...], label: str, annotator: str, several: str = ""
) -> Callable[[Records], Records]:
    """Returns a function that makes one record of all answers with equal values in `by`.

    The record is the first answer's, with lists of labels and annotators under `label` and `annotator`. Holds all
    answers in memory. `several`: the separator of labels in an answer that names more than one, which is left out.
    """

    def answers_by_pair(answers: Records) -> Records:
        found: dict[tuple[str, ...], Record] = {}
        for item in answers:
            if isinstance(item, BadLine):
                yield item
                continue
            line, record = item
            missing = next((key for key in (*by, label, annotator) if key not in record), None)
            if missing is not None:
                yield BadLine(line, f'there is no "{missing}"', tuple(map(records.printable, record)))
                continue
            answer, person = record[label], record[annotator]
            first = found.setdefault(
                tuple(str(record[key]) for key in by),
                (line, {**record, label: [], annotator: [], LEFT_OUT: 0}),
            )[1]
            if several and several in str(answer):
                first[LEFT_OUT] += 1
                continue
            if len(first[label]) == MOST_ANSWERS:
                yield BadLine(line, f"the pair has {MOST_ANSWERS:,} answers already, which is the limit")
                continue
            first[label].append(answer)
            first[annotator].append(str(person))
        yield from found.values()

    return answers_by_pair


def varierr_records(path: Path) -> Records:
    """Reads VariErr: its JSON Lines, or the shared task's JSON object with items by id."""
    first = next(iter(read_lines(path)), None)
    if not isinstance(first, tuple) or first[1].strip() not in {"{", ""}:
        yield from any_records(path)
        return
    text = whole_text(path)
    items = text if isinstance(text, BadLine) else json_object(1, text)
    if isinstance(items, BadLine):
        yield items
        return
    for number, (name, value) in enumerate(items[1].items(), start=1):
        texts = value.get("text") if isinstance(value, dict) else None
        if not isinstance(texts, dict):
            yield BadLine(number, f'item {number} has no object "text"')
        else:
            yield number, {**value, **texts, "id": name}


def read_varierr(line: int, record: dict[str, Any]) -> ImportedPair:
    """Reads the labels of four annotators, each at its own position. Leaves out their explanations."""
    given = _by_annotator(record)
    several = sum(len(each) > 1 for each in given)
    metadata = ("label_set_round_1", "label_set_round_2", "error_labels", "annotations", "chaosnli_labels")
    split = records.optional_text(record, "split")
    return ImportedPair(
        line=line,
        premise=(records.non_empty_text(record, "context"),),
        hypothesis=records.required_text(record, "statement"),
        pair_id=records.optional_text(record, "id"),
        labels=tuple(next(iter(each)) if len(each) == 1 else None for each in given),
        annotators=tuple(f"Ann{n}" for n in range(1, ANNOTATORS + 1)),
        partition=split if split in PARTITIONS else "",
        left_out=several,
        metadata={key: record[key] for key in metadata if key in record} or None,
    )


def _by_annotator(record: dict[str, Any]) -> list[set[str]]:
    given: list[set[str]] = [set() for _ in range(ANNOTATORS)]
    if isinstance(answers := record.get("annotations"), dict):
        for name, answer in answers.items():
            found = re.fullmatch(rf"Ann([1-{ANNOTATORS}])", name)
            if found is None or not isinstance(answer, str):
                raise Unreadable(
                    f'"annotations" names {records.printable(name)}, not Ann1 to Ann{ANNOTATORS}'
                )
            given[int(found[1]) - 1] |= {each.strip() for each in answer.split(",")}
        return given
    for label in LABELS:
        for reason in records.listed(record, label):
            person = reason.get("annotator") if isinstance(reason, dict) else None
            if type(person) is not int or not 0 <= person < ANNOTATORS:
                raise Unreadable(
                    f'"{label}" has an explanation without an annotator from 0 to {ANNOTATORS - 1}'
                )
            given[person].add(label)
    return given


def block_records(path: Path) -> Records:
    """Reads blocks of lines `key: value` separated by empty lines."""
    record: dict[str, Any] = {}
    start = 0
    for item in read_lines(path):
        if isinstance(item, BadLine):
            yield item
            continue
        number, text = item
        if not text.strip():
            if record:
                yield start, record
            record = {}
            continue
        key, colon, value = text.partition(":")
        if not colon or key.strip() in record:
            yield BadLine(
                number, "a line must be `key: value`, each key once; an empty line begins the next pair"
            )
            continue
        start = start if record else number
        record[key.strip()] = value.strip()
    if record:
        yield start, record


def scitail_records(path: Path) -> Records:
    """Reads SciTail's JSON Lines, or its tables without a header; one of them has the hypothesis's structure, too."""
    first = next(iter(read_lines(path)), None)
    text = first[1] if isinstance(first, tuple) else ""
    if text.startswith("{"):
        return any_records(path)
    header = ("premise", "hypothesis", "label", "sentence2_structure")
    return tsv_records(path, header=header[: max(3, text.count("\t") + 1)])


TAG = re.compile(r"</?[a-z]+>")


def add_one_records(path: Path) -> Records:
    """Reads tab-separated lines: the mean rating, other cells, and two sentences, with the added word in tags."""
    for item in read_lines(path):
        if isinstance(item, BadLine):
            yield item
        elif item[1].strip():
            cells = item[1].split("\t")
            if len(cells) < 3:
                yield BadLine(item[0], "a line must have a rating, and two sentences as its last cells")
                continue
            premise, hypothesis = (TAG.sub("", cell).strip() for cell in cells[-2:])
            yield item[0], {"rating": cells[0].strip(), "premise": premise, "hypothesis": hypothesis}


HYPOTHESES = (  # MegaVeridicality: how the frame ends -> what was asked about
    ("that_S", "That thing happened."),
    ("for_NP_to_VP", "That thing happened."),
    ("eventive", "That person did that thing."),
    ("stative", "That person had that thing."),
)


def shown_sentence(text: str) -> str:
    """Returns a sentence of MegaVeridicality as people saw it: its file has a backslash before most apostrophes."""
    return text.replace("\\'", "'")


def _counted(answers: Records) -> Records:
    """Yields MegaVeridicality's answers without those of people whom its authors exclude."""
    for item in answers:
        if isinstance(item, BadLine):
            yield item
        elif str(item[1].get("exclude", "")).lower() != "true":
            yield item[0], {**item[1], "sentence": shown_sentence(str(item[1].get("sentence", "")))}


def gathered_veridicality(answers: Records) -> Records:
    """Gathers MegaVeridicality's answers; the hypothesis follows from the frame."""
    # A verb and a frame may be there in two voices; the sentence tells them apart.
    keys = ("verb", "frame", "polarity", "conditional", "sentence")
    for item in gathered(keys, "veridicality", "participant")(_counted(answers)):
        if not isinstance(item, BadLine):
            frame = str(item[1]["frame"])
            hypothesis = next((text for end, text in HYPOTHESES if frame.endswith(end)), None)
            if hypothesis is None:
                yield BadLine(item[0], f'the frame "{frame}" is none of those that the hypotheses are for')
                continue
            item[1]["hypothesis"] = hypothesis
        yield item
