"""Who calls: keys, the host's own authentication classes, and nobody."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client, RequestFactory
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated, PermissionDenied

from django_mcp.access import keys
from django_mcp.choices import Safety
from django_mcp.models import APIKey
from django_mcp.transport import authentication, views
from django_mcp.transport.credentials import bearer_token

NO_KEY = "Send Authorization: Bearer <key>."
BAD_KEY = "Unknown, expired or revoked key."


class TokenAuthentication(BaseAuthentication):
    """A host's own class: the bearer token `jwt-NAME` stands for a user."""

    def authenticate(self, request):
        token = bearer_token(request)
        if token is None or not token.startswith("jwt-"):
            return None
        from django.contrib.auth import get_user_model

        user = get_user_model().objects.filter(username=token[4:]).first()
        if user is None:
            raise AuthenticationFailed("No such person.")
        return user, token

    def authenticate_header(self, request):
        return 'Bearer realm="host"'


class Refusing(BaseAuthentication):
    def authenticate(self, request):
        raise PermissionDenied


class Unnamed(BaseAuthentication):
    def authenticate(self, request):
        raise NotAuthenticated


class Broken(BaseAuthentication):
    def authenticate(self, request):
        raise RuntimeError("secret detail")


class Nobody(BaseAuthentication):
    def authenticate(self, request):
        return AnonymousUser(), "machine"


def configure(settings, *classes, **more):
    paths = [f"{item.__module__}.{item.__qualname__}" for item in classes]
    settings.DJANGO_MCP = {"AUTHENTICATION_CLASSES": paths, **more}


@pytest.fixture
def callers(monkeypatch):
    """The callers whose messages reach the dispatcher."""
    callers = []

    def dispatch(message, context, *rest):
        callers.append(context.caller)
        return {}

    monkeypatch.setattr(views, "dispatch", dispatch)
    return callers


def unauthorized(response, text=NO_KEY, challenge="Bearer"):
    assert response.status_code == 401, response.content
    assert response["WWW-Authenticate"] == challenge
    assert response["Cache-Control"] == "no-store"
    assert response.json()["error"] == {"code": -32600, "message": text}


def bad(response):
    """Check the refusal of a bad key, whatever it says of the reason."""
    text = response.json()["error"]["message"]
    assert text.startswith(BAD_KEY)
    unauthorized(response, text, 'Bearer error="invalid_token"')


@pytest.mark.parametrize("header", ["Bearer {}", "bearer {}", "BEARER {}", "  bearer   {}  ", "Bearer\t{}"])
def test_the_scheme_is_case_blind_and_blanks_are_tolerated(stranger, secret, header):
    assert stranger(HTTP_AUTHORIZATION=header.format(secret)).status_code == 200


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer ", "Basic cGF0OnBhdA==", "Token x"])
def test_no_key_is_a_plain_challenge(stranger, exposed, person, header):
    unauthorized(stranger(**({} if header is None else {"HTTP_AUTHORIZATION": header})))


@pytest.mark.parametrize(
    "credential", ["x", "ak-", "ak-x", "{upper}", "{key} x", "{key},{key}", "{key}é", "\0", "mcp_cf_x"]
)
def test_a_bad_key_is_named_as_such(stranger, secret, credential):
    header = "Bearer " + credential.format(key=secret, upper=secret.upper())
    bad(stranger(HTTP_AUTHORIZATION=header))


def test_a_bad_key_is_refused_where_anonymous_callers_are_not(settings, stranger, exposed):
    settings.DJANGO_MCP = {"REQUIRE_AUTH": False}
    bad(stranger(HTTP_AUTHORIZATION="Bearer x"))


@pytest.mark.parametrize(
    "change",
    [{"expires_at": timedelta(0)}, {"expires_at": timedelta(days=-1)}, {"revoked_at": timedelta(0)}],
)
def test_expired_and_revoked_keys_are_bad(stranger, secret, change):
    APIKey.objects.update(**{name: timezone.now() + delta for name, delta in change.items()})
    bad(stranger(HTTP_AUTHORIZATION=f"Bearer {secret}"))


def test_the_key_of_an_inactive_user_is_bad(stranger, secret, person):
    person.is_active = False
    person.save()
    bad(stranger(HTTP_AUTHORIZATION=f"Bearer {secret}"))


def test_a_session_cookie_alone_is_no_key(exposed, person, settings):
    configure(settings, authentication.APIKeyAuthentication, SessionAuthentication)
    client = Client()
    client.force_login(person)
    response = client.post("/mcp", b'{"jsonrpc":"2.0","id":1,"method":"ping"}', content_type="application/json")
    unauthorized(response)


