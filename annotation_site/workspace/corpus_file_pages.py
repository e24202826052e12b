"""Changes a corpus by the text of its file: the text, the differences, a confirmation. Earlier texts can be read."""

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.text import slugify

from accounts.models import User
from accounts.pages.access import researcher_form, researcher_page
from accounts.people.gates import viewer
from annotation_site.intake.corpus_files import is_new_text, load
from annotation_site.intake.corpus_text import BEGINNINGS, beginning, begun, text_of
from collection.corpora.corpus_file import BadCorpusFile, Fault, corpus_file_in
from collection.corpora.differences import Changes
from collection.corpora.loading import LoadRefused
from collection.corpus_schema import CorpusFile
from collection.models import Corpus
from collection.models.querysets import SEES_RESULTS
from shared.findings import in_place
from validation.questions.addresses import number_in, text_in

CHANGED_MEANWHILE = "The corpus or the text has changed since you looked. These are the changes now."
TEXTS_SHOWN, CORPORA_SHOWN = 30, 200
MAX_SLUG = 60
ABOUT = ("name", "slug", "language")  # what is asked of a new corpus
MOST_ID = 2**62


@dataclass
class Look:
    """A text of a corpus file, its faults, and what it would change. `file` is None where it cannot be read."""

    text: str
    corpus: Corpus | None = None
    file: CorpusFile | None = None
    changes: Changes | None = None
    faults: list[Fault] = field(default_factory=list)

    @property
    def errors(self) -> list[str]:
        return [fault.sentence for fault in self.faults]

    @property
    def seen(self) -> str:
        """Returns a digest of what a confirmation confirms: this text, and these changes."""
        told = [self.text.replace("\r\n", "\n"), self.changes.lines if self.changes else []]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()

    @property
    def is_new(self) -> bool:
        """Returns whether the file makes a corpus."""
        return self.corpus is None

    @property
    def is_other_text(self) -> bool:
        return self.file is not None and is_new_text(self.corpus, self.file.text)

    @property
    def warnings(self) -> list[str]:
        return [*self.file.warnings, *self.changes.notes] if self.file and self.changes else []


def look_at(text: str, of: Corpus | None = None) -> Look:
    """Reads the text of a corpus file and tries what it would change. `of`: the corpus that it must describe."""
    look = Look(text, of)
    try:
        look.file = corpus_file_in(text, "corpus file")
        if of is not None and look.file.corpus.slug != of.slug:
            raise BadCorpusFile([_other_corpus(look.file, of)])
        look.corpus = Corpus.objects.of(viewer()).filter(slug=look.file.corpus.slug).first()
        look.changes = load(look.file, by=viewer(), dry_run=True)
    except BadCorpusFile as problem:
        look.faults = problem.faults
    except LoadRefused as problem:
        look.faults = [Fault(reason) for reason in problem.reasons]
    return look


def loaded(request: HttpRequest, look: Look) -> bool:
    """Loads what was looked at and confirmed. Returns whether it did; `look` says why not."""
    assert isinstance(request.user, User)
    if look.file is None or look.changes is None:
        return False
    if request.POST.get("seen") != look.seen:
        look.faults = [Fault(CHANGED_MEANWHILE)]
        return False
    try:
        load(look.file, by=request.user, expected=look.changes)
    except LoadRefused as problem:
        look.faults = [Fault(reason) for reason in problem.reasons]
        return False
    number = len(look.changes.lines)
    done = f"{number} change{'' if number == 1 else 's'} made." if number else "The text is kept."
    messages.success(request, done)
    for warning in look.file.warnings if look.changes.lines else ():
        messages.warning(request, in_place(warning))
    return True


