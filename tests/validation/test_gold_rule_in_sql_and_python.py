"""The gold rule exists twice, in SQL and in nli.gold: random histories of labels must give the same."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import example, given
from hypothesis import strategies as st

from collection.models import Pair
from nli.agreement import gold_of, has_all_labels, with_all_labels
from nli.gold import (
    DIFFERS,
    NO_MAJORITY,
    OF_ALL,
    RULES,
    SOURCES,
    UNANIMOUS,
    WITHHELD,
    Gold,
    Rule,
    is_threshold,
    may_decide,
)
from nli.labels import SCHEMES
from tests.cast import person, rosa
from tests.corpora import make_corpus, make_pair, make_premise, new_label
from validation.gold.queries import waits_for_adjudication, with_gold_label
from validation.models import Adjudication, Label, PartitionRule, Question
from validation.statistics.vote_patterns import count_patterns, patterns_of

pytestmark = pytest.mark.django_db
# Rule -> scheme of the labels, scheme of the gold label.
WORLDS = {rule: [pair for pair in product(SCHEMES, repeat=2) if may_decide(rule, *pair)] for rule in RULES}


@dataclass(frozen=True)
class Entry:
    """A label that was given, or a seat that waits (label None)."""

    position: int
    label: str | None
    origin: str
    is_withdrawn: bool


@dataclass(frozen=True)
class History:
    entries: list[Entry]
    author: str | None
    published: str | None
    decisions: list[tuple[str, bool]]  # label, is it withdrawn
    partition: str | None
    left_out: int = 0  # answers of a published corpus that are no votes

    def counted(self, seats: int) -> list[Entry]:
        """Returns what stands in so many seats."""
        return [entry for entry in self.entries if not entry.is_withdrawn and entry.position <= seats]

    def is_settled(self, seats: int) -> bool:
        others = [entry for entry in self.counted(seats) if entry.origin != "author"]
        return bool(others) and all(entry.label for entry in others)


@dataclass(frozen=True)
class World:
    """Histories under a question's rule; `own` is the rule for pairs of the partition "test"."""

    rule: Rule
    own: Rule
    histories: list[History]

    def rule_of(self, history: History) -> Rule:
        return self.own if history.partition == "test" else self.rule


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    name = draw(st.sampled_from(RULES))
    scheme, gold_scheme = draw(st.sampled_from(WORLDS[name]))
    seats = draw(st.integers(1, 7))
    return Rule(scheme, seats, draw(st.integers(seats // 2 + 1, seats)), name, gold_scheme)


@st.composite
def histories(draw: st.DrawFn, rule: Rule) -> History:
    author = draw(st.sampled_from([None, *rule.gold_labels]))
    # Most people agree; otherwise no rule would ever decide.
    likely = draw(st.sampled_from(rule.labels))
    one = st.one_of(st.just(likely), st.just(likely), st.sampled_from(rule.labels))
    origins = st.sampled_from(draw(st.sampled_from([["cast"], ["cast", "imported"], ["imported"]])))
    waits = st.sampled_from(draw(st.sampled_from([[False], [False, False, True]])))
    entries = []
    for position in range(1, rule.seats + draw(st.integers(0, 3)) + 1):
        for is_withdrawn in draw(st.sampled_from([[False], [False], [], [True], [True, False]])):
            if position == 1 and author in rule.labels:
                entries.append(Entry(position, author, "author", is_withdrawn))
            else:
                origin = draw(origins)
                label = None if origin == "cast" and draw(waits) else draw(one)
                entries.append(Entry(position, label, origin, is_withdrawn))
    published = draw(st.sampled_from([None, *rule.gold_labels]))
    # At most one decision is valid; nobody adjudicates labels of another scheme.
    taken_back = draw(st.lists(st.sampled_from(rule.labels), max_size=1))
    standing = draw(st.lists(st.sampled_from(rule.labels), max_size=1))
    partitions = st.sampled_from([None, "train", "test"])
    decisions = [*((label, True) for label in taken_back), *((label, False) for label in standing)]
    return History(
        entries,
        author,
        published,
        decisions if rule.labels == rule.gold_labels else [],
        draw(partitions),
        draw(st.integers(0, 2)),
    )


@st.composite
def worlds(draw: st.DrawFn) -> World:
    rule = own = draw(rules())
    if rule.name == UNANIMOUS:  # a corpus file with partition rules has this rule
        seats = draw(st.integers(1, rule.seats))
        own = replace(rule, seats=seats, threshold=draw(st.integers(1, seats)))
    return World(rule, own, draw(st.lists(histories(rule), min_size=6, max_size=12)))


class Stage:
    """A corpus for each pair of schemes, made once; each history gets a pair of its own."""

    def __init__(self) -> None:
        self.questions: dict[tuple[str, str], Question] = {}
        self.patterns = 0
        self.people = [person(f"p{number}") for number in range(20)]
        self.rosa = rosa()

    def question(self, world: World) -> Question:
        rule, own = world.rule, world.own
        key = rule.scheme, rule.gold_scheme
        if key not in self.questions:
            corpus = make_corpus(slug="-".join(key), scheme=rule.gold_scheme)
            make_premise(corpus, "A dog waits.")
            self.questions[key] = Question.objects.select_related("corpus").get(corpus=corpus)
        question = self.questions[key]
        question.scheme, question.gold_rule = rule.scheme, rule.name
        question.seats, question.threshold = rule.seats, rule.threshold
        question.save()
        question.partitions.all().delete()
        if own != rule:
            PartitionRule.objects.create(
                question=question, order=0, partition="test", seats=own.seats, threshold=own.threshold
            )
        return question

    def compare_patterns(self, question: Question, complete: list[Any]) -> None:
        """Checks that agreement and the view have the same gold labels of complete pairs, and as many waiting pairs."""
        ruled = set(question.partitions.values_list("partition", flat=True))
        keys = [row.pk for row in complete if row.published_partition not in ruled]
        counted = count_patterns(Pair.objects.filter(pk__in=keys), question)
        golds: Counter[Gold] = Counter()
        for pattern, number in with_all_labels(patterns_of(counted.profiles), question.rule).items():
            golds[gold_of(pattern, question.rule)] += number
        assert golds == Counter(
            Gold(row.gold_label, row.gold_source, row.gold_note) for row in complete if row.pk in keys
        )
        self.patterns += len(keys)
        waits = with_gold_label(Pair.objects.all(), question, keys).filter(waits_for_adjudication(question))
        assert counted.undecided == waits.count()

    def by_database(self, world: World) -> list[tuple[str | None, str, str]]:
        question, histories = self.question(world), world.histories
        premise = question.corpus.premises.get()
        pairs = [
            make_pair(
                question.corpus,
                premise,
                "H.",
                author_label=history.author,
                published_label=history.published,
                published_partition=history.partition,
                answers_left_out=history.left_out,
            )
            for history in histories
        ]
        Label.objects.bulk_create(
            self._label(question, pair, number, entry)
            for pair, history in zip(pairs, histories, strict=True)
            for number, entry in enumerate(history.entries)
        )
        Adjudication.objects.bulk_create(
            self._decision(question, pair, *decision)
            for pair, history in zip(pairs, histories, strict=True)
            for decision in history.decisions
        )
        rows: Any = with_gold_label(Pair.objects.filter(pk__in=[pair.pk for pair in pairs]), question)
        found = {row.pk: Gold(row.gold_label, row.gold_source, row.gold_note) for row in rows}
        self.compare_patterns(
            question,
            [
                row
                for row in rows
                if row.is_settled and has_all_labels(row.votes, question.rule, row.seats - row.votes)
            ],
        )
        for pair, history, row in zip(pairs, histories, rows.order_by("pk"), strict=True):
            rule = question.rules_by_partition()[history.partition]
            given = sum(entry.label is not None for entry in history.counted(question.seats))
            if rule.name == OF_ALL and history.is_settled(question.seats):
                rule = replace(
                    rule, seats=given + history.left_out, threshold=rule.needed(given + history.left_out)
                )
            assert (row.pk, row.seats, row.threshold) == (pair.pk, rule.seats, rule.threshold)
        return [found[pair.pk] for pair in pairs]

    def _label(self, question: Question, pair: Pair, number: int, entry: Entry) -> Label:
        return new_label(
            question,
            pair,
            entry.label,
            position=entry.position,
            origin=entry.origin,
            annotator=self.people[number] if entry.origin == "cast" and entry.label else None,
            cast_at=timezone.now() if entry.label else None,
            withdrawn_at=timezone.now() if entry.is_withdrawn else None,
            withdrawn_because="its annotator was excluded" if entry.is_withdrawn else "",
        )

    def _decision(self, question: Question, pair: Pair, label: str, is_withdrawn: bool) -> Adjudication:
        taken_back = {"withdrawn_at": timezone.now(), "withdrawn_because": "no", "withdrawn_by": self.rosa}
        return Adjudication(
            question=question,
            pair=pair,
            scheme=question.scheme,
            label=label,
            reason="Read twice.",
            by=self.rosa,
            **(taken_back if is_withdrawn else {}),
        )


def by_python(world: World, history: History) -> tuple[str | None, str, str]:
    """Applies the rule of the partition to the labels in the question's seats."""
    rule, most = world.rule_of(history), world.rule.seats
    seats = history.counted(most)
    others = [entry for entry in seats if entry.origin != "author"]
    return rule.decide(
        rule.count(entry.label for entry in seats if entry.label),
        settled=history.is_settled(most),
        left_out=history.left_out,
        adjudicated=next((label for label, is_withdrawn in history.decisions if not is_withdrawn), None),
        published=history.published,
        beside_votes=any(entry.origin == "imported" for entry in others),
        author=history.author,
    )


def voted(labels: Sequence[str], origin: str = "cast", published: str | None = None) -> History:
    entries = [Entry(place, label, origin, False) for place, label in enumerate(labels, 1)]
    return History(entries, None, published, [], None)


def test_sql_and_python_give_every_history_the_same_gold_label_source_and_note() -> None:
    stage = Stage()
    met: set[tuple[str, str, str]] = set()
    schemes: set[tuple[str, str]] = set()

    @given(worlds())
    def compare(world: World) -> None:
        found = stage.by_database(world)
        assert found == [by_python(world, history) for history in world.histories]
        met.update((world.rule.name, *one[1:]) for one in found)
        schemes.add((world.rule.scheme, world.rule.decided_scheme))

    # Of each rule and its schemes a pair for each source and note of a gold label, so that no draw need find them.
    for name, pairs in WORLDS.items():
        for scheme, gold_scheme in pairs:
            rule = Rule(scheme, 3, 2, name, gold_scheme)
            alone = History([], rule.gold_labels[0], None, [], None)
            decided = replace(alone, decisions=[(rule.gold_labels[0], False)])
            each = [
                *([alone, decided] if rule.labels == rule.gold_labels else [alone]),
                voted(rule.labels[:1] * 3),
                voted((rule.labels * 3)[:3]),
                voted(rule.labels[:1] * 3, "imported", published=rule.gold_labels[-1]),
                voted((rule.labels * 3)[:3], "imported", published=rule.gold_labels[0]),
                History([], None, rule.gold_labels[0], [], None),
                History([], None, None, [], None),
            ]
            compare = example(World(rule, rule, each))(compare)
    compare()
    assert {(name, source) for name, source, _ in met} == {*product(RULES, SOURCES.keys() - {WITHHELD})}
    assert schemes == {pair for pairs in WORLDS.values() for pair in pairs}
    assert {note for _, _, note in met} == {"", DIFFERS, NO_MAJORITY}
    assert stage.patterns


@given(worlds())
def test_what_a_line_tells_explains_the_gold_label_that_the_rule_gives(
    world: World,
) -> None:
    """A checker does not know what was published beside the votes, nor which seats were empty."""
    rule = world.rule
    world = replace(world, own=rule)
    for history in world.histories:
        gold, source, _ = by_python(world, history)
        labels = tuple(
            entry.label
            for entry in history.entries
            if entry.label and not entry.is_withdrawn and entry.position <= rule.seats
        )
        in_line = labels or ((history.author,) if history.author in rule.labels else ())
        waiting = sum(entry.label is None for entry in history.counted(rule.seats))
        explained = partial(
            rule.explains,
            labels=in_line,
            author=history.author,
            left_out=history.left_out,
            waiting=waiting if rule.name == OF_ALL else 0,
        )
        assert explained(gold, source)
        if source == "voted" and len(labels) == rule.seats and labels != (history.author,):
            others = set(rule.gold_labels) - {gold}
            assert not any(explained(other, source) for other in others)
            assert not explained(None, "none") or (rule.name == OF_ALL and history.left_out)
            assert not explained(history.author, "author")


def test_the_database_takes_the_thresholds_that_the_rule_takes():
    (constraint,) = (each for each in Question._meta.constraints if each.name == "threshold_is_a_majority")
    for seats, threshold in product(range(1, 26), range(28)):
        taken = constraint.condition.check({"seats": seats, "threshold": threshold})
        assert taken == is_threshold(threshold, seats), (seats, threshold)
