/*
 * The texts that the library gives, for the tests of C and of C++: one line for each, with its kind,
 * its function of C, the same in C++, and what it is in the responses that `text_samples` of
 * tests/c/src scripts. What is not the same in both languages stands in texts.c and texts.cpp.
 *
 * TEXT gives a text; SIZED is told its length as well; AT is given an index, and SIZED_AT both.
 */
#ifndef TEXTS_H
#define TEXTS_H

#define TEXTS_OF_MODELS(TEXT, SIZED, AT, SIZED_AT)                                             \
  AT(modelwire_response_model_id, models.model_ids().at(0), "model-1")

#define TEXTS_OF_ANSWER(TEXT, SIZED, AT, SIZED_AT)                                             \
  SIZED(modelwire_response_text, answer.text(), "whole")                                       \
  TEXT(modelwire_response_finish_reason, answer.finish_reason(), "stop")                       \
  TEXT(modelwire_response_request_id, answer.request_id(), "req_1")                            \
  TEXT(modelwire_response_end, answer.end_mark(), "document")                                  \
  AT(modelwire_response_header_name, answer.headers().at(0).name, "content-type")              \
  AT(modelwire_response_header_value, answer.headers().at(0).value, "application/json")        \
  AT(modelwire_response_tool_call_id, answer.tool_calls().at(0).id, "call_1")                  \
  AT(modelwire_response_tool_call_name, answer.tool_calls().at(0).name, "search")              \
  SIZED_AT(modelwire_response_tool_call_arguments, answer.tool_calls().at(0).arguments,        \
           "{\"q\":1}")

#define TEXTS_OF_EVENT(TEXT, SIZED, AT, SIZED_AT)                                              \
  SIZED(modelwire_event_text, event.text(), "piece")                                           \
  SIZED(modelwire_event_name, event.name(), "named")                                           \
  TEXT(modelwire_event_finish_reason, event.finish_reason(), "length")                         \
  AT(modelwire_event_tool_call_id, event.tool_calls().at(0).id, "call_1")                      \
  AT(modelwire_event_tool_call_name, event.tool_calls().at(0).name, "search")                  \
  SIZED_AT(modelwire_event_tool_call_arguments, event.tool_calls().at(0).arguments,            \
           "{\"q\":1}")

#define TEXTS_OF_REFUSAL(TEXT, SIZED, AT, SIZED_AT)                                            \
  TEXT(modelwire_error_message, error.message(), "No.")                                        \
  TEXT(modelwire_error_hint, error.hint(),                                                     \
       "Reproduce it with a minimal request, then add parameters one by one.")                 \
  TEXT(modelwire_error_type, error.type(), "a_type")                                           \
  TEXT(modelwire_error_code, error.code(), "a_code")                                           \
  TEXT(modelwire_error_param, error.param(), "a_param")                                        \
  TEXT(modelwire_error_request_id, error.request_id(), "req_1")                                \
  TEXT(modelwire_error_path, error.path(), "/scripts/s/v1/chat/completions")                   \
  TEXT(modelwire_error_metered, error.metered(), "unknown")                                    \
  SIZED(modelwire_error_body, error.body(),                                                    \
        "{\"error\":{\"message\":\"No.\",\"type\":\"a_type\",\"code\":\"a_code\","             \
        "\"param\":\"a_param\"}}")

#define TEXTS_OF_BROKEN_STREAM(TEXT, SIZED, AT, SIZED_AT)                                      \
  SIZED(modelwire_error_partial, error.partial(),                                              \
        "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"half\"}," \
        "\"finish_reason\":null}]}")

#define TEXTS_OF_TIMEOUT(TEXT, SIZED, AT, SIZED_AT)                                            \
  TEXT(modelwire_error_timeout, error.timeout(), "first_byte_timeout")

#endif
