"""Measures what gold labels cost: all pairs of a corpus through REST, and from the database alone."""

import json
import time
from collections.abc import Iterable, Iterator
from typing import Any

from django.test import Client

from accounts.models import User
from accounts.people.registration import create_person
from bench.labelled import make_labelled_corpus
from bench.measure import timed
from collection.models import Pair
from validation.gold.queries import with_gold_label
from validation.models import Question

PAGE = 1000  # pairs


def measure_gold(pairs: int) -> None:
    """Makes `pairs` pairs with five labels under an adjudicated question, and prints a table."""
    question = make_labelled_corpus("gold", pairs)
    Question.objects.filter(pk=question.pk).update(gold_rule="adjudicated")
    question.refresh_from_db()
    researcher = create_person(username="reads-gold", password=None, role=User.Role.RESEARCHER)
    browser = Client(SERVER_NAME="localhost")
    browser.force_login(researcher)
    print(f"{pairs:,} pairs with five labels each\n")
    print("| pairs through REST | pairs | seconds | own processor seconds | pairs/s |\n|---|---|---|---|---|")
    rest = f"/api/v1/corpora/{question.corpus.slug}/pairs/"
    row("pages of 1,000", lambda: in_pages(browser, f"{rest}?page_size={PAGE}"))
    row("JSON Lines", lambda: in_lines(browser, f"{rest}?as=jsonl"))
    row("gold labels of all, from the database alone", lambda: whole(question))
    print()


def row(name: str, read: Any) -> None:
    before = time.process_time()
    number, seconds = timed(lambda: sum(1 for _ in read()))
    own = time.process_time() - before
    print(f"| {name} | {number:,} | {seconds:.2f} | {own:.2f} | {number / seconds:,.0f} |", flush=True)


def in_pages(browser: Client, url: str | None) -> Iterator[Any]:
    while url:
        page = browser.get(url).json()
        yield from page["results"]
        url = page["next"]


def in_lines(browser: Client, url: str) -> Iterable[Any]:
    answer = browser.get(url)
    for portion in answer.streaming_content:  # type: ignore[attr-defined]
        yield from map(json.loads, portion.splitlines())


def whole(question: Question) -> Iterable[Any]:
    rows: Any = with_gold_label(Pair.objects.filter(corpus=question.corpus), question)
    return iter(rows.values_list("pk", "gold_label", "gold_source").iterator())
