/*
 * Calls that are answered whole and succeed.
 */
#include "check.h"

void models(void) {
  modelwire_client *client = client_of_environment();
  modelwire_response *list = answer_of(models_call(client));
  size_t count = answer_count(list, "/models");
  size_t length = 0;
  char last[32], beyond[32];
  CHECK(count > 1);
  CHECK_TEXT(answer_text(list, "/models/0"), "echo");
  snprintf(last, sizeof last, "/models/%zu", count - 1);
  snprintf(beyond, sizeof beyond, "/models/%zu", count);
  CHECK(answer_text(list, last) != NULL && answer_text(list, beyond) == NULL);
  CHECK(answer_int(list, "/http_status") == 200);
  /* Fields that the library does not know are in the JSON text. */
  CHECK(contains(modelwire_response_json(list, &length), "\"owned_by\":\"modelwire-service\""));
  CHECK(length == strlen(modelwire_response_json(list, NULL)));
  CHECK_TEXT(modelwire_response_text(list, &length), "");
  CHECK(length == 0);
  CHECK(answer_text(list, "/finish_reason") == NULL);
  CHECK(answer_int(list, "/usage/total_tokens") == -1);
  modelwire_response_free(list);
  modelwire_client_free(client);
}

void chat(void) {
  modelwire_client *client = client_of_environment();
  modelwire_response *answer = answer_of(chat_call(client, ECHO_CHAT("echo", "one two three")));
  size_t length = 0;
  CHECK_TEXT(modelwire_response_text(answer, &length), "one two three");
  CHECK(length == 13);
  CHECK_TEXT(answer_text(answer, "/finish_reason"), "stop");
  CHECK_TEXT(answer_text(answer, "/request_id"), "req-1");
  CHECK_TEXT(header_of(answer, "x-request-id"), "req-1");
  CHECK_TEXT(header_of(answer, "content-type"), "application/json");
  CHECK(header_of(answer, "x-absent") == NULL);
  CHECK(answer_int(answer, "/http_status") == 200);
  CHECK(answer_int(answer, "/usage/input_tokens") == 3);
  CHECK(answer_int(answer, "/usage/output_tokens") == 3);
  CHECK(answer_int(answer, "/usage/total_tokens") == 6);
  CHECK(contains(modelwire_response_json(answer, NULL), "\"system_fingerprint\""));
  CHECK(answer_count(answer, "/models") == 0);
  modelwire_response_free(answer);

  answer = answer_of(chat_call(client, "{\"max_tokens\":2,\"model\":\"echo\",\"messages\":["
                                       "{\"role\":\"user\",\"content\":\"one two three\"}]}"));
  CHECK_TEXT(modelwire_response_text(answer, NULL), "one two");
  CHECK_TEXT(answer_text(answer, "/finish_reason"), "length");
  modelwire_response_free(answer);
  modelwire_client_free(client);
}

void response(void) {
  modelwire_client *client = client_of_environment();
  const char *json = "{\"model\":\"echo\",\"input\":\"one two three\",\"max_output_tokens\":9}";
  modelwire_response *answer = answer_of(response_call(client, json));
  CHECK_TEXT(modelwire_response_text(answer, NULL), "one two three");
  CHECK_TEXT(answer_text(answer, "/finish_reason"), "completed");
  CHECK_TEXT(answer_text(answer, "/request_id"), "req-1");
  CHECK(answer_int(answer, "/usage/total_tokens") == 6);
  CHECK(contains(modelwire_response_json(answer, NULL), "\"object\":\"response\""));
  modelwire_response_free(answer);
  modelwire_client_free(client);
}

/* A response without any field that the library knows is a response all the same. */
void response_fields_absent(void) {
  modelwire_client *client = client_of_environment();
  modelwire_response *answer = answer_of(chat_call(client, ECHO_CHAT("m", "x")));
  CHECK_TEXT(modelwire_response_json(answer, NULL), "{\"choices\":[{}],\"novel\":[1.10,null]}");
  CHECK_TEXT(modelwire_response_text(answer, NULL), "");
  CHECK(answer_text(answer, "/finish_reason") == NULL);
  CHECK(answer_text(answer, "/request_id") == NULL);
  /* The members of what the library knows are there, and null. */
  const modelwire_value *info = modelwire_response_info(answer);
  static const char *const NULLS[] = {"/finish_reason", "/request_id", "/usage"};
  for (size_t i = 0; i < sizeof NULLS / sizeof *NULLS; i++) {
    CHECK_TEXT(modelwire_value_json(info, NULLS[i], MODELWIRE_NUL, NULL), "null");
  }
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
  CHECK(usage_of(client, "/calls") == 0 && usage_of(client, "/input_tokens") == 0);
  CHECK(usage_of(client, "/output_tokens") == 0 && usage_of(client, "/total_tokens") == 0);
  modelwire_response_free(answer_of(models_call(client)));
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("echo", "one two"))));
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("echo-reasoning", "three"))));
  modelwire_error_free(
      failure_of(chat_call(client, ECHO_CHAT("broken", "four")), MODELWIRE_E_SERVER));
  /* Neither the list of models, which has no model, nor the failure. */
  CHECK(usage_of(client, "/calls") == 2);
  CHECK(usage_of(client, "/input_tokens") == 3);
  /* Two words; then one and the six that echo-reasoning thinks. */
  CHECK(usage_of(client, "/output_tokens") == 9);
  CHECK(usage_of(client, "/total_tokens") == 12);
  modelwire_client_free(client);
}

