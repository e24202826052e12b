"""The main question of a corpus file: created or updated, as far as labels allow."""

from dataclasses import asdict

from collection.corpus_files import Check, Example, Faq, QuestionPart, WordedLabel
from collection.differences import Changes, replace_rows, set_fields, tell_rows
from collection.models import Corpus
from validation.models import Label, Question

FAQ_NAMES = {"question": "text"}  # the column is named `text`, as `question` is the key to the question
NOT_COLUMNS = ("labels", "examples", "check", "faq", "pool_needs_exam")


def load_question(*, corpus: Corpus, part: QuestionPart, changes: Changes) -> Question:
    """Creates or updates the corpus's main question.

    To be called in a transaction. The caller must roll back when `changes.refusals` is not empty.
    """
    columns = {key: value for key, value in asdict(part).items() if key not in NOT_COLUMNS}
    columns["scheme"] = corpus.scheme
    question = Question.objects.select_for_update(no_key=True).filter(corpus=corpus, is_main=True).first()
    if part.pool_needs_exam:
        columns["qualification"] = corpus.writing_qualification  # what the corpus's exam gives
    elif question and question.qualification and question.qualification.slug == f"write-{corpus.slug}":
        columns["qualification"] = None
    if question is None:
        question = Question.objects.create(corpus=corpus, **columns)
        changes.new(f"question {question.slug}")
        replace_rows(question.label_wordings, part.labels)
        replace_rows(question.examples, part.examples)
        replace_rows(question.check_questions, part.check)
        replace_rows(question.faq, part.faq, FAQ_NAMES)
        return question
    _refuse_new_rules(question, part, changes)
    _refuse_new_wording(question, part, changes)
    set_fields(question, columns, "question", changes)
    if tell_rows(question.label_wordings, part.labels, WordedLabel, "question: label", changes):
        replace_rows(question.label_wordings, part.labels)
    if tell_rows(question.examples, part.examples, Example, "question: example", changes):
        replace_rows(question.examples, part.examples)
    if tell_rows(question.check_questions, part.check, Check, "question: check", changes):
        replace_rows(question.check_questions, part.check)
    if tell_rows(question.faq, part.faq, Faq, "question: faq", changes, FAQ_NAMES):
        replace_rows(question.faq, part.faq, FAQ_NAMES)
    return question


def _refuse_new_rules(question: Question, part: QuestionPart, changes: Changes) -> None:
    for key in ("seats", "threshold", "gold_rule"):
        old, new = getattr(question, key), getattr(part, key)
        if old != new and (labels := Label.objects.filter(question=question).count()):
            changes.refuse(
                f"[question] {key}: {labels:,} labels and open seats were made under {old}, so it cannot"
                f" become {new}. Put {old} back into the file; another rule needs a corpus of its own."
            )


def _refuse_new_wording(question: Question, part: QuestionPart, changes: Changes) -> None:
    """What people were asked, and what their answers were called, stays while their answers count."""
    old = {entry.label: entry.wording for entry in question.label_wordings.all()}
    wordings = [("wording", question.wording, part.wording)]
    wordings += [(f'label "{entry.label}"', old.get(entry.label, ""), entry.wording) for entry in part.labels]
    differing = [(name, was, new) for name, was, new in wordings if was not in ("", new)]
    cast = Label.objects.filter(question=question, origin="cast", label__isnull=False)
    if differing and (labels := cast.count()):
        changes.refusals += [
            f'[question] {name}: {labels:,} labels were chosen under the words "{was}", so they cannot become'
            f' "{new}". Put "{was}" back into the file; other words need a corpus of their own.'
            for name, was, new in differing
        ]
