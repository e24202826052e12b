"""Measures annotators who label over HTTP: as fast as the site answers or at a fixed rate, by session or by token.

Everybody has a connection that stays open. After each run the acknowledged labels are compared with the stored ones,
and no pair may have a label too many.
"""

import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol
from urllib.parse import urlencode, urlsplit
from uuid import uuid4

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.db import connection
from django.db.models import Count

from accounts.models import User
from accounts.people.registration import create_person
from accounts.sign_in.tokens import create_api_token
from annotation_site.made_up.corpora import make_open_corpus
from annotation_site.operation.server import site
from bench.loads import SIZES, TABLE, Load
from bench.measure import Spent, percentile, processor_time
from validation.models import Label, Question

PORTION = 1 << 16
LABEL = "neutral"
CSRF = "c" * 32
FORM = "application/x-www-form-urlencoded"
BATCH, SLOT = re.compile(rb'data-assignment="([^"]+)"'), re.compile(rb'data-slot="([^"]+)"')
KEY = re.compile(rb'name="key" value="([^"]+)"')
# What is measured is work in the middle of a corpus: the last seats of a small one are another matter.
SHARE = 0.8


class Http:
    """A connection that stays open, with little processor time: it shares the machine with the site that is measured.

    `headers` are sent with every request.
    """

    def __init__(self, address: str, headers: dict[str, str], seconds: float = 60) -> None:
        place = urlsplit(address)
        self.socket = socket.create_connection((place.hostname, place.port), timeout=seconds)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        lines = [f"Host: {place.netloc}", *(f"{name}: {value}" for name, value in headers.items())]
        self.headers = "\r\n".join(lines)

    def ask(self, method: str, path: str, body: bytes = b"", kind: str = "") -> tuple[int, str, bytes]:
        """Returns status, headers and body of the response. `kind`: the media type of the request's body."""
        sent = f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n" if kind else ""
        self.socket.sendall(f"{method} {path} HTTP/1.1\r\n{self.headers}\r\n{sent}\r\n".encode() + body)
        received = b""
        while b"\r\n\r\n" not in received:
            received += self._more()
        raw, _, content = received.partition(b"\r\n\r\n")
        head = raw.decode("latin-1")
        length = int(header(head, "content-length") or 0)
        parts, missing = [content], length - len(content)
        while missing > 0:
            parts.append(self._more())
            missing -= len(parts[-1])
        return int(head[9:12]), head, b"".join(parts)

    def post_json(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Returns the response of REST. Raises RuntimeError unless its status is 200."""
        status, _, content = self.ask("POST", path, json.dumps(body).encode(), "application/json")
        if status != 200:
            raise RuntimeError(f"{path} answered {status}: {content[:300]!r}")
        return dict(json.loads(content))

    def close(self) -> None:
        self.socket.close()

    def _more(self) -> bytes:
        received = self.socket.recv(PORTION)
        if not received:
            raise RuntimeError("The site closed the connection.")
        return received


def header(head: str, name: str) -> str:
    """Returns the value of a header line; empty if there is none."""
    start = head.lower().find(f"\r\n{name}:")
    if start < 0:
        return ""
    end = head.find("\r\n", start + 2)
    return head[start + len(name) + 3 : end if end >= 0 else None].strip()


@dataclass
class Timings:
    """The seconds that each request took, and what the site acknowledged."""

    claims: list[float] = field(default_factory=list)
    submits: list[float] = field(default_factory=list)
    acknowledged: int = 0

    def add(self, other: "Timings") -> None:
        self.claims += other.claims
        self.submits += other.submits
        self.acknowledged += other.acknowledged


def all_at_once(works: Sequence[Callable[[Timings], None]]) -> tuple[Timings, float]:
    """Runs every callable of `works` in a thread; returns their combined timings and the seconds used.

    Raises RuntimeError with the first error of any thread.
    """
    errors: list[Exception] = []
    notes = [Timings() for _ in works]

    def run(work: Callable[[Timings], None], own: Timings) -> None:
        try:
            work(own)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=job) for job in zip(works, notes, strict=True)]
    start = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    used = time.monotonic() - start
    if errors:
        raise RuntimeError(f"{len(errors)} of {len(works)} met an error; the first: {errors[0]!r}")
    together = Timings()
    for own in notes:
        together.add(own)
    return together, used


@dataclass(frozen=True)
class Held:
    """The batch that an annotator has in hand."""

    assignment: str
    slots: list[str]
    key: str


class Way(Protocol):
    """How an annotator talks to the site."""

    def first(self) -> Held | None: ...

    def send(self, batch: Held, slots: list[str]) -> Held | None:
        """Sends labels for these slots. Returns the batch in hand afterwards: the rest of this one, or the next."""


class ByToken:
    """Labels through REST, with a token in the header."""

    def __init__(self, address: str, question: Question, person: User) -> None:
        token = create_api_token(user=person, name="bench")
        self.http = Http(address, {"Authorization": f"Token {token}"})
        self.corpus = question.corpus.slug

    def first(self) -> Held | None:
        return self.held(self.http.post_json("/api/v1/work/validation/next", {"corpus": self.corpus}))

    def send(self, batch: Held, slots: list[str]) -> Held | None:
        rest = [slot for slot in batch.slots if slot not in slots]
        sent = {
            "assignment": batch.assignment,
            "labels": dict.fromkeys(slots, LABEL),
            "idempotency_key": uuid4().hex,
            "next": not rest,
        }
        answer = self.http.post_json("/api/v1/work/validation/submit", sent)
        if answer["saved"] != len(slots):
            raise RuntimeError(f"{len(slots)} labels were sent, and the answer is {answer}.")
        return Held(batch.assignment, rest, "") if rest else self.held(answer["next"])

    def held(self, answer: dict[str, Any]) -> Held | None:
        slots = [pair["slot"] for pair in answer["pairs"]]
        return Held(answer["assignment"], slots, "") if slots else None


class BySession:
    """Labels as a browser does: the page and its script, with the cookies of a signed-in person."""

    def __init__(self, address: str, question: Question, person: User) -> None:
        cookies = f"sessionid={session_of(person)}; csrftoken={CSRF}"
        self.http = Http(address, {"Cookie": cookies, "HX-Request": "true"})
        self.page = f"/work/validation/{question.corpus.slug}/"
        self.http.ask("POST", f"{self.page}instructions/", self.form({}), FORM)

    def first(self) -> Held | None:
        return self.held(self.content(*self.http.ask("GET", self.page)))

    def send(self, batch: Held, slots: list[str]) -> Held | None:
        fields = {"assignment": batch.assignment, "key": batch.key}
        for slot in batch.slots:
            fields |= {f"skip-{slot}": "", f"reason-{slot}": "", f"ms-{slot}": "4000"}
        form = self.form(fields | {f"label-{slot}": LABEL for slot in slots})
        page = self.content(*self.http.ask("POST", self.page, form, FORM))
        if f'data-confirmed="{batch.assignment}"'.encode() not in page:
            raise RuntimeError(f"The page does not confirm the batch: {page[:300]!r}")
        return self.held(page)

    def form(self, fields: dict[str, str]) -> bytes:
        return urlencode({"csrfmiddlewaretoken": CSRF, **fields}).encode()

    def content(self, status: int, head: str, page: bytes) -> bytes:
        if status != 200:
            raise RuntimeError(f"{self.page} answered {status}: {page[:300]!r}")
        return page

    def held(self, page: bytes) -> Held | None:
        batch, key = BATCH.search(page), KEY.search(page)
        if batch is None or key is None:
            return None
        return Held(batch[1].decode(), [slot.decode() for slot in SLOT.findall(page)], key[1].decode())


WAYS: dict[str, Callable[[str, Question, User], Way]] = {"token": ByToken, "session": BySession}


def session_of(person: User) -> str:
    """Returns the key of a new session of this person, without the slow password hash of the sign-in page."""
    store = import_module(settings.SESSION_ENGINE).SessionStore()
    store[SESSION_KEY] = str(person.pk)
    store[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    store[HASH_SESSION_KEY] = person.get_session_auth_hash()
    store.save()
    return str(store.session_key)


@dataclass(frozen=True)
class Measured:
    """The result of a run.

    `labels` acknowledged in `seconds`, the seconds of each submit, and processor time by program.
    """

    labels: int
    seconds: float
    submits: list[float]
    used: Spent


def measure_labelling(question: Question, address: str, load: Load) -> Measured:
    """Measures one load. Raises RuntimeError if a label was lost, a pair got one too many, or a response was wrong."""
    cast = Label.objects.filter(question=question, origin="cast", label__isnull=False)
    before = cast.count()
    seats = Label.objects.filter(question=question).open()
    pairs = seats.values("pair").distinct().count()  # nobody labels one twice
    enough = int(SHARE * min(seats.count() / load.annotators, pairs))
    start = User.objects.count()
    people = [
        create_person(username=f"{question.corpus.slug}-{start + number}", password=None)
        for number in range(load.annotators)
    ]
    ways = [WAYS[load.login](address, question, person) for person in people]
    held = [way.first() for way in ways]  # the first batch is no work yet
    begin = time.monotonic()
    jobs = [
        _work(way, batch, load, begin, number / load.annotators, enough)
        for number, (way, batch) in enumerate(zip(ways, held, strict=True))
    ]
    with processor_time() as used:
        timings, seconds = all_at_once(jobs)
    if cast.count() - before != timings.acknowledged:
        raise RuntimeError(
            f"{timings.acknowledged} labels were acknowledged, {cast.count() - before} stored."
        )
    crowded = cast.values("pair").annotate(labels=Count("pk")).filter(labels__gte=question.seats)
    if crowded.exists() or cast.filter(position=None).exists():
        raise RuntimeError("A pair got a label too many.")
    return Measured(timings.acknowledged, seconds, timings.submits, used)


def _work(
    way: Way, held: Held | None, load: Load, begin: float, phase: float, enough: int
) -> Callable[[Timings], None]:
    """Labels until the time is over or `enough` labels are done.

    With a rate, everybody sends at moments set beforehand, and a request's time counts from its moment: otherwise a
    slow response would make the next ones look fast.
    """

    def work(timings: Timings) -> None:
        batch, until = held, begin + load.seconds
        labels = 1 if load.by_label else len(batch.slots) if batch else 1
        pause = load.annotators * labels / load.rate if load.rate else 0.0
        due = begin + phase * pause
        while batch is not None and time.monotonic() < until and timings.acknowledged < enough:
            if pause:
                time.sleep(max(0.0, due - time.monotonic()))
            slots = batch.slots[:1] if load.by_label else batch.slots
            sent = due if pause else time.monotonic()
            batch = way.send(batch, slots)
            timings.submits.append(time.monotonic() - sent)
            timings.acknowledged += len(slots)
            due += pause

    return work


HEADS = (
    *("database", "pairs", "annotators", "login", "saved by", "asked for, labels/s", "labels/s"),
    *("requests/s", "p50 / p95 ms", "processor ms a request: client, site, database"),
)


def measure_labelling_table(sizes: Sequence[int] = SIZES, loads: Sequence[Load] = ()) -> None:
    """Measures labels per second and latency, and the processor time of client, site and database for each request.

    Without `loads` it measures the whole table, on PostgreSQL and on SQLite.
    """
    print(f"| {' | '.join(HEADS)} |")
    print("|---" * len(HEADS) + "|")
    for pairs in sizes:
        for row in _rows(pairs, loads or TABLE):
            print(row, flush=True)
    if not loads:
        _on_sqlite()
    print()


def _rows(pairs: int, loads: Sequence[Load]) -> Iterator[str]:
    """Yields a row for each load. A small corpus is made anew for each, because a load may label all of it."""
    question = None
    for number, load in enumerate(loads):
        if question is None or pairs <= SIZES[0]:
            question = make_open_corpus(f"label-{pairs}-{number}", pairs)
        with site() as address:
            yield _row(pairs, load, measure_labelling(question, address, load))


def _row(pairs: int, load: Load, measured: Measured) -> str:
    number = len(measured.submits)
    middle, slow = (1000 * percentile(measured.submits, share) for share in (0.5, 0.95))
    used = measured.used
    each = ", ".join(f"{1000 * seconds / number:.1f}" for seconds in (used.client, used.web, used.database))
    cells = (
        "PostgreSQL" if connection.vendor == "postgresql" else "SQLite",
        f"{pairs:,}",
        load.annotators,
        load.login,
        "label" if load.by_label else "batch",
        f"{load.rate:,.0f}" if load.rate else "all it can",
        f"{measured.labels / measured.seconds:,.0f}",
        f"{number / measured.seconds:,.0f}",
        f"{middle:,.0f} / {slow:,.0f}",
        each,
    )
    return f"| {' | '.join(map(str, cells))} |"


def _on_sqlite() -> None:
    """Measures on SQLite in another process, because settings name one database."""
    command = [sys.executable, "-m", "bench", "labelling", "--sqlite", "--pairs", str(SIZES[0])]
    command += ["--annotators", "8", "32"]
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    rows = [line for line in done.stdout.splitlines() if line.startswith("| SQLite")]
    print("\n".join(rows), flush=True)
