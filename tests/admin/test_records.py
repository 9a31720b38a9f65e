import re
import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from django_mcp import audit
from django_mcp.access import keys
from django_mcp.admin import record
from django_mcp.choices import EventKind
from django_mcp.management.keys import ACTOR
from django_mcp.models import AuditEvent, Confirmation

CONFIRMATIONS = "/admin/django_mcp/confirmation/"
EVENTS = "/admin/django_mcp/auditevent/"
CALLER = {"subject": "key:7", "username": "sam", "key_label": "agent (ak-12345…)"}


@pytest.fixture
def make(db):
    def confirmation(**changes):
        values = {
            "state": "succeeded",
            "mode": "confirmation_token",
            "subject": "key:7",
            "caller": CALLER,
            "tool": "api_call",
            "target": "CreateCoffeeShopOrder",
            "safety": "Write",
            "arguments": {"customer_name": "Sam <b>"},
            "summary": "Order for Sam",
            "expires_at": timezone.now() + timedelta(minutes=5),
            "outcome": {"status": "succeeded", "httpStatus": 201, "response": {"id": 1042}},
        }
        return Confirmation.objects.create(**{**values, **changes})

    return confirmation


def events_of(row, *kinds):
    for kind in kinds:
        audit.record(kind, caller=CALLER, confirmation=row.jti, tool=row.tool, target=row.target, note="seen")


def test_confirmations_list_says_what_became_of_each(desk, make):
    make()
    make(state="executing", target="CancelCoffeeShopOrder", outcome=None)
    body = desk.get(CONFIRMATIONS).content.decode()
    for text in ("CreateCoffeeShopOrder", "Order for Sam", "sam, agent (ak-12345…)", "succeeded", "outcome unknown"):
        assert text in body


def test_confirmation_page_shows_all_and_its_timeline_in_order(desk, make):
    row = make()
    events_of(row, EventKind.TOKEN_ISSUED, EventKind.TOKEN_CONSUMED, EventKind.EXECUTED)
    body = desk.get(f"{CONFIRMATIONS}{row.jti}/change/").content.decode()
    assert "1042" in body
    assert "Sam &lt;b&gt;" in body
    kinds = re.findall(r"<td>(token issued|token consumed|executed)</td>", body)
    assert kinds == ["token issued", "token consumed", "executed"]


def test_confirmation_page_takes_one_query_for_the_timeline(desk, make, django_assert_max_num_queries):
    row = make()
    events_of(row, *[EventKind.TOKEN_REFUSED] * 50)
    with django_assert_max_num_queries(8):
        desk.get(f"{CONFIRMATIONS}{row.jti}/change/")


def test_confirmation_with_a_huge_payload_opens(desk, make):
    row = make(arguments={"text": "x" * 5_000_000})
    response = desk.get(f"{CONFIRMATIONS}{row.jti}/change/")
    assert response.status_code == 200
    assert len(response.content) < 500_000


@pytest.mark.parametrize("url", [f"{CONFIRMATIONS}nonsense/change/", f"{CONFIRMATIONS}{uuid.uuid4()}/change/"])
def test_confirmation_that_does_not_exist_leads_back(desk, url):
    assert desk.get(url).status_code == 302


def test_digests_nonces_and_stored_arguments_are_on_no_page(desk, make):
    row = make(nonce="nonce-x", effective='{"a":"effective-x"}', args_hash="hash-x", target_state="state-x")
    body = desk.get(f"{CONFIRMATIONS}{row.jti}/change/").content.decode() + desk.get(CONFIRMATIONS).content.decode()
    for hidden in ("nonce-x", "effective-x", "hash-x", "state-x"):
        assert hidden not in body


@pytest.mark.parametrize("url", [CONFIRMATIONS, EVENTS])
def test_nobody_adds_changes_or_deletes_the_record(browser, person, make, url):
    row = make()
    events_of(row, EventKind.EXECUTED)
    root = browser(person("root", is_staff=True, is_superuser=True))
    pk = row.pk if url == CONFIRMATIONS else AuditEvent.objects.get().pk
    assert root.get(f"{url}add/").status_code == 403
    assert root.post(f"{url}add/", {"kind": "executed"}).status_code == 403
    assert root.post(f"{url}{pk}/change/", {"kind": "read", "state": "issued"}).status_code == 403
    assert root.post(f"{url}{pk}/delete/", {"post": "yes"}).status_code == 403
    root.post(url, {"action": "delete_selected", "_selected_action": [pk], "post": "yes"})
    assert (Confirmation.objects.get().state, AuditEvent.objects.get().kind) == ("succeeded", "executed")


@pytest.mark.parametrize("url", [CONFIRMATIONS, EVENTS])
def test_the_record_needs_a_permission(browser, person, url):
    assert browser(person("other", "view_apikey", is_staff=True)).get(url).status_code == 403


