"""The newest answers of one annotator, or of all: bounded, so that a page can read them however much was labelled."""

from dataclasses import dataclass
from datetime import date

from django.db.models import Count, Q

from accounts.models import User
from nli.gold import gold_of_the_others
from shared.among import Among
from validation.gold.queries import deciding_labels
from validation.models import BatchItem, Label, Question

NEWEST_TIMES = 1000
NEWEST_LABELS = 300


@dataclass(frozen=True)
class Compared:
    """A label beside the gold label of the pair's others. is_control_right: None if the pair is no control item."""

    day: str
    agrees: bool
    is_control_right: bool | None


def newest_times(question: Question, annotator: User | None = None) -> list[int]:
    """Returns the active milliseconds of the newest thousand answers: of this annotator, or of all."""
    rows = BatchItem.objects.filter(assignment__question=question, answer__isnull=False, active_ms__gt=0)
    if annotator is not None:
        rows = rows.filter(assignment__annotator=annotator)
    newest = rows.order_by("-pk").values_list("active_ms", flat=True)[:NEWEST_TIMES]
    return [ms for ms in newest if ms is not None]


def newest_compared(annotator: User, question: Question) -> list[Compared]:
    """Returns the newest 300 labels of somebody that can be compared as `equals_others` does, the oldest first."""
    rule = question.rule
    own = deciding_labels(question).filter(annotator=annotator).exclude(origin=Label.Origin.AUTHOR)
    newest = list(
        own.order_by("-cast_at", "-pk").values_list("pk", "pair_id", "sentence", "label", "cast_at")[
            :NEWEST_LABELS
        ]
    )
    votes = {f"votes_{k}": Count("pk", filter=Q(label=label)) for k, label in enumerate(question.labels)}
    pairs = deciding_labels(question).filter(Among("pair_id", {pair for _, pair, *_ in newest}))
    fallen = {
        (pair, sentence): counts
        for pair, sentence, *counts in pairs.values_list("pair_id", "sentence").annotate(**votes)
    }
    met = Label.objects.met_controls(question).filter(annotator=annotator)
    controls = {pk: label == expert for pk, label, expert in met.values_list("pk", "label", "expert")}
    found = []
    for pk, pair, sentence, label, cast_at in reversed(newest):
        gold = gold_of_the_others(rule, fallen[pair, sentence], label)
        if gold is not None:
            found.append(Compared(_day(cast_at), rule.reads[label] == gold, controls.get(pk)))
    return found


def _day(when: date | None) -> str:
    """Returns the day as text; empty for imported labels without a time."""
    return when.isoformat()[:10] if when else ""
