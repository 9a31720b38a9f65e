from hypothesis import given, settings
from hypothesis import strategies as st

from django_mcp.errors import ValidationFailed
from tests.arguments.orders import ORDER, effective, same

NAMES = st.sampled_from([*ORDER["properties"], "product_id", "quantity", "options", "kind", "zzz"])


TEXTS = st.one_of(
    st.text(),
    st.sampled_from(["", " 5 ", "1.50", "true", "{}", '{"a":"1"}', '[{"product_id":"1"}]', "1e3", "NaN", "null"]),
)


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.one_of(NAMES, TEXTS), inner, max_size=5)),
    max_leaves=15,
)


SCALAR_SCHEMAS = st.fixed_dictionaries(
    {"type": st.lists(st.sampled_from(["integer", "number", "boolean", "string", "null"]), min_size=1, max_size=3)},
    optional={"default": JSON, "enum": st.lists(TEXTS, min_size=1, max_size=3), "format": st.just("decimal")},
)


SCHEMAS = st.recursive(
    st.one_of(st.just({}), SCALAR_SCHEMAS),
    lambda inner: st.one_of(
        st.fixed_dictionaries({"type": st.just("array"), "items": inner}),
        st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=3)}),
        st.fixed_dictionaries(
            {"type": st.just("object"), "properties": st.dictionaries(NAMES, inner, max_size=4)},
            optional={"additionalProperties": st.one_of(st.booleans(), inner), "required": st.lists(NAMES, max_size=2)},
        ),
    ),
    max_leaves=8,
)


ROOTS = st.one_of(
    st.just(ORDER),
    st.fixed_dictionaries(
        {"type": st.just("object"), "properties": st.dictionaries(NAMES, SCHEMAS, min_size=1, max_size=5)},
        optional={"additionalProperties": st.booleans(), "required": st.lists(NAMES, max_size=3)},
    ),
)


OPTIONS = st.fixed_dictionaries(
    {
        "partial": st.booleans(),
        "route": st.frozensets(NAMES, max_size=1),
        "read_only": st.frozensets(NAMES, max_size=2),
    }
)


def attempt(schema, sent, options):
    try:
        return effective(sent, schema, **options)
    except ValidationFailed as error:
        return sorted(error.details["errors"])


@settings(deadline=None, max_examples=300)
@given(ROOTS, JSON, OPTIONS)
def test_normalising_raises_nothing_else_and_is_stable(schema, sent, options):
    first = attempt(schema, sent, options)
    if isinstance(first, dict):
        assert same(effective(first, schema, **options), first)


@settings(deadline=None, max_examples=150)
@given(ROOTS, st.dictionaries(NAMES, JSON, max_size=5), OPTIONS)
def test_order_of_keys_is_irrelevant(schema, sent, options):
    turned = dict(reversed(sent.items()))

    assert same(attempt(schema, sent, options), attempt(schema, turned, options))


@settings(deadline=None, max_examples=100)
@given(TEXTS)
def test_no_text_is_touched(text):
    schema = {"properties": {"a": {"type": "string"}, "b": {"type": ["string", "integer"]}, "c": {}}}

    assert effective({"a": text, "b": text, "c": text}, schema) == {"a": text, "b": text, "c": text}
