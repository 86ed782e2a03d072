"""The scenarios of test_kept through an AsyncClient."""

from awaited import client, loop, scripted  # noqa: F401
from test_kept import (  # noqa: F401
    test_an_answer_that_contains_itself_is_an_error,
    test_what_is_sent_back_is_what_it_is_now,
)
