"""The address of a list asks for what its filters ask for, and for no column that the page does not show."""

import pytest

LISTS = "/admin/django_mcp/"


@pytest.mark.parametrize(
    "query",
    [
        "apikey/?digest__startswith=0",
        "apikey/?digest=0",
        "apikey/?user__password__startswith=p",
        "apikey/?permissions__icontains=x",
        "confirmation/?nonce=x",
        "confirmation/?effective__contains=Sam",
        "confirmation/?argument_digests__has_key=x",
        "confirmation/?arguments__customer_name=Sam",
        "confirmation/?outcome__response__id=1042",
        "confirmation/?state__regex=.",
        "auditevent/?detail__reason__startswith=x",
        "auditevent/?address__startswith=10.",
        "toolrule/?route__startswith=x",
    ],
)
def test_a_hidden_column_cannot_be_asked(desk, query):
    assert desk.get(LISTS + query).status_code == 400


@pytest.mark.parametrize(
    "query",
    [
        "apikey/?state=active&highest_safety__exact=Write&q=x&o=1",
        "confirmation/?state=issued&safety__exact=Write&mode__exact=review&channel__exact=agent",
        "confirmation/?issued_at__gte=2026-01-01+00:00Z&issued_at__lt=2026-02-01+00:00Z",
        "auditevent/?kind__exact=executed&time__gte=2026-01-01+00:00Z&time__lt=2026-02-01+00:00Z",
        "toolrule/?exposure__exact=hidden",
    ],
)
def test_a_filter_of_the_page_can(desk, query):
    assert desk.get(LISTS + query).status_code == 200
