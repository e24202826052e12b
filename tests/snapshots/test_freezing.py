"""A freeze places premises in partitions, and they stay there."""

from typing import Any

import pytest
from django.db import connection

from collection.models import Pair, Premise
from collection.models.querysets import refresh_planner
from collection.premises.partitions import partition_of
from snapshots.freezing.job import EmptyCorpus, request_freeze
from snapshots.freezing.plan import HoldOutRefused, plan_freeze
from snapshots.models import Placement, Snapshot, SnapshotLabel, SnapshotPair
from snapshots.verify import verify
from tests.corpora import make_corpus, make_premise
from tests.snapshots.material import (
    add_genre,
    add_pair,
    add_premise,
    corpus_of,
    folder,
    freeze,
    label_pair,
    lines,
    manifest,
    published_pair,
    where,
)
from tests.validation.test_gold_view import nodes
from validation.models import Label
from validation.questions.lookup import main_question
from validation.statistics.agreement import agreement
from validation.statistics.vote_patterns import in_group

pytestmark = pytest.mark.django_db


def test_the_same_content_and_seed_give_the_same_hash_whatever_the_order_of_the_rows():
    texts = [f"Line {number} of a story." for number in range(9)]
    one = make_corpus(slug="small", dev_pairs_per_genre=3, test_pairs_per_genre=3)
    for text in texts:
        add_premise(one, text)
    first = freeze(one, seed=7)
    # The hash contains the corpus's name, so the second corpus replaces the first.
    files = {path.name: path.read_bytes() for path in folder(first).iterdir() if path.suffix == ".jsonl"}
    one.slug = "gone"
    one.save()
    two = make_corpus(slug="small", dev_pairs_per_genre=3, test_pairs_per_genre=3)
    for text in reversed(texts):
        add_premise(two, text)
    second = freeze(two, seed=7)
    assert {path.name: path.read_bytes() for path in folder(second).glob("*.jsonl")} == files
    assert second.sha256 == first.sha256


def test_the_seed_decides_for_premises_without_a_place():
    one, two = (
        where(freeze(corpus_of(30, slug=slug, dev=9, test=9), seed=seed))
        for slug, seed in (("a", 1), ("b", 2))
    )
    assert one.keys() == two.keys()
    assert one != two


def test_dev_and_test_hold_the_numbers_asked_for_and_no_premise_is_in_two():
    snapshot = freeze(corpus_of(12, dev=6, test=9))
    counts = {part: len(lines(snapshot, part)) for part in ("train", "dev", "test")}
    assert counts == {"train": 21, "dev": 6, "test": 9}
    premises = [{line["promptID"] for line in lines(snapshot, part)} for part in counts]
    assert sum(map(len, premises)) == len(set.union(*premises))


def test_growing_the_corpus_moves_no_pair():
    corpus = corpus_of(12)
    before = where(freeze(corpus))
    for number in range(12):
        add_premise(corpus, f"A later line, number {number}.")
    corpus.dev_pairs_per_genre = 12
    corpus.save()
    after = where(freeze(corpus, seed=99))
    assert {name: after[name] for name in before} == before
    assert list(after.values()).count("dev") == 12


def test_a_new_pair_of_a_dev_premise_waits_for_its_labels_and_then_joins_dev():
    corpus = corpus_of(4)
    dev = lines(freeze(corpus), "dev")[0]["promptID"]
    premise = Premise.objects.get(public_id=dev)
    late = add_pair(premise, "n", "Somebody is tired.")
    second = freeze(corpus)
    assert second.version == 1, "the late pair is left out, so nothing has changed"
    label_pair(late, "nnnne")
    third = freeze(corpus)
    assert where(third)[late.public_id] == "dev"


def test_left_out_pairs_are_counted_in_the_manifest():
    corpus = corpus_of(4)
    add_genre(corpus, "letters", in_training=False)
    for number in range(4):
        add_premise(corpus, f"Dear friend number {number},", genre="letters")
    snapshot = freeze(corpus)
    told = manifest(snapshot)
    assert told["left_out"] == {"genre not in training": {"letters": 6}}
    assert told["partitions"]["dev"]["matched"] == ["fiction"]
    assert told["partitions"]["dev"]["mismatched"] == ["letters"]
    assert "letters" not in told["partitions"]["train"]["genres"]


def test_a_mismatched_premise_that_was_left_out_can_still_be_drawn_later():
    corpus = corpus_of(4)
    add_genre(corpus, "letters", in_training=False)
    for number in range(4):
        add_premise(corpus, f"Dear friend number {number},", genre="letters")
    freeze(corpus)
    corpus.dev_pairs_per_genre = 6
    corpus.save()
    assert manifest(freeze(corpus))["partitions"]["dev"]["genres"]["letters"] == 6


