"""The clients for Python programs: settings and resources."""

from __future__ import annotations

import os
import sys

from modelwire._clients import Natives
from modelwire._errors import OpenAIError
from modelwire._key import Secret, checked, secret, without_key
from modelwire._native import _class_of as class_of
from modelwire._native import _key_id as id_of_key
from modelwire._native import log_start, log_take
from modelwire._observe import observers
from modelwire._openai import FRAMEWORKS, REGISTER
from modelwire._options import (
    MAX_RETRIES,
    NOT_GIVEN,
    Limits,
    NotGiven,
    Omit,
    Retry,
    as_dict,
    as_list,
    bounds,
    is_given,
    refuse,
    seconds,
    wrong_type,
)
from modelwire._resources import (
    AsyncBeta,
    AsyncChat,
    AsyncModels,
    AsyncResponses,
    Beta,
    Chat,
    Models,
    Responses,
)

# True for type checkers; importing typing would cost more than all the rest.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from types import ModuleType
    from typing import Any, Literal, NoReturn, overload

    from typing_extensions import Self

    from modelwire._answers.http import URL
    from modelwire._answers.record import CallRecord
    from modelwire._answers.usage import UsageSum
    from modelwire._native import BeforeAttempt, NativeClient
    from modelwire._openai.http_client import Hooks
    from modelwire._openai.methods import AsyncRequests, Requests
    from modelwire._options import Timeout
    from modelwire._parameters import Call
    from modelwire._resources import (
        _AsyncClientWithRawResponse,
        _AsyncClientWithStreamingResponse,
        _ClientWithRawResponse,
        _ClientWithStreamingResponse,
    )

    _Headers = Mapping[str, str | Omit]
    _Pem = str | bytes | os.PathLike[str]
    _BaseUrl = str | Mapping[str, Any]
else:

    def overload(form):
        """For type checkers only."""
        return form


def _environment(*names: str) -> str | None:
    values = (os.environ.get(name) for name in names)
    return next((value for value in values if value and value.strip()), None)


def _pem(given: _Pem | None, name: str) -> bytes | None:
    """PEM text, or the content of the file with that name."""
    if given is None:
        return None
    if isinstance(given, bytes):
        return given
    if isinstance(given, str) and "-----BEGIN" in given:
        return given.encode()
    if not isinstance(given, (str, os.PathLike)):
        # A number would be a file descriptor, which open() would close.
        raise wrong_type(name, "PEM text or a path", given)
    try:
        with open(given, "rb") as file:
            return file.read()
    except OSError as cause:
        raise OpenAIError(
            f"{name} could not be read: {cause}",
            kind="config",
            hint="Give a path to a PEM file, or the PEM text itself.",
        ) from cause


_log: ModuleType | None = None
"""`modelwire._log`, once something is logged."""

_LOG_WARNINGS = 2
_RECORDS = 256


def _log_module() -> ModuleType:
    global _log
    from modelwire import _log as module

    _log = module
    return module


def _follow_logging() -> None:
    """Starts logging if the program set up `logging` for it, or a variable requests it."""
    wanted = _environment("MODELWIRE_LOG", "OPENAI_LOG")
    logging = sys.modules.get("logging")
    if wanted is not None:
        _log_module().set_up(wanted)
    elif logging is not None and hasattr(logging, "getLogger"):
        if not _is_set_up(logging, "modelwire") and _is_set_up(logging, "openai"):
            _log_module().follow("openai")
        level = logging.getLogger("modelwire").getEffectiveLevel()
        if level <= logging.INFO:
            _log_module().start(level)
    if _log is None or not _log.is_running():
        log_start(_LOG_WARNINGS)


def _is_set_up(logging: ModuleType, name: str) -> bool:
    """Whether the program configured the logger with this name."""
    logger = logging.Logger.manager.loggerDict.get(name)
    return bool(getattr(logger, "level", 0) or getattr(logger, "handlers", ()))


_frameworks_are_known = False


