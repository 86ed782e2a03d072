"""The levels of the log through an AsyncClient."""

from awaited import client, loop, scripted  # noqa: F401
from test_logging import (  # noqa: F401
    kept,
    test_a_field_that_nobody_knows_is_warned_of,
    test_levels,
)
