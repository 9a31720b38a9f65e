import os
import socket
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError

from demo_project import stage
from demo_project.mcp_client import McpClient, UnexpectedAnswerError
from demo_project.walkthrough import Walkthrough
from django_mcp.access import keys
from django_mcp.models import APIKey

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def transcript(tmp_path_factory):
    done = subprocess.run(
        [sys.executable, "manage.py", "demo"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "HOME": str(Path.home()), "TMPDIR": str(tmp_path_factory.mktemp("demo"))},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "tools found: ",
        "CreateCoffeeShopOrder (Write): POST",
        "7  Oat Milk Latte: Tall 4.90, Grande 5.50, Venti 6.10",
        "status: requires_confirmation",
        "summary: Create validated coffee shop order for Sam: 2 items",
        "order 1042 for Sam, 11.00",
        "already been used",
        "outcome: succeeded, HTTP 201, order 1042",
        "a fresh proposal of the same order",
        "changed: items[0].quantity",
        "orders of Sam's: [1042]",
        "/admin/django_mcp/confirmation/",
    ],
)
def test_the_transcript_shows(transcript, text):
    assert text in transcript


@pytest.mark.slow
def test_the_transcript_holds_no_whole_token_and_no_key(transcript):
    assert "mcp_cf_eyJhb…" in transcript
    assert "ak-" not in transcript


def test_a_command_that_fails_ends_the_set_up_with_its_text():
    with pytest.raises(stage.StageError, match=r"manage.py migrate failed:[\s\S]*DJANGO_SECRET_KEY"):
        stage.prepare({"DJANGO_DEBUG": "0"}, lambda text: None)


def test_a_failure_while_serving_comes_with_the_log_of_the_server():
    with pytest.raises(stage.StageError, match=r"wrong answer[\s\S]*log ends with"), stage.serving({}):
        raise UnexpectedAnswerError("wrong answer")


def test_a_step_that_is_answered_wrongly_is_named_with_the_answer():
    class Hasty:
        def call(self, tool, **arguments):
            return {"status": "success", "response": {"id": 1042}}

    with pytest.raises(UnexpectedAnswerError, match=r'Step 1 .*"status": "success"'):
        Walkthrough(Hasty(), lambda text: None).propose()


def test_a_server_that_is_not_there_is_a_clear_error():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(UnexpectedAnswerError, match="ping was not answered"):
        McpClient("127.0.0.1", port, "ak-none").request("ping")


def test_a_port_that_is_taken_is_a_clear_error_before_any_key_is_issued(monkeypatch):
    monkeypatch.setattr(stage, "prepare", lambda *arguments: pytest.fail("something was set up"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(CommandError, match=f"Port {port} of 127.0.0.1 cannot be used"):
            call_command("demo", "--serve", "--port", str(port))


def test_serving_again_revokes_the_earlier_demo_keys_and_no_other(shop, monkeypatch):
    sam, kim = (User.objects.get(username=name) for name in ("sam", "kim"))
    for name, owner in (("demo", sam), ("demo", kim), ("laptop", sam)):
        keys.issue(name=name, user=owner)
    new, secret = keys.issue(name="demo", user=sam)
    out = StringIO()
    monkeypatch.setattr(stage, "prepare", lambda *arguments: secret)
    monkeypatch.setattr(stage, "serve", lambda environment, taken: taken.close())
    call_command("demo", "--serve", "--port", "0", stdout=out)
    left = APIKey.objects.usable().order_by("pk").values_list("name", "user__username")
    assert list(left) == [("demo", "kim"), ("laptop", "sam"), ("demo", "sam")]
    assert APIKey.objects.usable().filter(pk=new.pk).exists()
    assert "may do everything in coffee-shop and barista, also cancel (Destructive)" in out.getvalue()
