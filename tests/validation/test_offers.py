"""The start page offers exactly what a person may do."""

import pytest
from django.utils import timezone

from accounts.models import Qualification
from accounts.people.qualifications import grant
from collection.models import Corpus, Exam, ExamAttempt, Pair
from tests.cast import ana, vera
from tests.corpora import ask, make_corpus, make_pair, make_premise
from tests.made_once import made_once
from validation.annotators.exclusion import exclude
from validation.annotators.membership import invite
from validation.models import Question
from validation.pairs.opening import open_for_validation
from validation.start_page import offers
from validation.start_page.offers import offered_address, offers_for

pytestmark = pytest.mark.django_db


@made_once
def corpus() -> Corpus:
    corpus = make_corpus()
    premise = make_premise(corpus, "A dog barks.\nA cat looks on.", sentence_count=2)
    make_pair(corpus, premise, "It is loud.", author=ana(), author_label="neutral")
    open_for_validation(question=corpus.questions.get(), pairs=Pair.objects.all())
    return corpus


def offered() -> list[str]:
    return [question.slug for offer in offers_for(vera()) for question in offer.questions]


def ask_beside(corpus: Corpus, slug: str, **fields: object) -> Question:
    question = ask(corpus, slug, wording="And this?", **fields)
    open_for_validation(question=question, pairs=Pair.objects.all())
    return question


def test_questions_beside_the_main_one_are_offered_and_lead_to_their_pages(corpus, browser_of, vera):
    ask_beside(corpus, "sentences", by_sentence=True)
    ask_beside(corpus, "alone", hides_premise=True)
    assert offered() == ["main", "alone", "sentences"]
    page = browser_of(vera).get("/start/").content.decode()
    for words in ("Judge sentences", "Judge single sentences", "Judge a text sentence by sentence"):
        assert words in page
    assert browser_of(vera).get("/work/validation/small/sentences/", follow=True).status_code == 200


def test_a_question_is_offered_to_holders_of_its_qualification_and_to_invited_people(corpus):
    needed = Qualification.objects.create(slug="label-small", name="Label")
    Question.objects.update(qualification=needed)
    assert offered() == []
    grant(user=vera(), qualification=needed, how="exam")
    assert offered() == ["main"]


def test_a_visit_is_led_to_the_work_of_its_corpus_however_many_others_have_some(
    corpus, rosa, vera, monkeypatch, django_assert_max_num_queries
):
    other = make_corpus(slug="other")
    premise = make_premise(other, "The ferry leaves at six.")
    make_pair(other, premise, "It leaves.", author=ana(), author_label="neutral")
    open_for_validation(question=other.questions.get(), pairs=Pair.objects.filter(premise=premise))
    monkeypatch.setattr(offers, "OFFERS_SHOWN", 1)
    assert [offer.corpus for offer in offers_for(vera)] == [corpus]
    for each in (corpus, other):
        with django_assert_max_num_queries(2):
            assert offered_address(vera, each.pk, "labelling") == f"/work/validation/{each.slug}/"
        assert offered_address(vera, each.pk, "writing") == ""
    exclude(corpus=other, annotator=vera, by=rosa, reason="Guessed.")
    assert offered_address(vera, other.pk, "") == ""


def test_an_invited_person_needs_no_qualification(corpus):
    Question.objects.update(qualification=Qualification.objects.create(slug="label-small", name="Label"))
    invite(question=corpus.questions.get(), annotator=vera())
    assert offered() == ["main"]


def test_nothing_is_offered_to_somebody_excluded_also_under_questions_made_later(corpus, rosa):
    exclude(corpus=corpus, annotator=vera(), by=rosa, reason="Guessed.")
    ask_beside(corpus, "later")
    assert offers_for(vera()) == []


def test_an_exam_is_offered_while_it_can_be_taken(corpus):
    corpus.writing_qualification = Qualification.objects.create(slug="write-small", name="Write")
    corpus.save()
    exam = Exam.objects.create(corpus=corpus, qualification=corpus.writing_qualification, tries=2)
    assert [offer.exam for offer in offers_for(vera())] == [True]
    now = timezone.now()
    for number in (1, 2):
        assert offers_for(vera())[0].exam
        ExamAttempt.objects.create(exam=exam, annotator=vera(), number=number, passed=False, judged_at=now)
    assert not offers_for(vera())[0].exam