def test_authenticators_see_no_cookie_and_no_session(exposed, person, rf):
    request = rf.post("/mcp", b"{}", content_type="application/json", HTTP_COOKIE="sessionid=x", HTTP_X="y")
    request.session, request.user = {"a": 1}, person
    copied = authentication.cookieless(request)
    assert (copied.COOKIES, copied.headers.get("Cookie"), copied.headers["X"]) == ({}, None, "y")
    assert not hasattr(copied, "session")
    assert not copied.user.is_authenticated
    assert (request.user, request.session, request.COOKIES) == (person, {"a": 1}, {"sessionid": "x"})
    assert "wsgi.input" in request.META


def test_key_and_user_and_stamp_are_one_query(post, http, secret, django_assert_num_queries):
    post()
    with django_assert_num_queries(1) as queries:
        assert post().status_code == 200
    assert "mcp_serversettings" in queries[0]["sql"].replace("django_mcp_", "mcp_")


def test_the_last_use_is_noted(post):
    post()
    assert APIKey.objects.get().last_used_at is not None


def test_a_key_makes_a_caller_with_its_limits(exposed, person, callers, stranger):
    key, secret = keys.issue(name="n", user=person, groups=["g"], highest_safety=Safety.WRITE)
    stranger(HTTP_AUTHORIZATION=f"Bearer {secret}", HTTP_USER_AGENT="agent/1", REMOTE_ADDR="10.0.0.1")
    (caller,) = callers
    assert (caller.subject, caller.user, caller.auth, caller.key_id) == (f"key:{key.pk}", person, key, key.pk)
    assert (caller.groups, caller.highest_safety) == ({"g"}, Safety.WRITE)
    assert (caller.address, caller.client) == ("10.0.0.1", "agent/1")


@pytest.mark.parametrize(
    ("remote", "address"),
    [("10.0.0.1", "10.0.0.1"), ("2001:0db8:0:0:0:0:0:1", "2001:db8::1"), ("", ""), ("unix:", ""), ("x" * 500, "")],
)
def test_the_address_is_the_connections_and_not_a_headers_where_no_proxy_is_trusted(callers, post, remote, address):
    post(REMOTE_ADDR=remote, HTTP_X_FORWARDED_FOR="1.2.3.4, junk\x7f")
    assert callers[0].address == address


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (1, "203.0.113.9", "203.0.113.9"),
        (1, "1.2.3.4, 203.0.113.9", "203.0.113.9"),
        (2, "1.2.3.4, 203.0.113.9, 10.0.0.7", "203.0.113.9"),
        (2, "203.0.113.9", "203.0.113.9"),
        (1, "203.0.113.9, 2001:DB8::0:1", "2001:db8::1"),
        (1, "203.0.113.9, junk", "10.0.0.1"),
        (1, None, "10.0.0.1"),
        (0, "203.0.113.9", "10.0.0.1"),
    ],
)
def test_the_address_behind_proxies_is_the_one_that_the_first_trusted_one_saw(
    callers, post, settings, proxies, forwarded, address
):
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "NUM_PROXIES": proxies}
    post(REMOTE_ADDR="10.0.0.1", **({} if forwarded is None else {"HTTP_X_FORWARDED_FOR": forwarded}))
    assert callers[0].address == address


def test_the_clients_name_is_one_short_line(callers, post):
    post(HTTP_USER_AGENT="a\x1b[31mb\nc" + "x" * 500)
    assert callers[0].client.startswith("a[31mb c")
    assert len(callers[0].client) == 200


