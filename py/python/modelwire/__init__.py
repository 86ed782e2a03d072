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
the JSON that the service sent: fields nobody here knows are attributes too. Exceptions: see
OpenAIError and the classes below it.
"""

import atexit as _atexit

from modelwire._client import AsyncClient, AsyncOpenAI, Client, OpenAI
from modelwire._errors import (
    APIConnectionError,
    APIError,
    APIResponseValidationError,
    APIStatusError,
    APITimeoutError,
    AuthenticationError,
    BadRequestError,
    ConflictError,
    IncompleteStreamError,
    InternalServerError,
    NotFoundError,
    OpenAIError,
    PermissionDeniedError,
    RateLimitError,
    RequestError,
    UnprocessableEntityError,
)
from modelwire._given import NOT_GIVEN, Limits, NotGiven, Omit, Retry, Timeout, not_given, omit
from modelwire._native import AsyncStream, Stream, __version__
from modelwire._native import shutdown as _shutdown

# The I/O thread never touches Python; this only ends its calls before the interpreter goes.
_atexit.register(_shutdown, 1.0)

__all__ = [
    "NOT_GIVEN",
    "APIConnectionError",
    "APIError",
    "APIResponseValidationError",
    "APIStatusError",
    "APITimeoutError",
    "AsyncClient",
    "AsyncOpenAI",
    "AsyncStream",
    "AuthenticationError",
    "BadRequestError",
    "Client",
    "ConflictError",
    "IncompleteStreamError",
    "InternalServerError",
    "Limits",
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
    "Timeout",
    "UnprocessableEntityError",
    "__version__",
    "not_given",
    "omit",
]
