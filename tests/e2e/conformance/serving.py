"""The conformance project under gunicorn or uvicorn, for as long as a context lasts."""

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SETTINGS = "tests.e2e.conformance.settings"
ADMIN = [sys.executable, "-m", "django"]
SERVERS = {
    "gunicorn": "gunicorn tests.e2e.conformance.wsgi --bind fd://{fd} --workers {workers} --threads 4 --no-control-socket",
    "uvicorn": "uvicorn tests.e2e.conformance.asgi:application --fd {fd} --workers {workers}",
}
NEW_USER = "from django.contrib.auth.models import User; User.objects.create_user('conformance')"
NEW_KEY = ["mcp", "key", "create", "conformance", "--user", "conformance", "--all-groups", "--max-safety", "Write"]


@dataclass(frozen=True)
class Served:
    """Where the endpoint is, and the header that opens it."""

    url: str
    key: str

    @property
    def header(self) -> str:
        return f"Authorization: Bearer {self.key}"


@contextlib.contextmanager
def serving(directory: Path, *, workers: int = 1, server: str = "gunicorn") -> Iterator[Served]:
    """Serve on a free port of 127.0.0.1; database and log are kept in `directory`."""
    env = {
        "PATH": os.environ["PATH"],
        "HOME": os.environ.get("HOME", "/"),
        "PYTHONPATH": str(ROOT),
        "DJANGO_SETTINGS_MODULE": SETTINGS,
        "CONFORMANCE_DATABASE": str(directory / "conformance.sqlite3"),
    }
    for command in (["migrate", "--verbosity=0"], ["shell", "--verbosity=0", "-c", NEW_USER]):
        _manage(command, env)
    key = _manage(NEW_KEY, env)
    log = directory / "server.log"
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener, log.open("ab") as output:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        command = SERVERS[server].format(fd=listener.fileno(), workers=workers).split()
        process = subprocess.Popen(
            [sys.executable, "-m", *command],
            cwd=ROOT,
            env=env,
            stdout=output,
            stderr=output,
            pass_fds=[listener.fileno()],
        )
    try:
        _wait(url, process, log)
        yield Served(url, key)
    finally:
        process.terminate()
        process.wait(30)


def _manage(command: list[str], env: dict[str, str]) -> str:
    done = subprocess.run([*ADMIN, *command], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed:\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def _wait(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        try:
            urllib.request.urlopen(url, timeout=30)
        except urllib.error.HTTPError as error:
            error.close()
            return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError(f"The server did not start:\n{log.read_text(errors='replace')}")
