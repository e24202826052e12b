"""A simulated crowd: annotators who sign in and work through the real pages over HTTP.

It never uses the database, so it can do only what a person with a browser can do. `intake/crowd.py` creates its
accounts and marks them as simulated.
"""

import itertools
import random
import re
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any

import lxml.html
import requests

# How long an annotator without work waits for a released seat, and how often they try.
PATIENCE_SECONDS = 3.0
PAUSE_SECONDS = 0.5
LOOKS_EVERY = 1.0  # seconds between two reports of progress
INSTRUCTIONS = re.compile(r"/prompt/(\d+)/")
MOST_CHOICES = 5  # labels of the largest scheme

# (premise, hypothesis) -> label, or None to skip the pair.
Judge = Callable[[str, str], str | None]
# (version of the prompt, field, chance) -> what is written into the field.
Say = Callable[[int, str, random.Random], str]


class CrowdError(Exception):
    """The site gave a response with which a person could not work."""


@dataclass
class Tally:
    """Counts what a crowd did; shared by its threads."""

    labels: int = 0
    skipped: int = 0
    written: int = 0
    batches: int = 0
    last_at: float = field(default_factory=time.monotonic)
    stopped: threading.Event = field(default_factory=threading.Event, repr=False)
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def add(self, **counts: int) -> None:
        with self.lock:
            for name, count in counts.items():
                setattr(self, name, getattr(self, name) + count)
            self.last_at = time.monotonic()

    def is_quiet(self) -> bool:
        """Returns whether nobody has done anything for a while, so that no seat will be released."""
        return time.monotonic() - self.last_at > PATIENCE_SECONDS


class Replay:
    """Hands out the labels of a published file, without the author's: each one once, to whoever gets its pair."""

    def __init__(self, rows: Iterable[tuple[str, str, Sequence[str]]]) -> None:
        self.left: dict[tuple[str, str], list[str]] = defaultdict(list)
        self.lock = threading.Lock()
        for premise, hypothesis, labels in rows:
            self.left[folded(premise), folded(hypothesis)] += labels

    def judge(self, premise: str, hypothesis: str) -> str | None:
        with self.lock:
            labels = self.left.get((folded(premise), folded(hypothesis)))
            return labels.pop() if labels else None

    def undealt(self) -> int:
        return sum(map(len, self.left.values()))


def folded(text: str) -> str:
    """Returns the text with its white space folded, as HTML shows it."""
    return " ".join(text.split())


def mostly_agreeing(labels: Sequence[str], seed: int) -> Judge:
    """Returns a judge whose label depends on the texts in four of five cases and on chance in the fifth."""
    dice, lock = random.Random(seed), threading.Lock()

    def judge(premise: str, hypothesis: str) -> str:
        with lock:
            if dice.random() < 0.2:
                return dice.choice(labels)
        return random.Random(f"{premise}\n{hypothesis}").choice(labels)

    return judge


def made_up(version: int, name: str, dice: random.Random) -> str:
    return f"Simulated {name} number {dice.randrange(10**9)}."


def telling(shares: Mapping[int, float], labels: Sequence[str]) -> Say:
    """Returns how sentences are made of which some tell their label by a word, as far as hypotheses alone can.

    shares: version -> how often a model that reads hypotheses alone could be right; of others, as often as by chance.
    """
    words = [f"word{number}" for number in range(len(labels))]
    chance = 1 / len(labels)

    def say(version: int, name: str, dice: random.Random) -> str:
        is_told = dice.random() < (shares.get(version, chance) - chance) / (1 - chance)
        word = words[labels.index(name)] if is_told and name in labels else dice.choice(words)
        return f"A simulated sentence with {word} and {dice.randrange(10**9)}."

    return say


