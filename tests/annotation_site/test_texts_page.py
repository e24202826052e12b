"""The list of the texts that writers sent: filters, pages by key, CSV."""

import csv
import io
from datetime import timedelta

import pytest
from django.db.models.functions import Length
from django.utils import timezone

from annotation_site.workspace.texts_days import days_charts
from collection.models import Corpus, Genre, Pair, Premise, Prompt
from collection.models.withdrawal import REASONS
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.submitting import submit_writing
from tests.cast import ana, person
from tests.charted import charts_in, figures_of
from tests.corpora import make_corpus, make_pair, make_premise
from tests.listed import all_pages, cells, is_sorted_by, listed
from tests.made_once import made_once
from tests.query_counts import query_count
from validation.statistics import cached

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
    return [*cells(page, "text").values()]


def test_it_lists_what_people_wrote_and_nothing_else(corpus, browser):
    with query_count("texts"):
        page = browser.get(PAGE)
    assert sorted(shown(page)) == sorted([*TEXTS.values()] * 2)
    said = page.content.decode()
    assert "<p>6 texts." in said
    assert f'<a href="{PAGE}?writer={ana().code}">' in said
    assert [*cells(page, "characters").values()] == [len(text) for text in shown(page)]


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
    assert (listed(page).total[0], len(shown(page))) == (number, number)
    rows = list(csv.DictReader(io.StringIO(browser.get(PAGE, {**query, "as": "csv"}).getvalue().decode())))
    assert len(rows) == number
    assert all(int(row["characters"]) == len(row["text"]) for row in rows)


def test_pages_and_orders_follow_the_key(corpus, browser, monkeypatch):
    monkeypatch.setattr("shared.lists.USUAL_SIZE", 4)
    ids = list(
        Pair.objects.filter(assignment__isnull=False).order_by("pk").values_list("public_id", flat=True)
    )
    lengths = dict(Pair.objects.values_list("public_id", Length("hypothesis")))
    by_length = sorted(ids, key=lengths.__getitem__)
    for order, expected in (("", ids[::-1]), ("pk", ids), ("characters", by_length)):
        first = browser.get(PAGE, {"order": order})
        rest = browser.get(listed(first).next)
        assert listed(first).names + listed(rest).names == expected
        back = browser.get(listed(rest).previous)
        assert shown(back) == shown(first)
        assert (listed(rest).next, listed(first).previous) == ("", "")


@pytest.mark.parametrize("way", ["", "-"])
@pytest.mark.parametrize(
    ("order", "value"),
    [
        ("genre", lambda cells: cells["pair"][2]),
        ("label", lambda cells: cells["label"][0]),
        ("writer", lambda cells: cells["writer"][0]),
    ],
)
def test_every_order_holds_each_text_once(corpus, browser, monkeypatch, order, value, way):
    monkeypatch.setattr("shared.lists.USUAL_SIZE", 4)
    letters = Genre.objects.create(corpus=corpus, slug="letters", name="A letter")
    Premise.objects.filter(pk=Premise.objects.earliest("pk").pk).update(genre=letters)
    written = Pair.objects.filter(assignment__isnull=False).values_list("public_id", flat=True)
    rows = all_pages(browser, PAGE, f"{way}{order}")
    assert sorted(name for name, _ in rows) == sorted(written)
    assert is_sorted_by(rows, f"{way}{order}", value)


def test_a_withdrawn_text_is_marked(corpus, browser):
    pair = Pair.objects.filter(assignment__isnull=False).earliest("pk")
    Pair.objects.filter(pk=pair.pk).update(
        withdrawn_at="2026-01-01T00:00Z", withdrawn_because="set aside by a researcher"
    )
    assert browser.get(PAGE).content.decode().count(">withdrawn<") == 1


def more_texts(corpus: Corpus, number: int) -> None:
    """Adds texts of Ana's: every contradiction negates, every entailment says “outside”, and is longest."""
    first = Pair.objects.filter(assignment__isnull=False).earliest("pk")
    said = {
        "entailment": "The tall man the man is outside",
        "neutral": "The man is tall",
        "contradiction": "The tall man never is",
    }
    for n in range(number):
        label = list(said)[n % 3]
        Pair.objects.create(
            corpus=corpus, premise=first.premise, hypothesis=f"{said[label]}.", scheme="nli3", author=ana(),
            author_label=label, public_id=f"more-{n}", assignment=first.assignment,
        )  # fmt: skip


