"""Reads the lines of a frozen snapshot (docs/reference/snapshot-files.md), so that a release can be continued.

The partition follows from the file's name. All answers come back: labels, reasons, skips, what was withdrawn, and what
models, experts and other questions say. Parses that Quintet derived do not, since it derives them again.
`corpus.json` in the same folder has the questions and the gold rule.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from collection.formats import records
from collection.formats.lines import BadLine, Record, json_records
from collection.formats.published_records import MAX_PARSE, PARSES
from collection.formats.records import MAX_GROUP, MAX_ID, MAX_TEXT, ImportedPair, Unreadable
from nli import single_premises
from nli.answers import MODEL, TEXTS, Answer, entry_errors, is_of_pair
from nli.gold import DECIDED, is_threshold
from nli.labels import SCHEMES
from nli.lines import (
    FACTS,
    FIELDS,
    LONGEST_SET_NAME,
    MANIFEST,
    PARTITION_FILES,
    is_known,
    rule_of,
    set_name,
    shape_errors,
)
from nli.manifest import FORMATS, Facts, facts_errors, manifest_errors

MOST_POSITIONS = 10_000
LONGEST_LICENCE = 100
MAX_LABEL = 20
SLUG = re.compile(r"[-\w]{1,60}", re.ASCII)
# An import says that it leaves these out: the text of a prompt is in no snapshot.
KEYS = FIELDS - {"prompt_version", "derived_parses"} | {"partition"}
LONGEST = {"reason": MAX_TEXT, "model": 100, "skip": 10}  # texts of an answer, where they are no ids


def snapshot_records(path: Path) -> Iterator[Record | BadLine]:
    partition = path.name.partition(".")[0]
    for item in json_records(path):
        if not isinstance(item, BadLine) and partition in PARTITION_FILES:
            item[1]["partition"] = partition
        yield item


def facts_beside(path: Path) -> dict[str, Any]:
    """Returns what `corpus.json` and `manifest.json` say, as fields of ImportFormat. Raises ValueError where it cannot."""
    return _read_beside(path, FACTS, _of_corpus) | _read_beside(path, MANIFEST, _of_manifest)


def _read_beside(path: Path, name: str, read: Callable[[bytes], dict[str, Any]]) -> dict[str, Any]:
    beside = path.with_name(name)
    try:
        return read(beside.read_bytes()) if beside.is_file() else {}
    except ValueError as problem:
        raise ValueError(
            f"{beside} is not the {name} of a snapshot: {problem}. Get a fresh copy, or take the file out of the folder."
        ) from None


def _of_manifest(text: bytes) -> dict[str, Any]:
    """Reads who is a simulated crowd, and names what an import cannot bring back."""
    manifest = json.loads(text)
    if not isinstance(manifest, dict) or manifest.get("format") not in FORMATS:
        raise ValueError("its format is not known here")
    for _, wrong in manifest_errors(manifest):
        raise ValueError(wrong)
    simulated, withdrawn = manifest["simulated"], manifest.get("withdrawn", {})
    left_behind = {
        "provenance": manifest.get("provenance"),
        "preregistration": manifest.get("preregistration"),
        "times": any(manifest.get("times", {}).values()),
        "annotators": any(manifest.get("annotators", {}).values()),
        "withdrawn": withdrawn.get("pairs") or withdrawn.get("of_earlier_snapshots"),
        "simulated": "people" not in simulated and any(simulated.values()),
    }
    return {
        "simulated": frozenset(simulated.get("people", ())),
        "left_behind": frozenset(f"{MANIFEST}: {key}" for key, told in left_behind.items() if told),
    }


def _of_corpus(text: bytes) -> dict[str, Any]:
    facts = _facts(text)
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
        "partitions": question.get("partitions", {}),
        "genres": facts["genres"],
        "people": facts["slug"],
        "questions": _other_questions(facts),
        "corpus": {key: facts[key] for key in ("description", "licence", "made_for_demo")},
    }


def _other_questions(facts: Facts) -> dict[str, dict[str, Any]]:
    """Returns the questions beside the main one, by slug, with columns of `Question`. Each has its labels in the answers."""
    known: dict[str, Any] = facts.get("questions", {})
    if (single := facts.get("single_premises")) and single["question"] not in known:
        known = {
            **known,
            single["question"]: {
                **single,
                "scheme": facts["scheme"],
                "by_sentence": True,
                "hides_premise": False,
            },
        }
    columns = ("wording", "scheme", "seats", "threshold", "by_sentence", "hides_premise")
    return {slug: {key: each[key] for key in columns} for slug, each in known.items()}


def _facts(text: bytes) -> Facts:
    """Reads corpus.json. Raises ValueError where it is not of the shape that every snapshot has."""
    facts = json.loads(text)
    if not isinstance(facts, dict):
        raise ValueError("it holds no JSON object")
    if wrong := "; ".join(facts_errors(facts)):
        raise ValueError(wrong)
    read = cast(Facts, facts)
    if not is_known(read):
        raise ValueError("its scheme, labels, gold_scheme or gold_rule are not known here")
    if b"\\u0000" in text:
        raise ValueError("it holds a NUL character")
    if len(read["licence"]) > LONGEST_LICENCE:
        raise ValueError(f"its licence is longer than {LONGEST_LICENCE} characters")
    for slug, each in _other_questions(read).items():
        if not SLUG.fullmatch(slug) or each["scheme"] not in SCHEMES:
            raise ValueError(f"the slug or the scheme of its question {slug[:60]!r} is not known here")
    asked: list[Mapping[str, Any]] = [read["question"], *_other_questions(read).values()]
    for question in asked:
        seats, threshold = question["seats"], question["threshold"]
        if not is_threshold(threshold, seats) or seats > MOST_POSITIONS:
            raise ValueError(f"{threshold} of {seats} labels make no majority")
    return read


def _all_labels(record: dict[str, Any], answers: Sequence[Answer]) -> dict[str, Any]:
    """Returns what people say under the main question by position, also beyond the seats, and all other answers."""
    given = {answer["position"]: answer for answer in answers if _has_seat(answer)}
    others = tuple(answer for answer in answers if not _has_seat(answer))
    places: list[Answer] = [given.get(position, {}) for position in range(1, max(given, default=0) + 1)]
    if "answers" not in record:  # the labels that decide are all that there is
        labels, codes = records.labels(record, "annotator_labels"), records.codes(record, "annotator_codes")
        records.same_length("annotator_labels", labels, "annotator_codes", codes)
    else:
        labels = tuple(place.get("label") for place in places)
        codes = tuple(place.get("code", "") for place in places)
    return {
        "labels": labels,
        "annotators": codes,
        "reasons": {position: each["reason"] for position, each in given.items() if "reason" in each},
        "answers": others,
    }


def _has_seat(answer: Answer) -> bool:
    return is_of_pair(answer) and "position" in answer


def _answers(record: dict[str, Any], sentences: int) -> list[Answer]:
    """Returns all answers of a line that can be stored. Raises Unreadable."""
    found: list[Answer] = record.get("answers", [])
    places = set()
    for number, answer in enumerate(found, start=1):
        for wrong in entry_errors(number, answer):
            raise Unreadable(wrong)
        for key in TEXTS & answer.keys():
            records.storable(f'"{key}" of an answer', answer[key], LONGEST.get(key, MAX_ID))
        if answer.get("position", 0) > MOST_POSITIONS:
            raise Unreadable(
                f'"answers" has the position {answer["position"]:,}; the limit is {MOST_POSITIONS:,}'
            )
        if answer.get("sentence", 0) > sentences:
            raise Unreadable(
                f"an answer is about sentence {answer['sentence']:,}, but the premise has {sentences}"
            )
        if ("origin" in answer and "position" in answer) or (answer.get("origin") == MODEL) != (
            "model" in answer
        ):
            raise Unreadable(f"answer {number}: origin does not go with the rest of it")
        if ("skip" in answer and not answer["code"]) or ("model" in answer and answer["code"]):
            raise Unreadable(f"answer {number}: code does not go with the rest of it")
        place = tuple(answer.get(key) for key in ("question", "sentence", "position", "origin", "model"))
        if "label" in answer and "withdrawn" not in answer and any(place[2:]):
            if place in places:
                raise Unreadable(f"answer {number} is in the place of another one")
            places.add(place)
    return found


def _are_of_one_scheme(author_label: str, labels: Sequence[str | None]) -> bool:
    """Returns whether the author's label and the others are of one scheme; False without others."""
    given = {label for label in labels if label is not None}
    return bool(given) and any({author_label, *given} <= set(scheme) for scheme in SCHEMES.values())


