"""Annotators who label as fast as the site lets them, through REST."""

import json
import threading
import time
from dataclasses import dataclass, field
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from accounts.actions import create_api_token, create_person
from validation.models import Label, Question


@dataclass
class Timings:
    """Seconds that each request took."""

    claims: list[float] = field(default_factory=list)
    submits: list[float] = field(default_factory=list)
    labels: int = 0


def label_for(question: Question, address: str, annotators: int, seconds: float) -> tuple[Timings, float]:
    """All annotators at once for `seconds`, or until nothing is left. Returns timings and seconds used.

    Raises RuntimeError when any pair got a label too many, or an answer was not what the interface says.
    """
    tokens = [
        create_api_token(
            user=create_person(username=f"{question.corpus.slug}-{k}", password=None), name="bench"
        )
        for k in range(annotators)
    ]
    timings, errors = Timings(), []
    lock, stop_at, start = threading.Lock(), time.monotonic() + seconds, time.monotonic()

    def work(token: str) -> None:
        own = Timings()
        try:
            _label_until(question.corpus.slug, address, token, stop_at, own)
        except Exception as error:
            errors.append(error)
        with lock:
            timings.claims += own.claims
            timings.submits += own.submits
            timings.labels += own.labels

    threads = [threading.Thread(target=work, args=(token,)) for token in tokens]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    used = time.monotonic() - start
    if errors:
        raise RuntimeError(f"{len(errors)} annotators met an error; the first: {errors[0]!r}")
    stored = Label.objects.filter(question=question, origin="cast", label__isnull=False).count()
    if stored != timings.labels:
        raise RuntimeError(f"{timings.labels} labels were acknowledged, {stored} are stored.")
    return timings, used


def _label_until(corpus: str, address: str, token: str, stop_at: float, timings: Timings) -> None:
    http = HTTPConnection(urlsplit(address).netloc, timeout=60)
    before = time.monotonic()
    batch = _post(http, token, "next", {"corpus": corpus})
    timings.claims.append(time.monotonic() - before)
    while batch["pairs"] and time.monotonic() < stop_at:
        labels = {pair["slot"]: "neutral" for pair in batch["pairs"]}
        before = time.monotonic()
        answer = _post(
            http,
            token,
            "submit",
            {
                "assignment": batch["assignment"],
                "labels": labels,
                "idempotency_key": uuid4().hex,
                "next": True,
            },
        )
        timings.submits.append(time.monotonic() - before)
        timings.labels += answer["saved"]
        batch = answer["next"]


def _post(http: HTTPConnection, token: str, verb: str, body: dict[str, Any]) -> dict[str, Any]:
    headers = {"Authorization": f"Token {token}", "Content-Type": "application/json"}
    http.request("POST", f"/api/v1/work/validation/{verb}", json.dumps(body), headers)
    answer = http.getresponse()
    content = answer.read()
    if answer.status != 200:
        raise RuntimeError(f"{verb} answered {answer.status}: {content[:300]!r}")
    return dict(json.loads(content))
