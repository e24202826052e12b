"""What makes cached statistics older than the labels."""

from datetime import timedelta

import pytest
from django.utils import timezone

from collection.models import Exclusion
from tests.commands import run, write_jsonl
from tests.corpora import LABELS
from tests.validation.large_corpus import count_all, labelled_question, large_question  # noqa: F401  (fixtures)
from validation.annotators.exclusion import exclude, undo_exclusion
from validation.gold.queries import adjudication_queue
from validation.models import Adjudication, Label, Question
from validation.pairs.adjudication import adjudicate, take_back
from validation.statistics import cached
from validation.statistics.cached import Kind, request_statistics

pytestmark = pytest.mark.django_db


def bring_pairs(tmp_path, *names):
    records = [
        {"id": name, "premise": f"Dog {name} runs.", "hypothesis": "A dog moves.", "labels": LABELS[:1] * 5}
        for name in names
    ]
    path = write_jsonl(tmp_path / "more.jsonl", records)
    assert not run("import_pairs", "small", path, format="jsonl").failure


def test_imported_labels_make_cached_statistics_stale_and_so_does_taking_them_back(
    large, monkeypatch, tmp_path, rosa, browser_of
):
    monkeypatch.setattr(cached, "MOST_SEATS_ON_DASHBOARD", 20)
    later = timezone.now() + timedelta(hours=1)
    for kind in (Kind.AGREEMENT, Kind.ANNOTATORS):
        request_statistics(question=large, kind=kind)
    count_all()
    assert cached.stale_agreement(later) == cached.stale_annotators(later) == []

    bring_pairs(tmp_path, "a", "b")
    assert cached.stale_agreement(later) == cached.stale_annotators(later) == [large]
    page = browser_of(rosa).get("/corpora/small/annotators/").content.decode()
    assert "Labels have changed since then by an import" in page
    for question in cached.stale_agreement(later):
        request_statistics(question=question, kind=Kind.AGREEMENT)
    count_all()
    assert cached.dashboard_agreement(large)[0]["pairs_with_all_labels"] == 42
    assert cached.stale_agreement(later) == []

    assert not run("withdraw_import", "small", "more.jsonl").failure
    assert cached.stale_agreement(later) == [large]


def test_exclusions_and_decisions_make_cached_statistics_stale(large, monkeypatch, rosa):
    monkeypatch.setattr(cached, "MOST_SEATS_ON_DASHBOARD", 20)
    later = timezone.now() + timedelta(hours=1)

    def is_stale_after(change) -> bool:
        request_statistics(question=large, kind=Kind.AGREEMENT)
        count_all()
        assert cached.stale_agreement(later) == []
        change()
        return cached.stale_agreement(later) == [large]

    who = Label.objects.filter(position=2).first().annotator
    Label.objects.filter(pair=large.judgements.first().pair, position__gt=3).delete()
    for position, label in enumerate(("entailment", "entailment", "contradiction"), start=1):
        Label.objects.filter(pair=large.judgements.first().pair, position=position).update(label=label)
    Question.objects.update(gold_rule="adjudicated", threshold=3)
    large.refresh_from_db()
    pair = adjudication_queue(large).first()

    assert is_stale_after(
        lambda: adjudicate(question=large, pair=pair, label="neutral", reason="Unclear.", by=rosa)
    )
    decision = Adjudication.objects.get()
    assert is_stale_after(lambda: take_back(adjudication=decision, reason="It is clear.", by=rosa))
    Label.objects.update(origin="cast")
    assert is_stale_after(lambda: exclude(corpus=large.corpus, annotator=who, by=rosa, reason="Guesses."))
    assert is_stale_after(lambda: undo_exclusion(exclusion=Exclusion.objects.get(), by=rosa))


def test_labels_that_are_imported_during_a_count_make_its_figures_old(large, monkeypatch, tmp_path):
    monkeypatch.setattr(cached, "MOST_SEATS_ON_DASHBOARD", 20)
    honest = cached.COMPUTE[Kind.AGREEMENT]

    def overtaken(question, by, progress):
        content = honest(question, by, progress)
        bring_pairs(tmp_path, "a")
        return content

    monkeypatch.setitem(cached.COMPUTE, Kind.AGREEMENT, overtaken)
    request_statistics(question=large, kind=Kind.AGREEMENT)
    count_all()
    assert cached.dashboard_agreement(large)[0]["pairs_with_all_labels"] == 40
    assert cached.stale_agreement(timezone.now() + timedelta(hours=1)) == [large]
