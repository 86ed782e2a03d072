"""Client for OpenAI-compatible model inference services.

    from modelwire import OpenAI

    client = OpenAI()  # MODELWIRE_BASE_URL and MODELWIRE_API_KEY, or OPENAI_...
    for chunk in client.chat.completions.create(
        model="a-model",
        messages=[{"role": "user", "content": "Say hello."}],
        stream=True,
    ):
        print(chunk.choices[0].delta.content or "", end="")

Three operations: models.list, chat.completions.create, responses.create. Answers are views over
the JSON that the service sent: unknown fields are attributes too. For exceptions, see OpenAIError
and its subclasses.
"""

import atexit as _atexit
import sys as _sys

from modelwire._client import AsyncClient, AsyncOpenAI, Client, OpenAI
from modelwire._errors import (
    AnswerError,
    AnswerValidationError,
    APIConnectionError,
    APIError,
    APIResponseValidationError,
    APIStatusError,
    APITimeoutError,
    AuthenticationError,
    BadRequestError,
    ConflictError,
    ContentFilterFinishReasonError,
    IncompleteStreamError,
    InternalServerError,
    LengthFinishReasonError,
    MaxTurnsError,
    NotFoundError,
    OpenAIError,
    PermissionDeniedError,
    RateLimitError,
    RequestError,
    StreamContradictionError,
    UnprocessableEntityError,
)
from modelwire._native import AsyncStream, BeforeAttempt, Stream, __version__, set_io_threads
from modelwire._native import shutdown as _shutdown
from modelwire._options import MAX_RETRIES as DEFAULT_MAX_RETRIES
from modelwire._options import NOT_GIVEN, Limits, NotGiven, Omit, Retry, Timeout, not_given, omit
from modelwire._resources import end as _end_operations


def enable_logging(level: int | str = "DEBUG") -> None:
    """Sends the library's log to `logging`, under the logger "modelwire", from now on.

    A client does this automatically if that logger, or the root logger, is set to INFO or DEBUG
    when the client is made, or if MODELWIRE_LOG or OPENAI_LOG is "info" or "debug". Keys and
    bodies are never logged.
    """
    from modelwire._client import _log_module

    _log_module().start(level)


def disable_logging() -> None:
    """Ends what enable_logging began, after all records were passed on."""
    from modelwire._client import _log_module

    _log_module().stop()


def register_openai_classes() -> None:
    """Makes answers, streams, clients and errors instances of openai's classes for `isinstance`
    and `except`, from now on: for frameworks that take a client and check what it returns.
    MODELWIRE_REGISTER_OPENAI_CLASSES=1 does the same when the first client is made.

    Requires openai-python and imports it, but makes no calls with it.
    """
    from modelwire._client import register_openai_classes

    register_openai_classes()


def pose_as_openai() -> None:
    """Deprecated: the former name of register_openai_classes, until 0.2."""
    from warnings import warn

    warn("pose_as_openai is now register_openai_classes", DeprecationWarning, stacklevel=2)
    register_openai_classes()


def flush_calls(timeout: float = 5.0) -> bool:
    """Waits until `on_call` and observers have received all calls that ended so far; returns
    whether that was in time. Inside such a callback it returns False at once.

    Closing a client and the end of the program also wait for this, for at most one second."""
    calls = _sys.modules.get(f"{__name__}._calls")
    return calls is None or bool(calls.flush(timeout))


def _end() -> None:
    """Ends all calls before the interpreter exits: the I/O thread never touches Python. Records of
    calls, including those ended here, are passed on."""
    calls = _sys.modules.get(f"{__name__}._calls")
    if calls is not None:
        calls.flush(calls.END_MAX)
    _shutdown(1.0)
    _end_operations()
    if calls is not None:
        calls.end()


_atexit.register(_end)


