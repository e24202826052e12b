"""The view of gold labels equals the rule in Python, on both databases, and reads only the named pairs."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from collection.models import Pair
from nli.gold import Gold
from nli.labels import SCHEMES
from tests.cast import person
from tests.corpora import add_label, make_corpus, make_pair, make_premise
from validation.gold.queries import is_disputed, with_gold_label
from validation.gold.sql_view import definition
from validation.models import Adjudication, Label, Question
from validation.models import Gold as GoldOfPair
from validation.statistics.agreement import report

# (rule, scheme of the question, scheme of the corpus, seats, threshold)
QUESTIONS = [
    ("majority", "nli3", "nli3", 5, 3),
    ("majority", "entailed2", "entailed2", 3, 2),
    ("majority", "ordinal5", "ordinal5", 5, 3),
    ("adjudicated", "nli3", "nli3", 5, 3),
    ("unanimous", "nli3", "nli3", 3, 2),
    ("unanimous", "ordinal5", "entailed2", 5, 3),
    ("unanimous", "nli3", "entailed2", 4, 3),
    ("majority", "grammar3", "nli3", 3, 2),  # beside the main question
]


def make_question(slug: str, rule: str, scheme: str, of_corpus: str, seats: int, threshold: int) -> Question:
    corpus = make_corpus(slug=slug, scheme=of_corpus)
    question = corpus.questions.get()
    if scheme == "grammar3":
        question = Question(corpus=corpus, slug="grammar", is_main=False)
    question.scheme, question.gold_rule = scheme, rule
    question.seats, question.threshold = seats, threshold
    question.save()
    return question


def labelled(question: Question, number: int, dice: random.Random, rosa: Any) -> tuple[Pair, Gold]:
    """Makes a pair with a random history, and computes its gold label by the rule in Python."""
    corpus, rule = question.corpus, question.rule
    of_corpus = SCHEMES[corpus.scheme]
    pair = make_pair(
        corpus,
        make_premise(corpus, f"Premise {number}."),
        "It is so.",
        author_label=dice.choice((None, *of_corpus)),
        published_label=dice.choice((None, None, *of_corpus)),
    )
    likely = dice.choice(rule.labels)
    counted, waiting, others, imported = [], 0, 0, False
    for position in range(
        1, dice.choice((0, 1, min(3, rule.seats), rule.seats, rule.seats, rule.seats + 2)) + 1
    ):
        label: str | None = dice.choice((likely, likely, dice.choice(rule.labels)))
        origin = dice.choice(("cast", "imported"))
        if position == 1 and pair.author_label in rule.labels and question.is_main:
            origin, label = "author", pair.author_label
        elif origin == "cast" and dice.random() < 0.3:
            label = None
        withdrawn = dice.random() < 0.1
        add_label(
            question,
            pair,
            label,
            position=position,
            origin=origin,
            annotator=person(f"v{position}") if origin == "cast" and label else None,
            cast_at=timezone.now() if label else None,
            withdrawn_at=timezone.now() if withdrawn else None,
            withdrawn_because="its annotator was excluded" if withdrawn else "",
        )
        if not withdrawn and position <= rule.seats:
            counted += [label] if label else []
            waiting += label is None
            others += origin != "author"
            imported |= origin == "imported"
    adjudicated = dice.choice((None, None, None, None, dice.choice(rule.labels)))
    if adjudicated:
        Adjudication.objects.create(
            question=question, pair=pair, scheme=rule.scheme, label=adjudicated, reason="Read.", by=rosa
        )
    main = question.is_main
    return pair, rule.decide(
        rule.count(counted),
        settled=others > 0 and waiting == 0,
        adjudicated=adjudicated,
        published=pair.published_label if main else None,
        beside_votes=imported,
        author=pair.author_label if main else None,
    )


ON_SQLITE = """
import sys, json, django
django.setup()
from django.core.management import call_command as call
from django.db import connection
from collection.models import Pair
from validation.models import Question
from validation.gold.queries import with_gold_label
call("migrate", verbosity=0)
call("loaddata", sys.argv[1], verbosity=0)
rows = {}
for question in Question.objects.all():
    for pair in with_gold_label(question.corpus.pairs.all(), question):
        rows[f"{question.pk} {pair.pk}"] = [pair.gold_label, pair.gold_source, pair.gold_note]
some = with_gold_label(Pair.objects.all(), question, [pair.pk])
sql, params = some.query.sql_with_params()
with connection.cursor() as cursor:
    cursor.execute("EXPLAIN QUERY PLAN " + sql, params)
    print(json.dumps([rows, [row[-1] for row in cursor.fetchall()]]))
