"""URLconfs made on the spot."""

from types import ModuleType

from django_mcp.catalog.discovery import get_catalog
from django_mcp.schema.operations import schema_for


def urlconf(*patterns, **attributes):
    module = ModuleType("a_urlconf")
    module.urlpatterns = list(patterns)
    vars(module).update(attributes)
    return module


def catalog_of(*patterns):
    return get_catalog(urlconf(*patterns))


def names_of(*patterns):
    return [operation.name for operation in catalog_of(*patterns).operations]


def operation_of(method, *patterns):
    [operation] = [operation for operation in catalog_of(*patterns).operations if operation.method == method]
    return operation


def schema_of(method, *patterns, view=None):
    return schema_for(operation_of(method, *patterns), view)
