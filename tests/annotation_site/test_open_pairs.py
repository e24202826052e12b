"""Pairs are opened for labelling by the page and by the command."""

import pytest

from accounts.people.registration import create_person
from collection.models import Corpus, Genre
from tests.cast import ana
from tests.charted import charts_in, figures_of
from tests.commands import run
from tests.corpora import ask, make_corpus, make_pair, make_premise
from tests.made_once import made_once
from validation.errors import NoWork
from validation.labelling.claiming import claim_batch
from validation.models import Label

pytestmark = pytest.mark.django_db

PAGE = "/corpora/small/open/"


@made_once
def corpus() -> Corpus:
    """Makes six pairs that Ana wrote, not open."""
    corpus = make_corpus()
    for number in range(6):
        make_pair(
            corpus, make_premise(corpus, f"Premise {number}."), "So.", author=ana(), author_label="neutral"
        )
    return corpus


def opened() -> int:
    return Label.objects.values("pair").distinct().count()


def test_what_is_opened_on_the_page_is_handed_out(corpus, browser_of, rosa, vera):
    with pytest.raises(NoWork):
        claim_batch(question=corpus.questions.get(), annotator=vera)
    page = browser_of(rosa).post(PAGE, {"number": 6, "seed": 0}, follow=True)
    assert "6 pairs are open for labelling." in page.content.decode()
    assert "All pairs are open" in page.content.decode()
    assert len(claim_batch(question=corpus.questions.get(), annotator=vera).items) == 5


def test_a_number_is_drawn_and_the_rest_waits(corpus, browser_of, rosa):
    browser_of(rosa).post(PAGE, {"number": 2, "seed": 1})
    assert opened() == 2
    assert "4 pairs of this corpus are not open" in browser_of(rosa).get(PAGE).content.decode()


def test_a_number_that_makes_no_sense_is_said_beside_its_field(corpus, browser_of, rosa):
    page = browser_of(rosa).post(PAGE, {"number": 0})
    assert page.status_code == 422
    assert "Please enter a number above 0." in page.content.decode()
    assert opened() == 0


def test_the_stock_of_pairs_stands_beside_the_form(corpus, browser_of, rosa):
    Genre.objects.create(corpus=corpus, slug="letters", name="Letters")
    make_pair(
        corpus, make_premise(corpus, "Dear.", genre="letters"), "So.", author=ana(), author_label="neutral"
    )
    browser_of(rosa).post(PAGE, {"number": 2, "genre": "fiction"})
    page = browser_of(rosa).get(PAGE)
    chart = charts_in(page.content)["labelling-stock"]
    assert chart["title"] == "5 of 7 pairs are not open yet."
    counts = [(row["genre"], row["unopened"], row["open"], row["complete"]) for row in chart["rows"]]
    assert counts == [("Fiction", 4, 2, 0), ("Letters", 1, 0, 0)]
    behind = browser_of(rosa).get(chart["rows"][0]["hrefs"]["unopened"])
    assert behind.context["numbers"].total == (4, False)
    assert 'data-most="5"' in page.content.decode(), "the slider ends at the pairs that are left"
    told = figures_of(browser_of(rosa), "labelling", "corpora/small")
    assert {each["key"]: each for each in told}.keys() == {"seats", "labelling-stock"}
    assert chart in told
    address = "/api/v1/corpora/small/figures/labelling-stock"
    file = browser_of(rosa).get(address, {"as": "csv"}).content.decode()
    assert file.splitlines() == ["genre,unopened,open,complete", "Fiction,4,2,0", "Letters,1,0,0"]


def test_a_corpus_without_pairs_has_no_stock(browser_of, rosa):
    make_corpus()
    assert charts_in(browser_of(rosa).get(PAGE).content) == {}


def test_annotators_do_not_open_pairs(corpus, browser_of, vera):
    assert browser_of(vera).post(PAGE, {"number": 6}).status_code == 403
    assert opened() == 0


def test_the_command_opens_a_genre_and_says_what_waits(corpus):
    assert "5 pairs opened for labelling; 1 wait" in run("open_pairs", "small", "--number", "5").out
    assert "1 pairs opened" in run("open_pairs", "small", "--genre", "fiction").out
    assert opened() == 6


def test_the_command_lists_the_genres_that_there_are(corpus):
    assert "Known: fiction." in run("open_pairs", "small", "--genre", "poetry").failure


def test_instructions_once_followed_are_not_shown_again_after_a_new_sign_in(corpus, browser_of, rosa):
    browser_of(rosa).post(PAGE, {"number": 6})
    vic = create_person(username="vic", password=None)
    first = browser_of(vic)
    first.post("/work/validation/small/instructions/", {"agree": "yes"})
    first.get("/work/validation/small/")
    assert browser_of(vic).get("/work/validation/small/").status_code == 200


