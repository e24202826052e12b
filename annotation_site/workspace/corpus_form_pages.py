"""Changes a corpus by forms, section by section, over the text of its file; previews of what workers will read."""

import tomllib
from contextlib import suppress
from copy import copy
from difflib import SequenceMatcher
from typing import Any, cast

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import override

from accounts.pages.access import previewed, researcher_form, researcher_post
from annotation_site.intake.corpus_files import load
from annotation_site.intake.corpus_text import text_of
from annotation_site.workspace import corpus_forms as forms
from annotation_site.workspace.corpus_file_pages import Look, loaded, look_at
from collection.corpora.corpus_file import BadCorpusFile, Fault, corpus_file_in, too_much
from collection.corpora.edited_text import edited
from collection.corpora.loading import LoadRefused
from collection.corpus_schema import CorpusFile
from collection.models import WRITING_EXAM, Corpus, PromptVersion
from collection.writing.researcher_pages import prompt as prompt_page
from validation.labelling.preview_page import preview_batch, preview_exam, preview_instructions
from validation.questions.addresses import asked_question, text_in

MOST_FIELDS = 900  # of a form; Django takes 1,000


@researcher_form
def change_corpus(request: HttpRequest, slug: str, part: str = "about") -> HttpResponse:
    """Shows a section of the corpus's file as a form, beside it the file and what would change, and changes it.

    `?arm=SLUG` shows it with another arm of that prompt, to be named.

    The text with what was changed so far travels with the form: nothing is stored before it is confirmed.
    """
    corpus, section = get_object_or_404(Corpus, slug=slug), forms.section_named(part)
    if section is None:
        raise Http404(f"There is no section {part}.")
    now = text_of(corpus).text
    look, is_rewritten = Look(now, corpus), False
    if request.method == "POST":
        text, is_rewritten = _posted_text(request, now)
        look = look_at(text, corpus)
        do = request.POST.get("do")
        if do == "load" and loaded(request, look):
            return redirect("change-corpus", slug, part)
        if do == "file":
            return _as_file(request, corpus, look)
    content = _content(look.text)
    if content is None:
        return _as_file(request, corpus, look)
    if request.method == "GET" and (place := forms.prompt_named(request.GET.get("arm", ""), content)):
        changed = edited(look.text, content := forms.with_arm(content, place))
        look, is_rewritten = look_at(changed.text, corpus), changed.is_rewritten
    # The script that shows what is typed must not move the cursor to the errors.
    is_asked = request.POST.get("do") in ("look", "load") and not request.htmx  # type: ignore[attr-defined]
    shown = look.faults if request.method == "POST" else []
    if not is_asked:  # a field that nobody filled yet is wrong once somebody asked
        told = text_in(request, "told").split()
        shown = [
            each
            for each in shown
            if forms.name_of(each.place) in told or forms.is_filled(each.place, content)
        ]
    parts = forms.parts_of(section, content, shown)
    is_too_long = sum(1 for _ in forms.fields_in(parts)) > MOST_FIELDS
    context = {
        "corpus": corpus,
        "section": section,
        "sections": forms.SECTIONS,
        "parts": [] if is_too_long else parts,
        "is_too_long": is_too_long,
        "look": look,
        "faults": [(fault, _address(slug, section, fault)) for fault in shown],
        "told": " ".join(forms.name_of(fault.place) for fault in shown),
        "unfilled": len(look.faults) - len(shown) if request.method == "POST" else 0,
        "lines": list(_lines(now, look.text, shown)),
        "is_changed": look.text != now,
        "is_rewritten": is_rewritten,
        "hourly": forms.hourly(content, look.file or _file(look.text)) if section.slug == "pay" else [],
        "floor": _floor(content),
        "is_asked": is_asked,
    }
    return render(request, "workspace/change_corpus.html", context, status=422 if is_asked and shown else 200)


@researcher_post
def preview_change(request: HttpRequest, slug: str) -> HttpResponse:
    """Shows a page as workers would see it after the changes of the form, which are made and taken back."""
    corpus = get_object_or_404(Corpus, slug=slug)
    text, _ = _posted_text(request, text_of(corpus).text)
    try:
        file = corpus_file_in(text, "corpus file")
        with transaction.atomic():
            load(file)
            answer = _shown(request, slug, content=tomllib.loads(text), of=text_in(request, "of"))
            transaction.set_rollback(True)
        return cast(HttpResponse, answer)
    except BadCorpusFile as problem:
        errors = problem.errors
    except LoadRefused as problem:
        errors = problem.reasons
    context = {"corpus": corpus, "errors": errors}
    return render(request, "workspace/no_preview.html", context, status=422)


