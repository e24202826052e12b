"""Words of hypotheses that go with terms of premises: PMI with its interval, the pairs behind it, the file of terms."""

import math

import pytest

from snapshots.statistics.pairs import Pair
from snapshots.statistics.stereotypes import stereotypes
from tests.commands import run
from tests.snapshots.material import add_pair, add_premise, corpus_of, freeze

TERMS = {"women": frozenset({"woman"}), "men": frozenset({"man"})}


def pairs() -> list[Pair]:
    """Forty pairs of each group; women cook in 20 of theirs, men in 3; all eat."""
    return [
        Pair(
            premise=(f"A {who} sits.",),
            hypothesis=f"The {who} Cooks and eats." if n < cooks else "It eats.",
            label="neutral" if n % 2 else "entailment",
            name=f"{who}{n}",
        )
        for who, cooks in (("woman", 20), ("man", 3))
        for n in range(40)
    ]


def test_a_word_stands_with_the_group_that_it_goes_with():
    (row,) = stereotypes(pairs(), TERMS).rows
    assert (row["group"], row["word"], row["premises"], row["pairs"], row["elsewhere"]) == (
        "women",
        "cooks",
        40,
        20,
        3,
    )
    assert row["pmi"] == pytest.approx(math.log2((20 / 40) / (23 / 80)))
    assert 0 < row["low"] < row["pmi"] < row["high"]
    assert row["names"] == "woman0 woman1 woman2"
    assert stereotypes(pairs(), TERMS, at_least=21).rows == []


def test_only_pairs_of_a_label_are_counted_where_one_is_named():
    table = stereotypes(pairs(), TERMS, label="neutral", at_least=1)
    assert table.notes[0] == "Pairs: 40 with the gold label neutral."
    assert [row["pairs"] for row in table.rows] == [10]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("women = 3", "women is not a list of terms"),
        ('women = ["two words"]', "no single word in small letters"),
        ('women = ["Woman"]', "no single word in small letters"),
        ("", "has no group of terms"),
        ("women =", "terms.toml: "),
    ],
)
def test_a_file_of_terms_that_is_wrong_is_told(tmp_path, text, reason):
    freeze(corpus_of(1, dev=0, test=0))
    path = tmp_path / "terms.toml"
    path.write_text(text)
    assert reason in run("stereotypes", "small@1", path).failure


@pytest.mark.django_db
def test_the_command_reads_the_example(pytestconfig):
    corpus = corpus_of(20, dev=0, test=0)
    for number in range(5):
        add_pair(add_premise(corpus, f"A woman sits alone {number}."), "n", "She is knitting.")
    freeze(corpus)
    example = pytestconfig.rootpath / "examples" / "terms" / "gender.toml"
    assert "knitting" in run("stereotypes", "small@1", example).out
    assert "no label 'x'" in run("stereotypes", "small@1", example, "--label", "x").failure
