"""Measures writers who write through REST as fast as the site answers, in a corpus of any size."""

import time
from collections.abc import Callable
from uuid import uuid4

from django.db import connection
from django.db.models import Count

from accounts.people.registration import create_person
from accounts.sign_in.tokens import create_api_token
from annotation_site.operation.server import site
from bench.corpora import LABELS, sentences
from bench.crowd import Http, Timings, all_at_once
from bench.measure import percentile
from collection.models import Corpus, Genre, Pair, Premise, Prompt, PromptField, PromptVersion
from collection.premise_ids import digest_of
from collection.premises.writing_seats import make_seats

GENRES = 10
PORTION = 5000


def make_corpus(slug: str, premises: int) -> Corpus:
    """Makes `premises` premises in ten genres under one prompt, each with an open seat, imported genre by genre."""
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
    """Lets all writers write at once for `seconds`. Returns timings and the seconds used.

    Raises RuntimeError if a premise got two writers, a text was lost, or a response was not as documented.
    """
    tokens = [
        create_api_token(user=create_person(username=f"{corpus.slug}-{k}", password=None), name="bench")
        for k in range(writers)
    ]
    until = time.monotonic() + seconds
    timings, used = all_at_once(
        [_writer(corpus.slug, address, token, seed, until) for seed, token in enumerate(tokens)]
    )
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


def _writer(corpus: str, address: str, token: str, seed: int, until: float) -> Callable[[Timings], None]:
    def work(timings: Timings) -> None:
        http = Http(address, {"Authorization": f"Token {token}"})
        text = sentences(1000 + seed)
        while time.monotonic() < until:
            before = time.monotonic()
            task = http.post_json("/api/v1/work/writing/next", {"corpus": corpus})
            between = time.monotonic()
            timings.claims.append(between - before)
            if task["assignment"] is None:
                return
            texts = {entry["label"]: f"Writer {seed}: {next(text)}" for entry in task["fields"]}
            sent = {"assignment": task["assignment"], "texts": texts, "idempotency_key": uuid4().hex}
            http.post_json("/api/v1/work/writing/submit", sent)
            timings.submits.append(time.monotonic() - between)

    return work


def measure_writing(sizes: tuple[int, ...] = (4_000, 400_000), writers: int = 32) -> None:
    """Measures 32 writers who fetch premises and send three sentences each, over HTTP.

    The corpora are small and large.
    """
    print("| premises | writers | premises written/s | next p50 / p95 ms | submit p50 / p95 ms |")
    print("|---|---|---|---|---|")
    for size in sizes:
        corpus = make_corpus(f"written-{size}", size)
        with site() as url:
            timings, seconds = write_for(corpus, url, writers, 10)
        claims, submits = (
            f"{1000 * percentile(values, 0.5):.1f} / {1000 * percentile(values, 0.95):.1f}"
            for values in (timings.claims, timings.submits)
        )
        done = len(timings.submits) / seconds
        print(f"| {size:,} | {writers} | {done:.0f} | {claims} | {submits} |", flush=True)
    print()
