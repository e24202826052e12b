"""A corpus, and a question about it, as scopes of figures."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.core.management.base import CommandError
from django.shortcuts import get_object_or_404

from collection.models import Corpus
from jobs.tasks import enqueue
from shared.figures import Parameters, Scope
from validation.models import Question
from validation.questions.lookup import (
    Names,
    corpus_for_command,
    names_in,
    question_for_command,
    question_or_404,
)
from validation.statistics.cached import COMPUTE, READ, current, request_statistics
from validation.statistics.progress import NothingToCount


class CorpusScope(Scope):
    name, path = "corpus", "corpora/<slug:slug>/"

    def find(self, asked: Mapping[str, str], **place: Any) -> Any:
        return get_object_or_404(Corpus, slug=place["slug"])

    def named(self, text: str) -> Any:
        return corpus_for_command(text)

    def place(self, subject: Any) -> dict[str, Any]:
        return {"slug": subject.slug}

    def file(self, subject: Any) -> str:
        return str(subject.slug)


@dataclass(frozen=True)
class Counted:
    """What figures of a question with a `source` are computed from. found: the statistics, as `cached.READ` returns them."""

    question: Question
    found: Any

    @cached_property
    def genres(self) -> dict[str, str]:
        return dict(self.question.corpus.genres.values_list("slug", "name"))

    @cached_property
    def names(self) -> Names:
        """What pages of the corpus call values, asked for once for all figures of a page."""
        return names_in(self.question.corpus)


class QuestionScope(CorpusScope):
    """The main question of a corpus, or the one that `question` names; a terminal writes CORPUS/QUESTION.

    A `source` is a kind of CachedStatistics; `counted_by` of the parameters says by what it counts.
    """

    asks = ("question",)

    def find(self, asked: Mapping[str, str], **place: Any) -> Question:
        return question_or_404(place["slug"], asked.get("question"))

    def named(self, text: str) -> Question:
        corpus, _, question = text.partition("/")
        return question_for_command(corpus, question or None)

    def place(self, subject: Question) -> dict[str, Any]:
        return {"slug": subject.corpus.slug}

    def query(self, subject: Question) -> dict[str, str]:
        return {} if subject.is_main else {"question": subject.slug}

    def file(self, subject: Question) -> str:
        return subject.corpus.slug

    def stored(self, subject: Question, source: str, parameters: Parameters) -> tuple[Any, Any]:
        if not source:
            return subject, None
        content, row = current(subject, source, parameters.counted_by)
        return (None if content is None else Counted(subject, READ[source](content))), row

    def request(self, subject: Question, source: str, parameters: Parameters) -> None:
        enqueue(request_statistics(question=subject, kind=source, by=parameters.counted_by))

    def count(
        self, subject: Question, source: str, parameters: Parameters, tell: Callable[[str], None]
    ) -> Any:
        if not source:
            return subject
        try:
            content = COMPUTE[source](subject, parameters.counted_by, lambda share: tell(f"{share:.0%} done"))
        except NothingToCount as nothing:
            raise CommandError(str(nothing)) from None
        return Counted(subject, READ[source](content))


CORPUS = CorpusScope()
QUESTION = QuestionScope()
