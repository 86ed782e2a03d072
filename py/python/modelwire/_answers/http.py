"""Status and headers of an answer as objects, with httpx's names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import timedelta
    from urllib.parse import SplitResult

    from modelwire._answers.rate_limits import RateLimits


class Headers(Mapping[str, str]):
    """Headers by name, ignoring case; several with the same name are joined by commas."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._pairs = [(name, value) for name, value in pairs]

    def __getitem__(self, name: str) -> str:
        found = self.get_list(name)
        if not found:
            raise KeyError(name)
        return ", ".join(found)

    def get_list(self, name: str) -> list[str]:
        """Every value with this name, in order."""
        wanted = name.lower()
        return [value for given, value in self._pairs if given.lower() == wanted]

    def multi_items(self) -> list[tuple[str, str]]:
        """All headers as received."""
        return list(self._pairs)

    @property
    def raw(self) -> list[tuple[bytes, bytes]]:
        """All headers as bytes."""
        return [(name.encode(), value.encode()) for name, value in self._pairs]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(name.lower() for name, _ in self._pairs))

    def __len__(self) -> int:
        return len({name.lower() for name, _ in self._pairs})

    def __repr__(self) -> str:
        return f"Headers({dict(self)!r})"


class SettableHeaders(Headers):
    """The headers of a request that is not sent yet; headers set here are sent."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        super().__init__(pairs)
        self.changed: dict[str, Any] = {}

    def __setitem__(self, name: str, value: str) -> None:
        self._drop(name)
        self._pairs.append((name, value))
        self.changed[name] = value

    def __delitem__(self, name: str) -> None:
        from modelwire._options import omit

        self[name]  # raises KeyError if missing
        self._drop(name)
        self.changed[name] = omit

    def _drop(self, name: str) -> None:
        wanted = name.lower()
        self._pairs = [pair for pair in self._pairs if pair[0].lower() != wanted]
        self.changed = {
            given: value for given, value in self.changed.items() if given.lower() != wanted
        }

    def update(self, more: Mapping[str, str]) -> None:
        """Sets all of these."""
        for name, value in more.items():
            self[name] = value


class URL(str):
    """An address as a string, with attributes for its parts as in httpx."""

    __slots__ = ()

    def _split(self) -> SplitResult:
        from urllib.parse import urlsplit

        return urlsplit(self)

    @property
    def _uri_reference(self) -> URL:
        # httpx's attribute, which programs read to log addresses.
        return self

    @property
    def scheme(self) -> str:
        """ "http" or "https"."""
        return self._split().scheme

    @property
    def host(self) -> str:
        """The name of the host."""
        return self._split().hostname or ""

    @property
    def port(self) -> int | None:
        """The port; None if it is the default of the scheme."""
        return self._split().port

    @property
    def path(self) -> str:
        """The path, without the query."""
        return self._split().path

    @property
    def query(self) -> bytes:
        """The query, without its question mark."""
        return self._split().query.encode()

    @property
    def raw_path(self) -> bytes:
        """Path and query as sent."""
        split = self._split()
        return f"{split.path}?{split.query}".encode() if split.query else split.path.encode()


class Request:
    """The request: method, address and headers, without the key."""

    def __init__(self, method: str, url: str, headers: Iterable[tuple[str, str]] = ()) -> None:
        self.method = method
        self.url = URL(url)
        self.headers = Headers(headers)
        self.extensions: dict[str, Any] = {}
        """httpx's place for other settings of a request; nothing of it is read."""

    def __repr__(self) -> str:
        return f"<Request({self.method!r}, {self.url!r})>"