def _look_for_frameworks() -> None:
    """Registers openai's classes if a variable requests it; warns once if a program seems to need
    it."""
    global _frameworks_are_known
    if _frameworks_are_known or not (FRAMEWORKS & sys.modules.keys() or REGISTER in os.environ):
        return
    from modelwire._openai.frameworks import look

    _frameworks_are_known = look(register_openai_classes, is_registered=bool(_registered))


def _tell_warnings() -> None:
    """Emits the warnings about settings, if no thread does."""
    _tell_waiting(always=("base_url", "api_key"))


def _tell_waiting(always: tuple[str, ...] = ()) -> None:
    """Passes on the warnings of ended calls, if `logging` has a handler and no thread does it;
    those that begin with `always` in any case. Called by the native part if there are any."""
    if _log is not None and _log.is_running():
        return
    logging = sys.modules.get("logging")
    listens = hasattr(logging, "getLogger") and logging.getLogger("modelwire").hasHandlers()  # type: ignore[union-attr]
    records = log_take(_RECORDS, 0.0) or ()
    told = [one for one in records if listens or one[2].startswith(always)]
    if told:
        _log_module().tell_all(told)


_registered: dict[type, type] = {}
"""The client classes to use if clients must also be instances of openai-python's classes."""


def register_openai_classes() -> None:
    """Makes answers, errors and clients instances of openai-python's classes as well."""
    from modelwire._openai.classes import start

    for ours, both in start((OpenAI, AsyncOpenAI)).items():
        _registered.setdefault(ours, both)


_REFUSED = {
    "admin_api_key": "the service has no operation that takes it; give the key as api_key",
    "workload_identity": "give a key, or a function that returns one, as api_key",
    "webhook_secret": "the service sends no webhooks",
    "provider": "base_url, api_key and default_headers are what a service needs",
    "data_residency": "it names regions of OpenAI; give the base_url of the service that you use",
    "websocket_base_url": "the service has no websockets; stream=True streams over HTTP",
    "_enforce_credentials": "each call sends a key; give any text as api_key where none is checked",
}
"""Arguments that openai-python's clients have and that have no meaning here."""


def _refuse(given: dict[str, Any]) -> None:
    """Takes out the arguments of openai-python's clients that have no meaning here. A TypeError
    with the reason if one has a value."""
    if given.get("_enforce_credentials") is True:
        del given["_enforce_credentials"]
    refuse(given, _REFUSED)


