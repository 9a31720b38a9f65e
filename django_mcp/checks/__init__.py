"""System checks: what is wrong with the settings and with what they name, and what a deployment risks."""

from django.core.checks import Tags, register

from django_mcp.checks.catalog import check_descriptions, check_names
from django_mcp.checks.deployment import check_deployment, check_distributions
from django_mcp.checks.settings import check_settings


def register_checks() -> None:
    """Register all checks. Those of risk run under `--deploy` only, since a developer's machine is meant to be at ease."""
    register(check_settings, Tags.security)
    register(check_names, Tags.security)
    register(check_distributions, Tags.security)
    register(check_deployment, Tags.security, deploy=True)
    register(check_descriptions, Tags.security, deploy=True)
