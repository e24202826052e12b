"""Pages for researchers: send files, and import or recast them, after a preview of the result."""

from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode

from accounts.models import User
from accounts.pages.access import researcher_form, researcher_page, researcher_post
from accounts.people.gates import viewer
from annotation_site.intake.incoming import (
    MOST_CHARACTERS,
    MOST_IN_PORTION,
    Portion,
    incoming_files,
    paths_of,
    store_portion,
    store_text,
)
from annotation_site.intake.jobs import OTHERS, Kinds, request_import, stop_import
from annotation_site.intake.orders import (
    AUTO,
    RECIPE,
    ImportForm,
    TableForm,
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
from collection.members.actions import refuse_strangers
from collection.models import Corpus
from collection.models.imports import PairImportJob
from collection.models.querysets import CHANGES
from jobs.tasks import enqueue
from modeling.reports.definitions import TABLES
from modeling.reports.views import asked_snapshots
from shared.csv_files import csv_file
from shared.lists import View
from shared.sorted_lists import sorted_page, stored_as_csv
from shared.tables import Column
from snapshots.models import Snapshot
from validation.models import Label
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
PASTED = "pasted.txt"  # the name of a text that has none
ROWS = 5
COLUMNS = 6  # of a table; a row with more is a list
LONGEST = 300


@researcher_page
def imports(request: HttpRequest) -> HttpResponseBase:
    """Shows the files that can be imported, and all imports, or with `?corpus=SLUG` those of one; `as=csv`: as CSV."""
    jobs, corpus = PairImportJob.objects.of(viewer()).select_related("by"), _corpus_around(request)
    if corpus is not None:
        jobs = jobs.filter(corpus_slug=corpus.slug)
    if request.GET.get("as") == "csv":
        return csv_file(stored_as_csv(jobs, OF_IMPORTS), "imports")
    table = sorted_page(request, jobs, OF_IMPORTS, "-number", JOBS_A_PAGE, "all")
    context = {
        "corpus": corpus,
        "files": incoming_files(),
        "page": table.rows,
        "heads": table.heads,
        "csv": table.csv,
    }
    return render(request, "annotation_site/imports.html", context)


def _corpus_around(request: HttpRequest) -> Corpus | None:
    """Returns the corpus from which a page of imports was reached; None if it was none."""
    slug = text_in(request, "corpus") or request.GET.get("corpus", "").replace("\0", "")
    return Corpus.objects.of(viewer()).filter(slug=slug).first()


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
    proposed = {"corpus": request.GET.get("corpus", ""), "how": proposal.get("format", AUTO), **proposal}
    shown = request.GET if "how" in request.GET else proposed
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
        "corpus": _corpus_around(request),
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
    job = get_object_or_404(PairImportJob.objects.of(viewer()).select_related("by"), pk=number)
    error = ""
    if request.method == "POST":
        refuse_strangers(job.corpus_slug, viewer())
        if request.POST.get("do") == "stop":
            if stop_import(job=job):
                messages.success(request, "It stops after the current portion.")
            return redirect("import-job", job.pk)
        try:
            return _requested(
                request,
                corpus=job.corpus_slug,
                files=job.files,
                recipe=job.recipe,
                options=job.options,
                kind=job.kind,
            )
        except ValueError as problem:
            error = said_on_page(problem)
    report = job.report or {}
    context = {
        "corpus": Corpus.objects.filter(slug=job.corpus_slug).first(),
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
        "again": _again(job),
    }
    htmx = request.method == "GET" and request.htmx  # type: ignore[attr-defined]
    template = "annotation_site/_import_state.html" if htmx else "annotation_site/import_job.html"
    return render(request, template, context, status=422 if error else 200)


def _again(job: PairImportJob) -> str:
    """Returns the address of the form that requested the job, filled as it was."""
    given = {"file": job.files, **_given_before(job)}
    if job.kind == Kinds.TABLE:
        first, *others = job.options["snapshots"].split()
        snapshot = Snapshot.objects.of(viewer()).named(first).first()
        given |= {"with": others}
        name = job.options["table"]
        args = [snapshot.pk if snapshot else 0, *([] if name in TABLES else [name])]
        where = reverse("run-table" if name not in TABLES else "result-tables", args=args)
    elif job.kind in NEW:
        where = reverse(NEW[job.kind].address, args=[job.corpus_slug])
    else:
        where = reverse("new-import")
    return f"{where}?{urlencode(given, doseq=True)}"


@dataclass(frozen=True)
class New:
    """The page that starts a job of a kind. address: its name. needs_file: it takes a file, or may take one. go: its button;
    where `look` is set, another one previews it."""

    address: str
    title: str
    needs_file: bool = True
    look: bool = True
    go: str = "Import now"


NEW: dict[str, New] = {
    Kinds.PREMISES: New("import-premises", "Import premises"),
    Kinds.SCENES: New("pair-premises", "Pair by machine", go="Make the pairs"),
    Kinds.CROWD: New("simulate", "Simulated crowd", needs_file=False, look=False, go="Let them work"),
}


@researcher_form
def new_job(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Shows the form of a job that makes rows of a corpus; POST requests it, or its preview."""
    corpus, new = get_object_or_404(Corpus, slug=slug), NEW[Kinds(kind)]
    sent, error = request.POST if request.method == "POST" else request.GET, ""
    form = OTHERS[kind].form(request.POST if request.method == "POST" else None, initial=request.GET.dict())
    name = sent.get("file", "").replace("\0", "").strip()
    if request.method == "POST":
        try:
            asked = {"corpus": slug, "files": [name] if name else [], "recipe": "", "kind": kind}
            return _requested(request, **asked, options=form.options())
        except ValueError as problem:
            error = said_on_page(problem)
    genres = [
        (slug, name if in_training else f"{name} (for dev and test alone, not in training)")
        for slug, name, in_training in corpus.genres.order_by("slug").values_list(
            "slug", "name", "in_training"
        )
    ]
    if "genre" in form.fields:
        form.offer(genre=[("", "choose"), *genres] if len(genres) > 1 else genres)
    context = {
        "corpus": corpus,
        "kind": kind,
        "new": new,
        "lacks_genre": "genre" in form.fields and not genres,
        "files": incoming_files(),
        "file": name,
        "form": form,
        "open_seats": Label.objects.open().filter(question__corpus=corpus).count()
        if kind == Kinds.CROWD
        else 0,
        "error": error,
    }
    return render(request, "annotation_site/new_job.html", context, status=422 if error else 200)


@researcher_post
def complete_table(request: HttpRequest, pk: int, name: str) -> HttpResponse:
    """Has a worker score and train what a table lacks. The address says what it is of, as that of the table's page does."""
    snapshots, _ = asked_snapshots(request, pk)
    view = View(request, (), {})
    sent = {key: view.text(key) for key in ("preset", "key", "partition")}
    sent |= {"table": name, "snapshots": " ".join(map(str, snapshots)), "seeds": text_in(request, "seeds")}
    try:
        asked = {"corpus": snapshots[0].corpus.slug, "files": [], "recipe": "", "kind": Kinds.TABLE}
        return _requested(request, **asked, options=TableForm(sent).options())
    except ValueError as problem:
        messages.warning(request, said_on_page(problem))
        where = reverse("result-tables", args=[pk])
        return redirect(f"{where}?{request.GET.urlencode()}" if request.GET else where)


def _requested(request: HttpRequest, **order: Any) -> HttpResponse:
    """Requests an import, or its preview unless a button said `import`, and leads to its page. Raises ValueError."""
    job = request_import(by=cast(User, request.user), dry_run=request.POST.get("do") != "import", **order)
    enqueue(job)
    return redirect("import-job", job.pk)


@researcher_form
def send_file(request: HttpRequest) -> HttpResponse:
    """Stores a pasted text, or portions of a file, among the incoming files, and leads to its import.

    corpus: a slug; then the file has premises for this corpus, else pairs. `to`: what else it has, as `_asks_for` says.
    """
    is_portion = request.content_type == "application/octet-stream"
    sent = request.POST if request.method == "POST" and not is_portion else request.GET
    slug = sent.get("corpus", "").replace("\0", "")
    corpus = get_object_or_404(Corpus.objects.of(viewer(), CHANGES), slug=slug) if slug else None
    if request.method == "POST" and is_portion:
        return _portion(request, corpus)
    given, error = {name: text_in(request, name) for name in ("name", "folder", "text")}, ""
    if request.method == "POST":
        try:
            stored = store_text(**{**given, "name": given["name"] or PASTED})
        except FieldError as problem:
            error = said_on_page(problem)
        else:
            return redirect(_import_of(request, corpus, stored))
    context = {
        "corpus": corpus,
        "pasted": PASTED,
        **given,
        "error": error,
        "most": MOST_CHARACTERS,
        "portion": MOST_IN_PORTION,
        "to": sent.get("to", ""),
        "back": _asks_for(request, corpus),
    }
    return render(request, "annotation_site/send_file.html", context, status=422 if error else 200)


def _portion(request: HttpRequest, corpus: Corpus | None) -> HttpResponse:
    """Stores a portion of a file. Answers where the next begins, in bytes, and after the last one, where to go."""
    view = View(request, (), {})
    portion = Portion(
        file=f"{request.user.pk} {view.text('changed')}",
        at=view.number("at", 0, 2**62),
        size=view.number("size", 0, 2**62),
        content=request.body,
    )
    try:
        here, stored = store_portion(portion, name=view.text("name"), folder=view.text("folder"))
    except FieldError as problem:
        return JsonResponse({"error": said_on_page(problem)}, status=422)
    return JsonResponse({"at": here, "next": _import_of(request, corpus, stored) if stored else ""})


def _import_of(request: HttpRequest, corpus: Corpus | None, stored: str) -> str:
    """Returns the address of the form that imports the file, and says that it is stored."""
    messages.success(request, f"The file is stored as {stored}. Nothing is imported yet.")
    where = _asks_for(request, corpus)
    asked = {"corpus": corpus.slug} if corpus and where == reverse("new-import") else {}
    return f"{where}?{urlencode({'file': stored, **asked})}"


def _asks_for(request: HttpRequest, corpus: Corpus | None) -> str:
    """Returns the address of the form that needs the file. `to`: the kind of its job (`pairs`), if not of premises."""
    kind = request.GET.get("to") or request.POST.get("to") or Kinds.PREMISES
    return reverse(NEW[kind].address, args=[corpus.slug]) if corpus and kind in NEW else reverse("new-import")


def _given_before(job: PairImportJob) -> dict[str, Any]:
    """Returns the values of the form that requested the job."""
    values = {name: "yes" if value is True else value for name, value in job.options.items() if value}
    if job.kind != Kinds.PAIRS:
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
