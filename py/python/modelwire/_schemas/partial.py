"""The value of incomplete JSON text.

A string or a number that may continue is omitted, as in openai-python; so is a name without its
value.
"""

from __future__ import annotations

import json
import re
from typing import Any

_TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|([{}\[\],:])|([^\s"{}\[\],:]+))', re.DOTALL)
_CLOSING = {"{": "}", "[": "]"}


def value(text: str) -> Any:
    """The value so far; None if there is nothing yet, or the text is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return json.loads(_ended(text) or "null")
    except (ValueError, RecursionError):
        return None


def _ended(text: str) -> str:
    """The text up to its last complete value, with open brackets closed; empty if there is
    none."""
    open_: list[str] = []
    end = 0  # where the text can be cut, except for open brackets
    names = False  # whether an object expects a name next
    at = 0
    while found := _TOKEN.match(text, at):
        at = found.end()
        string, sign, word = found.groups()
        if sign in ("{", "["):
            open_.append(sign)
            names = sign == "{"
        elif sign in ("}", "]"):
            if not open_ or _CLOSING[open_[-1]] != sign:
                break
            open_.pop()
            names = False
        elif sign == ",":
            names = bool(open_) and open_[-1] == "{"
            continue
        elif sign == ":":
            names = False
            continue
        elif (string and names) or (word and not _is_whole(word, at == len(text))):
            continue
        end = at
    # The text after the end opened and closed no brackets.
    return text[:end] + "".join(_CLOSING[one] for one in reversed(open_))


def _is_whole(word: str, is_last: bool) -> bool:
    if not is_last:
        return True
    try:
        json.loads(word)
    except ValueError:
        return False
    return True
