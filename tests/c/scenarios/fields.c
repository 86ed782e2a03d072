/*
 * What a response tells: any field by its path, tool calls, headers, usage, and how it ended. The
 * test scripts the responses.
 */
#include "check.h"

static const char *json_at(const modelwire_value *value, const char *path) {
  size_t length = 99;
  const char *json = modelwire_value_json(value, path, MODELWIRE_NUL, &length);
  CHECK(length == (json == NULL ? 0 : strlen(json)));
  return json;
}

/* The same fields of the same JSON text, wherever it came from. */
static void check_fields(const modelwire_value *answer) {
  int64_t whole = 7;
  double number = 7;
  size_t length = 0;
  CHECK_TEXT(text_at(answer, "/text"), "caf\xc3\xa9 \"q\" \xf0\x9f\x98\x80");
  CHECK_TEXT(json_at(answer, "/text"), "\"caf\\u00e9 \\\"q\\\" \\ud83d\\ude00\"");
  CHECK_TEXT(text_at(answer, "/list/1/deep"), "found");
  CHECK_TEXT(text_at(answer, "/a~1b"), "slash");
  CHECK_TEXT(text_at(answer, "/m~0n"), "tilde");
  CHECK_TEXT(text_at(answer, "/"), "empty name");
  CHECK_TEXT(text_at(answer, "/\xc3\xa9"), "accent");
  CHECK_TEXT(text_at(answer, "/none"), "");
  CHECK_TEXT(modelwire_value_text(answer, "/list/1/deeper", 12, NULL), "found");
  CHECK(memcmp(modelwire_value_text(answer, "/nul", 4, &length), "a\0b", 4) == 0);
  CHECK(length == 3);
  CHECK_TEXT(json_at(answer, "/big"), "123456789012345678901234567890.10");
  CHECK_TEXT(json_at(answer, "/list"), "[0, {\"deep\":\"found\"}]");
  CHECK_TEXT(json_at(answer, "/null"), "null");
  CHECK(json_at(answer, "")[0] == '{');
  CHECK(json_at(answer, "text") == NULL && json_at(answer, "/absent") == NULL);
  CHECK(json_at(answer, "/list/2") == NULL && json_at(answer, "/list/00") == NULL);
  CHECK(json_at(answer, "/list/-") == NULL && json_at(answer, "/list/+1") == NULL);
  /* A field of another type is absent too. */
  CHECK(text_at(answer, "/int") == NULL && text_at(answer, "/list") == NULL);
  CHECK(text_at(answer, "/null") == NULL && text_at(answer, "/text/deeper") == NULL);
  CHECK(modelwire_value_text(answer, "/\xff", MODELWIRE_NUL, NULL) == NULL);

  CHECK(modelwire_value_int(answer, "/text", 5, &whole) == MODELWIRE_ABSENT);
  CHECK(modelwire_value_int(answer, "/absent", 7, &whole) == MODELWIRE_ABSENT);
  CHECK(modelwire_value_int(answer, "/big", 4, &whole) == MODELWIRE_ABSENT);
  CHECK(modelwire_value_int(answer, "/half", 5, &whole) == MODELWIRE_ABSENT);
  CHECK(whole == 7);
  CHECK(modelwire_value_int(answer, "/int", 4, &whole) == MODELWIRE_OK);
  CHECK(whole == INT64_MIN);
  CHECK(modelwire_value_number(answer, "/text", 5, &number) == MODELWIRE_ABSENT);
  CHECK(modelwire_value_number(answer, "/true", 5, &number) == MODELWIRE_ABSENT);
  CHECK(number > 6.9 && number < 7.1);
  CHECK(modelwire_value_number(answer, "/half", 5, &number) == MODELWIRE_OK);
  CHECK(number > 0.49 && number < 0.51);
  CHECK(modelwire_value_number(answer, "/big", 4, &number) == MODELWIRE_OK);
  CHECK(number > 1.2e29 && number < 1.3e29);
  CHECK(modelwire_value_int(answer, "/null", 5, &whole) == MODELWIRE_ABSENT);
  CHECK(whole == INT64_MIN);
  CHECK(modelwire_value_int(answer, "/true", 5, &whole) == MODELWIRE_OK && whole == 1);
  CHECK(modelwire_value_int(answer, "/false", 6, &whole) == MODELWIRE_OK && whole == 0);
  CHECK(modelwire_value_count(answer, "/list", MODELWIRE_NUL) == 2);
  CHECK(modelwire_value_count(answer, "/list/1", MODELWIRE_NUL) == 1);
  CHECK(modelwire_value_count(answer, "/text", MODELWIRE_NUL) == 0);
  CHECK(modelwire_value_count(answer, "/absent", MODELWIRE_NUL) == 0);
  CHECK(modelwire_value_count(answer, "", 0) > 10);
  CHECK(modelwire_value_name(answer, "/list", MODELWIRE_NUL, 0, &length) == NULL && length == 0);
  CHECK(modelwire_value_name(answer, "/text", MODELWIRE_NUL, 0, NULL) == NULL);
  CHECK(modelwire_value_name(answer, "/absent", MODELWIRE_NUL, 0, NULL) == NULL);
}

