"""Converts an httpx client that a program passes to our options; settings without an option raise
an error that says what to use instead. Imported when a client is passed; does not import httpx.

httpx keeps most settings in private attributes. Only this module reads them, of httpx and of
httpx2; a missing one is an error.
"""

from __future__ import annotations

import base64
import os
import ssl
import sys
import warnings
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import quote

from modelwire._closing import AsyncClosing, Closing
from modelwire._openai.frameworks import (
    IGNORE_TRANSPORT,
    FrameworkWarning,
    depth_of_program,
    is_on,
)
from modelwire._options import Limits, Timeout, is_given, wrong_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


_NAMES = (
    "auth params headers cookies verify cert trust_env http1 http2 proxy mounts timeout "
    "follow_redirects limits max_redirects event_hooks base_url transport default_encoding"
).split()
"""What httpx's clients are made from."""

_TIMEOUT = 5.0
_LIMITS = (100, 20, 5.0)
"""httpx's own defaults: whoever has them chose nothing, as openai-python says as well."""

_OF_HTTPX = ("accept", "accept-encoding", "connection", "user-agent")
"""Headers that each of its clients has."""

_OVERRIDES = ("send", "request", "stream", "build_request")


class DefaultHttpxClient(Closing, AsyncClosing):
    """The settings of openai-python's class with this name, for a client of ours; httpx need not be
    installed."""

    _is_async = False

    def __init__(self, **settings: Any) -> None:
        unknown = [name for name in settings if name not in _NAMES]
        if unknown:
            raise TypeError(f"{type(self).__name__} takes no {unknown[0]!r}")
        hooks = settings.pop("event_hooks", None) or {}
        self.event_hooks = {name: list(hooks.get(name, ())) for name in ("request", "response")}
        """The functions that are called with each request and with each response; live."""
        self._settings = settings
        self.is_closed = False

    def close(self) -> None:
        """Closes nothing: the connections belong to the client that it was passed to."""
        self.is_closed = True

    async def aclose(self) -> None:
        """The same as `close`."""
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._settings)})"


class DefaultAsyncHttpxClient(DefaultHttpxClient):
    """The same for an asynchronous client."""

    _is_async = True


class DefaultAioHttpClient(DefaultAsyncHttpxClient):
    """The same: modelwire has one transport."""


DefaultHttpx2Client = DefaultHttpxClient
DefaultAsyncHttpx2Client = DefaultAsyncHttpxClient


def merged(
    http_client: Any, arguments: dict[str, Any], is_async: bool, is_registered: bool = False
) -> dict[str, Any]:
    """The arguments of our client, completed by those of an httpx client; the client's own
    arguments take precedence. A transport of a framework is dropped if openai's classes are
    registered, or a variable requests it."""
    drops = is_registered or is_on(IGNORE_TRANSPORT)
    found = _options(_settings(http_client, is_async, drops), drops)
    if arguments.get("proxy") or arguments.get("no_proxy"):
        found.pop("proxy", None)
        found.pop("no_proxy", None)
    left_out = {name for name, value in arguments.items() if value is None or value is False}
    left_out -= {"timeout"}  # None disables them
    chosen = {name: value for name, value in arguments.items() if name not in left_out}
    for name in ("default_headers", "default_query"):
        if name in found and name in chosen:
            chosen[name] = {**found[name], **chosen[name]}
    return {**arguments, **found, **chosen}


def _refuse(what: str, instead: str) -> NoReturn:
    raise TypeError(f"http_client with {what} cannot be used: {instead}")


# Converts httpx's clients to their arguments.


def _settings(http_client: Any, is_async: bool, drops: bool) -> dict[str, Any]:
    if isinstance(http_client, DefaultHttpxClient):
        kind, settings = http_client._is_async, dict(http_client._settings)
    else:
        kind, settings = _kind(http_client), {}
    if kind is not is_async:
        fits, given = ("AsyncOpenAI", "OpenAI") if kind else ("OpenAI", "AsyncOpenAI")
        raise TypeError(
            f"http_client is a {type(http_client).__name__}, which is for {fits}, not {given}"
        )
    if isinstance(http_client, DefaultHttpxClient):
        return settings
    try:
        return _read(http_client, drops)
    except AttributeError as cause:
        raise TypeError(
            f"this version of httpx is unknown ({cause}): give the options proxy, ca, "
            "client_certificate, timeout, limits and default_headers instead of http_client"
        ) from cause


