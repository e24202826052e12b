"""`{% saved_filters %}` shows a researcher's saved filters of the present list, and saves the one in the address."""

from typing import Any

from django import template
from django.template import Context

from accounts.people.saved_filters import query_of

register = template.Library()


@register.inclusion_tag("accounts/_saved_filters.html", takes_context=True)
def saved_filters(context: Context) -> dict[str, Any]:
    request = context["request"]
    query = query_of(request.META.get("QUERY_STRING", ""))
    saved = list(request.user.saved_filters.filter(page=request.path).order_by("name"))
    return {
        "saved": saved,
        "query": query,
        "page": request.path,
        "is_saved": any(each.query == query for each in saved),
        "csrf_token": context.get("csrf_token"),
    }
