"""Appendix B.4 of the DNC from end to end: recast relations, people's answers to two questions, the cross-table, vetting."""

from collections import Counter

import pytest

from accounts.models import User
from collection.models import Pair
from tests.annotation_site.test_questions_beside_the_main_one import GRAMMAR, RELATIONS
from tests.annotation_site.test_seats_by_partition import OWN
from tests.cast import person, rosa
from tests.commands import run
from tests.snapshots.material import freeze, lines, manifest
from validation.errors import NoWork
from validation.labelling.claiming import claim_batch
from validation.labelling.submitting import submit_batch
from validation.models import Label, Question
from validation.pairs.vetting import Choice, undo_vetting, vet
from validation.statistics.cross_table import cross_table

pytestmark = pytest.mark.django_db
ROWS = 100
UNCHECKED = GRAMMAR.partition("[[questions.check]]")[0]


def number_of(pair: Pair) -> int:
    return int(pair.hypothesis.split("Town")[1].split()[0].rstrip("."))


def entailment(pair: Pair, worker: int) -> str:
    """Every tenth text is judged in two ways, of every ten with a bad mistake three are entailed."""
    number = number_of(pair)
    if number % 10 == 9:
        return "45"[worker % 2]
    return "5" if number % 10 < 3 else "1234"[number % 4]


def grammar(pair: Pair, worker: int) -> str:
    number = number_of(pair)
    return (
        "major"
        if number < 20
        else ("minor", "none")[number % 2]
        if number < 90
        else ["none", "minor", "major"][worker % 3]
    )


def answer_all(question: Question, people: list[User], judge) -> None:
    """Lets people take batches until nothing is left."""
    for worker, who in enumerate(people):
        while True:
            try:
                batch = claim_batch(question=question, annotator=who)
            except NoWork:
                break
            pairs = Pair.objects.in_bulk([item.seat.pair_id for item in batch.items])
            labels = {item.seat.token: judge(pairs[item.seat.pair_id], worker) for item in batch.items}
            token = batch.assignment.token
            submit_batch(annotator=who, token=token, labels=labels, key=token)


def test_answers_about_grammar_are_counted_beside_the_gold_labels_and_withdraw_pairs(load, tmp_path):
    said = load(RELATIONS.replace("\n[[genres]]", f"\n{OWN}\n[[genres]]") + UNCHECKED)
    assert "+ question grammar" in said
    source = tmp_path / "triples.tsv"
    rows = (f"Ada {n}\tbirthPlace\tTown{n}\tAda {n} lived in Town{n} for a year." for n in range(ROWS))
    source.write_text("\n".join(("entity1\trelation\tentity2\tsentence", *rows)))
    done = run("recast", "relations", "relations", source, open=True, json=True).json
    assert (done["pairs"], done["opened"]) == (ROWS, ROWS)
    run("open_pairs", "relations", question="grammar")
    main, aside = (Question.objects.get(is_main=each) for each in (True, False))
    people = [person(f"person{n}") for n in range(6)]
    answer_all(main, people, entailment)
    answer_all(aside, people, grammar)

    pairs = list(Pair.objects.all())
    expected: Counter[tuple[str, str, str]] = Counter()
    for pair in pairs:
        number, part = number_of(pair), pair.published_partition
        gold = "entailed" if number % 10 < 3 else "not-entailed"
        if number % 10 == 9:
            votes = [label.label for label in pair.labels.filter(question=main)]
            gold = "-" if len(set(votes)) > 1 else "entailed" if votes[0] == "5" else "not-entailed"
        answer = "-" if number >= 90 else grammar(pair, 0)
        expected[part, answer, gold] += 1
    seats = Counter(Label.objects.filter(question=main).values_list("pair__published_partition", flat=True))
    parts = Counter(pair.published_partition for pair in pairs)
    assert seats == {part: number * (5 if part == "test" else 1) for part, number in parts.items()}
    table = cross_table(aside, "partition")
    found = Counter(
        {
            (part, answer, gold): number
            for part, cells in table["standing"].items()
            for answer, numbers in zip(table["answers"], cells, strict=True)
            for gold, number in zip(table["gold_labels"], numbers, strict=True)
            if number
        }
    )
    assert found == expected
    assert set(parts) == {"train", "dev", "test"}
    majors = {
        gold: sum(n for (_, answer, g), n in expected.items() if (answer, g) == ("major", gold))
        for gold in ("entailed", "not-entailed", "-")
    }
    assert majors["entailed"] >= 6
    assert sum(majors.values()) == 20

    made = vet(corpus=main.corpus, choice=Choice(question=aside, labels=("major",)), by=rosa(), reason="B.4")
    assert made.pairs_withdrawn == 20
    table = cross_table(aside)
    at = table["answers"].index("major")
    assert table["standing"][""][at] == [0, 0, 0]
    assert dict(zip(table["gold_labels"], table["withdrawn"][""][at], strict=True)) == majors
    snapshot = freeze(main.corpus)
    assert manifest(snapshot)["withdrawn"]["pairs"] == {"set aside by a researcher": 20}
    frozen = [line for part in ("train", "dev", "test") for line in lines(snapshot, part)]
    undecided = sum(n for (_, answer, gold), n in expected.items() if gold == "-" and answer != "major")
    assert (len(frozen), sum(line["gold_label"] == "-" for line in frozen)) == (ROWS - 20, undecided)
    assert undo_vetting(vetting=made, by=rosa()) == 20