void fields(void) {
  modelwire_client *client = client_of_environment();
  modelwire_response *answer = answer_of(chat_call(client, ECHO_CHAT("m", "x")));
  const modelwire_value *value = modelwire_response_value(answer);
  modelwire_value *own = NULL;
  modelwire_error *error = NULL;
  size_t length = 0;
  const char *json = modelwire_response_json(answer, &length);
  check_fields(value);
  /* What is borrowed stays, whoever frees it. */
  modelwire_value_free((modelwire_value *)value);
  check_fields(value);
  CHECK(modelwire_response_value(answer) == value);
  CHECK_TEXT(json_at(value, ""), json);
  /* A value of the program's own. */
  CHECK_STATUS(modelwire_value_new(json, length, &own, &error), MODELWIRE_OK, error);
  modelwire_response_free(answer);
  check_fields(own);
  modelwire_value_free(own);
  modelwire_client_free(client);
}

/* Any JSON text is a value, and nothing else is. */
void values(void) {
  static const struct {
    const char *json;
    const char *text;
    size_t count;
  } RIGHT[] = {{"\"a\\n\"", "a\n", 0}, {" [1, 2] ", NULL, 2}, {"1e3", NULL, 0},
               {"null", NULL, 0},       {"{}", NULL, 0},       {"{\"\":[]}", NULL, 1}};
  static const struct {
    const char *json;
    size_t length;
    const char *told;
  } WRONG[] = {{"", 0, "at byte 0"},
               {"{", MODELWIRE_NUL, "at byte 1"},
               {"[1]", 2, "at byte 2"},
               {"{\"a\":1}}", MODELWIRE_NUL, "at byte 7"},
               {"\"\xff\"", MODELWIRE_NUL, "not UTF-8 at byte 1"},
               {"1\0" "2", 3, "at byte 1"}};
  modelwire_error *error = NULL;
  for (size_t i = 0; i < sizeof RIGHT / sizeof *RIGHT; i++) {
    modelwire_value *value = NULL;
    CHECK_STATUS(modelwire_value_new(RIGHT[i].json, MODELWIRE_NUL, &value, &error), MODELWIRE_OK,
                 error);
    const char *text = text_at(value, "");
    CHECK((text == NULL) == (RIGHT[i].text == NULL));
    if (text != NULL) CHECK_TEXT(text, RIGHT[i].text);
    CHECK(count_at(value, "") == RIGHT[i].count);
    CHECK(contains(RIGHT[i].json, json_at(value, "")));
    modelwire_value_free(value);
  }
  for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
    modelwire_value *value = (modelwire_value *)&value;
    CHECK_STATUS(modelwire_value_new(WRONG[i].json, WRONG[i].length, &value, &error),
                 MODELWIRE_E_ARGUMENT, error);
    CHECK(value == NULL);
    if (!contains(modelwire_error_message(error, NULL), WRONG[i].told)) {
      CHECK_TEXT(modelwire_error_message(error, NULL), WRONG[i].told);
    }
    modelwire_error_free(error);
  }
}

/* Texts of one parent stay where they are while others are asked for. */
void fields_stay(void) {
  enum { ITEMS = 200 };
  const char *texts[ITEMS], *jsons[ITEMS];
  char path[32], expected[32];
  modelwire_client *client = client_of_environment();
  modelwire_response *answer = answer_of(chat_call(client, ECHO_CHAT("m", "x")));
  const modelwire_value *value = modelwire_response_value(answer);
  CHECK(count_at(value, "/items") == ITEMS);
  for (int i = 0; i < ITEMS; i++) {
    snprintf(path, sizeof path, "/items/%d", i);
    texts[i] = text_at(value, path);
    jsons[i] = json_at(value, path);
  }
  for (int i = 0; i < ITEMS; i++) {
    snprintf(path, sizeof path, "/items/%d", i);
    snprintf(expected, sizeof expected, "item %d", i);
    CHECK_TEXT(texts[i], expected);
    CHECK(jsons[i] != texts[i] && strlen(jsons[i]) == strlen(expected) + 2);
    /* The same text again is the same. */
    CHECK(text_at(value, path) == texts[i] && json_at(value, path) == jsons[i]);
  }
  modelwire_response_free(answer);
  modelwire_client_free(client);
}

