"""The scenarios of test_usage through an AsyncClient."""

from awaited import client, loop, scripted  # noqa: F401
from test_usage import (  # noqa: F401
    test_keys_of_single_calls,
    test_parts_of_the_tokens_are_summed,
    test_sums_by_something_else,
    test_sums_of_each_key,
    test_taken_sums_begin_anew,
)
