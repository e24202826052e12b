"""Figures of the baselines of a snapshot: side by side, beside the bars that they have to pass, and where each fails."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import F
from django.urls import reverse

from modeling.models import Breakdown
from modeling.results.run_scores import Experiment, SnapshotTable, results
from shared.figures import Figure, Picture, picture
from shared.findings import Part, beside, compared, in_place
from shared.intervals import wilson
from shared.numbers import percent
from shared.tables import Column, Row, Table, interval
from snapshots.models import Snapshot
from snapshots.statistics.scope import SNAPSHOT, names_on
from validation.questions.lookup import named

MOST_PARTS = 20  # genres in a picture
LABEL, GENRE = "label", "genre"
MAJORITY, HYPOTHESIS_ONLY = "majority", "hypothesis_only"
# (run, partition) -> dimension -> value -> (pairs, right)
Parts = Mapping[tuple[int, str], Mapping[str, Mapping[str, tuple[int, int]]]]


@dataclass(frozen=True)
class Compared:
    """The finished experiments of a snapshot, and how many pairs their newest runs got right."""

    table: SnapshotTable
    parts: Parts

    @cached_property
    def partition(self) -> str:
        """Returns test if any baseline was evaluated on it, else dev."""
        return "test" if any("test" in each.scores for each in self.table.experiments) else "dev"

    @cached_property
    def scored(self) -> list[tuple[str, Experiment]]:
        """Returns the experiments with scores on the partition, under distinct names; the best first."""
        found: dict[str, Experiment] = {}
        for each in self.table.experiments:
            name = f"{each.baseline} ({each.settings})" if each.settings else each.baseline
            number = sum(other == name or other.startswith(f"{name} #") for other in found)
            found[f"{name} #{number + 1}" if number else name] = each
        scored = [(name, each) for name, each in found.items() if self.partition in each.scores]
        return sorted(scored, key=lambda row: -row[1].scores[self.partition].mean)

    def of(self, each: Experiment) -> Mapping[str, Mapping[str, tuple[int, int]]]:
        """Returns the parts of the experiment's newest run on the partition."""
        return self.parts.get((each.run_ids[-1], self.partition), {})

    @cached_property
    def sizes(self) -> dict[tuple[str, str], int]:
        """Returns (dimension, value) -> its pairs."""
        found: defaultdict[tuple[str, str], int] = defaultdict(int)
        for _, each in self.scored:
            for dimension, values in self.of(each).items():
                for value, (pairs, _) in values.items():
                    found[dimension, value] = max(found[dimension, value], pairs)
        return dict(found)

    @cached_property
    def labels(self) -> list[str]:
        return [label for label in self.table.snapshot.corpus.labels if (LABEL, label) in self.sizes]

    @cached_property
    def genres(self) -> dict[str, str]:
        """Returns genre -> its name, the largest first."""
        genres = [value for dimension, value in self.sizes if dimension == GENRE]
        genres.sort(key=lambda value: -self.sizes[GENRE, value])
        names = names_on(self.table.snapshot)
        return {genre: named(names, GENRE, genre) for genre in genres}

    @property
    def ends(self) -> list[str]:
        """Returns the columns of the seeds at both ends; none if no experiment has several."""
        return ["lowest", "highest"] if any(len(each.seeds) > 1 for _, each in self.scored) else []


def comparisons(tables: Sequence[SnapshotTable]) -> list[Compared]:
    """Returns the experiments of each table with the parts of their newest runs. One query."""
    newest = [experiment.run_ids[-1] for table in tables for experiment in table.experiments]
    rows = Breakdown.objects.filter(
        run__in=newest, dimension__in=(LABEL, GENRE), snapshot=F("run__snapshot")
    ).values_list("run", "partition", "dimension", "rows")
    found: defaultdict[tuple[int, str], dict[str, dict[str, tuple[int, int]]]] = defaultdict(dict)
    for run, partition, dimension, counts in rows:
        found[run, partition][dimension] = {
            value: (pairs, right) for value, pairs, right, _ in counts if right is not None
        }
    return [Compared(table, found) for table in tables]


def compared_on(snapshot: Snapshot) -> Compared:
    return comparisons(results([snapshot]) or [SnapshotTable(snapshot, [])])[0]


def _baselines(data: Compared) -> list[Row] | None:
    rows: list[Row] = []
    for name, each in data.scored:
        score = each.scores[data.partition]
        pairs = sum(pairs for pairs, _ in data.of(each).get(LABEL, {}).values())
        low, high = wilson(score.mean, pairs)
        several = len(each.seeds) > 1
        rows.append(
            {
                "baseline": name,
                "accuracy": score.mean,
                "low": low,
                "high": high,
                "pairs": pairs or None,
                "seeds": len(each.seeds),
                "lowest": score.lowest if several else None,
                "highest": score.highest if several else None,
                "href": reverse("run", args=[each.run_ids[-1]]),
            }
        )
    return rows or None


