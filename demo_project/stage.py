"""A coffee shop to play in: the very commands that a host would type, each in a process of its own."""

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GUNICORN = [sys.executable, "-m", "gunicorn", "--config", "demo_project/gunicorn_conf.py", "demo_project.wsgi"]
# The coffee shop's API, and the tools of its `mcp.py`.
GROUPS = ["coffee-shop", "barista"]
KEY_NAME = "demo"
KEY_USER = "sam"
KEY = ["--user", KEY_USER, *(f"--group={name}" for name in GROUPS), "--max-safety", "Destructive", "--expires", "30d"]


class StageError(Exception):
    """A command or the server failed; the text is what it printed."""


def prepare(environment: Mapping[str, str], say: Callable[[str], None]) -> str:
    """Migrate, seed, expose the coffee shop's groups, and return a new key of Sam's for them."""
    for command in (["migrate", "--verbosity", "0"], ["seed"], ["mcp", "expose", *GROUPS]):
        _manage(command, environment, say)
    return _manage(["mcp", "key", "create", KEY_NAME, *KEY], environment, say)


def listener(port: int) -> socket.socket:
    """Take that port of 127.0.0.1, before anything is set up for it; requests queue until it is served."""
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        reason = os.strerror(error.errno or 0)
        msg = f"Port {port} of 127.0.0.1 cannot be used ({reason}): stop what uses it, or name another with PORT=."
        raise StageError(msg) from error


def _manage(command: list[str], environment: Mapping[str, str], say: Callable[[str], None]) -> str:
    say(f"$ python manage.py {' '.join(command)}")
    done = subprocess.run(
        [sys.executable, "manage.py", *command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        msg = f"manage.py {command[0]} failed:\n{(done.stderr or done.stdout).strip()}"
        raise StageError(msg)
    return done.stdout.strip()


@contextlib.contextmanager
def serving(environment: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """Serve on a free port of 127.0.0.1 in a child process; yield host and port."""
    with socket.create_server(("127.0.0.1", 0)) as listener, tempfile.TemporaryFile("w+") as log:
        # The child inherits the listening socket: no one can take the port in between, and early requests queue.
        descriptor = listener.fileno()
        server = subprocess.Popen(
            [*GUNICORN, "--bind", f"fd://{descriptor}"],
            cwd=ROOT,
            env=environment,
            pass_fds=[descriptor],
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            yield listener.getsockname()
        except Exception as error:
            _stop(server)
            log.seek(0)
            msg = f"{type(error).__name__}: {error}\nThe server's log ends with:\n{''.join(log.readlines()[-15:])}"
            raise StageError(msg) from error
        finally:
            _stop(server)


def _stop(server: "subprocess.Popen[bytes]") -> None:
    server.terminate()
    server.wait(timeout=30)


def serve(environment: Mapping[str, str], taken: socket.socket) -> None:
    """Serve on a listening socket in place of this process."""
    os.chdir(ROOT)
    taken.set_inheritable(True)
    os.execve(sys.executable, [*GUNICORN, "--bind", f"fd://{taken.fileno()}"], dict(environment))  # noqa: S606 (no shell is wanted)
