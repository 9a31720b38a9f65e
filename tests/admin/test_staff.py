import pytest

from django_mcp.admin.forms import may_act_for, may_issue_for


@pytest.mark.parametrize(
    ("own", "other", "allowed"),
    [
        ({}, {}, True),
        ({"is_superuser": True}, {"is_superuser": True, "is_active": False}, True),
        ({"is_staff": True}, {"is_staff": True}, True),
        ({}, {"is_staff": True}, False),
        ({"is_staff": True}, {"is_superuser": True}, False),
        ({}, {"is_active": False}, False),
    ],
)
def test_flags(person, own, other, allowed):
    assert may_act_for(person("own", **own), person("other", **other)) is allowed


def test_permissions_must_be_a_part_of_ones_own(person):
    one, both = "coffee_shop.view_order", "coffee_shop.delete_order"
    weak, strong, rival = person("weak", one), person("strong", one, both), person("rival", "coffee_shop.add_order")
    assert may_act_for(strong, weak)
    assert not may_act_for(weak, strong)
    assert not may_act_for(strong, rival)


def test_permissions_by_group_count(person):
    from django.contrib.auth.models import Group, Permission

    managers = Group.objects.create(name="managers")
    managers.permissions.add(Permission.objects.get(codename="delete_order"))
    member = person("member")
    member.groups.add(managers)
    assert not may_act_for(person("plain"), member)
    assert may_act_for(member, person("other"))


@pytest.mark.parametrize(
    ("own", "other", "allowed"),
    [
        ((), (), False),
        (("issue_for_others",), (), True),
        (("issue_for_others",), ("view_apikey",), False),
        (("issue_for_others", "view_apikey"), ("view_apikey",), True),
    ],
)
def test_keys_for_others_take_a_permission_and_no_less_power(person, own, other, allowed):
    assert may_issue_for(person("own", *own), person("other", *other)) is allowed


def test_keys_for_oneself_take_no_permission_and_superusers_none_at_all(person):
    plain, root = person("plain"), person("root", is_superuser=True)
    assert may_issue_for(plain, plain)
    assert may_issue_for(root, plain)
    assert not may_issue_for(plain, root)
