"""A phone that is turned while somebody labels or writes: nothing is lost, and what belongs together stays in view."""

import pytest
from playwright.sync_api import Page, expect

from collection.models import Corpus, Pair, Premise
from collection.writing.prompts import read_prompt
from tests.browser.labelling import PAGE as LABELLING
from tests.browser.labelling import READ_MS, in_view, pass_time, with_standing_clock
from tests.browser.looks import no_sideways_scroll
from tests.browser.site import make_site
from tests.browser.waiting import wait_until
from tests.browser.writing import PAGE as WRITING
from tests.browser.writing import saved
from validation.labelling.instructions import read_instructions
from validation.models import BatchItem, Question

UPRIGHT, TURNED = {"width": 360, "height": 640}, {"width": 640, "height": 360}
TURNS = (TURNED, UPRIGHT, TURNED)
TEXT = "Nobody had told the twins that the lake freezes over in December, and so they brought a boat. " * 8
ARABIC = "خرج الصيادون قبل شروق الشمس وعادوا في المساء بقوارب شبه فارغة، ولم يشتكِ أحد منهم من البحر. " * 8
LANGUAGES = pytest.mark.parametrize("language", ["en", pytest.param("ar", marks=pytest.mark.thorough)])


def turn(page: Page, to: dict[str, int]) -> None:
    if page.viewport_size == to:
        return
    # A busy browser may tell the page late, and of two turns at once; the script answers in the next two pictures.
    page.evaluate("""() => { window.turned = new Promise(drawn => addEventListener("resize", () =>
        requestAnimationFrame(() => requestAnimationFrame(drawn)), {once: true})); }""")
    page.set_viewport_size(to)
    page.evaluate("window.turned")


def is_whole(page: Page, what: str) -> bool:
    return page.locator(f"{what}:visible").last.evaluate("""element => {
        const box = element.getBoundingClientRect();
        return box.top >= -1 && box.bottom <= innerHeight + 1;
    }""")


@pytest.mark.thorough
@LANGUAGES
def test_labelling_goes_on_after_a_turn(live_server, watched, vera, language):
    corpus = make_site(vera)
    read_instructions(question=Question.objects.get(), annotator=vera, answers={})
    Corpus.objects.filter(pk=corpus.pk).update(language=language)
    Premise.objects.update(text=(ARABIC if language == "ar" else TEXT)[:700])
    Pair.objects.update(hypothesis="They brought a boat to a lake on which nobody could row.")
    page = with_standing_clock(watched(vera, viewport=UPRIGHT, has_touch=True, is_mobile=True))
    page.goto(LABELLING)
    for number, size in enumerate((UPRIGHT, *TURNS), start=1):
        turn(page, size)
        expect(page.locator("legend:visible")).to_have_text(f"Sentence {number} of 5")
        for what in (".stage", ".stage .hypothesis", ".stage button.choice"):
            assert is_whole(page, what), (what, size)
        assert in_view(page, ".premise") >= 40
        assert in_view(page, ".hypothesis") >= page.locator(".hypothesis:visible").evaluate(
            "p => Math.min(p.scrollHeight, p.clientHeight) - 2"
        )
        assert no_sideways_scroll(page)
        pass_time(page, READ_MS)
        page.locator(".stage:visible button.choice").nth(number % 3).tap()
    expect(page.locator("legend:visible")).to_have_text("Sentence 5 of 5")
    turn(page, UPRIGHT)
    pass_time(page, READ_MS)
    page.locator(".stage:visible button.choice").first.tap()
    turn(page, TURNED)
    page.get_by_role("button", name="Send now").tap()
    expect(page.get_by_text("Your answers are saved.")).to_be_visible()
    wanted = ["neutral", "contradiction", "entailment", "neutral", "entailment"]
    assert list(BatchItem.objects.values_list("answer", flat=True)) == wanted


@LANGUAGES
def test_writing_goes_on_after_a_turn(live_server, watched, ana, language):
    corpus = make_site(ana)
    read_prompt(annotator=ana, version=corpus.prompts.get().versions.get(), answers={})
    Corpus.objects.filter(pk=corpus.pk).update(language=language)
    Premise.objects.update(text=(ARABIC if language == "ar" else TEXT)[:700])
    page = watched(ana, viewport=UPRIGHT, has_touch=True, is_mobile=True)
    page.goto(WRITING)
    fields = page.locator("textarea[data-text]")
    for number, size in enumerate((UPRIGHT, TURNED, UPRIGHT)):
        turn(page, size)
        for _ in range(2):  # the field in which somebody writes stays in view on the next turn
            fields.nth(number).tap()
            wait_until(page, lambda number=number: text_and_field(page, number))
            assert is_whole(page, "#send"), size
            assert no_sideways_scroll(page)
            turn(page, UPRIGHT if size == TURNED else TURNED)
            wait_until(page, lambda number=number: text_and_field(page, number))
            turn(page, size)
        fields.nth(number).fill(f"A sentence, number {number}.")
    for number in range(3):
        expect(fields.nth(number)).to_have_value(f"A sentence, number {number}.")
    page.get_by_role("button", name="Send").tap()
    expect(page.get_by_text("Saved. You earned")).to_be_visible()
    assert sorted(saved()) == [f"A sentence, number {number}." for number in range(3)]


def text_and_field(page: Page, number: int) -> bool:
    """Returns whether lines of the text and the whole field are in view, and neither covers the other."""
    text = page.locator("#premise").evaluate("""element => {
        const box = element.getBoundingClientRect();
        let free = 0;
        for (let y = Math.max(0, Math.ceil(box.top)); y < Math.min(box.bottom, innerHeight); y += 1)
            if (element.contains(document.elementFromPoint(box.left + 20, y))) free += 1;
        return free;
    }""")
    return text >= 80 and page.locator("textarea[data-text]").nth(number).evaluate("""element => {
        const box = element.getBoundingClientRect();
        const isFree = (y) => element.contains(document.elementFromPoint(box.left + 20, y));
        return box.top >= 0 && box.bottom <= innerHeight && isFree(box.top + 3) && isFree(box.bottom - 3);
    }""")
