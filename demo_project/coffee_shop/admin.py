from django.contrib import admin

from demo_project.coffee_shop.models import Option, Order, OrderItem, Price, Product


class PriceInline(admin.TabularInline):
    model = Price
    extra = 0


class OrderItemInline(admin.TabularInline):
    model = OrderItem
    extra = 0
    fields = readonly_fields = ["product_name", "size", "quantity", "options", "unit_price"]
    can_delete = False

    def has_add_permission(self, *_args: object) -> bool:
        return False


@admin.register(Option)
class OptionAdmin(admin.ModelAdmin):
    list_display = ["name", "price"]


@admin.register(Product)
class ProductAdmin(admin.ModelAdmin):
    list_display = ["id", "name", "category"]
    list_filter = ["category"]
    search_fields = ["name"]
    filter_horizontal = ["options"]
    inlines = [PriceInline]


@admin.register(Order)
class OrderAdmin(admin.ModelAdmin):
    list_display = ["id", "customer_name", "user", "status", "total", "created_at"]
    list_filter = ["status"]
    list_select_related = ["user"]
    search_fields = ["customer_name", "user__username"]
    readonly_fields = ["user", "total", "created_at"]
    inlines = [OrderItemInline]

    def has_add_permission(self, *_args: object) -> bool:
        return False
