"""A model answers while Ana types, on a phone and at a desk; without it, the page works as ever."""

import pytest
from playwright.sync_api import expect

from accounts.models import User
from collection.models import Corpus, Guidance, Pair, PromptVersion
from collection.writing.prompts import read_prompt
from tests.browser.looks import PHONE, complaints, no_sideways_scroll
from tests.browser.site import make_site
from tests.browser.writing import begin, fields
from tests.collection.test_model_in_the_loop import RUN, Model, model  # noqa: F401 a fixture


@pytest.fixture
def corpus(live_server, ana: User) -> Corpus:
    corpus = make_site(ana)
    PromptVersion.objects.update(mode="model", bonus_cents=20, **RUN)
    read_prompt(annotator=ana, version=corpus.prompts.get().versions.get(), answers={})
    return corpus


@pytest.mark.parametrize("look", [{}, PHONE], ids=["laptop", "phone"])
def test_the_model_answers_below_the_field_and_typing_goes_on(corpus, watched, ana, model: Model, look):  # noqa: F811
    page = begin(watched(ana, **look))
    expect(page.get_by_text("you get $0.20 more.")).to_be_visible()
    first, second, third = fields(page)
    first.press_sequentially("A contradiction, it seems")
    answer = page.locator("[data-answer-for]").first
    expect(answer).to_contain_text("The model chose “Definitely incorrect”. You misled it.")
    first.press_sequentially(" so")  # nothing waits, and what was said stays until there is newer
    expect(answer).to_be_visible()
    expect(answer).to_contain_text("Without the text it would choose")
    assert no_sideways_scroll(page)
    assert complaints(page, "writing with a model") == []
    second.fill("Its contradiction.")
    expect(page.locator("[data-answer-for]").last).to_contain_text("It is right.")
    third.fill("It is neutral.")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Saved. You earned")).to_be_visible()
    kept = {each.label: each for each in Guidance.objects.filter(pair__isnull=False)}
    assert set(kept) == {"entailment", "contradiction", "neutral"}
    assert kept["entailment"].model_answer == "contradiction"
    assert kept["entailment"].model_tries >= 1
    assert model.asked


def test_without_the_model_it_is_said_and_the_sentences_are_sent(corpus, watched, ana, model: Model):  # noqa: F811
    model.away = True
    page = begin(watched(ana, **PHONE))
    expect(page.get_by_text("The model cannot be reached just now. Write as usual")).to_be_visible()
    for field, text in zip(fields(page), ("It is.", "It is not.", "It may be."), strict=True):
        field.fill(text)
    expect(page.locator("[data-answer-for]").first).to_contain_text("The model cannot answer just now.")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Saved. You earned")).to_be_visible()
    assert Pair.objects.filter(author=ana, assignment__isnull=False).count() == 3
    assert not Guidance.objects.exists()
