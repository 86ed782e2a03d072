/*
 * NULL for every pointer argument of every function: what the header says, and never a crash.
 * Knows no service.
 *
 * The test compares this file with symbols.txt: each exported function has to appear here.
 */
#include "check.h"

typedef const char *error_text(const modelwire_error *error);
typedef const char *error_sized_text(const modelwire_error *error, size_t *length);
typedef const char *event_text(const modelwire_event *event, size_t *length);
typedef const char *response_text(const modelwire_response *response, size_t *length);

static error_text *const ERROR_TEXTS[] = {
    modelwire_error_message, modelwire_error_hint,  modelwire_error_type,
    modelwire_error_code,    modelwire_error_param, modelwire_error_request_id,
    modelwire_error_path,    modelwire_error_model, modelwire_error_timeout,
    modelwire_error_metered,
};

static error_sized_text *const ERROR_SIZED_TEXTS[] = {
    modelwire_error_body, modelwire_error_partial, modelwire_error_report};

static event_text *const EVENT_TEXTS[] = {modelwire_event_json, modelwire_event_text,
                                          modelwire_event_name};

static response_text *const RESPONSE_TEXTS[] = {modelwire_response_json,
                                                modelwire_response_text};

#define EACH(index, array) (size_t index = 0; index < sizeof(array) / sizeof *(array); index++)

static void accessors(void) {
  size_t length;
  for EACH (i, ERROR_TEXTS) CHECK(ERROR_TEXTS[i](NULL) == NULL);
  for EACH (i, ERROR_SIZED_TEXTS) {
    length = 7;
    CHECK(ERROR_SIZED_TEXTS[i](NULL, NULL) == NULL);
    CHECK(ERROR_SIZED_TEXTS[i](NULL, &length) == NULL && length == 0);
  }
  for EACH (i, EVENT_TEXTS) {
    length = 7;
    CHECK(EVENT_TEXTS[i](NULL, NULL) == NULL);
    CHECK(EVENT_TEXTS[i](NULL, &length) == NULL && length == 0);
  }
  for EACH (i, RESPONSE_TEXTS) {
    length = 7;
    CHECK(RESPONSE_TEXTS[i](NULL, NULL) == NULL);
    CHECK(RESPONSE_TEXTS[i](NULL, &length) == NULL && length == 0);
  }
  CHECK(modelwire_event_finish_reason(NULL) == NULL);
  CHECK(modelwire_response_finish_reason(NULL) == NULL);
  CHECK(modelwire_response_request_id(NULL) == NULL);
  CHECK(modelwire_response_header(NULL, NULL, 0) == NULL);
  CHECK(modelwire_response_header(NULL, "date", MODELWIRE_NUL) == NULL);
  CHECK(modelwire_response_model_id(NULL, 0) == NULL);
  CHECK(modelwire_response_model_count(NULL) == 0);
  CHECK(modelwire_response_http_status(NULL) == 0);
  CHECK(modelwire_error_status(NULL) == 0);
  CHECK(modelwire_error_http_status(NULL) == 0);
  CHECK(modelwire_error_attempts(NULL) == 0);
  CHECK(modelwire_error_request_time_unix_ms(NULL) == -1);
  CHECK(modelwire_error_elapsed_ms(NULL) == -1);
  CHECK(modelwire_error_retry_after_ms(NULL) == -1);
  CHECK(modelwire_response_usage(NULL, NULL, NULL, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_client_usage(NULL, NULL, NULL, NULL, NULL) == MODELWIRE_E_ARGUMENT);
}

static void freeing(void) {
  modelwire_call_cancel(NULL);
  modelwire_call_free(NULL);
  modelwire_client_free(NULL);
  modelwire_config_free(NULL);
  modelwire_error_free(NULL);
  modelwire_request_free(NULL);
  modelwire_response_free(NULL);
}

static void configuring(void) {
  modelwire_config *config = modelwire_config_new();
  CHECK(config != NULL);
  CHECK(modelwire_config_set_base_url(NULL, NULL, 0) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_set_base_url(NULL, "a", 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_set_base_url(config, NULL, 0) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_set_base_url(config, NULL, MODELWIRE_NUL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_set_api_key(NULL, "a", 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_set_api_key(config, NULL, 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_add_header(NULL, "a", 1, "a", 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_add_header(config, NULL, 1, "a", 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_add_header(config, "a", 1, NULL, 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_set_timeouts(NULL, -1, -1, -1, -1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_set_retry(NULL, -1, -1, -1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_set_stream_only(NULL, 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_client_new(config, NULL, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_client_new(NULL, NULL, NULL) == MODELWIRE_E_ARGUMENT);
  modelwire_config_free(config);
}

static void requesting(void) {
  modelwire_request *request = NULL;
  CHECK(modelwire_request_models(NULL, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_chat_json(NULL, 0, &request, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_chat_json("{}", 2, NULL, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_response_json(NULL, 0, &request, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_response_json("{}", 2, NULL, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(request == NULL);
}

static void calling(void) {
  modelwire_client *client = client_of_environment();
  modelwire_request *request = NULL;
  modelwire_call *call = NULL;
  modelwire_response *answer = NULL;
  modelwire_error *error = NULL;
  gathered all = {0};
  CHECK(modelwire_request_models(&request, NULL) == MODELWIRE_OK);
  CHECK(modelwire_call_new(NULL, request, &call, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_call_new(client, NULL, &call, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_call_new(client, request, NULL, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(call == NULL);
  CHECK(modelwire_call_run(NULL, &answer, &error) == MODELWIRE_E_ARGUMENT);
  CHECK_TEXT(modelwire_error_message(error), "call is NULL");
  modelwire_error_free(error);
  CHECK(modelwire_call_stream(NULL, gather, &all, &answer, NULL) == MODELWIRE_E_ARGUMENT);

  /* A call whose arguments were wrong was not run: it can be run yet. */
  call = chat_call(client, ECHO_CHAT("echo", "x"));
  CHECK(modelwire_call_run(call, NULL, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_call_stream(call, NULL, NULL, &answer, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_call_stream(call, gather, &all, NULL, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(answer == NULL && all.events == 0);
  CHECK(modelwire_call_stream(call, gather, &all, &answer, NULL) == MODELWIRE_OK);
  CHECK(modelwire_response_header(answer, NULL, 0) == NULL);
  CHECK(modelwire_response_header(answer, NULL, MODELWIRE_NUL) == NULL);
  CHECK(modelwire_response_usage(answer, NULL, NULL, NULL) == MODELWIRE_OK);
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
  calling();
  CHECK(modelwire_shutdown(30000) == MODELWIRE_OK);
}
