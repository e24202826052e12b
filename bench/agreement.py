"""Agreement at full size: every figure that a page shows, and the same by the libraries that people use for it."""

import warnings
from functools import partial
from typing import Any

from django.db import connection

from accounts.models import User
from bench.corpora import LABELS, make_corpus, open_all
from bench.measure import timed
from collection.models import Pair
from validation.agreement import DIMENSIONS, pairwise_kappa, report
from validation.models import Label, Question
from validation.quality import annotators, fit_models

VALIDATORS = 300


def measure_agreement(pairs: int) -> None:
    """Times what the pages of agreement and of annotators count over `pairs` pairs with five labels each."""
    question = make_corpus("agreed", pairs)
    _, seconds = timed(lambda: open_all(question))
    print(
        f"Open for validation: {pairs:,} pairs in {seconds:.1f} s, {pairs / seconds:,.0f} pairs/s", flush=True
    )
    label_everything(question)
    chosen = Pair.objects.filter(corpus=question.corpus)
    print("\n| figures | seconds |\n|---|---|")
    found, seconds = timed(lambda: report(chosen, question))
    if found.figures["pairs_with_all_labels"] != pairs:
        raise RuntimeError(f"{found.figures['pairs_with_all_labels']} of {pairs} pairs were counted.")
    row("all of the corpus, with intervals", seconds)
    for by in DIMENSIONS:
        row(f"the same and by {by}", timed(partial(report, chosen, question, by=by))[1])
    row("Cohen's kappa of every two annotators", timed(lambda: pairwise_kappa(question))[1])
    row("every annotator's figures and flags", timed(lambda: annotators(question))[1])
    beside_libraries(question, found.figures)
    row("Dawid and Skene's model and MACE, by crowd-kit", timed(lambda: fit_models(question))[1])
    print()


def row(name: str, seconds: float) -> None:
    print(f"| {name} | {seconds:.2f} |", flush=True)


def label_everything(question: Question) -> None:
    """Fills the seats in the database itself: 85% with the author's label, over ten weeks, each with a time."""
    people = User.objects.bulk_create(
        User(username=f"{question.corpus.slug}-{number}") for number in range(VALIDATORS)
    )
    first = min(person.pk for person in people)
    label, item, assignment = ("validation_" + name for name in ("label", "batchitem", "assignment"))
    wrong = "(ARRAY['" + "','".join(LABELS) + "'])[1 + floor(random() * 3)::int]"
    with connection.cursor() as cursor:
        cursor.execute("SELECT setseed(0.5)")
        cursor.execute(
            f"UPDATE {label} AS seat SET annotator_id = %s + (seat.pair_id / 20 + seat.position * 61) %% {VALIDATORS},"
            " cast_at = now() - (seat.pair_id %% 70) * interval '1 day',"
            f" label = CASE WHEN random() < 0.85 THEN pair.author_label ELSE {wrong} END"
            " FROM collection_pair AS pair"
            " WHERE pair.id = seat.pair_id AND seat.question_id = %s AND seat.origin = 'cast'",
            (first, question.pk),
        )
        cursor.execute(
            f"INSERT INTO {assignment} (question_id, annotator_id, token, leased_until, created_at, closed_at)"
            f" SELECT %s, id, 'bench-' || id, now(), now(), now() FROM accounts_user WHERE id >= %s",
            (question.pk, first),
        )
        cursor.execute(
            f'INSERT INTO {item} (assignment_id, seat_id, "order", answer, active_ms, lost)'
            " SELECT batch.id, seat.id, row_number() OVER (PARTITION BY batch.id ORDER BY seat.id) %% 30000,"
            " seat.label, 3000 + floor(random() * 9000)::int, false"
            f" FROM {label} AS seat JOIN {assignment} AS batch ON batch.annotator_id = seat.annotator_id"
            " AND batch.question_id = seat.question_id WHERE seat.question_id = %s AND seat.origin = 'cast'",
            (question.pk,),
        )
        cursor.execute("ANALYZE")


def beside_libraries(question: Question, figures: dict[str, Any]) -> None:
    """The same figures by krippendorff, statsmodels and crowd-kit. They must come out the same."""
    import krippendorff
    import numpy as np
    import pandas as pd
    from crowdkit.metrics.data import alpha_krippendorff
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

    def read() -> list[tuple[int, int, int, str]]:
        rows = Label.objects.filter(question=question).counted().order_by("pair_id", "position")
        return list(rows.values_list("pair_id", "annotator_id", "position", "label"))

    rows, seconds = timed(read)
    row("reading all labels into memory, which the libraries need", seconds)
    numbers = np.array([LABELS.index(label) for *_, label in rows]).reshape(-1, 5)
    alpha, seconds = timed(
        lambda: krippendorff.alpha(reliability_data=numbers.T, level_of_measurement="nominal")
    )
    row("Krippendorff's alpha alone, by krippendorff", seconds)
    kappa, seconds = timed(lambda: fleiss_kappa(aggregate_raters(numbers, n_cat=3)[0]))
    row("Fleiss' kappa alone, by statsmodels", seconds)
    frame = pd.DataFrame(
        [(pair, who, label) for pair, who, _, label in rows], columns=["task", "worker", "label"]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other, seconds = timed(lambda: alpha_krippendorff(frame))
    row("Krippendorff's alpha alone, by crowd-kit", seconds)
    ours = (figures["krippendorff_alpha"], figures["fleiss_kappa"]["overall"])
    if not np.allclose(ours, (alpha, kappa)) or abs(other - alpha) > 1e-6:
        raise RuntimeError(f"Ours {ours}; theirs {alpha}, {kappa}, {other}.")
