"""Creates and updates a corpus and its exams from a file, and decides which differences are permitted.

Loading works by writing: the changes are made and noted in one transaction, which the caller ends. So the printed
changes are the actual ones, and a dry run is the same work rolled back.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from django.db.models import F, ProtectedError, Q

from accounts.models import ConsentForm, Grant, Qualification
from collection.answering import NO_RUN, CannotAnswer, FrozenRun, freeze
from collection.corpora.differences import Changes, note_fields, note_rows, replace_rows, set_fields
from collection.corpus_schema import (
    MODEL,
    AdvicePart,
    Check,
    ConsentPart,
    CorpusFile,
    CorpusPart,
    ExamItemPart,
    ExamPart,
    Example,
    Faq,
    GenrePart,
    LevelPart,
    PromptPart,
    WrittenField,
)
from collection.models import (
    WRITING_EXAM,
    AdviceSetting,
    ArmDraw,
    Corpus,
    CorpusTranslation,
    Exam,
    Genre,
    Pair,
    Prompt,
    PromptReading,
    PromptVersion,
    WritingAssignment,
)

PROMPT_COLUMNS = ("name", "status", "share", "drawn_by", "drawn_by_genre", "review_percent")
VERSION_COLUMNS = (
    *("instructions", "pay_cents", "seconds", "care", "skip_pay_cents", "paid_skips_per_day"),
    *("reading_pay_cents", "differs", "mode", "avoid", "coach", "feedback", "run", "bonus_cents"),
)


class LoadRefused(Exception):
    """The file would change the meaning of finished work. `reasons`: whole sentences."""

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__(" ".join(reasons))
        self.reasons = list(reasons)


def load_corpus(*, file: CorpusFile, changes: Changes) -> Corpus:
    """Creates or updates the corpus with all that its file says, except the questions.

    Call it in a transaction, and roll back if `changes.errors` is not empty.
    """
    corpus = _corpus(file.corpus, changes)
    _load_consent(corpus, file, changes)
    _load_translations(corpus, file, changes)
    _load_writers(corpus, file.corpus.writing, changes)
    load_exam(
        corpus=corpus,
        slug=WRITING_EXAM,
        scheme=corpus.scheme,
        gives=corpus.writing_qualification,
        part=file.exam,
        name="exam",
        changes=changes,
    )
    _load_advice(corpus, file.advice, changes)
    _load_prompts(corpus, file.prompts, changes)
    _load_genres(corpus, file.genres, changes)
    if note_rows(corpus.levels, file.levels, LevelPart, "level", changes):
        replace_rows(corpus.levels, file.levels)
    _drop_unused_prompts(corpus, file.prompts, changes)
    return corpus


def _corpus(part: CorpusPart, changes: Changes) -> Corpus:
    columns = {key: value for key, value in dict(part).items() if key not in ("writing", "withheld")}
    columns["max_tasks_per_day"] = part.max_tasks_per_day or None
    corpus = Corpus.objects.select_for_update(no_key=True).filter(slug=part.slug).first()
    if corpus is None:
        changes.new(f"corpus {part.slug}")
        return Corpus.objects.create(**columns)
    pairs = Pair.objects.filter(corpus=corpus)
    for key, made in (
        ("scheme", pairs),
        ("protocol", pairs),
        ("language_models", pairs.filter(assignment__isnull=False)),
    ):
        old, new = getattr(corpus, key), getattr(part, key)
        if old != new and (count := made.count()):
            changes.refuse(
                f'[corpus] {key}: "{corpus.slug}" holds {count:,} pairs made under "{old}", so it cannot'
                f' become "{new}". Put "{old}" back into the file, or give the new corpus another slug.'
            )
    if corpus.writers_per_premise != part.writers_per_premise and corpus.premises.exists():
        changes.notes.append("writers_per_premise holds for premises that are imported from now on.")
    set_fields(corpus, columns, "corpus", changes)
    return corpus


def _load_translations(corpus: Corpus, file: CorpusFile, changes: Changes) -> None:
    known = {each.language: each for each in corpus.translations.all()}
    for part in file.translations:
        wanted = {"texts": part.texts(file), "said": part.model_dump(mode="json", exclude_defaults=True)}
        old = known.pop(part.language, None)
        if old is None:
            CorpusTranslation.objects.create(corpus=corpus, language=part.language, **wanted)
            changes.new(f"translation {part.language}, {len(wanted['texts'])} texts")
        elif (old.texts, old.said) != (wanted["texts"], wanted["said"]):
            CorpusTranslation.objects.filter(pk=old.pk).update(**wanted)
            changes.different(f"translation {part.language}, {len(wanted['texts'])} texts")
    for old in known.values():
        old.delete()
        changes.gone(f"translation {old.language}")


def _load_consent(corpus: Corpus, file: CorpusFile, changes: Changes) -> None:
    """Loads the consent form. A new text is a new form, which everybody must accept."""
    old, part = corpus.consent_form, file.consent
    if part is None:
        if old is None:
            return
        changes.gone(f'consent form "{old}"')
        corpus.consent_form = None
    else:
        wanted = {"title": part.title, "text": part.text_under(corpus.language_models)}
        more: dict[str, Any] = {
            "facts": part.facts_under(corpus.language_models),
            "translations": {
                each.language: _consent_in(each.consent, corpus) for each in file.translations if each.consent
            },
        }
        is_same = old is not None and not note_fields(old, wanted, "consent form", changes)
        if is_same and all(getattr(old, key) == value for key, value in more.items()):
            return
        digest = ConsentForm.digest_of(part.title, wanted["text"], more["facts"], more["translations"])
        corpus.consent_form, _ = ConsentForm.objects.get_or_create(digest=digest, defaults={**wanted, **more})
        if old is None:
            changes.new(f'consent form "{part.title}"')
        else:
            changes.different(
                f'consent form "{part.title}": a new text, which everybody is asked to agree to'
            )
    corpus.save(update_fields=["consent_form"])


def _consent_in(part: ConsentPart, corpus: Corpus) -> dict[str, Any]:
    policy = corpus.language_models
    return {"title": part.title, "text": part.text_under(policy), "facts": part.facts_under(policy)}


def _load_writers(corpus: Corpus, writing: str, changes: Changes) -> None:
    """Sets who may write: everybody, or holders of the corpus's qualification."""
    old = corpus.writing_qualification
    wanted = None
    if writing != "open":
        wanted, _ = Qualification.objects.get_or_create(
            slug=f"write-{corpus.slug}", defaults={"name": f"Write for {corpus.name}"[:200]}
        )
    if old == wanted:
        return
    corpus.writing_qualification = wanted
    corpus.save(update_fields=["writing_qualification"])
    changes.different(f"corpus: who may write: {old or 'everybody'} -> {wanted or 'everybody'}")
    if wanted is None:
        return
    holders = Grant.objects.standing().filter(qualification=wanted).values("user")
    writers = WritingAssignment.objects.filter(corpus=corpus).exclude(annotator__in=holders)
    if count := writers.values("annotator").distinct().count():
        changes.notes.append(
            f'{count:,} people who wrote for {corpus.slug} do not hold "{wanted.slug}", so they cannot go on'
            " until somebody gives it to them in the records, under People."
        )