class BaseClient:
    """The base of both clients: settings, and a native client that follows them."""

    def __new__(cls, *arguments: object, **named: object) -> Self:
        return object.__new__(_registered.get(cls, cls))

    def __init__(
        self,
        *,
        api_key: Any = None,
        organization: str | None = None,
        project: str | None = None,
        base_url: Any = None,
        timeout: float | Timeout | None | NotGiven = NOT_GIVEN,
        max_retries: int | NotGiven = NOT_GIVEN,
        default_headers: _Headers | None = None,
        default_query: Mapping[str, object] | None = None,
        _strict_response_validation: bool = False,
        base_urls: Sequence[_BaseUrl] | None = None,
        balance: bool = False,
        retry: Retry | None = None,
        limits: Limits | None = None,
        proxy: str | None = None,
        no_proxy: bool = False,
        ca: _Pem | None = None,
        client_certificate: _Pem | None = None,
        http2: bool = False,
        tcp_keepalive: float | None | NotGiven = NOT_GIVEN,
        idempotency_header: str | None = None,
        stream_only: bool = False,
        on_call: Callable[[CallRecord], object] | None = None,
        before_attempt: Callable[[BeforeAttempt], object] | None = None,
        chunk_times: bool = False,
        httpx_client: Any = None,
    ) -> None:
        if retry is not None and is_given(max_retries):
            raise TypeError(
                "retry and max_retries exclude each other: give the number as "
                f"retry=Retry(max_retries={max_retries!r}, ...)"
            )
        if proxy is not None and no_proxy:
            raise TypeError("proxy and no_proxy exclude each other: give one of them")
        options: dict[str, Any] = {
            "timeout": seconds(timeout),
            "retry": _retry(retry, max_retries),
            "stream_only": stream_only,
            "chunk_times": chunk_times,
            "no_proxy": no_proxy,
            "http2": http2,
        }
        if limits is not None:
            options["limits"] = bounds(limits)
        for name, value in (
            ("proxy", proxy),
            ("ca", _pem(ca, "ca")),
            ("client_certificate", _pem(client_certificate, "client_certificate")),
            ("idempotency_header", idempotency_header),
            ("base_urls", base_urls),
        ):
            if value is not None:
                options[name] = value
        if balance:
            options["balance"] = True
        if before_attempt is not None:
            from modelwire._calls import check_function

            check_function(before_attempt, "before_attempt")
            options["before_attempt"] = before_attempt
        if is_given(tcp_keepalive):
            options["tcp_keepalive"] = tcp_keepalive
        self._key_of_each_call = api_key if callable(api_key) else None
        self._secret = Secret(None if callable(api_key) else _text(api_key, "api_key"))
        if api_key is None:
            self._secret.value = _environment("MODELWIRE_API_KEY", "OPENAI_API_KEY")
        self._url = _text(base_url, "base_url")
        if base_url is None and base_urls is None:
            self._url = _environment("MODELWIRE_BASE_URL", "OPENAI_BASE_URL")
        self._timeout = timeout
        self._max_retries = options["retry"].get("max_retries", MAX_RETRIES)
        self._organization = organization or _environment("OPENAI_ORG_ID")
        self._project = project or _environment("OPENAI_PROJECT_ID")
        self._headers = _headers_of_environment()
        self._headers.update(as_dict("default_headers", default_headers))
        self._take_key()
        self._query = as_dict("default_query", default_query)
        # The options for each call of a copy; and the differences of its key and headers from
        # those of the original.
        self._overrides: dict[str, Any] = {}
        self._own: dict[str, Any] = {}
        self._hooks: Hooks | None = None
        if httpx_client is not None:
            from modelwire._openai.http_client import Hooks

            self._hooks = Hooks(httpx_client)
        _follow_logging()
        _look_for_frameworks()
        key = self._secret
        if self._key_of_each_call is not None:
            key = Secret("not-asked-for-yet")  # each call provides its key; the rest is checked now
        if on_call is not None:
            from modelwire._calls import check_function

            check_function(on_call, "on_call")
        self._natives = Natives(options, self._url, key, self._sent_headers())
        self._natives.on_call = on_call
        _tell_warnings()

    def _renew(self) -> None:
        """Applies changed settings; invalid ones raise here."""
        key = self._secret if self._key_of_each_call is None else self._natives.key
        self._own = self._natives.own(key, self._sent_headers(), ())
        native = self._natives.at(self._url)
        if self._own:
            native.check(self._own)

    def _sent_headers(self, more: _Headers | None = None) -> tuple[tuple[str, str], ...]:
        """The default headers with those of a call, without those that the call removes."""
        headers: dict[str, Any] = {}
        for header, text in (("Organization", self._organization), ("Project", self._project)):
            if text:
                name = f"OpenAI-{header}"
                headers[name.lower()] = (name, _text(text, header.lower()))
        for given in (self._headers, more or {}):
            for name, value in given.items():
                headers[str(name).lower()] = checked(name, value)
        return tuple((name, value) for name, value in headers.values() if is_given(value))

    if not TYPE_CHECKING:
        # The reported class.
        __class__ = property(class_of)

    # Attributes of openai-python's clients.

    @property
    def api_key(self) -> str:
        """The key; may be set again. Empty if a function provides it and was not called yet."""
        return self._secret.value or ""

    @api_key.setter
    def api_key(self, key: str) -> None:
        self._key_of_each_call = None
        self._secret = Secret(_text(key, "api_key"))
        self._renew()

    @property
    def base_url(self) -> URL:
        """The base URL of the service, without secrets; may be set again. A string with attributes
        for its parts: `host`, `port`, `path`."""
        from modelwire._answers.http import URL

        return URL(self._open().base_url)

    @base_url.setter
    def base_url(self, url: Any) -> None:
        self._url = _text(url, "base_url")
        self._renew()

    @property
    def _base_url(self) -> URL:
        # Programs read this, too.
        return self.base_url

    @property
    def _client(self) -> Any:
        # Frameworks add event hooks to the httpx client of openai-python's.
        if self._hooks is None:
            from modelwire._openai.http_client import default_client

            self._hooks = default_client(is_async=hasattr(self, "__aenter__"))
        return self._hooks.http_client

    @property
    def timeout(self) -> float | Timeout | None | NotGiven:
        """The timeouts as given; may be set again for later calls."""
        return self._timeout

    @timeout.setter
    def timeout(self, timeout: float | Timeout | None | NotGiven) -> None:
        self._overrides = {**self._overrides, "timeout": seconds(timeout)}
        self._timeout = timeout

    @property
    def max_retries(self) -> int:
        """The maximum number of retries of a call; may be set again for later calls."""
        return int(self._max_retries)

    @max_retries.setter
    def max_retries(self, retries: int) -> None:
        retries = _number_of_retries(retries)
        policy = {**self._natives.options["retry"], **self._overrides.get("retry", {})}
        self._overrides = {**self._overrides, "retry": {**policy, "max_retries": retries}}
        self._max_retries = retries

    @property
    def organization(self) -> str | None:
        """Sent as the header OpenAI-Organization; may be set again."""
        return self._organization

    @organization.setter
    def organization(self, organization: str | None) -> None:
        self._organization = organization
        self._renew()

    @property
    def project(self) -> str | None:
        """Sent as the header OpenAI-Project; may be set again."""
        return self._project

    @project.setter
    def project(self, project: str | None) -> None:
        self._project = project
        self._renew()

    @property
    def default_headers(self) -> dict[str, str]:
        """The headers sent with every call in addition to the library's own; not the key."""
        return dict(self._sent_headers())

    @property
    def default_query(self) -> dict[str, object]:
        """The query parameters sent with every call."""
        return dict(self._query)

    @overload
    def usage(self, *, by: Literal["model"] = "model") -> dict[str, UsageSum]: ...
    @overload
    def usage(self, *, by: Literal["key"]) -> dict[str, dict[str, UsageSum]]: ...  # noqa: F811
    def usage(self, *, by: str = "model") -> dict[str, Any]:  # noqa: F811
        """The usage of the answered calls so far, by requested model: `calls`, `input_tokens`,
        `output_tokens`, `total_tokens`, of these `cached_input_tokens`, `cache_write_tokens`,
        `reasoning_tokens`, `audio_input_tokens` and `audio_output_tokens`; and
        `calls_without_usage`: calls whose answers reported no usage, as in streamed chats of many
        services without `stream_options`; the token counts do not include them. Models beyond
        16,384 are added up under "(other)".

        By "key" it returns the same for each key, by its `key_id`, which does not reveal the
        key."""
        return self._natives.usage(by, take=False)

    @overload
    def take_usage(self, *, by: Literal["model"] = "model") -> dict[str, UsageSum]: ...
    @overload
    def take_usage(self, *, by: Literal["key"]) -> dict[str, dict[str, UsageSum]]: ...  # noqa: F811
    def take_usage(self, *, by: str = "model") -> dict[str, Any]:  # noqa: F811
        """Returns what `usage` returns and resets the totals in one atomic step: each call is in
        the result of exactly one take_usage. Copies of the client share its totals."""
        return self._natives.usage(by, take=True)

    @property
    def key_id(self) -> str | None:
        """The id of this client's key in `usage(by="key")`: always the same for a key, and it does
        not reveal the key. None if a function provides the key and was not called yet."""
        key = self._secret.value
        return None if key is None else id_of_key(key)

    def is_closed(self) -> bool:
        """Whether `close` was called."""
        return self._natives.is_closed

    def _close(self) -> ModuleType | None:
        """`modelwire._calls`, where records of its calls may be queued for `on_call` or observers.
        Not imported: an object may close its client while the interpreter exits."""
        self._natives.close()
        has_calls = self._natives.teller is not None
        return sys.modules.get(f"{__package__}._calls") if has_calls else None

    def copy(
        self,
        *,
        api_key: Any = None,
        organization: str | None = None,
        project: str | None = None,
        base_url: Any = None,
        timeout: float | Timeout | None | NotGiven = NOT_GIVEN,
        max_retries: int | NotGiven = NOT_GIVEN,
        default_headers: _Headers | None = None,
        set_default_headers: _Headers | None = None,
        default_query: Mapping[str, object] | None = None,
        set_default_query: Mapping[str, object] | None = None,
        http_client: Any = None,
        stream_only: bool | NotGiven = NOT_GIVEN,
        admin_api_key: None = None,
        workload_identity: None = None,
        webhook_secret: None = None,
        provider: None = None,
        data_residency: None = None,
        websocket_base_url: None = None,
        _enforce_credentials: bool | None = None,
        _extra_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """A client with other settings that shares connections and usage totals with this one;
        closing one closes both. default_headers and default_query are added, set_... replace."""
        given = {name: value for name, value in locals().items() if is_given(value)}
        _refuse(given)
        if _extra_kwargs:
            raise TypeError(
                "_extra_kwargs is not supported: give each option to copy() by its name"
            )
        if given.get("http_client") is not None:
            raise TypeError(
                "a copy shares the connections of its client: give http_client to a new client"
            )

        def added(name: str, own: dict[str, Any]) -> dict[str, Any]:
            """The headers or the query with what was given."""
            add, replace = given.get(f"default_{name}"), given.get(f"set_default_{name}")
            if add is not None and replace is not None:
                raise ValueError(
                    f"`default_{name}` and `set_default_{name}` arguments are mutually exclusive"
                )
            if replace is not None:
                return as_dict(f"set_default_{name}", replace)
            return {**own, **as_dict(f"default_{name}", add)}

        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        made._resources()
        key = given.get("api_key")
        if key is not None:
            made._key_of_each_call = key if callable(key) else None
            made._secret = Secret(None if callable(key) else _text(key, "api_key"))
        made._url = _text(given.get("base_url"), "base_url") or self._url
        made._organization = given.get("organization") or self._organization
        made._project = given.get("project") or self._project
        made._headers = added("headers", self._headers)
        made._take_key()
        made._query = added("query", self._query)
        if is_given(timeout):
            made.timeout = timeout
        if is_given(max_retries):
            made.max_retries = max_retries  # type: ignore[assignment]
        if is_given(stream_only):
            made._overrides = {**made._overrides, "stream_only": stream_only}
        made._renew()
        return made

    with_options = copy

    def _take_key(self) -> None:
        self._headers, key = without_key(self._headers, False)
        if key is not None:
            self._secret, self._key_of_each_call = key, None

    def _resources(self) -> None:
        raise NotImplementedError

    def _without_resources(self) -> Self:
        """The same client with all settings, for its resources: they create no reference cycle, so
        that a dropped client is freed at once."""
        caller = type(self).__new__(type(self))
        caller.__dict__ = self.__dict__
        return caller

    def _open(self) -> NativeClient:
        return self._natives.at(self._url)

    def _prepare(
        self, call: Call, key: Secret | None, more: _Headers | None = None
    ) -> tuple[NativeClient, dict[str, Any] | None]:
        """The native client for this call, and the call's own options. `more` are headers that
        observers add."""
        native = self._open()
        if _log is not None:
            _log.ensure()
        options = dict(call.options)
        if is_given(call.timeout):
            options["timeout"] = seconds(call.timeout)
        if call.query or self._query:
            from modelwire._query import pairs

            options["query"] = pairs({**self._query, **(call.query or {})})
        if call.headers or more or key is not None:
            headers, own_key = without_key({**(more or {}), **(call.headers or {})}, True)
            key = own_key or key
            removed = [name for name, value in headers.items() if not is_given(value)]
            sent = self._sent_headers(headers)
            own = self._natives.own(key or self._secret, sent, tuple(removed))
            options.update(own)
        elif self._own:
            options.update(self._own)
        if self._overrides:
            options = {**self._overrides, **options}
        return native, options or None

    def __repr__(self) -> str:
        where = "closed" if self.is_closed() else f"base_url={self._open().base_url!r}"
        return f"{type(self).__name__}({where})"

    def __copy__(self) -> Self:
        return self.copy()

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"this {type(self).__name__} cannot be pickled or deep-copied: it has connections and "
            "a key. Create one in each process; use copy() for other settings"
        )

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            from modelwire._openai import methods as _methods

            return _methods.of(self, name)


