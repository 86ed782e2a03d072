"""The key of a client and of a call, and headers as sent."""

from __future__ import annotations

from modelwire._errors import OpenAIError, RequestError
from modelwire._options import is_given

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, NoReturn


class Secret:
    """A key that is shown only on request."""

    __slots__ = ("value",)

    def __init__(self, value: str | None) -> None:
        self.value = value

    def __repr__(self) -> str:
        return "[key]" if self.value else "None"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a key cannot be pickled")


def secret(key: Any) -> Secret:
    """The key that a function returned."""
    if not isinstance(key, str):
        raise TypeError(
            f"the function given as api_key returned a {type(key).__name__}, not a str; one that "
            "is awaited needs AsyncOpenAI, and `async for` in a bulk job"
        )
    return Secret(key)


def checked(name: Any, value: Any) -> tuple[str, Any]:
    """Checks a header: it can be sent, or is omitted if no value is given."""
    if not isinstance(name, str):
        raise TypeError(f"the name of a header must be a str, not {name!r}")
    if is_given(value) and not isinstance(value, str):
        raise TypeError(
            f"header {name} takes a str, not {type(value).__name__}; modelwire.omit leaves it out"
        )
    return name, value


def without_key(headers: dict[str, Any], is_call: bool) -> tuple[dict[str, Any], Secret | None]:
    """Headers without those with a key, and the last key in them: programs replace the key this
    way."""
    names = [
        name
        for name, value in headers.items()
        if isinstance(name, str) and name.lower() == "authorization" and is_given(value)
    ]
    if not names:
        return headers, None
    name = names[-1]
    scheme, _, key = checked(name, headers[name])[1].strip().partition(" ")
    if scheme.lower() != "bearer" or not key.strip():
        raise (RequestError if is_call else OpenAIError)(
            f"header {name} cannot be set to anything but a key",
            kind="argument" if is_call else "config",
            hint='Give the key as api_key or with_options(api_key=...), or as "Bearer <key>".',
        )
    return {one: headers[one] for one in headers if one not in names}, Secret(key.strip())
