"""Pilots of prompts: chosen writers, seats of their own, separate texts, and the end when the prompt opens."""

import pytest

from collection.errors import NoWork
from collection.models import Corpus, Pair, PilotWriter, Prompt, WritingSeat
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.prompts import make_pilot_seats
from collection.writing.submitting import submit_writing
from tests.cast import person
from tests.corpora import make_corpus, make_premise

pytestmark = pytest.mark.django_db

PAGE = "/corpora/small/pilots/fiction/"
TEXTS = {"entailment": "Something is there.", "neutral": "It is red.", "contradiction": "Nothing is there."}


@pytest.fixture
def corpus(ana) -> Corpus:
    corpus = make_corpus()
    make_seats(premises=[make_premise(corpus, f"Premise number {number}.") for number in range(6)])
    prompt = Prompt.objects.get()
    Prompt.objects.update(status="pilot")
    PilotWriter.objects.create(prompt=prompt, annotator=ana)
    return corpus


def write(corpus: Corpus, annotator, problem: str = ""):
    assignment = claim_writing(corpus=corpus, annotator=annotator)
    return submit_writing(
        annotator=annotator, token=assignment.token, texts=TEXTS, key=assignment.token, problem=problem
    )


def test_pilots_write_at_their_own_seats_and_nothing_counts_them(corpus, ana, vera):
    assert make_pilot_seats(prompt=Prompt.objects.get(), premises_per_genre=2) == 2
    result = write(corpus, ana)
    assert (result.surplus, result.cents) == (False, 30)
    assert not Pair.objects.standing().exists()
    assert set(Pair.objects.values_list("withdrawn_because", flat=True)) == {"pilot of the prompt"}
    with pytest.raises(NoWork, match="testing the instructions"):
        claim_writing(corpus=corpus, annotator=vera)
    write(corpus, ana)
    with pytest.raises(NoWork, match="All texts are done"):
        claim_writing(corpus=corpus, annotator=ana)
    assert WritingSeat.objects.real().unwritten().count() == 6


def test_pilot_seats_are_made_at_the_premises_that_come_last_and_once(corpus):
    prompt = Prompt.objects.get()
    last = list(WritingSeat.objects.real().order_by("-turn").values_list("premise", flat=True)[:4])
    assert make_pilot_seats(prompt=prompt, premises_per_genre=2, writers=3) == 6
    made = WritingSeat.objects.filter(is_pilot=True)
    assert set(made.values_list("premise", flat=True)) == set(last[:2])
    make_pilot_seats(prompt=prompt, premises_per_genre=2)
    assert set(made.values_list("premise", flat=True)) == set(last)


def test_opening_the_prompt_ends_the_pilot(corpus, ana, vera):
    make_pilot_seats(prompt=Prompt.objects.get(), premises_per_genre=2)
    begun = claim_writing(corpus=corpus, annotator=ana)
    Prompt.objects.update(status="open")
    for _ in range(6):
        write(corpus, vera)
    assert Pair.objects.standing().count() == 18
    with pytest.raises(NoWork):
        claim_writing(corpus=corpus, annotator=vera)
    submit_writing(annotator=ana, token=begun.token, texts=TEXTS, key="begun")
    assert Pair.objects.standing().count() == 18, "what a pilot began stays apart"


def test_researchers_run_the_pilot_from_its_page(corpus, ana, rosa, vera, browser_of):
    client = browser_of(rosa)
    client.post(PAGE, {"add": vera.code})
    client.post(PAGE, {"remove": ana.code})
    client.post(PAGE, {"premises": 2, "writers": 1})
    write(corpus, vera, problem="What is a premise?")
    page = client.get(PAGE)
    (row,) = page.context["rows"]
    assert (row.code, row.tasks, row.reports) == (vera.code, 1, 1)
    assert row.median is not None
    assert page.context["seats"] == {"made": 2, "written": 1}
    text = page.content.decode()
    assert "What is a premise?" in text
    assert "Something is there." in text
    assert "</svg><bdi>Definitely correct</bdi></span>" in text
    assert "</svg>entailment</span>" not in text
    client.post(PAGE, {"status": "open"})
    assert Prompt.objects.get().status == "open"
    assert "Fiction" in client.get("/corpora/small/pilots/").content.decode()


def test_a_code_that_nobody_has_is_said(corpus, rosa, browser_of):
    for code in ("nobody", rosa.code):
        page = browser_of(rosa).post(PAGE, {"add": code})
        assert page.status_code == 422
        assert "No annotator has the code" in page.content.decode()
    assert PilotWriter.objects.count() == 1


def test_annotators_do_not_see_the_pilot_page(corpus, ana, browser_of):
    assert browser_of(ana).get(PAGE).status_code == 403
    assert browser_of(ana).post(PAGE, {"status": "open"}).status_code == 403
    assert person("ana").pk == ana.pk
