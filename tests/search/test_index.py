import re
import time
import unicodedata
from threading import Thread

import inflection
import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_mcp.catalog.discovery import get_catalog
from django_mcp.search import index as index_module
from django_mcp.search.index import SearchIndex, index_for
from django_mcp.search.ranking import ArgumentTexts, argument_texts
from django_mcp.search.words import Spelling, slips, split, stem
from django_mcp.types import Hints, Operation, Safety

METHODS = {
    "list": ("GET", Safety.READ_ONLY),
    "retrieve": ("GET", Safety.READ_ONLY),
    "create": ("POST", Safety.WRITE),
    "update": ("PUT", Safety.WRITE),
    "partial_update": ("PATCH", Safety.WRITE),
    "destroy": ("DELETE", Safety.DESTRUCTIVE),
}


def operation(name, handler="list", **said):
    method, safety = METHODS.get(handler, ("POST", Safety.WRITE))
    said = {"route": f"/api/{name.lower()}/", "group": "", "safety": safety, **said}
    return Operation(
        name=name,
        method=method,
        requires_approval=safety is not Safety.READ_ONLY,
        callback=print,
        view_class=object,
        handler=handler,
        **said,
    )


def viewset(noun, group="", **said):
    return [operation(f"{noun}_{handler}", handler, route=f"/api/{noun}s/", group=group, **said) for handler in METHODS]


CRM = [
    *viewset("contact", "crm", description="A person who works at the company."),
    *viewset("company", "crm", description="The organisation."),
    *viewset("invoice", "billing", description="The invoices that a company was sent."),
    *viewset("invoice_line", "billing", description="One line of an invoice."),
    *viewset("theme", "look", description="The colours of the user interface."),
    operation("CreateCoffeeShopOrder", "create", group="coffee-shop", tags=("shop",), summary="Place an order"),
    operation("GetCoffeeShopMenu", "list", group="coffee-shop", summary="The menu"),
    operation("CancelCoffeeShopOrder", "destroy", group="coffee-shop", summary="Cancel an order"),
]


def names(query, operations=CRM, **options):
    return [hit.operation.name for hit in SearchIndex(operations, **options).search(query)]


def first(query, operations=CRM, **options):
    return names(query, operations, **options)[0]


def weak(query, operations=CRM):
    return {hit.operation.name: hit.weak for hit in SearchIndex(operations).search(query)}


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
    found = names("update order", [*viewset("order"), *viewset("customer")])

    assert set(found[:2]) == {"order_update", "order_partial_update"}


def test_verb_says_nothing_of_an_unknown_action():
    found = names("add", [operation("order_refund", "refund"), operation("order_create", "create")])

    assert found == ["order_create"]


def test_places_are_ranked():
    word = "zebra"
    ranked = [
        operation("a_zebra"),
        operation("b_x", hints=Hints(aliases=("the_zebra",))),
        operation("c_x", hints=Hints(keywords=(word,))),
        operation("d_x", tags=(word,)),
        operation("e_x", hints=Hints(when_to_use=word)),
        operation("f_x", description=word),
        operation("g_x", route="/api/zebra/"),
        operation("h_x"),
        operation("i_x"),
    ]
    texts = {"h_x": ArgumentTexts(values=(word,)), "i_x": ArgumentTexts(said=(word,))}
    found = names(word, ranked[::-1], arguments=lambda item: texts.get(item.name, ArgumentTexts()))

    assert found == [item.name for item in ranked]


def test_shorter_name_is_more_about_its_words():
    assert first("invoice", [operation("invoice_payment_reminder_list"), operation("invoice_list")]) == "invoice_list"


def test_more_words_found_rank_higher_than_a_better_place():
    both = operation("z", description="Refunds a payment in full.")
    once = operation("payment_list")

    assert first("refund payment", [both, once, *viewset("order")]) == "z"


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


@pytest.mark.parametrize("query", ["inovice", "invioces", "invoic", "invoicee", "imvoice"])
def test_near_spelling_is_found_for_unknown_words(query):
    assert first(query).startswith("invoice")


def test_near_spelling_is_not_tried_for_known_words():
    operations = [operation("order_list"), operation("older_list")]

    assert names("older", operations) == ["older_list"]


def test_near_spelling_is_not_tried_for_short_words():
    assert names("manu", CRM) == []


def test_two_slips_are_forgiven_in_long_words_only():
    assert names("comxanx") == []
    assert first("orgnaistion").startswith("company")


def test_misspelt_word_makes_weak_hits():
    assert all(weak("inovice").values())


def test_known_word_makes_hits_that_are_not_weak():
    found = weak("menu")

    assert found["GetCoffeeShopMenu"] is False


