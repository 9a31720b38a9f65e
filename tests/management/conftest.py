import pytest

from tests.tools.conftest import declaring

__all__ = ["declaring"]


@pytest.fixture
def sam(django_user_model):
    return django_user_model.objects.create_user("sam")
