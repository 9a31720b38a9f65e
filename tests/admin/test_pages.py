import re
from pathlib import Path

import pytest

import django_mcp
from django_mcp.access import keys
from django_mcp.models import ToolRule

TEMPLATES = sorted(Path(django_mcp.__file__).parent.glob("templates/admin/**/*.html"))


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: "/".join(path.parts[-2:]))
def test_templates_hold_no_inline_script_or_style(template):
    text = template.read_text()
    assert not re.search(r"<script|<style|\son[a-z]+=|\sstyle=|javascript:", text, re.IGNORECASE)


@pytest.mark.parametrize(
    "template",
    [path for path in TEMPLATES if path.name not in {"breadcrumbs.html", "stamp.html", "style.html"}],
    ids=lambda path: "/".join(path.parts[-2:]),
)
def test_templates_extend_the_admins(template):
    assert re.match(
        r'{% extends "admin/(base_site|change_form|change_list|delete_confirmation|django_mcp/(change_form|record_form|list|apikey/page))\.html" %}',
        template.read_text(),
    )


def test_pages_hold_no_inline_code_of_ours(desk, clerk):
    key, _ = keys.issue(name="agent", user=clerk)
    rule = ToolRule.objects.create(name="GetCoffeeShopMenu")
    for url in (
        "apikey/",
        "apikey/add/",
        f"apikey/{key.pk}/change/",
        f"apikey/{key.pk}/revoke/",
        "toolgroup/",
        "toolrule/",
        f"toolrule/{rule.pk}/change/",
        "serversettings/1/change/",
        "confirmation/",
        "auditevent/",
    ):
        response = desk.get(f"/admin/django_mcp/{url}")
        assert response.status_code == 200
        body = response.content.decode()
        assert not re.search(r"<script(?![^>]*src=)[^>]*>|<style|\sonclick=|\sstyle=", body), url


def test_app_index_leads_to_every_page(desk):
    body = desk.get("/admin/django_mcp/").content.decode()
    for name in ("apikey", "toolgroup", "toolrule", "serversettings", "confirmation", "auditevent"):
        assert f'href="/admin/django_mcp/{name}/"' in body


def nonce(request):
    return {"csp_nonce": "n0nce"}


def test_own_styles_carry_the_nonce_that_django_6_gives(desk, clerk, settings):
    key, _ = keys.issue(name="agent", user=clerk)
    (engine,) = settings.TEMPLATES
    processors = [*engine["OPTIONS"]["context_processors"], f"{__name__}.nonce"]
    for has, used in ((False, settings.TEMPLATES), (True, [{**engine, "OPTIONS": {"context_processors": processors}}])):
        settings.TEMPLATES = used
        for url in ("toolgroup/", f"apikey/{key.pk}/revoke/"):
            links = re.findall(
                r"<link[^>]*django_mcp/admin[^>]*>", desk.get(f"/admin/django_mcp/{url}").content.decode()
            )
            assert ['nonce="n0nce"' in link for link in links] == [has], url
