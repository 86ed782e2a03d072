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

static void tell_usage(modelwire_status status, const uint64_t *tokens) {
  char text[80];
  if (status != MODELWIRE_OK) return;
  snprintf(text, sizeof text, "[%llu,%llu,%llu]", (unsigned long long)tokens[0],
           (unsigned long long)tokens[1], (unsigned long long)tokens[2]);
  tell("usage", text);
}

/* The choices of a chat by their paths: index, text, why it stopped. `holder` is what the text
 * stands in: "message", or "delta" of a chunk. */
#define TELL_CHOICES(parent, handle, holder)                                                   \
  do {                                                                                         \
    size_t count = modelwire_##parent##_get_count(handle, "/choices", MODELWIRE_NUL);          \
    for (size_t at = 0; at < count; at++) {                                                    \
      char path[64];                                                                           \
      int64_t index = (int64_t)at;                                                             \
      size_t length = 0;                                                                       \
      snprintf(path, sizeof path, "/choices/%zu/index", at);                                   \
      (void)modelwire_##parent##_get_int(handle, path, MODELWIRE_NUL, &index);                 \
      tell_number("choice", index);                                                            \
      snprintf(path, sizeof path, "/choices/%zu/" holder "/content", at);                      \
      const char *text = modelwire_##parent##_get_text(handle, path, MODELWIRE_NUL, &length);  \
      tell_bytes("choice_text", text, length);                                                 \
      snprintf(path, sizeof path, "/choices/%zu/finish_reason", at);                           \
      tell("choice_reason",                                                                    \
           modelwire_##parent##_get_text(handle, path, MODELWIRE_NUL, NULL));                  \
    }                                                                                          \
  } while (0)

static int32_t tell_chunk(void *user_data, const modelwire_event *event) {
  size_t length = 0;
  const char *text = modelwire_event_json(event, &length);
  CHECK(user_data == NULL);
  tell_bytes("chunk", text, length);
  text = modelwire_event_name(event, &length);
  tell_bytes("event", text, length);
  text = modelwire_event_text(event, &length);
  tell_bytes("chunk_text", text, length);
  tell("status", modelwire_event_get_text(event, "/response/status", MODELWIRE_NUL, NULL));
  TELL_CHOICES(event, event, "delta");
  return 0;
}

static void tell_answer(const modelwire_response *answer) {
  uint64_t tokens[3] = {0, 0, 0};
  size_t length = 0;
  const char *text = modelwire_response_json(answer, &length);
  tell_bytes("json", text, length);
  text = modelwire_response_text(answer, &length);
  tell_bytes("text", text, length);
  tell("finish_reason", answer_text(answer, "/finish_reason"));
  tell("end", answer_text(answer, "/end"));
  tell_number("gathered", modelwire_response_is_gathered(answer));
  tell_usage(modelwire_response_usage(answer, &tokens[0], &tokens[1], &tokens[2]), tokens);
  for (size_t i = 0; i < answer_count(answer, "/models"); i++) {
    tell("model_id", modelwire_response_model_id(answer, i));
  }
  TELL_CHOICES(response, answer, "message");
}

static void tell_error(const modelwire_error *error) {
  size_t length = 0;
  tell("kind", modelwire_status_name(modelwire_error_status(error)));
  tell("message", modelwire_error_message(error, NULL));
  tell("hint", error_text(error, "/hint"));
  tell("type", error_text(error, "/type"));
  tell("code", error_text(error, "/code"));
  tell("param", error_text(error, "/param"));
  tell("metered", error_text(error, "/metered"));
  tell("path", error_text(error, "/path"));
  tell("model", error_text(error, "/model"));
  tell_number("http_status", error_int(error, "/http_status"));
  tell_number("attempts", error_int(error, "/attempts"));
  tell_number("request_time", error_int(error, "/request_time_unix_ms"));
  const char *text = modelwire_error_body(error, &length);
  tell_bytes("body", text, length);
  text = modelwire_error_partial(error, &length);
  tell_bytes("partial", text, length);
}

static modelwire_client *client_at(const char *base_url, int64_t event_bytes_max) {
  modelwire_config *config = modelwire_config_new();
  modelwire_client *client = NULL;
  modelwire_error *error = NULL;
  CHECK(modelwire_config_set_base_url(config, base_url, MODELWIRE_NUL) == MODELWIRE_OK);
  CHECK(modelwire_config_set_api_key(config, "sk-test", MODELWIRE_NUL) == MODELWIRE_OK);
  CHECK(modelwire_config_set_retry(config, 0, -1, -1) == MODELWIRE_OK);
  if (event_bytes_max > 0) {
    CHECK(modelwire_config_set_limit(config, MODELWIRE_LIMIT_EVENT_BYTES, event_bytes_max) ==
          MODELWIRE_OK);
  }
  CHECK_STATUS(modelwire_client_new(config, &client, &error), MODELWIRE_OK, error);
  modelwire_config_free(config);
  return client;
}

static modelwire_status request_of(const char *operation, const char *body, size_t length,
                                   modelwire_request **out, modelwire_error **err) {
  if (strcmp(operation, "models") == 0) return modelwire_request_models(out, err);
  if (strcmp(operation, "chat") == 0) return modelwire_request_new(MODELWIRE_OPERATION_CHAT, body, length, out, err);
  CHECK_TEXT(operation, "responses");
  return modelwire_request_new(MODELWIRE_OPERATION_RESPONSES, body, length, out, err);
}

static void run_case(const modelwire_client *client, const char *operation, const char *way,
                     const char *body, size_t length) {
  modelwire_request *request = NULL;
  modelwire_call *call = NULL;
  modelwire_response *answer = NULL;
  modelwire_error *error = NULL;
  modelwire_status status = request_of(operation, body, length, &request, &error);
  if (status == MODELWIRE_OK) {
    int is_gathered = strcmp(way, "gather") == 0, is_stream = strcmp(way, "stream") == 0;
    if (is_gathered) CHECK(modelwire_request_set_gather(request, 1) == MODELWIRE_OK);
    if (strcmp(way, "underneath") == 0) {
      CHECK(modelwire_request_set_stream_only(request, 1) == MODELWIRE_OK);
    }
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