@researcher_form
def corpus_file(request: HttpRequest, slug: str = "") -> HttpResponse:
    """Shows what a corpus file would change, as `load_corpus` does, and changes it after a confirmation.

    slug: the corpus whose file is expected; empty: any, also a new one. The page accepts text; its script reads a
    chosen file into the field, since the site accepts no uploads.
    """
    corpus = get_object_or_404(Corpus, slug=slug) if slug else None
    context: dict[str, Any] = {"corpus": corpus, "look": Look("", corpus)}
    if corpus is None:
        context["asked"] = {key: request.GET.get(key, "") for key in ("begin", *ABOUT)}
    if request.method == "POST" and request.POST.get("do") == "begin":
        _begin(request, context)
    elif request.method == "POST":
        look = look_at(text_in(request, "text"), corpus)
        context["look"] = look
        if request.POST.get("do") == "load" and look.file and loaded(request, look):
            return redirect("corpus-overview", look.file.corpus.slug)
    elif corpus is not None:
        _show_kept(request, corpus, context)
    if corpus is not None:
        before = number_in(request, "before", 0, MOST_ID)
        texts = list(corpus.texts.newest_first(before).defer("text")[: TEXTS_SHOWN + 1])
        context["texts"], context["older"] = (
            texts[:TEXTS_SHOWN],
            texts[TEXTS_SHOWN - 1 :][:1] * (len(texts) > TEXTS_SHOWN),
        )
    else:
        context |= {
            "examples": BEGINNINGS,
            "own": Corpus.objects.of(viewer(), SEES_RESULTS).order_by("-pk")[:CORPORA_SHOWN],
        }
    status = 422 if context["look"].faults or context.get("asked", {}).get("errors") else 200
    return render(request, "workspace/corpus_file.html", context, status=status)


def _show_kept(request: HttpRequest, corpus: Corpus, context: dict[str, Any]) -> None:
    if number := number_in(request, "begin", 0, MOST_ID):
        context["begun"] = kept = get_object_or_404(corpus.texts, pk=number)
        context["look"] = Look(kept.text, corpus)
    else:
        context["now"] = now = text_of(corpus)
        context["look"] = Look(now.text, corpus)


def _begin(request: HttpRequest, context: dict[str, Any]) -> None:
    """Fills the field with the text of an example, or of another corpus, under a new name."""
    asked = {key: text_in(request, key).strip() for key in ("begin", *ABOUT)}
    asked["slug"] = asked["slug"] or slugify(asked["name"])[:MAX_SLUG].strip("-")
    context["asked"] = asked
    text = beginning(asked["begin"])
    errors = {} if text else {"begin": "There is no such example or corpus. Choose one of the list."}
    if not asked["name"]:
        errors["name"] = "Give the corpus the name that people will see."
    if asked["name"] and not asked["slug"]:
        errors["slug"] = "Give it a short name, such as weather-talk."
    elif Corpus.objects.filter(slug=asked["slug"]).exists():
        errors["slug"] = f"There is a corpus {asked['slug']} already. Choose another short name."
    if text and not errors:
        text = begun(text, **{key: asked[key] for key in ABOUT if asked[key]})
        try:
            corpus_file_in(text, "corpus file")
        except BadCorpusFile as problem:
            errors = {
                str(fault.place[-1]): in_place(fault.what)
                for fault in problem.faults
                if fault.place[:1] == ("corpus",)
            }
    if errors:
        context["asked"] = {**asked, "errors": errors}
    else:
        context["look"] = look_at(text or "")


@researcher_page
def earlier_text(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Shows a text as it was loaded, and what it changed then."""
    corpus = get_object_or_404(Corpus, slug=slug)
    kept = get_object_or_404(corpus.texts.select_related("loaded_by"), pk=number)
    context = {"corpus": corpus, "kept": kept, "lines": kept.text.splitlines()}
    return render(request, "workspace/earlier_text.html", context)


@researcher_page
def text_file(request: HttpRequest, slug: str, number: int | None = None) -> HttpResponse:
    """Sends the corpus's file, or an earlier one, to be saved."""
    corpus = get_object_or_404(Corpus, slug=slug)
    kept = get_object_or_404(corpus.texts, pk=number) if number else None
    answer = HttpResponse(
        kept.text if kept else text_of(corpus).text, content_type="application/toml; charset=utf-8"
    )
    name = f"{slug}-{kept.loaded_at:%Y-%m-%d-%H%M}" if kept else slug
    answer["Content-Disposition"] = f'attachment; filename="{name}.toml"'
    return answer


def _other_corpus(file: CorpusFile, corpus: Corpus) -> Fault:
    return Fault(
        f"[corpus] slug: this file describes the corpus “{file.corpus.slug}”, and this page is about “{corpus.slug}”."
        " To load another corpus, go to all corpora and choose New corpus.",
        place=("corpus", "slug"),
    )
