"""Statistics of a frozen snapshot are computed by a worker, once, and stored."""

import re
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from jobs import claims
from jobs.claims import InOtherHands
from snapshots.files.reading import DamagedFiles
from snapshots.models import SnapshotStatistics
from snapshots.statistics import artifacts, corpus, job
from snapshots.statistics.job import (
    EDITIONS,
    NoTagger,
    NotFrozen,
    compute_statistics,
    kinds_for,
    request_statistics,
)
from tests.commands import run
from tests.jobs.material import age, claim_elsewhere, silence, sweep
from tests.made_once import made_once
from tests.snapshots.material import add_premise, corpus_of, folder, freeze

pytestmark = pytest.mark.django_db
OF_PAIRS = re.compile(r"([\d,]+) of ([\d,]+) pairs")


@made_once
def snapshot():
    return freeze(corpus_of(6))


def asked(snapshot, kind="corpus"):
    return request_statistics(snapshot=snapshot, kind=kind)


def worked_out(snapshot, kind="corpus"):
    data = compute_statistics(statistics_id=asked(snapshot, kind).pk).data
    assert data is not None
    return data


def test_figures_are_those_of_the_files_and_stay_when_the_corpus_grows(snapshot):
    data = worked_out(snapshot)
    (everything,) = [g for g in data["groups"] if (g["partition"], g["genre"], g["label"]) == (None,) * 3]
    assert (everything["pairs"], everything["agreement"]) == (18, 1.0)
    add_premise(snapshot.corpus, "A new line.")
    assert worked_out(snapshot) == data
    assert SnapshotStatistics.objects.get().status == "done"


def test_every_kind_can_be_worked_out(snapshot):
    for kind in kinds_for(snapshot):
        assert worked_out(snapshot, kind)["edition"] == EDITIONS[kind]


def test_artifacts_tell_prompt_versions_and_authors(snapshot):
    pair = snapshot.corpus.pairs.first()
    pair.prompt_version = snapshot.corpus.prompts.get().versions.get()
    pair.save()
    told = {(row["by"], row["value"]) for row in worked_out(freeze(snapshot.corpus), "artifacts")["lengths"]}
    assert ("prompt_version", "fiction/1") in told
    assert ("author", pair.author.code) in told


@pytest.mark.parametrize("kind", ["corpus", "artifacts"])
def test_progress_never_exceeds_the_whole(snapshot, monkeypatch, kind):
    """Statistics of artifacts read all pairs twice: they told of 90,000 pairs of 53,217."""
    for module in (artifacts, corpus):
        monkeypatch.setattr(module, "TOLD_EVERY", 1)
    monkeypatch.setattr(claims, "REPORT_EVERY", timedelta(0))
    told: list[str] = []
    compute_statistics(statistics_id=asked(snapshot, kind).pk, progress=told.append)
    found = [tuple(map(int, each.groups())) for each in map(OF_PAIRS.fullmatch, told) if each]
    assert [whole for _, whole in found] == [snapshot.pair_count] * len(found)
    assert [done for done, _ in found] == sorted(done for done, _ in found)
    assert found[-1] == (snapshot.pair_count, snapshot.pair_count)


def test_what_is_done_is_never_worked_out_again(snapshot, monkeypatch):
    row = compute_statistics(statistics_id=asked(snapshot).pk)
    monkeypatch.setattr(job, "measure", lambda *_: pytest.fail("counted twice"))
    assert compute_statistics(statistics_id=row.pk).data == row.data


def test_what_somebody_works_on_is_left_to_them_until_they_are_silent(snapshot):
    row = asked(snapshot)
    claim_elsewhere(SnapshotStatistics, progress="1 of 18 pairs")
    with pytest.raises(InOtherHands, match="1 of 18 pairs"):
        compute_statistics(statistics_id=row.pk)
    age(SnapshotStatistics)
    sweep()
    row.refresh_from_db()
    assert row.status == "working"
    silence(SnapshotStatistics)
    sweep()
    row.refresh_from_db()
    assert row.status == "done"


def test_who_was_taken_over_stops_and_does_not_overwrite(snapshot, monkeypatch):
    row = asked(snapshot)

    def slow(*_):
        claim_elsewhere(SnapshotStatistics)
        return {"edition": 1}

    monkeypatch.setattr(job, "measure", slow)
    with pytest.raises(InOtherHands):
        compute_statistics(statistics_id=row.pk)
    row.refresh_from_db()
    assert (row.status, row.data) == ("working", None)


def test_a_changed_file_is_not_counted_but_named(snapshot):
    path = folder(snapshot) / "train.jsonl"
    path.write_bytes(path.read_bytes().replace(b"story", b"stery", 1))
    row = asked(snapshot)
    with pytest.raises(DamagedFiles, match=r"train\.jsonl of small@1 was changed or is incomplete"):
        compute_statistics(statistics_id=row.pk)
    row.refresh_from_db()
    assert row.status == "failed"
    assert "Restore the folder" in row.error
    assert asked(snapshot).status == "requested"


def test_statistics_need_a_frozen_snapshot_and_tags_need_english(snapshot):
    snapshot.status = "freezing"
    with pytest.raises(NotFrozen):
        asked(snapshot)
    snapshot.status, snapshot.corpus.language = "frozen", "ko"
    with pytest.raises(NoTagger, match="'ko'"):
        asked(snapshot, "tags")
    assert kinds_for(snapshot) == ["corpus", "artifacts"]


def test_the_database_keeps_data_and_status_together(snapshot):
    row = asked(snapshot)
    for change in ({"status": "done"}, {"data": {"edition": 1}}, {"kind": "other"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            SnapshotStatistics.objects.filter(pk=row.pk).update(**change)


class TestReport:
    def test_a_table_is_worked_out_once_and_printed(self, snapshot):
        first = run("report", "small@1", "genres")
        assert first.out.startswith("Sizes by genre (MultiNLI, Table 3)\n")
        assert "fiction     12    3     3" in first.out
        assert SnapshotStatistics.objects.get().status == "done"
        assert run("report", "small@1", "genres").out == first.out

    def test_csv_latex_and_html_hold_the_same_rows(self, snapshot):
        assert (
            run("report", "small@1", "labels", format="csv").out.splitlines()[1].startswith("train,4,4,4,0,")
        )
        assert r"train & 4 & 4 & 4 & 0" in run("report", "small@1", "labels", format="latex").out
        assert "<td>train</td>" in run("report", "small@1", "labels", format="html").out

    def test_agreement_comes_from_the_manifest(self, snapshot):
        told = run("report", "small@1", "agreement", format="csv").out.splitlines()
        assert told[:2] == ["figure,here,SNLI,MultiNLI", "unanimous gold label,1.0,0.583,0.582"]
        assert not SnapshotStatistics.objects.exists()

    def test_a_wrong_name_lists_the_right_ones(self, snapshot):
        assert (
            "There is no table 'sizes'. There are: agreement, genres"
            in run("report", "small@1", "sizes").failure
        )
        assert "The newest ones: small@1." in run("report", "small@7", "genres").failure
