"""Labelling in a real browser: by keyboard alone, on a phone, after a reload, without scripts."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from accounts.models import User
from collection.models import Corpus, Pair, Premise
from tests.browser.labelling import PAGE, READ_MS, SENT_MS, in_view, pass_time, press, with_standing_clock
from tests.browser.looks import PHONE, no_sideways_scroll, width_of
from tests.browser.site import make_site
from tests.browser.waiting import wait_until
from tests.cast import ana
from tests.corpora import LABELS, make_pair, make_premise
from validation.labelling.instructions import read_instructions
from validation.models import BatchItem, DraftAnswer, Label, LabelWording, Question, QuestionFaqEntry
from validation.pairs.opening import open_for_validation


@pytest.fixture
def begin(live_server, vera: User) -> Callable[[Page], Page]:
    """Opens the labelling page for Vera, past the instructions."""
    make_site(vera)

    def open_page(page: Page, with_scripts: bool = True) -> Page:
        read_instructions(question=Question.objects.get(), annotator=vera, answers={})
        with_standing_clock(page).goto(PAGE)
        # One pair in sight: the script has begun, and keys are heard.
        expect(page.locator("legend:visible")).to_have_count(1 if with_scripts else 5)
        return page

    return open_page


def answers_of(user: User) -> list[str]:
    """Returns the answers in the order in which the pairs were shown."""
    return list(BatchItem.objects.filter(assignment__annotator=user).values_list("answer", flat=True))


def stays_unsent(page: Page, user: User) -> None:
    """Lets so much time pass that the script would send the batch, and checks that it does not."""
    pass_time(page, SENT_MS)
    page.wait_for_timeout(500)  # the script looks at the clock four times a second
    assert answers_of(user) == [None] * 5


def test_five_pairs_are_labelled_by_keyboard_alone(begin, watched, vera):
    page = with_standing_clock(watched(vera))
    page.goto(PAGE)
    page.get_by_role("button", name="Start judging").focus()
    page.keyboard.press("Enter")
    expect(page.locator("legend:visible")).to_have_count(1)  # the script has begun
    for number, key in enumerate("1231", start=1):
        expect(page.locator("legend:visible")).to_have_text(f"Sentence {number} of 5")
        press(page, key)
    expect(page.locator("legend:visible")).to_have_text("Sentence 5 of 5")
    page.keyboard.press("Backspace")
    expect(page.locator("legend:visible")).to_have_text("Sentence 4 of 5")
    press(page, "32")
    expect(page.get_by_role("heading", name="Your answers will be sent in 6 seconds")).to_be_focused()
    expect(page.get_by_text("“Back to the last sentence” or “Change” ends the countdown.")).to_be_visible()
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
    expect(page.locator("legend:visible")).to_have_text("Sentence 1 of 3")
    expect(page.locator("legend:visible")).to_be_focused()
    press(page, "222")
    expect(page.get_by_role("heading", name="Your answers")).to_be_focused()
    assert page.evaluate("window.isTheSamePage")
    assert (
        page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('quintet-batch')).length")
        == 1
    )
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Nothing to judge now")).to_be_visible()
    assert sorted(answers_of(vera)) == ["entailment"] * 5 + ["neutral"] * 3
    spent = BatchItem.objects.filter(assignment__annotator=vera).values_list("active_ms", flat=True)
    assert all(ms is not None for ms in spent)


@pytest.mark.thorough
def test_a_batch_is_sent_by_itself_after_seconds(begin, watched, vera):
    page = begin(watched(vera))
    press(page, "11113")
    expect(page.get_by_role("heading", name="Your answers will be sent in 6 seconds")).to_be_focused()
    pass_time(page, SENT_MS)
    expect(page.get_by_text("Your answers are saved.")).to_be_visible()  # nobody pressed anything
    assert answers_of(vera) == ["entailment"] * 4 + ["contradiction"]


def stop_by_button(page: Page) -> None:
    page.get_by_role("button", name="Back to the last sentence").click()


def stop_by_key(page: Page) -> None:
    page.keyboard.press("Backspace")


@pytest.mark.parametrize("stop", [pytest.param(stop_by_button, marks=pytest.mark.thorough), stop_by_key])
def test_who_stopped_the_countdown_sends_the_batch_by_the_button_alone(begin, watched, vera, stop):
    page = begin(watched(vera))
    press(page, "11111")
    stop(page)
    expect(page.locator("legend:visible")).to_have_text("Sentence 5 of 5")
    expect(page.get_by_role("button", name="Back to sentence 4")).to_be_visible()
    expect(page.get_by_role("button", name="Send all 5 answers")).to_be_visible()  # all five have an answer
    stays_unsent(page, vera)
    press(page, "3")
    expect(page.get_by_role("heading", name="Your answers", exact=True)).to_be_focused()
    stays_unsent(page, vera)
    page.get_by_role("button", name="Change the answer for sentence 2").click()
    press(page, "2")
    stays_unsent(page, vera)
    page.get_by_role("button", name="Send all 5 answers").click()
    expect(page.get_by_text("Your answers are saved.")).to_be_visible()
    assert answers_of(vera) == ["entailment", "neutral", "entailment", "entailment", "contradiction"]


@pytest.mark.thorough
def test_who_wants_to_see_the_answers_first_sends_them_by_hand(begin, watched, vera):
    page = begin(watched(vera))
    page.get_by_text("Settings", exact=True).click()
    page.get_by_label("Send only when I press Send").check()
    page.reload()  # the device remembers it
    expect(page.locator("legend:visible")).to_have_count(1)
    press(page, "11111")
    expect(page.get_by_role("heading", name="Your answers", exact=True)).to_be_focused()
    expect(page.get_by_role("listitem").filter(has_text="Definitely correct")).to_have_count(5)
    expect(page.get_by_role("listitem").filter(has_text="In the story: ")).to_have_count(5)
    stays_unsent(page, vera)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Your answers are saved.")).to_be_visible()
    assert answers_of(vera) == ["entailment"] * 5


@pytest.mark.thorough
def test_single_keys_and_all_keys_can_be_turned_off(begin, watched, vera):
    page = begin(watched(vera))
    page.get_by_text("Settings", exact=True).click()
    page.get_by_label("Keyboard shortcuts").select_option("Numbers to answer")
    page.locator("h1").click()
    press(page, "s?")
    expect(page.locator("legend:visible")).to_have_text("Sentence 1 of 5")
    expect(page.locator("#help")).not_to_have_attribute("open", "")
    press(page, "1")
    expect(page.locator("legend:visible")).to_have_text("Sentence 2 of 5")
    page.get_by_label("Keyboard shortcuts").select_option("Off")
    page.reload()
    expect(page.locator("legend:visible")).to_have_text("Sentence 2 of 5")
    press(page, "12s?")
    expect(page.locator("legend:visible")).to_have_text("Sentence 2 of 5")
    expect(page.locator(".stage:visible kbd").first).to_be_hidden()
    page.get_by_role("button", name="Maybe correct").click()
    expect(page.locator("legend:visible")).to_have_text("Sentence 3 of 5")


@pytest.mark.thorough
def test_keys_of_answers_can_be_changed(begin, watched, vera):
    page = begin(watched(vera))
    page.get_by_text("Settings", exact=True).click()
    keys = page.get_by_role("group", name="Keys for the answers")
    expect(keys.get_by_label("Maybe correct")).to_have_value("2")
    keys.get_by_label("Maybe correct").fill("")
    keys.get_by_label("Definitely correct").fill("j")
    expect(keys.get_by_label("Maybe correct")).to_have_value("2")  # a field left empty keeps its key
    keys.get_by_label("Maybe correct").fill("j")
    expect(page.get_by_text("Two answers have the same key.")).to_be_visible()
    keys.get_by_label("Maybe correct").fill("s")
    expect(page.get_by_text("S skips a sentence")).to_be_visible()
    keys.get_by_label("Maybe correct").fill("k")
    expect(page.get_by_role("button", name="Definitely correct").locator("kbd").first).to_have_text("J")
    page.reload()  # the device remembers it
    expect(page.locator("legend:visible")).to_have_text("Sentence 1 of 5")
    press(page, "1")  # the usual key of an answer with a key of its own is free
    expect(page.locator("legend:visible")).to_have_text("Sentence 1 of 5")
    press(page, "jkj3J")
    pass_time(page, SENT_MS)
    expect(page.get_by_text("Your answers are saved.")).to_be_visible()
    assert answers_of(vera) == ["entailment", "neutral", "entailment", "contradiction", "entailment"]


# After eight seconds of sending, the script says that the line is slow: here, when the test says so.
SLOW_LINE = """
    const later = window.setTimeout;
    window.setTimeout = (call, ms, ...more) => (ms === 8000 ? (window.isSlow = call, 0) : later(call, ms, ...more));
