"""Writers who write as fast as the site lets them, through REST, over a corpus of any size."""

import json
import threading
import time
from dataclasses import dataclass, field
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from django.db import connection
from django.db.models import Count

from accounts.actions import create_api_token, create_person
from bench.corpora import LABELS, sentences
from collection.actions import make_seats
from collection.models import Corpus, Genre, Pair, Premise, Prompt, PromptField, PromptVersion
from collection.premises import digest_of

GENRES = 10
PORTION = 5000


@dataclass
class Timings:
    """Seconds that each request took."""

    claims: list[float] = field(default_factory=list)
    submits: list[float] = field(default_factory=list)


def make_corpus(slug: str, premises: int) -> Corpus:
    """`premises` in ten genres under one prompt, each with an open seat, imported genre by genre."""
    corpus = Corpus.objects.create(slug=slug, name=slug)
    prompt = Prompt.objects.create(corpus=corpus, slug="all", name="All")
    version = PromptVersion.objects.create(
        prompt=prompt, number=1, instructions="Write.", pay_cents=30, digest="1"
    )
    PromptField.objects.bulk_create(
        PromptField(version=version, order=order, label=label, wording=label)
        for order, label in enumerate(LABELS)
    )
    text = sentences(len(slug))
    for number in range(GENRES):
        genre = Genre.objects.create(corpus=corpus, slug=f"genre-{number}", name=str(number), prompt=prompt)
        for begin in range(0, premises // GENRES, PORTION):
            ids = range(begin, min(begin + PORTION, premises // GENRES))
            make_seats(
                premises=Premise.objects.bulk_create(_premise(genre, next(text), each) for each in ids)
            )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return corpus


def write_for(corpus: Corpus, address: str, writers: int, seconds: float) -> tuple[Timings, float]:
    """All writers at once for `seconds`. Returns timings and seconds used.

    Raises RuntimeError when a premise got two writers, a text was lost, or an answer was not what REST says.
    """
    tokens = [
        create_api_token(user=create_person(username=f"{corpus.slug}-{k}", password=None), name="bench")
        for k in range(writers)
    ]
    timings, errors = Timings(), []
    lock, start = threading.Lock(), time.monotonic()

    def work(seed: int, token: str) -> None:
        own = Timings()
        try:
            _write_until(corpus.slug, address, token, seed, start + seconds, own)
        except Exception as error:
            errors.append(error)
        with lock:
            timings.claims += own.claims
            timings.submits += own.submits

    threads = [threading.Thread(target=work, args=job) for job in enumerate(tokens)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    used = time.monotonic() - start
    if errors:
        raise RuntimeError(f"{len(errors)} writers met an error; the first: {errors[0]!r}")
    pairs = Pair.objects.filter(corpus=corpus)
    doubled = pairs.values("premise").annotate(writers=Count("author", distinct=True)).filter(writers__gt=1)
    if pairs.count() != 3 * len(timings.submits) or doubled.exists():
        raise RuntimeError("A text was lost, or a premise got two writers.")
    return timings, used


def _premise(genre: Genre, text: str, number: int) -> Premise:
    name = f"{genre.slug}-{number}"
    return Premise(
        corpus_id=genre.corpus_id,
        corpus=genre.corpus,
        genre=genre,
        text=text,
        digest=digest_of([text]),
        public_id=name,
        group=name,
    )


def _write_until(corpus: str, address: str, token: str, seed: int, until: float, timings: Timings) -> None:
    http = HTTPConnection(urlsplit(address).netloc, timeout=60)
    text = sentences(1000 + seed)
    while time.monotonic() < until:
        before = time.monotonic()
        task = _post(http, token, "next", {"corpus": corpus})
        between = time.monotonic()
        timings.claims.append(between - before)
        if task["assignment"] is None:
            return
        texts = {entry["label"]: f"Writer {seed}: {next(text)}" for entry in task["fields"]}
        sent = {"assignment": task["assignment"], "texts": texts, "idempotency_key": uuid4().hex}
        _post(http, token, "submit", sent)
        timings.submits.append(time.monotonic() - between)


def _post(http: HTTPConnection, token: str, verb: str, body: dict[str, Any]) -> dict[str, Any]:
    headers = {"Authorization": f"Token {token}", "Content-Type": "application/json"}
    http.request("POST", f"/api/v1/work/writing/{verb}", json.dumps(body), headers)
    answer = http.getresponse()
    content = answer.read()
    if answer.status != 200:
        raise RuntimeError(f"{verb} answered {answer.status}: {content[:300]!r}")
    return dict(json.loads(content))
