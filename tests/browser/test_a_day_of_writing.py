"""A whole day: twelve writers over the six prompts of the example corpus, each in a browser of their own.

Two of them write for one premise at one moment, one loses the lease while typing, one closes the tab, one has a phone, one
goes by roles and names as a screen reader does, one reports a problem, one copies the premise, one has no scripts.
"""

import io
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from accounts.models import User
from accounts.people.consents import give_consent
from collection.models import (
    AdviceGiven,
    Corpus,
    Pair,
    ProblemReport,
    Prompt,
    PromptReading,
    PromptVersion,
    WritingAssignment,
    WritingSeat,
    WritingSignals,
)
from tests.browser.looks import PHONE, width_of
from tests.cast import person

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "demo"
PAGE = "/work/writing/demo/"
SAVED = re.compile("Saved. You earned")


@pytest.fixture
def demo(live_server: Any) -> Corpus:
    quiet = {"stdout": io.StringIO(), "stderr": io.StringIO()}
    call_command("load_corpus", EXAMPLE / "corpus.toml", **quiet)
    for path in sorted((EXAMPLE / "premises").glob("*.txt")):
        call_command("import_premises", "demo", path, genre=path.stem, licence="CC0-1.0", **quiet)
    return Corpus.objects.get(slug="demo")


class Writer:
    """A writer with a browser, who reads everything that comes before a task."""

    def __init__(self, name: str, corpus: Corpus, window: BrowserContext) -> None:
        self.user: User = person(name)
        give_consent(user=self.user, form=corpus.consent_form)
        self.corpus, self.window = corpus, window
        self.page: Page = window.new_page()

    def begin(self, kind: str = "") -> None:
        """Goes to the next task, of the chosen kind if there is one, past its instructions and their check."""
        self.page.goto(f"{PAGE}?prompt={kind}" if kind else PAGE)
        if "/prompt/" in self.page.url:
            version = PromptVersion.objects.get(pk=self.page.url.rstrip("/").rpartition("/")[2])
            for question in version.check_questions.all():
                if self.page.locator("#check-all").is_visible():  # without scripts
                    self.page.check(f"#check-{question.order} input[value={question.label}]")
                else:
                    self.page.click(f"#check-{question.order} button[value={question.label}]")
            if self.page.locator("#check-all").is_visible():
                self.page.click("#check-all")
        expect(self.page.get_by_role("heading", level=1)).to_have_text(re.compile("Write three sentences"))

    @property
    def task(self) -> WritingAssignment:
        return WritingAssignment.objects.get(annotator=self.user, closed_at=None)

    def write(self, *, before: str = "") -> None:
        """Writes sentences that fit no premise and are all different."""
        for label, said in (("entailment", "sure"), ("neutral", "open"), ("contradiction", "ruled out")):
            text = f"{before}What {self.user.username} says of task {self.task.pk} is {said}."
            self.page.fill(f"[data-text={label}]", text)

    def send(self) -> None:
        self.page.get_by_role("button", name="Send", exact=True).click()


@pytest.fixture
def writer_of(demo: Corpus, window_of: Callable[..., BrowserContext]) -> Callable[..., Writer]:
    return lambda name, **settings: Writer(name, demo, window_of(person(name), **settings))


@pytest.mark.thorough
def test_a_day_of_twelve_writers(demo, writer_of):
    copies_the_premise(writer_of("copier"))
    reports_a_problem(writer_of("reporter"))
    writes_on_a_phone(writer_of("phone", **PHONE))
    goes_by_roles_and_names(writer_of("reader"))
    closes_the_tab(writer_of("closer"))
    loses_the_lease_while_typing(writer_of("slow"))
    has_no_scripts(writer_of("plain", java_script_enabled=False))
    write_for_one_premise_at_one_moment(writer_of("first"), writer_of("second"))
    others = [writer_of(name) for name in ("tenth", "eleventh", "twelfth")]
    write_until_every_prompt_is_written_under(others)

    people = User.objects.annotators()
    sent = WritingAssignment.objects.sent()
    assert people.count() == 12
    assert set(sent.values_list("annotator", flat=True)) == set(people.values_list("pk", flat=True))
    assert {task.prompt_version.prompt for task in sent} == set(Prompt.objects.all())
    assert Prompt.objects.count() == 6
    assert Pair.objects.count() == 3 * sent.count()
    surplus = Pair.objects.filter(withdrawn_at__isnull=False)
    assert surplus.count() == 3
    per_premise = Pair.objects.standing().values_list("premise", "author").distinct()
    assert len(per_premise) == len({premise for premise, _ in per_premise}), "one writer a premise"
    for user in people:
        paid = sum(task.prompt_version.pay_cents for task in sent.filter(annotator=user))
        assert user.ledger.filter(kind="writing").total_cents() == paid > 0
    assert not WritingAssignment.objects.filter(drafts__isnull=False, outcome="submitted").exists()


def copies_the_premise(writer: Writer) -> None:
    writer.begin()
    premise = writer.task.seat.premise.text
    writer.write()
    writer.page.fill("[data-text=entailment]", premise)
    expect(writer.page.get_by_text("This is the text itself.")).to_be_visible()
    writer.send()
    expect(writer.page.get_by_role("alert").filter(has_text="Nothing is lost")).to_be_visible()
    assert not Pair.objects.exists()
    assert list(AdviceGiven.objects.values_list("advice", "refused")) == [("same_as_premise", True)]
    writer.write()
    writer.send()
    expect(writer.page.get_by_text(SAVED)).to_be_visible()


