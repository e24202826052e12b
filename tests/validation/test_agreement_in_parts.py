"""Agreement by two properties, and a week without each person and genre: exact beside a count of its own, and in words."""

import random
from collections import Counter
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest

from collection.models import Corpus, Genre, Pair
from tests.cast import people
from tests.commands import run
from tests.corpora import LABELS, add_label, make_corpus, make_pair, make_premise, make_premises, new_label
from tests.made_once import made_once
from validation.models import CachedStatistics, Label
from validation.pairs.pair_sets import put_into_set
from validation.statistics import cached
from validation.statistics.agreement_without import last_whole_week
from validation.tasks import refresh_statistics

pytestmark = pytest.mark.django_db

PAGE = "/corpora/small/agreement/why/"
EACH = 180  # pairs of a week
GOOD = [f"good{n}" for n in range(6)]
LAST = last_whole_week()
BEFORE = LAST - timedelta(days=7)


def noon(monday: date) -> datetime:
    return datetime(monday.year, monday.month, monday.day, 12, tzinfo=UTC)


@made_once
def labelled() -> Corpus:
    """Makes two weeks of pairs of two genres. In the last one two people guess, each on two pairs of five."""
    corpus = make_corpus()
    Genre.objects.create(corpus=corpus, slug="letters", name="Letters")
    question, dice, crowd = corpus.questions.get(), random.Random(3), people([*GOOD, "one", "two"])
    labels = []
    for monday in (BEFORE, LAST):
        for genre in ("fiction", "letters"):
            premises = make_premises(
                corpus, [f"{monday} {genre} {n}." for n in range(EACH // 2)], genre=genre
            )
            for n, premise in enumerate(premises):
                truth = LABELS[n % 3]
                pair = make_pair(corpus, premise, f"{n}.", author=crowd["good0"] if n % 2 else None)
                seated = dice.sample(GOOD, 5)
                if monday == LAST:
                    seated[:2] = [
                        who if dice.random() < 0.3 else seated[k] for k, who in enumerate(("one", "two"))
                    ]
                for position, who in enumerate(seated, start=1):
                    sure = 0.05 if who in ("one", "two") else 0.93
                    given = truth if dice.random() < sure else dice.choice(LABELS)
                    fields = {"position": position, "annotator": crowd[who], "author": pair.author}
                    labels.append(
                        new_label(
                            question, pair, given, origin="imported", **{**fields, "cast_at": noon(monday)}
                        )
                    )
    Label.objects.bulk_create(labels)
    return corpus


def kappa(pairs: set[int]) -> float:
    """Computes Fleiss' kappa from the labels of these pairs, as his paper writes it."""
    votes: dict[int, Counter[str]] = {}
    for pair, label in Label.objects.filter(pair__in=pairs).values_list("pair", "label"):
        votes.setdefault(pair, Counter())[label] += 1
    seats = 5
    same = [sum(n * (n - 1) for n in each.values()) / (seats * (seats - 1)) for each in votes.values()]
    shares = [sum(each[label] for each in votes.values()) / (seats * len(votes)) for label in LABELS]
    by_chance = sum(share * share for share in shares)
    return (sum(same) / len(same) - by_chance) / (1 - by_chance)


def of(by: str, group: str) -> set[int]:
    """Returns the pairs of a group, read without the code that is tested."""
    ways: dict[str, Callable[[], Any]] = {
        "genre": lambda: Pair.objects.filter(premise__genre__name=group),
        "author": lambda: Pair.objects.filter(author__code=group) if group != "none" else Pair.objects.filter(author=None),
        "set": lambda: Pair.objects.filter(sets__pair_set__name=group),
        "validator": lambda: Pair.objects.filter(pk__in=Label.objects.filter(annotator__code=group).values("pair")),
        "week": lambda: Pair.objects.filter(
            pk__in=Label.objects.filter(cast_at=noon(datetime.strptime(group, "%d %b %Y").date())).values("pair")
        ),
    }  # fmt: skip
    return set(ways[by]().values_list("pk", flat=True))


@pytest.mark.parametrize(
    ("by", "across"),
    [
        ("genre", "week"),
        ("week", "validator"),
        ("author", "genre"),
        ("validator", "author"),
        ("set", "genre"),
        ("validator", "set"),
    ],
)
def test_each_part_has_the_agreement_of_its_pairs(labelled, browser_of, rosa, by, across):
    browser = browser_of(rosa)
    keys = list(Pair.objects.order_by("pk").values_list("pk", flat=True))
    put_into_set(corpus=labelled, name="For the paper", keys=keys[::2])
    put_into_set(corpus=labelled, name="Read", keys=keys[: len(keys) // 2])
    answer = browser.get(f"/api/v1/corpora/small/figures/agreement-cells?by={by}&across={across}").json()
    assert len(answer["rows"]) >= 4
    for row in answer["rows"]:
        pairs = of(by, row["row"]) & of(across, row["column"])
        assert (row["pairs"], row["kappa"]) == (len(pairs), pytest.approx(kappa(pairs)))
        assert row["low"] is None or row["low"] <= row["kappa"] <= row["high"]
        assert row["faint"] == (row["pairs"] < 30) == (row["low"] is None)
        if {by, across} & {"genre"}:
            shown = browser.get(row["href"])
            assert shown.context["numbers"].total == (len(pairs), False)
    assert (
        "low" in run("figure", "agreement-cells", "small", f"by={by}", f"across={across}", format="csv").out
    )


def test_a_week_without_each_person_and_genre_is_exact_and_names_those_beyond_their_interval(
    labelled, browser_of, rosa
):
    browser = browser_of(rosa)
    answer = browser.get("/api/v1/corpora/small/figures/agreement-without").json()
    week = of("week", LAST.strftime("%d %b %Y"))
    by = {"labels of": "validator", "texts of": "author", "genre": "genre"}
    for row in answer["rows"]:
        left_out = week & of(by[row["kind"]], row["without"].removeprefix("texts of "))
        assert row["pairs"] == len(left_out)
        assert row["kappa"] == pytest.approx(kappa(week - left_out))
        assert row["change"] == pytest.approx(row["kappa"] - kappa(week))
    assert [row["change"] for row in answer["rows"]] == sorted(
        (row["change"] for row in answer["rows"]), reverse=True
    )
    codes = {name: who.code for name, who in people(["one", "two"]).items()}
    first, second = (row["without"] for row in answer["rows"][:2])
    assert {first, second} == set(codes.values())
    together = kappa(week - of("validator", first) - of("validator", second))
    before = kappa(of("week", BEFORE.strftime("%d %b %Y")))
    assert (
        f"is {kappa(week):.2f} over {EACH} pairs, below the {before:.2f} of the week before."
        in answer["title"]
    )
    assert f" Without {first} and {second} the week would be {together:.2f}." in answer["title"]
    assert browser.get(PAGE).context["without"].table.title == answer["title"]


def test_a_week_in_which_all_are_alike_has_no_one_to_name(labelled, browser_of, rosa):
    page = browser_of(rosa).get(PAGE, {"week": (BEFORE + timedelta(days=3)).isoformat()})
    assert page.context["week"] == BEFORE.isoformat(), "any day of it names the week"
    title = page.context["without"].table.title
    assert title.endswith("No person or genre explains it.")
    assert "the week before" not in title, "which has no pairs"


def test_few_pairs_or_none_are_said_to_be_too_few(browser_of, rosa):
    browser, corpus = browser_of(rosa), make_corpus()
    question = corpus.questions.get()
    assert ", 0 pairs got the last label: too few" in browser.get(PAGE).text
    pair = make_pair(corpus, make_premise(corpus, "One."), "So.")
    for position, who in enumerate(people(GOOD[:5]).values(), start=1):
        add_label(question, pair, "neutral", position=position, annotator=who, cast_at=noon(LAST))
    page = browser.get(PAGE)
    assert ", 1 pair got the last label: too few" in page.context["without"].table.title
    assert [row["kappa"] for row in page.context["cells"].table.rows] == [None]


@pytest.mark.parametrize(
    ("page", "why"),
    [
        ("why/?genre=fiction", "no filter “genre”. It knows: question, week, by, across"),
        ("why/?by=mood", "by:"),
        ("why/?by=week", "by and across are both week"),
        ("why/?week=soon", "“soon” is no day"),
        ("?week=2026-11-09", "no filter “week”"),
        ("?by=mood", "There is no agreement by mood"),
    ],
)
def test_a_filter_is_applied_or_refused(browser_of, rosa, page, why):
    make_corpus()
    refused = browser_of(rosa).get(f"/corpora/small/agreement/{page}")
    assert (refused.status_code, why in refused.text) == (404, True)


def test_a_worker_counts_a_large_corpus(labelled, browser_of, rosa, sent, monkeypatch):
    monkeypatch.setattr(cached, "MOST_SEATS_ON_DASHBOARD", 1)
    browser, address = browser_of(rosa), f"{PAGE}?by=validator"
    assert browser.get(address).text.count("not counted yet") == 2
    for what in ("without", "cells"):
        asked = browser.post(address, {"what": what})
        assert urlsplit(asked["Location"]).query == "by=validator"
        assert "waiting for a worker" in browser.get(f"{address}&part={what}").text
        cached.carry_out(statistics_id=sent.pop())
    page = browser.get(address)
    assert "not counted yet" not in page.text
    assert page.context["without"].table.rows
    assert set(CachedStatistics.objects.values_list("kind", "by")) == {
        ("cells", "validator,week"),
        ("without", LAST.isoformat()),
    }


def test_a_corpus_without_a_question_says_so(browser_of, rosa):
    make_corpus().questions.all().delete()
    assert "has no question yet" in browser_of(rosa).get(PAGE).text


def test_a_worker_counts_the_last_week_of_a_large_corpus_once_the_week_is_over(labelled, sent, monkeypatch):
    refresh_statistics()
    known = {"cells", "without", "bias"}
    assert not CachedStatistics.objects.filter(kind__in=known).exists(), "a page counts a small one"
    monkeypatch.setattr(cached, "MOST_SEATS_ON_DASHBOARD", 1)
    question = labelled.questions.get()
    row = cached.store(question=question, kind="bias", by="version")
    assert row.made_at is not None
    week_ago = row.made_at - timedelta(days=7)
    CachedStatistics.objects.filter(pk=row.pk).update(made_at=week_ago, requested_at=week_ago)
    refresh_statistics()
    wanted = {("cells", "genre,week"), ("without", LAST.isoformat()), ("bias", "version")}
    asked = CachedStatistics.objects.filter(kind__in=known, status="requested")
    assert set(asked.values_list("kind", "by")) == wanted
    asked.update(status="failed", error="no memory")
    refresh_statistics()
    assert not asked.exists(), "asked for once in a week"