class _OpenAIPaths:
    """Finds modules that openai-python has and for which this package has no file. Python asks
    this finder last, so it slows down no other import."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> object:
        if not name.startswith(f"{__name__}."):
            return None
        from modelwire._openai import paths as _openai_paths

        return _openai_paths.find(name)


_sys.meta_path.append(_OpenAIPaths)  # type: ignore[arg-type]

# Module-level names of openai: calls of a client that the module's variables configure.
_MODULE_CALLS = ("models", "chat", "responses", "beta")
_MODULE_SETTINGS = (
    "api_key",
    "admin_api_key",
    "organization",
    "project",
    "webhook_secret",
    "base_url",
    "timeout",
    "max_retries",
    "default_headers",
    "default_query",
    "http_client",
)


_HTTP_CLIENTS = (
    "DefaultHttpxClient",
    "DefaultAsyncHttpxClient",
    "DefaultAioHttpClient",
    "DefaultHttpx2Client",
    "DefaultAsyncHttpx2Client",
)

_TYPES = (
    "DEFAULT_CONNECTION_LIMITS",
    "NoneType",
    "ProxiesTypes",
    "RequestOptions",
    "Transport",
    "file_from_path",
)

# Modules that are imported on demand.
_PARTS = (
    "_base_client",
    "_constants",
    "_exceptions",
    "_legacy_response",
    "_models",
    "_response",
    "_streaming",
    "_types",
    "_utils",
    "_version",
    "lib",
    "pagination",
    "resources",
    "streaming",
    "testing",
    "types",
    "version",
)

_module_client: tuple[dict[str, object], Client] | None = None


# True for type checkers, so that they see only the existing names.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from modelwire import lib as lib
    from modelwire import pagination as pagination
    from modelwire import resources as resources
    from modelwire import streaming as streaming
    from modelwire import testing as testing
    from modelwire import types as types
    from modelwire import version as version
    from modelwire._answers.rate_limits import RateLimit as RateLimit
    from modelwire._answers.rate_limits import RateLimits as RateLimits
    from modelwire._answers.raw import APIResponse as APIResponse
    from modelwire._answers.raw import AsyncAPIResponse as AsyncAPIResponse
    from modelwire._answers.record import CallRecord as CallRecord
    from modelwire._answers.usage import Usage as Usage
    from modelwire._answers.usage import UsageSum as UsageSum
    from modelwire._bulk.job import bulk as bulk
    from modelwire._errors import InvalidWebhookSignatureError as InvalidWebhookSignatureError
    from modelwire._openai.frameworks import FrameworkWarning as FrameworkWarning
    from modelwire._openai.http_client import DefaultAioHttpClient as DefaultAioHttpClient
    from modelwire._openai.http_client import DefaultAsyncHttpx2Client as DefaultAsyncHttpx2Client
    from modelwire._openai.http_client import DefaultAsyncHttpxClient as DefaultAsyncHttpxClient
    from modelwire._openai.http_client import DefaultHttpx2Client as DefaultHttpx2Client
    from modelwire._openai.http_client import DefaultHttpxClient as DefaultHttpxClient
    from modelwire._resources import Beta, Chat, Models, Responses
    from modelwire._schemas.parse import pydantic_function_tool as pydantic_function_tool
    from modelwire._schemas.parse import (
        pydantic_responses_function_tool as pydantic_responses_function_tool,
    )
    from modelwire._types import DEFAULT_CONNECTION_LIMITS as DEFAULT_CONNECTION_LIMITS
    from modelwire._types import NoneType as NoneType
    from modelwire._types import ProxiesTypes as ProxiesTypes
    from modelwire._types import RequestOptions as RequestOptions
    from modelwire._types import Transport as Transport
    from modelwire._types import file_from_path as file_from_path
    from modelwire.types._unions import BaseModel as BaseModel
    from modelwire.version import VERSION as VERSION

    models: Models
    chat: Chat
    responses: Responses
    beta: Beta
else:

    def __getattr__(name: str) -> object:
        """`modelwire.chat`, `modelwire.models`, `modelwire.responses`: from a client that is made
        from the module's variables `api_key`, `base_url` and so on, if they are set. Also the
        parts of the package that are imported on first use."""
        global _module_client
        if name in _PARTS:
            from importlib import import_module

            return import_module(f"{__name__}.{name}")
        if name == "bulk":
            from modelwire._bulk.job import bulk

            return bulk
        if name == "CallRecord":
            from modelwire._answers.record import CallRecord

            return CallRecord
        if name == "FrameworkWarning":
            from modelwire._openai.frameworks import FrameworkWarning

            return FrameworkWarning
        if name in _HTTP_CLIENTS:
            from modelwire._openai import http_client as _http_client

            return getattr(_http_client, name)
        if name in ("APIResponse", "AsyncAPIResponse"):
            from modelwire._answers import raw as _raw

            return getattr(_raw, name)
        if name in _TYPES:
            from modelwire import _types

            return getattr(_types, name)
        if name == "VERSION":
            return __version__
        if name == "InvalidWebhookSignatureError":
            from modelwire._errors import InvalidWebhookSignatureError

            return InvalidWebhookSignatureError
        if name == "BaseModel":
            from modelwire.types._unions import BaseModel

            return BaseModel
        if name in ("RateLimit", "RateLimits"):
            from modelwire._answers import rate_limits as _rate_limits

            return getattr(_rate_limits, name)
        if name in ("Usage", "UsageSum"):
            from modelwire._answers import usage as _usage

            return getattr(_usage, name)
        if name in ("pydantic_function_tool", "pydantic_responses_function_tool"):
            from modelwire._schemas import parse as _parse

            return getattr(_parse, name)
        if name.startswith("_"):  # the import system looks it up before it imports a part
            raise AttributeError(f"module 'modelwire' has no attribute {name!r}")
        if name not in _MODULE_CALLS:
            from modelwire._openai import unsupported as _unsupported

            return _unsupported.of_module(name)
        variables = globals()
        settings = {name: variables[name] for name in _MODULE_SETTINGS if name in variables}
        if _module_client is None or _module_client[0] != settings:
            _module_client = settings, Client(**settings)
        return getattr(_module_client[1], name)


DEFAULT_TIMEOUT = Timeout()
"""The timeouts of a client that sets none: the defaults of each."""

__all__ = [
    "DEFAULT_MAX_RETRIES",
    "DEFAULT_TIMEOUT",
    "NOT_GIVEN",
    "APIConnectionError",
    "APIError",
    "APIResponseValidationError",
    "APIStatusError",
    "APITimeoutError",
    "AnswerError",
    "AnswerValidationError",
    "AsyncClient",
    "AsyncOpenAI",
    "AsyncStream",
    "AuthenticationError",
    "BadRequestError",
    "BeforeAttempt",
    "CallRecord",
    "Client",
    "ConflictError",
    "ContentFilterFinishReasonError",
    "IncompleteStreamError",
    "InternalServerError",
    "LengthFinishReasonError",
    "Limits",
    "MaxTurnsError",
    "NotFoundError",
    "NotGiven",
    "Omit",
    "OpenAI",
    "OpenAIError",
    "PermissionDeniedError",
    "RateLimitError",
    "RequestError",
    "Retry",
    "Stream",
    "StreamContradictionError",
    "Timeout",
    "UnprocessableEntityError",
    "__version__",
    "bulk",
    "disable_logging",
    "enable_logging",
    "flush_calls",
    "not_given",
    "omit",
    "register_openai_classes",
    "set_io_threads",
]
