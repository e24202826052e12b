"""Reads what the papers' tables show of a corpus beside its runs: figures by genre, and examples."""

from collections.abc import Mapping, Sequence

from django.db.models import Max, Value

from collection.models import Premise, Source
from modeling.results.dimensions import MARKED, PHENOMENON
from modeling.results.marks import agreed_phenomena
from nli.labels import in_two_classes
from schemas.published import Origin
from snapshots.models import Snapshot, SnapshotPair, SnapshotStatistics
from snapshots.statistics.corpus_figures import CORPUS
from snapshots.statistics.corpus_figures import GENRES as SIZES
from snapshots.statistics.job import EDITIONS

ALL, GENRES = "all", "genres"


def origins(snapshots: Sequence[Snapshot]) -> list[Origin]:
    """Returns what each snapshot is, by which it stands for a data set of a paper. One query."""
    corpora = {one.corpus_id for one in snapshots}
    premises = Premise.objects.filter(corpus__in=corpora).order_by().values("corpus")
    longest = premises.annotate(file=Value(""), most=Max("sentence_count")).values_list(
        "corpus", "file", "most"
    )
    named = Source.objects.filter(corpus__in=corpora).values_list("corpus", "name", Value(0))
    sentences: dict[int, int] = {}
    files: dict[int, list[str]] = {}
    for corpus, name, most in longest.union(named, all=True):
        if most:
            sentences[corpus] = most
        else:
            files.setdefault(corpus, []).append(name)
    return [
        Origin(
            str(one),
            one.corpus.protocol,
            sentences.get(one.corpus_id, 1),
            tuple(files.get(one.corpus_id, ())),
        )
        for one in snapshots
    ]


def figures_by_genre(snapshots: Sequence[Snapshot]) -> list[dict[str, dict[str, float | None]]]:
    """Returns {genre: {column: figure}} of each snapshot from the table `genres`; {} where it is not counted."""
    rows = SnapshotStatistics.objects.current(EDITIONS).filter(
        snapshot__in=snapshots, kind=CORPUS, data__isnull=False
    )
    data = dict(rows.values_list("snapshot_id", "data"))
    return [_by_genre(data[one.pk]) if one.pk in data else {} for one in snapshots]


def _by_genre(data: Mapping[str, object]) -> dict[str, dict[str, float | None]]:
    made = SIZES.table(dict(data))
    names = [column.key for column in made.columns[1:]] if made else []
    found = {
        str(genre): {
            name: None if figure is None else float(figure)
            for name, figure in zip(names, figures, strict=True)
        }
        for genre, *figures in (made.cells() if made else ())
    }
    # A snapshot with one genre has no row for all of them.
    return found if ALL in found or len(found) != 1 else found | {ALL: next(iter(found.values()))}


def example(
    snapshot: Snapshot, partition: str, dimension: str, values: Sequence[str], label: str
) -> dict[str, str]:
    """Returns premise, hypothesis and label of the first pair with a gold label; {} if there is none.

    Of a genre it is its first pair, of a phenomenon the first pair of the partition that was marked with it. `label`: of
    two classes, as which the labels are read.
    """
    pairs = SnapshotPair.objects.filter(snapshot=snapshot, gold_label__isnull=False)
    if label:
        labels = snapshot.corpus.labels
        reads = in_two_classes(labels) or {one: one for one in labels}
        pairs = pairs.filter(gold_label__in=[own for own, read in reads.items() if read == label])
    if dimension == "genre":
        pairs = pairs.filter(pair__premise__genre__slug__in=values)
    elif dimension in (MARKED, PHENOMENON):
        marks = agreed_phenomena(snapshot, partition)
        names = [name for name, seen in marks.items() if dimension == MARKED or set(seen) & set(values)]
        pairs = pairs.filter(partition=partition).named(snapshot, names)
    row = pairs.select_related("pair__premise").order_by("pk").first()
    if row is None:
        return {}
    return {
        "example_premise": row.pair.premise.text,
        "example": row.pair.hypothesis,
        "example_label": str(row.gold_label),
    }
