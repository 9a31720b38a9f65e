"""The same under other settings of the host, each in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["spectacular", "translated", "tenants", "two_databases"])
def test_an_agent_and_a_rest_client_come_to_the_same_where(variant):
    command = [sys.executable, "-m", "pytest", "tests/differential/test_outcomes.py", "-q", "-p", "no:cacheprovider"]
    command += ["-k", "come_to_the_same", "--ds", f"tests.host.settings_{variant}"]
    environ = {**os.environ, "DIFFERENTIAL_SETS": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout[-6000:]
    assert "1 passed" in done.stdout
