"""Creating and updating a corpus from its file: what differs, what may change, what may not.

Loading works by writing: the changes are made and noted in one transaction, which the caller ends. So
what is printed is what was done, and a trial run is the same work rolled back.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from django.db import models

from accounts.models import ConsentForm
from collection.corpus_files import (
    ConsentPart,
    CorpusFile,
    CorpusPart,
    Example,
    Faq,
    GenrePart,
    PromptPart,
    WrittenField,
)
from collection.models import (
    Corpus,
    Genre,
    Pair,
    Prompt,
    PromptVersion,
    WritingAssignment,
)

SHOWN = 60  # characters of an old or new value in a line of the difference


class LoadRefused(Exception):
    """The file would change the meaning of work that was done. `reasons`: whole sentences."""

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__(" ".join(reasons))
        self.reasons = list(reasons)


@dataclass
class Changes:
    """What a file changes, line by line (`+` new, `-` gone, `~` different), and what it may not."""

    lines: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)

    def new(self, what: str) -> None:
        self.lines.append(("+", what))

    def gone(self, what: str) -> None:
        self.lines.append(("-", what))

    def different(self, what: str) -> None:
        self.lines.append(("~", what))

    def refuse(self, why: str) -> None:
        self.refusals.append(why)


def set_fields(row: models.Model, wanted: dict[str, Any], name: str, changes: Changes) -> None:
    """Writes the fields that differ, and a line for each."""
    differing = [key for key, value in wanted.items() if getattr(row, key) != value]
    for key in differing:
        changes.different(f"{name}: {key}: {_difference(getattr(row, key), wanted[key])}")
        setattr(row, key, wanted[key])
    if differing:
        row.save(update_fields=differing)


def load_corpus(*, file: CorpusFile, changes: Changes) -> Corpus:
    """Creates or updates the corpus with its consent form, prompts and genres; the question is not here.

    To be called in a transaction. The caller must roll back when `changes.refusals` is not empty.
    """
    corpus = _corpus(file.corpus, changes)
    _load_consent(corpus, file.consent, changes)
    _load_prompts(corpus, file.prompts, changes)
    _load_genres(corpus, file.genres, changes)
    _drop_unused_prompts(corpus, file.prompts, changes)
    return corpus


def _corpus(part: CorpusPart, changes: Changes) -> Corpus:
    corpus = Corpus.objects.select_for_update(no_key=True).filter(slug=part.slug).first()
    if corpus is None:
        changes.new(f"corpus {part.slug}")
        return Corpus.objects.create(**asdict(part))
    for key in ("scheme", "protocol"):
        old, new = getattr(corpus, key), getattr(part, key)
        if old != new and (pairs := Pair.objects.filter(corpus=corpus).count()):
            changes.refuse(
                f'[corpus] {key}: "{corpus.slug}" holds {pairs:,} pairs made under "{old}", so it cannot'
                f' become "{new}". Put "{old}" back into the file, or give the new corpus another slug.'
            )
    if corpus.writers_per_premise != part.writers_per_premise and corpus.premises.exists():
        changes.notes.append("writers_per_premise holds for premises that are imported from now on.")
    set_fields(corpus, asdict(part), "corpus", changes)
    return corpus


def _load_consent(corpus: Corpus, part: ConsentPart | None, changes: Changes) -> None:
    """A new text is a new form; those who agreed to the old one are asked again."""
    old = corpus.consent_form
    digest = ConsentForm.digest_of(part.title, part.text) if part else None
    if (old.digest if old else None) == digest:
        return
    if part is None:
        changes.gone(f'consent form "{old}"')
        corpus.consent_form = None
    else:
        form, _ = ConsentForm.objects.get_or_create(
            digest=digest, defaults={"title": part.title, "text": part.text}
        )
        if old is None:
            changes.new(f'consent form "{form}"')
        else:
            changes.different(f'consent form "{form}": a new text, which everybody is asked to agree to')
        corpus.consent_form = form
    corpus.save(update_fields=["consent_form"])


def _load_prompts(corpus: Corpus, parts: Iterable[PromptPart], changes: Changes) -> None:
    known = {prompt.slug: prompt for prompt in corpus.prompts.all()}
    for part in parts:
        prompt = known.get(part.slug)
        if prompt is None:
            prompt = Prompt.objects.create(corpus=corpus, slug=part.slug, name=part.name)
            _write_version(PromptVersion(prompt=prompt, number=1), part)
            changes.new(f"prompt {part.slug}, version 1")
            continue
        set_fields(prompt, {"name": part.name}, f"prompt {part.slug}", changes)
        _update_version(prompt, part, changes)


def _update_version(prompt: Prompt, part: PromptPart, changes: Changes) -> None:
    # The lock keeps a new assignment from taking the version between the look and the change.
    version = prompt.versions.select_for_update().order_by("-number").first()
    if version is None:
        _write_version(PromptVersion(prompt=prompt, number=1), part)
        changes.new(f"prompt {part.slug}, version 1")
    elif version.digest != part.digest:
        what = ", ".join(_changed_parts(version, part)) or "content"
        if _is_used(version):
            _write_version(PromptVersion(prompt=prompt, number=version.number + 1), part)
            changes.different(
                f"prompt {part.slug}: {what}: version {version.number + 1}, as people wrote under the old"
            )
        else:
            _write_version(version, part)
            changes.different(
                f"prompt {part.slug}: {what}: version {version.number} replaced, as nobody wrote under it"
            )


def _is_used(version: PromptVersion) -> bool:
    return (
        WritingAssignment.objects.filter(prompt_version=version).exists()
        or Pair.objects.filter(prompt_version=version).exists()
    )


def _write_version(version: PromptVersion, part: PromptPart) -> None:
    version.instructions, version.digest = part.instructions, part.digest
    version.pay_cents, version.seconds = part.pay_cents, part.seconds
    version.save()
    replace_rows(version.fields, part.fields)
    replace_rows(version.examples, part.examples)
    replace_rows(version.faq, part.faq)


def replace_rows(manager: Any, parts: Sequence[Any], names: dict[str, str] | None = None) -> None:
    """Puts the parts, in their order, in the place of all rows of a related manager.

    `names`: the columns whose names differ from the parts' own.
    """
    names = names or {}
    manager.all().delete()
    manager.bulk_create(
        manager.model(
            **{manager.field.name: manager.instance},
            order=order,
            **{names.get(key, key): value for key, value in asdict(part).items()},
        )
        for order, part in enumerate(parts)
    )


def _changed_parts(version: PromptVersion, part: PromptPart) -> list[str]:
    changed = [
        key for key in ("instructions", "pay_cents", "seconds") if getattr(version, key) != getattr(part, key)
    ]
    if stored_parts(version.fields, WrittenField) != part.fields:
        changed.append("fields")
    if stored_parts(version.examples, Example) != part.examples:
        changed.append("examples")
    if stored_parts(version.faq, Faq) != part.faq:
        changed.append("faq")
    return changed


def stored_parts(manager: Any, kind: type, names: dict[str, str] | None = None) -> tuple[Any, ...]:
    """The rows of a related manager as parts of a file, to compare them with the file's."""
    names = names or {}
    keys = kind.__dataclass_fields__  # type: ignore[attr-defined]
    return tuple(
        kind(**{key: getattr(row, names.get(key, key)) for key in keys}) for row in manager.order_by("order")
    )


