from importlib.metadata import PackageNotFoundError

import pytest
from django.core.checks import ERROR, registry
from django.urls import path
from django.utils.translation import gettext_lazy
from rest_framework.authentication import SessionAuthentication, TokenAuthentication
from rest_framework.decorators import api_view

from django_mcp import checks, mcp_operation
from django_mcp.catalog import discovery as catalog
from django_mcp.catalog.discovery import Catalog
from django_mcp.catalog.problems import Problem
from django_mcp.conf import KEYS
from django_mcp.schema.notes import UNDESCRIBED, UNDESCRIBED_BODY
from django_mcp.transport.authentication import APIKeyAuthentication
from tests.urls import urlpatterns as coffee_shop

LOCMEM = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
REDIS = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "redis://127.0.0.1"}}
LONG = "s" * 32


@mcp_operation(exclude=True)
@api_view(["POST"])
def reset(request): ...


urlpatterns = [*coffee_shop, path("stamp/reset/", reset, name="stamp-reset")]
KEYS_OWN = "django_mcp.transport.authentication.APIKeyAuthentication"


class CookieAuthentication(SessionAuthentication):
    pass


class Stricter(APIKeyAuthentication):
    pass


class KeyAuthentication(TokenAuthentication):
    pass


def ids(*, deploy=False):
    # Not all of Django's: since 6.1 its checks of models ask the database.
    ours = [check for check in registry.registry.get_checks(deploy) if check.__module__.startswith("django_mcp.")]
    return [message.id.partition(".")[2] for check in ours for message in check(app_configs=None)]


@pytest.mark.parametrize(
    ("configured", "expected"),
    [
        ({}, []),
        ({"SERVER_NAME": "shop", "TOOL_GROUPS": ["coffee-shop", "api_tools"]}, []),
        ([], ["E001"]),
        ({"TOOL_GROUP": []}, ["E002"]),
        ({"TOOL_GROUPS": "coffee-shop"}, ["E003"]),
        ({"FORWARD_HEADERS": None}, ["E003"]),
        ({"CONFIRMATION_TOKEN_EXPIRY": 0}, ["E004"]),
        ({"CONFIRMATION_TOKEN_EXPIRY": "5 minutes"}, ["E004"]),
        ({"MAX_LIMIT": None}, ["E004"]),
        ({"AUDIT_RETENTION": None}, []),
        ({"APPROVAL_MODE": "ask"}, ["E005"]),
        ({"APPROVAL_MODE": "reject"}, []),
        ({"APPROVAL_MODE": "review"}, ["E005"]),
        ({"READ_GUARD": "enforce"}, []),
        ({"READ_GUARD": True}, ["E005"]),
        ({"ELICITATION": "off"}, ["E002"]),
        ({"REVIEW_EXPIRY": 60}, ["E002"]),
        ({"AUTHENTICATION_CLASSES": ["nowhere.Auth"]}, ["E006"]),
        ({"AUTHENTICATION_CLASSES": ["tests.test_checks.KeyAuthentication"]}, ["W004"]),
        ({"AUTHENTICATION_CLASSES": ["tests.test_checks.KeyAuthentication", KEYS_OWN]}, []),
        ({"AUTHENTICATION_CLASSES": ["tests.test_checks.Stricter"]}, []),
        ({"AUTHENTICATION_CLASSES": ["tests.test_checks.CookieAuthentication"]}, ["E007", "W004"]),
        ({"THROTTLE_CLASSES": ["rest_framework.throttling.None"]}, ["E006"]),
        ({"FORWARD_HEADERS": ["Authorization"]}, ["E008"]),
        ({"FORWARD_HEADERS": ["cookie"]}, ["E008"]),
        ({"FORWARD_HEADERS": ["X_Forwarded_For"]}, ["E008"]),
        ({"FORWARD_HEADERS": ["X-Tenant"]}, []),
        ({"CACHE": "elsewhere"}, ["E009"]),
        ({"RESOURCE_STORAGE": "elsewhere"}, ["E010"]),
        ({"RESOURCE_STORAGE": None}, ["E010"]),
        ({"SIGNING_SECRET": LONG.encode()}, ["E012"]),
        ({"SIGNING_SECRET": 12345678}, ["E012"]),
        ({"SIGNING_SECRET": None}, []),
        ({"SIGNING_SECRET_FALLBACKS": [LONG.encode()]}, ["E012"]),
        ({"SIGNING_SECRET_FALLBACKS": 7}, ["E003"]),
        ({"SERVER_NAME": gettext_lazy("shop"), "INSTRUCTIONS": None}, []),
        ({"SERVER_VERSION": 1.1}, ["E012"]),
        ({"REQUIRE_AUTH": "False"}, ["E013"]),
        ({"REQUIRE_AUTH": None}, ["E013"]),
        ({"AUDIT_READS": "no"}, ["E013"]),
        ({"AUDIT_READS": True}, []),
        ({"DEFAULT_LIMIT": 101}, ["E014"]),
        ({"MAX_LIMIT": 10}, ["E014"]),
        ({"DEFAULT_LIMIT": 100, "MAX_LIMIT": 100}, []),
        ({"MAX_STORED_RESOURCE_BYTES": 0}, ["E004"]),
        ({"RESOURCE_LINK_EXPIRY": "soon"}, ["E004"]),
        ({"TOOL_GROUPS": ["cofee-shop"]}, ["E017"]),
        ({"USER_GROUPS": ["nothing"]}, ["E017"]),
        ({"EXCLUDE_OPERATIONS": ["CancelCofeeShopOrder"]}, ["E017"]),
        ({"EXCLUDE_OPERATIONS": "CancelCoffeeShopOrder"}, ["E003"]),
        ({"EXCLUDE_OPERATIONS": ["PUT /api/orders/"]}, ["E017"]),
        ({"EXCLUDE_OPERATIONS": ["*"]}, ["E017"]),
        ({"EXCLUDE_OPERATIONS": [None]}, ["E012"]),
        ({"EXCLUDE_OPERATIONS": [""]}, ["E012"]),
        ({"FORWARD_HEADERS": [b"X-Tenant"]}, ["E012"]),
        ({"TOOLS": ["GetCoffeeShopMenu"]}, []),
        ({"TOOLS": ["GetCofeeShopMenu"]}, ["E017"]),
        ({"PUBLISH_AS": {"coffee-shop": "both"}}, []),
        ({"PUBLISH_AS": {"coffee-shop": "one tool each"}}, ["E011"]),
        ({"PUBLISH_AS": {"coffee-shop": []}}, ["E011"]),
        ({"PUBLISH_AS": ["coffee-shop"]}, ["E003"]),
        ({"PUBLISH_AS": {"cofee-shop": "both"}}, ["W001"]),
        ({"PUBLISH_AS": {"api_tools": "both"}}, ["W001"]),
        ({"TOOLS": ["stamp"], "TOOL_GROUPS": ["desk"]}, ["E017", "E017"]),
    ],
)
def test_settings(settings, configured, expected):
    settings.DJANGO_MCP = configured
    assert ids() == expected


