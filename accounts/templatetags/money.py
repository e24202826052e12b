"""`{{ cents|dollars }}`: 30 is $0.30."""

from django import template
from django.utils.translation import gettext

from shared.bidi import isolated

register = template.Library()


@register.filter
def dollars(cents: int | None) -> str:
    return f"${(cents or 0) / 100:,.2f}"


def you_earned(cents: int) -> str:
    return gettext("You earned %(money)s.") % {"money": isolated(dollars(cents))}
