"""The calibration items of a question, as its corpus file has them."""

from collections.abc import Sequence

from collection.corpora.differences import Changes, set_fields
from collection.corpus_schema import CalibrationPart
from collection.models import Pair
from validation.models import CalibrationItem, Question


def load_calibration(
    *, question: Question, parts: Sequence[CalibrationPart], name: str, changes: Changes
) -> None:
    """Makes the question's items those of the file. One that somebody met stays, and is handed out no more.

    Refuses texts that are a pair of the corpus: those are labelled as controls, in their seats.
    """
    _refuse_pairs(question, parts, changes)
    known = {item.digest: item for item in CalibrationItem.objects.filter(question=question)}
    for part in parts:
        item = known.pop(CalibrationItem.digest_of(part.premise, part.hypothesis), None)
        if item is None:
            _create(question, part)
            changes.new(f'{name}: calibration item "{part.hypothesis[:60]}"')
            continue
        columns = {"label": part.label, "comment": part.comment, "scheme": question.scheme, "is_open": True}
        if item.label != part.label and (answers := item.answers.exclude(answer=None).count()):
            changes.notes.append(
                f'Calibration item "{part.hypothesis[:60]}" has another label: {answers:,} answers that were'
                " given before are compared with the new one."
            )
        set_fields(item, columns, f'{name}: calibration item "{part.hypothesis[:60]}"', changes)
    for item in known.values():
        _drop(item, name, changes)


def _create(question: Question, part: CalibrationPart) -> None:
    CalibrationItem.objects.create(
        question=question,
        digest=CalibrationItem.digest_of(part.premise, part.hypothesis),
        premise=part.premise,
        hypothesis=part.hypothesis,
        scheme=question.scheme,
        label=part.label,
        comment=part.comment,
    )


def _drop(item: CalibrationItem, name: str, changes: Changes) -> None:
    if item.answers.exists():
        set_fields(item, {"is_open": False}, f'{name}: calibration item "{item.hypothesis[:60]}"', changes)
    else:
        item.delete()
        changes.gone(f'{name}: calibration item "{item.hypothesis[:60]}"')


def _refuse_pairs(question: Question, parts: Sequence[CalibrationPart], changes: Changes) -> None:
    """A text that is a pair would be labelled twice by one person, and would tell what is calibration."""
    texts = {(part.premise, part.hypothesis) for part in parts}
    rows = Pair.objects.filter(
        corpus=question.corpus_id, hypothesis__in={part.hypothesis for part in parts}
    ).values_list("premise__text", "hypothesis", "public_id")
    for premise, hypothesis, public_id in rows:
        if (premise, hypothesis) in texts:
            changes.refuse(
                f'Calibration item "{hypothesis[:60]}" is the pair {public_id} of the corpus. Take it out of the'
                " file; pairs of the corpus are labelled by an expert as control items."
            )
