/*
 * The checks, and what scenarios need to make a call and to look into what it gave.
 */
#include "check.h"

#include <stdarg.h>
#include <time.h>

void check_failed(const char *file, int line, const char *condition) {
  fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
  exit(1);
}

void check_status(const char *file, int line, const char *what, modelwire_status status,
                  modelwire_status expected, const modelwire_error *error) {
  if (status == expected) return;
  fprintf(stderr, "%s:%d: %s is %s, not %s\n", file, line, what, modelwire_status_name(status),
          modelwire_status_name(expected));
  if (error != NULL) fprintf(stderr, "%s\n", modelwire_error_report(error, NULL));
  exit(1);
}

void check_text(const char *file, int line, const char *what, const char *text,
                const char *expected) {
  if (text != NULL && strcmp(text, expected) == 0) return;
  fprintf(stderr, "%s:%d: %s is \"%s\", not \"%s\"\n", file, line, what,
          text == NULL ? "(NULL)" : text, expected);
  exit(1);
}

int contains(const char *text, const char *part) {
  return text != NULL && strstr(text, part) != NULL;
}

const char *text_at(const modelwire_value *value, const char *path) {
  size_t length = 99;
  const char *text = modelwire_value_text(value, path, MODELWIRE_NUL, &length);
  CHECK(text == NULL ? length == 0 : text[length] == '\0');
  return text;
}

int64_t int_at(const modelwire_value *value, const char *path) {
  int64_t number = -7;
  modelwire_status status = modelwire_value_int(value, path, MODELWIRE_NUL, &number);
  CHECK(status == MODELWIRE_OK || status == MODELWIRE_ABSENT);
  return status == MODELWIRE_OK ? number : -1;
}

size_t count_at(const modelwire_value *value, const char *path) {
  return modelwire_value_count(value, path, MODELWIRE_NUL);
}

const char *answer_text(const modelwire_response *answer, const char *path) {
  return text_at(modelwire_response_info(answer), path);
}

int64_t answer_int(const modelwire_response *answer, const char *path) {
  return int_at(modelwire_response_info(answer), path);
}

size_t answer_count(const modelwire_response *answer, const char *path) {
  return count_at(modelwire_response_info(answer), path);
}

const char *event_text(const modelwire_event *event, const char *path) {
  return text_at(modelwire_event_info(event), path);
}

int64_t event_int(const modelwire_event *event, const char *path) {
  return int_at(modelwire_event_info(event), path);
}

const char *error_text(const modelwire_error *error, const char *path) {
  return text_at(modelwire_error_value(error), path);
}

int64_t error_int(const modelwire_error *error, const char *path) {
  return int_at(modelwire_error_value(error), path);
}

const char *header_of(const modelwire_response *answer, const char *name) {
  size_t count = answer_count(answer, "/headers");
  for (size_t at = 0; at < count; at++) {
    char path[40];
    snprintf(path, sizeof path, "/headers/%zu/name", at);
    if (strcmp(answer_text(answer, path), name) != 0) continue;
    snprintf(path, sizeof path, "/headers/%zu/value", at);
    return answer_text(answer, path);
  }
  return NULL;
}

int64_t usage_of(const modelwire_client *client, const char *path) {
  modelwire_value *usage = modelwire_client_usage(client, 0);
  CHECK(usage != NULL);
  int64_t number = int_at(usage, path);
  modelwire_value_free(usage);
  return number;
}

modelwire_client *client_of_environment(void) {
  modelwire_client *client = NULL;
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_client_new(NULL, 0, &client, &error), MODELWIRE_OK, error);
  return client;
}

/* Options of any length, to be freed. */
static char *printed(const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  CHECK(length >= 0);
  char *text = malloc((size_t)length + 1);
  CHECK(text != NULL && vsnprintf(text, (size_t)length + 1, format, arguments) == length);
  return text;
}

modelwire_client *client_with(const char *options, ...) {
  modelwire_client *client = NULL;
  modelwire_error *error = NULL;
  va_list arguments;
  va_start(arguments, options);
  char *json = printed(options, arguments);
  va_end(arguments);
  CHECK_STATUS(modelwire_client_new(json, strlen(json), &client, &error), MODELWIRE_OK, error);
  CHECK(client != NULL && error == NULL);
  free(json);
  return client;
}

modelwire_error *refusal_of(const char *options, ...) {
  modelwire_client *client = (modelwire_client *)&client;
  modelwire_error *error = NULL;
  va_list arguments;
  va_start(arguments, options);
  char *json = printed(options, arguments);
  va_end(arguments);
  CHECK_STATUS(modelwire_client_new(json, MODELWIRE_NUL, &client, &error), MODELWIRE_E_CONFIG,
               error);
  CHECK(client == NULL && modelwire_error_status(error) == MODELWIRE_E_CONFIG);
  free(json);
  return error;
}

modelwire_request *request_with(int32_t operation, const char *json, const char *options) {
  modelwire_request *request = NULL;
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_request_new(operation, json, MODELWIRE_NUL, &request, &error),
               MODELWIRE_OK, error);
  if (options != NULL) {
    CHECK_STATUS(modelwire_request_set_options(request, options, MODELWIRE_NUL, &error),
                 MODELWIRE_OK, error);
  }
  return request;
}

modelwire_request *empty_request(int32_t operation) {
  return request_with(operation, NULL, NULL);
}

