"""The schema of a corpus file: its tables and keys, with types, limits, defaults and meanings.

Everything else takes them from here: the models their defaults, the reference page its tables.
"""

import hashlib
import json
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field, field_validator

from accounts.placeholders import placeholder_in
from collection import advice
from nli.gold import RULES
from nli.labels import SCHEMES
from schemas.base import Fault, OneOf, Part, Place, meant, refuse

PARTITIONS = ("train", "dev", "test")
PROTOCOLS = ("elicited", "judged", "recast")
REGISTERS = ("written", "spoken")
WRITING = ("open", "invitation", "exam")
STATUSES = ("open", "pilot", "closed")

LEVELS = (advice.OFF, advice.WARN, advice.REFUSE)
# The last paragraph of every consent text: what the corpus's policy means for whoever works on it.
LANGUAGE_MODELS = {
    "forbidden": "**Language models.** Please do all of this work by yourself. Chat assistants and other"
    " language models may not write, suggest, translate or rephrase your sentences, and they may not choose"
    " labels for you. A spelling checker is fine.",
    "declared": "**Language models.** You may use a chat assistant or another language model only if you tell"
    " us so: name each task in which it helped you. Work that you hand in without a word counts as done by"
    " yourself alone.",
    "allowed": "**Language models.** You may use a chat assistant or another language model. Please read what it"
    " gives you, and hand in only what you would have said yourself: it counts as your work.",
}
PAGES = ("main", "instructions", "exam")  # addresses that no question may take
SLUG = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
MAX_SMALL = 32_767  # what a small whole number holds in every database
TABLES_BELOW, TABLES_ABOVE = "tables, see below", "tables, see above"


def _is_slug(text: str) -> str:
    if text and not SLUG.fullmatch(text):
        refuse(f'"{text}" must be small letters, digits and single hyphens, such as "face-to-face"')
    return text


def _one_sentence_a_line(text: str) -> str:
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


Needed = Annotated[str, Field(min_length=1)]
Named = Annotated[str, Field(min_length=1, max_length=200)]
Slug = Annotated[str, Field(min_length=1, max_length=60), AfterValidator(_is_slug)]
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
            refuse("holds a NUL character; take it out")
        return value


class CorpusPart(Table):
    slug: Slug = Field(description="the name in commands and addresses; it cannot change")
    name: Named = Field(description="the name that people see")
    description: str = Field("", description="Markdown")
    scheme: Annotated[str, OneOf(tuple(SCHEMES))] = Field(
        "nli3",
        description="the labels: `nli3` entailment, neutral, contradiction; `entailed2` entailed, not-entailed; "
        "`ordinal5` 1 to 5; `grammar3` none, minor, major",
    )
    protocol: Annotated[str, OneOf(PROTOCOLS)] = Field(
        "elicited",
        description="`elicited`: a person writes the hypothesis for a label; `judged`: pairs come from elsewhere, people "
        "label them; `recast`: made from another task",
    )
    language: Annotated[str, Field(max_length=35)] = Field(
        "en",
        description="a language tag, such as `ar`; pages take the direction of writing from it, statistics and baselines "
        "what counts as a word",
    )
    licence: Annotated[str, Field(max_length=100)] = Field("", description="of the corpus")
    made_for_demo: bool = Field(
        False, description="says on pages and in snapshots that this measures nothing"
    )
    language_models: Annotated[str, OneOf(tuple(LANGUAGE_MODELS))] = Field(
        "forbidden",
        description="may language models help: `forbidden`, `declared` (where a worker says so), `allowed`. The consent "
        "text says it, see below",
    )
    writing: Annotated[str, OneOf(WRITING)] = Field(
        "open",
        description="who may write: `open` every annotator; `invitation` those to whom a researcher gives the "
        "qualification `write-SLUG`; `exam` those too who pass the `[exam]`",
    )
    writers_per_premise: OneOrMore = Field(1, description="how many people write for each premise")
    max_tasks_per_day: Count = Field(0, description="premises that one writer is given a day; 0: no limit")
    max_genre_share: Annotated[int, Field(ge=1, le=100)] = Field(
        100, description="percent of a genre that one writer may fill"
    )
    pause_after_reports: Count = Field(
        3, description="unanswered problem reports that pause a premise; 0: never"
    )
    min_hypothesis_chars: OneOrMore = Field(1, description="shorter texts are asked for again")
    max_hypothesis_chars: OneOrMore = Field(1000, description="longer ones too")
    dev_pairs_per_genre: Count = Field(0, description="how many pairs of each genre a freeze puts into dev")
    test_pairs_per_genre: Count = Field(0, description="and into test")

    def faults(self, place: Place) -> Iterator[Fault]:
        if self.max_hypothesis_chars < self.min_hypothesis_chars:
            yield Fault((*place, "max_hypothesis_chars"), "must not be smaller than min_hypothesis_chars")


