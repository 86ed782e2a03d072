/*
 * NULL for every pointer argument of every function, and handles of another type: what the header says,
 * and never a crash. What is given through `out` and `err` is written in any case, and never read.
 *
 * A test compares this file with abi.txt: each function has to appear here, or in texts.c if it
 * gives a text or a value of a handle.
 */
#include "check.h"

/* No handle; what must not stay there. */
static char garbage[8];

#define GARBAGE(type) ((type *)(void *)garbage)

/* A call that is refused, with an error that says what is NULL, and without a place for it. It is
 * written with `err` in that place. */
#define REFUSED(call)                                                    \
  do {                                                                   \
    modelwire_error *error = GARBAGE(modelwire_error);                   \
    modelwire_error **err = &error;                                      \
    CHECK_STATUS(call, MODELWIRE_E_ARGUMENT, error);                     \
    CHECK(contains(modelwire_error_message(error, NULL), "NULL"));       \
    CHECK(modelwire_error_status(error) == MODELWIRE_E_ARGUMENT);        \
    CHECK_TEXT(error_text(error, "/metered"), "not_sent");               \
    modelwire_error_free(error);                                         \
    err = NULL;                                                          \
    CHECK(call == MODELWIRE_E_ARGUMENT);                                 \
  } while (0)

/* The same of one that has an output, written as `out`: it is NULL then. */
#define REFUSED_OUT(type, call)  \
  do {                           \
    type *none = GARBAGE(type);  \
    type **out = &none;          \
    REFUSED(call);               \
    CHECK(none == NULL);         \
  } while (0)

