"""`{% contact %}`: a sentence with the address of the researchers; nothing where the site names none."""

from django import template
from django.conf import settings

register = template.Library()


@register.inclusion_tag("accounts/_contact.html")
def contact(otherwise: str = "") -> dict[str, str]:
    """Says how to reach the researchers, or `otherwise` where the settings name no contact."""
    address = settings.CONTACT
    link = f"mailto:{address}" if "@" in address.partition("/")[0] else address
    return {"address": address, "link": link, "otherwise": otherwise}
