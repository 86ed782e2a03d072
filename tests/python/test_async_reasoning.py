"""The scenarios of test_reasoning through an AsyncClient."""

from awaited import client, loop, scripted  # noqa: F401
from test_reasoning import (  # noqa: F401
    test_a_service_s_own_field_stays_reachable,
    test_answers_without_any,
    test_copies_and_pickles_have_it_too,
    test_odd_reasoning_is_none,
    test_one_name_for_what_services_call_differently,
    test_reasoning_of_a_changed_message,
    test_reasoning_of_a_response,
    test_reasoning_of_changed_chunks,
    test_reasoning_of_events,
    test_the_settings_of_reasoning_stay_what_they_are,
    test_threads_see_the_same,
)
