"""The application's own WSGI module under gunicorn."""

import contextlib
import socket
import subprocess
import time
from collections.abc import Iterator

from tests.e2e.apps.application import Project
from tests.e2e.client import Client

START_TIMEOUT = 180


@contextlib.contextmanager
def serving(project: Project) -> Iterator[int]:
    """Serve the project from one worker for as long as the context lasts; yield the port."""
    log = project.folder / "server.log"
    with socket.create_server(("127.0.0.1", 0)) as listener, log.open("ab") as output:
        port = listener.getsockname()[1]
        process = subprocess.Popen(
            [
                *(project.installation.python, "-m", "gunicorn", project.application.wsgi),
                *("--bind", f"fd://{listener.fileno()}", "--workers", "1", "--timeout", "300"),
            ],
            cwd=project.folder,
            env=project.env,
            stdout=output,
            stderr=output,
            pass_fds=[listener.fileno()],
        )
    try:
        deadline = time.monotonic() + START_TIMEOUT
        while "Booting worker" not in log.read_text(errors="replace"):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"The server did not start:\n{log.read_text(errors='replace')[-5000:]}")
            time.sleep(0.1)
        with Client(port) as client:
            client.send("GET", "/mcp")
        yield port
    finally:
        process.terminate()
        process.wait(60)
