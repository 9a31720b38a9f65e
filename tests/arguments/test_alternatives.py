from tests.arguments.orders import closed, errors, listing, one, record


def test_alternative_that_needs_no_change_is_taken():
    assert one({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "5") == "5"


def test_first_alternative_that_converts_is_taken():
    assert one({"oneOf": [{"type": "boolean"}, {"type": "integer"}, {"type": "null"}]}, "5") == 5


def test_null_is_an_alternative():
    assert one({"anyOf": [{"type": "integer"}, {"type": "null"}]}, None) is None


def test_alternative_is_chosen_by_its_discriminator():
    pet = {
        "oneOf": [
            {"properties": {"kind": {"enum": ["dog"]}, "barks": {"type": "boolean", "default": True}}},
            {"properties": {"kind": {"enum": ["cat"]}, "lives": {"type": "integer", "default": 9}}},
        ]
    }

    assert one(pet, {"kind": "cat"}) == {"kind": "cat", "lives": 9}
    assert one(pet, '{"kind": "cat"}') == {"kind": "cat", "lives": 9}


def test_error_of_the_nearest_alternative_is_reported():
    kinds = [{"properties": {"a": {}}}, {"properties": {"b": {"type": "integer"}, "c": {}}}]
    schema = {"properties": {"x": {"oneOf": [{**kind, "additionalProperties": False} for kind in kinds]}}}

    assert list(errors({"x": {"b": "no", "c": 1}}, schema)) == ["x.b"]


def test_a_nearest_kind_is_found_behind_one_that_is_hopeless():
    sent = {"items": [{f"b{number}": "no" for number in range(3)}]}
    kinds = [record("a"), closed({f"b{number}": {"type": "integer"} for number in range(3)})]

    assert list(errors(sent, listing({"anyOf": kinds}))) == ["items[0].b0", "items[0].b1", "items[0].b2"]
