"""The scenarios of test_answers through an AsyncClient."""

from awaited import client, loop, scripted  # noqa: F401
from test_answers import (  # noqa: F401
    test_a_document_that_answers_a_streamed_call_is_a_finished_stream,
    test_a_model_is_whatever_the_service_calls_it,
    test_a_stream_that_answers_a_plain_call_is_gathered,
    test_calls_that_reported_no_usage_are_counted_apart,
    test_chat,
    test_chat_cut_short,
    test_chat_of_several_choices,
    test_chat_with_tools,
    test_connections_are_used_again,
    test_iterables_are_consumed,
    test_list_models,
    test_list_models_in_both_forms,
    test_models_are_named_wherever_their_name_is,
    test_response,
    test_response_of_items_cut_short,
    test_response_without_text,
    test_usage_is_summed_by_model_as_the_service_meters_it,
    test_what_is_no_list_of_models_is_an_error,
    test_what_was_gathered_before_a_cut_is_not_lost,
)
