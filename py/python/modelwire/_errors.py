"""The exceptions, and the mapping of the core's errors to them.

    OpenAIError                       everything below, and an invalid configuration
    ├── RequestError                  an argument is invalid, nothing was sent (also ValueError)
    ├── AnswerError                   an answer arrived, but is not what was requested
    │   ├── LengthFinishReasonError         could not be parsed: truncated by a limit
    │   ├── ContentFilterFinishReasonError  could not be parsed: cut by a filter
    │   ├── AnswerValidationError           does not match its type (see below)
    │   └── MaxTurnsError                   run_tools: tool calls after the last turn
    └── APIError                      the call failed
        ├── APIStatusError            the service answered with a status that is not success
        │   ├── BadRequestError             400
        │   ├── AuthenticationError         401
        │   ├── PermissionDeniedError       403
        │   ├── NotFoundError               404
        │   ├── ConflictError               409
        │   ├── UnprocessableEntityError    422
        │   ├── RateLimitError              429
        │   └── InternalServerError         5xx
        ├── APIConnectionError        no connection, or a lost one (also ConnectionError)
        │   └── APITimeoutError       a timeout expired (also TimeoutError)
        └── APIResponseValidationError  the answer violates the protocol
            ├── IncompleteStreamError   a stream ended without its end mark
            ├── StreamContradictionError   events contradict each other
            └── AnswerValidationError   the same as above (also ValueError)

AnswerErrors are raised by parse, run_tools and streams that parse; create never raises them.
"""

from __future__ import annotations

# True for type checkers; importing typing would cost more than all the rest.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from modelwire._answers.http import Request, Response
    from modelwire._answers.rate_limits import RateLimits
    from modelwire._answers.record import CallRecord


class OpenAIError(Exception):
    """The base class of everything that modelwire raises. Unknown fields are None."""

    kind: str = ""
    """The kind of the error: "rate_limited", "connect", ..."""
    message: str = ""
    """The service's own message if it sent one, otherwise the library's with the cause."""
    hint: str = ""
    """What to do about it."""
    doc_url: str | None = None
    """Where the documentation of modelwire explains errors of this kind."""
    type: str | None = None
    """`type` of the service's error object."""
    code: str | None = None
    """`code` of the service's error object as text."""
    param: str | None = None
    """`param` of the service's error object."""
    status_code: int | None = None
    """The HTTP status, if an answer arrived."""
    request_id: str | None = None
    """The service's identifier of the request."""
    retry_after: float | None = None
    """How long the service asked the client to wait, in seconds."""
    timeout: str | None = None
    """The timeout that expired: "connect_timeout", "first_byte_timeout", ..."""
    body_text: str | None = None
    """The body of the failed answer as text, truncated to its limit, with the key masked."""
    partial: str | None = None
    """The part of the answer gathered before the failure, as JSON text: billed, but
    incomplete."""
    path: str = ""
    """The path of the request."""
    model: str | None = None
    """The requested model."""
    attempts: int = 0
    """The number of attempts."""
    elapsed: float = 0.0
    """The time from the start of the first wait or attempt to the failure, in seconds."""
    metered: str = "not_sent"
    """Whether the call may have been metered, that is, counted for billing: not_sent,
    normally_not, entered (part of an answer arrived), unknown."""

    _says: str = ""  # the default message
    _own_class: Any = None  # if it also is openai's class: the class that is only ours
    _report: str = ""
    _headers: Any = ()
    _request_time: float | None = None
    _timing: Any = None  # the record of the call: the core's JSON, or the object
    _body: object = None
    _response: Any = None
    _request: Any = None
    _sent: Any = None  # the parts of the address of the request, if a call sent one

    def __init__(self, message: Any = "", request: Any = None, **fields: Any) -> None:
        if not isinstance(message, str):  # openai-python's APITimeoutError(request)
            message, request = "", message
        if request is not None:
            fields["request"] = request
        message = message or self._says or type(self).__name__
        Exception.__init__(self, message)  # not that of openai's class, if it has one
        self.message = message
        for name, value in fields.items():
            setattr(self, name, value)

    @property
    def request_time(self) -> datetime | None:
        """When the first attempt started, in UTC."""
        if self._request_time is None:
            return None
        from datetime import datetime, timezone

        return datetime.fromtimestamp(self._request_time, timezone.utc)

    @property
    def timing(self) -> CallRecord | None:
        """The record of the call: the times of its steps, and its outcome. None if no call
        began."""
        if isinstance(self._timing, str):
            from modelwire._answers.record import CallRecord

            self._timing = CallRecord._of_json(self._timing)
        found: CallRecord | None = self._timing
        return found

    @property
    def body(self) -> Any:
        """The service's error object as a dict, other JSON unchanged, or otherwise the text."""
        if self._body is not None or self.body_text is None:
            return self._body
        import json

        try:
            found = json.loads(self.body_text)
        except ValueError:
            return self.body_text
        return found.get("error", found) if isinstance(found, dict) else found

    @body.setter
    def body(self, body: object) -> None:
        self._body = body
        if isinstance(body, dict):
            for name in ("type", "code", "param"):
                if getattr(self, name) is None:
                    setattr(self, name, body.get(name))

    @property
    def response(self) -> Response | None:
        """The answer: status_code, headers, text, json(); None if none arrived."""
        if self._response is not None or self.status_code is None:
            given: Response | None = self._response
            return given
        from modelwire._answers.http import Response

        return Response(self.status_code, self._headers, self.request, self.body_text or "")

    @response.setter
    def response(self, response: Any) -> None:
        # Created by a program for its tests: behaves like a real one.
        self._response = response
        self.status_code = getattr(response, "status_code", None)
        self.request_id = getattr(response, "headers", {}).get("x-request-id")

    @property
    def request(self) -> Request:
        """The request: method and address, without the key; the path alone if none was sent."""
        if self._request is not None:
            given: Request = self._request
            return given
        from modelwire._answers.http import Request, address

        url = self.path if self._sent is None else address(*self._sent)
        return Request("GET" if self.path.endswith("/models") else "POST", url)

    @request.setter
    def request(self, request: Any) -> None:
        self._request = request

    @property
    def rate_limits(self) -> RateLimits | None:
        """The rate limits in the headers of the answer; None if it reported none, or no answer
        arrived."""
        from modelwire._native import _rate_limits

        headers = self._headers
        if self._response is not None:  # an error that a program created for its tests
            headers = getattr(self._response, "headers", {})
            headers = getattr(headers, "multi_items", headers.items)()
        return _rate_limits([(name, value) for name, value in headers])

    def report(self) -> str:
        """A report for support, as text, without the key."""
        return self._report or f"{type(self).__name__}: {self}"

    def __str__(self) -> str:
        """The error, and what to do about it."""
        what = self.message
        if self.status_code is not None:
            what = f"{what} (status {self.status_code})"
        if not self.hint:
            return what
        return f"{what}{'' if what.endswith(('.', '!', '?')) else '.'} Hint: {self.hint}"

    def __reduce__(self) -> Any:
        return (_rebuild, (self._own_class or type(self), self.message, self.__dict__))


