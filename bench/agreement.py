"""Measures agreement at full size.

All statistics of the pages, the pages themselves, and libraries on the same labels.
"""

import time
import warnings
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any, TypeVar

from django.test import Client

from accounts.models import User
from accounts.people.registration import create_person
from bench.corpora import LABELS
from bench.labelled import make_labelled_corpus
from bench.measure import timed
from collection.models import Pair
from validation.models import CachedStatistics, Label, Question
from validation.statistics import cached
from validation.statistics.agreement import pairwise_kappa, report
from validation.statistics.annotator_quality import annotators
from validation.statistics.reliability_models import fit_models
from validation.statistics.vote_patterns import DIMENSIONS

MODELS_UP_TO = (
    100_000  # pairs, above which the models of reliability take longer than anybody wants to wait here
)
Result = TypeVar("Result")


def measure_agreement(pairs: int) -> None:
    """Times the computations of the pages Agreement and Annotators over `pairs` pairs with five labels each."""
    question, seconds = timed(lambda: make_labelled_corpus("agreed", pairs))
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
    pages(question)
    beside_libraries(question, found.figures)
    if pairs <= MODELS_UP_TO:
        models(question)
    print()


def row(name: str, work: Callable[[], Result]) -> Result:
    result, seconds = timed(work)
    print(f"| {name} | {seconds:.2f} |", flush=True)
    return result


def pages(question: Question) -> None:
    """Loads the pages as a researcher does: the first time, and again once their statistics are cached."""
    browser = Client(SERVER_NAME="localhost")
    browser.force_login(create_person(username="reads", password=None, role=User.Role.RESEARCHER))
    base = f"/corpora/{question.corpus.slug}"
    for name, address, wanted in (
        ("agreement by genre", f"{base}/agreement/?by=genre", [(cached.Kind.AGREEMENT, "genre")]),
        (
            "agreement by validator",
            f"{base}/agreement/?by=validator",
            [(cached.Kind.AGREEMENT, "validator")],
        ),
        (
            "annotators",
            f"{base}/annotators/",
            [(cached.Kind.PAIRWISE, ""), (cached.Kind.ANNOTATORS, "")],
        ),
        ("home", "/admin/", [(cached.Kind.AGREEMENT, "")]),
    ):
        row(f"page: {name}, the first time", partial(load, browser, address))
        kept = [
            cached.request_statistics(question=question, kind=kind, by=by)
            for kind, by in wanted
            if address == "/admin/" or not cached.is_computed_in_request(question, kind, by)
        ]
        if kept:
            row("what a worker counts for it", partial(count, kept))
            row(f"page: {name}, with its date", partial(load, browser, address))


def load(browser: Client, address: str) -> None:
    answer = browser.get(address)
    if answer.status_code != 200:
        raise RuntimeError(f"{address} answered {answer.status_code}.")


def count(kept: list[CachedStatistics]) -> None:
    """Computes what these requests ask for, as a worker does."""
    for each in kept:
        cached.carry_out(statistics_id=each.pk)
    if CachedStatistics.objects.under_way().exists():
        raise RuntimeError("A request is still there after its count.")


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
