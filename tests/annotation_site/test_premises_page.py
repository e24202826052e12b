"""The list of premises: filters, order, pages by key, CSV, all of it in the address."""

import csv
import io

import pytest
from django.utils import timezone

from annotation_site.workspace import premises_charts, premises_page
from collection.models import Genre, Premise, WritingSeat
from collection.models.withdrawal import VETTED
from collection.premises.writing_seats import make_seats
from shared import facets, figures
from tests.corpora import make_corpus, make_pair, make_premise
from tests.listed import all_pages, cells, is_sorted_by, listed
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


@pytest.mark.parametrize("way", ["", "-"])
@pytest.mark.parametrize(
    ("order", "value"),
    [
        ("genre", lambda cells: cells["id"][2]),
        ("status", lambda cells: cells["status"]),
        ("from", lambda cells: cells["from"]),
    ],
)
def test_every_order_holds_each_premise_once(corpus, browser_of, rosa, monkeypatch, order, value, way):
    monkeypatch.setattr("shared.lists.USUAL_SIZE", 3)
    letters = Genre.objects.create(corpus=corpus, slug="letters", name="A letter")
    first, second = Premise.objects.order_by("pk")[2:4]
    Premise.objects.filter(pk=first.pk).update(genre=letters, document="a.txt", line=None)
    Premise.objects.filter(pk=second.pk).update(status="dropped", dropped_because="A list.")
    rows = all_pages(browser_of(rosa), "/c/small/premises/", f"{way}{order}")
    assert sorted(name for name, _ in rows) == sorted(Premise.objects.values_list("public_id", flat=True))
    assert is_sorted_by(rows, f"{way}{order}", value)


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
    monkeypatch.setattr(facets, "MOST_IN_FACETS", 5)
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


def acted(client, do: str, *chosen: str, query: str = "", **given) -> tuple[object, list[str]]:
    """Returns the page that says what the act would do, and the messages once it is confirmed."""
    sent = {"do": do, **({"which": "ticked", "pair": chosen} if chosen else {"which": "all"}), **given}
    page = client.post(f"/c/small/premises/?{query}", sent)
    sent |= {"confirm": "yes", "expected": len(page.context["effect"].keys)}
    after = client.post(f"/c/small/premises/?{query}", sent, follow=True)
    return page, [str(each) for each in after.context["messages"]] if after.status_code == 200 else []


def states() -> str:
    return "".join(status[0] for status in Premise.objects.order_by("pk").values_list("status", flat=True))


def test_chosen_premises_are_paused_dropped_and_opened_again(corpus, browser_of, rosa):
    client = browser_of(rosa)
    first, second, third, *_ = Premise.objects.order_by("pk").values_list("public_id", flat=True)
    page, said = acted(client, "pause", first, second)
    assert "Writers no longer get 2 premises" in page.text
    assert (said, states()) == (["2 premises are paused."], "ppooooo")
    page, said = acted(client, "drop", second, third, reason=" names a  person ")
    assert "Reason (shown with the dropped premises)" in page.text
    assert (said, states()) == (["2 premises are dropped."], "pddoooo")
    assert set(Premise.objects.filter(status="dropped").values_list("dropped_because", flat=True)) == {
        "names a person"
    }
    page, said = acted(client, "pause", query="text=Sentence")
    assert page.context["effect"].left_out == {"paused already": 1, "dropped": 2}
    assert (said[0], states()) == ("4 premises are paused.", "pddpppp")
    _, said = acted(client, "open", query="status=dropped")
    assert (said, states()) == (["2 premises are open again."], "poopppp")
    assert not Premise.objects.exclude(dropped_because="").exists()


def test_writers_get_no_dropped_premise_until_it_is_open_again(corpus, browser_of, rosa):
    genre, client = corpus.genres.get(), browser_of(rosa)
    premise = Premise.objects.order_by("pk")[0]
    make_seats(premises=[premise])
    for do, is_there in (("drop", False), ("open", True), ("pause", False)):
        acted(client, do, premise.public_id, reason="names a person")
        assert WritingSeat.objects.to_write(genre, False).filter(premise=premise).exists() == is_there


def test_no_premise_is_dropped_without_a_reason_and_none_before_it_is_confirmed(corpus, browser_of, rosa):
    client, premise = browser_of(rosa), Premise.objects.order_by("pk")[0].public_id
    sent = {"do": "drop", "which": "ticked", "pair": [premise], "confirm": "yes", "expected": "1"}
    for reason, said in ((" ", "Type a reason."), ("x" * 301, "301 characters long")):
        answer = client.post("/c/small/premises/", {**sent, "reason": reason})
        assert (answer.status_code, said in answer.text) == (422, True)
    answer = client.post("/c/small/premises/", {**sent, "reason": "a name", "expected": "2"})
    assert "have changed in the meantime" in answer.text
    client.post("/c/small/premises/", {"do": "pause", "which": "all"})
    assert states() == "ooooooo"


def test_only_researchers_act_on_premises(corpus, browser_of, ana):
    sent = {"do": "pause", "which": "all", "confirm": "yes", "expected": "7"}
    assert browser_of(ana).post("/c/small/premises/", sent).status_code == 403
    assert states() == "ooooooo"
