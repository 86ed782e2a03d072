"""Calls by path: `client.get`, `client.post` and the other methods of HTTP, for the paths of the
three operations. Imported with the first of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, get_origin

from modelwire._answers.cast import cast, check_stream
from modelwire._errors import OpenAIError
from modelwire._options import NOT_GIVEN, is_given
from modelwire._parameters import Call
from modelwire._resources import AsyncModelList, ModelList

if TYPE_CHECKING:
    from typing import NoReturn

    from modelwire._options import NotGiven, Timeout
    from modelwire._types import RequestOptions

_OPERATIONS = {
    ("get", "/models"): "models",
    ("post", "/chat/completions"): "chat",
    ("post", "/responses"): "responses",
}
_OPTIONS = ("headers", "params", "extra_json", "timeout", "max_retries", "security")
_RAW = "x-stainless-raw-response"
"""The header by which openai-python's callers ask for a raw answer; it is not sent."""


class PathCall:
    """One such call, and what becomes of its answer."""

    def __init__(
        self,
        client: Any,
        method: str,
        path: str,
        cast_to: Any,
        options: Mapping[str, Any] | None,
        body: Any = None,
        content: Any = None,
        files: Any = None,
        stream: bool = False,
        stream_cls: Any = None,
    ) -> None:
        self._operation = _OPERATIONS.get((method, "/" + path.strip("/"))) or _refuse(method, path)
        self._cast_to = cast_to
        self._is_async = hasattr(client, "__aenter__")
        given = _given(options)
        retries = given.get("max_retries", NOT_GIVEN)
        self._client = client.with_options(max_retries=retries) if is_given(retries) else client
        if content is not None or files is not None:
            raise TypeError(
                "content and files are not taken: give the fields of the request as body"
            )
        fields = _fields(body, given.get("extra_json"), is_sent=method == "post")
        streams = fields.pop("stream", False) if fields is not None else False
        if stream and fields is None:
            raise TypeError("GET /models does not stream")
        if stream and stream_cls is not None:
            check_stream(stream_cls, self._is_async)
        sent, self._is_raw = _without_raw(given.get("headers"))
        asked = {"extra_headers": sent, "extra_query": given.get("params")}
        call = Call({**asked, "timeout": given.get("timeout", NOT_GIVEN)})
        if not stream and is_given(streams) and streams:
            call.options["stream_only"] = True  # the service streams, and the answer is one
        self._stream = stream
        self._request = fields, stream, call

    def run(self) -> Any:
        """Makes the call."""
        return self._client._run(self._operation, *self._request)

    def result(self, answer: Any) -> Any:
        """What the program asked for."""
        if self._is_raw:
            from modelwire._answers.raw import LegacyAPIResponse

            return LegacyAPIResponse(answer, cast=None if self._stream else self._cast)
        return answer if self._stream else self._cast(answer)

    def _cast(self, answer: Any) -> Any:
        kind = get_origin(self._cast_to) or self._cast_to
        if isinstance(kind, type) and issubclass(kind, ModelList):
            return (AsyncModelList if self._is_async else ModelList)(answer)
        return cast(answer, self._cast_to)


def make_request_options(
    *,
    query: Mapping[str, object] | None = None,
    extra_headers: Mapping[str, Any] | None = None,
    extra_query: Mapping[str, object] | None = None,
    extra_body: Any = None,
    timeout: float | Timeout | None | NotGiven = NOT_GIVEN,
) -> RequestOptions:
    """The `options` of a call by path, from the parameters of other calls."""
    params = {**(query or {}), **(extra_query or {})}
    given = {"headers": extra_headers, "extra_json": extra_body, "params": params or None}
    options: Any = {name: value for name, value in given.items() if value is not None}
    if is_given(timeout):
        options["timeout"] = timeout
    return options  # type: ignore[no-any-return]


def _refuse(method: str, path: str) -> NoReturn:
    raise OpenAIError(
        f"the service has no operation {method.upper()} {path}",
        kind="argument",
        hint="It has GET /models, POST /chat/completions and POST /responses.",
    )


def _given(options: Mapping[str, Any] | None) -> dict[str, Any]:
    """The options that were given."""
    given = {name: value for name, value in (options or {}).items() if is_given(value)}
    for name, value in given.items():
        if name not in _OPTIONS and value is not None:
            raise TypeError(f"options takes {', '.join(_OPTIONS)}, not {name}")
    if given.get("security") not in (None, {}, {"bearer_auth": True}):
        raise TypeError("security takes bearer_auth=True alone: every call sends the key as bearer")
    return given


def _without_raw(headers: Mapping[str, Any] | None) -> tuple[Mapping[str, Any] | None, bool]:
    """The headers to send, and whether a raw answer is asked for."""
    found = [value for name, value in (headers or {}).items() if name.lower() == _RAW]
    if not headers or not found:
        return headers, False
    if found != ["true"]:
        raise TypeError("X-Stainless-Raw-Response takes true: use with_streaming_response")
    return {name: value for name, value in headers.items() if name.lower() != _RAW}, True


def _fields(body: Any, more: Any, is_sent: bool) -> dict[str, Any] | None:
    """The fields of the request; None for one without a body."""
    if not is_sent:
        if body is not None or more is not None:
            raise TypeError("GET /models is sent without a body")
        return None
    if body is not None and not isinstance(body, Mapping):
        raise TypeError(f"body takes the fields of the request as a dict, not {body!r}")
    return {**(body or {}), **(more or {})}
