"""Defines what the tables of a corpus file share: types with their limits, texts for people, errors about labels."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field, field_validator

from schemas.base import Part, Place, SchemaError, refuse

SLUG = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
TAG = re.compile(r"[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*")
MAX_SMALL = 32_767  # what a small whole number holds in every database
TABLES_BELOW, TABLES_ABOVE = "tables, see below", "tables, see above"


def is_slug(text: str) -> str:
    if text and not SLUG.fullmatch(text):
        refuse(f'"{text}" must be small letters, digits and single hyphens, such as "face-to-face"')
    return text


def is_language_tag(text: str) -> str:
    if text and not TAG.fullmatch(text):
        refuse(f'"{text}" is no language tag; name the language as "en", "de" or "pt-BR"')
    return text


def is_one_line(text: str) -> str:
    if "\n" in text:
        refuse("must be one line")
    return text


Needed = Annotated[str, Field(min_length=1)]
Named = Annotated[str, Field(min_length=1, max_length=200)]
Slug = Annotated[str, Field(min_length=1, max_length=60), AfterValidator(is_slug)]
Count = Annotated[int, Field(ge=0, le=MAX_SMALL)]
OneOrMore = Annotated[int, Field(ge=1, le=MAX_SMALL)]
Percent = Annotated[int, Field(ge=0, le=100)]
Seats = Annotated[int, Field(ge=1, le=1000)]
Rows = Field(strict=False)  # TOML has lists, we keep tuples; what is in them stays strict


class Table(Part):
    """A table of the file. White space at the ends of texts does not count."""

    model_config = ConfigDict(str_strip_whitespace=True, str_max_length=100_000)

    @field_validator("*", mode="after")
    @classmethod
    def _without_nul(cls, value: Any) -> Any:
        if isinstance(value, str) and "\x00" in value:
            refuse("contains a NUL character; remove it")
        return value


class Faq(Table):
    question: Needed
    answer: Needed = Field(description="Markdown")


class Example(Table):
    """A premise, a hypothesis, and the label that fits."""

    premise: Needed
    label: Needed = Field(description="the label that fits")
    hypothesis: Needed
    comment: str = Field("", description="why it fits")


class Check(Table):
    """A pair that a reader of the instructions should be able to label, and the explanation after a wrong answer."""

    premise: Needed
    hypothesis: Needed
    label: Needed = Field(
        description="the right answer; for a prompt one of the labels that its fields ask for"
    )
    explanation: Needed = Field(description="what people read after a wrong answer")


class ExamItemPart(Table):
    """A pair whose label is known or, without a hypothesis, a premise to write for."""

    premise: Needed
    label: Needed = Field(description="the known label, or the one to write for")
    hypothesis: str = Field("", description="the sentence to be judged; empty: one is to be written")


class ExamPart(Table):
    instructions: str = Field("", description="Markdown")
    pass_mark: Percent = Field(80, title="Pass mark, in percent", description="percent of the known labels")
    tries: OneOrMore = Field(2, title="Tries", description="how often one person may take it")
    items: Annotated[tuple[ExamItemPart, ...], Rows] = Field(
        (), title="Items", description=f"{TABLES_BELOW}; at least one"
    )

    def errors(self, place: Place, labels: Sequence[str]) -> Iterator[SchemaError]:
        if not self.items:
            yield SchemaError((*place, "items"), "there is none; add an [[exam.items]] table for each item")
        yield from strange_labels(self.items, (*place, "items"), labels)


def strange_labels(rows: Iterable[Any], place: Place, labels: Sequence[str]) -> Iterator[SchemaError]:
    """Returns the labels that are not in the scheme. Empty labels are reported elsewhere."""
    for number, row in enumerate(rows):
        if row.label and labels and row.label not in labels:
            yield SchemaError((*place, number, "label"), f'"{row.label}" is none of {", ".join(labels)}')


def repeated(place: Place, key: str, values: Sequence[str]) -> Iterator[SchemaError]:
    for value, times in Counter(values).items():
        if value and times > 1:
            yield SchemaError(place, f'{key} "{value}" is there {times} times; once is right')