def _kind(http_client: Any) -> bool:
    """Whether it is an asynchronous httpx client; TypeError if it is not a client."""
    for one in type(http_client).__mro__:
        package = one.__module__.partition(".")[0]
        if package in ("httpx", "httpx2") and one.__name__ in ("Client", "AsyncClient"):
            return one.__name__ == "AsyncClient"
        overridden = [name for name in _OVERRIDES if name in vars(one)]
        if package != "openai" and overridden:
            _refuse(f"its own {overridden[0]}", "use event_hooks, or wrap the client's calls")
    raise TypeError(
        f"http_client takes an httpx client, not {http_client!r}: modelwire has its own transport. "
        "Use the options proxy, no_proxy, ca, client_certificate, http2, limits and timeout "
        "instead; for tests, modelwire.testing instead of a mock transport"
    )


def _read(client: Any, drops: bool) -> dict[str, Any]:
    pool, proxy = _pool_of(client._transport, drops), None
    mounts = {pattern.pattern: transport for pattern, transport in client._mounts.items()}
    if mounts and not _are_of_environment(client, mounts):
        if set(mounts) != {"all://"} or mounts["all://"] is None:
            _refuse("mounts", "use proxy= for all calls, or the variables HTTPS_PROXY and NO_PROXY")
        pool = _pool_of(mounts["all://"], drops)
    settings = {
        "auth": client.auth,
        "params": client.params,
        "headers": client.headers,
        "cookies": client.cookies,
        "timeout": client.timeout,
        "base_url": client.base_url,
        "trust_env": client.trust_env,
    }
    if pool is None:
        return settings
    if hasattr(pool, "_proxy_url"):
        proxy = _proxy_of(pool)
    limits = (pool._max_connections, pool._max_keepalive_connections, pool._keepalive_expiry)
    of_pool = {"verify": pool._ssl_context, "http2": pool._http2, "proxy": proxy, "limits": limits}
    return {**settings, **of_pool}


def _pool_of(transport: Any, drops: bool) -> Any:
    """The connection pool of httpx's own transport. None for another one, which is dropped."""
    kinds = [(one.__module__.partition(".")[0], one.__name__) for one in type(transport).__mro__]
    package, name = kinds[0]
    if any(kind == "MockTransport" for _, kind in kinds):
        _refuse("a MockTransport", "use modelwire.testing, whose service plays scripts")
    if package in ("httpx", "httpx2") and name in ("HTTPTransport", "AsyncHTTPTransport"):
        pool = transport._pool
    elif package not in ("httpx", "httpx2") and drops:
        _warn_once(name)
        pool = None
    else:
        _refuse(
            f"the transport {name}",
            "modelwire has its own connections. If it only changes how connections are pooled, as "
            f"the ones of frameworks do, set {IGNORE_TRANSPORT}=1 or call "
            "modelwire.register_openai_classes(), and it is ignored",
        )
    if getattr(pool, "_retries", 0):
        _refuse("retries of its transport", "use retry=Retry(connect_errors=True)")
    for part in ("local_address", "uds"):
        if getattr(pool, f"_{part}", None):
            _refuse(part, "modelwire connects by the address of base_url, or by proxy=")
    return pool


_dropped: set[str] = set()


def _warn_once(transport: str) -> None:
    """Warns that a transport is dropped: once for each class of transports."""
    if transport in _dropped:
        return
    _dropped.add(transport)
    warnings.warn(
        f"the transport {transport} of http_client is ignored: modelwire has its own connections. "
        "The other settings of http_client are used",
        FrameworkWarning,
        stacklevel=depth_of_program(),
    )


def _are_of_environment(client: Any, mounts: Mapping[str, Any]) -> bool:
    """Whether the proxies come from environment variables, which the library reads itself."""
    if not client.trust_env:
        return False
    utils = sys.modules[f"{_package(client)}._utils"]
    return set(utils.get_environment_proxies()) == set(mounts)


def _package(client: Any) -> str:
    packages = (one.__module__.partition(".")[0] for one in type(client).__mro__)
    return next(package for package in packages if package in ("httpx", "httpx2"))


def _proxy_of(pool: Any) -> str:
    """The URL of a pool's proxy, with its credentials."""
    url = pool._proxy_url
    port = f":{url.port}" if url.port is not None else ""
    auth = getattr(pool, "_proxy_auth", None)
    for name, value in getattr(pool, "_proxy_headers", ()):
        if name.lower() != b"proxy-authorization" or not value.startswith(b"Basic "):
            _refuse("headers for the proxy", "use proxy= with user and password in its URL")
        auth = base64.b64decode(value[6:]).split(b":", 1)
    if getattr(pool, "_proxy_ssl_context", None) is not None:
        _refuse("an ssl context for the proxy", "use ca= for the CA of an https proxy")
    return f"{url.scheme.decode()}://{_login(auth)}{url.host.decode()}{port}"


def _login(auth: Any) -> str:
    if not auth:
        return ""
    return ":".join(quote(part, safe="") for part in auth) + "@"


# Converts the arguments of httpx's clients to ours.


