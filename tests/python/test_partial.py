"""JSON text that is not whole yet.

The values are those that openai-python's reader (jiter, with partial_mode) gives of the same texts;
where that one raises, ours is None.
"""

import json
import time

import pytest

from modelwire._schemas.partial import value

CUTS = [
    ("", None),
    ("  ", None),
    ("{", {}),
    ('{"a', {}),
    ('{"a"', {}),
    ('{"a":', {}),
    ('{"a": "fo', {}),
    ('{"a": "foo"', {"a": "foo"}),
    ('{"a": "x\\', {}),
    ('{"a": "\\u00', {}),
    ('{"a": tr', {}),
    ('{"a": true', {"a": True}),
    ('{"a": 12', {"a": 12}),
    ('{"a": 1, "b', {"a": 1}),
    ('{"a":[{"b":1},{"c', {"a": [{"b": 1}, {}]}),
    ('{"a": {"b": [', {"a": {"b": []}}),
    ("[", []),
    ("[1,", [1]),
    ("[1, 2", [1, 2]),
    ("[1.", []),
    ("[-", []),
    ("[[], [", [[], []]),
    ('["a", "b', ["a"]),
    ("12", 12),
    ("tru", None),
    ('"ab', None),
    ("Hello there", None),
    ("}", None),
]


@pytest.mark.parametrize(("text", "found"), CUTS, ids=repr)
def test_a_partial_text_has_only_finished_values(text, found):
    """Nothing that may go on: no text, no number that is none yet, no name without its value."""
    assert value(text) == found


def test_every_cut_of_a_document():
    """Has a value, which only grows."""
    whole = {"steps": [{"x": 'a "q" é\n', "y": [1, -25, None]}, {}], "z": {"t": [{}]}, "n": 1}
    text = json.dumps(whole)
    sizes = [len(json.dumps(value(text[:at]))) for at in range(1, len(text) + 1)]
    assert sizes == sorted(sizes) and value(text) == whole


def test_a_text_without_end():
    """Nesting beyond what Python reads is nothing yet, and no crash."""
    assert value("[" * 100_000) is None


@pytest.mark.thread_unsafe("the processor time of the process is measured")
def test_deep_texts_take_linear_time():
    """80,000 levels cost eight times what 10,000 cost, and not sixty-four times."""

    def taken(levels):
        begin = time.process_time()
        value("[" * levels)
        return time.process_time() - begin

    taken(1000)
    short, long = min(taken(10_000), taken(10_000)), taken(80_000)
    assert long < 20 * short
