/*
 * Every row of the table of accessors: its member is what the sample of the row gives.
 * accessors.h lists them, and `accessor_samples` of tests/c/src answers in their order.
 */
#include "check.h"

#include "../accessors.h"

static int32_t look(void *user_data, const modelwire_event *event) {
  modelwire_value **kept = user_data;
  if (*kept != NULL) {
    return 0; /* the chunk behind it, which makes an answer of the stream */
  }
  modelwire_value *copy = NULL;
  size_t length = 0;
  const char *json = modelwire_value_json(modelwire_event_info(event), "", 0, &length);
  CHECK(modelwire_value_new(json, length, &copy, NULL) == MODELWIRE_OK);
  *kept = copy;
  return 0;
}

/* "*" stands for anything but null. */
static void gives(const modelwire_value *info, const char *member, const char *expected) {
  const char *json = modelwire_value_json(info, member, MODELWIRE_NUL, NULL);
  if (strcmp(expected, "*") == 0) {
    CHECK(json != NULL && strcmp(json, "null") != 0);
  } else {
    check_text(__FILE__, __LINE__, member, json, expected);
  }
}

static void of_chunk(const modelwire_client *client, const char *member, const char *expected) {
  modelwire_call *call = chat_call(client, ECHO_CHAT("m", "x"));
  modelwire_response *end = NULL;
  modelwire_value *info = NULL;
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_call_stream(call, look, &info, &end, &error), MODELWIRE_OK, error);
  gives(info, member, expected);
  modelwire_value_free(info);
  modelwire_response_free(end);
  modelwire_call_free(call);
}

static void of_response(const modelwire_client *client, const char *member, const char *expected) {
  modelwire_response *response = answer_of(chat_call(client, ECHO_CHAT("m", "x")));
  gives(modelwire_response_info(response), member, expected);
  modelwire_response_free(response);
}

static void of_error(const modelwire_client *client, const char *member, const char *expected) {
  modelwire_call *call = chat_call_with(client, ECHO_CHAT("m", "x"), "{\"max_retries\":0}");
  modelwire_error *error = failure_of(call, MODELWIRE_E_RATE_LIMITED);
  gives(modelwire_error_value(error), member, expected);
  modelwire_error_free(error);
}

#define OF_CHUNK(function, member, expected) of_chunk(client, member, expected);
#define OF_RESPONSE(function, member, expected) of_response(client, member, expected);
#define OF_ERROR(function, member, expected) of_error(client, member, expected);

void accessors(void) {
  modelwire_client *client = client_of_environment();
  CHUNK_ACCESSORS(OF_CHUNK)
  RESPONSE_ACCESSORS(OF_RESPONSE)
  ERROR_ACCESSORS(OF_ERROR)
  modelwire_client_free(client);
}
