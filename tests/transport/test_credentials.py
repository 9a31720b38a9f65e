"""What the refusal of a credential says: what its form shows to be wrong, and to who has a key what became of it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from django_mcp.access import keys
from django_mcp.models import APIKey

BAD_KEY = "Unknown, expired or revoked key."
NO_KEY = "Send Authorization: Bearer <key>."


def refusal(stranger, header):
    response = stranger(HTTP_AUTHORIZATION=header)
    assert response.status_code == 401
    return response.json()["error"]["message"]


@pytest.mark.parametrize(
    "credential",
    [
        "KEY", "<key>", "YOUR_KEY", "your-api-key", "ak-...", "ak-YOUR-KEY-HERE", "ak-xxxxxxxx", "${MCP_KEY}", "$KEY",
        "{{ key }}", "%MCP_KEY%", '"<key>"', "…",
    ],
)  # fmt: skip
def test_a_placeholder_is_called_one(stranger, exposed, credential):
    assert refusal(stranger, f"Bearer {credential}").startswith(f"{BAD_KEY} That is a placeholder")


@pytest.mark.parametrize("header", ["Bearer Bearer {}", "Bearer bearer  {}", "Bearer Authorization: Bearer {}"])
def test_a_doubled_bearer_is_named(stranger, secret, header):
    assert refusal(stranger, header.format(secret)) == f"{BAD_KEY} Write Bearer once, then the key."


@pytest.mark.parametrize("quoted", ['"{}"', "'{}'", "`{}`", '"{}'])
def test_quotes_are_named(stranger, secret, quoted):
    assert refusal(stranger, f"Bearer {quoted.format(secret)}") == f"{BAD_KEY} Write the key without quotes."


@pytest.mark.parametrize("wrong", ["{}x", "{} x", "{},"])
def test_a_key_with_something_to_it_or_cut_off_has_the_wrong_length(stranger, secret, wrong):
    credential = wrong.format(secret)
    expected = f"{BAD_KEY} A key has 46 characters, this has {len(credential)}: copy the whole key, and nothing else."
    assert refusal(stranger, f"Bearer {credential}") == expected
    assert "this has 20:" in refusal(stranger, f"Bearer {secret[:20]}")


def test_another_kind_of_token_is_told_how_keys_begin(stranger, exposed):
    assert refusal(stranger, "Bearer eyJhbGciOiJIUzI1NiJ9.e30.x") == f"{BAD_KEY} Keys begin with ak-."


def test_a_missing_or_wrong_scheme_is_named(stranger, secret):
    assert refusal(stranger, secret) == f"{NO_KEY} The word Bearer is missing before the key."
    assert refusal(stranger, f"Token {secret}") == f"{NO_KEY} The word before the key must be Bearer."


def test_who_has_a_key_is_told_what_became_of_it(stranger, secret, person):
    APIKey.objects.update(expires_at=timezone.now() - timedelta(days=1))
    assert refusal(stranger, f"Bearer {secret}") == f"{BAD_KEY} It has expired. Ask for a new one."
    APIKey.objects.update(revoked_at=timezone.now())
    assert refusal(stranger, f"Bearer {secret}") == f"{BAD_KEY} It is revoked. Ask for a new one."
    APIKey.objects.update(revoked_at=None, expires_at=None)
    person.is_active = False
    person.save()
    assert refusal(stranger, f"Bearer {secret}") == f"{BAD_KEY} The user it acts as is not active."


def test_who_has_no_key_learns_nothing_of_any(stranger, person, exposed):
    """A key that was never issued is refused as one whose first characters are those of a revoked key."""
    key, secret = keys.issue(name="old", user=person)
    keys.revoke(key)
    near = secret[:-1] + ("a" if secret[-1] != "a" else "b")
    other = "ak-" + "0aB_" * 10 + "xyz"
    assert refusal(stranger, f"Bearer {near}") == refusal(stranger, f"Bearer {other}") == BAD_KEY


@pytest.mark.parametrize("credential", ["'hunter2'", "<hunter2>", "Bearer hunter2", "ak-hunter2", "hunter2"])
def test_no_refusal_quotes_the_credential(stranger, exposed, credential):
    assert "hunter2" not in refusal(stranger, f"Bearer {credential}")
