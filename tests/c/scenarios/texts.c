/*
 * Every text that the library gives of a response, an event or an error: one line for each
 * function, with what it gives of the responses that `text_samples` of tests/c/src scripts.
 *
 * A function that is missing here is named by a test.
 */
#include "check.h"

static void check_length(const char *function, const char *text, size_t length) {
  if (length == (text == NULL ? 0 : strlen(text))) return;
  fprintf(stderr, "%s gives a wrong length: %lu\n", function, (unsigned long)length);
  exit(1);
}

/* A function that is given the handle alone. The text stays where it is, and NULL has none. */
#define TEXT(function, handle, expected)         \
  do {                                           \
    CHECK_TEXT(function(handle), expected);      \
    CHECK(function(handle) == function(handle)); \
    CHECK(function(NULL) == NULL);               \
  } while (0)

/* A function that tells the length too. */
#define SIZED(function, handle, expected)                      \
  do {                                                         \
    size_t length = 99;                                        \
    const char *text = function(handle, &length);              \
    check_text(__FILE__, __LINE__, #function, text, expected); \
    check_length(#function, text, length);                     \
    CHECK(function(handle, NULL) == text);                     \
    length = 99;                                               \
    CHECK(function(NULL, &length) == NULL && length == 0);     \
    CHECK(function(NULL, NULL) == NULL);                       \
  } while (0)

/* A function that is given an index: this is its text at 0, and beyond the end there is none. */
#define AT(function, handle, expected)                 \
  do {                                                 \
    CHECK_TEXT(function(handle, 0), expected);         \
    CHECK(function(handle, 0) == function(handle, 0)); \
    CHECK(function(handle, SIZE_MAX) == NULL);         \
    CHECK(function(NULL, 0) == NULL);                  \
  } while (0)

/* Both. */
#define SIZED_AT(function, handle, expected)                   \
  do {                                                         \
    size_t length = 99;                                        \
    const char *text = function(handle, 0, &length);           \
    check_text(__FILE__, __LINE__, #function, text, expected); \
    check_length(#function, text, length);                     \
    CHECK(function(handle, 0, NULL) == text);                  \
    CHECK(function(handle, SIZE_MAX, &length) == NULL);        \
    check_length(#function, NULL, length);                     \
    length = 99;                                               \
    CHECK(function(NULL, 0, &length) == NULL && length == 0);  \
    CHECK(function(NULL, 0, NULL) == NULL);                    \
  } while (0)

static void of_models(const modelwire_response *models) {
  AT(modelwire_response_model_id, models, "model-1");
}

static void of_answer(const modelwire_response *answer) {
  SIZED(modelwire_response_json, answer, modelwire_response_get_json(answer, "", 0, NULL));
  SIZED(modelwire_response_text, answer, "whole");
  TEXT(modelwire_response_finish_reason, answer, "stop");
  TEXT(modelwire_response_request_id, answer, "req_1");
  TEXT(modelwire_response_end, answer, "document");
  AT(modelwire_response_header_name, answer, "content-type");
  AT(modelwire_response_header_value, answer, "application/json");
  AT(modelwire_response_tool_call_id, answer, "call_1");
  AT(modelwire_response_tool_call_name, answer, "search");
  SIZED_AT(modelwire_response_tool_call_arguments, answer, "{\"q\":1}");
}

static void of_event(const modelwire_event *event) {
  SIZED(modelwire_event_json, event, modelwire_event_get_json(event, "", 0, NULL));
  SIZED(modelwire_event_text, event, "piece");
  SIZED(modelwire_event_name, event, "named");
  TEXT(modelwire_event_finish_reason, event, "length");
  AT(modelwire_event_tool_call_id, event, "call_1");
  AT(modelwire_event_tool_call_name, event, "search");
  SIZED_AT(modelwire_event_tool_call_arguments, event, "{\"q\":1}");
}

static void of_refusal(const modelwire_error *error) {
  static const char *const BODY =
      "{\"error\":{\"message\":\"No.\",\"type\":\"a_type\",\"code\":\"a_code\","
      "\"param\":\"a_param\"}}";
  TEXT(modelwire_error_message, error, "No.");
  TEXT(modelwire_error_hint, error,
       "Reproduce with a minimal request, then add parameters one by one. Some models answer "
       "only by streaming.");
  TEXT(modelwire_error_type, error, "a_type");
  TEXT(modelwire_error_code, error, "a_code");
  TEXT(modelwire_error_param, error, "a_param");
  TEXT(modelwire_error_request_id, error, "req_1");
  TEXT(modelwire_error_path, error, "/scripts/s/v1/chat/completions");
  TEXT(modelwire_error_model, error, "m");
  TEXT(modelwire_error_metered, error, "unknown");
  SIZED(modelwire_error_body, error, BODY);
  /* It has times in it, and the version: it is what it was at first. */
  SIZED(modelwire_error_report, error, modelwire_error_report(error, NULL));
  CHECK(contains(modelwire_error_report(error, NULL), "a_param"));
}

static void of_broken_stream(const modelwire_error *error) {
  SIZED(modelwire_error_partial, error,
        "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"half\"},"
        "\"finish_reason\":null}]}");
}

static void of_timeout(const modelwire_error *error) {
  TEXT(modelwire_error_timeout, error, "first_byte_timeout");
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

/* A call that gathers; it is not run yet. A negative timeout leaves the default. */
static modelwire_call *gathering_call(const modelwire_client *client, int64_t first_byte_ms) {
  modelwire_request *request = NULL;
  modelwire_call *call = NULL;
  CHECK(modelwire_request_chat_json(ECHO_CHAT("m", "x"), MODELWIRE_NUL, &request, NULL) ==
        MODELWIRE_OK);
  CHECK(modelwire_request_set_gather(request, 1) == MODELWIRE_OK);
  CHECK(modelwire_request_set_timeouts(request, first_byte_ms, -1, -1) == MODELWIRE_OK);
  CHECK(modelwire_call_new(client, request, &call, NULL) == MODELWIRE_OK);
  modelwire_request_free(request);
  return call;
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

  call = gathering_call(client, -1);
  CHECK_STATUS(modelwire_call_stream(call, pass, NULL, &answer, &error), MODELWIRE_E_DISCONNECTED,
               error);
  of_broken_stream(error);
  modelwire_error_free(error);
  modelwire_call_free(call);

  error = failure_of(gathering_call(client, 300), MODELWIRE_E_TIMEOUT);
  of_timeout(error);
  modelwire_error_free(error);
  modelwire_client_free(client);
}