"""


def on_sqlite(folder: Path) -> tuple[dict[str, list[Any]], list[str]]:
    """Returns the gold labels on SQLite of every pair under every question, and the plan of a query for one pair."""
    file = folder / "all.json"
    call_command(
        "dumpdata", "accounts.user", "collection", "validation", exclude=["validation.gold"], output=file
    )
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    environment |= {
        "QUINTET_VAR": str(folder / "var"),
        "DJANGO_SETTINGS_MODULE": "annotation_site.settings",
    }
    done = subprocess.run(
        [sys.executable, "-c", ON_SQLITE, str(file)], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    rows, plan = json.loads(done.stdout)
    return rows, plan


@pytest.mark.django_db
@pytest.mark.parametrize("pairs", [20, pytest.param(50, marks=pytest.mark.thorough)])
def test_the_view_decides_as_the_rule_in_python_on_both_databases(rosa, tmp_path, pairs):
    dice = random.Random(23)
    expected: dict[str, list[Any]] = {}
    told = set()
    for name, spec in enumerate(QUESTIONS):
        question = make_question(f"corpus-{name}", *spec)
        golds = dict(labelled(question, number, dice, rosa) for number in range(pairs))
        found = {
            pair: Gold(pair.gold_label, pair.gold_source, pair.gold_note)
            for pair in with_gold_label(question.corpus.pairs.all(), question)
        }
        assert found == golds, spec
        told |= {gold.in_words for gold in golds.values()}
        expected |= {f"{question.pk} {pair.pk}": list(gold) for pair, gold in golds.items()}
    assert told == {
        *("voted", "adjudicated", "published", "author", "none"),
        *("published, no majority", "published, differs from the votes"),
    }
    found_there, plan = on_sqlite(tmp_path)
    assert {key: found_there[key] for key in expected} == expected
    # Only the named pairs are counted: their keys are looked up, then their labels by these.
    assert [line for line in plan if line.startswith("SEARCH p ") and "rowid=?" in line]
    assert [line for line in plan if line.startswith("SEARCH l ") and "question_id=? AND pair_id=?" in line]


@pytest.mark.django_db
def test_named_pairs_alone_are_counted():
    """PostgreSQL applies the keys to the tables: it never reads the labels of other pairs."""
    question = make_corpus().questions.get()
    premise = make_premise(question.corpus, "A dog runs.")
    pairs = [make_pair(question.corpus, premise, f"Sentence {n}.", author_label="neutral") for n in range(30)]
    sql, params = with_gold_label(
        Pair.objects.all(), question, [pair.pk for pair in pairs[:4]]
    ).query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", params)
        plan = cursor.fetchone()[0][0]["Plan"]
    assert {node["Actual Rows"] for node in nodes(plan) if node["Node Type"] == "Aggregate"} == {4}


def nodes(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(node for child in plan.get("Plans", ()) for node in nodes(child))]


@pytest.mark.django_db
def test_the_sql_of_gold_labels_is_short():
    """It was 22,000 characters a query, which PostgreSQL compiled for three seconds."""
    question = make_corpus().questions.get()
    for rows in (
        with_gold_label(Pair.objects.all(), question),
        with_gold_label(Pair.objects.all(), question).filter(is_disputed()),
    ):
        with CaptureQueriesContext(connection) as captured:
            list(rows)
        assert len(captured[0]["sql"]) < 3000
    assert len(definition(connection.vendor)) < 3500


@pytest.mark.django_db
def test_the_view_is_that_of_the_code_after_each_migrate():
    with connection.cursor() as cursor:
        cursor.execute("DROP VIEW validation_gold")
    call_command("migrate", verbosity=0)
    question = make_corpus().questions.get()
    assert not with_gold_label(Pair.objects.all(), question).exists()


@pytest.mark.django_db
def test_an_author_among_the_validators_is_found_in_every_seat():
    """A judged corpus has no author's label, so the author may hold the first seat, too."""
    question = make_question("judged", "majority", "nli3", "nli3", 3, 2)
    ana = person("ana")
    pair = make_pair(question.corpus, make_premise(question.corpus, "Rain."), "It rains.", author=ana)
    for position, who in enumerate((ana, person("vera"), person("max")), start=1):
        add_label(
            question,
            pair,
            "neutral",
            author=ana,
            annotator=who,
            position=position,
            origin=Label.Origin.IMPORTED,
        )
    assert list(GoldOfPair.objects.values_list("self_validated", flat=True)) == [True]
    assert report(question=question, pairs=Pair.objects.all()).self_validated == 1
