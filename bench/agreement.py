"""Measures agreement and gold labels at full size: statistics, libraries on the same labels, and all pairs through REST."""

import json
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any, TypeVar

from django.test import Client

from accounts.models import User
from accounts.people.registration import create_person
from annotation_site.made_up.corpora import LABELS
from bench.measure import timed
from bench.varied import add_batches, make_varied_corpus, real_pairs
from collection.models import Pair
from validation.gold.queries import with_gold_label
from validation.models import Label, Question
from validation.statistics.agreement import pairwise_kappa, report
from validation.statistics.annotator_quality import annotators
from validation.statistics.reliability_models import fit_models
from validation.statistics.vote_patterns import DIMENSIONS

# Pairs, above which the models of reliability take longer than anybody wants to wait here.
MODELS_UP_TO = 100_000
Result = TypeVar("Result")
PAGE = 1000  # pairs


def measure_agreement(pairs: int) -> None:
    """Times the computations of the pages Agreement and Annotators over `pairs` pairs with five labels each."""
    question, seconds = timed(lambda: labelled("agreed", pairs))
    print(
        f"{pairs:,} pairs with five labels each, made in {seconds:.0f} s\n\n| statistics | seconds |\n|---|---|"
    )
    chosen = Pair.objects.filter(corpus=question.corpus)
    found = row("all of the corpus, with intervals", lambda: report(chosen, question))
    if found.figures["pairs_with_all_labels"] != pairs:
        raise RuntimeError(f"{found.figures['pairs_with_all_labels']} of {pairs} pairs were counted.")
    for by in DIMENSIONS:
        row(f"the same and by {by}", partial(report, chosen, question, by=by))
    row("Cohen's kappa of every two annotators", lambda: pairwise_kappa(question))
    row("every annotator's figures and flags", lambda: annotators(question))
    beside_libraries(question, found.figures)
    if pairs <= MODELS_UP_TO:
        models(question)
    print()


def labelled(slug: str, pairs: int) -> Question:
    """Makes pairs with five labels each, which were given in timed batches."""
    question = make_varied_corpus(slug, real_pairs(), pairs)
    add_batches(question)
    return question


def row(name: str, work: Callable[[], Result]) -> Result:
    result, seconds = timed(work)
    print(f"| {name} | {seconds:.2f} |", flush=True)
    return result


def models(question: Question) -> None:
    """Fits both reliability models, and measures the longest time without a progress report."""
    told: list[float] = []
    row(
        "Dawid and Skene's model and MACE, by crowd-kit",
        lambda: fit_models(question, lambda part: told.append(time.perf_counter())),
    )
    silent = max(later - earlier for earlier, later in pairwise(told))
    print(f"| of it the longest without a word of progress | {silent:.2f} |", flush=True)


def beside_libraries(question: Question, figures: dict[str, Any]) -> None:
    """Computes the same statistics by krippendorff, statsmodels and crowd-kit. Raises RuntimeError if they differ."""
    import krippendorff
    import numpy as np
    import pandas as pd
    from crowdkit.metrics.data import alpha_krippendorff
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

    def read() -> list[tuple[int, int, int, str]]:
        rows = Label.objects.filter(question=question).counted().order_by("pair_id", "position")
        return list(rows.values_list("pair_id", "annotator_id", "position", "label"))

    rows = row("reading all labels into memory, which the libraries need", read)
    numbers = np.array([LABELS.index(label) for *_, label in rows]).reshape(-1, 5)
    alpha = row(
        "Krippendorff's alpha alone, by krippendorff",
        lambda: krippendorff.alpha(reliability_data=numbers.T, level_of_measurement="nominal"),
    )
    kappa = row(
        "Fleiss' kappa alone, by statsmodels", lambda: fleiss_kappa(aggregate_raters(numbers, n_cat=3)[0])
    )
    frame = pd.DataFrame(
        [(pair, who, label) for pair, who, _, label in rows], columns=["task", "worker", "label"]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = row("Krippendorff's alpha alone, by crowd-kit", lambda: alpha_krippendorff(frame))
    ours = (figures["krippendorff_alpha"], figures["fleiss_kappa"]["overall"])
    if not np.allclose(ours, (alpha, kappa)) or abs(other - alpha) > 1e-6:
        raise RuntimeError(f"Ours {ours}; theirs {alpha}, {kappa}, {other}.")


def measure_gold(pairs: int) -> None:
    """Makes `pairs` pairs with five labels under an adjudicated question, and prints a table."""
    question = labelled("gold", pairs)
    Question.objects.filter(pk=question.pk).update(gold_rule="adjudicated")
    question.refresh_from_db()
    researcher = create_person(username="reads-gold", password=None, role=User.Role.RESEARCHER)
    browser = Client(SERVER_NAME="localhost")
    browser.force_login(researcher)
    print(f"{pairs:,} pairs with five labels each\n")
    print("| pairs through REST | pairs | seconds | own processor seconds | pairs/s |\n|---|---|---|---|---|")
    rest = f"/api/v1/corpora/{question.corpus.slug}/pairs/"
    counted("pages of 1,000", lambda: in_pages(browser, f"{rest}?page_size={PAGE}"))
    counted("JSON Lines", lambda: in_lines(browser, f"{rest}?as=jsonl"))
    counted("gold labels of all, from the database alone", lambda: whole(question))
    print()


def counted(name: str, read: Any) -> None:
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
