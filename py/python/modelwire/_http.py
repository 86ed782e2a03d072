"""Status and headers of an answer as objects, with the names that httpx gives them. Knows no
connection: what it shows came and went."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any


class Headers(Mapping[str, str]):
    """Headers by name, whatever its case; of several with one name, all, joined by commas."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._pairs = [(name, value) for name, value in pairs]

    def __getitem__(self, name: str) -> str:
        found = self.get_list(name)
        if not found:
            raise KeyError(name)
        return ", ".join(found)

    def get_list(self, name: str) -> list[str]:
        """Every value under this name, in their order."""
        wanted = name.lower()
        return [value for given, value in self._pairs if given.lower() == wanted]

    def multi_items(self) -> list[tuple[str, str]]:
        """All headers as they came."""
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


class Request:
    """What was asked: method and path. The key is not in it."""

    def __init__(self, method: str, url: str) -> None:
        self.method = method
        self.url = url
        self.headers = Headers([])

    def __repr__(self) -> str:
        return f"<Request({self.method!r}, {self.url!r})>"


class Response:
    """What was answered: status, headers, and the text where it was read whole."""

    def __init__(
        self, status_code: int, headers: Iterable[tuple[str, str]], request: Request, text: str = ""
    ) -> None:
        self.status_code = status_code
        self.headers = Headers(headers)
        self.request = request
        self.text = text

    @property
    def content(self) -> bytes:
        """The text as bytes."""
        return self.text.encode()

    def json(self) -> Any:
        """The text, read as JSON."""
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
        """The standard words for the status."""
        from http import HTTPStatus

        try:
            return HTTPStatus(self.status_code).phrase
        except ValueError:
            return ""

    @property
    def url(self) -> str:
        """The path that was asked."""
        return self.request.url

    def __repr__(self) -> str:
        return f"<Response [{self.status_code} {self.reason_phrase}]>"


def response(status: int, headers: list[tuple[str, str]], path: str, text: str = "") -> Response:
    """The response of an answer; called by the native part."""
    method = "GET" if path == "/models" else "POST"
    return Response(status, headers, Request(method, path), text)
