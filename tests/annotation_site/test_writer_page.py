"""The page of a writer: what is kept of how they wrote, beside others; it names no verdict."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from annotation_site.researchers.evidence import texts_by, typed_by
from collection.models import Corpus
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.submitting import Signals, submit_writing
from tests.cast import ana, person, rosa, signed_in, vera
from tests.corpora import make_corpus, make_premises

pytestmark = pytest.mark.django_db
PAGE = "/c/small/writers/{}/"


@pytest.fixture
def corpus() -> Corpus:
    corpus = make_corpus()
    make_seats(premises=make_premises(corpus, [f"Premise number {number}." for number in range(40)]))
    return corpus


def write(corpus: Corpus, writer: User, times: int = 1, *, helped: bool = False, **typed: int) -> None:
    for _ in range(times):
        task = claim_writing(corpus=corpus, annotator=writer)
        texts = {label: f"{writer.username} says {label} of {task.token}." for label in task.labels}
        submit_writing(
            annotator=writer,
            token=task.token,
            texts=texts,
            key=task.token,
            signals=Signals(**typed) if typed else None,
            model_helped=helped,
        )


def test_a_writer_stands_beside_those_with_five_tasks(corpus):
    write(
        corpus,
        ana(),
        2,
        helped=True,
        active_ms=60_000,
        keystrokes=30,
        pasted_chars=100,
        bursts=2,
        inserted_chars=50,
    )
    write(corpus, ana())  # not measured
    write(corpus, vera(), 5, active_ms=60_000, keystrokes=400, bursts=20)
    write(corpus, person("otto"), 4, active_ms=60_000, keystrokes=9)
    found = {each.name: each for each in typed_by(corpus, ana())}
    characters = sum(
        len(text)
        for text in ana().pairs.exclude(assignment__signals=None).values_list("hypothesis", flat=True)
    )
    assert found["help declared"].value == pytest.approx(2 / 3)
    assert found["pasted"].value == pytest.approx(200 / characters)
    assert found["came at once"].value == pytest.approx(100 / characters)
    assert found["keys a character"].value == pytest.approx(60 / characters)
    assert found["characters a burst"].value == pytest.approx(characters / 4)
    assert found["characters a minute"].value == pytest.approx(characters / 2)
    assert len(found["keys a character"].others) == 1
    assert (found["keys a character"].above, found["pasted"].above) == (1, 0)


def test_sentences_stand_beside_their_own_and_others(corpus):
    write(corpus, ana(), 2)
    write(corpus, vera(), 10)
    measures, alike = texts_by(corpus, ana())
    found = {each.name: each.value for each in measures}
    assert found["likeness to own"] > found["likeness to others’"] > 0
    assert found["bits a word"] > 0
    assert alike[0].likeness >= alike[-1].likeness
    assert len({frozenset((each.own, each.other)) for each in alike}) == len(alike)


def test_the_page_says_that_it_is_no_verdict_and_what_is_not_measured(corpus):
    write(corpus, ana(), helped=True)
    page = signed_in(rosa()).get(PAGE.format(ana().code)).text
    assert "They do not say who, or what, wrote them." in page
    assert "not measured · a language model helped" in page
    assert "forbidden: people write by themselves" in page
    assert signed_in(rosa()).get(PAGE.format(vera().code)).status_code == 404
    assert signed_in(rosa()).get(PAGE.format("nobody")).status_code == 404
    assert PAGE.format(ana().code) in signed_in(rosa()).get(f"/c/small/texts/?writer={ana().code}").text


def test_questions_do_not_grow_with_tasks_and_writers(corpus):
    client = signed_in(rosa())
    numbers = []
    for number in range(2):
        write(corpus, ana(), 2, keystrokes=5)
        write(corpus, person(f"w{number}"), 5, keystrokes=5)
        with CaptureQueriesContext(connection) as asked:
            client.get(PAGE.format(ana().code))
        numbers.append(len(asked))
    assert numbers[0] == numbers[1]


def test_writers_read_what_the_page_counts(corpus):
    task = claim_writing(corpus=corpus, annotator=ana())
    client = signed_in(ana())
    client.post(f"/work/writing/small/prompt/{task.prompt_version_id}/")
    page = client.get("/work/writing/small/").text
    assert "this page counts keys, pauses, pastes, longer texts that come at once, and the time" in page
