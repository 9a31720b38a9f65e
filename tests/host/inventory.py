"""Habits of large APIs: rows are named in several ways, many are changed at once, and at times it is closed."""

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import mixins, serializers, viewsets
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.response import Response
from rest_framework.views import APIView, exception_handler

from tests.host.models import Project, Scan, Ticket
from tests.host.schemas import HouseSchema
from tests.host.tracker import SmallPages


def _named(data):
    """Find a project by its key, its slug, or an object with one of them."""
    said = data if isinstance(data, dict) else {"id" if isinstance(data, int) else "slug": data}
    try:
        return Project.objects.get(**{name: said[name] for name in ("id", "slug") if name in said})
    except (Project.DoesNotExist, Project.MultipleObjectsReturned, TypeError, ValueError):
        raise ValidationError("There is no such project.") from None


class NestedProject(serializers.ModelSerializer):
    class Meta:
        model = Project
        fields = ["id", "slug"]

    def to_internal_value(self, data):
        return _named(data)


@extend_schema_field({"type": "object", "properties": {"slug": {"type": "string"}}})
class ProjectField(serializers.RelatedField):
    def to_internal_value(self, data):
        return _named(data)

    def to_representation(self, value):
        return {"slug": value.slug}


class Detail(serializers.Serializer):
    colour = serializers.CharField(required=False)


class AssetSerializer(serializers.ModelSerializer):
    project = NestedProject()
    details = Detail(required=False)
    others = ProjectField(queryset=Project.objects.all(), many=True, required=False, write_only=True)

    class Meta:
        model = Ticket
        fields = ["id", "title", "weight", "project", "details", "others"]

    def create(self, validated_data):
        others = validated_data.pop("others", [])
        title = validated_data["title"] + "".join(f" {other.slug}" for other in others)
        return Ticket.objects.create(**{**validated_data, "title": title[:30]})

    def update(self, instance, validated_data):
        for name in validated_data.keys() - {"others"}:
            setattr(instance, name, validated_data[name])
        instance.save()
        return instance


class AssetViewSet(mixins.CreateModelMixin, mixins.UpdateModelMixin, mixins.ListModelMixin, viewsets.GenericViewSet):
    queryset = Ticket.objects.all()
    serializer_class = AssetSerializer
    pagination_class = SmallPages


class Reference(serializers.Serializer):
    id = serializers.IntegerField()


class ShelfViewSet(mixins.ListModelMixin, viewsets.GenericViewSet):
    """Deletes several at once; only its schema class says so."""

    queryset = Scan.objects.all()
    serializer_class = Reference
    schema = HouseSchema()

    def bulk_destroy(self, request):
        serializer = Reference(data=request.data, many=True)
        serializer.is_valid(raise_exception=True)
        for row in serializer.validated_data:
            get_object_or_404(Scan, pk=row["id"]).delete()
        return Response(status=204)


class Clearing(APIView):
    class Asked(serializers.Serializer):
        titles = serializers.ListField(child=serializers.CharField())
        reason = serializers.CharField(required=False)

    @extend_schema(request=Asked, responses={200: None})
    def delete(self, request):
        asked = self.Asked(data=request.data)
        asked.is_valid(raise_exception=True)
        Scan.objects.filter(title__in=asked.validated_data["titles"]).delete()
        return Response({"reason": asked.validated_data.get("reason")})


class Closed(APIException):
    status_code = 503
    default_detail = "Closed for stocktaking until six."


class Stocktaking(APIView):
    def get(self, request):
        raise Closed

    def post(self, request):
        Scan.objects.create(title="half done")
        raise Closed


def every_exception_is_one_of_the_api(error, context):
    """An exception handler as some packages bring it: no client gets a page."""
    return exception_handler(error if isinstance(error, APIException) else APIException(str(error)), context)


class BadMoment(APIException):
    status_code = 503


def every_exception_is_a_bad_moment(error, context):
    """An exception handler that asks clients to try again."""
    return exception_handler(error if isinstance(error, APIException) else BadMoment(str(error)), context)


def every_exception_raises_one_of_the_api(error, context):
    """An exception handler that leaves the answer to whoever is outside of the view."""
    raise APIException(str(error))
