"""Every answer that people or models gave about a pair: the field `answers` of a snapshot's line.

`annotator_labels` and `annotator_codes` hold the labels that decide, and of most pairs that is all there is. Where there
is more (labels beyond the seats, reasons, skips, answers to other questions, labels of experts and models, labels that
were withdrawn), `answers` lists every answer, the deciding labels among them.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nli.gold import Rule
from nli.labels import SCHEMES
from nli.manifest import Answers, Facts

Answer = Mapping[str, Any]
EXPERT, MODEL = ORIGINS = ("expert", "model")
FIRST, EXTRA = 1, 2  # rounds: the seats that decide, and labels asked for beyond them
# Each key of an answer and its type. All but those of ALWAYS are left out where they are empty, or the first round.
KEYS: dict[str, type] = {
    "question": str,
    "sentence": int,
    "position": int,
    "round": int,
    "counts": bool,
    "label": str,
    "skip": str,
    "code": str,
    "reason": str,
    "origin": str,
    "model": str,
    "withdrawn": str,
}
ALWAYS = ("code", "counts")
NEVER_COUNTS = frozenset(
    {"origin", "withdrawn"}
)  # keys of labels that fill no seat: of experts, models, taken back
BESIDE = NEVER_COUNTS | {"question", "sentence"}  # keys of answers beside a pair's own labels
TEXTS, NUMBERS = (frozenset(key for key, kind in KEYS.items() if kind is each) for each in (str, int))
COUNTS = ("extra_label_counts", "all_label_counts")
KINDS = tuple(Answers.__annotations__)  # what a manifest counts


def answers_of(line: Mapping[str, Any]) -> Sequence[Answer]:
    """Returns all answers of a line; of a line without the field, the deciding labels."""
    if "answers" in line:
        found: Sequence[Answer] = line["answers"]
        return found
    given = zip(line["annotator_labels"], line["annotator_codes"], strict=False)
    return [
        {"code": code, "counts": True, "label": label, "position": position}
        for position, (label, code) in enumerate(given, start=1)
    ]


def is_deciding(answer: Answer) -> bool:
    """Returns whether an answer is one of the labels that decide the pair's gold label."""
    return bool(answer["counts"]) and "question" not in answer and "sentence" not in answer


def is_of_pair(answer: Answer) -> bool:
    """Returns whether an answer is a standing label of the pair itself, in the seats or beyond, by a person."""
    return "label" in answer and not BESIDE & answer.keys()