def test_the_handshakes_client_info_stands_in_for_a_user_agent(callers, post):
    params = {"protocolVersion": "2025-06-18", "clientInfo": {"name": "cursor", "version": 3}}
    post({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    post({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"clientInfo": "x"}})
    assert [caller.client for caller in callers] == ["cursor 3", ""]


def test_a_user_of_another_class_reaches_the_user_groups(settings, callers, stranger, exposed, person):
    configure(settings, authentication.APIKeyAuthentication, TokenAuthentication, USER_GROUPS=["coffee-shop"])
    stranger(HTTP_AUTHORIZATION="Bearer jwt-pat")
    (caller,) = callers
    assert (caller.subject, caller.user, caller.auth) == (f"user:{person.pk}", person, "jwt-pat")
    assert (caller.key_id, caller.groups, caller.highest_safety) == (None, {"coffee-shop"}, Safety.DESTRUCTIVE)


def test_a_user_of_another_class_reaches_nothing_by_default(settings, callers, stranger, exposed, person):
    configure(settings, TokenAuthentication)
    stranger(HTTP_AUTHORIZATION="Bearer jwt-pat")
    assert callers[0].groups == frozenset()


class OnlyJwt(TokenAuthentication):
    """A host's own class that takes every bearer token for one of its own, as those of JWT do."""

    def authenticate(self, request):
        if bearer_token(request) is None:
            return None
        return super().authenticate(request) or self.refuse()

    def refuse(self):
        raise AuthenticationFailed("Given token not valid for any token type.")


@pytest.mark.parametrize("other", [TokenAuthentication, OnlyJwt])
@pytest.mark.parametrize("turn", [1, -1])
def test_keys_and_other_tokens_work_in_any_order_of_the_classes(settings, post, stranger, person, other, turn):
    configure(settings, *[other, authentication.APIKeyAuthentication][::turn])
    assert post().status_code == 200
    assert stranger(HTTP_AUTHORIZATION="Bearer jwt-pat").status_code == 200


@pytest.mark.parametrize("turn", [1, -1])
def test_a_token_that_begins_as_keys_do_may_be_another_classs(settings, stranger, exposed, person, monkeypatch, turn):
    class Prefixed(TokenAuthentication):
        def authenticate(self, request):
            return (person, "token") if bearer_token(request) == "ak-of-the-host" else None

    monkeypatch.setattr(f"{__name__}.Prefixed", Prefixed, raising=False)
    Prefixed.__qualname__ = "Prefixed"
    configure(settings, *[Prefixed, authentication.APIKeyAuthentication][::turn])
    assert stranger(HTTP_AUTHORIZATION="Bearer ak-of-the-host").status_code == 200
    bad(stranger(HTTP_AUTHORIZATION="Bearer ak-of-nobody"))


@pytest.mark.parametrize("turn", [1, -1])
def test_a_wrong_key_is_told_what_is_wrong_in_any_order_of_the_classes(settings, stranger, exposed, turn):
    configure(settings, *[OnlyJwt, authentication.APIKeyAuthentication][::turn])
    bad(stranger(HTTP_AUTHORIZATION="Bearer ak-nothing"))


def test_a_revoked_key_is_left_to_no_other_class(settings, stranger, secret, person, monkeypatch):
    class Trusting(BaseAuthentication):
        def authenticate(self, request):
            return (person, None) if bearer_token(request) == secret else None

    APIKey.objects.update(revoked_at=timezone.now())
    monkeypatch.setattr(f"{__name__}.Trusting", Trusting, raising=False)
    Trusting.__qualname__ = "Trusting"
    configure(settings, authentication.APIKeyAuthentication, Trusting)
    bad(stranger(HTTP_AUTHORIZATION=f"Bearer {secret}"))


def test_a_class_that_forbids_has_the_last_word_about_a_key(settings, post):
    configure(settings, Refusing, authentication.APIKeyAuthentication)
    assert post().status_code == 401


def test_a_key_where_no_class_takes_keys_is_told_so(settings, post):
    configure(settings, OnlyJwt)
    assert post().json()["error"]["message"] == f"{BAD_KEY} {authentication.NO_KEYS_TAKEN}"


def test_other_classes_keep_their_texts_and_challenges(settings, stranger, exposed):
    configure(settings, TokenAuthentication, authentication.APIKeyAuthentication)
    response = stranger(HTTP_AUTHORIZATION="Bearer jwt-nobody")
    unauthorized(response, "No such person.", 'Bearer realm="host"')
    unauthorized(stranger(), NO_KEY, 'Bearer realm="host"')


@pytest.mark.parametrize("refusing", [Refusing, Unnamed])
def test_a_refusal_of_a_class_is_401_and_never_403(settings, stranger, exposed, refusing):
    configure(settings, refusing)
    response = stranger()
    assert (response.status_code, response["WWW-Authenticate"]) == (401, "Bearer")


def test_a_class_that_breaks_lets_nobody_in(settings, post, caplog):
    configure(settings, Broken, REQUIRE_AUTH=False)
    response = post()
    assert response.json()["error"]["code"] == -32603
    assert "secret detail" not in response.content.decode()


def test_anonymous_is_nobody_even_with_credentials_of_a_machine(settings, stranger, exposed):
    configure(settings, Nobody)
    unauthorized(stranger())


def test_an_inactive_user_is_nobody(settings, stranger, exposed, person):
    person.is_active = False
    person.save()
    configure(settings, TokenAuthentication)
    assert stranger(HTTP_AUTHORIZATION="Bearer jwt-pat").status_code == 401


def test_anonymous_callers_are_let_in_only_by_settings_and_only_to_read(settings, stranger, exposed, callers):
    unauthorized(stranger())
    settings.DJANGO_MCP = {"REQUIRE_AUTH": False, "USER_GROUPS": ["coffee-shop"]}
    assert stranger().status_code == 200
    (caller,) = callers
    assert (caller.subject, caller.groups, caller.highest_safety) == ("anonymous", {"coffee-shop"}, Safety.READ_ONLY)
    assert not caller.user.is_authenticated


def test_no_class_at_all_lets_nobody_in(settings, stranger, secret):
    configure(settings)
    unauthorized(stranger())


def test_as_a_class_of_drf_it_leaves_other_tokens_alone(exposed):
    request = RequestFactory().get("/", headers={"Authorization": "Bearer other"})
    assert authentication.APIKeyAuthentication().authenticate(request) is None


def test_the_refusal_quotes_no_credential(stranger, exposed):
    response = stranger(HTTP_AUTHORIZATION="Bearer ak-12345678901234567890")
    assert response.status_code == 401
    assert not re.search("ak-1", f"{response.content}{response.headers}")
