"""Figures of a run's results: confusion, genres and calibration on a partition, and its data map."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import numpy as np
from django.http import Http404
from django.urls import reverse
from pydantic import Field

from modeling.folders import predictions_of
from modeling.models import TrainingRun
from modeling.results.breakdowns import stored_dimensions
from modeling.results.data_map import DataMap, NoDataMap, data_map
from modeling.results.predicted import read_predicted
from modeling.results.run_scores import Evaluated, evaluations
from modeling.results.scope import EVALUATION, RUN
from shared.figures import Figure, Parameters, Picture, picture
from shared.findings import compared, is_apart, most_frequent, mostly, named_rows
from shared.intervals import FEWEST_PAIRS, wilson
from shared.numbers import percent
from shared.tables import Column, Row, Table, interval
from snapshots.statistics.scope import names_on
from snapshots.statistics.tags import NAMES as NAMES_OF_TAGS
from validation.questions.lookup import named

GENRE = "genre"
FEWEST_OF_GENRE = 20  # pairs: the interval over fewer says nothing
MOST_GENRES = 30
POINTS, MOST_POINTS = 300, 100_000  # of a data map: in a picture more would hide each other
NEVER, SOMETIMES, ALWAYS = "never right", "sometimes right", "always right"


# All scores


def _scores(data: Iterable[Evaluated]) -> Iterator[Row]:
    for one in data:
        low, high = one.interval
        yield {
            **{"part": one.where, "pairs": one.whole.pairs, "accuracy": one.whole.accuracy},
            **{"low": low, "high": high, "majority": one.whole.majority},
            "hrefs": {"pairs": one.predictions} if one.has_predictions else {},
        }


SCORES = Figure(
    "scores",
    "Accuracy",
    RUN,
    _scores,
    (
        Column("part"),
        Column("pairs", kind="count"),
        Column(
            "accuracy", "", "share", "The share of pairs with a gold label that were predicted correctly."
        ),
        *interval("The 95% interval of the accuracy after Wilson, over the pairs."),
        Column(
            "majority",
            "majority class",
            "share",
            "The accuracy of always predicting the most frequent gold label of these pairs.",
        ),
    ),
    gather=evaluations,
    only_with_rows=True,
)


# Which labels are taken for which


def _confusion(one: Evaluated) -> list[Row] | None:
    if one.confusion is None:
        return None
    labels = one.confusion.labels

    def behind(gold: str) -> dict[str, str]:
        return {
            f"predicted: {label}": one.predictions_with(label=gold, predicted=label)
            for label in labels
            if one.has_predictions
        }

    return [
        {
            "gold": gold,
            **{f"predicted: {label}": count for label, count in zip(labels, counts, strict=True)},
            "recall": recall,
            "hrefs": behind(gold),
        }
        for gold, counts, recall in one.confusion.rows
    ]


def _confusion_drawn(table: Table, one: Evaluated) -> Picture:
    assert one.confusion is not None
    names = names_on(one.snapshot)
    precision = ", ".join(
        f"{named(names, 'label', label)} {percent(share)}"
        for label, share in zip(one.confusion.labels, one.confusion.precision, strict=True)
        if share is not None
    )
    note = (
        "Pairs by gold label (rows) and predicted label (columns). Precision, the share of a predicted label that is"
        f" right: {precision}."
    )
    series = [column.key for column in table.columns[1:-1]]
    return picture("heat", y="gold", series=series, of="row", x_name="predicted label", note=note)


def _confusion_found(table: Table) -> str:
    wrong = {
        f"{column.name} for {row['gold']}": row[column.key]
        for row in table.rows
        for column in table.columns[1:-1]
        if column.name != row["gold"]
    }
    mistakes = sum(wrong.values())
    found = most_frequent("mistake", wrong, mistakes, lambda number: f"{number:,} of {mistakes:,}")
    return found or f"{mistakes:,} mistakes" if mistakes else "there is no mistake"


def _predicted(one: Evaluated) -> Iterable[str]:
    return one.confusion.labels if one.confusion else ()


CONFUSION = Figure(
    "confusion",
    "Gold and predicted labels",
    EVALUATION,
    _confusion,
    (
        Column("gold", "gold label"),
        Column("predicted: {}", "{}", "count", each=_predicted),
        Column(
            "recall", "", "share", "The share of the pairs with this gold label that are predicted right."
        ),
    ),
    _confusion_drawn,
    _confusion_found,
)


# Accuracy by genre


def _genres(one: Evaluated) -> list[Row] | None:
    """Returns the accuracy in each genre, lowest first; None for one genre, of which the accuracy of all says all."""
    of_genres = (each.parts for each in one.breakdowns if each.dimension == GENRE)
    parts = [part for parts in of_genres for part in parts if part.accuracy is not None and part.pairs]
    if len(parts) < 2:
        return None
    parts.sort(key=lambda part: part.accuracy or 0)
    return [
        {
            "genre": part.value,
            "pairs": part.pairs,
            "accuracy": part.accuracy,
            **dict(zip(("low", "high"), wilson(part.accuracy, part.pairs), strict=True)),
            "majority": part.majority,
            **({"href": one.predictions_with(genre=part.value)} if one.has_predictions else {}),
        }
        for part in parts
    ]


def _genres_drawn(table: Table, one: Evaluated) -> Picture:
    whole, genres = one.whole.accuracy, len(table.rows)
    drawn = min(MOST_GENRES, sum(row["pairs"] >= FEWEST_OF_GENRE for row in table.rows))
    note = (
        f"Genres with fewer than {FEWEST_OF_GENRE} pairs are not drawn; below {FEWEST_PAIRS} a point is faint."
        + (f" Of {genres:,} genres, {drawn:,} are drawn." if drawn < genres else "")
    )
    return picture(
        "dots",
        y="genre",
        x="accuracy",
        low="low",
        high="high",
        n="pairs",
        others=["majority"],
        least={"pairs": FEWEST_OF_GENRE},
        most=MOST_GENRES,
        lines=[{"axis": "x", "value": whole, "name": f"all ({percent(whole)})"}],
        note=note,
    )


BY_GENRE = Figure(
    "by-genre",
    "Accuracy by genre",
    EVALUATION,
    _genres,
    (
        Column("genre"),
        Column("pairs", kind="count"),
        Column("accuracy", "", "share", "With its 95% interval after Wilson."),
        *interval(),
        Column("majority", "majority class", "share"),
    ),
    _genres_drawn,
    lambda table: (
        compared("accuracy", named_rows(table.rows, "genre", "accuracy", "pairs"), GENRE)
        or f"fewer than two genres have {FEWEST_PAIRS} pairs"
    ),
)


# Which labels the model gives under each annotation tag

TAGS = "tag_substring"


def _given_under_tags(one: Evaluated) -> list[Row] | None:
    """Returns the shares of predicted and gold labels among the pairs with each tag; None where tags are not counted."""
    path = predictions_of(one.whole.run, one.snapshot, one.partition)
    if path is None or all(each.dimension != TAGS for each in one.breakdowns):
        return None
    predicted = read_predicted(path)
    values = stored_dimensions(one.whole.run, one.snapshot, one.partition, predicted).get(TAGS)
    if values is None:
        return None
    rows: list[Row] = []
    for tag, name in NAMES_OF_TAGS.items():
        if tag not in values.names:
            continue
        has = (values.codes == values.names.index(tag)).any(axis=1)
        row: dict[str, Any] = {
            "tag": name,
            "pairs": int(has.sum()),
            "accuracy": float(predicted.right[has].mean()),
        }
        for what, codes in (("predicted", predicted.codes[has]), ("gold", predicted.gold[has])):
            for label in one.snapshot.corpus.labels:
                is_this = [n for n, known in enumerate(predicted.names) if known == label]
                row[f"{what}: {label}"] = float(np.isin(codes, is_this).mean())
        rows.append(row)
    return rows or None


def _labels(one: Evaluated) -> Iterable[str]:
    return one.snapshot.corpus.labels


def _leaning_found(table: Table) -> str:
    """Names the tag under which the model gives a label most above its gold share."""
    labels = [
        column.key.removeprefix("gold: ") for column in table.columns if column.key.startswith("gold: ")
    ]
    found = [
        (row[f"predicted: {label}"] - row[f"gold: {label}"], label, row)
        for row in table.rows
        for label in labels
        if row["pairs"] >= FEWEST_PAIRS
        and is_apart(row[f"predicted: {label}"], row["pairs"], row[f"gold: {label}"])
    ]
    if not found:
        return "no tag changes how often a label is given beyond what chance may do"
    more, label, row = max(found, key=lambda each: each[0])
    return f"under “{row['tag']}” the model gives {label} {100 * more:.1f} points more often than it is right"


BY_TAG = Figure(
    "labels-by-tag",
    "Labels that the model gives under each annotation tag (MultiNLI, section 4)",
    EVALUATION,
    _given_under_tags,
    (
        Column("tag"),
        Column("pairs", kind="count", definition="Key words also count inside other words, as in the paper."),
        Column("accuracy", kind="share"),
        Column("predicted: {}", "{} predicted", "share", each=_labels),
        Column("gold: {}", "{} in gold", "share", each=_labels),
    ),
    finding=_leaning_found,
    only_with_rows=True,
)


# Calibration


def _calibration(one: Evaluated) -> list[Row] | None:
    return [
        {
            **each,
            "bin": f"{each['lower']:.1f} to {each['upper']:.1f}",
            **dict(zip(("low", "high"), wilson(each["accuracy"], int(each["pairs"])), strict=True)),
            "ideal": each["probability"],
        }
        for each in one.whole.bins
    ] or None


def _calibration_drawn(table: Table, one: Evaluated) -> Picture:
    error = one.whole.calibration_error or 0
    return picture(
        "lines",
        x="probability",
        series=["accuracy", "ideal"],
        band=["low", "high"],
        points=True,
        y_name="accuracy",
        x_domain=[0, 1],
        y_domain=[0, 1],
        note=f"Expected calibration error, the mean distance of the two over pairs: {100 * error:.1f} points"
        " (Guo et al. 2017).",
    )


def _how_sure(table: Table) -> str:
    pairs = sum(row["pairs"] for row in table.rows)
    probability, right = (
        sum(row["pairs"] * row[name] for row in table.rows) / pairs for name in ("probability", "accuracy")
    )
    if not is_apart(right, int(pairs), probability):
        return "the run is not clearly too sure or unsure on average"
    gap = 100 * (probability - right)
    return f"the run is {abs(gap):.1f} points too {'sure' if gap > 0 else 'unsure'} on average"


CALIBRATION = Figure(
    "calibration",
    "Calibration: probability and accuracy",
    EVALUATION,
    _calibration,
    (
        Column("bin", "probability of the predicted label"),
        Column("pairs", kind="count"),
        Column("probability", "mean probability", "share"),
        Column("accuracy", kind="share"),
        *interval("The 95% interval of the accuracy after Wilson, over the pairs."),
        Column("ideal", "calibrated", "share", "As often right as the probability says."),
    ),
    _calibration_drawn,
    _how_sure,
)


# The data map: points, thinned, and counts of all pairs by confidence and variability


class Points(Parameters):
    points: Annotated[int, Field(ge=1, le=MOST_POINTS)] = POINTS


def _map_of(run: TrainingRun, **asked: Any) -> tuple[str, DataMap]:
    """Returns the slug of the run's corpus and the map. Raises Http404."""
    try:
        return run.snapshot.corpus.slug, data_map(run)
    except NoDataMap as none:
        raise Http404(str(none)) from None


