"""Read and check the labels of single premises: each sentence of a premise judged by itself (MPE, section 5.2).

Standard library only.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nli.gold import Rule

FACT = "single_premises"  # the key in corpus.json, if the corpus asks for such labels
LABELS, CODES = "single_premise_labels", "single_premise_codes"
FIELDS = (LABELS, CODES)


def majorities(judged: Sequence[Sequence[str]], rule: Rule) -> list[str | None] | None:
    """Return the majority label of each single premise (None without one), or None if a premise lacks labels."""
    if not judged or any(len(labels) < rule.seats for labels in judged):
        return None
    return [rule.voted(rule.count(labels)) for labels in judged]


def errors(line: Mapping[str, Any], facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the labels of single premises in a line."""
    present = [name for name in FIELDS if name in line]
    if not present:
        return
    if present != list(FIELDS) or FACT not in facts:
        yield f"{' and '.join(FIELDS)} must both be there, and {FACT!r} in corpus.json"
        return
    labels, codes = line[LABELS], line[CODES]
    sentences = len(line.get("premise_sentences", [line["sentence1"]]))
    if len(labels) != sentences:
        yield f"{LABELS} has {len(labels)} lists for {sentences} sentences of the premise"
    if [len(each) for each in labels] != [len(each) for each in codes]:
        yield f"{CODES} has other lengths than {LABELS}"
    for label in dict.fromkeys(label for each in labels for label in each):
        if label not in facts["labels"]:
            yield f"the label {label!r} of a single premise is not one of: {', '.join(facts['labels'])}"
    if any(len(each) > facts[FACT]["seats"] for each in labels):
        yield f"a single premise has more labels than {facts[FACT]['seats']} seats"
