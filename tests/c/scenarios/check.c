/*
 * The checks, and what scenarios need to make a call.
 */
#include "check.h"

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

modelwire_client *client_of_environment(void) {
  modelwire_client *client = NULL;
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_client_new(NULL, &client, &error), MODELWIRE_OK, error);
  return client;
}

static modelwire_call *call_of(const modelwire_client *client, modelwire_request *request) {
  modelwire_call *call = NULL;
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_call_new(client, request, &call, &error), MODELWIRE_OK, error);
  /* The call has its copy. */
  modelwire_request_free(request);
  return call;
}

modelwire_call *chat_call(const modelwire_client *client, const char *json) {
  modelwire_request *request = NULL;
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_request_chat_json(json, MODELWIRE_NUL, &request, &error), MODELWIRE_OK,
               error);
  return call_of(client, request);
}

modelwire_call *response_call(const modelwire_client *client, const char *json) {
  modelwire_request *request = NULL;
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_request_response_json(json, strlen(json), &request, &error),
               MODELWIRE_OK, error);
  return call_of(client, request);
}

modelwire_call *models_call(const modelwire_client *client) {
  modelwire_request *request = NULL;
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_request_models(&request, &error), MODELWIRE_OK, error);
  return call_of(client, request);
}

modelwire_response *answer_of(modelwire_call *call) {
  modelwire_response *response = NULL;
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_call_run(call, &response, &error), MODELWIRE_OK, error);
  CHECK(response != NULL && error == NULL);
  modelwire_call_free(call);
  return response;
}

modelwire_error *failure_of(modelwire_call *call, modelwire_status expected) {
  modelwire_response *response = NULL;
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
  const char *reason = modelwire_event_finish_reason(event);
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

void wait_for_cue(void) {
  char line[16];
  CHECK(fgets(line, sizeof line, stdin) != NULL);
}

int64_t now_ms(void) {
  struct timespec now;
  CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
  return (int64_t)now.tv_sec * 1000 + (int64_t)(now.tv_nsec / 1000000);
}
