"""Views as awkward as those of real projects; each records what it saw in `seen`."""

import asyncio
import math
import time
from contextlib import contextmanager
from datetime import timedelta
from decimal import Decimal
from io import BytesIO
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.core.exceptions import SuspiciousOperation
from django.db import transaction
from django.http import FileResponse, Http404, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.utils import translation
from django.utils.decorators import method_decorator
from django.utils.http import http_date
from django.views.decorators.cache import cache_page
from django.views.decorators.vary import vary_on_cookie, vary_on_headers
from rest_framework import generics, mixins, serializers, viewsets
from rest_framework.decorators import action, api_view, permission_classes
from rest_framework.pagination import LimitOffsetPagination, PageNumberPagination
from rest_framework.parsers import FileUploadParser, FormParser, JSONParser, MultiPartParser
from rest_framework.permissions import AllowAny, BasePermission, IsAuthenticated
from rest_framework.renderers import BaseRenderer, BrowsableAPIRenderer, JSONRenderer
from rest_framework.response import Response
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.versioning import AcceptHeaderVersioning, NamespaceVersioning, URLPathVersioning
from rest_framework.views import APIView

from tests.host.models import Item, Person

seen: dict[str, Any] = {}
hooks: list[str] = []


class OneAMinute(SimpleRateThrottle):
    rate = "1/min"

    def get_cache_key(self, request, view):
        return f"one-a-minute-{request.user.pk}"


class OwnerOnly(BasePermission):
    def has_object_permission(self, request, view, obj):
        return obj.owner_id in {None, request.user.pk}


class Never(BasePermission):
    def has_permission(self, request, view):
        return False


class ItemSerializer(serializers.ModelSerializer):
    class Meta:
        model = Item
        fields = ["id", "name", "price", "active", "pin", "people"]
        extra_kwargs = {"pin": {"write_only": True}, "people": {"required": False}}


class StampingSerializer(serializers.ModelSerializer):
    """Writes more than it is sent: a default that is computed, and a field that nobody sends."""

    views = serializers.IntegerField(default=lambda: 99)
    owner = serializers.HiddenField(default=serializers.CurrentUserDefault())

    class Meta:
        model = Item
        fields = ["id", "name", "views", "active", "owner"]


class StampingViewSet(viewsets.ModelViewSet):
    queryset = Item.objects.all()
    serializer_class = StampingSerializer
    permission_classes = [IsAuthenticated]


class Limited(LimitOffsetPagination):
    default_limit = 3


class Numbered(PageNumberPagination):
    page_size = 2
    page_size_query_param = "page_size"


class ItemViewSet(viewsets.ModelViewSet):
    queryset = Item.objects.all()
    serializer_class = ItemSerializer
    permission_classes = [IsAuthenticated, OwnerOnly]
    pagination_class = Limited

    @action(detail=True, methods=["post"])
    def star(self, request, pk=None):
        item = self.get_object()
        Item.objects.filter(pk=item.pk).update(views=item.views + 1)
        return Response({"views": item.views + 1})

    @action(detail=False, methods=["delete"])
    def archive(self, request):
        Item.objects.all().delete()
        return Response(status=204)

    @action(detail=False, methods=["get"])
    def mine(self, request):
        return Response({"mine": True})


class NumberedItems(generics.ListAPIView):
    queryset = Item.objects.all()
    serializer_class = ItemSerializer
    pagination_class = Numbered


class GenericItem(generics.RetrieveUpdateDestroyAPIView):
    queryset = Item.objects.all()
    serializer_class = ItemSerializer


class OwnCreate(generics.ListCreateAPIView):
    queryset = Item.objects.all()
    serializer_class = ItemSerializer

    def create(self, request, *args, **kwargs):
        item = Item.objects.create(name=request.data.get("name", "given by the view"))
        return Response({"id": item.pk}, status=201)


class Own(generics.GenericAPIView):
    """Handlers that the host wrote itself."""

    queryset = Item.objects.all()
    serializer_class = ItemSerializer

    def post(self, request, pk):
        return Response({})

    put = patch = delete = post


class People(mixins.RetrieveModelMixin, mixins.DestroyModelMixin, viewsets.GenericViewSet):
    class serializer_class(serializers.ModelSerializer):
        class Meta:
            model = Person
            fields = ["id", "email"]

    queryset = Person.objects.all()
    lookup_field = "email"
    lookup_value_regex = "[^/]+"


