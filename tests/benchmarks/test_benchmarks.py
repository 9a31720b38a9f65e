import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_benchmark_compares_every_scenario(tmp_path):
    profile = tmp_path / "profile.txt"
    command = [sys.executable, "-m", "tests.benchmarks", "--rounds", "1", "--calls", "1", "--profile", str(profile)]
    done = subprocess.run(command, cwd=ROOT, env=dict(os.environ), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    for name in (
        "list 10 rows",
        "retrieve one",
        "create, delegate",
        "propose + confirm",
        "tools/list",
        "token verify",
        "index of words",
    ):
        assert name in done.stdout
    each = re.search(r"^one tool each +300 +3 +(\d+) ", done.stdout, re.MULTILINE)
    api = re.search(r"^API tools +4 +1 +(\d+) ", done.stdout, re.MULTILINE)
    assert int(api[1]) < 6 * 1024 < int(each[1])
    assert "6000 operations" in done.stdout
    assert "===== propose + confirm" in profile.read_text()
