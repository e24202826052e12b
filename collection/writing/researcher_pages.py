"""Pages for researchers: problem reports, advice, pilots, the preview of the writing page; instructions with their check."""

from datetime import timedelta
from typing import cast

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from accounts.pages.access import (
    previewed,
    researcher_form,
    researcher_page,
    researcher_required,
    signed_in_required,
)
from collection import errors
from collection.models import (
    Corpus,
    Premise,
    ProblemReport,
    Prompt,
    PromptVersion,
    WorkedExample,
    WritingAssignment,
    WritingSeat,
)
from collection.texts import direction_of
from collection.writing import claiming, problem_reports, prompts, statistics
from collection.writing.forms import CheckForm, PilotForm, ReportForm, WritingForm, by_script
from collection.writing.reading_pay import pays_for_reading
from collection.writing.task_pages import task_page
from shared.csv_files import csv_file
from shared.sorted_lists import list_as_csv, sorted_list, stored_as_csv
from shared.tables import Column

REPORTS_A_PAGE = 20
TASKS_SHOWN = 50
OF_REPORTS = [
    Column("report", value=lambda each: each.pk, on_page=False),
    Column("sent_at", value=lambda each: each.created_at, on_page=False),
    Column("writer", value=lambda each: each.assignment.annotator.code, on_page=False),
    Column("premise", value=lambda each: each.assignment.seat.premise.public_id, on_page=False),
    Column("text", value=lambda each: each.text, on_page=False),
    Column("answer", value=lambda each: each.answer, on_page=False),
    Column("answered_at", value=lambda each: each.answered_at, on_page=False),
]
OF_PROMPTS = [
    Column("prompt", "Prompt", value=lambda each: each.name),
    Column("state", "State", value=lambda each: each.status),
    Column("pilots", "Pilots", "number", value=lambda each: each.pilot_count),
]


def _given(place: int, kind: str) -> Column:
    """Returns the column of a kind of advice, which is sorted, and is in CSV, by how often it was said at all."""
    return Column(kind, kind, "number", value=lambda each: sum(each.counts[place]))


OF_ADVICE = [
    Column("writer", "Writer", value=lambda each: each.name),
    Column("tasks", "Tasks sent", "number", value=lambda each: each.tasks),
    *(_given(place, kind) for place, (kind, _) in enumerate(statistics.advice_kinds())),
]


