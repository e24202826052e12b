"""Slow, simple Python with which the SQL is compared. It shares no code with the platform."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from math import exp, prod

import numpy as np
from scipy.special import digamma


def gold_by_hand(labels: Sequence[str], threshold: int = 3) -> str:
    """Returns the label that occurs `threshold` times in the list, or '-'."""
    for label in labels:
        if list(labels).count(label) >= threshold:
            return label
    return "-"


def agreement_by_hand(rows: Sequence[Sequence[str]], threshold: int = 3) -> dict[str, float]:
    """Computes agreement by loops. `rows`: five labels for each pair, the author's first."""
    unanimous = no_gold = gold_is_author = gold_is_other = 0
    equal_gold = equal_author = labels_with_gold = labels = 0
    for row in rows:
        gold = gold_by_hand(row, threshold)
        if len(set(row)) == 1:
            unanimous += 1
        if gold == "-":
            no_gold += 1
        elif gold == row[0]:
            gold_is_author += 1
        else:
            gold_is_other += 1
        for label in row:
            labels += 1
            if label == row[0]:
                equal_author += 1
            if gold != "-":
                labels_with_gold += 1
                if label == gold:
                    equal_gold += 1
    return {
        "unanimous": unanimous / len(rows),
        "no_gold": no_gold / len(rows),
        "gold_equals_author": gold_is_author / len(rows),
        "gold_differs_from_author": gold_is_other / len(rows),
        "individual_equals_gold": equal_gold / labels_with_gold,
        "individual_equals_gold_all_pairs": equal_gold / labels,
        "individual_equals_author": equal_author / labels,
    }


def fleiss_by_definition(rows: Sequence[Sequence[str]], categories: Sequence[str]) -> float:
    """Computes Fleiss' kappa (1971) formula by formula: P_i, the mean of P, P_e, kappa."""
    raters = len(rows[0])
    observed = []
    totals: Counter[str] = Counter()
    for row in rows:
        counts = Counter(row)
        totals.update(counts)
        observed.append(sum(counts[c] * (counts[c] - 1) for c in categories) / (raters * (raters - 1)))
    mean_observed = sum(observed) / len(rows)
    expected = sum((totals[c] / (len(rows) * raters)) ** 2 for c in categories)
    return (mean_observed - expected) / (1 - expected)


def fleiss_of_one_category(rows: Sequence[Sequence[str]], category: str) -> float:
    """Computes the same with all other labels as "other"."""
    folded = [[label if label == category else "other" for label in row] for row in rows]
    return fleiss_by_definition(folded, [category, "other"])


def alpha_by_definition(rows: Sequence[Sequence[str]]) -> float:
    """Computes Krippendorff's nominal alpha from the coincidences of every ordered pair of labels."""
    coincidences: dict[tuple[str, str], float] = defaultdict(float)
    for row in rows:
        for i, one in enumerate(row):
            for j, other in enumerate(row):
                if i != j:
                    coincidences[one, other] += 1 / (len(row) - 1)
    totals: dict[str, float] = defaultdict(float)
    for (one, _), number in coincidences.items():
        totals[one] += number
    everything = sum(totals.values())
    observed = sum(number for (one, other), number in coincidences.items() if one != other)
    expected = sum(totals[a] * totals[b] for a in totals for b in totals if a != b) / (everything - 1)
    return 1 - observed / expected


def cohen_by_definition(pairs: Sequence[tuple[str, str]]) -> float:
    """Computes Cohen's kappa (1960) from the share on which both agree, and the share by chance."""
    labels = {label for pair in pairs for label in pair}
    same = sum(one == other for one, other in pairs) / len(pairs)
    chance = sum(
        sum(one == label for one, _ in pairs)
        / len(pairs)
        * sum(other == label for _, other in pairs)
        / len(pairs)
        for label in labels
    )
    return (same - chance) / (1 - chance)


def mace_by_hand(rows: Sequence[tuple[int, str, str]], seed: int, steps: int) -> dict[str, float]:
    """Computes MACE (Hovy et al. 2013) label by label, with its variational M-step: worker -> P(does not guess).

    `rows`: (task, worker, label). Priors: Beta(1/2, 1/2) on guessing, Dirichlet(10) on what a guesser says.
    """
    workers = list(dict.fromkeys(worker for _, worker, _ in rows))
    labels = list(dict.fromkeys(label for *_, label in rows))
    dice = np.random.RandomState(seed)
    draws = dice.uniform(1, 2.5, size=(len(workers), 2))
    guesses = {worker: row[0] / sum(row) for worker, row in zip(workers, draws.tolist(), strict=True)}
    draws = dice.uniform(1, 2.5, size=(len(workers), len(labels)))
    says = {
        worker: {label: value / sum(row) for label, value in zip(labels, row, strict=True)}
        for worker, row in zip(workers, draws.tolist(), strict=True)
    }
    knows = {worker: 1 - guesses[worker] for worker in workers}
    tasks: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for task, worker, label in rows:
        tasks[task].append((worker, label))
    for _ in range(steps):
        guessed: dict[str, Counter[str]] = {worker: Counter() for worker in workers}
        known: Counter[str] = Counter()
        for given in tasks.values():
            likely = {
                truth: prod(
                    guesses[worker] * says[worker][label] + knows[worker] * (label == truth)
                    for worker, label in given
                )
                for truth in labels
            }
            for truth, weight in likely.items():
                for worker, label in given:
                    by_guess = guesses[worker] * says[worker][label]
                    by_knowing = knows[worker] * (label == truth)
                    part = weight / sum(likely.values()) / (by_guess + by_knowing)
                    guessed[worker][label] += part * by_guess
                    known[worker] += part * by_knowing
        for worker in workers:
            total = exp(digamma(guessed[worker].total() + known[worker] + 1))
            guesses[worker] = exp(digamma(guessed[worker].total() + 0.5)) / total
            knows[worker] = exp(digamma(known[worker] + 0.5)) / total
            whole = exp(digamma(guessed[worker].total() + 10 * len(labels)))
            for label in labels:
                says[worker][label] = exp(digamma(guessed[worker][label] + 10)) / whole
    return knows