def _baselines_drawn(table: Table, data: Compared) -> Picture:
    bars = [each.scores[data.partition].bar for _, each in data.scored]
    majority = max((bar for bar in bars if bar is not None), default=None)
    rows = table.rows
    alone: list[float] = [row["accuracy"] for row in rows if row["baseline"].startswith(HYPOTHESIS_ONLY)]
    bars_of: dict[str, float | None] = {
        "majority class": majority,
        "hypothesis only": max(alone, default=None),
    }
    lines: list[dict[str, Any]] = [
        {"axis": "x", "value": bar, "name": f"{name} ({percent(bar)})"}
        for name, bar in bars_of.items()
        if bar is not None
    ]
    best = rows[0]
    title = f"{best['baseline']} is right in {percent(best['accuracy'])} of the {data.partition} pairs"
    # A bar is compared with what reads both sentences: it is never beside itself.
    if best["baseline"].startswith(HYPOTHESIS_ONLY):
        title += ", without the premise" + "; no other baseline is right more often" * (len(rows) > 1)
    elif lines and not best["baseline"].startswith(MAJORITY):
        bar = max(line["value"] for line in lines)
        title += f", {beside(best['accuracy'], best['pairs'] or 0, bar, f'the bar of {percent(bar)}')}"
    note = "A baseline that is not better than both lines has learnt nothing from reading the two sentences together."
    drawn = picture(
        "dots", y="baseline", x="accuracy", low="low", high="high", others=data.ends, lines=lines, note=note
    )
    return {**drawn, "title": f"{title}."}


BASELINES = Figure(
    "baselines",
    "Accuracy of the baselines, beside majority class and hypothesis only",
    SNAPSHOT,
    _baselines,
    (
        Column("baseline"),
        Column(
            "accuracy", "accuracy on {}", "share", "The mean over seeds.", each=lambda data: [data.partition]
        ),
        *interval("The 95% interval after Wilson, over the pairs. Seeds are not in it."),
        Column("pairs", kind="count"),
        Column("seeds", kind="count"),
        Column("{}", "{} seed", "share", each=lambda data: data.ends),
    ),
    _baselines_drawn,
    gather=compared_on,
)


def _columns(data: Compared) -> list[tuple[str, str]]:
    genres = list(data.genres)[:MOST_PARTS]
    return [*((LABEL, label) for label in data.labels), *((GENRE, genre) for genre in genres)]


def _parts(data: Compared) -> list[Row] | None:
    rows: list[Row] = []
    for name, each in data.scored:
        row: dict[str, Any] = {"baseline": name, "href": reverse("run", args=[each.run_ids[-1]])}
        for dimension, value in _columns(data):
            pairs, right = data.of(each).get(dimension, {}).get(value, (0, 0))
            row[f"{dimension}: {value}"] = right / pairs if pairs else None
        rows += [row] if data.of(each) else []
    return rows if _columns(data) else None


def _parts_drawn(table: Table, data: Compared) -> Picture:
    best, of_best = next((name, data.of(each)) for name, each in data.scored if data.of(each))
    names = names_on(data.table.snapshot)
    every = [*((LABEL, label) for label in data.labels), *((GENRE, genre) for genre in data.genres)]
    counted = [(named(names, *part), *of_best.get(part[0], {}).get(part[1], (0, 0))) for part in every]
    parts = [Part.share(name, right / pairs, pairs) for name, pairs, right in counted if pairs]
    found = compared(f"the accuracy of {best}", parts, "label or genre")
    series = [column.key for column in table.columns[1:]]
    note = (
        f"Accuracy on {data.partition} by gold label, then by genre, of the last seed of each baseline, the best first;"
        " the stronger the colour, the higher."
    )
    drawn = picture("heat", y="baseline", series=series, of="one", note=note)
    return {**drawn, "title": in_place(found or "accuracy by label and genre")}


PARTS = Figure(
    "baselines-by-part",
    "Accuracy of the baselines by label and genre",
    SNAPSHOT,
    _parts,
    (
        Column("baseline"),
        Column("label: {}", "{}", "share", each=lambda data: data.labels),
        Column("genre: {}", "{}", "share", each=lambda data: dict(list(data.genres.items())[:MOST_PARTS])),
    ),
    _parts_drawn,
    gather=compared_on,
)


FIGURES = (BASELINES, PARTS)
