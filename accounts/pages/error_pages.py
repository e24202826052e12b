"""The last resort: pages, or problem details under /api/, for errors that no view handled."""

from django.http import HttpRequest, HttpResponse
from django.views import csrf, defaults

from accounts.rest.problems import is_api, problem_response


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request):
        return problem_response(
            400, "This request could not be read. Please check its address and its headers."
        )
    return defaults.bad_request(request, exception)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request):
        return problem_response(403, str(exception) or "This is not open to you.")
    return defaults.permission_denied(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request):
        return problem_response(404, "Please check the address; /api/v1/docs/ lists what there is.")
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    if is_api(request):
        told = "This is our fault, and it is written to our log. Please try again in a moment."
        return problem_response(500, told)
    page = defaults.server_error(request)
    # The page stands without the site's files, so its style is in it.
    page["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    return page


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    if is_api(request):
        return problem_response(403, f"The request does not come from a page of this site: {reason}")
    return csrf.csrf_failure(request, reason)
