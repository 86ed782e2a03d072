"""The scenarios of test_arguments through an AsyncClient."""

from awaited import client, loop, scripted  # noqa: F401
from test_arguments import (  # noqa: F401
    refused,
    test_a_field_may_come_with_extra_body,
    test_a_missing_argument,
    test_a_missing_argument_of_a_response,
    test_a_plain_call_says_nothing_of_streams,
    test_a_response_that_cannot_be_right_is_not_sent,
    test_an_input_that_is_none_is_not_sent,
    test_any_sequence_and_mapping_is_sent,
    test_arguments_are_not_changed,
    test_arguments_have_names,
    test_marks_of_openai_python_are_understood,
    test_marks_of_others_are_values,
    test_not_given_is_left_out,
    test_numbers_are_sent_to_the_last_digit,
    test_signatures_are_there_to_look_at,
    test_stream_is_a_boolean,
    test_the_bound_of_the_other_operation_is_told_by_its_right_name,
    test_values_are_written_as_compact_json,
    test_what_a_value_raises_comes_out,
    test_what_an_assistant_left_empty_may_be_sent_back,
    test_what_cannot_be_right_is_not_sent,
    test_what_is_no_json_is_not_sent,
    written,
)
