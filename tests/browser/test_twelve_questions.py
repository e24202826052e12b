"""Twelve questions of a researcher, each answered at most three clicks from home: docs/workspace.md has the paths."""

import re
from collections.abc import Callable

import pytest
from django.conf import settings
from playwright.sync_api import Locator, Page, expect

from collection.models import Pair
from modeling.folders import folder_of
from modeling.results.breakdowns import store_breakdowns
from tests.browser.test_workspace_in_the_browser import WIDE
from tests.charted import charted_corpus
from tests.modeling.material import done_run, small_snapshot, write_predictions
from tests.snapshots.material import freeze
from validation.models import Label
from validation.pairs.opening import open_for_validation
from validation.statistics import cached

PAGE = settings.BASE_DIR / "docs" / "workspace.md"
MOST_CLICKS = 3
CHARTED, SMALL = "The charted corpus", "The small corpus"
Answer = Callable[[Page], Locator]


def chart(title: str) -> Answer:
    return lambda page: page.locator("figcaption").filter(has_text=re.compile(title))


def text(words: str) -> Answer:
    return lambda page: page.get_by_text(re.compile(words)).first


# question -> (corpus, what answers it)
ANSWERS: dict[str, tuple[str, Answer]] = {
    "What waits for me?": ("", text("2 annotators are flagged in The charted corpus")),
    "When will the last label come?": (CHARTED, text(r"labels left, the last one about")),
    "Who is slow and wrong?": (CHARTED, chart(r"2 of \d+ people are flagged; medians of people are")),
    "Which genre has the worst agreement, and is that more than noise?": (
        CHARTED,
        chart("no genre stands out"),
    ),
    "How does our agreement compare with SNLI's and MultiNLI's?": (CHARTED, text("^MultiNLI$")),
    "Which pairs split the annotators?": (CHARTED, text(r"\d Definitely correct, \d Maybe correct")),
    "What gives labels away?": (CHARTED, text(r"^nobody \(\d+, 0\.\d\d\)|nobody \(\d+, ")),
    "Which run is best on fiction?": (SMALL, chart("^(The accuracy of|Accuracy by label and genre)")),
    "What do we owe?": (CHARTED, text("Owed: earned, not paid yet")),
    "Who labels now, and how long does a label take?": (CHARTED, text("Who labelled in the last 24 hours")),
    "What does the release still need?": (CHARTED, text("of 8 questions of the datasheet are answered")),
    "What changed since the last snapshot?": (CHARTED, text("(has|have) another gold label")),
}


def paths() -> list[tuple[str, int, list[str]]]:
    """Returns the table of the page: question, clicks, the names of the links."""
    table = PAGE.read_text().split("<!-- twelve questions -->")[1].split("<!-- end -->")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.strip().splitlines()[2:]]
    return [
        (question, int(clicks), [step for step in path.split(", ") if step])
        for question, _, clicks, path in rows
    ]


def test_the_page_has_twelve_questions_of_three_clicks_at_most():
    assert [question for question, _, _ in paths()] == list(ANSWERS)
    assert len(ANSWERS) == 12
    for question, clicks, path in paths():
        assert clicks == len(path) <= MOST_CLICKS, question


@pytest.mark.thorough
def test_each_path_leads_to_the_answer(live_server, watched, rosa, sent):
    make_material()
    page = watched(rosa, **WIDE)
    for question, _, path in paths():
        corpus, answer = ANSWERS[question]
        page.goto("/admin/")
        for step in path:
            name = {"corpus": corpus, "snapshot": re.compile(r"^charted@\d+$")}.get(step, step)
            exact = isinstance(name, str)
            page.locator("main, nav").get_by_role("link", name=name, exact=exact).first.click()
            page.wait_for_load_state()
        expect(answer(page), question).to_be_visible()


def make_material() -> None:
    """Makes a labelled corpus with two snapshots, flags and counts, and another with runs."""
    corpus = charted_corpus()
    freeze(corpus)
    changed = Pair.objects.filter(corpus=corpus, author_label="neutral").earliest("pk")
    Label.objects.filter(pair=changed, position__gt=1, position__lt=6).update(label="contradiction")
    freeze(corpus)
    question = corpus.questions.get()
    for kind in ("annotators", "bias"):
        row = cached.request_statistics(question=question, kind=kind)
        cached.carry_out(statistics_id=row.pk)
    # One pair more, so that labels are left.
    pair = Pair.objects.filter(corpus=corpus).latest("pk")
    more = Pair.objects.create(
        corpus=corpus, premise=pair.premise, hypothesis="One more.", scheme=pair.scheme,
        author=pair.author, author_label="neutral", public_id="one-more",
    )  # fmt: skip
    open_for_validation(question=question, pairs=Pair.objects.filter(pk=more.pk))
    snapshot = small_snapshot(9, test=9)
    run = done_run(snapshot)
    write_predictions(run, "test", wrong=3)
    store_breakdowns(run, snapshot, folder_of(run), ["test"])
