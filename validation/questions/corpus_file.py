"""Loads the questions of a corpus file and their calibration items.

It creates and updates them, but rejects changes that would change the meaning of existing labels.
"""

from collections.abc import Sequence
from typing import Any

from accounts.models import Qualification
from collection.corpora.differences import Changes, note_rows, replace_rows, set_fields
from collection.corpora.loading import load_exam
from collection.corpus_schema import (
    CalibrationPart,
    Check,
    Example,
    Faq,
    PartitionRule,
    QuestionPart,
    SideQuestionPart,
    WordedLabel,
)
from collection.models import Corpus, Pair
from validation.models import Assignment, CalibrationItem, Label, Question

FAQ_NAMES = {"question": "text"}  # the column is `text`, because `question` is the foreign key
NOT_COLUMNS = (
    *("labels", "examples", "check", "faq", "partitions"),
    *("slug", "pool_needs_exam", "qualification", "exam", "calibration"),
)


def load_questions(
    *, corpus: Corpus, main: QuestionPart, beside: Sequence[SideQuestionPart], changes: Changes
) -> None:
    """Creates or updates the corpus's main question (`main`) and its other questions (`beside`).

    Call it in a transaction, and roll back if `changes.errors` is not empty.
    """
    _load(corpus, "main", main, changes)
    for part in beside:
        _load(corpus, part.slug, part, changes)
    _drop_unused(corpus, [part.slug for part in beside], changes)


def _load(corpus: Corpus, slug: str, part: QuestionPart, changes: Changes) -> None:
    is_main = slug == "main"
    which: dict[str, Any] = {"is_main": True} if is_main else {"slug": slug}
    name = "question" if is_main else f"question {slug}"
    question = Question.objects.select_for_update(no_key=True).filter(corpus=corpus, **which).first()
    columns = {key: value for key, value in dict(part).items() if key not in NOT_COLUMNS}
    columns["qualification"] = _qualification(corpus, slug, part)
    if question is None:
        question = Question.objects.create(corpus=corpus, slug=slug, is_main=is_main, **columns)
        changes.new(f"question {slug}")
        _write_rows(question, part)
    else:
        _refuse_new_rules(question, columns, changes)
        _refuse_new_partition_rules(question, part, changes)
        _refuse_new_wording(question, part, changes)
        set_fields(question, columns, name, changes)
        if _tell(question, part, name, changes):
            _write_rows(question, part)
    load_exam(
        corpus=corpus,
        slug=f"label-{question.slug}",
        scheme=part.scheme,
        gives=question.qualification,
        part=part.exam,
        name=f"{name}: exam",
        changes=changes,
    )
    load_calibration(question=question, parts=part.calibration, name=name, changes=changes)


def _qualification(corpus: Corpus, slug: str, part: QuestionPart) -> Qualification | None:
    """Returns the qualification for annotators without an invitation: an exam grants it, or the file names it."""
    if part.pool_needs_exam and part.exam is None:
        return corpus.writing_qualification  # the corpus's exam grants it
    if part.exam is not None:
        name = f"Label for {corpus.name}" + ("" if slug == "main" else f": {slug}")
        own = f"label-{corpus.slug}" if slug == "main" else f"label-{corpus.slug}-{slug}"
        return Qualification.objects.get_or_create(slug=own[:100], defaults={"name": name[:200]})[0]
    if part.qualification:
        found, _ = Qualification.objects.get_or_create(
            slug=part.qualification, defaults={"name": part.qualification}
        )
        return found
    return None


def _tell(question: Question, part: QuestionPart, name: str, changes: Changes) -> bool:
    """Adds a line to `changes` for each difference between the rows of a question; returns whether there is any."""
    differs = [
        note_rows(question.label_wordings, part.labels, WordedLabel, f"{name}: label", changes),
        note_rows(question.examples, part.examples, Example, f"{name}: example", changes),
        note_rows(question.check_questions, part.check, Check, f"{name}: check", changes),
        note_rows(question.partitions, part.partitions, PartitionRule, f"{name}: partition", changes),
        note_rows(question.faq, part.faq, Faq, f"{name}: faq", changes, FAQ_NAMES),
    ]
    return any(differs)


def _write_rows(question: Question, part: QuestionPart) -> None:
    replace_rows(question.label_wordings, part.labels)
    replace_rows(question.examples, part.examples)
    replace_rows(question.check_questions, part.check)
    replace_rows(question.partitions, part.partitions)
    replace_rows(question.faq, part.faq, FAQ_NAMES)


