from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class CoffeeShopConfig(AppConfig):
    name = "demo_project.coffee_shop"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = _("coffee shop")
