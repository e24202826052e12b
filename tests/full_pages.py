"""Measures every page that researchers open, and those with which people who write or label begin, on a full site."""

import argparse
import logging
import re
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.addresses import addresses, finish, writes
from tests.full_corpus import FullCorpus, analyze

SIZES = (57_000, 433_000)
LIMITS = {57_000: 300, 433_000: 1000}  # pairs -> milliseconds that a page may take
TIMES = 3
# Routes that are no pages for these two: REST, what machines read, single records, tokens, files to save, ends of a
# session, links that are for one person, and an exam that the question of the sample site does not ask for.
NO_PAGES = re.compile(
    r"api/.*|health/|mine/data/|sign-in/with/.*|favicon\.ico|admin/(?!$|records/$|\w+/\w+/$).*|.*\.(csv|md|tex)|.*/(files|exports)/.*<.*|sign-out/"
    r"|enter/.*|new-password/.*|join/.*|admin/login/|admin/accounts/apitoken/|work/validation/.*exam/"
    r"|work/mine/(batches|returned)/.*|.*/leaderboard/"
)
# Routes of people who write and label: measured as one of the crowd.
OF_WORKERS = re.compile(r"start/|work/.*|mine/.*|consent/.*")
# Pages in other states than the first: route -> queries.
STATES: dict[str, tuple[str, ...]] = {
    "corpora/<slug:slug>/pairs/": (
        *(f"?votes={state}" for state in ("disputed", "split", "complete")),
        "?order=random",
        "?genre=genre-3",
        "?shortest=10&longest=12",
        *(f"?text={words}" for words in ("river+lamp", "river+nowhere")),
        *(f"?order={order}" for order in ("genre", "-author", "gold", "-agreement", "-characters")),
        "?order=gold&author=wk000003x",
    ),
    "corpora/<slug:slug>/agreement/": tuple(
        f"?by={by}" for by in ("genre", "partition", "prompt", "author", "validator", "week", "set")
    ),
    "corpora/<slug:slug>/annotators/": ("?sort=-seconds",),
    "corpora/<slug:slug>/pay/": ("?floor=12",),
    "corpora/<slug:slug>/controls/": ("?percent=1",),
    "c/<slug:slug>/premises/": (
        "?text=river",
        "?status=open",
        "?order=genre",
        "?order=-status",
        "?order=from",
    ),
    "c/<slug:slug>/texts/": tuple(
        f"?order={order}" for order in ("genre", "-label", "writer", "prompt", "characters")
    ),
    "snapshots/<int:pk>/pairs/": (
        *("?partition=train", "?text=river"),
        *(f"?order={order}" for order in ("genre", "-gold", "agreement", "-characters")),
    ),
    "runs/<int:pk>/predictions/<str:partition>/": ("?text=river", "?order=gold"),
    "search/": ("?q=river+lamp", "?q=story", "?q=wk000003x"),
    "runs/": ("?corpus=small",),
    "snapshots/": ("?corpus=small",),
}


@dataclass(frozen=True)
class Page:
    """A page in one state. `name`: its route with the query; `worker`: whether one of the crowd opens it."""

    name: str
    url: str
    worker: bool


@dataclass(frozen=True)
class Measured:
    """Queries of a page, statements that wrote, and medians of milliseconds: on the clock, and of the processor."""

    queries: int
    written: int
    clock: float
    site: float
    database: float


def pages(corpus: FullCorpus) -> list[Page]:
    """Returns every page of the site, as the URL configuration has them, in all their states."""
    found = []
    for address in addresses(corpus.site):
        if not NO_PAGES.fullmatch(address.route):
            worker = bool(OF_WORKERS.fullmatch(address.route))
            found.append(Page(address.route, address.url, worker))
            bare = address.url.partition("?")[0]
            found += [
                Page(f"{address.route}{query}", f"{bare}{query}", worker)
                for query in STATES.get(address.route, ())
            ]
    return found


def measure_pages(sizes: Sequence[int]) -> None:
    """Prints a table: each page at each size. The snapshot and the runs are of the first size."""
    logging.getLogger("django.request").setLevel(logging.ERROR)  # pages that are only posted to
    logging.getLogger("quintet.security").setLevel(logging.ERROR)
    corpus, table = FullCorpus(), dict[str, dict[int, Measured]]()
    for size in sizes:
        made = seconds(partial(corpus.add_pairs, size - corpus.pairs))
        frozen = 0.0
        if size == sizes[0]:
            frozen = seconds(corpus.freeze_and_train)
        analyze()
        counted = seconds(corpus.count_statistics)
        analyze()
        began = time.perf_counter()
        for page, found in measured(corpus).items():
            table.setdefault(page, {})[size] = found
        looked = time.perf_counter() - began
        print(
            f"{size:,} pairs made in {made:.0f} s, frozen, with runs, in {frozen:.0f} s, statistics counted in "
            f"{counted:.0f} s, pages measured in {looked:.0f} s",
            flush=True,
        )
    _print(table, sizes)


