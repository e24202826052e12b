"""Corpus files: TOML to dataclasses, strictly. Every fault of a file is reported at once.

The format is shown by examples/demo/corpus.toml: [corpus], [consent], [advice], [exam] with items,
[question] with labels, examples, check and faq, [[prompts]] with fields, examples, check and faq, [[genres]].
"""

import hashlib
import json
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from collection import advice
from collection.corpus_tables import Faults, Table
from collection.labels import SCHEMES

PROTOCOLS = ("elicited", "judged", "recast")
REGISTERS = ("written", "spoken")
WRITING = ("open", "invitation", "exam")
GOLD_RULES = ("majority", "adjudicated", "unanimous")
STATUSES = ("open", "pilot", "closed")
LEVELS = (advice.OFF, advice.WARN, advice.REFUSE)
ADVICE = {kind: level for kind, level in advice.LEVELS.items() if kind not in advice.FIXED}
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


class BadCorpusFile(Exception):
    """The file cannot be loaded. `faults`: one sentence each, with file, table and key."""

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = list(faults)


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
class QuestionPart:
    wording: str
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
    labels: tuple[WordedLabel, ...] = ()
    examples: tuple[Example, ...] = ()
    check: tuple[Check, ...] = ()
    faq: tuple[Faq, ...] = ()


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


@dataclass(frozen=True)
class CorpusFile:
    """A whole file that can be loaded. `warnings` are worth reading but stop nothing."""

    corpus: CorpusPart
    consent: ConsentPart | None
    advice: tuple[AdvicePart, ...]
    exam: ExamPart | None
    question: QuestionPart
    prompts: tuple[PromptPart, ...]
    genres: tuple[GenrePart, ...]
    warnings: tuple[str, ...] = field(default=())


def read_corpus_file(path: Path) -> CorpusFile:
    """Reads and checks the file. Raises BadCorpusFile with all of its faults."""
    raw = path.read_bytes()
    try:
        content = tomllib.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as problem:
        line = raw[: problem.start].count(b"\n") + 1
        raise BadCorpusFile([f"{path.name}, line {line}: not UTF-8. Save the file as UTF-8."]) from None
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        raise BadCorpusFile([f"{path.name}: not valid TOML: {problem}."]) from None
    faults = Faults(path.name)
    made = _corpus_file(Table(content, "", faults), faults)
    if faults.found:
        raise BadCorpusFile(faults.found)
    return made


def _corpus_file(top: Table, faults: Faults) -> CorpusFile:
    corpus = _corpus(top.table("corpus", required=True))
    labels = SCHEMES.get(corpus.scheme, ())
    consent_table, exam_table = top.table("consent"), top.table("exam")
    levels = _advice(top.table("advice"))
    prompts = tuple(_prompt(table, labels) for table in top.tables("prompts"))
    slugs = [prompt.slug for prompt in prompts]
    genres = tuple(_genre(table, slugs) for table in top.tables("genres"))
    question = _question(top.table("question", required=True), labels)
    faults.repeated("[[prompts]]", "slug", slugs)
    faults.repeated("[[genres]]", "slug", [genre.slug for genre in genres])
    if exam_table.is_there != (corpus.writing == "exam"):
        faults.add("[exam]", 'goes together with writing = "exam" in [corpus]; give both of them or neither')
    if question.pool_needs_exam and not exam_table.is_there:
        faults.add("[question]", "pool_needs_exam wants an [exam]; add the table, or take the key out")
    if not genres:
        faults.add("", "there is no [[genres]] table; a corpus needs at least one genre")
    top.finish()
    return CorpusFile(
        corpus=corpus,
        consent=_consent(consent_table) if consent_table.is_there else None,
        advice=levels,
        exam=_exam(exam_table, labels) if exam_table.is_there else None,
        question=question,
        prompts=prompts,
        genres=genres,
        warnings=tuple(_warnings(faults.file, corpus, consent_table.is_there, question, prompts, genres)),
    )


