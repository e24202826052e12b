"""A corpus file can ask for one label in train and three to five in test, and keep pairs whose labels are all the same."""

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from lxml import html

from annotation_site.intake.orders import check_rule
from annotation_site.operation.invariants import INVARIANTS
from annotation_site.workspace import next_step
from annotation_site.workspace.pipeline import counts_of
from collection.formats.field_errors import FieldError
from collection.formats.registry import FORMATS
from collection.models import Corpus, Genre, Pair
from nli.agreement import krippendorff_alpha
from snapshots.verify import verify
from tests.annotation_site.test_questions_beside_the_main_one import RELATIONS
from tests.cast import person
from tests.commands import run
from tests.corpora import make_corpus, make_pair, make_premise
from tests.snapshots.material import folder, freeze, lines, manifest
from tests.validation.votes import gold_of, vote
from validation.errors import NoWork
from validation.gold.queries import split_pairs
from validation.labelling.claiming import claim_batch
from validation.labelling.submitting import submit_batch
from validation.models import Label, PartitionRule, Question
from validation.pairs.listing import Wanted, pairs_to_read
from validation.pairs.opening import open_for_validation, open_more_labels, preview_opening
from validation.start_page.my_work import own_statistics
from validation.statistics.agreement import report

pytestmark = pytest.mark.django_db
OWN = "".join(
    f'[[question.partitions]]\npartition = "{name}"\nseats = 1\nthreshold = 1\n' for name in ("train", "dev")
)
OWN_TEST = '[[question.partitions]]\npartition = "test"\nseats = 5\nthreshold = 3\n'
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


def test_the_next_step_names_the_price_that_the_preview_has(corpus, browser_of, rosa, monkeypatch):
    """Trains and dev have one seat, test has five; a pair whose seats were withdrawn is still opened."""
    monkeypatch.setattr(next_step, "WORTH_OPENING", 1)
    corpus.protocol = Corpus.Protocol.JUDGED
    corpus.save()
    for partition in ("train", "test"):
        premise = make_premise(corpus, f"Not opened: {partition}.", genre="news")
        make_pair(corpus, premise, "So.", author_label="entailed", published_partition=partition)
    opened = Pair.objects.filter(public_id__startswith="test").first()
    Label.objects.filter(pair=opened).update(
        withdrawn_at=timezone.now(), withdrawn_because="its annotator was excluded"
    )
    question = Question.objects.get()
    question.pay_cents = 100
    question.save()
    seen = preview_opening(question=question, pairs=Pair.objects.all())
    # The author wrote for a label of another scheme than the one that is asked for, so it takes no seat.
    assert (seen.pairs, seen.labels, seen.cents) == (2, 6, 600)
    step = browser_of(rosa).get(f"/c/{corpus.slug}/").context["step"]
    assert step.sentence == "2 pairs wait to be opened for labelling; their labels would cost $6.00."


@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"number": 7},
        {"number": 99},
        {"number_a_genre": 3},
        {"number_a_genre": 4, "number": 5},
        {"share_a_genre": 0.5, "number": 6},
        {"share_a_genre": 0.1},
    ],
)
@pytest.mark.parametrize("partitions", [("test",), ("train", "test")])
def test_a_preview_draws_no_pairs(corpus, limits, partitions):
    """With one partition all pairs get as many seats. Else the draw decides, and the preview says about how many."""
    Genre.objects.create(corpus=corpus, slug="speech", name="Speech")
    for number in range(16):
        genre, partition = ("news", "speech", "speech")[number % 3], partitions[number % len(partitions)]
        premise = make_premise(corpus, f"Drawn {number}.", genre=genre)
        make_pair(corpus, premise, "So.", public_id=f"drawn{number}", published_partition=partition)
    question, pairs = Question.objects.get(), Pair.objects.all()
    before = Label.objects.seats().count()
    with CaptureQueriesContext(connection) as ran:
        seen = preview_opening(question=question, pairs=pairs, **limits)
    assert not any("SHA256" in each["sql"] for each in ran)
    assert seen.is_estimate == (len(partitions) > 1 and seen.pairs < 16)
    assert seen.pairs == open_for_validation(question=question, pairs=pairs, seed=3, **limits)
    made = Label.objects.seats().count() - before
    if seen.is_estimate:
        assert seen.labels == round(seen.pairs * (1 + 5) / 2), (
            "half of each genre is train, with one seat; test has five"
        )
    else:
        assert seen.labels == made


def test_a_pair_with_all_labels_of_its_partition_is_not_listed_as_one_that_lacks_labels(
    corpus, browser_of, rosa
):
    label_all({"train0": "5", "dev1": "3", "test2": "5", "test3": "45"})
    Label.objects.filter(pair__public_id="test3", position=5).update(
        label=None, annotator=None, cast_at=None, leased_until=None
    )
    rows = html.fromstring(browser_of(rosa).get(f"/corpora/{corpus.slug}/pairs/").content).xpath("//tbody/tr")
    said = {row.findtext("th/a"): "".join(re.findall(r"\d of \d", row.text_content())) for row in rows}
    assert said == {"train0": "", "dev1": "", "test2": "", "test3": "4 of 5"}


