/*
 * modelwire: client for OpenAI-compatible model inference services.
 * Generated from ffi-c/src by cbindgen (`make header`); do not edit.
 *
 *   modelwire_client *client;  modelwire_request *request;  modelwire_call *call;
 *   modelwire_response *answer;  modelwire_error *error;
 *   const char *json =
 *       "{\"model\":\"a-model\",\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]}";
 *
 *   modelwire_client_new(NULL, &client, &error);    base URL and key from the environment
 *   modelwire_request_chat_json(json, MODELWIRE_NUL, &request, &error);
 *   modelwire_call_new(client, request, &call, &error);
 *   if (modelwire_call_run(call, &answer, &error) == MODELWIRE_OK)
 *     puts(modelwire_response_text(answer, NULL));
 *
 * with every status checked and every handle freed.  Link with -lmodelwire.
 *
 * CONVENTIONS
 *
 * Ownership.  What a function gives through an `out` or `err` argument, or returns from a `_new`
 *   function, belongs to the caller and is freed by the `_free` function of its type; freeing
 *   NULL does nothing.  What an accessor returns, and what a callback is given, is borrowed from
 *   its parent and valid until the parent is freed or the callback returns.
 * Strings.  In: pointer and length in bytes, UTF-8, copied; MODELWIRE_NUL as the length means
 *   that the string ends with NUL.  Out: NUL-terminated, the length in bytes through an optional
 *   size_t pointer; with NUL bytes inside, the length is what counts.
 * Errors.  0 is success, a positive status is an outcome that is no error, a negative status is
 *   the kind of an error.  `err` may be NULL; it is written only on failure.  `out` is written
 *   only on success.
 * Threads.  A function that takes `const T *` may run on any thread at any time, also while
 *   another runs on the same handle.  A function that takes `T *` needs that handle for itself.
 * NULL.  A NULL handle or a missing `out` gives MODELWIRE_E_ARGUMENT, never a crash; an accessor
 *   gives NULL for a text, and for a number 0, or -1 where 0 has a meaning.  Freeing NULL and
 *   cancelling NULL do nothing.
 * Fork.  A child process starts its own calls with inherited clients; a call that was started
 *   before the fork gives MODELWIRE_E_FORKED in the child and goes on in the parent.
 */


#ifndef MODELWIRE_H
#define MODELWIRE_H

#include <stddef.h>
#include <stdint.h>

/** The length argument of a string that ends with NUL. */
#define MODELWIRE_NUL SIZE_MAX

#if defined(__GNUC__)
#define MODELWIRE_API __attribute__((visibility("default")))
#else
#define MODELWIRE_API
#endif


/**
 * The version of this header, major * 1000000 + minor * 1000 + patch.
 */
#define MODELWIRE_VERSION_NUMBER 1000

/**
 * The ABI of this header. Functions and numbers are only ever added to it; a change that would
 * break a compiled program raises it.
 */
#define MODELWIRE_ABI 1

/**
 * One exchange with the service: made before it starts, so that any thread can cancel it at any
 * time; run once.
 */
typedef struct modelwire_call modelwire_call;

/**
 * A client of one service: may be shared between threads, which do not wait for each other.
 */
typedef struct modelwire_client modelwire_client;

/**
 * What a client is made from; used by one thread at a time. What is not set has its default:
 * base URL and key come from the environment (MODELWIRE_BASE_URL or OPENAI_BASE_URL,
 * MODELWIRE_API_KEY or OPENAI_API_KEY).
 */
typedef struct modelwire_config modelwire_config;

/**
 * What went wrong, with everything that is known about it; immutable, may be shared between
 * threads.
 */
typedef struct modelwire_error modelwire_error;

/**
 * One event of a stream, lent to a callback.
 */
typedef struct modelwire_event modelwire_event;

/**
 * A request of one of the three operations; may be used for many calls.
 */
typedef struct modelwire_request modelwire_request;

/**
 * The answer to a call; immutable, may be shared between threads.
 */
typedef struct modelwire_response modelwire_response;

/**
 * The result of a function: 0 is success, positive is an outcome that is no error, negative is
 * the kind of an error.
 */
typedef int32_t modelwire_status;

