"""Where a request came from."""

from __future__ import annotations

import ipaddress

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str | None:
    """The client's IP address. Behind a trusted proxy: the last in X-Forwarded-For, as earlier ones are hearsay."""
    given = request.META.get("REMOTE_ADDR", "")
    if settings.TRUST_PROXY and (forwarded := request.META.get("HTTP_X_FORWARDED_FOR")):
        given = forwarded.rpartition(",")[2].strip()
    try:
        return str(ipaddress.ip_address(given))
    except ValueError:
        return None


def login_address(request: HttpRequest) -> str | None:
    """By which wrong passwords are counted: of an IPv6 client its /64 network, of which it has all addresses."""
    address = client_address(request)
    if address is None or ipaddress.ip_address(address).version == 4:
        return address
    return str(ipaddress.ip_network(f"{address.partition('%')[0]}/64", strict=False).network_address)


def is_this_machine(request: HttpRequest) -> bool:
    address = client_address(request)
    forwarded = "HTTP_X_FORWARDED_FOR" in request.META
    return address is not None and ipaddress.ip_address(address).is_loopback and not forwarded