@pytest.mark.parametrize(
    ("configured", "others", "expected"),
    [
        ({"SIGNING_SECRET": LONG}, {}, []),
        ({"SIGNING_SECRET": LONG[1:]}, {}, ["W010"]),
        ({"SIGNING_SECRET": "é" * 16}, {}, []),
        ({"SIGNING_SECRET": ""}, {}, ["W010"]),
        ({"SIGNING_SECRET": LONG, "SIGNING_SECRET_FALLBACKS": ["short"]}, {}, ["W010"]),
        ({"SIGNING_SECRET": f"-----BEGIN PUBLIC KEY-----\n{LONG}\n-----END PUBLIC KEY-----"}, {}, ["E015"]),
        ({"SIGNING_SECRET": LONG, "SIGNING_SECRET_FALLBACKS": [f"ssh-rsa {LONG}"]}, {}, ["E015"]),
        ({}, {"SECRET_KEY": "django-insecure-" + "abcdefgh" * 9}, ["W011"]),
        ({}, {"SECRET_KEY": "abcdefgh"}, ["W011"]),
        ({"SIGNING_SECRET": LONG}, {"SECRET_KEY": "abcdefgh"}, []),
        ({}, {"CACHES": LOCMEM}, ["W012"]),
        ({"APPROVAL_MODE": "reject"}, {"CACHES": LOCMEM}, []),
        ({"REQUIRE_AUTH": False}, {}, ["W013"]),
        ({"AUTHENTICATION_CLASSES": []}, {}, ["W013"]),
        ({}, {"DEBUG": True}, ["W014"]),
        ({"APPROVAL_MODE": "delegate_to_client"}, {}, ["W016"]),
    ],
)
def test_risks_are_reported_for_deployment_only(settings, configured, others, expected):
    settings.SECRET_KEY = "abcdefgh" * 9
    settings.CACHES = REDIS
    settings.DJANGO_MCP = configured
    for name, value in others.items():
        setattr(settings, name, value)
    assert ids(deploy=True) == expected
    assert ids() == []


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("SECURE_PROXY_SSL_HEADER", ("HTTP_X_FORWARDED_PROTO", "https")),
        ("USE_X_FORWARDED_HOST", True),
        ("USE_X_FORWARDED_PORT", True),
        ("REST_FRAMEWORK", {"DEFAULT_THROTTLE_CLASSES": ["rest_framework.throttling.AnonRateThrottle"]}),
    ],
)
@pytest.mark.parametrize(("proxies", "expected"), [(None, ["W018"]), (0, []), (1, [])])
def test_proxies_that_nobody_counted_are_a_risk(settings, setting, value, proxies, expected):
    settings.DJANGO_MCP = {"SIGNING_SECRET": LONG}
    settings.CACHES = REDIS
    setattr(settings, setting, value)
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "NUM_PROXIES": proxies}
    assert ids(deploy=True) == expected
    assert ids() == []