def test_published_partitions_are_kept_even_where_they_share_premises():
    corpus = make_corpus()
    shared, own = make_premise(corpus, "A man sleeps."), make_premise(corpus, "A dog runs.")
    published_pair(corpus, shared, "neutral", "train", "1")
    published_pair(corpus, shared, "entailment", "test", "2")
    published_pair(corpus, own, "entailment", "dev", "3")
    snapshot = freeze(corpus)
    assert where(snapshot) == {"1": "train", "2": "test", "3": "dev"}
    told = manifest(snapshot)
    assert told["premises_in_two_partitions"] == 1
    assert told["groups_in_two_partitions"] == 1
    assert told["placements"]["published"] == {"pairs": 3, "premises": 2}
    assert told["gold_sources"] == {"published": 3}
    assert not Placement.objects.exists()


def test_a_group_that_was_published_in_two_partitions_is_kept_and_counted():
    corpus = make_corpus()
    for number, partition in enumerate(("dev", "test", "test")):
        premise = make_premise(corpus, f"Name {number} heard that time flies.", group=f"pun {number // 2}")
        published_pair(corpus, premise, "entailment", partition, str(number))
    snapshot = freeze(corpus)
    told = manifest(snapshot)
    assert (told["premises_in_two_partitions"], told["groups_in_two_partitions"]) == (0, 1)
    assert verify(folder(snapshot)).ok


def test_pairs_without_gold_are_there_with_a_dash():
    corpus = corpus_of(1, dev=0, test=0)
    tied = add_pair(Premise.objects.get(), "e", "Undecided.")
    label_pair(tied, "eenncc"[:5])
    line = next(line for line in lines(freeze(corpus), "train") if line["pairID"] == tied.public_id)
    assert (line["gold_label"], line["gold_source"]) == ("-", "none")
    assert line["annotator_labels"] == ["entailment", "entailment", "neutral", "neutral", "contradiction"]


def test_withdrawn_pairs_stay_away():
    corpus = corpus_of(2, dev=0, test=0)
    gone = Pair.objects.earliest("pk")
    Pair.objects.filter(pk=gone.pk).update(
        withdrawn_at="2026-01-01T00:00Z", withdrawn_because="set aside by a researcher"
    )
    assert gone.public_id not in where(freeze(corpus))


def test_unchanged_content_answers_the_snapshot_that_is_there():
    corpus = corpus_of()
    first = freeze(corpus)
    again = freeze(corpus, seed=12)
    assert again.pk == first.pk
    assert Snapshot.objects.count() == 1
    assert SnapshotPair.objects.count() == 36
    assert SnapshotLabel.objects.count() == 180
    add_premise(corpus, "Something new.")
    assert freeze(corpus).version == 2, "the number was not used up"


def test_content_that_comes_back_answers_the_older_snapshot():
    corpus = corpus_of(4)
    first = freeze(corpus)
    new = add_premise(corpus, "Something new.")
    assert freeze(corpus).version == 2
    new.pairs.update(withdrawn_at="2026-01-01T00:00Z", withdrawn_because="set aside by a researcher")
    assert freeze(corpus).pk == first.pk


def test_another_wording_of_the_question_is_another_snapshot():
    corpus = corpus_of(4)
    first = freeze(corpus)
    question = main_question(corpus)
    question.wording = "Is it definitely so?"
    question.save()
    assert freeze(corpus).version == first.version + 1


def test_what_happens_to_the_corpus_later_does_not_touch_the_snapshot():
    corpus = corpus_of(4)
    snapshot = freeze(corpus)
    before = {path.name: path.read_bytes() for path in folder(snapshot).iterdir()}
    label_pair(add_pair(Premise.objects.earliest("pk"), "e", "Later."), "eeeee")
    freeze(corpus)
    assert {path.name: path.read_bytes() for path in folder(snapshot).iterdir()} == before


def test_the_plan_tells_what_the_freeze_then_does():
    corpus = corpus_of(9)
    add_genre(corpus, "letters", in_training=False)
    for number in range(4):
        add_premise(corpus, f"Dear friend number {number},", genre="letters", validated=number % 2 == 0)
    shown = plan_freeze(corpus, seed=3).plan
    assert not Placement.objects.exists(), "a plan writes nothing"
    told = manifest(freeze(corpus, seed=3))
    assert {part: told["partitions"][part]["genres"] for part in told["partitions"]} == {
        part: genres for part, genres in shown.pairs.items() if genres
    }
    assert told["left_out"] == shown.left_out


