"""The page for researchers that shows what the hypotheses of a corpus reveal before it is opened."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from accounts.pages.access import researcher_form
from annotation_site.researchers import bias_figures
from annotation_site.researchers.alarm import ALARM
from annotation_site.researchers.corpus_bias import LONGEST_KEY, stored_by
from annotation_site.researchers.looks import BY, planned_looks
from shared import figures
from validation.pairs.door import shown
from validation.questions.addresses import address_in, also, asked_question
from validation.questions.lookup import answer_words
from validation.statistics.cached import Kind, current
from validation.statistics.cached_pages import CACHED, cached_part, count_or_stop
from validation.statistics.scope import Counted
from validation.statistics.vote_patterns import TITLES


@researcher_form
def bias(request: HttpRequest, slug: str) -> HttpResponse:
    """Shows the result of a worker: no web process splits hypotheses into words."""
    question = asked_question(request, slug)
    by = stored_by(request.GET.get("by", "").replace("\0", "")[:LONGEST_KEY])
    if request.method == "POST":
        if request.POST.get("what") == CACHED[Kind.ALARM][0]:
            count_or_stop(request, question, Kind.ALARM)
        else:
            count_or_stop(request, question, Kind.BIAS, by=by)
        return redirect(address_in("bias", question, **({"by": by} if by else {})))
    if "part" in request.GET:
        is_alarm = request.GET["part"] == CACHED[Kind.ALARM][0]
        return cached_part(request, question, *((Kind.ALARM,) if is_alarm else (Kind.BIAS, by)))
    found, row = current(question, Kind.BIAS, by)
    rings, row_of_alarm = current(question, Kind.ALARM)
    counted = Counted(question, found)
    asked = bias_figures.By(by=by)
    context: dict[str, Any] = {
        "question": question,
        "answers": answer_words(question),
        **shown(found, question, counted.names if found else {}),
        "cached": row,
        "by": by,
        "also": also(question),
        "properties": [(name, TITLES.get(name, name)) for name in found["properties"]] if found else [],
        "looks": by == BY and question.is_main and planned_looks(question.corpus_id),
        "alarm": rings,
        "alarm_cached": row_of_alarm,
        "alarm_charts": list(figures.shown((ALARM,), question, Counted(question, rings))) if rings else [],
        "charts": list(figures.shown(bias_figures.FIGURES, question, counted, asked)) if found else [],
    }
    return render(request, "annotation_site/bias.html", context)
