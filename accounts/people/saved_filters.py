"""Filters of lists that researchers save under a name."""

from django.http import QueryDict
from django.urls import Resolver404, resolve

from accounts.models import SavedFilter, User

# Names of the addresses of lists whose filters can be saved.
LISTS = ("pairs", "premises", "texts", "snapshot-pairs", "run-predictions", "data-map", "annotators", "runs")
# What of an address is no filter: a place in the list, an open pair, a file.
PLACES = ("after", "before", "page", "pair", "as", "chart", "part", "seed")
LONGEST_NAME, LONGEST_QUERY, LONGEST_PAGE = 100, 2000, 300


class NotSaved(Exception):
    """The filter cannot be saved; the text says why."""


def is_list(page: str) -> bool:
    try:
        return len(page) <= LONGEST_PAGE and resolve(page).url_name in LISTS
    except Resolver404:
        return False


def query_of(text: str) -> str:
    """Returns the filters and the order of a query, without those that are empty."""
    given = QueryDict(text, mutable=True)
    for name in list(given):
        values = [value for value in given.getlist(name) if value]
        given.setlist(name, values)
        if name in PLACES or not values:
            del given[name]
    return given.urlencode()


def save_filter(*, user: User, page: str, name: str, query: str) -> SavedFilter:
    """Saves a filter; one of the same name for the same list is replaced. Raises NotSaved."""
    name, query = " ".join(name.split()), query_of(query)
    if not is_list(page):
        raise NotSaved("Filters of this page cannot be saved.")
    if not name or len(name) > LONGEST_NAME:
        raise NotSaved(f"Give the filter a name of up to {LONGEST_NAME} characters.")
    if not query or len(query) > LONGEST_QUERY:
        raise NotSaved(
            "Choose a filter first, then save it." if not query else "The filter is too long to save."
        )
    found, _ = SavedFilter.objects.update_or_create(
        user=user, page=page, name=name, defaults={"query": query}
    )
    return found


def delete_filter(*, user: User, number: int) -> bool:
    """Deletes a filter of this person; returns False if there is none."""
    return bool(SavedFilter.objects.filter(user=user, pk=number).delete()[0])
