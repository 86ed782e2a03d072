/*
 * Requests that are built field by field, and what they refuse. The test compares the bytes that
 * the service got.
 */
#include "check.h"


/* A request that is filled field by field; it has a model. */
static modelwire_request *request_of(int32_t operation, const char *model) {
  modelwire_request *request = empty_request(operation);
  modelwire_error *error = NULL;
  CHECK_STATUS(
      modelwire_request_set_text(request, "model", 5, model, MODELWIRE_NUL, &error),
      MODELWIRE_OK, error);
  return request;
}

static modelwire_request *chat_request(const char *model) {
  return request_of(MODELWIRE_OPERATION_CHAT, model);
}

static modelwire_request *response_request(const char *model) {
  return request_of(MODELWIRE_OPERATION_RESPONSES, model);
}

static void add_message(modelwire_request *request, const char *role, size_t role_length,
                        const char *content, size_t content_length) {
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_request_add_message(request, role, role_length, content, content_length,
                                             &error),
               MODELWIRE_OK, error);
}

static void set_text(modelwire_request *request, const char *name, size_t name_length,
                     const char *value, size_t length) {
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_request_set_text(request, name, name_length, value, length, &error),
               MODELWIRE_OK, error);
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
  add_message(request, "system!", 6, "Be brief.", MODELWIRE_NUL);
  set_json(request, "max_tokens", "2147483647");
  set_text(request, "reasoning_effort", MODELWIRE_NUL, "low and on", 3);
  set_json(request, "seed", "-9223372036854775808");
  set_json(request, "temperature", "0.1");
  set_json(request, "top_p", "1.0");
  set_json(request, "store", "false");
  set_json(request, "parallel", "true");
  set_json(request, "tools", "[ {\"type\":\"function\"} ]");
  set_json(request, "big", "123456789012345678901234567890.10");
  /* A message after fields is a message all the same. */
  add_message(request, "user", 4, "Hi", 2);
  send(client, request, 1);
  /* A second value replaces the first, in its place; names count byte by byte. */
  set_json(request, "seed", "7");
  set_json(request, "max_tokens", "1");
  set_text(request, "Seed", 4, "", 0);
  set_json(request, "tools", "null");
  send(client, request, 2);
  modelwire_request_free(request);
  modelwire_client_free(client);
}

void built_response(void) {
  modelwire_client *client = client_of_environment();
  modelwire_request *request = response_request("m");
  set_text(request, "input", 5, "first", MODELWIRE_NUL);
  set_json(request, "max_output_tokens", "5");
  set_text(request, "input", 5, "second and more", 6);
  send(client, request, 1);
  set_json(request, "input", "[{\"role\":\"user\",\"content\":\"third\"}]");
  send(client, request, 1);
  modelwire_request_free(request);
  modelwire_client_free(client);
}

/* A question with images and a tool; the answer and the tool's result go back with the next call. */
static void converse(const modelwire_client *client, int32_t operation, const char *tool) {
  modelwire_request *request = request_of(operation, "m");
  modelwire_call *call = NULL;
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_request_add_json(request, "tools", 5, tool, MODELWIRE_NUL, &error),
               MODELWIRE_OK, error);
  add_message(request, "user", 4, "See", 3);
  CHECK_STATUS(modelwire_request_add_part(request, "image_url", MODELWIRE_NUL, "https://x/a",
                                          MODELWIRE_NUL, &error),
               MODELWIRE_OK, error);
  CHECK_STATUS(modelwire_request_add_part(request, "image/png", 9, "\xff\0", 2, &error),
               MODELWIRE_OK, error);
  CHECK(modelwire_call_new(client, request, 0, &call, NULL) == MODELWIRE_OK);
  modelwire_response *answer = answer_of(call);
  CHECK_STATUS(modelwire_request_add_response(request, answer, &error), MODELWIRE_OK, error);
  modelwire_response_free(answer);
  CHECK_STATUS(modelwire_request_add_tool_result(request, "call-1", 6, "3", 1, &error),
               MODELWIRE_OK, error);
  send(client, request, 1);
  modelwire_request_free(request);
}

void built_tools(void) {
  modelwire_client *client = client_of_environment();
  converse(client, MODELWIRE_OPERATION_CHAT, "{\"type\":\"function\"}");
  converse(client, MODELWIRE_OPERATION_RESPONSES, "{\"type\":\"web_search\"}");
  modelwire_client_free(client);
}