class ConsentPart(Table):
    title: Named = Field(description="the heading of the page")
    text: Needed = Field(description="Markdown")
    language_models: str = Field(
        "",
        description="the last paragraph: what people are told of language models. Empty: our words for the policy of "
        "`[corpus]`, in English; give your own where the text is in another language",
    )

    def text_under(self, policy: str) -> str:
        """The whole text that people agree to, with what it says of language models at its end."""
        return f"{self.text}\n\n{self.language_models or LANGUAGE_MODELS[policy]}"


Level = Annotated[str, OneOf(LEVELS)]


class AdvicePart(Table):
    """How each kind of advice acts. The kinds that the file does not name keep their level."""

    too_short: Level = Field(advice.LEVELS["too_short"], description="under `min_hypothesis_chars`")
    too_long: Level = Field(advice.LEVELS["too_long"], description="over `max_hypothesis_chars`")
    same_as_premise: Level = Field(
        advice.LEVELS["same_as_premise"], description="the text itself, or one of its sentences"
    )
    same_as_another: Level = Field(
        advice.LEVELS["same_as_another"], description="the same in two fields of one task"
    )
    used_before: Level = Field(advice.LEVELS["used_before"], description="sent before by the same writer")
    one_word_changed: Level = Field(
        advice.LEVELS["one_word_changed"], description="one word other than the text or another field"
    )
    other_language: Level = Field(
        advice.LEVELS["other_language"],
        description="not in the language of the corpus, as far as a guess can tell",
    )

    @property
    def named(self) -> dict[str, str]:
        """Kind -> level, of those that the file names."""
        return {
            kind: getattr(self, kind) for kind in type(self).model_fields if kind in self.model_fields_set
        }


class Faq(Table):
    question: Needed
    answer: Needed = Field(description="Markdown")


class Example(Table):
    """A premise, a hypothesis, and the label that fits."""

    premise: Needed
    label: Needed = Field(description="the label that fits")
    hypothesis: Needed
    comment: str = Field("", description="why it fits")


class WordedLabel(Table):
    label: Needed = Field(description="a label of the scheme")
    wording: Named = Field(description="what the button says")
    help: str = Field("", description="one sentence more")


class WrittenField(Table):
    label: Needed = Field(description="the label that the sentence is written for")
    wording: Needed = Field(description="what the field asks for")
    reminder: Annotated[str, Field(max_length=200)] = Field("", description="a short line under it")


class Check(Table):
    """A pair that a reader of the instructions should be able to label, and what a wrong answer is told."""

    premise: Needed
    hypothesis: Needed
    label: Needed = Field(
        description="the right answer; for a prompt one of the labels that its fields ask for"
    )
    explanation: Needed = Field(description="what a wrong answer is told")


class ExamItemPart(Table):
    """A pair whose label is known or, without a hypothesis, a premise to write for."""

    premise: Needed
    label: Needed = Field(description="the known label, or the one to write for")
    hypothesis: str = Field("", description="the sentence to be judged; empty: one is to be written")


class ExamPart(Table):
    instructions: str = Field("", description="Markdown")
    pass_mark: Percent = Field(80, description="percent of the known labels")
    tries: OneOrMore = Field(2, description="how often one person may take it")
    items: Annotated[tuple[ExamItemPart, ...], Rows] = Field((), description=f"{TABLES_BELOW}; at least one")

    def faults(self, place: Place, labels: Sequence[str]) -> Iterator[Fault]:
        if not self.items:
            yield Fault((*place, "items"), "there is none; add an [[exam.items]] table for each item")
        yield from _strange_labels(self.items, (*place, "items"), labels)


class CalibrationPart(Table):
    """A text from outside the corpus with an expert's label. One sentence of the premise a line."""

    premise: Annotated[Needed, AfterValidator(_one_sentence_a_line)] = Field(
        description="one sentence a line where premises have several"
    )
    hypothesis: Needed
    label: Needed = Field(description="the expert’s")
    comment: str = Field("", description="why, for researchers")


