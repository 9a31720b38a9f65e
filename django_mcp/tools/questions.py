"""Questions of a host's tool: to the user, in a form or on a web page, or to the client itself.

A tool that is declared with `asks=True` takes a third argument, the answers so far. It returns `InputRequired` with its
open questions, and is run again, from its start, with the same arguments and the answers:

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
from django_mcp.approval.refusals import Reason
from django_mcp.errors import ProtocolError, ToolError
from django_mcp.host.requests import Context, forwarded_headers
from django_mcp.protocol import elicitation
from django_mcp.protocol.elicitation import Inputs, Question
from django_mcp.redaction import sensitive_name

__all__ = ["Answer", "Answers", "Dialogue", "InputRequired", "form", "request", "url"]

TOO_OLD = (
    "This has to ask the user something, which this client cannot pass on; it takes a client of MCP 2026-07-28 or "
    "later. Tell the user."
)
CONFIRMED = (
    "This has to ask the user something, which a call that must be confirmed cannot do: what runs is what was "
    "confirmed. Tell the user."
)


def form(message: str, properties: Mapping[str, Any], *, required: Iterable[str] | None = None) -> Question:
    """Return a question that the user answers in a form of the client.

    `properties` are JSON Schemas of texts, numbers, booleans and choices, by name; `required` names those that must be
    filled in, by default all. Raises ValueError for a field that no client could draw, and for one that asks for a
    secret: the client and its model see what is entered, so that MCP forbids it (client/elicitation, User Interaction
    Model); use `url`.
    """
    names = list(properties if required is None else required)
    schema = {"type": "object", "properties": dict(properties), "required": names}
    return request(elicitation.ELICIT, {"mode": "form", "message": str(message), "requestedSchema": schema})


def url(message: str, address: str) -> Question:
    """Return a question that sends the user to a page, for secrets and whatever else the client must not see.

    An accepted question says that the user went there, not what came of it. The page has to make sure that its visitor
    is the caller's own user, and has to store the result itself. Raises ValueError for an address that is no http URL.
    """
    return request(elicitation.ELICIT, {"mode": "url", "message": str(message), "url": str(address)})


def request(
    method: str, params: Mapping[str, Any] | None = None, *, needs: Mapping[str, Any] | None = None
) -> Question:
    """Return a question of any method, such as `sampling/createMessage` and `roots/list`.

    `needs` are the capabilities that the client must have declared, as clients declare them:
    `{"extensions": {"com.example/pick": {}}}`. The needs of MCP's own methods are known. Raises ValueError for another
    method without needs, and for parameters that no client could take.
    """
    plain = json.loads(json.dumps(dict(params or {}), default=str, allow_nan=False))
    known = elicitation.needs_of(method, plain)
    if known is None and not needs:
        msg = f"Nobody knows what clients must declare for {method}; say it as needs=."
        raise ValueError(msg)
    if method == elicitation.ELICIT and (problem := _elicitation_problem(plain)):
        msg = f"This cannot be asked: {problem}."
        raise ValueError(msg)
    return Question(method=method, params=plain, needs={**(known or {}), **(needs or {})})


def _elicitation_problem(params: Mapping[str, Any]) -> str | None:
    """Return what is wrong with the parameters of an elicitation, as half a sentence."""
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
    if secrets := [name for name in fields if sensitive_name(name)]:
        return f"{', '.join(secrets)} would show the client a secret; ask for it with url(), or rename it"
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The client's answer to a question: the `request` as it was sent, and the client's whole `result`."""

    request: Mapping[str, Any]
    result: Mapping[str, Any]

    @property
    def action(self) -> str:
        """Return `accept`, `decline` (the user said no) or `cancel` (the user said nothing)."""
        return str(self.result.get("action", "accept"))

    @property
    def accepted(self) -> bool:
        """Tell whether the user filled in the form or went to the page; always True where only the client is asked."""
        return self.action == "accept"

    @property
    def content(self) -> Mapping[str, Any]:
        """Return what the user entered, in the form's schema; empty where the user accepted nothing."""
        content = self.result.get("content")
        is_form = self.request["method"] == elicitation.ELICIT
        return content if is_form and isinstance(content, Mapping) else {}


class Answers(Mapping[str, Answer]):
    """All answers to this call so far, by the keys of their questions."""

    def __init__(self, exchanges: Mapping[str, Exchange], inputs: Inputs, *, asking: bool) -> None:
        self._answers = {key: Answer(request=item.request, result=item.result) for key, item in exchanges.items()}
        self._inputs = inputs
        self._asking = asking

    def __getitem__(self, key: str) -> Answer:
        return self._answers[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._answers)

    def __len__(self) -> int:
        return len(self._answers)

    def can_ask(self, *questions: Question) -> bool:
        """Tell whether all these questions could be asked now.

        The client must have declared what they need, and the call must be one that is not confirmed.
        """
        return self._asking and self._inputs.supported and not self._inputs.lacks(questions)


class InputRequired:
    """The result of a tool that has to ask: its questions, at least one, by keys of its own choice.

    The client must be able to ask all of them, which `Answers.can_ask` tells. The transaction of the run that returns
    it is rolled back.
    """

    def __init__(self, questions: Mapping[str, Question]) -> None:
        if not questions or not all(isinstance(question, Question) for question in questions.values()):
            msg = "InputRequired takes at least one question by its key: InputRequired({'name': form(…)})."
            raise ValueError(msg)
        self.questions = {str(key): question for key, question in questions.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """The questions and answers of one call. `asking` is False for a call that has to be confirmed: it must not ask."""

    binding: Binding
    inputs: Inputs
    asking: bool
    answered: Mapping[str, Exchange]

    @classmethod
    def opened(cls, tool: str, arguments: Mapping[str, Any], context: Context, *, asking: bool) -> "Dialogue":
        """Return the dialogue that the call continues, or a new one; it spends the state that the request brings.

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
            raise questions.invalid(Reason.MUST_BE_CONFIRMED)
        answered = {} if inputs.state is None else questions.redeem(inputs.state, inputs.responses, binding)
        return cls(binding=binding, inputs=inputs, asking=asking, answered=answered)

    @property
    def answers(self) -> Answers:
        return Answers(self.answered, self.inputs, asking=self.asking)

    def ask(self, required: InputRequired) -> dict[str, Any]:
        """Return the InputRequiredResult that asks; the answer to a question that is asked again is dropped.

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
        requests = {key: question.request for key, question in required.questions.items()}
        exchanges = {key: exchange for key, exchange in self.answered.items() if key not in requests}
        return elicitation.result(requests, questions.sign(self.binding, requests, exchanges))
