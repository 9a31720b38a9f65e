"""django-helpdesk, the small one: a ticket tracker whose serializers read the database as soon as they are made."""

import base64
from collections.abc import Mapping
from pathlib import Path

from tests.e2e.apps.agent import Agent
from tests.e2e.apps.application import USER, Application, Project

SETTINGS = """
INSTALLED_APPS = [
    *INSTALLED_APPS, "django.contrib.sites", "django.contrib.humanize", "rest_framework", "helpdesk"
]
ALLOWED_HOSTS = ["127.0.0.1"]
DEBUG = False
SITE_ID = 1
MEDIA_ROOT = BASE_DIR / "media"
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
HELPDESK_TEAMS_MODE_ENABLED = False
HELPDESK_ACTIVATE_API_ENDPOINT = True
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
DATABASES["default"]["OPTIONS"] = {"transaction_mode": "IMMEDIATE", "timeout": 20}
"""
URLS = """
from django.urls import include

urlpatterns += [path("helpdesk/", include("helpdesk.urls"))]
"""
QUEUES = """
from helpdesk.models import CustomField, Queue
Queue.objects.create(title="Office", slug="office", allow_public_submission=True)
Queue.objects.create(title="Workshop", slug="workshop")
CustomField.objects.create(name="room", label="Room", data_type="varchar", max_length=20, staff_only=False)
"""


def create(project: Project) -> None:
    project.run(str(project.installation.programs / "django-admin"), "startproject", "desk", ".")
    with (project.folder / "desk/settings.py").open("a") as settings:
        settings.write(SETTINGS)
    with (project.folder / "desk/urls.py").open("a") as urls:
        urls.write(URLS)


def environment(folder: Path, database: str) -> Mapping[str, str]:
    return {"DJANGO_SETTINGS_MODULE": "desk.settings"}


def prepare(project: Project) -> None:
    project.manage("loaddata", "emailtemplate.json")
    project.manage("createsuperuser", "--noinput")
    project.manage("shell", "--command", QUEUES)


def story(agent: Agent) -> None:
    """Open tickets, one with a file, follow one up, change and delete one, add a user, and try what must fail."""
    ticket = {"queue": 1, "title": "The lamp is broken", "description": "It stays dark."}
    agent.expect("validation_error", "helpdesk_ticket_create", ticket)
    lamp = agent.write("helpdesk_ticket_create", {**ticket, "priority": 3})
    note = base64.b64encode(b"It fell from the shelf.").decode()
    agent.write(
        "helpdesk_ticket_create",
        {
            "queue": 2,
            "title": "The saw is blunt",
            "description": "Since Monday.",
            "priority": 2,
            "due_date": "2030-01-31T12:00:00Z",
            "attachment": f"data:text/plain;name=note.txt;base64,{note}",
        },
    )
    seen = {"ticket": lamp["id"], "title": "Seen", "comment": "A new bulb is ordered."}
    followup = agent.write("helpdesk_followups_create", seen)
    agent.write(
        "helpdesk_followupattachments_create",
        {
            "followup": followup["id"],
            "file": f"data:text/plain;name=order.txt;base64,{note}",
            "filename": "order.txt",
            "mime_type": "text/plain",
            "size": 23,
        },
    )
    agent.write("helpdesk_ticket_partial_update", {"id": lamp["id"], "priority": 1})
    agent.write("helpdesk_user_create", {"username": "kim", "password": "a long enough one 7"})
    agent.expect("validation_error", "helpdesk_ticket_create", {**ticket, "queue": 99})
    agent.expect("validation_error", "helpdesk_user_create", {"username": USER, "password": "a long enough one 7"})
    agent.expect("not_found", "helpdesk_ticket_destroy", {"id": 9999})
    agent.write("helpdesk_ticket_destroy", {"id": lamp["id"]})


HELPDESK = Application(
    name="small",
    requirements=("django-helpdesk==2.6.1",),
    distribution="django-helpdesk",
    database="sqlite:///",
    create=create,
    settings_file="desk/settings.py",
    urlconf="desk.urls",
    command=("python", "manage.py"),
    wsgi="desk.wsgi:application",
    environment=environment,
    prepare=prepare,
    story=story,
)