@pytest.mark.parametrize(
    "entry",
    [
        "cancelcoffeeshoporder",
        "COFFEE-SHOP",
        "PlaceCoffeeShopOrder",
        "/api/orders/",
        "post /api/orders/",
        "stamp_reset",
    ],
)
def test_what_is_excluded_may_be_named_in_each_way_and_be_excluded_already(settings, entry):
    settings.ROOT_URLCONF = __name__
    settings.DJANGO_MCP = {"EXCLUDE_OPERATIONS": [entry]}
    assert "E017" not in ids()
    excluded = catalog.get_catalog()
    assert not {"stamp_reset", entry} & {operation.name for operation in excluded.operations}
    assert len(excluded.operations) < 8


def test_an_exclusion_that_matches_nothing_names_the_nearest(settings):
    settings.DJANGO_MCP = {"EXCLUDE_OPERATIONS": ["order_destory", "CancelCofeeShopOrder"]}
    far, near = checks.check_names(None)
    assert (far.level, near.level) == (ERROR, ERROR)
    assert near.msg == "DJANGO_MCP['EXCLUDE_OPERATIONS'] names 'CancelCofeeShopOrder', which does not exist."
    assert "Did you mean 'CancelCoffeeShopOrder'?" in near.hint


def test_a_mode_that_does_not_exist_names_the_nearest(settings):
    settings.DJANGO_MCP = {"APPROVAL_MODE": "rejct"}
    (message,) = checks.check_settings(None)
    assert message.hint.startswith("Did you mean reject? One of ")


def test_a_name_of_another_urlconf_of_the_settings_is_no_mistake(settings):
    settings.PUBLIC_SCHEMA_URLCONF = __name__
    settings.DJANGO_MCP = {"EXCLUDE_OPERATIONS": ["stamp_reset"]}
    assert ids() == []


def test_an_exclusion_that_is_no_list_holds_where_checks_do_not_run(settings):
    settings.DJANGO_MCP = {"EXCLUDE_OPERATIONS": "CancelCoffeeShopOrder"}
    assert catalog.get_catalog().get("CancelCoffeeShopOrder") is None


def test_unknown_key_names_the_nearest(settings):
    settings.DJANGO_MCP = {"TOOL_GROUP": []}
    assert checks.check_settings(None)[0].hint == "Did you mean TOOL_GROUPS?"


@pytest.mark.parametrize("key", sorted(KEYS))
def test_every_key_of_the_settings_has_its_kind_checked(settings, key):
    settings.DJANGO_MCP = {key: object()}
    (code,) = ids()
    assert code in {"E003", "E004", "E005", "E012", "E013"}


@pytest.mark.parametrize("key", ["SIGNING_SECRET", "SIGNING_SECRET_FALLBACKS"])
def test_a_secret_of_the_wrong_kind_is_not_printed(settings, key):
    settings.DJANGO_MCP = {key: b"hunter2"}
    (message,) = checks.check_settings(None)
    assert "hunter2" not in str(message)


def test_checks_are_registered():
    registered = registry.registry.get_checks(include_deployment_checks=True)
    ours = {check for check in vars(checks).values() if getattr(check, "__name__", "").startswith("check_")}
    assert len(ours) == 6
    assert ours <= set(registered)


