"""Whether the package is alone in its folder."""

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Warning  # noqa: A004 - as Django names it

DISTRIBUTION = "django-mcp-confirm"
# Distributions on PyPI that install a package of the same name.
NAMESAKES = ("django-mcp", "django-mcp-framework")


def check_distributions(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Check that no other distribution has put its files into this package."""
    return [
        Warning(
            f"{name} also installs a package named django_mcp: the files of the two are mixed.",
            hint=f"Uninstall {name}, then reinstall {DISTRIBUTION}.",
            id="django_mcp.W003",
        )
        for name in NAMESAKES
        if _is_installed(name)
    ]


def _is_installed(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True
