"""A form that is acted on once, however often a browser sends it."""

import secrets

from django.http import HttpRequest

FIELD = "once"
SESSION_KEY = "django_mcp_spent_forms"
# Forms that a session remembers as spent; the pages of older ones are long gone.
REMEMBERED = 20
LONGEST = 64


class Once:
    """The one-time word in a form, and what came of the form that carried it.

    What is spent is remembered in the session. What a script sends without a word is taken as it comes.
    """

    def __init__(self, request: HttpRequest) -> None:
        self.session = request.session
        self.sent = request.POST.get(FIELD, "")[:LONGEST]
        self.word = self.sent or secrets.token_urlsafe(16)

    def made(self) -> int | None:
        """Return the id of the row that this very form has made, None where it has made none."""
        found: int | None = self.session.get(SESSION_KEY, {}).get(self.sent)
        return found if self.sent else None

    def spend(self, made: int) -> None:
        """Remember what the form has made."""
        if self.sent:
            spent = [*self.session.get(SESSION_KEY, {}).items(), (self.sent, made)]
            self.session[SESSION_KEY] = dict(spent[-REMEMBERED:])
