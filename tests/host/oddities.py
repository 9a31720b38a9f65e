"""Single views with habits: other ways of versioning, fields of every kind, serializers that ask who is calling."""

from collections import OrderedDict

from django.http import HttpResponseRedirect
from django.utils.translation import gettext, gettext_lazy
from rest_framework import generics, serializers, viewsets
from rest_framework.authentication import BaseAuthentication
from rest_framework.decorators import api_view
from rest_framework.exceptions import NotAcceptable
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response
from rest_framework.versioning import HostNameVersioning, QueryParameterVersioning
from rest_framework.views import APIView

from django_mcp.choices import Safety
from django_mcp.decorators import mcp_operation
from tests.host.models import Item, Person
from tests.host.views import Versioned


class VersionedByHost(Versioned):
    class versioning_class(HostNameVersioning):
        default_version = "v1"


class VersionedByQuery(Versioned):
    class versioning_class(QueryParameterVersioning):
        default_version = "1.0"
        allowed_versions = ["1.0", "2.0"]


class AddressSerializer(serializers.Serializer):
    street = serializers.CharField(max_length=20)
    number = serializers.IntegerField(min_value=1, required=False)


class AllSortsSerializer(serializers.Serializer):
    name = serializers.CharField(min_length=2, max_length=10)
    note = serializers.CharField(required=False, allow_blank=True, trim_whitespace=False)
    count = serializers.IntegerField(min_value=0, max_value=9, default=1)
    ratio = serializers.FloatField(required=False, allow_null=True)
    price = serializers.DecimalField(max_digits=6, decimal_places=2, required=False, min_value=0)
    agreed = serializers.BooleanField(required=False)
    unsure = serializers.BooleanField(required=False, allow_null=True)
    size = serializers.ChoiceField(
        [("s", gettext_lazy("Yes")), ("Big", [("l", "Large"), ("xl", "Extra large")])], required=False
    )
    level = serializers.ChoiceField([1, 2, 3], required=False)
    colours = serializers.MultipleChoiceField(choices=["red", "blue"], required=False)
    on = serializers.DateField(required=False)
    at = serializers.DateTimeField(required=False)
    lasts = serializers.DurationField(required=False)
    code = serializers.RegexField(r"^(?P<letter>[a-z])\d+\Z", required=False)
    mail = serializers.EmailField(required=False)
    ident = serializers.UUIDField(required=False)
    address = AddressSerializer(required=False)
    others = AddressSerializer(many=True, required=False)
    numbers = serializers.ListField(child=serializers.IntegerField(), required=False, max_length=3)
    scores = serializers.DictField(child=serializers.IntegerField(), required=False)
    anything = serializers.JSONField(required=False, allow_null=True)
    pin = serializers.CharField(write_only=True, required=False)
    stamp = serializers.CharField(read_only=True, default="stamped")
    who = serializers.HiddenField(default=serializers.CurrentUserDefault())


class AllSorts(generics.GenericAPIView):
    """Gives back what it understood."""

    serializer_class = AllSortsSerializer

    def post(self, request):
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        understood = OrderedDict(serializer.validated_data)
        understood["who"] = understood["who"].get_username()
        if "colours" in understood:
            understood["colours"] = sorted(understood["colours"])
        Person.objects.get_or_create(email=understood["name"])
        return Response(understood)

    put = post


class Visited(generics.RetrieveUpdateDestroyAPIView):
    """Writes down who was looked for, already when it looks."""

    class serializer_class(serializers.ModelSerializer):
        class Meta:
            model = Item
            fields = ["id", "name", "price"]

    queryset = Item.objects.all()

    def get_object(self):
        Person.objects.create(email=f"looked for {self.kwargs['pk']}")
        return super().get_object()


class OwnSerializer(generics.GenericAPIView):
    """Its serializer and rows depend on who asks and how."""

    class Plain(serializers.ModelSerializer):
        class Meta:
            model = Item
            fields = ["id", "name"]

    class Full(Plain):
        class Meta:
            model = Item
            fields = ["id", "name", "views", "owner"]

    def get_queryset(self):
        return Item.objects.filter(owner=self.request.user)

    def get_serializer_class(self):
        return self.Full if self.request.user.is_staff or self.request.query_params.get("full") else self.Plain

    def get(self, request):
        return Response(self.get_serializer(self.get_queryset(), many=True).data)


class CamelRenderer(JSONRenderer):
    def render(self, data, accepted_media_type=None, renderer_context=None):
        camel = {key.title().replace("_", "")[0].lower() + key.title().replace("_", "")[1:]: data[key] for key in data}
        return super().render(camel, accepted_media_type, renderer_context)


class Camel(APIView):
    renderer_classes = [CamelRenderer]

    def get(self, request):
        return Response({"first_name": "Ann", "last_name": "Ž"})


class Picky(APIView):
    """Accepts nothing that is asked for."""

    def perform_content_negotiation(self, request, force=False):
        if not force:
            raise NotAcceptable
        return super().perform_content_negotiation(request, force)

    def get(self, request):
        return Response({})


class Greeting(APIView):
    """In the caller's language."""

    def get(self, request):
        return Response({"yes": gettext("Yes"), "lazy": gettext_lazy("No")})


class Moving(APIView):
    def post(self, request):
        Item.objects.create(name="moved")
        return HttpResponseRedirect("/items/")


class PlainViewSet(viewsets.ViewSet):
    """Neither queryset nor serializer."""

    def list(self, request):
        return Response([{"id": 1, "user": request.user.pk}])

    def create(self, request):
        Item.objects.create(name=str(request.data.get("name", "?"))[:100])
        return Response(request.data, status=201)


class Finding(APIView):
    """A search that is a POST: declared as reading."""

    @mcp_operation(safety=Safety.READ_ONLY)
    def post(self, request):
        names = Item.objects.filter(name__contains=str(request.data.get("part", ""))).values_list("name", flat=True)
        return Response({"names": list(names)})


class Machines(BaseAuthentication):
    def authenticate(self, request):
        return None


class ForMachines(APIView):
    authentication_classes = [Machines]

    def get(self, request):
        return Response({"machine": True})


@api_view(["GET", "PUT", "DELETE"])
def note(request, number):
    """One note; the function tells the methods apart."""
    if request.method == "DELETE":
        Person.objects.filter(pk=number).delete()
        return Response(status=204)
    if request.method == "PUT":
        if "email" not in request.data:
            return Response({"email": ["Say where to."]}, status=409)
        person, made = Person.objects.update_or_create(pk=number, defaults={"email": str(request.data["email"])[:100]})
        return Response({"number": person.pk}, status=201 if made else 200)
    return Response({"emails": list(Person.objects.filter(pk=number).values_list("email", flat=True))})


@api_view(["POST"])
def crash_after_writing(request):
    Item.objects.create(name="gone")
    raise ZeroDivisionError
