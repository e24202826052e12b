"""From a platform's link over the exam to the completion code, in a real browser; axe on each page of the way."""

import re

import pytest
from playwright.sync_api import expect

from accounts.models import Qualification
from collection.models import CheckQuestion, EntryLink, Exam, ExamItem
from collection.premises.writing_seats import make_seats
from tests.browser.labelling import READ_MS, pass_time, with_standing_clock
from tests.browser.looks import LOOKS, PHONE, complaints, width_of
from tests.browser.site import make_site
from tests.browser.waiting import wait_until
from tests.corpora import LABELS, make_corpus, make_link, make_premise
from validation.models import Label, Question

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def link(live_server):
    writers = Qualification.objects.create(slug="write-small", name="Writers of the small corpus")
    corpus = make_corpus(with_consent=True, writing_qualification=writers)
    make_seats(premises=[make_premise(corpus, "A dog runs along the beach.")])
    exam = Exam.objects.create(corpus=corpus, qualification=writers, pass_mark=50)
    ExamItem.objects.create(
        exam=exam, order=0, premise="A cat sleeps.", hypothesis="An animal rests.", label="entailment"
    )
    return make_link(corpus, completion_code="C0DE-77")


@pytest.mark.thorough
@LOOKS
def test_from_the_link_over_the_exam_to_the_code(link, watched, look):
    page = watched(None, **look)
    found = []

    def look_at(name):
        assert width_of(page) <= page.evaluate("innerWidth"), name
        found.extend(complaints(page, name))

    def press(target):
        """Presses it by touch on a phone, by mouse on a laptop."""
        (target.tap if look.get("has_touch") else target.click)()

    page.goto(f"/enter/{link.token}/?STUDY_ID=s")
    page.get_by_role("alert").get_by_text("does not say who you are").wait_for()
    look_at("no id")
    page.goto(f"/enter/{link.token}/?PROLIFIC_PID=p1&STUDY_ID=s&SESSION_ID=x")
    look_at("enter")
    page.get_by_text("We collect sentences.").wait_for()
    press(page.get_by_role("button", name="I agree: begin"))
    page.get_by_role("link", name=re.compile("My tasks: 1 (of 1 )?left")).wait_for()
    press(page.get_by_role("button", name="Send the exam"))
    page.get_by_text("Please choose an answer.").wait_for()
    expect(page.get_by_role("radio").first).to_be_focused()
    look_at("exam, incomplete")
    page.get_by_role("radio", name="Definitely correct").check()
    press(page.get_by_role("button", name="Send the exam"))
    page.get_by_text("You passed.").wait_for()
    look_at("exam, passed")

    press(page.get_by_role("link", name="Write sentences", exact=True))
    press(page.get_by_role("button", name="Start writing"))
    for number, label in enumerate(LABELS):
        page.locator(f"textarea[data-text={label}]").fill(f"Sentence number {number} about a dog on a beach.")
    press(page.get_by_role("button", name="Send"))
    page.get_by_role("heading", name="You are done").wait_for()  # it comes by itself
    page.locator("#messages").get_by_text("Saved. You earned").wait_for()
    page.get_by_text("C0DE-77").wait_for()
    press(page.get_by_role("button", name="Copy the code"))
    page.get_by_role("button", name=re.compile("^(Copied|Marked|Not copied)")).wait_for()
    look_at("done")
    # Whoever copies the code goes back with it; the script reports both while the person goes on.
    wait_until(page, lambda: link.visits.filter(returned_at__isnull=False).exists())
    wait_until(page, lambda: EntryLink.objects.get().opened)
    link.refresh_from_db()
    assert link.opened == 1  # two looks in one browser
    assert link.visits.get().ended_as == "finished"
    assert found == []
    page.route("https://app.prolific.com/**", lambda route: route.fulfill(body="Thank you."))
    press(page.get_by_role("link", name="Go back to Prolific"))
    page.wait_for_url("https://app.prolific.com/submissions/complete?cc=C0DE-77")


