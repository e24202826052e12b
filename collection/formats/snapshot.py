"""Reads the lines of a frozen snapshot (docs/reference/snapshot-files.md), so that a release can be continued.

The partition follows from the file's name. Reads the codes of annotators, but no parses that Quintet derived.
`corpus.json` in the same folder has the question and its gold rule.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from collection.formats import records
from collection.formats.lines import BadLine, Record, json_records
from collection.formats.published_records import MAX_PARSE, PARSES
from collection.formats.records import MAX_GROUP, ImportedPair, Unreadable
from nli import single_premises
from nli.answers import is_of_pair
from nli.gold import DECIDED
from nli.labels import SCHEMES
from nli.lines import FACTS, FIELDS, PARTITION_FILES, is_known, rule_of, shape_errors
from nli.manifest import Facts, facts_errors

MOST_POSITIONS = 10_000
# An import says that it leaves the version of the prompt and the labels of single premises out.
KEYS = FIELDS - {"prompt_version", *single_premises.FIELDS} | {"partition"}


def snapshot_records(path: Path) -> Iterator[Record | BadLine]:
    partition = path.name.partition(".")[0]
    for item in json_records(path):
        if not isinstance(item, BadLine) and partition in PARTITION_FILES:
            item[1]["partition"] = partition
        yield item


def facts_beside(path: Path) -> dict[str, Any]:
    """Returns what `corpus.json` says, as fields of ImportFormat. Raises ValueError where it cannot be read."""
    beside = path.with_name(FACTS)
    if not beside.is_file():
        return {}
    try:
        facts = _facts(beside)
    except ValueError as problem:
        raise ValueError(
            f"{beside} is not the {FACTS} of a snapshot: {problem}. Get a fresh copy, or take the file out of the folder."
        ) from None
    question, rule = facts["question"], rule_of(facts)
    return {
        "scheme": rule.decided_scheme,
        "question_scheme": rule.scheme if rule.gold_scheme else None,
        "protocol": facts["protocol"],
        "language": facts["language"],
        "question": question["wording"],
        "wordings": question["label_wordings"],
        "seats": rule.seats,
        "threshold": rule.threshold,
        "gold_rule": rule.name,
        "partitions": {
            name: (own["seats"], own["threshold"]) for name, own in question.get("partitions", {}).items()
        },
        "genres": facts["genres"],
    }


def _facts(path: Path) -> Facts:
    """Reads corpus.json. Raises ValueError where it is not of the shape that every snapshot has."""
    facts = json.loads(path.read_bytes())
    if not isinstance(facts, dict):
        raise ValueError("it holds no JSON object")
    if wrong := "; ".join(facts_errors(facts)):
        raise ValueError(wrong)
    read = cast(Facts, facts)
    if not is_known(read):
        raise ValueError("its scheme, labels, gold_scheme or gold_rule are not known here")
    return read


def _all_labels(record: dict[str, Any]) -> tuple[tuple[str | None, ...], tuple[str, ...]]:
    """Returns the labels under the main question by position, also beyond the seats; None for a missing one."""
    answers = record.get("answers")
    if answers is None:
        return records.labels(record, "annotator_labels"), records.codes(record, "annotator_codes")
    given: dict[int, tuple[str | None, str]] = {}
    for answer in answers:
        if is_of_pair(answer) and isinstance(answer.get("position"), int):
            label = records.label(answer["label"], "answers")
            given[answer["position"]] = label, records.optional_text(answer, "code")
    if given and max(given) > MOST_POSITIONS:
        raise Unreadable(f'"answers" has the position {max(given):,}; the limit is {MOST_POSITIONS:,}')
    places = [given.get(position, (None, "")) for position in range(1, max(given, default=0) + 1)]
    return tuple(label for label, _ in places), tuple(code for _, code in places)


def _are_of_one_scheme(author_label: str, labels: Sequence[str | None]) -> bool:
    """Returns whether the author's label and the others are of one scheme; False without others."""
    given = {label for label in labels if label is not None}
    return bool(given) and any({author_label, *given} <= set(scheme) for scheme in SCHEMES.values())


def read_snapshot_line(line: int, record: dict[str, Any]) -> ImportedPair:
    """Reads a line, which has the shape that the checker asks for. Raises Unreadable."""
    for wrong in shape_errors(record):
        raise Unreadable(wrong)
    labels, annotators = _all_labels(record)
    records.same_length("annotator_labels", labels, "annotator_codes", annotators)
    author_label = records.label(record.get("author_label"), "author_label")
    stands_alone = author_label is not None and not _are_of_one_scheme(author_label, labels)
    if author_label is not None and not stands_alone and labels[0] != author_label:
        raise Unreadable(
            f'"author_label" is {author_label}, but the first of "annotator_labels" is {labels[0]}'
        )
    derived = record.get("derived_parses") or ()
    first, first_binary, second, second_binary = (
        "" if key.partition("_")[0] in derived else records.optional_text(record, key, MAX_PARSE)
        for key in PARSES
    )
    premise = "premise_sentences" if "premise_sentences" in record else "sentence1"
    group = records.optional_text(record, "group", MAX_GROUP)
    return ImportedPair(
        line=line,
        premise=records.sentences(record, premise),
        hypothesis=records.required_text(record, "sentence2"),
        premise_id=records.optional_text(record, "promptID"),
        pair_id=records.optional_text(record, "pairID"),
        genre=records.optional_text(record, "genre"),
        group=group,
        document=group,
        labels=labels,
        has_author=author_label is not None and not stands_alone,
        author_label=author_label if stands_alone else None,
        author=records.optional_text(record, "author"),
        annotators=annotators,
        published_label=records.label(record.get("gold_label"), "gold_label"),
        has_gold="gold_label" in record,
        gold_stands=records.non_empty_text(record, "gold_source") in DECIDED,
        partition=records.optional_text(record, "partition"),
        parses=(first, first_binary, second, second_binary),
        metadata=record.get("metadata"),
        unread=records.unread(record, KEYS),
    )
