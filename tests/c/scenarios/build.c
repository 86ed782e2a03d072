/*
 * Requests that are built field by field, and what they refuse. The test compares the bytes that
 * the service got.
 */
#include "check.h"

#include <math.h>

static modelwire_request *chat_request(const char *model) {
  modelwire_request *request = NULL;
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_request_chat(model, MODELWIRE_NUL, &request, &error), MODELWIRE_OK,
               error);
  return request;
}

static modelwire_request *response_request(const char *model) {
  modelwire_request *request = NULL;
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_request_response(model, MODELWIRE_NUL, &request, &error), MODELWIRE_OK,
               error);
  return request;
}

static void set_json(modelwire_request *request, const char *name, const char *json) {
  modelwire_error *error = NULL;
  CHECK_STATUS(
      modelwire_request_set_json(request, name, MODELWIRE_NUL, json, MODELWIRE_NUL, &error),
      MODELWIRE_OK, error);
}

/* Runs it as often as is asked for: a request serves any number of calls. */
static void send(const modelwire_client *client, const modelwire_request *request, int times) {
  for (int i = 0; i < times; i++) {
    modelwire_call *call = NULL;
    CHECK(modelwire_call_new(client, request, 0, &call, NULL) == MODELWIRE_OK);
    modelwire_response_free(answer_of(call));
  }
}

void built_chat(void) {
  modelwire_client *client = client_of_environment();
  modelwire_request *request = chat_request("a \"model\"");
  CHECK(modelwire_request_add_message(request, "system!", 6, "Be brief.", MODELWIRE_NUL) ==
        MODELWIRE_OK);
  CHECK(modelwire_request_set_max_tokens(request, INT32_MAX) == MODELWIRE_OK);
  CHECK(modelwire_request_set_text(request, "reasoning_effort", MODELWIRE_NUL, "low and on", 3) ==
        MODELWIRE_OK);
  CHECK(modelwire_request_set_int(request, "seed", 4, INT64_MIN) == MODELWIRE_OK);
  CHECK(modelwire_request_set_number(request, "temperature", MODELWIRE_NUL, 0.1) == MODELWIRE_OK);
  CHECK(modelwire_request_set_number(request, "top_p", MODELWIRE_NUL, 1) == MODELWIRE_OK);
  CHECK(modelwire_request_set_bool(request, "store", MODELWIRE_NUL, 0) == MODELWIRE_OK);
  CHECK(modelwire_request_set_bool(request, "parallel", MODELWIRE_NUL, -7) == MODELWIRE_OK);
  set_json(request, "tools", "[ {\"type\":\"function\"} ]");
  set_json(request, "big", "123456789012345678901234567890.10");
  /* A message after fields is a message all the same. */
  CHECK(modelwire_request_add_message(request, "user", 4, "Hi", 2) == MODELWIRE_OK);
  send(client, request, 1);
  /* A second value replaces the first, in its place; names count byte by byte. */
  CHECK(modelwire_request_set_int(request, "seed", 4, 7) == MODELWIRE_OK);
  CHECK(modelwire_request_set_max_tokens(request, 1) == MODELWIRE_OK);
  CHECK(modelwire_request_set_text(request, "Seed", 4, "", 0) == MODELWIRE_OK);
  set_json(request, "tools", "null");
  send(client, request, 2);
  modelwire_request_free(request);
  modelwire_client_free(client);
}

void built_response(void) {
  modelwire_client *client = client_of_environment();
  modelwire_request *request = response_request("m");
  CHECK(modelwire_request_set_input(request, "first", MODELWIRE_NUL) == MODELWIRE_OK);
  CHECK(modelwire_request_set_max_tokens(request, 5) == MODELWIRE_OK);
  CHECK(modelwire_request_set_input(request, "second and more", 6) == MODELWIRE_OK);
  send(client, request, 1);
  set_json(request, "input", "[{\"role\":\"user\",\"content\":\"third\"}]");
  send(client, request, 1);
  modelwire_request_free(request);
  modelwire_client_free(client);
}

/* Everything that JSON has to escape, and what it has not. */
void built_escapes(void) {
  static const char TEXT[] = "\"\\/\b\f\n\r\t\x01\x1f\x7f\0 \xc3\xa9\xe2\x80\xa8\xf0\x9f\x98\x80";
  modelwire_client *client = client_of_environment();
  modelwire_request *request = chat_request("m");
  CHECK(modelwire_request_add_message(request, "\"", 1, TEXT, sizeof TEXT - 1) == MODELWIRE_OK);
  CHECK(modelwire_request_set_text(request, "n\n", MODELWIRE_NUL, TEXT, sizeof TEXT - 1) ==
        MODELWIRE_OK);
  send(client, request, 1);
  modelwire_request_free(request);
  modelwire_client_free(client);
}