def test_what_gives_labels_away_is_seen_while_people_write(corpus, browser):
    assert list(charts_in(browser.get(PAGE).content)) == ["days"], "of six texts nothing else can be said"
    more_texts(corpus, 120)
    with query_count("texts with charts"):
        page = browser.get(PAGE)
    charts = charts_in(page.content)
    assert list(charts) == ["days", "lengths", "giveaways", "negation"]
    for label in TEXTS:
        assert sum(row[label] for row in charts["lengths"]["rows"]) == pytest.approx(1)
    assert charts["lengths"]["title"].startswith(
        "The median number of words of a text is highest for “Definitely correct” (7)"
    )
    words = {row["word"]: row for row in charts["giveaways"]["rows"]}
    assert words["outside"]["label"] == "Definitely correct"
    assert (words["outside"]["p"], words["outside"]["texts"]) == (1, 40)
    assert words["outside"]["usual"] == pytest.approx(1 / 3)
    assert "is" not in words
    assert listed(browser.get(words["outside"]["href"])).total[0] == 40
    negated = {row["label"]: row["share"] for row in charts["negation"]["rows"]}
    assert negated == {"Definitely correct": 0, "Maybe correct": 0, "Definitely incorrect": pytest.approx(1)}
    assert figures_of(browser, "texts", "corpora/small") == list(charts.values())
    assert browser.get(PAGE, {"chart": "negation"}).content.decode().startswith("label,texts,share,low,high")
    assert browser.get(PAGE, {"chart": "none"}).status_code == 404


def test_the_charts_are_of_the_texts_that_pass_the_filters(corpus, browser):
    more_texts(corpus, 120)
    (only, _) = charts_in(browser.get(PAGE, {"writer": ana().code, "label": "neutral"}).content).values()
    assert set(only["rows"][0]) == {"words", "neutral", "faint"}
    assert charts_in(browser.get(PAGE, {"writer": "second"}).content) == {}
    assert charts_in(browser.get(PAGE, {"text": "is"}).content) == {}


def test_the_charts_know_languages_without_spaces_and_withdrawn_texts(corpus, browser):
    more_texts(corpus, 60)
    Pair.objects.filter(author_label="neutral").update(
        withdrawn_at=timezone.now(), withdrawn_because=next(iter(REASONS))
    )
    Pair.objects.update(hypothesis="犬が走る。")
    Corpus.objects.update(language="ja")
    charts = charts_in(browser.get(PAGE).content)
    assert list(charts) == ["days", "lengths"], (
        "each character is as frequent under each label; negation is known in English"
    )
    assert {row["words"] for row in charts["lengths"]["rows"] if row["entailment"]} == {3, 4, 5}
    assert "neutral" not in charts["lengths"]["rows"][0]


def test_the_texts_of_fourteen_days_are_a_grid_of_genre_and_day(corpus, browser):
    """An imported pair is no text, and of an older text the day is not shown; a narrowed list has no grid."""
    Genre.objects.create(corpus=corpus, slug="travel", name="Travel guides", prompt=Prompt.objects.get())
    now = timezone.now()
    written = Pair.objects.filter(assignment__isnull=False).order_by("pk")
    Pair.objects.filter(pk=written[0].pk).update(created_at=now - timedelta(days=13))
    Pair.objects.filter(pk=written[1].pk).update(created_at=now - timedelta(days=14))
    (chart,) = days_charts(corpus, now)
    fiction, travel = chart.rows
    days = chart.draw["series"]
    assert len(days) == 14
    assert chart.note == f"Up to {now:%-d %b %Y}."
    assert [fiction[day] for day in days] == [1, *[0] * 12, 4]
    assert travel["texts"] == 0
    assert chart.title == "5 texts in fourteen days; none of 1 genre."
    assert 'data-chart="days"' in browser.get(PAGE).content.decode()
    assert 'data-chart="days"' not in browser.get(PAGE, {"genre": "fiction"}).content.decode()
    lines = b"".join(browser.get(PAGE, {"chart": "days"})).decode().splitlines()
    assert lines[0] == ",".join(["genre", "texts", *days])
    assert days_charts(make_corpus(slug="empty"), now) == []


def test_the_grid_of_a_large_corpus_is_what_a_worker_counted(corpus, monkeypatch):
    monkeypatch.setattr(cached, "MOST_SEATS_ON_DASHBOARD", 1)
    assert days_charts(corpus, timezone.now()) == []
    row = cached.request_statistics(question=corpus.questions.get(), kind=cached.Kind.OVERVIEW)
    cached.carry_out(statistics_id=row.pk)
    (chart,) = days_charts(corpus, timezone.now())
    assert chart.rows[0]["texts"] == 6
