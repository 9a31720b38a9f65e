from django.urls import include, path

from tests.faults import views

urlpatterns = [
    path("faults/raising/", views.PlaceThenRaise.as_view(), name="raising"),
    path("faults/refusing/", views.PlaceThenRefuse.as_view(), name="refusing"),
    path("faults/raising-outside/", views.PlaceThenRaiseOutside.as_view(), name="raising-outside"),
    path("faults/slow/", views.PlaceSlowly.as_view(), name="slow"),
    path("faults/slow-outside/", views.PlaceSlowlyOutside.as_view(), name="slow-outside"),
    path("faults/witnessed/", views.PlaceWitnessed.as_view(), name="witnessed"),
    path("faults/witnessed/<int:pk>/", views.AmendWitnessed.as_view(), name="amended"),
    path("", include("demo_project.urls")),
]
