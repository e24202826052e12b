"""Pages for researchers: import or recast files from the folder for incoming files, after a preview of the result."""

from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode

from accounts.models import User
from accounts.pages.access import researcher_form, researcher_page
from annotation_site.intake.incoming import MOST_CHARACTERS, incoming_files, paths_of, store_text
from annotation_site.intake.jobs import request_import, stop_import
from annotation_site.intake.orders import (
    AUTO,
    RECIPE,
    ImportForm,
    PremiseForm,
    offered_recipes,
    said_on_page,
)
from annotation_site.intake.report import notes_on
from collection.formats.field_errors import FieldError
from collection.formats.lines import BadLine
from collection.formats.registry import FORMATS
from collection.formats.sniffing import sniffed
from collection.formats.tables import any_records, container_of
from collection.imports.pair_plans import AUTHOR
from collection.models import Corpus
from collection.models.imports import PREMISES, PairImportJob
from jobs.tasks import enqueue
from shared.csv_files import csv_file
from shared.sorted_lists import sorted_page, stored_as_csv
from shared.tables import Column
from validation.questions.addresses import text_in

JOBS_A_PAGE = 50
OF_IMPORTS = [
    Column("number", "Import", value=lambda each: each.pk, largest_first=True, field="pk"),
    Column("corpus", "Corpus", value=lambda each: each.corpus_slug, field="corpus_slug"),
    Column(
        "requested_at",
        "Requested",
        value=lambda each: each.requested_at,
        largest_first=True,
        field="requested_at",
    ),
    Column("by", "By", value=lambda each: each.by.code, field="by__code"),
    Column("status", "Status", value=lambda each: each.status, field="status"),
    Column("dry_run", value=lambda each: "yes" if each.dry_run else "no", on_page=False),
    Column("files", value=lambda each: " ".join(each.files), on_page=False),
]
ROWS = 5
COLUMNS = 6  # of a table; a row with more is a list
LONGEST = 300


@researcher_page
def imports(request: HttpRequest) -> HttpResponseBase:
    """Shows the files that can be imported, and all imports; `as=csv`: all imports as CSV."""
    jobs = PairImportJob.objects.select_related("by")
    if request.GET.get("as") == "csv":
        return csv_file(stored_as_csv(jobs, OF_IMPORTS), "imports")
    table = sorted_page(request, jobs, OF_IMPORTS, "-number", JOBS_A_PAGE, "all")
    context = {
        "files": incoming_files(),
        "folder": settings.INCOMING_ROOT,
        "page": table.rows,
        "heads": table.heads,
        "csv": table.csv,
    }
    return render(request, "annotation_site/imports.html", context)


@researcher_form
def new_import(request: HttpRequest) -> HttpResponse:
    """Shows the first rows of the files, a proposed format with its maps, and a form.

    how: the form is filled with the values of an earlier import, not with what is proposed. POST requests a preview or
    an import.
    """
    names = (request.POST if request.method == "POST" else request.GET).getlist("file")
    names = [name.replace("\0", "") for name in names]
    error = why = ""
    proposal: dict[str, Any] = {}
    rows: list[tuple[int, dict[str, str]]] = []
    try:
        paths = paths_of(names)
    except FieldError as problem:
        error = said_on_page(problem)
    else:
        rows = _first_rows(paths[0])
        try:
            proposal = dict(sniffed(paths[0]).options)
        except FieldError as problem:
            kind, why = container_of(paths[0]), said_on_page(problem)
            proposal = {"format": kind if kind in FORMATS else AUTO}
    shown = request.GET if "how" in request.GET else {"how": proposal.get("format", AUTO), **proposal}
    form = ImportForm(request.POST if request.method == "POST" else None, initial=shown)
    if request.method == "POST" and not error:
        try:
            given, recipe = form.options(), form.recipe
            how = given.pop("how")
            return _requested(
                request,
                corpus=given.pop("corpus"),
                files=names,
                recipe=recipe,
                options=given if recipe else {**given, "format": how},
            )
        except ValueError as problem:
            error = said_on_page(problem)
    known, bad_recipe = offered_recipes()
    keys = list(dict.fromkeys(key for _, record in rows for key in record))
    form.offer(
        how=[
            (AUTO, "auto: by the columns of the first file"),
            ("Import pairs", [(name, f"{name}: {each.about}") for name, each in FORMATS.items()]),
            (
                "Recast by recipe",
                [(f"{RECIPE}{name}", f"{name}: {each.about}") for name, each in sorted(known.items())],
            ),
        ],
        labels=[("", "all"), (AUTHOR, "only the authors’; the pairs are to be opened for labelling")],
        names=[("", "Quintet’s own list"), *((file.name, file.name) for file in incoming_files())],
    )
    context: dict[str, Any] = {
        "names": names,
        "keys": keys,
        "rows": [(line, [(key, record.get(key, "")) for key in keys]) for line, record in rows],
        "is_wide": len(keys) > COLUMNS,
        "why": why,
        "proposal": [
            (
                ImportForm.base_fields["how" if name == "format" else name].label,
                "yes" if value is True else value,
            )
            for name, value in proposal.items()
        ],
        "form": form,
        "bad_recipe": bad_recipe,
        "has_more": any(field.value() for _, fields in form.folded() for field in fields),
        "error": error,
    }
    return render(request, "annotation_site/new_import.html", context, status=422 if error else 200)


