"""What stands before everything that is served here: whether anything is exposed, and who calls."""

from django.http import HttpRequest

from django_mcp import exposure
from django_mcp import server as servers
from django_mcp.errors import ProtocolError
from django_mcp.models import APIKey
from django_mcp.server import Server
from django_mcp.transport import authentication, headers
from django_mcp.vocabulary import Caller

NOTHING_EXPOSED = "Nothing is exposed here. Name tool groups in the settings or in the admin."


def require_exposure(server: Server, *, again: bool = False) -> None:
    """Answer 404 where nothing is exposed. `again`: what is remembered may be old, so look before saying no."""
    if exposure.exposes_anything(server):
        return
    if again and exposure.exposes_anything(servers.current()):
        return
    raise headers.refuse(404, NOTHING_EXPOSED)


def authenticate(request: HttpRequest, *, client: str) -> Caller:
    """Return the caller of a request; `client` is what its software calls itself. Raises ProtocolError, 401 or 404."""
    try:
        return authentication.authenticate(request, client=client)
    except ProtocolError:
        # What let the request come this far may be old, and strangers bring no stamp along.
        require_exposure(servers.current())
        raise


def server_for(caller: Caller) -> Server:
    """Return the server's settings as they are now."""
    # A key's own query has brought the stamp along.
    if isinstance(caller.auth, APIKey):
        return servers.load(getattr(caller.auth, "server_stamp", None))
    return servers.current()
