"""The address of whoever sent a request, as far as the proxies in between are trusted."""

import ipaddress
from functools import lru_cache

from django.http import HttpRequest
from rest_framework.settings import api_settings


def client_address(request: HttpRequest) -> str:
    """Return the client's IP address in its shortest form, "" for a connection that has none.

    It is the address of the connection unless DRF's `NUM_PROXIES` says how many proxies to trust: then each of them has
    added one address to X-Forwarded-For, and the one which the first of them saw is the client's. Whatever stands before
    it was written by the client.
    """
    connection = _address(str(request.META.get("REMOTE_ADDR") or ""))
    proxies = api_settings.NUM_PROXIES
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR")
    if not isinstance(proxies, int) or proxies < 1 or not forwarded:
        return connection
    addresses = str(forwarded).rsplit(",", proxies)
    # With fewer addresses than proxies the first is the best there is, as DRF reads it.
    return _address(addresses[-min(proxies, len(addresses))]) or connection


@lru_cache(maxsize=1024)
def _address(text: str) -> str:
    try:
        return str(ipaddress.ip_address(text.strip()))
    except ValueError:
        return ""
