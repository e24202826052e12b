"""Agreement by genre, partition, prompt version, author, validator and week, on the page, as CSV and over REST."""

import csv
import io
from datetime import UTC, datetime

import lxml.html
import pytest

from collection.models import Genre, PromptVersion
from tests.cast import person
from tests.corpora import add_label, make_corpus, make_pair, make_premise
from validation.models import LabelWording, Question
from validation.statistics.definitions import DEFINITIONS
from validation.statistics.vote_patterns import DIMENSIONS

pytestmark = pytest.mark.django_db

E, N, C = "entailment", "neutral", "contradiction"
FIRST_WEEK, SECOND_WEEK = datetime(2026, 3, 4, tzinfo=UTC), datetime(2026, 3, 10, tzinfo=UTC)


@pytest.fixture
def corpus(ana):
    """Makes two pairs: Ana's unanimous one in fiction, and one without gold in letters, without an author, a week later."""
    corpus = make_corpus()
    question = Question.objects.get(corpus=corpus)
    Genre.objects.create(corpus=corpus, slug="letters", name="Letters")
    version = PromptVersion.objects.get()
    validators = [person(f"v{n}") for n in range(5)]
    pairs = (
        ("fiction", "A.", [N] * 5, FIRST_WEEK, {"author": ana, "prompt_version": version}),
        ("letters", "B.", [E, E, N, N, C], SECOND_WEEK, {"published_partition": "dev"}),
    )
    for index, (genre, text, labels, when, fields) in enumerate(pairs):
        premise = make_premise(corpus, text, genre=genre)
        pair = make_pair(corpus, premise, "H.", author_label=labels[0], **fields)
        for position, label in enumerate(labels, start=1):
            own = position == 1
            add_label(
                question,
                pair,
                label,
                position=position,
                origin="author" if own else "cast",
                author=pair.author,
                annotator=pair.author if own else validators[position - 2 + index],
                cast_at=None if own else when,
            )
    return corpus


@pytest.fixture
def by(corpus, rosa, api_of):
    def figures(name: str) -> dict[str, float]:
        answer = api_of(rosa).get(f"/api/v1/corpora/small/agreement/?by={name}")
        assert answer.status_code == 200, answer.content
        rows = answer.json()[f"by_{name}"]
        return {group: row["unanimous"] for group, row in rows.items()}

    return figures


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("genre", {"fiction": 1.0, "letters": 0.0}),
        ("partition", {"": 1.0, "dev": 0.0}),
        ("prompt", {"": 0.0, "fiction": 1.0}),
        ("version", {"": 0.0, "fiction version 1": 1.0}),
        ("week", {"2026-03-02": 1.0, "2026-03-09": 0.0}),
    ],
)
def test_each_group_has_the_figures_of_its_pairs(by, name, expected):
    assert by(name) == expected


def test_each_group_has_the_figures_of_its_validators_alone(corpus, browser_of, rosa):
    told = browser_of(rosa).get("/api/v1/corpora/small/agreement/?by=genre").json()["by_genre"]
    alone = {genre: row["validators_alone"] for genre, row in told.items()}
    assert {genre: row["pairs_with_all_labels"] for genre, row in alone.items()} == {
        "fiction": 1,
        "letters": 1,
    }
    assert (alone["fiction"]["individual_equals_author"], alone["fiction"]["gold_equals_author"]) == (1, 1)
    # Of E, N, N and C one is the author's E, and two votes are no majority.
    assert (alone["letters"]["individual_equals_author"], alone["letters"]["no_gold"]) == (0.25, 1)
    table = browser_of(rosa).get("/corpora/small/agreement/?by=genre&as=csv").content.decode()
    assert "genre,letters,validators_alone: individual_equals_author,0.25," in table
    page = browser_of(rosa).get("/corpora/small/agreement/?by=genre").content.decode()
    assert "Kappa, validators alone" in page


def test_by_author_pairs_without_a_known_author_are_a_group_too(by, ana):
    assert by("author") == {"": 0.0, ana.code: 1.0}


def test_by_validator_a_pair_counts_for_each_of_its_validators(by):
    codes = {n: person(f"v{n}").code for n in range(5)}
    found = by("validator")
    assert found == {codes[0]: 1.0, codes[1]: 0.5, codes[2]: 0.5, codes[3]: 0.5, codes[4]: 0.0}