class Throttled(generics.CreateAPIView):
    queryset = Item.objects.all()
    serializer_class = ItemSerializer
    throttle_classes = [OneAMinute]


class Initial(APIView):
    def initial(self, request, *args, **kwargs):
        super().initial(request, *args, **kwargs)
        self.tenant = "tenant of " + request.user.username

    def get(self, request):
        return Response({"tenant": self.tenant})


class Denied(generics.CreateAPIView):
    queryset = Item.objects.all()
    serializer_class = ItemSerializer
    permission_classes = [Never]


class Versioned(APIView):
    def get(self, request, **kwargs):
        return Response({"version": request.version})


class VersionedByPath(Versioned):
    versioning_class = URLPathVersioning


class VersionedByNamespace(Versioned):
    versioning_class = NamespaceVersioning


class VersionedByAccept(Versioned):
    class versioning_class(AcceptHeaderVersioning):
        default_version = "1.5"


@method_decorator(cache_page(60), name="dispatch")
@method_decorator(vary_on_headers("Authorization"), name="dispatch")
class CachedByAuthorization(APIView):
    def get(self, request):
        return Response({"user": request.user.username})


@method_decorator(cache_page(60), name="dispatch")
@method_decorator(vary_on_cookie, name="dispatch")
class CachedByCookie(CachedByAuthorization):
    pass


class Crash(APIView):
    def post(self, request):
        Item.objects.create(name="half done")
        transaction.on_commit(lambda: hooks.append("crash"))
        msg = f"secret=hunter2 {request.data.get('password')} SELECT * FROM users"
        raise RuntimeError(msg)


class CrashNested(APIView):
    def post(self, request):
        raise KeyError(request.data["users"][0]["password"])


class SaveThenRefuse(APIView):
    def post(self, request):
        Item.objects.create(name="half done")
        raise serializers.ValidationError({"name": ["Taken."]})


class SaveThenAnswer400(APIView):
    def post(self, request):
        Item.objects.create(name="kept")
        return Response({"name": ["Kept all the same."]}, status=400)


class Hooked(APIView):
    def post(self, request):
        Item.objects.create(name="hooked")
        transaction.on_commit(lambda: hooks.append("hooked"))
        return Response({"hooks": len(hooks)})


class Unrenderable(APIView):
    def post(self, request):
        Item.objects.create(name="committed")
        return Response({"object": object()})


class BadHook(APIView):
    def post(self, request):
        def hook():
            msg = "the mail server is down"
            raise RuntimeError(msg)

        Item.objects.create(name="committed")
        transaction.on_commit(hook)
        return Response({})


class AsyncView(APIView):
    """What async extensions of DRF do."""

    async def dispatch(self, request, *args, **kwargs):
        self.args, self.kwargs = args, kwargs
        self.request = request = self.initialize_request(request, *args, **kwargs)
        self.headers = self.default_response_headers
        try:
            await sync_to_async(self.initial)(request, *args, **kwargs)
            response = await getattr(self, request.method.lower())(request, *args, **kwargs)
        except Exception as exc:
            response = self.handle_exception(exc)
        return self.finalize_response(request, response, *args, **kwargs)

    async def post(self, request):
        await asyncio.sleep(0)
        await Item.objects.acreate(name="async")
        return Response({"user": request.user.username})


class UploadSerializer(serializers.Serializer):
    title = serializers.CharField()
    public = serializers.BooleanField(default=True)
    tags = serializers.ListField(child=serializers.CharField(), required=False)
    meta = serializers.JSONField(required=False)
    rows = serializers.ListField(child=serializers.DictField(), required=False)
    document = serializers.FileField(required=False, allow_null=True)


class Upload(generics.GenericAPIView):
    serializer_class = UploadSerializer
    parser_classes = [MultiPartParser]

    def post(self, request):
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        data = dict(serializer.validated_data)
        file = data.pop("document", None)
        if file is not None:
            data["document"] = {"name": file.name, "type": file.content_type, "text": file.read().decode()}
        return Response({**data, "sent_as": request.content_type.partition(";")[0], "keys": sorted(request.data)})


class UploadOrJson(Upload):
    parser_classes = [JSONParser, MultiPartParser]


class UrlEncodedOnly(Upload):
    parser_classes = [FormParser]


class RawUpload(APIView):
    parser_classes = [FileUploadParser]

    def post(self, request):
        return Response({})