def _load_advice(corpus: Corpus, part: AdvicePart, changes: Changes) -> None:
    known = {setting.advice: setting for setting in corpus.advice_settings.all()}
    for kind, level in part.named.items():
        setting = known.pop(kind, None)
        if setting is None:
            AdviceSetting.objects.create(corpus=corpus, advice=kind, level=level)
            changes.new(f"advice {kind}: {level}")
        else:
            set_fields(setting, {"level": level}, f"advice {kind}", changes)
    for setting in known.values():
        setting.delete()
        changes.gone(f"advice {setting.advice}: {setting.level}")


def _load_prompts(corpus: Corpus, parts: Iterable[PromptPart], changes: Changes) -> None:
    prompts = corpus.prompts.order_by("pk").select_for_update(of=("self",), no_key=True)
    known = {prompt.slug: prompt for prompt in prompts}
    for part in sorted(parts, key=lambda part: bool(part.arm_of)):  # arms after the prompts that they name
        columns = {key: getattr(part, key) for key in PROMPT_COLUMNS} | {"arm_of": known.get(part.arm_of)}
        prompt = known.get(part.slug)
        is_other_arm = prompt is not None and prompt.arm_of != columns["arm_of"]
        if prompt is None:
            prompt = Prompt.objects.create(corpus=corpus, slug=part.slug, **columns)
            known[part.slug] = prompt
        else:
            _keep_arms_drawn(prompt, columns, changes)
            set_fields(prompt, columns, f"prompt {part.slug}", changes)
        prompt.note_change(is_other_arm=is_other_arm)
        _load_version(prompt, part, changes)


