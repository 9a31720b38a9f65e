"""The URLs of the endpoint, of the files that it links to, and of the OAuth metadata that clients look for.

The endpoint answers with and without a slash: a redirect would drop the body of a POST.
"""

from django.urls import path

from django_mcp.transport.files import FileView
from django_mcp.transport.views import McpView, NoOAuthView

app_name = "django_mcp"

_endpoint = McpView.as_view()
_no_oauth = NoOAuthView.as_view()

urlpatterns = [
    path("mcp", _endpoint, name="mcp"),
    path("mcp/", _endpoint, name="mcp-slash"),
    # A path: what is no token, slashes and all, gets the same refusal as a bad one.
    path("mcp/files/<path:token>", FileView.as_view(), name="file"),
    # RFC 8414 and RFC 9728 put the resource's path behind the well-known one, older clients leave it out.
    path(".well-known/oauth-protected-resource", _no_oauth),
    path(".well-known/oauth-protected-resource/mcp", _no_oauth),
    path(".well-known/oauth-authorization-server", _no_oauth),
    path(".well-known/oauth-authorization-server/mcp", _no_oauth),
    path(".well-known/openid-configuration", _no_oauth),
    path(".well-known/openid-configuration/mcp", _no_oauth),
    # OpenID Connect Discovery 1.0 puts it behind the resource's path.
    path("mcp/.well-known/openid-configuration", _no_oauth),
]
