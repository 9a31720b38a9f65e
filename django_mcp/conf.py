"""The host's settings: each key of `DJANGO_MCP` is declared once, with its kind, its default and its meaning."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Generic, Self, TypeVar, overload

from django.conf import settings

from django_mcp.choices import ApprovalMode

Value = TypeVar("Value")
Item = TypeVar("Item")

INSTRUCTIONS = (
    "Use API Tools (api_search, api_describe, api_call) to interact with the application. Read-only APIs execute "
    "immediately. When calling Write or Destructive APIs via api_call, the server returns a 'requires_confirmation' "
    "status with a confirmationToken. You MUST present the summary and arguments to the user to obtain explicit "
    "confirmation. Once confirmed, re-invoke api_call passing the exact same arguments along with the provided "
    "confirmationToken."
)

# For callers to whom no API tool is listed.
INSTRUCTIONS_WITHOUT_API_TOOLS = (
    "Use the listed tools to interact with the application. Tools that only read execute immediately. A tool that "
    "writes or destroys returns a 'requires_confirmation' status with a confirmationToken first. You MUST present the "
    "summary and arguments to the user to obtain explicit confirmation. Once confirmed, call the same tool again, "
    "passing the exact same arguments along with the provided confirmationToken."
)

# The modes that a setting, a form or a command may choose. A row that already holds another mode keeps it.
OFFERED_MODES = (ApprovalMode.DELEGATE, ApprovalMode.TOKEN, ApprovalMode.REJECT)

# One object for all reads: the server's snapshot is composed anew when the mapping is another one.
_NO_SETTINGS: Mapping[str, Any] = {}


class Setting(Generic[Value]):
    """One key of `DJANGO_MCP`, as an attribute of `conf`. Nothing is cached: a changed setting holds at once.

    A subclass is a kind: `read` makes a value of its type from what the host wrote, and raises TypeError, ValueError or
    OverflowError where it cannot. The meaning is the attribute's docstring.
    """

    name: str
    read: Callable[[Any], Any] = staticmethod(lambda value: value)

    def __init__(self, meaning: str, *, default: Value) -> None:
        self.__doc__ = meaning
        self.default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: "Conf", owner: type) -> Value: ...
    def __get__(self, instance: "Conf | None", owner: type) -> Any:
        return self if instance is None else self.read(instance.raw.get(self.name, self.default))


class TextSetting(Setting[Value]):
    read: Callable[[Any], str] = str


class ServerTextSetting(TextSetting[str]):
    """A text that clients are told about the server; a blank, such as an unset variable's, means the fallback."""

    def __init__(self, meaning: str, *, fallback: Callable[[], str]) -> None:
        super().__init__(meaning, default="")
        self.read = lambda value: str(value or fallback())


class SecretSetting(Setting[str | None]):
    """A text that signs. It is not converted: anybody could guess the text of None or of a number."""


class ChoiceSetting(Setting[str]):
    """One of the texts in `choices`."""

    read = str

    def __init__(self, meaning: str, *, default: str, choices: tuple[str, ...]) -> None:
        super().__init__(meaning, default=default)
        self.choices = choices


class BooleanSetting(Setting[bool]):
    read = bool


class NumberSetting(Setting[Value]):
    """A positive whole number."""

    read: Callable[[Any], int | None] = int


class CountSetting(NumberSetting[int]):
    """A whole number; 0 lifts the limit."""


class DurationSetting(NumberSetting[Value]):
    """A positive number of whole seconds, or None where that is the default; the host may write a timedelta."""

    def read(self, value: Any) -> int | None:
        if value is None and self.default is None:
            return None
        return int(value.total_seconds() if isinstance(value, timedelta) else value)


def _items(value: Any) -> tuple[Any, ...]:
    # A check refuses a text. Where checks do not run, what it names must not be as if nothing were named.
    return (value,) if isinstance(value, str) else tuple(value)


class ListSetting(Setting[tuple[Item, ...]]):
    read = staticmethod(_items)


class PathListSetting(ListSetting[Item]):
    """A list of dotted paths of classes or functions."""


class DictSetting(Setting[Mapping[str, str]]):
    """A dict of texts, by texts."""


def _package_version() -> str:
    try:
        return version("django-mcp-confirm")
    except PackageNotFoundError:
        return "0"


