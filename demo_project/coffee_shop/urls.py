from rest_framework.routers import SimpleRouter

from demo_project.coffee_shop.views import MenuViewSet, OrderViewSet

router = SimpleRouter()
router.register("menu", MenuViewSet, basename="coffee-shop-menu")
router.register("orders", OrderViewSet, basename="coffee-shop-order")

urlpatterns = router.urls
