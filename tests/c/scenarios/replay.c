/*
 * Runs the cases that the test gives it on standard input, and prints everything that the library
 * tells of each; the test compares.
 *
 * A case is a line, "BASE_URL OPERATION WAY EVENT_BYTES_MAX BODY_BYTES", and then the body. What
 * is told is a list of fields, each "NAME BYTES", a line end, the bytes, a line end; a field that
 * is absent is not there; "over" ends a case.
 */
#include "check.h"

static void tell_bytes(const char *name, const char *text, size_t length) {
  if (text == NULL) return;
  printf("%s %zu\n", name, length);
  CHECK(fwrite(text, 1, length, stdout) == length);
  putchar('\n');
}

static void tell(const char *name, const char *text) {
  tell_bytes(name, text, text == NULL ? 0 : strlen(text));
}

static void tell_number(const char *name, int64_t number) {
  char text[24];
  snprintf(text, sizeof text, "%lld", (long long)number);
  tell(name, text);
}

static void tell_number_of(const char *name, const modelwire_value *value, const char *path) {
  int64_t number = 0;
  if (modelwire_value_int(value, path, MODELWIRE_NUL, &number) != MODELWIRE_OK) return;
  tell_number(name, number);
}

static void tell_text_of(const char *name, const modelwire_value *value, const char *path) {
  size_t length = 0;
  const char *text = modelwire_value_text(value, path, MODELWIRE_NUL, &length);
  tell_bytes(name, text, length);
}

static void tell_usage(const char *name, const modelwire_value *info) {
  char text[80];
  if (count_at(info, "/usage") == 0) return;
  snprintf(text, sizeof text, "[%lld,%lld,%lld]", (long long)int_at(info, "/usage/input_tokens"),
           (long long)int_at(info, "/usage/output_tokens"),
           (long long)int_at(info, "/usage/total_tokens"));
  tell(name, text);
}

/* The choices of a chat by their paths: index, text, why it stopped. `holder` is what the text
 * stands in: "message", or "delta" of a chunk. */
static void tell_choices(const modelwire_value *value, const char *holder) {
  size_t count = count_at(value, "/choices");
  for (size_t at = 0; at < count; at++) {
    char path[64];
    int64_t index = (int64_t)at;
    snprintf(path, sizeof path, "/choices/%zu/index", at);
    (void)modelwire_value_int(value, path, MODELWIRE_NUL, &index);
    tell_number("choice", index);
    snprintf(path, sizeof path, "/choices/%zu/%s/content", at, holder);
    tell_text_of("choice_text", value, path);
    snprintf(path, sizeof path, "/choices/%zu/finish_reason", at);
    tell_text_of("choice_reason", value, path);
  }
}

/* The tool calls that an info tells of; a chunk's have an index. */
static void tell_calls(const modelwire_value *info) {
  static const char *const TEXTS[] = {"id", "name", "arguments"};
  size_t count = count_at(info, "/tool_calls");
  for (size_t at = 0; at < count; at++) {
    char path[64], index[24] = "";
    int64_t number = 0;
    snprintf(path, sizeof path, "/tool_calls/%zu/index", at);
    if (modelwire_value_int(info, path, MODELWIRE_NUL, &number) == MODELWIRE_OK) {
      snprintf(index, sizeof index, "%lld", (long long)number);
    }
    tell("call", index);
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
      char name[24];
      snprintf(path, sizeof path, "/tool_calls/%zu/%s", at, TEXTS[i]);
      snprintf(name, sizeof name, "call_%s", TEXTS[i]);
      tell_text_of(name, info, path);
    }
  }
}

static int32_t tell_chunk(void *user_data, const modelwire_event *event) {
  size_t length = 0;
  const char *text = modelwire_event_json(event, &length);
  CHECK(user_data == NULL);
  tell_bytes("chunk", text, length);
  text = modelwire_event_name(event, &length);
  tell_bytes("event", text, length);
  text = modelwire_event_text(event, &length);
  tell_bytes("chunk_text", text, length);
  tell_text_of("status", modelwire_event_value(event), "/response/status");
  tell_choices(modelwire_event_value(event), "delta");
  tell_text_of("chunk_reason", modelwire_event_info(event), "/finish_reason");
  tell_usage("chunk_usage", modelwire_event_info(event));
  tell_calls(modelwire_event_info(event));
  return 0;
}

