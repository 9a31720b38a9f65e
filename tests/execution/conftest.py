from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from django.test import RequestFactory
from django.urls import get_resolver
from rest_framework.views import APIView

from django_mcp.choices import Safety
from django_mcp.execution.gateway import prepare
from django_mcp.host.requests import Context
from django_mcp.types import Argument, Caller, Hints, Operation, OperationCall
from tests.host import views

HOST = "tests.execution.urls"


@pytest.fixture(autouse=True)
def host(settings):
    settings.ROOT_URLCONF = HOST
    settings.ALLOWED_HOSTS = ["api.example.com"]
    views.seen.clear()
    views.hooks.clear()


@pytest.fixture
def user(django_user_model):
    return django_user_model.objects.create_user("alice", password="x")


@pytest.fixture
def outer():
    return RequestFactory().post("/mcp", headers={"host": "api.example.com"}, REMOTE_ADDR="192.0.2.7")


@pytest.fixture
def context(outer, user) -> Context:
    return Context(outer=outer, caller=Caller(subject="key:1", user=user, auth="the key"))


def operation_at(
    example: str, route: str, method: str, urlconf: str = HOST, path_arguments: Any = None, **hints: Any
) -> Operation:
    """Return the operation at an example path, as the catalog would describe it."""
    callback: Any = get_resolver(urlconf).resolve(example).func
    actions = getattr(callback, "actions", None) or {}
    return Operation(
        name="operation",
        method=method,
        route=route,
        safety=Safety.READ_ONLY if method == "GET" else Safety.WRITE,
        requires_approval=method != "GET",
        group="host",
        callback=callback,
        view_class=getattr(callback, "cls", APIView),
        handler=actions.get(method.lower(), method.lower()),
        path_arguments=path_arguments or {},
        hints=Hints(**hints),
    )


def call_of(
    operation: Operation, arguments: dict[str, Any], placement: dict[str, Argument] | None = None
) -> OperationCall:
    return OperationCall(
        tool="api_call",
        target=operation.name,
        safety=operation.safety,
        requires_approval=operation.requires_approval,
        group=operation.group,
        operation=operation,
        arguments=arguments,
        placement=placement or {},
    )


@contextmanager
def swallowing(request: Any) -> Iterator[None]:
    """Be a context of the host's that lets no exception through."""
    with suppress(Exception):
        yield


def execute(call: OperationCall, context: Context, *, guard: Any = None) -> Any:
    return prepare(call, context).run(guard)


@pytest.fixture
def call() -> Callable[..., OperationCall]:
    """Return a function: method, route, arguments -> the call. `at` is an example path of the route."""

    def make(
        method: str,
        route: str,
        arguments: dict[str, Any] | None = None,
        *,
        at: str | None = None,
        placement: dict[str, Argument] | None = None,
        **hints: Any,
    ) -> OperationCall:
        return call_of(operation_at(at or route, route, method, **hints), arguments or {}, placement)

    return make
