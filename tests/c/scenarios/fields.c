/*
 * What a response tells: any field by its path, tool calls, headers, usage, and how it ended. The
 * test scripts the responses.
 */
#include "check.h"

static const char *text_at(const modelwire_response *answer, const char *path) {
  size_t length = 99;
  const char *text = modelwire_response_get_text(answer, path, MODELWIRE_NUL, &length);
  CHECK(length == (text == NULL ? 0 : strlen(text)));
  return text;
}

static const char *json_at(const modelwire_response *answer, const char *path) {
  size_t length = 99;
  const char *json = modelwire_response_get_json(answer, path, MODELWIRE_NUL, &length);
  CHECK(length == (json == NULL ? 0 : strlen(json)));
  return json;
}

void fields(void) {
  modelwire_client *client = client_of_environment();
  modelwire_response *answer = answer_of(chat_call(client, ECHO_CHAT("m", "x")));
  int64_t whole = 7;
  double number = 7;
  int32_t boolean = 7;
  size_t length = 0;
  CHECK_TEXT(text_at(answer, "/text"), "caf\xc3\xa9 \"q\" \xf0\x9f\x98\x80");
  CHECK_TEXT(json_at(answer, "/text"), "\"caf\\u00e9 \\\"q\\\" \\ud83d\\ude00\"");
  CHECK_TEXT(text_at(answer, "/list/1/deep"), "found");
  CHECK_TEXT(text_at(answer, "/a~1b"), "slash");
  CHECK_TEXT(text_at(answer, "/m~0n"), "tilde");
  CHECK_TEXT(text_at(answer, "/"), "empty name");
  CHECK_TEXT(text_at(answer, "/\xc3\xa9"), "accent");
  CHECK_TEXT(text_at(answer, "/none"), "");
  CHECK_TEXT(modelwire_response_get_text(answer, "/list/1/deeper", 12, NULL), "found");
  CHECK(memcmp(modelwire_response_get_text(answer, "/nul", 4, &length), "a\0b", 4) == 0);
  CHECK(length == 3);
  CHECK_TEXT(json_at(answer, "/big"), "123456789012345678901234567890.10");
  CHECK_TEXT(json_at(answer, "/list"), "[0, {\"deep\":\"found\"}]");
  CHECK_TEXT(json_at(answer, "/null"), "null");
  CHECK_TEXT(json_at(answer, ""), modelwire_response_json(answer, NULL));
  CHECK(json_at(answer, "text") == NULL && json_at(answer, "/absent") == NULL);
  CHECK(json_at(answer, "/list/2") == NULL && json_at(answer, "/list/00") == NULL);
  CHECK(json_at(answer, "/list/-") == NULL && json_at(answer, "/list/+1") == NULL);
  /* A field of another type is absent too. */
  CHECK(text_at(answer, "/int") == NULL && text_at(answer, "/list") == NULL);
  CHECK(text_at(answer, "/null") == NULL && text_at(answer, "/text/deeper") == NULL);
  CHECK(modelwire_response_get_text(answer, "/\xff", MODELWIRE_NUL, NULL) == NULL);

  CHECK(modelwire_response_get_int(answer, "/text", 5, &whole) == MODELWIRE_ABSENT);
  CHECK(modelwire_response_get_int(answer, "/absent", 7, &whole) == MODELWIRE_ABSENT);
  CHECK(modelwire_response_get_int(answer, "/big", 4, &whole) == MODELWIRE_ABSENT);
  CHECK(modelwire_response_get_int(answer, "/half", 5, &whole) == MODELWIRE_ABSENT);
  CHECK(whole == 7);
  CHECK(modelwire_response_get_int(answer, "/int", 4, &whole) == MODELWIRE_OK);
  CHECK(whole == INT64_MIN);
  CHECK(modelwire_response_get_number(answer, "/text", 5, &number) == MODELWIRE_ABSENT);
  CHECK(modelwire_response_get_number(answer, "/true", 5, &number) == MODELWIRE_ABSENT);
  CHECK(number > 6.9 && number < 7.1);
  CHECK(modelwire_response_get_number(answer, "/half", 5, &number) == MODELWIRE_OK);
  CHECK(number > 0.49 && number < 0.51);
  CHECK(modelwire_response_get_number(answer, "/big", 4, &number) == MODELWIRE_OK);
  CHECK(number > 1.2e29 && number < 1.3e29);
  CHECK(modelwire_response_get_bool(answer, "/int", 4, &boolean) == MODELWIRE_ABSENT);
  CHECK(modelwire_response_get_bool(answer, "/null", 5, &boolean) == MODELWIRE_ABSENT);
  CHECK(boolean == 7);
  CHECK(modelwire_response_get_bool(answer, "/true", 5, &boolean) == MODELWIRE_OK && boolean == 1);
  CHECK(modelwire_response_get_bool(answer, "/false", 6, &boolean) == MODELWIRE_OK);
  CHECK(boolean == 0);
  CHECK(modelwire_response_get_count(answer, "/list", MODELWIRE_NUL) == 2);
  CHECK(modelwire_response_get_count(answer, "/list/1", MODELWIRE_NUL) == 1);
  CHECK(modelwire_response_get_count(answer, "/text", MODELWIRE_NUL) == 0);
  CHECK(modelwire_response_get_count(answer, "/absent", MODELWIRE_NUL) == 0);
  CHECK(modelwire_response_get_count(answer, "", 0) > 10);
  modelwire_response_free(answer);
  modelwire_client_free(client);
}