/* JSON text as a field: what is taken, and at which byte it is wrong where it is refused. */
static void refuse_json(modelwire_request *request, const char *json, size_t length,
                        const char *message) {
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_request_set_json(request, "field", 5, json, length, &error),
               MODELWIRE_E_ARGUMENT, error);
  if (!contains(modelwire_error_message(error, NULL), message)) {
    CHECK_TEXT(modelwire_error_message(error, NULL), message);
  }
  CHECK(contains(modelwire_error_message(error, NULL), length == 1 ? "json" : "field"));
  CHECK_TEXT(error_text(error, "/metered"), "not_sent");
  modelwire_error_free(error);
}

void built_refused(void) {
  static const double NO_JSON[] = {NAN, INFINITY, -INFINITY};
  modelwire_client *client = client_of_environment();
  modelwire_request *chat = chat_request("m"), *plain = response_request("m");
  modelwire_request *whole = NULL, *models = NULL;
  modelwire_error *error = NULL;
  CHECK(modelwire_request_new(MODELWIRE_OPERATION_CHAT, ECHO_CHAT("m", "x"), MODELWIRE_NUL, &whole, NULL) ==
        MODELWIRE_OK);
  CHECK(modelwire_request_models(&models, NULL) == MODELWIRE_OK);

  /* Fields of the other kind. */
  CHECK(modelwire_request_set_input(chat, "x", 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_add_message(plain, "user", 4, "x", 1) == MODELWIRE_E_ARGUMENT);
  /* Requests that take no fields. */
  modelwire_request *const closed[] = {whole, models};
  for (size_t i = 0; i < 2; i++) {
    CHECK(modelwire_request_set_input(closed[i], "x", 1) == MODELWIRE_E_ARGUMENT);
    CHECK(modelwire_request_add_message(closed[i], "u", 1, "x", 1) == MODELWIRE_E_ARGUMENT);
    CHECK(modelwire_request_set_max_tokens(closed[i], 1) == MODELWIRE_E_ARGUMENT);
    CHECK(modelwire_request_set_text(closed[i], "a", 1, "x", 1) == MODELWIRE_E_ARGUMENT);
    CHECK(modelwire_request_set_int(closed[i], "a", 1, 1) == MODELWIRE_E_ARGUMENT);
    CHECK(modelwire_request_set_number(closed[i], "a", 1, 1) == MODELWIRE_E_ARGUMENT);
    CHECK(modelwire_request_set_bool(closed[i], "a", 1, 1) == MODELWIRE_E_ARGUMENT);
    CHECK(modelwire_request_set_json(closed[i], "a", 1, "1", 1, &error) == MODELWIRE_E_ARGUMENT);
    CHECK(contains(modelwire_error_message(error, NULL), i == 0 ? "whole JSON" : "no body"));
    modelwire_error_free(error);
    /* But options of the call they take. */
    CHECK(modelwire_request_set_timeouts(closed[i], -1, -1, -1) == MODELWIRE_OK);
    CHECK(modelwire_request_add_header(closed[i], "x-a", 3, "b", 1) == MODELWIRE_OK);
  }
  for (size_t i = 0; i < 3; i++) {
    CHECK(modelwire_request_set_number(chat, "a", 1, NO_JSON[i]) == MODELWIRE_E_ARGUMENT);
  }
  CHECK(modelwire_request_set_max_tokens(chat, 0) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_set_max_tokens(chat, INT32_MIN) == MODELWIRE_E_ARGUMENT);
  refuse_json(chat, "{\"a\":[1,}", MODELWIRE_NUL, "at byte 8");
  refuse_json(chat, "", 0, "at byte 0");
  refuse_json(chat, "1 2", MODELWIRE_NUL, "at byte 2");
  refuse_json(chat, "{\"a\":1}", 6, "at byte 6");
  refuse_json(chat, "\xff", 1, "not UTF-8 at byte 0");
  CHECK(modelwire_request_set_text(chat, "\xff", 1, "x", 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_set_text(chat, "x", 1, "\xff", 1) == MODELWIRE_E_ARGUMENT);

  /* What was refused left no trace: the test sees the body. */
  CHECK(modelwire_request_add_message(chat, "user", 4, "x", 1) == MODELWIRE_OK);
  send(client, chat, 1);

  /* What is missing is seen when the call starts. */
  modelwire_request *empty = chat_request("m");
  modelwire_call *call = NULL;
  CHECK(modelwire_call_new(client, empty, 0, &call, NULL) == MODELWIRE_OK);
  error = failure_of(call, MODELWIRE_E_ARGUMENT);
  CHECK(contains(modelwire_error_message(error, NULL), "messages is missing"));
  modelwire_error_free(error);
  CHECK(modelwire_call_new(client, plain, 0, &call, NULL) == MODELWIRE_OK);
  error = failure_of(call, MODELWIRE_E_ARGUMENT);
  CHECK(contains(modelwire_error_message(error, NULL), "input is missing"));
  modelwire_error_free(error);
  modelwire_request_free(empty);
  modelwire_request_free(models);
  modelwire_request_free(whole);
  modelwire_request_free(plain);
  modelwire_request_free(chat);
  modelwire_client_free(client);
}
