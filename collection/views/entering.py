"""A platform's link, and its completion code."""

from typing import cast

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import annotator_required
from accounts.models import User
from collection import entering
from collection.models import EntryLink

IN_VISIT = "in_visit"


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def enter(request: HttpRequest, token: str) -> HttpResponse:
    """Where a platform sends people. Looking makes nothing; the button makes the account and signs in."""
    link = get_object_or_404(EntryLink.objects.select_related("corpus", "grants"), token=token)
    context = {"link": link, "corpus": link.corpus}
    try:
        identity = entering.identity_in(link, request.GET.dict())
        if request.method == "POST" and not _is_researcher(request):
            visit = entering.enter(link=link, **identity)
            login(request, visit.user)
            request.session[IN_VISIT] = True  # every page then shows the way to the code
            return redirect("visit")
    except entering.EntryRefused as refusal:
        return render(request, "collection/enter.html", {**context, "refusal": str(refusal)}, status=403)
    return render(request, "collection/enter.html", {**context, "is_researcher": _is_researcher(request)})


def _is_researcher(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.is_researcher


@require_safe
@never_cache
@annotator_required
def visit(request: HttpRequest) -> HttpResponse:
    """How far a visit through a link is; at its end, the code."""
    stay = entering.latest_visit(cast(User, request.user))
    if stay is None:
        return redirect("start")
    finished = entering.finish(visit=stay)
    done = entering.tasks_done(stay)
    context = {
        "visit": stay,
        "link": stay.link,
        "finished": finished,
        "done": min(done, stay.link.tasks_wanted),
        "more": done - stay.link.tasks_wanted,
    }
    return render(request, "collection/visit.html", context)
