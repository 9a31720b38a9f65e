"""An API whose documentation, group and rows would run in the admin's pages, did they not escape them."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from django_mcp.decorators import mcp_operation

# Each way to run when it lands in a page as it is; what runs says so in the window's title.
MARKUP = """<img src=x onerror='document.title="ran"'><script>document.title="ran"</script>"""
SHORT = "<img src=x onerror=document.title='ran'>"
GROUP = f"notices {SHORT}"


@mcp_operation(group=GROUP, name="PostNotice", description=f"Post a notice. {MARKUP}")
class Notices(APIView):
    @extend_schema(summary=MARKUP, request={"application/json": {"type": "object"}}, responses={201: None})
    def post(self, request: Request) -> Response:
        return Response({"posted": request.data, "note": MARKUP}, status=201)
