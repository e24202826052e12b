"""Whoever reads the instructions of a question and passes its check is paid once, as for the instructions of a prompt."""

import pytest

from accounts.people.consents import give_consent
from annotation_site.researchers.wages import wages
from collection.joining.estimates import tasks_of
from collection.models import LedgerEntry, Pair
from tests.cast import ana, rosa, vera
from tests.corpora import make_corpus, make_pair, make_premise
from validation.annotators.membership import invite
from validation.labelling.claiming import claim_batch
from validation.labelling.instructions import read_instructions
from validation.models import Question, QuestionCheck
from validation.pairs.opening import open_for_validation

pytestmark = pytest.mark.django_db
PAGE = "/work/validation/small/instructions/"


@pytest.fixture
def question() -> Question:
    corpus = make_corpus(with_consent=True)
    make_pair(corpus, make_premise(corpus, "Rain falls."), "It rains.", author=ana(), author_label="neutral")
    Question.objects.update(reading_pay_cents=40)
    question = Question.objects.get()
    QuestionCheck.objects.create(
        question=question, order=1, premise="P.", hypothesis="H.", label="neutral", explanation="Because."
    )
    open_for_validation(question=question, pairs=Pair.objects.all())
    return question


def paid() -> list[int]:
    return list(vera().ledger.filter(kind=LedgerEntry.Kind.READING).values_list("cents", flat=True))


def passes(question: Question, label: str = "neutral") -> None:
    read_instructions(question=question, annotator=vera(), answers={1: label})


def test_passing_the_check_pays_once(question):
    give_consent(user=vera(), form=question.corpus.consent_form)
    passes(question, "entailment")
    assert paid() == []
    passes(question)
    passes(question)
    claim_batch(question=question, annotator=vera())
    assert paid() == [40]
    assert wages(question.corpus) == [], "that time is not measured"
    assert LedgerEntry.objects.for_writing().count() == 0


def test_whoever_may_not_label_yet_is_paid_with_the_first_batch(question):
    Question.objects.update(pool_is_open=False)
    question.refresh_from_db()
    passes(question)
    assert paid() == []
    give_consent(user=vera(), form=question.corpus.consent_form)
    invite(question=question, annotator=vera())
    claim_batch(question=question, annotator=vera())
    assert paid() == [40]


def test_pages_say_what_reading_pays(question, browser_of):
    give_consent(user=vera(), form=question.corpus.consent_form)
    page = browser_of(vera()).get(PAGE).content.decode()
    assert "you get <bdi>$0.40</bdi>, once" in page
    assert "This part is not paid." not in page
    assert tasks_of(question.corpus_id)["labelling"].reading_cents == 40
    Question.objects.update(reading_pay_cents=0)
    assert "This part is not paid." in browser_of(vera()).get(PAGE).content.decode()


def test_the_form_of_a_link_shows_pay_by_the_hour_while_one_types(question, browser_of):
    """Five labels at 5 cents and 12 seconds, 40 cents for reading."""
    question.corpus.consent_form = None
    question.corpus.hourly_floor_cents = 1200
    question.corpus.save()
    address = "/c/small/links/"
    typed = {"work": "labelling", "tasks_wanted": "10", "minutes": "20"}
    page = browser_of(rosa()).get(address, typed).content.decode()
    assert "A visit of 10 tasks takes about 20 minutes and pays $2.90: $8.70 an hour." in page
    assert "That is less than the $12.00 an hour" in page
    page = browser_of(rosa()).get(address, {**typed, "minutes": "10"}).content.decode()
    assert "$17.40 an hour" in page
    assert "That is less than" not in page
    for odd in ("", "0", "-1", "x", "9" * 30, "٣"):
        answer = browser_of(rosa()).get(address, {**typed, "tasks_wanted": odd, "minutes": odd, "work": odd})
        assert answer.status_code == 200
