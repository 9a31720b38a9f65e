"""Translations are whole, as old as the source, and compiled; none of it needs gettext's own tools."""

import ast
import gettext
import re
from pathlib import Path

import pytest
from django.utils.translation.template import templatize

import django_mcp
from django_mcp.access import keys

PACKAGE = Path(django_mcp.__file__).parent
LOCALES = sorted(PACKAGE.glob("locale/*/LC_MESSAGES"))
MARKS = {"_", "gettext", "gettext_lazy", "ngettext"}
STRING = r"u'(?:\\.|[^'\\])*'|u\"(?:\\.|[^\"\\])*\""


@pytest.fixture(params=LOCALES, ids=lambda path: path.parts[-2])
def locale(request):
    return request.param


def marked_in_code():
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS:
                yield from (part.value for part in node.args[:2] if isinstance(part, ast.Constant))


def marked_in_templates():
    for path in PACKAGE.rglob("*.html"):
        source = templatize(path.read_text())
        for call in re.findall(rf"gettext\(((?:{STRING})(?:, (?:{STRING}))?)", source):
            yield from (ast.literal_eval(text) for text in re.findall(STRING, call))


def entries(path):
    """Return the translations of a .po file, plural forms by number."""
    translations, plural = {}, re.compile(r"msgstr\[(\d)\] (.*)")
    for block in path.read_text().split("\n\n")[1:]:
        lines = [line for line in block.strip().splitlines() if not line.startswith("#")]
        message = ast.literal_eval(lines[0].removeprefix("msgid "))
        for line in lines[1:]:
            if matched := plural.match(line):
                translations[message, int(matched[1])] = ast.literal_eval(matched[2])
            elif line.startswith("msgstr "):
                translations[message] = ast.literal_eval(line.removeprefix("msgstr "))
    return translations


def compiled(path):
    with (path / "django.mo").open("rb") as file:
        catalog = gettext.GNUTranslations(file)._catalog
    return {message: text for message, text in catalog.items() if message}


def singular(messages):
    return {message if isinstance(message, str) else message[0] for message in messages}


def test_every_text_of_the_admin_is_translated_and_nothing_else(locale):
    plurals = {
        "%(count)d keys were revoked.",
        "%(count)d groups were changed: %(names)s.",
        "%(counter)s operations",
        "%(counter)s tools",
    }
    messages = {*marked_in_code(), *marked_in_templates()} - plurals
    translated = entries(locale / "django.po")
    assert messages - singular(translated) == set()
    assert singular(translated) - messages == set()
    assert [message for message, text in translated.items() if not text] == []


def test_what_is_compiled_is_what_is_written(locale):
    assert compiled(locale) == entries(locale / "django.po")


def test_translations_keep_what_is_filled_in(locale):
    holes = re.compile(r"%\(\w+\)[sd]|\{\w+\}")
    for message, text in compiled(locale).items():
        english = message if isinstance(message, str) else message[0]
        assert sorted(holes.findall(text)) == sorted(holes.findall(english)), english


def test_no_translation_is_a_guess(locale):
    assert "fuzzy" not in (locale / "django.po").read_text()


@pytest.mark.parametrize("template", sorted(PACKAGE.rglob("*.html")), ids=lambda path: "/".join(path.parts[-2:]))
def test_templates_hold_no_text_that_cannot_be_translated(template):
    translatable = (
        r"{% block bodyclass.*?{% endblock %}|{% blocktranslate.*?{% endblocktranslate %}|{#.*?#}|<pre.*?</pre>"
    )
    text = re.sub(translatable, "", template.read_text(), flags=re.DOTALL)
    bare = re.sub(r"{%.*?%}|{{.*?}}|<[^>]*>|&\w+;", " ", text, flags=re.DOTALL)
    assert re.findall(r"[A-Za-z]+", bare) == []


def test_the_admin_speaks_german_to_whom_asks_for_it(desk, clerk, settings):
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, "django.middleware.locale.LocaleMiddleware"]
    keys.issue(name="agent", user=clerk)
    for url, texts in (
        ("toolgroup/", ("Werkzeuggruppen", "Es ist nichts freigegeben", "7 Operationen")),
        ("apikey/", ("keine: erreicht nichts", "Eingriffsstufe, Genehmigung")),
        ("apikey/add/", ("Auf Berechtigungen einschränken", "Läuft ab, Uhrzeit")),
        ("serversettings/1/change/", ("Schreibzugriffe sind eingeschaltet.", "Bestätigungs-Token")),
        ("auditevent/", ("Schlüssel ausgestellt", "Nach Art")),
    ):
        body = desk.get(f"/admin/django_mcp/{url}", headers={"accept-language": "de"}).content.decode()
        for text in texts:
            assert text in body, (url, text)
