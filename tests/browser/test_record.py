"""The record in the browser: who did what and what became of it, to read and to filter, and nothing else."""

import pytest

from tests.browser.desk import follow
from tests.e2e.client import ORDER

pytestmark = pytest.mark.service("chromium")


@pytest.mark.parametrize("name", ["confirmation", "auditevent"])
def test_there_is_nothing_to_press_but_search_close_and_what_withdraws(desk, traded, name):
    page = desk.open(f"{name}/")
    assert page.locator("#content :is(button, input[type=submit], input[type=checkbox])").count() == 1
    assert page.get_by_role("button", name="Search").is_visible()
    assert page.locator("#content").get_by_role("link", name="Add").count() == 0
    follow(page.locator("#result_list tbody th a").first)
    fields = ":is(input, select, textarea, button):visible"
    withdrawal = page.locator(f"#content form[action$='/withdraw/'] {fields}")
    assert page.locator(f"#content {fields}").count() == withdrawal.count() == (2 if name == "confirmation" else 0)
    assert page.locator(".submit-row").inner_text().strip() == "Close"


def test_an_event_says_who_did_what_and_what_came_of_it(desk, traded):
    row = desk.open("auditevent/").get_by_role("row", name="executed")
    for text in ("succeeded", ORDER, "sam", "Sam's agent", "127.0.0.1"):
        assert text in row.inner_text()
    follow(row.get_by_role("link"))
    assert desk.page.get_by_role("heading", name="View audit event").is_visible()
    assert '"httpStatus": 201' in desk.page.inner_text("main")


def test_an_event_leads_to_its_confirmation_and_the_whole_story(desk, traded):
    follow(desk.open("auditevent/").get_by_role("row", name="executed").get_by_role("link"))
    follow(desk.page.locator(".field-confirmation_link a"))
    story = desk.page.get_by_role("region", name="Timeline").get_by_role("row").all_inner_texts()[1:]
    for row, kind in zip(story, ("token issued", "token consumed", "executed", "token refused"), strict=True):
        assert kind in row
    assert "the agent" in story[1]
    assert "confirmation_used" in story[3]


def test_events_are_narrowed_by_kind_and_found_by_name(desk, traded):
    page = desk.open("auditevent/")
    kinds = page.locator("#result_list .field-kind")
    follow(page.locator("#changelist-filter").get_by_role("link", name="token refused"))
    assert set(kinds.all_inner_texts()) == {"token refused"}
    page.get_by_role("textbox", name="Search").fill("coffee-shop")
    follow(page.get_by_role("button", name="Search"))
    assert kinds.count() == 0
    follow(page.get_by_role("link", name="Clear all filters"))
    assert set(kinds.all_inner_texts()) == {"exposure changed"}


def test_confirmations_are_narrowed_by_state_and_by_who_confirmed(desk, traded):
    page = desk.open("confirmation/")
    states = page.locator("#result_list .field-shown_state")
    assert sorted(states.all_inner_texts()) == ["issued", "succeeded"]
    filters = page.locator("#changelist-filter")
    follow(filters.get_by_role("link", name="issued", exact=True))
    assert states.all_inner_texts() == ["issued"]
    follow(filters.get_by_role("link", name="the agent"))
    assert states.all_inner_texts() == []
    follow(page.get_by_role("link", name="Clear all filters"))
    follow(filters.get_by_role("link", name="the agent"))
    assert states.all_inner_texts() == ["succeeded"]


def test_neither_key_nor_token_is_on_any_page_of_the_record(desk, traded, site):
    secrets = {site.key, site.key[:12], traded, traded.split(".")[2][:16]}
    for name in ("confirmation", "auditevent"):
        page = desk.open(f"{name}/")
        paths = [link.get_attribute("href") for link in page.locator("#result_list tbody th a").all()]
        for text in (page.content(), *(desk.read(path).text() for path in paths)):
            assert [secret for secret in secrets if secret in text] == []
        assert len(paths) > 1
