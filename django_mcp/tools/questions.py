"""How a host's tool asks: the user in a form or on a page of its own, or the client for whatever else it can do.

A tool that is declared with `asks=True` takes a third argument, the answers so far. It returns `InputRequired` for what
it still has to know, and is run again, from its start, with the same arguments and the answers:

    @mcp_tool(group="tables", safety=Safety.READ_ONLY, asks=True)
    def find_table(caller, data, answers):
        seats = answers.get("seats")
        if seats is None:
            return InputRequired({"seats": form("For how many?", {"seats": {"type": "integer", "minimum": 1}})})
        if not seats.accepted:
            return "Nothing was looked for."
        return tables(seats.content["seats"])
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django_mcp.approval import canonical, questions
from django_mcp.approval.questions import Binding, Exchange
from django_mcp.errors import ProtocolError, ToolError
from django_mcp.host.requests import Context, forwarded_headers
from django_mcp.protocol import elicitation
from django_mcp.protocol.elicitation import Inputs, Question
from django_mcp.redaction import sensitive_name

__all__ = ["Answer", "Answers", "Dialogue", "InputRequired", "form", "request", "url"]

TOO_OLD = (
    "This has to ask the user something, which this client cannot pass on; it takes a client of MCP 2026-07-28 or later. "
    "Tell the user."
)
CONFIRMED = (
    "This has to ask the user something, which a call that must be confirmed cannot do: what runs is what was confirmed. "
    "Tell the user."
)


def form(message: str, properties: Mapping[str, Any], *, required: Iterable[str] | None = None) -> Question:
    """Return a question that the user answers in a form of the client.

    `properties` are JSON Schemas of texts, numbers, booleans and choices, by name; all are `required` unless said.
    Raises ValueError for fields that no client could draw, and for those that ask for a secret: the client and its
    model see what is entered, so that MCP forbids it (client/elicitation, User Interaction Model); use `url`.
    """
    named = list(properties if required is None else required)
    schema = {"type": "object", "properties": dict(properties), "required": named}
    return request(elicitation.ELICIT, {"mode": "form", "message": str(message), "requestedSchema": schema})


def url(message: str, address: str) -> Question:
    """Return a question that sends the user to a page, for what the client must not see.

    Accepting it says that the user went there, not what came of it: the page has to tell the project, and the page
    has to make sure that it is the caller's own user who came. Raises ValueError for an address that is no http URL.
    """
    return request(elicitation.ELICIT, {"mode": "url", "message": str(message), "url": str(address)})


def request(
    method: str, params: Mapping[str, Any] | None = None, *, needs: Mapping[str, Any] | None = None
) -> Question:
    """Return a question of any method, such as `sampling/createMessage` and `roots/list`.

    `needs` are the capabilities that the client must have declared, as clients declare them:
    `{"extensions": {"com.example/pick": {}}}`; MCP's own methods know theirs. Raises ValueError without them, and for
    parameters that no client could take.
    """
    said = json.loads(json.dumps(dict(params or {}), default=str, allow_nan=False))
    known = elicitation.needs_of(method, said)
    if known is None and not needs:
        msg = f"Nobody knows what clients must declare for {method}; say it as needs=."
        raise ValueError(msg)
    if method == elicitation.ELICIT and (problem := _problem(said)):
        msg = f"This cannot be asked: {problem}."
        raise ValueError(msg)
    return Question(method=method, params=said, needs={**(known or {}), **(needs or {})})


def _problem(params: Mapping[str, Any]) -> str | None:
    if not isinstance(params.get("message"), str):
        return "it needs a message, which the user reads"
    if params.get("mode", "form") == "url":
        parts = urlsplit(str(params.get("url")))
        return None if parts.scheme in {"http", "https"} and parts.netloc else "its url must begin with https://"
    return _schema_problem(params.get("requestedSchema"))


def _schema_problem(schema: Any) -> str | None:
    if not isinstance(schema, Mapping) or schema.get("type") != "object":
        return 'its requestedSchema must be of the type "object"'
    fields: Any = schema.get("properties")
    if problem := elicitation.form_problem(fields):
        return problem
    if unknown := set(schema.get("required", ())) - set(fields):
        return f"it requires {', '.join(sorted(unknown))}, which it does not ask for"
    if secret := [name for name in fields if sensitive_name(name)]:
        return f"{', '.join(secret)} would show the client a secret; ask for it with url(), or rename it"
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back for a question. `request` is what was asked, `result` the client's whole result for it."""

    request: Mapping[str, Any]
    result: Mapping[str, Any]

    @property
    def action(self) -> str:
        """`accept`, `decline` (the user said no) or `cancel` (the user said nothing)."""
        return str(self.result.get("action", "accept"))

    @property
    def accepted(self) -> bool:
        """Whether the user filled in the form or went to the page; what is no question to a user is always answered."""
        return self.action == "accept"

    @property
    def content(self) -> Mapping[str, Any]:
        """What the user entered, as the form's schema has it; empty where nothing was accepted."""
        entered = self.result.get("content")
        asked = self.request["method"] == elicitation.ELICIT
        return entered if asked and isinstance(entered, Mapping) else {}


