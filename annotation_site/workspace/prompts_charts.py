"""Charts of versions of prompts beside each other: author against gold, and tasks that were skipped."""

from collections.abc import Sequence
from typing import Any

from django.urls import reverse

from collection.models import Corpus, Pair, PromptVersion
from collection.writing.versions import VersionStatistics
from shared.among import Among
from shared.findings import compared, in_place, named_rows
from shared.intervals import wilson
from shared.tables import Column, Table, interval, with_values
from validation.models import Question
from validation.statistics.agreement import agreement_with_intervals
from validation.statistics.definitions import DEFINITIONS

Compared = Sequence[tuple[PromptVersion, VersionStatistics]]


def prompts_charts(corpus: Corpus, compared: Compared) -> list[Table]:
    """Returns the charts of these versions, none for a single one; a version without pairs or tasks is left out.

    Three queries for each version.
    """
    if len(compared) < 2:
        return []
    question = Question.objects.filter(corpus=corpus, is_main=True).first()
    gold = [_gold(version, figures, question) for version, figures in compared] if question else []
    return with_values(
        [
            _chart(
                "gold",
                "The share of gold labels that are the author’s",
                Column("share", "gold = author", "share", DEFINITIONS["gold_equals_author"]),
                Column("number", "pairs with all labels", "count"),
                [row for row in gold if row],
            ),
            _chart(
                "skipped",
                "The share of tasks that are skipped or reported",
                Column(
                    "share",
                    "skipped or reported",
                    "share",
                    "Of the tasks that were sent, skipped or reported.",
                ),
                Column("number", "tasks", "count"),
                [_skipped(version, figures) for version, figures in compared if figures.closed],
            ),
        ]
    )


def _chart(
    key: str, finding: str, share: Column, number: Column, rows: Sequence[dict[str, Any]]
) -> Table | None:
    if not rows:
        return None
    found = compared(finding, named_rows(rows, "version", "share", "number"), "version", unit=number.name)
    return Table(
        key,
        "dots",
        in_place(found or f"{finding}, by version"),
        [Column("version", "version"), number, share, *interval("The 95% interval of the share.")],
        rows,
        {"y": "version", "x": "share", "low": "low", "high": "high", "n": "number", "x_domain": [0, 1]},
        note="Over the newest 1,000 tasks of each. A value of fewer than thirty is faint.",
    )


def _gold(version: PromptVersion, figures: VersionStatistics, question: Question) -> dict[str, Any] | None:
    pairs = Pair.objects.filter(Among("assignment_id", figures.tasks)).values_list("pk", flat=True)
    found = agreement_with_intervals(Pair.objects.all(), question, list(pairs))
    if found["gold_equals_author"] is None:
        return None
    low, high = found["intervals"]["gold_equals_author"] or (None, None)
    return _row(version, found["pairs_with_all_labels"], found["gold_equals_author"], low, high)


def _skipped(version: PromptVersion, figures: VersionStatistics) -> dict[str, Any]:
    share = figures.skipped / figures.closed
    return _row(version, figures.closed, share, *wilson(share, figures.closed))


def _row(
    version: PromptVersion, number: int, share: float, low: float | None, high: float | None
) -> dict[str, Any]:
    address = reverse("prompt", args=[version.prompt.corpus.slug, version.pk])
    return {
        "version": str(version),
        "number": number,
        "share": share,
        "low": low,
        "high": high,
        "href": address,
    }
