"""The search box: a pair or premise by id, a pair by words, a person by code, a run by number, a snapshot by name."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from accounts.models import User
from accounts.pages.access import researcher_page
from accounts.people.gates import viewer
from collection.models import Corpus, Pair, Premise
from collection.models.querysets import SEES_PEOPLE, SEES_RESULTS, in_corpora_of
from modeling.models import TrainingRun
from snapshots.models import Snapshot
from validation.annotators.people import people_of
from validation.models import Membership, Question

LONGEST = 200
FEWEST_LETTERS = 3  # fewer are in nearly every text
SHOWN = 20
RUN = re.compile(r"(?:run\s*)?#?(\d{1,9})", re.IGNORECASE)
SNAPSHOT = re.compile(r"([-\w]+)@(\d{1,6})")


@dataclass(frozen=True)
class Found:
    """One result: what it is, its name, a line about it, and its page. `is_exact`: the whole search names it."""

    kind: str
    name: str
    about: str
    link: str
    is_exact: bool = True


@researcher_page
def search(request: HttpRequest) -> HttpResponse:
    """Shows what was found for `q`: in the corpus `corpus` (a slug), or in all. One exact result opens at once."""
    asked = " ".join(request.GET.get("q", "")[:LONGEST].split())
    main = Question.objects.filter(corpus=OuterRef("pk"), is_main=True)
    known = Corpus.objects.of(viewer(), SEES_RESULTS).only("slug", "name").annotate(has_question=Exists(main))
    corpora = {corpus.slug: corpus for corpus in known}
    here = corpora.get(request.GET.get("corpus", ""))
    looked_in = [here] if here else list(corpora.values())
    exact = _exact(asked, looked_in) if asked else []
    if len(exact) == 1 and "all" not in request.GET:
        return redirect(exact[0].link)
    texts = _texts(asked, looked_in) if len(asked) >= FEWEST_LETTERS else []
    context: dict[str, Any] = {
        "asked": asked,
        "here": here,
        "found": [*exact, *texts],
        "is_short": 0 < len(asked) < FEWEST_LETTERS,
        "most": SHOWN,
        "is_full": len(texts) == SHOWN,
    }
    return render(request, "workspace/search.html", context)


def _exact(asked: str, corpora: Sequence[Corpus]) -> list[Found]:
    found = []
    # With the list of corpora, the index over (corpus, id) finds the rows; with the id alone none does.
    for pair in Pair.objects.filter(corpus__in=_labelled(corpora), public_id=asked).select_related("corpus")[
        :SHOWN
    ]:
        found.append(_pair(pair, is_exact=True))
    for premise in Premise.objects.filter(corpus__in=corpora, public_id=asked).select_related("corpus")[
        :SHOWN
    ]:
        link = reverse("premises", args=[premise.corpus.slug]) + f"?text={premise.public_id}"
        found.append(Found("premise", premise.public_id, premise.text, link))
    for member in Membership.objects.filter(
        in_corpora_of(viewer(), "question__corpus", SEES_PEOPLE),
        annotator__code=asked,
        question__is_main=True,
        **({"question__corpus": corpora[0]} if len(corpora) == 1 else {}),
    ).select_related("question__corpus", "annotator")[:SHOWN]:
        corpus = member.question.corpus
        link = reverse("pool-member", args=[corpus.slug, member.annotator.code])
        found.append(Found("annotator", member.annotator.code, f"labels for {corpus.name}", link))
    if not any(each.kind == "annotator" for each in found):
        for person in User.objects.filter(people_of(viewer()), Q(code=asked) | Q(username=asked)):
            link = reverse("admin:accounts_user_change", args=[person.pk])
            found.append(Found("person", person.code, person.get_role_display(), link))
    if (match := SNAPSHOT.fullmatch(asked)) is not None:
        snapshots = (
            Snapshot.objects.of(viewer()).filter(corpus__slug=match[1], version=int(match[2])).newest_first()
        )
        for snapshot in snapshots:
            about = f"{snapshot.pair_count:,} pairs"
            found.append(Found("snapshot", str(snapshot), about, reverse("snapshot", args=[snapshot.pk])))
    if (match := RUN.fullmatch(asked)) is not None:
        for run in TrainingRun.objects.of(viewer()).newest_first().filter(pk=int(match[1])):
            about = f"{run.baseline} on {run.snapshot}"
            found.append(Found("run", f"run {run.pk}", about, reverse("run", args=[run.pk])))
    return found


def _texts(asked: str, corpora: Sequence[Corpus]) -> list[Found]:
    """Returns pairs whose hypothesis has these words in this order, then pairs whose premise has them."""
    pairs = Pair.objects.standing().filter(corpus__in=_labelled(corpora)).select_related("corpus")
    found = list(pairs.filter(hypothesis__has_words=asked).order_by("pk")[:SHOWN])
    if len(found) < SHOWN:
        premises = Premise.objects.filter(corpus__in=corpora, text__has_words=asked).order_by("pk")
        keys = list(premises.values_list("pk", flat=True)[:SHOWN])
        known = [pair.pk for pair in found]
        found += pairs.filter(premise__in=keys).exclude(pk__in=known).order_by("pk")[: SHOWN - len(found)]
    return [_pair(pair, is_exact=False) for pair in found]


def _labelled(corpora: Sequence[Corpus]) -> list[Corpus]:
    """Returns the corpora with a question: only their pairs have a page."""
    return [corpus for corpus in corpora if corpus.has_question]  # type: ignore[attr-defined]


def _pair(pair: Pair, *, is_exact: bool) -> Found:
    link = reverse("pair", args=[pair.corpus.slug, pair.public_id])
    return Found("pair", pair.public_id, pair.hypothesis, link, is_exact)
