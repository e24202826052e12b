"""The tables [[prompts]] and [[genres]] of a corpus file."""

import hashlib
import json
import warnings
from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import AfterValidator, Field

from collection.corpus_schema.shared_tables import (
    TABLES_ABOVE,
    TABLES_BELOW,
    Check,
    Count,
    Example,
    Faq,
    Named,
    Needed,
    OneOrMore,
    Percent,
    Rows,
    Slug,
    Table,
    is_one_line,
    repeated,
    strange_labels,
)
from schemas.base import OneOf, Place, SchemaError, meant

REGISTERS = ("written", "spoken")
STATUSES = ("open", "pilot", "closed")
DRAWN_BY = ("writer", "premise")
WRITE, EDIT, CONTRAST, EXPLAIN, MODEL = MODES = ("write", "edit", "contrast", "explain", "model")
LATER_KEYS = ("reading_pay_cents", "differs", "mode", "avoid", "coach", "feedback", "run", "bonus_cents")
NOT_SHOWN = {"slug", "name", "status", "arm_of", "share", "drawn_by", "drawn_by_genre", "review_percent"}


class WrittenField(Table):
    label: Needed = Field(description="the label that the sentence is written for")
    wording: Needed = Field(title="What it asks for", description="what the field asks for")
    reminder: Annotated[str, Field(max_length=200)] = Field("", description="a short line under it")


