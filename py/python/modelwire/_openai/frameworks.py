"""What frameworks need that ask `isinstance` for openai-python's classes: posing where a variable
asks for it, and a warning where a program seems to have missed it. Imported when one of them is
there; knows no call."""

from __future__ import annotations

import os
import sys
import warnings

from modelwire._errors import OpenAIError
from modelwire._openai import FRAMEWORKS, POSE

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable

_ON = ("1", "true", "yes", "on")
_OFF = ("", "0", "false", "no", "off")


class FrameworkWarning(UserWarning):
    """A framework is there that takes only what says that it is of openai-python's classes."""


def look(pose: Callable[[], None], *, is_posing: bool) -> bool:
    """Poses, or warns, when a client is made; whether that was done for good."""
    wanted = os.environ.get(POSE, "").strip().lower()
    if wanted in _ON:
        pose()
        return True
    if wanted not in _OFF:
        raise OpenAIError(
            f"{POSE} is {wanted!r}", kind="config", hint="Set it to 1, or to 0 for no warning."
        )
    if is_posing or POSE in os.environ:
        return True
    found = sorted(FRAMEWORKS & sys.modules.keys())
    if not found:
        return False
    warnings.warn(
        f"{found[0].partition('.')[0]} asks isinstance for openai-python's classes, and what this "
        "client returns is of modelwire's: call modelwire.pose_as_openai() once, before that, or "
        f"set {POSE}=1. Set it to 0, or filter modelwire.FrameworkWarning, if the client is for "
        "something else",
        FrameworkWarning,
        stacklevel=_depth_of_program(),
    )
    return True


def _depth_of_program() -> int:
    """How far up the program stands that makes the client."""
    root = __name__.partition("._openai.")[0]
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals["__name__"].startswith(f"{root}."):
        depth, frame = depth + 1, frame.f_back
    return depth
