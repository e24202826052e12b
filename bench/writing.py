"""Measures writers who write over HTTP, with a token: a corpus without arms, and corpora whose arms are drawn."""

import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from uuid import uuid4

from django.utils import timezone

from accounts.models import User
from accounts.people.consents import give_consent
from accounts.people.registration import create_person
from accounts.sign_in.tokens import create_api_token
from annotation_site.intake.corpus_files import load
from annotation_site.operation.server import site
from bench.labelling import Http, Timings, all_at_once
from bench.measure import percentile, processor_time
from collection.corpora.corpus_file import corpus_file_in
from collection.models import Corpus, Premise, PromptReading, PromptVersion, WritingAssignment
from collection.premise_ids import digest_of, public_id_of
from collection.premises.writing_seats import make_seats

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
WAYS = ("no arms", "two arms, by writer", "two arms, by premise")
WRITERS, TASKS, ROUNDS = 8, 20, 3  # tasks of each writer in a round
HEADS = ("way", "texts/s", "p95 ms of claiming and sending", "processor ms a text: site, database")


def measure_writing() -> None:
    """Prints a row for each way. Its rounds are taken in turn, so that a slower minute falls on all of them."""
    print(f"| {' | '.join(HEADS)} |\n{'|---' * len(HEADS)}|")
    rounds: dict[str, list[tuple[float, float, float, float]]] = {way: [] for way in WAYS}
    with site() as address:
        for number, way in zip(range(ROUNDS * len(WAYS)), cycle(WAYS), strict=False):
            rounds[way].append(_round(address, _corpus(f"write-{number}", way)))
    for way, of in rounds.items():
        texts, slow, web, database = (sorted(each)[len(of) // 2] for each in zip(*of, strict=True))
        print(f"| {way} | {texts:,.0f} | {1000 * slow:,.0f} | {1000 * web:.1f}, {1000 * database:.1f} |")
    print(flush=True)


def _corpus(slug: str, way: str) -> Corpus:
    text = (
        (EXAMPLES / "captions" / "corpus.toml").read_text().replace("[name and address", "(name and address")
    )
    text = text.replace("research group]*", "research group)*").replace('"captions"', f'"{slug}"', 1)
    text = text.replace("max_tasks_per_day = 150", "max_tasks_per_day = 0").replace('"refuse"', '"off"')
    if way != WAYS[0]:
        text += (EXAMPLES / "protocols" / "contrast.toml").read_text()
    load(corpus_file_in(text, slug))
    corpus = Corpus.objects.get(slug=slug)
    corpus.prompts.filter(arm_of=None).update(drawn_by="premise" if way == WAYS[2] else "writer")
    genre = corpus.genres.get()
    made = []
    for number in range(2 * WRITERS * TASKS):
        sentence, digest = f"Caption {number} of {slug}.", digest_of([f"Caption {number} of {slug}."])
        made.append(
            Premise(
                corpus=corpus,
                genre=genre,
                public_id=public_id_of(genre.slug, digest),
                group=digest,
                text=sentence,
                digest=digest,
            )
        )
    make_seats(premises=Premise.objects.bulk_create(made))
    return corpus


def _round(address: str, corpus: Corpus) -> tuple[float, float, float, float]:
    """Returns texts a second, the seconds of claiming and sending that 95 of 100 stay under, and processor seconds a text.

    Raises RuntimeError where not every text that was acknowledged is stored.
    """
    people = [create_person(username=f"{corpus.slug}-{number}", password=None) for number in range(WRITERS)]
    for person in people:
        if corpus.consent_form is not None:
            give_consent(user=person, form=corpus.consent_form)
        PromptReading.objects.bulk_create(
            PromptReading(annotator=person, version=version, passed_at=timezone.now())
            for version in PromptVersion.objects.filter(prompt__corpus=corpus)
        )
    works = [_work(address, corpus.slug, person) for person in people]
    with processor_time() as used:
        timings, seconds = all_at_once(works)
    sent = WritingAssignment.objects.filter(corpus=corpus, outcome="submitted").count()
    if sent != timings.acknowledged:
        raise RuntimeError(f"{timings.acknowledged} texts were acknowledged, {sent} are stored.")
    both = [claim + submit for claim, submit in zip(timings.claims, timings.submits, strict=True)]
    return sent / seconds, percentile(both, 0.95), used.web / sent, used.database / sent


def _work(address: str, slug: str, person: User) -> Callable[[Timings], None]:
    http = Http(address, {"Authorization": f"Token {create_api_token(user=person, name='bench')}"})

    def work(timings: Timings) -> None:
        for _ in range(TASKS):
            start = time.monotonic()
            task = http.post_json("/api/v1/work/writing/next", {"corpus": slug})
            claimed = time.monotonic()
            texts = {field["label"]: f"A sentence, {uuid4().hex}." for field in task["fields"]}
            body = {"assignment": task["assignment"], "texts": texts, "idempotency_key": uuid4().hex}
            http.post_json("/api/v1/work/writing/submit", body)
            timings.claims.append(claimed - start)
            timings.submits.append(time.monotonic() - claimed)
            timings.acknowledged += 1

    return work
