"""An issue tracker: nested routes, filters, pages of each kind, rows of one owner, shapes of several kinds."""

from django.db import transaction
from django_filters import rest_framework as django_filters
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema, extend_schema_view
from rest_framework import serializers, viewsets
from rest_framework.decorators import action
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.filters import BaseFilterBackend, OrderingFilter, SearchFilter
from rest_framework.mixins import CreateModelMixin, ListModelMixin, RetrieveModelMixin
from rest_framework.pagination import CursorPagination, LimitOffsetPagination, PageNumberPagination
from rest_framework.parsers import FormParser, MultiPartParser
from rest_framework.permissions import BasePermission, DjangoModelPermissions, IsAuthenticated
from rest_framework.response import Response

from tests.host.models import Account, Project, Reading, Scan, Shape, Ticket


class OwnRows(BaseFilterBackend):
    """A guard rather than a filter: others' rows do not exist."""

    def filter_queryset(self, request, queryset, view):
        return queryset.filter(owner=request.user)


class EvenHours(BasePermission):
    """Needs the arguments of the URL, and an object."""

    message = "This project is closed."

    def has_permission(self, request, view):
        return view.kwargs["project_slug"] != "closed"

    def has_object_permission(self, request, view, obj):
        return obj.title != "locked" or request.method == "GET"


class ProjectSerializer(serializers.ModelSerializer):
    class Meta:
        model = Project
        fields = ["slug", "title"]


class ChildSerializer(serializers.ModelSerializer):
    """Recursive: a ticket shows its children, they show theirs. The data has an end, the fields have none."""

    class Meta:
        model = Ticket
        fields = ["id", "title"]

    def get_fields(self):
        return {**super().get_fields(), "children": ChildSerializer(many=True, read_only=True)}


class TicketSerializer(serializers.ModelSerializer):
    class Meta:
        model = Ticket
        fields = ["id", "title", "kind", "weight", "cost", "due", "details", "open", "parent"]
        extra_kwargs = {"weight": {"max_value": 100}, "cost": {"min_value": 0}}

    def validate_title(self, title):
        if title == "taken":
            raise ValidationError("Already taken.")
        return title

    def validate(self, attrs):
        if attrs.get("kind") == "wish" and attrs.get("cost"):
            raise ValidationError("A wish costs nothing.")
        return attrs


class TicketFilter(django_filters.FilterSet):
    heavier = django_filters.NumberFilter(field_name="weight", lookup_expr="gt")
    kind = django_filters.MultipleChoiceFilter(choices=Ticket.Kind.choices)

    class Meta:
        model = Ticket
        fields = ["open", "due"]


class SmallPages(PageNumberPagination):
    page_size = 2


class Slices(LimitOffsetPagination):
    default_limit = 25
    max_limit = 50


class Cursors(CursorPagination):
    page_size = 2
    ordering = "id"


class ProjectViewSet(viewsets.ModelViewSet):
    queryset = Project.objects.all()
    serializer_class = ProjectSerializer
    permission_classes = [IsAuthenticated]
    lookup_field = "slug"
    lookup_value_regex = "[a-z-]+"

    @action(detail=True, methods=["get", "post", "delete"])
    def open_tickets(self, request, slug=None):
        """Count, reopen or close all tickets of the project."""
        tickets = self.get_object().tickets.all()
        if request.method == "GET":
            return Response({"open": tickets.filter(open=True).count()})
        changed = tickets.update(open=request.method == "POST")
        return Response({"changed": changed}, status=202)

    @action(detail=True, methods=["get"])
    def cover(self, request, slug=None):
        return Response({"title": self.get_object().title, "due": None})

    @cover.mapping.put
    def set_cover(self, request, slug=None):
        project = self.get_object()
        if not request.data.get("title"):
            raise ValidationError({"title": ["What should it be?"]})
        Project.objects.filter(pk=project.pk).update(title=str(request.data["title"]))
        return Response({"title": str(request.data["title"])})


