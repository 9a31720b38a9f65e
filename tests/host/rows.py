"""The rows that the project begins with, and the two people who use it."""

from datetime import date

from django.contrib.auth.models import Permission, User
from django.contrib.contenttypes.models import ContentType

from tests.host.models import Account, Item, Person, Project, Reading, Scan, Shape, Ticket

BIG = 725653563933458432


def populate() -> dict[str, User]:
    """Make all rows. Alice may change tickets and delete them, Bob owns a few and may do nothing special."""
    alice = User.objects.create_user("alice", "alice@example.com")
    bob = User.objects.create_user("bob", "bob@example.com")
    kind = ContentType.objects.get_or_create(app_label="host", model="ticket")[0]
    for verb in ("change", "delete"):
        may = Permission.objects.get_or_create(
            content_type=kind, codename=f"{verb}_ticket", defaults={"name": f"Can {verb} ticket"}
        )[0]
        alice.user_permissions.add(may)
    people = [Person.objects.create(email=email) for email in ("a+b@x.cz", "ž ü@x.cz", "50%@x.cz", "q?#&@x.cz")]
    for number in range(30):
        owner = (alice, bob, None)[number % 3]
        item = Item.objects.create(name=f"item {number:02}", price=number, active=number % 4 > 0, owner=owner)
        item.people.set(people[: number % 3])
    apollo, _closed, other = (
        Project.objects.create(slug=slug, title=slug.title(), tenant=tenant)
        for slug, tenant in (("apollo", "acme"), ("closed", "acme"), ("other", "globex"))
    )
    first = None
    for number in range(8):
        first = Ticket.objects.create(
            project=other if number == 7 else apollo,
            title="locked" if number == 2 else f"ticket {number}",
            kind=("bug", "wish")[number % 2],
            weight=number * 10 + number % 2 or None,
            cost=None if number % 2 else number,
            due=date(2026, 1, 1 + number) if number % 3 else None,
            details={"number": number},
            open=number != 5,
            parent=first,
            owner=(alice, bob)[number % 2],
        )
    Shape.objects.create(kind="circle", radius=3)
    Shape.objects.create(kind="box", width=1, height=2)
    Account.objects.create(number=BIG, label="big")
    Account.objects.create(number=5, label="small", master_id=BIG)
    Reading.objects.create(meter="m1", value=1.5)
    Scan.objects.create(title="hidden", public=False)
    return {"alice": alice, "bob": bob}
