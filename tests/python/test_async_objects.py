"""The scenarios of test_objects through an AsyncClient."""

from awaited import client, loop, scripted  # noqa: F401
from test_objects import (  # noqa: F401
    of,
    test_an_answer_outlives_its_client,
    test_answers_go_back_into_messages,
    test_any_part_of_an_answer_can_be_sent,
    test_deep_nesting_does_not_crash,
    test_equality,
    test_equality_of_chunks,
    test_fields_of_another_type_pass_through,
    test_json_text,
    test_missing_fields,
    test_numbers_in_other_writings,
    test_numbers_to_the_last_digit,
    test_objects_are_read_only,
    test_of_duplicate_keys_the_last_wins,
    test_plain_values,
    test_texts,
    test_unknown_fields_are_attributes,
)
