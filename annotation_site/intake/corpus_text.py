"""The text of a corpus's file: what was loaded last, changed to what the database says now; and texts to begin with."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from accounts.people.gates import viewer
from collection.corpora.edited_text import edited
from collection.corpora.loading import PROMPT_COLUMNS
from collection.corpus_schema import (
    LANGUAGE_MODELS,
    CalibrationPart,
    Check,
    ConsentPart,
    CorpusPart,
    ExamItemPart,
    ExamPart,
    Example,
    FactPart,
    Faq,
    GenrePart,
    LevelPart,
    PartitionRule,
    PromptPart,
    SideQuestionPart,
    WordedLabel,
    WrittenField,
)
from collection.models import WRITING_EXAM, Corpus, CorpusText, Exam, PromptVersion
from collection.models.querysets import SEES_RESULTS
from schemas.base import Part, default_of
from schemas.toml_text import toml_of
from validation.models import Question
from validation.questions.corpus_file import FAQ_NAMES

Table = dict[str, Any]
EXAMPLES = settings.BASE_DIR / "examples"
# Corpora that are shipped: the folder, and what people know it by.
BEGINNINGS = {
    "empty": "Empty: one genre and one prompt, in words that fit any kind of text",
    "captions": "Captions, in the manner of SNLI: one prompt, nobody sees the photo",
    "multinli-like": "Ten genres, in the manner of MultiNLI: five prompts, an exam before writing",
    "scenes": "Scenes, in the manner of MPE: several premises, nobody writes, people judge",
    "demo": "The demo: eleven genres, six prompts",
}


@dataclass(frozen=True)
class FileText:
    """The text of a corpus's file. `kept`: what it was made of; None where it was written from the database."""

    text: str
    kept: CorpusText | None = None


def text_of(corpus: Corpus) -> FileText:
    """Returns the text of the corpus's file as it would be loaded today without changing anything.

    What pages changed since it was loaded (the state of a prompt) is in it.
    """
    kept = corpus.texts.newest_first().first()
    if kept is None:
        return FileText(toml_of(described(corpus)))
    said = tomllib.loads(kept.text)
    states = dict(corpus.prompts.values_list("slug", "status"))
    for prompt in said.get("prompts", []):
        state = states.get(prompt["slug"], "")
        if state and state != prompt.get("status", default_of(PromptPart, "status")):
            prompt["status"] = state
    return FileText(edited(kept.text, said).text, kept)


def beginning(name: str) -> str | None:
    """Returns the text to begin a corpus with: of an example (`captions`) or of a corpus (`c/SLUG`); None if unknown."""
    if name in BEGINNINGS:
        return (EXAMPLES / name / "corpus.toml").read_text(encoding="utf-8")
    known = Corpus.objects.of(viewer(), SEES_RESULTS).filter(slug=name.removeprefix("c/"))
    corpus = known.first() if name.startswith("c/") else None
    return None if corpus is None else text_of(corpus).text


def begun(text: str, **about: str) -> str:
    """Returns the text of a corpus file for another corpus, which is no trial. `about`: what [corpus] says of it."""
    wanted = tomllib.loads(text)
    wanted["corpus"] = {**wanted["corpus"], **about}
    wanted["corpus"].pop("made_for_demo", None)
    return edited(text, wanted).text


def described(corpus: Corpus) -> Table:
    """Returns what the database says of a corpus as a corpus file says it, without keys that have their default."""
    exam = _exam(corpus, WRITING_EXAM)
    writing = "open" if corpus.writing_qualification_id is None else "exam" if exam else "invitation"
    about = {"writing": writing, "max_tasks_per_day": corpus.max_tasks_per_day or 0}
    questions = corpus.questions.order_by("-is_main", "pk").select_related("qualification")
    asked = [_question(corpus, question, has_exam=exam is not None) for question in questions]
    newest = {version.prompt_id: version for version in _versions(corpus)}
    prompts = [
        _said(
            PromptPart,
            newest[prompt.pk],
            arm_of=prompt.arm_of.slug if prompt.arm_of else "",
            **{key: getattr(prompt, key) for key in ("slug", *PROMPT_COLUMNS)},
        )
        | _prompt_rows(newest[prompt.pk])
        for prompt in corpus.prompts.select_related("arm_of").order_by("pk")
        if prompt.pk in newest
    ]
    genres = [
        _said(GenrePart, genre, prompt=genre.prompt.slug if genre.prompt else "")
        for genre in corpus.genres.order_by("pk").select_related("prompt")
    ]
    file: Table = {
        "corpus": _said(CorpusPart, corpus, **about),
        "consent": _consent(corpus),
        "advice": {each.advice: each.level for each in corpus.advice_settings.order_by("pk")},
        "exam": exam,
        "question": next(
            (said for question, said in zip(questions, asked, strict=True) if question.is_main), None
        ),
        "questions": [said for question, said in zip(questions, asked, strict=True) if not question.is_main],
        "prompts": prompts,
        "genres": genres,
        **_rows("levels", LevelPart, corpus.levels.all()),
        "translations": list(corpus.translations.order_by("pk").values_list("said", flat=True)),
    }
    return {key: value for key, value in file.items() if value}


