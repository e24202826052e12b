"""The shape of a snapshot's files: the fields of a line with their kinds, the names of the files.

The writer and the checker both read this table. SNLI's and MultiNLI's names are used where they have one.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nli.answers import extra_labels
from nli.gold import MAJORITY, OF_ALL, RULES, WITHHELD, Rule
from nli.labels import NO_GOLD
from nli.manifest import Facts

MANIFEST = "manifest.json"
FACTS = "corpus.json"
EXPORT = "export.json"  # in exports of other formats, which have no manifest
PARTITION_FILES = {"train": "train.jsonl", "dev": "dev.jsonl", "test": "test.jsonl"}
PARTITIONS = tuple(PARTITION_FILES)
# The lines of a withheld partition with their labels: in the folder only once they are released.
FULL_FILES = {name: f"{name}-full.jsonl" for name in PARTITIONS}
HELD_OUT = ("dev", "test")  # the partitions that nobody trains on
Line = Mapping[str, Any]

# Kinds of values, as an error names them.
TEXT, TEXTS, TEXT_OR_NULL = "a text", "a list of texts", "a text or null"
LISTS_OF_TEXTS, SHARES = "a list of lists of texts", "an object of numbers"
OBJECT, ANSWERS, NUMBER, TRUE = "an object", "a list of objects", "a number from 1", "true"
PREMISE, HYPOTHESIS = SIDES = ("sentence1", "sentence2")


@dataclass(frozen=True)
class Field:
    """A field of a line. `required`: every line has it; one that is not may be left out, and never be null."""

    name: str
    kind: str
    required: bool = True


LINE = (
    Field("advice_seen", TRUE, required=False),
    Field("all_label_counts", SHARES, required=False),
    Field("annotator_codes", TEXTS),
    Field("annotator_labels", TEXTS),
    Field("answers", ANSWERS, required=False),
    Field("answers_left_out", NUMBER, required=False),
    Field("arm", TEXT, required=False),
    Field("attached_parses", TEXTS, required=False),
    Field("author", TEXT),
    Field("author_label", TEXT_OR_NULL),
    Field("author_reason", TEXT, required=False),
    Field("derived_parses", TEXTS, required=False),
    Field("edit_distance", NUMBER, required=False),
    Field("edited_from", TEXT, required=False),
    Field("extra_label_counts", SHARES, required=False),
    Field("family", TEXT, required=False),
    Field("genre", TEXT),
    Field("gold_label", TEXT),
    Field("gold_source", TEXT),
    Field("group", TEXT, required=False),
    Field("label_distribution", SHARES, required=False),
    Field("metadata", OBJECT, required=False),
    Field("model_answer", TEXT, required=False),
    Field("model_tries", NUMBER, required=False),
    Field("pairID", TEXT),
    Field("premise_sentences", TEXTS, required=False),
    Field("promptID", TEXT),
    Field("prompt_version", TEXT, required=False),
    Field("seats_waiting", NUMBER, required=False),
    Field("sets", TEXTS, required=False),
    *(Field(f"{side}{part}", TEXT) for side in SIDES for part in ("", "_binary_parse", "_parse")),
    Field("single_premise_codes", LISTS_OF_TEXTS, required=False),
    Field("single_premise_labels", LISTS_OF_TEXTS, required=False),
    Field("twin_answer", TEXT, required=False),
)
FIELDS = frozenset(field.name for field in LINE)
LONGEST_SET_NAME = 100  # characters of the name of a set in `sets`
# What a line of a withheld partition keeps: texts and where they come from. `metadata` of a file may hold anything.
TEXT_ALONE = frozenset({"derived_parses", "genre", "group", "pairID", "premise_sentences", "promptID"}) | {
    f"{side}{part}" for side in SIDES for part in ("", "_binary_parse", "_parse")
}


def set_name(text: str) -> str:
    """Returns the name of a set without blanks around, and with single ones in it."""
    return " ".join(text.split())


def text_alone(line: Line) -> dict[str, Any]:
    """Returns a line without its labels, while they are withheld. The gold label is empty, as MultiNLI has it."""
    kept = {name: value for name, value in line.items() if name in TEXT_ALONE}
    empty: dict[str, Any] = {
        "annotator_codes": [],
        "annotator_labels": [],
        "author": "",
        "author_label": None,
    }
    return {**kept, **empty, "gold_label": "", "gold_source": WITHHELD}


def has_gold(line: Line) -> bool:
    """Returns whether a line has a gold label: not where no label has enough votes, nor where they are withheld."""
    return line["gold_label"] not in ("", NO_GOLD)


def is_a(kind: str, value: Any) -> bool:
    """Returns whether a value read from JSON is of one of the kinds above."""
    if kind == TEXT_OR_NULL:
        return value is None or isinstance(value, str)
    if kind == TEXTS:
        return isinstance(value, list) and all(isinstance(each, str) for each in value)
    if kind == LISTS_OF_TEXTS:
        return isinstance(value, list) and all(is_a(TEXTS, each) for each in value)
    if kind == SHARES:
        return isinstance(value, dict) and all(isinstance(each, float | int) for each in value.values())
    if kind == OBJECT:
        return isinstance(value, dict)
    if kind == TRUE:
        return value is True
    if kind == NUMBER:
        return type(value) is int and value > 0
    if kind == ANSWERS:
        return isinstance(value, list) and all(isinstance(each, dict) for each in value)
    return isinstance(value, str)


def shape_errors(line: Mapping[str, Any]) -> Iterator[str]:
    """Yields an error for each field that is missing or of another kind than the table says."""
    for field in LINE:
        if field.name not in line:
            if field.required:
                yield f"{field.name} is missing"
        elif not is_a(field.kind, line[field.name]):
            yield f"{field.name} is not {field.kind}"


def rule_of(facts: Facts) -> Rule:
    """Returns the gold rule that a snapshot's corpus.json states; those of early snapshots name no rule."""
    question = facts["question"]
    return Rule(
        scheme=facts["scheme"],
        seats=question["seats"],
        threshold=question["threshold"],
        name=question.get("gold_rule", MAJORITY),
        gold_scheme=facts.get("gold_scheme", ""),
    )