/**
 * Called for each event of a stream, in order, on the thread that runs the call.
 *
 * @param user_data  as it was given
 * @param event      valid during the callback
 * @return 0 to go on; anything else ends the stream and closes its exchange
 *
 * Other calls may be run from inside. It must not throw or longjmp through the library.
 */
typedef int32_t (*modelwire_event_fn)(void *user_data, const modelwire_event *event);

/**
 * Success.
 */
#define MODELWIRE_OK 0

/**
 * A callback returned nonzero and so ended its stream.
 */
#define MODELWIRE_STOPPED 1

/**
 * A wait of the caller ran out; no error. (A call whose own time ran out is MODELWIRE_E_TIMEOUT.)
 */
#define MODELWIRE_TIMEOUT 2

/**
 * What was asked for is not there.
 */
#define MODELWIRE_ABSENT 3

/**
 * An argument is wrong; nothing was sent.
 */
#define MODELWIRE_E_ARGUMENT -1

/**
 * The configuration is wrong or misses something; nothing was sent.
 */
#define MODELWIRE_E_CONFIG -2

/**
 * Status 400: the request is wrong.
 */
#define MODELWIRE_E_INVALID_REQUEST -3

/**
 * Status 401: the key is missing, wrong or malformed.
 */
#define MODELWIRE_E_AUTHENTICATION -4

/**
 * Status 403: account, balance, model or key forbid it.
 */
#define MODELWIRE_E_PERMISSION -5

/**
 * Status 404: wrong path, or no such model.
 */
#define MODELWIRE_E_NOT_FOUND -6

/**
 * Status 429: a rate, concurrency, quota or resource limit.
 */
#define MODELWIRE_E_RATE_LIMITED -7

/**
 * Status 5xx: a temporary fault of the service.
 */
#define MODELWIRE_E_SERVER -8

/**
 * Any other status that is not success.
 */
#define MODELWIRE_E_STATUS -9

/**
 * No connection: refused, unreachable, name not found.
 */
#define MODELWIRE_E_CONNECT -10

/**
 * The TLS handshake or a certificate failed.
 */
#define MODELWIRE_E_TLS -11

/**
 * One of the four timeouts; modelwire_error_timeout says which.
 */
#define MODELWIRE_E_TIMEOUT -12

/**
 * The connection broke off after the request was sent.
 */
#define MODELWIRE_E_DISCONNECTED -13

/**
 * The answer is not what the protocol promises, or larger than a bound.
 */
#define MODELWIRE_E_PROTOCOL -14

/**
 * A stream ended without its end mark.
 */
#define MODELWIRE_E_INCOMPLETE -15

/**
 * The service reported an error under a good status, in a stream mostly.
 */
#define MODELWIRE_E_STREAM -16

/**
 * The call was cancelled.
 */
#define MODELWIRE_E_CANCELLED -17

/**
 * The handle was closed.
 */
#define MODELWIRE_E_CLOSED -18

/**
 * The call belongs to the parent process.
 */
#define MODELWIRE_E_FORKED -19

/**
 * The library was shut down.
 */
#define MODELWIRE_E_SHUTDOWN -20

/**
 * A fault of this library.
 */
#define MODELWIRE_E_INTERNAL -21

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The library's version, "0.1.0" for instance. Static, any thread.
 */
MODELWIRE_API const char *modelwire_version(void);

/**
 * The library's version as a number like MODELWIRE_VERSION_NUMBER. Any thread.
 */
MODELWIRE_API uint32_t modelwire_version_number(void);

/**
 * Whether this library serves a program that was compiled against a header's ABI.
 *
 * @param header_abi  MODELWIRE_ABI as the program's header defines it
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT if it does not
 *
 * Any thread.
 */
MODELWIRE_API modelwire_status modelwire_check_abi(uint32_t header_abi);

/**
 * The name of a status, "rate_limited" for MODELWIRE_E_RATE_LIMITED for instance. Static, never
 * NULL, any thread.
 */
MODELWIRE_API const char *modelwire_status_name(modelwire_status status);

