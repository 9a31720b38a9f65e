import time
from dataclasses import replace
from threading import Thread

from django_mcp.catalog.discovery import get_catalog
from django_mcp.search import index as index_module
from django_mcp.search.index import index_for
from django_mcp.search.ranking import argument_texts
from tests.search.crm import CRM


def test_an_index_is_built_once_for_the_same_operations():
    assert index_for(tuple(CRM)) is index_for(tuple(CRM))


def test_other_operations_have_an_index_of_their_own():
    assert index_for((CRM[0],)) is not index_for((CRM[1],))


def test_values_of_a_catalog_are_read_from_its_schemas():
    hits = {hit.operation.name for hit in index_for(get_catalog().operations).search("venti")}

    assert "CreateCoffeeShopOrder" in hits
    assert "GetCoffeeShopMenu" not in hits


def test_large_catalog_is_indexed_without_describing_it(monkeypatch):
    monkeypatch.setattr(index_module, "MAX_DESCRIBED", 0)
    index = index_for(get_catalog().operations[:-1])

    assert index.search("venti") == []
    assert index.search("order")


def test_those_who_search_first_and_at_once_describe_each_operation_once(monkeypatch):
    operations = tuple(replace(known, name=f"{known.name}Again") for known in get_catalog().operations)
    described = []

    def texts(schema):
        described.append(schema)
        time.sleep(0.002)
        return argument_texts(schema)

    monkeypatch.setattr(index_module, "argument_texts", texts)
    searches = [Thread(target=index_for, args=(operations,)) for _ in range(4)]
    for search in searches:
        search.start()
    for search in searches:
        search.join()

    assert len(described) == len(operations)