def is_known(facts: Facts) -> bool:
    """Returns whether this program knows the labels and the rule of a snapshot. A later one may have others."""
    try:
        rule = rule_of(facts)
        # `reads` raises where the labels cannot be read as the gold labels.
        return rule.name in RULES and list(rule.labels) == facts["labels"] and bool(rule.reads)
    except KeyError:
        return False


def rules_in(facts: Facts, partition: str) -> list[Rule]:
    """Returns the rules by which a line of this partition may have got its gold label, that of the question last.

    Some corpora have a rule for each partition that a pair came with; a snapshot may hold pairs of a published train out as
    dev, and places those that came with none.
    """
    rule, own = rule_of(facts), facts["question"].get("partitions", {})
    names = (partition, "train") if partition == "dev" else (partition,)
    return [
        *(
            replace(
                rule,
                seats=own[name]["seats"],
                threshold=own[name]["threshold"],
                undecided=tuple(own[name].get("undecided", ())),
            )
            for name in names
            if name in own
        ),
        rule,
    ]


def missing_answers(line: Line, rule: Rule) -> int:
    """Returns how many answers of a pair are no votes, under a rule that is over all answers: left out, or not given yet."""
    return line.get("answers_left_out", 0) + line.get("seats_waiting", 0) if rule.name == OF_ALL else 0


def premises_of(line: Line) -> Sequence[str]:
    """Returns the sentences of the premise; a line names them only where there are several."""
    several: Sequence[str] | None = line.get("premise_sentences")
    return several or [line[PREMISE]]


# The named sets of labels that people gave about a pair: those in the seats; those asked for later, beyond the seats, as
# ChaosNLI's hundred; and both together.
IN_SEATS, EXTRA, ALL = SETS = ("seats", "extra", "all")


def votes_in(line: Line, which: str = ALL) -> Counter[str]:
    """Counts the labels of one of SETS that people gave under the main question. An empty label is no vote."""
    given = None if which == IN_SEATS else line.get(f"{which}_label_counts")
    if given is None and which == EXTRA:  # older snapshots have these labels among the answers alone
        given = extra_labels(line.get("answers") or ())
    elif given is None:
        given = Counter(line.get("annotator_labels") or ())
    return Counter({label: votes for label, votes in given.items() if votes and label not in ("", NO_GOLD)})


def distribution(annotator_labels: Iterable[str], labels: Iterable[str]) -> dict[str, float] | None:
    """Returns the share of each label that could be given (a soft label); None for fewer than two labels.

    `labels` are those of the question's scheme, also where the gold label is of another one.
    """
    counts = Counter(annotator_labels)
    total = counts.total()
    return {label: counts[label] / total for label in labels} if total > 1 else None