def _text(value: Any, name: str) -> str | None:
    """A text, or an object with one, such as an httpx.URL."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (int, float, bytes, list, dict)):
        raise wrong_type(name, "a str", value)
    return str(value)


def _retry(retry: Retry | None, max_retries: int | NotGiven) -> dict[str, Any]:
    if retry is not None and not isinstance(retry, Retry):
        raise wrong_type("retry", "a modelwire.Retry", retry)
    policy = {} if retry is None else retry._given()
    if "statuses" in policy:
        policy["statuses"] = as_list("statuses", "a list of HTTP statuses", policy["statuses"])
    if is_given(max_retries):
        policy["max_retries"] = _number_of_retries(max_retries)
    return policy


def _number_of_retries(retries: Any) -> Any:
    """math.inf and the like are as many as there can be."""
    if retries is None:
        raise TypeError("max_retries cannot be None: 0 disables retries, math.inf never ends them")
    return _RETRIES_MAX if isinstance(retries, (int, float)) and retries > _RETRIES_MAX else retries


_RETRIES_MAX = 2**32 - 1


def _headers_of_environment() -> dict[str, Any]:
    lines = (os.environ.get("OPENAI_CUSTOM_HEADERS") or "").split("\n")
    pairs = (line.split(":", 1) for line in lines if ":" in line)
    return {name.strip(): value.strip() for name, value in pairs}


if TYPE_CHECKING:

    class _Client(Requests, BaseClient): ...

    class _AsyncClient(AsyncRequests, BaseClient): ...
else:
    _Client = _AsyncClient = BaseClient  # which finds the members of Requests on demand


class OpenAI(_Client):
    """A client of one service. Threads may share it; calls do not wait for each other.

        client = OpenAI()
        client.models.list()
        client.chat.completions.create(model="a-model", messages=[...])  # parse, stream, run_tools
        client.responses.create(model="a-model", input="Say hello.")  # the same

    help() of each lists its parameters; that of modelwire.Timeout, Retry and Limits their fields.

    The base URL and the key come from the environment if not given: MODELWIRE_BASE_URL or
    OPENAI_BASE_URL, MODELWIRE_API_KEY or OPENAI_API_KEY. There is no built-in base URL. You create
    the key in the service's control panel. A key with surrounding characters, or an abbreviated
    key, raises an OpenAIError that describes the problem.

    With stream_only every call without stream streams internally and returns the gathered answer,
    for a service whose models only stream. proxy, no_proxy, ca, client_certificate (paths or PEM
    text), http2 and tcp_keepalive configure the transport; idempotency_header names a header.
    base_urls are several services in one: texts, or dicts with url, api_key, weight and models.

    on_call gets the CallRecord of each ended call, on its own thread: no call waits for it.
    chunk_times adds chunk times. before_attempt gets each attempt, to add headers or to raise.
    """

    __slots__ = ("beta", "chat", "models", "responses")

    if TYPE_CHECKING:
        models: Models
        chat: Chat
        responses: Responses
        beta: Beta

    def __init__(
        self,
        *,
        api_key: str | Callable[[], str] | None = None,
        organization: str | None = None,
        project: str | None = None,
        base_url: Any = None,
        timeout: float | Timeout | None | NotGiven = NOT_GIVEN,
        max_retries: int | NotGiven = NOT_GIVEN,
        default_headers: _Headers | None = None,
        default_query: Mapping[str, object] | None = None,
        http_client: Any = None,
        _strict_response_validation: bool = False,
        base_urls: Sequence[_BaseUrl] | None = None,
        balance: bool = False,
        retry: Retry | None = None,
        limits: Limits | None = None,
        proxy: str | None = None,
        no_proxy: bool = False,
        ca: _Pem | None = None,
        client_certificate: _Pem | None = None,
        http2: bool = False,
        tcp_keepalive: float | None | NotGiven = NOT_GIVEN,
        idempotency_header: str | None = None,
        stream_only: bool = False,
        on_call: Callable[[CallRecord], object] | None = None,
        before_attempt: Callable[[BeforeAttempt], object] | None = None,
        chunk_times: bool = False,
        admin_api_key: None = None,
        workload_identity: None = None,
        webhook_secret: None = None,
        provider: None = None,
        data_residency: None = None,
        websocket_base_url: None = None,
        _enforce_credentials: bool = True,
    ) -> None:
        arguments = locals()
        del arguments["self"], arguments["__class__"]
        super().__init__(**_arguments(arguments, is_async=False))
        self._resources()

    def _resources(self) -> None:
        caller = self._without_resources()
        self.models = Models(caller)
        self.chat = Chat(caller)
        self.responses = Responses(caller)
        self.beta = Beta(self.chat)

    def request(
        self, cast_to: Any, options: Any, *, stream: bool = False, stream_cls: Any = None
    ) -> Any:
        """A hook for tracing libraries: where one replaces this method, all calls go through it."""
        from modelwire._otel.instrumented import request

        return request(options, stream_cls)

    def _run(self, operation: str, fields: Any, stream: bool, call: Call) -> Any:
        if "request" in self.__dict__ and not call.is_requested:
            from modelwire._otel.instrumented import TracedStream, asked

            return asked(self, operation, fields, stream, call, TracedStream)
        if self._hooks and not call.is_hooked:
            return self._hooks.around(self, operation, fields, stream, call)
        key = None
        if self._key_of_each_call is not None:
            key = self._secret = secret(self._key_of_each_call())
        if observers or self._natives.observers or self._natives.on_call is not None:
            return self._run_watched(operation, fields, stream, call, key)
        native, options = self._prepare(call, key)
        return native.run(operation, fields, stream, options)

    def _run_watched(
        self, operation: str, fields: Any, stream: bool, call: Call, key: Secret | None
    ) -> Any:
        from modelwire._calls import Watched

        watched = Watched(self, operation, fields, stream, key)
        try:
            watched.begin(call)
            native, options = self._prepare(call, key, watched.headers)
            return native.run(operation, fields, stream, watched.options(options))
        except BaseException as error:
            watched.failed(error)
            raise

    def close(self) -> None:
        """Closes the client: its next call raises. Calls in flight and open streams continue. Waits
        for at most one second until on_call has received the calls that ended."""
        calls = self._close()
        if calls is not None:
            calls.flush(calls.END_MAX)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def with_raw_response(self) -> _ClientWithRawResponse:
        """The same calls, returning the answer with its status and headers."""
        from modelwire._answers.raw import RawClient

        return RawClient(self, streams=False)  # type: ignore[return-value]

    @property
    def with_streaming_response(self) -> _ClientWithStreamingResponse:
        """The same calls as context managers; the answer is read on demand."""
        from modelwire._answers.raw import RawClient

        return RawClient(self, streams=True)  # type: ignore[return-value]


class AsyncOpenAI(_AsyncClient):
    """A client of one service for asyncio and trio: the same as OpenAI, with awaitable calls. Any
    number of event loops and threads may share it, including successive asyncio.run calls.
    """

    __slots__ = ("beta", "chat", "models", "responses")

    if TYPE_CHECKING:
        models: AsyncModels
        chat: AsyncChat
        responses: AsyncResponses
        beta: AsyncBeta

    def __init__(
        self,
        *,
        api_key: str | Callable[[], Awaitable[str]] | None = None,
        organization: str | None = None,
        project: str | None = None,
        base_url: Any = None,
        timeout: float | Timeout | None | NotGiven = NOT_GIVEN,
        max_retries: int | NotGiven = NOT_GIVEN,
        default_headers: _Headers | None = None,
        default_query: Mapping[str, object] | None = None,
        http_client: Any = None,
        _strict_response_validation: bool = False,
        base_urls: Sequence[_BaseUrl] | None = None,
        balance: bool = False,
        retry: Retry | None = None,
        limits: Limits | None = None,
        proxy: str | None = None,
        no_proxy: bool = False,
        ca: _Pem | None = None,
        client_certificate: _Pem | None = None,
        http2: bool = False,
        tcp_keepalive: float | None | NotGiven = NOT_GIVEN,
        idempotency_header: str | None = None,
        stream_only: bool = False,
        on_call: Callable[[CallRecord], object] | None = None,
        before_attempt: Callable[[BeforeAttempt], object] | None = None,
        chunk_times: bool = False,
        admin_api_key: None = None,
        workload_identity: None = None,
        webhook_secret: None = None,
        provider: None = None,
        data_residency: None = None,
        websocket_base_url: None = None,
        _enforce_credentials: bool = True,
    ) -> None:
        arguments = locals()
        del arguments["self"], arguments["__class__"]
        super().__init__(**_arguments(arguments, is_async=True))
        self._resources()

    def _resources(self) -> None:
        caller = self._without_resources()
        self.models = AsyncModels(caller)
        self.chat = AsyncChat(caller)
        self.responses = AsyncResponses(caller)
        self.beta = AsyncBeta(self.chat)

    async def request(
        self, cast_to: Any, options: Any, *, stream: bool = False, stream_cls: Any = None
    ) -> Any:
        """A hook for tracing libraries: where one replaces this method, all calls go through it."""
        from modelwire._otel.instrumented import async_request

        return await async_request(options, stream_cls)

    async def _run(self, operation: str, fields: Any, stream: bool, call: Call) -> Any:
        if "request" in self.__dict__ and not call.is_requested:
            from modelwire._otel.instrumented import AsyncTracedStream, asked

            return await asked(self, operation, fields, stream, call, AsyncTracedStream)
        if self._hooks and not call.is_hooked:
            return await self._hooks.around_awaited(self, operation, fields, stream, call)
        key = None
        if self._key_of_each_call is not None:
            given = self._key_of_each_call()
            key = self._secret = secret(await given if hasattr(given, "__await__") else given)
        if observers or self._natives.observers or self._natives.on_call is not None:
            return await self._run_watched(operation, fields, stream, call, key)
        native, options = self._prepare(call, key)
        return await native.start(operation, fields, stream, options)

    async def _run_watched(
        self, operation: str, fields: Any, stream: bool, call: Call, key: Secret | None
    ) -> Any:
        from modelwire._calls import Watched

        watched = Watched(self, operation, fields, stream, key)
        try:
            watched.begin(call)
            native, options = self._prepare(call, key, watched.headers)
            return await native.start(operation, fields, stream, watched.options(options))
        except BaseException as error:
            watched.failed(error)
            raise

    async def close(self) -> None:
        """Closes the client: its next call raises. Calls in flight and open streams continue. Waits
        for at most one second until on_call has received the calls that ended."""
        calls = self._close()
        if calls is not None:
            await calls.flush_awaited(calls.END_MAX)

    aclose = close

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    @property
    def with_raw_response(self) -> _AsyncClientWithRawResponse:
        """The same calls, returning the answer with its status and headers."""
        from modelwire._answers.raw import RawClient

        return RawClient(self, streams=False)  # type: ignore[return-value]

    @property
    def with_streaming_response(self) -> _AsyncClientWithStreamingResponse:
        """The same calls as context managers; the answer is read on demand."""
        from modelwire._answers.raw import RawClient

        return RawClient(self, streams=True)  # type: ignore[return-value]


def _arguments(arguments: dict[str, Any], is_async: bool) -> dict[str, Any]:
    """The given arguments, including those implied by an httpx client."""
    arguments = {name: value for name, value in arguments.items() if is_given(value)}
    _refuse(arguments)
    http_client = arguments.pop("http_client", None)
    if http_client is None:
        return arguments
    from modelwire._openai.http_client import merged

    _look_for_frameworks()  # may register openai's classes
    arguments = merged(http_client, arguments, is_async, is_registered=bool(_registered))
    return {**arguments, "httpx_client": http_client}


Client = OpenAI
"""The same, for programs that were not written for openai-python."""

AsyncClient = AsyncOpenAI
"""The same, for programs that were not written for openai-python."""
