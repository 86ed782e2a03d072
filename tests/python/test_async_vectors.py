"""The vectors of the grammar, of errors, of gathering and of requests through an AsyncClient."""

from awaited import client, loop, scripted  # noqa: F401
from test_vectors import (  # noqa: F401
    test_answers_that_are_no_answers,
    test_envelopes,
    test_errors_under_a_good_status,
    test_every_event_of_the_grammar,
    test_every_kind_has_its_hint,
    test_lines_that_leave_the_grammar,
    test_requests,
    test_streams_of_the_grammar,
    test_what_attributes_tell_of_odd_chunks,
    test_what_chunks_add_up_to,
)
