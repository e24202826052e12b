"""Imports the labels of published corpora, and makes the question that they answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from django.db import transaction
from django.db.models import prefetch_related_objects

from accounts.models import User
from collection.formats.lines import BadLine
from collection.imports.pair_plans import PlannedPair
from collection.imports.pairs import PairImport, PairSource, write_pairs
from collection.members.actions import found, refuse_strangers
from collection.models import Corpus, Genre, Pair, Source
from nli.gold import ADJUDICATED, DIFFERS, NO_MAJORITY, OF_ALL, least_threshold, note_beside
from nli.labels import QUESTION
from nli.manifest import PartitionSeats
from shared.transactions import one_transaction
from validation.models import Label, LabelWording, PartitionRule, Question
from validation.pairs.opening import open_for_validation
from validation.pairs.returned_answers import waits, write_answers, wrong_answer
from validation.statistics.cached import mark_stale

GOLD_EXAMPLES = 3
COUNTED_AS = {DIFFERS: "published_differs", NO_MAJORITY: "published_without_majority"}

WORDINGS = {
    "nli3": {
        "entailment": "Definitely correct",
        "neutral": "Could be either",
        "contradiction": "Definitely wrong",
    },
    "entailed2": {"entailed": "Follows from the text", "not-entailed": "Does not follow from the text"},
    "ordinal5": {"1": "Impossible", "2": "Unlikely", "3": "Possible", "4": "Likely", "5": "Very likely"},
    "grammar3": {"none": "No mistake", "minor": "A small mistake", "major": "A serious mistake"},
}


@dataclass(frozen=True)
class Portion:
    """The result of importing a portion.

    refused: the lines with errors. gold_differs: ids of pairs whose gold label by the rule differs from the file's.
    """

    refused: list[BadLine]
    gold_differs: list[str]


@one_transaction
def create_corpus(
    *,
    slug: str,
    scheme: str,
    protocol: str,
    about: Mapping[str, Any] | None = None,
    genres: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    language: str = "en",
    wording: str = "",
    labels: Mapping[str, str] | None = None,
    seats: int | None = None,
    threshold: int | None = None,
    gold_rule: str | None = None,
    partitions: Mapping[str, PartitionSeats] | None = None,
    question_scheme: str | None = None,
    by: User | None = None,
) -> Corpus:
    """Returns the corpus for imported pairs, with a main question; makes both if they do not exist.

    by: who imports, and owns a new corpus; None for a command. Raises MemberRefused if somebody else made it meanwhile.

    about: other columns of the corpus, such as its description. genres: columns of those to make, by slug.
    `wording` and `labels`: the wording of the question and of its answers, by default the standard ones.
    """
    facts = {"scheme": scheme, "protocol": protocol, **(about or {})}
    corpus, is_new = Corpus.objects.get_or_create(
        slug=slug, defaults={"name": slug, "language": language, **facts}
    )
    if is_new:
        Genre.objects.bulk_create(Genre(corpus=corpus, slug=name, **each) for name, each in genres.items())
        found(corpus=corpus, by=by)
    else:
        refuse_strangers(corpus.slug, by)
    main_question(
        corpus=corpus,
        wording=wording,
        labels=labels,
        seats=seats,
        threshold=threshold,
        gold_rule=gold_rule,
        partitions=partitions,
        scheme=question_scheme,
    )
    return corpus


@transaction.atomic
def main_question(
    *,
    corpus: Corpus,
    wording: str = "",
    labels: Mapping[str, str] | None = None,
    seats: int | None = None,
    threshold: int | None = None,
    gold_rule: str | None = None,
    partitions: Mapping[str, PartitionSeats] | None = None,
    scheme: str | None = None,
) -> Question:
    """Returns the corpus's main question. Creates it if there is none; the arguments are for that case.

    wording: the default one if it is empty. scheme: the scheme of the labels, by default the corpus's. seats,
    threshold: by default five and three; if only seats are given, the threshold is more than half of them.
    partitions: the rule of each partition with its own.
    """
    rule: dict[str, Any] = {"seats": seats, "gold_rule": gold_rule}
    rule["threshold"] = threshold or (least_threshold(seats) if seats else None)
    question, is_new = Question.objects.get_or_create(
        corpus=corpus,
        is_main=True,
        defaults={
            "scheme": scheme or corpus.scheme,
            "wording": wording or QUESTION,
            "wording_came": bool(wording),
            **{key: value for key, value in rule.items() if value is not None},
        },
    )
    if is_new:
        LabelWording.objects.bulk_create(
            LabelWording(question=question, order=order, label=label, wording=wording)
            for order, (label, wording) in enumerate((labels or WORDINGS[question.scheme]).items())
        )
        PartitionRule.objects.bulk_create(
            PartitionRule(
                question=question,
                order=order,
                partition=name,
                seats=own["seats"],
                threshold=own["threshold"],
                undecided=",".join(own.get("undecided", ())),
            )
            for order, (name, own) in enumerate((partitions or {}).items())
        )
    return question


def other_questions(*, corpus: Corpus, described: Mapping[str, Mapping[str, Any]]) -> dict[str, Question]:
    """Returns the questions beside the main one by slug. Makes those that a snapshot describes and the corpus lacks."""
    found = {each.slug: each for each in Question.objects.filter(corpus=corpus, is_main=False)}
    for slug, facts in described.items():
        if slug not in found:
            question = Question.objects.create(
                corpus=corpus, slug=slug, is_main=False, wording_came=True, pool_is_open=False, **facts
            )
            LabelWording.objects.bulk_create(
                LabelWording(question=question, order=order, label=label, wording=wording)
                for order, (label, wording) in enumerate(WORDINGS[question.scheme].items())
            )
            found[slug] = question
    return found


@transaction.atomic
def import_portion(
    *,
    run: PairImport,
    file: PairSource,
    question: Question,
    plans: Sequence[PlannedPair],
    others: Mapping[str, Question] = MappingProxyType({}),
) -> Portion:
    """Writes a portion of pairs with their labels in one transaction, except for lines with errors.

    others: the other questions of the corpus, by slug; a snapshot that comes back has answers to them.
    """
    prefetch_related_objects([question], "partitions")  # for `rules_by_partition`
    questions = {"": question, **others}
    wrong = {plan.item.line: text for plan in plans if (text := wrong_answer(plan, questions))}
    written, refused = write_pairs(
        run=run, file=file, plans=[plan for plan in plans if plan.item.line not in wrong]
    )
    refused += [BadLine(line, text) for line, text in wrong.items()]
    labels = [label for pair, plan in written for label in _labels(run, question, pair, plan)]
    Label.objects.bulk_create(labels)
    write_answers(run, questions, [(pair, plan) for pair, plan in written if plan.item.gold_source])
    mark_stale(corpus=run.corpus)
    voted = [(pair, plan) for pair, plan in written if plan.votes]
    run.counts["labels"] += len(labels)
    run.counts["seats"] = question.seats
    run.counts["most_labels"] = max(
        [run.counts["most_labels"], *(plan.votes[-1].position for _, plan in written if plan.votes)]
    )
    run.counts["author_labels"] += sum(pair.author_label is not None for pair, _ in written)
    run.counts["published_labels"] += sum(pair.published_label is not None for pair, _ in written)
    run.counts["author_differs"] += sum(
        None not in (pair.published_label, pair.author_label) and pair.published_label != pair.author_label
        for pair, _ in written
    )
    rules = question.rules_by_partition()
    run.counts["more_labels"] += sum(plan.votes[-1].position > question.seats for _, plan in voted)
    run.counts["self_validated"] += sum(_is_self_validated(plan) for _, plan in voted)
    differing = []
    for pair, plan in voted:
        rule = rules[pair.published_partition]
        votes = rule.count(vote.label for vote in plan.votes if vote.position <= question.seats)
        run.counts["fewer_labels"] += sum(votes) < rule.seats and rule.name != OF_ALL
        note = note_beside(plan.item.published_label, rule.voted(votes, left_out=plan.item.left_out))
        if plan.item.gold_source == ADJUDICATED or waits(plan, rule, votes):
            continue
        if not plan.item.has_gold or not note:
            continue
        if plan.published_label is not None:  # the published label counts
            run.counts[COUNTED_AS[note]] += 1
        else:
            differing.append(pair.public_id)
    run.counts["gold_differs"] += len(differing)
    return Portion(refused, differing[:GOLD_EXAMPLES])


def _labels(run: PairImport, question: Question, pair: Pair, plan: PlannedPair) -> list[Label]:
    return [
        Label(
            question_id=question.pk,
            pair_id=pair.pk,
            premise_id=pair.premise_id,
            position=vote.position,
            scheme=pair.scheme if is_author else question.scheme,
            origin=Label.Origin.AUTHOR if is_author else Label.Origin.IMPORTED,
            author_id=pair.author_id,
            annotator_id=pair.author_id if is_author else run.person(vote.annotator),
            label=vote.label,
            reason=vote.reason,
        )
        for vote in plan.votes
        for is_author in [plan.first_is_author and vote.position == 1]
    ]


def _is_self_validated(plan: PlannedPair) -> bool:
    """Returns whether the author also validated the pair."""
    return bool(plan.author) and any(
        vote.annotator == plan.author
        for vote in plan.votes
        if not (plan.first_is_author and vote.position == 1)
    )


def open_imported(
    *, question: Question, sources: Sequence[Source], seed: int = 0, without_look: bool = False
) -> int:
    """Opens the pairs of these files that have no labels yet. Returns their number. Raises NotLookedAt."""
    pairs = Pair.objects.filter(corpus_id=question.corpus_id, source__in=sources)
    return open_for_validation(question=question, pairs=pairs, seed=seed, without_look=without_look)
