"""Counts what a cell shows of the pairs themselves, without any run."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from collection.models import PARTITIONS
from modeling.reports.cells import Selection
from modeling.reports.scores import Scores
from modeling.results.breakdowns import BETWEEN, crossed
from modeling.results.dimensions import APPROACH
from nli.labels import in_two_classes
from shared.numbers import percent

COUNTS = ("pairs", "label_pairs", "labels")


def of_pairs(scores: Scores, wanted: Selection) -> float | int | str | None:
    """Returns the figure of a cell; None where it is not counted, or there is nothing to count."""
    if wanted.everywhere:
        return _everywhere(scores, wanted)
    if wanted.measure == "labels":
        return len(scores.labels(wanted.on))
    if wanted.measure == "protocol":
        return scores.snapshots[wanted.on].corpus.protocol
    if wanted.measure.startswith("example"):
        return scores.example(wanted).get(wanted.measure)
    if wanted.measure == "approach":
        return _approaches(scores, wanted)
    if wanted.measure == "more_than_second":
        first, second = (of_pairs(scores, replace(wanted, measure="share", on=on)) for on in (0, 1))
        return first - second if isinstance(first, float) and isinstance(second, float) else None
    if wanted.partition == "all" and scores.uncounted[wanted.on]:
        return None
    partitions = PARTITIONS if wanted.partition == "all" else (wanted.partition,)
    whole: Counter[str] = Counter()
    part: Counter[str] = Counter()
    for partition in partitions:
        for _, _, _, gold in scores.composition(wanted.on, partition, "label"):
            whole.update(gold)
        for value, _, _, gold in scores.composition(wanted.on, partition, wanted.dimension or "label"):
            part.update(gold if not wanted.dimension or value in wanted.value else {})
    total, pairs = sum(whole.values()), sum(part.values())
    if not total and wanted.measure == "pairs" and not {*partitions} & {*scores.uncounted[wanted.on]}:
        return 0
    if not total and not (pairs and wanted.measure in COUNTS):  # marks may be counted before all other values
        return None
    match wanted.measure:
        case "pairs":
            return pairs
        case "share":
            counted = not wanted.dimension or scores.composition(
                wanted.on, wanted.partition, wanted.dimension
            )
            return pairs / total if counted else None
        case "label_pairs":
            return part[wanted.label]
        case "commonest":
            label, count = max(part.items(), key=lambda item: item[1], default=("", 0))
            return f"{label} {percent(count / pairs)}" if pairs else None
        case _:
            counts = _in_two_classes(part, scores.labels(wanted.on)) if wanted.collapse else part
            return max(counts.values()) / pairs if pairs else None


def _everywhere(scores: Scores, wanted: Selection) -> float | int | str | None:
    """Returns the sum over all snapshots; of texts those of each once, of examples the first."""
    places = range(len(scores.snapshots))
    found = [of_pairs(scores, replace(wanted, everywhere=False, on=on)) for on in places]
    if wanted.measure == "approach":
        return ", ".join(sorted({how for one in found if one for how in str(one).split(", ")})) or None
    if wanted.measure.startswith("example"):
        return next((one for one in found if one), None)
    return None if None in found else sum(one for one in found if isinstance(one, int))


def _in_two_classes(counts: Counter[str], labels: Sequence[str]) -> Counter[str]:
    reads = in_two_classes(labels) or {}  # empty where there are two already
    found: Counter[str] = Counter()
    for label, count in counts.items():
        found[reads.get(label, label)] += count
    return found


def _approaches(scores: Scores, wanted: Selection) -> str | None:
    """Names how the pairs were recast, None where their files do not say it."""
    dimension = crossed(wanted.dimension) if wanted.dimension else APPROACH
    values = {
        row[0] for partition in PARTITIONS for row in scores.composition(wanted.on, partition, dimension)
    }
    parts = (value.rpartition(BETWEEN) for value in values)
    return ", ".join(sorted({how for name, _, how in parts if not name or name in wanted.value})) or None
