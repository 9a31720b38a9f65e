from django.contrib.auth.models import User
from django.urls import path
from rest_framework.decorators import api_view
from rest_framework.routers import SimpleRouter
from rest_framework.viewsets import ModelViewSet

from django_mcp.decorators import mcp_operation
from tests.catalog.hosts import catalog_of


def test_operations_that_are_named_and_do_not_exist_are_reported_with_the_nearest():
    @mcp_operation(name="Pay", prerequisites=["Basket"], preview="Quoet", follow_ups=["SHIP", "nothing like it"])
    @api_view(["POST"])
    def pay(request): ...

    def other(name):
        return mcp_operation(name=name, aliases=[f"{name}Now"])(api_view(["POST"])(lambda request: None))

    problems = catalog_of(
        path("pay/", pay), *(path(f"{name}/", other(name)) for name in ("Basket", "Quote", "Ship"))
    ).problems
    assert [(problem.subject, problem.cure) for problem in problems] == [
        ("Pay", "Did you mean 'Quote'?"),
        ("Pay", "`manage.py mcp operations` lists what there is."),
    ]
    assert "preview" in problems[0].text
    assert "'nothing like it'" in problems[1].text


def test_an_operation_may_be_named_by_its_alias():
    view = mcp_operation(name="Pay", aliases=["Settle"], follow_ups=["settle"])(
        api_view(["POST"])(lambda request: None)
    )
    assert catalog_of(path("pay/", view)).problems == ()


def test_a_wrong_name_declared_for_a_whole_viewset_is_reported_once():
    @mcp_operation(follow_ups=["Shipp"])
    class Orders(ModelViewSet):
        queryset = User.objects.all()

    router = SimpleRouter()
    router.register("orders", Orders)
    [problem] = catalog_of(*router.urls).problems
    assert "5 more" in problem.text
