"""Reads the predictions of one run, or of two side by side: filtered by any dimension, sorted, with texts.

Pages, CSV and REST ask for them by the same parameters.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from django.http import QueryDict

from accounts.people.gates import viewer
from collection.models import PARTITIONS, Pair, PairInSet
from modeling.folders import predictions_of
from modeling.models import TrainingRun
from modeling.results.breakdowns import stored_dimensions
from modeling.results.dimensions import DIMENSIONS, OWN, SET
from modeling.results.pair_values import Values
from modeling.results.predicted import Predicted, read_predicted
from modeling.results.run_scores import in_order
from modeling.results.texts import FrozenPair, frozen_pairs
from modeling.results.trials import hides_test
from modeling.results.twins import is_twin
from nli.lines import HELD_OUT
from shared.facets import several
from shared.lists import orders_of
from shared.portions import portions
from shared.tables import Column
from snapshots.models import Snapshot

MOST_PREDICTIONS = 1000
PORTION = 500
LONGEST = 400  # characters of a value
# Predictions have six decimals: a probability that is written as 0 is below half of the last one.
SMALLEST = 5e-7

ALL, WRONG, RIGHT = "all", "wrong", "right"
# With a second run, by what both answered.
ONLY_FIRST, ONLY_SECOND, BOTH_WRONG, BOTH_RIGHT, DIFFERENT = (
    "only-first", "only-second", "both-wrong", "both-right", "different",
)  # fmt: skip
OUTCOMES = {ALL: "all", WRONG: "wrong", RIGHT: "right"}
OUTCOMES_OF_TWO = {
    ONLY_FIRST: "right in this run only",
    ONLY_SECOND: "right in the second run only",
    BOTH_WRONG: "wrong in both runs",
    BOTH_RIGHT: "right in both runs",
    DIFFERENT: "the runs predict different labels",
}
SUREST, LEAST_GOLD, IN_FILE, GAP, LEAST_PVI = "surest", "gold", "file", "gap", "pvi"
SORTS = {
    SUREST: "wrong and sure first",
    LEAST_GOLD: "least probable gold label first",
    IN_FILE: "order of the snapshot’s file",
}
# Dimensions that order pairs by their values, too.
SORTED_BY = ("label", "predicted", "genre", "agreement")
SORTS_OF_TWO = {GAP: "largest difference between the two runs first"}
SORTS_OF_TWINS = {LEAST_PVI: "least PVI first"}


class PredictionsMissing(Exception):
    """There are no predictions. The sentence says why."""


class BadPlace(PredictionsMissing):
    """The cursor is no pair of these predictions."""


class BadChoice(Exception):
    """There is no such outcome, order or dimension. `key` is its parameter."""

    def __init__(self, key: str, value: str, known: Sequence[str], what: str = "") -> None:
        super().__init__(f"There is no {what or key} {value!r} here. Known: {', '.join(known)}.")
        self.key = key


@dataclass(frozen=True)
class Choice:
    """What to show: pairs with one of these outcomes. `values`: dimension -> values of which a pair must have one.

    `text`: words of premise or hypothesis.
    """

    outcome: str | Collection[str] = ALL
    sort: str = SUREST
    values: Mapping[str, str | Collection[str]] = field(default_factory=dict)
    text: str = ""


@dataclass(frozen=True)
class Answer:
    """The prediction of a run for one pair."""

    predicted: str
    right: bool
    probability: float
    probabilities: dict[str, float]


@dataclass(frozen=True)
class Row:
    """One pair with the predictions of one or two runs. `pair`: None if the snapshot has no such pair here."""

    pair_id: str
    gold: str
    genre: str
    first: Answer
    second: Answer | None
    pvi: float | None
    pair: FrozenPair | None

    @property
    def premise(self) -> str | None:
        return self.pair.premise if self.pair else None

    @property
    def hypothesis(self) -> str | None:
        return self.pair.hypothesis if self.pair else None

    @property
    def labels(self) -> list[str]:
        """Returns the labels that decided the gold label, in the order of their positions."""
        return self.pair.deciding if self.pair else []

    @property
    def votes(self) -> Mapping[str, int]:
        """Returns how many people gave each label, the most frequent first, those that decided nothing included."""
        return self.pair.votes if self.pair else {}


@dataclass(frozen=True)
class Page:
    """Rows of a choice. `next`: the pair after which the next page begins, "" at the end.

    `pairs`: the number of all rows.
    """

    rows: list[Row]
    next: str
    pairs: int


class Predictions:
    """The predictions of a run on a partition of a snapshot, and perhaps those of a second run on the same pairs.

    Raises PredictionsMissing.
    """

    def __init__(
        self,
        run: TrainingRun,
        partition: str,
        *,
        on: Snapshot | None = None,
        beside: TrainingRun | None = None,
    ) -> None:
        if partition not in PARTITIONS:
            raise PredictionsMissing(
                f"There is no partition {partition!r}. The partitions: {', '.join(PARTITIONS)}."
            )
        self.run, self.partition, self.snapshot, self.beside = run, partition, on or run.snapshot, beside
        self._found: dict[str, npt.NDArray[np.bool_]] = {}
        self.first = self._read(run)
        self.second = self._aligned(self._read(beside), beside) if beside else None

    def _read(self, run: TrainingRun) -> Predicted:
        if self.partition == "test" and hides_test(run):
            raise PredictionsMissing(
                f"Run {run.pk} is a trial of sweep {run.parent_id} that was not chosen, so nobody sees its test scores."
            )
        path = predictions_of(run, self.snapshot, self.partition)
        if path is not None:
            return read_predicted(path)
        where = (
            self.partition if run.snapshot_id == self.snapshot.pk else f"{self.partition} of {self.snapshot}"
        )
        if run.status != TrainingRun.Status.DONE:
            why = f"it is {run.standing}. They come when it is done."
        elif not self.snapshot.pairs.filter(partition=self.partition, gold_label__isnull=False).exists():
            why = f"the snapshot has no {self.partition} pairs with a gold label."
        elif run.snapshot_id != self.snapshot.pk or self.partition not in HELD_OUT:
            asked = f"manage.py evaluate {run.pk} {self.snapshot} --partition {self.partition}"
            why = f"evaluate it there first, with {asked}."
        else:
            why = f"the files are on {run.worker}."
        raise PredictionsMissing(f"Run {run.pk} has no predictions for {where} here: {why}")

    def _aligned(self, other: Predicted, run: TrainingRun) -> Predicted:
        """Returns the second run's predictions in the order of the first run's pairs."""
        if set(other.names) != set(self.first.names):
            raise PredictionsMissing(f"Run {run.pk} predicts other labels: choose another second run.")
        try:
            other = other.in_order_of(self.first)
        except KeyError as error:
            raise PredictionsMissing(
                f"Run {run.pk} has not predicted the pair {error}: choose another second run."
            ) from None
        order = [other.names.index(name) for name in self.first.names]
        place = np.argsort(order).astype(np.int32)
        return Predicted(
            other.ids,
            self.first.names,
            place[other.gold],
            place[other.codes],
            other.shares[:, order],
        )

    @cached_property
    def dimensions(self) -> dict[str, Values]:
        found = stored_dimensions(self.run, self.snapshot, self.partition, self.first)
        return found | sets_by_pair(self.snapshot, self.first)

    @cached_property
    def pvi(self) -> npt.NDArray[np.float64] | None:
        """Returns the bits that the premise adds to each pair, if the second run is the first one's twin."""
        if self.second is None or self.beside is None or not is_twin(self.run, self.beside):
            return None
        return pvi(self.first.of_gold, self.second.of_gold)

    @property
    def outcomes(self) -> dict[str, str]:
        return OUTCOMES | (OUTCOMES_OF_TWO if self.second else {})

    @property
    def sorts(self) -> dict[str, str]:
        found = SORTS | (SORTS_OF_TWO if self.second else {}) | ({} if self.pvi is None else SORTS_OF_TWINS)
        known = [name for name in SORTED_BY if name in self.dimensions]
        return found | orders_of(Column(name, DIMENSIONS[name]) for name in known)

    def chosen(self, choice: Choice) -> npt.NDArray[np.int64]:
        """Returns the rows of a choice in its order. Raises BadChoice."""
        order = self._order(choice.sort)
        keep = self._passing(choice)
        return order[keep[order]]

    def counts(self, choice: Choice) -> dict[str, list[tuple[str, int]]]:
        """Returns `outcome` and each dimension -> its values with their pairs under the other filters. Raises BadChoice."""
        any_outcome = self._passing(replace(choice, outcome=ALL))
        found = {
            "outcome": [
                (name, int((self._with_outcome(name) & any_outcome).sum()))
                for name in self.outcomes
                if name != ALL
            ]
        }
        whole = self._passing(choice)
        for name, values in self.dimensions.items():
            others = {key: value for key, value in choice.values.items() if key != name}
            keep = self._passing(replace(choice, values=others)) if name in choice.values else whole
            found[name] = numbers_of(values, keep)
        return found

    def _passing(self, choice: Choice) -> npt.NDArray[np.bool_]:
        keep = np.any([self._with_outcome(each) for each in several(choice.outcome)], axis=0)
        for name, value in choice.values.items():
            if name not in self.dimensions:
                raise BadChoice("dimension", name, list(self.dimensions))
            keep = keep & has(self.dimensions[name], value)
        return keep & self._with_words(choice.text) if choice.text else keep

    def _with_words(self, words: str) -> npt.NDArray[np.bool_]:
        """Returns which pairs have these words; the database looks for them once."""
        if words not in self._found:
            corpus = self.snapshot.corpus_id
            pairs = Pair.objects.filter(corpus=corpus).with_words(words, corpus).order_by()
            names, ids = set(pairs.values_list("public_id", flat=True)), self.first.ids
            found = np.fromiter((name in names for name in ids), dtype=np.bool_, count=len(ids))
            self._found[words] = found
        return self._found[words]

    def page(self, choice: Choice, after: str, size: int) -> Page:
        """Returns at most `size` rows that follow the pair `after`. Raises BadChoice, BadPlace."""
        rows = self.chosen(choice)
        start = 0
        if after:
            if after not in self.first.places:
                raise BadPlace("This cursor is invalid. Begin again without one.")
            # The pair's place among all pairs, so that it need not be among the chosen ones.
            rank = np.argsort(self._order(choice.sort))
            start = int(np.searchsorted(rank[rows], rank[self.first.places[after]], side="right"))
        shown = rows[start : start + min(size, MOST_PREDICTIONS)].tolist()
        is_last = start + len(shown) >= len(rows)
        return Page(self.rows(shown), "" if is_last else self.first.ids[shown[-1]], len(rows))

    def all_rows(self, choice: Choice) -> Iterator[Row]:
        """Yields the rows of a choice with their texts, some hundred at a time. Raises BadChoice."""
        for portion in portions(self.chosen(choice).tolist(), PORTION):
            yield from self.rows(portion)

    def rows(self, places: Sequence[int]) -> list[Row]:
        """Returns rows with their texts, in the same queries for any number of them."""
        names = [self.first.ids[place] for place in places]
        pairs = frozen_pairs(self.snapshot, names)
        genres = self.dimensions.get("genre")
        rows = []
        for place, name in zip(places, names, strict=True):
            code = -1 if genres is None else int(genres.codes[place, 0])
            rows.append(
                Row(
                    pair_id=name,
                    gold=self.first.names[self.first.gold[place]],
                    genre=genres.names[code] if genres is not None and code >= 0 else "",
                    first=_answer(self.first, place),
                    second=_answer(self.second, place) if self.second else None,
                    pvi=None if self.pvi is None else float(self.pvi[place]),
                    pair=pairs.get(name),
                )
            )
        return rows

    def _with_outcome(self, outcome: str) -> npt.NDArray[np.bool_]:
        if outcome not in self.outcomes:
            raise BadChoice("outcome", outcome, list(self.outcomes))
        ours = self.first.right
        theirs = self.second.right if self.second else ours
        match outcome:
            case "wrong":
                return ~ours
            case "right":
                return ours
            case "only-first":
                return ours & ~theirs
            case "only-second":
                return ~ours & theirs
            case "both-wrong":
                return ~ours & ~theirs
            case "both-right":
                return ours & theirs
            case "different":
                assert self.second is not None
                return np.asarray(self.first.codes != self.second.codes)
            case _:
                return np.ones(len(ours), dtype=np.bool_)

    def _order(self, sort: str) -> npt.NDArray[np.int64]:
        """Returns the rows in an order; rows that it does not distinguish stay in the order of the file."""
        if sort not in self.sorts:
            raise BadChoice("sort", sort, list(self.sorts))
        keys = {
            SUREST: lambda: np.where(self.first.right, self.first.confidence, -self.first.confidence),
            LEAST_GOLD: lambda: self.first.of_gold,
            IN_FILE: lambda: np.zeros(len(self.first.ids)),
            GAP: lambda: -np.abs(self.first.of_gold - (self.second or self.first).of_gold),
            LEAST_PVI: lambda: np.zeros(0) if self.pvi is None else self.pvi,
        }
        if sort in keys:
            return np.argsort(keys[sort](), kind="stable")
        values = self.dimensions[sort.removeprefix("-")]
        order = in_order(values.names, self.snapshot.corpus.labels)
        return np.argsort(values.ranks(order[::-1] if sort[0] == "-" else order), kind="stable")