static void accessors_of_null(void) {
  size_t length = 7;
  int64_t whole = 7;
  double number = 7;
  CHECK(modelwire_event_kind(NULL) == 0);
  CHECK(modelwire_event_tag(NULL) == 0);
  CHECK(modelwire_event_response(NULL) == NULL);
  CHECK(modelwire_event_error(NULL) == NULL);
  CHECK(modelwire_error_status(NULL) == 0);
  CHECK(modelwire_client_usage(NULL, 0) == NULL);
  CHECK(modelwire_client_usage(NULL, 1) == NULL);
  CHECK(modelwire_response_finish_reason(NULL) == MODELWIRE_FINISH_NONE);
  CHECK(modelwire_response_tokens(NULL, MODELWIRE_TOKENS_INPUT) == -1);
  CHECK(modelwire_queue_count(NULL) == 0);
  CHECK(modelwire_queue_fd(NULL) == -1);

  modelwire_value *value = NULL;
  CHECK(modelwire_value_new("{\"a\":1}", MODELWIRE_NUL, &value, NULL) == MODELWIRE_OK);
  const modelwire_value *const values[] = {NULL, value};
  for (size_t i = 0; i < 2; i++) {
    /* No value; then no path. */
    const char *path = i == 0 ? "" : NULL;
    length = 7;
    CHECK(modelwire_value_text(values[i], path, 0, &length) == NULL && length == 0);
    CHECK(modelwire_value_text(values[i], path, MODELWIRE_NUL, NULL) == NULL);
    length = 7;
    CHECK(modelwire_value_json(values[i], path, MODELWIRE_NUL, &length) == NULL && length == 0);
    CHECK(modelwire_value_json(values[i], path, 0, NULL) == NULL);
    CHECK(modelwire_value_int(values[i], path, 0, &whole) == MODELWIRE_E_ARGUMENT);
    CHECK(modelwire_value_number(values[i], path, 0, &number) == MODELWIRE_E_ARGUMENT);
    CHECK(modelwire_value_count(values[i], path, 0) == 0);
    length = 7;
    CHECK(modelwire_value_name(values[i], path, 0, 0, &length) == NULL && length == 0);
  }
  CHECK(modelwire_value_int(value, "/a", 2, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_value_number(value, "/a", 2, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(whole == 7 && number > 6.9 && number < 7.1);
  modelwire_value_free(value);
}

static void doing_nothing(void) {
  modelwire_call_cancel(NULL);
  modelwire_call_wakeup(NULL);
  modelwire_queue_wakeup(NULL);
  modelwire_queue_close(NULL);
  modelwire_call_free(NULL);
  modelwire_client_free(NULL);
  modelwire_error_free(NULL);
  modelwire_request_free(NULL);
  modelwire_response_free(NULL);
  modelwire_event_free(NULL);
  modelwire_queue_free(NULL);
  modelwire_value_free(NULL);
}

static void making(void) {
  REFUSED(modelwire_client_new("{}", 2, NULL, err));
  REFUSED(modelwire_client_close(NULL, 0, err));
  REFUSED(modelwire_request_new(MODELWIRE_OPERATION_CHAT, NULL, 0, NULL, err));
  REFUSED(modelwire_queue_new(0, NULL, err));
  REFUSED(modelwire_value_new("{}", 2, NULL, err));
  REFUSED_OUT(modelwire_value, modelwire_value_new(NULL, 0, out, err));
  REFUSED_OUT(modelwire_value, modelwire_value_new(NULL, MODELWIRE_NUL, out, err));
  REFUSED(modelwire_value_new_text("x", 1, NULL, err));
  REFUSED_OUT(modelwire_value, modelwire_value_new_text(NULL, MODELWIRE_NUL, out, err));
}

/* Each setter with NULL in the place of the request, and then of each text. */
static void building(void) {
  modelwire_request *chat = request_with(MODELWIRE_OPERATION_CHAT, NULL, NULL);
  for (int i = 0; i < 2; i++) {
    modelwire_request *request = i == 0 ? NULL : chat;
    const char *there = i == 0 ? "a" : NULL;
    REFUSED(modelwire_request_add_message(request, there, 1, "a", 1, err));
    REFUSED(modelwire_request_add_message(request, "a", 1, there, 1, err));
    REFUSED(modelwire_request_add_part(request, there, 4, "a", 1, err));
    REFUSED(modelwire_request_add_part(request, "text", 4, there, 1, err));
    REFUSED(modelwire_request_add_part(request, "image/png", MODELWIRE_NUL, there, 1, err));
    REFUSED(modelwire_request_add_response(request, NULL, err));
    REFUSED(modelwire_request_add_tool_result(request, there, 1, "a", 1, err));
    REFUSED(modelwire_request_add_tool_result(request, "a", 1, there, 1, err));
    REFUSED(modelwire_request_add_json(request, there, 1, "1", 1, err));
    REFUSED(modelwire_request_add_json(request, "a", 1, there, 1, err));
    REFUSED(modelwire_request_set_text(request, there, 1, "a", 1, err));
    REFUSED(modelwire_request_set_text(request, "a", MODELWIRE_NUL, there, MODELWIRE_NUL, err));
    REFUSED(modelwire_request_set_json(request, there, 1, "1", 1, err));
    REFUSED(modelwire_request_set_json(request, "a", 1, there, 1, err));
    REFUSED(modelwire_request_set_options(request, i == 0 ? "{}" : NULL, 0, err));
  }
  modelwire_request_free(chat);
}

static int32_t count_event(void *user_data, const modelwire_event *event) {
  CHECK(event != NULL);
  ++*(int *)user_data;
  return 0;
}

static void count_end(void *user_data) { ++*(int *)user_data; }

static void observing(void) {
  int ends = 0;
  REFUSED(modelwire_queue_log(NULL, MODELWIRE_LOG_TRACE, 1, err));
  REFUSED(modelwire_client_on_call(NULL, count_event, NULL, NULL, err));
  REFUSED(modelwire_client_on_call(NULL, NULL, NULL, NULL, err));
  REFUSED(modelwire_client_before_attempt(NULL, NULL, NULL, NULL, err));
  REFUSED(modelwire_attempt_set_header(NULL, "x", 1, "x", 1, err));
  CHECK(modelwire_attempt_json(NULL, NULL) == NULL && modelwire_attempt_body(NULL, NULL) == NULL);
  CHECK(modelwire_client_on_call(NULL, count_event, &ends, count_end, NULL) ==
        MODELWIRE_E_ARGUMENT);
  CHECK(ends == 1);
}

static void queueing(void) {
  modelwire_client *client = client_of_environment();
  modelwire_request *request = request_with(MODELWIRE_OPERATION_CHAT, ECHO_CHAT("echo", "x"), NULL);
  modelwire_queue *queue = new_queue();
  modelwire_event *event = GARBAGE(modelwire_event);
  size_t count = 7;
  const int32_t chat = MODELWIRE_OPERATION_CHAT;
  CHECK(modelwire_queue_next(NULL, 0, &event) == MODELWIRE_E_ARGUMENT && event == NULL);
  CHECK(modelwire_queue_next(queue, 0, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_queue_take(NULL, 0, &event, 1, &count) == MODELWIRE_E_ARGUMENT && count == 0);
  count = 7;
  CHECK(modelwire_queue_take(queue, 0, NULL, 1, &count) == MODELWIRE_E_ARGUMENT && count == 0);
  count = 7;
  CHECK(modelwire_queue_take(queue, 0, &event, 0, &count) == MODELWIRE_E_ARGUMENT && count == 0);
  CHECK(modelwire_queue_take(queue, 0, &event, 1, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(event == NULL);
  uint64_t tag = 7;
  int32_t kind = 7;
  size_t lengths[3] = {7, 7, 7};
  char text[8];
  CHECK(modelwire_event_read_all(NULL, 1, 1, &tag, &kind, lengths, text, sizeof text) == 0);
  CHECK(modelwire_event_read_all(&event, 1, 16, &tag, &kind, lengths, text, sizeof text) == 0);
  CHECK(modelwire_event_read_all(&event, 1, 1, &tag, &kind, NULL, text, sizeof text) == 0);
  CHECK(modelwire_event_read_all(&event, 1, 1, &tag, &kind, lengths, NULL, 0) == 0);
  CHECK(tag == 7 && kind == 7 && lengths[0] == 7);
  CHECK(modelwire_event_read_all(&event, 0, 7, &tag, &kind, lengths, text, sizeof text) == 0);
  CHECK(modelwire_event_read_all(&event, 1, 7, &tag, &kind, lengths, text, sizeof text) == 1);
  CHECK(modelwire_event_read_all(&event, 1, 8, NULL, NULL, NULL, NULL, 0) == 1);
  CHECK(tag == 0 && kind == 0 && lengths[0] == 0 && lengths[1] == 0 && lengths[2] == 0);
  REFUSED(modelwire_queue_follow_calls(NULL, client, 1, 1, err));
  REFUSED(modelwire_queue_follow_calls(queue, NULL, 1, 1, err));
  REFUSED(modelwire_queue_submit(NULL, client, chat, "{}", 2, 0, 1, err));
  REFUSED(modelwire_queue_submit(queue, NULL, chat, "{}", 2, 0, 1, err));
  REFUSED(modelwire_queue_submit_request(NULL, client, request, 0, 1, err));
  REFUSED(modelwire_queue_submit_request(queue, NULL, request, 0, 1, err));
  REFUSED(modelwire_queue_submit_request(queue, client, NULL, 0, 1, err));
  CHECK(modelwire_queue_cancel(NULL, 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_queue_pause(NULL, 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_queue_resume(NULL, 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_queue_count(queue) == 0);
  expect_none(queue, MODELWIRE_TIMEOUT);
  /* No request is one that lacks everything. */
  CHECK(modelwire_queue_submit(queue, client, chat, NULL, 2, 0, 1, NULL) == MODELWIRE_OK);
  expect_end(queue, 1, MODELWIRE_E_ARGUMENT);
  modelwire_queue_free(queue);
  modelwire_request_free(request);
  modelwire_client_free(client);
}

static void calling(void) {
  modelwire_client *client = client_of_environment();
  modelwire_request *request = request_with(MODELWIRE_OPERATION_MODELS, NULL, NULL);
  modelwire_response *answer = NULL;
  gathered all = {0};
  int events = 0, ends = 0;
  REFUSED_OUT(modelwire_call, modelwire_call_new(NULL, request, 0, out, err));
  REFUSED_OUT(modelwire_call, modelwire_call_new(client, NULL, 0, out, err));
  REFUSED(modelwire_call_new(client, request, 0, NULL, err));
  REFUSED_OUT(modelwire_response, modelwire_call_run(NULL, out, err));
  REFUSED_OUT(modelwire_response, modelwire_call_stream(NULL, gather, &all, out, err));
  REFUSED(modelwire_call_wait(NULL, 0, err));
  REFUSED(modelwire_call_start(NULL, 0, count_event, &ends, count_end, err));
  CHECK(ends == 2);

  /* A call whose arguments were wrong was not run: it can be run yet. */
  modelwire_call *call = chat_call(client, USAGE_CHAT("echo", "x"));
  REFUSED(modelwire_call_run(call, NULL, err));
  REFUSED_OUT(modelwire_response, modelwire_call_stream(call, NULL, NULL, out, err));
  REFUSED(modelwire_call_stream(call, gather, &all, NULL, err));
  REFUSED(modelwire_call_start(call, 0, NULL, &ends, count_end, err));
  REFUSED(modelwire_call_start(call, 0, NULL, NULL, NULL, err));
  CHECK(ends == 4 && all.events == 0);
  CHECK(modelwire_call_stream(call, gather, &all, &answer, NULL) == MODELWIRE_OK);
  modelwire_response_free(answer);
  modelwire_call_free(call);
  /* No finalizer is needed. */
  call = chat_call(client, ECHO_CHAT("echo", "x"));
  CHECK(modelwire_call_start(call, 0, count_event, &events, NULL, NULL) == MODELWIRE_OK);
  CHECK(modelwire_call_wait(call, PATIENCE_MS, NULL) == MODELWIRE_OK && events == 1);
  CHECK(modelwire_client_close(client, PATIENCE_MS, NULL) == MODELWIRE_OK);
  modelwire_call_free(call);
  modelwire_request_free(request);
  modelwire_client_free(client);
}

void null_arguments(void) {
  /* The functions that take no pointer. */
  CHECK(modelwire_version_number() != 0);
  CHECK(modelwire_status_name(0) != NULL && modelwire_check_abi(MODELWIRE_ABI) == 0);
  accessors_of_null();
  doing_nothing();
  making();
  building();
  observing();
  queueing();
  calling();
  CHECK(modelwire_set_io_threads(0, NULL) == MODELWIRE_E_CONFIG);
  CHECK(modelwire_shutdown(30000) == MODELWIRE_OK);
}

/* A call that is refused with an error that names the type it wants; written with `err` in its place. */
#define OTHER_TYPE(name, call)                                                               \
  do {                                                                                       \
    modelwire_error *error = NULL;                                                           \
    modelwire_error **err = &error;                                                          \
    CHECK_STATUS(call, MODELWIRE_E_ARGUMENT, error);                                         \
    CHECK(contains(modelwire_error_message(error, NULL), "not a valid " name " handle"));    \
    modelwire_error_free(error);                                                             \
  } while (0)

/* Every handle where one of another type belongs, as a binding without types may pass it. */
void handles_of_another_type(void) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue();
  modelwire_request *request = empty_request(MODELWIRE_OPERATION_CHAT);
  submit(client, queue, ECHO_CHAT("echo", "x"), 0, 7);
  modelwire_event *event = next(queue);
  const modelwire_response *lent = modelwire_event_response(event);
  CHECK(lent != NULL);
  modelwire_call *call = NULL;
  modelwire_response *answer = NULL;
  modelwire_event *none = NULL;

  void *const handles[] = {client, queue, request, event};
  for (size_t i = 0; i < 4; i++) {
    void *other = handles[i];
    if (other != client) {
      OTHER_TYPE("client", modelwire_client_close(other, 0, err));
      OTHER_TYPE("client", modelwire_call_new(other, request, 0, &call, err));
    }
    if (other != request) {
      OTHER_TYPE("request",
                 modelwire_request_set_text(other, "model", MODELWIRE_NUL, "m", MODELWIRE_NUL, err));
      OTHER_TYPE("request", modelwire_call_new(client, other, 0, &call, err));
    }
    if (other != queue) {
      OTHER_TYPE("queue", modelwire_queue_submit(other, client, MODELWIRE_OPERATION_CHAT, NULL, 0, 0, 1, err));
      CHECK(modelwire_queue_next(other, 0, &none) == MODELWIRE_E_ARGUMENT);
      CHECK(modelwire_queue_count(other) == 0 && modelwire_queue_fd(other) == -1);
    }
    if (other != event) {
      CHECK(modelwire_event_kind(other) == 0 && modelwire_event_tag(other) == 0);
      CHECK(modelwire_event_response(other) == NULL && modelwire_event_error(other) == NULL);
    }
    OTHER_TYPE("call", modelwire_call_run(other, &answer, err));
    CHECK(modelwire_response_finish_reason(other) == MODELWIRE_FINISH_NONE);
    CHECK(modelwire_error_status(other) == 0);
    CHECK(call == NULL && answer == NULL && none == NULL);
  }

  /* Nothing is freed by the function of another type, nor what a parent lends. */
  for (size_t i = 0; i < 4; i++) {
    void *other = handles[i];
    if (other != client) { modelwire_client_free(other); }
    if (other != queue) { modelwire_queue_free(other); }
    if (other != request) { modelwire_request_free(other); }
    if (other != event) { modelwire_event_free(other); }
    modelwire_call_free(other);
    modelwire_response_free(other);
    modelwire_error_free(other);
    modelwire_value_free(other);
  }
  union {
    const modelwire_response *constant;
    modelwire_response *own;
  } of_event = {lent};
  modelwire_response_free(of_event.own);
  CHECK_TEXT(modelwire_response_text(lent, NULL), "x");

  CHECK(modelwire_event_tag(event) == 7);
  CHECK(modelwire_queue_count(queue) == 0);
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_request_set_text(request, "model", MODELWIRE_NUL, "m", MODELWIRE_NUL, &error),
               MODELWIRE_OK, error);
  modelwire_event_free(event);
  modelwire_request_free(request);
  modelwire_queue_free(queue);
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("echo", "x"))));
  modelwire_client_free(client);
}
