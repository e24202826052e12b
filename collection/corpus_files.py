"""Corpus files: TOML to dataclasses, strictly. Every fault of a file is reported at once.

The format is shown by examples/demo/corpus.toml: [corpus], [consent], [question] with labels, examples
and faq, [[prompts]] with fields, examples and faq, [[genres]].
"""

import hashlib
import json
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from collection.corpus_tables import Faults, Table
from collection.labels import SCHEMES

PROTOCOLS = ("elicited", "judged", "recast")
REGISTERS = ("written", "spoken")


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
    writers_per_premise: int = 1
    min_hypothesis_chars: int = 1
    max_hypothesis_chars: int = 1000
    dev_pairs_per_genre: int = 0
    test_pairs_per_genre: int = 0


@dataclass(frozen=True)
class ConsentPart:
    title: str
    text: str


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
class QuestionPart:
    wording: str
    instructions: str = ""
    seats: int = 5
    threshold: int = 3
    batch_size: int = 5
    pay_cents: int = 0
    seconds: int = 12
    pool_is_open: bool = True
    labels: tuple[WordedLabel, ...] = ()
    examples: tuple[Example, ...] = ()
    faq: tuple[Faq, ...] = ()


@dataclass(frozen=True)
class PromptPart:
    slug: str
    name: str
    instructions: str
    pay_cents: int = 0
    seconds: int = 120
    fields: tuple[WrittenField, ...] = ()
    examples: tuple[Example, ...] = ()
    faq: tuple[Faq, ...] = ()

    @property
    def digest(self) -> str:
        """Over everything that a writer sees or earns; the prompt's name is not part of it."""
        content = {key: value for key, value in asdict(self).items() if key not in ("slug", "name")}
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
    consent_table = top.table("consent")
    prompts = tuple(_prompt(table, labels) for table in top.tables("prompts"))
    slugs = [prompt.slug for prompt in prompts]
    genres = tuple(_genre(table, slugs) for table in top.tables("genres"))
    question = _question(top.table("question", required=True), labels)
    faults.repeated("[[prompts]]", "slug", slugs)
    faults.repeated("[[genres]]", "slug", [genre.slug for genre in genres])
    if not genres:
        faults.add("", "there is no [[genres]] table; a corpus needs at least one genre")
    top.finish()
    return CorpusFile(
        corpus=corpus,
        consent=_consent(consent_table) if consent_table.is_there else None,
        question=question,
        prompts=prompts,
        genres=genres,
        warnings=tuple(_warnings(faults.file, corpus, question, prompts, genres)),
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
        writers_per_premise=table.whole("writers_per_premise", default=1, least=1),
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
    part = ConsentPart(title=table.text("title", longest=200), text=table.text("text"))
    table.finish()
    return part


def _question(table: Table, labels: tuple[str, ...]) -> QuestionPart:
    part = QuestionPart(
        wording=table.text("wording"),
        instructions=table.text("instructions", default=""),
        seats=table.whole("seats", default=5, least=1, most=1000),
        threshold=table.whole("threshold", default=3, least=1, most=1000),
        batch_size=table.whole("batch_size", default=5, least=1, most=100),
        pay_cents=table.whole("pay_cents", default=0),
        seconds=table.whole("seconds", default=12, least=1),
        pool_is_open=table.flag("pool_is_open", default=True),
        labels=tuple(_worded_label(entry, labels) for entry in table.tables("labels")),
        examples=tuple(_example(entry, labels) for entry in table.tables("examples")),
        faq=tuple(_faq(entry) for entry in table.tables("faq")),
    )
    if not part.seats < 2 * part.threshold <= 2 * part.seats:
        table.fault("threshold", f"must be more than half of the {part.seats} seats, and at most all of them")
    table.covers("labels", [entry.label for entry in part.labels], labels)
    table.finish()
    return part


def _prompt(table: Table, labels: tuple[str, ...]) -> PromptPart:
    part = PromptPart(
        slug=table.slug(),
        name=table.text("name", longest=200),
        instructions=table.text("instructions"),
        pay_cents=table.whole("pay_cents", default=0),
        seconds=table.whole("seconds", default=120, least=1),
        fields=tuple(_written_field(entry, labels) for entry in table.tables("fields")),
        examples=tuple(_example(entry, labels) for entry in table.tables("examples")),
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


def _faq(table: Table) -> Faq:
    part = Faq(question=table.text("question"), answer=table.text("answer"))
    table.finish()
    return part


def _warnings(
    file: str,
    corpus: CorpusPart,
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
    shown = {example.label for example in question.examples}
    missing = (
        [label for label in SCHEMES[corpus.scheme] if label not in shown] if corpus.scheme in SCHEMES else []
    )
    if missing:
        found.append(f"{file}: [question]: there is no worked example for {', '.join(missing)}.")
    return found
