"""Typical and disputed pairs of a snapshot: which they are, how many, and that a seed draws them."""

from collections import Counter
from typing import Any

import pytest

from nli.agreement import entropy
from snapshots.statistics import chosen_pairs
from snapshots.statistics.corpus import measure
from snapshots.statistics.pairs import Pair
from tests.commands import run
from tests.snapshots.material import corpus_of, freeze

LABELS = ("entailment", "neutral", "contradiction")
E, N, C = LABELS


def pair(number: int, labels: tuple[str, ...], gold: str, **fields: Any) -> Pair:
    return Pair((f"Premise {number}.",), fields.pop("text", "A man rests."), gold, name=f"p{number}", labels=labels,
                **{"author": f"a{number}", "author_label": labels[0], **fields})  # fmt: skip


def chosen(pairs: list[Pair], seed: int = 0) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = measure(pairs, labels=LABELS, seats=5, seed=seed)["chosen"]
    return found


def test_typical_pairs_are_unanimous_for_their_author_and_near_the_median():
    usual = [pair(n, (E,) * 5, E) for n in range(20)]
    odd = [
        pair(20, (E,) * 5, E, text="A man rests on a very long and very wide old wooden bench."),
        pair(21, (N, E, E, E, E), E),
        pair(22, (E,) * 5, E, author_label=N),
        pair(23, (E,) * 4, E),
    ]
    typical = [row for row in chosen([*odd, *usual]) if row["kind"] == "typical"]
    assert len(typical) == chosen_pairs.EACH
    assert {row["id"] for row in typical} <= {each.name for each in usual}
    assert {(row["label"], row["entropy"]) for row in typical} == {(E, 0)}
    without = [pair(n, (C,) * 5, C, author="", author_label="") for n in range(3)]
    assert len([row for row in chosen(without) if row["label"] == C]) == 3, "nobody is known to be the author"


def test_disputed_pairs_have_the_largest_entropy_and_the_label_of_their_author():
    split = [(E, E, N, N, C), (E, E, E, N, C), (E, E, E, N, N), (E, E, E, E, N)]
    rows = [
        row
        for row in chosen([pair(n, split[n % 4], E if n % 4 else "-") for n in range(48)])
        if row["kind"] == "disputed"
    ]
    assert {row["labels"] for row in rows} == {" ".join(split[0])}, "twelve are split the most"
    assert {row["label"] for row in rows} == {E}
    assert rows[0]["entropy"] == pytest.approx(entropy([2, 2, 1]))
    assert {row["gold"] for row in rows} == {"-"}


def test_no_two_pairs_are_of_one_premise_or_one_author():
    same_author = [pair(n, (E,) * 5, E, author="a") for n in range(9)]
    assert len(chosen(same_author)) == 1
    same_premise = [pair(0, (E,) * 5, E, author=f"a{n}") for n in range(9)]
    assert len(chosen(same_premise)) == 1


def test_a_seed_draws_the_same_pairs_however_many_are_held(monkeypatch):
    pairs = [pair(n, (E,) * 5, E) for n in range(200)]
    drawn = [[row["id"] for row in chosen(pairs, seed)] for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    monkeypatch.setattr(chosen_pairs, "POOL", 20)
    assert [row["id"] for row in chosen(pairs, 1)] == drawn[0]


@pytest.mark.django_db
def test_a_snapshot_prints_its_typical_pairs():
    snapshot = freeze(corpus_of(6))
    out = run("figure", "typical-and-disputed", str(snapshot), format="csv").out
    kinds = Counter(line.split(",")[0] for line in out.splitlines()[1:])
    assert kinds == {"typical": 3}, "one author wrote all: one pair a label"