/**
 * Ends every call with MODELWIRE_E_SHUTDOWN, closes all connections and joins the library's
 * thread. Calls that start afterwards fail; accessors and free functions go on working.
 * Optional: a process may simply exit. Calling it again is harmless.
 *
 * @param timeout_ms  longest wait in milliseconds; negative waits for an hour
 * @return MODELWIRE_OK, or MODELWIRE_TIMEOUT if the thread did not end in time; it then ends on
 *         its own
 *
 * Any thread. From inside a callback the stream that calls back ends with MODELWIRE_E_SHUTDOWN.
 */
MODELWIRE_API modelwire_status modelwire_shutdown(int32_t timeout_ms);

/**
 * A configuration with every default. Free it with modelwire_config_free; NULL only if memory
 * ran out.
 */
MODELWIRE_API modelwire_config *modelwire_config_new(void);

/**
 * Frees a configuration; clients made from it keep their copy.
 */
MODELWIRE_API void modelwire_config_free(modelwire_config *config);

/**
 * Where the service is, "https://host/v1" for instance. A trailing slash does not matter; a
 * query is kept.
 *
 * @param config    the configuration
 * @param base_url  UTF-8, copied
 * @param length    its length in bytes, or MODELWIRE_NUL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or what is not UTF-8
 */
MODELWIRE_API
modelwire_status modelwire_config_set_base_url(modelwire_config *config,
                                               const char *base_url,
                                               size_t length);

/**
 * The API key, without the word "Bearer". It never appears in errors, reports or logs.
 *
 * @param config   the configuration
 * @param api_key  ASCII, copied; white space around it is removed
 * @param length   its length in bytes, or MODELWIRE_NUL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or what is not UTF-8
 */
MODELWIRE_API
modelwire_status modelwire_config_set_api_key(modelwire_config *config,
                                              const char *api_key,
                                              size_t length);

/**
 * Adds a header that is sent with every request.
 *
 * @param config        the configuration
 * @param name          the header's name, copied
 * @param name_length   its length in bytes, or MODELWIRE_NUL
 * @param value         the header's value, copied
 * @param value_length  its length in bytes, or MODELWIRE_NUL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or what is not UTF-8
 */
MODELWIRE_API
modelwire_status modelwire_config_add_header(modelwire_config *config,
                                             const char *name,
                                             size_t name_length,
                                             const char *value,
                                             size_t value_length);

/**
 * The four timeouts in milliseconds. A negative value leaves the default, 0 switches off.
 *
 * @param config         the configuration
 * @param connect_ms     opening a connection, TLS included; default 10000
 * @param first_byte_ms  from the start of an attempt to the complete head of its answer;
 *                       default 600000
 * @param idle_ms        between two pieces of substance of an answer; default 300000
 * @param total_ms       over all attempts and the waits between them; default 0, off
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL
 */
MODELWIRE_API
modelwire_status modelwire_config_set_timeouts(modelwire_config *config,
                                               int64_t connect_ms,
                                               int64_t first_byte_ms,
                                               int64_t idle_ms,
                                               int64_t total_ms);

/**
 * When and how often a call that was answered with status 429 is tried again. A negative value
 * leaves the default.
 *
 * @param config              the configuration
 * @param retries_max         most retries of one call; default 3, 0 switches off
 * @param first_wait_ms       wait before the first retry, doubled for each further one;
 *                            default 500
 * @param retry_after_max_ms  longest Retry-After that is waited for, a longer one returns the
 *                            error at once; default 60000
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL
 */
MODELWIRE_API
modelwire_status modelwire_config_set_retry(modelwire_config *config,
                                            int32_t retries_max,
                                            int64_t first_wait_ms,
                                            int64_t retry_after_max_ms);

/**
 * Lets every call that is answered whole stream underneath and gather its answer, for a service
 * whose models answer only by streaming.
 *
 * @param config  the configuration
 * @param on      0 or 1; default 0
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL
 */
MODELWIRE_API
modelwire_status modelwire_config_set_stream_only(modelwire_config *config,
                                                  int32_t on);

/**
 * Makes a client. Connects to nothing yet.
 *
 * @param config  the configuration, copied; NULL means every default
 * @param out     the client; free it with modelwire_client_free
 * @param err     what is wrong, on failure; may be NULL
 * @return MODELWIRE_OK; MODELWIRE_E_CONFIG if the configuration is wrong or misses something
 */
MODELWIRE_API
modelwire_status modelwire_client_new(const modelwire_config *config,
                                      modelwire_client **out,
                                      modelwire_error **err);

