"""Labels of single premises beside the label of the whole premise, as in MPE's Table 4, compared with loops."""

import csv
import html
import io
import random
from collections import Counter

import pytest

from collection.models import Pair
from tests.commands import run
from tests.corpora import LABELS, ask, make_corpus, make_pair, make_premise, new_label
from tests.made_once import made_once
from tests.oracles import alpha_by_definition, fleiss_by_definition
from tests.validation.votes import vote
from validation.models import Label, Question
from validation.statistics.agreement import report
from validation.statistics.definitions import DEFINITIONS
from validation.statistics.extra_labels import more_labels, single_premises

pytestmark = pytest.mark.django_db

PAIRS = 60


@made_once
def scenes() -> tuple[Question, list[tuple[str, list[str]]]]:
    """Makes sixty scenes of four premises, with five random labels, and three for each premise.

    Returns the question, and for each pair with a gold label that label and the letters for each premise.
    """
    corpus = make_corpus(protocol="judged")
    main = Question.objects.get()
    single = ask_of_single_premises(corpus)
    dice = random.Random(2)
    told = []
    for n in range(PAIRS):
        premise = make_premise(corpus, f"One {n}.\nTwo.\nThree.\nFour.", sentence_count=4)
        pair = make_pair(corpus, premise, "A sentence.")
        whole = "".join(dice.choices("enc", (3, 1, 1), k=5))
        vote(pair, main, whole)
        parts = ["".join(dice.choices("enc", k=3)) for _ in range(4)]
        for number, part in enumerate(parts, start=1):
            judge(single, pair, number, part)
        golds = [letter for letter in "enc" if whole.count(letter) >= 3]
        if golds:
            told.append((golds[0], parts))
    return main, told


def ask_of_single_premises(corpus, scheme: str = "nli3") -> Question:
    return ask(corpus, "single", scheme=scheme, seats=3, by_sentence=True)


def judge(question, pair, number: int, letters: str) -> None:
    names = dict(zip("enc", LABELS, strict=True))
    Label.objects.bulk_create(
        new_label(question, pair, names[letter], sentence=number, position=position, origin="imported")
        for position, letter in enumerate(letters, start=1)
    )


def by_hand(told: list[tuple[str, list[str]]]) -> dict:
    """Computes the table in loops, without code of the platform."""
    table: Counter[str] = Counter()
    majority = scheme = 0
    for gold, parts in told:
        labels = [
            next((letter for letter in "enc" if part.count(letter) > 1), "no majority") for part in parts
        ]
        agree = sum(label == gold for label in labels)
        table[str(agree)] += 1
        majority += agree in (3, 4)
        entailed, contradicted = labels.count("e"), labels.count("c")
        guess = "n"
        if entailed > contradicted:
            guess = "e"
        elif contradicted > entailed:
            guess = "c"
        scheme += guess == gold
    return {
        "agree": {number: n / len(told) for number, n in table.items()},
        "majority_of_premises": majority / len(told),
        "more_of_premises": scheme / len(told),
    }


def test_the_table_equals_the_count_by_hand(scenes):
    question, told = scenes
    assert 20 < len(told) < PAIRS  # some have no gold label
    found, expected = single_premises(question), by_hand(told)
    assert found["pairs"] == len(told)
    assert {number: part for number, part in found["agree"].items() if part} == pytest.approx(
        expected["agree"]
    )
    for name in ("majority_of_premises", "more_of_premises"):
        assert found[name] == pytest.approx(expected[name])


def test_a_pair_counts_once_each_of_its_premises_has_all_labels(scenes):
    question, _ = scenes
    pair = Label.objects.filter(sentence=4, pair__labels__question=question).first().pair
    before = single_premises(question)["pairs"]
    has_gold = (
        max(Counter(pair.labels.filter(question=question).values_list("label", flat=True)).values()) > 2
    )
    Label.objects.filter(pair=pair, sentence=4, position=3).delete()
    assert single_premises(question)["pairs"] == before - has_gold


