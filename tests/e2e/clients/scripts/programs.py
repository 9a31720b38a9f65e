"""Programs of npm packages: run to their end, or talked to in JSON-RPC over their standard input and output."""

import itertools
import json
import os
import subprocess
from pathlib import Path

BIN = Path(os.environ["MCP_PACKAGES"]) / ".bin"
HOME = Path(os.environ["HOME"])


def run(program, *arguments, fine=(0,)):
    """Return what the program prints; stop with it where the program exits with a code that is not fine."""
    done = subprocess.run(
        [BIN / program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, check=False
    )
    if done.returncode not in fine:
        raise SystemExit(f"{program} {arguments[0]} exits with {done.returncode}: {(done.stderr + done.stdout)[-800:]}")
    return done.stdout + done.stderr


def configure(path, settings):
    """Write a file of settings below the home directory, which is this client's alone."""
    file = HOME / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(settings if isinstance(settings, str) else json.dumps(settings))


class Talk:
    """A program that answers JSON-RPC, a message a line."""

    def __init__(self, program, *arguments):
        self._process = subprocess.Popen(
            [BIN / program, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._ids = itertools.count(1)

    def tell(self, method, **params):
        self._write({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method, **params):
        """Return the result; whatever else the program says meanwhile is passed over."""
        number = next(self._ids)
        self._write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for line in self._process.stdout:
            message = json.loads(line)
            if message.get("id") == number and "method" not in message:
                if "result" not in message:
                    raise SystemExit(f"{method}: {json.dumps(message)[:800]}")
                return message["result"]
            if "id" in message and "method" in message:
                # It asks its user; nobody is there, and nothing that is done here needs one.
                self._write({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no user"}})
        raise SystemExit(f"{method}: the program ended")

    def close(self):
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _write(self, message):
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()