class Annotator:
    """One simulated person with a browser session."""

    def __init__(self, url: str, username: str, password: str) -> None:
        self.url, self.username, self.password = url.rstrip("/"), username, password
        self.http = requests.Session()

    def sign_in(self) -> None:
        page = self.get("/sign-in/")
        form = form_with(page, "password")
        form.fields["username"], form.fields["password"] = self.username, self.password
        answer = self.send(form)
        if form_or_none(answer, "password") is not None:
            raise CrowdError(f"{self.username} could not sign in.")

    def label(self, address: str, judge: Judge, tally: Tally) -> None:
        """Labels batch after batch at a question's address until no work is left and nobody can release any."""
        while not tally.stopped.is_set():
            page = self.open(address)
            form = labelling_form(page)
            if form is None:
                if tally.is_quiet():
                    return
                time.sleep(PAUSE_SECONDS)
                continue
            self.answer(form, judge, tally)

    def answer(self, form: Any, judge: Judge, tally: Tally) -> None:
        labels = skipped = 0
        for slot, premise, hypothesis in pairs_of(form):
            label = judge(premise, hypothesis)
            if label is None:
                form.fields[f"skip-{slot}"] = "other"
                skipped += 1
            else:
                form.fields[f"label-{slot}"] = label
                labels += 1
        self.send(form)
        tally.add(labels=labels, skipped=skipped, batches=1)

    def write(
        self, corpus: str, tally: Tally, seed: int, say: Say = made_up, most: int | None = None
    ) -> None:
        """Writes what `say` says until no premise is left, or for `most` of them."""
        dice = random.Random(f"{seed} {self.username}")  # its name ends with the person's number
        for number in itertools.count(1) if most is None else range(1, most + 1):
            page = None if tally.stopped.is_set() else self.open(f"/work/writing/{corpus}/")
            form = None if page is None else writing_form(page)
            if form is None:
                return
            version = version_on(page)
            for name in form.fields.keys():  # noqa: SIM118 - lxml's fields are no plain mapping
                if name.startswith("text-"):
                    form.fields[name] = say(version, name.removeprefix("text-"), dice)
            self.send(form, leaves=number == most)  # the page that follows would hand out another
            tally.add(written=1)

    def open(self, path: str) -> Any:
        """Returns a working page, after passing the consent and instructions in front of it."""
        for _ in range(4):
            page = self.get(path)
            gate = form_or_none(page, "agree")
            if gate is None:
                return page
            self.pass_gate(gate)
        raise CrowdError(f"{path} does not open after consent and instructions.")

    def pass_gate(self, gate: Any) -> None:
        """Agrees, and answers a check by trying one choice after another."""
        for choice in range(MOST_CHOICES):
            for name in set(gate.xpath(".//input[@type='radio']/@name")):
                values = gate.inputs[name].value_options
                if choice == 0 or gate.xpath(f".//fieldset[@id='{name}' and @data-wrong]"):
                    gate.fields[name] = values[min(choice, len(values) - 1)]
            gate = form_or_none(self.send(gate, may_need_a_change=True), "agree")
            if gate is None or not gate.xpath(".//fieldset[@data-wrong]"):
                return

    def get(self, path: str) -> Any:
        return self.page(self.http.get(self.url + path, timeout=180))

    def send(self, form: Any, *, may_need_a_change: bool = False, leaves: bool = False) -> Any:
        """Returns the page that follows; None for who leaves before it comes."""
        answer = self.http.post(
            form.action,
            data=form.form_values(),
            headers={"Referer": form.action},
            timeout=180,
            allow_redirects=not leaves,
        )
        return None if answer.is_redirect else self.page(answer, may_need_a_change)

    def page(self, answer: requests.Response, may_need_a_change: bool = False) -> Any:
        # 422 is the same page with its errors.
        if not answer.ok and not (may_need_a_change and answer.status_code == 422):
            title = lxml.html.fromstring(answer.text or "<p>").findtext(".//title")
            raise CrowdError(f"{answer.url} answered {answer.status_code}: {title or answer.text[:300]}")
        page: Any = lxml.html.fromstring(answer.text, base_url=answer.url)
        page.make_links_absolute(answer.url)
        for form in page.forms:
            form.action = form.action or answer.url
        return page


def form_or_none(page: Any, name: str) -> Any:
    """Returns the page's form that has an input of that name."""
    return next((form for form in page.forms if name in form.fields), None)


def form_with(page: Any, name: str) -> Any:
    form = form_or_none(page, name)
    if form is None:
        raise CrowdError(f"The page has no form with a field {name!r}.")
    return form


def labelling_form(page: Any) -> Any:
    return next((form for form in page.forms if form.xpath(".//*[@data-slot]")), None)


def writing_form(page: Any) -> Any:
    return next((form for form in page.forms if any(name.startswith("text-") for name in form.fields)), None)


def version_on(page: Any) -> int:
    """Returns the version of the prompt of a writing page, as its link to the full instructions names it; 0 without one."""
    return next((int(found[1]) for link in page.iterlinks() if (found := INSTRUCTIONS.search(link[2]))), 0)


def pairs_of(form: Any) -> Iterable[tuple[str, str, str]]:
    """Yields (slot, premise, hypothesis) of every pair in the labelling form."""
    for box in form.xpath(".//*[@data-slot]"):
        premise = " ".join(part.text_content() for part in box.find_class("premise"))
        hypothesis = " ".join(part.text_content() for part in box.find_class("hypothesis"))
        yield box.get("data-slot"), premise, hypothesis


def run_crowd(
    annotators: Sequence[Annotator],
    at_once: int,
    work: Callable[[Annotator], None],
    tally: Tally,
    tell: Callable[[str], None] = lambda text: None,
) -> None:
    """Lets every annotator sign in and work, `at_once` of them at a time. Raises the first CrowdError.

    Calls `tell` with the progress every second. If it raises, or an annotator fails, all stop after what they have begun.
    """

    def day(annotator: Annotator) -> None:
        if not tally.stopped.is_set():
            annotator.sign_in()
            work(annotator)

    with ThreadPoolExecutor(max_workers=at_once) as pool:
        left = {pool.submit(day, annotator) for annotator in annotators}
        try:
            while left:
                done, left = wait(left, timeout=LOOKS_EVERY, return_when=FIRST_EXCEPTION)
                for each in done:
                    each.result()
                tell(f"{tally.labels:,} labels cast, {tally.written:,} premises written for")
        except BaseException:
            tally.stopped.set()
            raise