def _corpus(table: Table) -> CorpusPart:
    part = CorpusPart(
        slug=table.slug(),
        name=table.text("name", longest=200),
        description=table.text("description", default=""),
        scheme=table.choice("scheme", tuple(SCHEMES), default="nli3"),
        protocol=table.choice("protocol", PROTOCOLS, default="elicited"),
        language=table.text("language", default="en", longest=35),
        licence=table.text("licence", default="", longest=100),
        made_for_demo=table.flag("made_for_demo", default=False),
        language_models=table.choice("language_models", tuple(LANGUAGE_MODELS), default="forbidden"),
        writing=table.choice("writing", WRITING, default="open"),
        writers_per_premise=table.whole("writers_per_premise", default=1, least=1),
        max_tasks_per_day=table.whole("max_tasks_per_day", default=0),
        max_genre_share=table.whole("max_genre_share", default=100, least=1, most=100),
        pause_after_reports=table.whole("pause_after_reports", default=3),
        min_hypothesis_chars=table.whole("min_hypothesis_chars", default=1, least=1),
        max_hypothesis_chars=table.whole("max_hypothesis_chars", default=1000, least=1),
        dev_pairs_per_genre=table.whole("dev_pairs_per_genre", default=0),
        test_pairs_per_genre=table.whole("test_pairs_per_genre", default=0),
    )
    if part.max_hypothesis_chars < part.min_hypothesis_chars:
        table.fault("max_hypothesis_chars", "must not be smaller than min_hypothesis_chars")
    table.finish()
    return part


def _consent(table: Table) -> ConsentPart:
    part = ConsentPart(
        title=table.text("title", longest=200),
        text=table.text("text"),
        language_models=table.text("language_models", default=""),
    )
    table.finish()
    return part


def _advice(table: Table) -> tuple[AdvicePart, ...]:
    """Only the kinds that the file names; the others keep the level of collection.advice."""
    levels = {kind: table.choice(kind, LEVELS, default="") for kind in ADVICE}
    table.finish()
    return tuple(AdvicePart(kind, level) for kind, level in levels.items() if level)


def _exam(table: Table, labels: tuple[str, ...]) -> ExamPart:
    part = ExamPart(
        instructions=table.text("instructions", default=""),
        pass_mark=table.whole("pass_mark", default=80, most=100),
        tries=table.whole("tries", default=2, least=1),
        items=tuple(_exam_item(entry, labels) for entry in table.tables("items")),
    )
    if not part.items:
        table.fault("items", "there is none; add an [[exam.items]] table for each item")
    table.finish()
    return part


def _exam_item(table: Table, labels: tuple[str, ...]) -> ExamItemPart:
    part = ExamItemPart(
        premise=table.text("premise"),
        label=table.choice("label", labels),
        hypothesis=table.text("hypothesis", default=""),
    )
    table.finish()
    return part


def _question(table: Table, labels: tuple[str, ...]) -> QuestionPart:
    part = QuestionPart(
        wording=table.text("wording"),
        instructions=table.text("instructions", default=""),
        seats=table.whole("seats", default=5, least=1, most=1000),
        threshold=table.whole("threshold", default=3, least=1, most=1000),
        gold_rule=table.choice("gold_rule", GOLD_RULES, default="majority"),
        most_labels=table.whole("most_labels", default=100, least=1),
        batch_size=table.whole("batch_size", default=5, least=1, most=100),
        pay_cents=table.whole("pay_cents", default=0),
        control_bonus_cents=table.whole("control_bonus_cents", default=100),
        seconds=table.whole("seconds", default=12, least=1),
        pool_is_open=table.flag("pool_is_open", default=True),
        pool_needs_exam=table.flag("pool_needs_exam", default=False),
        labels=tuple(_worded_label(entry, labels) for entry in table.tables("labels")),
        examples=tuple(_example(entry, labels) for entry in table.tables("examples")),
        check=tuple(_check(entry, labels) for entry in table.tables("check")),
        faq=tuple(_faq(entry) for entry in table.tables("faq")),
    )
    if not part.seats < 2 * part.threshold <= 2 * part.seats:
        table.fault("threshold", f"must be more than half of the {part.seats} seats, and at most all of them")
    if part.most_labels < part.seats:
        table.fault("most_labels", f"must not be smaller than the {part.seats} seats")
    if part.gold_rule == "adjudicated" and labels not in ((), SCHEMES["nli3"]):
        table.fault("gold_rule", '"adjudicated" is for the scheme nli3 alone')
    table.covers("labels", [entry.label for entry in part.labels], labels)
    table.finish()
    return part


