"""The pairs of a corpus to read: filters, pages by key, and a pair with everything that was said of it."""

import pytest

from collection.models import Corpus, Genre, Pair
from tests.cast import ana, person, vera
from tests.corpora import make_corpus, make_pair, make_premise
from tests.validation.votes import vote
from validation.annotators.exclusion import exclude
from validation.labelling.claiming import claim_batch
from validation.labelling.submitting import submit_batch
from validation.models import Question
from validation.pairs import listing as reading
from validation.pairs.adjudication import adjudicate
from validation.pairs.listing import Wanted, pairs_to_read
from validation.pairs.opening import open_for_validation
from validation.quality_control.control_items import label_as_expert
from validation.quality_control.model_labels import keep_model_labels

pytestmark = pytest.mark.django_db

LIST = "/corpora/small/pairs/"
VOTES = {"one": "eeeee", "two": "eeenc", "three": "eenn.", "four": "eennc", "five": ""}


@pytest.fixture
def corpus() -> Corpus:
    """Five pairs, each of its own premise: unanimous, split, not complete, disputed, and never opened."""
    corpus = make_corpus()
    Genre.objects.create(corpus=corpus, slug="letters", name="Letters")
    for name, letters in VOTES.items():
        premise = make_premise(corpus, f"About {name}.", genre="letters" if name == "one" else "fiction")
        pair = make_pair(
            corpus,
            premise,
            f"A sentence, {name}.",
            public_id=name,
            author=ana() if name in ("one", "two") else None,
            author_label="neutral" if name == "five" else "entailment",
        )
        vote(pair, corpus.questions.get(), letters)
    return corpus


def names(**wanted: object) -> list[str]:
    found, more = pairs_to_read(Question.objects.get(), Wanted(**wanted))
    assert more is None
    return [pair.public_id for pair in found]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({}, list(VOTES)),
        ({"votes": "complete"}, ["one", "two", "four"]),
        ({"votes": "unanimous"}, ["one"]),
        ({"votes": "split"}, ["two", "four"]),
        ({"votes": "disputed"}, ["four"]),
        ({"gold": "entailment"}, ["one", "two", "three"]),
        ({"gold": "none"}, ["four"]),
        ({"source": "voted"}, ["one", "two"]),
        ({"source": "author"}, ["three", "five"]),
        ({"genre": "letters"}, ["one"]),
        ({"author_label": "neutral"}, ["five"]),
        ({"text": "TWO"}, ["two"]),
        ({"votes": "split", "gold": "entailment"}, ["two"]),
        ({"skipped": True}, []),
    ],
)
def test_each_filter_lets_through_what_it_says(corpus, wanted, found):
    assert names(**wanted) == found


def test_an_author_is_known_by_the_code(corpus):
    assert names(author=ana().code) == ["one", "two"]


def test_a_withdrawn_pair_is_not_among_them(corpus):
    Pair.objects.filter(public_id="one").update(
        withdrawn_at="2026-01-01T00:00Z", withdrawn_because="set aside by a researcher"
    )
    assert "one" not in names()


def test_pages_go_on_where_the_last_one_ended_whatever_the_filter_leaves(corpus, monkeypatch):
    monkeypatch.setattr(reading, "PAGE", 2)
    monkeypatch.setattr(reading, "PORTION", 2)
    monkeypatch.setattr(reading, "PORTIONS", 1)
    question, pages = Question.objects.get(), []
    after: int | None = 0
    while after is not None:
        found, after = pairs_to_read(question, Wanted(gold="entailment"), after=after)
        pages.append([pair.public_id for pair in found])
    assert pages == [["one", "two"], ["three"], []]
    monkeypatch.setattr(reading, "PORTION", 3)
    found, after = pairs_to_read(question, Wanted())
    assert ([pair.public_id for pair in found], after) == (["one", "two"], found[-1].pk)


def test_the_list_keeps_its_filters_from_page_to_page(corpus, browser_of, rosa, monkeypatch):
    monkeypatch.setattr(reading, "PAGE", 1)
    browser = browser_of(rosa)
    page = browser.get(LIST, {"votes": "split", "text": "sentence"})
    assert [pair.public_id for pair in page.context["pairs"]] == ["two"]
    assert "A sentence, two." in page.content.decode()
    rest = browser.get(page.context["more"])
    assert [pair.public_id for pair in rest.context["pairs"]] == ["four"]
    assert "No pair fits all filters" in browser.get(LIST, {"text": "nowhere"}).content.decode()
    assert browser.get(LIST, {"after": "x", "gold": "odd"}).status_code == 200


def test_a_corpus_without_pairs_says_where_they_come_from(browser_of, rosa):
    make_corpus()
    assert "has no pairs yet" in browser_of(rosa).get(LIST).content.decode()


def test_a_pair_is_shown_with_everything_that_was_said_of_it(browser_of, rosa):
    corpus = make_corpus()
    question = corpus.questions.get()
    pair = make_pair(
        corpus, make_premise(corpus, "A dog barks."), "It is loud.", author_label="neutral", public_id="a/b#1"
    )
    open_for_validation(question=question, pairs=Pair.objects.all())
    for who, sent in (
        (vera(), {"labels": "contradiction", "reasons": "Barking is loud."}),
        (person("skips"), {"skips": "upsetting"}),
    ):
        batch = claim_batch(question=question, annotator=who)
        (slot,) = (item.seat.token for item in batch.items)
        answers = {"labels": {}, **{name: {slot: value} for name, value in sent.items()}}
        submit_batch(annotator=who, token=batch.assignment.token, key="one", **answers)
    exclude(corpus=corpus, annotator=vera(), by=rosa, reason="Never read.")
    label_as_expert(question=question, pair=pair, label="entailment", by=rosa)
    keep_model_labels(question=question, model="some-model 1", labels={pair: ("entailment", "")})
    page = browser_of(rosa).get(f"{LIST}a/b%231/").content.decode()
    for said in (
        "Barking is loud.",
        "its annotator was excluded",
        "control item",
        "some-model 1 (a model)",
        "It is loud.",
    ):
        assert said in page
    assert "I would rather not read this" in page
    assert f"{person('skips').code}, " in page
    assert names(skipped=True) == ["a/b#1"]


def test_a_decision_is_marked_with_its_reason(browser_of, rosa):
    corpus = make_corpus()
    Question.objects.update(gold_rule="adjudicated")
    pair = make_pair(corpus, make_premise(corpus, "A dog barks."), "It is loud.", public_id="one")
    vote(pair, Question.objects.get(), "eeecc")
    adjudicate(
        question=Question.objects.get(), pair=pair, label="entailment", reason="Dogs are loud.", by=rosa
    )
    page = browser_of(rosa).get(f"{LIST}one/").content.decode()
    assert "from a researcher&#x27;s decision" in page
    assert "Dogs are loud." in page
    assert names(source="adjudicated") == ["one"]


def test_the_pages_are_for_researchers_and_of_one_corpus(corpus, browser_of, rosa):
    make_corpus(slug="other")
    assert browser_of(vera()).get(LIST).status_code == 403
    assert browser_of(vera()).get(f"{LIST}one/").status_code == 403
    assert browser_of(rosa).get("/corpora/other/pairs/one/").status_code == 404
    assert browser_of(rosa).get(f"{LIST}nobody/").status_code == 404


def test_a_page_of_the_list_asks_a_few_questions_however_many_pairs_it_shows(
    corpus, browser_of, rosa, django_assert_max_num_queries
):
    browser = browser_of(rosa)
    with django_assert_max_num_queries(12):
        browser.get(LIST)
