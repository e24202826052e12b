"""The last resort: pages, or problem details under /api/, for addresses and errors that no view handled."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views import defaults

from accounts.problems import MEDIA_TYPE, TITLES


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if request.path.startswith("/api/"):
        return _problem(404, "Please check the address; /api/v1/docs/ lists what there is.")
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    if request.path.startswith("/api/"):
        return _problem(500, "This is our fault, and it is written to our log. Please try again in a moment.")
    return defaults.server_error(request)


def _problem(status: int, detail: str) -> JsonResponse:
    problem = {"type": "about:blank", "title": TITLES[status], "status": status, "detail": detail}
    return JsonResponse(problem, status=status, content_type=MEDIA_TYPE)