def test_problems_of_the_catalog_are_reported(monkeypatch):
    problem = Problem(subject="GET /a/", text="Two operations are called a.", cure="Name one of them.")
    catalog = Catalog(operations=(), problems=(problem,))
    monkeypatch.setattr(checks.catalog, "get_catalog", lambda: catalog)
    (message,) = checks.check_names(None)
    assert (message.id, message.hint) == ("django_mcp.W002", "Name one of them.")


def test_a_kind_of_problem_is_reported_once_however_many_operations_have_it(monkeypatch):
    problems = [Problem(subject=name, text="It has no name.", cure="Name it.") for name in "abc"]
    monkeypatch.setattr(checks.catalog, "get_catalog", lambda: Catalog(operations=(), problems=tuple(problems)))
    (message,) = checks.check_names(None)
    assert message.msg == "a and 2 more (`manage.py mcp doctor --all` names them): It has no name."


def test_operation_that_is_described_in_part_is_reported(monkeypatch):
    catalog = checks.catalog.get_catalog()
    described = checks.catalog.schema_for(catalog.operations[0])
    notes = (UNDESCRIBED_BODY, UNDESCRIBED["response"], "A field is described one level deep only.")
    noted = type("Noted", (), {"notes": notes})()
    first = catalog.operations[0]
    monkeypatch.setattr(checks.catalog, "schema_for", lambda operation: noted if operation is first else described)
    (message,) = checks.check_descriptions(None)
    assert (message.id, message.obj) == ("django_mcp.W015", first.name)
    assert "its body and its answer" in message.msg
    assert f"{first.view_class.__module__}.{first.view_class.__qualname__}.{first.handler}" in message.hint
    assert "extend_schema(request=…)" in message.hint


def test_an_operation_whose_fields_are_described_in_part_needs_no_action(monkeypatch):
    noted = type("Noted", (), {"notes": ("A field that contains its own kind of object is described one level deep.",)})
    monkeypatch.setattr(checks.catalog, "schema_for", lambda operation: noted)
    assert checks.check_descriptions(None) == []


def test_mode_that_is_not_available_yet_says_so_and_is_not_offered(settings):
    settings.DJANGO_MCP = {"APPROVAL_MODE": "review"}
    (message,) = checks.check_settings(None)
    assert "every write would be refused" in message.msg
    assert "review" not in message.hint


@pytest.mark.parametrize(("mode", "expected"), [("confirmation_token", ["W017"]), ("reject", [])])
def test_views_outside_of_transactions_are_a_risk_for_the_last_comparison(settings, monkeypatch, mode, expected):
    settings.DJANGO_MCP = {"APPROVAL_MODE": mode, "SIGNING_SECRET": LONG}
    settings.CACHES = REDIS
    monkeypatch.setitem(settings.DATABASES["default"], "ATOMIC_REQUESTS", False)
    assert ids(deploy=True) == expected
    assert ids() == []


def test_url_configuration_that_cannot_be_imported_does_not_stop_the_checks(settings):
    settings.ROOT_URLCONF = "tests.no_such_urls"
    assert [message.id for message in checks.check_names(None)] == ["django_mcp.W002"]
    assert checks.check_descriptions(None) == []


def test_project_without_urls_has_nothing_to_check(settings):
    del settings.ROOT_URLCONF
    assert checks.check_names(None) == []
    assert checks.check_descriptions(None) == []


@pytest.mark.parametrize("name", ["django-mcp", "django-mcp-framework"])
def test_other_distribution_with_this_package_is_reported(monkeypatch, name):
    def installed(distribution):
        if distribution != name:
            raise PackageNotFoundError(distribution)
        return object()

    monkeypatch.setattr(checks.deployment, "distribution", installed)
    (message,) = checks.check_distributions(None)
    assert (message.id, name in message.msg) == ("django_mcp.W003", True)


def test_checks_ask_nothing_of_the_database():
    # Without the database fixture a query fails the test.
    ids(deploy=True)


def test_settings_may_name_host_tools_and_their_groups(settings):
    settings.INSTALLED_APPS = [*settings.INSTALLED_APPS, "tests.tools.declaring"]
    settings.DJANGO_MCP = {"TOOLS": ["stamp"], "TOOL_GROUPS": ["desk"], "USER_GROUPS": ["desk"]}
    assert ids() == []
    settings.DJANGO_MCP = {"PUBLISH_AS": {"desk": "both"}}
    (message,) = checks.check_names(None)
    assert "which has no operations to publish" in message.msg