def _points(data: tuple[str, DataMap], points: int = POINTS) -> list[Row]:
    slug, found = data
    return [
        {
            **point,
            "right": {0: NEVER, 1: ALWAYS}.get(point["correctness"], SOMETIMES),
            "href": reverse("pair", args=[slug, point["pairID"]]),
        }
        for point in found.points(points)
    ]


def _points_drawn(table: Table, data: tuple[str, DataMap]) -> Picture:
    found, drawn = data[1], len(table.rows)
    never, all_pairs = int((found.correctness == 0).sum()), len(found.ids)
    return {
        "title": f"{never:,} of {all_pairs:,} training pairs were never predicted right.",
        **picture(
            "scatter",
            x="variability",
            y="confidence",
            series="right",
            y_domain=[0, 1],
            colours={NEVER: "--chart-second", SOMETIMES: "--chart-third", ALWAYS: "--chart-point"},
            note="Hard pairs lie at the bottom left, ambiguous ones at the right, easy ones at the top left."
            + (
                f" {drawn:,} pairs are drawn, evenly spread over the training file."
                if drawn < all_pairs
                else ""
            ),
        ),
    }


DATA_MAP = Figure(
    "data-map",
    "Data map (Swayamdipta et al. 2020)",
    RUN,
    _points,
    (
        Column("pairID", "pair"),
        Column("gold", "gold label"),
        Column("genre"),
        Column("epochs", kind="count"),
        Column("confidence", "", "kappa", "Mean probability of the gold label over epochs."),
        Column("variability", "", "kappa", "Standard deviation of this probability."),
        Column("correctness", "", "share", "Share of epochs with the right prediction."),
        Column("right", "over the epochs"),
    ),
    _points_drawn,
    parameters=Points,
    gather=_map_of,
)


