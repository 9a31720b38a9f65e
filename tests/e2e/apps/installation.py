"""A virtual environment with a public application and this checkout's wheel, kept between runs."""

import hashlib
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SERVER = "gunicorn>=23"


@dataclass(frozen=True)
class Installation:
    """A virtual environment."""

    folder: Path

    @property
    def programs(self) -> Path:
        return self.folder / "bin"

    @property
    def python(self) -> str:
        return str(self.programs / "python")

    def versions(self, *distributions: str) -> dict[str, str]:
        """Return the versions of distributions; those that are not installed are left out."""
        code = (
            "import importlib.metadata as m, sys\n"
            "for name in sys.argv[1:]:\n"
            "    try: print(name, m.version(name))\n"
            "    except m.PackageNotFoundError: pass\n"
        )
        printed = _run(self.python, "-c", code, *distributions)
        return dict(line.split() for line in printed.splitlines())


def install(requirements: tuple[str, ...], cache: Path) -> Installation:
    """Return an environment with the requirements, made once in the cache, and the wheel of what is checked out now."""
    wanted = (*requirements, SERVER, sys.version)
    folder = cache / f"venv-{hashlib.sha256(repr(wanted).encode()).hexdigest()[:12]}"
    installation = Installation(folder)
    complete = folder / "complete"
    if not complete.exists():
        _run(sys.executable, "-m", "venv", "--clear", str(folder))
        _pip(installation, "--upgrade", "pip")
        _pip(installation, *requirements, SERVER)
    with tempfile.TemporaryDirectory() as wheels:
        _run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", wheels, str(ROOT))
        wheel = str(next(Path(wheels).glob("*.whl")))
        _pip(installation, wheel)
        _pip(installation, "--force-reinstall", "--no-deps", wheel)
    complete.touch()
    return installation


def _pip(installation: Installation, *arguments: str) -> None:
    _run(installation.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments)


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return done.stdout
