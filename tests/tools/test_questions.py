"""Tools that ask before they answer, seen through the endpoint."""

import asyncio
from functools import partial

import pytest
from django.contrib.auth.models import Group
from django.core.cache import cache

from django_mcp.choices import Safety
from django_mcp.errors import ToolError
from django_mcp.models import AuditEvent, Confirmation, ToolRule
from django_mcp.testing import McpClient, RpcError
from django_mcp.tools.questions import InputRequired, form, request, url

SEATS = form("For how many?", {"seats": {"type": "integer", "minimum": 1}})
PAGE = url("Sign in at the other shop.", "https://example.com/login?for=1")
MODEL = request("sampling/createMessage", {"messages": [], "maxTokens": 5})
SAMPLED = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "window"}}
EVERYTHING = {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}
ANY = {"type": "object", "properties": {}}


def accept(**content):
    return {"action": "accept", "content": content}


@pytest.fixture
def user(sam):
    return sam


@pytest.fixture
def offer(offer):
    """Return a function that defines an asking tool and exposes its group."""
    return partial(offer, group="tables", safety=Safety.READ_ONLY, asks=True)


@pytest.fixture
def client(user):
    return McpClient(user=user, capabilities=EVERYTHING)


def find(caller, data, answers):
    seats = answers.get("seats")
    if seats is None:
        return InputRequired({"seats": SEATS})
    return {"action": seats.action, "accepted": seats.accepted, "content": dict(seats.content)}


def find_twice(caller, data, answers):
    if "seats" not in answers:
        return InputRequired({"seats": SEATS})
    if "where" not in answers:
        return InputRequired({"where": MODEL})
    return {"seats": answers["seats"].content["seats"], "where": answers["where"].result["content"]["text"]}


def asking(*questions):
    def ask(caller, data, answers):
        missing = {str(at): question for at, question in enumerate(questions) if str(at) not in answers}
        return InputRequired(missing) if missing else {"asked": [answers[key].action for key in sorted(answers)]}

    return ask


def refused(call, code=-32602):
    with pytest.raises(RpcError) as caught:
        call()
    assert caught.value.code == code
    return caught.value


# Asked and answered


def test_a_tool_asks_and_is_run_again_with_the_answer(offer, client):
    offer(find)
    asked = client.tool("find")
    assert asked.status == "input_required"
    assert asked.questions == {"seats": {"method": "elicitation/create", "params": SEATS.params}}
    assert asked.raw["_meta"]["io.modelcontextprotocol/serverInfo"]
    assert asked.answer(seats=accept(seats=4)).data["content"] == {"seats": 4}


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_refusal_reaches_the_tool_as_such(offer, client, action):
    offer(find)
    answer = client.tool("find").answer(seats={"action": action, "content": {"seats": 4}})
    assert answer.data == {"action": action, "accepted": False, "content": {}}


def test_rounds_follow_one_another_and_earlier_answers_stay(offer, client):
    offer(find_twice)
    first = client.tool("find_twice")
    second = first.answer(seats=accept(seats=4))
    assert second.questions.keys() == {"where"}
    assert second.raw["requestState"] != first.raw["requestState"]
    assert second.answer(where=SAMPLED).data == {"seats": 4, "where": "window"}


def test_several_questions_are_asked_at_once_and_what_is_left_again(offer, client):
    offer(asking(SEATS, PAGE, MODEL, request("roots/list")), name="ask")
    asked = client.tool("ask")
    assert len(asked.questions) == 4
    left = asked.answer(**{"0": accept(seats=1), "1": {"action": "decline"}, "9": accept(x=1)})
    assert left.questions.keys() == {"2", "3"}
    done = left.answer(**{"2": SAMPLED, "3": {"roots": []}})
    assert done.data == {"asked": ["accept", "decline", "accept", "accept"]}


@pytest.mark.parametrize("entered", [{"seats": "four"}, {"seats": 0}, {}, {"tables": 4}])
def test_what_does_not_fit_is_asked_again(offer, client, entered):
    offer(find)
    again = client.tool("find").answer(seats=accept(**entered))
    assert again.questions.keys() == {"seats"}
    assert again.answer(seats=accept(seats=4)).data["accepted"] is True


def test_what_is_no_answer_is_an_error_and_can_be_mended(offer, client):
    offer(find)
    asked = client.tool("find")
    assert "inputResponses.seats: Must be a result" in str(refused(lambda: asked.answer(seats=12345)))
    assert asked.answer(seats=accept(seats=4)).data["accepted"] is True


def test_a_question_that_is_asked_again_forgets_its_answer(offer, client):
    seen = []

    def insist(caller, data, answers):
        seen.append(list(answers))
        if "seats" in answers and answers["seats"].content["seats"] == 4:
            return "four"
        return InputRequired({"seats": SEATS})

    offer(insist)
    again = client.tool("insist").answer(seats=accept(seats=3)).answer()
    assert seen == [[], ["seats"], []]
    assert again.answer(seats=accept(seats=4)).text == "four"


