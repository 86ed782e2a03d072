"""The dummy model of the servers that run one: what it answers is chosen by a word of the prompt."""

import os
import time

HELLO = "Hello! I am a tiny model."
UNICODE = "Caf\u00e9 na\u00efve \u65e5\u672c\u8a9e emo\U0001f30d \U0001f469\u200d\U0001f4bb ls\u2028nel\u0085 \u0645\u0631\u062d\u0628\u0627 fin"
PIECE = 6  # characters
PAUSE = 0.02  # seconds between the pieces of what is slow


class Refused(Exception):
    """The prompt asks for a refusal because of a limit."""


def answer(prompt):
    """The pieces of the answer."""
    if "limit me" in prompt:
        raise Refused("Rate limit reached")
    if "server error" in prompt:
        raise RuntimeError("boom")
    text, pause = HELLO, 0
    if "unicode" in prompt:
        text = UNICODE
    elif "long" in prompt:
        text = UNICODE * 40
    elif "loop" in prompt:
        text, pause = " tick tock" * 30, PAUSE
    elif "empty" in prompt:
        text = ""
    piece = PIECE * 100 if "long" in prompt else PIECE
    for number, start in enumerate(range(0, len(text), piece)):
        if number == 2 and "truncate" in prompt:
            raise RuntimeError("broke off")
        if number == 2 and "die" in prompt:
            time.sleep(10 * PAUSE)  # what was said is on the wire by then
            os._exit(1)
        yield text[start : start + piece]
        time.sleep(pause)