/* Texts of one parent stay where they are while others are asked for. */
void fields_stay(void) {
  enum { ITEMS = 200 };
  const char *texts[ITEMS], *jsons[ITEMS];
  char path[32], expected[32];
  modelwire_client *client = client_of_environment();
  modelwire_response *answer = answer_of(chat_call(client, ECHO_CHAT("m", "x")));
  CHECK(modelwire_response_get_count(answer, "/items", MODELWIRE_NUL) == ITEMS);
  for (int i = 0; i < ITEMS; i++) {
    snprintf(path, sizeof path, "/items/%d", i);
    texts[i] = text_at(answer, path);
    jsons[i] = json_at(answer, path);
  }
  for (int i = 0; i < ITEMS; i++) {
    snprintf(path, sizeof path, "/items/%d", i);
    snprintf(expected, sizeof expected, "item %d", i);
    CHECK_TEXT(texts[i], expected);
    CHECK(jsons[i] != texts[i] && strlen(jsons[i]) == strlen(expected) + 2);
    /* The same text again is the same. */
    CHECK(text_at(answer, path) == texts[i] && json_at(answer, path) == jsons[i]);
  }
  modelwire_response_free(answer);
  modelwire_client_free(client);
}

/* The fields of each chunk: text, JSON, a number, what is absent. */
static int32_t look_into_chunk(void *user_data, const modelwire_event *event) {
  int *seen = user_data;
  int64_t index = -7;
  int32_t flag = -7;
  double half = 0;
  size_t length = 0;
  const char *content =
      modelwire_event_get_text(event, "/choices/0/delta/content", MODELWIRE_NUL, &length);
  const char *json = modelwire_event_get_json(event, "/choices/0/delta", MODELWIRE_NUL, NULL);
  CHECK(modelwire_event_kind(event) == MODELWIRE_EVENT_CHUNK && modelwire_event_tag(event) == 0);
  CHECK(modelwire_event_response(event) == NULL && modelwire_event_error(event) == NULL);
  if (++*seen == 1) {
    CHECK_TEXT(content, "a\"b\n");
    CHECK(length == 4);
    CHECK_TEXT(json, "{\"content\":\"a\\\"b\\n\"}");
    CHECK_TEXT(content, modelwire_event_text(event, NULL));
    CHECK(modelwire_event_get_int(event, "/choices/0/index", MODELWIRE_NUL, &index) ==
          MODELWIRE_OK);
    CHECK(index == 0);
    CHECK(modelwire_event_get_count(event, "/choices", MODELWIRE_NUL) == 1);
  } else {
    CHECK(content == NULL && length == 0 && json == NULL);
    CHECK(modelwire_event_get_int(event, "/choices/0/index", MODELWIRE_NUL, &index) ==
          MODELWIRE_ABSENT);
    CHECK(index == -7);
    CHECK(modelwire_event_get_bool(event, "/flag", 5, &flag) == MODELWIRE_OK && flag == 1);
    CHECK(modelwire_event_get_number(event, "/half", 5, &half) == MODELWIRE_OK);
    CHECK(half > 0.4 && half < 0.6);
    CHECK(modelwire_event_get_bool(event, "/half", 5, &flag) == MODELWIRE_ABSENT);
    CHECK_TEXT(modelwire_event_get_json(event, "", 0, NULL), modelwire_event_json(event, NULL));
  }
  return 0;
}

