/*
 * The texts that the library gives, for the tests of C and of C++: one line for each, its kind,
 * where it stands in C, the same in C++, and what it is in the responses that `text_samples` of
 * tests/c/src scripts. What is not the same in both languages stands in texts.c and texts.cpp.
 *
 * TEXT is a function that gives a text; FIELD is a path in what the library knows of a response, an
 * event or an error.
 */
#ifndef TEXTS_H
#define TEXTS_H

#define TEXTS_OF_MODELS(TEXT, FIELD) FIELD("/models/0", models.model_ids().at(0), "model-1")

#define TEXTS_OF_ANSWER(TEXT, FIELD)                                                           \
  TEXT(modelwire_response_text, answer.text(), "whole")                                        \
  FIELD("/finish_reason", answer.finish_reason(), "stop")                                      \
  FIELD("/request_id", answer.request_id(), "req_1")                                           \
  FIELD("/end", answer.end_mark(), "document")                                                 \
  FIELD("/headers/0/name", answer.headers().at(0).name, "content-type")                        \
  FIELD("/headers/0/value", answer.headers().at(0).value, "application/json")                  \
  FIELD("/tool_calls/0/id", answer.tool_calls().at(0).id, "call_1")                            \
  FIELD("/tool_calls/0/name", answer.tool_calls().at(0).name, "search")                        \
  FIELD("/tool_calls/0/arguments", answer.tool_calls().at(0).arguments, "{\"q\":1}")

#define TEXTS_OF_EVENT(TEXT, FIELD)                                                            \
  TEXT(modelwire_event_text, event.text(), "piece")                                            \
  TEXT(modelwire_event_name, event.name(), "named")                                            \
  FIELD("/name", event.name(), "named")                                                        \
  FIELD("/finish_reason", event.finish_reason(), "length")                                     \
  FIELD("/tool_calls/0/id", event.tool_calls().at(0).id, "call_1")                             \
  FIELD("/tool_calls/0/name", event.tool_calls().at(0).name, "search")                         \
  FIELD("/tool_calls/0/arguments", event.tool_calls().at(0).arguments, "{\"q\":1}")

#define TEXTS_OF_REFUSAL(TEXT, FIELD)                                                          \
  TEXT(modelwire_error_message, error.message(), "No.")                                        \
  FIELD("/message", error.message(), "No.")                                                    \
  FIELD("/hint", error.hint(),                                                                 \
        "Reproduce it with a minimal request, then add parameters one by one.")                \
  FIELD("/type", error.type(), "a_type")                                                       \
  FIELD("/code", error.code(), "a_code")                                                       \
  FIELD("/param", error.param(), "a_param")                                                    \
  FIELD("/request_id", error.request_id(), "req_1")                                            \
  FIELD("/path", error.path(), "/scripts/s/v1/chat/completions")                               \
  FIELD("/metered", error.metered(), "unknown")                                                \
  FIELD("/body", error.body(),                                                                 \
        "{\"error\":{\"message\":\"No.\",\"type\":\"a_type\",\"code\":\"a_code\","             \
        "\"param\":\"a_param\"}}")

#define TEXTS_OF_BROKEN_STREAM(TEXT, FIELD)                                                    \
  FIELD("/partial", error.partial(),                                                           \
        "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"half\"}," \
        "\"finish_reason\":null}]}")

#define TEXTS_OF_TIMEOUT(TEXT, FIELD) FIELD("/timeout", error.timeout(), "first_byte_timeout")

#endif
