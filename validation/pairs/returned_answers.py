"""Stores what a snapshot that comes back says beside the labels in seats: skips, decisions, labels that do not count.

Nobody here gave these answers, so their labels have no time (`cast_at`), and who gave them cannot sign in.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from django.utils import timezone

from collection.imports.pair_plans import PlannedPair
from collection.imports.pairs import PairImport
from collection.models import Pair
from collection.models.withdrawal import CAME_BACK, REASONS
from nli.answers import EXTRA, FIRST
from nli.gold import ADJUDICATED, AUTHOR, DECIDED, OF_ALL, Rule
from validation.models import Adjudication, Assignment, BatchItem, Label, Question
from validation.pairs.opening import _empty_seat, _next_turn, seats_to_fill

Answer = Mapping[str, Any]
RESEARCHERS = "researchers"  # who decided, since no snapshot says it
SAID = "Decided before the snapshot was frozen from which the pair came."


def wrong_answer(plan: PlannedPair, questions: Mapping[str, Question]) -> str:
    """Returns why an answer of the line cannot be stored; empty if all can."""
    for answer in plan.item.answers:
        question = questions.get(answer.get("question", ""))
        if question is None:
            return (
                f'an answer is to the question "{answer["question"]}", which neither the corpus nor corpus.json beside'
                " the file has"
            )
        if answer.get("label", question.labels[0]) not in question.labels:
            return f'the label "{answer["label"]}" of an answer is none of {", ".join(question.labels)}'
        if answer.get("withdrawn", REASONS[0]) not in REASONS:
            return f'an answer was withdrawn for a reason that is not known: "{answer["withdrawn"]}"'
        if answer.get("skip", BatchItem.SkipReason.OTHER) not in BatchItem.SkipReason.values:
            return f'an answer was skipped for a reason that is not known: "{answer["skip"]}"'
    return ""


def waits(plan: PlannedPair, rule: Rule, votes: Sequence[int]) -> bool:
    """Returns whether a pair of a snapshot was waiting for labels: its votes alone would give another gold label."""
    source = plan.item.gold_source
    if not source or source in DECIDED or sum(votes) >= rule.seats:
        return False
    if rule.name == OF_ALL:  # the line says it
        return plan.item.waiting > 0
    return source == AUTHOR or rule.voted(votes, left_out=plan.item.left_out) != plan.item.published_label


def write_answers(
    run: PairImport, questions: Mapping[str, Question], written: Sequence[tuple[Pair, PlannedPair]]
) -> None:
    """Stores the answers that have no seat, the decisions of researchers, and open seats of pairs that wait for labels."""
    main, now = questions[""], timezone.now()
    labels, skips = [], []
    for pair, plan in written:
        for answer in plan.item.answers:
            question = questions[answer.get("question", "")]
            label = _label(run, question, pair, answer)
            if label.label is None:
                # The seat that was passed over is not known. It is a closed one, on the right side of the others.
                label.position = question.seats + (answer.get("round", FIRST) == EXTRA)
                label.withdrawn_at, label.withdrawn_because = now, CAME_BACK
                batch = Assignment(
                    question=question,
                    annotator_id=cast(int, run.person(answer["code"])),
                    leased_until=now,
                    closed_at=now,
                )
                skips.append((batch, label, answer["skip"]))
            labels.append(label)
            run.counts["other_answers"] += 1
        run.counts["with_reason"] += sum(bool(vote.reason) for vote in plan.votes)
    labels += _open_seats(run, main, written)
    Label.objects.bulk_create(labels, batch_size=2000)
    Assignment.objects.bulk_create([batch for batch, _, _ in skips])
    BatchItem.objects.bulk_create(
        BatchItem(assignment=batch, seat=seat, order=0, skip_reason=why) for batch, seat, why in skips
    )
    _decide(run, main, [(pair, plan) for pair, plan in written if plan.item.gold_source == ADJUDICATED])


def _label(run: PairImport, question: Question, pair: Pair, answer: Answer) -> Label:
    given = answer.get("origin", Label.Origin.IMPORTED)
    because = answer.get("withdrawn", "")
    return Label(
        question=question,
        pair=pair,
        premise_id=pair.premise_id,
        author_id=pair.author_id,
        scheme=question.scheme,
        origin=given if "label" in answer else Label.Origin.CAST,
        sentence=answer.get("sentence", 0),
        position=answer.get("position"),
        annotator_id=run.person(answer["code"]) if "label" in answer else None,
        label=answer.get("label"),
        reason=answer.get("reason", ""),
        model=answer.get("model", ""),
        withdrawn_at=timezone.now() if because else None,
        withdrawn_because=because,
    )


def _open_seats(
    run: PairImport, question: Question, written: Sequence[tuple[Pair, PlannedPair]]
) -> list[Label]:
    """Returns the empty seats of pairs that were waiting for labels, with their turns."""
    rules = question.rules_by_partition()
    waiting = []
    for pair, plan in written:
        rule = rules[pair.published_partition]
        filled = {vote.position: vote.label for vote in plan.votes if vote.position <= question.seats}
        if filled and waits(plan, rule, rule.count(filled.values())):
            seats = seats_to_fill(question, rules, pair.published_partition, pair.author_label, 1)
            open_ones = [position for position, _ in seats if position not in filled]
            waiting.append((pair, open_ones[: plan.item.waiting or None]))
    run.counts["waiting"] += len(waiting)
    turn = _next_turn(question) if waiting else 0
    places = [(position, pair) for pair, open_ones in waiting for position in open_ones]
    places.sort(key=lambda place: place[0])
    return [_empty_seat(question, pair, position, turn + k) for k, (position, pair) in enumerate(places)]


def _decide(run: PairImport, question: Question, decided: Sequence[tuple[Pair, PlannedPair]]) -> None:
    if not decided:
        return
    run.make_people([RESEARCHERS])
    run.counts["decided"] += len(decided)
    Adjudication.objects.bulk_create(
        Adjudication(
            question=question,
            pair=pair,
            scheme=pair.scheme,
            label=cast(str, plan.item.published_label),
            reason=SAID,
            by_id=cast(int, run.person(RESEARCHERS)),
        )
        for pair, plan in decided
    )