void fields_of_chunks(void) {
  modelwire_client *client = client_of_environment();
  modelwire_call *call = chat_call(client, ECHO_CHAT("m", "x"));
  modelwire_response *end = NULL;
  modelwire_error *error = NULL;
  int seen = 0;
  CHECK_STATUS(modelwire_call_stream(call, look_into_chunk, &seen, &end, &error), MODELWIRE_OK,
               error);
  CHECK(seen == 2);
  /* The end of a stream has no JSON. */
  CHECK(modelwire_response_get_json(end, "", 0, NULL) == NULL);
  CHECK(modelwire_response_get_count(end, "", 0) == 0);
  CHECK_TEXT(answer_text(end, "/end"), "done_mark");
  modelwire_response_free(end);
  modelwire_call_free(call);
  modelwire_client_free(client);
}

static void check_tool(const modelwire_response *answer, size_t at, const char *id,
                       const char *name, const char *arguments) {
  size_t length = 0;
  CHECK_TEXT(modelwire_response_tool_call_id(answer, at), id);
  CHECK_TEXT(modelwire_response_tool_call_name(answer, at), name);
  CHECK_TEXT(modelwire_response_tool_call_arguments(answer, at, &length), arguments);
  CHECK(length == strlen(arguments));
}

static void check_no_tool(const modelwire_response *answer, size_t at) {
  size_t length = 7;
  CHECK(modelwire_response_tool_call_id(answer, at) == NULL);
  CHECK(modelwire_response_tool_call_name(answer, at) == NULL);
  CHECK(modelwire_response_tool_call_arguments(answer, at, &length) == NULL && length == 0);
}

/* A chat with two tool calls, a response with two, and answers with none. */
void tool_calls(void) {
  modelwire_client *client = client_of_environment();
  modelwire_response *answer = answer_of(chat_call(client, ECHO_CHAT("m", "x")));
  CHECK(answer_count(answer, "/tool_calls") == 2);
  check_tool(answer, 0, "call_1", "search", "{\"q\":\"caf\xc3\xa9\"}");
  check_tool(answer, 1, "", "now", "");
  check_no_tool(answer, 2);
  check_no_tool(answer, SIZE_MAX);
  CHECK_TEXT(answer_text(answer, "/finish_reason"), "tool_calls");
  modelwire_response_free(answer);

  answer = answer_of(response_call(client, "{\"model\":\"m\",\"input\":\"x\"}"));
  CHECK(answer_count(answer, "/tool_calls") == 2);
  check_tool(answer, 0, "call_a", "search", "{}");
  check_tool(answer, 1, "call_b", "now", "[1]");
  modelwire_response_free(answer);

  answer = answer_of(chat_call(client, ECHO_CHAT("m", "x")));
  CHECK(answer_count(answer, "/tool_calls") == 0);
  check_no_tool(answer, 0);
  modelwire_response_free(answer);
  modelwire_client_free(client);
}

/* The pieces of streamed tool calls, put together by their index. */
typedef struct {
  int pieces;
  char ids[2][32], names[2][32], arguments[2][64];
} tools;

static void append(char *whole, size_t size, const char *piece) {
  if (piece == NULL) return;
  CHECK(strlen(whole) + strlen(piece) < size);
  strcat(whole, piece);
}

static int32_t put_together(void *user_data, const modelwire_event *event) {
  tools *all = user_data;
  size_t count = modelwire_event_tool_call_count(event), length = 7;
  for (size_t at = 0; at < count; at++) {
    int64_t index = modelwire_event_tool_call_index(event, at);
    CHECK(index == 0 || index == 1);
    append(all->ids[index], sizeof all->ids[0], modelwire_event_tool_call_id(event, at));
    append(all->names[index], sizeof all->names[0], modelwire_event_tool_call_name(event, at));
    append(all->arguments[index], sizeof all->arguments[0],
           modelwire_event_tool_call_arguments(event, at, &length));
    CHECK(length < sizeof all->arguments[0]);
    all->pieces++;
  }
  CHECK(modelwire_event_tool_call_index(event, count) == -1);
  CHECK(modelwire_event_tool_call_id(event, count) == NULL);
  CHECK(modelwire_event_tool_call_name(event, count) == NULL);
  CHECK(modelwire_event_tool_call_arguments(event, count, &length) == NULL && length == 0);
  return 0;
}