def test_a_tool_sees_what_it_asked(offer, client):
    def visit(caller, data, answers):
        if "page" not in answers:
            return InputRequired({"page": PAGE})
        return answers["page"].request["params"]["url"]

    offer(visit)
    assert client.tool("visit").answer(page={"action": "accept"}).text == PAGE.params["url"]


def test_a_request_of_an_extension_is_asked_where_it_is_declared(offer, user):
    needs = {"extensions": {"com.example/pick": {}}}
    offer(asking(request("com.example/pick", {"from": [1, 2]}, needs=needs)), name="pick")
    asked = McpClient(user=user, capabilities=needs).tool("pick")
    assert asked.questions["0"] == {"method": "com.example/pick", "params": {"from": [1, 2]}}
    assert asked.answer(**{"0": {"picked": 1}}).status == "success"


def test_an_async_tool_asks_too(offer, client):
    async def later(caller, data, answers):
        await asyncio.sleep(0)
        return find(caller, data, answers)

    offer(later)
    assert client.tool("later").answer(seats=accept(seats=4)).data["accepted"] is True


def test_asking_is_no_answer_that_an_output_schema_could_be_checked_with(offer, client):
    schema = {"type": "object", "properties": {"accepted": {"type": "boolean"}}, "required": ["accepted"]}
    offer(find, output_schema=schema)
    assert client.tool("find").answer(seats=accept(seats=4)).data["accepted"] is True


@pytest.mark.django_db(transaction=True)
def test_what_a_run_that_asks_did_is_undone(offer, client):
    def write(caller, data, answers):
        Group.objects.create(name=f"run {len(answers)}")
        return find(caller, data, answers)

    offer(write, atomic=True)
    asked = client.tool("write")
    assert not Group.objects.exists()
    asked.answer(seats=accept(seats=4))
    assert Group.objects.get().name == "run 1"


def test_nothing_of_it_is_a_confirmation(offer, client):
    offer(find)
    client.tool("find").answer(seats=accept(seats=4))
    assert not Confirmation.objects.exists()
    assert not AuditEvent.objects.exclude(kind="key_issued").exists()


# Whose answers


def test_answers_without_a_state_count_for_nothing(offer, client):
    offer(find)
    echo = {"inputResponses": {"seats": accept(seats=4), "other": 5}}
    for extra in ({}, {"requestState": None}):
        assert client.tool("find", **echo, **extra).questions.keys() == {"seats"}


@pytest.mark.parametrize("responses", [None, {}, {"wrong": accept(x=1)}])
def test_a_state_without_answers_asks_again(offer, client, responses):
    offer(find)
    state = client.tool("find").raw["requestState"]
    assert client.tool("find", inputResponses=responses, requestState=state).questions.keys() == {"seats"}


@pytest.mark.parametrize("params", [{"inputResponses": [1]}, {"inputResponses": "x"}, {"requestState": 5}])
def test_parameters_of_another_type_are_an_error(offer, client, params):
    offer(find)
    refused(partial(client.tool, "find", **params))


def test_a_state_that_was_changed_is_an_error(offer, client):
    offer(find)
    state = client.tool("find").raw["requestState"]
    for changed in (state + "-TAMPERED", state[:-1], state.upper(), "", "x"):
        refused(partial(client.tool, "find", inputResponses={"seats": accept(seats=4)}, requestState=changed))


def test_a_state_is_good_for_one_repetition(offer, client):
    offer(find)
    asked = client.tool("find")
    asked.answer(seats=accept(seats=4))
    error = refused(lambda: asked.answer(seats=accept(seats=5)))
    assert "without requestState" in str(error)


def test_a_state_is_for_its_own_arguments(offer, client):
    offer(find, input_schema=ANY)
    state = client.tool("find", {"day": "monday", "at": 5}).raw["requestState"]
    echo = {"inputResponses": {"seats": accept(seats=4)}, "requestState": state}
    refused(lambda: client.tool("find", {"day": "sunday", "at": 5}, **echo))
    refused(lambda: client.tool("find", **echo))
    assert client.tool("find", {"at": 5.0, "day": "monday"}, **echo).data["accepted"] is True


def test_a_state_is_for_its_own_tool(offer, client):
    offer(find)
    offer(find, name="find_other")
    offer(lambda caller, data: "done", name="plain", asks=False)
    offer(lambda caller, data: "done", name="write", asks=False, safety=Safety.WRITE)
    echo = {"inputResponses": {"seats": accept(seats=4)}, "requestState": client.tool("find").raw["requestState"]}
    for name in ("find_other", "plain", "write", "api_search"):
        refused(partial(client.tool, name, **echo))
    assert client.tool("find", **echo).data["accepted"] is True