def test_page_command_and_rest_show_it(scenes, rosa, browser_of):
    found = single_premises(scenes[0])
    page = browser_of(rosa).get("/corpora/small/agreement/").content.decode()
    assert f"over {found['pairs']} pairs" in page
    for name in ("single_premises", "majority_of_premises", "more_of_premises"):
        assert DEFINITIONS[name] in html.unescape(page)
    assert f'<th scope="row">0</th><td class="number">{100 * found["agree"]["0"]:.1f}' in page
    assert "Labels of single premises that equal the label of all" in run("agreement", "small").out
    assert run("agreement", "small", json=True).json["single_premises"] == found
    answer = browser_of(rosa).get("/api/v1/corpora/small/agreement/").json()
    assert answer["single_premises"] == found


def test_where_nobody_was_asked_about_single_premises_there_is_no_table():
    corpus = make_corpus(protocol="judged")
    question = Question.objects.get()
    vote(make_pair(corpus, make_premise(corpus, "One."), "Two."), question, "eeeee")
    assert single_premises(question) is None
    ask_of_single_premises(corpus)
    assert single_premises(question) is None
    assert more_labels(question) is None


def table_of(question: Question) -> dict[str, str]:
    found = report(Pair.objects.filter(corpus=question.corpus), question)
    return {row["figure"]: row["value"] for row in csv.DictReader(io.StringIO(found.as_csv()))}


def test_the_table_for_spreadsheets_has_them(scenes):
    question, _ = scenes
    rows, told = table_of(question), single_premises(question)
    for number, share in told["agree"].items():
        assert float(rows[f"single_premises: agree: {number}"]) == share
    assert float(rows["single_premises: majority_of_premises"]) == told["majority_of_premises"]
    assert int(rows["single_premises: pairs"]) == told["pairs"]


@pytest.mark.parametrize("extra", [["eee", "enn", "ncc"], ["eeee", "en", "nccc", "c"]])
def test_agreement_of_labels_beyond_the_seats_is_theirs_alone(extra):
    """Against the definitions. Kappa needs equally many; alpha leaves out a pair with a single extra label."""
    corpus = make_corpus(protocol="judged")
    question, premise = Question.objects.get(), make_premise(corpus, "One.")
    for number, letters in enumerate(extra):
        vote(make_pair(corpus, premise, f"Two {number}."), question, "nnnnn" + letters)
    found = more_labels(question)
    compared = [letters for letters in extra if len(letters) > 1]
    assert found["krippendorff_alpha"] == pytest.approx(alpha_by_definition(compared))
    equal = len({len(letters) for letters in extra}) == 1
    assert found["fleiss_kappa"] == (pytest.approx(fleiss_by_definition(extra, "enc")) if equal else None)


def test_labels_beyond_the_seats_are_in_the_table_for_spreadsheets():
    corpus = make_corpus(protocol="judged")
    question = Question.objects.get()
    vote(make_pair(corpus, make_premise(corpus, "One."), "Two."), question, "eeeeennc")
    rows = table_of(question)
    assert (rows["more_labels: pairs"], rows["more_labels: labels"]) == ("1", "3")
    assert float(rows["more_labels: shares: neutral"]) == pytest.approx(2 / 3)
    assert float(rows["more_labels: entropy"]) == pytest.approx(0.918, abs=0.001)
    assert float(rows["more_labels: differs"]) == 1


@pytest.mark.parametrize(("beyond", "differs"), [("nncc", 1), ("eenn", 0), ("ee", 0), ("nne", 1)])
def test_where_several_labels_lead_beyond_the_seats_the_gold_label_may_be_one_of_them(beyond, differs):
    corpus = make_corpus(protocol="judged")
    question = Question.objects.get()
    vote(make_pair(corpus, make_premise(corpus, "One."), "Two."), question, f"eeeee{beyond}")
    assert more_labels(question)["differs"] == differs
