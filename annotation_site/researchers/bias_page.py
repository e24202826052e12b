"""The page for researchers that shows what the hypotheses of a corpus reveal before it is opened."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from accounts.pages.access import researcher_form
from jobs.tasks import enqueue
from validation.questions.addresses import address_in, asked_question
from validation.statistics.cached import Kind, cancel_request, current, request_statistics

LONGEST_KEY = 20


@researcher_form
def bias(request: HttpRequest, slug: str) -> HttpResponse:
    """Shows the result of a worker: no web process splits hypotheses into words."""
    question = asked_question(request, slug)
    by = request.GET.get("by", "").replace("\0", "")[:LONGEST_KEY]
    if request.method == "POST":
        if request.POST.get("do") == "stop":
            cancel_request(question=question, kind=Kind.BIAS, by=by)
        else:
            enqueue(request_statistics(question=question, kind=Kind.BIAS, by=by))
        return redirect(address_in("bias", question, **({"by": by} if by else {})))
    found, row = current(question, Kind.BIAS, by)
    context: dict[str, Any] = {
        "question": question,
        "found": found,
        "kept": row,
        "rows": [_row(each) for each in found["groups"]] if found else [],
        "words": [
            ("Words that go with a label", found["giveaways"]),
            ("Neighbouring words that go with a label", found["giveaway_pairs"]),
        ]
        if found
        else [],
    }
    return render(request, "annotation_site/bias.html", context)


def _row(group: dict[str, Any]) -> dict[str, Any]:
    alone = group["hypothesis_only"]
    return {
        "name": "all" if group["group"] is None else group["group"] or "not said",
        "pairs": group["pairs"],
        "labels": list(group["labels"].values()),
        "commonest": f"{group['commonest']:.1%}",
        "alone": "" if alone is None else f"{alone:.1%}",
        "gives_away": group["gives_away"],
    }
