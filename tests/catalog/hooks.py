"""Preprocessing hooks, as hosts give them to drf-spectacular."""


def without_internal(endpoints):
    return [endpoint for endpoint in endpoints if "internal" not in endpoint[0]]


def without_writes(endpoints):
    return [endpoint for endpoint in endpoints if endpoint[2] == "GET"]


def shortened(endpoints):
    return [(path.replace("/api", ""), *rest) for path, *rest in endpoints]


def broken(endpoints):
    raise LookupError
