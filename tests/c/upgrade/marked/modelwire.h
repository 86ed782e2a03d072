/*
 * The declarations of the first header that needs a library of 0.1 (modelwire_needs_0_1), of commit
 * 28d1a1f, without its comments. Nothing of it may ever change in 0.1.x.
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
#if defined(__GNUC__) && !defined(MODELWIRE_DLOPEN)
#ifdef __cplusplus
extern "C" {
#endif
MODELWIRE_API extern const uint8_t modelwire_needs_0_1;
#ifdef __cplusplus
}
#endif
static const uint8_t *const modelwire_needs __attribute__((used)) = &modelwire_needs_0_1;
#endif
#define MODELWIRE_INTERRUPTIBLE 1
#define MODELWIRE_SOCKET 2
#define MODELWIRE_VERSION_NUMBER 1000
#define MODELWIRE_ABI 1
#define MODELWIRE_OPERATION_MODELS 1
#define MODELWIRE_OPERATION_CHAT 2
#define MODELWIRE_OPERATION_RESPONSES 3
#define MODELWIRE_EVENT_CHUNK 1
#define MODELWIRE_EVENT_RESPONSE 2
#define MODELWIRE_EVENT_ERROR 3
#define MODELWIRE_EVENT_LOG 4
#define MODELWIRE_LOG_OFF 0
#define MODELWIRE_LOG_ERROR 1
#define MODELWIRE_LOG_WARN 2
#define MODELWIRE_LOG_INFO 3
#define MODELWIRE_LOG_DEBUG 4
#define MODELWIRE_LOG_TRACE 5
typedef struct modelwire_call modelwire_call;
typedef struct modelwire_client modelwire_client;
typedef struct modelwire_error modelwire_error;
typedef struct modelwire_event modelwire_event;
typedef struct modelwire_queue modelwire_queue;
typedef struct modelwire_request modelwire_request;
typedef struct modelwire_response modelwire_response;
typedef struct modelwire_value modelwire_value;
typedef int32_t modelwire_status;
typedef int32_t (*modelwire_event_fn)(void *user_data, const modelwire_event *event);
typedef void (*modelwire_finalizer)(void *user_data);
#define MODELWIRE_OK 0
#define MODELWIRE_STOPPED 1
#define MODELWIRE_TIMEOUT 2
#define MODELWIRE_ABSENT 3
#define MODELWIRE_CLOSED 4
#define MODELWIRE_INTERRUPTED 5
#define MODELWIRE_E_ARGUMENT (-1)
#define MODELWIRE_E_CONFIG (-2)
#define MODELWIRE_E_INVALID_REQUEST (-3)
#define MODELWIRE_E_AUTHENTICATION (-4)
#define MODELWIRE_E_PERMISSION (-5)
#define MODELWIRE_E_NOT_FOUND (-6)
#define MODELWIRE_E_RATE_LIMITED (-7)
#define MODELWIRE_E_SERVER (-8)
#define MODELWIRE_E_STATUS (-9)
#define MODELWIRE_E_CONNECT (-10)
#define MODELWIRE_E_TLS (-11)
#define MODELWIRE_E_TIMEOUT (-12)
#define MODELWIRE_E_DISCONNECTED (-13)
#define MODELWIRE_E_PROTOCOL (-14)
#define MODELWIRE_E_INCOMPLETE (-15)
#define MODELWIRE_E_STREAM (-16)
#define MODELWIRE_E_CANCELLED (-17)
#define MODELWIRE_E_CLOSED (-18)
#define MODELWIRE_E_FORKED (-19)
#define MODELWIRE_E_SHUTDOWN (-20)
#define MODELWIRE_E_INTERNAL (-21)
#define MODELWIRE_E_CALLBACK (-22)
#ifdef __cplusplus
extern "C" {
#endif
MODELWIRE_API uint32_t modelwire_version_number(void);
MODELWIRE_API modelwire_status modelwire_check_abi(uint32_t header_abi);
MODELWIRE_API
const char *modelwire_status_name(modelwire_status status);
MODELWIRE_API
modelwire_status modelwire_shutdown(int32_t timeout_ms);
MODELWIRE_API
modelwire_status modelwire_client_new(const char *options,
                                      size_t length,
                                      modelwire_client **out,
                                      modelwire_error **err);
MODELWIRE_API void modelwire_client_free(modelwire_client *client);
MODELWIRE_API
modelwire_status modelwire_client_close(const modelwire_client *client,
                                        int32_t timeout_ms,
                                        modelwire_error **err);
MODELWIRE_API
modelwire_status modelwire_request_new(int32_t operation,
                                       const char *json,
                                       size_t length,
                                       modelwire_request **out,
                                       modelwire_error **err);
MODELWIRE_API void modelwire_request_free(modelwire_request *request);
MODELWIRE_API
modelwire_status modelwire_request_add_message(modelwire_request *request,
                                               const char *role,
                                               size_t role_length,
                                               const char *content,
                                               size_t content_length,
                                               modelwire_error **err);
MODELWIRE_API
modelwire_status modelwire_request_set_text(modelwire_request *request,
                                            const char *name,
                                            size_t name_length,
                                            const char *value,
                                            size_t value_length,
                                            modelwire_error **err);
MODELWIRE_API
modelwire_status modelwire_request_set_json(modelwire_request *request,
                                            const char *name,
                                            size_t name_length,
                                            const char *json,
                                            size_t json_length,
                                            modelwire_error **err);
MODELWIRE_API
modelwire_status modelwire_request_set_options(modelwire_request *request,
                                               const char *json,
                                               size_t length,
                                               modelwire_error **err);
MODELWIRE_API
modelwire_status modelwire_queue_new(uint32_t flags,
                                     modelwire_queue **out,
                                     modelwire_error **err);
MODELWIRE_API
void modelwire_queue_free(modelwire_queue *queue);
MODELWIRE_API void modelwire_queue_close(const modelwire_queue *queue);
MODELWIRE_API
void modelwire_queue_wakeup(const modelwire_queue *queue);
MODELWIRE_API
int32_t modelwire_queue_fd(const modelwire_queue *queue);
MODELWIRE_API
modelwire_status modelwire_queue_next(const modelwire_queue *queue,
                                      int32_t timeout_ms,
                                      modelwire_event **out);
MODELWIRE_API
modelwire_status modelwire_queue_take(const modelwire_queue *queue,
                                      int32_t timeout_ms,
                                      modelwire_event **out,
                                      size_t max,
                                      size_t *count);
MODELWIRE_API
modelwire_status modelwire_queue_submit(const modelwire_queue *queue,
                                        const modelwire_client *client,
                                        int32_t operation,
                                        const char *json,
                                        size_t length,
                                        int32_t stream,
                                        uint64_t tag,
                                        modelwire_error **err);
MODELWIRE_API
modelwire_status modelwire_queue_submit_request(const modelwire_queue *queue,
                                                const modelwire_client *client,
                                                const modelwire_request *request,
                                                int32_t stream,
                                                uint64_t tag,
                                                modelwire_error **err);
MODELWIRE_API
modelwire_status modelwire_queue_cancel(const modelwire_queue *queue,
                                        uint64_t tag);
MODELWIRE_API
modelwire_status modelwire_queue_pause(const modelwire_queue *queue,
                                       uint64_t tag);
MODELWIRE_API
modelwire_status modelwire_queue_resume(const modelwire_queue *queue,
                                        uint64_t tag);
MODELWIRE_API size_t modelwire_queue_count(const modelwire_queue *queue);
MODELWIRE_API
modelwire_status modelwire_queue_log(const modelwire_queue *queue,
                                     int32_t level,
                                     uint64_t tag,
                                     modelwire_error **err);
MODELWIRE_API
modelwire_status modelwire_call_new(const modelwire_client *client,
                                    const modelwire_request *request,
                                    uint32_t flags,
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
MODELWIRE_API
modelwire_status modelwire_call_start(modelwire_call *call,
                                      int32_t stream,
                                      modelwire_event_fn on_event,
                                      void *user_data,
                                      modelwire_finalizer finalizer,
                                      modelwire_error **err);
MODELWIRE_API
modelwire_status modelwire_call_wait(const modelwire_call *call,
                                     int32_t timeout_ms,
                                     modelwire_error **err);
MODELWIRE_API
void modelwire_call_cancel(const modelwire_call *call);
MODELWIRE_API
void modelwire_call_wakeup(const modelwire_call *call);
MODELWIRE_API
void modelwire_call_free(modelwire_call *call);
MODELWIRE_API void modelwire_event_free(modelwire_event *event);
MODELWIRE_API
int32_t modelwire_event_kind(const modelwire_event *event);
MODELWIRE_API uint64_t modelwire_event_tag(const modelwire_event *event);
MODELWIRE_API const char *modelwire_event_text(const modelwire_event *event, size_t *length);
MODELWIRE_API
const char *modelwire_event_json(const modelwire_event *event,
                                 size_t *length);
MODELWIRE_API
const char *modelwire_event_name(const modelwire_event *event,
                                 size_t *length);
MODELWIRE_API const modelwire_value *modelwire_event_value(const modelwire_event *event);
MODELWIRE_API
const modelwire_value *modelwire_event_info(const modelwire_event *event);
MODELWIRE_API
const modelwire_response *modelwire_event_response(const modelwire_event *event);
MODELWIRE_API const modelwire_error *modelwire_event_error(const modelwire_event *event);
MODELWIRE_API void modelwire_response_free(modelwire_response *response);
MODELWIRE_API
const char *modelwire_response_text(const modelwire_response *response,
                                    size_t *length);
MODELWIRE_API
const char *modelwire_response_json(const modelwire_response *response,
                                    size_t *length);
MODELWIRE_API
const modelwire_value *modelwire_response_value(const modelwire_response *response);
MODELWIRE_API
const modelwire_value *modelwire_response_info(const modelwire_response *response);
MODELWIRE_API void modelwire_error_free(modelwire_error *error);
MODELWIRE_API modelwire_status modelwire_error_status(const modelwire_error *error);
MODELWIRE_API const char *modelwire_error_message(const modelwire_error *error, size_t *length);
MODELWIRE_API const char *modelwire_error_report(const modelwire_error *error, size_t *length);
MODELWIRE_API
const char *modelwire_error_json(const modelwire_error *error,
                                 size_t *length);
MODELWIRE_API const modelwire_value *modelwire_error_value(const modelwire_error *error);
MODELWIRE_API
modelwire_status modelwire_value_new(const char *json,
                                     size_t length,
                                     modelwire_value **out,
                                     modelwire_error **err);
MODELWIRE_API
void modelwire_value_free(modelwire_value *value);
MODELWIRE_API
const char *modelwire_value_text(const modelwire_value *value,
                                 const char *path,
                                 size_t path_length,
                                 size_t *length);
MODELWIRE_API
const char *modelwire_value_json(const modelwire_value *value,
                                 const char *path,
                                 size_t path_length,
                                 size_t *length);
MODELWIRE_API
modelwire_status modelwire_value_int(const modelwire_value *value,
                                     const char *path,
                                     size_t path_length,
                                     int64_t *out);
MODELWIRE_API
modelwire_status modelwire_value_number(const modelwire_value *value,
                                        const char *path,
                                        size_t path_length,
                                        double *out);
MODELWIRE_API
size_t modelwire_value_count(const modelwire_value *value,
                             const char *path,
                             size_t path_length);
#ifdef __cplusplus
}
#endif
#endif