def _keep_arms_drawn(prompt: Prompt, columns: dict[str, Any], changes: Changes) -> None:
    """Refuses what would put people into other arms than those under which they write."""
    drawn = ArmDraw.objects.filter(Q(root=prompt) | Q(arm=prompt))
    for key in ("arm_of", "drawn_by"):
        if getattr(prompt, key) != columns[key] and (count := drawn.count()):
            changes.refuse(
                f'[[prompts]] {key}: {count:,} writers or premises belong to an arm of "{prompt.root.slug}".'
                " Put the old value back into the file, or give a new prompt another slug."
            )


def _load_version(prompt: Prompt, part: PromptPart, changes: Changes) -> None:
    """Updates a version that nobody used; otherwise makes the next version."""
    name = f"prompt {part.slug}"
    # Locked, so that no new assignment uses the version between the check and the change.
    version = prompt.versions.newest().select_for_update().first()
    frozen = _frozen_run(prompt, part, changes)
    if version is None:
        _write_version(PromptVersion(prompt=prompt, number=1), part, frozen)
        changes.new(f"{name}, version 1")
    elif _note_version(version, part, name, changes):
        number = version.number
        if _is_used(version):
            _write_version(PromptVersion(prompt=prompt, number=number + 1), part, frozen)
            changes.new(f"{name}, version {number + 1}, because people worked under version {number}")
        else:
            _write_version(version, part, frozen)
            changes.different(f"{name}: version {number} replaced, as nobody worked under it")


def _note_version(version: PromptVersion, part: PromptPart, name: str, changes: Changes) -> bool:
    """Returns whether the content differs, and adds a line for each difference."""
    differs = [
        bool(note_fields(version, {key: getattr(part, key) for key in VERSION_COLUMNS}, name, changes)),
        note_rows(version.fields, part.fields, WrittenField, f"{name}: field", changes),
        note_rows(version.examples, part.examples, Example, f"{name}: example", changes),
        note_rows(version.check_questions, part.check, Check, f"{name}: check", changes),
        note_rows(version.faq, part.faq, Faq, f"{name}: faq", changes),
    ]
    return any(differs)


def _is_used(version: PromptVersion) -> bool:
    return any(
        model.objects.filter(**{key: version}).exists()
        for model, key in (
            (WritingAssignment, "prompt_version"),
            (Pair, "prompt_version"),
            (PromptReading, "version"),
        )
    )


def _frozen_run(prompt: Prompt, part: PromptPart, changes: Changes) -> FrozenRun | None:
    """Returns the run that answers under a prompt, as it was frozen when the prompt first named it; None if none does."""
    if not part.run:
        return None
    for version in prompt.versions.exclude(run=0).order_by("-number"):
        if version.run == part.run:
            return version.frozen_run
        if _is_used(version):
            changes.refuse(
                f'[[prompts]] run: people wrote under "{part.slug}" with run {version.run}, and a model does not change'
                f" within an arm. Put run = {version.run} back into the file, or give run {part.run} an arm of its own."
            )
            return None
    try:
        return freeze(part.run, prompt.corpus.scheme, alone=part.mode != MODEL)
    except CannotAnswer as why:
        changes.refuse(f'[[prompts]] "{part.slug}" run: {why}.')
        return None