class RequestError(OpenAIError, ValueError):
    """An argument is invalid; nothing was sent."""


class APIError(OpenAIError):
    """The call failed."""


class APIStatusError(APIError):
    """The service answered with a status that is not success."""

    if TYPE_CHECKING:
        # An answer arrived.
        status_code: int

        @property
        def response(self) -> Response: ...
        @response.setter
        def response(self, response: Any) -> None: ...


class BadRequestError(APIStatusError):
    """400: the request is invalid."""


class AuthenticationError(APIStatusError):
    """401: the key is missing, wrong or malformed."""


class PermissionDeniedError(APIStatusError):
    """403: not permitted for this account, balance, model or key."""


class NotFoundError(APIStatusError):
    """404: wrong path, or no such model."""


class ConflictError(APIStatusError):
    """409."""


class UnprocessableEntityError(APIStatusError):
    """422."""


class RateLimitError(APIStatusError):
    """429: a rate, concurrency, quota or resource limit."""


class InternalServerError(APIStatusError):
    """5xx: a temporary failure of the service."""


class APIConnectionError(APIError, ConnectionError):
    """The service was not reached, or the connection was lost."""

    _says = "the service was not reached, or the connection was lost"


class APITimeoutError(APIConnectionError, TimeoutError):
    """A timeout expired; `timeout` names it."""

    _says = "the call timed out"


class APIResponseValidationError(APIError):
    """The answer violates the protocol, or exceeds a size limit."""

    _says = "the answer violates the protocol"

    def __init__(self, message: Any = "", body: object = None, **fields: Any) -> None:
        if not isinstance(message, str):  # openai-python's (response, body, message=...)
            fields, message = {"response": message, **fields}, ""
        if body is not None:
            fields["body"] = body
        super().__init__(message, **fields)


