"""An operation's own view, run and undone: the host's word is that it does nothing outside its databases."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from asgiref.sync import async_to_sync, iscoroutinefunction
from django.db import connections, models
from rest_framework import serializers

from django_mcp.execution.charges import charge_throttles
from django_mcp.execution.reply import answered, rendered
from django_mcp.execution.routing import Arrival
from django_mcp.execution.undone import undone
from django_mcp.execution.variants import subclass, variant
from django_mcp.host import outbox
from django_mcp.replies import ViewReply
from django_mcp.types import OperationCall

CANNOT_BE_UNDONE = "The call could not be tried in advance: a database of the project has no transactions."


def dry_run(call: OperationCall, arrival: Arrival) -> ViewReply | None:
    """Return what the view answers, undone, without the keys and times that the database makes; None for no attempt.

    Mail is discarded, `on_commit` hooks are dropped with the transaction. Throttles count as in a proposal. There is no
    attempt where a database cannot roll back. Raises what the view raises.
    """
    if not all(connections[alias].features.supports_transactions for alias in connections):
        return None
    callback: Any = call.operation.callback
    view: Any = variant(callback, _charging(getattr(callback, "cls", call.operation.view_class)))
    if iscoroutinefunction(view):
        view = async_to_sync(view)
    with outbox.discarded(), undone():
        response = rendered(view(arrival.request, *arrival.match.args, **arrival.match.kwargs))
        reply = answered(call, response, rolled_back=True)
        reply.close()
        made = _made_by_database(getattr(response, "data", None))
    if isinstance(reply.data, Mapping) and made:
        data = {name: value for name, value in reply.data.items() if name not in made}
        return ViewReply(status=reply.status, data=data, rolled_back=True)
    return reply


@lru_cache(maxsize=2048)
def _charging(view_class: type) -> type:
    return subclass(view_class, {"check_throttles": charge_throttles})


def _made_by_database(data: Any) -> frozenset[str]:
    """Return the fields of an answer whose values another run would make anew: keys and automatic times."""
    serializer = getattr(data, "serializer", None)
    if not isinstance(serializer, serializers.ModelSerializer):
        return frozenset()
    model: Any = serializer.Meta.model
    made = {
        field.name
        for field in model._meta.concrete_fields  # noqa: SLF001 - Django documents it
        if isinstance(field, models.AutoField)
        or getattr(field, "auto_now", False)
        or getattr(field, "auto_now_add", False)
    }
    return frozenset(
        name
        for name, field in serializer.fields.items()
        if field.source in made | {"pk"} or isinstance(field, serializers.HyperlinkedIdentityField)
    )
