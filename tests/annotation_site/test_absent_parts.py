"""Every page works for a corpus that lacks something: dev, test, gold labels, votes, authors, or pairs."""

from collections.abc import Callable
from typing import Any

import pytest
from django.template import Context, Template
from django.urls import reverse

from collection.models import Corpus
from modeling.launching.actions import request_sweep
from modeling.running.actions import record_result
from shared.figures import FIGURES
from snapshots.models import Snapshot, SnapshotPair
from snapshots.statistics.job import compute_statistics, request_statistics
from tests.corpora import make_corpus, make_pair, make_premise
from tests.modeling.material import a_run, claimed, metrics
from tests.snapshots.material import add_pair, freeze, label_pair, published_pair
from validation.models import Question
from validation.statistics.vote_patterns import DIMENSIONS

pytestmark = pytest.mark.django_db


def nothing(corpus: Corpus) -> None:
    pass


def no_pairs(corpus: Corpus) -> None:
    make_premise(corpus, "A dog runs.")


def no_votes_and_no_author(corpus: Corpus) -> None:
    make_pair(corpus, make_premise(corpus, "A dog runs."), "It moves.")


def one_labelled_pair(corpus: Corpus) -> None:
    label_pair(add_pair(make_premise(corpus, "A dog runs."), "e", "It moves."), "eeeen")


def no_gold(corpus: Corpus) -> None:
    label_pair(add_pair(make_premise(corpus, "A dog runs."), "e", "It moves."), "eennc")


def without_authors(corpus: Corpus) -> None:
    premise = make_premise(corpus, "A dog runs.")
    for number in range(2):
        pair = make_pair(corpus, premise, f"It moves {number}.", published_partition="train")
        label_pair(pair, "eeenn")
        # All labels are the validators': none is an author's.
        pair.labels.filter(position=1).update(origin="imported", annotator=None)


def only(*partitions: str) -> Callable[[Corpus], None]:
    def make(corpus: Corpus) -> None:
        for number, partition in enumerate(partitions):
            premise = make_premise(corpus, f"Line {number}.")
            published_pair(corpus, premise, "neutral", partition, f"p{number}")

    make.__name__ = "only " + " and ".join(partitions)
    return make


CORPORA = [
    *(nothing, no_pairs, no_votes_and_no_author, one_labelled_pair, no_gold, without_authors),
    *(only("train"), only("train", "dev"), only("train", "test"), only("dev"), only("test")),
]
FIRST = {"nothing", "no_gold", "only test"}  # in `make quick`


def graded(corpora: list[Callable[[Corpus], None]]) -> list[Any]:
    return [
        pytest.param(make, id=make.__name__, marks=() if make.__name__ in FIRST else pytest.mark.thorough)
        for make in corpora
    ]


@pytest.mark.parametrize("rule", ["majority", pytest.param("adjudicated", marks=pytest.mark.thorough)])
@pytest.mark.parametrize("make", graded(CORPORA))
def test_pages_of_a_corpus_stand_absent_parts(make, rule, rosa, browser_of):
    corpus = make_corpus()
    Question.objects.update(gold_rule=rule)
    make(corpus)
    here = [corpus.slug]
    agreement = reverse("agreement", args=here)
    addresses = [
        reverse("admin:index"),
        *(f"{agreement}?by={by}" for by in ("", *DIMENSIONS)),
        *(
            reverse(name, args=here)
            for name in ("annotators", "pay", "pool", "open-pairs", "more-labels", "adjudication", "controls")
        ),
        *(
            reverse(name, args=here)
            for name in ("calibration", "pairs", "report-queue", "advice-counts", "pilots")
        ),
        *(f"{reverse('pairs', args=here)}?votes={votes}" for votes in ("complete", "split", "disputed")),
        *(reverse("pair", args=[*here, pair.public_id]) for pair in corpus.pairs.all()),
        *(reverse(name, args=here) for name in ("freeze", "freeze-plan", "datasheet-answers")),
        reverse("snapshots"),
        reverse("runs"),
        f"/api/v1/corpora/{corpus.slug}/pairs/",
        f"/api/v1/corpora/{corpus.slug}/annotators/",
        *(f"/api/v1/corpora/{corpus.slug}/agreement/?by={by}" for by in ("", *DIMENSIONS)),
    ]
    assert not failing(browser_of(rosa), addresses)


@pytest.mark.parametrize("make", graded(CORPORA[2:]))
def test_pages_of_snapshots_and_runs_stand_absent_parts(make, rosa, browser_of):
    """Tries snapshots with statistics, a finished run, and a sweep without a finished run."""
    make(corpus := make_corpus())
    snapshot = freeze(corpus)
    files = set(snapshot.files.values_list("name", flat=True))
    for kind in ("corpus", "artifacts"):
        compute_statistics(statistics_id=request_statistics(snapshot=snapshot, kind=kind).pk)
    to_learn_from = SnapshotPair.objects.filter(
        snapshot=snapshot, partition="train", gold_label__isnull=False
    )
    runs = [done_without_absent(snapshot, files), sweep(snapshot)] if to_learn_from.exists() else []
    here = [snapshot.pk]
    addresses = [
        *(reverse(name) for name in ("admin:index", "snapshots", "runs")),
        *(
            reverse(name, args=here)
            for name in ("snapshot", "snapshot-state", "snapshot-statistics", "snapshot-exports", "datasheet")
        ),
        *(reverse("new-run", args=here) for _ in runs[:1]),
        *(
            reverse("api-snapshot-figure", args=[*here, name])
            for name, figure in FIGURES.items()
            if figure.scope.name == "snapshot"
        ),
        *(reverse("run", args=[run]) for run in runs),
        *(f"/api/v1/runs/{run}/" for run in runs),
        *(f"/api/v1/snapshots/{snapshot.pk}/{what}" for what in ("", "rows/", "figures/")),
    ]
    assert not failing(browser_of(rosa), addresses)


def failing(client: Any, addresses: list[str]) -> list[tuple[str, int]]:
    client.raise_request_exception = False
    return [(url, code) for url in addresses if (code := client.get(url).status_code) >= 500]


def done_without_absent(snapshot: Snapshot, files: set[str]) -> int:
    run = claimed(a_run(snapshot, "majority"))
    told = metrics()
    for partition in ("dev", "test"):
        if f"{partition}.jsonl" not in files:
            told[partition] = None
    record_result(run=run, metrics=told)
    return run.pk


def sweep(snapshot: Snapshot) -> int:
    return request_sweep(snapshot=snapshot, baseline="majority", seeds=[1, 2]).pk


@pytest.mark.parametrize(("name", "half"), [("percent", "50.0%"), ("points", "50.0"), ("decimals", "0.500")])
def test_an_absent_figure_is_a_dash(name, half):
    shown = Template(
        "{% load numbers %}{{ a|" + name + "}} {{ nowhere.to.be.found|" + name + "}} {{ b|" + name + "}}"
    )
    assert shown.render(Context({"a": None, "b": 0.5})).split() == ["–", "–", half]
