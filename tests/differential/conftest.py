import random

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings as configured
from django.core.cache import cache
from django.core.management.color import no_style
from django.db import connections
from django.test import AsyncClient, Client, override_settings
from django.utils import timezone, translation

from django_mcp.access import server_config
from django_mcp.models import ToolGroup
from django_mcp.testing import McpClient
from tests.differential import outcomes, rest, states
from tests.host import rows, views
from tests.host import settings as host_settings

# Nothing where the tests run under one of the host's own settings modules.
HOST = {
    name: getattr(host_settings, name)
    for name in ("ROOT_URLCONF", "MIDDLEWARE", "ALLOWED_HOSTS")
    if configured.ROOT_URLCONF == "tests.urls"
}
# Proposals are made by the hundred, and not all are confirmed.
HOST["DJANGO_MCP"] = {**configured.DJANGO_MCP, "MAX_OPEN_CONFIRMATIONS": 0}


class Utf8Client(AsyncClient):
    def _get_path(self, parsed):
        # Django's client writes paths as PEP 3333 has them; in ASGI they are text.
        return super()._get_path(parsed).encode("latin-1").decode(errors="replace")


class Asgi:
    """Django's asynchronous test client, called as the other one is."""

    def __init__(self, like):
        self._client = Utf8Client(raise_request_exception=False)
        self._client.cookies = like.cookies

    def __getattr__(self, name):
        async def call(*args, headers, **more):
            # The client names the host itself.
            sent = {key: headers[key] for key in headers if key != "Host"}
            return await getattr(self._client, name)(*args, headers=sent, **more)

        return async_to_sync(call)


class Sides:
    """Makes the same call both ways, from the same state of databases and cache."""

    def __init__(self, kept, agents, browsers):
        self._kept, self._agents, self._browsers = kept, agents, browsers
        self.rows = states.rows()

    def served_by_asgi(self):
        self._kept.restore()
        agents, browsers = {}, {}
        for name, client in self._agents.items():
            agents[name] = McpClient(key=client.key)
            agents[name].http = Asgi(client.http)
            browsers[name] = Asgi(self._browsers[name])
        return Sides(self._kept, agents, browsers)

    def rest(self, case, arguments):
        self._begin()
        return outcomes.of_response(rest.send(self._browsers[case.user], case, arguments, self._headers(case)))

    def mcp(self, case):
        self._begin()
        agent = self._agents[case.user]
        agent.headers.update(self._headers(case))
        result = agent.call(case.operation.name, case.arguments)
        if result.status == "requires_confirmation":
            assert (states.rows(), views.hooks) == (self.rows, []), f"A proposal left a trace: {case}"
            result = result.confirm()
        return outcomes.of_result(result)

    def proposal(self, case):
        """Return the preview of a proposal, None where none was made."""
        self._begin()
        agent = self._agents[case.user]
        agent.headers.update(self._headers(case))
        result = agent.call(case.operation.name, case.arguments)
        return result.data.get("preview") if result.status == "requires_confirmation" else None

    def look(self, case, path):
        """Return REST's answer to a GET of a path by the same person."""
        self._begin()
        headers = {"Accept": "application/json, */*", **self._headers(case)}
        if path.startswith("/en/"):
            path = f"/{headers['Accept-Language']}/{path.removeprefix('/en/')}"
        return self._browsers[case.user].get(path, {"limit": 100}, headers=headers)

    def _headers(self, case):
        """Half of the callers speak Czech, and half of them come to the second tenant's host."""
        chosen = random.Random(f"{case} from where")
        return {
            "Host": chosen.choice(["testserver", "globex.example.com"]),
            "Accept-Language": chosen.choice(["en", "cs"]),
        }

    def _begin(self):
        self._kept.restore()
        cache.clear()
        views.seen.clear()
        views.hooks.clear()
        # A view of the host leaves its own behind; over REST nothing puts it away.
        translation.activate(configured.LANGUAGE_CODE)
        timezone.deactivate()


def restart_numbers():
    """Let the host's rows be numbered from 1, as the arguments of the calls expect, whatever other tests inserted."""
    for connection in connections.all():
        numbered = connection.introspection.sequence_list()
        with connection.cursor() as cursor:
            for statement in connection.ops.sequence_reset_by_name_sql(no_style(), numbered):
                cursor.execute(statement)


@pytest.fixture(scope="module")
def sides(django_db_setup, django_db_blocker):
    """The host with its rows, both people's keys and sessions; all is as before when the module's tests are done."""
    with django_db_blocker.unblock(), override_settings(**HOST):
        pristine = states.Kept()
        restart_numbers()
        server_config.forget()
        users = rows.populate()
        ToolGroup.objects.create(name="host", exposed=True)
        agents = {name: McpClient(user=user) for name, user in users.items()}
        browsers = {name: Client(raise_request_exception=False) for name in users}
        for name, client in browsers.items():
            client.force_login(users[name])
        kept = states.Kept()
        yield Sides(kept, agents, browsers)
        pristine.restore()
        server_config.forget()
        for state in (kept, pristine):
            state.close()
