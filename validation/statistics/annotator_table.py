"""The statistics of annotators as one table, for the command, REST, files and pages."""

from collections.abc import Sequence
from dataclasses import asdict
from statistics import quantiles
from typing import Any

from nli.agreement import share
from shared.csv_files import csv_text
from shared.numbers import percent
from validation.models import CachedStatistics, Question
from validation.questions.lookup import answer_words
from validation.statistics.annotator_quality import MEANINGS, RULES, Annotator
from validation.statistics.cached import Kind, current, current_annotators

MODELS = ("dawid_skene", "mace")
# The names of the columns on pages. The share of a label is named by the label.
COLUMNS = {
    "labels": "Labels",
    "equals_others": "Agreement with others",
    "chance": "Expected by chance",
    "controls": "Control items right",
    "calibration": "Calibration right",
    "median_seconds": "Seconds a label",
}
QUARTERS = ("25th percentile", "median", "75th percentile")
FEWEST = 4  # annotators that a quartile needs


def annotator_table(question: Question) -> tuple[dict[str, Any] | None, CachedStatistics | None]:
    """Returns (table, row) as `cached.current` does; the table is None if a worker has not computed it yet.

    `annotators`: the fields of annotator_quality.Annotator, with the results of the models (None without models).
    `rules` and `meanings`: definitions of flags and columns. `models`: the other results of
    reliability_models.fit_models and their date, or None.
    """
    found, row = current_annotators(question)
    if found is None:
        return None, row
    return table_of(question, found), row


def table_of(question: Question, found: Sequence[Annotator]) -> dict[str, Any]:
    models, row = current(question, Kind.MODELS)
    of_each = models["annotators"] if models else {}
    of_models = {key: value for key, value in (models or {}).items() if key != "annotators"}
    if models and row and row.made_at:
        of_models["made_at"] = row.made_at.isoformat(timespec="seconds")
    return {
        "corpus": question.corpus.slug,
        "annotators": [
            {**asdict(each), **{name: of_each.get(each.code, {}).get(name) for name in MODELS}}
            for each in found
        ],
        "rules": RULES,
        "meanings": MEANINGS,
        "models": of_models or None,
    }


def as_csv(table: dict[str, Any], labels: Sequence[str]) -> str:
    """Returns CSV with a row for each annotator and a column for each label's share; semicolons separate flags."""
    simple = [name for name in Annotator.__dataclass_fields__ if name not in ("shares", "flags", "weeks")]
    header = [*simple, "flags", *(f"share: {label}" for label in labels), *MODELS]
    rows = []
    for each in table["annotators"]:
        shares = {f"share: {label}": share for label, share in each["shares"].items()}
        values = {**each, **shares, "flags": "; ".join(each["flags"])}
        rows.append([values.get(name, "") for name in header])
    return csv_text([header, *rows])


def spread_of(found: Sequence[Annotator], labels: Sequence[str]) -> list[tuple[str, dict[str, float | None]]]:
    """Returns the three quartiles over all annotators: (a name of QUARTERS, column -> value).

    The columns are those of `columns_of`; a value is None if fewer than four annotators have one. The list is empty
    for fewer than four annotators.
    """
    if len(found) < FEWEST:
        return []
    rows = [columns_of(each, labels) for each in found]
    parts: dict[str, Sequence[float | None]] = {}
    for name in rows[0]:
        known = [value for row in rows if (value := row[name]) is not None]
        few = len(known) < FEWEST
        parts[name] = [None] * 3 if few else quantiles(known, n=4, method="inclusive")
    return [(quarter, {name: part[k] for name, part in parts.items()}) for k, quarter in enumerate(QUARTERS)]


def share_names(question: Question) -> dict[str, str]:
    """Returns the columns of `columns_of` that are a label's share -> the corpus's wording of the label."""
    return {f"share: {label}": word for label, word in answer_words(question).items()}


def shown_figure(name: str, value: float | None) -> str:
    """Formats a value of `columns_of` for a page."""
    if value is None:
        return ""
    if name == "labels":
        return f"{value:,.0f}"
    return f"{value:.1f}" if name == "median_seconds" else percent(value)


def columns_of(one: Annotator, labels: Sequence[str]) -> dict[str, float | None]:
    """Returns an annotator's statistics as single numbers: labels, seconds, and shares from 0 to 1."""
    return {
        "labels": one.labels,
        "equals_others": one.equals_others,
        "chance": one.chance,
        "controls": share(one.controls_right, one.controls),
        "calibration": share(one.calibration_right, one.calibration),
        "median_seconds": one.median_seconds,
        **{f"share: {label}": one.shares[label] for label in labels},
    }
