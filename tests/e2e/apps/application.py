"""What has to be known of a public application, to add django_mcp to it and to work with it."""

import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tests.e2e.apps.installation import Installation

if TYPE_CHECKING:
    from tests.e2e.apps.agent import Agent

USER, PASSWORD = "agent-owner", "only-for-tests-1"
ADDED_SETTINGS = """
INSTALLED_APPS = [*INSTALLED_APPS, "django_mcp"]
ROOT_URLCONF = "urls_with_mcp"
"""
ADDED_URLS = """
urlpatterns = [*urlpatterns, path("", include("django_mcp.urls"))]
"""


@dataclass(frozen=True, kw_only=True)
class Application:
    """One application: what is installed, how its own project is made, and what an agent does with it."""

    name: str
    requirements: tuple[str, ...]
    distribution: str
    database: str
    create: Callable[["Project"], None]
    settings_file: str
    urlconf: str
    command: tuple[str, ...]
    wsgi: str
    environment: Callable[[Path, str], Mapping[str, str]]
    prepare: Callable[["Project"], None]
    story: Callable[["Agent"], None]


@dataclass
class Project:
    """The application's project in a folder of its own, on a database of its own."""

    application: Application
    installation: Installation
    folder: Path
    database: str
    env: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.env = {
            "PATH": f"{self.installation.programs}:{os.environ['PATH']}",
            "HOME": str(self.folder),
            "PYTHONPATH": str(self.folder),
            "DJANGO_SUPERUSER_USERNAME": USER,
            "DJANGO_SUPERUSER_EMAIL": f"{USER}@example.com",
            "DJANGO_SUPERUSER_PASSWORD": PASSWORD,
            **self.application.environment(self.folder, self.database),
        }

    def run(self, *command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a program of the application's environment in the project's folder."""
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        if check and done.returncode:
            raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout[-3000:]}\n{done.stderr[-6000:]}")
        return done

    def manage(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return self.run(*self.application.command, *arguments, check=check)

    def add_django_mcp(self) -> None:
        """Write all that it takes: a line for the app, a line for the URL."""
        with (self.folder / self.application.settings_file).open("a") as settings:
            settings.write(ADDED_SETTINGS)
        imports = (
            f"from django.urls import include, path\n\n"
            f"from {self.application.urlconf} import *\nfrom {self.application.urlconf} import urlpatterns\n"
        )
        (self.folder / "urls_with_mcp.py").write_text(imports + ADDED_URLS)
