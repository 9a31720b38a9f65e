"""Questions and asking tools as they are declared: what no client could ask is a mistake of the host's."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy

from django_mcp.choices import Safety
from django_mcp.tools.declarations import declared
from django_mcp.tools.questions import InputRequired, form, request, url


@pytest.mark.parametrize(
    "options",
    [
        {"safety": Safety.WRITE},
        {"safety": Safety.DESTRUCTIVE},
        {"safety": None},
        {"safety": Safety.READ_ONLY, "requires_approval": True},
    ],
)
def test_what_has_to_be_confirmed_cannot_be_declared_to_ask(options):
    with pytest.raises(ImproperlyConfigured, match=r"asks, which only a tool with safety=Safety.READ_ONLY"):
        declared(
            lambda caller, data, answers: None,
            {"name": "find", "group": "tables", "description": "x", "asks": True, **options},
        )


@pytest.mark.parametrize("asks", ["yes", 1, None])
def test_asks_is_a_yes_or_a_no(asks):
    options = {"name": "find", "group": "tables", "description": "x", "safety": Safety.READ_ONLY, "asks": asks}
    with pytest.raises(ImproperlyConfigured, match="needs asks as True or False"):
        declared(lambda caller, data: None, options)


def test_a_tool_that_asks_takes_the_answers():
    options = {"name": "find", "group": "tables", "description": "x", "safety": Safety.READ_ONLY, "asks": True}
    with pytest.raises(ImproperlyConfigured, match="the answers: def tool"):
        declared(lambda caller, data: None, options)


@pytest.mark.parametrize("name", ["password", "api_key", "card_number"])
def test_a_form_cannot_ask_for_a_secret(name):
    with pytest.raises(ValueError, match=r"ask for it with url\(\)"):
        form("Say it.", {name: {"type": "string"}})


@pytest.mark.parametrize("address", ["javascript:alert(1)", "file:///etc/passwd", "example.com", "https://", ""])
def test_a_page_has_an_address_of_the_web(address):
    with pytest.raises(ValueError, match="https://"):
        url("Go.", address)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("com.example/pick", {}),
        ("elicitation/create", {}),
        ("elicitation/create", {"message": "x"}),
        ("elicitation/create", {"message": "x", "requestedSchema": {"type": "object"}}),
        ("elicitation/create", {"message": "x", "requestedSchema": {"type": "string"}}),
        ("elicitation/create", {"message": "x", "mode": "url"}),
    ],
)
def test_a_request_that_no_client_could_take_is_a_mistake(method, params):
    with pytest.raises(ValueError, match=r"needs=|cannot be asked"):
        request(method, params)


def test_a_form_requires_only_what_it_has():
    with pytest.raises(ValueError, match="requires b"):
        form("Say it.", {"a": {"type": "string"}}, required=["a", "b"])
    assert form("Say it.", {"a": {"type": "string"}}, required=[]).params["requestedSchema"]["required"] == []


def test_lazy_text_is_asked_in_the_language_of_the_request():
    assert form(gettext_lazy("Save"), {"a": {"type": "string", "title": gettext_lazy("Save")}}).params["message"]


@pytest.mark.parametrize("nothing", [{}, None, {"seats": "how many?"}])
def test_asking_nothing_is_a_mistake(nothing):
    with pytest.raises(ValueError, match="at least one question"):
        InputRequired(nothing)
