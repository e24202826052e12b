"""A whole corpus file with the errors that concern several tables, and its tables [corpus], [consent] and [advice]."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Annotated, Any

from pydantic import AfterValidator, Field, PrivateAttr

from accounts.placeholders import placeholder_in
from collection import advice
from collection.corpus_schema.levels import LevelPart, level_errors
from collection.corpus_schema.prompts import GenrePart, PromptPart
from collection.corpus_schema.questions import QuestionPart, SideQuestionPart
from collection.corpus_schema.shared_tables import (
    TABLES_BELOW,
    Count,
    ExamPart,
    Named,
    OneOrMore,
    Rows,
    Slug,
    Table,
    is_language_tag,
    is_one_line,
    repeated,
)
from collection.corpus_schema.translations import (
    TranslatedExam,
    TranslatedLevel,
    TranslatedPrompt,
    TranslatedQuestion,
    TranslatedSideQuestion,
)
from nli.gold import UNANIMOUS, may_decide
from nli.labels import READINGS, SCHEMES
from nli.lines import HELD_OUT
from schemas.base import OneOf, Place, SchemaError

NONE_WITHHELD = "none"
PROTOCOLS = ("elicited", "judged", "recast")
WRITING = ("open", "invitation", "exam")
LEVELS = (advice.OFF, advice.WARN, advice.REFUSE)
# The end of every consent text: what the corpus's policy means for whoever works on it, as a fact and what is under it.
LANGUAGE_MODELS = {
    "forbidden": (
        "**Language models.** Please do all of this work by yourself.",
        "Chat assistants and other language models may not write, suggest, translate or rephrase your sentences, and they"
        " may not choose answers for you. A spelling checker is fine.",
    ),
    "declared": (
        "**Language models.** You may use a chat assistant or another language model only if you tell us so: name each"
        " task in which it helped you.",
        "Work that you send without saying so counts as done by yourself alone.",
    ),
    "allowed": (
        "**Language models.** You may use a chat assistant or another language model.",
        "Please read what it gives you, and send only what you would have said yourself: it counts as your work.",
    ),
}


class CorpusPart(Table):
    slug: Slug = Field(title="Short name", description="the name in commands and addresses; it cannot change")
    name: Named = Field(title="Name", description="the name that people see")
    description: str = Field("", description="Markdown")
    scheme: Annotated[str, OneOf(tuple(SCHEMES))] = Field(
        "nli3",
        title="Labels",
        description="the labels: "
        + "; ".join(f"`{name}` {', '.join(labels)}" for name, labels in SCHEMES.items()),
    )
    protocol: Annotated[str, OneOf(PROTOCOLS)] = Field(
        "elicited",
        title="How pairs are made",
        description="`elicited`: a person writes the hypothesis for a label; `judged`: pairs come from elsewhere, people "
        "label them; `recast`: made from another task",
    )
    language: Annotated[str, Field(max_length=35), AfterValidator(is_language_tag)] = Field(
        "en",
        description="a language tag, such as `ar`; pages take the direction of writing from it, statistics and baselines "
        "what counts as a word",
    )
    licence: Annotated[str, Field(max_length=100)] = Field("", description="of the corpus")
    made_for_demo: bool = Field(
        False, title="A trial", description="says on pages and in snapshots that this measures nothing"
    )
    language_models: Annotated[str, OneOf(tuple(LANGUAGE_MODELS))] = Field(
        "forbidden",
        title="Language models",
        description="may language models help: `forbidden`, `declared` (where a worker says so), `allowed`. The consent "
        "text says it, see below",
    )
    writing: Annotated[str, OneOf(WRITING)] = Field(
        "open",
        title="Who may write",
        description="who may write: `open` every annotator; `invitation` those to whom a researcher gives the "
        "qualification `write-SLUG`; `exam` those too who pass the `[exam]`",
    )
    sign_up: bool = Field(
        False,
        title="People may sign up by themselves",
        description="may people make an account by themselves at `/join/SLUG/`; only where an exam or an invitation stands "
        "before all work",
    )
    payment: str = Field(
        "",
        title="When and how people are paid",
        description="Markdown: when and how people get their money. They read it where they come in and under My account",
    )
    hourly_floor_cents: Count = Field(
        0,
        title="Lowest hourly pay that you promise, in cents",
        description="the lowest hourly pay that you promise, in cents: *Pay* and *Overview* count who is below it; 0: none",
    )
    platform_fee_percent: Annotated[float, Field(ge=0, le=100)] = Field(
        0,
        title="What the platform takes on top, in percent",
        description="what the platform takes on top of pay, such as 33.3: *Overview* adds it to what the corpus will cost",
    )
    writers_per_premise: OneOrMore = Field(
        1, title="Writers of a premise", description="how many people write for each premise"
    )
    max_tasks_per_day: Count = Field(
        0,
        title="Premises a day for one writer",
        description="premises that one writer is given a day; 0: no limit",
    )
    max_genre_share: Annotated[int, Field(ge=1, le=100)] = Field(
        100,
        title="Share of a genre for one writer, in percent",
        description="percent of a genre that one writer may fill",
    )
    pause_after_reports: Count = Field(
        3,
        title="Reports that pause a premise",
        description="unanswered problem reports that pause a premise; 0: never",
    )
    min_hypothesis_chars: OneOrMore = Field(
        1, title="Shortest hypothesis, in characters", description="shorter texts are asked for again"
    )
    max_hypothesis_chars: OneOrMore = Field(
        1000, title="Longest hypothesis, in characters", description="longer ones too"
    )
    dev_pairs_per_genre: Count = Field(
        0, title="Pairs of a genre for dev", description="how many pairs of each genre a freeze puts into dev"
    )
    test_pairs_per_genre: Count = Field(0, title="Pairs of a genre for test", description="and into test")
    withheld: Annotated[str, OneOf((NONE_WITHHELD, *HELD_OUT))] = Field(
        NONE_WITHHELD,
        title="Partition whose labels are withheld",
        description="the partition whose labels nobody sees but administrators and the researchers named for it: `none`,"
        " `dev` or `test`. Once set it is lifted on a page alone",
    )

    def errors(self, place: Place) -> Iterator[SchemaError]:
        if self.max_hypothesis_chars < self.min_hypothesis_chars:
            yield SchemaError(
                (*place, "max_hypothesis_chars"), "must not be smaller than min_hypothesis_chars"
            )


class FactPart(Table):
    fact: Annotated[Named, AfterValidator(is_one_line)] = Field(
        title="Fact", description="one line, which everybody sees; Markdown for emphasis"
    )
    more: str = Field("", title="More", description="Markdown: what is folded under it")


class ConsentPart(Table):
    title: Named = Field(title="Heading", description="the heading of the page")
    facts: Annotated[tuple[FactPart, ...], Rows] = Field((), title="Facts", description=TABLES_BELOW)
    text: str = Field("", title="Text", description="Markdown: the whole text unfolded, in place of facts")
    language_models: str = Field(
        "",
        title="Last paragraph, on language models",
        description="the end: what people read about language models; under facts its first paragraph is one more fact. "
        "Empty: our words for the policy of `[corpus]`, in English; give your own where the text is in another language",
    )

    def facts_under(self, policy: str) -> list[list[str]]:
        """Returns each fact and what is folded under it, ending with language models; none where the text is one."""
        fact, _, more = self.language_models.partition("\n\n")
        last = [fact, more.strip()] if fact else list(LANGUAGE_MODELS[policy])
        return [*([each.fact, each.more] for each in self.facts), last] if self.facts else []

    def text_under(self, policy: str) -> str:
        """Returns the whole text of the consent form, all that is folded included, ending with language models."""
        if self.facts:
            return "\n\n".join(filter(None, chain(*self.facts_under(policy))))
        return f"{self.text}\n\n{self.language_models or ' '.join(LANGUAGE_MODELS[policy])}"

    def errors(self, place: Place) -> Iterator[SchemaError]:
        if bool(self.text) == bool(self.facts):
            what = "give either text or [[consent.facts]] tables" + (", not both" if self.text else "")
            yield SchemaError(place, what)


Level = Annotated[str, OneOf(LEVELS)]


class AdvicePart(Table):
    """The level of each kind of advice. Kinds that the file does not name keep their level."""

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
        """Returns kind -> level, for the kinds that the file names."""
        return {
            kind: getattr(self, kind) for kind in type(self).model_fields if kind in self.model_fields_set
        }


class TranslationPart(Table):
    language: Annotated[str, Field(min_length=2, max_length=35), AfterValidator(str.lower)] = Field(
        description="a language tag, such as `ar`: of people who read it"
    )
    name: Annotated[str, Field(max_length=200)] = ""
    description: str = Field("", description="Markdown")
    payment: str = Field("", description="Markdown")
    consent: ConsentPart | None = Field(
        None,
        title="Consent form",
        description="a table like `[consent]`; people agree to the text in the language that they see",
    )
    exam: TranslatedExam | None = Field(None, title="Exam before writing", description="a table, see below")
    question: TranslatedQuestion | None = Field(
        None, title="The main question", description="a table, see below"
    )
    questions: Annotated[tuple[TranslatedSideQuestion, ...], Rows] = Field(
        (), title="Questions beside the main one", description=TABLES_BELOW
    )
    prompts: Annotated[tuple[TranslatedPrompt, ...], Rows] = Field((), description=TABLES_BELOW)
    levels: Annotated[tuple[TranslatedLevel, ...], Rows] = Field((), description=TABLES_BELOW)

    def texts(self, file: "CorpusFile") -> dict[str, str]:
        """Returns text of the file -> its translation, without those that have none."""
        found = (each for each in self._pairs(file, ()) if not isinstance(each, SchemaError))
        return {text: said for text, said in found if text and said}

    def errors(self, place: Place, file: "CorpusFile") -> Iterator[SchemaError]:
        yield from (each for each in self._pairs(file, place) if isinstance(each, SchemaError))
        if self.consent is None:
            return
        yield from self.consent.errors((*place, "consent"))
        if file.consent is None:
            yield SchemaError((*place, "consent"), "translates a [consent] table, and there is none")
        if not self.consent.language_models:
            what = "is missing; say there what holds for language models, since our words for it are English"
            yield SchemaError((*place, "consent", "language_models"), what)

    def _pairs(self, file: "CorpusFile", place: Place) -> Iterator[tuple[str, str] | SchemaError]:
        yield from [
            (getattr(file.corpus, key), getattr(self, key)) for key in ("name", "description", "payment")
        ]
        if self.exam is not None:
            yield from self.exam.pairs(file.exam, (*place, "exam"))
        if self.question is not None:
            yield from self.question.pairs(file.question, (*place, "question"))
        yield from _of_slug(file.questions, self.questions, (*place, "questions"))
        for key in ("prompts", "levels"):
            yield from _of_slug(getattr(file, key), getattr(self, key), (*place, key))


def _of_slug(
    ours: Iterable[Any], theirs: Iterable[Any], place: Place
) -> Iterator[tuple[str, str] | SchemaError]:
    known = {part.slug: part for part in ours}
    for number, said in enumerate(theirs):
        here = (*place, number)
        if said.slug in known:
            yield from said.pairs(known[said.slug], here)
        else:
            yield SchemaError(
                (*here, "slug"), f'"{said.slug}" is none of {", ".join(known) or "those of the file"}'
            )


class CorpusFile(Table):
    """A whole file. `text`: the text that it was read from."""

    corpus: CorpusPart = Field(title="The corpus")
    consent: ConsentPart | None = Field(None, title="Consent form")
    advice: AdvicePart = Field(AdvicePart(), title="Advice on sentences")
    exam: ExamPart | None = Field(None, title="Exam before writing")
    question: QuestionPart = Field(title="The main question")
    questions: Annotated[tuple[SideQuestionPart, ...], Rows] = Field(
        (), title="Questions beside the main one"
    )
    prompts: Annotated[tuple[PromptPart, ...], Rows] = ()
    genres: Annotated[tuple[GenrePart, ...], Rows] = ()
    levels: Annotated[tuple[LevelPart, ...], Rows] = Field((), title="Levels of writers")
    translations: Annotated[tuple[TranslationPart, ...], Rows] = Field((), title="Languages")
    _text: str = PrivateAttr("")

    @property
    def text(self) -> str:
        return self._text

    def read_from(self, text: str) -> "CorpusFile":
        """Returns the file with the text that it was read from."""
        file = self.model_copy()
        file._text = text
        return file

    def errors(self) -> Iterator[SchemaError]:
        """Returns the errors that concern several tables."""
        scheme = self.corpus.scheme
        labels, slugs = SCHEMES[scheme], [prompt.slug for prompt in self.prompts]
        yield from self.corpus.errors(("corpus",))
        if self.consent is not None:
            yield from self.consent.errors(("consent",))
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
        yield from self._arm_errors()
        has_feedback = any(prompt.feedback for prompt in self.prompts)
        yield from level_errors(self.levels, ("levels",), has_feedback, self.corpus.writing == "exam")
        for number, translation in enumerate(self.translations):
            yield from translation.errors(("translations", number), self)
        yield from repeated(("translations",), "language", [each.language for each in self.translations])
        for key in ("prompts", "questions", "genres"):
            yield from repeated((key,), "slug", [entry.slug for entry in getattr(self, key)])
        if not self.genres:
            yield SchemaError((), "there is no [[genres]] table; a corpus needs at least one genre")

    def _arm_errors(self) -> Iterator[SchemaError]:
        roots = {prompt.slug: prompt for prompt in self.prompts if not prompt.arm_of}
        for number, prompt in enumerate(self.prompts):
            place = ("prompts", number)
            root = roots.get(prompt.arm_of)
            if prompt.arm_of and root is None:
                what = (
                    f'"{prompt.arm_of}" is none of the prompts that are no arms: {", ".join(roots) or "none"}'
                )
                yield SchemaError((*place, "arm_of"), what)
            elif root and {each.label for each in root.fields} != {each.label for each in prompt.fields}:
                what = f'must ask for the same labels as those of "{root.slug}", whose arm it is'
                yield SchemaError((*place, "fields"), what)
            if prompt.arm_of and prompt.status == "pilot":
                what = "an arm is piloted with the prompt whose arm it is; give open or closed"
                yield SchemaError((*place, "status"), what)
        arms = {prompt.slug: prompt.arm_of for prompt in self.prompts if prompt.arm_of}
        for number, genre in enumerate(self.genres):
            if genre.prompt in arms:
                what = f'"{genre.prompt}" is an arm; name "{arms[genre.prompt]}", whose arm it is'
                yield SchemaError(("genres", number, "prompt"), what)

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
            if prompt.slug not in used and not prompt.arm_of:
                yield f'[[prompts]] "{prompt.slug}": no genre uses this prompt; name it in a [[genres]] table.'
        by_level = any(level.review_percent for level in self.levels)
        for prompt in self.prompts:
            if prompt.feedback and not (prompt.review_percent or by_level):
                yield f'[[prompts]] "{prompt.slug}" feedback: nothing is reviewed; give review_percent.'
        if any(prompt.pay_cents for prompt in self.prompts):
            for prompt in self.prompts:
                if not prompt.pay_cents:
                    yield f'[[prompts]] "{prompt.slug}" pay_cents: is 0, and other prompts pay.'
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
                f"[consent]: {left} is still to be filled in. Until then nobody can agree to it, so nobody can begin."
                " Text in square brackets counts as a gap."
            )
        if self.corpus.sign_up and not self.corpus.payment:
            yield (
                "[corpus] payment: is empty. People who sign up by themselves come from no platform that pays them, so say"
                " here when and how they get their money."
            )
        shown = {example.label for example in self.question.examples}
        if missing := [label for label in SCHEMES[self.corpus.scheme] if label not in shown]:
            yield f"[question]: there is no worked example for {', '.join(missing)}."