"""


@pytest.mark.thorough
def test_on_a_slow_line_the_page_says_that_it_sends_and_that_it_could_not(begin, watched, vera):
    page = watched(vera)
    page.add_init_script(SLOW_LINE)
    page = begin(page)
    waiting = []
    page.route(f"**{PAGE}", lambda route: waiting.append(route))
    press(page, "11111")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Sending your answers …")).to_be_visible()
    expect(page.get_by_role("button", name="Back to the last sentence")).to_be_hidden()
    page.keyboard.press("Enter")  # impatient people send nothing twice
    page.evaluate("window.isSlow()")
    expect(page.get_by_text("Your connection is slow. Nothing is lost")).to_be_visible()
    wait_until(page, lambda: waiting)  # the browser may hand a request over later than it draws
    page.wait_for_timeout(250)  # a second one would come now
    assert len(waiting) == 1
    waiting[0].abort()
    expect(page.get_by_role("heading", name="Your answers are not sent yet")).to_be_focused()
    expect(page.get_by_text("The server could not be reached.")).to_be_visible()
    stays_unsent(page, vera)
    page.unroute_all()
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Your answers are saved.")).to_be_visible()
    assert answers_of(vera) == ["entailment"] * 5


def test_what_could_not_be_sent_offline_is_sent_once_when_the_line_is_back(begin, watched, vera):
    page = begin(watched(vera))
    page.context.set_offline(True)
    press(page, "11111")
    page.keyboard.press("Enter")
    expect(page.get_by_text("It is sent by itself when the connection is back.")).to_be_visible()
    stays_unsent(page, vera)
    page.context.set_offline(False)
    expect(page.get_by_text("Your answers are saved.")).to_be_visible()
    assert answers_of(vera) == ["entailment"] * 5


@pytest.mark.thorough
def test_who_lost_the_right_to_send_gets_a_way_on(begin, watched, vera):
    page = begin(watched(vera))
    page.route(f"**{PAGE}", lambda route: route.fulfill(status=403))
    press(page, "11111")
    page.keyboard.press("Enter")
    trouble = page.get_by_role("alert")
    expect(trouble.get_by_role("link", name="Open the sign-in in a new tab")).to_have_attribute(
        "href", "/sign-in/?next=%2Fwork%2Fvalidation%2Fsmall%2F"
    )
    expect(page.get_by_role("button", name="Send")).to_be_visible()


def test_who_had_gone_back_to_a_pair_sees_that_nothing_was_sent(begin, watched, vera):
    page = begin(watched(vera))
    press(page, "11111")
    page.get_by_role("button", name="Back to the last sentence").click()
    page.route(f"**{PAGE}", lambda route: route.abort())
    page.get_by_role("button", name="Send all 5 answers").click()
    expect(page.get_by_role("heading", name="Your answers are not sent yet")).to_be_focused()
    expect(page.locator("legend:visible")).to_have_count(0)
    expect(page.get_by_role("button", name="Back to the last sentence")).to_be_hidden()
    stays_unsent(page, vera)


def test_text_and_sentence_have_names_and_the_place_is_said_once(begin, watched, vera):
    page = begin(watched(vera))
    press(page, "1")
    for name in ("Text", "Sentence"):
        expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()
        expect(page.get_by_role("group", name=name, exact=True)).to_be_visible()
    expect(page.locator("legend:visible")).to_be_focused()
    snapshot = page.locator("main").aria_snapshot()
    assert snapshot.count("Sentence 2 of 5") == snapshot.count('group "Sentence 2 of 5"') + 1
    assert "Sentence 1 of" not in snapshot


@pytest.mark.parametrize("size", [(320, 256), pytest.param((360, 640), marks=pytest.mark.thorough)])
def test_who_can_stop_the_sending_sees_how(begin, watched, vera, size):
    page = begin(watched(vera, viewport={"width": size[0], "height": size[1]}))
    press(page, "12312")
    page.get_by_role("heading", name="Your answers will be sent").wait_for()
    for name in ("Send now", "Back to the last sentence"):
        expect(page.get_by_role("button", name=name)).to_be_in_viewport(ratio=1)


def test_the_list_of_reasons_has_a_button_for_the_keyboard(begin, watched, vera):
    page = begin(watched(vera))
    skip = page.get_by_role("button", name="Skip", exact=True)
    expect(skip).to_be_hidden()
    page.keyboard.press("s")
    expect(skip).to_be_visible()
    expect(skip).to_contain_text("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")  # without a reason nothing is skipped
    expect(page.locator("select:visible")).to_be_focused()
    expect(page.locator("legend:visible")).to_have_text("Sentence 1 of 5")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.locator("legend:visible")).to_have_text("Sentence 2 of 5")
    expect(skip).to_be_hidden()


def test_a_pair_is_skipped_by_keyboard(begin, watched, vera):
    page = begin(watched(vera))
    page.keyboard.press("s")
    expect(page.locator("select:visible")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.locator("legend:visible")).to_have_text("Sentence 1 of 5")
    page.keyboard.press("Enter")
    for number in range(2, 6):
        expect(page.locator("legend:visible")).to_have_text(f"Sentence {number} of 5")
        press(page, "1")
    expect(page.get_by_text("skipped: not paid. You can answer it until you send.")).to_be_visible()
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
    expect(page.locator("legend:visible")).to_have_text("Sentence 2 of 5")


def test_answers_survive_a_reload_until_they_are_sent(begin, watched, vera):
    page = begin(watched(vera))
    press(page, "1")
    press(page, "2")
    expect(page.locator("legend:visible")).to_have_text("Sentence 3 of 5")
    page.reload()
    expect(page.locator("legend:visible")).to_have_text("Sentence 3 of 5")
    press(page, "333")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Your answers are saved.")).to_be_visible()
    assert answers_of(vera) == ["entailment", "neutral", "contradiction", "contradiction", "contradiction"]


@pytest.mark.thorough
def test_a_batch_that_was_left_is_continued_on_another_device(begin, watched, vera):
    here = begin(watched(vera))
    press(here, "1")
    press(here, "3")
    expect(here.locator("legend:visible")).to_have_text("Sentence 3 of 5")
    here.goto("/start/")
    wait_until(here, lambda: DraftAnswer.objects.count() == 2)  # it goes out when the page is left
    there = with_standing_clock(watched(vera))
    there.goto(PAGE)
    expect(there.locator("legend:visible")).to_have_text("Sentence 3 of 5")
    press(there, "222")
    there.keyboard.press("Enter")
    expect(there.get_by_text("Your answers are saved.")).to_be_visible()
    assert answers_of(vera) == ["entailment", "contradiction", "neutral", "neutral", "neutral"]


def test_time_is_measured_pair_by_pair(begin, watched, vera):
    page = begin(watched(vera))
    pass_time(page, 400)
    press(page, "11111")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Your answers are saved.")).to_be_visible()
    times = list(BatchItem.objects.values_list("active_ms", flat=True))
    assert times == [400 + READ_MS, *[READ_MS] * 4]


def test_a_long_pause_is_no_work_on_a_pair(begin, watched, vera):
    page = begin(watched(vera))
    pass_time(page, 10 * 60_000)
    press(page, "11111")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Your answers are saved.")).to_be_visible()
    longest = max(BatchItem.objects.values_list("active_ms", flat=True))
    assert longest == 30_000  # of the ten minutes, half a minute without any input counts


@pytest.mark.thorough
def test_a_phone_has_the_answers_under_the_thumb(begin, watched, vera):
    page = begin(watched(vera, **PHONE))
    for number in range(1, 6):
        button = (
            page.get_by_role("group", name=f"Your answer for sentence {number}").get_by_role("button").nth(1)
        )
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 44
        assert box["y"] + box["height"] <= 740
        assert width_of(page) <= 360
        pass_time(page, READ_MS)
        button.tap()
    pass_time(page, SENT_MS)
    expect(page.get_by_text("Your answers are saved.")).to_be_visible()
    assert answers_of(vera) == ["neutral"] * 5


@pytest.mark.thorough
def test_the_page_works_without_scripts(begin, window_of: Callable[..., BrowserContext], vera):
    page = begin(window_of(vera, java_script_enabled=False).new_page(), with_scripts=False)
    for number in range(1, 6):
        answer = page.get_by_role("radiogroup", name=f"Your answer for sentence {number}")
        answer.get_by_role("radio").nth(0).check()
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Your answers are saved.")).to_be_visible()
    assert Label.objects.filter(annotator=vera, label="entailment").count() == 5


def test_a_key_that_is_held_and_a_double_press_answer_one_pair(begin, watched, vera):
    page = begin(watched(vera))
    pass_time(page, READ_MS)
    for _ in range(7):
        page.keyboard.down("2")  # without an up between, a browser repeats it
        pass_time(page, READ_MS)
    expect(page.locator("legend:visible")).to_have_text("Sentence 2 of 5")
    page.keyboard.up("2")
    page.evaluate("""() => {
        for (const key of "11") document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    }""")
    expect(page.locator("legend:visible")).to_have_text("Sentence 3 of 5")


TEXTS = {
    "en": (
        "The harbour was quiet, apart from the gulls and the two men who had promised to repair the boat. ",
        "Two men had given their word that the boat would be repaired before the winter.",
    ),
    "ar": (
        "خرج الصيادون قبل شروق الشمس وعادوا في المساء بقوارب شبه فارغة، ولم يشتكِ أحد منهم من البحر ولا من الريح. ",
        "وعد رجلان بإصلاح القارب قبل حلول الشتاء.",
    ),
    "ja": (
        "港は静かで、聞こえるのはカモメの声と、船を直すと約束した二人の男の話し声だけだった。",
        "二人の男は冬が来る前に船を直すと約束していた。",
    ),
}
SIZES = {
    "a small phone, its keyboard open": (320, 256),
    "a phone": (360, 640),
    "a laptop at 200%": (640, 400),
    "a laptop": (1280, 800),
}


SHOWN = [("en", "a small phone, its keyboard open"), ("ar", "a laptop")]  # in `make quick`
OTHERS = [(language, size) for language in TEXTS for size in SIZES if (language, size) not in SHOWN]


@pytest.mark.parametrize(
    ("language", "size"), [*SHOWN, *(pytest.param(*other, marks=pytest.mark.thorough) for other in OTHERS)]
)
def test_text_sentence_and_answers_are_in_view_together(begin, watched, vera, language, size):
    width, height = SIZES[size]
    text, sentence = TEXTS[language]
    Corpus.objects.update(language=language)
    Premise.objects.update(text=(text * 20)[:700])
    Pair.objects.update(hypothesis=sentence)
    page = begin(watched(vera, viewport={"width": width, "height": height}))
    for number in (1, 2):
        expect(page.locator("legend:visible")).to_have_text(f"Sentence {number} of 5")
        last = page.locator(".stage:visible button").last
        assert page.locator(".stage:visible").evaluate(
            "box => box.getBoundingClientRect().bottom <= innerHeight + 1"
        )
        assert in_view(page, ".premise") >= 40
        whole = page.locator(".stage:visible .hypothesis").evaluate("p => p.scrollHeight")
        assert in_view(page, ".hypothesis") >= whole - 2  # a border's rounding
        assert in_view(page, "h2") > 8
        assert last.evaluate("button => button.getBoundingClientRect().bottom <= innerHeight")
        assert width_of(page) <= page.evaluate("innerWidth")
        sizes = [
            float(size_of(page, f".stage:visible {what}").removesuffix("px"))
            for what in (".premise", ".hypothesis")
        ]
        assert sizes[0] <= sizes[1]
        press(page, "1")
    page.keyboard.press("Backspace")
    boxes = [page.locator(f".stage:visible {what}").bounding_box() for what in (".premise", ".hypothesis")]
    assert boxes[0] is not None
    assert boxes[1] is not None
    beside = boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
    if language == "ar":
        beside = boxes[1]["x"] + boxes[1]["width"] <= boxes[0]["x"]
    assert beside == (width >= 1024)


LONG = (
    "Certainly correct, by what the text says",
    "Perhaps correct, perhaps wrong",
    "Certainly wrong, by what the text says",
)


@pytest.mark.thorough
@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_answers_of_forty_letters_stay_in_view_whole(begin, watched, vera, size):
    for label, wording in zip(LABELS, LONG, strict=True):
        LabelWording.objects.filter(label=label).update(wording=wording)
    Premise.objects.update(text=(TEXTS["en"][0] * 20)[:700])
    Pair.objects.update(hypothesis=TEXTS["en"][1])
    page = begin(watched(vera, viewport={"width": size[0], "height": size[1]}))
    assert in_view(page, ".premise") >= 40
    assert (
        in_view(page, ".hypothesis")
        >= page.locator(".stage:visible .hypothesis").evaluate("p => p.scrollHeight") - 2
    )
    for wording in LONG:
        answer = page.locator(".stage:visible").get_by_role("button", name=wording)
        expect(answer).to_be_in_viewport(ratio=1)
        assert answer.evaluate(
            "button => button.scrollWidth <= button.clientWidth && button.scrollHeight <= button.clientHeight"
        )
    assert no_sideways_scroll(page)


def size_of(page: Page, what: str) -> str:
    return str(page.locator(what).evaluate("element => getComputedStyle(element).fontSize"))