static void tell_answer(const modelwire_response *answer) {
  const modelwire_value *info = modelwire_response_info(answer);
  size_t length = 0;
  int64_t is_gathered = -1;
  const char *text = modelwire_response_json(answer, &length);
  tell_bytes("json", text, length);
  text = modelwire_response_text(answer, &length);
  tell_bytes("text", text, length);
  tell_text_of("finish_reason", info, "/finish_reason");
  tell_text_of("end", info, "/end");
  CHECK(modelwire_value_int(info, "/is_gathered", MODELWIRE_NUL, &is_gathered) == MODELWIRE_OK);
  tell_number("gathered", is_gathered);
  tell_usage("usage", info);
  tell_calls(info);
  size_t models = count_at(info, "/models");
  for (size_t i = 0; i < models; i++) {
    char path[32];
    snprintf(path, sizeof path, "/models/%zu", i);
    tell_text_of("model_id", info, path);
  }
  tell_choices(modelwire_response_value(answer), "message");
}

static void tell_error(const modelwire_error *error) {
  static const char *const TEXTS[] = {"/kind", "/hint",    "/type", "/code",  "/param",
                                      "/path", "/metered", "/body", "/model", "/partial"};
  const modelwire_value *value = modelwire_error_value(error);
  size_t length = 0;
  const char *message = modelwire_error_message(error, &length);
  tell_bytes("message", message, length);
  for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
    tell_text_of(TEXTS[i] + 1, value, TEXTS[i]);
  }
  CHECK_TEXT(text_at(value, "/kind"), modelwire_status_name(modelwire_error_status(error)));
  tell_number_of("http_status", value, "/http_status");
  tell_number_of("attempts", value, "/attempts");
  tell_number_of("request_time", value, "/request_time_unix_ms");
}

static modelwire_client *client_at(const char *base_url, int64_t event_bytes_max) {
  if (event_bytes_max <= 0) {
    return client_with("{\"base_url\":\"%s\",\"api_key\":\"sk-test\",\"max_retries\":0}",
                       base_url);
  }
  return client_with("{\"base_url\":\"%s\",\"api_key\":\"sk-test\",\"max_retries\":0,"
                     "\"event_bytes_max\":%lld}",
                     base_url, (long long)event_bytes_max);
}

static int32_t operation_of(const char *name) {
  if (strcmp(name, "models") == 0) return MODELWIRE_OPERATION_MODELS;
  if (strcmp(name, "chat") == 0) return MODELWIRE_OPERATION_CHAT;
  CHECK_TEXT(name, "responses");
  return MODELWIRE_OPERATION_RESPONSES;
}

static void run_case(const modelwire_client *client, const char *operation, const char *way,
                     const char *body, size_t length) {
  modelwire_request *request = NULL;
  modelwire_call *call = NULL;
  modelwire_response *answer = NULL;
  modelwire_error *error = NULL;
  const int32_t kind = operation_of(operation);
  /* A list of models has no body. */
  modelwire_status status =
      modelwire_request_new(kind, kind == MODELWIRE_OPERATION_MODELS ? NULL : body, length,
                            &request, &error);
  if (status == MODELWIRE_OK) {
    int is_gathered = strcmp(way, "gather") == 0, is_stream = strcmp(way, "stream") == 0;
    const char *options = is_gathered                       ? "{\"gather\":true}"
                          : strcmp(way, "underneath") == 0 ? "{\"stream_only\":true}"
                                                           : "{}";
    CHECK(modelwire_request_set_options(request, options, MODELWIRE_NUL, NULL) == MODELWIRE_OK);
    CHECK(modelwire_call_new(client, request, 0, &call, NULL) == MODELWIRE_OK);
    status = is_stream || is_gathered
                 ? modelwire_call_stream(call, tell_chunk, NULL, &answer, &error)
                 : modelwire_call_run(call, &answer, &error);
  }
  CHECK((status == MODELWIRE_OK) == (answer != NULL));
  CHECK((status == MODELWIRE_OK) == (error == NULL));
  if (answer != NULL) {
    tell_answer(answer);
  } else {
    tell_error(error);
  }
  tell("over", "");
  modelwire_response_free(answer);
  modelwire_error_free(error);
  modelwire_call_free(call);
  modelwire_request_free(request);
}

void replay(void) {
  char base_url[256], operation[16], way[16], end;
  long long event_bytes_max;
  size_t length;
  while (scanf("%255s %15s %15s %lld %zu%c", base_url, operation, way, &event_bytes_max, &length,
               &end) == 6) {
    char *body = malloc(length + 1);
    CHECK(end == '\n' && body != NULL && fread(body, 1, length, stdin) == length);
    modelwire_client *client = client_at(base_url, event_bytes_max);
    run_case(client, operation, way, body, length);
    modelwire_client_free(client);
    free(body);
  }
  CHECK(feof(stdin));
}
