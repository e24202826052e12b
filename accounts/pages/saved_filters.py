"""Saves and deletes a researcher's filters, and leads back to the list."""

from typing import cast

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from accounts.models import User
from accounts.pages.access import researcher_post
from accounts.people.saved_filters import NotSaved, delete_filter, is_list, query_of, save_filter


@researcher_post
def saved_filters(request: HttpRequest) -> HttpResponse:
    """Saves the filter `query` of the list `page` as `name`, or deletes the one with the number `delete`."""
    user = cast(User, request.user)
    sent = {
        name: request.POST.get(name, "").replace("\0", "") for name in ("page", "query", "name", "delete")
    }
    page = sent["page"]
    if not is_list(page):
        raise Http404("There is no such list.")
    if sent["delete"]:
        number = int(sent["delete"]) if sent["delete"].isdecimal() and len(sent["delete"]) < 19 else 0
        if delete_filter(user=user, number=number):
            messages.success(request, "The saved filter was deleted.")
    else:
        try:
            messages.success(request, f"Saved as “{save_filter(user=user, **_without(sent))}”.")
        except NotSaved as refusal:
            messages.error(request, str(refusal))
    query = query_of(sent["query"])
    return redirect(f"{page}?{query}" if query else page)


def _without(sent: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in sent.items() if name != "delete"}
