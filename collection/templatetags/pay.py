"""`{{ entry.reason|translated_reason }}`: why somebody earned something, in the reader's language."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, ngettext

from collection.pay import parts_of

register = template.Library()


@register.filter
def translated_reason(reason: str) -> SafeString:
    text, values = parts_of(reason)
    words = ngettext(*text, int(values["count"])) if isinstance(text, tuple) else gettext(text)
    return mark_safe(words % {name: format_html("<bdi>{}</bdi>", value) for name, value in values.items()})