def _load_genres(corpus: Corpus, parts: Sequence[GenrePart], changes: Changes) -> None:
    prompts = {prompt.slug: prompt for prompt in corpus.prompts.all()}
    known = {genre.slug: genre for genre in corpus.genres.select_related("prompt")}
    for part in parts:
        wanted = {**asdict(part), "prompt": prompts.get(part.prompt)}
        if part.slug in known:
            set_fields(known.pop(part.slug), wanted, f"genre {part.slug}", changes)
        else:
            Genre.objects.create(corpus=corpus, **wanted)
            changes.new(f"genre {part.slug}")
    for genre in known.values():
        if premises := genre.premises.count():
            changes.refuse(
                f'[[genres]] "{genre.slug}" is not in the file, but holds {premises:,} premises.'
                " Put its table back into the file."
            )
        else:
            genre.delete()
            changes.gone(f"genre {genre.slug}")


def _drop_unused_prompts(corpus: Corpus, parts: Iterable[PromptPart], changes: Changes) -> None:
    """Prompts that left the file go, unless somebody wrote under them: those stay, without a genre."""
    for prompt in corpus.prompts.exclude(slug__in=[part.slug for part in parts]):
        if any(_is_used(version) for version in prompt.versions.select_for_update()):
            changes.notes.append(
                f"Prompt {prompt.slug} is not in the file; it stays, because people wrote under it."
            )
        elif not prompt.genre_set.exists():
            for version in prompt.versions.all():
                version.delete()
            prompt.delete()
            changes.gone(f"prompt {prompt.slug}")


def _difference(old: Any, new: Any) -> str:
    """Both values, or of long texts the place where they part."""
    if isinstance(old, str) and isinstance(new, str) and max(len(old), len(new)) > SHOWN:
        same = next(
            (n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new))
        )
        start = max(0, same - 15)
        return f"{_excerpt(old, start)} -> {_excerpt(new, start)}"
    return f"{_plain(old)} -> {_plain(new)}"


def _excerpt(text: str, start: int) -> str:
    piece = " ".join(text[start : start + SHOWN].split())
    return f'"{"..." if start else ""}{piece}{"..." if start + SHOWN < len(text) else ""}"'


def _plain(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)
