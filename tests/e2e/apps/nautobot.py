"""Nautobot, the large one: a source of truth for networks, with filters by the hundred and bulk operations."""

from collections.abc import Mapping
from pathlib import Path
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
    maker = agent.write("dcim_api_manufacturer_create", {"name": "Acme"})["id"]
    model = agent.write("dcim_api_devicetype_create", {"model": "Router 1", "manufacturer": maker, "u_height": 1})["id"]
    kind = agent.write(
        "dcim_api_locationtype_create", {"name": "Site", "content_types": ["dcim.device", "ipam.prefix"]}
    )
    role = agent.write("extras_api_role_create", {"name": "Edge", "content_types": ["dcim.device"]})["id"]
    site = agent.write("dcim_api_location_create", {"name": "Kiel", "location_type": kind["id"], "status": "Active"})
    router = {"device_type": model, "role": role, "location": site["id"], "status": "Active"}
    device = agent.write("dcim_api_device_create", {**router, "name": "kiel-1"})["id"]
    agent.write("dcim_api_device_bulk_create", {"items": [{**router, "name": "kiel-2"}]})
    agent.write("dcim_api_device_partial_update", {"id": device, "serial": "0042", "comments": "Spare."})
    agent.write("dcim_api_device_notes_post", {"id": device, "note": "Seen by an agent."})
    agent.write("dcim_api_device_bulk_partial_update", {"items": [{"id": device, "asset_tag": "A-1"}]})
    prefix = agent.write("ipam_api_prefix_create", {"prefix": "10.0.0.0/24", "status": "Active"})["id"]
    agent.write("ipam_api_prefix_available_ips_post", {"id": prefix, "status": "Active"})
    agent.expect("validation_error", "dcim_api_device_create", {**router, "name": "kiel-3", "status": "Nonsense"})
    agent.expect("validation_error", "dcim_api_manufacturer_create", {"name": "Acme"})
    agent.expect("not_found", "dcim_api_device_destroy", {"id": site["id"]})
    agent.write("dcim_api_device_destroy", {"id": device})
    table = agent.read("read CSV", "dcim_api_device_list", {"format": "csv"})
    agent.odd.append(f"CSV: {str(table.get('response'))[:200]}")
    changes = agent.read("read", "extras_api_objectchange_list", {})
    names = {row["user_name"] for row in changes["response"]["results"]}
    agent.odd.append(f"the application's own change log names {names}; the key belongs to {USER}")


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
