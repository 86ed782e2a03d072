"""The levels of the log through an AsyncClient."""

import pytest

from awaited import client, loop, scripted  # noqa: F401
from test_logging import (  # noqa: F401
    kept,
    test_a_field_that_nobody_knows_is_warned_of,
    test_a_handler_that_fails_changes_no_call,
    test_a_line_without_a_colon_is_a_field_that_is_warned_of,
    test_levels,
)

pytestmark = pytest.mark.thread_unsafe("loggers are the process's")