def test_word_that_holds_a_sentence_together_finds_nothing_beside_another():
    assert "theme_list" in names("the")
    assert names("the menu") == ["GetCoffeeShopMenu"]


def test_hit_by_a_common_word_only_is_weak():
    operations = [operation(f"x{number}_list", description="Place a thing.") for number in range(20)]
    found = weak("place menu", [*operations, operation("menu_list", description="Place")])

    assert found["menu_list"] is False
    assert found["x1_list"] is True


def test_hit_by_the_kind_of_verb_only_is_weak():
    found = weak("erase invoice")

    assert found["invoice_destroy"] is False
    assert found["contact_destroy"] is True


def test_one_common_word_alone_is_not_weak():
    assert weak("order", [operation("order_list"), operation("order_create", "create")]) == {
        "order_list": False,
        "order_create": False,
    }


def test_equal_hits_come_out_by_name():
    operations = [operation(f"order_{letter}", route="/x/") for letter in "dbca"]

    assert names("order", operations) == ["order_a", "order_b", "order_c", "order_d"]


def test_order_of_operations_does_not_matter():
    assert names("company invoice", CRM) == names("company invoice", CRM[::-1])


def test_word_said_twice_counts_once():
    assert SearchIndex(CRM).search("menu menu") == SearchIndex(CRM).search("menu")


@pytest.mark.parametrize("query", ["", "  ", "???", "\x00", "\ud800", "_", "a" * 100_000, "zq " * 50_000])
def test_query_without_a_known_word_finds_nothing(query):
    assert names(query) == []


def test_frequent_word_only_adds_to_what_a_rarer_one_finds(monkeypatch):
    monkeypatch.setattr(index_module, "FREQUENT", 6)
    index = SearchIndex(CRM)
    found = [hit.operation.name for hit in index.search("invoice menu contact")]

    assert set(found) == {"GetCoffeeShopMenu", *(f"contact_{handler}" for handler in METHODS)}
    assert len(index.search("invoice")) == 12


def test_words_of_one_meaning_find_each_other():
    operations = [operation("member_list"), operation("invoice_create", "create"), operation("photo_upload", "upload")]

    assert first("colleagues", operations) == "member_list"
    assert first("bill", operations) == "invoice_create"
    assert first("a picture", operations) == "photo_upload"


def test_the_very_word_is_found_before_one_of_the_same_meaning():
    operations = [operation("bill_list"), operation("invoice_list")]

    assert names("bill", operations) == ["bill_list", "invoice_list"]
    assert weak("bill", operations) == {"bill_list": False, "invoice_list": True}


def test_misspelt_word_of_the_same_meaning_is_found():
    assert first("colleauge", [operation("member_list"), operation("other_list")]) == "member_list"


def test_frequent_word_still_ranks_what_a_rarer_one_finds(monkeypatch):
    monkeypatch.setattr(index_module, "FREQUENT", 5)

    assert first("contact create") == "contact_create"


def test_index_of_nothing_finds_nothing():
    assert SearchIndex([]).search("order") == []


def test_values_of_enumerated_arguments_are_found():
    sizes = {"CreateCoffeeShopOrder": ArgumentTexts(values=("Venti",))}
    found = SearchIndex(CRM, lambda item: sizes.get(item.name, ArgumentTexts())).search("venti")

    assert [hit.operation.name for hit in found] == ["CreateCoffeeShopOrder"]


def test_arguments_are_found_by_their_names_and_descriptions_at_any_depth():
    schema = {
        "properties": {
            "size": {"enum": ["Tall", "Venti", None, 3], "description": "How big"},
            "items": {
                "type": "array",
                "items": {"anyOf": [{"properties": {"milk": {"enum": ["Oat"]}}}, {"type": "null"}]},
            },
        }
    }
    texts = argument_texts(schema)

    assert set(texts.said) - {""} == {"size", "items", "milk", "How big"}
    assert texts.values == ("Tall", "Venti", "Oat")


def test_an_argument_that_is_named_like_a_keyword_is_no_keyword():
    texts = argument_texts({"properties": {"properties": {"type": "string"}, "enum": {"type": "array"}}})

    assert set(texts.said) - {""} == {"properties", "enum"}


def test_nearest_name_is_suggested_first():
    near = SearchIndex(CRM).nearest("CreateCofeeShopOrders")

    assert near[0].name == "CreateCoffeeShopOrder"


def test_nothing_is_suggested_for_noise():
    assert SearchIndex(CRM).nearest("qqqqqqqq") == []


def test_words_of_names_are_split():
    assert split("GetHTTPMenu_item-list v2") == ["get", "http", "menu", "item", "list", "v2"]


