"""Nautobot, the large one: a source of truth for networks, with filters by the hundred and bulk operations."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.e2e.apps.agent import Agent
from tests.e2e.apps.application import USER, Application, Project


def create(project: Project) -> None:
    project.run("nautobot-server", "init", "--disable-installation-metrics", "nautobot_config.py")


def environment(folder: Path, database: str) -> Mapping[str, str]:
    parts = urlsplit(database)
    return {
        "NAUTOBOT_ROOT": str(folder),
        "NAUTOBOT_CONFIG": str(folder / "nautobot_config.py"),
        "NAUTOBOT_DB_ENGINE": "django.db.backends.postgresql",
        "NAUTOBOT_DB_HOST": parts.hostname or "",
        "NAUTOBOT_DB_PORT": str(parts.port or 5432),
        "NAUTOBOT_DB_USER": parts.username or "",
        "NAUTOBOT_DB_PASSWORD": parts.password or "",
        "NAUTOBOT_DB_NAME": parts.path.lstrip("/"),
        "NAUTOBOT_REDIS_HOST": "127.0.0.1",
        "NAUTOBOT_ALLOWED_HOSTS": "127.0.0.1",
    }


def prepare(project: Project) -> None:
    project.manage("createsuperuser", "--noinput")


def story(agent: Agent) -> None:
    """Build a site with a device and addresses, change and delete, in bulk too, and try what must fail."""
    active = chosen(agent, "extras_api_status_list", "Active")
    maker = made(agent, "dcim_api_manufacturer_create", {"name": "Acme"})
    model = made(agent, "dcim_api_devicetype_create", {"model": "Router 1", "manufacturer": maker, "u_height": 1})
    kind = made(
        agent, "dcim_api_locationtype_create", {"name": "Site", "content_types": ["dcim.device", "ipam.prefix"]}
    )
    role = made(agent, "extras_api_role_create", {"name": "Edge", "content_types": ["dcim.device"]})
    site = made(agent, "dcim_api_location_create", {"name": "Kiel", "location_type": kind, "status": active})
    router = {"device_type": model, "role": role, "location": site, "status": active}
    device = made(agent, "dcim_api_device_create", {**router, "name": "kiel-1"})
    agent.write("dcim_api_device_partial_update", {"path_id": device["id"], "serial": "0042", "comments": "Spare."})
    agent.write("dcim_api_device_notes_post", {**device, "note": "Seen by an agent."})
    agent.write("dcim_api_device_bulk_partial_update", {"items": [{**device, "asset_tag": "A-1"}]})
    prefix = made(agent, "ipam_api_prefix_create", {"prefix": "10.0.0.0/24", "status": active})
    agent.attempt("ipam_api_prefix_available_ips_post", {**prefix, "items": [{"status": active}]})
    agent.expect("validation_error", "dcim_api_device_create", {**router, "name": "kiel-3", "status": maker})
    agent.expect("validation_error", "dcim_api_manufacturer_create", {"name": "Acme"})
    agent.expect("not_found", "dcim_api_device_destroy", site)
    # What the API takes beside what its schema says.
    agent.write("dcim_api_devicetype_create", {"model": "Router 2", "manufacturer": maker["id"]})
    agent.write("dcim_api_location_create", {"name": "Bonn", "location_type": kind, "status": {"name": "Active"}})
    agent.write("dcim_api_location_create", {"name": "Jena", "location_type": kind, "status": "Active"})
    gone = [made(agent, "dcim_api_manufacturer_create", {"name": name}) for name in ("Gone", "Gone too")]
    agent.write("dcim_api_manufacturer_bulk_destroy", {"items": gone})
    agent.expect("not_found", "dcim_api_manufacturer_destroy", gone[0])
    # Agents get JSON.
    agent.expect("validation_error", "dcim_api_location_list", {"format": "csv"})
    for options in ({"depth": 1}, {"name": "kiel-1"}, {"name__ic": ["kiel"]}, {"sort": "name"}):
        agent.read("read with options", "dcim_api_location_list", {"limit": 2, **options})
    changes = agent.read("read", "extras_api_objectchange_list", {})
    names = {row["user_name"] for row in changes["response"]["results"]}
    agent.odd.append(f"the application's own change log names {names}; the key belongs to {USER}")
    agent.write("dcim_api_device_destroy", device)


def made(agent: Agent, name: str, args: dict[str, Any]) -> dict[str, str]:
    """Make a row and return how others refer to it."""
    return {"id": agent.write(name, args)["id"]}


def chosen(agent: Agent, name: str, called: str) -> dict[str, str]:
    """Return how others refer to the row of that name."""
    return {"id": agent.read("read", name, {"name": [called]})["response"]["results"][0]["id"]}


NAUTOBOT = Application(
    name="large",
    requirements=("nautobot==3.2.7",),
    distribution="nautobot",
    database="postgres",
    create=create,
    settings_file="nautobot_config.py",
    urlconf="nautobot.core.urls",
    command=("nautobot-server",),
    wsgi="nautobot.core.wsgi:application",
    environment=environment,
    prepare=prepare,
    story=story,
)
