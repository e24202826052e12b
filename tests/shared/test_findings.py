"""Whatever a table holds, a finding claims no more: each sentence is read again and compared with the whole table."""

import inspect
import re
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from modeling.results.run_figures import BY_GENRE
from shared import findings
from shared.findings import Part
from shared.numbers import percent
from snapshots.statistics.label_figures import VOTES

NAMES = st.integers(1, 80).map("g{}".format)
# (right, pairs) of each part: small ones, too.
COUNTS = st.integers(0, 400).flatmap(lambda pairs: st.tuples(st.integers(0, pairs), st.just(pairs)))
TABLES = st.dictionaries(NAMES, COUNTS.filter(lambda count: count[1]), max_size=40)
NUMBERS = st.dictionaries(NAMES, st.integers(0, 40), max_size=8)


def interval(right: int, pairs: int) -> tuple[float, float]:
    return proportion_confint(right, pairs, alpha=0.05, method="wilson")


def check_comparison(sentence: str, rows: dict[str, tuple[int, int]]) -> None:
    """Fails if the sentence names a part that is not apart from all others of thirty pairs or more."""
    known = {name: count for name, count in rows.items() if count[1] >= 30}
    ends = {name: interval(*count) for name, count in known.items()}
    shares = {name: right / pairs for name, (right, pairs) in known.items()}
    if len(rows) == 1:
        ((name, (right, pairs)),) = rows.items()
        assert (
            sentence
            == f"accuracy is {percent(right / pairs)} for {name}, over {pairs} pair{'s' * (pairs != 1)}"
        )
        return
    if len(known) < 2:
        assert not re.search("highest|lowest|stands out", sentence)
        return
    written = {percent(share) for share in shares.values()}
    named = re.findall(r"(highest|lowest) for (\S+) \(([\d.]+%)\)", sentence)
    for word, name, value in named:
        assert value == percent(shares[name])
        others = [ends[other] for other in ends if other != name]
        if word == "highest":
            assert all(ends[name][0] > high for _, high in others)
        else:
            assert all(ends[name][1] < low for low, _ in others)
    if "in each" in sentence:
        assert len(written) == 1
    elif not named:
        low, high = re.findall(r"is ([\d.]+%) to ([\d.]+%)", sentence)[0]
        assert (low, high) == (percent(min(shares.values())), percent(max(shares.values())))
        is_apart = max(low for low, _ in ends.values()) > min(high for _, high in ends.values())
        assert ("stands out" in sentence) != is_apart
    assert ("among those with 30" in sentence) == (len(known) < len(rows))


@given(TABLES)
@example({"a": (3, 3), "b": (50, 100), "c": (52, 100)})
def test_the_highest_and_the_lowest_are_apart_from_all_others(rows):
    parts = [Part.share(name, right / pairs, pairs) for name, (right, pairs) in rows.items()]
    check_comparison(findings.compared("accuracy", parts, "genre"), rows)
    assert all(parts[k].is_above(parts[k]) is False for k in range(len(parts)))


def test_without_intervals_nobody_is_named():
    parts = [Part(name, value, 100, None, None) for name, value in (("a", 0.2), ("b", 0.9))]
    assert findings.compared("kappa", parts, "genre") == "kappa is 20.0% to 90.0%, without intervals"


@given(NUMBERS)
def test_most_is_more_than_half_and_the_largest_share_is_larger_than_any_other(numbers):
    sentence = findings.mostly(numbers)
    most = max(numbers.values(), default=0)
    if not sentence:
        few = sum(numbers.values()) < findings.FEWEST_PAIRS
        assert few or len(numbers) < 2 or list(numbers.values()).count(most) > 1
        return
    word, name, number = re.fullmatch(
        r"(most of them|the largest share) of (\S+) \((\d+)\)", sentence
    ).groups()
    assert numbers[name] == int(number) == most
    assert all(other < most for key, other in numbers.items() if key != name)
    assert (word == "most of them") == (2 * most > sum(numbers.values()))


@given(NUMBERS)
def test_the_most_frequent_are_all_that_chance_may_make_equal(numbers):
    whole = sum(numbers.values())
    sentence = findings.most_frequent("label", numbers, whole, "{}".format)
    if whole < findings.FEWEST_PAIRS:
        assert not sentence
        return
    most = max(numbers.values())
    # The sign test's normal approximation, by its own formula.
    beside = {name for name, n in numbers.items() if n == most or (most - n) ** 2 / (most + n) <= 1.96**2}
    if len(beside) > findings.LISTED:
        assert sentence == "no label stands out as the most frequent"
        return
    found = re.findall(r"(g\d+) \((\d+)\)", sentence)
    assert {name: int(number) for name, number in found} == {name: numbers[name] for name in beside}
    assert sentence.startswith(
        f"the most frequent label{' is' if len(beside) == 1 else 's are'} {found[0][0]}"
    )


@given(NUMBERS.filter(bool))
def test_a_peak_names_its_day_if_there_is_one_such_day(numbers):
    number, _, day = re.fullmatch(
        r"up to (\d+) a day( \(on (\S+)\))?", findings.peak(numbers, "day", "on", "{}".format)
    ).groups()
    equals = [name for name, each in numbers.items() if each == max(numbers.values())]
    assert int(number) == max(numbers.values())
    assert day == (equals[0] if len(equals) == 1 else None)
    assert findings.peak({"step 4": 0.5}, "", "at", percent) == "up to 50.0% (at step 4)"


@given(NUMBERS.filter(bool))
def test_a_span_ends_with_the_smallest_and_the_largest(numbers):
    found = re.findall(r"(\d+) \((\S+)\)", findings.span(numbers, "{}".format))
    least, most = min(numbers.values()), max(numbers.values())
    if least == most:
        assert findings.span(numbers, "{}".format) == f"{most}"
    else:
        assert [(int(number), numbers[name]) for number, name in found] == [(least, least), (most, most)]


