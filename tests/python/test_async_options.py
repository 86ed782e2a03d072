"""The scenarios of test_options through an AsyncClient."""

from awaited import client, loop, scripted  # noqa: F401
from test_options import (  # noqa: F401
    test_a_batch_before_an_error_is_not_lost,
    test_a_batch_does_not_wait_for_more,
    test_a_bound_of_the_client,
    test_a_call_that_only_streams,
    test_a_cap_on_connections,
    test_a_class_is_no_value,
    test_a_copy_with_another_key_or_url,
    test_a_retry_policy,
    test_a_timeout_of_a_call,
    test_a_timeout_of_a_call_is_not_the_clients,
    test_batches,
    test_further_fields_win,
    test_lost_connections_are_tried_again_if_wanted,
    test_queries,
    test_text_alone,
    test_the_answer_of_a_stream_as_an_object,
    test_the_whole_answer_at_the_end_of_a_stream,
    test_three_names_for_what_is_left_out,
    test_unknown_parameters_are_a_type_error,
    test_usage_is_summed_over_variants_of_a_client,
    test_values_of_many_kinds,
    test_without_gathering_a_stream_keeps_nothing,
)
