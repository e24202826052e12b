"""The tables [question] and [[questions]] of a corpus file."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import AfterValidator, Field

from collection.corpus_schema.shared_tables import (
    TABLES_BELOW,
    Check,
    Count,
    ExamPart,
    Example,
    Faq,
    Named,
    Needed,
    OneOrMore,
    Percent,
    Rows,
    Seats,
    Slug,
    Table,
    is_slug,
    repeated,
    strange_labels,
)
from nli.gold import MAJORITY, NEEDS_SCHEME, RULES, UNANIMOUS, is_threshold, may_judge
from nli.labels import SCHEMES
from nli.lines import PARTITIONS
from schemas.base import OneOf, Place, SchemaError

A_WEEK = 7 * 24 * 60  # minutes
PAGES = ("main", "instructions", "exam")  # addresses that no question may take


def _one_sentence_a_line(text: str) -> str:
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def _labels(text: str) -> str:
    return ",".join(filter(None, map(str.strip, text.split(","))))


class WordedLabel(Table):
    label: Needed = Field(description="a label of the scheme")
    wording: Named = Field(title="Button", description="what the button says")
    help: str = Field("", description="one sentence more")


class CalibrationPart(Table):
    """A calibration item: texts outside the corpus with an expert's label. Each line of the premise is one sentence."""

    premise: Annotated[Needed, AfterValidator(_one_sentence_a_line)] = Field(
        description="one sentence a line where premises have several"
    )
    hypothesis: Needed
    label: Needed = Field(description="the expert’s")
    comment: str = Field("", description="why, for researchers")


class PartitionRule(Table):
    """The number of people who judge the pairs of a published partition, if it differs from the question's."""

    partition: Annotated[str, OneOf(PARTITIONS)] = Field(description="`train`, `dev` or `test`")
    seats: Seats = Field(description="labels a pair; at most those of the question")
    threshold: Seats = Field(description="how many equal judgements make the gold label; at most the seats")
    undecided: Annotated[str, Field(max_length=60), AfterValidator(_labels)] = Field(
        "",
        title="Labels that decide nothing",
        description="labels with commas between that make no gold label, even where all agree: the Diverse NLI "
        "Collection leaves 4 of its five-point scale out of its test part",
    )


