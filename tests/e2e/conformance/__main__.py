"""Serve the fixture tools, and run a command with the endpoint's URL and header as its last arguments.

    python -m tests.e2e.conformance ./run_server_conformance.sh

Without a command it serves until it is interrupted.
"""

import contextlib
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.e2e.conformance.serving import serving

with tempfile.TemporaryDirectory() as folder, serving(Path(folder), workers=2) as served:
    if sys.argv[1:]:
        sys.exit(subprocess.run([*sys.argv[1:], served.url, served.header], check=False).returncode)
    print(served.url, served.header, flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        signal.pause()
