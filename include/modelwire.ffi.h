/*
 * modelwire for parsers of C declarations: PHP's FFI, LuaJIT, cffi. The same as modelwire.h, which has
 * the documentation, without directives and attributes. Generated (`make generate`); do not edit.
 *
 * The length argument of a string that ends with NUL, MODELWIRE_NUL in modelwire.h, is the largest size_t.
 */

enum {
  MODELWIRE_INTERRUPTIBLE = 1,
  MODELWIRE_SOCKET = 2,
  MODELWIRE_VERSION_NUMBER = 1000,
  MODELWIRE_ABI = 1,
  MODELWIRE_OPERATION_MODELS = 1,
  MODELWIRE_OPERATION_CHAT = 2,
  MODELWIRE_OPERATION_RESPONSES = 3,
  MODELWIRE_EVENT_CHUNK = 1,
  MODELWIRE_EVENT_RESPONSE = 2,
  MODELWIRE_EVENT_ERROR = 3,
  MODELWIRE_EVENT_LOG = 4,
  MODELWIRE_EVENT_CALL = 5,
  MODELWIRE_READ_TEXT = 1,
  MODELWIRE_READ_JSON = 2,
  MODELWIRE_READ_NAME = 4,
  MODELWIRE_READ_FREE = 8,
  MODELWIRE_FINISH_NONE = 0,
  MODELWIRE_FINISH_STOP = 1,
  MODELWIRE_FINISH_LENGTH = 2,
  MODELWIRE_FINISH_TOOL_CALLS = 3,
  MODELWIRE_FINISH_CONTENT_FILTER = 4,
  MODELWIRE_FINISH_OTHER = 5,
  MODELWIRE_TOKENS_INPUT = 1,
  MODELWIRE_TOKENS_OUTPUT = 2,
  MODELWIRE_TOKENS_TOTAL = 3,
  MODELWIRE_TOKENS_CACHED_INPUT = 4,
  MODELWIRE_TOKENS_REASONING = 5,
  MODELWIRE_LOG_OFF = 0,
  MODELWIRE_LOG_ERROR = 1,
  MODELWIRE_LOG_WARN = 2,
  MODELWIRE_LOG_INFO = 3,
  MODELWIRE_LOG_DEBUG = 4,
  MODELWIRE_LOG_TRACE = 5,
  MODELWIRE_OK = 0,
  MODELWIRE_STOPPED = 1,
  MODELWIRE_TIMEOUT = 2,
  MODELWIRE_ABSENT = 3,
  MODELWIRE_CLOSED = 4,
  MODELWIRE_INTERRUPTED = 5,
  MODELWIRE_E_ARGUMENT = -1,
  MODELWIRE_E_CONFIG = -2,
  MODELWIRE_E_INVALID_REQUEST = -3,
  MODELWIRE_E_AUTHENTICATION = -4,
  MODELWIRE_E_PERMISSION = -5,
  MODELWIRE_E_NOT_FOUND = -6,
  MODELWIRE_E_RATE_LIMITED = -7,
  MODELWIRE_E_SERVER = -8,
  MODELWIRE_E_STATUS = -9,
  MODELWIRE_E_CONNECT = -10,
  MODELWIRE_E_TLS = -11,
  MODELWIRE_E_TIMEOUT = -12,
  MODELWIRE_E_DISCONNECTED = -13,
  MODELWIRE_E_PROTOCOL = -14,
  MODELWIRE_E_INCOMPLETE = -15,
  MODELWIRE_E_STREAM = -16,
  MODELWIRE_E_CANCELLED = -17,
  MODELWIRE_E_CLOSED = -18,
  MODELWIRE_E_FORKED = -19,
  MODELWIRE_E_SHUTDOWN = -20,
  MODELWIRE_E_INTERNAL = -21,
  MODELWIRE_E_CALLBACK = -22,
};

typedef struct modelwire_attempt modelwire_attempt;
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
typedef int32_t (*modelwire_attempt_fn)(void *user_data, const modelwire_attempt *attempt);