class Choosing(Upload):
    def get_parsers(self):
        return [MultiPartParser()] if self.request.user else [JSONParser()]


class Dialect(Upload):
    class Parser(JSONParser):
        media_type = "application/vnd.api+json"

    parser_classes = [Parser]


@contextmanager
def as_tenant(request):
    seen["tenant"] = request.path
    yield


class CsvRenderer(BaseRenderer):
    media_type = "text/csv"
    format = "csv"

    def render(self, data, accepted_media_type=None, renderer_context=None):
        return "".join(f"{key},{value}\r\n" for key, value in data.items()).encode()


class CsvOnly(APIView):
    renderer_classes = [CsvRenderer]

    def get(self, request):
        return Response({"a": 1, "ž": 2})


class CsvFirst(CsvOnly):
    renderer_classes = [CsvRenderer, BrowsableAPIRenderer, JSONRenderer]


class BrowsableOnly(CsvOnly):
    renderer_classes = [BrowsableAPIRenderer]


class Kinds(APIView):
    """Answers of every kind, by the name in the URL."""

    def get(self, request, kind):
        return getattr(self, kind)(request)

    def png(self, request):
        return FileResponse(BytesIO(b"\x89PNG\r\n\xff\xfe"), as_attachment=True, filename="logo ž.png")

    def stream(self, request):
        def rows():
            seen["streamed"] = True
            yield b"row"

        return StreamingHttpResponse(rows(), content_type="text/csv")

    def binary(self, request):
        return HttpResponse(b"\xff\xfe\x00", content_type="application/octet-stream")

    def page(self, request):
        return HttpResponse("<h1>Žluťoučký</h1>")

    def long(self, request):
        return HttpResponse("ž" * 100_000, content_type="text/plain")

    def empty(self, request):
        return Response(status=204)

    def moved(self, request):
        return HttpResponseRedirect("/elsewhere/")

    def odd_numbers(self, request):
        return Response({"nan": math.nan, "inf": [math.inf], "ok": 1.5})

    def big_integers(self, request):
        return Response({"id": 725653563933458432, "edge": 2**53 - 1, "over": 2**53, "negative": -(2**53)})

    def types(self, request):
        return Response(
            {"uuid": UUID(int=1), "decimal": Decimal("1.50"), "delta": timedelta(seconds=1), "lazy": lazy()}
        )

    def missing(self, request):
        raise Http404("No Item matches the secret query.")

    def busy(self, request):
        return Response({"detail": "Later."}, status=503, headers={"Retry-After": "7"})

    def busy_until(self, request):
        return Response(status=429, headers={"Retry-After": http_date(time.time() + 60)})

    def debug_page(self, request):
        return HttpResponse("<h1>Traceback</h1>", status=500)

    def broken_json(self, request):
        return HttpResponse("{", content_type="application/json")

    def odd_charset(self, request):
        return HttpResponse(b"x", content_type="text/plain; charset=klingon")

    def unclosable(self, request):
        class Rows:
            def __iter__(self):
                return iter([b"row"])

            def close(self):
                raise OSError

        return StreamingHttpResponse(Rows(), content_type="text/csv")

    def nothing(self, request):
        return None


def lazy():
    return translation.gettext_lazy("Yes")


def suspicious(request):
    raise SuspiciousOperation("hunter2")


class Sees(APIView):
    """Reports the request."""

    permission_classes = [AllowAny]

    def get(self, request):
        inner = request._request
        request.session["cart"] = 1
        request.session.save()
        seen["session"] = request.session
        translation.activate("fr")
        return Response(
            {
                "user": request.user.get_username(),
                "django_user": inner.user.get_username(),
                "auth": request.auth and str(request.auth),
                "authorization": request.headers.get("Authorization"),
                "cookie": request.headers.get("Cookie"),
                "tenant": request.headers.get("X-Tenant"),
                "flag": getattr(inner, "flag", None),
                "link": request.build_absolute_uri("/next/"),
                "address": request.META.get("REMOTE_ADDR"),
                "query": dict(request.query_params.lists()),
                "secure": request.is_secure(),
            }
        )


@api_view(["POST"])
@permission_classes([IsAuthenticated])
def add(request, left, right):
    return Response({"sum": left + right, "data": request.data})


@api_view(["GET", "POST"])
def split(request, left, right):
    return Response({"left": left, "right": right})


class WholeArray(APIView):
    def post(self, request):
        return Response({"items": request.data})
