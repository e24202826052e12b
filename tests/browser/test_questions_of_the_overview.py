"""Each question on the overview of a corpus is answered at most two clicks away, by the number that the figure says."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation_site.workspace.overview_pages import questions_of
from collection.models import Corpus, Pair, PromptVersion, WritingAssignment, WritingSeat
from modeling.folders import folder_of
from modeling.results.breakdowns import store_breakdowns
from snapshots.models import Snapshot
from tests.browser.test_workspace_in_the_browser import WIDE
from tests.cast import ana
from tests.charted import charted_corpus
from tests.corpora import make_corpus
from tests.modeling.material import done_run, write_predictions
from tests.snapshots.material import freeze
from validation.models import Label
from validation.statistics import cached

MOST_CLICKS = 2
Said = Callable[[Client, Snapshot], str]


def of_corpus(name: str, **query: str) -> Said:
    """Returns what REST says of a figure of the corpus."""
    return lambda client, newest: _said(client, f"corpora/charted/figures/{name}", query)


def of_snapshot(name: str) -> Said:
    return lambda client, newest: _said(client, f"snapshots/{newest.pk}/figures/{name}", {})


def _said(client: Client, path: str, query: dict[str, str]) -> str:
    answer = client.get(f"/api/v1/{path}", query)
    assert answer.status_code == 200, (path, answer.content)
    return str(answer.json()["title"])


def fixed(text: str) -> Said:
    return lambda client, newest: text


# question -> (the links after it, what is seen there)
ANSWERS: dict[str, tuple[tuple[str, ...], Said]] = {
    "Which genre lags?": ((), of_corpus("finished")),
    "Who guesses?": ((), of_corpus("annotators-speed")),
    "What does it cost until it is done?": ((), fixed("Earned so far")),
    "Which prompt gives labels away?": ((), of_corpus("bias-alone", by="version")),
    "Why did agreement fall this week?": ((), of_corpus("agreement-without")),
    "What did the newest version of a prompt change?": ((), of_corpus("prompts-gold")),
    "Which pairs for the paper?": ((), of_corpus("paper-pairs")),
    "Does the hypothesis alone tell the label?": ((), of_snapshot("baselines")),
    "Which run is best, and why?": ((), of_snapshot("baselines-by-part")),
    "What changed since the last snapshot?": ((), of_snapshot("changed-pairs")),
    "Whom do we owe what?": ((), of_corpus("pay-by-day")),
    "Is it ready to be released?": ((), fixed("of 8 questions of the datasheet are answered")),
}


def make_material() -> Snapshot:
    """Makes a corpus with two prompt versions, two snapshots, a run on the newest, flags and counts; returns the newest."""
    corpus = charted_corpus()
    first = PromptVersion.objects.get(prompt__corpus=corpus)
    second = PromptVersion.objects.create(prompt=first.prompt, number=2, instructions="Read.", digest="2")
    keys = list(Pair.objects.filter(corpus=corpus).order_by("pk").values_list("pk", flat=True))
    for version, part in ((first, keys[:100:2]), (second, keys[101::2])):
        Pair.objects.filter(pk__in=part).update(prompt_version=version)
        premise = Pair.objects.get(pk=part[0]).premise
        when = timezone.now()
        seat = WritingSeat.objects.create(
            premise=premise,
            position=1,
            genre=premise.genre,
            turn=1,
            annotator=ana(),
            leased_until=when,
            submitted_at=when,
        )
        task = WritingAssignment.objects.create(
            corpus=corpus,
            annotator=ana(),
            seat=seat,
            prompt_version=version,
            outcome="submitted",
            closed_at=when,
        )
        Pair.objects.filter(pk__in=part[:3]).update(assignment=task)
    Corpus.objects.update(dev_pairs_per_genre=9, test_pairs_per_genre=9)
    corpus.refresh_from_db()
    freeze(corpus)
    changed = Pair.objects.filter(corpus=corpus, author_label="neutral").earliest("pk")
    Label.objects.filter(pair=changed, position__gt=1, position__lt=6).update(label="contradiction")
    newest = freeze(corpus)
    for baseline in ("cbow", "hypothesis_only"):
        run = done_run(newest, baseline)
        write_predictions(run, "test", wrong=3)
        store_breakdowns(run, newest, folder_of(run), ["test"])
    question = corpus.questions.get()
    for kind, by in (("annotators", ""), ("bias", "version")):
        cached.carry_out(statistics_id=cached.request_statistics(question=question, kind=kind, by=by).pk)
    return newest


def test_a_corpus_has_the_questions_whose_parts_it_has(db):
    empty = Corpus.objects.create(slug="empty", name="Empty")
    assert [each.question for each in questions_of(empty, None, None, has_prompt=False)] == [
        "What does it cost until it is done?",
        "Whom do we owe what?",
    ]
    corpus = make_corpus()
    newest = Snapshot(pk=1, corpus=corpus)
    found = questions_of(corpus, corpus.questions.get(), newest, has_prompt=True)
    known = [each.question for each in found]
    assert known == list(ANSWERS)
    assert all(len(links) < MOST_CLICKS for links, _ in ANSWERS.values())


@pytest.mark.thorough
def test_each_question_leads_to_the_number_that_its_figure_says(live_server, watched, rosa, sent):
    newest = make_material()
    client = Client()
    client.force_login(rosa)
    page: Page = watched(rosa, **WIDE)
    overview = reverse("corpus-overview", args=["charted"])
    page.goto(overview)
    asked: Any = page.get_by_role("navigation", name="Questions").get_by_role("link")
    assert asked.all_text_contents() == list(ANSWERS)
    wrong = []
    for question, (links, said) in ANSWERS.items():
        page.goto(overview)
        for name in (question, *links):
            page.get_by_role("link", name=name, exact=True).first.click()
            page.wait_for_load_state()
        sentence = said(client, newest)
        try:
            expect(page.get_by_text(re.compile(re.escape(sentence))).first).to_be_visible()
        except AssertionError:
            wrong.append((question, sentence, page.url))
    assert wrong == []
