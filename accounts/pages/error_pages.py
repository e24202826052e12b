"""Responses to errors that no view handled: pages, or problem details under /api/."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views import csrf, defaults

from accounts.rest.problems import is_api, problem_response


class UnknownFilter(Http404):
    """The address has a filter, or a value of one, that the page would ignore. The text says what it knows."""


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request):
        return problem_response(400, "This request could not be read. Check its address and its headers.")
    return defaults.bad_request(request, exception)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request):
        return problem_response(403, str(exception) or "You have no access to this.")
    return defaults.permission_denied(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request):
        return problem_response(404, "Nothing is at this address. /api/v1/docs/ lists all addresses.")
    if isinstance(exception, UnknownFilter):
        return render(request, "404.html", {"why": str(exception)}, status=404)
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    if is_api(request):
        detail = "This is our fault, and it was logged. Please try again in a moment."
        return problem_response(500, detail)
    page = defaults.server_error(request)
    # The page must work without the site's files, so it contains its style.
    page["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    return page


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    if is_api(request):
        return problem_response(403, f"The request did not come from a page of this site: {reason}")
    return csrf.csrf_failure(request, reason)
