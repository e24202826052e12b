"""Labels of single premises: each sentence of a premise judged by itself (MPE, Lai et al. 2017, section 5.2)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nli.agreement import Votes, has_all_labels
from nli.gold import Rule
from nli.labels import SCHEMES
from nli.lines import premises_of, rule_of
from nli.manifest import Facts
from nli.run_files import PremiseRule

LABELS, CODES = "single_premise_labels", "single_premise_codes"
FIELDS = (LABELS, CODES)


def premise_rule(of_pairs: Rule, seats: int, threshold: int) -> Rule:
    """Returns the rule for the label of a single premise: a majority, in the scheme of the pairs' gold labels."""
    return Rule(of_pairs.scheme, seats, threshold, gold_scheme=of_pairs.gold_scheme)


def premise_rule_of(facts: Facts) -> Rule | None:
    """Returns the rule that a corpus.json states; None where the corpus does not ask about single premises."""
    single = facts.get("single_premises")
    return single and premise_rule(rule_of(facts), single["seats"], single["threshold"])


def as_named(rule: Rule) -> PremiseRule:
    """Returns a rule in the form of RUN.json, with `gold_scheme` only if gold labels have another scheme than the labels."""
    named: PremiseRule = {"scheme": rule.scheme, "seats": rule.seats, "threshold": rule.threshold}
    return {**named, "gold_scheme": rule.gold_scheme} if rule.gold_scheme else named


def rule_named(named: PremiseRule) -> Rule:
    """Returns the rule that RUN.json names."""
    return premise_rule(Rule(**named), named["seats"], named["threshold"])


def labels_by_votes(votes: Sequence[Votes], rule: Rule) -> list[str | None] | None:
    """Returns the label of each premise (None where no label has enough votes); None if a premise lacks labels."""
    if not votes or not all(has_all_labels(sum(each), rule) for each in votes):
        return None
    return [rule.voted(each) for each in votes]


def labels_of_premises(judged: Sequence[Sequence[str]], rule: Rule) -> list[str | None] | None:
    """Returns the same from the labels that were given to each premise, as a snapshot's line holds them."""
    return labels_by_votes([rule.count(labels) for labels in judged], rule)


class Comparison:
    """Compares labels of single premises with that of the whole premise: MPE, section 5.2, Table 4."""

    def __init__(self) -> None:
        self.agree: Counter[int] = Counter()
        self.most = self.more = 0

    def add(self, label: str, of_premises: Sequence[str | None]) -> None:
        """Adds a pair: its gold label, and that of each single premise (None if no label has enough votes)."""
        equal = of_premises.count(label)
        self.agree[equal] += 1
        self.most += 2 * equal > len(of_premises)
        lead = of_premises.count("entailment") - of_premises.count("contradiction")
        self.more += label == ("entailment" if lead > 0 else "contradiction" if lead < 0 else "neutral")

    def figures(self, labels: Sequence[str]) -> dict[str, Any] | None:
        """Returns the shares. `agree`: premises that agree -> share of pairs. `more_of_premises`: for nli3 alone."""
        total = self.agree.total()
        if not total:
            return None
        return {
            "pairs": total,
            "agree": {str(number): self.agree[number] / total for number in range(max(self.agree) + 1)},
            "majority_of_premises": self.most / total,
            "more_of_premises": self.more / total if tuple(labels) == SCHEMES["nli3"] else None,
        }


def errors(line: Mapping[str, Any], facts: Facts) -> Iterator[str]:
    """Yields the errors in the labels of single premises of a line."""
    present = [name for name in FIELDS if name in line]
    if not present:
        return
    if present != list(FIELDS) or "single_premises" not in facts:
        yield f"{' and '.join(FIELDS)} must both be there, and 'single_premises' in corpus.json"
        return
    labels, codes = line[LABELS], line[CODES]
    sentences = len(premises_of(line))
    if len(labels) != sentences:
        yield f"{LABELS} has {len(labels)} lists for {sentences} sentences of the premise"
    if [len(each) for each in labels] != [len(each) for each in codes]:
        yield f"{CODES} has other lengths than {LABELS}"
    for label in dict.fromkeys(label for each in labels for label in each):
        if label not in facts["labels"]:
            yield f"the label {label!r} of a single premise is not one of: {', '.join(facts['labels'])}"
    if any(len(each) > facts["single_premises"]["seats"] for each in labels):
        yield f"a single premise has more labels than {facts['single_premises']['seats']} seats"
