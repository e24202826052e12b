"""The answers of the labelling page: read from what it posts, kept as a draft, and shown again."""

from typing import Any, cast

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from accounts.models import User
from accounts.pages.access import annotator_required
from accounts.people.consents import ConsentMissing
from validation import actions
from validation.models import Assignment, DraftAnswer

MOST_REASON = 2000  # characters


def answers_in(request: HttpRequest) -> dict[str, Any]:
    """Batch and answers of the page's form, as `submit_batch` and `keep_draft` take them; they say what is wrong."""
    posted = request.POST
    return {
        # None has one; PostgreSQL takes none.
        "token": posted.get("assignment", "").replace("\0", ""),
        "labels": _fields(posted, "label-"),
        "skips": _fields(posted, "skip-"),
        "reasons": {
            slot: text.replace("\0", "")[:MOST_REASON].strip()
            for slot, text in _fields(posted, "reason-").items()
        },
        "active_ms": {
            slot: int(ms) for slot, ms in _fields(posted, "ms-").items() if ms.isdecimal() and len(ms) < 9
        },
    }


def _fields(posted: QueryDict, prefix: str) -> dict[str, str]:
    """Posted fields of that prefix, those without an answer left out."""
    return {
        name.removeprefix(prefix): value
        for name, value in posted.items()
        if name.startswith(prefix) and value and isinstance(value, str)
    }


@never_cache
@require_POST
@annotator_required
def keep_draft(request: HttpRequest) -> HttpResponse:
    """Takes what was chosen when the page is left; nobody reads the answer."""
    try:
        actions.keep_draft(annotator=cast(User, request.user), **answers_in(request))
    except actions.UnknownAssignment as error:
        raise Http404(str(error)) from None
    except ConsentMissing as error:
        return HttpResponse(str(error), status=403, content_type="text/plain; charset=utf-8")
    except actions.WrongLabel as error:
        return HttpResponse(str(error), status=422, content_type="text/plain; charset=utf-8")
    return HttpResponse(status=204)


def drafted(assignment: Assignment) -> dict[str, str]:
    """The fields of the form as they were left on whatever device."""
    fields: dict[str, str] = {}
    for row in DraftAnswer.objects.filter(assignment=assignment):
        named = {"label": row.label, "skip": row.skip_reason, "reason": row.reason, "ms": row.active_ms}
        fields |= {f"{name}-{row.slot}": str(value) for name, value in named.items() if value}
    return fields
