"""Measures what gold labels cost: their SQL, all pairs of a corpus through REST, the queries of researchers' pages."""

import json
import time
from collections.abc import Iterable, Iterator
from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from accounts.people.registration import create_person
from bench.labelled import make_labelled_corpus
from bench.measure import timed
from collection.models import Pair
from validation.gold.queries import with_gold_label
from validation.models import Question

WRITES = ("INSERT", "UPDATE", "DELETE", "SELECT setval")
PAGE = 1000  # pairs
PAGES = (
    "/admin/",
    "/c/gold/",
    "/c/gold/premises/",
    "/c/gold/labelling/",
    "/c/gold/settings/",
    *(
        f"/corpora/gold/{page}"
        for page in (
            "agreement/?by=genre",
            "annotators/",
            "pairs/",
            "pairs/?votes=disputed",
            "pairs/h0/",
            "open/",
            "more-labels/",
            "adjudication/",
            "controls/?percent=1",
            "pool/",
            "calibration/",
            "vetting/",
            "pay/",
            "reports/",
        )
    ),
    "/snapshots/freeze/gold/plan/",
)


def measure_gold(pairs: int) -> None:
    """Makes `pairs` pairs with five labels under an adjudicated question, and prints three tables."""
    question = make_labelled_corpus("gold", pairs)
    Question.objects.filter(pk=question.pk).update(gold_rule="adjudicated")
    question.refresh_from_db()
    researcher = create_person(username="reads-gold", password=None, role=User.Role.RESEARCHER)
    browser = Client(SERVER_NAME="localhost")
    browser.force_login(researcher)
    print(f"{pairs:,} pairs with five labels each\n\n| SQL of gold labels | |\n|---|---|")
    for name, length in sql_lengths(question):
        print(f"| {name}, characters | {length:,} |")
    print(
        "\n| pairs through REST | pairs | seconds | own processor seconds | pairs/s |\n|---|---|---|---|---|"
    )
    rest = f"/api/v1/corpora/{question.corpus.slug}/pairs/"
    row("pages of 1,000", lambda: in_pages(browser, f"{rest}?page_size={PAGE}"))
    row("JSON Lines", lambda: in_lines(browser, f"{rest}?as=jsonl"))
    row("gold labels of all, from the database alone", lambda: whole(question))
    print("\n| page | status | queries | statements that write | seconds |\n|---|---|---|---|---|")
    for address in PAGES:
        print_page(browser, address)
    print()


def sql_lengths(question: Question) -> Iterator[tuple[str, int]]:
    pairs = with_gold_label(Pair.objects.filter(corpus=question.corpus), question)
    yield "a query for pairs with their gold label", len(pairs.query.sql_with_params()[0])
    try:
        from validation.gold.sql_view import definition
    except ImportError:
        return
    yield "the view that it joins, without line breaks", len(" ".join(definition(connection.vendor).split()))


def row(name: str, read: Any) -> None:
    before = time.process_time()
    number, seconds = timed(lambda: sum(1 for _ in read()))
    own = time.process_time() - before
    if number:
        print(f"| {name} | {number:,} | {seconds:.2f} | {own:.2f} | {number / seconds:,.0f} |", flush=True)


def in_pages(browser: Client, url: str | None) -> Iterator[Any]:
    while url:
        page = browser.get(url).json()
        yield from page["results"]
        url = page["next"]


def in_lines(browser: Client, url: str) -> Iterable[Any]:
    answer = browser.get(url)
    if not answer.streaming:  # a version that has no such form
        return
    for portion in answer.streaming_content:  # type: ignore[attr-defined]
        yield from map(json.loads, portion.splitlines())


def whole(question: Question) -> Iterable[Any]:
    rows: Any = with_gold_label(Pair.objects.filter(corpus=question.corpus), question)
    return iter(rows.values_list("pk", "gold_label", "gold_source").iterator())


def print_page(browser: Client, address: str) -> None:
    browser.get(address)  # templates are compiled, connections made
    with CaptureQueriesContext(connection) as captured:
        answer, seconds = timed(lambda: browser.get(address))
    asked = [query["sql"] for query in captured.captured_queries]
    writes = sum(sql.startswith(WRITES) for sql in asked)
    print(f"| `{address}` | {answer.status_code} | {len(asked)} | {writes} | {seconds:.2f} |", flush=True)
