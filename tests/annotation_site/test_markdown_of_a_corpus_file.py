"""Markdown of a corpus file is formatted on every page that shows it, and none of it runs as a script."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from lxml import html

from accounts.models import Grant, User
from accounts.people.consents import give_consent
from collection.models import Corpus, PromptReading
from collection.premises.writing_seats import make_seats
from tests.commands import run
from tests.corpora import make_pair, make_premise
from validation.models import Question
from validation.pairs.opening import open_for_validation

pytestmark = pytest.mark.django_db

# Each of them would run in a browser if it were not escaped.
ATTACKS = (
    "<script>stolen()</script>"
    " <img src=x onerror=stolen()>"
    " <svg/onload=stolen()>"
    " [a](javascript:stolen())"
    " [b](JaVa&#115;cript:stolen())"
    " [c](data:text/html,stolen)"
    ' [d](https://example.org/"onmouseover="stolen())'
    " <a href='javascript:stolen()'>e</a>"
    " ![f](https://example.org/f.png)"
    " <iframe src=https://example.org></iframe>"
)
TEXT = f"**Bold** {ATTACKS}"
LABELS = ("entailment", "neutral", "contradiction")


def one_for_each_label(table: str, keys: str) -> str:
    return "".join(f"[[{table}]]\nlabel = '{label}'\n{keys}\n" for label in LABELS)


def file_of(text: str) -> str:
    """Returns a corpus file with this text in every place for a text."""
    quoted = f"'''{text}'''"
    example = f"premise = {quoted}\nhypothesis = {quoted}\ncomment = {quoted}"
    label = f"wording = 'Right'\nhelp = {quoted}"
    field = f"wording = {quoted}\nreminder = 'Think.'"
    faq = f"question = {quoted}\nanswer = {quoted}\n"
    return f"""
[corpus]
slug = "sly"
name = "Sly"
description = {quoted}
writing = "exam"
[consent]
title = "Before you start"
text = {quoted}
language_models = {quoted}
[exam]
instructions = {quoted}
[[exam.items]]
premise = {quoted}
hypothesis = {quoted}
label = "neutral"
[question]
wording = {quoted}
instructions = {quoted}
{one_for_each_label("question.labels", label)}
{one_for_each_label("question.examples", example)}
[[question.faq]]
{faq}
[[prompts]]
slug = "plain"
name = "Plain"
instructions = {quoted}
care = {quoted}
{one_for_each_label("prompts.fields", field)}
{one_for_each_label("prompts.examples", example)}
[[prompts.check]]
premise = {quoted}
hypothesis = {quoted}
label = "neutral"
explanation = {quoted}
[[prompts.faq]]
{faq}
[[genres]]
slug = "talk"
name = "Talk"
prompt = "plain"
"""


@pytest.fixture
def pages(tmp_path: Path, ana: User, rosa: User, browser_of: Callable[[User], Client]) -> dict[str, Any]:
    """Returns every page that shows a corpus's texts, as its readers see it."""
    path = tmp_path / "sly.toml"
    path.write_text(file_of(TEXT))
    assert not run("load_corpus", path).failure
    corpus = Corpus.objects.get(slug="sly")
    version = corpus.prompts.get().versions.get()
    form = corpus.consent_form
    assert form is not None
    browser, researcher = browser_of(ana), browser_of(rosa)
    found = {"consent": browser.get(reverse("consent", args=[form.pk]))}
    give_consent(user=ana, form=form)
    found["exam"] = browser.get(reverse("exam", args=["sly"]))
    assert corpus.writing_qualification is not None
    Grant.objects.create(user=ana, qualification=corpus.writing_qualification, how="invitation")
    found["prompt"] = browser.get(reverse("prompt", args=["sly", version.pk]))
    found["prompt with a wrong answer"] = browser.post(
        reverse("prompt", args=["sly", version.pk]), {"agree": "yes"}
    )
    found["prompt as a researcher sees it"] = researcher.get(reverse("prompt", args=["sly", version.pk]))
    found["faq"] = browser.get(reverse("faq", args=[version.pk]))
    PromptReading.objects.update_or_create(
        annotator=ana, version=version, defaults={"passed_at": timezone.now()}
    )
    premise = make_premise(corpus, "A dog runs in the park.", genre="talk")
    make_seats(premises=[premise])
    found["writing"] = browser.get(reverse("writing", args=["sly"]))
    pair = make_pair(corpus, premise, "A dog moves.")
    open_for_validation(question=corpus.questions.get(), pairs=type(pair).objects.filter(pk=pair.pk))
    found["labelling instructions"] = browser.get(reverse("labelling-instructions", args=["sly"]))
    browser.post(reverse("labelling-instructions", args=["sly"]), {"agree": "yes"})
    found["labelling"] = browser.get(reverse("labelling", args=["sly"]))
    return {name: html.fromstring(page.content.decode()) for name, page in found.items()}


def test_nothing_of_a_text_runs_on_any_page(pages: dict[str, Any]) -> None:
    for name, page in pages.items():
        shown = page.text_content()
        assert "stolen()" in shown, f"{name} shows no text of the file: the test would prove nothing"
        assert not page.xpath("//script[contains(., 'stolen')]"), name
        assert not page.xpath("//main//iframe | //main//svg[@onload] | //main//img"), name
        for element in page.xpath("//body//*"):
            handlers = [key for key in element.attrib if key.startswith("on")]
            assert not handlers, f"{name}: {html.tostring(element)[:200]!r}"
        for link in page.xpath("//@href | //@src | //@action"):
            scheme = link.strip().lower().split(":")[0] if ":" in link else ""
            assert scheme in ("", "https", "http", "mailto"), f"{name}: {link}"


@pytest.mark.parametrize("name", ["consent", "exam", "prompt", "faq", "writing", "labelling instructions"])
def test_markdown_is_formatted_where_it_is_shown(pages: dict[str, Any], name: str) -> None:
    assert "Bold" in pages[name].xpath("//main//strong/text()")


@pytest.mark.parametrize("page", ["labelling instructions", "labelling"])
def test_questions_that_people_ask_are_formatted_too(pages: dict[str, Any], page: str) -> None:
    assert "Bold" in pages[page].xpath("//main//summary/strong/text()")


def test_a_corpus_is_described_without_raw_markdown(
    pages: dict[str, Any], browser_of: Any, rosa: User
) -> None:
    corpus = Corpus.objects.get(slug="sly")
    page = browser_of(rosa).get(reverse("admin:collection_corpus_change", args=[corpus.pk])).content.decode()
    assert "<strong>Bold</strong>" in page
    assert "**Bold**" not in page
    assert "<script>stolen" not in page


def test_gold_rules_are_told_without_raw_markdown() -> None:
    assert not [name for name in Question.GoldRule.labels if "`" in name]


def test_pages_that_name_no_icon_find_one(client: Client) -> None:
    assert client.get("/favicon.ico")["Location"].endswith("quintet.svg")
    assert "quintet.svg" in client.get("/admin/login/", follow=True).content.decode()