class PartitionRule(Table):
    """How many people judge the pairs that came with a partition, where that is not the question's own number."""

    partition: Annotated[str, OneOf(PARTITIONS)] = Field(description="`train`, `dev` or `test`")
    seats: Seats = Field(description="labels a pair; at most those of the question")
    threshold: Seats = Field(description="how many equal judgements make the gold label; at most the seats")


class QuestionPart(Table):
    wording: Needed = Field(description="the question above each pair")
    scheme: Annotated[str, OneOf(("", *SCHEMES))] = Field(
        "",
        description="its labels; empty: those of the corpus. The main question of an `entailed2` corpus may ask on "
        '`ordinal5`, with `gold_rule = "unanimous"`: 5 is entailed, 1 to 4 are not',
    )
    instructions: str = Field("", description="Markdown, read once before the first batch")
    seats: Seats = Field(5, description="labels a pair, the author's among them")
    threshold: Seats = Field(3, description="votes that make a gold label: more than half of the seats")
    gold_rule: Annotated[str, OneOf(RULES)] = Field(
        "majority",
        description="how votes become gold: `majority`, the label with the `threshold`; `adjudicated` (nli3), a "
        "researcher decides where no label has it, and where entailment and contradiction share the votes; `unanimous`, "
        "only where all at least `threshold` votes are the same",
    )
    most_labels: OneOrMore = Field(100, description="the most labels a pair can get when more are asked for")
    batch_size: Annotated[int, Field(ge=1, le=100)] = Field(5, description="pairs handed out at a time")
    pay_cents: Count = Field(0, description="for each pair")
    control_bonus_cents: Count = Field(
        100, description="for agreeing with the expert's label of a control item"
    )
    seconds: OneOrMore = Field(12, description="how long a pair takes, as told to annotators")
    pool_is_open: bool = Field(True, description="may every annotator label; `false`: only invited ones")
    pool_needs_exam: bool = Field(
        False,
        description="in an open pool: only who passed the question’s own exam may label, or was invited; without one of "
        "its own, the `[exam]` of writers counts",
    )
    qualification: Annotated[str, Field(max_length=60), AfterValidator(_is_slug)] = Field(
        "",
        description="in an open pool: only who holds the qualification of this slug may label, or was invited; it is made "
        "if there is none, and is given in the dashboard or by an entry link",
    )
    calibration_percent: Percent = Field(
        0,
        description="how many of a hundred places in batches hold a [calibration item](#questioncalibration)",
    )
    exam: ExamPart | None = Field(None, description="a table, see above")
    labels: Annotated[tuple[WordedLabel, ...], Rows] = Field((), description=TABLES_BELOW)
    examples: Annotated[tuple[Example, ...], Rows] = Field((), description=TABLES_BELOW)
    check: Annotated[tuple[Check, ...], Rows] = Field((), description=TABLES_BELOW)
    faq: Annotated[tuple[Faq, ...], Rows] = Field((), description=TABLES_BELOW)
    calibration: Annotated[tuple[CalibrationPart, ...], Rows] = Field((), description=TABLES_BELOW)
    partitions: Annotated[tuple[PartitionRule, ...], Rows] = Field(
        (), description=f'{TABLES_BELOW}; only with `gold_rule = "unanimous"`'
    )

    def faults(self, place: Place, corpus_scheme: str) -> Iterator[Fault]:
        """What no key shows by itself."""
        labels = SCHEMES.get(self.scheme or corpus_scheme, ())
        if not self.seats < 2 * self.threshold <= 2 * self.seats:
            yield Fault(
                (*place, "threshold"),
                f"must be more than half of the {self.seats} seats, and at most all of them",
            )
        if self.most_labels < self.seats:
            yield Fault((*place, "most_labels"), f"must not be smaller than the {self.seats} seats")
        if self.gold_rule == "adjudicated" and labels not in ((), SCHEMES["nli3"]):
            yield Fault((*place, "gold_rule"), '"adjudicated" is for the scheme nli3 alone')
        for key in ("labels", "examples", "check", "calibration"):
            yield from _strange_labels(getattr(self, key), (*place, key), labels)
        given = [entry.label for entry in self.labels]
        yield from _repeated((*place, "labels"), "label", given)
        for label in labels:
            if label not in given:
                yield Fault((*place, "labels"), f'"{label}" is missing; add a table for it')
        yield from self._pool_faults(place, labels)
        yield from self._calibration_faults(place)
        yield from self._partition_faults(place)

    def _partition_faults(self, place: Place) -> Iterator[Fault]:
        if self.partitions and self.gold_rule != "unanimous":
            yield Fault((*place, "partitions"), 'goes together with gold_rule = "unanimous"')
        yield from _repeated(
            (*place, "partitions"), "partition", [each.partition for each in self.partitions]
        )
        for number, each in enumerate(self.partitions):
            if each.seats > self.seats:
                where = (*place, "partitions", number, "seats")
                yield Fault(where, f"must not be more than the {self.seats} seats of the question")
            if each.threshold > each.seats:
                yield Fault(
                    (*place, "partitions", number, "threshold"),
                    f"must not be more than the {each.seats} seats",
                )

    def _pool_faults(self, place: Place, labels: Sequence[str]) -> Iterator[Fault]:
        if self.qualification and self.pool_needs_exam:
            yield Fault(
                (*place, "qualification"), "does not go together with pool_needs_exam: the exam gives its own"
            )
        if self.exam is None:
            return
        yield from self.exam.faults((*place, "exam"), labels)
        if not self.pool_needs_exam:
            yield Fault(
                (*place, "exam"), "goes together with pool_needs_exam = true; give both of them or neither"
            )
        for number, item in enumerate(self.exam.items):
            if not item.hypothesis:
                yield Fault(
                    (*place, "exam", "items", number),
                    "has no hypothesis; who labels is not asked to write one",
                )

    def _calibration_faults(self, place: Place) -> Iterator[Fault]:
        if self.calibration_percent and not self.calibration:
            yield Fault(
                (*place, "calibration_percent"), "there is no item; add a [[calibration]] table for each"
            )
        texts = Counter((item.premise, item.hypothesis) for item in self.calibration)
        for (_, hypothesis), times in texts.items():
            if times > 1:
                what = f'"{hypothesis}" is there {times} times with one premise; once is right'
                yield Fault((*place, "calibration"), what)