def test_the_manifest_has_the_agreement_of_the_corpus():
    corpus = corpus_of(3, dev=0, test=0)
    for letters in ("eenec", "nnnnn", "ccnne", "cnncn"):
        label_pair(add_pair(Premise.objects.earliest("pk"), letters[0], f"One of {letters}."), letters)
    add_pair(Premise.objects.earliest("pk"), "e", "Nobody labelled this.")
    live = agreement(Pair.objects.filter(corpus=corpus), main_question(corpus))
    told = manifest(freeze(corpus))["agreement"]
    assert told.keys() == live.keys()
    for key, value in live.items():
        assert told[key] == pytest.approx(value), key


def test_an_empty_corpus_is_refused():
    with pytest.raises(EmptyCorpus, match="small has no pairs to freeze"):
        request_freeze(corpus=make_corpus())


class TestHoldingOut:
    """--dev-from train=N, for corpora that came with train and test alone."""

    @pytest.fixture
    def corpus(self):
        corpus = make_corpus()
        for number in range(10):
            premise = make_premise(corpus, f"Picture {number}.")
            for index in range(3):
                published_pair(corpus, premise, "neutral", "train", f"train-{number}-{index}")
        for number in range(3):
            published_pair(
                corpus, make_premise(corpus, f"Test {number}."), "neutral", "test", f"test-{number}"
            )
        return corpus

    def test_whole_premises_become_dev_and_the_manifest_says_so(self, corpus):
        told = manifest(freeze(corpus, dev_from_train=4))
        assert told["placements"]["held_out"] == {"pairs": 12, "premises": 4}
        assert told["placements"]["published"] == {"pairs": 21, "premises": 9}
        assert told["partitions"]["dev"]["pairs"] == 12
        assert told["premises_in_two_partitions"] == 0

    def test_agreement_and_lists_know_held_out_pairs_as_the_snapshot_does(self, corpus):
        snapshot = freeze(corpus, dev_from_train=4)
        frozen = dict(snapshot.pairs.values_list("pair__public_id", "partition"))
        live = dict(corpus.pairs.annotate(at=partition_of()).values_list("public_id", "at"))
        assert live == frozen
        assert set(frozen.values()) == {"train", "dev", "test"}
        listed = in_group(corpus.pairs.standing(), main_question(corpus), "partition", "dev")
        assert {pair.public_id for pair in listed} == {name for name in frozen if frozen[name] == "dev"}

    def test_held_out_premises_stay_dev_when_nothing_is_asked_for(self, corpus):
        first = freeze(corpus, dev_from_train=4)
        assert freeze(corpus).pk == first.pk

    def test_premises_that_test_has_too_are_never_held_out(self, corpus):
        both = Premise.objects.get(text="Picture 0.")
        published_pair(corpus, both, "neutral", "test", "shared")
        placed = where(freeze(corpus, dev_from_train=9))
        assert placed["train-0-0"] == "train"
        assert list(placed.values()).count("dev") == 27

    def test_fewer_than_are_held_out_already_is_refused(self, corpus):
        freeze(corpus, dev_from_train=4)
        with pytest.raises(HoldOutRefused, match="4 premises of small are already held out"):
            request_freeze(corpus=corpus, dev_from_train=2)

    def test_the_whole_of_train_is_refused(self, corpus):
        with pytest.raises(HoldOutRefused, match="has 10 premises"):
            request_freeze(corpus=corpus, dev_from_train=10)

    def test_a_published_dev_is_reason_enough_to_refuse(self, corpus):
        published_pair(corpus, make_premise(corpus, "Dev."), "neutral", "dev", "dev-1")
        with pytest.raises(HoldOutRefused, match="already has a published dev partition"):
            request_freeze(corpus=corpus, dev_from_train=2)

    def test_without_a_published_train_it_is_refused(self):
        with pytest.raises(HoldOutRefused, match="no published train partition"):
            request_freeze(corpus=corpus_of(2), dev_from_train=1)


def test_after_a_bulk_load_votes_are_counted_once_and_not_for_each_pair():
    """The database last counted its rows before they came: it expected a pair, and 3,000 took minutes."""
    corpus_of(2, slug="earlier")
    refresh_planner(Premise, Pair, Label)
    plans = []

    def explained(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith(f'INSERT INTO "{SnapshotPair._meta.db_table}"'):
            execute(f"EXPLAIN (FORMAT JSON) {sql}", params, many, context)
            plans.append(context["cursor"].fetchone()[0][0]["Plan"])
        return execute(sql, params, many, context)

    corpus = corpus_of(100)
    with connection.execute_wrapper(explained):
        freeze(corpus)
    (plan,) = plans
    again = [node["Plans"][1] for node in nodes(plan) if node["Node Type"] == "Nested Loop"]
    assert [each for inner in again for each in nodes(inner) if each["Node Type"] == "Aggregate"] == []