def _prompt(table: Table, labels: tuple[str, ...]) -> PromptPart:
    part = PromptPart(
        slug=table.slug(),
        name=table.text("name", longest=200),
        instructions=table.text("instructions"),
        status=table.choice("status", STATUSES, default="open"),
        pay_cents=table.whole("pay_cents", default=0),
        seconds=table.whole("seconds", default=120, least=1),
        care=table.text("care", default=""),
        skip_pay_cents=table.whole("skip_pay_cents", default=0),
        paid_skips_per_day=table.whole("paid_skips_per_day", default=5),
        fields=tuple(_written_field(entry, labels) for entry in table.tables("fields")),
        examples=tuple(_example(entry, labels) for entry in table.tables("examples")),
        check=tuple(_check(entry, labels) for entry in table.tables("check")),
        faq=tuple(_faq(entry) for entry in table.tables("faq")),
    )
    if not part.fields:
        table.fault("fields", "there is none; add a [[prompts.fields]] table for each label to be written")
    asked = [entry.label for entry in part.fields]
    table.faults.repeated(f"{table.name} [[fields]]", "label", asked)
    shown = {example.label for example in part.examples}
    for label in dict.fromkeys(asked):
        if label and label not in shown:
            table.fault(
                "examples", f'there is no worked example for "{label}"; add a [[prompts.examples]] table'
            )
    for question in part.check:
        if question.label in labels and question.label not in asked:
            table.fault(
                "check", f'"{question.label}" has no [[prompts.fields]] table, so nobody can choose it'
            )
    if part.skip_pay_cents > part.pay_cents:
        table.fault(
            "skip_pay_cents", f"must not be more than pay_cents, {part.pay_cents}: skipping would pay better"
        )
    table.finish()
    return part


def _genre(table: Table, prompts: Sequence[str]) -> GenrePart:
    part = GenrePart(
        slug=table.slug(),
        name=table.text("name", longest=200),
        register=table.choice("register", REGISTERS, default=""),
        in_training=table.flag("in_training", default=True),
        prompt=table.text("prompt", default=""),
    )
    if part.prompt and part.prompt not in prompts:
        table.fault(
            "prompt",
            f'no prompt has the slug "{part.prompt}"; the prompts are: {", ".join(prompts) or "none"}',
        )
    table.finish()
    return part


def _worded_label(table: Table, labels: tuple[str, ...]) -> WordedLabel:
    part = WordedLabel(
        label=table.choice("label", labels),
        wording=table.text("wording", longest=200),
        help=table.text("help", default=""),
    )
    table.finish()
    return part


def _written_field(table: Table, labels: tuple[str, ...]) -> WrittenField:
    part = WrittenField(
        label=table.choice("label", labels),
        wording=table.text("wording"),
        reminder=table.text("reminder", default="", longest=200),
    )
    table.finish()
    return part


def _example(table: Table, labels: tuple[str, ...]) -> Example:
    part = Example(
        premise=table.text("premise"),
        label=table.choice("label", labels),
        hypothesis=table.text("hypothesis"),
        comment=table.text("comment", default=""),
    )
    table.finish()
    return part


def _check(table: Table, labels: tuple[str, ...]) -> Check:
    part = Check(
        premise=table.text("premise"),
        hypothesis=table.text("hypothesis"),
        label=table.choice("label", labels),
        explanation=table.text("explanation"),
    )
    table.finish()
    return part


def _faq(table: Table) -> Faq:
    part = Faq(question=table.text("question"), answer=table.text("answer"))
    table.finish()
    return part


def _warnings(
    file: str,
    corpus: CorpusPart,
    has_consent: bool,
    question: QuestionPart,
    prompts: Sequence[PromptPart],
    genres: Sequence[GenrePart],
) -> list[str]:
    used = {genre.prompt for genre in genres}
    found = [
        f'{file}: [[prompts]] "{prompt.slug}": no genre uses this prompt; name it in a [[genres]] table.'
        for prompt in prompts
        if prompt.slug not in used
    ]
    if corpus.protocol == "elicited":
        found += [
            f'{file}: [[genres]] "{genre.slug}": names no prompt, so nobody can write for it.'
            for genre in genres
            if not genre.prompt
        ]
    if not has_consent:
        found.append(
            f"{file}: there is no [consent] table, so nobody is told what is collected, nor whether language"
            " models may help."
        )
    shown = {example.label for example in question.examples}
    missing = (
        [label for label in SCHEMES[corpus.scheme] if label not in shown] if corpus.scheme in SCHEMES else []
    )
    if missing:
        found.append(f"{file}: [question]: there is no worked example for {', '.join(missing)}.")
    return found
