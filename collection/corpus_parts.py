"""The parts of a corpus file, as they are after reading: one dataclass a table, one field a key."""

import hashlib
import json
from dataclasses import asdict, dataclass

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


@dataclass(frozen=True)
class CorpusPart:
    slug: str
    name: str
    description: str = ""
    scheme: str = "nli3"
    protocol: str = "elicited"
    language: str = "en"
    licence: str = ""
    made_for_demo: bool = False
    language_models: str = "forbidden"
    writing: str = "open"
    writers_per_premise: int = 1
    max_tasks_per_day: int = 0
    max_genre_share: int = 100
    pause_after_reports: int = 3
    min_hypothesis_chars: int = 1
    max_hypothesis_chars: int = 1000
    dev_pairs_per_genre: int = 0
    test_pairs_per_genre: int = 0


@dataclass(frozen=True)
class ConsentPart:
    title: str
    text: str
    language_models: str = ""

    def text_under(self, policy: str) -> str:
        """The whole text that people agree to, with what it says of language models at its end."""
        return f"{self.text}\n\n{self.language_models or LANGUAGE_MODELS[policy]}"


@dataclass(frozen=True)
class AdvicePart:
    advice: str
    level: str


@dataclass(frozen=True)
class Faq:
    question: str
    answer: str


@dataclass(frozen=True)
class Example:
    """A premise, a hypothesis, and the label that fits."""

    premise: str
    label: str
    hypothesis: str
    comment: str = ""


@dataclass(frozen=True)
class WordedLabel:
    label: str
    wording: str
    help: str = ""


@dataclass(frozen=True)
class WrittenField:
    label: str
    wording: str
    reminder: str = ""


@dataclass(frozen=True)
class Check:
    """A pair that a reader of the instructions should be able to label, and what a wrong answer is told."""

    premise: str
    hypothesis: str
    label: str
    explanation: str


@dataclass(frozen=True)
class ExamItemPart:
    """A pair whose label is known or, without a hypothesis, a premise to write for."""

    premise: str
    label: str
    hypothesis: str = ""


@dataclass(frozen=True)
class ExamPart:
    instructions: str = ""
    pass_mark: int = 80
    tries: int = 2
    items: tuple[ExamItemPart, ...] = ()


@dataclass(frozen=True)
class CalibrationPart:
    """A text from outside the corpus with an expert's label. One sentence of the premise a line."""

    premise: str
    hypothesis: str
    label: str
    comment: str = ""


@dataclass(frozen=True)
class QuestionPart:
    wording: str
    scheme: str = ""
    instructions: str = ""
    seats: int = 5
    threshold: int = 3
    gold_rule: str = "majority"
    most_labels: int = 100
    batch_size: int = 5
    pay_cents: int = 0
    control_bonus_cents: int = 100
    seconds: int = 12
    pool_is_open: bool = True
    pool_needs_exam: bool = False
    qualification: str = ""
    calibration_percent: int = 0
    exam: ExamPart | None = None
    labels: tuple[WordedLabel, ...] = ()
    examples: tuple[Example, ...] = ()
    check: tuple[Check, ...] = ()
    faq: tuple[Faq, ...] = ()
    calibration: tuple[CalibrationPart, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SideQuestionPart(QuestionPart):
    """A question beside the main one: all of its keys, and what sets it apart."""

    slug: str
    hides_premise: bool = False
    by_sentence: bool = False


@dataclass(frozen=True)
class PromptPart:
    slug: str
    name: str
    instructions: str
    status: str = "open"
    pay_cents: int = 0
    seconds: int = 120
    care: str = ""
    skip_pay_cents: int = 0
    paid_skips_per_day: int = 5
    fields: tuple[WrittenField, ...] = ()
    examples: tuple[Example, ...] = ()
    check: tuple[Check, ...] = ()
    faq: tuple[Faq, ...] = ()

    @property
    def digest(self) -> str:
        """Over everything that a writer sees or earns; the prompt's name and status are not part of it."""
        content = {key: value for key, value in asdict(self).items() if key not in ("slug", "name", "status")}
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class GenrePart:
    slug: str
    name: str
    register: str = ""
    in_training: bool = True
    prompt: str = ""