def _versions(corpus: Corpus) -> Iterable[PromptVersion]:
    return (
        PromptVersion.objects.newest()
        .filter(prompt__corpus=corpus)
        .prefetch_related("fields", "examples", "check_questions", "faq")
    )


def _said(kind: type[Part], row: Any, **given: Any) -> Table:
    """Returns the keys of a schema that a row has as columns, and the `given` ones, but for those with their default."""
    said: Table = {}
    for key, field in kind.model_fields.items():
        value = given[key] if key in given else getattr(row, key, None)
        if isinstance(value, str | int | float) and (field.is_required() or value != field.default):
            said[key] = value
    return said


def _rows(key: str, kind: type[Part], rows: Iterable[Any], names: Mapping[str, str] | None = None) -> Table:
    """Returns {key: tables} of rows; nothing where there are none. `names`: key -> column, where they differ."""
    columns = names or {}
    found = [
        _said(kind, row, **{name: getattr(row, column) for name, column in columns.items()}) for row in rows
    ]
    return {key: found} if found else {}


def _prompt_rows(version: PromptVersion) -> Table:
    return (
        _rows("fields", WrittenField, version.fields.all())
        | _rows("examples", Example, version.examples.all())
        | _rows("check", Check, version.check_questions.all())
        | _rows("faq", Faq, version.faq.all())
    )


def _consent(corpus: Corpus) -> Table | None:
    form = corpus.consent_form
    if form is None:
        return None
    ours = LANGUAGE_MODELS[corpus.language_models]
    if form.facts:
        *facts, last = form.facts
        own = {} if tuple(last) == ours else {"language_models": "\n\n".join(filter(None, last))}
        rows = [_said(FactPart, None, fact=fact, more=more) for fact, more in facts]
        return _said(ConsentPart, None, title=form.title, **own) | {"facts": rows}
    text, _, end = form.text.rpartition("\n\n")
    own = {} if end == " ".join(ours) else {"language_models": end}
    return _said(ConsentPart, None, title=form.title, text=text, **own)


def _exam(corpus: Corpus, slug: str) -> Table | None:
    exam = Exam.objects.filter(corpus=corpus, slug=slug, is_open=True).first()
    if exam is None:
        return None
    return _said(ExamPart, exam) | _rows("items", ExamItemPart, exam.items.order_by("order"))


def _question(corpus: Corpus, question: Question, *, has_exam: bool) -> Table:
    exam = _exam(corpus, f"label-{question.slug}")
    holder = question.qualification
    by_exam = exam is not None or (
        has_exam and holder is not None and holder.pk == corpus.writing_qualification_id
    )
    said = _said(
        SideQuestionPart,
        question,
        slug="" if question.is_main else question.slug,
        scheme="" if question.scheme == corpus.scheme else question.scheme,
        pool_needs_exam=by_exam,
        qualification="" if by_exam or holder is None else holder.slug,
    )
    if question.is_main:
        del said["slug"]
    return (
        said
        | _rows("labels", WordedLabel, question.label_wordings.all())
        | _rows("examples", Example, question.examples.all())
        | _rows("check", Check, question.check_questions.all())
        | _rows("faq", Faq, question.faq.all(), FAQ_NAMES)
        | _rows("calibration", CalibrationPart, question.calibration.filter(is_open=True).order_by("pk"))
        | _rows("partitions", PartitionRule, question.partitions.all())
        | ({"exam": exam} if exam else {})
    )