modelwire_call *call_of(const modelwire_client *client, modelwire_request *request) {
  modelwire_call *call = NULL;
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_call_new(client, request, 0, &call, &error), MODELWIRE_OK, error);
  /* The call has its copy. */
  modelwire_request_free(request);
  return call;
}

modelwire_call *chat_call_with(const modelwire_client *client, const char *json,
                               const char *options) {
  return call_of(client, request_with(MODELWIRE_OPERATION_CHAT, json, options));
}

modelwire_call *chat_call(const modelwire_client *client, const char *json) {
  return chat_call_with(client, json, NULL);
}

modelwire_call *response_call(const modelwire_client *client, const char *json) {
  return call_of(client, request_with(MODELWIRE_OPERATION_RESPONSES, json, NULL));
}

modelwire_call *models_call(const modelwire_client *client) {
  return call_of(client, request_with(MODELWIRE_OPERATION_MODELS, NULL, NULL));
}

modelwire_response *answer_of(modelwire_call *call) {
  modelwire_response *response = NULL;
  /* What stands there is neither read nor kept. */
  modelwire_error *error = (modelwire_error *)&error;
  CHECK_STATUS(modelwire_call_run(call, &response, &error), MODELWIRE_OK, error);
  CHECK(response != NULL && error == NULL);
  modelwire_call_free(call);
  return response;
}

modelwire_error *failure_of(modelwire_call *call, modelwire_status expected) {
  modelwire_response *response = (modelwire_response *)&response;
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_call_run(call, &response, &error), expected, error);
  CHECK(response == NULL && error != NULL);
  CHECK(modelwire_error_status(error) == expected);
  modelwire_call_free(call);
  return error;
}

int32_t gather(void *user_data, const modelwire_event *event) {
  gathered *all = user_data;
  size_t length = 0;
  const char *text = modelwire_event_text(event, &length);
  const char *reason = event_text(event, "/finish_reason");
  CHECK(modelwire_event_kind(event) == MODELWIRE_EVENT_CHUNK);
  all->events++;
  CHECK(text != NULL && text[length] == '\0');
  CHECK(all->length + length < sizeof all->text);
  /* With its NUL, so that the whole is a string as well. */
  memcpy(all->text + all->length, text, length + 1);
  all->length += length;
  if (reason != NULL) {
    CHECK(strlen(reason) < sizeof all->finish_reason);
    strcpy(all->finish_reason, reason);
  }
  return 0;
}

modelwire_queue *new_queue(void) {
  modelwire_queue *queue = NULL;
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_queue_new(0, &queue, &error), MODELWIRE_OK, error);
  return queue;
}

void submit(const modelwire_client *client, const modelwire_queue *queue, const char *json,
            int32_t stream, uint64_t tag) {
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_queue_submit(queue, client, MODELWIRE_OPERATION_CHAT, json, strlen(json),
                                      stream, tag, &error),
               MODELWIRE_OK, error);
  CHECK(error == NULL);
}

modelwire_event *next(const modelwire_queue *queue) {
  modelwire_event *event = NULL;
  CHECK(modelwire_queue_next(queue, PATIENCE_MS, &event) == MODELWIRE_OK);
  CHECK(event != NULL);
  return event;
}

int is_last(const modelwire_event *event) {
  int32_t kind = modelwire_event_kind(event);
  CHECK((modelwire_event_response(event) != NULL) == (kind == MODELWIRE_EVENT_RESPONSE));
  CHECK((modelwire_event_error(event) != NULL) == (kind == MODELWIRE_EVENT_ERROR));
  return kind == MODELWIRE_EVENT_RESPONSE || kind == MODELWIRE_EVENT_ERROR;
}

modelwire_status status_of(const modelwire_event *event) {
  CHECK(is_last(event));
  return modelwire_error_status(modelwire_event_error(event));
}

void expect_end(const modelwire_queue *queue, uint64_t tag, modelwire_status expected) {
  for (int is_over = 0; !is_over;) {
    modelwire_event *event = next(queue);
    CHECK(modelwire_event_tag(event) == tag);
    is_over = is_last(event);
    if (is_over) CHECK_STATUS(status_of(event), expected, modelwire_event_error(event));
    modelwire_event_free(event);
  }
}

void expect_none(const modelwire_queue *queue, modelwire_status expected) {
  /* What stands there is neither read nor kept. */
  modelwire_event *none = (modelwire_event *)&none, *several[2] = {NULL, NULL};
  size_t count = 7;
  CHECK(modelwire_queue_next(queue, 0, &none) == expected);
  CHECK(modelwire_queue_take(queue, 0, several, 2, &count) == expected);
  CHECK(none == NULL && several[0] == NULL && several[1] == NULL && count == 0);
}

void sleep_ms(int64_t milliseconds) {
  struct timespec moment = {(time_t)(milliseconds / 1000), (long)(milliseconds % 1000) * 1000000};
  /* clock: what all of them sleep with */
  while (nanosleep(&moment, &moment) != 0) continue;
}

void wait_for_cue(void) {
  char line[16];
  CHECK(fgets(line, sizeof line, stdin) != NULL);
}

int64_t now_ms(void) {
  struct timespec now;
  CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
  return (int64_t)now.tv_sec * 1000 + (int64_t)(now.tv_nsec / 1000000);
}
