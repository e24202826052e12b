"""Draws charts of a run's results: confusion and calibration on each partition, and its data map."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.urls import reverse

from modeling.models import TrainingRun
from modeling.results.data_map import DataMap
from modeling.results.run_scores import Evaluated
from shared.charts import Chart, Column, interval, with_values
from shared.findings import compared, is_apart, most_frequent, mostly, named_rows
from shared.intervals import FEWEST_PAIRS, wilson
from shared.numbers import percent
from validation.questions.lookup import Names, named

GENRE = "genre"
FEWEST_OF_GENRE = 20  # pairs: the interval over fewer says nothing
MOST_GENRES = 30
POINTS = 300  # of a data map: more would hide each other, and make a long table
NEVER, SOMETIMES, ALWAYS = "never right", "sometimes right", "always right"


def result_charts(evaluated: Sequence[Evaluated], names: Mapping[int, Names]) -> list[list[Chart]]:
    """Returns the charts of each of these scores of a run. names: corpus -> what labels and genres are called on pages."""
    return [
        with_values([_confusion(one, known), _by_genre(one, known), _calibration(one)])
        for one in evaluated
        for known in [names[one.snapshot.corpus_id]]
    ]


def _by_genre(one: Evaluated, names: Names) -> Chart | None:
    """Returns the accuracy in each genre, lowest first; None for one genre, of which the accuracy above says all."""
    parts = [
        part
        for each in one.breakdowns
        if each.dimension == GENRE
        for part in each.parts
        if part.accuracy is not None and part.pairs
    ]
    if len(parts) < 2:
        return None
    parts.sort(key=lambda part: part.accuracy or 0)
    rows: list[dict[str, Any]] = []
    for part in parts:
        low, high = wilson(part.accuracy, part.pairs)
        rows.append(
            {
                "genre": named(names, GENRE, part.value),
                "pairs": part.pairs,
                "accuracy": part.accuracy,
                "low": low,
                "high": high,
                "majority": part.majority,
                **({"href": one.predictions_with(genre=part.value)} if one.has_predictions else {}),
            }
        )
    found = compared("accuracy", named_rows(rows, "genre", "accuracy", "pairs"), GENRE)
    drawn = [row for row in rows if row["pairs"] >= FEWEST_OF_GENRE][:MOST_GENRES]
    return Chart(
        _key("genres", one),
        "dots",
        f"On {one.where}, {found or 'accuracy by genre'}.",
        [
            Column("genre", "genre"),
            Column("pairs", "pairs", "count"),
            Column("accuracy", "accuracy", "share", "With its 95% interval after Wilson."),
            *interval(),
            Column("majority", "majority class", "share"),
        ],
        drawn,
        {"y": "genre", "x": "accuracy", "low": "low", "high": "high", "n": "pairs", "others": ["majority"]},
        lines=[{"axis": "x", "value": one.whole.accuracy, "name": f"all ({percent(one.whole.accuracy)})"}],
        note=f"Genres with fewer than {FEWEST_OF_GENRE} pairs are left out; below {FEWEST_PAIRS} a point is faint."
        + (f" Of {len(rows):,} genres, {len(drawn):,} are drawn." if len(drawn) < len(rows) else ""),
    )


def _key(what: str, one: Evaluated) -> str:
    return f"{what}-{one.partition}" if one.is_own else f"{what}-{one.partition}-{one.snapshot.pk}"


def _confusion(one: Evaluated, names: Names) -> Chart | None:
    table = one.confusion
    if table is None:
        return None
    rows: list[dict[str, Any]] = []
    wrong: dict[str, int] = {}
    for gold, counts, recall in table.rows:
        row: dict[str, Any] = {"gold": named(names, "label", gold), "recall": recall, "hrefs": {}}
        for label, count in zip(table.labels, counts, strict=True):
            row[f"predicted: {label}"] = count
            if one.has_predictions:
                row["hrefs"][f"predicted: {label}"] = one.predictions_with(label=gold, predicted=label)
            if label != gold:
                wrong[f"{named(names, 'label', label)} for {named(names, 'label', gold)}"] = count
        rows.append(row)
    mistakes = sum(wrong.values())
    found = most_frequent("mistake", wrong, lambda number: f"{number:,} of {mistakes:,}")
    precision = ", ".join(
        f"{named(names, 'label', label)} {percent(share)}"
        for label, share in zip(table.labels, table.precision, strict=True)
        if share is not None
    )
    return Chart(
        _key("confusion", one),
        "heat",
        f"On {one.where}, {found}." if found else f"On {one.where} there is no mistake.",
        [
            Column("gold", "gold label"),
            *(Column(f"predicted: {label}", named(names, "label", label), "count") for label in table.labels),
            Column(
                "recall",
                "recall",
                "share",
                "The share of the pairs with this gold label that are predicted right.",
            ),
        ],
        rows,
        {
            "y": "gold",
            "series": [f"predicted: {label}" for label in table.labels],
            "of": "row",
            "x_name": "predicted label",
        },
        note=f"Pairs by gold label (rows) and predicted label (columns). Precision, the share of a predicted label that is"
        f" right: {precision}.",
    )


def _calibration(one: Evaluated) -> Chart | None:
    bins, error = one.whole.bins, one.whole.calibration_error
    if not bins or error is None:
        return None
    pairs = sum(each["pairs"] for each in bins)
    probability, right = (
        sum(each["pairs"] * each[name] for each in bins) / pairs for name in ("probability", "accuracy")
    )
    rows = []
    for each in bins:
        low, high = wilson(each["accuracy"], int(each["pairs"]))
        rows.append(
            {
                **each,
                "bin": f"{each['lower']:.1f} to {each['upper']:.1f}",
                "low": low,
                "high": high,
                "ideal": each["probability"],
            }
        )
    return Chart(
        _key("calibration", one),
        "lines",
        f"On {one.where}, the run is {_how_sure(probability, right, int(pairs))} on average.",
        [
            Column("bin", "probability of the predicted label"),
            Column("pairs", "pairs", "count"),
            Column("probability", "mean probability", "share"),
            Column("accuracy", "accuracy", "share"),
            *interval("The 95% interval of the accuracy after Wilson, over the pairs."),
            Column("ideal", "calibrated", "share", "As often right as the probability says."),
        ],
        rows,
        {
            "x": "probability",
            "series": ["accuracy", "ideal"],
            "band": ["low", "high"],
            "points": True,
            "y_name": "accuracy",
            "x_domain": [0, 1],
            "y_domain": [0, 1],
        },
        note=f"Expected calibration error, the mean distance of the two over pairs: {100 * error:.1f} points"
        " (Guo et al. 2017).",
    )


def _how_sure(probability: float, right: float, pairs: int) -> str:
    if is_apart(right, pairs, probability):
        gap = 100 * (probability - right)
        return f"{abs(gap):.1f} points too {'sure' if gap > 0 else 'unsure'}"
    return "not clearly too sure or unsure"


def data_map_charts(run: TrainingRun, found: DataMap, names: Names) -> list[Chart]:
    """Returns the map as points, thinned, and as counts of all pairs by confidence and variability.

    names: what labels and genres are called on pages.
    """
    return with_values([_points(run, found, names), _cells(found)])


def _points(run: TrainingRun, found: DataMap, names: Names) -> Chart | None:
    slug = run.snapshot.corpus.slug
    rows = [
        {
            **point,
            "gold": named(names, "label", point["gold"]),
            "genre": named(names, "genre", point["genre"]),
            "right": NEVER
            if not point["correctness"]
            else ALWAYS
            if point["correctness"] == 1
            else SOMETIMES,
            "href": reverse("pair", args=[slug, point["pairID"]]),
        }
        for point in found.points(POINTS)
    ]
    never = int((found.correctness == 0).sum())
    return Chart(
        "data-map",
        "scatter",
        f"{never:,} of {len(found.ids):,} training pairs were never predicted right.",
        [
            Column("pairID", "pair"),
            Column("gold", "gold label"),
            Column("genre", "genre"),
            Column("confidence", "confidence", "kappa", "Mean probability of the gold label over epochs."),
            Column("variability", "variability", "kappa", "Standard deviation of this probability."),
            Column("correctness", "correctness", "share", "Share of epochs with the right prediction."),
            Column("right", "over the epochs"),
        ],
        rows,
        {"x": "variability", "y": "confidence", "series": "right", "y_domain": [0, 1]},
        colours={NEVER: "--chart-second", SOMETIMES: "--chart-third", ALWAYS: "--chart-point"},
        note="Hard pairs lie at the bottom left, ambiguous ones at the right, easy ones at the top left."
        + (
            f" {len(rows):,} pairs are drawn, evenly spread over the training file."
            if len(rows) < len(found.ids)
            else ""
        ),
    )


def _cells(found: DataMap) -> Chart | None:
    columns, table = found.table()
    if not found.ids:
        return None
    rows = [
        {
            "confidence": name,
            **{f"variability {column}": count for column, count in zip(columns, counts, strict=True)},
        }
        for name, counts in table
    ]
    groups = {
        f"confidence {name} and variability {column}": count
        for name, counts in table
        for column, count in zip(columns, counts, strict=True)
    }
    where = mostly(groups, "with")
    keys = [f"variability {column}" for column in columns]
    return Chart(
        "data-map-counts",
        "heat",
        f"{len(found.ids):,} training pairs"
        + (f", {where}." if where else " by confidence and variability."),
        [
            Column("confidence", "confidence"),
            *(Column(key, name, "count") for key, name in zip(keys, columns, strict=True)),
        ],
        rows,
        {"y": "confidence", "series": keys, "of": "all", "x_name": "variability"},
        note="All training pairs by confidence (rows) and variability (columns).",
    )
