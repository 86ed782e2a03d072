/*
 * Every text that the library gives of a response, an event or an error: what it is in the
 * responses that `text_samples` of tests/c/src scripts. A function that is missing is named by a
 * test.
 */
#include "check.h"

/* A function of the handle. The text stays where it is, and NULL has none. */
#define TEXT(function, expected)                       \
  do {                                                         \
    size_t length = 99;                                        \
    const char *text = function(handle, &length);              \
    check_text(__FILE__, __LINE__, #function, text, expected); \
    CHECK(length == strlen(text));                             \
    CHECK(function(handle, NULL) == text);                     \
    length = 99;                                               \
    CHECK(function(NULL, &length) == NULL && length == 0);     \
    CHECK(function(NULL, NULL) == NULL);                       \
  } while (0);

/* A field of the value that tells of the handle. */
#define FIELD(path, expected)                                                  \
  do {                                                                                 \
    size_t length = 99;                                                                \
    const char *text = modelwire_value_text(known, path, MODELWIRE_NUL, &length);      \
    check_text(__FILE__, __LINE__, path, text, expected);                              \
    CHECK(length == strlen(text));                                                     \
    CHECK(modelwire_value_text(known, path, sizeof path - 1, NULL) == text);           \
  } while (0);

/* A value stays where it is, too. */
#define KNOWN(function)                             \
  const modelwire_value *known = function(handle); \
  CHECK(known != NULL && function(handle) == known && function(NULL) == NULL);

static const char *whole(const modelwire_value *value) {
  return modelwire_value_json(value, "", 0, NULL);
}

static void of_models(const modelwire_response *handle) {
  KNOWN(modelwire_response_info)
  FIELD("/models/0", "model-1")
}

static void of_answer(const modelwire_response *handle) {
  KNOWN(modelwire_response_info)
  TEXT(modelwire_response_json, whole(modelwire_response_value(handle)))
  CHECK(modelwire_response_value(handle) == modelwire_response_value(handle));
  CHECK(modelwire_response_value(NULL) == NULL);
  TEXT(modelwire_response_text, "whole")
  FIELD("/finish_reason", "stop")
  FIELD("/request_id", "req_1")
  FIELD("/end", "document")
  FIELD("/headers/0/name", "content-type")
  FIELD("/headers/0/value", "application/json")
  FIELD("/tool_calls/0/id", "call_1")
  FIELD("/tool_calls/0/name", "search")
  FIELD("/tool_calls/0/arguments", "{\"q\":1}")
}

static void of_event(const modelwire_event *handle) {
  KNOWN(modelwire_event_info)
  TEXT(modelwire_event_json, whole(modelwire_event_value(handle)))
  CHECK(modelwire_event_value(handle) == modelwire_event_value(handle));
  CHECK(modelwire_event_value(NULL) == NULL);
  TEXT(modelwire_event_text, "piece")
  TEXT(modelwire_event_name, "named")
  FIELD("/name", "named")
  FIELD("/finish_reason", "length")
  FIELD("/tool_calls/0/id", "call_1")
  FIELD("/tool_calls/0/name", "search")
  FIELD("/tool_calls/0/arguments", "{\"q\":1}")
}

static void of_refusal(const modelwire_error *handle) {
  KNOWN(modelwire_error_value)
  TEXT(modelwire_error_message, "No.")
  FIELD("/message", "No.")
  FIELD("/hint", "Reproduce it with a minimal request, then add parameters one by one.")
  FIELD("/type", "a_type")
  FIELD("/code", "a_code")
  FIELD("/param", "a_param")
  FIELD("/request_id", "req_1")
  FIELD("/path", "/scripts/s/v1/chat/completions")
  FIELD("/metered", "unknown")
  FIELD("/body", "{\"error\":{\"message\":\"No.\",\"type\":\"a_type\",\"code\":\"a_code\","
        "\"param\":\"a_param\"}}")
  FIELD("/kind", "invalid_request")
  FIELD("/model", "m")
  TEXT(modelwire_error_json, whole(known))
  /* It has times in it, and the version: it is what it was at first. */
  TEXT(modelwire_error_report, modelwire_error_report(handle, NULL))
  CHECK(contains(modelwire_error_report(handle, NULL), "a_param"));
}

static void of_broken_stream(const modelwire_error *handle) {
  KNOWN(modelwire_error_value)
  FIELD("/partial",
        "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"half\"},"
        "\"finish_reason\":null}]}")
}

static void of_timeout(const modelwire_error *handle) {
  KNOWN(modelwire_error_value)
  FIELD("/timeout", "first_byte_timeout")
}

static int32_t look(void *user_data, const modelwire_event *event) {
  of_event(event);
  ++*(int *)user_data;
  return 0;
}

static int32_t pass(void *user_data, const modelwire_event *event) {
  (void)user_data, (void)event;
  return 0;
}

void texts(void) {
  modelwire_client *client = client_of_environment();
  modelwire_response *answer = answer_of(models_call(client));
  modelwire_error *error = NULL;
  int events = 0;
  of_models(answer);
  modelwire_response_free(answer);

  answer = answer_of(chat_call(client, ECHO_CHAT("m", "x")));
  of_answer(answer);
  modelwire_response_free(answer);

  modelwire_call *call = chat_call(client, ECHO_CHAT("m", "x"));
  CHECK_STATUS(modelwire_call_stream(call, look, &events, &answer, &error), MODELWIRE_OK, error);
  CHECK(events == 1);
  modelwire_response_free(answer);
  modelwire_call_free(call);

  error = failure_of(chat_call(client, ECHO_CHAT("m", "x")), MODELWIRE_E_INVALID_REQUEST);
  of_refusal(error);
  modelwire_error_free(error);

  call = chat_call_with(client, ECHO_CHAT("m", "x"), "{\"gather\":true}");
  CHECK_STATUS(modelwire_call_stream(call, pass, NULL, &answer, &error), MODELWIRE_E_DISCONNECTED,
               error);
  of_broken_stream(error);
  modelwire_error_free(error);
  modelwire_call_free(call);

  call = chat_call_with(client, ECHO_CHAT("m", "x"), "{\"first_byte_timeout_ms\":300}");
  error = failure_of(call, MODELWIRE_E_TIMEOUT);
  of_timeout(error);
  modelwire_error_free(error);
  modelwire_client_free(client);
}