/**
 * Frees a client. Its calls go on and keep what they need.
 */
MODELWIRE_API void modelwire_client_free(modelwire_client *client);

/**
 * What the answered chats and responses of a client used so far, over all models, in this
 * process. Model lists and calls that failed or were stopped do not count.
 *
 * @param client         the client
 * @param calls          answered calls; may be NULL, like the others
 * @param input_tokens   as the answers reported them
 * @param output_tokens  as the answers reported them
 * @param total_tokens   as the answers reported them
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for a NULL client
 */
MODELWIRE_API
modelwire_status modelwire_client_usage(const modelwire_client *client,
                                        uint64_t *calls,
                                        uint64_t *input_tokens,
                                        uint64_t *output_tokens,
                                        uint64_t *total_tokens);

/**
 * List the models.
 *
 * @param out  the request; free it with modelwire_request_free
 * @param err  what is wrong, on failure; may be NULL
 * @return MODELWIRE_OK
 */
MODELWIRE_API
modelwire_status modelwire_request_models(modelwire_request **out,
                                          modelwire_error **err);

/**
 * A chat completion from JSON text with at least "model" and "messages". The text is sent as it
 * is, but for "stream", which follows from how the call is made.
 *
 * @param json    one JSON object, UTF-8, copied; checked here
 * @param length  its length in bytes, or MODELWIRE_NUL
 * @param out     the request; free it with modelwire_request_free
 * @param err     what is wrong, on failure; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not JSON (the error names the
 *         byte), or a field that is missing or of the wrong type
 */
MODELWIRE_API
modelwire_status modelwire_request_chat_json(const char *json,
                                             size_t length,
                                             modelwire_request **out,
                                             modelwire_error **err);

/**
 * A response from JSON text with at least "model" and "input"; as modelwire_request_chat_json.
 *
 * @param json    one JSON object, UTF-8, copied; checked here
 * @param length  its length in bytes, or MODELWIRE_NUL
 * @param out     the request; free it with modelwire_request_free
 * @param err     what is wrong, on failure; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not JSON (the error names the
 *         byte), or a field that is missing or of the wrong type
 */
MODELWIRE_API
modelwire_status modelwire_request_response_json(const char *json,
                                                 size_t length,
                                                 modelwire_request **out,
                                                 modelwire_error **err);

/**
 * Frees a request; calls made from it keep their copy.
 */
MODELWIRE_API void modelwire_request_free(modelwire_request *request);

/**
 * Makes a call that is not started yet.
 *
 * @param client   the client; the call keeps what it needs of it
 * @param request  the request, copied
 * @param out      the call; free it with modelwire_call_free
 * @param err      what is wrong, on failure; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL
 */
MODELWIRE_API
modelwire_status modelwire_call_new(const modelwire_client *client,
                                    const modelwire_request *request,
                                    modelwire_call **out,
                                    modelwire_error **err);

/**
 * Runs a call that is answered whole, and waits for the answer.
 *
 * @param call  the call; a second run gives MODELWIRE_E_ARGUMENT
 * @param out   the answer; free it with modelwire_response_free
 * @param err   what went wrong, on failure; may be NULL
 * @return MODELWIRE_OK, or the kind of the error
 *
 * Blocks the calling thread only. modelwire_call_cancel from another thread ends it at once.
 */
MODELWIRE_API
modelwire_status modelwire_call_run(modelwire_call *call,
                                    modelwire_response **out,
                                    modelwire_error **err);

/**
 * Runs a call that is answered piece by piece, and calls back for each piece on this thread.
 *
 * @param call       the call; a second run gives MODELWIRE_E_ARGUMENT
 * @param on_event   called for each event, in order
 * @param user_data  handed to the callback
 * @param out        how the stream ended and what it used; free it with modelwire_response_free
 * @param err        what went wrong, on failure, after all events that came before; may be NULL
 * @return MODELWIRE_OK; MODELWIRE_STOPPED if the callback ended it, and out is not written; or
 *         the kind of the error
 *
 * Blocks the calling thread only. modelwire_call_cancel, also from inside the callback, ends it
 * at once.
 */
MODELWIRE_API
modelwire_status modelwire_call_stream(modelwire_call *call,
                                       modelwire_event_fn on_event,
                                       void *user_data,
                                       modelwire_response **out,
                                       modelwire_error **err);