def label_all(wanted: dict[str, str]) -> None:
    """Lets six people label all their batches. `wanted`: the label of each pair, by person if there are several."""
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


def test_a_label_that_decides_nothing_leaves_the_pair_of_its_partition_without_gold(load, corpus):
    """As the Diverse NLI Collection takes the pairs labelled 4 out of its test part (appendix B.4), and releases them."""
    Label.objects.all().delete()
    text = BY_PARTITION.replace("\n[[genres]]", f'\n{OWN_TEST}undecided = " 4, 2"\n\n[[genres]]', 1)
    assert "partition" in load(text)
    open_for_validation(question=Question.objects.get(), pairs=Pair.objects.all())
    label_all({"train0": "4", "dev1": "3", "test2": "4", "test3": "3"})
    question = Question.objects.get()
    assert {pair.public_id: gold_of(pair, question)[0] for pair in Pair.objects.all()} == {
        "train0": "not-entailed", "dev1": "not-entailed", "test2": None, "test3": "not-entailed",
    }  # fmt: skip
    snapshot = freeze(corpus)
    assert manifest(snapshot)["corpus"]["question"]["partitions"]["test"] == {
        "seats": 5, "threshold": 3, "undecided": ["4", "2"],
    }  # fmt: skip
    assert [line["gold_label"] for line in lines(snapshot, "test") if line["pairID"] == "test2"] == ["-"]
    assert verify(folder(snapshot)).findings == []
    assert "nothing to change" in load(text)
    assert "partitions: 10 labels and open seats of test" in load(text.replace(" 4, 2", "4"))
    assert not run("import_pairs", "again", folder(snapshot) / "test.jsonl", format="snapshot").failure
    assert PartitionRule.objects.get(question__corpus__slug="again", partition="test").undecided == "4,2"


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
        ("threshold = 1\n", 'threshold = 1\nundecided = "maybe"\n', '"maybe" is no label of the question'),
        ('gold_rule = "unanimous"', 'gold_rule = "majority"', 'goes together with gold_rule = "unanimous"'),
    ],
)
def test_what_is_wrong_with_the_table_is_said(load, old, new, words):
    text = BY_PARTITION.replace(old, new)
    assert words in load(text)
    assert not Corpus.objects.exists()


def test_fewer_seats_than_the_file_beside_a_snapshot_names_are_refused(corpus):
    label_all({"train0": "5", "dev1": "3", "test2": "5", "test3": "45"})
    PartitionRule.objects.filter(partition="dev").update(seats=5, threshold=5)
    file = folder(freeze(corpus)) / "train.jsonl"
    refused = run("import_pairs", "again", file, format="snapshot", seats=3).failure
    assert refused.startswith("--seats: 3 is fewer than the 5 seats that the file names for dev")
    assert not Corpus.objects.filter(slug="again").exists()


def do(change: Callable[[], Any]) -> None:
    """Makes a change in a transaction of its own, whose end checks deferred constraints."""
    with transaction.atomic():
        change()
        connection.check_constraints()


@pytest.mark.parametrize("rule", ["majority", "adjudicated"])
def test_the_database_refuses_the_rule_of_a_partition_beside_another_rule(rule):
    make_corpus()
    question = Question.objects.get()

    def add(**fields):
        return PartitionRule.objects.create(
            question=question, order=0, partition="train", seats=1, threshold=1, **fields
        )

    def becomes(name):
        Question.objects.update(gold_rule=name)

    do(lambda: becomes(rule))
    with pytest.raises(IntegrityError, match="partition_rule_is_that_of_its_question"):
        do(add)
    with pytest.raises(IntegrityError, match="partition_rule_is_unanimous"):
        do(lambda: add(gold_rule=rule))
    do(lambda: (becomes("unanimous"), add()))
    PartitionRule.objects.get().full_clean()
    with pytest.raises(IntegrityError, match="partition_rule_is_that_of_its_question"):
        do(lambda: becomes(rule))
    do(lambda: (becomes(rule), PartitionRule.objects.all().delete()))  # in either order
    unsaved = PartitionRule(question=question, order=0, partition="train", seats=1, threshold=1)
    with pytest.raises(ValidationError, match="partition_rule_is_that_of_its_question"):
        unsaved.full_clean()