def _drop_unused(corpus: Corpus, slugs: Sequence[str], changes: Changes) -> None:
    """Deletes questions that are no longer in the file, except those with open pairs, batches or members."""
    for question in Question.objects.filter(corpus=corpus, is_main=False).exclude(slug__in=slugs):
        used = (
            Label.objects.filter(question=question).exists()
            or Assignment.objects.filter(question=question).exists()
            or question.memberships.exists()
        )
        if used:
            changes.notes.append(
                f"Question {question.slug} is not in the file. It stays, because pairs are open or annotators are"
                " in its pool."
            )
            continue
        name = f"question {question.slug}"
        load_exam(
            corpus=corpus,
            slug=f"label-{question.slug}",
            scheme=question.scheme,
            gives=None,
            part=None,
            name=f"{name}: exam",
            changes=changes,
        )
        question.calibration.all().delete()  # nobody answered one, since nobody was asked
        question.delete()
        changes.gone(name)


def _refuse_new_rules(question: Question, columns: dict[str, Any], changes: Changes) -> None:
    fixed = ["seats", "threshold", "gold_rule", "scheme"]
    if not question.is_main:
        fixed += ["hides_premise", "by_sentence"]
    for key in fixed:
        old, new = getattr(question, key), columns[key]
        if old != new and (labels := Label.objects.filter(question=question).count()):
            changes.refuse(
                f"{_table(question)} {key}: {labels:,} labels and open seats exist under {old}, so it cannot become"
                f" {new}. Set it back to {old}, or make another corpus for the new rule."
            )


def _refuse_new_partition_rules(question: Question, part: QuestionPart, changes: Changes) -> None:
    """Rejects a change of a partition's rule once it has labels or open seats."""
    old = {each.partition: (each.seats, each.threshold, each.undecided) for each in question.partitions.all()}
    new = {each.partition: (each.seats, each.threshold, each.undecided) for each in part.partitions}
    for partition in sorted(old.keys() | new.keys()):
        labels = Label.objects.filter(question=question, pair__published_partition=partition)
        if old.get(partition) != new.get(partition) and (number := labels.count()):
            changes.refuse(
                f"{_table(question)} partitions: {number:,} labels and open seats of {partition} were made under the rule"
                " that is there, so it cannot change. Put it back into the file; another rule needs a corpus of its own."
            )


def _refuse_new_wording(question: Question, part: QuestionPart, changes: Changes) -> None:
    """Rejects a change of the wording of the question or of its answers once somebody has answered."""
    old = {entry.label: entry.wording for entry in question.label_wordings.all()}
    wordings = [("wording", question.wording, part.wording)]
    wordings += [(f'label "{entry.label}"', old.get(entry.label, ""), entry.wording) for entry in part.labels]
    differing = [(name, was, new) for name, was, new in wordings if was not in ("", new)]
    cast = Label.objects.ever_cast().without_corrected().filter(question=question)
    if differing and (labels := cast.count()):
        changes.errors += [
            f'{_table(question)} {name}: annotators gave {labels:,} labels under the wording "{was}", so it cannot'
            f' become "{new}". Set it back to "{was}", or make another corpus for the new wording.'
            for name, was, new in differing
        ]


def _table(question: Question) -> str:
    return "[question]" if question.is_main else f'[[questions]] "{question.slug}"'


def load_calibration(
    *, question: Question, parts: Sequence[CalibrationPart], name: str, changes: Changes
) -> None:
    """Creates, updates and removes calibration items, so that they match the file.

    An item that annotators have seen is closed and not deleted. Rejects an item whose text is a pair of the corpus:
    such a pair can be made a control item.
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
                f'Calibration item "{part.hypothesis[:60]}" has another label now. Earlier answers'
                f" are compared with it: {answers:,}."
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
    """Rejects items that are pairs of the corpus: an annotator might see the text twice and recognise the item."""
    texts = {(part.premise, part.hypothesis) for part in parts}
    rows = Pair.objects.filter(
        corpus=question.corpus_id, hypothesis__in={part.hypothesis for part in parts}
    ).values_list("premise__text", "hypothesis", "public_id")
    for premise, hypothesis, public_id in rows:
        if (premise, hypothesis) in texts:
            changes.refuse(
                f'Calibration item "{hypothesis[:60]}" is the pair {public_id} of the corpus. Remove it from'
                " the file. To check annotators with a pair of the corpus, label it as a control item."
            )
