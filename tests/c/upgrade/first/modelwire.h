/*
 * The declarations of the first header that there was, of commit 1559d13, without its comments.
 */
#ifndef MODELWIRE_H
#define MODELWIRE_H
#include <stddef.h>
#include <stdint.h>
#define MODELWIRE_NUL SIZE_MAX
#if defined(__GNUC__)
#define MODELWIRE_API __attribute__((visibility("default")))
#else
#define MODELWIRE_API
#endif
#define MODELWIRE_VERSION_NUMBER 1000
#define MODELWIRE_ABI 1
typedef struct modelwire_call modelwire_call;
typedef struct modelwire_client modelwire_client;
typedef struct modelwire_config modelwire_config;
typedef struct modelwire_error modelwire_error;
typedef struct modelwire_event modelwire_event;
typedef struct modelwire_request modelwire_request;
typedef struct modelwire_response modelwire_response;
typedef int32_t modelwire_status;
typedef int32_t (*modelwire_event_fn)(void *user_data, const modelwire_event *event);
#define MODELWIRE_OK 0
#define MODELWIRE_STOPPED 1
#define MODELWIRE_TIMEOUT 2
#define MODELWIRE_E_ARGUMENT -1
#define MODELWIRE_E_CONFIG -2
#define MODELWIRE_E_INVALID_REQUEST -3
#define MODELWIRE_E_AUTHENTICATION -4
#define MODELWIRE_E_PERMISSION -5
#define MODELWIRE_E_NOT_FOUND -6
#define MODELWIRE_E_RATE_LIMITED -7
#define MODELWIRE_E_SERVER -8
#define MODELWIRE_E_STATUS -9
#define MODELWIRE_E_CONNECT -10
#define MODELWIRE_E_TLS -11
#define MODELWIRE_E_TIMEOUT -12
#define MODELWIRE_E_DISCONNECTED -13
#define MODELWIRE_E_PROTOCOL -14
#define MODELWIRE_E_INCOMPLETE -15
#define MODELWIRE_E_STREAM -16
#define MODELWIRE_E_CANCELLED -17
#define MODELWIRE_E_CLOSED -18
#define MODELWIRE_E_FORKED -19
#define MODELWIRE_E_SHUTDOWN -20
#define MODELWIRE_E_INTERNAL -21
#ifdef __cplusplus
extern "C" {
#endif
MODELWIRE_API
modelwire_status modelwire_call_new(const modelwire_client *client,
                                    const modelwire_request *request,
                                    modelwire_call **out,
                                    modelwire_error **err);
MODELWIRE_API
modelwire_status modelwire_call_run(modelwire_call *call,
                                    modelwire_response **out,
                                    modelwire_error **err);
MODELWIRE_API
modelwire_status modelwire_call_stream(modelwire_call *call,
                                       modelwire_event_fn on_event,
                                       void *user_data,
                                       modelwire_response **out,
                                       modelwire_error **err);
MODELWIRE_API void modelwire_call_cancel(const modelwire_call *call);
MODELWIRE_API void modelwire_call_free(modelwire_call *call);
MODELWIRE_API
modelwire_status modelwire_client_new(const modelwire_config *config,
                                      modelwire_client **out,
                                      modelwire_error **err);
MODELWIRE_API void modelwire_client_free(modelwire_client *client);
MODELWIRE_API
modelwire_status modelwire_client_usage(const modelwire_client *client,
                                        uint64_t *calls,
                                        uint64_t *input_tokens,
                                        uint64_t *output_tokens,
                                        uint64_t *total_tokens);
MODELWIRE_API modelwire_config *modelwire_config_new(void);
MODELWIRE_API void modelwire_config_free(modelwire_config *config);
MODELWIRE_API
modelwire_status modelwire_config_set_base_url(modelwire_config *config,
                                               const char *base_url,
                                               size_t length);
MODELWIRE_API
modelwire_status modelwire_config_set_api_key(modelwire_config *config,
                                              const char *api_key,
                                              size_t length);
MODELWIRE_API
modelwire_status modelwire_config_add_header(modelwire_config *config,
                                             const char *name,
                                             size_t name_length,
                                             const char *value,
                                             size_t value_length);
MODELWIRE_API
modelwire_status modelwire_config_set_timeouts(modelwire_config *config,
                                               int64_t connect_ms,
                                               int64_t first_byte_ms,
                                               int64_t idle_ms,
                                               int64_t total_ms);
MODELWIRE_API
modelwire_status modelwire_config_set_retry(modelwire_config *config,
                                            int32_t retries_max,
                                            int64_t first_wait_ms,
                                            int64_t retry_after_max_ms);
MODELWIRE_API void modelwire_error_free(modelwire_error *error);
MODELWIRE_API modelwire_status modelwire_error_status(const modelwire_error *error);
MODELWIRE_API
const char *modelwire_error_message(const modelwire_error *error);
MODELWIRE_API const char *modelwire_error_hint(const modelwire_error *error);
MODELWIRE_API const char *modelwire_error_type(const modelwire_error *error);
MODELWIRE_API const char *modelwire_error_code(const modelwire_error *error);
MODELWIRE_API const char *modelwire_error_param(const modelwire_error *error);
MODELWIRE_API int32_t modelwire_error_http_status(const modelwire_error *error);
MODELWIRE_API const char *modelwire_error_request_id(const modelwire_error *error);
MODELWIRE_API const char *modelwire_error_path(const modelwire_error *error);
MODELWIRE_API const char *modelwire_error_model(const modelwire_error *error);
MODELWIRE_API int64_t modelwire_error_request_time_unix_ms(const modelwire_error *error);
MODELWIRE_API int32_t modelwire_error_attempts(const modelwire_error *error);
MODELWIRE_API int64_t modelwire_error_elapsed_ms(const modelwire_error *error);
MODELWIRE_API int64_t modelwire_error_retry_after_ms(const modelwire_error *error);
MODELWIRE_API const char *modelwire_error_timeout(const modelwire_error *error);
MODELWIRE_API const char *modelwire_error_metered(const modelwire_error *error);
MODELWIRE_API const char *modelwire_error_body(const modelwire_error *error, size_t *length);
MODELWIRE_API const char *modelwire_error_report(const modelwire_error *error, size_t *length);
MODELWIRE_API const char *modelwire_event_json(const modelwire_event *event, size_t *length);
MODELWIRE_API const char *modelwire_event_text(const modelwire_event *event, size_t *length);
MODELWIRE_API const char *modelwire_event_name(const modelwire_event *event, size_t *length);
MODELWIRE_API const char *modelwire_event_finish_reason(const modelwire_event *event);
MODELWIRE_API const char *modelwire_version(void);
MODELWIRE_API uint32_t modelwire_version_number(void);
MODELWIRE_API modelwire_status modelwire_check_abi(uint32_t header_abi);
MODELWIRE_API const char *modelwire_status_name(modelwire_status status);
MODELWIRE_API modelwire_status modelwire_shutdown(int32_t timeout_ms);
MODELWIRE_API
modelwire_status modelwire_request_models(modelwire_request **out,
                                          modelwire_error **err);
MODELWIRE_API
modelwire_status modelwire_request_chat_json(const char *json,
                                             size_t length,
                                             modelwire_request **out,
                                             modelwire_error **err);
MODELWIRE_API
modelwire_status modelwire_request_response_json(const char *json,
                                                 size_t length,
                                                 modelwire_request **out,
                                                 modelwire_error **err);
MODELWIRE_API void modelwire_request_free(modelwire_request *request);
MODELWIRE_API void modelwire_response_free(modelwire_response *response);
MODELWIRE_API
const char *modelwire_response_json(const modelwire_response *response,
                                    size_t *length);
MODELWIRE_API
const char *modelwire_response_text(const modelwire_response *response,
                                    size_t *length);
MODELWIRE_API
const char *modelwire_response_finish_reason(const modelwire_response *response);
MODELWIRE_API const char *modelwire_response_request_id(const modelwire_response *response);
MODELWIRE_API int32_t modelwire_response_http_status(const modelwire_response *response);
MODELWIRE_API
const char *modelwire_response_header(const modelwire_response *response,
                                      const char *name,
                                      size_t length);
MODELWIRE_API
modelwire_status modelwire_response_usage(const modelwire_response *response,
                                          uint64_t *input_tokens,
                                          uint64_t *output_tokens,
                                          uint64_t *total_tokens);
MODELWIRE_API size_t modelwire_response_model_count(const modelwire_response *response);
MODELWIRE_API
const char *modelwire_response_model_id(const modelwire_response *response,
                                        size_t index);
#ifdef __cplusplus
}
#endif
#endif