class Response:
    """The response: status, headers, and the text if it was read completely."""

    def __init__(
        self, status_code: int, headers: Iterable[tuple[str, str]], request: Request, text: str = ""
    ) -> None:
        self.status_code = status_code
        self.headers = Headers(headers)
        self.request = request
        self.text = text
        self._stream: Any = None
        self._attempts: int | None = None
        self._seconds: float | None = None

    def _of(self, stream: Any) -> None:
        """Marks it as the beginning of this stream."""
        self._stream = stream

    def _took(self, attempts: int, seconds: float) -> None:
        """Records the number of attempts and their total time."""
        self._attempts, self._seconds = attempts, seconds

    @property
    def retries_taken(self) -> int | None:
        """The attempts after the first, also at other base URLs; None if unknown before the end."""
        if self._attempts is None and self._stream is not None:
            self._took(*(self._stream._took or (None, None)))
        return None if self._attempts is None else self._attempts - 1

    @property
    def elapsed(self) -> timedelta | None:
        """The duration of the call, including attempts and waits; None before its end."""
        from datetime import timedelta

        if self.retries_taken is None or self._seconds is None:
            return None
        return timedelta(seconds=self._seconds)

    @property
    def rate_limits(self) -> RateLimits | None:
        """The rate limits in the headers of the service; None if it reported none."""
        from modelwire._native import _rate_limits

        return _rate_limits(self.headers.multi_items())

    @property
    def is_closed(self) -> bool:
        """Whether the answer ended or was closed."""
        return self._stream is None or bool(self._stream._is_over)

    def close(self) -> None:
        """Ends the stream of this response, if it is one."""
        if self._stream is not None:
            self._stream.close()

    async def aclose(self) -> None:
        """The same as `close`."""
        self.close()

    def read(self) -> bytes:
        """The text as bytes; a RuntimeError for a stream, which you iterate instead."""
        if self._stream is not None:
            raise RuntimeError("the answer is a stream: iterate over what the call returned")
        return self.content

    async def aread(self) -> bytes:
        """The same as `read`."""
        return self.read()

    @property
    def content(self) -> bytes:
        """The text as bytes."""
        return self.text.encode()

    def json(self) -> Any:
        """The text, parsed as JSON."""
        import json

        return json.loads(self.text)

    @property
    def is_success(self) -> bool:
        """Whether the status is 2xx."""
        return 200 <= self.status_code < 300

    @property
    def is_error(self) -> bool:
        """Whether the status is 4xx or 5xx."""
        return 400 <= self.status_code < 600

    @property
    def reason_phrase(self) -> str:
        """The standard reason phrase of the status."""
        from http import HTTPStatus

        try:
            return HTTPStatus(self.status_code).phrase
        except ValueError:
            return ""

    @property
    def url(self) -> URL:
        """The address of the request."""
        return self.request.url

    def __repr__(self) -> str:
        return f"<Response [{self.status_code} {self.reason_phrase}]>"


_SECRETS = ("authorization", "key", "token", "secret", "cookie", "password")


def _shown(name: str, value: str) -> str:
    return "[hidden]" if any(word in name for word in _SECRETS) else value


def address(base: str, path: str, query: list[tuple[str, str]]) -> str:
    """The address of a request, from the base URL of its client."""
    from urllib.parse import urlencode

    base, _, more = base.partition("?")
    whole = "&".join(part for part in (more, urlencode(query)) if part)
    return f"{base.rstrip('/')}{path}" + (f"?{whole}" if whole else "")


def response(status: int, headers: list[tuple[str, str]], request: Any) -> Response:
    """The response of an answer; called by the native part, which has the request."""
    from modelwire._native import __version__

    (base, path, query), (common, (own, without), streams) = request
    sent = {"accept": "text/event-stream" if streams else "application/json"}
    sent["user-agent"] = f"modelwire/{__version__}"
    if path != "/models":
        sent["content-type"] = "application/json"
    for name, value in common:
        sent[name.lower()] = _shown(name.lower(), value)
    for name in without:
        sent.pop(name.lower(), None)
    for name, value in own:
        sent[name.lower()] = _shown(name.lower(), value)
    method, url = "GET" if path == "/models" else "POST", address(base, path, query)
    request = Request(method, url, sent.items())
    return Response(status, headers, request)
