"""Two people save forms of the same page at the same instant: on real connections, with real commits."""

import pytest
from django.db import connections

from django_mcp.access import config_changes, stamps
from django_mcp.access.stamps import Stale
from django_mcp.models import AuditEvent, ServerSettings, ToolGroup
from tests.approval.test_races import ALIAS, DATABASES, configured, race
from tests.e2e.databases import fresh

THREADS = 6


@pytest.fixture(params=[param for param in DATABASES if param.values[0][1] is None])
def rows(request, tmp_path, settings, django_db_blocker):
    """The configuration in a database of its own; ends with every connection closed."""
    url, isolation = request.param
    with fresh(url, tmp_path) as own, django_db_blocker.unblock():
        connections.settings[ALIAS] = configured(own, isolation)
        settings.DATABASE_ROUTERS = ["tests.approval.test_races.RaceRouter"]
        try:
            with connections[ALIAS].schema_editor() as editor:
                for model in (ServerSettings, ToolGroup, AuditEvent):
                    editor.create_model(model)
            yield
        finally:
            connections[ALIAS].close()
            del connections[ALIAS], connections.settings[ALIAS]


def outcomes(work):
    """Run work in threads at once; return how many saved, and the refusals of the others."""

    def run():
        try:
            return work()
        except Stale as refusal:
            return refusal

    results = race(run, threads=THREADS)
    refusals = [result for result in results if isinstance(result, Stale)]
    return len(results) - len(refusals), refusals


def test_one_save_of_settings_wins_and_the_others_are_told(rows):
    ServerSettings.load()
    stamp = stamps.stamp(config_changes.shown(ServerSettings.load(), config_changes.SETTINGS_FIELDS))
    names = [f"till {number}" for number in range(THREADS)]
    by = {"username": "boss"}
    saved, refusals = outcomes(lambda: config_changes.set_settings(by=by, stamp=stamp, server_name=names.pop()))
    assert (saved, len(refusals)) == (1, THREADS - 1)
    assert all(refusal.events[0].username == "boss" for refusal in refusals)
    assert AuditEvent.objects.count() == 1


def test_one_save_of_groups_that_have_no_row_yet_wins(rows):
    ServerSettings.load()
    stamp = stamps.stamp(config_changes.shown_groups([]))
    changes = {"coffee-shop": {"exposed": True}, "barista": {"exposed": True}}
    saved, refusals = outcomes(lambda: config_changes.set_groups(changes, by={"username": "boss"}, stamp=stamp))
    assert (saved, len(refusals)) == (1, THREADS - 1)
    assert all(refusal.events for refusal in refusals)
    assert ToolGroup.objects.filter(exposed=True).count() == 2