class AnswerError(OpenAIError):
    """An answer arrived and was billed, but it is not what was requested."""

    metered = "entered"
    completion: Any = None
    """The answer: a completion or a response."""
    usage: Any = None
    """The tokens that it used, if reported."""

    def __init__(self, message: Any = "", **fields: Any) -> None:
        completion = fields.get("completion")
        fields.setdefault("usage", getattr(completion, "usage", None))
        fields.setdefault("model", getattr(completion, "model", None))
        fields.setdefault("request_id", getattr(completion, "_request_id", None))
        fields.setdefault("_timing", getattr(completion, "timing", None))
        response = getattr(completion, "_response", None)
        fields.setdefault("_request", getattr(response, "request", None))
        super().__init__(message or type(self).__doc__, **fields)

    @property
    def answer(self) -> Any:
        """The answer, under its name in streams."""
        return self.completion

    @property
    def rate_limits(self) -> RateLimits | None:
        """The rate limits that the service reported with the answer."""
        found: RateLimits | None = getattr(self.completion, "rate_limits", None)
        return found


class LengthFinishReasonError(AnswerError):
    """The answer could not be parsed, because a limit truncated it."""

    kind = "length"


class ContentFilterFinishReasonError(AnswerError):
    """The answer could not be parsed, because a filter of the service cut it."""

    kind = "content_filter"


class InvalidWebhookSignatureError(ValueError):
    """Never raised: the service has no webhooks. For programs that import its name."""


class MaxTurnsError(AnswerError):
    """The model still requests tool calls after the last allowed turn."""

    kind = "max_turns"
    messages: Any = ()
    """The whole conversation, including the results of the last turn, to continue from."""


class IncompleteStreamError(APIResponseValidationError):
    """A stream ended without its end mark: the answer is incomplete."""


class StreamContradictionError(APIResponseValidationError, RuntimeError):
    """The events of a streamed response contradict each other; those before the error were
    delivered. Only `responses.stream()` raises it."""

    metered = "entered"


class AnswerValidationError(AnswerError, APIResponseValidationError, ValueError):
    """The answer does not match the requested type. The parser's error is the `__cause__`."""

    kind = "validation"
    text: str = ""
    """The text that was parsed."""


_BY_STATUS: dict[int, type[APIStatusError]] = {
    400: BadRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    422: UnprocessableEntityError,
    429: RateLimitError,
}

_BY_KIND: dict[str, type[OpenAIError]] = {
    "invalid_request": BadRequestError,
    "authentication": AuthenticationError,
    "permission": PermissionDeniedError,
    "not_found": NotFoundError,
    "rate_limited": RateLimitError,
    "server": InternalServerError,
    "status": APIStatusError,
    "connect": APIConnectionError,
    "tls": APIConnectionError,
    "timeout": APITimeoutError,
    "disconnected": APIConnectionError,
    "protocol": APIResponseValidationError,
    "incomplete": IncompleteStreamError,
    "stream": APIError,
    "cancelled": APIError,
    "argument": RequestError,
    "config": OpenAIError,
    "closed": OpenAIError,
    "forked": OpenAIError,
    "shutdown": OpenAIError,
    "callback": OpenAIError,
    "internal": OpenAIError,
}


_OF_PARSING = (LengthFinishReasonError, ContentFilterFinishReasonError, AnswerValidationError)

_openai_classes_of: dict[type[OpenAIError], type[OpenAIError]] = {}
"""The exceptions to raise instead, if errors must also be of openai's classes."""


def _exception(fields: dict[str, Any]) -> OpenAIError:
    """The exception of an error of the core; called by the native part."""
    message = fields.pop("message")
    fields["_report"] = fields.pop("report")
    fields["_headers"] = fields.pop("headers")
    fields["_request_time"] = fields.pop("request_time")
    fields["_timing"] = fields.pop("timing")
    fields["_sent"] = fields.pop("sent")
    chosen: type[OpenAIError] = _BY_KIND[fields["kind"]]
    if chosen is APIStatusError:
        chosen = _BY_STATUS.get(fields["status_code"], APIStatusError)
    chosen = _openai_classes_of.get(chosen, chosen)
    return chosen(message, **fields)


def _made(chosen: type[OpenAIError], message: str, **fields: Any) -> OpenAIError:
    """An exception that Python code raises; also of openai's class, if that was requested."""
    return _openai_classes_of.get(chosen, chosen)(message, **fields)


def _rebuild(chosen: type[OpenAIError], message: str, fields: dict[str, Any]) -> OpenAIError:
    made = chosen(message)
    made.__dict__.update(fields)
    return made
