/*
 * NULL for every pointer argument of every function: what the header says, and never a crash.
 *
 * A test compares this file with symbols.txt: each exported function has to appear here, or in
 * texts.c if it gives a text of a handle.
 */
#include "check.h"

typedef modelwire_status config_text(modelwire_config *config, const char *text, size_t length);
typedef modelwire_status config_number(modelwire_config *config, int32_t on);

static config_text *const CONFIG_TEXTS[] = {
    modelwire_config_set_base_url, modelwire_config_set_api_key, modelwire_config_add_ca_pem,
    modelwire_config_set_client_certificate_pem, modelwire_config_set_proxy};

static config_number *const CONFIG_NUMBERS[] = {modelwire_config_set_http2,
                                                modelwire_config_set_stream_only,
                                                modelwire_config_set_retry_adaptive};

#define EACH(index, array) (size_t index = 0; index < sizeof(array) / sizeof *(array); index++)

static void accessors(void) {
  size_t length;
  CHECK(modelwire_response_header(NULL, NULL, 0) == NULL);
  CHECK(header_of(NULL, "date") == NULL);
  CHECK(modelwire_event_tool_call_count(NULL) == 0);
  CHECK(modelwire_event_tool_call_index(NULL, 0) == -1);
  CHECK(modelwire_event_kind(NULL) == 0);
  CHECK(modelwire_event_tag(NULL) == 0);
  CHECK(modelwire_event_response(NULL) == NULL);
  CHECK(modelwire_event_error(NULL) == NULL);
  CHECK(modelwire_event_usage(NULL, NULL, NULL, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_response_is_gathered(NULL) == 0);
  CHECK(modelwire_response_header_count(NULL) == 0);
  CHECK(answer_count(NULL, "/tool_calls") == 0);
  CHECK(answer_count(NULL, "/models") == 0);
  CHECK(answer_int(NULL, "/http_status") == 0);
  CHECK(answer_int(NULL, "/attempts") == 0);
  CHECK(answer_int(NULL, "/elapsed_ms") == -1);
  CHECK(modelwire_error_status(NULL) == 0);
  CHECK(error_int(NULL, "/http_status") == -1);
  CHECK(error_int(NULL, "/attempts") == 0);
  CHECK(error_int(NULL, "/request_time_unix_ms") == -1);
  CHECK(error_int(NULL, "/elapsed_ms") == -1);
  CHECK(error_int(NULL, "/retry_after_ms") == -1);
  CHECK(modelwire_response_usage(NULL, NULL, NULL, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_client_usage(NULL, NULL, NULL, NULL, NULL, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_client_usage_of_model(NULL, "m", 1, NULL, NULL, NULL, NULL, NULL) ==
        MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_log_batch_count(NULL) == 0);
  CHECK(modelwire_log_batch_level(NULL, 0) == 0);
  CHECK(modelwire_log_batch_unix_ms(NULL, 0) == -1);
  CHECK(modelwire_log_batch_target(NULL, 0) == NULL);
  length = 7;
  CHECK(modelwire_log_batch_message(NULL, 0, NULL) == NULL);
  CHECK(modelwire_log_batch_message(NULL, 0, &length) == NULL && length == 0);
}

/* The fields of one kind of parent: no parent, no path, no place for the number. */
#define FIELDS(parent, type)                                                                   \
  static void parent##_fields(const type *parent) {                                            \
    size_t length = 7;                                                                         \
    int64_t whole = 7;                                                                         \
    double number = 7;                                                                         \
    int32_t boolean = 7;                                                                       \
    CHECK(modelwire_##parent##_get_text(NULL, "", 0, NULL) == NULL);                           \
    CHECK(modelwire_##parent##_get_text(NULL, "", 0, &length) == NULL && length == 0);         \
    CHECK(modelwire_##parent##_get_text(parent, NULL, MODELWIRE_NUL, NULL) == NULL);           \
    length = 7;                                                                                \
    CHECK(modelwire_##parent##_get_json(NULL, NULL, 0, &length) == NULL && length == 0);       \
    CHECK(modelwire_##parent##_get_json(parent, NULL, 0, NULL) == NULL);                       \
    CHECK(modelwire_##parent##_get_int(NULL, "", 0, &whole) == MODELWIRE_E_ARGUMENT);          \
    CHECK(modelwire_##parent##_get_int(parent, NULL, 0, &whole) == MODELWIRE_E_ARGUMENT);      \
    CHECK(modelwire_##parent##_get_int(parent, "", 0, NULL) == MODELWIRE_E_ARGUMENT);          \
    CHECK(modelwire_##parent##_get_number(NULL, "", 0, &number) == MODELWIRE_E_ARGUMENT);      \
    CHECK(modelwire_##parent##_get_number(parent, NULL, 0, &number) == MODELWIRE_E_ARGUMENT);  \
    CHECK(modelwire_##parent##_get_number(parent, "", 0, NULL) == MODELWIRE_E_ARGUMENT);       \
    CHECK(modelwire_##parent##_get_bool(NULL, "", 0, &boolean) == MODELWIRE_E_ARGUMENT);       \
    CHECK(modelwire_##parent##_get_bool(parent, NULL, 0, &boolean) == MODELWIRE_E_ARGUMENT);   \
    CHECK(modelwire_##parent##_get_bool(parent, "", 0, NULL) == MODELWIRE_E_ARGUMENT);         \
    CHECK(modelwire_##parent##_get_count(NULL, "", 0) == 0);                                   \
    CHECK(modelwire_##parent##_get_count(parent, NULL, MODELWIRE_NUL) == 0);                   \
    CHECK(whole == 7 && boolean == 7 && number > 6.9 && number < 7.1);                         \
  }

/* modelwire_response_get_text, modelwire_response_get_json, modelwire_response_get_int,
 * modelwire_response_get_number, modelwire_response_get_bool, modelwire_response_get_count */
FIELDS(response, modelwire_response)

/* modelwire_event_get_text, modelwire_event_get_json, modelwire_event_get_int,
 * modelwire_event_get_number, modelwire_event_get_bool, modelwire_event_get_count */
FIELDS(event, modelwire_event)

static void freeing(void) {
  modelwire_call_cancel(NULL);
  modelwire_call_free(NULL);
  modelwire_client_free(NULL);
  modelwire_config_free(NULL);
  modelwire_error_free(NULL);
  modelwire_request_free(NULL);
  modelwire_response_free(NULL);
  modelwire_event_free(NULL);
  modelwire_queue_free(NULL);
}

static void configuring(void) {
  modelwire_config *config = modelwire_config_new();
  CHECK(config != NULL);
  for EACH (i, CONFIG_TEXTS) {
    CHECK(CONFIG_TEXTS[i](NULL, NULL, 0) == MODELWIRE_E_ARGUMENT);
    CHECK(CONFIG_TEXTS[i](NULL, "a", 1) == MODELWIRE_E_ARGUMENT);
    CHECK(CONFIG_TEXTS[i](config, NULL, 0) == MODELWIRE_E_ARGUMENT);
    CHECK(CONFIG_TEXTS[i](config, NULL, MODELWIRE_NUL) == MODELWIRE_E_ARGUMENT);
  }
  for EACH (i, CONFIG_NUMBERS) CHECK(CONFIG_NUMBERS[i](NULL, 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_add_header(NULL, "a", 1, "a", 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_add_header(config, NULL, 1, "a", 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_add_header(config, "a", 1, NULL, 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_set_timeouts(NULL, -1, -1, -1, -1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_set_retry(NULL, -1, -1, -1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_set_retry_on(NULL, 0) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_set_retry_jitter(NULL, 0) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_set_pool_timeout(NULL, 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_set_limit(NULL, MODELWIRE_LIMIT_HEADERS, 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_set_options(NULL, "{}", 2, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_set_options(config, NULL, 2, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_client_new(config, NULL, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_client_new(NULL, NULL, NULL) == MODELWIRE_E_ARGUMENT);
  modelwire_config_free(config);
}

static void requesting(void) {
  modelwire_request *request = NULL;
  CHECK(modelwire_request_models(NULL, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_new(MODELWIRE_OPERATION_CHAT, NULL, 0, &request, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_new(MODELWIRE_OPERATION_CHAT, "{}", 2, NULL, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_new(MODELWIRE_OPERATION_RESPONSES, NULL, 0, &request, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_new(MODELWIRE_OPERATION_RESPONSES, "{}", 2, NULL, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_chat(NULL, 1, &request, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_chat("m", 1, NULL, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_response(NULL, 1, &request, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_response("m", 1, NULL, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(request == NULL);
}

static void building_with(modelwire_request *chat, modelwire_request *none) {
  modelwire_error *error = NULL;
  const char *there = none == chat ? NULL : "a";
  CHECK(modelwire_request_add_message(none, there, 1, "a", 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_add_message(none, "a", 1, there, 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_set_text(none, there, 1, "a", 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_set_text(none, "a", 1, there, 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_set_int(none, there, 1, 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_set_number(none, there, 1, 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_set_bool(none, there, 1, 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_set_json(none, there, 1, "1", 1, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_set_json(none, "a", 1, there, 1, &error) == MODELWIRE_E_ARGUMENT);
  CHECK(contains(modelwire_error_message(error, NULL), "is NULL"));
  CHECK(modelwire_request_add_header(none, there, 1, "a", 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_add_header(none, "a", 1, there, 1) == MODELWIRE_E_ARGUMENT);
  modelwire_error_free(error);
}

static void building(void) {
  modelwire_request *chat = NULL, *answer = NULL;
  CHECK(modelwire_request_chat("m", 1, &chat, NULL) == MODELWIRE_OK);
  CHECK(modelwire_request_response("m", 1, &answer, NULL) == MODELWIRE_OK);
  building_with(chat, NULL);
  building_with(chat, chat);
  CHECK(modelwire_request_set_input(NULL, "a", 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_set_input(answer, NULL, MODELWIRE_NUL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_set_max_tokens(NULL, 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_set_timeouts(NULL, -1, -1, -1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_set_retry(NULL, -1, -1, -1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_set_retry_on(NULL, 0) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_set_retry_jitter(NULL, 0) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_set_retry_adaptive(NULL, 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_set_pool_timeout(NULL, 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_set_stream_only(NULL, 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_set_gather(NULL, 1) == MODELWIRE_E_ARGUMENT);
  modelwire_request_free(answer);
  modelwire_request_free(chat);
}

/* Callbacks that count themselves. */
static int32_t count_event(void *user_data, const modelwire_event *event) {
  event_fields(event);
  ++*(int *)user_data;
  return 0;
}

static void count_log(void *user_data, const modelwire_log_batch *batch) {
  CHECK(modelwire_log_batch_message(batch, SIZE_MAX, NULL) == NULL);
  ++*(int *)user_data;
}

static void count_end(void *user_data) { ++*(int *)user_data; }

static void logging(void) {
  int ends = 0;
  /* No callback is no log; the finalizer has its call all the same. */
  CHECK(modelwire_set_log(MODELWIRE_LOG_TRACE, NULL, &ends, count_end, NULL) == MODELWIRE_OK);
  CHECK(ends == 1);
  CHECK(modelwire_set_log(MODELWIRE_LOG_OFF, NULL, NULL, NULL, NULL) == MODELWIRE_OK);
  CHECK(modelwire_set_log(99, count_log, &ends, count_end, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(ends == 2);
}

static void queueing(void) {
  modelwire_client *client = client_of_environment();
  modelwire_call *call = chat_call(client, ECHO_CHAT("echo", "x"));
  modelwire_queue *queue = NULL;
  modelwire_event *event = NULL;
  /* The started call may end after this function; the shutdown waits for it. */
  static int events = 0;
  int ends = 0;
  size_t count = 7;
  CHECK(modelwire_queue_new(0, NULL, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_queue_new(0, &queue, NULL) == MODELWIRE_OK);
  CHECK(modelwire_queue_fd(NULL) == -1);
  CHECK(modelwire_queue_next(NULL, 0, &event) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_queue_next(queue, 0, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_queue_take(NULL, 0, &event, 1, &count) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_queue_take(queue, 0, NULL, 1, &count) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_queue_take(queue, 0, &event, 0, &count) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_queue_take(queue, 0, &event, 1, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(event == NULL && count == 7);
  modelwire_queue_wakeup(NULL);
  modelwire_queue_close(NULL);
  CHECK(modelwire_call_submit(NULL, 0, queue, 1, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_call_submit(call, 0, NULL, 1, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_call_start(NULL, 0, count_event, &ends, count_end, NULL) ==
        MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_call_start(call, 0, NULL, &ends, count_end, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_call_start(call, 0, NULL, NULL, NULL, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(ends == 2 && events == 0);
  /* None of that started it. */
  CHECK(modelwire_call_start(call, 0, count_event, &events, NULL, NULL) == MODELWIRE_OK);
  CHECK(modelwire_client_usage_of_model(client, NULL, 1, NULL, NULL, NULL, NULL, NULL) ==
        MODELWIRE_E_ARGUMENT);
  modelwire_queue_free(queue);
  modelwire_call_free(call);
  modelwire_client_free(client);
}

static void calling(void) {
  modelwire_client *client = client_of_environment();
  modelwire_request *request = NULL;
  modelwire_call *call = NULL;
  modelwire_response *answer = NULL;
  modelwire_error *error = NULL;
  gathered all = {0};
  CHECK(modelwire_request_models(&request, NULL) == MODELWIRE_OK);
  CHECK(modelwire_call_new(NULL, request, 0, &call, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_call_new(client, NULL, 0, &call, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_call_new(client, request, NULL, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(call == NULL);
  CHECK(modelwire_call_run(NULL, &answer, &error) == MODELWIRE_E_ARGUMENT);
  CHECK_TEXT(modelwire_error_message(error, NULL), "call is NULL");
  modelwire_error_free(error);
  CHECK(modelwire_call_stream(NULL, gather, &all, &answer, NULL) == MODELWIRE_E_ARGUMENT);

  /* A call whose arguments were wrong was not run: it can be run yet. */
  call = chat_call(client, USAGE_CHAT("echo", "x"));
  CHECK(modelwire_call_run(call, NULL, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_call_stream(call, NULL, NULL, &answer, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_call_stream(call, gather, &all, NULL, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(answer == NULL && all.events == 0);
  CHECK(modelwire_call_stream(call, gather, &all, &answer, NULL) == MODELWIRE_OK);
  CHECK(modelwire_response_header(answer, NULL, 0) == NULL);
  CHECK(modelwire_response_header(answer, NULL, MODELWIRE_NUL) == NULL);
  CHECK(modelwire_response_usage(answer, NULL, NULL, NULL) == MODELWIRE_OK);
  response_fields(answer);
  modelwire_response_free(answer);
  answer = answer_of(chat_call(client, ECHO_CHAT("echo", "x")));
  response_fields(answer);
  modelwire_response_free(answer);
  modelwire_call_free(call);
  modelwire_request_free(request);
  modelwire_client_free(client);
}

void null_arguments(void) {
  /* The four functions that take no pointer. */
  CHECK(modelwire_version() != NULL && modelwire_version_number() != 0);
  CHECK(modelwire_status_name(0) != NULL && modelwire_check_abi(MODELWIRE_ABI) == 0);
  accessors();
  freeing();
  configuring();
  requesting();
  building();
  logging();
  queueing();
  calling();
  CHECK(modelwire_shutdown(30000) == MODELWIRE_OK);
}