TEXTS = {
    "capitals": "A" * 20_000,
    "kelvin signs": "\u212a" * 20_000,
    "signs that are words": "\u213b" * 20_000,
    "signs that are sentences": "\ufdfa" * 2**20,
    "marks out of order": ("\u0345\u0300\u0316" * 2**19)[: 2**20],
    "one word": "o" * 2**20,
    "humps": "aA" * 2**19,
    "one-letter words": "a b " * 2**18,
    "known words": "list create company invoice " * 2**15,
    "misspelt words": "compnay inovice orgnaistion interfcae colurs " * 2**15,
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_what_is_split_is_bounded_before_and_after_it_is_folded(text):
    parts = split(text, longest=500, most=32)

    assert 0 <= len(parts) <= 32
    assert sum(map(len, parts)) <= 500


def test_text_is_cut_after_signs_that_stand_for_many():
    assert len("".join(split("\ufdfa" * 500, longest=500))) <= 500


def test_a_text_of_more_words_than_count_is_searched_by_the_first():
    assert names("menu " + "zzz " * 100_000) == ["GetCoffeeShopMenu"]
    assert names("zzz " * 40 + "menu") == []


def test_only_a_few_unknown_words_are_looked_up_by_their_spelling(monkeypatch):
    asked = []
    monkeypatch.setattr(Spelling, "near", lambda self, stem, word: asked.append(word) or [])

    SearchIndex(CRM).search(" ".join(f"unknown{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"))

    assert len(asked) == 8


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_any_query_is_answered_at_once(text):
    index = SearchIndex([one for number in range(170) for one in viewset(f"thing{number}_company")])
    began = time.perf_counter()
    index.search(text)
    index.nearest(text)

    assert time.perf_counter() - began < 1


@given(st.text(alphabet="AaBb12_- \u00e9\u00c9\u03a3\u00df\ufb01\u213b\u65e5", max_size=12))
def test_names_are_split_where_the_library_puts_underscores(text):
    plain = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))

    assert split(text) == re.findall(r"[^\W_]+", inflection.underscore(plain).casefold())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("orders", "order"),
        ("companies", "company"),
        ("cancelled", "cancel"),
        ("creating", "create"),
        ("deletion", "delete"),
        ("shipping", "ship"),
        ("addresses", "address"),
        ("statuses", "status"),
    ],
)
def test_inflections_have_one_stem(one, other):
    assert stem(one) == stem(other)


@pytest.mark.parametrize(("one", "other"), [("note", "not"), ("option", "opt"), ("user", "use"), ("string", "str")])
def test_different_words_keep_apart(one, other):
    assert stem(one) != stem(other)


@pytest.mark.parametrize(
    ("left", "right", "count"), [("", "ab", 2), ("abc", "acb", 1), ("abc", "abc", 0), ("abc", "xbcd", 2)]
)
def test_slips_are_counted(left, right, count):
    assert slips(left, right, 2) == count


def test_of_words_that_are_far_apart_it_is_only_said_that_they_are():
    assert slips("abcdef", "ghijkl", 2) == 3
    assert slips("a", "abcdefgh", 2) == 3


def test_an_index_is_built_once_for_the_same_operations():
    assert index_for(tuple(CRM)) is index_for(tuple(CRM))


def test_other_operations_have_an_index_of_their_own():
    assert index_for((CRM[0],)) is not index_for((CRM[1],))


def test_a_word_that_stands_in_every_text_does_not_make_the_one_name_that_has_it_the_best():
    operations = [operation(f"x{number}_list", description="Place a thing.") for number in range(50)]
    operations += [operation("get_a_room"), operation("message_send", description="Send a message to a person.")]
    assert names("send a message", operations)[0] == "message_send"


def test_values_of_a_catalog_are_read_from_its_schemas():
    found = [hit.operation.name for hit in index_for(get_catalog().operations).search("venti")]

    assert "CreateCoffeeShopOrder" in found
    assert "GetCoffeeShopMenu" not in found


def test_large_catalog_is_indexed_without_describing_it(monkeypatch):
    monkeypatch.setattr(index_module, "MAX_DESCRIBED", 0)
    index = index_for(get_catalog().operations[:-1])

    assert index.search("venti") == []
    assert index.search("order")


def test_those_who_search_first_and_at_once_describe_each_operation_once(monkeypatch):
    operations = get_catalog().operations
    described = []

    def texts(schema):
        described.append(schema)
        time.sleep(0.002)
        return argument_texts(schema)

    monkeypatch.setattr(index_module, "argument_texts", texts)
    index_module._arguments.cache_clear()
    index_for.cache_clear()
    searching = [Thread(target=index_for, args=(operations,)) for _ in range(4)]
    for thread in searching:
        thread.start()
    for thread in searching:
        thread.join()
    assert len(described) == len(operations)
