/*
 * Every text that the library gives of a response, an event or an error, by the list of texts.h. A
 * function that is missing in both is named by a test.
 */
#include "texts.h"

#include "check.h"

static void check_length(const char *function, const char *text, size_t length) {
  if (length == (text == NULL ? 0 : strlen(text))) return;
  fprintf(stderr, "%s gives a wrong length: %lu\n", function, (unsigned long)length);
  exit(1);
}

/* A function that is given the handle alone. The text stays where it is, and NULL has none. */
#define TEXT(function, in_cpp, expected)         \
  do {                                           \
    CHECK_TEXT(function(handle), expected);      \
    CHECK(function(handle) == function(handle)); \
    CHECK(function(NULL) == NULL);               \
  } while (0);

/* A function that tells the length too. */
#define SIZED(function, in_cpp, expected)                      \
  do {                                                         \
    size_t length = 99;                                        \
    const char *text = function(handle, &length);              \
    check_text(__FILE__, __LINE__, #function, text, expected); \
    check_length(#function, text, length);                     \
    CHECK(function(handle, NULL) == text);                     \
    length = 99;                                               \
    CHECK(function(NULL, &length) == NULL && length == 0);     \
    CHECK(function(NULL, NULL) == NULL);                       \
  } while (0);

/* A function that is given an index: this is its text at 0, and beyond the end there is none. */
#define AT(function, in_cpp, expected)                 \
  do {                                                 \
    CHECK_TEXT(function(handle, 0), expected);         \
    CHECK(function(handle, 0) == function(handle, 0)); \
    CHECK(function(handle, SIZE_MAX) == NULL);         \
    CHECK(function(NULL, 0) == NULL);                  \
  } while (0);

/* Both. */
#define SIZED_AT(function, in_cpp, expected)                   \
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
  } while (0);

static void of_models(const modelwire_response *handle) {
  TEXTS_OF_MODELS(TEXT, SIZED, AT, SIZED_AT)
}

static void of_answer(const modelwire_response *handle) {
  SIZED(modelwire_response_json, , modelwire_response_get_json(handle, "", 0, NULL))
  TEXTS_OF_ANSWER(TEXT, SIZED, AT, SIZED_AT)
}

static void of_event(const modelwire_event *handle) {
  SIZED(modelwire_event_json, , modelwire_event_get_json(handle, "", 0, NULL))
  TEXTS_OF_EVENT(TEXT, SIZED, AT, SIZED_AT)
}

static void of_refusal(const modelwire_error *handle) {
  TEXTS_OF_REFUSAL(TEXT, SIZED, AT, SIZED_AT)
  TEXT(modelwire_error_model, , "m")
  /* It has times in it, and the version: it is what it was at first. */
  SIZED(modelwire_error_report, , modelwire_error_report(handle, NULL))
  CHECK(contains(modelwire_error_report(handle, NULL), "a_param"));
}

static void of_broken_stream(const modelwire_error *handle) {
  TEXTS_OF_BROKEN_STREAM(TEXT, SIZED, AT, SIZED_AT)
}

static void of_timeout(const modelwire_error *handle) {
  TEXTS_OF_TIMEOUT(TEXT, SIZED, AT, SIZED_AT)
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
  CHECK(modelwire_request_new(MODELWIRE_OPERATION_CHAT, ECHO_CHAT("m", "x"), MODELWIRE_NUL, &request, NULL) ==
        MODELWIRE_OK);
  CHECK(modelwire_request_set_gather(request, 1) == MODELWIRE_OK);
  CHECK(modelwire_request_set_timeouts(request, first_byte_ms, -1, -1) == MODELWIRE_OK);
  CHECK(modelwire_call_new(client, request, 0, &call, NULL) == MODELWIRE_OK);
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