/* Everything that JSON has to escape, and what it has not. */
void built_escapes(void) {
  modelwire_value *quoted = NULL;
  CHECK(modelwire_value_new_text(MODELWIRE_TEXT("a \"b\"\n"), &quoted, NULL) == MODELWIRE_OK);
  CHECK_TEXT(modelwire_value_json(quoted, MODELWIRE_TEXT(""), NULL), "\"a \\\"b\\\"\\n\"");
  CHECK_TEXT(modelwire_value_text(quoted, MODELWIRE_TEXT(""), NULL), "a \"b\"\n");
  modelwire_value_free(quoted);
  static const char TEXT[] = "\"\\/\b\f\n\r\t\x01\x1f\x7f\0 \xc3\xa9\xe2\x80\xa8\xf0\x9f\x98\x80";
  modelwire_client *client = client_of_environment();
  modelwire_request *request = chat_request("m");
  add_message(request, "\"", 1, TEXT, sizeof TEXT - 1);
  set_text(request, "n\n", MODELWIRE_NUL, TEXT, sizeof TEXT - 1);
  send(client, request, 1);
  modelwire_request_free(request);
  modelwire_client_free(client);
}

/* Why answers end, in the order of what the test scripts, and their tokens. */
void finish_and_tokens(void) {
  static const int32_t OF_CHATS[] = {MODELWIRE_FINISH_STOP,       MODELWIRE_FINISH_LENGTH,
                                     MODELWIRE_FINISH_TOOL_CALLS, MODELWIRE_FINISH_TOOL_CALLS,
                                     MODELWIRE_FINISH_CONTENT_FILTER, MODELWIRE_FINISH_OTHER,
                                     MODELWIRE_FINISH_NONE};
  static const int32_t OF_RESPONSES[] = {MODELWIRE_FINISH_STOP, MODELWIRE_FINISH_TOOL_CALLS,
                                         MODELWIRE_FINISH_LENGTH, MODELWIRE_FINISH_CONTENT_FILTER,
                                         MODELWIRE_FINISH_OTHER, MODELWIRE_FINISH_OTHER};
  static const int64_t TOKENS[] = {-1, 9, 5, 14, 4, 3, -1};
  modelwire_client *client = client_of_environment();
  for (size_t i = 0; i < sizeof OF_CHATS / sizeof *OF_CHATS; i++) {
    modelwire_response *answer = answer_of(chat_call(client, ECHO_CHAT("m", "x")));
    CHECK(modelwire_response_finish_reason(answer) == OF_CHATS[i]);
    for (int32_t kind = 0; kind < 7; kind++) {
      CHECK(modelwire_response_tokens(answer, kind) == (i == 0 ? TOKENS[kind] : -1));
    }
    modelwire_response_free(answer);
  }
  for (size_t i = 0; i < sizeof OF_RESPONSES / sizeof *OF_RESPONSES; i++) {
    modelwire_response *answer =
        answer_of(response_call(client, "{\"model\":\"m\",\"input\":\"x\"}"));
    CHECK(modelwire_response_finish_reason(answer) == OF_RESPONSES[i]);
    modelwire_response_free(answer);
  }
  modelwire_client_free(client);
}

/* An error that says this. */
static void refused_with(modelwire_status status, modelwire_error **refusal, const char *message) {
  modelwire_error *error = *refusal;
  *refusal = NULL;
  CHECK_STATUS(status, MODELWIRE_E_ARGUMENT, error);
  if (!contains(modelwire_error_message(error, NULL), message)) {
    CHECK_TEXT(modelwire_error_message(error, NULL), message);
  }
  CHECK_TEXT(error_text(error, "/metered"), "not_sent");
  modelwire_error_free(error);
}

/* JSON text as a field: what is taken, and at which byte it is wrong where it is refused. */
static void refuse_json(modelwire_request *request, const char *json, size_t length,
                        const char *message) {
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_request_set_json(request, "field", 5, json, length, &error),
               MODELWIRE_E_ARGUMENT, error);
  CHECK(contains(modelwire_error_message(error, NULL), length == 1 ? "json" : "field"));
  refused_with(MODELWIRE_E_ARGUMENT, &error, message);
}

/* Requests that take no fields, but options of the call. */
static void refuse_fields(modelwire_request *closed, const char *message) {
  modelwire_error *error = NULL;
  refused_with(modelwire_request_add_message(closed, "u", 1, "x", 1, &error), &error, "");
  refused_with(modelwire_request_set_text(closed, "a", 1, "x", 1, &error), &error, message);
  refused_with(modelwire_request_set_text(closed, "model", 5, "x", 1, &error), &error, message);
  refused_with(modelwire_request_set_json(closed, "a", 1, "1", 1, &error), &error, message);
  CHECK(modelwire_request_set_options(closed, "{\"headers\":{\"x-a\":\"b\"}}", MODELWIRE_NUL,
                                      &error) == MODELWIRE_OK);
}

/* What is missing is seen when the call starts. */
static void expect_missing(const modelwire_client *client, modelwire_request *request,
                           const char *message) {
  modelwire_error *error = failure_of(call_of(client, request), MODELWIRE_E_ARGUMENT);
  refused_with(MODELWIRE_E_ARGUMENT, &error, message);
}