def reports_a_problem(writer: Writer) -> None:
    writer.begin()
    reported = writer.task
    writer.page.locator("summary", has_text="Report or skip this text").click()
    writer.page.get_by_label("Is something wrong with this text?").fill("A word is missing.")
    writer.page.get_by_label("Reason to skip it").select_option("unclear")
    writer.page.locator("#bug").get_by_role("button", name="Report and skip").click()
    expect(writer.page.get_by_text("a researcher will read what you reported")).to_be_visible()
    assert ProblemReport.objects.get().assignment == reported
    assert WritingAssignment.objects.get(pk=reported.pk).skip_reason == "unclear"
    writer.begin()
    assert writer.task.seat.premise != reported.seat.premise
    writer.write()
    writer.send()
    expect(writer.page.get_by_text(SAVED)).to_be_visible()


def writes_on_a_phone(writer: Writer) -> None:
    writer.begin()
    assert width_of(writer.page) <= 360
    for button in writer.page.locator("#task button:visible, #task select:visible").all():
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 44
    writer.write()
    writer.page.get_by_role("button", name="Send", exact=True).tap()
    expect(writer.page.get_by_text(SAVED)).to_be_visible()


def goes_by_roles_and_names(writer: Writer) -> None:
    """Uses the page as a screen reader does: finds each element by its role and name."""
    writer.page.goto(PAGE)
    version = PromptVersion.objects.get(pk=writer.page.url.rstrip("/").rpartition("/")[2])
    for number, question in enumerate(version.check_questions.all(), start=1):
        group = writer.page.get_by_role("group", name=re.compile(f"^Question {number} of "))
        words = writer.corpus.answer_words
        expect(group.get_by_role("button")).to_have_count(len(words))
        for button, name in zip(group.get_by_role("button").all(), words.values(), strict=True):
            expect(button).to_have_accessible_name(name)
        group.get_by_role("button", name=words[question.label]).press("Enter")
    page = writer.page
    expect(page.get_by_role("main")).to_match_aria_snapshot(
        """
        - main:
          - heading "Write three sentences" [level=1]
          - heading "Text" [level=2]
          - region "Text"
          - button "Send"
        """
    )
    boxes = page.get_by_role("main").get_by_role("textbox").filter(visible=True)
    expect(boxes).to_have_count(3)
    for box, name in zip(boxes.all(), writer.corpus.answer_words.values(), strict=True):
        expect(box).to_have_accessible_name(name)
    expect(boxes.first).to_have_accessible_description(re.compile(re.escape(writer.task.seat.premise.text)))
    expect(page.get_by_role("region", name="Text")).to_contain_text(writer.task.seat.premise.text)
    for number, box in enumerate(boxes.all()):
        box.fill(f"{writer.user.username} writes sentence {number} here and nothing else.")
    page.get_by_role("button", name="Send", exact=True).press("Enter")
    expect(page.get_by_role("status").filter(has_text="Saved. You earned")).to_be_visible()


def closes_the_tab(writer: Writer) -> None:
    writer.begin()
    writer.write()
    task = writer.task
    writer.page.close(run_before_unload=True)
    writer.page = writer.window.new_page()
    writer.begin()
    assert writer.task == task
    expect(writer.page.locator("[data-text=neutral]")).to_have_value(re.compile("says of task"))
    writer.send()
    expect(writer.page.get_by_text(SAVED)).to_be_visible()


def loses_the_lease_while_typing(writer: Writer) -> None:
    writer.begin()
    writer.write()
    WritingSeat.objects.filter(annotator=writer.user).update(leased_until=timezone.now())
    writer.send()
    expect(writer.page.get_by_text(SAVED)).to_be_visible()


def has_no_scripts(writer: Writer) -> None:
    writer.begin()
    writer.write()
    writer.page.get_by_role("button", name="Save draft").click()
    expect(writer.page.get_by_text("Your draft is saved.")).to_be_visible()
    expect(writer.page.locator("[data-text=neutral]")).to_have_value(re.compile("says of task"))
    writer.send()
    expect(writer.page.get_by_text(SAVED)).to_be_visible()
    assert not WritingSignals.objects.filter(assignment__annotator=writer.user).exists()


def write_for_one_premise_at_one_moment(first: Writer, second: Writer) -> None:
    """Lets a lease end and a second writer get the premise, while the first one still has it open."""
    first.begin()
    seat = first.task.seat
    WritingSeat.objects.filter(pk=seat.pk).update(leased_until=timezone.now() - timedelta(seconds=1))
    second.begin()
    assert second.task.seat == seat
    first.write()
    second.write()
    second.send()
    expect(second.page.get_by_text(SAVED)).to_be_visible()
    first.send()
    expect(first.page.get_by_text("no longer open for you")).to_be_visible()
    assert WritingAssignment.objects.filter(seat=seat).sent().count() == 2


def write_until_every_prompt_is_written_under(writers: list[Writer]) -> None:
    """The genres fill evenly, so that a few rounds are enough."""
    for writer in writers * 8:
        written = WritingAssignment.objects.sent().values_list("prompt_version__prompt", flat=True)
        idle = not WritingAssignment.objects.sent().filter(annotator=writer.user).exists()
        if not idle and set(written) == set(Prompt.objects.values_list("pk", flat=True)):
            continue
        # Texts that may upset come later, and first only to those who choose them.
        writer.begin("nineeleven" if idle and writer is writers[0] else "")
        writer.write()
        writer.send()
        expect(writer.page.get_by_text(SAVED)).to_be_visible()
    assert PromptReading.objects.filter(passed_at=None).count() == 0