class PromptPart(Table):
    slug: Slug = Field(title="Short name")
    name: Named
    instructions: Needed = Field(description="Markdown")
    status: Annotated[str, OneOf(STATUSES)] = Field(
        "open",
        title="State",
        description="`open`; `pilot`: for chosen writers, their sentences apart; `closed`: nobody writes",
    )
    arm_of: str = Field(
        "",
        title="Arm of",
        description="the slug of the prompt in whose place this one stands for some writers; genres name that prompt, and "
        "writers read its name",
    )
    share: OneOrMore = Field(
        1, title="Share", description="of arms: how many tasks for one of an arm with the share 1"
    )
    drawn_by: Annotated[str, OneOf(DRAWN_BY)] = Field(
        "writer",
        title="Arms are drawn by",
        description="`writer`: everybody belongs to one arm, for good; `premise`: each premise does, and everybody writes "
        "under all arms",
    )
    drawn_by_genre: bool = Field(
        False,
        title="Arms are balanced within each genre",
        description="`false`: over all genres of the prompt",
    )
    review_percent: Percent = Field(
        0,
        title="Sentences for review, in percent",
        description="how many percent of the sentences are drawn for a researcher to read, when they are sent",
    )
    pay_cents: Count = Field(0, title="Pay for a premise, in cents", description="for each premise")
    seconds: OneOrMore = Field(
        120, title="Seconds for a premise", description="how long a premise takes, as writers read it"
    )
    care: str = Field(
        "",
        title="Care, above every premise",
        description="Markdown above every premise, for texts that may upset; there it is folded after the first paragraph. "
        "Nobody begins with such a text, unless they chose its kind",
    )
    skip_pay_cents: Count = Field(
        0,
        title="Pay for a skipped premise, in cents",
        description="for a premise that a writer skips because it is upsetting; at most `pay_cents`",
    )
    paid_skips_per_day: Count = Field(
        5, title="Paid skips a day", description="how many of these a writer is paid for in a day"
    )
    reading_pay_cents: Count = Field(
        0,
        title="Pay for reading the instructions, in cents",
        description="once for reading the instructions and passing their check; a later version is not paid again",
    )
    differs: str = Field(
        "",
        title="What is different from another prompt",
        description="Markdown: what is different here, for those who have read another prompt of the corpus; they see it in "
        "place of the instructions, which fold away. Empty: they see the instructions",
    )
    mode: Annotated[str, OneOf(MODES)] = Field(
        WRITE,
        title="Way of writing",
        description="`write`; `edit`: the text, or a draft that `offer_texts` brought, stands in each field to be changed; "
        "`contrast`: the first sentence is written, and changed as little as possible for each other label; `explain`: "
        "beside each sentence the writer says why it fits; `model`: a frozen run answers while somebody types",
    )
    run: Count = Field(
        0,
        title="Run that answers",
        description="the number of a finished run. Under `model` it answers what is typed, and so does its hypothesis-only "
        "twin; under `coach` the twin advises. It never changes within an arm. 0: none",
    )
    bonus_cents: Count = Field(
        0,
        title="Bonus for a wrong answer of the run, in cents",
        description="under `model`: once for a sentence that the run answered wrongly when it was sent, as soon as two "
        "validators chose the writer's answer",
    )
    avoid: Annotated[str, Field(max_length=1000), AfterValidator(is_one_line)] = Field(
        "", title="Words to avoid", description="words that no sentence may have, with commas between"
    )
    coach: bool = Field(
        False,
        title="Coach",
        description="`true`: while somebody types, a word that gives the answer away in this corpus is named, and with "
        "`run` an answer that is found without the text; it can be sent all the same",
    )
    feedback: bool = Field(
        False,
        title="Writers read the reviews",
        description="`true`: who wrote a sentence that was reviewed reads what the researcher says of it before the next "
        "text, and has a level of `[[levels]]`",
    )
    fields: Annotated[tuple[WrittenField, ...], Rows] = Field(
        (), title="Fields to write", description=f"{TABLES_BELOW}; at least one"
    )
    examples: Annotated[tuple[Example, ...], Rows] = Field(
        (), title="Worked examples", description=TABLES_ABOVE
    )
    check: Annotated[tuple[Check, ...], Rows] = Field((), title="Check", description=TABLES_BELOW)
    faq: Annotated[tuple[Faq, ...], Rows] = Field(
        (), title="Questions that people ask", description=TABLES_ABOVE
    )

    @property
    def digest(self) -> str:
        """Returns a digest of all that a writer sees or earns; it excludes name, status and how arms are drawn."""
        content = self.model_dump(exclude=NOT_SHOWN)
        for key in LATER_KEYS:  # versions from before these keys keep their digest
            if content[key] == type(self).model_fields[key].default:
                del content[key]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    def errors(self, place: Place, labels: Sequence[str]) -> Iterator[SchemaError]:
        if not self.fields:
            what = "there is none; add a [[prompts.fields]] table for each label to be written"
            yield SchemaError((*place, "fields"), what)
        for key in ("fields", "examples", "check"):
            yield from strange_labels(getattr(self, key), (*place, key), labels)
        asked = [entry.label for entry in self.fields]
        yield from repeated((*place, "fields"), "label", asked)
        shown = {entry.label for entry in self.examples}
        for label in dict.fromkeys(asked):
            if label and label not in shown:
                what = f'there is no worked example for "{label}"; add a [[prompts.examples]] table'
                yield SchemaError((*place, "examples"), what)
        if self.mode == CONTRAST and len(asked) == 1:
            yield SchemaError((*place, "mode"), "wants two fields or more: the second changes the first")
        if self.mode == MODEL and not self.run:
            yield SchemaError((*place, "run"), "is missing: the number of the run that answers")
        if self.run and not (self.mode == MODEL or self.coach):
            yield SchemaError((*place, "run"), 'is for mode = "model" or coach = true')
        if self.bonus_cents and self.mode != MODEL:
            yield SchemaError((*place, "bonus_cents"), 'is for mode = "model"')
        for question in self.check:
            if question.label in labels and question.label not in asked:
                what = f'"{question.label}" has no [[prompts.fields]] table, so nobody can choose it'
                yield SchemaError((*place, "check"), what)
        if self.skip_pay_cents > self.pay_cents:
            what = f"must not be more than pay_cents, {self.pay_cents}: skipping would pay better"
            yield SchemaError((*place, "skip_pay_cents"), what)


with warnings.catch_warnings():
    # A key of ours has the name of a method that every abstract class has, and that nobody calls here.
    warnings.filterwarnings("ignore", 'Field name "register"')

    class GenrePart(Table):
        slug: Slug = Field(title="Short name", description="what `--genre` and the files name")
        name: Named
        register: Annotated[str, OneOf(("", *REGISTERS))] = Field("", description="`written` or `spoken`")
        in_training: bool = Field(
            True, title="In training", description="`false`: its pairs never go to train (mismatched genres)"
        )
        prompt: str = Field("", description="the slug of its prompt; without one nobody can write for it")

        def errors(self, place: Place, prompts: Sequence[str]) -> Iterator[SchemaError]:
            if self.prompt and self.prompt not in prompts:
                guess = meant(self.prompt, prompts, " (did you mean {}?)")
                listed = ", ".join(filter(None, prompts)) or "none"
                what = f'no prompt has the slug "{self.prompt}"{guess}; the prompts are: {listed}'
                yield SchemaError((*place, "prompt"), what)
