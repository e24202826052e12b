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

Answer = Mapping[str, Any]
EXPERT, MODEL = ORIGINS = ("expert", "model")
FIRST, EXTRA = 1, 2  # rounds: the seats that decide, and labels asked for beyond them
TEXTS = ("code", "label", "skip", "question", "reason", "origin", "model", "withdrawn")
NUMBERS = ("position", "round", "sentence")
KEYS = frozenset({"counts", *TEXTS, *NUMBERS})
QUESTIONS = "questions"  # in corpus.json: the questions beside the main one
KINDS = (
    "labels",
    "deciding",
    "extra",
    "withdrawn",
    "expert",
    "model",
    "skips",
    "with_reason",
    "of_other_questions",
)


def answers_of(line: Mapping[str, Any]) -> Sequence[Answer]:
    """Return all answers of a line; of a line without the field, the deciding labels."""
    if "answers" in line:
        found: Sequence[Answer] = line["answers"]
        return found
    given = zip(line["annotator_labels"], line["annotator_codes"], strict=False)
    return [
        {"code": code, "counts": True, "label": label, "position": position}
        for position, (label, code) in enumerate(given, start=1)
    ]


def is_deciding(answer: Answer) -> bool:
    """Return whether an answer is one of the labels that decide the pair's gold label."""
    return bool(answer["counts"]) and not {"question", "sentence"} & answer.keys()


def ordered(answers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return answers in the order of the files: main question first, then sentence, position, and who gave them."""

    def place(answer: Answer) -> tuple[Any, ...]:
        has_position = answer.get("position") is not None
        rest = tuple(
            answer.get(key, "") for key in ("origin", "model", "code", "label", "skip", "withdrawn", "reason")
        )
        position = answer.get("position") or 0
        return (
            answer.get("question", ""),
            answer.get("sentence", 0),
            not has_position,
            position,
            not answer["counts"],
            *rest,
        )

    return sorted(answers, key=place)


def count(line: Mapping[str, Any]) -> Counter[str]:
    """Count the answers of a line by kind; see KINDS."""
    found: Counter[str] = Counter()
    for answer in answers_of(line):
        found["skips" if "skip" in answer else "labels"] += 1
        found["deciding"] += is_deciding(answer)
        found["extra"] += answer.get("round") == EXTRA and "withdrawn" not in answer
        found["withdrawn"] += "withdrawn" in answer
        found["with_reason"] += "reason" in answer
        found["of_other_questions"] += "question" in answer
        if origin := answer.get("origin"):
            found[origin] += 1
    return found


def all_counts(answers: Sequence[Answer], labels: Sequence[str]) -> dict[str, int] | None:
    """Return how often each label was given under the main question, in its seats and beyond; None without extra ones.

    Left out are withdrawn labels and those of experts and models.
    """
    standing = [
        answer
        for answer in answers
        if "label" in answer and not {"question", "sentence", "origin", "withdrawn"} & answer.keys()
    ]
    if not any(answer.get("round") == EXTRA for answer in standing):
        return None
    given = Counter(answer["label"] for answer in standing)
    return {label: given[label] for label in labels}


def errors(line: Mapping[str, Any], facts: Mapping[str, Any], rule: Rule) -> Iterator[str]:
    """Yield what is wrong with the answers of a line whose other fields have the right shape."""
    if "answers" not in line:
        if "all_label_counts" in line:
            yield "has all_label_counts without answers"
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
    if line.get("all_label_counts") != all_counts(answers, rule.labels):
        yield "all_label_counts is not what its answers give"
    if answers != ordered(answers):
        yield "answers is out of order"


def _entry_errors(number: int, answer: Answer, facts: Mapping[str, Any], rule: Rule) -> Iterator[str]:
    """Yield what is wrong with one answer, looked at alone."""
    name = f"answer {number}"
    if unknown := sorted(answer.keys() - KEYS):
        yield f"{name} has keys that no snapshot has: {', '.join(unknown)}"
    if not isinstance(answer.get("counts"), bool):
        yield f"{name}: counts is not true or false"
        return
    if not isinstance(answer.get("code"), str) or any(
        not isinstance(answer.get(key, ""), str) for key in TEXTS
    ):
        yield f"{name}: {', '.join(TEXTS)} are texts, and code is always there"
        return
    if any(not isinstance(answer.get(key, 1), int) or answer.get(key, 1) < 1 for key in NUMBERS):
        yield f"{name}: {', '.join(NUMBERS)} are numbers from 1"
        return
    if ("label" in answer) == ("skip" in answer):
        yield f"{name} must have a label or a skip, and not both"
        return
    question = facts.get(QUESTIONS, {}).get(answer["question"]) if "question" in answer else None
    if "question" in answer and question is None:
        yield f"{name} is to the question {answer['question']!r}, which {QUESTIONS} in corpus.json does not have"
        return
    labels = SCHEMES.get(question["scheme"], ()) if question else rule.labels
    if "label" in answer and answer["label"] not in labels:
        yield f"{name}: the label {answer['label']!r} is not one of: {', '.join(labels)}"
    if answer.get("origin", EXPERT) not in ORIGINS or (answer.get("origin") == MODEL) != ("model" in answer):
        yield f"{name}: origin is not one of {', '.join(ORIGINS)}, or does not go with model"
    seats = question["seats"] if question else rule.seats
    position = answer.get("position")
    if (answer.get("round", FIRST) == EXTRA) != (position is not None and position > seats):
        yield f"{name}: round is {answer.get('round', FIRST)}, but position {position} of {seats} seats is not of it"
    decides = "label" in answer and not {"origin", "withdrawn"} & answer.keys()
    if answer["counts"] != (decides and position is not None and position <= seats):
        yield f"{name}: counts is {answer['counts']}, which does not follow from the rest of it"