def test_named_pairs_are_opened_and_unknown_names_are_said(corpus, tmp_path):
    chosen = list(corpus.pairs.order_by("pk").values_list("public_id", flat=True)[:2])
    (tmp_path / "ids").write_text("\n".join(chosen))
    assert "2 pairs opened" in run("open_pairs", "small", "--pairs", str(tmp_path / "ids")).out
    (tmp_path / "ids").write_text("nobody-knows\n")
    assert "nobody-knows" in run("open_pairs", "small", "--pairs", str(tmp_path / "ids")).failure


def test_a_percentage_of_each_genre_is_opened_once(corpus):
    assert "3 pairs opened" in run("open_pairs", "small", "--percent-a-genre", "50").out
    assert "0 pairs opened" in run("open_pairs", "small", "--percent-a-genre", "50").out


def test_more_labels_than_the_limit_are_refused(corpus):
    assert "0 pairs that split" in run("open_pairs", "small", "--more-labels", "10").out
    assert "up to 100" in run("open_pairs", "small", "--more-labels", "1000").failure


def test_an_unknown_question_lists_the_known_ones(corpus):
    assert "Known: main" in run("open_pairs", "small", "--question", "grammar").failure


def opened_in(genre: str) -> int:
    return Label.objects.filter(premise__genre__slug=genre).values("pair").distinct().count()


@pytest.fixture
def with_letters(corpus) -> Corpus:
    """Adds four pairs of another genre."""
    Genre.objects.create(corpus=corpus, slug="letters", name="Letters")
    for number in range(4):
        make_pair(corpus, make_premise(corpus, f"Letter {number}.", genre="letters"), "So.")
    return corpus


@pytest.mark.parametrize(
    ("form", "fiction", "letters"),
    [
        ({"how": "number_a_genre", "number": 2}, 2, 2),
        ({"how": "number_a_genre", "number": 5}, 5, 4),
        ({"how": "percent_a_genre", "number": 50}, 3, 2),
        ({"how": "percent_a_genre", "number": 25, "genre": "letters"}, 0, 1),
        ({"how": "number", "number": 3, "genre": "fiction"}, 3, 0),
    ],
)
def test_a_number_or_a_share_of_each_genre_is_opened(with_letters, browser_of, rosa, form, fiction, letters):
    browser_of(rosa).post(PAGE, form)
    assert (opened_in("fiction"), opened_in("letters")) == (fiction, letters)


def test_a_share_counts_what_is_open_already(with_letters, browser_of, rosa):
    for _ in range(2):
        browser_of(rosa).post(PAGE, {"how": "percent_a_genre", "number": 50})
    assert opened() == 5


def test_given_pairs_are_opened_and_strangers_are_named(corpus, browser_of, rosa):
    names = list(corpus.pairs.order_by("pk").values_list("public_id", flat=True)[:2])
    page = browser_of(rosa).post(PAGE, {"how": "pairs", "pairs": f"{names[0]}\nnobody-knows"})
    assert page.status_code == 422
    assert "The corpus has no pairs with these ids: nobody-knows." in page.content.decode()
    assert opened() == 0
    browser_of(rosa).post(PAGE, {"how": "pairs", "pairs": "\n".join(names)})
    assert set(Label.objects.values_list("pair__public_id", flat=True)) == set(names)


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"how": "number", "number": "2.5"}, "Please enter a whole number."),
        ({"how": "percent_a_genre", "number": 101}, "Please enter a number up to 100."),
        ({"how": "number", "number": 5001}, "Please enter a number up to 5,000."),
        ({"how": "number", "number": ""}, "Please enter a number above 0."),
        ({"how": "pairs", "pairs": ""}, "Please enter the ids of the pairs"),
        ({"how": "number", "number": 1, "genre": "poetry"}, "Select a valid choice"),
    ],
)
def test_what_is_wrong_is_said_beside_its_field(with_letters, browser_of, rosa, form, said):
    page = browser_of(rosa).post(PAGE, form)
    assert page.status_code == 422
    assert said in page.content.decode()
    assert opened() == 0


def test_pairs_are_opened_under_a_question_beside_the_main_one_too(corpus, browser_of, rosa):
    beside = ask(corpus, "grammar", scheme="grammar3", seats=3)
    page = browser_of(rosa).get(PAGE).content.decode()
    assert f'href="{PAGE}?question=grammar"' in page
    done = browser_of(rosa).post(f"{PAGE}?question=grammar", {"number": 6}, follow=True)
    assert done.redirect_chain[0][0] == f"{PAGE}?question=grammar"
    assert Label.objects.filter(question=beside).count() == 18
    assert browser_of(rosa).get(f"{PAGE}?question=other").status_code == 404
