"""`doctor` checks every part and counts rows that break rules that no constraint can guard."""

import hashlib
import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from accounts.models import User
from annotation_site.operation import health
from collection.models import PairInSet, PairSet
from snapshots.models import Snapshot, SnapshotFile
from tests.corpora import make_corpus, make_pair, make_premise
from validation.annotators.exclusion import exclude
from validation.labelling.claiming import claim_batch
from validation.labelling.submitting import submit_batch
from validation.models import Label, Question
from validation.pairs.opening import open_for_validation

pytestmark = pytest.mark.django_db


def report(*arguments: str) -> tuple[str, int]:
    """Returns what doctor prints, and its exit status."""
    out = StringIO()
    try:
        call_command("doctor", *arguments, stdout=out)
    except SystemExit as end:
        return out.getvalue(), int(end.code or 0)
    return out.getvalue(), 0


def broken_rules() -> dict[str, int]:
    text, _ = report("--json")
    return {rule: count for rule, count in json.loads(text)["broken_rules"].items() if count}


def an_opened_pair(author: User) -> Label:
    """Returns the author's own label of a pair that is open for labelling."""
    corpus = make_corpus()
    premise = make_premise(corpus, "A cat sleeps on the warm roof.")
    pair = make_pair(corpus, premise, "An animal rests.", author=author, author_label="entailment")
    question = Question.objects.get(corpus=corpus)
    open_for_validation(question=question, pairs=type(pair).objects.all())
    return Label.objects.get(pair=pair, position=1)


def test_a_sound_installation_ends_well(ana: User) -> None:
    an_opened_pair(ana)
    text, status = report()
    assert status == 0
    assert "DOWN" not in text
    assert "Nobody validated their own pair." in text


def test_it_says_that_nobody_works_the_queues() -> None:
    text, _ = report()
    assert "attention  workers: No worker serves the queue general or the queue training" in text


def test_an_author_label_that_was_changed_by_hand_is_found(ana: User) -> None:
    label = an_opened_pair(ana)
    Label.objects.filter(pk=label.pk).update(label="neutral")
    assert broken_rules() == {"Label 1 is what the author was asked to write": 1}


def test_a_pair_in_a_set_of_another_corpus_is_found(ana: User) -> None:
    label = an_opened_pair(ana)
    elsewhere = PairSet.objects.create(corpus=make_corpus(slug="elsewhere"), name="Mine")
    PairInSet.objects.create(pair_set=elsewhere, pair=label.pair)
    assert broken_rules() == {"A named set has pairs of its corpus alone": 1}


def test_copies_that_drift_from_their_pair_are_found(ana: User, vera: User) -> None:
    label = an_opened_pair(ana)
    Label.objects.filter(pair=label.pair, position=2).update(author=vera)
    assert list(broken_rules().values()) == [1]
    assert report()[1] == 1


def test_more_labels_than_seats_are_found(ana: User) -> None:
    label = an_opened_pair(ana)
    Label.objects.filter(pair=label.pair, position=5).update(position=6)
    assert broken_rules() == {"The label positions of an opened pair have no gap": 1}
    Label.objects.filter(pair=label.pair, position=6).update(position=101)
    assert "No pair has more labels than its question allows" in broken_rules()


def test_a_label_of_somebody_excluded_that_came_back_is_found(ana: User, vera: User, rosa: User) -> None:
    label = an_opened_pair(ana)
    exclude(corpus=label.pair.corpus, annotator=vera, by=rosa, reason="Guessed.")
    seat = Label.objects.filter(pair=label.pair, position=2)
    seat.update(annotator=vera, label="neutral", leased_until=timezone.now(), cast_at=timezone.now())
    assert broken_rules() == {"No label of somebody who is excluded counts": 1}


def test_an_answer_that_was_lost_is_found(ana: User, vera: User) -> None:
    label = an_opened_pair(ana)
    batch = claim_batch(question=label.question, annotator=vera)
    slot = batch.items[0].seat.token
    submit_batch(annotator=vera, token=batch.assignment.token, labels={slot: "neutral"}, key="one")
    assert broken_rules() == {}
    Label.objects.filter(token=slot).update(label=None, annotator=None, leased_until=None, cast_at=None)
    assert broken_rules() == {"Every answer is stored as a label": 1}


def test_a_torn_snapshot_file_is_found() -> None:
    snapshot = Snapshot.objects.create(corpus=make_corpus(), version=1)
    Snapshot.objects.update(status="frozen", sha256="0" * 64, frozen_at=snapshot.requested_at)
    SnapshotFile.objects.create(snapshot=snapshot, name="train.jsonl", sha256="0" * 64, size=10)
    folder = snapshot.folder
    folder.mkdir(parents=True)
    (folder / "train.jsonl").write_text("0123456789")
    text, _ = report()
    assert "All files of frozen snapshots are there, at full length; --hashes reads them." in text
    # Of the same length, so only the hash shows it.
    text, status = report("--hashes")
    assert (status, str(folder / "train.jsonl") in text) == (1, True)
    SnapshotFile.objects.update(sha256=hashlib.sha256(b"0123456789").hexdigest())
    assert "have the hashes that were recorded" in report("--hashes")[0]
    (folder / "train.jsonl").write_text("0123")
    text, status = report("--json")
    assert (status, json.loads(text)["parts"]["files"]["broken"]) == (1, [str(folder / "train.jsonl")])


def test_json_is_all_that_is_printed_and_a_part_that_is_down_ends_in_1(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse() -> Any:
        raise ConnectionError

    monkeypatch.setattr(health.app, "connection_for_write", refuse)
    text, status = report("--json")
    content = json.loads(text)
    assert status == 1
    assert content["status"] == "down"
    assert content["parts"]["broker"]["state"] == "down"