class SideQuestionPart(QuestionPart):
    """A question beside the main one: all of its keys, and what sets it apart."""

    slug: Slug = Field(description="its name in addresses and commands (`open_pairs --question`)")
    hides_premise: bool = Field(False, description="the sentence is judged by itself")
    by_sentence: bool = Field(False, description="each sentence of the premise is judged by itself")

    def faults(self, place: Place, corpus_scheme: str) -> Iterator[Fault]:
        if self.slug in PAGES:
            yield Fault((*place, "slug"), f'"{self.slug}" is the name of a page; choose another')
        if self.hides_premise and self.by_sentence:
            what = "does not go together with by_sentence, which shows one sentence of it"
            yield Fault((*place, "hides_premise"), what)
        yield from super().faults(place, corpus_scheme)


class PromptPart(Table):
    slug: Slug
    name: Named
    instructions: Needed = Field(description="Markdown")
    status: Annotated[str, OneOf(STATUSES)] = Field(
        "open",
        description="`open`; `pilot`: for chosen writers, their sentences apart; `closed`: nobody writes",
    )
    pay_cents: Count = Field(0, description="for each premise")
    seconds: OneOrMore = Field(120, description="how long a premise takes, as told to writers")
    care: str = Field("", description="Markdown above every premise, for texts that may upset")
    skip_pay_cents: Count = Field(
        0, description="for a premise that a writer skips because it is upsetting; at most `pay_cents`"
    )
    paid_skips_per_day: Count = Field(5, description="how many of these a writer is paid for in a day")
    fields: Annotated[tuple[WrittenField, ...], Rows] = Field((), description=f"{TABLES_BELOW}; at least one")
    examples: Annotated[tuple[Example, ...], Rows] = Field((), description=TABLES_ABOVE)
    check: Annotated[tuple[Check, ...], Rows] = Field((), description=TABLES_BELOW)
    faq: Annotated[tuple[Faq, ...], Rows] = Field((), description=TABLES_ABOVE)

    @property
    def digest(self) -> str:
        """Over everything that a writer sees or earns; the prompt's name and status are not part of it."""
        content = self.model_dump(exclude={"slug", "name", "status"})
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    def faults(self, place: Place, labels: Sequence[str]) -> Iterator[Fault]:
        if not self.fields:
            what = "there is none; add a [[prompts.fields]] table for each label to be written"
            yield Fault((*place, "fields"), what)
        for key in ("fields", "examples", "check"):
            yield from _strange_labels(getattr(self, key), (*place, key), labels)
        asked = [entry.label for entry in self.fields]
        yield from _repeated((*place, "fields"), "label", asked)
        shown = {entry.label for entry in self.examples}
        for label in dict.fromkeys(asked):
            if label and label not in shown:
                what = f'there is no worked example for "{label}"; add a [[prompts.examples]] table'
                yield Fault((*place, "examples"), what)
        for question in self.check:
            if question.label in labels and question.label not in asked:
                what = f'"{question.label}" has no [[prompts.fields]] table, so nobody can choose it'
                yield Fault((*place, "check"), what)
        if self.skip_pay_cents > self.pay_cents:
            what = f"must not be more than pay_cents, {self.pay_cents}: skipping would pay better"
            yield Fault((*place, "skip_pay_cents"), what)