@researcher_form
def import_job(request: HttpRequest, number: int) -> HttpResponse:
    """Shows the progress of an import (htmx polls every two seconds), its result, and after a preview the form."""
    job = get_object_or_404(PairImportJob.objects.select_related("by"), pk=number)
    error = ""
    if request.method == "POST":
        if request.POST.get("do") == "stop":
            if stop_import(job=job):
                messages.success(request, "It stops after the current portion.")
            return redirect("import-job", job.pk)
        try:
            return _requested(
                request, corpus=job.corpus_slug, files=job.files, recipe=job.recipe, options=job.options
            )
        except ValueError as problem:
            error = said_on_page(problem)
    report = job.report or {}
    context = {
        "job": job,
        "report": report,
        "sample": [_shown(each) for each in report.get("sample", ())],
        "divided": [
            (what, sorted(report[key].items()))
            for what, key in (
                ("Labels", "labels_by_name"),
                ("Partitions", "partitions"),
                ("Passed over", "passed_over"),
            )
            if report.get(key)
        ],
        # What a preview passes over stands in its first sentence.
        "notes": notes_on({**report, "skipped": 0} if job.dry_run else report),
        "reasons": report.get("reasons", {}).items(),
        "options": [
            (name.replace("_", " "), "yes" if value is True else value)
            for name, value in job.options.items()
            if value
        ],
        "is_under_way": job.is_under_way,
        "error": error,
        "again": f"{_form_of(job)}?{urlencode({'file': job.files, **_given_before(job)}, doseq=True)}",
    }
    htmx = request.method == "GET" and request.htmx  # type: ignore[attr-defined]
    template = "annotation_site/_import_state.html" if htmx else "annotation_site/import_job.html"
    return render(request, template, context, status=422 if error else 200)


def _form_of(job: PairImportJob) -> str:
    if job.is_of_premises:
        return reverse("import-premises", args=[job.corpus_slug])
    return reverse("new-import")


@researcher_form
def new_premises(request: HttpRequest, slug: str) -> HttpResponse:
    """Shows the form that imports a file of premises; POST requests a preview or the import."""
    corpus = get_object_or_404(Corpus, slug=slug)
    sent, files, error = request.POST if request.method == "POST" else request.GET, incoming_files(), ""
    form = PremiseForm(request.POST if request.method == "POST" else None, initial=request.GET.dict())
    name = sent.get("file", "").replace("\0", "").strip()
    if request.method == "POST":
        try:
            return _requested(
                request, corpus=slug, files=[name] if name else [], recipe=PREMISES, options=form.options()
            )
        except ValueError as problem:
            error = said_on_page(problem)
    form.offer(genre=list(corpus.genres.order_by("slug").values_list("slug", "name")))
    context = {
        "corpus": corpus,
        "genres": form.fields["genre"].widget.choices,
        "files": files,
        "file": name,
        "folder": settings.INCOMING_ROOT,
        "form": form,
        "error": error,
    }
    return render(request, "annotation_site/new_premises.html", context, status=422 if error else 200)


def _requested(request: HttpRequest, **order: Any) -> HttpResponse:
    """Requests an import, or its preview unless a button said `import`, and leads to its page. Raises ValueError."""
    job = request_import(by=cast(User, request.user), dry_run=request.POST.get("do") != "import", **order)
    enqueue(job)
    return redirect("import-job", job.pk)


@researcher_form
def send_file(request: HttpRequest) -> HttpResponse:
    """Stores the text of a small file among the incoming files, and leads to its import.

    corpus: a slug; then the file has premises for this corpus, else pairs.
    """
    sent = request.POST if request.method == "POST" else request.GET
    slug = sent.get("corpus", "").replace("\0", "")
    corpus = get_object_or_404(Corpus, slug=slug) if slug else None
    given, error = {name: text_in(request, name) for name in ("name", "folder", "text")}, ""
    if request.method == "POST":
        try:
            stored = store_text(**given)
        except FieldError as problem:
            error = said_on_page(problem)
        else:
            messages.success(request, f"The file is stored as {stored}. Nothing is imported yet.")
            where = reverse("import-premises", args=[slug]) if corpus else reverse("new-import")
            return redirect(f"{where}?{urlencode({'file': stored})}")
    context = {
        "corpus": corpus,
        **given,
        "error": error,
        "most": MOST_CHARACTERS,
    }
    return render(request, "annotation_site/send_file.html", context, status=422 if error else 200)


def _given_before(job: PairImportJob) -> dict[str, Any]:
    """Returns the values of the form that requested the job."""
    values = {name: "yes" if value is True else value for name, value in job.options.items() if value}
    if job.is_of_premises:
        return values
    how = f"{RECIPE}{job.recipe}" if job.recipe else values.pop("format", "")
    return {"corpus": job.corpus_slug, "how": how, **values}


def _first_rows(path: Path) -> list[tuple[int, dict[str, str]]]:
    """Returns the first rows of a file that has records; none of other files."""
    found = []
    with suppress(ValueError, OSError):
        for item in islice(any_records(path), ROWS):
            if not isinstance(item, BadLine):
                found.append((item[0], {key: _short(value) for key, value in item[1].items()}))
    return found


def _shown(each: dict[str, Any]) -> dict[str, Any]:
    row = [(key, _short(value)) for key, value in each["row"].items()]
    return {**each, "row": row, "why": each["refused"] or each["passed_over"]}


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
