"""The list of premises: filters, order, pages by key, CSV, all of it in the address."""

import csv
import io

import pytest
from django.utils import timezone

from annotation_site.workspace import premises_charts, premises_page
from collection.models import Premise, WritingSeat
from collection.models.withdrawal import VETTED
from collection.premises.writing_seats import make_seats
from shared import figures
from tests.corpora import make_corpus, make_pair, make_premise
from tests.listed import cells, listed
from validation.models import CachedStatistics
from validation.statistics import cached
from validation.tasks import refresh_statistics

pytestmark = pytest.mark.django_db


@pytest.fixture
def corpus(db):
    corpus = make_corpus()
    for number in range(7):
        make_premise(corpus, f"Sentence number {number}.")
    return corpus


@pytest.fixture
def look(browser_of, rosa):
    client = browser_of(rosa)
    return lambda query="": client.get(f"/c/small/premises/?{query}")


def shown(answer) -> list[str]:
    return [text[0][-2] for text in cells(answer, "text").values()]


@pytest.mark.parametrize(
    ("order", "pages"),
    [("pk", ["012", "345", "6"]), ("-pk", ["654", "321", "0"])],
)
def test_pages_go_forward_and_back_by_key(corpus, look, monkeypatch, order, pages):
    monkeypatch.setattr("shared.lists.USUAL_SIZE", 3)
    answer, forward = look(f"order={order}"), []
    while True:
        forward.append("".join(shown(answer)))
        if not (query := listed(answer).next):
            break
        answer = look(query.partition("?")[2])
    assert forward == pages
    back = [forward[-1]]
    while query := listed(answer).previous:
        answer = look(query.partition("?")[2])
        back.append("".join(shown(answer)))
    assert back[::-1] == pages


def test_pages_by_id_hold_every_premise_once(corpus, look, monkeypatch):
    monkeypatch.setattr("shared.lists.USUAL_SIZE", 3)
    ids, answer = [], look("order=-public_id")
    while True:
        ids += listed(answer).names
        if not (query := listed(answer).next):
            break
        answer = look(query.partition("?")[2])
    assert ids == sorted(Premise.objects.values_list("public_id", flat=True), reverse=True)


def test_filters_and_what_stands_in_a_row(corpus, look, ana):
    first, second = Premise.objects.order_by("pk")[:2]
    make_seats(premises=[first])
    make_pair(corpus, second, "It counts.", author=ana, author_label="neutral")
    Premise.objects.filter(pk=second.pk).update(status="dropped", dropped_because="A list.")
    assert shown(look("text=number 3")) == ["3"]
    assert shown(look(f"text={second.public_id}")) == ["1"]
    assert shown(look("writing=open")) == ["0"]
    assert shown(look("writing=none&status=open")) == list("23456")
    assert shown(look("writing=sent")) == []
    dropped = look("status=dropped")
    assert "Dropped: A list." in dropped.content.decode()
    assert [pairs for pairs, _ in cells(dropped, "pairs").values()] == ["1"]
    assert "No premise passes these filters." in look("genre=nowhere").content.decode()


def test_totals_stop_at_a_number_that_is_quick_to_count(corpus, look, monkeypatch):
    assert "<p>7 premises." in look().content.decode()
    monkeypatch.setattr(premises_page, "MOST_COUNTED", 5)
    assert "<p>More than 5 premises." in look().content.decode()


def test_csv_has_every_premise_that_passes(corpus, look, monkeypatch):
    monkeypatch.setattr(premises_page, "ROWS_AT_ONCE", 2)
    answer = look("as=csv&text=number")
    rows = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))
    assert [row["text"] for row in rows] == [f"Sentence number {number}." for number in range(7)]
    assert 'filename="small-premises.csv"' in answer["Content-Disposition"]


@pytest.mark.parametrize(
    "query", ["after=x", "before=-1", "order=text", "after=99999999999999999999", "text=%25"]
)
def test_odd_addresses_show_a_page(corpus, look, query):
    assert look(query).status_code == 200


def test_the_stock_of_premises_is_drawn_by_genre(corpus, look, ana, browser_of, rosa):
    """A premise is used up once all its tasks are sent; a dropped one does not count; a withdrawn pair is none."""
    used, tasks_left, judged, dropped, *_ = Premise.objects.order_by("pk")
    make_seats(premises=[used, tasks_left])
    WritingSeat.objects.filter(premise=used).update(
        submitted_at=timezone.now(), annotator=ana, leased_until=timezone.now()
    )
    for premise in (used, tasks_left, judged):
        make_pair(corpus, premise, "Something.")
    make_pair(
        corpus, Premise.objects.latest("pk"), "Gone.", withdrawn_at=timezone.now(), withdrawn_because=VETTED
    )
    Premise.objects.filter(pk=dropped.pk).update(status="dropped", dropped_because="a test")
    genre = corpus.genres.get()
    lines = browser_of(rosa).get("/api/v1/corpora/small/figures/premises-stock?as=csv").text.splitlines()
    assert lines == ["genre,premises,bare,paired,used", f"{genre.name},6,3,2,1"]
    assert "3 of 6 premises are without pairs." in look().content.decode()
    empty = make_corpus(slug="empty")
    assert list(figures.shown([premises_charts.STOCK], empty, premises_charts.counted(empty))) == []


def test_of_very_many_premises_the_stock_is_what_a_worker_counted(corpus, look, monkeypatch):
    monkeypatch.setattr(cached, "MOST_PREMISES_IN_REQUEST", 6)
    assert look().context["charts"] == []
    refresh_statistics()  # the clock asks for it, however few pairs and labels the corpus has
    cached.carry_out(statistics_id=CachedStatistics.objects.get(kind=cached.Kind.OVERVIEW).pk)
    page = look()
    assert page.context["charts"][0].table.title == "7 of 7 premises are without pairs."
    assert "The stock was counted" in page.content.decode()
