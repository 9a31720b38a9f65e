"""Keys: one set for each purpose, the same as ever, and of every secret that still counts."""

import pytest

from django_mcp.approval.signing import Forged, Purpose, Signer, keys_for

SECRET, OLD = "s" * 40, "o" * 40
SIGNER = Signer(prefix="test_", typ="TEST", purpose=Purpose.QUESTION, max_length=1000)

# Whoever changes these voids every token, link and digest that was made before.
OF_SIGNING_SECRET = {
    Purpose.CONFIRMATION: [SECRET.encode().hex(), OLD.encode().hex()],
    Purpose.DIGEST: [
        "dbf8a28336f86c21da2aff081f80b66e66cd7f40819c6851c6e3f7fe6ca12c38",
        "a66188f5f15144d69b8e03181f8e8c58692bd583bc7ec02880ce1fc025ab1e30",
    ],
    Purpose.FILE_LINK: [
        "125035f78e4f8e4cb8b90c087adfdc922b0aca4d5f3a2f3cb4624221416c06cb",
        "93c41288b8b70ccfa543703c2da8bc5525546bccf27c9fb2cca1aa4f08551ab5",
    ],
    Purpose.QUESTION: [
        "85866e7296f81d44ab213700331466f5d1035907f45c814203ca0550dec4ad40",
        "2e1c72b8f97f471893972bbf7b53d071a6116b2dec652859a2e5a52cc1637741",
    ],
}
OF_SECRET_KEY = {
    Purpose.CONFIRMATION: [
        "bc4aa31a761c220461a46b15bc890a19778059400d4d4a1d7ffe5d385285f97a",
        "b2c00925220b74a968760b2bb9d449a4703e9501a0eb6c52b5e3f04ef0d8692b",
        OLD.encode().hex(),
    ],
    Purpose.DIGEST: [
        "5e3ff3b2bd91304470fe5c7a2f35c9efcba66475ca1868da65ee61e5733b642d",
        "7221b0c8377361469924babbcdb93cc1f16c3ea825db30e6385ceea939ea45a5",
        "a66188f5f15144d69b8e03181f8e8c58692bd583bc7ec02880ce1fc025ab1e30",
    ],
    Purpose.FILE_LINK: [
        "1e88cbd6c8c8bca6284cc4a35f603876dd47fc5606222aec66fefca412100c3f",
        "db1280023ab652aa4f6126d74f13ed1513bdc020e2610678ae6f2b24dd5ac126",
        "93c41288b8b70ccfa543703c2da8bc5525546bccf27c9fb2cca1aa4f08551ab5",
    ],
    Purpose.QUESTION: [
        "281e83298cfe15e6da596c9af8a7f921fabd7ac34ed014f55bf164787dc6f826",
        "f5707876e46a3258168cd9a2191dc45754e522a09b36cbb9fd7196a368a55572",
        "2e1c72b8f97f471893972bbf7b53d071a6116b2dec652859a2e5a52cc1637741",
    ],
}


@pytest.mark.parametrize("purpose", Purpose)
def test_the_keys_of_a_signing_secret_stay_the_same(settings, purpose):
    settings.DJANGO_MCP = {"SIGNING_SECRET": SECRET, "SIGNING_SECRET_FALLBACKS": [OLD]}
    assert [key.hex() for key in keys_for(purpose)] == OF_SIGNING_SECRET[purpose]


@pytest.mark.parametrize("purpose", Purpose)
def test_the_keys_of_a_secret_key_stay_the_same(settings, purpose):
    settings.DJANGO_MCP = {"SIGNING_SECRET_FALLBACKS": [OLD]}
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "k" * 50, ["f" * 50, ""]
    assert [key.hex() for key in keys_for(purpose)] == OF_SECRET_KEY[purpose]


@pytest.mark.parametrize("configured", [{}, {"SIGNING_SECRET": SECRET}])
def test_no_two_purposes_share_a_key(settings, configured):
    settings.DJANGO_MCP = configured
    keys = [key for purpose in Purpose for key in keys_for(purpose)]
    assert len(set(keys)) == len(keys)


@pytest.mark.filterwarnings("ignore:The HMAC key is")
@pytest.mark.parametrize("purpose", Purpose)
def test_a_blank_fallback_is_no_key(settings, purpose):
    settings.DJANGO_MCP = {"SIGNING_SECRET": SECRET, "SIGNING_SECRET_FALLBACKS": [""]}
    settings.SECRET_KEY_FALLBACKS = [""]
    assert len(keys_for(purpose)) == 1


def refusal_of(text):
    with pytest.raises(Forged) as caught:
        SIGNER.verify(text)
    return caught.value.reason


def test_a_refusal_tells_a_lost_secret_from_a_text_of_another_kind(settings):
    text = SIGNER.sign({"sub": "key:1"})
    head, payload, signature = text.split(".")
    link = Signer(prefix="test_", typ="LINK", purpose=Purpose.FILE_LINK, max_length=1000).sign({"sub": "key:1"})
    assert refusal_of("test_x") == refusal_of(text[5:]) == refusal_of(text + "x" * 1000) == "malformed"
    assert refusal_of(link) == "header"
    assert refusal_of(f"{head}.{payload}.{signature[:-2]}") == "signature"
    settings.SECRET_KEY = "y" * 50
    assert refusal_of(text) == "signature"
