"""Pages of large corpora read only what they show, never every open pair."""

import hashlib

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from collection.models import Pair
from collection.models.withdrawal import VETTED
from tests.cast import ana
from tests.corpora import make_corpus, make_pair, make_premise
from tests.snapshots.material import add_genre
from tests.validation.votes import vote
from validation.models import Question
from validation.pairs.adjudication import adjudicate
from validation.pairs.opening import open_for_validation
from validation.pairs.withdrawal import withdraw_pairs
from validation.quality_control import control_items as drawing
from validation.quality_control.control_items import control_items
from validation.statistics import cached
from validation.statistics.cached import Kind, carry_out, request_statistics

pytestmark = pytest.mark.django_db
PAIRS = 40


def make_question(rule: str = "majority") -> Question:
    corpus = make_corpus()
    add_genre(corpus, "letters")
    for number in range(PAIRS):
        premise = make_premise(corpus, f"Premise {number}.", genre=("fiction", "letters")[number % 4 == 0])
        make_pair(corpus, premise, f"Hypothesis {number}.", author=ana(), author_label="neutral")
    Question.objects.update(gold_rule=rule)
    return Question.objects.get()


def by_hand(seed: str, pairs) -> list[int]:
    keys = pairs.values_list("pk", flat=True)
    return sorted(keys, key=lambda pk: hashlib.sha256(f"{seed}:{pk}".encode()).digest())


def opened(question: Question) -> list[int]:
    """Returns the opened pairs in the order in which their second seats are handed out."""
    seats = question.judgements.filter(position=2).order_by("turn")
    return list(seats.values_list("pair", flat=True))


def of_genre_keys(slug: str) -> set[int]:
    return set(Pair.objects.by_genre(slug).values_list("pk", flat=True))


def test_pairs_are_drawn_by_the_database_as_by_hand():
    question = make_question()
    order = by_hand("3", Pair.objects.all())
    with CaptureQueriesContext(connection) as captured:
        assert open_for_validation(question=question, pairs=Pair.objects.all(), seed=3, number=7) == 7
    assert opened(question) == order[:7]
    [draw] = [query["sql"] for query in captured if "SHA256" in query["sql"]]
    assert draw.endswith("LIMIT 7")
    of_genre = {
        slug: [pk for pk in order[7:] if pk in of_genre_keys(slug)] for slug in ("fiction", "letters")
    }
    expected = set(of_genre["fiction"][:2] + of_genre["letters"][:2])
    open_for_validation(question=question, pairs=Pair.objects.all(), seed=3, number_a_genre=2)
    assert set(opened(question)[7:]) == expected
    open_for_validation(question=question, pairs=Pair.objects.all(), seed=3, share_a_genre=0.5)
    # The draw goes by key, so more than half of the ten letters may be open already. None of them closes again.
    for slug, half in (("fiction", 15), ("letters", 5)):
        open_before = set(order[:7]).union(expected).intersection(of_genre_keys(slug))
        assert len(set(opened(question)) & of_genre_keys(slug)) == max(half, len(open_before))


def test_control_items_are_drawn_once_by_the_database():
    question = make_question()
    open_for_validation(question=question, pairs=Pair.objects.all(), number=20)
    expected = by_hand("control:5", Pair.objects.filter(labels__position=2).distinct())
    assert control_items(question, share=0.2, seed=5) == (expected[:4], 4)
    assert control_items(question, share=0.4, seed=5) == (expected[:8], 8)
    with CaptureQueriesContext(connection) as captured:
        control_items(question, share=0.2, seed=5)
    assert not [query for query in captured if "SHA256" in query["sql"] or "collection_pair" in query["sql"]]
    open_for_validation(question=question, pairs=Pair.objects.all(), number=10)
    assert control_items(question, share=0.2, seed=5)[1] == 6


def test_control_items_of_a_large_corpus_are_drawn_without_reading_all_pairs(monkeypatch):
    monkeypatch.setattr(drawing, "SORTED", 20)
    monkeypatch.setattr(drawing, "BLOCK", 8)
    question = make_question()
    first = Pair.objects.earliest("pk").pk
    open_for_validation(question=question, pairs=Pair.objects.filter(pk__lt=first + 30))
    withdraw_pairs(
        pairs=Pair.objects.filter(pk__lt=first + 3), because=VETTED, at=timezone.now(), exclusion=None
    )
    with CaptureQueriesContext(connection) as captured:
        half, number = control_items(question, share=0.5, seed=5)
    assert number == len(half) > 0
    for sql in (query["sql"] for query in captured if "'expert'" not in query["sql"]):
        assert "SHA256" not in sql
        assert "LIMIT" in sql or " IN (" in sql
    assert set(half) <= set(range(first + 3, first + 30))
    more, number = control_items(question, share=0.9, seed=5)
    assert more[: len(half)] == half
    assert half != control_items(question, share=0.5, seed=6)[0]
    assert sorted(control_items(question, share=1, seed=5)[0]) == list(range(first + 3, first + 30))

    # Pairs that are opened later join the draw, and change nothing for those before.
    open_for_validation(question=question, pairs=Pair.objects.all())
    cache.clear()
    later, _ = control_items(question, share=0.9, seed=5)
    assert [pk for pk in later if pk < first + 30] == more
    assert len(later) > len(more)
    cache.clear()
    monkeypatch.setattr(drawing, "MOST", 7)
    assert control_items(question, share=0.9, seed=5) == (later[:7], 7)


def test_pages_of_decisions_look_at_a_part_of_a_large_corpus(monkeypatch, browser_of, rosa):
    question = make_question("adjudicated")
    pairs = list(Pair.objects.order_by("pk"))
    for pair in pairs:
        vote(pair, question, "eeecc" if pair in pairs[-2:] else "eeeec")
    monkeypatch.setattr(cached, "MOST_SEATS_ON_DASHBOARD", 20)
    monkeypatch.setattr("validation.pairs.listing.MOST_EXAMINED", 10)
    browser, page = browser_of(rosa), "/corpora/small/adjudication/"
    for after in (None, *(pairs[n].pk for n in (9, 19))):
        with CaptureQueriesContext(connection) as captured:
            answer = browser.get(f"{page}?after={after}" if after else page)
        counting = [query["sql"] for query in captured if "validation_gold" in query["sql"]]
        assert len(counting) == 2, counting  # which of ten pairs pass, and these pairs; no count of all
        assert answer.context["pair"] is None
        assert "Search on" in answer.content.decode()
    answer = browser.get(f"{page}?after={answer.context['further']}")
    assert answer.context["pair"] == pairs[-2]
    assert answer.context["waiting"] is None

    carry_out(statistics_id=request_statistics(question=question, kind=Kind.AGREEMENT).pk)
    assert browser.get(page).context["waiting"] == 2
    adjudicate(question=question, pair=pairs[-1], label="neutral", reason="Read twice.", by=rosa)
    assert browser.get(page).context["waiting"] == 1
    with CaptureQueriesContext(connection) as captured:
        dashboard = browser.get("/admin/").content.decode()
    assert "1 pair to decide in The small corpus" in dashboard
    assert not [query for query in captured if "validation_gold" in query["sql"]]
