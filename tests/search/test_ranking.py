from django_mcp.search.ranking import ArgumentTexts, argument_texts
from django_mcp.types import Hints
from tests.search.crm import first, names, operation, viewset


def test_fields_are_ranked():
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
    texts = {"h_x": ArgumentTexts(values=(word,)), "i_x": ArgumentTexts(labels=(word,))}
    hits = names(word, ranked[::-1], arguments=lambda item: texts.get(item.name, ArgumentTexts()))

    assert hits == [item.name for item in ranked]


def test_shorter_name_is_more_about_its_words():
    assert first("invoice", [operation("invoice_payment_reminder_list"), operation("invoice_list")]) == "invoice_list"


def test_more_words_found_rank_higher_than_a_better_field():
    both = operation("z", description="Refunds a payment in full.")
    once = operation("payment_list")

    assert first("refund payment", [both, once, *viewset("order")]) == "z"


def test_values_of_enumerated_arguments_are_found():
    sizes = {"CreateCoffeeShopOrder": ArgumentTexts(values=("Venti",))}

    assert names("venti", arguments=lambda item: sizes.get(item.name, ArgumentTexts())) == ["CreateCoffeeShopOrder"]


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

    assert set(texts.labels) - {""} == {"size", "items", "milk", "How big"}
    assert texts.values == ("Tall", "Venti", "Oat")


def test_an_argument_that_is_named_like_a_keyword_is_no_keyword():
    texts = argument_texts({"properties": {"properties": {"type": "string"}, "enum": {"type": "array"}}})

    assert set(texts.labels) - {""} == {"properties", "enum"}


def test_a_word_in_every_text_does_not_make_the_only_name_that_has_it_the_best():
    operations = [operation(f"x{number}_list", description="Place a thing.") for number in range(50)]
    operations += [operation("get_a_room"), operation("message_send", description="Send a message to a person.")]
    assert names("send a message", operations)[0] == "message_send"