def _posted_text(request: HttpRequest, now: str) -> tuple[str, bool]:
    """Returns the posted text with what the posted fields say, and whether its comments and order are lost."""
    text = text_in(request, "text").replace("\r\n", "\n") or now
    section, content = forms.section_named(request.POST.get("section", "")), _content(text)
    if section is None or content is None:
        return text, False
    wanted = forms.posted(section, content, {key: text_in(request, key) for key in request.POST})
    what, _, place = request.POST.get("do", "").partition(":")
    if what == "add":
        wanted = forms.added(wanted, place)
    elif what == "remove":
        wanted = forms.removed(wanted, place)
    elif what == "arm":
        wanted = forms.with_arm(wanted, place)
    changed = edited(text, wanted)
    return changed.text, changed.is_rewritten


def _content(text: str) -> dict[str, Any] | None:
    """Returns what a text says; None if it is no TOML, or must not be read."""
    try:
        return None if too_much(text) else tomllib.loads(text)
    except (ValueError, RecursionError):
        return None


@previewed
def _shown(request: HttpRequest, slug: str, *, content: dict[str, Any], of: str) -> HttpResponse:
    """Returns a page as people see it: one of `forms.PREVIEWS` with its place, such as `write:prompts.0`.

    A place in a translation is shown in its language.
    """
    looking = copy(request)
    looking.method, looking.GET, looking.POST = "GET", QueryDict(), QueryDict()
    what, _, name = of.partition(":")
    place = forms.place_of(name)
    table = forms.said_at(place, content)
    if not isinstance(table, dict) or what not in dict(forms.previews_at(place)):
        raise Http404("There is no such table in the file.")
    with override(forms.language_of(place, content)):
        if what == "write":
            newest = PromptVersion.objects.newest()
            version = get_object_or_404(newest, prompt__corpus__slug=slug, prompt__slug=table.get("slug"))
            return cast(HttpResponse, prompt_page(looking, corpus=slug, version=version.pk))
        around = forms.question_around(place)
        if not around:
            return cast(HttpResponse, preview_exam(looking, slug, name=WRITING_EXAM))
        if asked := forms.said_at(around, content).get("slug"):
            looking.GET = QueryDict(urlencode({"question": asked}))
        if what == "exam":
            name = f"label-{asked_question(looking, slug).slug}"
            return cast(HttpResponse, preview_exam(looking, slug, name=name))
        if what == "read":
            return cast(HttpResponse, preview_instructions(looking, slug))
        return preview_batch(looking, slug, table if what == "item" else None)


def _as_file(request: HttpRequest, corpus: Corpus, look: Look) -> HttpResponse:
    context = {"corpus": corpus, "look": look}
    return render(request, "workspace/corpus_file.html", context, status=422 if look.faults else 200)


def _address(slug: str, here: forms.Section, fault: Fault) -> str:
    """Returns where a fault can be mended: in this section, in another one; empty: in the file alone."""
    section = forms.section_of(fault.place) if fault.place else None
    if section is None:
        return ""
    anchor = forms.name_of(fault.place).replace(".", "-")
    if section is here:
        return f"#{anchor}"
    return reverse("change-corpus", args=[slug, section.slug])


def _lines(now: str, text: str, faults: list[Fault]) -> list[tuple[str, str, list[str]]]:
    """Returns the lines of the text: (line, "new" or "", what is wrong there)."""
    lines, old = text.splitlines(), now.splitlines()
    new = {
        number
        for step, _, _, first, last in SequenceMatcher(a=old, b=lines, autojunk=False).get_opcodes()
        if step != "equal"
        for number in range(first, last)
    }
    wrong: dict[int, list[str]] = {}
    for fault in faults:
        if fault.line and fault.what:
            wrong.setdefault(fault.line - 1, []).append(fault.what)
    return [
        (line, "new" if number in new else "", wrong.get(number, [])) for number, line in enumerate(lines)
    ]


def _file(text: str) -> CorpusFile | None:
    """Returns the file of a text that nobody has looked at; None if it cannot be read."""
    with suppress(BadCorpusFile):
        return corpus_file_in(text, "corpus file")
    return None


def _floor(content: dict[str, Any]) -> int:
    about = content.get("corpus")
    floor = about.get("hourly_floor_cents", 0) if isinstance(about, dict) else 0
    return floor if type(floor) is int else 0
