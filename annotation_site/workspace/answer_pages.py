"""Pages that answer one question by one figure, with a choice for each of its parameters."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from accounts.pages.access import researcher_form
from annotation_site.workspace import finished, paper_pairs
from shared.figures import Figure, shown
from validation.questions.addresses import address_in, also, asked_parameters, asked_question, refuse_others
from validation.statistics.cached import Kind, current
from validation.statistics.cached_pages import CACHED, cached_part, count_or_stop
from validation.statistics.scope import Counted

Choices = Mapping[str, tuple[str, Sequence[tuple[str, str]]]]  # parameter -> (its label, [(value, name)])


@researcher_form
def finished_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Shows how far each genre is, or each prompt (`by`)."""
    choices: Choices = {"by": ("Rows", [("genre", "genres"), ("prompt", "prompts")])}
    return _answer(request, slug, "finished", finished.FINISHED, choices, "There is no genre yet.")


@researcher_form
def paper_pairs_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Shows the typical and the disputed pairs of each label, as `seed` draws them."""
    nothing = "No pair has all its labels yet."
    return _answer(request, slug, "paper-pairs", paper_pairs.PAPER_PAIRS, {"seed": ("Seed", ())}, nothing)


def _answer(
    request: HttpRequest, slug: str, name: str, figure: Figure, choices: Choices, nothing: str
) -> HttpResponse:
    """Answers a page's request. name: of its address. POST requests a count, or stops one with `do=stop`."""
    refuse_others(request, "question", "part", *figure.parameters.model_fields)
    question = asked_question(request, slug)
    parameters = asked_parameters(request, figure.parameters)
    kind, by, asked = Kind(figure.source), parameters.counted_by, parameters.asked()
    if request.method == "POST":
        count_or_stop(request, question, kind, by=by)
        return redirect(address_in(name, question, **asked))
    query = "".join(f"{key}={value}&" for key, value in asked.items())
    if "part" in request.GET:
        return cached_part(request, question, kind, by, query)
    found, row = current(question, kind, by)
    values = dict(parameters)
    context: dict[str, Any] = {
        "corpus": question.corpus,
        "question": question,
        "title": figure.title,
        "page": name,
        "what": CACHED[kind][0],
        "cached": row,
        "also": f"{also(question)}{query}",
        "choices": [(key, label, str(values[key]), of) for key, (label, of) in choices.items()],
        "each": next(shown([figure], question, Counted(question, found), parameters), None)
        if found
        else None,
        "nothing": nothing if found is not None else "",
    }
    return render(request, "workspace/answer.html", context)