@given(COUNTS.filter(lambda count: count[1]), st.floats(0, 1))
def test_a_share_is_above_or_below_a_bar_only_outside_its_interval(count, bar):
    right, pairs = count
    low, high = interval(right, pairs)
    said = findings.beside(right / pairs, pairs, bar, "the bar")
    assert findings.is_apart(right / pairs, pairs, bar) == ("not clearly" not in said)
    if "above" in said:
        assert pairs >= 30
        assert bar <= low
    elif "below" in said:
        assert pairs >= 30
        assert bar >= high
    else:
        assert pairs < 30 or low - 1e-9 <= bar <= high + 1e-9


@given(st.integers(0, 10**7).flatmap(lambda whole: st.tuples(st.integers(0, whole), st.just(whole))))
@example((24_048, 24_060))
@example((1, 10**7))
def test_a_percentage_is_none_or_all_only_if_it_is(count):
    number, whole = count
    if not whole:
        assert percent(None) == ""
        return
    text = percent(number / whole)
    assert (text == "0.0%") == (number == 0)
    assert (text == "100.0%") == (number == whole)
    assert abs(Decimal(text[:-1]) - 100 * Decimal(number) / whole) <= Decimal("0.1")


def test_a_sum_of_shares_is_all():
    assert percent(sum([0.1] * 10)) == "100.0%"


@given(st.integers(0, 500), st.integers(0, 400), st.integers(0, 200))
def test_a_pace_is_over_the_days_since_the_first_and_a_forecast_waits(done, days, whole):
    over = max(1, min(days, 7))
    assert findings.pace(done, days) == done / over
    assert findings.is_early(days, whole) == (whole > 0 and (days < 3 or whole < 30))


@given(TABLES.filter(lambda rows: len(rows) > 1))
def test_the_headline_of_genres_is_of_all_genres(rows):
    parts = [
        SimpleNamespace(value=name, pairs=pairs, accuracy=right / pairs, majority=0.5)
        for name, (right, pairs) in rows.items()
    ]
    one: Any = SimpleNamespace(
        breakdowns=[SimpleNamespace(dimension="genre", parts=parts)], has_predictions=False,
        whole=SimpleNamespace(accuracy=0.5),
    )  # fmt: skip
    table = BY_GENRE.table(one)
    assert table is not None
    check_comparison(BY_GENRE.finding(table), rows)


# How the five, ten or hundred labels of a pair may be split.
def splits(seats: int) -> st.SearchStrategy[str]:
    drawn = st.lists(st.integers(0, 2), min_size=seats, max_size=seats)
    return drawn.map(lambda labels: sorted((labels.count(k) for k in range(3)), reverse=True)).map(
        lambda votes: "-".join(str(number) for number in votes if number)
    )


@given(
    st.sampled_from([2, 5, 10, 100]).flatmap(
        lambda seats: st.dictionaries(splits(seats), st.integers(1, 50), min_size=1)
    )
)
@example({"4-1": 4, "3-1-1": 1})
@example({"10": 8, "9-1": 2})
def test_all_labels_are_the_same_only_where_one_label_has_all_votes(votes):
    data = {
        "labels": ["entailment"],
        "definitions": {"votes": ""},
        "groups": [{"partition": None, "genre": None, "label": None, "votes": votes, "pairs": 1}],
    }
    chart = VOTES.table(data)
    share = sum(number for split, number in votes.items() if "-" not in split) / sum(votes.values())
    assert f"All labels are the same in {percent(share)} of the pairs" in VOTES.finding(chart)
    drawn = [key.removesuffix(", share") for key in chart.draw["series"]]
    assert drawn == sorted(drawn, key=lambda split: [int(n) for n in split.split("-")], reverse=True)


@given(COUNTS.filter(lambda count: count[1]), COUNTS.filter(lambda count: count[1]))
def test_a_week_is_above_or_below_the_one_before_only_where_their_intervals_are_apart(now, then):
    this, last = (
        Part.share(name, right / pairs, pairs) for name, (right, pairs) in (("now", now), ("then", then))
    )
    sentence = findings.beside_before(this, last, percent)
    if min(now[1], then[1]) < findings.FEWEST_PAIRS:
        assert not sentence
        return
    (low, high), (low_then, high_then) = interval(*now), interval(*then)
    side = "below" if high < low_then else "above" if low > high_then else "not clearly apart from"
    assert sentence == f"{side} the {percent(then[0] / then[1])} of then"


@pytest.mark.parametrize(("names", "said"), [("A", "A"), ("AB", "A and B"), ("ABC", "A, B and C")])
def test_names_stand_in_a_row(names, said):
    assert findings.listed(list(names)) == said


def test_every_finding_is_read_again_here():
    """A new function of findings needs a property above; then its name is used in this file."""
    source = inspect.getsource(inspect.getmodule(check_comparison))
    made = {name for name, _ in inspect.getmembers(findings, inspect.isfunction)}
    made = {
        name
        for name in made
        if getattr(findings, name).__module__ == findings.__name__ and not name.startswith("_")
    }
    helpers = {"in_place", "named_rows"}  # a capital letter and a period; rows as parts
    missing = {name for name in made - helpers if f"findings.{name}(" not in source}
    assert not missing, f"No property reads the sentences of {missing}"


@pytest.mark.parametrize(("sentence", "written"), [("accuracy is 3", "Accuracy is 3."), ("", ".")])
def test_a_sentence_gets_its_capital_and_its_period(sentence, written):
    assert findings.in_place(sentence) == written