@researcher_form
def report_queue(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Lists problem reports, each with its premise and a form: those without an answer, the oldest first.

    `show=answered`: the others, the latest answer first. `order`: oldest or newest. `as=csv`: all as CSV.
    """
    corpus = get_object_or_404(Corpus, slug=slug)
    reports = ProblemReport.objects.filter(assignment__corpus=corpus)
    if request.GET.get("as") == "csv":
        return csv_file(stored_as_csv(reports.with_tasks(), OF_REPORTS), f"{slug}-reports")
    refused = None
    if request.method == "POST":
        form = ReportForm(reports, request.POST)
        if form.is_valid():
            try:
                problem_reports.answer_report(
                    report=form.cleaned_data["report"],
                    answer=form.cleaned_data["answer"],
                    by=cast(User, request.user),
                    premise=form.cleaned_data["premise"],
                )
            except errors.NotPossible as refusal:
                form.add_error(None, str(refusal))
            else:
                messages.success(request, "Answered. The writer reads it under “My reports”.")
                return redirect("report-queue", slug=slug)
        refused = form
    answered = request.GET.get("show") == "answered"
    found = reports.answered() if answered else reports.unanswered().oldest_first()
    orders = ("newest", "oldest") if answered else ("oldest", "newest")
    if is_turned := request.GET.get("order") == orders[1]:
        found = found.reverse()
    page = Paginator(found.with_tasks(), REPORTS_A_PAGE).get_page(request.GET.get("page"))
    shown = list(page)
    forms = [
        refused
        if refused is not None and refused.data.get("report") == str(report.pk)
        else ReportForm(reports, initial={"report": report.pk}, auto_id=f"report-{report.pk}-%s")
        for report in shown
    ]
    context = {
        "corpus": corpus,
        "rows": list(zip(shown, forms, strict=True)),
        "answered": answered,
        "order": orders[is_turned],
        "other": orders[not is_turned],
        "page": page,
        "number": reports.count(),
        "open_count": reports.unanswered().count(),
        "refused": refused,
    }
    return render(request, "collection/writing/report_queue.html", context, status=422 if refused else 200)


@require_safe
@researcher_required
def advice_counts(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Shows how often each kind of advice was given, by prompt version and by writer; `as=csv`: by writer, as CSV."""
    corpus = get_object_or_404(Corpus, slug=slug)
    levels = statistics.advice_levels(corpus)
    writers = sorted_list(request, statistics.advice_by_writer(corpus), OF_ADVICE, place="writers")
    if request.GET.get("as") == "csv":
        return csv_file(list_as_csv(writers.rows, OF_ADVICE), f"{slug}-advice")
    context = {
        "corpus": corpus,
        "kinds": [(kind, meaning, levels[kind]) for kind, meaning in statistics.advice_kinds()],
        "versions": statistics.advice_by_version(corpus),
        "writers": writers,
    }
    return render(request, "collection/writing/advice_counts.html", context)


@require_safe
@researcher_required
def pilots(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Lists the prompts of a corpus with their states and numbers of pilots; `as=csv`: as CSV."""
    corpus = get_object_or_404(Corpus, slug=slug)
    table = sorted_list(request, corpus.prompts.with_pilot_counts().order_by("slug"), OF_PROMPTS)
    if request.GET.get("as") == "csv":
        return csv_file(list_as_csv(table.rows, OF_PROMPTS), f"{slug}-prompts")
    context = {"corpus": corpus, "table": table}
    return render(request, "collection/writing/pilots.html", context)


@researcher_form
def pilot(request: HttpRequest, slug: str, prompt: str) -> HttpResponse:
    """Shows the pilot of a prompt: people, texts, times. A POST makes one change."""
    found = get_object_or_404(
        Prompt.objects.select_related("corpus", "arm_of"), corpus__slug=slug, slug=prompt
    )
    form = PilotForm(request.POST or None)
    if form.is_valid():
        try:
            messages.success(request, _change_pilot(found, form))
            return redirect("pilot", slug=slug, prompt=prompt)
        except errors.NotPossible as refusal:
            form.add_error("add", str(refusal))
    context = {
        "corpus": found.corpus,
        "prompt": found,
        "form": form,
        "rows": statistics.pilot_rows(found),
        "tasks": statistics.pilot_tasks(found)[:TASKS_SHOWN],
        "seats": statistics.pilot_seats(found),
        "release": sorted(prompts.count_pilots_to_release(found).items()),
    }
    return render(request, "collection/writing/pilot.html", context, status=422 if form.errors else 200)


def _change_pilot(prompt: Prompt, form: PilotForm) -> str:
    """Makes the change of the button that was pressed. Returns a sentence about it."""
    asked = form.cleaned_data
    if asked["status"]:
        prompts.set_prompt_status(prompt=prompt, status=asked["status"])
        if prompt.arm_of_id or prompt.arms.exists():
            return f"The arm {prompt.slug} is {prompt.status}."
        return {
            Prompt.Status.OPEN: "The prompt is open: everybody may write. A pilot has ended.",
            Prompt.Status.PILOT: "The prompt is piloted: only its pilots can write, at seats of their own.",
            Prompt.Status.CLOSED: "The prompt is closed: nobody can claim a text. Writers who have one may finish it.",
        }[asked["status"]]
    if asked["add"]:
        chosen = prompts.choose_pilot(prompt=prompt, code=asked["add"])
        return f"{chosen.annotator.code} pilots this prompt."
    if asked["remove"]:
        prompts.dismiss_pilot(prompt=prompt, code=asked["remove"])
        return f"{asked['remove']} pilots it no more. What was written stays."
    if asked["premises"]:
        count = prompts.make_pilot_seats(
            prompt=prompt,
            premises_per_genre=asked["premises"],
            writers=asked["writers"] or 1,
            may_enter_train=asked["may_enter_train"],
        )
        return f"{count} seat{'' if count == 1 else 's'} for pilots made."
    if asked["release"]:
        count = prompts.release_pilots(prompt=prompt)
        return f"{count} text{'' if count == 1 else 's'} released into train."
    return "No change was chosen, so nothing was changed."


@researcher_page
@previewed
def preview_writing(request: HttpRequest, slug: str) -> HttpResponse:
    """Shows the writing page with a premise of the corpus, under the newest version of its prompt or of `prompt`."""
    corpus = get_object_or_404(Corpus, slug=slug)
    premises = Premise.objects.filter(corpus=corpus, genre__prompt__isnull=False).exclude(status="dropped")
    if name := request.GET.get("prompt"):
        premises = premises.filter(Q(genre__prompt__slug=name) | Q(genre__prompt__arms__slug=name))
    premise = premises.select_related("genre__prompt").order_by("pk").first()
    if premise is None:
        raise Http404("This corpus has no prompt with a premise, so there is no writing page to show.")
    shown = {"prompt__corpus": corpus, "prompt__slug": name} if name else {"prompt": premise.genre.prompt}
    version = PromptVersion.objects.newest().select_related("prompt__arm_of").filter(**shown).first()
    assignment = WritingAssignment(
        pk=0,  # of no row: it is never saved
        token="preview",
        corpus=corpus,
        annotator=cast(User, request.user),
        seat=WritingSeat(
            premise=premise,
            genre=premise.genre,
            leased_until=timezone.now() + timedelta(seconds=settings.WRITING_LEASE_SECONDS),
        ),
        prompt_version=version,
    )
    return task_page(request, assignment, WritingForm(assignment))


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
    sent = request.POST if request.method == "POST" else None
    form = CheckForm(found.check_questions.all(), words, sent, say=corpus_shown.say)
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
        "as_writer": not user.is_researcher or hasattr(request, "preview_of"),
        "pays": not is_done and (user.is_researcher or pays_for_reading(annotator=user, version=found)),
    }
    return render(request, "collection/writing/prompt.html", context, status=422 if form.errors else 200)


@require_safe
@signed_in_required
def faq(request: HttpRequest, version: int) -> HttpResponse:
    found = _version(version)
    return render(request, "collection/writing/faq.html", {"version": found, "corpus": found.prompt.corpus})


def _version(version: int, corpus: str | None = None) -> PromptVersion:
    versions = PromptVersion.objects.select_related("prompt__corpus", "prompt__arm_of").prefetch_related(
        "faq", "fields"
    )
    return get_object_or_404(versions.filter(prompt__corpus__slug=corpus) if corpus else versions, pk=version)


def _by_premise(version: PromptVersion, corpus: Corpus) -> list[tuple[str, list[WorkedExample]]]:
    """Groups the worked examples by premise, and orders them as the answers are."""
    groups: dict[str, list[WorkedExample]] = {}
    for example in version.examples.all():
        groups.setdefault(example.premise, []).append(example)
    return [(premise, corpus.in_order(group)) for premise, group in groups.items()]