@pytest.mark.thorough
@LOOKS
def test_from_the_link_over_labels_back_to_the_platform(live_server, watched, look):
    corpus = make_site()
    Question.objects.update(pool_is_open=True)
    link = make_link(corpus, work="labelling", completion_code="C0DE-88")
    page = with_standing_clock(watched(None, **look))
    page.goto(f"/enter/{link.token}/?PROLIFIC_PID=p1&STUDY_ID=s&SESSION_ID=x")

    def press(target):
        (target.tap if look.get("has_touch") else target.click)()

    press(page.get_by_role("button", name="I agree: begin"))
    press(page.get_by_role("button", name="Start judging"))
    expect(page.locator("legend:visible")).to_have_count(1)  # the script has begun
    for number in range(1, 6):
        expect(page.locator("legend:visible")).to_have_text(f"Sentence {number} of 5")
        pass_time(page, READ_MS)
        press(page.locator(".stage:visible button.choice").nth(number % 3))
    press(page.get_by_role("button", name="Send now"))
    page.get_by_role("heading", name="You are done").wait_for()
    page.get_by_text("C0DE-88").wait_for()
    page.route("https://app.prolific.com/**", lambda route: route.fulfill(body="Thank you."))
    press(page.get_by_role("link", name="Go back to Prolific"))
    page.wait_for_url("https://app.prolific.com/submissions/complete?cc=C0DE-88")
    assert Label.objects.cast_by(link.visits.get().user).count() == 5


def test_who_lost_the_cookie_sends_the_answers_on_the_page_after_a_way_back(live_server, watched, rosa):
    """Message, visit's number, a researcher's link, and the same tab again; nothing typed or chosen is lost."""
    corpus = make_site()
    Question.objects.update(pool_is_open=True)
    link = make_link(corpus, work="labelling", completion_code="C0DE-88")
    page = with_standing_clock(watched(None, **PHONE))
    page.goto(f"/enter/{link.token}/?PROLIFIC_PID=p1&STUDY_ID=s&SESSION_ID=x")
    page.get_by_role("button", name="I agree: begin").tap()
    page.get_by_role("button", name="Start judging").tap()
    expect(page.locator("legend:visible")).to_have_count(1)  # the script has begun
    for number in range(1, 6):
        expect(page.locator("legend:visible")).to_have_text(f"Sentence {number} of 5")
        pass_time(page, READ_MS)
        page.locator(".stage:visible button.choice").nth(number % 3).tap()
    page.get_by_role("button", name="Send now").wait_for()
    page.context.clear_cookies()
    page.get_by_role("button", name="Send now").tap()
    visit = link.visits.get()
    expect(page.locator("#trouble")).to_contain_text(f"your visit has the number {visit.pk}.")

    desk = watched(rosa)
    desk.goto(f"/c/{corpus.slug}/links/{link.pk}/?step=began#people")
    desk.get_by_role("button", name=f"Make a way back to visit {visit.pk}").click()
    expect(desk.locator("#way-back")).to_contain_text(f"the person of visit {visit.pk}")
    expect(desk.locator("#return-address")).to_be_in_viewport()

    tab = page.context.new_page()
    tab.goto(desk.locator("#return-address").text_content() or "")
    assert complaints(tab, "come back") == []
    assert width_of(tab) <= tab.evaluate("innerWidth")
    tab.get_by_role("button", name="Continue").tap()
    expect(tab.get_by_role("button", name="Send all 5 answers")).to_be_visible()  # kept as a draft, too
    page.bring_to_front()
    page.get_by_role("button", name="Send all 5 answers").tap()
    page.get_by_role("heading", name="You are done").wait_for()
    assert Label.objects.cast_by(visit.user).count() == 5
    page.go_back()
    page.get_by_role("heading", name="You are done").wait_for()  # the way back takes no new seats
    assert not Label.objects.open().filter(annotator=visit.user).exists()


def test_a_right_answer_of_the_check_is_said_above_the_next_question(live_server, watched, vera):
    version = make_site(vera).prompts.get().versions.get()
    for order, label in enumerate(("neutral", "entailment")):
        CheckQuestion.objects.create(
            version=version, order=order, premise="It rains.", hypothesis=f"It is {order}.", label=label
        )
    page = watched(vera, **PHONE)
    page.goto("/work/writing/small/")
    page.locator("#check-0 button[value=entailment]").tap()
    page.get_by_text("Not right yet.").wait_for()
    expect(page.locator("#check-0 .choices ~ #check-said")).to_be_visible()
    page.locator("#check-0 button[value=neutral]").tap()
    expect(page.locator("#check-1 legend + #check-said")).to_have_text("Question 1: right. Now question 2.")
    plain = page.locator("#check-1 button[value=contradiction]").evaluate(
        "e => getComputedStyle(e).backgroundColor"
    )
    for label in ("neutral", "entailment"):  # where the finger was, nothing looks chosen
        expect(page.locator(f"#check-1 button[value={label}]")).to_have_css("background-color", plain)
