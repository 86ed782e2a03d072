"""The scenarios of test_objects through an AsyncClient."""

from awaited import client, loop, scripted  # noqa: F401
from test_objects import (  # noqa: F401
    of,
    test_a_copy_with_other_fields,
    test_an_answer_outlives_its_client,
    test_answers_go_back_into_messages,
    test_answers_in_pydantic_models,
    test_any_part_of_an_answer_can_be_sent,
    test_deep_nesting_does_not_crash,
    test_dumps,
    test_equality,
    test_equality_of_chunks,
    test_fields_are_items_too,
    test_fields_of_another_type_pass_through,
    test_items_are_of_the_class_that_their_type_names,
    test_json_text,
    test_missing_fields,
    test_numbers_in_other_writings,
    test_numbers_to_the_last_digit,
    test_objects_are_read_only,
    test_objects_made_again,
    test_of_duplicate_keys_the_last_wins,
    test_plain_values,
    test_texts,
    test_unknown_fields_are_attributes,
    test_what_was_sent_and_what_is_new,
)
