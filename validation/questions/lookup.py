"""Finds a question by its corpus and its name, and the corpus's wording of its labels."""

from django.core.management.base import CommandError
from django.http import Http404

from collection.models import Corpus
from shared.prepared_statements import columns, made, rows
from validation.models import LabelWording, Question

QUESTION = """
SELECT {question}, {corpus} FROM validation_question AS question
JOIN collection_corpus AS corpus ON corpus.id = question.corpus_id
WHERE corpus.slug = %s AND {which}
"""
WORDINGS = """
SELECT entry.label, entry.wording, entry.help FROM validation_labelwording AS entry
WHERE entry.question_id = %s ORDER BY entry."order"
"""


def question_of(corpus: str, slug: str | None = None) -> Question | None:
    """Returns the question of that name, or the main question; None if there is none. The corpus is loaded with it."""
    statement = QUESTION.format(
        question=columns(Question, "question"),
        corpus=columns(Corpus, "corpus"),
        which="question.is_main" if slug is None else "question.slug = %s",
    )
    found = rows((statement, [corpus] if slug is None else [corpus, slug]))
    if not found:
        return None
    question, rest = made(Question, found[0])
    question.corpus, _ = made(Corpus, rest)
    return question


def main_question(corpus: Corpus) -> Question:
    """Returns the question that decides the gold labels. Raises Question.DoesNotExist."""
    return Question.objects.select_related("corpus").get(corpus=corpus, is_main=True)


def question_or_404(slug: str, question_slug: str | None = None) -> Question:
    question = question_of(slug, question_slug)
    if question is None:
        raise Http404("There is no such question.")
    return question


def question_for_command(slug: str, name: str | None = None) -> Question:
    """Returns the question of that name, or the main question. Raises CommandError with the known names."""
    corpus = Corpus.objects.filter(slug=slug).first()
    if corpus is None:
        known = ", ".join(Corpus.objects.order_by("slug").values_list("slug", flat=True)) or "none yet"
        raise CommandError(f"There is no corpus {slug!r}. Known: {known}.")
    if name:
        question = corpus.questions.select_related("corpus").filter(slug=name).first()
        if question is None:
            known = ", ".join(corpus.questions.order_by("slug").values_list("slug", flat=True))
            raise CommandError(f"{slug} has no question {name!r}. Known: {known or 'none yet'}.")
        return question
    try:
        return main_question(corpus)
    except Question.DoesNotExist:
        raise CommandError(
            f"{slug} has no main question. Load a corpus file that has one, with load_corpus."
        ) from None


def wordings_of(question: Question) -> list[tuple[str, str, str]]:
    """Returns (label, wording, help) in the corpus's order; empty if the corpus has no wording of its own."""
    return [(label, wording, text) for label, wording, text in rows((WORDINGS, [question.pk]))]


def words_of(question: Question) -> dict[str, str]:
    """Returns label -> the corpus's wording; empty if the corpus has no wording of its own."""
    return {label: wording for label, wording, _ in wordings_of(question)}


def main_wordings(corpus: Corpus) -> dict[str, str]:
    """Returns the wordings of the main question, if its labels are of the corpus's scheme."""
    main = LabelWording.objects.filter(
        question__corpus=corpus, question__is_main=True, question__scheme=corpus.scheme
    )
    return dict(main.order_by("order").values_list("label", "wording"))


def answer_words(question: Question) -> dict[str, str]:
    """Returns label -> its wording on pages, in the scheme's order: the corpus's wording, else the label."""
    words = {
        entry.label: entry.wording for entry in question.label_wordings.all()
    }  # as `asked_question` prefetches
    return {label: words.get(label, label) for label in question.labels}
