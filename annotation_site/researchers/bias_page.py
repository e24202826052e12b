"""The page for researchers that shows what the hypotheses of a corpus reveal before it is opened."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from accounts.pages.access import researcher_form
from annotation_site.researchers.corpus_bias import LONGEST_KEY, stored_by
from shared.figures import of_page
from shared.findings import beside
from shared.intervals import FEWEST_PAIRS, wilson
from shared.numbers import percent
from shared.tables import Column, Table, interval, with_values
from validation.models import Question
from validation.pairs.door import group_name, shown
from validation.questions.addresses import address_in, also, asked_question
from validation.questions.lookup import Names, answer_words, names_in
from validation.statistics.cached import Kind, current
from validation.statistics.cached_pages import cached_part, count_or_stop


@researcher_form
def bias(request: HttpRequest, slug: str) -> HttpResponse:
    """Shows the result of a worker: no web process splits hypotheses into words."""
    question = asked_question(request, slug)
    by = stored_by(request.GET.get("by", "").replace("\0", "")[:LONGEST_KEY])
    if request.method == "POST":
        count_or_stop(request, question, Kind.BIAS, by=by)
        return redirect(address_in("bias", question, **({"by": by} if by else {})))
    if "part" in request.GET:
        return cached_part(request, question, Kind.BIAS, by)
    found, row = current(question, Kind.BIAS, by)
    known = names_in(question.corpus)
    names = known.get(found["by"], {}) if found else {}
    context: dict[str, Any] = {
        "question": question,
        "answers": answer_words(question),
        **shown(found, names),
        "cached": row,
        "by": by,
        "also": also(question),
        "charts": of_page("bias", question, bias_charts(found, known, question), by=by),
    }
    return render(request, "annotation_site/bias.html", context)


def bias_charts(found: Mapping[str, Any] | None, names: Names, question: Question) -> list[Table]:
    """Returns the charts of what a worker found; none before it has. names: what pages of the corpus call values."""
    return with_values([_alone(found, names.get(found["by"], {}), question)]) if found else []


def _alone(found: Mapping[str, Any], names: Mapping[str, str], question: Question) -> Table | None:
    """Draws how often a classifier that reads no premise is right, by group, beside the majority class."""
    rows = []
    for each in found["groups"]:
        if each["hypothesis_only"] is not None:
            group = each["group"]
            low, high = wilson(each["hypothesis_only"], each["tried"])
            is_genre = found["by"] == "genre" and group is not None
            rows.append(
                {
                    "group": group_name(group, names),
                    "pairs": each["tried"],
                    "alone": each["hypothesis_only"],
                    "low": low,
                    "high": high,
                    "majority": each["commonest_there"],
                    **({"href": address_in("pairs", question, genre=group)} if is_genre else {}),
                }
            )
    if not rows:
        return None
    first = rows[0]
    than = beside(first["alone"], first["pairs"], first["majority"], "the majority class")
    return Table(
        "alone",
        "dots",
        f"Read alone, hypotheses tell the label of {percent(first['alone'])} of the pairs, {than}.",
        [
            Column("group", found["by"]),
            Column("pairs", "pairs tried", "count"),
            Column("alone", "hypothesis alone", "share", "With its 95% interval after Wilson."),
            *interval(),
            Column("majority", "majority class", "share"),
        ],
        rows,
        {"y": "group", "x": "alone", "low": "low", "high": "high", "n": "pairs", "others": ["majority"]},
        note=f"Tried on {found['tried_on']}. A point over fewer than {FEWEST_PAIRS} pairs is faint.",
    )
