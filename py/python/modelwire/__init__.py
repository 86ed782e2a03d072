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

from modelwire._client import NOT_GIVEN, Client, NotGiven, OpenAI, Timeout
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
from modelwire._native import Stream, __version__
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
    "AuthenticationError",
    "BadRequestError",
    "Client",
    "ConflictError",
    "IncompleteStreamError",
    "InternalServerError",
    "NotFoundError",
    "NotGiven",
    "OpenAI",
    "OpenAIError",
    "PermissionDeniedError",
    "RateLimitError",
    "RequestError",
    "Stream",
    "Timeout",
    "UnprocessableEntityError",
    "__version__",
]
