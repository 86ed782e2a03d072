"""The scenarios of test_rate_limits through an AsyncClient."""

from awaited import client, loop, scripted  # noqa: F401
from test_rate_limits import (  # noqa: F401
    test_limits_of_whole_answers,
    test_where_nothing_is_said,
)