class Conf:
    """Typed access to `DJANGO_MCP`. Durations are whole seconds, sizes bytes."""

    __slots__ = ()

    @property
    def raw(self) -> Mapping[str, Any]:
        configured: Mapping[str, Any] = getattr(settings, "DJANGO_MCP", _NO_SETTINGS)
        return configured

    SERVER_NAME = ServerTextSetting(
        "The server's name, as clients are told.", fallback=lambda: settings.ROOT_URLCONF.partition(".")[0]
    )
    SERVER_VERSION = ServerTextSetting("The server's version, as clients are told.", fallback=_package_version)
    INSTRUCTIONS = ServerTextSetting("How models are told to use the server.", fallback=lambda: INSTRUCTIONS)

    # Nothing is exposed until someone names it.
    TOOL_GROUPS = ListSetting[str]("The groups of operations and tools that are exposed.", default=())
    TOOLS = ListSetting[str]("The operations and tools that are exposed by name.", default=())
    EXCLUDE_OPERATIONS = ListSetting[str]("The operations that are never exposed.", default=())
    PUBLISH_AS = DictSetting("How groups offer their operations: `api_tools`, `one_tool_each` or `both`.", default={})
    USER_GROUPS = ListSetting[str]("The groups for callers who authenticate without a key.", default=())

    APPROVAL_MODE = ChoiceSetting(
        "Who must agree before a write runs; the admin may say otherwise.",
        default=ApprovalMode.TOKEN.value,
        choices=OFFERED_MODES,
    )
    # Long enough to read a preview and to answer, short enough that what it shows still holds.
    CONFIRMATION_TOKEN_EXPIRY = DurationSetting("How long a confirmation token holds.", default=5 * 60)
    MAX_OPEN_CONFIRMATIONS = CountSetting(
        "The unexpired confirmations that a caller may have, tokens and reviews counted apart; 0 is no limit.",
        default=100,
    )
    SIGNING_SECRET = SecretSetting("What tokens and links are signed with, instead of SECRET_KEY.", default=None)
    SIGNING_SECRET_FALLBACKS = ListSetting[str]("Former secrets, whose tokens and links still verify.", default=())
    CACHE = TextSetting("The alias of the cache that is the second lock on a token's single use.", default="default")

    AUTHENTICATION_CLASSES = PathListSetting[str](
        "The endpoint's authentication classes, as in DRF.",
        default=("django_mcp.transport.authentication.APIKeyAuthentication",),
    )
    THROTTLE_CLASSES = PathListSetting[str]("The endpoint's throttle classes, as in DRF.", default=())
    REQUIRE_AUTH = BooleanSetting("Whether callers who have not authenticated are refused.", default=True)
    # Any web page could call the server through the browser of its visitor.
    ALLOWED_ORIGINS = ListSetting[str]("The origins of browsers that may call, beside the server's own.", default=())

    FORWARD_HEADERS = ListSetting[str]("The request headers that the host's views get to see.", default=())
    CONTEXT_ATTRIBUTES = ListSetting[str](
        "The attributes of a request, beside the usual names of tenants, that a confirmation is bound to.", default=()
    )
    CONTEXT_IGNORED = ListSetting[str]("The rows on a request that a confirmation is not bound to.", default=())
    EXECUTION_CONTEXT = PathListSetting[Any]("The context managers entered around the host's views.", default=())
    KEY_AS_REQUEST_AUTH = BooleanSetting("Whether the host's views see the key as `request.auth`.", default=True)
    # Refusing them would break reads that worked before the app was installed.
    READ_GUARD = ChoiceSetting(
        "What happens where a read sends SQL that writes.", default="warn", choices=("off", "warn", "enforce")
    )

    # Rows are paid for in tokens, also those that nobody looks at.
    DEFAULT_LIMIT = NumberSetting("The page size where the agent named none.", default=25)
    MAX_LIMIT = NumberSetting("The largest page size that an agent gets.", default=100)
    MAX_REQUEST_BYTES = NumberSetting("The longest request that is read.", default=1024 * 1024)
    # About eight thousand tokens.
    MAX_RESULT_LENGTH = NumberSetting("The longest result; a longer one is cut on rows.", default=32 * 1024)
    MAX_INLINE_RESOURCE_BYTES = NumberSetting("The largest picture or sound in a result.", default=4 * 1024 * 1024)
    MAX_STORED_RESOURCE_BYTES = NumberSetting("The largest content kept for a link.", default=100 * 1024 * 1024)
    RESOURCE_STORAGE = TextSetting("The alias of the storage where linked content is kept.", default="default")
    RESOURCE_LINK_EXPIRY = DurationSetting("How long a link to such content holds.", default=60 * 60)

    REDACT_FIELDS = ListSetting[str](
        "The parts of names whose values are masked.",
        default=("password", "secret", "token", "api_key", "authorization", "card", "cvv", "ssn"),
    )
    AUDIT_READS = BooleanSetting("Whether reads are recorded too.", default=False)
    # How long a record must be kept is the host's to know.
    AUDIT_RETENTION = DurationSetting[int | None]("What `mcp prune` keeps unless told otherwise.", default=None)


conf = Conf()

SETTINGS: tuple[Setting[Any], ...] = tuple(entry for entry in vars(Conf).values() if isinstance(entry, Setting))
KEYS = frozenset(setting.name for setting in SETTINGS)
