"""The exam that qualifies to write."""

import pytest
from django.urls import reverse

from accounts.models import ConsentForm, Grant, Qualification
from accounts.people.consents import give_consent
from accounts.people.qualifications import revoke
from collection.corpora.states import pause
from collection.joining import exams
from collection.models import Corpus, Exam, ExamAttempt, ExamItem
from tests.concurrency.threads import at_once
from tests.corpora import LABELS, make_corpus
from tests.made_once import made_once
from validation.models import LabelWording

pytestmark = pytest.mark.django_db
RIGHT = {0: "entailment", 1: "neutral", 2: "contradiction"}


@made_once
def exam():
    writers = Qualification.objects.create(slug="write-small", name="Writers")
    corpus = make_corpus(writing_qualification=writers)
    made = Exam.objects.create(corpus=corpus, qualification=writers, pass_mark=60, tries=2)
    for order, label in RIGHT.items():
        ExamItem.objects.create(
            exam=made, order=order, premise="A cat sleeps.", hypothesis=f"Sentence {order}.", label=label
        )
    return made


@pytest.fixture
def written_exam(exam):
    return with_a_sentence_to_write(exam)


def with_a_sentence_to_write(exam):
    ExamItem.objects.create(exam=exam, order=3, premise="A dog runs.", label="entailment")
    return exam


def may_write(user, exam):
    return Grant.objects.is_held(user, exam.corpus.writing_qualification_id)


def send(exam, user, **changed):
    return exams.send_exam(exam=exam, annotator=user, answers={**RIGHT, **changed.get("answers", {})})


def test_known_labels_over_the_mark_qualify_at_once(exam, ana):
    attempt = send(exam, ana, answers={0: "neutral"})
    assert (attempt.score, attempt.passed) == (66, True)
    assert may_write(ana, exam)
    assert Grant.objects.get().how == Grant.How.EXAM


def test_under_the_mark_there_is_a_second_try_and_no_third(exam, ana):
    wrong = {0: "neutral", 1: "entailment"}
    assert [send(exam, ana, answers=wrong).passed for _ in range(2)] == [False, False]
    with pytest.raises(exams.ExamRefused, match="all your tries"):
        send(exam, ana)
    assert not may_write(ana, exam)
    assert list(ExamAttempt.objects.values_list("number", flat=True)) == [1, 2]


def test_texts_wait_for_a_researcher_who_lets_in_with_a_word(written_exam, ana, rosa):
    attempt = send(written_exam, ana, answers={3: "An animal   moves."})
    assert attempt.passed is None
    assert attempt.answers.get(order=3).hypothesis == "An animal moves."
    with pytest.raises(exams.ExamRefused, match="A researcher reads what you wrote"):
        send(written_exam, ana, answers={3: "Again."})
    assert exams.judge_exam(attempt=attempt, passed=True, judgement="Good.", by=rosa)
    assert not exams.judge_exam(attempt=attempt, passed=False, judgement="No.", by=rosa)
    assert may_write(ana, written_exam)


def test_who_sent_the_exam_is_not_asked_to_take_it_again(written_exam, browser_of, ana):
    client = browser_of(ana)
    send(written_exam, ana, answers={3: "An animal moves."})
    page = client.get(reverse("writing", args=["small"])).text
    assert "A researcher is still reading your exam. You can write here once you have passed." in page
    assert "Take the exam" not in page
    assert "A researcher is still reading your exam for" in client.get(reverse("start")).text


def test_during_a_pause_nobody_begins_an_exam_and_who_has_begun_can_send(exam, browser_of, ana):
    pause(corpus=exam.corpus)
    client, address = browser_of(ana), reverse("exam", args=["small"])
    page = client.get(address).text
    assert "paused this work" in page
    assert '<form method="post" novalidate>' not in page
    page = client.post(address, {"answer-0": "neutral"})
    assert "Not sent yet." in page.text
    assert "answer-1" in page.text
    client.post(address, {f"answer-{order}": label for order, label in RIGHT.items()})
    assert may_write(ana, exam)


def test_texts_do_not_save_somebody_who_failed_the_labels(written_exam, ana):
    attempt = send(written_exam, ana, answers={0: "neutral", 1: "entailment", 3: "An animal moves."})
    assert attempt.passed is False


def test_who_failed_reads_which_answers_counted_and_what_comes_next(written_exam, browser_of, ana, rosa):
    address, wrong = reverse("exam", args=["small"]), {0: "neutral", 1: "entailment", 3: "An animal moves."}
    assert (
        "If at least 60% of them are right, a researcher reads what you wrote."
        in browser_of(ana).get(address).text
    )
    send(written_exam, ana, answers=wrong)
    page = browser_of(ana).get(address).text
    assert "33% of the answers that you chose were right; 60% are needed." in page
    assert "Because too few were right, nobody read what you wrote." in page
    assert "After the last try you cannot take this exam again." in page
    second = send(written_exam, ana, answers={3: "An animal moves."})
    exams.judge_exam(attempt=second, passed=False, judgement="Too short.", by=rosa)
    assert "nobody read" not in browser_of(ana).get(address).text


