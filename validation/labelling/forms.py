"""Reads the posted answers of the labelling page."""

from typing import Any

from django.http import HttpRequest, QueryDict

MOST_REASON = 2000  # characters


def answers_in(request: HttpRequest) -> dict[str, Any]:
    """Returns the form's batch and answers as arguments of `submit_batch` and `keep_draft`, which check them."""
    posted = request.POST
    return {
        # PostgreSQL does not store NUL characters.
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
    """Returns the posted fields with this prefix, except empty ones."""
    return {
        name.removeprefix(prefix): value
        for name, value in posted.items()
        if name.startswith(prefix) and value and isinstance(value, str)
    }
