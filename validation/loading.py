"""The main question of a corpus file: created or updated, as far as labels allow."""

from dataclasses import asdict

from collection.corpus_files import Example, Faq, QuestionPart, WordedLabel
from collection.loading import Changes, replace_rows, set_fields, stored_parts
from collection.models import Corpus
from validation.models import Label, Question

FAQ_NAMES = {"question": "text"}  # the column is named `text`, as `question` is the key to the question
LISTS = ("labels", "examples", "faq")


def load_question(*, corpus: Corpus, part: QuestionPart, changes: Changes) -> Question:
    """Creates or updates the corpus's main question.

    To be called in a transaction. The caller must roll back when `changes.refusals` is not empty.
    """
    plain = {key: value for key, value in asdict(part).items() if key not in LISTS}
    plain["scheme"] = corpus.scheme
    question = Question.objects.select_for_update(no_key=True).filter(corpus=corpus, is_main=True).first()
    if question is None:
        question = Question.objects.create(corpus=corpus, **plain)
        changes.new(f"question {question.slug}")
        _replace(question, part, LISTS)
        return question
    _refuse_new_rules(question, part, changes)
    set_fields(question, plain, "question", changes)
    differing = _differing(question, part)
    for name in differing:
        changes.different(f"question: {name}")
    _replace(question, part, differing)
    return question


def _refuse_new_rules(question: Question, part: QuestionPart, changes: Changes) -> None:
    for key in ("seats", "threshold"):
        old, new = getattr(question, key), getattr(part, key)
        if old != new and (labels := Label.objects.filter(question=question).count()):
            changes.refuse(
                f"[question] {key}: {labels:,} labels and open seats were made for {old} {key}, so it cannot"
                f" become {new}. Put {old} back into the file; another rule needs a corpus of its own."
            )


def _differing(question: Question, part: QuestionPart) -> list[str]:
    stored = {
        "labels": stored_parts(question.label_wordings, WordedLabel),
        "examples": stored_parts(question.examples, Example),
        "faq": stored_parts(question.faq, Faq, FAQ_NAMES),
    }
    return [name for name in LISTS if stored[name] != getattr(part, name)]


def _replace(question: Question, part: QuestionPart, names: list[str] | tuple[str, ...]) -> None:
    if "labels" in names:
        replace_rows(question.label_wordings, part.labels)
    if "examples" in names:
        replace_rows(question.examples, part.examples)
    if "faq" in names:
        replace_rows(question.faq, part.faq, FAQ_NAMES)
