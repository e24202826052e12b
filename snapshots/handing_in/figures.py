"""The leaderboard of a withheld partition: what was handed in, the commonest label of train, and people."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from django.db.models import Count

from nli.lines import FULL_FILES
from nli.percentages import percent
from shared.figures import Figure, picture
from shared.findings import in_place
from shared.intervals import wilson
from shared.tables import Column, Table, interval
from snapshots.handing_in.actions import gold_lines, withheld_parts
from snapshots.models import HandIn, Snapshot
from snapshots.statistics.scope import SNAPSHOT

SYSTEM, BASELINE, PEOPLE = "system", "baseline", "people"
Scores = dict[str, list[int]]  # genre -> [pairs, right]
Counts = dict[str, tuple[Counter[str], list[int]]]


@dataclass(frozen=True)
class Entry:
    """A row of the leaderboard, best first within a partition."""

    partition: str
    system: str
    team: str
    kind: str
    day: str
    scores: Scores

    def share(self, genres: set[str] | None = None) -> tuple[int, float | None]:
        """Returns pairs and accuracy, over these genres; None where there are none."""
        chosen = [counts for genre, counts in self.scores.items() if genres is None or genre in genres]
        pairs, right = sum(each[0] for each in chosen), sum(each[1] for each in chosen)
        return pairs, right / pairs if pairs else None


def entries_of(snapshot: Snapshot, partition: str) -> list[Entry]:
    """Returns what was handed in, the commonest label of train, and single labels of people; the best first."""
    found = [
        Entry(
            partition,
            row.name,
            row.team,
            BASELINE if row.is_baseline else SYSTEM,
            row.at.date().isoformat(),
            row.scores,
        )
        for row in HandIn.objects.filter(snapshot=snapshot, partition=partition).order_by("at")
    ]
    labels = snapshot.pairs.filter(partition="train", gold_label__isnull=False).order_by()
    train = dict(labels.values_list("gold_label").annotate(pairs=Count("pk")))
    commonest = min(train, key=lambda label: (-train[label], label), default=None)
    counts = _counts(snapshot, partition)
    majority = {genre: [gold.total(), gold[commonest or ""]] for genre, (gold, _) in counts.items()}
    people = {genre: labels for genre, (_, labels) in counts.items()}
    if commonest:
        found.append(Entry(partition, "the commonest label of train", "", BASELINE, "", majority))
    found.append(Entry(partition, "single labels of people", "", PEOPLE, "", people))
    return sorted(found, key=lambda each: -(each.share()[1] or 0))


def _counts(snapshot: Snapshot, partition: str) -> Counts:
    """Returns what the full file has: genre -> pairs by gold label, and [people's labels, those that are the gold label]."""
    manifest = snapshot.read_manifest()
    path = snapshot.sealed_folder / FULL_FILES[partition]
    if manifest is None or not path.is_file():
        return {}
    return _counted(path, manifest["withheld"][path.name]["sha256"])


@lru_cache(maxsize=8)
def _counted(path: Path, sha256: str) -> Counts:
    """Counts a file once while the process lives: with the hash in the key, a changed file is another one."""
    found: Counts = {}
    for line in gold_lines(path):
        gold, labels = found.setdefault(line["genre"], (Counter(), [0, 0]))
        gold[line["gold_label"]] += 1
        labels[0] += len(line["annotator_labels"])
        labels[1] += line["annotator_labels"].count(line["gold_label"])
    return found


def _leaderboard(snapshot: Snapshot) -> Iterator[list[object]]:
    manifest = snapshot.read_manifest()
    train = manifest["partitions"].get("train") if manifest else None
    in_train = set(train["genres"]) if train else set()
    for part in withheld_parts(snapshot):
        for each in entries_of(snapshot, part):
            pairs, share = each.share()
            yield [
                each.system,
                each.team,
                each.kind,
                part,
                each.day,
                pairs,
                share,
                *wilson(share, pairs),
                each.share(each.scores.keys() & in_train)[1],
                each.share(each.scores.keys() - in_train)[1],
            ]


def _by_genre(snapshot: Snapshot) -> Iterator[list[object]]:
    for part in withheld_parts(snapshot):
        for each in entries_of(snapshot, part):
            for genre in sorted(each.scores):
                pairs, share = each.share({genre})
                yield [each.system, part, genre, pairs, share, *wilson(share, pairs)]


def _found(table: Table) -> str:
    best = next((row for row in table.rows if row["kind"] == SYSTEM), None)
    return in_place(f"{best['system']} leads the systems, with {percent(best['accuracy'])}") if best else ""


ACCURACY = "Share of the pairs with a gold label that are right; of people, of single labels that are the gold label."
LEADERBOARD = Figure(
    "leaderboard",
    "Predictions for the withheld partition (MultiNLI, RepEval 2017)",
    SNAPSHOT,
    _leaderboard,
    (
        Column("system"),
        Column("team"),
        Column("kind", definition="A system, a baseline, or people."),
        Column("partition"),
        Column("handed in", kind="day"),
        Column("pairs", "of", "count", "Pairs with a gold label; of people, their labels."),
        Column("accuracy", kind="share", definition=ACCURACY),
        *interval("The 95% interval of the share, after Wilson."),
        Column("matched", kind="share", definition="Over the genres that train has."),
        Column("mismatched", kind="share", definition="Over the genres that train lacks."),
    ),
    picture("dots", y="system", x="accuracy", low="low", high="high", n="pairs"),
    _found,
    only_with_rows=True,
)
BY_GENRE = Figure(
    "leaderboard-genres",
    "The same by genre",
    SNAPSHOT,
    _by_genre,
    (
        Column("system"),
        Column("partition"),
        Column("genre"),
        Column("pairs", "of", "count"),
        Column("accuracy", kind="share", definition=ACCURACY),
        *interval(),
    ),
    only_with_rows=True,
)
FIGURES = (LEADERBOARD, BY_GENRE)
