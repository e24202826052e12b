"""Researchers: the pairs of a corpus to read, and one pair with its whole history."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.pages.access import researcher_required
from collection.models import Pair
from collection.texts import direction_of
from nli.gold import ADJUDICATED, AUTHOR, NONE, PUBLISHED, VOTED
from validation.gold import with_gold_label
from validation.pairs import VOTES, Wanted, decisions_on, labels_on, pairs_to_read, skips_of
from validation.views.asked import address_in, asked_question, number_in

# Where a gold label is from, as gold.py says it, and what a page calls that.
SOURCES = {
    VOTED: "the votes",
    ADJUDICATED: "a researcher's decision",
    PUBLISHED: "the published file",
    AUTHOR: "the author's label alone",
    NONE: "there is none",
}
TEXT_FILTERS = ("genre", "author", "author_label", "gold", "source", "votes", "text")


@never_cache
@require_safe
@researcher_required
def pair_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Fifty pairs a page, by genre, author, labels, how the votes fell, and words."""
    question = asked_question(request, slug)
    given = {name: request.GET.get(name, "").replace("\0", "")[:200].strip() for name in TEXT_FILTERS}
    wanted = Wanted(**given, skipped=request.GET.get("skipped") == "yes")
    pairs, after = pairs_to_read(question, wanted, after=number_in(request, "after", 0, 2**62))
    chosen: dict[str, str | int] = {name: value for name, value in given.items() if value}
    if wanted.skipped:
        chosen["skipped"] = "yes"
    context = {
        "question": question,
        "pairs": pairs,
        "wanted": wanted,
        "is_narrowed": bool(chosen),
        "genres": question.corpus.genres.order_by("slug"),
        "votes": VOTES,
        "sources": SOURCES,
        "more": address_in("pairs", question, **chosen, after=after) if after else "",
    }
    return render(request, "validation/pairs.html", context)


@never_cache
@require_safe
@researcher_required
def pair_page(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """A pair: its texts, where they are from, its gold label, and everything that anybody said of it."""
    question = asked_question(request, slug)
    asked = get_object_or_404(Pair, corpus=question.corpus, public_id=public_id)
    rows = with_gold_label(Pair.objects.all(), question, [asked.pk])
    rows = rows.select_related("premise__genre", "author", "prompt_version__prompt", "source")
    pair = get_object_or_404(rows)
    context = {
        "question": question,
        "pair": pair,
        "source": SOURCES[pair.gold_source],  # type: ignore[attr-defined]
        "labels": labels_on(pair),
        "skips": skips_of(pair),
        "decisions": decisions_on(pair),
        "direction": direction_of(question.corpus.language),
    }
    return render(request, "validation/pair.html", context)
