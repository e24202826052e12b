"""A question's exam, calibration items in a batch, choosing pairs: by keys, on a phone, and axe finds nothing."""

import pytest

from accounts.models import Qualification
from collection.models import Exam, ExamItem, Pair
from tests.browser.labelling import press, with_standing_clock
from tests.browser.looks import LOOKS, complaints, width_of
from tests.browser.site import make_site
from tests.corpora import ask
from tests.open_pairs import send_all
from tests.validation.test_calibration import add_item
from validation.labelling.claiming import claim_batch
from validation.models import CalibrationAnswer, Question, QuestionCheck


def look_at(page, name: str) -> list[str]:
    found = complaints(page, name)
    if width_of(page) > page.evaluate("innerWidth"):
        found.append(f"{name}: wider than the screen")
    return found


def with_exam(question: Question) -> Exam:
    question.qualification = Qualification.objects.create(slug="label-small", name="Label for small")
    question.save()
    exam = Exam.objects.create(
        corpus=question.corpus,
        slug="label-main",
        qualification=question.qualification,
        instructions="Take your time.",
    )
    for order, label in enumerate(("entailment", "contradiction")):
        ExamItem.objects.create(
            exam=exam,
            order=order,
            premise="A man sleeps.\nIt is night.",
            hypothesis=f"So {order}.",
            label=label,
        )
    return exam


@pytest.mark.thorough
@LOOKS
def test_from_the_start_page_over_the_exam_and_the_check_to_the_first_batch(live_server, watched, vera, look):
    question = make_site(vera).questions.get()
    with_exam(question)
    QuestionCheck.objects.create(
        question=question,
        order=0,
        premise="It rains.",
        hypothesis="It is wet.",
        label="entailment",
        explanation="Rain is.",
    )
    page = watched(vera, **look)
    page.goto("/start/")
    found = look_at(page, "start")
    page.get_by_role("link", name="Take the exam for judging").click()
    found += look_at(page, "exam")
    page.get_by_role("button", name="Send the exam").click()
    found += look_at(page, "exam, nothing chosen")
    page.locator('input[name="answer-0"][value="entailment"]').check()
    page.locator('input[name="answer-1"][value="contradiction"]').check()
    page.get_by_role("button", name="Send the exam").click()
    page.get_by_text("You passed. You may judge sentences from now on.").wait_for()
    found += look_at(page, "exam passed")
    page.get_by_role("link", name="Judge sentences").click()
    page.locator("#check-0 button[value=entailment]").click()
    page.locator("#dots").wait_for()
    assert found == []


def test_a_batch_with_calibration_items_is_labelled_by_keys_as_any_other(live_server, watched, vera):
    question = make_site(vera).questions.get()
    for number in range(4):
        add_item(question, f"Known {number}.")
    Question.objects.update(calibration_percent=100)
    page = with_standing_clock(watched(vera))
    page.goto("/work/validation/small/")
    page.get_by_role("button", name="Start judging").click()
    page.locator("#dots").wait_for()
    press(page, "11111")
    page.get_by_role("heading", name="Your answers").wait_for()
    page.keyboard.press("Enter")
    page.get_by_text("Your answers are saved. You earned $0.25.").wait_for()
    answers = CalibrationAnswer.objects.values_list("answer", "active_ms")
    assert [answer for answer, _ in answers] == ["entailment"] * 4
    assert all(ms > 0 for _, ms in answers)


@pytest.mark.thorough
@LOOKS
def test_the_researchers_pages_about_pairs_and_calibration(live_server, watched, vera, rosa, look):
    question = make_site(vera).questions.get()
    for number in range(3):
        add_item(question, f"Known {number}.")
    Question.objects.update(calibration_percent=100)
    question.refresh_from_db()
    batch = claim_batch(question=question, annotator=vera)
    send_all(batch, vera, key="one")
    ask(question.corpus, "grammar", scheme="grammar3", seats=3)
    page, found = watched(rosa, **look), []
    for address in ("calibration/", "pool/", "open/?question=grammar", "more-labels/", "annotators/"):
        page.goto(f"/corpora/small/{address}")
        found += look_at(page, address)
    page.goto("/corpora/small/open/?question=grammar")
    page.get_by_label("a percentage of each genre").check()
    page.get_by_label("Number or percentage").fill("101")
    page.get_by_role("button", name="Open pairs").click()
    page.get_by_text("Please enter a number up to 100.").wait_for()
    found += look_at(page, "open pairs, wrong")
    page.get_by_label("Number or percentage").fill("100")
    page.get_by_role("button", name="Open pairs").click()
    page.get_by_text("5 pairs are open for labelling.").wait_for()
    assert Pair.objects.filter(labels__question__slug="grammar").distinct().count() == 5
    assert found == []
