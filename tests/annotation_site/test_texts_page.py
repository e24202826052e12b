"""The list of the texts that writers sent: filters, pages by key, CSV."""

import csv
import io

import pytest

from annotation_site.workspace import texts_page
from collection.models import Corpus, Pair
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.submitting import submit_writing
from tests.cast import ana, person
from tests.corpora import make_corpus, make_pair, make_premise
from tests.made_once import made_once
from tests.query_counts import query_count

pytestmark = pytest.mark.django_db

PAGE = "/c/small/texts/"
TEXTS = {"entailment": "Something is there.", "neutral": "It is red.", "contradiction": "Nothing is there."}


@made_once
def corpus() -> Corpus:
    """Two tasks by two writers, three texts each, and an imported pair that nobody here wrote."""
    corpus = make_corpus()
    premises = [make_premise(corpus, f"Premise number {number}.") for number in range(2)]
    make_seats(premises=premises)
    for writer in (ana(), person("second")):
        token = claim_writing(corpus=corpus, annotator=writer).token
        submit_writing(annotator=writer, token=token, texts=TEXTS, key=token)
    make_pair(corpus, premises[0], "From a file.", public_id="imported", author=ana())
    return corpus


@pytest.fixture
def browser(browser_of, rosa):
    return browser_of(rosa)


def shown(page) -> list[str]:
    return [row.hypothesis for row in page.context["rows"]]


def test_it_lists_what_people_wrote_and_nothing_else(corpus, browser):
    with query_count("texts"):
        page = browser.get(PAGE)
    assert sorted(shown(page)) == sorted([*TEXTS.values()] * 2)
    said = page.content.decode()
    assert "<p>6 texts." in said
    assert f'<a href="?writer={ana().code}">' in said
    assert [row.characters for row in page.context["rows"]] == [len(text) for text in shown(page)]


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ({"writer": "second"}, 3),
        ({"label": "neutral"}, 2),
        ({"text": "NOTHING"}, 2),
        ({"shortest": 11}, 4),
        ({"longest": 10}, 2),
        ({"genre": "nowhere"}, 0),
        ({"prompt": "nowhere"}, 0),
        ({"shortest": "x", "after": "y", "order": "odd"}, 6),
    ],
)
def test_each_filter_lets_through_what_it_says(corpus, browser, query, number):
    if "writer" in query:
        query = {"writer": person("second").code}
    page = browser.get(PAGE, query)
    assert (page.context["number"], len(shown(page))) == (number, number)
    rows = list(csv.DictReader(io.StringIO(browser.get(PAGE, {**query, "as": "csv"}).getvalue().decode())))
    assert len(rows) == number
    assert all(int(row["characters"]) == len(row["text"]) for row in rows)


def test_pages_and_orders_follow_the_key(corpus, browser, monkeypatch):
    monkeypatch.setattr(texts_page, "TEXTS_A_PAGE", 4)
    ids = list(Pair.objects.filter(assignment__isnull=False).order_by("pk").values_list("pk", flat=True))
    for order, expected in (("", ids[::-1]), ("pk", ids)):
        first = browser.get(PAGE, {"order": order})
        rest = browser.get(f"{PAGE}?{first.context['next']}")
        assert [row.pk for page in (first, rest) for row in page.context["rows"]] == expected
        back = browser.get(f"{PAGE}?{rest.context['previous']}")
        assert shown(back) == shown(first)
        assert (rest.context["next"], first.context["previous"]) == ("", "")


def test_a_withdrawn_text_is_marked(corpus, browser):
    pair = Pair.objects.filter(assignment__isnull=False).earliest("pk")
    Pair.objects.filter(pk=pair.pk).update(
        withdrawn_at="2026-01-01T00:00Z", withdrawn_because="set aside by a researcher"
    )
    assert browser.get(PAGE).content.decode().count(">withdrawn<") == 1
