import pytest

from django_mcp.search.index import SearchIndex
from django_mcp.types import Hints
from tests.search.crm import CRM, first, names, operation, viewset, weak


def test_noun_before_a_preposition_leads():
    assert all(name.startswith("contact_") for name in names("contacts for a company")[:6])


def test_frequent_word_adds_nothing():
    assert names("the contacts")[:6] == names("contacts")[:6]


def test_word_is_not_found_inside_another():
    assert "theme_list" not in names("them") + names("hem")


@pytest.mark.parametrize(
    "query",
    ["create invoice line", "create invoice lines", "InvoiceLineCreate", "invoice_line create", "INVOICELINE create"],
)
def test_compound_is_found_however_it_is_spelt(query):
    assert first(query) == "invoice_line_create"


def test_plural_finds_the_singular():
    assert first("create invoices") == "invoice_create"


@pytest.mark.parametrize(
    ("query", "handler"),
    [
        ("update invoice", "update"),
        ("change invoice", "update"),
        ("edit an invoice", "update"),
        ("remove invoice", "destroy"),
        ("delete the invoice", "destroy"),
        ("add invoice", "create"),
        ("new invoice", "create"),
        ("list invoices", "list"),
        ("show invoices", "list"),
    ],
)
def test_verb_finds_what_does_it(query, handler):
    assert first(query) in {f"invoice_{handler}", f"invoice_partial_{handler}"}


def test_updates_come_before_creations():
    ranked = names("update order", [*viewset("order"), *viewset("customer")])

    assert set(ranked[:2]) == {"order_update", "order_partial_update"}


def test_verb_does_not_find_an_unknown_action():
    operations = [operation("order_refund", "refund"), operation("order_create", "create")]

    assert names("add", operations) == ["order_create"]


def test_name_comes_first_when_it_is_asked_for_in_any_case():
    order = [operation("Order", description="x"), *viewset("order", description="order order")]

    assert first("order", order) == "Order"
    assert first("createcoffeeshoporder") == "CreateCoffeeShopOrder"


def test_alias_finds_its_operation():
    renamed = operation("invoice_settle", "settle", hints=Hints(aliases=("PayBill",)))

    assert first("pay_bill", [*CRM, renamed]) == "invoice_settle"


@pytest.mark.parametrize(
    ("query", "name"), [("zadost", "žádost_list"), ("ŽÁDOSTI", "žádosti_list"), ("straße", "STRASSE")]
)
def test_case_and_accents_do_not_matter(query, name):
    assert first(query, [operation(name), operation("other")]) == name


def test_equal_hits_come_out_by_name():
    operations = [operation(f"order_{letter}", route="/x/") for letter in "dbca"]

    assert names("order", operations) == ["order_a", "order_b", "order_c", "order_d"]


def test_order_of_operations_does_not_matter():
    assert names("company invoice", CRM) == names("company invoice", CRM[::-1])


def test_word_that_stands_twice_counts_once():
    assert SearchIndex(CRM).search("menu menu") == SearchIndex(CRM).search("menu")


@pytest.mark.parametrize("query", ["", "  ", "???", "\x00", "\ud800", "_", "a" * 100_000, "zq " * 50_000])
def test_query_without_a_known_word_finds_nothing(query):
    assert names(query) == []


def test_words_of_one_meaning_find_each_other():
    operations = [operation("member_list"), operation("invoice_create", "create"), operation("photo_upload", "upload")]

    assert first("colleagues", operations) == "member_list"
    assert first("bill", operations) == "invoice_create"
    assert first("a picture", operations) == "photo_upload"


def test_the_very_word_is_found_before_one_of_the_same_meaning():
    operations = [operation("bill_list"), operation("invoice_list")]

    assert names("bill", operations) == ["bill_list", "invoice_list"]
    assert weak("bill", operations) == {"bill_list": False, "invoice_list": True}


def test_index_of_nothing_finds_nothing():
    assert SearchIndex([]).search("order") == []
