"""Pages: the instructions of a prompt with their short check, and its FAQ."""

from typing import cast

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from accounts.pages.access import signed_in_required
from collection.models import Corpus, PromptVersion, WorkedExample
from collection.texts import direction_of
from collection.writing import claiming, prompts
from collection.writing.forms import CheckForm, by_script
from collection.writing.reading_pay import pays_for_reading


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@signed_in_required
def prompt(request: HttpRequest, corpus: str, version: int) -> HttpResponse:
    """Shows instructions, examples and check.

    A POST answers the check, and records the reading; a POST by a script requests which of the given answers are
    wrong.
    """
    found = _version(version, corpus)
    user = cast(User, request.user)
    corpus_shown = found.prompt.corpus
    fields = corpus_shown.in_order(found.fields.all())
    words = [(entry.label, corpus_shown.answer_words[entry.label]) for entry in fields]
    form = CheckForm(found.check_questions.all(), words, request.POST if request.method == "POST" else None)
    if request.method == "POST" and by_script(request):
        return JsonResponse({"wrong": form.verdicts()})
    if request.method == "POST" and form.is_valid() and not user.is_researcher:
        wrong = prompts.read_prompt(
            annotator=user, version=found, answers=form.answers, tries_before=form.tries_before
        )
        if not wrong:
            return redirect("writing", corpus=corpus)
        form.explain(wrong)
    form.focus_first_error()
    is_done = claiming.has_passed(annotator=user, version=found)
    context = {
        "version": found,
        "corpus": corpus_shown,
        "direction": direction_of(corpus_shown.language),
        "fields": fields,
        "examples": _by_premise(found, corpus_shown),
        "form": form,
        "differs": found.differs if prompts.knows_another(annotator=user, prompt=found.prompt) else "",
        "is_done": is_done,
        "pays": not is_done and (user.is_researcher or pays_for_reading(annotator=user, version=found)),
    }
    return render(request, "collection/writing/prompt.html", context, status=422 if form.errors else 200)


@require_safe
@signed_in_required
def faq(request: HttpRequest, version: int) -> HttpResponse:
    found = _version(version)
    return render(request, "collection/writing/faq.html", {"version": found, "corpus": found.prompt.corpus})


def _version(version: int, corpus: str | None = None) -> PromptVersion:
    versions = PromptVersion.objects.select_related("prompt__corpus").prefetch_related("faq", "fields")
    return get_object_or_404(versions.filter(prompt__corpus__slug=corpus) if corpus else versions, pk=version)


def _by_premise(version: PromptVersion, corpus: Corpus) -> list[tuple[str, list[WorkedExample]]]:
    """Groups the worked examples by premise, and orders them as the answers are."""
    groups: dict[str, list[WorkedExample]] = {}
    for example in version.examples.all():
        groups.setdefault(example.premise, []).append(example)
    return [(premise, corpus.in_order(group)) for premise, group in groups.items()]