def test_the_table_has_what_stands_behind_the_figures_too(corpus, rosa, browser_of):
    answer = browser_of(rosa).get("/corpora/small/agreement/?as=csv").content.decode()
    whole = {row["figure"]: row["value"] for row in csv.DictReader(io.StringIO(answer)) if not row["by"]}
    assert whole["gold_labels: neutral"] == "0.5"
    assert whole["splits: 2-2-1"] == "0.5"
    assert whole["author_and_gold: entailment, no gold"] == "1"
    assert whole["gold_sources: voted"] == "1"
    assert whole["validators_alone: unanimous"] == "0.5"
    assert whole["gold_through_author"] == "0.0"


BESIDE = {"single_premises", "majority_of_premises", "more_of_premises", "more_labels", "self_validated"}


def test_each_number_of_a_page_has_its_definition_behind_a_click(corpus, rosa, browser_of):
    """Statistics that only some corpora have are tested with these statistics."""
    behind = definitions_on(browser_of(rosa), "agreement")
    missing = [name for name in sorted(DEFINITIONS.keys() - BESIDE) if DEFINITIONS[name] not in behind]
    assert missing == ["pairwise_kappa"]
    make_many_pairs(corpus)
    assert DEFINITIONS["pairwise_kappa"] in definitions_on(browser_of(rosa), "annotators")


def definitions_on(browser, page: str) -> str:
    """Returns the definitions that a page of the corpus shows after a click."""
    root = lxml.html.fromstring(browser.get(f"/corpora/small/{page}/").content)
    return "\n".join(each.text_content() for each in root.xpath("//details//p | //details//dd | //caption"))


def make_many_pairs(corpus) -> None:
    """Lets two people label forty pairs more, enough for their kappa."""
    question, people = corpus.questions.get(), [person(f"more{n}") for n in range(2)]
    for n in range(40):
        premise = make_premise(corpus, f"More {n}.")
        pair = make_pair(corpus, premise, "H.")
        for position, who in enumerate(people, start=2):
            add_label(
                question,
                pair,
                (E, N)[(n + position) % 3 % 2],
                position=position,
                annotator=who,
                cast_at=FIRST_WEEK,
            )


def test_an_unknown_dimension_is_named_with_the_known_ones(corpus, rosa, api_of):
    answer = api_of(rosa).get("/api/v1/corpora/small/agreement/?by=mood")
    assert answer.status_code == 422
    assert (
        "genre, partition, prompt, version, arm, author, written, validator, week" in answer.json()["detail"]
    )


@pytest.mark.parametrize("name", DIMENSIONS)
def test_the_page_shows_a_dimension_with_links_to_the_others(corpus, rosa, browser_of, name):
    page = browser_of(rosa).get(f"/corpora/small/agreement/?by={name}")
    text = page.content.decode()
    assert page.status_code == 200
    assert all((f'href="?by={other}#by"' in text) == (other != name) for other in DIMENSIONS)
    assert f"?by={name}&amp;as=csv" in text


@pytest.mark.parametrize("address", ["/corpora/small/agreement/", "/api/v1/corpora/small/agreement/"])
def test_the_table_has_a_row_a_figure_for_the_whole_and_each_group(corpus, rosa, browser_of, address):
    answer = browser_of(rosa).get(f"{address}?by=genre&as=csv")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    unanimous = {(row["by"], row["group"]): row["value"] for row in rows if row["figure"] == "unanimous"}
    assert unanimous == {("", ""): "0.5", ("genre", "fiction"): "1.0", ("genre", "letters"): "0.0"}
    assert {"fleiss_kappa: overall", "krippendorff_alpha"} <= {row["figure"] for row in rows}


def test_a_page_reads_the_labels_once_for_the_whole_and_the_groups_together(
    corpus, rosa, browser_of, django_assert_max_num_queries
):
    browser = browser_of(rosa)
    with django_assert_max_num_queries(19) as queries:
        browser.get("/corpora/small/agreement/?by=genre")
    assert sum("self_validated" in query["sql"] for query in queries.captured_queries) == 1


def test_annotators_see_none_of_it(corpus, vera, browser_of, api_of):
    assert browser_of(vera).get("/corpora/small/agreement/").status_code == 403
    assert api_of(vera).get("/api/v1/corpora/small/agreement/").status_code == 403


def test_the_page_calls_the_answers_by_the_corpus_words(corpus, rosa, browser_of):
    LabelWording.objects.filter(label="neutral").update(wording="Might be true")
    page = lxml.html.fromstring(browser_of(rosa).get("/corpora/small/agreement/").content)
    headings = [text.strip() for text in page.xpath("//main//th/text()")]
    assert headings.count("Might be true") == 4  # kappa, gold labels, both sides of author against gold
    assert "neutral" not in headings
