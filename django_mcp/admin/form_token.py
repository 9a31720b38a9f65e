"""A form that may be used once."""

import secrets

from django.http import HttpRequest


class FormToken:
    """The token that lets a form be used once, and the row that was made with it.

    A form that is sent again, as a browser does when a page is reloaded, finds the row that it made the first time.
    The session remembers that for the last forms. A script that sends no token is not held to this.
    """

    FIELD = "once"
    SESSION_KEY = "django_mcp_spent_forms"
    # The pages of older forms are long gone.
    MAX_REMEMBERED = 20
    MAX_LENGTH = 64

    def __init__(self, request: HttpRequest) -> None:
        self.session = request.session
        self.received = request.POST.get(self.FIELD, "")[: self.MAX_LENGTH]
        self.value = self.received or secrets.token_urlsafe(16)

    def row_made(self) -> int | None:
        """Return the id of the row that this very form has made, None where it has made none."""
        row: int | None = self.session.get(self.SESSION_KEY, {}).get(self.received)
        return row if self.received else None

    def spend(self, row: int) -> None:
        """Remember the id of the row that the form has made."""
        if self.received:
            spent = [*self.session.get(self.SESSION_KEY, {}).items(), (self.received, row)]
            self.session[self.SESSION_KEY] = dict(spent[-self.MAX_REMEMBERED :])
