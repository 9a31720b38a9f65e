"""What large APIs do: rows named in several ways, many changed at once, pages turned by a word, a door that is closed."""

import pytest

from tests.host.models import Project, Scan, Ticket

pytestmark = pytest.mark.django_db


@pytest.fixture
def scans(people):
    return [Scan.objects.create(title=title) for title in ("one", "two", "three")]


@pytest.mark.parametrize("way", ["key", "text", "object", "object of the key"])
def test_a_row_may_be_named_as_the_host_reads_it(attempt, way):
    key = Project.objects.get(slug="apollo").pk
    said = {"key": key, "text": "apollo", "object": {"slug": "apollo"}, "object of the key": {"id": key}}[way]
    made = attempt("asset_create", title="Lamp", project=said, others=[said, "other"])
    assert made.response["project"] == {"id": key, "slug": "apollo"}
    assert Ticket.objects.get(title="Lamp apollo other").project_id == key


def test_a_row_that_the_host_does_not_find_is_refused_in_its_words(alice):
    refused = alice.call("asset_create", {"title": "Lamp", "project": "nowhere"})
    assert (refused.code, refused.data["httpStatus"]) == ("validation_error", 400)
    assert "There is no such project." in refused.error


def test_a_misspelt_field_within_a_plain_serializer_is_refused_before_the_host_could_lose_it(alice):
    refused = alice.call("asset_create", {"title": "Lamp", "project": 1, "details": {"color": "red"}})
    assert refused.code == "validation_error"
    assert 'Did you mean "colour"?' in refused.error


def test_several_rows_are_deleted_by_what_the_body_names(attempt, scans):
    done = attempt("shelf_bulk_destroy", items=[{"id": scans[0].pk}, {"id": str(scans[2].pk)}])
    assert done.status == "success"
    assert [scan.title for scan in Scan.objects.filter(public=True)] == ["two"]


def test_a_deletion_takes_the_body_that_was_declared_for_it(attempt, scans):
    assert attempt("clearing", titles=["one", "two"], reason="Lost").response == {"reason": "Lost"}
    assert list(Scan.objects.filter(public=True).values_list("title", flat=True)) == ["three"]


def test_an_option_that_only_the_hosts_schema_class_knows_is_described(alice):
    assert "style" in alice.describe("shelf_list")["inputSchema"]["properties"]
    assert alice.read("shelf_list", style="long").status == "success"


def test_the_last_page_may_be_asked_for_by_its_word(alice):
    assert "'last'" in alice.describe("asset_list")["inputSchema"]["properties"]["page"]["description"]
    last = alice.read("asset_list", page="last")
    assert [row["id"] for row in last.response["results"]] == list(Ticket.objects.values_list("id", flat=True))[-2:]


@pytest.mark.parametrize("name", ["title", "project"])
def test_what_cannot_be_cleared_is_not_left_out_of_a_change(alice, name):
    change = {"id": Ticket.objects.first().pk, "weight": 5, name: None}
    refused = alice.call("asset_partial_update", change)
    assert (refused.code, refused.data["httpStatus"]) == ("validation_error", 400)
    assert f"{name}: This field may not be null." in refused.error


def test_what_a_host_that_cannot_serve_tells_its_clients_is_told(alice, caplog):
    answer = alice.read("stocktaking")
    assert (answer.code, answer.data["httpStatus"]) == ("internal_error", 503)
    assert '"Closed for stocktaking until six."' in answer.error
    assert answer.data["errorId"] in caplog.text


@pytest.mark.django_db(transaction=True)
def test_it_is_told_of_a_write_that_may_have_been_applied_too(autocommit, attempt):
    answer = attempt("stocktaking_post")
    assert answer.code == "outcome_unknown"
    assert '"Closed for stocktaking until six.". It may have been applied' in answer.error


@pytest.mark.parametrize(
    ("handler", "status"),
    [
        ("every_exception_is_one_of_the_api", 500),
        ("every_exception_is_a_bad_moment", 503),
        ("every_exception_raises_one_of_the_api", 500),
    ],
)
def test_the_text_of_any_other_exception_stays_untold_whatever_the_host_makes_of_it(attempt, settings, handler, status):
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "EXCEPTION_HANDLER": f"tests.host.inventory.{handler}"}
    answer = attempt("crash")
    assert answer.data["httpStatus"] == status
    assert "hunter2" not in str(answer.raw)
