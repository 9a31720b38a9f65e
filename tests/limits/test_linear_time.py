"""Every expression of the package, and every reader of a number, takes time that grows with its input, not faster."""

import importlib
import pkgutil
import re
import time
from functools import partial
from pathlib import Path

import pytest

import django_mcp
from django_mcp.approval import tokens
from django_mcp.arguments.converters import CONVERTERS, decimal
from django_mcp.protocol import jsonrpc

SHORT, LONG = 2_000, 32_000
# Sixteen times the input takes a quadratic reader 256 times as long.
MOST_GROWTH = 80
# Below this nothing is told from noise; a quadratic reader of so many characters takes seconds.
NEGLIGIBLE = 0.05
# No linear reader takes as many seconds, on any machine.
HOPELESS = 2
FAMILIES = (
    "1",
    "0",
    "a",
    "A",
    " ",
    "-",
    ".",
    "_",
    '"',
    "\\",
    "'",
    "{",
    "[",
    "(",
    "`",
    "=",
    "\n",
    "é",
    "1.",
    '\\"',
    "ak-",
    "a ",
    "* `",
    "''",
    "\\'",
    "[a",
    "$a",
    "/*",
    "{a",
    "1e",
    "a.",
)
ENDS = ("", "x", "\\")


def spent(run, text):
    start = time.process_time()
    run(text)
    return time.process_time() - start


def growth_is_linear(run, unit, end):
    long = spent(run, unit * (LONG // len(unit)) + end)
    if long < NEGLIGIBLE or long > HOPELESS:
        return long < NEGLIGIBLE
    return min(spent(run, unit * (LONG // len(unit)) + end) for _round in range(3)) < MOST_GROWTH * min(
        spent(run, unit * (SHORT // len(unit)) + end) for _round in range(3)
    )


def modules():
    names = (module.name for module in pkgutil.walk_packages(django_mcp.__path__, "django_mcp."))
    return [importlib.import_module(name) for name in names if ".migrations" not in name]


def expressions():
    """Yield each compiled expression as module, name, itself and the methods that its module calls."""
    for module in modules():
        source = Path(module.__file__).read_text()
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern) and re.search(rf"^{name} = re\.compile", source, re.MULTILINE):
                methods = set(re.findall(rf"\b{name}\.(fullmatch|match|search|sub|split|findall|finditer)\(", source))
                yield module.__name__, name, value, methods or {"search"}


def runs(pattern, method, text):
    kind = text.encode() if isinstance(pattern.pattern, bytes) else text
    result = pattern.sub(kind[:0], kind) if method == "sub" else getattr(pattern, method)(kind)
    if method == "finditer":
        for _match in result:
            pass


@pytest.mark.parametrize(("module", "name", "pattern", "methods"), list(expressions()))
def test_an_expression_takes_time_that_grows_with_its_input(module, name, pattern, methods):
    for method in methods:
        for unit in FAMILIES:
            for end in ENDS:
                assert growth_is_linear(partial(runs, pattern, method), unit, end), (method, unit, end)


def test_the_expressions_are_found():
    names = {name for _module, name, _pattern, _methods in expressions()}
    assert {"_NUMBER", "_CREDENTIALS", "_FORM", "_TOKEN", "_WORD"} <= names


@pytest.mark.parametrize("read", [*CONVERTERS.values(), decimal], ids=lambda read: read.__name__)
@pytest.mark.parametrize("text", ["1" * 8000 + "x", "1" * 8000, "1." + "1" * 8000, "1e" + "9" * 8000, "0" * 8000 + "1"])
def test_text_that_is_too_long_for_a_number_is_none(read, text):
    with pytest.raises((ValueError, ArithmeticError)):
        read(text)


@pytest.mark.parametrize("read", [*CONVERTERS.values(), decimal, tokens.clean, tokens.confirmation_of])
def test_a_reader_takes_time_that_grows_with_its_input(read):
    def attempt(text):
        try:
            read(text)
        except (ValueError, ArithmeticError):
            pass

    for unit in FAMILIES:
        for end in ENDS:
            assert growth_is_linear(attempt, unit, end), (unit, end)


def test_the_id_of_a_refused_body_is_found_in_time_that_grows_with_it():
    for unit in ("[", '{"id":', '"\\', '"id":"', '"id": ', '"id":1,', "1e308,"):
        assert growth_is_linear(lambda text: jsonrpc.id_in(text.encode()), unit, "")
