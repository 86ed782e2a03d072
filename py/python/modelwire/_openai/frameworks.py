"""For frameworks that check `isinstance` of openai-python's classes: registers the classes if a
variable requests it, and warns if a program seems to have missed it. Imported with one of them."""

from __future__ import annotations

import os
import sys
import warnings

from modelwire._errors import OpenAIError
from modelwire._openai import FRAMEWORKS, REGISTER

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable

_ON = ("1", "true", "yes", "on")
_OFF = ("", "0", "false", "no", "off")


class FrameworkWarning(UserWarning):
    """An imported framework accepts only instances of openai-python's classes."""


def look(register: Callable[[], None], *, is_registered: bool) -> bool:
    """Registers the classes, or warns, when a client is created; true if nothing is left to do."""
    wanted = os.environ.get(REGISTER, "").strip().lower()
    if wanted in _ON:
        register()
        return True
    if wanted not in _OFF:
        raise OpenAIError(
            f"{REGISTER} is {wanted!r}", kind="config", hint="Set it to 1, or to 0 for no warning."
        )
    if is_registered or REGISTER in os.environ:
        return True
    found = sorted(FRAMEWORKS & sys.modules.keys())
    if not found:
        return False
    warnings.warn(
        f"{found[0].partition('.')[0]} checks isinstance against openai-python's classes, "
        "and this client returns modelwire's: call modelwire.register_openai_classes() first, or "
        f"set {REGISTER}=1. Set it to 0, or filter modelwire.FrameworkWarning, if the framework "
        "does not use this client",
        FrameworkWarning,
        stacklevel=_depth_of_program(),
    )
    return True


def _depth_of_program() -> int:
    """The stack depth of the program's code that creates the client."""
    root = __name__.partition("._openai.")[0]
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals["__name__"].startswith(f"{root}."):
        depth, frame = depth + 1, frame.f_back
    return depth
