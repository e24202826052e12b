"""Finds a question by its corpus and its name, and the corpus's wording of its labels."""

import re
from collections.abc import Iterable
from itertools import groupby

from django.core.management.base import CommandError
from django.db.models import F
from django.http import Http404

from collection.models import Corpus, Genre
from shared.prepared_statements import columns, made, rows
from validation.models import Question

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


def corpus_for_command(slug: str) -> Corpus:
    """Returns the corpus of that slug. Raises CommandError with the known ones."""
    corpus = Corpus.objects.filter(slug=slug).first()
    if corpus is None:
        known = ", ".join(Corpus.objects.order_by("slug").values_list("slug", flat=True)) or "none yet"
        raise CommandError(f"There is no corpus {slug!r}. Known: {known}.")
    return corpus


def question_for_command(slug: str, name: str | None = None) -> Question:
    """Returns the question of that name, or the main question. Raises CommandError with the known names."""
    corpus = corpus_for_command(slug)
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


def main_wording(corpus: Corpus) -> tuple[str, dict[str, str], dict[str, str]]:
    """Returns the wording of the main question, of its labels, and their helps; none if its labels are of another scheme."""
    found = _worded([corpus.pk])
    words = {label: words for _, _, label, words, _ in found if label}
    return (
        (found[0][1] if found else ""),
        words,
        {label: text for *_, label, _, text in found if label and text},
    )


def _worded(corpora: Iterable[int]) -> list[tuple[int, str, str | None, str, str]]:
    """Returns (corpus, wording of its main question, label, its wording, its help), in order, by one query.

    Without questions whose labels are of another scheme; a question without wordings of labels has None.
    """
    main = Question.objects.filter(corpus__in=corpora, is_main=True, scheme=F("corpus__scheme"))
    entry = ("label_wordings__label", "label_wordings__wording", "label_wordings__help")
    return list(main.order_by("label_wordings__order").values_list("corpus", "wording", *entry))


def main_wordings(corpus: Corpus) -> dict[str, str]:
    """Returns the wordings of the main question's labels, if they are of the corpus's scheme."""
    return main_wording(corpus)[1]


Names = dict[str, dict[str, str]]
TOKEN = re.compile(r"[^\s,]+")


def names_of(corpora: Iterable[Corpus]) -> dict[int, Names]:
    """Returns corpus -> what values are called on its pages, {"label": {label: wording}, "genre": {slug: name}}.

    Two queries. `predicted` has the names of `label`. Files and REST keep the labels of the scheme and the slugs.
    """
    found: dict[int, Names] = {corpus.pk: {"label": {}, "genre": {}} for corpus in corpora}
    for pk, _, label, wording, _ in _worded(list(found)):
        if label:
            found[pk]["label"][label] = wording
    for pk, slug, name in Genre.objects.filter(corpus__in=list(found)).values_list("corpus", "slug", "name"):
        found[pk]["genre"][slug] = name
    return {pk: {**names, "predicted": names["label"]} for pk, names in found.items()}


def names_in(corpus: Corpus) -> Names:
    """Returns what values are called on pages of this corpus."""
    return names_of([corpus])[corpus.pk]


def named(names: Names, kind: str, value: str) -> str:
    """Returns the name of a label or genre on pages; the value itself if it has none, or is of another kind."""
    return names.get(kind, {}).get(value, value)


def labels_named(names: Names, text: str) -> str:
    """Returns the labels in a text by their names on pages: “E N C” and “neutral 3, contradiction”; equal ones as “×3”."""
    words = names.get("label", {})
    letters, given = {label[:1].upper(): word for label, word in words.items()}, text.split()
    if given and letters.keys() >= set(given):
        runs = ((letters[letter], len(list(run))) for letter, run in groupby(given))
        return ", ".join(f"{word} ×{times}" if times > 1 else word for word, times in runs)
    return TOKEN.sub(lambda token: words.get(token[0], token[0]), text)


def answer_words(question: Question) -> dict[str, str]:
    """Returns label -> its wording on pages, in the scheme's order: the corpus's wording, else the label."""
    words = {
        entry.label: entry.wording for entry in question.label_wordings.all()
    }  # as `asked_question` prefetches
    return {label: words.get(label, label) for label in question.labels}
