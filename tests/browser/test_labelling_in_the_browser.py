"""Labelling in a real browser: by keys alone, by thumb, after a reload, without scripts."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from accounts.models import User
from collection.models import Corpus, Pair, Premise
from tests.browser.conftest import PHONE
from tests.browser.site import make_site
from tests.cast import ana
from tests.corpora import make_pair, make_premise
from validation.models import BatchItem, DraftAnswer, Label, Question, QuestionFaqEntry
from validation.pairs.opening import open_for_validation

PAGE = "/work/validation/small/"


@pytest.fixture
def begin(live_server, vera: User) -> Callable[[Page], Page]:
    """Opens the labelling page for Vera, past the instructions."""
    make_site(vera)

    def open_page(page: Page, with_scripts: bool = True) -> Page:
        page.goto(PAGE)
        page.get_by_role("button", name="Start labelling").click()
        # One pair in sight: the script has begun, and keys are heard.
        expect(page.locator("legend:visible")).to_have_count(1 if with_scripts else 5)
        return page

    return open_page


def press(page: Page, keys: str) -> None:
    """Presses one key after another, each once its pair could be seen: what comes sooner is not taken for an answer."""
    for key in keys:
        page.wait_for_timeout(300)
        page.keyboard.press(key)


def answers_of(user: User) -> list[str]:
    """In the order in which the pairs were shown."""
    return list(BatchItem.objects.filter(assignment__annotator=user).values_list("answer", flat=True))


def test_five_pairs_are_labelled_by_keyboard_alone(begin, watched, vera):
    page = watched(vera)
    page.goto(PAGE)
    page.get_by_role("button", name="Start labelling").focus()
    page.keyboard.press("Enter")
    expect(page.locator("legend:visible")).to_have_count(1)  # the script has begun
    for number, key in enumerate("1n3e", start=1):
        expect(page.locator("legend:visible")).to_have_text(f"Pair {number} of 5")
        press(page, key)
    expect(page.locator("legend:visible")).to_have_text("Pair 5 of 5")
    page.keyboard.press("Backspace")
    expect(page.locator("legend:visible")).to_have_text("Pair 4 of 5")
    press(page, "c2")
    expect(page.get_by_role("heading", name="Your answers")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Your answers are saved.")).to_be_visible()
    assert answers_of(vera) == ["entailment", "neutral", "contradiction", "contradiction", "neutral"]


def test_the_next_batch_takes_the_place_of_the_one_that_was_sent(begin, watched, vera):
    corpus = Corpus.objects.get()
    for number in range(3):
        premise = make_premise(corpus, f"One more story, number {number}.")
        make_pair(corpus, premise, f"More {number}.", author=ana(), author_label="neutral")
    open_for_validation(question=corpus.questions.get(), pairs=Pair.objects.all())
    page = begin(watched(vera))
    page.evaluate("window.isTheSamePage = true")
    press(page, "11111")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Your answers are saved.")).to_be_visible()
    expect(page.locator("legend:visible")).to_have_count(1)  # the script has taken the new batch in hand
    expect(page.locator("legend:visible")).to_have_text("Pair 1 of 3")
    expect(page.locator("legend:visible")).to_be_focused()
    press(page, "222")
    expect(page.get_by_role("heading", name="Your answers")).to_be_focused()
    assert page.evaluate("window.isTheSamePage")
    assert (
        page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('quintet-batch')).length")
        == 1
    )
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Nothing to label right now")).to_be_visible()
    assert sorted(answers_of(vera)) == ["entailment"] * 5 + ["neutral"] * 3
    spent = BatchItem.objects.filter(assignment__annotator=vera).values_list("active_ms", flat=True)
    assert all(ms is not None for ms in spent)


def test_nothing_is_sent_before_the_answers_were_looked_at(begin, watched, vera):
    page = begin(watched(vera))
    press(page, "11111")
    expect(page.get_by_role("listitem").filter(has_text="Definitely correct")).to_have_count(5)
    assert answers_of(vera) == [None] * 5
    page.get_by_role("button", name="Change the answer for pair 2").click()
    page.wait_for_timeout(300)
    page.get_by_role("group", name="Your answer for pair 2").get_by_role(
        "button", name="Maybe correct"
    ).click()
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Your answers are saved.")).to_be_visible()
    assert answers_of(vera) == ["entailment", "neutral", "entailment", "entailment", "entailment"]


def test_a_pair_is_skipped_by_keyboard(begin, watched, vera):
    page = begin(watched(vera))
    page.keyboard.press("s")
    expect(page.locator("select:visible")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.locator("legend:visible")).to_have_text("Pair 1 of 5")
    page.keyboard.press("Enter")
    for number in range(2, 6):
        expect(page.locator("legend:visible")).to_have_text(f"Pair {number} of 5")
        press(page, "1")
    expect(page.get_by_text("skipped")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Your answers are saved.")).to_be_visible()
    assert BatchItem.objects.get(skip_reason__isnull=False).skip_reason == "language"


def test_the_instructions_and_the_questions_that_people_ask_are_one_key_away(begin, watched, vera):
    page = watched(vera)
    question = Question.objects.get()
    QuestionFaqEntry.objects.create(
        question=question, order=0, text="What if it is *odd*?", answer="Skip **it**."
    )
    begin(page)
    asked = page.get_by_text("What if it is odd?")
    expect(asked).to_be_hidden()
    page.keyboard.press("?")
    asked.click()
    expect(page.locator("#help strong", has_text="it")).to_be_visible()
    page.keyboard.press("?")
    expect(asked).to_be_hidden()
    press(page, "1")  # the keys label again
    expect(page.locator("legend:visible")).to_have_text("Pair 2 of 5")


def test_answers_survive_a_reload_until_they_are_sent(begin, watched, vera):
    page = begin(watched(vera))
    press(page, "1")
    press(page, "2")
    expect(page.locator("legend:visible")).to_have_text("Pair 3 of 5")
    page.reload()
    expect(page.locator("legend:visible")).to_have_text("Pair 3 of 5")
    press(page, "333")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Your answers are saved.")).to_be_visible()
    assert answers_of(vera) == ["entailment", "neutral", "contradiction", "contradiction", "contradiction"]


def test_a_batch_that_was_left_is_continued_on_another_device(begin, watched, vera):
    here = begin(watched(vera))
    press(here, "1")
    press(here, "3")
    expect(here.locator("legend:visible")).to_have_text("Pair 3 of 5")
    here.goto("/start/")
    for _ in range(50):  # it goes out when the page is left, and nobody waits for it
        if DraftAnswer.objects.count() == 2:
            break
        here.wait_for_timeout(100)
    there = watched(vera)
    there.goto(PAGE)
    expect(there.locator("legend:visible")).to_have_text("Pair 3 of 5")
    press(there, "222")
    there.keyboard.press("Enter")
    expect(there.get_by_text("Your answers are saved.")).to_be_visible()
    assert answers_of(vera) == ["entailment", "contradiction", "neutral", "neutral", "neutral"]


def test_time_is_measured_pair_by_pair(begin, watched, vera):
    page = begin(watched(vera))
    page.wait_for_timeout(400)
    press(page, "11111")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Your answers are saved.")).to_be_visible()
    times = list(BatchItem.objects.values_list("active_ms", flat=True))
    assert 400 <= times[0] < 20_000
    assert all(ms < 10_000 for ms in times)


def test_a_long_pause_is_no_work_on_a_pair(begin, watched, vera):
    page = watched(vera)
    page.clock.install()
    begin(page)
    page.clock.fast_forward("10:00")
    press(page, "11111")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Your answers are saved.")).to_be_visible()
    longest = max(BatchItem.objects.values_list("active_ms", flat=True))
    assert 30_000 <= longest < 45_000  # half a minute without a sign of life, of the ten


def test_a_phone_has_the_answers_under_the_thumb(begin, watched, vera):
    page = begin(watched(vera, **PHONE))
    for number in range(1, 6):
        button = page.get_by_role("group", name=f"Your answer for pair {number}").get_by_role("button").nth(1)
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 44
        assert box["y"] + box["height"] <= 740
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        page.wait_for_timeout(300)
        button.tap()
    page.get_by_role("button", name="Send").tap()
    expect(page.get_by_text("Your answers are saved.")).to_be_visible()
    assert answers_of(vera) == ["neutral"] * 5


def test_the_page_works_without_scripts(begin, window_of: Callable[..., BrowserContext], vera):
    page = begin(window_of(vera, java_script_enabled=False).new_page(), with_scripts=False)
    for number in range(1, 6):
        answer = page.get_by_role("radiogroup", name=f"Your answer for pair {number}")
        answer.get_by_role("radio").nth(0).check()
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Your answers are saved.")).to_be_visible()
    assert Label.objects.filter(annotator=vera, label="entailment").count() == 5


def test_a_key_that_is_held_and_a_double_press_answer_one_pair(begin, watched, vera):
    page = begin(watched(vera))
    page.wait_for_timeout(300)
    for _ in range(7):
        page.keyboard.down("2")  # without an up between, a browser repeats it
        page.wait_for_timeout(300)
    expect(page.locator("legend:visible")).to_have_text("Pair 2 of 5")
    page.keyboard.up("2")
    page.evaluate("""() => {
        for (const key of "11") document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    }""")
    expect(page.locator("legend:visible")).to_have_text("Pair 3 of 5")


TEXT = "The harbour was quiet, apart from the gulls and the two men who had promised to repair the boat. " * 8
SENTENCE = "Two men had given their word that the boat would be repaired before the winter."


@pytest.mark.parametrize(("width", "height"), [(320, 256), (360, 640), (640, 400), (1280, 800)])
def test_text_sentence_and_answers_are_in_view_together(begin, watched, vera, width, height):
    Premise.objects.update(text=TEXT[:700])
    Pair.objects.update(hypothesis=SENTENCE)
    page = begin(watched(vera, viewport={"width": width, "height": height}))
    for number in (1, 2):
        expect(page.locator("legend:visible")).to_have_text(f"Pair {number} of 5")
        last = page.locator(".stage:visible button").last
        assert page.locator(".stage:visible").evaluate(
            "box => box.getBoundingClientRect().bottom <= innerHeight + 1"
        )
        assert in_view(page, ".premise") >= 40
        whole = page.locator(".stage:visible .hypothesis").evaluate("p => p.scrollHeight")
        assert in_view(page, ".hypothesis") >= whole - 2  # a border's rounding
        assert last.evaluate("button => button.getBoundingClientRect().bottom <= innerHeight")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        press(page, "1")


def in_view(page: Page, what: str) -> float:
    """How many pixels of the text are on the screen and covered by nothing."""
    return page.locator(f".stage:visible {what}").evaluate("""element => {
        const box = element.getBoundingClientRect();
        const isFree = (x, y) => element.contains(document.elementFromPoint(x, y));
        let free = 0;
        for (let y = Math.ceil(box.top); y < box.bottom; y += 1) if (isFree(box.left + 20, y)) free += 1;
        return free;
    }""")