def _options(settings: dict[str, Any], drops: bool) -> dict[str, Any]:
    """Our options for httpx's settings; missing ones have httpx's default."""
    found: dict[str, Any] = {}
    transport = settings.get("transport")
    if transport is not None and _pool_of(transport, drops) is not None:
        _refuse("transport=", "give its settings to http_client, or to the client itself")
    if settings.get("mounts"):
        _refuse("mounts", "use proxy= for all calls, or the variables HTTPS_PROXY and NO_PROXY")
    if settings.get("auth") is not None:
        _refuse("auth", "use api_key=, which may be a function, or default_headers=")
    if settings.get("cookies"):
        _refuse("cookies", 'use default_headers={"Cookie": ...}')
    if settings.get("proxy") is not None:
        found["proxy"] = _proxy(settings["proxy"])
    elif not settings.get("trust_env", True):
        found["no_proxy"] = True
    found.update(_trust(settings.get("verify", True)))
    if settings.get("cert") is not None:
        found["client_certificate"] = _certificate(settings["cert"])
    if settings.get("http2"):
        found["http2"] = True
    timeout = settings.get("timeout", _TIMEOUT)
    if not _is_default(timeout):
        found["timeout"] = timeout
    limits = _limits(settings.get("limits"))
    if limits is not None:
        found["limits"] = limits
    if str(settings.get("base_url") or ""):
        found["base_url"] = str(settings["base_url"])
    headers = _pairs(settings.get("headers"))
    if headers:
        found["default_headers"] = headers
    query = _pairs(settings.get("params"))
    if query:
        found["default_query"] = query
    return found


def _is_default(timeout: Any) -> bool:
    """Whether it is httpx's default."""
    parts = [getattr(timeout, name, timeout) for name in ("connect", "read", "write", "pool")]
    return not isinstance(timeout, Timeout) and all(part == _TIMEOUT for part in parts)


def _limits(limits: Any) -> Any:
    """Our limits or httpx's, or the three numbers of a pool; None for the defaults."""
    if limits is None or isinstance(limits, Limits):
        return limits
    names = ("max_connections", "max_keepalive_connections", "keepalive_expiry")
    numbers = limits if isinstance(limits, tuple) else [getattr(limits, name) for name in names]
    connections, kept, expiry = (None if one == sys.maxsize else one for one in numbers)
    if (connections, kept, expiry) == _LIMITS:
        return None
    more: dict[str, Any] = {} if expiry == _LIMITS[-1] else {"keepalive_expiry": expiry}
    if connections == 0:
        _refuse("no connections", "give at least one")
    return Limits(max_connections=connections, max_keepalive_connections=kept, **more)


def _pairs(given: Any) -> dict[str, Any]:
    """Headers or a query, without httpx's defaults and without the key: the client's own key is
    sent."""
    if given is None:
        return {}
    if isinstance(given, (str, bytes)):
        from urllib.parse import parse_qsl

        return dict(parse_qsl(given if isinstance(given, str) else given.decode()))
    pairs = dict(given.items() if hasattr(given, "items") else given)
    names = {_str(name): _str(value) for name, value in pairs.items()}
    return {name: value for name, value in names.items() if not _is_httpxs_own(name, value)}


def _str(text: Any) -> Any:
    return text.decode() if isinstance(text, bytes) else text


def _is_httpxs_own(name: str, value: Any) -> bool:
    if name.lower() not in _OF_HTTPX:
        return name.lower() == "authorization"
    own = {"accept": "*/*", "connection": "keep-alive"}.get(name.lower())
    if name.lower() == "user-agent":
        return str(value).startswith("python-httpx")
    return name.lower() == "accept-encoding" or value == own


def _proxy(proxy: Any) -> str:
    """The URL of a proxy, or of an httpx.Proxy."""
    if not hasattr(proxy, "raw_auth"):
        return str(proxy)
    if len(proxy.headers):
        _refuse("headers for the proxy", "use proxy= with user and password in its URL")
    if getattr(proxy, "ssl_context", None) is not None:
        _refuse("an ssl context for the proxy", "use ca= for the CA of an https proxy")
    scheme, _, rest = str(proxy.url).partition("://")
    return f"{scheme}://{_login(proxy.raw_auth)}{rest}"


def _certificate(cert: Any) -> bytes:
    """The PEM text of a certificate and its key, from one file or two."""
    names = (cert,) if not isinstance(cert, (tuple, list)) else cert
    if len(names) > 2 and names[2] is not None:
        _refuse("a password of the key", "use client_certificate= with a key without a password")
    texts = []
    for name in [name for name in names[:2] if name]:
        if not isinstance(name, (str, bytes, os.PathLike)):
            raise wrong_type("cert", "a path, or a tuple of two", name)
        with open(name, "rb") as file:
            texts.append(file.read())
    return b"\n".join(texts)


