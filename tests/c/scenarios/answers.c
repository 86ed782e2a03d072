/*
 * Calls that are answered whole and succeed.
 */
#include "check.h"

void models(void) {
  modelwire_client *client = client_of_environment();
  modelwire_response *list = answer_of(models_call(client));
  size_t count = modelwire_response_model_count(list);
  size_t length = 0;
  CHECK(count > 1);
  CHECK_TEXT(modelwire_response_model_id(list, 0), "echo");
  CHECK(modelwire_response_model_id(list, count - 1) != NULL);
  CHECK(modelwire_response_model_id(list, count) == NULL);
  CHECK(modelwire_response_model_id(list, SIZE_MAX) == NULL);
  CHECK(modelwire_response_http_status(list) == 200);
  /* Fields that the library does not know are in the JSON text. */
  CHECK(contains(modelwire_response_json(list, &length), "\"owned_by\":\"modelwire-service\""));
  CHECK(length == strlen(modelwire_response_json(list, NULL)));
  CHECK_TEXT(modelwire_response_text(list, &length), "");
  CHECK(length == 0);
  CHECK(modelwire_response_finish_reason(list) == NULL);
  CHECK(modelwire_response_usage(list, NULL, NULL, NULL) == MODELWIRE_ABSENT);
  modelwire_response_free(list);
  modelwire_client_free(client);
}

void chat(void) {
  modelwire_client *client = client_of_environment();
  modelwire_response *answer = answer_of(chat_call(client, ECHO_CHAT("echo", "one two three")));
  uint64_t input = 0, output = 0, total = 0;
  size_t length = 0;
  CHECK_TEXT(modelwire_response_text(answer, &length), "one two three");
  CHECK(length == 13);
  CHECK_TEXT(modelwire_response_finish_reason(answer), "stop");
  CHECK_TEXT(modelwire_response_request_id(answer), "req-1");
  CHECK_TEXT(modelwire_response_header(answer, "X-Request-ID", MODELWIRE_NUL), "req-1");
  CHECK_TEXT(modelwire_response_header(answer, "content-type; and more", 12), "application/json");
  CHECK(modelwire_response_header(answer, "x-absent", MODELWIRE_NUL) == NULL);
  CHECK(modelwire_response_http_status(answer) == 200);
  CHECK(modelwire_response_usage(answer, &input, &output, &total) == MODELWIRE_OK);
  CHECK(input == 3 && output == 3 && total == 6);
  CHECK(contains(modelwire_response_json(answer, NULL), "\"system_fingerprint\""));
  CHECK(modelwire_response_model_count(answer) == 0);
  modelwire_response_free(answer);

  answer = answer_of(chat_call(client, "{\"max_tokens\":2,\"model\":\"echo\",\"messages\":["
                                       "{\"role\":\"user\",\"content\":\"one two three\"}]}"));
  CHECK_TEXT(modelwire_response_text(answer, NULL), "one two");
  CHECK_TEXT(modelwire_response_finish_reason(answer), "length");
  modelwire_response_free(answer);
  modelwire_client_free(client);
}

void response(void) {
  modelwire_client *client = client_of_environment();
  const char *json = "{\"model\":\"echo\",\"input\":\"one two three\",\"max_output_tokens\":9}";
  modelwire_response *answer = answer_of(response_call(client, json));
  uint64_t total = 0;
  CHECK_TEXT(modelwire_response_text(answer, NULL), "one two three");
  CHECK_TEXT(modelwire_response_finish_reason(answer), "completed");
  CHECK_TEXT(modelwire_response_request_id(answer), "req-1");
  CHECK(modelwire_response_usage(answer, NULL, NULL, &total) == MODELWIRE_OK);
  CHECK(total == 6);
  CHECK(contains(modelwire_response_json(answer, NULL), "\"object\":\"response\""));
  modelwire_response_free(answer);
  modelwire_client_free(client);
}

/* A response without any field that the library knows is a response all the same. */
void response_fields_absent(void) {
  modelwire_client *client = client_of_environment();
  modelwire_response *answer = answer_of(chat_call(client, ECHO_CHAT("m", "x")));
  uint64_t input = 7, output = 7, total = 7;
  CHECK_TEXT(modelwire_response_json(answer, NULL), "{\"novel\":[1.10,null]}");
  CHECK_TEXT(modelwire_response_text(answer, NULL), "");
  CHECK(modelwire_response_finish_reason(answer) == NULL);
  CHECK(modelwire_response_request_id(answer) == NULL);
  CHECK(modelwire_response_usage(answer, &input, &output, &total) == MODELWIRE_ABSENT);
  CHECK(input == 7 && output == 7 && total == 7);
  modelwire_response_free(answer);
  modelwire_client_free(client);
}

void nul_bytes(void) {
  modelwire_client *client = client_of_environment();
  modelwire_response *answer = answer_of(chat_call(client, ECHO_CHAT("m", "x")));
  size_t length = 0;
  const char *text = modelwire_response_text(answer, &length);
  CHECK(length == 3);
  CHECK(memcmp(text, "a\0b", 4) == 0);
  modelwire_response_free(answer);
  modelwire_client_free(client);
}