/**
 * Ends a call now, in whatever state it is, also before it starts: it gives
 * MODELWIRE_E_CANCELLED. A call that is done stays as it is. Any thread, any time, also from
 * inside a callback.
 *
 * @param call  the call; NULL does nothing
 */
MODELWIRE_API void modelwire_call_cancel(const modelwire_call *call);

/**
 * Frees a call that no other thread runs or cancels at the moment.
 *
 * @param call  the call; NULL does nothing
 */
MODELWIRE_API void modelwire_call_free(modelwire_call *call);

/**
 * Frees a response.
 */
MODELWIRE_API void modelwire_response_free(modelwire_response *response);

/**
 * The JSON text as the service sent it; empty at the end of a stream, whose events were the
 * answer.
 *
 * @param response  the response
 * @param length    its length in bytes; may be NULL
 */
MODELWIRE_API
const char *modelwire_response_json(const modelwire_response *response,
                                    size_t *length);

/**
 * The output text: the content of a chat's first choice, or all output text of a response; empty
 * where there is none and at the end of a stream.
 *
 * @param response  the response
 * @param length    its length in bytes; may be NULL
 */
MODELWIRE_API
const char *modelwire_response_text(const modelwire_response *response,
                                    size_t *length);

/**
 * Why the first choice of a chat stopped, or the status of a response; NULL where there is none.
 *
 * @param response  the response
 */
MODELWIRE_API
const char *modelwire_response_finish_reason(const modelwire_response *response);

/**
 * The service's name for the exchange, to give to its support; NULL where there is none.
 *
 * @param response  the response
 */
MODELWIRE_API const char *modelwire_response_request_id(const modelwire_response *response);

/**
 * The HTTP status, 200 for instance; 0 for NULL.
 *
 * @param response  the response
 */
MODELWIRE_API int32_t modelwire_response_http_status(const modelwire_response *response);

/**
 * The first header of a name, whatever its case; NULL where there is none.
 *
 * @param response  the response
 * @param name      the header's name
 * @param length    the name's length in bytes, or MODELWIRE_NUL
 */
MODELWIRE_API
const char *modelwire_response_header(const modelwire_response *response,
                                      const char *name,
                                      size_t length);

/**
 * The tokens that the service reported, of a stream too.
 *
 * @param response       the response
 * @param input_tokens   may be NULL, like the others
 * @param output_tokens  output
 * @param total_tokens   both together
 * @return MODELWIRE_OK; MODELWIRE_ABSENT if the service reported none, and nothing is written; or
 *         MODELWIRE_E_ARGUMENT for NULL
 */
MODELWIRE_API
modelwire_status modelwire_response_usage(const modelwire_response *response,
                                          uint64_t *input_tokens,
                                          uint64_t *output_tokens,
                                          uint64_t *total_tokens);

/**
 * How many models a model list has; 0 for every other response.
 *
 * @param response  the response
 */
MODELWIRE_API size_t modelwire_response_model_count(const modelwire_response *response);

/**
 * The id of a model of a model list; NULL beyond the end.
 *
 * @param response  the response
 * @param index     from 0
 */
MODELWIRE_API
const char *modelwire_response_model_id(const modelwire_response *response,
                                        size_t index);

/**
 * The event's JSON text as the service sent it. Never NULL for an event.
 *
 * @param event   the event
 * @param length  its length in bytes; may be NULL
 */
MODELWIRE_API const char *modelwire_event_json(const modelwire_event *event, size_t *length);

/**
 * The piece of output text that the event adds: the content of a chat's first choice, or an
 * output text delta of a response; empty for every other event.
 *
 * @param event   the event
 * @param length  its length in bytes; may be NULL
 */
MODELWIRE_API const char *modelwire_event_text(const modelwire_event *event, size_t *length);

/**
 * The name of the server-sent event, "response.completed" for instance; empty where there was
 * none, as in chat streams.
 *
 * @param event   the event
 * @param length  its length in bytes; may be NULL
 */
MODELWIRE_API const char *modelwire_event_name(const modelwire_event *event, size_t *length);

/**
 * Why the first choice stopped, "stop" for instance; NULL while it has not.
 *
 * @param event  the event
 */