def measured(corpus: FullCorpus, times: int = TIMES) -> dict[str, Measured]:
    """Measures each page that exists: the median of so many times after a first one. Raises RuntimeError for an error."""
    people = corpus.site.people
    browsers = {
        False: [_signed_in(people["researcher"])],
        # What only the annotator of the sample site has is opened as this one.
        True: [_signed_in(corpus.worker()), _signed_in(people["annotator"])],
    }
    found = {page.name: look_at(browsers[page.worker], page, times) for page in pages(corpus)}
    return {name: each for name, each in found.items() if each is not None}


def look_at(browsers: Sequence[Client], page: Page, times: int = TIMES) -> Measured | None:
    """Measures a page; None if it is not for this person, leads elsewhere, or is only posted to."""
    for browser in browsers:
        answer = browser.get(page.url)
        finish(answer)
        if answer.status_code != 404:
            break
    # Somebody else's work is not found by these two; a researcher finds all pages.
    if answer.status_code in (301, 302, 403, 405) or (page.worker and answer.status_code == 404):
        return None
    if answer.status_code != 200:
        raise RuntimeError(f"{page.url} answered {answer.status_code}.")
    with CaptureQueriesContext(connection) as captured:
        finish(browser.get(page.url))
    queries, written = len(captured), len(writes(captured))
    taken = [_time(browser, page.url) for _ in range(times)] or [(0.0, 0.0, 0.0)]
    return Measured(queries, written, *(statistics.median(column) for column in zip(*taken, strict=True)))


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _time(browser: Client, url: str) -> tuple[float, float, float]:
    """Returns the milliseconds of a visit, and the processor's of it: of the site, and of the database."""
    own, theirs = time.process_time(), of_connection()
    clock = seconds(lambda: finish(browser.get(url)))
    return 1000 * clock, 1000 * (time.process_time() - own), 1000 * (of_connection() - theirs)


def of_connection() -> float:
    """Returns the processor seconds of the process that serves this connection; 0 where it is not on this machine."""
    if connection.vendor != "postgresql":
        return 0.0
    connection.ensure_connection()
    process = connection.connection.info.backend_pid
    try:
        return int(Path(f"/proc/{process}/schedstat").read_text().split()[0]) / 1e9
    except OSError:
        return 0.0


def _signed_in(user: Any) -> Client:
    browser = Client(SERVER_NAME="localhost")
    browser.force_login(user)
    return browser


def _print(table: dict[str, dict[int, Measured]], sizes: Sequence[int]) -> None:
    heads = [
        f"{what}, {size:,} pairs"
        for size in sizes
        for what in ("queries", "ms", "processor ms: site, database")
    ]
    print(f"\n| page | {' | '.join(heads)} |\n|{'---|' * (1 + len(heads))}")
    slow, writing, growing = [], [], []
    for name, found in table.items():
        cells = [
            cell
            for size in sizes
            for cell in (
                (
                    str(found[size].queries),
                    f"{found[size].clock:.0f}",
                    f"{found[size].site:.0f}, {found[size].database:.0f}",
                )
                if size in found
                else ("", "", "")
            )
        ]
        print(f"| `{name}` | {' | '.join(cells)} |")
        slow += [
            f"`{name}` at {size:,}" for size, each in found.items() if each.clock > LIMITS.get(size, 1000)
        ]
        writing += [name] * any(each.written for each in found.values())
        growing += [name] * (len({each.queries for each in found.values()}) > 1)
    print(f"\nLonger than 300 ms at 57,000 pairs or 1 s at 433,000: {', '.join(slow) or 'none'}.")
    print(f"Pages that write: {', '.join(writing) or 'none'}.")
    print(f"Other numbers of queries with more pairs: {', '.join(growing) or 'none'}.\n")


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench pages")
    parser.add_argument("sizes", nargs="*", type=int, metavar="PAIRS")
    measure_pages(parser.parse_args().sizes or SIZES)
