"""The whole project: its API under `api/`, beside the MCP endpoint."""

from django.urls import include, path, re_path
from rest_framework.routers import SimpleRouter

from tests.execution.urls import urlpatterns as single_views
from tests.host import inventory, oddities, tenants, tracker

router = SimpleRouter()
router.register("projects", tracker.ProjectViewSet)
router.register(r"projects/(?P<project_slug>[^/.]+)/tickets", tracker.TicketViewSet, "project-ticket")
router.register("my-tickets", tracker.OwnTickets, "my-ticket")
router.register("ticket-stream", tracker.TicketStream, "ticket-stream")
router.register("ticket-tree", tracker.TicketTree, "ticket-tree")
router.register("guarded-tickets", tracker.GuardedTickets, "guarded-ticket")
router.register("shapes", tracker.ShapeViewSet)
router.register("accounts", tracker.AccountViewSet)
router.register("readings", tracker.ReadingViewSet)
router.register("scans", tracker.ScanViewSet)
router.register("tenant-projects", tenants.TenantProjects, "tenant-project")
router.register("plain", oddities.PlainViewSet, "plain")
router.register("assets", inventory.AssetViewSet, "asset")
shelf = inventory.ShelfViewSet.as_view({"get": "list", "delete": "bulk_destroy"})

below = SimpleRouter()
below.register("tickets", tracker.TicketViewSet, "ticket-below")

api = [
    *router.urls,
    path("below/<slug:project_slug>/", include(below.urls)),
    path("years/<int:number>/", include([re_path(r"^note/$", oddities.note, name="note-of-year")])),
    path("by-host/", oddities.VersionedByHost.as_view()),
    path("by-query/", oddities.VersionedByQuery.as_view()),
    path("all-sorts/", oddities.AllSorts.as_view(), name="all-sorts"),
    path("own-serializer/", oddities.OwnSerializer.as_view(), name="own-serializer"),
    path("camel/", oddities.Camel.as_view()),
    path("visited/<int:pk>/", oddities.Visited.as_view(), name="visited"),
    path("picky/", oddities.Picky.as_view(), name="picky"),
    path("greeting/", oddities.Greeting.as_view()),
    path("moving/", oddities.Moving.as_view()),
    path("finding/", oddities.Finding.as_view(), name="finding"),
    path("for-machines/", oddities.ForMachines.as_view(), name="for-machines"),
    path("whereabouts/", tenants.Whereabouts.as_view(), name="whereabouts"),
    re_path(r"^notes/(?P<number>\d+)/$", oddities.note, name="note"),
    path("crash-after-writing/", oddities.crash_after_writing, name="crash-after-writing"),
    path("shelf/", shelf, name="shelf"),
    path("clearing/", inventory.Clearing.as_view(), name="clearing"),
    path("stocktaking/", inventory.Stocktaking.as_view(), name="stocktaking"),
]
urlpatterns = [path("", include("django_mcp.urls")), path("api/", include(api)), path("", include(single_views))]
