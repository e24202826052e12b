"""How well one annotator agrees with the others: the label of one against the gold label of the rest."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from nli.gold import Rule, least_threshold

FEWEST = 3  # with fewer labels, those of the others are no majority


@lru_cache
def rule_of_the_others(rule: Rule, labels: int) -> Rule:
    """Return the rule for the labels but one: more than half of them decide, as in a question with one seat fewer."""
    return replace(rule, seats=labels - 1, threshold=least_threshold(labels - 1))


def gold_of_the_others(rule: Rule, votes: Sequence[int], label: str) -> str | None:
    """Return the gold label that the votes but one for `label` give; None where they give none, or are fewer than two."""
    if sum(votes) < FEWEST:
        return None
    return rule_of_the_others(rule, sum(votes)).voted(rule.without(votes, label))


def left_out(rule: Rule, labels: Sequence[str]) -> Iterator[tuple[int, str | None, bool]]:
    """Yield for each label its place, the gold label of the others (None where they have none), and whether they agree.

    Yields nothing for fewer than three labels.
    """
    if len(labels) < FEWEST:
        return
    votes = rule.count(labels)
    for place, label in enumerate(labels):
        gold = gold_of_the_others(rule, votes, label)
        yield place, gold, gold is not None and rule.reads[label] == gold