void built_refused(void) {
  modelwire_client *client = client_of_environment();
  modelwire_request *chat = chat_request("m"), *plain = response_request("m");
  modelwire_request *whole = request_with(MODELWIRE_OPERATION_CHAT, ECHO_CHAT("m", "x"), NULL);
  modelwire_request *models = empty_request(MODELWIRE_OPERATION_MODELS);
  modelwire_error *error = NULL;

  /* What belongs to a call or to a message needs one. */
  refused_with(modelwire_request_add_message(chat, "tool", 4, "x", 1, &error), &error, "id of the call");
  refused_with(modelwire_request_add_tool_result(chat, "", 0, "x", 1, &error), &error, "id of its call");
  refused_with(modelwire_request_add_part(chat, "text", 4, "x", 1, &error), &error, "message first");
  refused_with(modelwire_request_add_part(chat, "audio/wav", MODELWIRE_NUL, "x", 1, &error), &error,
               "audio/wav");
  refused_with(modelwire_request_add_part(chat, "image/png", 9, "x", MODELWIRE_NUL, &error), &error,
               "length");
  refused_with(modelwire_request_add_message(chat, "", 0, "x", 1, &error), &error, "role is empty");
  modelwire_request *with_image = chat_request("m");
  add_message(with_image, "user", 4, "x", 1);
  static const char *const NO_MEDIA_TYPES[] = {"image/", "image/p ng", "image/png\";x,", "image/a/b"};
  for (size_t i = 0; i < sizeof NO_MEDIA_TYPES / sizeof *NO_MEDIA_TYPES; i++) {
    refused_with(modelwire_request_add_part(with_image, MODELWIRE_TEXT(NO_MEDIA_TYPES[i]), "x", 1, &error),
                 &error, "not a media type");
  }
  refused_with(modelwire_request_add_part(with_image, "image/png", 9, "", 0, &error), &error, "no bytes");
  CHECK(modelwire_request_add_part(with_image, "IMAGE/PNG", 9, "x", 1, &error) == MODELWIRE_OK);
  add_message(with_image, "assistant", 9, "x", 1);
  refused_with(modelwire_request_add_part(with_image, "image/png", 9, "x", 1, &error), &error, "texts only");
  CHECK(modelwire_request_add_part(with_image, "text", 4, "x", 1, &error) == MODELWIRE_OK);
  modelwire_request_free(with_image);
  refused_with(modelwire_request_add_json(chat, "model", 5, "1", 1, &error), &error, "not an array");
  refused_with(modelwire_request_add_json(chat, "tools", 5, "{", 1, &error), &error, "not JSON");
  refuse_fields(whole, "whole JSON");
  refuse_fields(models, "no body");
  refuse_json(chat, "NaN", MODELWIRE_NUL, "at byte 0");
  refuse_json(chat, "{\"a\":[1,}", MODELWIRE_NUL, "at byte 8");
  refuse_json(chat, "", 0, "at byte 0");
  refuse_json(chat, "1 2", MODELWIRE_NUL, "at byte 2");
  refuse_json(chat, "{\"a\":1}", 6, "at byte 6");
  refuse_json(chat, "\xff", 1, "not UTF-8 at byte 0");
  refused_with(modelwire_request_set_text(chat, "\xff", 1, "x", 1, &error), &error, "name");
  refused_with(modelwire_request_set_text(chat, "x", 1, "\xff", 1, &error), &error, "value");
  refused_with(modelwire_request_add_message(chat, "\xff", 1, "x", 1, &error), &error, "role");
  refused_with(modelwire_request_add_message(chat, "u", 1, "\xff", 1, &error), &error, "content");
  modelwire_value *value = NULL;
  refused_with(modelwire_value_new_text("\xff", 1, &value, &error), &error, "not UTF-8");
  /* Kinds of requests that there are not. */
  static const int32_t UNKNOWN[] = {0, -1, 4, INT32_MAX, INT32_MIN};
  for (size_t i = 0; i < sizeof UNKNOWN / sizeof *UNKNOWN; i++) {
    modelwire_request *none = chat;
    refused_with(modelwire_request_new(UNKNOWN[i], NULL, 0, &none, &error), &error, "operation");
    CHECK(none == NULL);
  }

  /* What was refused left no trace: the test sees the body. */
  add_message(chat, "user", 4, "x", 1);
  send(client, chat, 1);

  expect_missing(client, chat_request("m"), "messages is missing");
  expect_missing(client, empty_request(MODELWIRE_OPERATION_CHAT), "model is missing");
  expect_missing(client, plain, "input is missing");
  modelwire_request_free(models);
  modelwire_request_free(whole);
  modelwire_request_free(chat);
  modelwire_client_free(client);
}