def ordered(answers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns answers in the order of the files: main question first, then sentence, position, and who gave them."""
    return sorted(answers, key=_place)


def _place(answer: Answer) -> tuple[Any, ...]:
    get = answer.get  # half a million lines with ten answers each are sorted: no generator here
    position = get("position")
    return (
        get("question", ""),
        get("sentence", 0),
        position is None,
        position or 0,
        not answer["counts"],
        get("origin", ""),
        get("model", ""),
        get("code", ""),
        get("label", ""),
        get("skip", ""),
        get("withdrawn", ""),
        get("reason", ""),
    )


def count(line: Mapping[str, Any]) -> Counter[str]:
    """Counts the answers of a line by kind; see KINDS."""
    found: Counter[str] = Counter()
    for answer in answers_of(line):
        found["skips" if "skip" in answer else "labels"] += 1
        if is_deciding(answer):
            found["deciding"] += 1
        if "withdrawn" in answer:
            found["withdrawn"] += 1
        elif answer.get("round") == EXTRA and "label" in answer:
            found["extra"] += 1
        if "reason" in answer:
            found["with_reason"] += 1
        if "question" in answer:
            found["of_other_questions"] += 1
        if origin := answer.get("origin"):
            found[origin] += 1
    found["left_out"] = line.get("answers_left_out", 0)
    return found


def extra_labels(answers: Sequence[Answer]) -> Counter[str]:
    """Counts the labels beyond the seats, without withdrawn ones and those of experts and models."""
    return Counter(
        answer["label"] for answer in answers if answer.get("round") == EXTRA and is_of_pair(answer)
    )


def counts_of(answers: Sequence[Answer], labels: Sequence[str]) -> dict[str, dict[str, int]]:
    """Returns how often each label was given beyond the seats, and in all: the fields that count; none without extra ones.

    Left out are withdrawn labels and those of experts and models.
    """
    extra = extra_labels(answers)
    if not extra:
        return {}
    given = Counter(answer["label"] for answer in answers if is_of_pair(answer))
    return {
        "extra_label_counts": {label: extra[label] for label in labels},
        "all_label_counts": {label: given[label] for label in labels},
    }


def errors(line: Mapping[str, Any], facts: Facts, rule: Rule) -> Iterator[str]:
    """Yields what is wrong with the answers of a line whose other fields have the right shape."""
    if "answers" not in line:
        for name in COUNTS:
            if name in line:
                yield f"has {name} without answers"
        return
    answers = line["answers"]
    wrong = [
        text
        for number, answer in enumerate(answers, 1)
        for text in _entry_errors(number, answer, facts, rule)
    ]
    yield from wrong
    if wrong:
        return
    deciding = sorted(filter(is_deciding, answers), key=lambda answer: answer["position"])
    if [answer["label"] for answer in deciding] != line["annotator_labels"] or [
        answer["code"] for answer in deciding
    ] != line["annotator_codes"]:
        yield "the answers that count are not annotator_labels with annotator_codes"
    counts = counts_of(answers, rule.labels)
    for name in COUNTS:
        # Older snapshots count all labels, and not those beyond the seats alone.
        is_older = name == COUNTS[0] and name not in line and counts
        if line.get(name) != counts.get(name) and not is_older:
            yield f"{name} is not what its answers give"
    if answers != ordered(answers):
        yield "answers is out of order"


def entry_errors(number: int, answer: Answer) -> Iterator[str]:
    """Yields what is wrong with the keys of one answer and the kinds of their values."""
    name = f"answer {number}"
    if not KEYS.keys() >= answer.keys():
        yield f"{name} has keys that no snapshot has: {', '.join(sorted(answer.keys() - KEYS.keys()))}"
    if not isinstance(answer.get("counts"), bool):
        yield f"{name}: counts is not true or false"
        return
    if "code" not in answer:
        yield f"{name}: code is missing"
        return
    for key, value in answer.items():
        if key in TEXTS and not isinstance(value, str):
            yield f"{name}: {key} is not a text"
            return
        if key in NUMBERS and (not isinstance(value, int) or value < 1):
            yield f"{name}: {key} is not a number from 1"
            return
    if ("label" in answer) == ("skip" in answer):
        yield f"{name} must have a label or a skip, and not both"


def _entry_errors(number: int, answer: Answer, facts: Facts, rule: Rule) -> Iterator[str]:
    """Yields what is wrong with one answer, looked at alone."""
    name, is_whole = f"answer {number}", True
    for wrong in entry_errors(number, answer):
        yield wrong
        is_whole = is_whole and "keys that no snapshot has" in wrong
    if not is_whole:
        return
    question = facts.get("questions", {}).get(answer["question"]) if "question" in answer else None
    if "question" in answer and question is None:
        yield f"{name} is to the question {answer['question']!r}, which questions in corpus.json does not have"
        return
    labels = SCHEMES.get(question["scheme"], ()) if question else rule.labels
    if "label" in answer and answer["label"] not in labels:
        yield f"{name}: the label {answer['label']!r} is not one of: {', '.join(labels)}"
    if answer.get("origin", EXPERT) not in ORIGINS or (answer.get("origin") == MODEL) != ("model" in answer):
        yield f"{name}: origin is not one of {', '.join(ORIGINS)}, or does not go with model"
    seats = question["seats"] if question else rule.seats
    position = answer.get("position")
    # A skip has no position; its round is that of the seat that was passed over.
    is_extra = answer.get("round", FIRST) == EXTRA
    if "label" in answer and is_extra != (position is not None and position > seats):
        yield f"{name}: round is {answer.get('round', FIRST)}, but position {position} of {seats} seats is not of it"
    decides = "label" in answer and not NEVER_COUNTS & answer.keys()
    if answer["counts"] != (decides and position is not None and position <= seats):
        yield f"{name}: counts is {answer['counts']}, which does not follow from the rest of it"