def sets_by_pair(snapshot: Snapshot, predicted: Predicted) -> dict[str, Values]:
    """Returns the named sets of the corpus in which the pairs are, as one more dimension; nothing if there are none."""
    rows = PairInSet.objects.filter(pair_set__corpus=snapshot.corpus_id).order_by("pair_set", "pk")
    found: dict[str, list[int]] = {}
    for name, pair in rows.values_list("pair_set__name", "pair__public_id"):
        if pair in predicted.places:
            found.setdefault(name, []).append(predicted.places[pair])
    if not found:
        return {}
    codes = np.full((len(predicted.ids), len(found)), -1, dtype=np.int32)
    for code, places in enumerate(found.values()):
        codes[places, code] = code
    return {SET: Values([*found], codes)}


def has(values: Values, wanted: str | Collection[str]) -> npt.NDArray[np.bool_]:
    """Returns which pairs have a value of a dimension, or one of several."""
    found = np.zeros(len(values.codes), dtype=np.bool_)
    for value in several(wanted):
        if value in values.names:
            found |= (values.codes == values.names.index(value)).any(axis=1)
    return found


def numbers_of(values: Values, keep: npt.NDArray[np.bool_]) -> list[tuple[str, int]]:
    """Returns the values of a dimension with the number of pairs that have each, without those that none has."""
    # The first place counts what has no value.
    numbers = np.bincount(values.codes[keep].ravel() + 1, minlength=len(values.names) + 1)[1:]
    return [(value, number) for value, number in zip(values.names, numbers.tolist(), strict=True) if number]


