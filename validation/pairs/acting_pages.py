"""The page on which researchers see what an act would do with chosen pairs, before they let it happen."""

from collections.abc import Callable, Iterable
from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404

from accounts.models import User
from collection.models import Corpus, Pair
from shared.acting import Acting, Effect
from shared.among import Among
from validation.errors import NotLookedAt, ValidationError
from validation.models import Question
from validation.pairs.acting import ACTS, Chosen, labels_wanted
from validation.pairs.pair_sets import TO_DECIDE, sets_of
from validation.questions.addresses import address_in, text_in


def act_on_pairs(request: HttpRequest, corpus: Corpus, passing: Callable[[], Iterable[str]]) -> HttpResponse:
    """Answers the form of a list of pairs. passing: returns the ids of all pairs that pass its filters."""

    def chosen(names: list[str], given: dict[str, str]) -> Chosen:
        slug = text_in(request, "question") or request.GET.get("question", "")
        which = {"slug": slug} if slug else {"is_main": True}
        question = get_object_or_404(Question.objects.select_related("corpus"), corpus=corpus, **which)
        rows = Pair.objects.filter(Among("public_id", names), corpus=corpus)
        keys = dict(rows.values_list("public_id", "pk"))
        return Chosen(keys, given, question, cast(User, request.user))

    def said(refusal: Exception) -> str:
        look = f" Count it on the page “Open pairs” of {corpus.name} first."
        return f"{refusal}{look if isinstance(refusal, NotLookedAt) else ''}"

    return Acting(
        ACTS,
        "pair",
        chosen,
        (ValidationError,),
        "validation/pairs/act.html",
        ("set", "reason", "labels", "draw", "seed"),
        said,
        _beside,
        _next_of,
    ).answer(request, passing)


def _beside(chosen: Chosen, effect: Effect) -> dict[str, Any]:
    corpus = chosen.question.corpus
    return {
        "corpus": corpus,
        "question": chosen.question,
        "questions": corpus.questions.order_by("-is_main", "slug"),
        "fee": round(effect.cents * corpus.platform_fee_percent / 100),
        "given": {**chosen.given, "labels": labels_wanted(chosen.question, chosen.given)},
        "sets": sets_of(corpus),
    }


def _next_of(chosen: Chosen, do: str, back: str) -> str:
    """Returns where the researcher goes on: at the first dispute, or in the list."""
    return address_in("adjudication", chosen.question, set=TO_DECIDE) if do == "decide" else back