void tool_call_pieces(void) {
  modelwire_client *client = client_of_environment();
  modelwire_call *call = chat_call(client, ECHO_CHAT("m", "x"));
  modelwire_response *end = NULL;
  modelwire_error *error = NULL;
  tools all = {0};
  CHECK_STATUS(modelwire_call_stream(call, put_together, &all, &end, &error), MODELWIRE_OK,
               error);
  CHECK(all.pieces == 5);
  CHECK_TEXT(all.ids[0], "call_1");
  CHECK_TEXT(all.names[0], "search");
  CHECK_TEXT(all.arguments[0], "{\"q\":1}");
  CHECK_TEXT(all.ids[1], "call_2");
  CHECK_TEXT(all.arguments[1], "{}");
  modelwire_response_free(end);
  modelwire_call_free(call);
  modelwire_client_free(client);
}

void headers(void) {
  modelwire_client *client = client_of_environment();
  modelwire_response *answer = answer_of(chat_call(client, ECHO_CHAT("m", "x")));
  size_t count = modelwire_response_header_count(answer);
  for (size_t i = 0; i < count; i++) {
    printf("%s: %s\n", modelwire_response_header_name(answer, i),
           modelwire_response_header_value(answer, i));
  }
  CHECK(modelwire_response_header_name(answer, count) == NULL);
  CHECK(modelwire_response_header_value(answer, count) == NULL);
  CHECK(modelwire_response_header_value(answer, SIZE_MAX) == NULL);
  CHECK_TEXT(header_of(answer, "x-twice"), "one");
  modelwire_response_free(answer);
  modelwire_client_free(client);
}

/* The usage that one chunk of a stream reports. */
static int32_t find_usage(void *user_data, const modelwire_event *event) {
  uint64_t *total = user_data, input = 7, output = 7;
  modelwire_status status = modelwire_event_usage(event, &input, &output, total);
  if (status == MODELWIRE_OK) {
    CHECK(input == 2 && output == 2 && *total == 4);
    CHECK(modelwire_event_usage(event, NULL, NULL, NULL) == MODELWIRE_OK);
  } else {
    CHECK(status == MODELWIRE_ABSENT && input == 7 && output == 7);
  }
  return 0;
}

void usage_of_events(void) {
  modelwire_client *client = client_of_environment();
  modelwire_call *call = chat_call(client, USAGE_CHAT("echo", "one two"));
  modelwire_response *end = NULL;
  modelwire_error *error = NULL;
  uint64_t total = 0;
  CHECK_STATUS(modelwire_call_stream(call, find_usage, &total, &end, &error), MODELWIRE_OK,
               error);
  CHECK(total == 4);
  modelwire_response_free(end);
  modelwire_call_free(call);
  modelwire_client_free(client);
}