void usage(void) {
  modelwire_client *client = client_of_environment();
  uint64_t calls = 9, input = 9, output = 9, total = 9;
  CHECK(modelwire_client_usage(client, &calls, NULL, &input, &output, &total) == MODELWIRE_OK);
  CHECK(calls == 0 && input == 0 && output == 0 && total == 0);
  modelwire_response_free(answer_of(models_call(client)));
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("echo", "one two"))));
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("echo-reasoning", "three"))));
  modelwire_error_free(
      failure_of(chat_call(client, ECHO_CHAT("broken", "four")), MODELWIRE_E_SERVER));
  CHECK(modelwire_client_usage(client, &calls, NULL, &input, NULL, &total) == MODELWIRE_OK);
  CHECK(modelwire_client_usage(client, NULL, NULL, NULL, &output, NULL) == MODELWIRE_OK);
  /* Neither the list of models, which has no model, nor the failure. */
  CHECK(calls == 2);
  CHECK(input == 3);
  /* Two words; then one and the six that echo-reasoning thinks. */
  CHECK(output == 9);
  CHECK(total == input + output);
  modelwire_client_free(client);
}

/* Sums that no 64 bits hold must not cost a response. */
void usage_beyond_64_bits(void) {
  modelwire_client *client = client_of_environment();
  uint64_t calls = 0;
  for (int i = 0; i < 3; i++) {
    modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("m", "x"))));
  }
  CHECK(modelwire_client_usage(client, &calls, NULL, NULL, NULL, NULL) == MODELWIRE_OK);
  CHECK(calls == 3);
  modelwire_client_free(client);
}

void versions(void) {
  char text[32];
  unsigned number = modelwire_version_number();
  CHECK(number == MODELWIRE_VERSION_NUMBER);
  snprintf(text, sizeof text, "%u.%u.%u", number / 1000000, number / 1000 % 1000, number % 1000);
  CHECK_TEXT(modelwire_version(), text);
  CHECK(modelwire_check_abi(MODELWIRE_ABI) == MODELWIRE_OK);
  CHECK(modelwire_check_abi(MODELWIRE_ABI + 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_check_abi(0) == MODELWIRE_E_ARGUMENT);
  CHECK_TEXT(modelwire_status_name(MODELWIRE_OK), "ok");
  CHECK_TEXT(modelwire_status_name(MODELWIRE_E_RATE_LIMITED), "rate_limited");
  for (modelwire_status status = MODELWIRE_E_INTERNAL; status <= MODELWIRE_TIMEOUT; status++) {
    CHECK(strcmp(modelwire_status_name(status), "unknown status") != 0);
  }
  CHECK_TEXT(modelwire_status_name(INT32_MIN), "unknown status");
  CHECK_TEXT(modelwire_status_name(INT32_MAX), "unknown status");
}

/* The service streams what was asked for whole, and answers whole what was asked for as a stream;
 * then it cuts a stream. */
void crossed(void) {
  modelwire_client *client = client_of_environment();
  modelwire_response *answer = answer_of(chat_call(client, ECHO_CHAT("echo", "x")));
  CHECK_TEXT(modelwire_response_text(answer, NULL), "one two");
  CHECK(contains(modelwire_response_json(answer, NULL), "\"message\":{\"role\":\"assistant\""));
  modelwire_response_free(answer);

  gathered got = {0, 0, "", ""};
  modelwire_error *error = NULL;
  modelwire_call *call = chat_call(client, ECHO_CHAT("echo", "x"));
  CHECK_STATUS(modelwire_call_stream(call, gather, &got, &answer, &error), MODELWIRE_OK, error);
  CHECK_TEXT(got.text, "whole");
  CHECK(got.events == 1);
  CHECK(contains(modelwire_response_json(answer, NULL), "\"message\""));
  modelwire_response_free(answer);
  modelwire_call_free(call);

  error = failure_of(chat_call(client, ECHO_CHAT("echo", "x")), MODELWIRE_E_DISCONNECTED);
  CHECK(contains(modelwire_error_partial(error, NULL), "\"content\":\"one \""));
  modelwire_error_free(error);
  modelwire_client_free(client);
}

void stream_underneath(void) {
  modelwire_config *config = modelwire_config_new();
  modelwire_client *client = NULL;
  modelwire_error *error = NULL;
  CHECK(modelwire_config_set_stream_only(config, 1) == MODELWIRE_OK);
  CHECK_STATUS(modelwire_client_new(config, &client, &error), MODELWIRE_OK, error);
  modelwire_config_free(config);
  const char *chat_json = ECHO_CHAT("echo-stream-only", "one two");
  modelwire_response *answer = answer_of(chat_call(client, chat_json));
  CHECK_TEXT(modelwire_response_text(answer, NULL), "one two");
  modelwire_response_free(answer);
  modelwire_client_free(client);
}