def test_a_missing_answer_keeps_the_try_and_names_the_item(written_exam, browser_of, ana):
    page = browser_of(ana).post(
        reverse("exam", args=["small"]), {"answer-0": "neutral", "answer-3": "An animal moves."}
    )
    assert page.status_code == 422
    text = page.content.decode()
    assert text.count("Please choose an answer.") == 2
    assert "An animal moves." in text
    assert 'value="neutral" checked' in text
    assert not ExamAttempt.objects.exists()


def test_the_exam_in_the_browser_from_first_look_to_permission(exam, browser_of, ana):
    address = reverse("exam", args=["small"])
    page = browser_of(ana).get(address).content.decode()
    assert "You have 2 tries." in page
    answers = {f"answer-{order}": label for order, label in RIGHT.items()}
    done = browser_of(ana).post(address, answers, follow=True).content.decode()
    assert "You passed." in done
    assert reverse("writing", args=["small"]) in done


def test_who_may_not_write_yet_is_shown_to_the_exam(exam, browser_of, ana):
    page = browser_of(ana).get(reverse("writing", args=["small"])).content.decode()
    assert f'href="{reverse("exam", args=["small"])}"' in page
    only = "Only the researchers of the project can give it to you."
    assert only not in page
    Exam.objects.all().delete()
    assert only in browser_of(ana).get(reverse("writing", args=["small"])).text


def test_the_exam_asks_in_the_words_of_the_corpus(exam, browser_of, ana):
    address, ours = (
        reverse("exam", args=["small"]),
        "If the text is true, what can you say about the sentence?",
    )
    page = browser_of(ana).get(address).text
    assert "How do they relate?" in page
    assert ours not in page
    exam.corpus.questions.update(scheme="ordinal5")  # what it asks does not fit the answers of the exam
    assert ours in browser_of(ana).get(address).text


def test_the_exam_says_when_each_answer_is_right_and_what_is_to_be_written(written_exam, browser_of, ana):
    for wording in LabelWording.objects.all():
        wording.help = f"When {wording.label}."
        wording.save()
    page = browser_of(ana).get(reverse("exam", args=["small"])).text
    for label in LABELS:
        assert f'<dd dir="auto">When {label}.</dd>' in page
    hint = '<p class="hint" id="help-3" dir="auto">When entailment.</p>'
    assert hint in page
    assert 'aria-describedby="help-3 "' in page


def test_the_exam_shows_a_text_once_for_all_of_its_questions(written_exam, browser_of, ana):
    page = browser_of(ana).get(reverse("exam", args=["small"])).text
    assert page.count("A cat sleeps.") == page.count("A dog runs.") == 1
    assert [page.count(f"Question {place} of 4") for place in (1, 2, 3, 4)] == [1, 1, 1, 1]


def test_consent_comes_before_the_exam(exam, browser_of, ana):
    form = ConsentForm.objects.create(title="Before you begin", text="We collect sentences.", digest="1")
    Corpus.objects.update(consent_form=form)
    address = reverse("exam", args=["small"])
    answers = {f"answer-{order}": label for order, label in RIGHT.items()}
    assert browser_of(ana).post(address, answers).url.startswith(reverse("consent", args=[form.pk]))
    assert not ExamAttempt.objects.exists()
    give_consent(user=ana, form=form)
    assert browser_of(ana).get(address).status_code == 200


def test_a_forged_label_is_no_answer(exam, ana):
    with pytest.raises(exams.ExamIncomplete):
        send(exam, ana, answers={0: "surely"})


def test_somebody_whose_qualification_was_taken_back_is_not_examined_again(exam, ana, rosa):
    send(exam, ana)
    revoke(grant=Grant.objects.get(), because="Random sentences.", by=rosa)
    with pytest.raises(exams.ExamRefused, match="A researcher ended"):
        send(exam, ana)


def test_a_corpus_without_an_exam_has_no_such_page(browser_of, ana):
    make_corpus(slug="open")
    assert browser_of(ana).get(reverse("exam", args=["open"])).status_code == 404


def test_a_researcher_judges_in_the_dashboard_once(written_exam, browser_of, ana, rosa):
    attempt = send(written_exam, ana, answers={3: "An animal moves."})
    address = reverse("admin:collection_examattempt_change", args=[attempt.pk])
    page = browser_of(rosa).get(address).content.decode()
    assert "An animal moves." in page
    inline = {"answers-TOTAL_FORMS": 0, "answers-INITIAL_FORMS": 0}
    browser_of(rosa).post(address, {"verdict": "", "judgement": "Hm.", **inline})
    assert ExamAttempt.objects.get().passed is None
    browser_of(rosa).post(address, {"verdict": "no", "judgement": "Too short.", **inline})
    judged = ExamAttempt.objects.get()
    assert (judged.passed, judged.judgement, judged.judged_by) == (False, "Too short.", rosa)
    assert browser_of(rosa).post(address, {"verdict": "yes", **inline}).status_code == 403
    assert "Too short." in browser_of(ana).get(reverse("exam", args=["small"])).content.decode()


@pytest.mark.django_db(transaction=True)
def test_two_clicks_at_one_moment_use_up_one_try(ana):
    written = with_a_sentence_to_write(exam.make())

    def press():
        try:
            return send(written, ana, answers={3: "An animal moves."}).number
        except exams.ExamRefused:
            return None

    assert sorted(at_once([press] * 6), key=str) == [1] + [None] * 5
