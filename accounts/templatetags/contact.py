"""`{% contact %}`: a sentence with the address of the researchers; nothing where the site names none."""

from django import template
from django.conf import settings

register = template.Library()


@register.inclusion_tag("accounts/_contact.html")
def contact() -> dict[str, str]:
    address = settings.CONTACT
    return {"address": address, "link": f"mailto:{address}" if "@" in address.partition("/")[0] else address}