def _sets(record: dict[str, Any]) -> tuple[str, ...]:
    """Returns the names of a line's sets. Raises Unreadable."""
    for name in (found := record.get("sets", ())):
        if not name or name != set_name(name):
            raise Unreadable('"sets" holds a name that is empty, or has spaces around or twice')
        records.storable('a name in "sets"', name, LONGEST_SET_NAME)
    return tuple(dict.fromkeys(found))


def read_snapshot_line(line: int, record: dict[str, Any]) -> ImportedPair:
    """Reads a line, which has the shape that the checker asks for. Raises Unreadable."""
    for wrong in shape_errors(record):
        raise Unreadable(wrong)
    premise = records.sentences(record, "premise_sentences" if "premise_sentences" in record else "sentence1")
    answers = _all_labels(record, _answers(record, len(premise)))
    labels = answers["labels"]
    author_label = records.label(record.get("author_label"), "author_label")
    stands_alone = author_label is not None and not _are_of_one_scheme(author_label, labels)
    if author_label is not None and not stands_alone and labels[0] != author_label:
        raise Unreadable(
            f'"author_label" is {author_label}, but the first of "annotator_labels" is {labels[0]}'
        )
    if "model_answer" in record and "model_tries" not in record:
        raise Unreadable('"model_answer" has no "model_tries" beside it')
    derived = record.get("derived_parses") or ()
    first, first_binary, second, second_binary = (
        "" if key.partition("_")[0] in derived else records.optional_text(record, key, MAX_PARSE)
        for key in PARSES
    )
    group = records.optional_text(record, "group", MAX_GROUP)
    source = records.non_empty_text(record, "gold_source")
    gold = records.label(record["gold_label"], "gold_label")
    if gold is None and source in DECIDED:
        raise Unreadable(f'"gold_source" is {source}, but there is no gold label')
    return ImportedPair(
        line=line,
        premise=premise,
        hypothesis=records.required_text(record, "sentence2"),
        premise_id=records.optional_text(record, "promptID"),
        pair_id=records.optional_text(record, "pairID"),
        genre=records.optional_text(record, "genre"),
        group=group,
        document=group,
        **answers,
        has_author=author_label is not None and not stands_alone,
        author_label=author_label if stands_alone else None,
        author=records.optional_text(record, "author"),
        published_label=gold,
        has_gold=True,
        gold_source=source,
        gold_stands=source in DECIDED,
        waiting=record.get("seats_waiting", 0),
        partition=records.optional_text(record, "partition"),
        parses=(first, first_binary, second, second_binary),
        told={records.SEVERAL: record.get("answers_left_out", 0)},
        metadata=record.get("metadata"),
        sets=_sets(record),
        **records.how_written(record, {name: name for name in records.WRITTEN}),
        advice_seen=record.get("advice_seen", False),
        model_tries=record.get("model_tries", 0),
        model_answer=records.optional_text(record, "model_answer", MAX_LABEL),
        twin_answer=records.optional_text(record, "twin_answer", MAX_LABEL),
        unread=records.unread(record, KEYS if "answers" in record else KEYS - {*single_premises.FIELDS}),
    )
