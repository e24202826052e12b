"""Each way of writing that a prompt may name, on a phone and on a laptop, by keys alone; drafts of edits without scripts."""

import os
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from collection.models import AdviceGiven, Corpus, DraftText, Pair, PairEdit, PromptVersion
from collection.writing import submitting
from collection.writing.prompts import read_prompt
from tests.browser.looks import PHONE, all_complaints, no_sideways_scroll
from tests.browser.site import make_site
from tests.browser.writing import MINE, fields, shows

PAGE = "/work/writing/small/"
LAPTOP = {"viewport": {"width": 1280, "height": 800}}
IN_SIGHT = """element => {
    const box = element.getBoundingClientRect();
    const on = document.elementFromPoint(box.left + 5, box.bottom - 3);
    return on === element || element.contains(on);
}"""
WAYS: dict[str, dict[str, Any]] = {
    "write": {},
    "edit": {"mode": "edit"},
    "contrast": {"mode": "contrast"},
    "explain": {"mode": "explain"},
    "avoid": {"avoid": "nobody, n't"},
    "coach": {"coach": True},
}


@pytest.fixture
def corpus(live_server: Any, ana: Any, monkeypatch: pytest.MonkeyPatch) -> Corpus:
    """Makes a corpus whose prompt Ana has read, in which *sleeping* gives contradictions away."""
    monkeypatch.setattr(submitting, "GIVE_AWAYS", [lambda corpus: {"contradiction": ["sleeping"]}])
    corpus = make_site(ana)
    read_prompt(annotator=ana, version=corpus.prompts.get().versions.get(), answers={})
    return corpus


def look(page: Page, name: str) -> None:
    assert no_sideways_scroll(page), name
    assert all_complaints(page, name) == []
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=f"{folder}/{name}.png")


def sent(page: Page) -> dict[str, str]:
    """Sends by keys; returns label -> hypothesis of what was saved."""
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Saved. You earned")).to_be_visible()
    return dict(Pair.objects.filter(assignment__isnull=False).values_list("author_label", "hypothesis"))


def add(page: Page, number: int, text: str) -> None:
    field = fields(page)[number]
    field.focus()
    page.keyboard.press("Control+End")
    page.keyboard.type(text)


@pytest.mark.parametrize("screen", [pytest.param(PHONE, id="phone"), pytest.param(LAPTOP, id="laptop")])
@pytest.mark.parametrize("way", WAYS)
def test_a_way_of_writing(way, screen, corpus, window_of, ana):
    if WAYS[way]:
        PromptVersion.objects.update(**WAYS[way])
    name = f"{way}-{screen['viewport']['width']}"
    page = window_of(ana, **screen).new_page()
    page.goto(PAGE)
    premise = page.locator("#premise").inner_text()
    look(page, f"{name}-begun")
    before = [field.input_value() for field in fields(page)]
    assert before == ([premise] * 3 if way == "edit" else [""] * 3)
    if way == "contrast":
        add(page, 0, "A first sentence.")
        begin = page.get_by_role("button", name="Begin with my first sentence")
        expect(begin).to_have_count(2)
        for _ in range(2):  # one that was used goes
            begin.first.focus()
            page.keyboard.press("Enter")
        shows(page, ("A first sentence.",) * 3)
        add(page, 1, " No.")
        add(page, 2, " Perhaps.")
    elif way == "edit":
        for number, text in enumerate((" Yes.", " No.")):
            add(page, number, text)
        page.keyboard.press("Control+Enter")
        expect(page.get_by_text("Nothing is changed yet. Please change this sentence.").first).to_be_visible()
        look(page, f"{name}-refused")
        add(page, 2, " Perhaps.")
    else:
        for number, text in enumerate(MINE):
            add(page, number, text)
    if way == "explain":
        page.keyboard.press("Control+Enter")
        expect(page.get_by_text("Please say why.").first).to_be_visible()
        look(page, f"{name}-refused")
        for number, why in enumerate(page.get_by_role("textbox", name="Why does it fit?").all()):
            why.focus()
            page.keyboard.type(f"Reason {number}.")
    if way == "avoid":
        add(page, 1, " They don’t.")
        page.keyboard.press("Control+Enter")
        expect(page.get_by_text("n't").first).to_be_visible()
        assert not Pair.objects.filter(assignment__isnull=False).exists()
        look(page, f"{name}-refused")
        fields(page)[1].fill(MINE[1])
    if way == "coach":
        add(page, 1, " It is sleeping.")
        advice = page.locator(".advice", has_text="sleeping").first
        expect(advice).to_be_visible()
        assert advice.evaluate(IN_SIGHT), "the bar with the button does not hide it"
        if folder := os.environ.get("SHOTS"):
            page.screenshot(path=f"{folder}/{name}-view.png")
        look(page, f"{name}-advised")
    saved = sent(page)
    assert set(saved) == {"entailment", "neutral", "contradiction"}
    edits = dict(PairEdit.objects.values_list("pair__author_label", "edited_from"))
    families = set(Pair.objects.filter(assignment__isnull=False).values_list("family", flat=True))
    if way == "edit":
        assert edits == dict.fromkeys(saved, premise)
    elif way == "contrast":
        assert edits == dict.fromkeys(("contradiction", "neutral"), "A first sentence.")
        assert len(families) == 1
    else:
        assert not edits
        assert families == {""}
    if way == "explain":
        reasons = Pair.objects.filter(assignment__isnull=False).values_list("author_reason", flat=True)
        assert sorted(reasons) == [f"Reason {number}." for number in range(3)]
    if way == "coach":
        assert AdviceGiven.objects.filter(advice="gives_away", refused=False).exists()
        assert "sleeping" in saved["contradiction"], "advice never prevents sending"


@pytest.mark.parametrize("mode", ["edit", "contrast"])
def test_a_draft_of_a_change_is_kept_without_scripts(mode, corpus, window_of, ana):
    PromptVersion.objects.update(mode=mode)
    page = window_of(ana, java_script_enabled=False).new_page()
    page.goto(PAGE)
    premise = page.locator("#premise").inner_text()
    start = premise if mode == "edit" else ""
    fields(page)[0].fill("A first sentence.")
    page.get_by_role("button", name="Save draft").click()
    expect(page.get_by_text("Your draft is saved.")).to_be_visible()
    assert dict(DraftText.objects.values_list("label", "text")) == {"entailment": "A first sentence."}
    page.goto(PAGE)
    shows(page, ("A first sentence.", start, start))
    expect(page.get_by_role("button", name="Begin with my first sentence")).to_have_count(0)
    fields(page)[1].fill("A second sentence.")
    fields(page)[2].fill("Perhaps a sentence.")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_text("Saved. You earned")).to_be_visible()
    edits = dict(PairEdit.objects.values_list("pair__author_label", "edited_from"))
    changed = {"entailment": premise} if mode == "edit" else {}
    of = premise if mode == "edit" else "A first sentence."
    assert edits == {**changed, "contradiction": of, "neutral": of}
    assert not DraftText.objects.exists()
