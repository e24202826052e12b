"""What pages with statistics that a worker computes have in common: request a count, stop it, show its progress."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django_htmx.http import HttpResponseClientRefresh

from jobs.tasks import enqueue
from validation.models import Question
from validation.questions.addresses import also
from validation.statistics.cached import Kind, cancel_request, request_statistics, stored

# The name of each kind in a form, and on the page.
CACHED = {
    Kind.AGREEMENT: ("agreement", "Agreement by {by}"),
    Kind.CELLS: ("cells", "Agreement by {by}"),
    Kind.WITHOUT: ("without", "Agreement in the week from {by}"),
    Kind.FINISHED: ("finished", "How far each genre is"),
    Kind.EXAMPLES: ("examples", "Pairs for the paper"),
    Kind.ANNOTATORS: ("figures", "Statistics of annotators"),
    Kind.MODELS: ("models", "Dawid-Skene and MACE"),
    Kind.WAGES: ("wages", "Hourly pay and earnings"),
    Kind.CROSS_TABLE: ("cross", "Answers beside gold labels"),
    Kind.BIAS: ("bias", "What hypotheses give away"),
    Kind.ALARM: ("alarm", "Alarm"),
}


def count_or_stop(request: HttpRequest, question: Question, *kinds: Kind, by: str = "") -> None:
    """Requests a count of each kind, or stops it with `do=stop`."""
    for kind in kinds:
        if request.POST.get("do") == "stop":
            cancel_request(question=question, kind=kind, by=by)
        else:
            enqueue(request_statistics(question=question, kind=kind, by=by))


def cached_part(
    request: HttpRequest, question: Question, kind: Kind, by: str = "", query: str = ""
) -> HttpResponse:
    """Returns the progress of a count, for htmx, every two seconds; afterwards lets htmx reload the page.

    query: what the page's address has to say, where that is not `by`: "week=2026-11-09&".
    """
    _, row = stored(question, kind, by)
    if not row.is_under_way:
        return HttpResponseClientRefresh()
    what, name = CACHED[kind]
    asked = {"by": "" if query else by, "also": f"{also(question)}{query}"}
    context = {"cached": row, "what": what, "name": name.format(by=by.replace(",", " and ")), **asked}
    return render(request, "validation/statistics/_cached.html", context)
