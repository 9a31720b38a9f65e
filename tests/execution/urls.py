from django.urls import include, path, re_path, register_converter
from rest_framework.routers import SimpleRouter

from tests.host import views


class HexConverter:
    regex = "[0-9a-f]+"

    def to_python(self, value):
        return int(value, 16)

    def to_url(self, value):
        return f"{value:x}"


register_converter(HexConverter, "hex")

router = SimpleRouter()
router.register("items", views.ItemViewSet)
router.register("stamping", views.StampingViewSet, basename="stamping")
router.register("people", views.People)

urlpatterns = [
    *router.urls,
    path("numbered/", views.NumberedItems.as_view()),
    path("generic/<int:pk>/", views.GenericItem.as_view()),
    path("own-create/", views.OwnCreate.as_view()),
    path("own/<int:pk>/", views.Own.as_view()),
    path("own-below/<int:pk>/", views.OwnCreate.as_view()),
    path("throttled/", views.Throttled.as_view()),
    path("initial/", views.Initial.as_view()),
    path("denied/", views.Denied.as_view()),
    path("by-path/<version>/", views.VersionedByPath.as_view()),
    path("v2/", include(([path("by-namespace/", views.VersionedByNamespace.as_view())], "v2"))),
    path("by-accept/", views.VersionedByAccept.as_view()),
    path("cached/", views.CachedByAuthorization.as_view()),
    path("cached-by-cookie/", views.CachedByCookie.as_view()),
    path("crash/", views.Crash.as_view()),
    path("crash-nested/", views.CrashNested.as_view()),
    path("save-then-refuse/", views.SaveThenRefuse.as_view()),
    path("save-then-answer/", views.SaveThenAnswer400.as_view()),
    path("hooked/", views.Hooked.as_view()),
    path("bad-hook/", views.BadHook.as_view()),
    path("unrenderable/", views.Unrenderable.as_view()),
    path("async/", views.AsyncView.as_view()),
    path("upload/", views.Upload.as_view()),
    path("upload-or-json/", views.UploadOrJson.as_view()),
    path("url-encoded/", views.UrlEncodedOnly.as_view()),
    path("csv/", views.CsvOnly.as_view()),
    path("csv-first/", views.CsvFirst.as_view()),
    path("browsable/", views.BrowsableOnly.as_view()),
    path("kinds/<kind>/", views.Kinds.as_view()),
    path("suspicious/", views.suspicious),
    path("sees/", views.Sees.as_view()),
    path("add/<int:left>/<hex:right>/", views.add),
    path("split/<left>/<path:right>/", views.split),
    re_path(r"^dash/(?P<left>[^/]+)-(?P<right>[^/]+)/$", views.split),
    re_path(r"^groups/([^/]+)/(.+)/$", views.split),
    path("choosing/", views.Choosing.as_view()),
    path("dialect/", views.Dialect.as_view()),
    path("whole/", views.WholeArray.as_view()),
]
