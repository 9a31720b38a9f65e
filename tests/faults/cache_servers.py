"""A redis-server or a memcached of our own, which may be stopped, frozen, killed and started again."""

import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path


class CacheServer:
    """`options` are more arguments of its command line; `timeout` is how long Redis' clients wait for it, in seconds."""

    def __init__(self, kind: str, directory: Path, *options: str, timeout: float | None = None) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port: int = listener.getsockname()[1]
        self._log = directory / f"{kind}-{self.port}.log"
        where = f"127.0.0.1:{self.port}"
        if kind == "redis":
            program = shutil.which("redis-server")
            assert program, "redis-server is not installed"
            self.env = {"REDIS_URL": redis_url(self.port, timeout)}
            self._command = [
                *(program, "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", str(directory)),
                *options,
            ]
        else:
            self.env = {"MEMCACHED": where}
            self._command = [os.environ["TEST_MEMCACHED"], "-u", "nobody", "-l", where, "-U", "0", *options]
        self.start()

    def start(self) -> None:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(self._command, stdout=log, stderr=log)
        deadline = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                assert time.monotonic() < deadline, self._log.read_text()
                time.sleep(0.05)

    def stop(self) -> None:
        self._process.send_signal(signal.SIGCONT)
        self._process.terminate()
        self._process.wait(30)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(30)

    def freeze(self) -> None:
        """Keep it from answering; its connections stay open, and what is sent meanwhile waits."""
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._process.send_signal(signal.SIGCONT)


def redis_url(port: int, timeout: float | None = None) -> str:
    limits = "" if timeout is None else f"?socket_timeout={timeout}&socket_connect_timeout={timeout}"
    return f"redis://127.0.0.1:{port}/0{limits}"
