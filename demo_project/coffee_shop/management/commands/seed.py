from typing import Any

from django.core.management.base import BaseCommand

from demo_project.coffee_shop.seeding import seed


class Command(BaseCommand):
    help = "Fill the coffee shop: menu, users admin, sam and kim (password = name), kim's past orders."

    def handle(self, *args: Any, **options: Any) -> None:
        seed()
        self.stdout.write("The coffee shop is open: users admin/admin, sam/sam and kim/kim.")
