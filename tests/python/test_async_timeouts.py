"""The scenarios of test_timeouts through an AsyncClient."""

from awaited import client, loop, scripted  # noqa: F401
from test_timeouts import (  # noqa: F401
    test_a_number_is_no_wait_longer_than_that,
    test_a_slow_consumer_does_not_run_into_the_idle_timeout,
    test_a_stream_falls_silent,
    test_a_timeout_that_is_off,
    test_an_answer_falls_silent,
    test_comments_do_not_reset_the_idle_timeout,
    test_pings_reset_the_idle_timeout_if_wanted,
    test_substance_resets_the_idle_timeout,
    test_the_first_byte_takes_too_long,
    test_the_whole_call_takes_too_long,
)