def test_a_partition_never_has_more_seats_than_its_question():
    """The schema of corpus files refuses it (above), an import does, and what came in otherwise is counted by doctor."""
    form = replace(
        FORMATS["snapshot"],
        partitions={
            name: {"seats": seats, "threshold": least}
            for name, seats, least in (("train", 1, 1), ("test", 5, 3))
        },
    )
    with pytest.raises(FieldError, match="3 is fewer than the 5 seats that the file names for test"):
        check_rule(3, None, form)
    check_rule(5, None, form)
    make_corpus()
    Question.objects.update(gold_rule="unanimous", seats=3, threshold=2)
    rule = PartitionRule(question=Question.objects.get(), order=0, partition="test", seats=3, threshold=2)
    rule.save()
    assert INVARIANTS["No partition has more seats than its question"].count() == 0
    PartitionRule.objects.update(seats=4)
    assert INVARIANTS["No partition has more seats than its question"].count() == 1


@pytest.mark.thorough
def test_sqlite_refuses_it_too(tmp_path):
    """Tests a new database in a process of its own, also after a migration has made the table of questions anew."""
    program = """
import django
django.setup()
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
call_command("migrate", verbosity=0)
from collection.models import Corpus
from validation.models import PartitionRule, Question
from validation.gold import sql_view
sql_view.drop("default", ["a migration"])
with connection.schema_editor() as editor:
    editor._remake_table(Question)
sql_view.create("default")
question = Question.objects.create(corpus=Corpus.objects.create(slug="c", name="C"), scheme="nli3")
for rule in ("unanimous", "majority"):
    Question.objects.update(gold_rule=rule)
    try:
        with transaction.atomic():
            PartitionRule.objects.create(question=question, order=0, partition="train", seats=1, threshold=1)
    except IntegrityError as error:
        print(rule, "refused")
    PartitionRule.objects.all().delete()
"""
    database = {"DATABASE_URL": f"sqlite:///{tmp_path}/db.sqlite3", "QUINTET_VAR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **database, "DJANGO_SETTINGS_MODULE": "annotation_site.settings"},
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "majority refused\n"), done.stderr


def listed(votes: str) -> set[str]:
    rows, _ = pairs_to_read(Question.objects.get(), Wanted(votes=votes))
    return {row.public_id for row in rows}


@pytest.fixture
def labelled(load) -> Question:
    """Makes pairs of train with three seats, of which two equal labels decide, and a pair of test with five seats."""
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
    assert listed("disputed") == {"train-split", "train-all", "test"}


def test_home_counts_pairs_with_the_seats_of_their_partition(labelled):
    counts = counts_of([labelled.corpus])[labelled.corpus_id]
    assert (counts.complete, counts.gold, counts.disputed) == (
        len(listed("complete")),
        1,
        len(listed("disputed")),
    )


def test_a_partition_with_fewer_seats_has_an_alpha_and_no_kappa(labelled):
    """Kappa needs as many labels on each pair as the question has seats; alpha is over what is there."""
    rows = report(Pair.objects.all(), labelled, by="partition").rows
    assert (rows["train"]["pairs_with_all_labels"], rows["train"]["fleiss_kappa"]["overall"]) == (0, None)
    votes = Counter({(0, 0, 0, 0, 3): 1, (0, 0, 0, 1, 2): 1, (0, 0, 1, 1, 1): 1, (0, 0, 0, 0, 2): 1})
    expected = krippendorff_alpha(votes, ordinal=True)
    assert rows["train"]["krippendorff_alpha_all_pairs"] == pytest.approx(expected)
    assert rows["test"]["pairs_with_all_labels"] == 1


def test_pairs_with_fewer_seats_get_more_labels_if_their_votes_split(labelled):
    assert {pair.public_id for pair in split_pairs(labelled, 3)} == {"train-split", "train-all", "test"}
    assert {pair.public_id for pair in split_pairs(labelled, 1)} == {"train-all", "test"}
    assert {pair.public_id for pair in split_pairs(labelled, 5)} == listed("complete")
    assert open_more_labels(question=labelled, labels=9) == 3
    for name, own in (("train-split", 3), ("train-all", 3), ("test", 5)):
        seats = Label.objects.seats().filter(pair__public_id=name)
        assert seats.count() == 9, "labels in all, as the page says"
        assert seats.filter(position__gt=5, label=None).count() == 9 - own, "none of them counts for gold"
    assert open_more_labels(question=labelled, labels=9) == 0
    assert open_more_labels(question=labelled, labels=10) == 3
    assert Label.objects.seats().filter(pair__public_id="train-split").count() == 10


def test_more_labels_are_not_asked_for_a_pair_with_one_seat(corpus):
    label_all({"train0": "5", "dev1": "3", "test2": "5", "test3": "45"})
    assert {pair.public_id for pair in split_pairs(Question.objects.get(), 3)} == {"test3"}


def test_annotators_see_statistics_on_pairs_with_fewer_seats(corpus):
    label_all({"train0": "5", "dev1": "3", "test2": "5", "test3": "45"})
    first = Label.objects.get(pair__public_id="train0").annotator
    (own,) = own_statistics(first)
    labelled = Label.objects.filter(annotator=first).values_list("pair__public_id", flat=True)
    assert own.pairs == len({"train0", "dev1", "test2"} & set(labelled))
