import pytest
from django.db import DatabaseError, OperationalError, connection

from django_mcp.execution.undone import undone
from tests.host.models import Item

pytestmark = pytest.mark.django_db


def test_a_database_that_was_locked_refuses_queries_and_not_the_stretch_inside():
    locked = iter([OperationalError("database is locked")])

    def once(execute, *query):
        if (error := next(locked, None)) is not None:
            raise error
        return execute(*query)

    refused = pytest.raises(DatabaseError, match="could not be reached")
    with connection.execute_wrapper(once), undone(), undone(), refused:
        Item.objects.exists()
    assert not Item.objects.exists()