def _cells(data: tuple[str, DataMap]) -> list[Row]:
    columns, table = data[1].table()
    return [
        {"confidence": name}
        | {f"variability {key}": count for key, count in zip(columns, counts, strict=True)}
        for name, counts in table
        if data[1].ids
    ]


def _cells_drawn(table: Table, data: Any) -> Picture:
    keys = [column.key for column in table.columns[1:]]
    note = "All training pairs by confidence (rows) and variability (columns)."
    return picture("heat", y="confidence", series=keys, of="all", x_name="variability", note=note)


def _cells_found(table: Table) -> str:
    groups = {
        f"confidence {row['confidence']} and {column.key}": row[column.key]
        for row in table.rows
        for column in table.columns[1:]
    }
    where = mostly(groups, "with")
    return f"{sum(groups.values()):,} training pairs" + (
        f", {where}." if where else " by confidence and variability."
    )


DATA_MAP_COUNTS = Figure(
    "data-map-counts",
    "Training pairs by confidence and variability",
    RUN,
    _cells,
    (
        Column("confidence"),
        Column("variability {}", "{}", "count", each=lambda data: data[1].table()[0]),
    ),
    _cells_drawn,
    _cells_found,
    gather=_map_of,
)


OF_PARTITIONS = (CONFUSION, BY_GENRE, BY_TAG, CALIBRATION)
OF_MAP = (DATA_MAP, DATA_MAP_COUNTS)
FIGURES = (SCORES, *OF_PARTITIONS, *OF_MAP)
