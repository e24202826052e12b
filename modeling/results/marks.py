"""Makes the phenomena that people marked in pairs the values of a dimension."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from modeling.models import Mark
from modeling.results.dimensions import MARKED, PHENOMENON
from modeling.results.pair_values import Values
from snapshots.models import Snapshot


def agreed_phenomena(snapshot: Snapshot, partition: str) -> dict[str, list[str]]:
    """Returns the phenomena of each marked pair that a majority of those who marked it see; of two people, both."""
    marks = Mark.objects.filter(pair__marking__snapshot=snapshot, pair__marking__partition=partition)
    given: dict[str, list[list[str]]] = defaultdict(list)
    rows = marks.order_by("pair__place", "by")
    for name, phenomena in rows.values_list("pair__row__pair__public_id", "phenomena"):
        given[name].append(phenomena)
    found = {}
    for name, all_ in given.items():
        times = Counter(phenomenon for one in all_ for phenomenon in one)
        found[name] = [phenomenon for phenomenon, count in times.items() if 2 * count > len(all_)]
    return found


def marked_values(snapshot: Snapshot, partition: str, ids: Sequence[str]) -> dict[str, Values]:
    """Returns the phenomena of these pairs, and which pairs are marked at all, by one query; empty if none is."""
    given = agreed_phenomena(snapshot, partition)
    if not given:
        return {}
    return {
        MARKED: Values.of([["marked"] if name in given else [] for name in ids]),
        PHENOMENON: Values.of([given.get(name, []) for name in ids]),
    }
