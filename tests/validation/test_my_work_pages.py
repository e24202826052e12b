"""The page of an annotator's own work, day by day."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from collection.models import Pair
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.submitting import submit_writing
from tests.cast import ana, rosa, signed_in, vera
from tests.corpora import make_corpus, make_pair, make_premise, pay
from tests.open_pairs import send_all
from validation.labelling.claiming import claim_batch
from validation.models import Label
from validation.pairs.opening import open_for_validation

pytestmark = pytest.mark.django_db

PAGE = "/work/mine/"


def write_and_label() -> None:
    """Lets Ana write three hypotheses for one premise and label two pairs of others."""
    corpus = make_corpus()
    make_seats(premises=[make_premise(corpus, "To write for.")])
    token = claim_writing(corpus=corpus, annotator=ana()).token
    texts = {"entailment": "One.", "neutral": "Two.", "contradiction": "Three."}
    submit_writing(annotator=ana(), token=token, texts=texts, key="writing")
    for number in range(2):
        make_pair(corpus, make_premise(corpus, f"Premise {number}."), "Hypothesis.", author=vera())
    question = corpus.questions.get()
    open_for_validation(question=question, pairs=Pair.objects.filter(author=vera()))
    batch = claim_batch(question=question, annotator=ana())
    send_all(batch, ana(), key="labels")


def test_a_day_counts_what_was_written_labelled_and_earned():
    write_and_label()
    (day,) = signed_in(ana()).get(PAGE).context["days"]
    assert (day.date, day.written, day.labelled, day.cents) == (timezone.now().date(), 3, 2, 40)


def test_somebody_else_sees_nothing_of_it():
    write_and_label()
    page = signed_in(vera()).get(PAGE)
    assert page.context["days"] == []
    assert "Nothing in these thirty days" in page.content.decode()


def test_older_days_are_on_earlier_pages():
    write_and_label()
    long_ago = timezone.now() - timedelta(days=45)
    Label.objects.filter(annotator=ana()).update(cast_at=long_ago)
    client = signed_in(ana())
    page = client.get(PAGE)
    assert [day.labelled for day in page.context["days"]] == [0]
    older = client.get(f"{PAGE}?until={page.context['earlier']:%Y-%m-%d}")
    assert [(day.date, day.labelled) for day in older.context["days"]] == [(long_ago.date(), 2)]


def test_newest_day_comes_first():
    pay(ana(), cents=5, key="one")
    pay(ana(), cents=7, key="two")
    ana().ledger.filter(key="two").update(created_at=timezone.now() - timedelta(days=2))
    assert [day.cents for day in signed_in(ana()).get(PAGE).context["days"]] == [5, 7]


@pytest.mark.parametrize("until", ["yesterday", "0001-01-01", "9999-12-31", ""])
def test_an_odd_day_in_the_address_does_no_harm(until):
    assert signed_in(ana()).get(PAGE, {"until": until}).status_code == 200


def test_visitors_and_researchers_have_no_such_page():
    assert Client().get(PAGE).url.startswith("/sign-in/")
    rosa_sees = signed_in(rosa()).get(PAGE)
    assert rosa_sees.status_code == 403
