"""The network address of a request."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """Returns the address by which the sign-in limits failures.

    Behind `settings.TRUSTED_PROXIES` = n proxies it is the n-th from the right of X-Forwarded-For: the
    client may have made up everything further left. An IPv6 address counts by its /64, since one
    household has 2^64 of them.
    """
    address = request.META.get("REMOTE_ADDR", "")
    depth = settings.TRUSTED_PROXIES
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
    if 0 < depth <= len(forwarded):
        address = forwarded[-depth].strip() or address
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address[:45]
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)