class Answers(Mapping[str, Answer]):
    """All that was answered to this call so far, by the keys that it was asked under."""

    def __init__(self, found: Mapping[str, Exchange], inputs: Inputs, *, asking: bool) -> None:
        self._found = {key: Answer(request=said.request, result=said.result) for key, said in found.items()}
        self._inputs = inputs
        self._asking = asking

    def __getitem__(self, key: str) -> Answer:
        return self._found[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def can_ask(self, *asked: Question) -> bool:
        """Tell whether all of these could be asked now: the client declares what it takes, the call needs no consent."""
        return self._asking and self._inputs.supported and not self._inputs.lacks(asked)


class InputRequired:
    """What a tool returns that has to know more: questions by keys of its own choice, at least one.

    The client must be able to ask all of them; `Answers.can_ask` tells before. What the run that returns it did in its
    transaction is undone.
    """

    def __init__(self, questions: Mapping[str, Question]) -> None:
        if not questions or not all(isinstance(question, Question) for question in questions.values()):
            msg = "InputRequired takes at least one question by its key: InputRequired({'name': form(…)})."
            raise ValueError(msg)
        self.questions = {str(key): question for key, question in questions.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """The questions and answers of one call. `asking` is False where it must not ask, because it has to be confirmed."""

    binding: Binding
    inputs: Inputs
    asking: bool
    answered: Mapping[str, Exchange]

    @classmethod
    def opened(cls, tool: str, arguments: Mapping[str, Any], context: Context, *, asking: bool) -> "Dialogue":
        """Return the dialogue that the call continues, or a new one; a state that the request brings is spent by it.

        Raises as `approval.questions.redeem` does.
        """
        binding = Binding(
            sub=context.caller.subject,
            host=context.caller.host,
            tool=tool,
            args_hash=canonical.args_hash(arguments, forwarded_headers(context.outer)),
        )
        inputs = context.inputs
        if inputs.state is not None and not asking:
            raise questions.invalid()
        answered = {} if inputs.state is None else questions.redeem(inputs.state, inputs.responses, binding)
        return cls(binding=binding, inputs=inputs, asking=asking, answered=answered)

    @property
    def answers(self) -> Answers:
        return Answers(self.answered, self.inputs, asking=self.asking)

    def ask(self, required: InputRequired) -> dict[str, Any]:
        """Return MCP's result that asks; what is asked again is forgotten.

        Raises ToolError where this call or its revision cannot ask, ProtocolError -32021 where the client cannot.
        """
        if not self.asking:
            raise ToolError(CONFIRMED)
        if not self.inputs.supported:
            raise ToolError(TOO_OLD)
        if missing := self.inputs.lacks(required.questions.values()):
            raise ProtocolError(
                ProtocolError.CAPABILITY,
                "This tool has to ask what the client has not declared that it can be asked.",
                data={"requiredCapabilities": missing},
            )
        asked = {key: question.request for key, question in required.questions.items()}
        kept = {key: exchange for key, exchange in self.answered.items() if key not in asked}
        return elicitation.result(asked, questions.sign(self.binding, asked, kept))