class TicketViewSet(viewsets.ModelViewSet):
    """The tickets of one project: the route nests."""

    serializer_class = TicketSerializer
    permission_classes = [IsAuthenticated, EvenHours]
    filter_backends = [SearchFilter, OrderingFilter, django_filters.DjangoFilterBackend]
    filterset_class = TicketFilter
    search_fields = ["title"]
    ordering_fields = ["title", "weight"]
    pagination_class = Slices

    def get_queryset(self):
        return Ticket.objects.filter(project__slug=self.kwargs["project_slug"])

    def perform_create(self, serializer):
        project = Project.objects.filter(slug=self.kwargs["project_slug"]).first()
        if project is None:
            raise ValidationError({"project_slug": ["There is no such project."]})
        serializer.save(project=project, owner=self.request.user)

    @action(detail=True, methods=["post"])
    def split(self, request, pk=None, project_slug=None):
        """Make a child, then find that the weight does not divide: what was made must go again."""
        ticket = self.get_object()
        Ticket.objects.create(project=ticket.project, title=f"{ticket.title}, half", parent=ticket)
        if (ticket.weight or 0) % 2:
            raise ValidationError({"weight": ["It is odd."]})
        transaction.on_commit(lambda: Ticket.objects.filter(pk=ticket.pk).update(weight=(ticket.weight or 0) // 2))
        return Response({"children": ticket.children.count()}, status=201)


class OwnTickets(viewsets.ReadOnlyModelViewSet):
    queryset = Ticket.objects.all()
    serializer_class = TicketSerializer
    filter_backends = [OwnRows, django_filters.DjangoFilterBackend]
    filterset_class = TicketFilter
    pagination_class = SmallPages


class TicketStream(viewsets.GenericViewSet, ListModelMixin):
    queryset = Ticket.objects.all()
    serializer_class = TicketSerializer
    pagination_class = Cursors


class TicketTree(viewsets.GenericViewSet, RetrieveModelMixin):
    queryset = Ticket.objects.all()
    serializer_class = ChildSerializer


class GuardedTickets(viewsets.ModelViewSet):
    """Django's own permissions decide: reading is free, the rest needs what a group gives."""

    queryset = Ticket.objects.all()
    serializer_class = TicketSerializer
    permission_classes = [DjangoModelPermissions]
    http_method_names = ["get", "patch", "delete"]


class CircleSerializer(serializers.ModelSerializer):
    class Meta:
        model = Shape
        fields = ["id", "radius"]
        extra_kwargs = {"radius": {"required": True, "allow_null": False, "min_value": 1}}


class BoxSerializer(serializers.ModelSerializer):
    class Meta:
        model = Shape
        fields = ["id", "width", "height"]


class ShapeSerializer(serializers.Serializer):
    """Polymorphic: the kind says which fields there are."""

    kinds = {"circle": CircleSerializer, "box": BoxSerializer}
    kind = serializers.ChoiceField(["circle", "box"])

    def to_representation(self, instance):
        return {"kind": instance.kind, **self.kinds[instance.kind](instance).data}

    def to_internal_value(self, data):
        kind = super().to_internal_value(data)["kind"]
        return {"kind": kind, **self.kinds[kind]().run_validation(data)}

    def create(self, validated_data):
        return Shape.objects.create(**validated_data)


@extend_schema_view(
    create=extend_schema(
        request=PolymorphicProxySerializer(
            component_name="AnyShape",
            serializers={"circle": CircleSerializer, "box": BoxSerializer},
            resource_type_field_name="kind",
        )
    )
)
class ShapeViewSet(CreateModelMixin, viewsets.ReadOnlyModelViewSet):
    queryset = Shape.objects.all()
    serializer_class = ShapeSerializer


class AccountViewSet(viewsets.ModelViewSet):
    class serializer_class(serializers.ModelSerializer):
        class Meta:
            model = Account
            fields = ["number", "label", "master"]

    queryset = Account.objects.all()


class ReadingViewSet(CreateModelMixin, viewsets.ReadOnlyModelViewSet):
    class serializer_class(serializers.ModelSerializer):
        class Meta:
            model = Reading
            fields = ["id", "meter", "value"]

    queryset = Reading.objects.all()

    def perform_create(self, serializer):
        """Write to both databases, and think better of it where the value is negative."""
        serializer.save()
        Scan.objects.create(title=f"of {serializer.validated_data['meter']}"[:30])
        if serializer.validated_data["value"] < 0:
            raise ValidationError({"value": ["Meters do not run backwards."]})


class Gone(APIException):
    status_code = 410
    default_detail = "It was archived."


class ScanViewSet(CreateModelMixin, viewsets.ReadOnlyModelViewSet):
    """Takes forms only, and a file where there is one."""

    class serializer_class(serializers.ModelSerializer):
        page = serializers.FileField(write_only=True, required=False)

        class Meta:
            model = Scan
            fields = ["id", "title", "public", "size", "page"]
            read_only_fields = ["size"]

        def create(self, validated_data):
            page = validated_data.pop("page", None)
            return Scan.objects.create(size=page.size if page else 0, **validated_data)

    queryset = Scan.objects.all()
    parser_classes = [MultiPartParser, FormParser]

    @action(detail=True, methods=["patch"])
    def publish(self, request, pk=None):
        scan = self.get_object()
        serializer = self.get_serializer(scan, data=request.data, partial=True)
        serializer.is_valid(raise_exception=True)
        Scan.objects.filter(pk=scan.pk).update(public=serializer.validated_data.get("public", scan.public))
        return Response({"public": Scan.objects.get(pk=scan.pk).public})

    @action(detail=True, methods=["get"])
    def archived(self, request, pk=None):
        raise Gone