def _write_version(version: PromptVersion, part: PromptPart, frozen: FrozenRun | None) -> None:
    if part.run and frozen is None:
        return  # refused; nothing of this load is kept
    for key in (*VERSION_COLUMNS, "digest"):
        setattr(version, key, getattr(part, key))
    for key, value in asdict(frozen or NO_RUN).items():
        setattr(version, key, value)
    version.save()
    replace_rows(version.fields, part.fields)
    replace_rows(version.examples, part.examples)
    replace_rows(version.check_questions, part.check)
    replace_rows(version.faq, part.faq)


def _load_genres(corpus: Corpus, parts: Sequence[GenrePart], changes: Changes) -> None:
    prompts = {prompt.slug: prompt for prompt in corpus.prompts.all()}
    known = {genre.slug: genre for genre in corpus.genres.select_related("prompt")}
    for part in parts:
        wanted = {**dict(part), "prompt": prompts.get(part.prompt)}
        if part.slug in known:
            set_fields(known.pop(part.slug), wanted, f"genre {part.slug}", changes)
        else:
            Genre.objects.create(corpus=corpus, **wanted)
            changes.new(f"genre {part.slug}")
    for genre in known.values():
        _drop_genre(genre, changes)


def _drop_genre(genre: Genre, changes: Changes) -> None:
    if premises := genre.premises.count():
        changes.refuse(
            f'[[genres]] "{genre.slug}" is not in the file, but holds {premises:,} premises.'
            " Put its table back into the file."
        )
        return
    try:
        genre.delete()
    except ProtectedError:  # every line of a file read into it was dropped
        changes.refuse(
            f'[[genres]] "{genre.slug}" is not in the file, but files were read into it, and the results for'
            " their lines are stored. Put its table back into the file."
        )
    else:
        changes.gone(f"genre {genre.slug}")


def _drop_unused_prompts(corpus: Corpus, parts: Iterable[PromptPart], changes: Changes) -> None:
    """Deletes prompts that are no longer in the file; a prompt under which somebody wrote stays, without a genre."""
    gone = corpus.prompts.exclude(slug__in=[part.slug for part in parts])
    for prompt in gone.select_related("arm_of").order_by(F("arm_of").asc(nulls_last=True), "pk"):
        if prompt.drawn.exists() or any(_is_used(each) for each in prompt.versions.select_for_update()):
            changes.notes.append(
                f"Prompt {prompt.slug} is not in the file; it stays, because people worked under it."
            )
            if prompt.arm_of is not None:
                set_fields(prompt, {"status": Prompt.Status.CLOSED}, f"prompt {prompt.slug}", changes)
                prompt.note_change()
        elif not prompt.genre_set.exists() and not prompt.arms.exists():
            for version in prompt.versions.all():
                version.delete()
            prompt.delete()
            changes.gone(f"prompt {prompt.slug}")


def load_exam(
    *,
    corpus: Corpus,
    slug: str,
    scheme: str,
    gives: Qualification | None,
    part: ExamPart | None,
    name: str,
    changes: Changes,
) -> None:
    """Creates or updates the exam of this slug. `gives`: the qualification for passing it.

    An exam that is no longer in the file is deleted, or closed if somebody took it.
    """
    exam = Exam.objects.select_for_update(no_key=True).filter(corpus=corpus, slug=slug).first()
    if part is None or gives is None:
        _close(exam, name, changes)
        return
    columns = {key: value for key, value in dict(part).items() if key != "items"}
    columns |= {"is_open": True, "scheme": scheme, "qualification": gives}
    if exam is None:
        exam = Exam.objects.create(corpus=corpus, slug=slug, **columns)
        changes.new(f"{name}, {len(part.items)} items")
        replace_rows(exam.items, part.items)
        return
    set_fields(exam, columns, name, changes)
    if note_rows(exam.items, part.items, ExamItemPart, f"{name}: item", changes):
        replace_rows(exam.items, part.items)
        if exam.attempts.exists():
            changes.notes.append(f"People have taken the {name} before. Their answers keep the old items.")


def _close(exam: Exam | None, name: str, changes: Changes) -> None:
    if exam is None:
        return
    if exam.attempts.exists():
        set_fields(exam, {"is_open": False}, name, changes)
    else:
        exam.delete()
        changes.gone(name)