@pytest.mark.parametrize("query", ["", "?o=1", "?q=x", "?all="])
@pytest.mark.parametrize("url", [CONFIRMATIONS, EVENTS])
def test_lists_neither_count_a_whole_table_nor_look_for_distinct_values(
    desk, make, django_assert_max_num_queries, url, query
):
    for _ in range(60):
        events_of(make(), EventKind.EXECUTED)
    with django_assert_max_num_queries(8) as captured:
        assert desk.get(url + query).status_code == 200
    about = [item["sql"] for item in captured.captured_queries if "django_mcp_" in item["sql"]]
    assert about
    for sql in about:
        assert "DISTINCT" not in sql
        assert "COUNT" not in sql or f"LIMIT {record.MAX_COUNTED}" in sql


@pytest.mark.parametrize("url", [CONFIRMATIONS, EVENTS])
def test_lists_leave_the_large_columns_in_the_database(desk, make, django_assert_max_num_queries, url):
    events_of(make(), EventKind.EXECUTED)
    with django_assert_max_num_queries(8) as captured:
        desk.get(url)
    about = " ".join(item["sql"] for item in captured.captured_queries if "django_mcp_" in item["sql"])
    # Two texts are extracted from the detail; the detail itself stays.
    about = re.sub(r"JSON_EXTRACT\([^()]*\)", "", re.sub(r"JSON_TYPE\([^()]*\)", "", about))
    for column in ('"arguments"', '"preview"', '"outcome"', '"effective"', '"detail"'):
        assert column not in about


def test_a_list_that_is_cut_says_so(desk, make, monkeypatch):
    monkeypatch.setattr(record, "MAX_COUNTED", 3)
    for _ in range(5):
        make()
    assert "Only the newest 3 are listed." in desk.get(CONFIRMATIONS).content.decode()


@pytest.mark.parametrize(
    ("url", "terms"),
    [(CONFIRMATIONS, ("CreateCoffeeShopOrder", "key:7", "id")), (EVENTS, ("CreateCoffeeShopOrder", "sam", "id"))],
)
def test_search_finds_whole_values(desk, make, url, terms):
    row = make()
    events_of(row, EventKind.EXECUTED)
    make(target="Other", subject="key:8")
    audit.record(EventKind.READ, target="Other", caller={"username": "kim"})
    for term in terms:
        body = desk.get(url, {"q": str(row.jti) if term == "id" else term}).content.decode()
        assert "CreateCoffeeShopOrder" in body
        assert "Other" not in body


def test_event_page_leads_to_its_confirmation(desk, make):
    row = make()
    events_of(row, EventKind.EXECUTED)
    body = desk.get(f"{EVENTS}{AuditEvent.objects.get().pk}/change/").content.decode()
    assert f"{CONFIRMATIONS}{row.jti}/change/" in body
    assert "seen" in body


def test_event_without_a_confirmation_opens(desk):
    event = audit.record(EventKind.SETTINGS_CHANGED, caller={"username": "sam"})
    assert desk.get(f"{EVENTS}{event.pk}/change/").status_code == 200


def test_filter_for_unknown_outcomes_finds_what_was_left_executing(desk, make):
    make(state="executing", target="A")
    make(state="unknown", target="B")
    make(state="succeeded", target="C")
    body = desk.get(CONFIRMATIONS, {"state": "unknown"}).content.decode()
    assert listed(body) == ["A", "B"]
    body = desk.get(CONFIRMATIONS, {"state": "succeeded"}).content.decode()
    assert listed(body) == ["C"]


def listed(body):
    return sorted(re.findall(r'field-call">(\w+)<', body))


def test_who_confirmed_is_said_in_words(desk, make):
    row = make(channel="client")
    page = desk.get(f"{CONFIRMATIONS}{row.pk}/change/").content.decode()
    assert '<div class="readonly">the client&#x27;s user</div>' in page


def test_what_is_open_and_overdue_is_shown_and_filtered_as_expired(desk, make):
    past = timezone.now() - timedelta(seconds=1)
    make(state="issued", target="A", outcome=None, expires_at=past)
    make(state="issued", target="B", outcome=None)
    make(state="expired", target="C", outcome=None, expires_at=past)
    body = desk.get(CONFIRMATIONS).content.decode()
    assert sorted(re.findall(r'field-shown_state">([\w ]+)<', body)) == ["expired", "expired", "issued"]
    assert listed(desk.get(CONFIRMATIONS, {"state": "issued"}).content.decode()) == ["B"]
    assert listed(desk.get(CONFIRMATIONS, {"state": "expired"}).content.decode()) == ["A", "C"]
    page = desk.get(f"{CONFIRMATIONS}{Confirmation.objects.get(target='A').pk}/change/").content.decode()
    assert '<div class="readonly">expired</div>' in page