/* The fields of each chunk: text, JSON, a number, what is absent. */
static int32_t look_into_chunk(void *user_data, const modelwire_event *event) {
  int *seen = user_data;
  const modelwire_value *value = modelwire_event_value(event);
  int64_t index = -7;
  int64_t flag = -7;
  double half = 0;
  size_t length = 0;
  const char *content =
      modelwire_value_text(value, "/choices/0/delta/content", MODELWIRE_NUL, &length);
  const char *json = json_at(value, "/choices/0/delta");
  CHECK(modelwire_event_kind(event) == MODELWIRE_EVENT_CHUNK && modelwire_event_tag(event) == 0);
  CHECK(modelwire_event_response(event) == NULL && modelwire_event_error(event) == NULL);
  if (++*seen == 1) {
    CHECK_TEXT(content, "a\"b\n");
    CHECK(length == 4);
    CHECK_TEXT(json, "{\"content\":\"a\\\"b\\n\"}");
    CHECK_TEXT(content, modelwire_event_text(event, NULL));
    CHECK(modelwire_value_int(value, "/choices/0/index", MODELWIRE_NUL, &index) ==
          MODELWIRE_OK);
    CHECK(index == 0);
    CHECK(count_at(value, "/choices") == 1);
  } else {
    CHECK(content == NULL && length == 0 && json == NULL);
    CHECK(modelwire_value_int(value, "/choices/0/index", MODELWIRE_NUL, &index) ==
          MODELWIRE_ABSENT);
    CHECK(index == -7);
    CHECK(modelwire_value_int(value, "/flag", 5, &flag) == MODELWIRE_OK && flag == 1);
    CHECK(modelwire_value_number(value, "/half", 5, &half) == MODELWIRE_OK);
    CHECK(half > 0.4 && half < 0.6);
    CHECK(modelwire_value_int(value, "/half", 5, &flag) == MODELWIRE_ABSENT);
    CHECK_TEXT(json_at(value, ""), modelwire_event_json(event, NULL));
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
  CHECK(json_at(modelwire_response_value(end), "") == NULL);
  CHECK(count_at(modelwire_response_value(end), "") == 0);
  CHECK_TEXT(answer_text(end, "/end"), "done_mark");
  modelwire_response_free(end);
  modelwire_call_free(call);
  modelwire_client_free(client);
}

static void check_tool(const modelwire_response *answer, int at, const char *id, const char *name,
                       const char *arguments) {
  const modelwire_value *info = modelwire_response_info(answer);
  char path[48];
  snprintf(path, sizeof path, "/tool_calls/%d/id", at);
  CHECK_TEXT(text_at(info, path), id);
  snprintf(path, sizeof path, "/tool_calls/%d/name", at);
  CHECK_TEXT(text_at(info, path), name);
  snprintf(path, sizeof path, "/tool_calls/%d/arguments", at);
  CHECK_TEXT(text_at(info, path), arguments);
}

/* A chat with two tool calls, a response with two, and answers with none. */
void tool_calls(void) {
  modelwire_client *client = client_of_environment();
  modelwire_response *answer = answer_of(chat_call(client, ECHO_CHAT("m", "x")));
  CHECK(answer_count(answer, "/tool_calls") == 2);
  check_tool(answer, 0, "call_1", "search", "{\"q\":\"caf\xc3\xa9\"}");
  check_tool(answer, 1, "", "now", "");
  CHECK_TEXT(answer_text(answer, "/finish_reason"), "tool_calls");
  modelwire_response_free(answer);

  answer = answer_of(response_call(client, "{\"model\":\"m\",\"input\":\"x\"}"));
  CHECK(answer_count(answer, "/tool_calls") == 2);
  check_tool(answer, 0, "call_a", "search", "{}");
  check_tool(answer, 1, "call_b", "now", "[1]");
  modelwire_response_free(answer);

  answer = answer_of(chat_call(client, ECHO_CHAT("m", "x")));
  CHECK(answer_count(answer, "/tool_calls") == 0);
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
  size_t count = count_at(modelwire_event_info(event), "/tool_calls");
  for (size_t at = 0; at < count; at++) {
    char path[48];
    snprintf(path, sizeof path, "/tool_calls/%zu/index", at);
    int64_t index = event_int(event, path);
    CHECK(index == 0 || index == 1);
    snprintf(path, sizeof path, "/tool_calls/%zu/id", at);
    append(all->ids[index], sizeof all->ids[0], event_text(event, path));
    snprintf(path, sizeof path, "/tool_calls/%zu/name", at);
    append(all->names[index], sizeof all->names[0], event_text(event, path));
    snprintf(path, sizeof path, "/tool_calls/%zu/arguments", at);
    append(all->arguments[index], sizeof all->arguments[0], event_text(event, path));
    all->pieces++;
  }
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
  size_t count = answer_count(answer, "/headers");
  for (size_t at = 0; at < count; at++) {
    char name[40], value[40];
    snprintf(name, sizeof name, "/headers/%zu/name", at);
    snprintf(value, sizeof value, "/headers/%zu/value", at);
    printf("%s: %s\n", answer_text(answer, name), answer_text(answer, value));
  }
  CHECK_TEXT(header_of(answer, "x-twice"), "one");
  CHECK(header_of(answer, "x-absent") == NULL);
  modelwire_response_free(answer);
  modelwire_client_free(client);
}

/* The usage that one chunk of a stream reports. */
static int32_t find_usage(void *user_data, const modelwire_event *event) {
  int *reports = user_data;
  if (event_int(event, "/usage/total_tokens") != -1) {
    CHECK(event_int(event, "/usage/input_tokens") == 2);
    CHECK(event_int(event, "/usage/output_tokens") == 2);
    CHECK(event_int(event, "/usage/total_tokens") == 4);
    ++*reports;
  } else {
    CHECK_TEXT(json_at(modelwire_event_info(event), "/usage"), "null");
  }
  return 0;
}

void usage_of_events(void) {
  modelwire_client *client = client_of_environment();
  modelwire_call *call = chat_call(client, USAGE_CHAT("echo", "one two"));
  modelwire_response *end = NULL;
  modelwire_error *error = NULL;
  int reports = 0;
  CHECK_STATUS(modelwire_call_stream(call, find_usage, &reports, &end, &error), MODELWIRE_OK,
               error);
  CHECK(reports == 1);
  modelwire_response_free(end);
  modelwire_call_free(call);
  modelwire_client_free(client);
}

/* A client's usage by model, as the requests named it. */
void usage_by_model(void) {
  modelwire_client *client = client_of_environment();
  CHECK(usage_of(client, "/models/echo/calls") == -1);
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("echo", "one two"))));
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("echo", "three"))));
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("echo-reasoning", "four"))));
  modelwire_error_free(
      failure_of(chat_call(client, ECHO_CHAT("broken", "five")), MODELWIRE_E_SERVER));
  CHECK(usage_of(client, "/models/echo/calls") == 2);
  CHECK(usage_of(client, "/models/echo/calls_without_usage") == 0);
  CHECK(usage_of(client, "/models/echo/input_tokens") == 3);
  CHECK(usage_of(client, "/models/echo/output_tokens") == 3);
  CHECK(usage_of(client, "/models/echo/total_tokens") == 6);
  CHECK(usage_of(client, "/models/echo-reasoning/calls") == 1);
  CHECK(usage_of(client, "/models/broken/calls") == -1);
  /* A stream reports none that did not ask: that is not the same as none used. */
  gathered all = {0};
  modelwire_response *end = NULL;
  modelwire_call *call = chat_call(client, ECHO_CHAT("echo", "six"));
  CHECK(modelwire_call_stream(call, gather, &all, &end, NULL) == MODELWIRE_OK);
  CHECK(answer_int(end, "/usage/total_tokens") == -1);
  modelwire_response_free(end);
  modelwire_call_free(call);
  CHECK(usage_of(client, "/models/echo/calls") == 3);
  CHECK(usage_of(client, "/models/echo/calls_without_usage") == 1);
  CHECK(usage_of(client, "/models/echo/total_tokens") == 6);
  CHECK(usage_of(client, "/calls") == 4 && usage_of(client, "/calls_without_usage") == 1);
  modelwire_client_free(client);
}