_UNVERIFIED = (
    "certificates are always verified. Use ca= with the PEM file of the service's CA, or http:// "
    "for a service on this machine"
)


def _trust(verify: Any) -> dict[str, Any]:
    """The CA certificates in addition to the system's."""
    if verify is True or verify is None:
        return {}
    if verify is False:
        _refuse("verify=False", _UNVERIFIED)
    if not isinstance(verify, ssl.SSLContext):
        return {"ca": verify}
    if verify.verify_mode != ssl.CERT_REQUIRED or not verify.check_hostname:
        _refuse("an ssl context that does not verify", _UNVERIFIED)
    if type(verify).__module__.partition(".")[0] == "truststore":
        return {}  # uses the system's
    given = set(verify.get_ca_certs(binary_form=True))
    known = _usual_authorities()
    if not given and known:
        _refuse("CA certificates that cannot be read from its ssl context", "give them as ca=")
    more = [ssl.DER_cert_to_PEM_cert(one) for one in sorted(given - known)]
    return {"ca": "".join(more).encode()} if more else {}


def _usual_authorities() -> set[bytes]:
    """The CA certificates of the system and of httpx's bundle."""
    found = set(ssl.create_default_context().get_ca_certs(binary_form=True))
    try:
        import certifi
    except ImportError:
        return found
    context = ssl.create_default_context(cafile=certifi.where())
    return found | set(context.get_ca_certs(binary_form=True))


class Hooks:
    """Runs the event hooks of an httpx client around each call: once per call, including its
    retries, with the request before it is sent and with the response. Its hooks may change at any
    time."""

    def __init__(self, http_client: Any) -> None:
        self.http_client = http_client

    def __bool__(self) -> bool:
        return any(self.http_client.event_hooks.values())

    def _of(self, name: str) -> list[Any]:
        return list(self.http_client.event_hooks.get(name, ()))

    def around(self, client: Any, operation: str, fields: Any, stream: bool, call: Any) -> Any:
        """Makes the call of a synchronous client."""
        call.is_hooked = True
        request = _request(client, operation, call)
        for hook in self._of("request"):
            hook(request)
        _take_headers(call, request)
        try:
            result = client._run(operation, fields, stream, call)
        except Exception as error:
            for _ in self._answered(client, _of_error(error, request)):
                pass
            raise
        for _ in self._answered(client, _response(result)):
            pass
        return result

    async def around_awaited(
        self, client: Any, operation: str, fields: Any, stream: bool, call: Any
    ) -> Any:
        """Makes the call of an asynchronous client; its hooks may be coroutines."""
        call.is_hooked = True
        request = _request(client, operation, call)
        for hook in self._of("request"):
            await _awaited(hook(request))
        _take_headers(call, request)
        try:
            result = await client._run(operation, fields, stream, call)
        except Exception as error:
            for found in self._answered(client, _of_error(error, request)):
                await _awaited(found)
            raise
        for found in self._answered(client, _response(result)):
            await _awaited(found)
        return result

    def _answered(self, client: Any, response: Any) -> Iterator[Any]:
        """Calls the hooks with a response, if there is one; yields what each returned."""
        if response is None:
            return
        # With HTTP/2 the two sides agree on a version that is not known here.
        response.http_version = "HTTP" if client._natives.options["http2"] else "HTTP/1.1"
        for hook in self._of("response"):
            yield hook(response)


def default_client(is_async: bool) -> Hooks:
    """The hooks of a client that was made without an httpx client: of one that only keeps them."""
    return Hooks(DefaultAsyncHttpxClient() if is_async else DefaultHttpxClient())


async def _awaited(found: Any) -> None:
    if hasattr(found, "__await__"):
        await found


_PATHS = {"models": "/models", "chat": "/chat/completions", "responses": "/responses"}


def _request(client: Any, operation: str, call: Any) -> Any:
    from modelwire._answers.http import Request, SettableHeaders

    url = f"{str(client.base_url).rstrip('/')}{_PATHS[operation]}"
    request = Request("GET" if operation == "models" else "POST", url)
    more = {name: value for name, value in (call.headers or {}).items() if is_given(value)}
    request.headers = SettableHeaders([*client.default_headers.items(), *more.items()])
    return request


def _take_headers(call: Any, request: Any) -> None:
    """Applies the hooks' changes of headers."""
    if request.headers.changed:
        call.headers = {**(call.headers or {}), **request.headers.changed}


def _of_error(error: Exception, request: Any) -> Any:
    """The response of an error with the request that the hooks saw; None if there is none."""
    response = getattr(error, "response", None)
    if response is not None:
        response.request = request
    return response


def _response(result: Any) -> Any:
    from modelwire._native import AsyncStream, Stream

    if isinstance(result, (Stream, AsyncStream)):
        return result.response
    response = result._response
    response.text = result.to_json(indent=None)
    return response
