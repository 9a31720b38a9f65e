"""Keys in the browser: made once, shown once, and worth nothing once they are revoked."""

import pytest

from tests.browser.desk import follow

pytestmark = pytest.mark.service("chromium")


def fill(desk, *groups, user="sam"):
    """Fill in the form of a new key as a person does, and send it."""
    page = desk.open("apikey/add/")
    page.get_by_label("Name").fill("Sam's laptop")
    page.locator(".field-user").get_by_role("combobox").click()
    page.locator(".select2-search__field").fill(user)
    page.get_by_role("option", name=user).click()
    for group in groups:
        page.get_by_label(group).check()
    follow(page.get_by_role("button", name="Save"))
    assert page.get_by_role("heading", name="Key created").is_visible()
    return page.get_by_role("region", name="The key").inner_text().split()[-1]


def test_a_new_key_works_at_once_for_its_user(desk, site):
    secret = fill(desk, "barista")
    assert site.agent(secret).tool("order_statistics", {}).structured["orders"] == 0


def test_a_key_is_shown_in_the_answer_that_made_it_and_never_again(desk):
    secret = fill(desk, "barista")
    page = desk.page
    made = page.url
    page.reload()
    assert "created already, and its secret is shown once only" in page.inner_text("body")
    seen = [page.content()]
    page.go_back()
    seen.append(page.content())
    page.go_forward()
    seen.append(page.content())
    seen += [desk.open(path).content() for path in ("apikey/", "auditevent/", "/admin/")]
    assert made.endswith("/apikey/add/")
    assert [text for text in seen if secret in text] == []
    assert desk.open("apikey/").get_by_role("link", name="Sam's laptop").count() == 1
    assert [cookie for cookie in page.context.cookies() if secret in cookie["value"]] == []


def test_the_line_for_a_client_is_selected_by_one_click(desk):
    secret = fill(desk, "barista")
    desk.page.get_by_role("region", name="Claude Code").locator("code").click()
    selected = desk.page.evaluate("() => getSelection().toString()").strip()
    assert selected.startswith("claude mcp add ")
    assert selected.endswith(f'/mcp --header "Authorization: Bearer {secret}"')


def test_whoever_makes_a_key_that_reaches_nothing_is_told(desk):
    fill(desk)
    assert desk.page.get_by_text("It reaches nothing yet").is_visible()
    follow(desk.page.get_by_role("link", name="Choose its groups"))
    desk.page.get_by_label("barista").check()
    follow(desk.page.get_by_role("button", name="Save", exact=True))
    assert desk.page.get_by_role("row", name="Sam's laptop").get_by_text("barista").is_visible()


def test_a_revoked_key_is_refused_on_its_next_call(desk, site):
    agent = site.agent(fill(desk, "barista"))
    assert agent.rpc("tools/list").status == 200
    follow(desk.open("apikey/").get_by_role("link", name="Sam's laptop"))
    follow(desk.page.get_by_role("link", name="Revoke"))
    assert "stops working at once and for good" in desk.page.inner_text("main")
    assert agent.rpc("tools/list").status == 200
    follow(desk.page.get_by_role("button", name="Revoke"))
    assert agent.rpc("tools/list").status == 401
    follow(desk.open("apikey/").get_by_role("link", name="Sam's laptop"))
    assert desk.page.locator(".field-shown_end time").is_visible()
    assert desk.page.get_by_role("link", name="Revoke").count() == 0


def test_several_keys_are_revoked_from_the_list(desk, site):
    agent = site.agent()
    page = desk.open("apikey/")
    for box in page.get_by_role("checkbox", name="Select this object").all():
        box.check()
    page.locator("select[name=action]").select_option(label="Revoke selected keys")
    follow(page.locator(".actions button[name=index]"))
    follow(page.get_by_role("button", name="Revoke"))
    assert page.get_by_text("3 keys were revoked.").is_visible()
    assert agent.rpc("tools/list").status == 401


def test_the_two_parts_of_an_expiry_have_names(desk):
    page = desk.open("apikey/add/")
    page.get_by_label("Expires, date").fill("2001-01-01")
    page.get_by_label("Expires, time").fill("12:00")
    follow(page.get_by_role("button", name="Save"))
    assert page.get_by_text("This time has passed.").is_visible()
