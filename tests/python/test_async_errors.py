"""The scenarios of test_errors through an AsyncClient."""

from awaited import client, loop, scripted  # noqa: F401
from test_errors import (  # noqa: F401
    test_a_base_url_without_version_is_told_where_it_may_be_the_cause,
    test_a_clean_end_without_a_mark_is_incomplete,
    test_a_connection_that_breaks_off_before_the_answer,
    test_a_cut_stream_never_looks_finished,
    test_a_cut_stream_of_the_service,
    test_a_plain_answer_that_is_cut_is_no_answer,
    test_a_raised_exception_can_be_pickled,
    test_a_report_has_everything,
    test_a_stream_only_model_says_so_in_the_hint,
    test_an_error_in_a_response_stream,
    test_an_error_in_a_stream_comes_after_the_chunks_before_it,
    test_an_error_under_a_good_status_is_no_answer,
    test_an_error_under_a_good_status_is_raised,
    test_data_that_is_not_json_is_quoted,
    test_envelopes_of_errors,
    test_every_status_has_its_exception,
    test_html_under_a_good_status,
    test_refused_calls,
    test_streaming_is_named_where_it_may_help,
    test_streams_that_real_servers_broke_are_never_whole,
    test_the_answer_and_the_request_of_an_error,
    test_what_is_no_answer_is_not_known_to_be_metered,
)
