"""The tables [corpus], [consent] and [advice] of a corpus file."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from collection import advice
from collection.corpus_schema.shared_tables import Count, Named, Needed, OneOrMore, Slug, Table
from nli.labels import SCHEMES
from schemas.base import OneOf, Place, SchemaError

PROTOCOLS = ("elicited", "judged", "recast")
WRITING = ("open", "invitation", "exam")
LEVELS = (advice.OFF, advice.WARN, advice.REFUSE)
# The last paragraph of every consent text: what the corpus's policy means for whoever works on it.
LANGUAGE_MODELS = {
    "forbidden": "**Language models.** Please do all of this work by yourself. Chat assistants and other"
    " language models may not write, suggest, translate or rephrase your sentences, and they may not choose"
    " answers for you. A spelling checker is fine.",
    "declared": "**Language models.** You may use a chat assistant or another language model only if you tell"
    " us so: name each task in which it helped you. Work that you send without saying so counts as done by"
    " yourself alone.",
    "allowed": "**Language models.** You may use a chat assistant or another language model. Please read what it"
    " gives you, and send only what you would have said yourself: it counts as your work.",
}


class CorpusPart(Table):
    slug: Slug = Field(description="the name in commands and addresses; it cannot change")
    name: Named = Field(description="the name that people see")
    description: str = Field("", description="Markdown")
    scheme: Annotated[str, OneOf(tuple(SCHEMES))] = Field(
        "nli3",
        description="the labels: "
        + "; ".join(f"`{name}` {', '.join(labels)}" for name, labels in SCHEMES.items()),
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
    sign_up: bool = Field(
        False,
        description="may people make an account by themselves at `/join/SLUG/`; only where an exam or an invitation stands "
        "before all work",
    )
    payment: str = Field(
        "",
        description="Markdown: when and how people get their money. They read it where they come in and under My account",
    )
    hourly_floor_cents: Count = Field(
        0,
        description="the lowest hourly pay that you promise, in cents: *Pay* and *Overview* count who is below it; 0: none",
    )
    platform_fee_percent: Annotated[float, Field(ge=0, le=100)] = Field(
        0,
        description="what the platform takes on top of pay, such as 33.3: *Overview* adds it to what the corpus will cost",
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

    def errors(self, place: Place) -> Iterator[SchemaError]:
        if self.max_hypothesis_chars < self.min_hypothesis_chars:
            yield SchemaError(
                (*place, "max_hypothesis_chars"), "must not be smaller than min_hypothesis_chars"
            )


class ConsentPart(Table):
    title: Named = Field(description="the heading of the page")
    text: Needed = Field(description="Markdown")
    language_models: str = Field(
        "",
        description="the last paragraph: what people read about language models. Empty: our words for the policy of "
        "`[corpus]`, in English; give your own where the text is in another language",
    )

    def text_under(self, policy: str) -> str:
        """Returns the whole text of the consent form, ending with the part about language models."""
        return f"{self.text}\n\n{self.language_models or LANGUAGE_MODELS[policy]}"


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
