"""What every refusal of the endpoint has in common."""

import json


def refusal(response, status, code=-32600, **members):
    """Assert a refusal in JSON that no cache keeps, and return its error. `members` are others of the response's."""
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/json"
    assert "no-store" in response["Cache-Control"]
    body = json.loads(response.content)
    assert body["jsonrpc"] == "2.0"
    assert body["error"]["code"] == code, body
    assert body["error"]["message"]
    assert {name: body[name] for name in members} == members
    return body["error"]
