"""Filters of the forms over a corpus file."""

import re

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()


@register.filter
def with_code(text: str) -> SafeString:
    """Returns a text of the reference with what stands in backticks as code, and without other marks."""
    plain = escape(text.replace("*", ""))
    return mark_safe(re.sub(r"`([^`]+)`", r"<code>\1</code>", plain))