uint32_t modelwire_version_number(void);
modelwire_status modelwire_check_abi(uint32_t header_abi);
const char *modelwire_status_name(modelwire_status status);
modelwire_status modelwire_set_io_threads(uint32_t count, modelwire_error **err);
modelwire_status modelwire_shutdown(int32_t timeout_ms);
modelwire_status modelwire_client_new(const char *options, size_t length, modelwire_client **out, modelwire_error **err);
void modelwire_client_free(modelwire_client *client);
modelwire_status modelwire_client_close(const modelwire_client *client, int32_t timeout_ms, modelwire_error **err);
modelwire_value *modelwire_client_usage(const modelwire_client *client, int32_t reset);
modelwire_status modelwire_client_on_call(const modelwire_client *client, modelwire_event_fn on_call, void *user_data, modelwire_finalizer finalizer, modelwire_error **err);
modelwire_status modelwire_client_before_attempt(const modelwire_client *client, modelwire_attempt_fn before_attempt, void *user_data, modelwire_finalizer finalizer, modelwire_error **err);
const char *modelwire_attempt_json(const modelwire_attempt *attempt, size_t *length);
const char *modelwire_attempt_body(const modelwire_attempt *attempt, size_t *length);
modelwire_status modelwire_attempt_set_header(const modelwire_attempt *attempt, const char *name, size_t name_length, const char *value, size_t value_length, modelwire_error **err);
modelwire_status modelwire_request_new(int32_t operation, const char *json, size_t length, modelwire_request **out, modelwire_error **err);
void modelwire_request_free(modelwire_request *request);
modelwire_status modelwire_request_add_message(modelwire_request *request, const char *role, size_t role_length, const char *content, size_t content_length, modelwire_error **err);
modelwire_status modelwire_request_add_part(modelwire_request *request, const char *type, size_t type_length, const char *value, size_t value_length, modelwire_error **err);
modelwire_status modelwire_request_add_response(modelwire_request *request, const modelwire_response *response, modelwire_error **err);
modelwire_status modelwire_request_add_tool_result(modelwire_request *request, const char *id, size_t id_length, const char *output, size_t output_length, modelwire_error **err);
modelwire_status modelwire_request_add_json(modelwire_request *request, const char *name, size_t name_length, const char *json, size_t json_length, modelwire_error **err);
modelwire_status modelwire_request_set_text(modelwire_request *request, const char *name, size_t name_length, const char *value, size_t value_length, modelwire_error **err);
modelwire_status modelwire_request_set_json(modelwire_request *request, const char *name, size_t name_length, const char *json, size_t json_length, modelwire_error **err);
modelwire_status modelwire_request_set_options(modelwire_request *request, const char *json, size_t length, modelwire_error **err);
modelwire_status modelwire_queue_new(uint32_t flags, modelwire_queue **out, modelwire_error **err);
void modelwire_queue_free(modelwire_queue *queue);
void modelwire_queue_close(const modelwire_queue *queue);
void modelwire_queue_wakeup(const modelwire_queue *queue);
int32_t modelwire_queue_fd(const modelwire_queue *queue);
modelwire_status modelwire_queue_next(const modelwire_queue *queue, int32_t timeout_ms, modelwire_event **out);
modelwire_status modelwire_queue_take(const modelwire_queue *queue, int32_t timeout_ms, modelwire_event **out, size_t max, size_t *count);
modelwire_status modelwire_queue_submit(const modelwire_queue *queue, const modelwire_client *client, int32_t operation, const char *json, size_t length, int32_t stream, uint64_t tag, modelwire_error **err);
modelwire_status modelwire_queue_submit_request(const modelwire_queue *queue, const modelwire_client *client, const modelwire_request *request, int32_t stream, uint64_t tag, modelwire_error **err);
modelwire_status modelwire_queue_cancel(const modelwire_queue *queue, uint64_t tag);
modelwire_status modelwire_queue_pause(const modelwire_queue *queue, uint64_t tag);
modelwire_status modelwire_queue_resume(const modelwire_queue *queue, uint64_t tag);
size_t modelwire_queue_count(const modelwire_queue *queue);
modelwire_status modelwire_queue_log(const modelwire_queue *queue, int32_t level, uint64_t tag, modelwire_error **err);
modelwire_status modelwire_queue_follow_calls(const modelwire_queue *queue, const modelwire_client *client, int32_t on, uint64_t tag, modelwire_error **err);
modelwire_status modelwire_call_new(const modelwire_client *client, const modelwire_request *request, uint32_t flags, modelwire_call **out, modelwire_error **err);
modelwire_status modelwire_call_run(modelwire_call *call, modelwire_response **out, modelwire_error **err);
modelwire_status modelwire_call_stream(modelwire_call *call, modelwire_event_fn on_event, void *user_data, modelwire_response **out, modelwire_error **err);
modelwire_status modelwire_call_start(modelwire_call *call, int32_t stream, modelwire_event_fn on_event, void *user_data, modelwire_finalizer finalizer, modelwire_error **err);
modelwire_status modelwire_call_wait(const modelwire_call *call, int32_t timeout_ms, modelwire_error **err);
void modelwire_call_cancel(const modelwire_call *call);
void modelwire_call_wakeup(const modelwire_call *call);
void modelwire_call_free(modelwire_call *call);
void modelwire_event_free(modelwire_event *event);
int32_t modelwire_event_kind(const modelwire_event *event);
uint64_t modelwire_event_tag(const modelwire_event *event);
const char *modelwire_event_text(const modelwire_event *event, size_t *length);
const char *modelwire_event_json(const modelwire_event *event, size_t *length);
const char *modelwire_event_name(const modelwire_event *event, size_t *length);
const modelwire_value *modelwire_event_value(const modelwire_event *event);
const modelwire_value *modelwire_event_info(const modelwire_event *event);
const modelwire_response *modelwire_event_response(const modelwire_event *event);
const modelwire_error *modelwire_event_error(const modelwire_event *event);
size_t modelwire_event_read_all(modelwire_event **events, size_t count, uint32_t parts, uint64_t *tags, int32_t *kinds, size_t *lengths, char *texts, size_t texts_max);
void modelwire_response_free(modelwire_response *response);
const char *modelwire_response_text(const modelwire_response *response, size_t *length);
const char *modelwire_response_json(const modelwire_response *response, size_t *length);
const modelwire_value *modelwire_response_value(const modelwire_response *response);
const modelwire_value *modelwire_response_info(const modelwire_response *response);
int32_t modelwire_response_finish_reason(const modelwire_response *response);
int64_t modelwire_response_tokens(const modelwire_response *response, int32_t kind);
void modelwire_error_free(modelwire_error *error);
modelwire_status modelwire_error_status(const modelwire_error *error);
const char *modelwire_error_message(const modelwire_error *error, size_t *length);
const char *modelwire_error_report(const modelwire_error *error, size_t *length);
const char *modelwire_error_json(const modelwire_error *error, size_t *length);
const modelwire_value *modelwire_error_value(const modelwire_error *error);
modelwire_status modelwire_value_new(const char *json, size_t length, modelwire_value **out, modelwire_error **err);
modelwire_status modelwire_value_new_text(const char *text, size_t length, modelwire_value **out, modelwire_error **err);
void modelwire_value_free(modelwire_value *value);
const char *modelwire_value_text(const modelwire_value *value, const char *path, size_t path_length, size_t *length);
const char *modelwire_value_json(const modelwire_value *value, const char *path, size_t path_length, size_t *length);
modelwire_status modelwire_value_int(const modelwire_value *value, const char *path, size_t path_length, int64_t *out);
modelwire_status modelwire_value_number(const modelwire_value *value, const char *path, size_t path_length, double *out);
size_t modelwire_value_count(const modelwire_value *value, const char *path, size_t path_length);
const char *modelwire_value_name(const modelwire_value *value, const char *path, size_t path_length, size_t index, size_t *length);