def _answer(predicted: Predicted, place: int) -> Answer:
    shares: list[float] = predicted.shares[place].tolist()
    return Answer(
        predicted=predicted.names[predicted.codes[place]],
        right=bool(predicted.codes[place] == predicted.gold[place]),
        probability=max(shares, default=0.0),
        probabilities=dict(zip(predicted.names, shares, strict=True)),
    )


def flat(row: Row) -> dict[str, Any]:
    """Returns a row in the form of REST and CSV."""
    fields: dict[str, Any] = {
        "pairID": row.pair_id,
        "gold": row.gold,
        "predicted": row.first.predicted,
        "probabilities": row.first.probabilities,
        "genre": row.genre,
        "premise": row.premise,
        "hypothesis": row.hypothesis,
        "annotator_labels": row.labels,
        "votes": row.votes,
    }
    if row.second is not None:
        fields |= {"second": {"predicted": row.second.predicted, "probabilities": row.second.probabilities}}
    if row.pvi is not None:
        fields["pvi"] = row.pvi
    return fields


def pvi(with_premise: npt.ArrayLike, without_premise: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Computes log2 p(gold | premise, hypothesis) - log2 p(gold | hypothesis) of each pair, in bits.

    This is pointwise V-information (Ethayarajh et al., "Understanding Dataset Difficulty with V-Usable Information", ICML
    2022, Definition 4.1), with the hypothesis-only twin in place of a model that reads nothing: what both know cancels out.
    Both arguments hold the probability of the gold label of each pair, in the same order: of the full model and of its
    hypothesis-only twin. Above 0, the premise helped; below 0, it misled. The mean over pairs is the information that
    the premises hold for this model (V-information). Raises ValueError for lists of different lengths.
    """
    full, twin = (np.asarray(one, dtype=np.float64) for one in (with_premise, without_premise))
    if full.shape != twin.shape:
        raise ValueError("The two models must have predicted the same pairs.")
    bits: npt.NDArray[np.float64] = np.log2(np.maximum(full, SMALLEST)) - np.log2(np.maximum(twin, SMALLEST))
    return bits


def asked_predictions(run: TrainingRun, partition: str, given: Mapping[str, str]) -> Predictions:
    """Returns the predictions that `on` (CORPUS@VERSION) and `with` (the number of a second run) name.

    Raises PredictionsMissing, BadChoice.
    """
    on, other = given.get("on", ""), given.get("with", "")
    snapshot = Snapshot.objects.of(viewer()).named(on).first() if on else None
    if on and snapshot is None:
        raise PredictionsMissing(f"There is no snapshot {on!r}. Name one as CORPUS@VERSION.")
    beside = None
    if other:
        number = int(other) if other.isascii() and other.isdigit() and len(other) < 18 else 0
        beside = TrainingRun.objects.of(viewer()).newest_first().filter(pk=number).exclude(pk=run.pk).first()
        if beside is None:
            raise BadChoice("with", other, ["the number of another run"], "second run")
    return Predictions(run, partition, on=snapshot, beside=beside)


def asked_choice(given: QueryDict, sort: str = SUREST) -> Choice:
    """Returns the choice: `outcome`, `sort` (else this), `text`, and values for each dimension that is named."""
    values = {
        name: found
        for name, texts in given.lists()
        if (name in DIMENSIONS or name == SET or name.startswith(OWN))
        and (found := several([text[:LONGEST] for text in texts]))
    }
    text = given.get("text", "").replace("\0", "")[:LONGEST].strip()
    return Choice(several(given.getlist("outcome")) or ALL, given.get("sort") or sort, values, text)


def other_runs(run: TrainingRun, snapshot: Snapshot) -> list[TrainingRun]:
    """Returns the finished runs with scores on a snapshot that can be compared with a run, the newest first."""
    rows = TrainingRun.objects.of(viewer()).filter(
        evaluations__snapshot=snapshot, status=TrainingRun.Status.DONE
    )
    return list(rows.exclude(pk=run.pk).distinct().order_by("-pk")[:200])
