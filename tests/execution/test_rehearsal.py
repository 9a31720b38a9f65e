"""Which handlers look up the row of their URL, told by their code."""

import pytest
from rest_framework import generics, viewsets
from rest_framework.decorators import action
from rest_framework.generics import get_object_or_404
from rest_framework.response import Response

from django_mcp.execution.rehearsal import LookUp


class Direct(generics.GenericAPIView):
    def post(self, request, pk):
        return Response(self.get_object().pk)


class ByHelper(generics.GenericAPIView):
    def post(self, request, pk):
        return Response([self._thing() for _ in range(1)])

    def _thing(self):
        return self.get_object()


class BySuper(generics.UpdateAPIView):
    def put(self, request, *args, **kwargs):
        return super().put(request, *args, **kwargs)


class Below(generics.ListCreateAPIView):
    def create(self, request, pk):
        rows = {}
        rows.update(parent=pk)
        return Response(rows)

    def delete(self, request, pk):
        return Response(self.get_object().pk)


class ItsOwnWay(generics.GenericAPIView):
    def post(self, request, pk):
        return Response(get_object_or_404(self.get_queryset(), pk=pk).pk)

    def delete(self, request, pk):
        return Response(status=204)


class Things(viewsets.ModelViewSet):
    @action(detail=True, methods=["post"])
    def star(self, request, pk):
        return Response(pk)


@pytest.mark.parametrize(
    ("view", "handler", "how"),
    [
        (Direct, "post", LookUp.SURE),
        (ByHelper, "post", LookUp.SURE),
        (BySuper, "put", LookUp.SURE),
        (Below, "post", LookUp.NEVER),
        (Below, "delete", LookUp.SURE),
        (ItsOwnWay, "post", LookUp.MAYBE),
        (ItsOwnWay, "delete", LookUp.MAYBE),
        (Things, "star", LookUp.MAYBE),
        (Things, "update", LookUp.SURE),
    ],
)
def test_the_code_of_a_handler_tells_whether_it_looks_up_its_row(view, handler, how):
    assert LookUp.of(view, handler) is how
