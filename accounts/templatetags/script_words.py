"""The words of the workers' scripts (static/js), for `inWords` and `countInWords` there, in the reader's language."""

from functools import cache
from typing import Any

from django import template
from django.conf import settings
from django.utils.html import json_script
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation.trans_real import DjangoTranslation
from django.views.i18n import JavaScriptCatalog

register = template.Library()


@register.simple_tag
def script_words() -> SafeString:
    """Returns the words as a JSON element; nothing for a page in English."""
    language = get_language()
    if language in (None, "en"):
        return mark_safe("")
    return _element(language)


@cache
def _element(language: str) -> SafeString:
    """Reads djangojs.mo into a dictionary: text -> translation, or list of plural forms."""
    view: Any = JavaScriptCatalog()
    view.translation = DjangoTranslation(
        language, domain="djangojs", localedirs=[*map(str, settings.LOCALE_PATHS)]
    )
    return json_script(view.get_catalog(), "words")
