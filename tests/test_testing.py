"""The test client for host projects, as they would use it."""

import pytest

from demo_project.coffee_shop.models import Order
from django_mcp.choices import Safety
from django_mcp.models import APIKey, ToolGroup, ToolRule
from django_mcp.testing import McpClient, RpcError, exposing

CREATE = "CreateCoffeeShopOrder"
LATTES = {"customer_name": "Sam", "items": [{"product_id": 7, "size": "Grande", "quantity": 2}]}


@pytest.fixture
def client(user):
    return McpClient(user=user)


def test_a_write_is_proposed_and_confirmed(client):
    proposal = client.call(CREATE, LATTES)
    assert proposal.status == "requires_confirmation"
    assert not Order.objects.filter(user__username="sam").exists()
    order = proposal.confirm()
    assert (order.status, order.response["total"], order.data["httpStatus"]) == ("success", "11.00", 201)
    assert proposal.confirm().code == "confirmation_used"
    assert Order.objects.filter(user__username="sam").count() == 1


def test_what_is_no_proposal_cannot_be_confirmed_and_says_why(client):
    with pytest.raises(AssertionError, match=r"asked for no confirmation; it answered: .*customer_name"):
        client.call(CREATE, {}).confirm()
    with pytest.raises(AssertionError, match="asked for no confirmation"):
        client.read("GetCoffeeShopMenu").confirm()


def test_reads_answer_at_once(client):
    assert [row["id"] for row in client.read("GetCoffeeShopMenu", search="oat").response["results"]] == [7]


def test_an_error_has_its_code_and_text(client):
    answer = client.read("GetCoffeeShopOrder", id=1001)
    assert (answer.status, answer.is_error, answer.code) == ("error", True, "not_found")
    assert answer.error.startswith("Not found")


def test_operations_are_found_and_described(client):
    assert CREATE in [api["name"] for api in client.search("place an order")]
    assert {api["safety"] for api in client.search(safety="Destructive")} == {"Destructive"}
    assert client.describe(CREATE)["tool"]["requiresApproval"] is True
    assert "Not found" in client.describe("Nothing")["error"]


def test_tools_are_listed_by_name(client):
    assert list(client.tools()) == ["api_search", "api_describe", "api_read", "api_call"]


def test_the_key_is_as_wide_as_asked(user):
    McpClient(user=user, groups=["coffee-shop"], highest_safety=Safety.READ_ONLY)
    key = APIKey.objects.get()
    assert (key.user, key.groups, key.all_groups, key.highest_safety) == (user, ["coffee-shop"], False, "ReadOnly")


def test_one_group_may_be_named_as_a_text(user):
    McpClient(user=user, groups="coffee-shop")
    assert APIKey.objects.get().groups == ["coffee-shop"]


def test_a_user_and_a_key_together_are_refused(client, user):
    with pytest.raises(TypeError, match="a user or a key"):
        McpClient(user=user, key=client.key)


def test_an_answer_that_is_no_json_is_shown(user):
    with pytest.raises(RpcError, match=r"No JSON: \s*<!doctype html>") as caught:
        McpClient(user=user, url="/nowhere").tools()
    assert caught.value.http_status == 404


def test_a_key_that_exists_is_used_as_it_is(client):
    assert McpClient(key=client.key).tools() == client.tools()
    assert APIKey.objects.count() == 1


def test_a_refused_request_is_an_error_with_its_status(shop):
    for client in (McpClient(), McpClient(key="ak-wrong")):
        with pytest.raises(RpcError) as caught:
            client.tools()
        assert caught.value.http_status == 401


def test_an_unknown_tool_is_an_error(client):
    with pytest.raises(RpcError, match='Unknown tool: "nope"') as caught:
        client.tool("nope")
    assert (caught.value.code, caught.value.http_status) == (-32602, 200)


def test_another_url_can_be_named(user):
    assert McpClient(user=user, url="/mcp/").tools()


def test_a_group_is_exposed_for_a_while(user):
    client = McpClient(user=user)
    with exposing("barista"):
        assert "recommend" in client.tools()
        with exposing("barista"):
            assert "recommend" in client.tools()
        assert "recommend" in client.tools()
    assert "recommend" not in client.tools()
    assert not ToolGroup.objects.filter(name="barista").exists()


def test_one_tool_and_one_operation_are_exposed_by_name(user):
    ToolGroup.objects.update(exposed=False)
    client = McpClient(user=user)
    with exposing("recommend", "getcoffeeshopmenu"):
        assert list(client.tools())[-1] == "recommend"
        assert [api["name"] for api in client.search()] == ["GetCoffeeShopMenu"]
    assert not ToolRule.objects.exists()


def test_exposure_ends_with_the_test_that_failed(user):
    with pytest.raises(ZeroDivisionError), exposing("barista"):
        raise ZeroDivisionError
    assert not ToolGroup.objects.filter(name="barista", exposed=True).exists()


def test_what_was_hidden_before_is_hidden_again(user):
    ToolGroup.objects.filter(name="coffee-shop").update(exposed=False, approval_mode="reject")
    with exposing("coffee-shop"):
        assert ToolGroup.objects.get(name="coffee-shop").exposed
    group = ToolGroup.objects.get(name="coffee-shop")
    assert (group.exposed, group.approval_mode) == (False, "reject")


def test_a_misspelt_name_is_corrected(user):
    with pytest.raises(LookupError, match="Did you mean 'barista'"), exposing("baristas"):
        pass


def test_an_operation_published_as_a_tool_confirms_as_well(client):
    ToolGroup.objects.filter(name="coffee-shop").update(publish_as="one_tool_each")
    assert client.tool(CREATE, LATTES).confirm().response["total"] == "11.00"