/* A client's usage by model, as the requests named it. */
void usage_by_model(void) {
  modelwire_client *client = client_of_environment();
  uint64_t calls = 7, silent = 7, input = 7, output = 7, total = 7;
  CHECK(modelwire_client_usage_of_model(client, "echo", MODELWIRE_NUL, &calls, &silent, &input,
                                        &output, &total) == MODELWIRE_ABSENT);
  CHECK(calls == 7 && silent == 7 && input == 7 && output == 7 && total == 7);
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("echo", "one two"))));
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("echo", "three"))));
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("echo-reasoning", "four"))));
  modelwire_error_free(
      failure_of(chat_call(client, ECHO_CHAT("broken", "five")), MODELWIRE_E_SERVER));
  CHECK(modelwire_client_usage_of_model(client, "echo and more", 4, &calls, &silent, &input,
                                        &output, &total) == MODELWIRE_OK);
  CHECK(calls == 2 && silent == 0 && input == 3 && output == 3 && total == 6);
  CHECK(modelwire_client_usage_of_model(client, "echo-reasoning", MODELWIRE_NUL, &calls, NULL, NULL,
                                        NULL, NULL) == MODELWIRE_OK);
  CHECK(calls == 1);
  CHECK(modelwire_client_usage_of_model(client, "broken", MODELWIRE_NUL, NULL, NULL, NULL, NULL,
                                        NULL) == MODELWIRE_ABSENT);
  /* A stream reports none that did not ask: that is not the same as none used. */
  gathered all = {0};
  modelwire_response *end = NULL;
  modelwire_call *call = chat_call(client, ECHO_CHAT("echo", "six"));
  CHECK(modelwire_call_stream(call, gather, &all, &end, NULL) == MODELWIRE_OK);
  CHECK(modelwire_response_usage(end, NULL, NULL, NULL) == MODELWIRE_ABSENT);
  modelwire_response_free(end);
  modelwire_call_free(call);
  CHECK(modelwire_client_usage_of_model(client, "echo", 4, &calls, &silent, NULL, NULL, &total) ==
        MODELWIRE_OK);
  CHECK(calls == 3 && silent == 1 && total == 6);
  CHECK(modelwire_client_usage(client, &calls, &silent, NULL, NULL, NULL) == MODELWIRE_OK);
  CHECK(calls == 4 && silent == 1);
  modelwire_client_free(client);
}

/* Three models of which each reports the most that can be reported: the sums stay at their end
 * instead of starting again from 0. */
void usage_saturates(void) {
  modelwire_client *client = client_of_environment();
  uint64_t calls = 7, input = 7, output = 7, total = 7;
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("a", "x"))));
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("b", "x"))));
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("c", "x"))));
  CHECK(modelwire_client_usage_of_model(client, "c", 1, NULL, NULL, &input, &output, &total) ==
        MODELWIRE_OK);
  CHECK(input == INT64_MAX && output == INT64_MAX && total == INT64_MAX);
  CHECK(modelwire_client_usage(client, &calls, NULL, &input, &output, &total) == MODELWIRE_OK);
  CHECK(calls == 3);
  CHECK(input == UINT64_MAX && output == UINT64_MAX && total == UINT64_MAX);
  modelwire_client_free(client);
}

/* A document, an end mark, a final event, finish reasons: how each response was known to be whole;
 * and which of them the library put together. */
void ends(void) {
  static const char *const JSON = "{\"model\":\"m\",\"input\":\"x\"}";
  modelwire_client *client = client_of_environment();
  modelwire_response *answer = answer_of(chat_call(client, ECHO_CHAT("m", "x")));
  CHECK_TEXT(answer_text(answer, "/end"), "document");
  CHECK(modelwire_response_is_gathered(answer) == 0);
  modelwire_response_free(answer);

  static const struct {
    int is_chat;
    const char *end;
  } STREAMS[] = {{1, "done_mark"}, {1, "finish_reasons"}, {0, "final_event"}};
  for (size_t i = 0; i < sizeof STREAMS / sizeof *STREAMS; i++) {
    modelwire_request *request = NULL;
    modelwire_call *call = NULL;
    modelwire_error *error = NULL;
    gathered all = {0};
    modelwire_status status =
        STREAMS[i].is_chat
            ? modelwire_request_new(MODELWIRE_OPERATION_CHAT, ECHO_CHAT("m", "x"), MODELWIRE_NUL, &request, &error)
            : modelwire_request_new(MODELWIRE_OPERATION_RESPONSES, JSON, MODELWIRE_NUL, &request, &error);
    CHECK_STATUS(status, MODELWIRE_OK, error);
    CHECK(modelwire_request_set_gather(request, 1) == MODELWIRE_OK);
    CHECK(modelwire_call_new(client, request, 0, &call, NULL) == MODELWIRE_OK);
    CHECK_STATUS(modelwire_call_stream(call, gather, &all, &answer, &error), MODELWIRE_OK, error);
    CHECK_TEXT(answer_text(answer, "/end"), STREAMS[i].end);
    CHECK(modelwire_response_is_gathered(answer) == 1);
    CHECK_TEXT(modelwire_response_text(answer, NULL), "one two");
    CHECK(modelwire_response_json(answer, NULL)[0] == '{');
    modelwire_response_free(answer);
    modelwire_call_free(call);
    modelwire_request_free(request);
  }
  modelwire_client_free(client);
}