def test_a_filter_that_is_no_state_shows_all(desk, make):
    make(target="A")
    assert listed(desk.get(CONFIRMATIONS, {"state": "nonsense"}).content.decode()) == ["A"]


@pytest.mark.parametrize(
    ("status", "label"),
    [("succeeded", "succeeded"), ("rejected", "refused by the API"), ("unknown", "outcome unknown")],
)
def test_executed_says_what_it_came_to_in_list_page_and_timeline(desk, make, status, label):
    row = make(state=status)
    event = audit.record(EventKind.EXECUTED, caller=CALLER, confirmation=row.jti, status=status, errorId="")
    assert f'field-outcome">{label}<' in desk.get(EVENTS).content.decode()
    assert label in desk.get(f"{EVENTS}{event.pk}/change/").content.decode()
    timeline = desk.get(f"{CONFIRMATIONS}{row.jti}/change/").content.decode().split('id="timeline"')[1]
    assert f"<td>{label}</td>" in timeline


def test_refusals_are_listed_with_their_code_and_address(desk):
    audit.record(EventKind.TOKEN_REFUSED, caller={**CALLER, "address": "192.0.2.7"}, code="confirmation_used")
    body = desk.get(EVENTS).content.decode()
    assert 'field-outcome">confirmation_used<' in body
    assert re.search(r'field-who_and_where">sam<div class="help">[^<]*, 192\.0\.2\.7<', body)


def test_what_is_empty_has_no_row_in_the_timeline(desk, make):
    row = make()
    audit.record(
        EventKind.EXECUTED, caller=CALLER, confirmation=row.jti, status="succeeded", httpStatus=201, errorId=""
    )
    timeline = desk.get(f"{CONFIRMATIONS}{row.jti}/change/").content.decode().split('id="timeline"')[1]
    assert re.findall(r"<dt>([^<]+)</dt>", timeline) == ["HTTP status"]


def test_modes_are_named_in_words_in_the_record(desk, make):
    row = make()
    audit.record(EventKind.TOKEN_ISSUED, caller=CALLER, confirmation=row.jti, mode="confirmation_token")
    audit.record(EventKind.EXPOSURE_CHANGED, before={"approval_mode": ""}, after={"approval_mode": "reject"})
    body = desk.get(f"{CONFIRMATIONS}{row.jti}/change/").content.decode()
    assert body.count("Confirmation token") == 2
    changed = AuditEvent.objects.get(kind=EventKind.EXPOSURE_CHANGED)
    assert "&quot;Reject&quot;" in desk.get(f"{EVENTS}{changed.pk}/change/").content.decode()


def test_times_have_seconds_in_lists_and_on_pages(desk, make):
    row = make(settled_at=timezone.now())
    events_of(row, EventKind.EXECUTED)
    event = AuditEvent.objects.get()
    time = f"{timezone.localtime(event.time):%Y-%m-%d %H:%M:%S}"
    for url in (EVENTS, f"{EVENTS}{event.pk}/change/"):
        assert time in re.sub("<[^>]*>", "", desk.get(url).content.decode())
    issued = f"{timezone.localtime(row.issued_at):%Y-%m-%d %H:%M:%S}"
    for url in (CONFIRMATIONS, f"{CONFIRMATIONS}{row.jti}/change/"):
        assert issued in re.sub("<[^>]*>", "", desk.get(url).content.decode())


def test_the_page_of_an_event_is_titled_as_the_list_shows_it(desk, settings):
    settings.TIME_ZONE = "Asia/Tokyo"
    event = audit.record(EventKind.KEY_ISSUED, target="agent")
    title = f"{timezone.localtime(event.time):%Y-%m-%d %H:%M:%S} key issued agent"
    assert title in desk.get(f"{EVENTS}{event.pk}/change/").content.decode()


def test_a_key_issued_on_the_command_line_is_not_its_own_caller(desk, clerk):
    key, _ = keys.issue(name="agent", user=clerk, by=ACTOR)
    event = AuditEvent.objects.get(kind=EventKind.KEY_ISSUED)
    body = desk.get(f"{EVENTS}{event.pk}/change/").content.decode()
    assert f"key:{key.pk}" not in body
    assert "manage.py mcp" in body
    assert 'field-who_and_where">manage.py mcp<' in desk.get(EVENTS).content.decode()


def test_the_operation_is_named_once_a_row(desk, make):
    make(summary="CreateCoffeeShopOrder: customer_name Sam")
    table = desk.get(CONFIRMATIONS).content.decode().split('id="result_list"')[1]
    assert table.count("CreateCoffeeShopOrder") == 1
    assert "customer_name Sam" in table
