"""Operations that answer files."""

from io import BytesIO

from django.http import FileResponse, HttpResponse, StreamingHttpResponse
from django.urls import include, path
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response
from rest_framework.views import APIView

from tests.host.models import Item

PNG = b"\x89PNG\r\n\x1a\n" + b"pixels"
closed = []


class Stream(BytesIO):
    def close(self):
        closed.append(True)
        super().close()


class Broken:
    def __iter__(self):
        yield b"one"
        msg = "the disk secret=hunter2 is gone"
        raise OSError(msg)

    def close(self):
        closed.append(True)


async def drops():
    for _ in range(3):
        yield b"drop"


class Files(APIView):
    """Files of every kind, by the name in the query."""

    @extend_schema(operation_id="GetFile", tags=["files"], parameters=[])
    def get(self, request, kind):
        return getattr(self, kind)()

    @extend_schema(operation_id="MakeFile", tags=["files"])
    def post(self, request, kind):
        Item.objects.create(name=kind)
        return getattr(self, kind)()

    def picture(self):
        return HttpResponse(PNG, content_type="image/png")

    def sound(self):
        return FileResponse(Stream(b"RIFF" * 10), content_type="audio/wav")

    def long_sound(self):
        return FileResponse(Stream(b"RIFF" * 1000), filename="rain.wav", content_type="audio/wav")

    def pdf(self):
        return HttpResponse(
            b"%PDF-1.7\xff",
            content_type="application/pdf",
            headers={"Content-Disposition": 'attachment; filename="../../bill.pdf"'},
        )

    def export(self):
        return FileResponse(Stream(b"a,b\r\n1,2\r\n"), as_attachment=True, filename="orders.csv")

    def endless(self):
        def zeros():
            while True:
                yield b"\0" * 1000

        return StreamingHttpResponse(zeros(), content_type="application/octet-stream")

    def camera(self):
        return StreamingHttpResponse(iter(["never read"]), content_type="multipart/x-mixed-replace; boundary=x")

    def packed(self):
        return HttpResponse(b"\x1f\x8b", content_type="application/pdf", headers={"Content-Encoding": "gzip"})

    def too_big(self):
        return StreamingHttpResponse(Broken(), content_type="application/zip", headers={"Content-Length": "1001"})

    def broken(self):
        return StreamingHttpResponse(Broken(), content_type="application/zip")

    def drops(self):
        return StreamingHttpResponse(drops(), content_type="application/x-drops")

    def refused(self):
        return HttpResponse(PNG, status=400, content_type="image/png")

    def plain(self):
        return Response({"kind": "plain"})


urlpatterns = [
    path("files/<kind>/", Files.as_view(), name="file"),
    path("", include("django_mcp.urls")),
]
