"""The cross-table: counts pairs by their answer to a question and their gold label.

Of the Diverse NLI Collection's relations, almost 70% of the pairs with major errors were not entailed (Poliak et al. 2018,
appendix B.4).
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import BooleanField, Count, ExpressionWrapper, F, FilteredRelation, Q, Value

from collection.models import Pair
from collection.models.withdrawal import VETTED
from nli.labels import NO_GOLD
from shared.csv_files import csv_text
from validation.gold.queries import more_sort_memory
from validation.models import Question
from validation.questions.lookup import main_question
from validation.statistics.progress import Progress, ignore_progress
from validation.statistics.vote_patterns import PAIR_KEYS

HEADER = ("group", "answer", "gold_label", "pairs", "share_of_answer")


def cross_table(
    question: Question,
    by: str = "",
    progress: Progress = ignore_progress,
    predicted: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Counts pairs that have an answer to `question`, by that answer and their gold label.

    Pairs that a researcher withdrew by vetting are counted separately, in `withdrawn`. by: genre, partition, prompt
    or author, for a table of each group. predicted: the label that a run gives to each pair id, for a table of each label;
    other pairs are left out. "-" stands for no answer or no gold label by the rule.
    """
    main = main_question(question.corpus)
    group = PAIR_KEYS[by]("") if by else F("public_id") if predicted is not None else Value("")
    pairs = Pair.objects.filter(corpus=question.corpus).filter(
        Q(withdrawn_at=None) | Q(withdrawn_because=VETTED)
    )
    rows = (
        pairs.order_by()
        .annotate(
            asked=FilteredRelation("gold", condition=Q(gold__question=question)),
            decided=FilteredRelation("gold", condition=Q(gold__question=main)),
            is_withdrawn=ExpressionWrapper(Q(withdrawn_at__isnull=False), output_field=BooleanField()),
        )
        .filter(asked__votes__gt=0)
        .values_list(group, F("asked__label"), F("decided__label"), "is_withdrawn")
        .annotate(number=Count("pk"))
    )
    counts: dict[bool, dict[str, Counter[tuple[str, str]]]] = {False: {}, True: {}}
    with more_sort_memory():
        for name, answer, gold, is_withdrawn, number in _by_prediction(rows, predicted):
            cells = counts[is_withdrawn].setdefault(name, Counter())
            cells[answer or NO_GOLD, gold or NO_GOLD] += number
    progress(1)
    answers, labels = [*question.rule.gold_labels, NO_GOLD], [*main.rule.gold_labels, NO_GOLD]
    return {
        **{"question": question.slug, "answers": answers, "gold_labels": labels, "by": by},
        "standing": {name: _rows(cells, answers, labels) for name, cells in sorted(counts[False].items())},
        "withdrawn": {name: _rows(cells, answers, labels) for name, cells in sorted(counts[True].items())},
    }


def _by_prediction(rows: Iterable[Any], predicted: Mapping[str, str] | None) -> Iterable[Any]:
    """Returns rows of public ids as rows of predicted labels (Poliak et al. 2018, hypothesis only, section 6.3)."""
    if predicted is None:
        return rows
    return ((f"predicted {predicted[name]}", *rest) for name, *rest in rows if name in predicted)


def _rows(cells: Counter[tuple[str, str]], answers: list[str], labels: list[str]) -> list[list[int]]:
    return [[cells[answer, label] for label in labels] for answer in answers]


def cross_csv(table: dict[str, Any]) -> str:
    """Returns CSV with a row for each cell.

    `group` begins with "withdrawn" for pairs that were withdrawn by vetting.
    """
    rows: list[tuple[object, ...]] = [HEADER]
    for part in ("standing", "withdrawn"):
        for name, cells in table[part].items():
            group = " ".join(filter(None, ("" if part == "standing" else part, name)))
            for answer, numbers in zip(table["answers"], cells, strict=True):
                total = sum(numbers)
                rows += [
                    (group, answer, label, number, number / total if total else "")
                    for label, number in zip(table["gold_labels"], numbers, strict=True)
                ]
    return csv_text(rows)
