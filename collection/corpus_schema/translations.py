"""The tables [[translations]] of a corpus file: what it says to people who write and label, in another language."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any

from pydantic import Field

from collection.corpus_schema.levels import LevelPart
from collection.corpus_schema.prompts import PromptPart
from collection.corpus_schema.questions import QuestionPart
from collection.corpus_schema.shared_tables import TABLES_BELOW, ExamPart, Needed, Rows, Table
from schemas.base import Place, SchemaError

Name = Annotated[str, Field(max_length=200)]
SAME_ORDER = "as many as in the file, in the same order; or none"


class TranslatedLabel(Table):
    label: Needed = Field(description="a label of the scheme")
    wording: Name = Field("", title="Button", description="what the button says")
    help: str = ""


class TranslatedField(Table):
    label: Needed = Field(description="the label that the sentence is written for")
    wording: str = Field("", title="What it asks for", description="what the field asks for")
    reminder: Name = ""


class TranslatedFaq(Table):
    question: str = ""
    answer: str = Field("", description="Markdown")


class TranslatedExam(Table):
    instructions: str = Field("", description="Markdown")

    def pairs(self, of: ExamPart | None, place: Place) -> Iterator[tuple[str, str] | SchemaError]:
        """Yields (text of the file, its translation), and errors."""
        if of is None:
            yield SchemaError(place, "translates the table of an exam, and there is none")
        else:
            yield (of.instructions, self.instructions)


# What a question and a prompt have alike.
Comments = Annotated[
    tuple[str, ...],
    Rows,
    Field(title="Comments on the worked examples", description=f"of the examples: {SAME_ORDER}"),
]
Explanations = Annotated[
    tuple[str, ...],
    Rows,
    Field(title="Explanations of the check", description=f"of the check: {SAME_ORDER}"),
]
Faq = Annotated[
    tuple[TranslatedFaq, ...], Rows, Field(title="Questions that people ask", description=SAME_ORDER)
]


class TranslatedQuestion(Table):
    wording: str = Field("", title="Question")
    instructions: str = Field("", description="Markdown")
    exam: TranslatedExam | None = Field(None, title="Exam", description="a table, see above")
    labels: Annotated[tuple[TranslatedLabel, ...], Rows] = Field(
        (), title="Answers", description=TABLES_BELOW
    )
    comments: Comments = ()
    explanations: Explanations = ()
    faq: Faq = ()

    def pairs(self, of: QuestionPart, place: Place) -> Iterator[tuple[str, str] | SchemaError]:
        """Yields (text of the file, its translation), and errors."""
        yield from [(of.wording, self.wording), (of.instructions, self.instructions)]
        if self.exam is not None:
            yield from self.exam.pairs(of.exam, (*place, "exam"))
        yield from _by_label(of.labels, self.labels, ("wording", "help"), (*place, "labels"))
        yield from _lists(of, self, place)


class TranslatedSideQuestion(TranslatedQuestion):
    slug: Needed = Field(description="of a question beside the main one; `[translations.question]` has none")


class TranslatedPrompt(Table):
    slug: Needed = Field(description="of a prompt of the file")
    name: Name = ""
    instructions: str = Field("", description="Markdown")
    care: str = Field("", description="Markdown")
    differs: str = Field("", title="What is different from another prompt", description="Markdown")
    fields: Annotated[tuple[TranslatedField, ...], Rows] = Field(
        (), title="Fields to write", description=TABLES_BELOW
    )
    comments: Comments = ()
    explanations: Explanations = ()
    faq: Faq = ()

    def pairs(self, of: PromptPart, place: Place) -> Iterator[tuple[str, str] | SchemaError]:
        """Yields (text of the file, its translation), and errors."""
        keys = ("name", "instructions", "care", "differs")
        yield from [(getattr(of, key), getattr(self, key)) for key in keys]
        yield from _by_label(of.fields, self.fields, ("wording", "reminder"), (*place, "fields"))
        yield from _lists(of, self, place)


class TranslatedLevel(Table):
    slug: Needed = Field(description="of a level of the file")
    name: Name = ""

    def pairs(self, of: LevelPart, place: Place) -> Iterator[tuple[str, str] | SchemaError]:
        """Yields (text of the file, its translation)."""
        yield of.name, self.name


def _by_label(
    ours: Iterable[Any], theirs: Iterable[Any], keys: Iterable[str], place: Place
) -> Iterator[tuple[str, str] | SchemaError]:
    known = {row.label: row for row in ours}
    for number, row in enumerate(theirs):
        if row.label not in known:
            what = f'"{row.label}" is none of {", ".join(known)}'
            yield SchemaError((*place, number, "label"), what)
            continue
        yield from [(getattr(known[row.label], key), getattr(row, key)) for key in keys]


def _lists(of: Any, said: Any, place: Place) -> Iterator[tuple[str, str] | SchemaError]:
    """Yields pairs of what has no name of its own, and is told by its place."""
    lists: Mapping[str, tuple[list[str], list[str]]] = {
        "comments": ([each.comment for each in of.examples], list(said.comments)),
        "explanations": ([each.explanation for each in of.check], list(said.explanations)),
        "faq": (
            [text for each in of.faq for text in (each.question, each.answer)],
            [text for each in said.faq for text in (each.question, each.answer)],
        ),
    }
    for key, (ours, theirs) in lists.items():
        if any(theirs) and len(ours) != len(theirs):
            yield SchemaError((*place, key), "there must be as many as in the file, in the same order")
        else:
            yield from zip(ours, theirs, strict=False)
