"""Reads files with one answer on each line, or with the answers of a pair by annotator. Gathers them into pairs.

Votes are single labels. An answer that names several labels is counted as left out; its pair stays.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from collection.formats import records
from collection.formats.lines import MENDED, BadLine, Record, Row, json_object, read_lines, whole_text
from collection.formats.records import LETTERS, ImportedPair, Unreadable
from collection.formats.tables import any_records, tsv_records

LABELS = tuple(LETTERS.values())
ANNOTATORS = 4
MOST_ANSWERS = 1000  # of one pair

Records = Iterator[Record | BadLine]


def gathered(
    by: Sequence[str] | Callable[[dict[str, Any]], tuple[str, ...]], label: str, annotator: str = ""
) -> Callable[[Records], Records]:
    """Returns a function that makes one record of all answers with equal values in `by`, or for which `by` returns the same.

    The record is the first answer's, with lists of labels and annotators under `label` and `annotator`. Holds all
    answers in memory.
    """
    lists = tuple(filter(None, (label, annotator)))
    keys = () if callable(by) else by

    def answers_by_pair(answers: Records) -> Records:
        found: dict[tuple[str, ...], tuple[int, Row]] = {}
        for item in answers:
            if isinstance(item, BadLine):
                yield item
                continue
            line, record = item
            missing = next((key for key in (*keys, *lists) if key not in record), None)
            if missing is not None:
                yield BadLine(line, f'there is no "{missing}"', tuple(map(records.printable, record)))
                continue
            first = found.setdefault(
                by(record) if callable(by) else tuple(str(record[key]) for key in keys),
                (line, Row({**record, **{key: [] for key in lists}})),
            )[1]
            if first.rows == MOST_ANSWERS:
                yield BadLine(line, f"the pair has {MOST_ANSWERS:,} answers already, which is the limit")
                continue
            first.rows += 1
            for key in lists:
                first[key].append(str(record[key]) if key == annotator else record[key])
            if first.rows > 1:
                given = {key for key, value in record.items() if value not in records.BLANK}
                first.more.update(given)
                first.other.update(key for key in given.difference(lists) if record[key] != first.get(key))
            first.told.update(records.told(record))
        yield from found.values()

    return answers_by_pair


def gathered_explanations(lines: Records) -> Records:
    """Gathers LiTEx's explanations. Where they are of several labels, the pair has none: nothing says which is gold."""
    given = (
        item if isinstance(item, BadLine) else (item[0], {"gold_label": None, **item[1]}) for item in lines
    )
    for item in gathered(("pairID", "premise", "hypothesis"), "gold_label")(given):
        if not isinstance(item, BadLine) and isinstance(row := item[1], Row):
            labels = [each for each in row["gold_label"] if each not in records.BLANK]
            disagree = len({*map(str, labels)}) > 1
            if disagree:
                row["explained_labels"] = labels
            row["gold_label"] = None if disagree or not labels else labels[0]
            row.told[records.DISAGREE] += disagree
        yield item


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
            about = {key: each for key, each in value.items() if key != "text"}
            yield number, {**about, **texts, "id": name}


VARIERR_METADATA = (
    "label_set_round_1",
    "label_set_round_2",
    "error_labels",
    "annotations",
    "idk",
    "chaosnli_labels",
)
VARIERR_KEYS = frozenset(
    {"id", "context", "statement", "split", *VARIERR_METADATA, *(f"{label}.annotator" for label in LABELS)}
)


def read_varierr(line: int, record: dict[str, Any]) -> ImportedPair:
    """Reads the labels of four annotators, each at its own position. Leaves out their explanations.

    The metadata has who gave which labels, as the shared task's files write it.
    """
    given = _by_annotator(record)
    answers = {f"Ann{n}": ",".join(sorted(each)) for n, each in enumerate(given, start=1) if each}
    told = {
        records.SEVERAL: sum(len(each) > 1 for each in given),
        records.UNSURE: len(records.listed(record, "idk")),
    }
    return ImportedPair(
        line=line,
        premise=(records.non_empty_text(record, "context"),),
        hypothesis=records.required_text(record, "statement"),
        pair_id=records.optional_text(record, "id"),
        labels=tuple(next(iter(each)) if len(each) == 1 else None for each in given),
        annotators=tuple(f"Ann{n}" for n in range(1, ANNOTATORS + 1)),
        partition=records.partition(record, "split"),
        told=told,
        metadata=records.metadata({"annotations": answers, **record}, VARIERR_METADATA),
        unread=records.unread(record, VARIERR_KEYS),
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
            row = Row(rating=cells[0].strip(), premise=premise, hypothesis=hypothesis)
            row.update({f"cell {n}": cell for n, cell in enumerate(cells[1:-2], start=2)})
            row.told[MENDED] += [premise, hypothesis] != cells[-2:]
            yield item[0], row


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
    """Yields MegaVeridicality's answers; refuses those of people whom its authors exclude."""
    for item in answers:
        if isinstance(item, BadLine):
            yield item
        elif str(item[1].get("exclude", "")).lower() == "true":
            yield BadLine(item[0], "its authors exclude the answers of this person", meant=True)
        else:
            row, sentence = Row(item[1]), str(item[1].get("sentence", ""))
            row["sentence"] = shown_sentence(sentence)
            row.told[MENDED] += row["sentence"] != sentence
            yield item[0], row


def gathered_veridicality(answers: Records) -> Records:
    """Gathers MegaVeridicality's answers; the hypothesis follows from the frame."""
    # A verb and a frame may be there in two voices; the sentence tells them apart.
    keys = ("verb", "frame", "polarity", "conditional", "sentence")
    for item in gathered(keys, "veridicality", "participant")(_counted(answers)):
        if not isinstance(item, BadLine):
            frame = str(item[1]["frame"])
            hypothesis = next((text for end, text in HYPOTHESES if frame.endswith(end)), None)
            if hypothesis is None:
                reason = f'the frame "{frame}" is none of those that the hypotheses are for'
                yield BadLine(item[0], reason, rows=records.rows_of(item[1]))
                continue
            item[1]["hypothesis"] = hypothesis
        yield item
