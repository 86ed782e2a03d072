"""The scenarios of test_retries through an AsyncClient."""

from awaited import client, loop, scripted  # noqa: F401
from test_retries import (  # noqa: F401
    test_a_busy_service_is_asked_again_with_the_same_bytes,
    test_a_wait_beyond_the_bound_returns_the_error_at_once,
    test_no_other_status_is_tried_again,
    test_nothing_is_tried_again_once_a_stream_is_open,
    test_opening_a_stream_is_tried_again_alike,
    test_so_many_attempts_and_no_more,
    test_the_service_may_ask_for_a_longer_wait,
)
