from django_mcp.search import ranking
from django_mcp.search.index import SearchIndex
from tests.search.crm import CRM, METHODS, first, names, operation, weak


def test_misspelt_word_makes_weak_hits():
    assert all(weak("inovice").values())


def test_known_word_makes_hits_that_are_not_weak():
    assert weak("menu")["GetCoffeeShopMenu"] is False


def test_word_that_holds_a_sentence_together_finds_nothing_beside_another():
    assert "theme_list" in names("the")
    assert names("the menu") == ["GetCoffeeShopMenu"]


def test_hit_by_a_common_word_only_is_weak():
    operations = [operation(f"x{number}_list", description="Place a thing.") for number in range(20)]
    hits = weak("place menu", [*operations, operation("menu_list", description="Place")])

    assert hits["menu_list"] is False
    assert hits["x1_list"] is True


def test_hit_by_the_kind_of_verb_only_is_weak():
    hits = weak("erase invoice")

    assert hits["invoice_destroy"] is False
    assert hits["contact_destroy"] is True


def test_one_common_word_alone_is_not_weak():
    assert weak("order", [operation("order_list"), operation("order_create", "create")]) == {
        "order_list": False,
        "order_create": False,
    }


def test_frequent_word_only_adds_to_what_a_rarer_one_finds(monkeypatch):
    monkeypatch.setattr(ranking, "FREQUENT", 6)
    index = SearchIndex(CRM)
    hits = index.search("invoice menu contact")

    assert {hit.operation.name for hit in hits} == {"GetCoffeeShopMenu", *(f"contact_{handler}" for handler in METHODS)}
    assert len(index.search("invoice")) == 12


def test_frequent_word_still_ranks_what_a_rarer_one_finds(monkeypatch):
    monkeypatch.setattr(ranking, "FREQUENT", 5)

    assert first("contact create") == "contact_create"
