"""One judgement in train and three to five in test, kept where all are the same: declared in the corpus file."""

import pytest

from collection.models import Corpus, Pair
from snapshots.verify import verify
from tests.annotation_site.test_questions_beside_the_main_one import RELATIONS, load
from tests.cast import person
from tests.corpora import make_pair, make_premise
from tests.snapshots.material import folder, freeze, lines, manifest
from tests.validation.votes import gold_of, vote
from validation.errors import NoWork
from validation.gold.queries import split_pairs
from validation.labelling.claiming import claim_batch
from validation.labelling.submitting import submit_batch
from validation.models import Label, PartitionRule, Question
from validation.pairs.listing import Wanted, pairs_to_read
from validation.pairs.opening import open_for_validation, open_more_labels
from validation.start_page.my_work import own_figures

pytestmark = pytest.mark.django_db
__all__ = ["load"]
OWN = "".join(
    f'[[question.partitions]]\npartition = "{name}"\nseats = 1\nthreshold = 1\n' for name in ("train", "dev")
)
BY_PARTITION = RELATIONS.replace("\n[[genres]]", f"\n{OWN}\n[[genres]]")


@pytest.fixture
def corpus(load) -> Corpus:
    assert "nothing" not in load(BY_PARTITION)
    corpus = Corpus.objects.get()
    for partition in ("train", "dev", "test", "test"):
        number = Pair.objects.count()
        premise = make_premise(corpus, f"Premise {number}.", genre="news")
        make_pair(corpus, premise, "So.", public_id=f"{partition}{number}", published_partition=partition)
    open_for_validation(question=Question.objects.get(), pairs=Pair.objects.all())
    return corpus


def label_all(wanted: dict[str, str]) -> None:
    """Six people label whatever they are given; `wanted` has the label of each pair, by person where it has several."""
    question = Question.objects.get()
    for number in range(6):
        who = person(f"person{number}")
        while True:
            try:
                batch = claim_batch(question=question, annotator=who)
            except NoWork:
                break
            labels = {}
            for item in batch.items:
                given = wanted[Pair.objects.get(pk=item.seat.pair_id).public_id]
                labels[item.seat.token] = given[number % len(given)]
            submit_batch(
                annotator=who,
                token=batch.assignment.token,
                labels=labels,
                key=f"{number}{batch.assignment.token}",
            )


def test_pairs_get_the_seats_of_their_partition_and_gold_by_its_threshold(corpus):
    seats = {pair.public_id: pair.labels.count() for pair in Pair.objects.all()}
    assert seats == {"train0": 1, "dev1": 1, "test2": 5, "test3": 5}
    label_all({"train0": "5", "dev1": "3", "test2": "5", "test3": "45"})
    question = Question.objects.get()
    gold = {pair.public_id: gold_of(pair, question)[0] for pair in Pair.objects.all()}
    assert gold == {"train0": "entailed", "dev1": "not-entailed", "test2": "entailed", "test3": None}
    snapshot = freeze(corpus)
    own = {"seats": 1, "threshold": 1}
    assert manifest(snapshot)["corpus"]["question"]["partitions"] == {"train": own, "dev": own}
    assert [line["gold_label"] for line in lines(snapshot, "train")] == ["entailed"]
    assert manifest(snapshot)["agreement"]["pairs_with_all_labels"] == 2
    assert verify(folder(snapshot)).findings == []


def test_the_rule_stays_once_pairs_were_opened_under_it(load, corpus):
    assert "nothing to change" in load(BY_PARTITION)
    told = load(RELATIONS)
    assert "partitions: 1 labels and open seats of dev were made under the rule" in told
    assert PartitionRule.objects.count() == 2
    Label.objects.all().delete()
    load(RELATIONS)
    assert not PartitionRule.objects.exists()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("threshold = 1\n", "threshold = 2\n", "threshold: must not be more than the 1 seats"),
        ("seats = 1\n", "seats = 9\n", "seats: must not be more than the 5 seats of the question"),
        ('partition = "dev"', 'partition = "train"', 'partition "train" is there 2 times'),
        ('partition = "dev"', 'partition = "valid"', "train, dev, test"),
        ('gold_rule = "unanimous"', 'gold_rule = "majority"', 'goes together with gold_rule = "unanimous"'),
    ],
)
def test_what_is_wrong_with_the_table_is_said(load, old, new, words):
    text = BY_PARTITION.replace(old, new)
    assert words in load(text)
    assert not Corpus.objects.exists()


def listed(votes: str) -> set[str]:
    rows, _ = pairs_to_read(Question.objects.get(), Wanted(votes=votes))
    return {row.public_id for row in rows}


@pytest.fixture
def labelled(load) -> Question:
    """Pairs of train with three seats, of which two equal labels decide, beside a pair of test with five seats."""
    assert "nothing" not in load(BY_PARTITION.replace("seats = 1\nthreshold = 1", "seats = 3\nthreshold = 2"))
    corpus, question = Corpus.objects.get(), Question.objects.get()
    for name, letters in {
        "train-same": "555",
        "train-split": "554",
        "train-all": "543",
        "test": "54321",
    }.items():
        pair = make_pair(
            corpus,
            make_premise(corpus, f"Premise {name}.", genre="news"),
            "So.",
            public_id=name,
            published_partition=name.split("-")[0],
        )
        vote(pair, question, letters)
    waiting = make_premise(corpus, "Premise open.", genre="news")
    pair = make_pair(corpus, waiting, "So.", public_id="train-open", published_partition="train")
    vote(pair, question, "55.")
    return question


def test_the_list_knows_how_many_seats_each_pair_has(labelled):
    assert listed("complete") == {"train-same", "train-split", "train-all", "test"}
    assert listed("unanimous") == {"train-same"}
    assert listed("split") == {"train-split", "train-all", "test"}
    assert listed("disputed") == {"train-all", "test"}


def test_pairs_with_fewer_seats_get_more_labels_if_their_votes_split(labelled):
    assert {pair.public_id for pair in split_pairs(labelled, 3)} == {"train-split", "train-all", "test"}
    assert {pair.public_id for pair in split_pairs(labelled, 1)} == {"train-all", "test"}
    assert {pair.public_id for pair in split_pairs(labelled, 5)} == listed("complete")
    assert open_more_labels(question=labelled, labels=9) == 3
    assert Label.objects.filter(pair__public_id="train-split", position__gt=5).count() == 4


def test_more_labels_are_not_asked_for_a_pair_with_one_seat(corpus):
    label_all({"train0": "5", "dev1": "3", "test2": "5", "test3": "45"})
    assert {pair.public_id for pair in split_pairs(Question.objects.get(), 3)} == {"test3"}


def test_annotators_see_statistics_on_pairs_with_fewer_seats(corpus):
    label_all({"train0": "5", "dev1": "3", "test2": "5", "test3": "45"})
    first = Label.objects.get(pair__public_id="train0").annotator
    (own,) = own_figures(first)
    labelled = Label.objects.filter(annotator=first).values_list("pair__public_id", flat=True)
    assert own.pairs == len({"train0", "dev1", "test2"} & set(labelled))