def test_a_state_is_for_its_own_key(offer, client, user):
    offer(find)
    state = client.tool("find").raw["requestState"]
    other = McpClient(user=user, capabilities=EVERYTHING)
    refused(lambda: other.tool("find", inputResponses={"seats": accept(seats=4)}, requestState=state))


def test_nothing_runs_where_the_cache_does_not_answer(offer, client, settings):
    runs = []

    def count(caller, data, answers):
        runs.append(dict(answers))
        return find(caller, data, answers)

    offer(count)
    asked = client.tool("count")
    settings.CACHES = {"default": {"BACKEND": "tests.approval.caches.Down"}}
    answer = asked.answer(seats=accept(seats=4))
    assert answer.code == "unavailable"
    assert runs == [{}]


def test_a_mark_that_was_evicted_does_not_open_what_has_expired(offer, client, monkeypatch):
    from django_mcp.approval import questions

    offer(find)
    asked = client.tool("find")
    asked.answer(seats=accept(seats=4))
    cache.clear()
    now = questions.time.time()
    monkeypatch.setattr(questions.time, "time", lambda: now + questions.LIFETIME + 1)
    refused(lambda: asked.answer(seats=accept(seats=4)))


# Who can be asked


@pytest.mark.parametrize(
    ("question", "capabilities", "required"),
    [
        (SEATS, {}, {"elicitation": {"form": {}}}),
        (SEATS, {"elicitation": {"url": {}}}, {"elicitation": {"form": {}}}),
        (PAGE, {"elicitation": {}}, {"elicitation": {"url": {}}}),
        (MODEL, {"elicitation": {}}, {"sampling": {}}),
        (request("roots/list"), {}, {"roots": {}}),
    ],
)
def test_what_the_client_has_not_declared_is_not_asked(offer, user, question, capabilities, required):
    offer(asking(question), name="ask")
    error = refused(lambda: McpClient(user=user, capabilities=capabilities).tool("ask"), -32021)
    assert (error.http_status, error.data) == (400, {"requiredCapabilities": required})


def test_a_tool_asks_only_what_can_be_asked(offer, user):
    def choose(caller, data, answers):
        return InputRequired({"it": SEATS if answers.can_ask(SEATS) else MODEL}) if not answers else "done"

    offer(choose)
    for capabilities, method in [({"sampling": {}}, "sampling/createMessage"), (EVERYTHING, "elicitation/create")]:
        asked = McpClient(user=user, capabilities=capabilities).tool("choose")
        assert asked.questions["it"]["method"] == method


def test_capabilities_are_those_of_the_request(offer, client):
    offer(find_twice)
    asked = client.tool("find_twice")
    client.capabilities = {"elicitation": {}}
    refused(lambda: asked.answer(seats=accept(seats=4)), -32021)


def test_a_client_with_a_handshake_is_told_that_it_cannot_be_asked(offer, user):
    offer(find)
    answer = McpClient(user=user).tool("find")
    assert (answer.code, "2026-07-28" in answer.error) == ("operation_failed", True)
    assert "resultType" not in answer.raw


def test_a_tool_has_its_own_way_where_it_cannot_ask(offer, user):
    offer(lambda caller, data, answers: "for two" if not answers.can_ask(SEATS) else "?", name="guess")
    assert McpClient(user=user).tool("guess").text == "for two"


def test_a_handshake_revision_has_no_answers(offer, user, client):
    offer(find)
    state = client.tool("find").raw["requestState"]
    answer = McpClient(user=user).tool("find", inputResponses=[1], requestState=state)
    assert answer.code == "operation_failed"


# Writes


def test_a_rule_that_demands_approval_stops_the_questions(offer, client):
    runs = []

    def try_to(caller, data, answers):
        runs.append(answers.can_ask(SEATS))
        return find(caller, data, answers)

    offer(try_to, atomic=True)
    state = client.tool("try_to").raw["requestState"]
    ToolRule.objects.create(name="try_to", requires_approval=True)
    proposal = client.tool("try_to")
    assert proposal.status == "requires_confirmation"
    refused(lambda: client.tool("try_to", inputResponses={"seats": accept(seats=4)}, requestState=state))
    answer = proposal.confirm()
    assert (answer.code, "confirmed" in answer.error) == ("operation_failed", True)
    assert runs == [True, False]
    assert Confirmation.objects.get().state == "rejected"


def test_a_tool_that_does_not_say_so_cannot_ask(offer, client, caplog):
    offer(lambda caller, data: InputRequired({"seats": SEATS}), name="sly", asks=False)
    assert client.tool("sly").code == "internal_error"
    assert "declare it with asks=True" in caplog.text


def test_a_tool_that_fails_after_an_answer_says_so(offer, client):
    def fail(caller, data, answers):
        if "seats" in answers:
            raise ToolError("No table is free.")
        return InputRequired({"seats": SEATS})

    offer(fail)
    assert client.tool("fail").answer(seats=accept(seats=4)).error == "No table is free."
