"""Schema classes of the project, which go on from what drf-spectacular says of an operation."""

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import build_array_type, build_media_type_object


class HouseSchema(AutoSchema):
    """Knows an option that every list takes, and that a deletion of several has a body."""

    def get_operation(self, *args, **kwargs):
        operation = super().get_operation(*args, **kwargs)
        if self.method == "DELETE" and "requestBody" not in operation and self._deletes_several():
            component = self.resolve_serializer(self.get_request_serializer(), "request")
            media = build_media_type_object(build_array_type(component.ref))
            operation["requestBody"] = {"content": {"application/json": media}, "required": True}
        if getattr(self.view, "action", "") == "list":
            option = {"in": "query", "name": "style", "schema": {"enum": ["short", "long"], "default": "short"}}
            operation.setdefault("parameters", []).append(option)
        return operation

    def _deletes_several(self):
        return getattr(self.view, "action", "") == "bulk_destroy"


class ForgetfulSchema(AutoSchema):
    """Takes for granted what need not be there."""

    def get_operation(self, *args, **kwargs):
        operation = super().get_operation(*args, **kwargs)
        operation["x-internal"]["owner"] = "nobody"
        return operation


class FrugalSchema(AutoSchema):
    """Overrides methods with the arguments that they are called with, and no more."""

    def _get_request_body(self):
        return super()._get_request_body()

    def _map_serializer_field(self, field, direction):
        return super()._map_serializer_field(field, direction)


class SilentSchema(AutoSchema):
    """Keeps the operation out of the project's document."""

    def get_operation(self, *args, **kwargs):
        return None


class StaffSchema(AutoSchema):
    """Knows an option that only members of the staff have."""

    def get_operation(self, *args, **kwargs):
        operation = super().get_operation(*args, **kwargs)
        if self.view.request.user.is_staff:
            option = {"in": "query", "name": "payroll", "schema": {"type": "string"}}
            operation.setdefault("parameters", []).append(option)
        return operation


class HandwrittenSchema(AutoSchema):
    """Writes the body anew, and not all that is known of it."""

    def get_operation(self, *args, **kwargs):
        operation = super().get_operation(*args, **kwargs)
        schema = {"type": "object", "properties": {"pin": {"type": "string"}, "note": {"type": "string"}}}
        return {**operation, "requestBody": {"content": {"application/json": {"schema": schema}}}}


class AloneSchema(HandwrittenSchema):
    """Asks nobody what there is."""

    def get_operation(self, path, path_regex, path_prefix, method, registry):
        schema = {"type": "object", "properties": {"pin": {"type": "string"}}}
        return {"requestBody": {"content": {"application/json": {"schema": schema}}}, "responses": {}}


class MalformedSchema(AutoSchema):
    """Says what is no OpenAPI."""

    def get_operation(self, *args, **kwargs):
        return {**super().get_operation(*args, **kwargs), "responses": None}
