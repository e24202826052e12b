"""Defines a whole corpus file: all of its tables, and the errors that concern several tables."""

from collections.abc import Iterator
from typing import Annotated

from accounts.placeholders import placeholder_in
from collection.corpus_schema.corpus import AdvicePart, ConsentPart, CorpusPart
from collection.corpus_schema.prompts import GenrePart, PromptPart
from collection.corpus_schema.questions import QuestionPart, SideQuestionPart
from collection.corpus_schema.shared_tables import ExamPart, Rows, Table, repeated
from nli.gold import UNANIMOUS, may_decide
from nli.labels import READINGS, SCHEMES
from schemas.base import Place, SchemaError


class CorpusFile(Table):
    """A whole file."""

    corpus: CorpusPart
    consent: ConsentPart | None = None
    advice: AdvicePart = AdvicePart()
    exam: ExamPart | None = None
    question: QuestionPart
    questions: Annotated[tuple[SideQuestionPart, ...], Rows] = ()
    prompts: Annotated[tuple[PromptPart, ...], Rows] = ()
    genres: Annotated[tuple[GenrePart, ...], Rows] = ()

    def errors(self) -> Iterator[SchemaError]:
        """Returns the errors that concern several tables."""
        scheme = self.corpus.scheme
        labels, slugs = SCHEMES[scheme], [prompt.slug for prompt in self.prompts]
        yield from self.corpus.errors(("corpus",))
        if (self.exam is not None) != (self.corpus.writing == "exam"):
            what = 'goes together with writing = "exam" in [corpus]; give both of them or neither'
            yield SchemaError(("exam",), what)
        if self.exam is not None:
            yield from self.exam.errors(("exam",), labels)
        yield from self._question_errors()
        yield from self._sign_up_errors()
        for number, prompt in enumerate(self.prompts):
            yield from prompt.errors(("prompts", number), labels)
        for number, genre in enumerate(self.genres):
            yield from genre.errors(("genres", number), slugs)
        for key in ("prompts", "questions", "genres"):
            yield from repeated((key,), "slug", [entry.slug for entry in getattr(self, key)])
        if not self.genres:
            yield SchemaError((), "there is no [[genres]] table; a corpus needs at least one genre")

    def _sign_up_errors(self) -> Iterator[SchemaError]:
        """Returns what would let people who signed up by themselves work before an exam."""
        if not self.corpus.sign_up:
            return
        place = ("corpus", "sign_up")
        if self.corpus.writing == "open" and self.corpus.protocol == "elicited":
            yield SchemaError(
                place, 'wants writing = "exam" in [corpus], so that an exam stands before the work'
            )
        for question in (self.question, *self.questions):
            if question.pool_is_open and not (question.pool_needs_exam or question.qualification):
                yield SchemaError(
                    place,
                    "wants pool_needs_exam = true, a qualification, or pool_is_open = false in [question] and"
                    " [[questions]], so that an exam stands before the work",
                )
                return

    def _question_errors(self) -> Iterator[SchemaError]:
        scheme = self.corpus.scheme
        yield from self.question.errors(("question",), scheme)
        judged = self.question.scheme or scheme
        if judged != scheme and not may_decide(self.question.gold_rule, judged, scheme):
            ways = " or ".join(
                f"{one} in an {into} corpus" for one, into in READINGS if may_decide(UNANIMOUS, one, into)
            )
            yield SchemaError(
                ("question", "scheme"),
                "must be that of [corpus], so that its labels can be gold; the one other way is"
                f' {ways}, with gold_rule = "{UNANIMOUS}"',
            )
        for number, side in enumerate(self.questions):
            yield from side.errors(("questions", number), scheme)
        asked: list[tuple[Place, QuestionPart]] = [(("question",), self.question)]
        asked += [(("questions", number), side) for number, side in enumerate(self.questions)]
        for place, question in asked:
            if question.pool_needs_exam and question.exam is None and self.exam is None:
                yield SchemaError(
                    (*place, "pool_needs_exam"), "wants an [exam]; add the table, or take the key out"
                )

    def with_schemes(self) -> "CorpusFile":
        """Returns the file with an explicit scheme for each question: the corpus's, if it names none."""
        scheme = {"scheme": self.corpus.scheme}
        return self.model_copy(
            update={
                "question": self.question.model_copy(update={} if self.question.scheme else scheme),
                "questions": tuple(
                    side.model_copy(update={} if side.scheme else scheme) for side in self.questions
                ),
            }
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        """Returns the warnings, which do not prevent loading."""
        return tuple(self._warnings())

    def _warnings(self) -> Iterator[str]:
        used = {genre.prompt for genre in self.genres}
        for prompt in self.prompts:
            if prompt.slug not in used:
                yield f'[[prompts]] "{prompt.slug}": no genre uses this prompt; name it in a [[genres]] table.'
        if self.corpus.protocol == "elicited":
            for genre in self.genres:
                if not genre.prompt:
                    yield f'[[genres]] "{genre.slug}": names no prompt, so nobody can write for it.'
        if self.consent is None:
            yield (
                "there is no [consent] table, so nobody is told what is collected, nor whether language"
                " models may help."
            )
        elif left := placeholder_in(
            f"{self.consent.title}\n{self.consent.text_under(self.corpus.language_models)}"
        ):
            yield (
                f"[consent]: {left} is still to be filled in. Until then nobody can agree to it, so nobody can begin;"
                " put round brackets where square ones are meant."
            )
        if self.corpus.sign_up and not self.corpus.payment:
            yield (
                "[corpus] payment: is empty. People who sign up by themselves come from no platform that pays them, so say"
                " here when and how they get their money."
            )
        shown = {example.label for example in self.question.examples}
        if missing := [label for label in SCHEMES[self.corpus.scheme] if label not in shown]:
            yield f"[question]: there is no worked example for {', '.join(missing)}."
