"""Two models of annotators' reliability: Dawid and Skene (1979) and MACE (Hovy et al. 2013), fitted by crowd-kit.

Fitting takes seconds to minutes, so only workers and commands do it, and no web process loads crowd-kit. cached.py
stores the result.
"""

import warnings
from itertools import count
from typing import TYPE_CHECKING, Any

from accounts.models import User
from validation.gold.queries import deciding_labels
from validation.models import Question
from validation.statistics.progress import NothingToCount, Progress, ignore_progress

if TYPE_CHECKING:
    import pandas as pd

ITERATIONS = 100  # at most, of Dawid and Skene's model; it stops when it no longer improves
STARTS, STEPS = 10, 50  # of MACE: random starts, of which the likeliest result counts, and steps of each
DAWID_SKENE_TAKES = 0.05  # of the whole time, about


class NothingToFit(NothingToCount):
    """There are too few labels to fit a model. The text says how many are needed."""


def fit_models(question: Question, progress: Progress = ignore_progress) -> dict[str, Any]:
    """Fits both models to the labels that decide the gold labels.

    `annotators`: code -> {"dawid_skene", "mace"}, see annotator_quality.MEANINGS. `pairs`: number of pairs with a
    majority; `differs`: for each model, the number of these pairs on which its label is not the majority. Raises
    NothingToFit.
    """
    progress(0)
    data, workers = _given(question)
    if len(workers) < 2 or data["label"].nunique() < 2:
        raise NothingToFit(
            "A model needs labels of at least two annotators, and at least two different labels."
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # crowd-kit uses deprecated calls of pandas
        models = {"dawid_skene": _dawid_skene(data, progress), "mace": _mace(data, progress)}
    votes = data.groupby(["task", "label"]).size().unstack(fill_value=0)
    majority = votes.idxmax(axis=1)[2 * votes.max(axis=1) > votes.sum(axis=1)]
    priors, errors = models["dawid_skene"].priors_, models["dawid_skene"].errors_
    competence = models["mace"].spamming_[:, 1]
    return {
        "labels": len(data),
        "pairs": len(majority),
        "differs": {
            name: int((model.labels_.reindex(majority.index) != majority).sum())
            for name, model in models.items()
        },
        "annotators": {
            code: {"dawid_skene": _right(priors, errors, number), "mace": float(competence[number])}
            for number, code in enumerate(workers)
        },
    }


def _given(question: Question) -> tuple["pd.DataFrame", list[str]]:
    """Returns the labels with numbered tasks, workers and labels, and the annotator's code of each worker number.

    The numbers follow the order of appearance: crowd-kit's MACE uses that order in one place and sorted order in
    another, and mixes annotators up if the two differ.
    """
    import pandas as pd

    rows = (
        deciding_labels(question)
        .filter(annotator__isnull=False)
        .order_by("pair_id", "sentence", "position")
        .values_list("pair_id", "sentence", "annotator_id", "label")
    )
    named = pd.DataFrame(list(rows), columns=["pair", "sentence", "worker", "label"])
    named["task"] = named.groupby(["pair", "sentence"], sort=False).ngroup()
    named = named[["task", "worker", "label"]]
    # Published files have two labels of one annotator on a few pairs; the models take one.
    named = named.drop_duplicates(["task", "worker"])
    numbers = {column: pd.factorize(named[column]) for column in named.columns}
    keys = numbers["worker"][1].tolist()
    codes = dict(User.objects.filter(pk__in=keys).values_list("pk", "code"))
    data = pd.DataFrame({column: number for column, (number, _) in numbers.items()})
    return data, [codes[key] for key in keys]


def _dawid_skene(data: "pd.DataFrame", progress: Progress) -> Any:
    from crowdkit.aggregation.classification.dawid_skene import DawidSkene

    model = DawidSkene(n_iter=ITERATIONS)
    _report_steps(model, progress, 0, DAWID_SKENE_TAKES, ITERATIONS)
    return model.fit(data)


def _mace(data: "pd.DataFrame", progress: Progress) -> Any:
    import numpy as np
    from crowdkit.aggregation.classification.mace import MACE

    # With a number instead of a generator, all starts would be the same.
    dice: Any = np.random.RandomState(0)
    model = MACE(n_restarts=STARTS, n_iter=STEPS, random_state=dice)
    _report_steps(model, progress, DAWID_SKENE_TAKES, 1, STARTS * (STEPS + 1) + 1)
    return model.fit(data)


def _report_steps(model: Any, progress: Progress, start: float, end: float, steps: int) -> None:
    """Reports progress at each expectation step; neither model does so by itself."""
    step, number = model._e_step, count()

    def reporting(*data: Any) -> Any:
        progress(start + (end - start) * min(1, next(number) / steps))
        return step(*data)

    model._e_step = reporting


def _right(priors: Any, errors: Any, worker: int) -> float:
    """Returns the probability of the true label; a label that nobody gave is missing from the table."""
    table = errors.loc[worker]
    return float(sum(priors[label] * table[label].get(label, 0) for label in priors.index))