/* Sums by key and by model, taken and set back at once. */
void usage_taken(void) {
  modelwire_client *client = client_of_environment();
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("m", "x"))));
  modelwire_response_free(
      answer_of(chat_call_with(client, ECHO_CHAT("m", "x"), "{\"api_key\":\"sk-other-key\"}")));
  CHECK(usage_of(client, "/calls") == 2);
  modelwire_value *taken = modelwire_client_usage(client, 1);
  const char *own = text_at(taken, "/key_id");
  CHECK_TEXT(own, "ff95f1fb950e0b2b");
  CHECK(int_at(taken, "/calls") == 2 && count_at(taken, "/keys") == 2);
  CHECK(int_at(taken, "/models/m/cached_input_tokens") == 2);
  CHECK(int_at(taken, "/keys/ff95f1fb950e0b2b/calls") == 1);
  CHECK(int_at(taken, "/keys/ff95f1fb950e0b2b/models/m/reasoning_tokens") == 3);
  CHECK(strstr(modelwire_value_json(taken, "", 0, NULL), "sk-") == NULL);
  modelwire_value_free(taken);
  taken = modelwire_client_usage(client, 1);
  CHECK(int_at(taken, "/calls") == 0 && count_at(taken, "/models") == 0);
  CHECK(count_at(taken, "/keys") == 0 && usage_of(client, "/calls") == 0);
  modelwire_value_free(taken);
  modelwire_client_free(client);
}