with warnings.catch_warnings():
    # A key of ours has the name of a method that every abstract class has, and that nobody calls here.
    warnings.filterwarnings("ignore", 'Field name "register"')

    class GenrePart(Table):
        slug: Slug = Field(description="what `--genre` and the files name")
        name: Named
        register: Annotated[str, OneOf(("", *REGISTERS))] = Field("", description="`written` or `spoken`")
        in_training: bool = Field(
            True, description="`false`: its pairs never go to train (mismatched genres)"
        )
        prompt: str = Field("", description="the slug of its prompt; without one nobody can write for it")

        def faults(self, place: Place, prompts: Sequence[str]) -> Iterator[Fault]:
            if self.prompt and self.prompt not in prompts:
                guess = meant(self.prompt, prompts, " (did you mean {}?)")
                listed = ", ".join(filter(None, prompts)) or "none"
                what = f'no prompt has the slug "{self.prompt}"{guess}; the prompts are: {listed}'
                yield Fault((*place, "prompt"), what)


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

    def faults(self) -> Iterator[Fault]:
        """What no table shows by itself."""
        scheme = self.corpus.scheme
        labels, slugs = SCHEMES[scheme], [prompt.slug for prompt in self.prompts]
        yield from self.corpus.faults(("corpus",))
        if (self.exam is not None) != (self.corpus.writing == "exam"):
            what = 'goes together with writing = "exam" in [corpus]; give both of them or neither'
            yield Fault(("exam",), what)
        if self.exam is not None:
            yield from self.exam.faults(("exam",), labels)
        yield from self._question_faults()
        for number, prompt in enumerate(self.prompts):
            yield from prompt.faults(("prompts", number), labels)
        for number, genre in enumerate(self.genres):
            yield from genre.faults(("genres", number), slugs)
        for key in ("prompts", "questions", "genres"):
            yield from _repeated((key,), "slug", [entry.slug for entry in getattr(self, key)])
        if not self.genres:
            yield Fault((), "there is no [[genres]] table; a corpus needs at least one genre")

    def _question_faults(self) -> Iterator[Fault]:
        scheme = self.corpus.scheme
        yield from self.question.faults(("question",), scheme)
        on_a_scale = (scheme, self.question.scheme, self.question.gold_rule) == (
            "entailed2",
            "ordinal5",
            "unanimous",
        )
        if self.question.scheme not in ("", scheme) and not on_a_scale:
            yield Fault(
                ("question", "scheme"),
                "must be that of [corpus], so that its labels can be gold; the one other way is ordinal5 in an"
                ' entailed2 corpus, with gold_rule = "unanimous"',
            )
        for number, side in enumerate(self.questions):
            yield from side.faults(("questions", number), scheme)
        asked: list[tuple[Place, QuestionPart]] = [(("question",), self.question)]
        asked += [(("questions", number), side) for number, side in enumerate(self.questions)]
        for place, question in asked:
            if question.pool_needs_exam and question.exam is None and self.exam is None:
                yield Fault(
                    (*place, "pool_needs_exam"), "wants an [exam]; add the table, or take the key out"
                )

    def with_schemes(self) -> "CorpusFile":
        """The file with the scheme of each question written out: the corpus's, where it names none."""
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
        """What is worth reading but stops nothing."""
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
        shown = {example.label for example in self.question.examples}
        if missing := [label for label in SCHEMES[self.corpus.scheme] if label not in shown]:
            yield f"[question]: there is no worked example for {', '.join(missing)}."


def _strange_labels(rows: Iterable[Any], place: Place, labels: Sequence[str]) -> Iterator[Fault]:
    """Labels that the scheme does not have. Empty ones are faults already."""
    for number, row in enumerate(rows):
        if row.label and labels and row.label not in labels:
            yield Fault((*place, number, "label"), f'"{row.label}" is none of {", ".join(labels)}')


def _repeated(place: Place, key: str, values: Sequence[str]) -> Iterator[Fault]:
    for value, times in Counter(values).items():
        if value and times > 1:
            yield Fault(place, f'{key} "{value}" is there {times} times; once is right')