MODELWIRE_API const char *modelwire_event_finish_reason(const modelwire_event *event);

/**
 * Frees an error.
 */
MODELWIRE_API void modelwire_error_free(modelwire_error *error);

/**
 * The kind of the error: the negative status that the failed function returned; 0 for NULL.
 *
 * @param error  the error
 */
MODELWIRE_API modelwire_status modelwire_error_status(const modelwire_error *error);

/**
 * The service's own message where it gave one, else the library's with the cause. Never NULL for
 * an error.
 *
 * @param error  the error
 */
MODELWIRE_API
const char *modelwire_error_message(const modelwire_error *error);

/**
 * What to do about it; empty where there is nothing to say.
 *
 * @param error  the error
 */
MODELWIRE_API const char *modelwire_error_hint(const modelwire_error *error);

/**
 * "type" of the service's error object; NULL where it is absent.
 *
 * @param error  the error
 */
MODELWIRE_API const char *modelwire_error_type(const modelwire_error *error);

/**
 * "code" of the service's error object as text; NULL where it is absent.
 *
 * @param error  the error
 */
MODELWIRE_API const char *modelwire_error_code(const modelwire_error *error);

/**
 * "param" of the service's error object; NULL where it is absent.
 *
 * @param error  the error
 */
MODELWIRE_API const char *modelwire_error_param(const modelwire_error *error);

/**
 * The HTTP status; 0 where no answer came.
 *
 * @param error  the error
 */
MODELWIRE_API int32_t modelwire_error_http_status(const modelwire_error *error);

/**
 * The service's name for the exchange; NULL where there is none.
 *
 * @param error  the error
 */
MODELWIRE_API const char *modelwire_error_request_id(const modelwire_error *error);

/**
 * The path of the request; empty if there was none.
 *
 * @param error  the error
 */
MODELWIRE_API const char *modelwire_error_path(const modelwire_error *error);

/**
 * The model that was asked for; NULL where there was none.
 *
 * @param error  the error
 */
MODELWIRE_API const char *modelwire_error_model(const modelwire_error *error);

/**
 * When the first attempt started, in milliseconds since 1970 UTC; -1 if nothing was attempted.
 *
 * @param error  the error
 */
MODELWIRE_API int64_t modelwire_error_request_time_unix_ms(const modelwire_error *error);

/**
 * How many times the request was attempted.
 *
 * @param error  the error
 */
MODELWIRE_API int32_t modelwire_error_attempts(const modelwire_error *error);

/**
 * From the start of the first attempt to the failure, in milliseconds.
 *
 * @param error  the error
 */
MODELWIRE_API int64_t modelwire_error_elapsed_ms(const modelwire_error *error);

/**
 * How long the service asked to wait, in milliseconds; -1 if it did not.
 *
 * @param error  the error
 */
MODELWIRE_API int64_t modelwire_error_retry_after_ms(const modelwire_error *error);

/**
 * The option of the timeout that ran out, "idle_timeout" for instance; NULL for other errors.
 *
 * @param error  the error
 */
MODELWIRE_API const char *modelwire_error_timeout(const modelwire_error *error);

/**
 * Whether the call may have been metered: "not_sent", "normally_not", "entered" or "unknown".
 *
 * @param error  the error
 */
MODELWIRE_API const char *modelwire_error_metered(const modelwire_error *error);

/**
 * The body of the failed answer, at most 64 KiB of it, the key masked; NULL where none came.
 *
 * @param error   the error
 * @param length  its length in bytes; may be NULL
 */
MODELWIRE_API const char *modelwire_error_body(const modelwire_error *error, size_t *length);

/**
 * What was gathered of the answer before it failed, as JSON text, where the call gathers: a part
 * of what was paid for, not the whole. NULL where nothing was.
 *
 * @param error   the error
 * @param length  its length in bytes; may be NULL
 */
MODELWIRE_API
const char *modelwire_error_partial(const modelwire_error *error,
                                    size_t *length);

/**
 * Everything that support needs, as text of several lines, without the key.
 *
 * @param error   the error
 * @param length  its length in bytes; may be NULL
 */
MODELWIRE_API const char *modelwire_error_report(const modelwire_error *error, size_t *length);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MODELWIRE_H */