/* Three models of which each reports the most that can be reported: the sums stay at their end
 * instead of starting again from 0. */
void usage_saturates(void) {
  static const char *const TOKENS[] = {"input_tokens", "output_tokens", "total_tokens"};
  modelwire_client *client = client_of_environment();
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("a", "x"))));
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("b", "x"))));
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("c", "x"))));
  modelwire_value *usage = modelwire_client_usage(client, 0);
  CHECK(int_at(usage, "/calls") == 3);
  CHECK(modelwire_value_count(usage, "/models", MODELWIRE_NUL) == 3);
  for (size_t i = 0; i < 3; i++) {
    const char name[] = {(char)('a' + i), '\0'};
    CHECK_TEXT(modelwire_value_name(usage, "/models", MODELWIRE_NUL, i, NULL), name);
  }
  CHECK(modelwire_value_name(usage, "/models", MODELWIRE_NUL, 3, NULL) == NULL);
  for (size_t i = 0; i < sizeof TOKENS / sizeof *TOKENS; i++) {
    char path[40];
    snprintf(path, sizeof path, "/models/c/%s", TOKENS[i]);
    CHECK(int_at(usage, path) == INT64_MAX);
    snprintf(path, sizeof path, "/%s", TOKENS[i]);
    CHECK(int_at(usage, path) == INT64_MAX);
  }
  modelwire_value_free(usage);
  modelwire_client_free(client);
}

/* A document, an end mark, a final event, finish reasons: how each response was known to be whole;
 * and which of them the library put together. */
void ends(void) {
  modelwire_client *client = client_of_environment();
  modelwire_response *answer = answer_of(chat_call(client, ECHO_CHAT("m", "x")));
  CHECK_TEXT(answer_text(answer, "/end"), "document");
  CHECK_TEXT(json_at(modelwire_response_info(answer), "/is_gathered"), "false");
  modelwire_response_free(answer);

  static const struct {
    int32_t operation;
    const char *json;
    const char *end;
  } STREAMS[] = {{MODELWIRE_OPERATION_CHAT, ECHO_CHAT("m", "x"), "done_mark"},
                 {MODELWIRE_OPERATION_CHAT, ECHO_CHAT("m", "x"), "finish_reasons"},
                 {MODELWIRE_OPERATION_RESPONSES, "{\"model\":\"m\",\"input\":\"x\"}",
                  "final_event"}};
  for (size_t i = 0; i < sizeof STREAMS / sizeof *STREAMS; i++) {
    modelwire_call *call = call_of(
        client, request_with(STREAMS[i].operation, STREAMS[i].json, "{\"gather\":true}"));
    modelwire_error *error = NULL;
    gathered all = {0};
    CHECK_STATUS(modelwire_call_stream(call, gather, &all, &answer, &error), MODELWIRE_OK, error);
    CHECK_TEXT(answer_text(answer, "/end"), STREAMS[i].end);
    CHECK_TEXT(json_at(modelwire_response_info(answer), "/is_gathered"), "true");
    CHECK_TEXT(modelwire_response_text(answer, NULL), "one two");
    CHECK(modelwire_response_json(answer, NULL)[0] == '{');
    modelwire_response_free(answer);
    modelwire_call_free(call);
  }
  modelwire_client_free(client);
}
