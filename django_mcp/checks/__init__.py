"""System checks: of the settings, of what they name, and of the risks of a deployment."""

from django.core.checks import Tags, register

from django_mcp.checks.catalog import check_descriptions, check_names
from django_mcp.checks.deployment import check_deployment, check_distributions
from django_mcp.checks.settings import check_settings


def register_checks() -> None:
    """Register all checks. Those of risks run under `--deploy` only: while developing they would only be noise."""
    register(check_settings, Tags.security)
    register(check_names, Tags.security)
    register(check_distributions, Tags.security)
    register(check_deployment, Tags.security, deploy=True)
    register(check_descriptions, Tags.security, deploy=True)