class QuestionPart(Table):
    wording: Needed = Field(title="Question", description="the question above each pair")
    scheme: Annotated[str, OneOf(("", *SCHEMES))] = Field(
        "",
        title="Labels",
        description="its labels; empty: those of the corpus. The main question of an `entailed2` corpus may ask on "
        '`ordinal5`, with `gold_rule = "unanimous"`: 5 is entailed, 1 to 4 are not',
    )
    instructions: str = Field("", description="Markdown, read once before the first batch")
    seats: Seats = Field(5, title="Labels a pair", description="labels a pair, the author's among them")
    threshold: Seats = Field(
        3,
        title="Votes for a gold label",
        description="votes that make a gold label: more than half of the seats",
    )
    gold_rule: Annotated[str, OneOf(RULES)] = Field(
        MAJORITY,
        title="How votes become gold",
        description="how votes become gold: `majority`, the label with the `threshold`; `adjudicated` (nli3), a "
        "researcher decides where no label has it, and where entailment and contradiction share the votes; `unanimous`, "
        "only where all at least `threshold` votes are the same; `majority_of_all`, the label of more than half of all "
        "answers to a pair, for corpora whose answers vary in number, once no seat of the pair waits: `seats` is the most "
        "that a pair may have",
    )
    most_labels: OneOrMore = Field(
        100,
        title="Most labels of a pair",
        description="the most labels a pair can get when more are asked for",
    )
    batch_size: Annotated[int, Field(ge=1, le=100)] = Field(
        5, title="Pairs at a time", description="pairs handed out at a time"
    )
    pay_cents: Count = Field(0, title="Pay for a pair, in cents", description="for each pair")
    reading_pay_cents: Count = Field(
        0,
        title="Pay for reading the instructions, in cents",
        description="once for reading the instructions and passing their check, before the first batch",
    )
    control_bonus_cents: Count = Field(
        100,
        title="Pay for agreeing with an expert, in cents",
        description="for agreeing with the expert's label of a control item",
    )
    seconds: OneOrMore = Field(
        12, title="Seconds for a pair", description="how long a pair takes, as annotators read it"
    )
    correct_minutes: Annotated[int, Field(ge=0, le=A_WEEK)] = Field(
        30,
        title="Minutes in which a label may be corrected",
        description="how long annotators may correct a label that they sent, under My account; the first one stays as "
        "history. `0`: not at all",
    )
    pool_is_open: bool = Field(
        True,
        title="Every annotator may label",
        description="may every annotator label; `false`: only invited ones",
    )
    pool_needs_exam: bool = Field(
        False,
        title="An exam stands before labelling",
        description="in an open pool: only who passed the question’s own exam may label, or was invited; without one of "
        "its own, the `[exam]` of writers counts",
    )
    qualification: Annotated[str, Field(max_length=60), AfterValidator(is_slug)] = Field(
        "",
        title="Qualification that is needed",
        description="in an open pool: only who holds the qualification of this slug may label, or was invited; it is made "
        "if there is none, and is given among the records (`/admin/records/`) or by an entry link",
    )
    calibration_percent: Percent = Field(
        0,
        title="Calibration items, in percent",
        description="how many of a hundred places in batches hold a [calibration item](#questioncalibration)",
    )
    exam: ExamPart | None = Field(None, title="Exam", description="a table, see above")
    labels: Annotated[tuple[WordedLabel, ...], Rows] = Field((), title="Answers", description=TABLES_BELOW)
    examples: Annotated[tuple[Example, ...], Rows] = Field(
        (), title="Worked examples", description=TABLES_BELOW
    )
    check: Annotated[tuple[Check, ...], Rows] = Field((), title="Check", description=TABLES_BELOW)
    faq: Annotated[tuple[Faq, ...], Rows] = Field(
        (), title="Questions that people ask", description=TABLES_BELOW
    )
    calibration: Annotated[tuple[CalibrationPart, ...], Rows] = Field(
        (), title="Calibration items", description=TABLES_BELOW
    )
    partitions: Annotated[tuple[PartitionRule, ...], Rows] = Field(
        (), title="Seats of a partition", description=f'{TABLES_BELOW}; only with `gold_rule = "{UNANIMOUS}"`'
    )

    def errors(self, place: Place, corpus_scheme: str) -> Iterator[SchemaError]:
        """Returns the errors that concern several keys."""
        labels = SCHEMES.get(self.scheme or corpus_scheme, ())
        if not is_threshold(self.threshold, self.seats):
            yield SchemaError(
                (*place, "threshold"),
                f"must be more than half of the {self.seats} seats, and at most all of them",
            )
        if self.most_labels < self.seats:
            yield SchemaError((*place, "most_labels"), f"must not be smaller than the {self.seats} seats")
        if labels and not may_judge(self.gold_rule, self.scheme or corpus_scheme):
            what = f'"{self.gold_rule}" is for the scheme {NEEDS_SCHEME[self.gold_rule]} alone'
            yield SchemaError((*place, "gold_rule"), what)
        for key in ("labels", "examples", "check", "calibration"):
            yield from strange_labels(getattr(self, key), (*place, key), labels)
        given = [entry.label for entry in self.labels]
        yield from repeated((*place, "labels"), "label", given)
        for label in labels:
            if label not in given:
                yield SchemaError((*place, "labels"), f'"{label}" is missing; add a table for it')
        yield from self._pool_errors(place, labels)
        yield from self._calibration_errors(place)
        yield from self._partition_errors(place, labels)

    def _partition_errors(self, place: Place, labels: Sequence[str]) -> Iterator[SchemaError]:
        if self.partitions and self.gold_rule != UNANIMOUS:
            yield SchemaError((*place, "partitions"), f'goes together with gold_rule = "{UNANIMOUS}"')
        yield from repeated((*place, "partitions"), "partition", [each.partition for each in self.partitions])
        for number, each in enumerate(self.partitions):
            if each.seats > self.seats:
                where = (*place, "partitions", number, "seats")
                yield SchemaError(where, f"must not be more than the {self.seats} seats of the question")
            if each.threshold > each.seats:
                yield SchemaError(
                    (*place, "partitions", number, "threshold"),
                    f"must not be more than the {each.seats} seats",
                )
            for label in filter(None, each.undecided.split(",")):
                if label not in labels:
                    yield SchemaError(
                        (*place, "partitions", number, "undecided"),
                        f'"{label}" is no label of the question; its labels: {", ".join(labels)}',
                    )

    def _pool_errors(self, place: Place, labels: Sequence[str]) -> Iterator[SchemaError]:
        if self.qualification and self.pool_needs_exam:
            yield SchemaError(
                (*place, "qualification"), "does not go together with pool_needs_exam: the exam gives its own"
            )
        if self.exam is None:
            return
        yield from self.exam.errors((*place, "exam"), labels)
        if not self.pool_needs_exam:
            yield SchemaError(
                (*place, "exam"), "goes together with pool_needs_exam = true; give both of them or neither"
            )
        for number, item in enumerate(self.exam.items):
            if not item.hypothesis:
                yield SchemaError(
                    (*place, "exam", "items", number),
                    "has no hypothesis; who labels is not asked to write one",
                )

    def _calibration_errors(self, place: Place) -> Iterator[SchemaError]:
        if self.calibration_percent and not self.calibration:
            yield SchemaError(
                (*place, "calibration_percent"), "there is no item; add a [[calibration]] table for each"
            )
        texts = Counter((item.premise, item.hypothesis) for item in self.calibration)
        for (_, hypothesis), times in texts.items():
            if times > 1:
                what = f'"{hypothesis}" is there {times} times with one premise; once is right'
                yield SchemaError((*place, "calibration"), what)


class SideQuestionPart(QuestionPart):
    """A question other than the main one: the keys of the main question, and those of its own."""

    slug: Slug = Field(
        title="Short name", description="its name in addresses and commands (`open_pairs --question`)"
    )
    hides_premise: bool = Field(
        False, title="Without the premise", description="the sentence is judged by itself"
    )
    by_sentence: bool = Field(
        False, title="Each sentence by itself", description="each sentence of the premise is judged by itself"
    )

    def errors(self, place: Place, corpus_scheme: str) -> Iterator[SchemaError]:
        if self.slug in PAGES:
            yield SchemaError((*place, "slug"), f'"{self.slug}" is the name of a page; choose another')
        if self.hides_premise and self.by_sentence:
            what = "does not go together with by_sentence, which shows one sentence of it"
            yield SchemaError((*place, "hides_premise"), what)
        yield from super().errors(place, corpus_scheme)
