"""Two models of how reliable annotators are: Dawid and Skene (1979) and MACE (Hovy et al. 2013), fitted by crowd-kit.

They take seconds to minutes, so a worker or a command loads them, and no web process. cached.py keeps the result.
"""

import warnings
from itertools import count
from typing import TYPE_CHECKING, Any

from accounts.models import User
from validation.gold.queries import counted
from validation.models import Question
from validation.statistics.progress import NothingToCount, Progress, ignore_progress

if TYPE_CHECKING:
    import pandas as pd

ITERATIONS = 100  # of Dawid and Skene's model at most; it ends where it no longer gets better
STARTS, STEPS = 10, 50  # of MACE, each from another random start, of which the likeliest is kept
DAWID_SKENE_TAKES = 0.05  # of the whole time, or so


class NothingToFit(NothingToCount):
    """There are too few labels for a model. The text says what it needs."""


def fit_models(question: Question, progress: Progress = ignore_progress) -> dict[str, Any]:
    """Fits both models to the labels that decide gold.

    `annotators`: code -> {"dawid_skene", "mace"}, probabilities as in quality.MEANINGS. `differs`: for each model on
    how many of `pairs` (those with a majority) its label is not the majority's. Raises NothingToFit.
    """
    progress(0)
    data, workers = _given(question)
    if len(workers) < 2 or data["label"].nunique() < 2:
        raise NothingToFit("A model needs labels of at least two people, and at least two different labels.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # crowd-kit calls pandas in ways of yesterday
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
    """The labels as numbers, and the code of each worker's number.

    Numbered in the order in which they appear: crowd-kit's MACE numbers them so in one place and sorts them in
    another, and with names that sort otherwise it takes one annotator's habits for another's.
    """
    import pandas as pd

    rows = (
        counted(question)
        .filter(annotator__isnull=False)
        .order_by("pair_id", "sentence", "position")
        .values_list("pair_id", "sentence", "annotator_id", "label")
    )
    named = pd.DataFrame(list(rows), columns=["pair", "sentence", "worker", "label"])
    named["task"] = named.groupby(["pair", "sentence"], sort=False).ngroup()
    named = named[["task", "worker", "label"]]
    # Published files have two labels of one person on a few pairs; the models know one.
    named = named.drop_duplicates(["task", "worker"])
    numbers = {column: pd.factorize(named[column]) for column in named.columns}
    keys = numbers["worker"][1].tolist()
    codes = dict(User.objects.filter(pk__in=keys).values_list("pk", "code"))
    data = pd.DataFrame({column: number for column, (number, _) in numbers.items()})
    return data, [codes[key] for key in keys]


def _dawid_skene(data: "pd.DataFrame", progress: Progress) -> Any:
    from crowdkit.aggregation.classification.dawid_skene import DawidSkene

    model = DawidSkene(n_iter=ITERATIONS)
    _tell_steps(model, progress, 0, DAWID_SKENE_TAKES, ITERATIONS)
    return model.fit(data)


def _mace(data: "pd.DataFrame", progress: Progress) -> Any:
    import numpy as np
    from crowdkit.aggregation.classification.mace import MACE

    # Given a number instead of a generator, it would start from the same place each time.
    dice: Any = np.random.RandomState(0)
    model = MACE(n_restarts=STARTS, n_iter=STEPS, random_state=dice)
    _tell_steps(model, progress, DAWID_SKENE_TAKES, 1, STARTS * (STEPS + 1) + 1)
    return model.fit(data)


def _tell_steps(model: Any, progress: Progress, start: float, end: float, steps: int) -> None:
    """Tells at each step of expectation how far it is, which neither model does by itself."""
    step, number = model._e_step, count()

    def told(*data: Any) -> Any:
        progress(start + (end - start) * min(1, next(number) / steps))
        return step(*data)

    model._e_step = told


def _right(priors: Any, errors: Any, worker: int) -> float:
    """P(label given | label held for true), the two the same; what nobody gave is missing."""
    table = errors.loc[worker]
    return float(sum(priors[label] * table[label].get(label, 0) for label in priors.index))