/* Sums that no 64 bits hold must not cost a response. */
void usage_beyond_64_bits(void) {
  modelwire_client *client = client_of_environment();
  for (int i = 0; i < 3; i++) {
    modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("m", "x"))));
  }
  CHECK(usage_of(client, "/calls") == 3);
  modelwire_client_free(client);
}

void versions(void) {
  CHECK(modelwire_version_number() == MODELWIRE_VERSION_NUMBER);
  CHECK(modelwire_check_abi(MODELWIRE_ABI) == MODELWIRE_OK);
  CHECK(modelwire_check_abi(MODELWIRE_ABI + 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_check_abi(0) == MODELWIRE_E_ARGUMENT);
  CHECK_TEXT(modelwire_status_name(MODELWIRE_OK), "ok");
  CHECK_TEXT(modelwire_status_name(MODELWIRE_STOPPED), "stopped");
  CHECK_TEXT(modelwire_status_name(MODELWIRE_TIMEOUT), "wait_timeout");
  CHECK_TEXT(modelwire_status_name(MODELWIRE_ABSENT), "absent");
  CHECK_TEXT(modelwire_status_name(MODELWIRE_CLOSED), "queue_closed");
  CHECK_TEXT(modelwire_status_name(MODELWIRE_INTERRUPTED), "interrupted");
  CHECK_TEXT(modelwire_status_name(MODELWIRE_E_RATE_LIMITED), "rate_limited");
  CHECK_TEXT(modelwire_status_name(MODELWIRE_E_TIMEOUT), "timeout");
  CHECK_TEXT(modelwire_status_name(MODELWIRE_E_CONNECT), "connect");
  CHECK_TEXT(modelwire_status_name(MODELWIRE_E_TLS), "tls");
  CHECK_TEXT(modelwire_status_name(MODELWIRE_E_FORKED), "forked");
  CHECK_TEXT(modelwire_status_name(MODELWIRE_E_INTERNAL), "internal");
  /* Each has a name of its own, which a binding may make an identifier of. */
  static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyz_";
  for (modelwire_status one = MODELWIRE_E_CALLBACK; one <= MODELWIRE_INTERRUPTED; one++) {
    const char *name = modelwire_status_name(one);
    CHECK(name[0] != '\0' && name[strspn(name, LETTERS)] == '\0');
    for (modelwire_status other = MODELWIRE_E_CALLBACK; other < one; other++) {
      CHECK(strcmp(name, modelwire_status_name(other)) != 0);
    }
  }
  CHECK_TEXT(modelwire_status_name(INT32_MIN), "unknown_status");
  CHECK_TEXT(modelwire_status_name(INT32_MAX), "unknown_status");
}

/* The service streams what was asked for whole, and answers whole what was asked for as a stream;
 * then it cuts a stream. */
void plain_and_streamed_answers_swapped(void) {
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
  CHECK(contains(error_text(error, "/partial"), "\"content\":\"one \""));
  modelwire_error_free(error);
  modelwire_client_free(client);
}

void plain_call_streams_internally(void) {
  modelwire_client *client = client_with("{\"stream_only\":true}");
  const char *chat_json = ECHO_CHAT("echo-stream-only", "one two");
  modelwire_response *answer = answer_of(chat_call(client, chat_json));
  CHECK_TEXT(modelwire_response_text(answer, NULL), "one two");
  modelwire_response_free(answer);
  modelwire_client_free(client);
}

void gathered_message_sent_back(void) {
  modelwire_client *client = client_with("{\"stream_only\":true}");
  modelwire_response *answer = answer_of(chat_call(client, ECHO_CHAT("m", "x")));
  const char *message = modelwire_value_json(modelwire_response_value(answer),
                                             "/choices/0/message", MODELWIRE_NUL, NULL);
  modelwire_request *next = empty_request(MODELWIRE_OPERATION_CHAT);
  char messages[2048];
  CHECK(message != NULL);
  snprintf(messages, sizeof messages, "[%s,{\"role\":\"user\",\"content\":\"y\"}]", message);
  CHECK(modelwire_request_set_text(next, "model", MODELWIRE_NUL, "m", MODELWIRE_NUL, NULL) ==
        MODELWIRE_OK);
  CHECK(modelwire_request_set_json(next, "messages", MODELWIRE_NUL, messages, MODELWIRE_NUL,
                                   NULL) == MODELWIRE_OK);
  modelwire_response_free(answer);
  modelwire_response_free(answer_of(call_of(client, next)));
  modelwire_client_free(client);
}
