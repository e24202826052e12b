"""`{{ cents|dollars }}`: 30 is $0.30."""

from django import template
from django.utils.translation import gettext

from shared.bidi import isolated

register = template.Library()


@register.filter
def dollars(cents: int | None) -> str:
    return f"${(cents or 0) / 100:,.2f}"


@register.filter
def an_hour(cents: int, seconds: int) -> int:
    """`{{ question.pay_cents|an_hour:question.seconds }}`: returns the cents of an hour."""
    return cents * 3600 // max(seconds, 1)


def you_earned(cents: int) -> str:
    return gettext("You earned %(money)s.") % {"money": isolated(dollars(cents))}
