"""What holds for every page: in a wide window, on a phone and in the dark, under a policy that allows no inline code."""

import pytest

from tests.browser import audits
from tests.browser.desk import follow
from tests.browser.policy import POLICY

pytestmark = pytest.mark.service("chromium")

WINDOWS = {
    "wide": {"viewport": {"width": 1280, "height": 900}},
    "phone": {"viewport": {"width": 375, "height": 800}},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
}


def tour(desk):
    """Open every page of the app in turn and yield its name."""
    page = desk.page
    first = page.locator("#result_list tbody th a").first
    for path in ("", "toolgroup/", "toolrule/", "toolrule/add/?name=GetCoffeeShopMenu"):
        desk.open(path)
        yield path or "index"
    follow(page.get_by_role("button", name="Save", exact=True))
    yield "toolgroup/ after a rule"
    for path in ("toolrule/", "apikey/", "confirmation/", "auditevent/"):
        desk.open(path)
        yield path
        follow(first)
        yield f"{path}change/"
    for path in ("apikey/1/revoke/", "apikey/1/history/", "serversettings/", "auditevent/?kind__exact=declined"):
        desk.open(path)
        yield path
    desk.open("apikey/add/")
    yield "apikey/add/"
    follow(page.get_by_role("button", name="Save"))
    yield "apikey/add/ with errors"
    page.get_by_label("Name").fill("Sam's laptop")
    page.locator(".field-user").get_by_role("combobox").click()
    page.get_by_role("option", name="sam").click()
    follow(page.get_by_role("button", name="Save"))
    yield "apikey/add/ done"


@pytest.mark.parametrize("window_name", WINDOWS)
def test_every_page_fits_is_named_and_can_be_read(window, traded, window_name):
    desk = window(**WINDOWS[window_name])
    problems = {}
    for name in tour(desk):
        wrong = [*desk.audit(audits.OVERFLOW), *desk.audit(audits.NAMELESS), *desk.audit(audits.PALE)]
        assert desk.page.get_by_role("heading", level=1).count() == 1, name
        if wrong:
            problems[name] = wrong
    assert problems == {}


def test_german_pages_fit_a_phone(window, traded):
    desk = window(**WINDOWS["phone"], locale="de-DE")
    for path in ("", "toolgroup/", "toolrule/add/", "apikey/", "apikey/add/", "serversettings/", "auditevent/"):
        desk.open(path)
        assert desk.audit(audits.OVERFLOW) == [], path
    assert desk.page.get_by_role("heading", name="Protokolleintrag").is_visible()


def test_what_hosts_and_agents_write_is_text_on_every_page(desk, traded):
    pages = 0
    for name in tour(desk):
        assert desk.page.title() != "ran", name
        assert desk.page.locator("#content img[src=x]").count() == 0, name
        pages += "<img src=x onerror=document.title='ran'>" in desk.page.inner_text("#content")
    assert pages >= 5


def test_the_steps_to_a_page_look_as_on_djangos_own(desk):
    look = """() => {
      const steps = document.querySelector(".breadcrumbs");
      const {backgroundColor, color, paddingLeft} = getComputedStyle(steps);
      return [backgroundColor, color, paddingLeft, Math.round(steps.getBoundingClientRect().height / 8)];
    }"""
    djangos = desk.open("apikey/").evaluate(look)
    for path in ("toolgroup/", "serversettings/", "apikey/1/revoke/"):
        assert desk.open(path).evaluate(look) == djangos, path


def test_the_policy_is_in_force(desk):
    assert desk.read("/admin/django_mcp/toolgroup/").headers["content-security-policy"] == POLICY
    desk.open("toolgroup/").evaluate("() => document.body.insertAdjacentHTML('beforeend', '<p style=color:red>x</p>')")
    assert desk.problems
    assert all("Content Security Policy" in problem for problem in desk.problems)
    desk.problems.clear()


def test_what_a_page_is_asked_for_would_be_noticed(desk):
    page = desk.open("toolgroup/")
    page.evaluate(
        """() => {
          const wide = document.createElement("p");
          wide.textContent = "wide and pale";
          wide.style.width = "3000px";
          wide.style.color = "#eee";
          document.querySelector("#content-main").append(wide, document.createElement("input"));
        }"""
    )
    for script in (audits.OVERFLOW, audits.NAMELESS, audits.PALE):
        assert desk.audit(script)
