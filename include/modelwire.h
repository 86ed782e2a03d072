/*
 * modelwire: client for OpenAI-compatible model inference services.
 * Generated from ffi-c/src by cbindgen (`make header`); do not edit.
 *
 *   modelwire_client *client;  modelwire_request *request;  modelwire_call *call;
 *   modelwire_response *response;  modelwire_error *error;
 *   const char *json =
 *       "{\"model\":\"a-model\",\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]}";
 *
 *   modelwire_client_new(NULL, &client, &error);    base URL and key from the environment
 *   modelwire_request_chat_json(json, MODELWIRE_NUL, &request, &error);
 *   modelwire_call_new(client, request, &call, &error);
 *   if (modelwire_call_run(call, &response, &error) == MODELWIRE_OK)
 *     puts(modelwire_response_text(response, NULL));
 *
 * with every status checked and every handle freed.  Link with -lmodelwire.
 *
 * FOUR WAYS TO RUN A CALL, each from the same client, request and call
 *
 *   modelwire_call_run     waits for the whole response
 *   modelwire_call_stream  waits, and calls back on this thread for each chunk
 *   modelwire_call_start   returns; a thread of the client's own calls back
 *   modelwire_call_submit  returns; events come out of a modelwire_queue, by a waiting thread or
 *                          by any event loop that watches modelwire_queue_fd
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
 *   another runs on the same handle.  A function that takes `T *` needs that handle for itself,
 *   but for modelwire_call_cancel, which may always run beside it.  Nothing of the library is
 *   async-signal-safe.  The library's own threads take no signal of the process.
 *   A thread that waits for all that is under way in its process does the I/O itself meanwhile;
 *   nothing of the program's runs there but its own callbacks, and SIGPIPE is kept from it.
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
 * No log.
 */
#define MODELWIRE_LOG_OFF 0

/**
 * Something failed that nobody is told of otherwise.
 */
#define MODELWIRE_LOG_ERROR 1

/**
 * Something to look at.
 */
#define MODELWIRE_LOG_WARN 2

/**
 * Something worth knowing.
 */
#define MODELWIRE_LOG_INFO 3

/**
 * What the library does: attempts, waits, ends of calls, connections.
 */
#define MODELWIRE_LOG_DEBUG 4

/**
 * Every detail.
 */
#define MODELWIRE_LOG_TRACE 5

/**
 * MODELWIRE_RETRY_...: calls of which nothing was sent. The connection could not be opened, or was
 * closed before the request was begun to be written.
 */
#define MODELWIRE_RETRY_CONNECT_ERRORS 1

/**
 * Calls whose connection was lost after something was sent and before the head of a response came.
 * The service may have processed such a call, and meters it twice then.
 */
#define MODELWIRE_RETRY_LOST_CONNECTIONS 2

/**
 * Largest server-sent event, in bytes; 16 MiB by default.
 */
#define MODELWIRE_LIMIT_EVENT_BYTES 1

/**
 * Largest answer that is held whole, in bytes; 256 MiB by default.
 */
#define MODELWIRE_LIMIT_RESPONSE_BYTES 2

/**
 * How much of a failed answer's body is read and kept, in bytes; 64 KiB by default.
 */
#define MODELWIRE_LIMIT_ERROR_BODY_BYTES 3

/**
 * Most headers that an answer may have; 100 by default.
 */
#define MODELWIRE_LIMIT_HEADERS 4

/**
 * Bytes of one call that wait to be taken before its body is no longer read; 256 KiB by
 * default. A single larger event waits alone.
 */
#define MODELWIRE_LIMIT_QUEUE_BYTES 5

/**
 * Events of one call that wait to be taken before its body is no longer read; 1024 by default.
 */
#define MODELWIRE_LIMIT_QUEUE_EVENTS 6

/**
 * Connections that calls of the client have at once; 1000 by default, and with those that are
 * idle never more than half of the descriptors that the process may have (RLIMIT_NOFILE, read
 * at the first call; 6/16 of it for the calls of all clients together, 1/16 each for the
 * connections that a client has idle and that it is opening). Further calls wait in order, and
 * take the first connection that gets idle. Calls that share a connection (HTTP/2) are not
 * counted.
 */
#define MODELWIRE_LIMIT_CONNECTIONS 7

/**
 * Connections that are kept for later calls while none uses them; 1000 by default, and never
 * more than `connections_max` and 1/16 of the descriptors.
 */
#define MODELWIRE_LIMIT_IDLE_CONNECTIONS 8

/**
 * How long a connection that no call uses is kept, in milliseconds; 4000 by default, for many
 * servers close theirs after 5 s.
 */
#define MODELWIRE_LIMIT_IDLE_CONNECTION_MS 9

/**
 * An event of a stream: one chunk of the response.
 */
#define MODELWIRE_EVENT_CHUNK 1

/**
 * The last event of a call: modelwire_event_response or modelwire_event_error says how it ended.
 */
#define MODELWIRE_EVENT_DONE 2

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
 * One event of a call; immutable, may be shared between threads.
 */
typedef struct modelwire_event modelwire_event;

/**
 * Some records of the log, lent to a callback.
 */
typedef struct modelwire_log_batch modelwire_log_batch;

/**
 * The events of many calls in one place; may be shared between threads.
 *
 * A thread waits in modelwire_queue_next.  An event loop watches modelwire_queue_fd for reading
 * and then calls modelwire_queue_next with a timeout of 0 until it gives something else than
 * MODELWIRE_OK.
 */
typedef struct modelwire_queue modelwire_queue;

/**
 * A request of one of the three operations; used by one thread at a time, for any number of
 * calls.
 *
 * Made from whole JSON text (modelwire_request_chat_json), or field by field
 * (modelwire_request_chat) for programs without a JSON library. Strings are escaped here.
 */
typedef struct modelwire_request modelwire_request;

/**
 * The response to a call; immutable, may be shared between threads.
 */
typedef struct modelwire_response modelwire_response;

/**
 * The result of a function: 0 is success, positive is an outcome that is no error, negative is
 * the kind of an error.
 */
typedef int32_t modelwire_status;

/**
 * Called with records of the log, on a thread of the library's own, one batch after another. It
 * may call the library, but for modelwire_set_log and modelwire_shutdown.
 *
 * @param user_data  as it was given
 * @param batch      valid during the callback
 */
typedef void (*modelwire_log_fn)(void *user_data, const modelwire_log_batch *batch);

/**
 * Releases the user_data of a callback. It is called once, when the callback will not be called
 * any more; on which thread, the function that takes it says.
 *
 * @param user_data  as it was given
 */
typedef void (*modelwire_finalizer)(void *user_data);

/**
 * Called for each event of a call, in order.
 *
 * @param user_data  as it was given
 * @param event      valid during the callback
 * @return 0 to go on; anything else ends the call and closes its exchange
 *
 * Other calls may be run from inside, and this one cancelled. It must not throw or longjmp
 * through the library.
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
 * A completion queue was closed and has nothing any more; no error.
 */
#define MODELWIRE_CLOSED 4

/**
 * An argument is wrong; nothing was sent.
 */
#define MODELWIRE_E_ARGUMENT (-1)

/**
 * The configuration is wrong or misses something; nothing was sent.
 */
#define MODELWIRE_E_CONFIG (-2)

/**
 * Status 400: the request is wrong.
 */
#define MODELWIRE_E_INVALID_REQUEST (-3)

/**
 * Status 401: the key is missing, wrong or malformed.
 */
#define MODELWIRE_E_AUTHENTICATION (-4)

/**
 * Status 403: account, balance, model or key forbid it.
 */
#define MODELWIRE_E_PERMISSION (-5)

/**
 * Status 404: wrong path, or no such model.
 */
#define MODELWIRE_E_NOT_FOUND (-6)

/**
 * Status 429: a rate, concurrency, quota or resource limit.
 */
#define MODELWIRE_E_RATE_LIMITED (-7)

/**
 * Status 5xx: a temporary fault of the service.
 */
#define MODELWIRE_E_SERVER (-8)

/**
 * Any other status that is not success.
 */
#define MODELWIRE_E_STATUS (-9)

/**
 * No connection: refused, unreachable, name not found.
 */
#define MODELWIRE_E_CONNECT (-10)

/**
 * The TLS handshake or a certificate failed.
 */
#define MODELWIRE_E_TLS (-11)

/**
 * One of the timeouts; modelwire_error_timeout says which.
 */
#define MODELWIRE_E_TIMEOUT (-12)

/**
 * The connection broke off after the request was sent.
 */
#define MODELWIRE_E_DISCONNECTED (-13)

/**
 * The response is not what the protocol promises, or larger than a bound.
 */
#define MODELWIRE_E_PROTOCOL (-14)

/**
 * A stream ended without its end mark.
 */
#define MODELWIRE_E_INCOMPLETE (-15)

/**
 * The service reported an error under a good status, in a stream mostly.
 */
#define MODELWIRE_E_STREAM (-16)

/**
 * The call was cancelled.
 */
#define MODELWIRE_E_CANCELLED (-17)

/**
 * The handle was closed.
 */
#define MODELWIRE_E_CLOSED (-18)

/**
 * The call belongs to the parent process.
 */
#define MODELWIRE_E_FORKED (-19)

/**
 * The library was shut down.
 */
#define MODELWIRE_E_SHUTDOWN (-20)

/**
 * A fault of this library.
 */
#define MODELWIRE_E_INTERNAL (-21)

/**
 * This function was called from inside a callback, whose end it would have to wait for.
 */
#define MODELWIRE_E_CALLBACK (-22)

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
 * Ends every call with MODELWIRE_E_SHUTDOWN, closes all connections, lets the callbacks of started
 * calls see their last event, ends the log and joins the library's threads. Calls that start
 * afterwards fail; completion queues give what they have; accessors and free functions go on
 * working. Optional: a process may simply exit. Calling it again is harmless.
 *
 * @param timeout_ms  longest wait in milliseconds; negative waits for an hour
 * @return MODELWIRE_OK; MODELWIRE_TIMEOUT if a thread did not end in time, because a callback
 *         hangs for instance: it then ends on its own; or MODELWIRE_E_CALLBACK from inside a
 *         callback of a started call or of the log: nothing was done
 *
 * Any other thread. From inside the callback of modelwire_call_stream its stream ends with
 * MODELWIRE_E_SHUTDOWN.
 */
MODELWIRE_API
modelwire_status modelwire_shutdown(int32_t timeout_ms);

/**
 * Sends the log of the whole library to a callback, in place of any earlier one. At most 4096
 * records wait for it; what comes on top is dropped, and a record says how many. The API key is
 * never in it.
 *
 * @param level      MODELWIRE_LOG_ERROR to MODELWIRE_LOG_TRACE: records of this level and more
 *                   important ones; MODELWIRE_LOG_OFF ends the log
 * @param on_log     called with records in batches; NULL ends the log
 * @param user_data  handed to both functions; may be NULL
 * @param finalizer  releases user_data, once, when another log is set, the log is ended, or this
 *                   function fails; may be NULL
 * @param err        what is wrong, on failure; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for an unknown level
 *
 * What was logged before is given to the earlier callback before this function returns.
 */
MODELWIRE_API
modelwire_status modelwire_set_log(int32_t level,
                                   modelwire_log_fn on_log,
                                   void *user_data,
                                   modelwire_finalizer finalizer,
                                   modelwire_error **err);

/**
 * How many records a batch has; 0 for NULL.
 *
 * @param batch  the batch
 */
MODELWIRE_API size_t modelwire_log_batch_count(const modelwire_log_batch *batch);

/**
 * The level of a record, MODELWIRE_LOG_DEBUG for instance; 0 beyond the end.
 *
 * @param batch  the batch
 * @param index  from 0, the oldest
 */
MODELWIRE_API int32_t modelwire_log_batch_level(const modelwire_log_batch *batch, size_t index);

/**
 * When a record was made, in milliseconds since 1970 UTC; -1 beyond the end.
 *
 * @param batch  the batch
 * @param index  from 0, the oldest
 */
MODELWIRE_API
int64_t modelwire_log_batch_unix_ms(const modelwire_log_batch *batch,
                                    size_t index);

/**
 * Who says it: "modelwire", or a library below it; NULL beyond the end.
 *
 * @param batch  the batch
 * @param index  from 0, the oldest
 */
MODELWIRE_API
const char *modelwire_log_batch_target(const modelwire_log_batch *batch,
                                       size_t index);

/**
 * What a record says, on one line mostly; NULL beyond the end.
 *
 * @param batch   the batch
 * @param index   from 0, the oldest
 * @param length  its length in bytes; may be NULL
 */
MODELWIRE_API
const char *modelwire_log_batch_message(const modelwire_log_batch *batch,
                                        size_t index,
                                        size_t *length);

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
 * The API key, without the word "Bearer". It never appears in errors, reports or logs. One that
 * was copied with something around it, quotes for instance, or that is not whole, is refused when
 * the client is made, by MODELWIRE_E_CONFIG with a message that says what it is.
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
 * The timeouts of every attempt and of the whole call, in milliseconds; waiting for a connection
 * has modelwire_config_set_pool_timeout. A negative value leaves the default, 0 switches off.
 *
 * @param config         the configuration
 * @param connect_ms     opening a connection, TLS included; default 10000
 * @param first_byte_ms  from the start of an attempt to the complete head of its response;
 *                       default 600000
 * @param idle_ms        between two pieces of substance of a response; default 300000
 * @param total_ms       over all attempts and every wait, from the call's start; default 0, off
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL
 */
MODELWIRE_API
modelwire_status modelwire_config_set_timeouts(modelwire_config *config,
                                               int64_t connect_ms,
                                               int64_t first_byte_ms,
                                               int64_t idle_ms,
                                               int64_t total_ms);

/**
 * The timeout of waiting for a connection where MODELWIRE_LIMIT_CONNECTIONS are in use, before
 * each attempt. Nothing of an attempt was sent when it runs out.
 *
 * @param config   the configuration
 * @param pool_ms  milliseconds; negative leaves the default, 0 switches off; default 0: a call
 *                 waits its turn, under its total timeout alone
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL
 */
MODELWIRE_API
modelwire_status modelwire_config_set_pool_timeout(modelwire_config *config,
                                                   int64_t pool_ms);

/**
 * How often and after what waits a call is tried again: one that was answered with status 429, or
 * that failed as modelwire_config_set_retry_on says. The waits are lower bounds, to which
 * modelwire_config_set_retry_jitter adds; one that the total timeout leaves no room for returns
 * the error at once. A negative value leaves the default.
 *
 * @param config              the configuration
 * @param retries_max         most retries of one call; default 3, 0 switches off
 * @param first_wait_ms       wait before the first retry, doubled for each further one up to 8
 *                            seconds, and raised to what the service asks for; default 500
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
 * Which failures without a response are tried again, beside the responses with status 429.
 *
 * @param config  the configuration
 * @param what    MODELWIRE_RETRY_... joined by |, in place of what was set before; default 0, none
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or an unknown bit, which changes nothing
 */
MODELWIRE_API
modelwire_status modelwire_config_set_retry_on(modelwire_config *config,
                                               uint32_t what);

/**
 * How much is added to the waits between attempts by chance, so that calls that were refused
 * together do not come back together.
 *
 * @param config  the configuration
 * @param part    the part of a wait that is added at most, 0 to 1; default 0.25
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or a part that is not from 0 to 1 (NaN is
 *         not), which changes nothing
 */
MODELWIRE_API
modelwire_status modelwire_config_set_retry_jitter(modelwire_config *config,
                                                   double part);

/**
 * Whether the calls of a client slow down together when the service refuses some of them: after a
 * response with a status that is tried again no call begins until a common pause is over, then
 * fewer are on their way at once, at the rate that the service was seen to take, and more again
 * when nothing is refused any more. Calls wait their turn in order, under their pool timeout and
 * their total timeout. For many calls at once on a service whose limits are not known; such a client
 * begins with few of them and needs some round trips until many are on their way.
 *
 * @param config  the configuration
 * @param on      0 or 1; default 0
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL
 */
MODELWIRE_API
modelwire_status modelwire_config_set_retry_adaptive(modelwire_config *config,
                                                     int32_t on);

/**
 * Sets one of the bounds. A response that breaks one is an error that names it.
 *
 * @param config  the configuration
 * @param limit   MODELWIRE_LIMIT_...
 * @param value   the bound, 1 to 2147483647; in the unit that the limit's comment names
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, an unknown limit or a value out of
 *         range, which changes nothing
 */
MODELWIRE_API
modelwire_status modelwire_config_set_limit(modelwire_config *config,
                                            int32_t limit,
                                            int64_t value);

/**
 * Sets options by name from one JSON object: all of them, or none if one is refused. Every option
 * of a client can be set so, also those that have no function here. Times are in milliseconds, and
 * null switches a timeout off; the names stand in docs/options.md, and the error of an unknown one
 * lists them.
 *
 * @param config  the configuration
 * @param json    {"base_url": "https://host/v1", "idle_timeout_ms": 30000}, for instance; UTF-8
 * @param length  its length in bytes, or MODELWIRE_NUL
 * @param error   receives the error, to be freed with modelwire_error_free; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT or MODELWIRE_E_CONFIG, which changes nothing
 */
MODELWIRE_API
modelwire_status modelwire_config_set_options(modelwire_config *config,
                                              const char *json,
                                              size_t length,
                                              modelwire_error **error);

/**
 * Adds certificates that are trusted beside the system's, which SSL_CERT_FILE and SSL_CERT_DIR
 * replace.
 *
 * @param config  the configuration
 * @param pem     one or more certificates as PEM text, copied; checked when a client is made
 * @param length  its length in bytes, or MODELWIRE_NUL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or what is not UTF-8
 */
MODELWIRE_API
modelwire_status modelwire_config_add_ca_pem(modelwire_config *config,
                                             const char *pem,
                                             size_t length);

/**
 * The certificate with which the client proves itself to the service (mutual TLS).
 *
 * @param config  the configuration
 * @param pem     the certificate, its chain and its private key as PEM text, copied; checked when
 *                a client is made
 * @param length  its length in bytes, or MODELWIRE_NUL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or what is not UTF-8
 */
MODELWIRE_API
modelwire_status modelwire_config_set_client_certificate_pem(modelwire_config *config,
                                                             const char *pem,
                                                             size_t length);

/**
 * The proxy for every request. Without this the environment decides (HTTP_PROXY, HTTPS_PROXY,
 * ALL_PROXY, NO_PROXY), and loopback addresses are never proxied.
 *
 * @param config  the configuration
 * @param url     "http://...", "https://..." or "socks5h://...", copied; empty for none at all
 * @param length  its length in bytes, or MODELWIRE_NUL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or what is not UTF-8
 */
MODELWIRE_API
modelwire_status modelwire_config_set_proxy(modelwire_config *config,
                                            const char *url,
                                            size_t length);

/**
 * Speaks HTTP/2: many calls share one connection. Over TLS the service may still choose HTTP/1.1.
 *
 * @param config  the configuration
 * @param on      0 or 1; default 0
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL
 */
MODELWIRE_API
modelwire_status modelwire_config_set_http2(modelwire_config *config,
                                            int32_t on);

/**
 * Lets every call that is answered whole stream underneath and gather its response, for a service
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
 * process. Model lists and calls that failed or were stopped do not count. A sum that would be
 * larger than UINT64_MAX is UINT64_MAX.
 *
 * @param client         the client
 * @param calls          answered calls; may be NULL, like the others
 * @param calls_without_usage  those among them whose responses reported no usage, as streamed chats
 *                       of many services do without "stream_options": the tokens lack them
 * @param input_tokens   as the responses reported them
 * @param output_tokens  as the responses reported them
 * @param total_tokens   as the responses reported them
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for a NULL client
 */
MODELWIRE_API
modelwire_status modelwire_client_usage(const modelwire_client *client,
                                        uint64_t *calls,
                                        uint64_t *calls_without_usage,
                                        uint64_t *input_tokens,
                                        uint64_t *output_tokens,
                                        uint64_t *total_tokens);

/**
 * As modelwire_client_usage, of the calls that asked for one model.
 *
 * @param client         the client
 * @param model          the model's name as the requests named it
 * @param length         its length in bytes, or MODELWIRE_NUL
 * @param calls          answered calls; may be NULL, like the others
 * @param calls_without_usage  those among them whose responses reported no usage
 * @param input_tokens   as the responses reported them
 * @param output_tokens  as the responses reported them
 * @param total_tokens   as the responses reported them
 * @return MODELWIRE_OK; MODELWIRE_ABSENT if no call of this model was answered, and nothing is
 *         written; or MODELWIRE_E_ARGUMENT for NULL
 */
MODELWIRE_API
modelwire_status modelwire_client_usage_of_model(const modelwire_client *client,
                                                 const char *model,
                                                 size_t length,
                                                 uint64_t *calls,
                                                 uint64_t *calls_without_usage,
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
 * Each message is an object with a "role", a string, and "content", a string or an array; only
 * where the role is none of "user", "system", "developer" and "tool" may the content be null or
 * absent. "max_tokens" is 1 or more, or null.
 *
 * @param json    one JSON object, UTF-8, copied; checked here
 * @param length  its length in bytes, or MODELWIRE_NUL
 * @param out     the request; free it with modelwire_request_free
 * @param err     what is wrong, on failure; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not JSON (the error names the
 *         byte), or a field that is missing or cannot be right (the error names it)
 */
MODELWIRE_API
modelwire_status modelwire_request_chat_json(const char *json,
                                             size_t length,
                                             modelwire_request **out,
                                             modelwire_error **err);

/**
 * A response from JSON text with at least "model" and "input"; as modelwire_request_chat_json.
 *
 * "input" is a string or an array. "max_output_tokens" is 1 or more, or null.
 *
 * @param json    one JSON object, UTF-8, copied; checked here
 * @param length  its length in bytes, or MODELWIRE_NUL
 * @param out     the request; free it with modelwire_request_free
 * @param err     what is wrong, on failure; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not JSON (the error names the
 *         byte), or a field that is missing or cannot be right (the error names it)
 */
MODELWIRE_API
modelwire_status modelwire_request_response_json(const char *json,
                                                 size_t length,
                                                 modelwire_request **out,
                                                 modelwire_error **err);

/**
 * A chat completion, to be filled with modelwire_request_add_message and the setters.
 *
 * @param model   the model's name, copied
 * @param length  its length in bytes, or MODELWIRE_NUL
 * @param out     the request; free it with modelwire_request_free
 * @param err     what is wrong, on failure; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or what is not UTF-8
 */
MODELWIRE_API
modelwire_status modelwire_request_chat(const char *model,
                                        size_t length,
                                        modelwire_request **out,
                                        modelwire_error **err);

/**
 * A response, to be filled with modelwire_request_set_input and the setters.
 *
 * @param model   the model's name, copied
 * @param length  its length in bytes, or MODELWIRE_NUL
 * @param out     the request; free it with modelwire_request_free
 * @param err     what is wrong, on failure; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or what is not UTF-8
 */
MODELWIRE_API
modelwire_status modelwire_request_response(const char *model,
                                            size_t length,
                                            modelwire_request **out,
                                            modelwire_error **err);

/**
 * Adds a message to a chat that is built field by field. A longer conversation generally costs more
 * and takes longer.
 *
 * @param request         the request
 * @param role            "system", "user", "assistant"; copied
 * @param role_length     its length in bytes, or MODELWIRE_NUL
 * @param content         the text, copied
 * @param content_length  its length in bytes, or MODELWIRE_NUL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not UTF-8, or a request that is
 *         not a chat being built
 */
MODELWIRE_API
modelwire_status modelwire_request_add_message(modelwire_request *request,
                                               const char *role,
                                               size_t role_length,
                                               const char *content,
                                               size_t content_length);

/**
 * The input of a response that is built field by field, as plain text. A longer one generally costs
 * more and takes longer.
 *
 * @param request  the request
 * @param input    the text, copied
 * @param length   its length in bytes, or MODELWIRE_NUL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not UTF-8, or a request that is
 *         not a response being built
 */
MODELWIRE_API
modelwire_status modelwire_request_set_input(modelwire_request *request,
                                             const char *input,
                                             size_t length);

/**
 * The upper bound on the output, in tokens: "max_tokens" of a chat, "max_output_tokens" of a
 * response. Set by another function or in JSON text, it is held to the same bound when the call
 * starts. A higher bound may consume more.
 *
 * @param request  the request, being built field by field
 * @param tokens   at least 1
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, a number below 1, or a request that
 *         takes no fields
 */
MODELWIRE_API
modelwire_status modelwire_request_set_max_tokens(modelwire_request *request,
                                                  int32_t tokens);

/**
 * Any further field with a string as its value, "reasoning_effort" for instance.
 *
 * @param request       the request, being built field by field
 * @param name          the field's name, copied
 * @param name_length   its length in bytes, or MODELWIRE_NUL
 * @param value         the text, copied
 * @param value_length  its length in bytes, or MODELWIRE_NUL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not UTF-8, or a request that
 *         takes no fields
 */
MODELWIRE_API
modelwire_status modelwire_request_set_text(modelwire_request *request,
                                            const char *name,
                                            size_t name_length,
                                            const char *value,
                                            size_t value_length);

/**
 * Any further field with an integer as its value, "seed" for instance.
 *
 * @param request      the request, being built field by field
 * @param name         the field's name, copied
 * @param name_length  its length in bytes, or MODELWIRE_NUL
 * @param value        the integer
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not UTF-8, or a request that
 *         takes no fields
 */
MODELWIRE_API
modelwire_status modelwire_request_set_int(modelwire_request *request,
                                           const char *name,
                                           size_t name_length,
                                           int64_t value);

/**
 * Any further field with a number as its value, "temperature" for instance.
 *
 * @param request      the request, being built field by field
 * @param name         the field's name, copied
 * @param name_length  its length in bytes, or MODELWIRE_NUL
 * @param value        the number; JSON has neither infinities nor NaN
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not UTF-8, a number that JSON
 *         does not have, or a request that takes no fields
 */
MODELWIRE_API
modelwire_status modelwire_request_set_number(modelwire_request *request,
                                              const char *name,
                                              size_t name_length,
                                              double value);

/**
 * Any further field with a boolean as its value, "parallel_tool_calls" for instance.
 *
 * @param request      the request, being built field by field
 * @param name         the field's name, copied
 * @param name_length  its length in bytes, or MODELWIRE_NUL
 * @param value        0 is false, anything else true
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not UTF-8, or a request that
 *         takes no fields
 */
MODELWIRE_API
modelwire_status modelwire_request_set_bool(modelwire_request *request,
                                            const char *name,
                                            size_t name_length,
                                            int32_t value);

/**
 * Any further field with JSON text as its value: "tools", "response_format", "messages" with
 * images, numbers of any size. Sent as it is.
 *
 * @param request       the request, being built field by field
 * @param name          the field's name, copied
 * @param name_length   its length in bytes, or MODELWIRE_NUL
 * @param json          one JSON value, copied; checked here
 * @param json_length   its length in bytes, or MODELWIRE_NUL
 * @param err           what is wrong, on failure, with the position; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not UTF-8 or not JSON, or a
 *         request that takes no fields
 */
MODELWIRE_API
modelwire_status modelwire_request_set_json(modelwire_request *request,
                                            const char *name,
                                            size_t name_length,
                                            const char *json,
                                            size_t json_length,
                                            modelwire_error **err);

/**
 * A header of this request; it replaces the client's of the same name.
 *
 * @param request       the request
 * @param name          the header's name, copied; checked when the call starts
 * @param name_length   its length in bytes, or MODELWIRE_NUL
 * @param value         the header's value, copied
 * @param value_length  its length in bytes, or MODELWIRE_NUL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or what is not UTF-8
 */
MODELWIRE_API
modelwire_status modelwire_request_add_header(modelwire_request *request,
                                              const char *name,
                                              size_t name_length,
                                              const char *value,
                                              size_t value_length);

/**
 * The timeouts of this request in milliseconds, in place of the client's. A negative value leaves
 * the client's, 0 switches off.
 *
 * @param request        the request
 * @param first_byte_ms  from the start of an attempt to the complete head of its response
 * @param idle_ms        between two pieces of substance of a response
 * @param total_ms       over all attempts and every wait, from the call's start
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL
 */
MODELWIRE_API
modelwire_status modelwire_request_set_timeouts(modelwire_request *request,
                                                int64_t first_byte_ms,
                                                int64_t idle_ms,
                                                int64_t total_ms);

/**
 * The timeout of waiting for a connection where MODELWIRE_LIMIT_CONNECTIONS are in use, in place
 * of the client's.
 *
 * @param request  the request
 * @param pool_ms  milliseconds; negative leaves the client's, 0 switches off
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL
 */
MODELWIRE_API
modelwire_status modelwire_request_set_pool_timeout(modelwire_request *request,
                                                    int64_t pool_ms);

/**
 * How often and after what waits this request is tried again, as modelwire_config_set_retry says
 * it for a client. This, modelwire_request_set_retry_on, modelwire_request_set_retry_jitter and
 * modelwire_request_set_retry_adaptive add up in any order, and together replace all that the
 * client says of retrying: what none of them sets is the library's default. A negative value means
 * the library's default, not the client's.
 *
 * @param request             the request
 * @param retries_max         most retries; default 3, 0 switches off
 * @param first_wait_ms       wait before the first retry, doubled for each further one up to 8
 *                            seconds, and raised to what the service asks for; default 500
 * @param retry_after_max_ms  longest Retry-After that is waited for; default 60000
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL
 */
MODELWIRE_API
modelwire_status modelwire_request_set_retry(modelwire_request *request,
                                             int32_t retries_max,
                                             int64_t first_wait_ms,
                                             int64_t retry_after_max_ms);

/**
 * Which failures without a response this request is tried again after, beside the responses with
 * status 429; in place of all that the client says of retrying, as modelwire_request_set_retry.
 *
 * @param request  the request
 * @param what     MODELWIRE_RETRY_... joined by |; default 0, none
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or an unknown bit, which changes nothing
 */
MODELWIRE_API
modelwire_status modelwire_request_set_retry_on(modelwire_request *request,
                                                uint32_t what);

/**
 * How much chance adds to the waits between attempts of this request; in place of all that the
 * client says of retrying, as modelwire_request_set_retry.
 *
 * @param request  the request
 * @param part     the part of a wait that is added at most, 0 to 1; default 0.25
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or a part that is not from 0 to 1 (NaN is
 *         not), which changes nothing
 */
MODELWIRE_API
modelwire_status modelwire_request_set_retry_jitter(modelwire_request *request,
                                                    double part);

/**
 * Whether this request slows down together with the others of its client for which that is set, as
 * modelwire_config_set_retry_adaptive says it for a client; in place of all that the client says
 * of retrying, as modelwire_request_set_retry.
 *
 * @param request  the request
 * @param on       0 or 1; default 0
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL
 */
MODELWIRE_API
modelwire_status modelwire_request_set_retry_adaptive(modelwire_request *request,
                                                      int32_t on);

/**
 * Lets this request stream underneath and gather its response when it is run whole, for a model
 * that answers only by streaming.
 *
 * @param request  the request
 * @param on       0 or 1
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL
 */
MODELWIRE_API
modelwire_status modelwire_request_set_stream_only(modelwire_request *request,
                                                   int32_t on);

/**
 * Lets a stream gather its chunks, so that the response at its end has the whole response too, and
 * an error has what came before it; needs memory for the response.
 *
 * @param request  the request
 * @param on       0 or 1; default 0
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL
 */
MODELWIRE_API
modelwire_status modelwire_request_set_gather(modelwire_request *request,
                                              int32_t on);

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
 * Runs a call that is answered whole, and waits for the response.
 *
 * @param call  the call; a second run gives MODELWIRE_E_ARGUMENT
 * @param out   the response; free it with modelwire_response_free
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
 * Starts a call and returns; its events go to a callback on the client's callback thread. The
 * callback may block and run other calls: the I/O goes on without it. The
 * callbacks of one client run one after another; those of two clients may run at the same time.
 *
 * The last event is of kind MODELWIRE_EVENT_DONE, exactly once, however the call ends; then comes
 * the finalizer, once, on that thread, and nothing follows. If the callback ends the call, the
 * last event says MODELWIRE_E_CANCELLED. Freeing an unfinished call cancels it.
 *
 * @param call       the call; a second start gives MODELWIRE_E_ARGUMENT
 * @param stream     1 for a response piece by piece, 0 for a whole one
 * @param on_event   called for each event, in order
 * @param user_data  handed to both functions, on the callback thread; may be NULL
 * @param finalizer  releases user_data; may be NULL. If the start fails it is called too, before
 *                   this function returns, and on_event never is.
 * @param err        what is wrong, on failure; may be NULL
 * @return MODELWIRE_OK if it is on its way, or the kind of the error
 *
 * A program that unloads itself, or tears its own runtime down, calls modelwire_shutdown first.
 */
MODELWIRE_API
modelwire_status modelwire_call_start(modelwire_call *call,
                                      int32_t stream,
                                      modelwire_event_fn on_event,
                                      void *user_data,
                                      modelwire_finalizer finalizer,
                                      modelwire_error **err);

/**
 * Starts a call and returns; its events come out of a completion queue with this tag, the last
 * of them of kind MODELWIRE_EVENT_DONE, exactly once, however the call ends. Freeing an
 * unfinished call cancels it.
 *
 * @param call    the call; a second start gives MODELWIRE_E_ARGUMENT
 * @param stream  1 for a response piece by piece, 0 for a whole one
 * @param queue   the queue
 * @param tag     any number: an index, or a pointer of the program's
 * @param err     what is wrong, on failure; may be NULL
 * @return MODELWIRE_OK if it is on its way; MODELWIRE_E_CLOSED if the queue was closed; or the
 *         kind of the error: then no event comes
 */
MODELWIRE_API
modelwire_status modelwire_call_submit(modelwire_call *call,
                                       int32_t stream,
                                       const modelwire_queue *queue,
                                       uint64_t tag,
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
 * Makes an empty queue.
 *
 * @param call_events_max  how many events of one call wait at most before its body is no longer
 *                         read, so that the service waits too; at least 2; 0 or less leaves it to
 *                         the client's limit, 1024 by default
 * @param out              the queue; free it with modelwire_queue_free
 * @param err              what is wrong, on failure; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for a NULL out
 */
MODELWIRE_API
modelwire_status modelwire_queue_new(int32_t call_events_max,
                                     modelwire_queue **out,
                                     modelwire_error **err);

/**
 * Frees a queue that no other thread uses at the moment. Its unfinished calls are cancelled;
 * events that were not taken are lost.
 */
MODELWIRE_API void modelwire_queue_free(modelwire_queue *queue);

/**
 * A descriptor that is readable while there may be something to take, and once the queue is
 * closed and drained. It is a socket, non-blocking and close-on-exec, and works in epoll (level
 * and edge triggered), poll, select and every loop built on them. What is read from it has no
 * meaning; the library reads it itself.
 *
 * @param queue  the queue
 * @return the descriptor, the same each time; -1 if none can be made, in a forked child, and for
 *         NULL
 *
 * It belongs to the queue: do not close it; a loop that closes what it watches gets a dup of it.
 */
MODELWIRE_API
int32_t modelwire_queue_fd(const modelwire_queue *queue);

/**
 * Takes the next event of any call. The events of one call come in order; no call can starve the
 * others.
 *
 * @param queue       the queue
 * @param timeout_ms  longest wait in milliseconds; 0 does not wait, negative waits for ever
 * @param out         the event; free it with modelwire_event_free
 * @return MODELWIRE_OK; MODELWIRE_TIMEOUT if there was none in time, or modelwire_queue_wakeup
 *         was called; MODELWIRE_CLOSED if the queue was closed and every event was taken;
 *         MODELWIRE_E_FORKED in a forked child; MODELWIRE_E_ARGUMENT for NULL
 *
 * Several threads may take at the same time.
 */
MODELWIRE_API
modelwire_status modelwire_queue_next(const modelwire_queue *queue,
                                      int32_t timeout_ms,
                                      modelwire_event **out);

/**
 * Takes as many events as are there, as modelwire_queue_next does, and waits only for the first
 * one: cheaper for each event.
 *
 * @param queue       the queue
 * @param timeout_ms  longest wait in milliseconds; 0 does not wait, negative waits for ever
 * @param out         an array of max places; the events that were taken are written to its
 *                    beginning; free each with modelwire_event_free
 * @param max         how many events to take at most, at least 1
 * @param count       how many were taken; written on MODELWIRE_OK
 * @return as modelwire_queue_next
 */
MODELWIRE_API
modelwire_status modelwire_queue_take(const modelwire_queue *queue,
                                      int32_t timeout_ms,
                                      modelwire_event **out,
                                      size_t max,
                                      size_t *count);

/**
 * Lets one thread that waits in modelwire_queue_next, or the next one that would, return
 * MODELWIRE_TIMEOUT. Any thread, also a signal handler's helper thread; not a signal handler.
 */
MODELWIRE_API void modelwire_queue_wakeup(const modelwire_queue *queue);

/**
 * Refuses new calls and cancels those under way. Their last events come out as always; then
 * modelwire_queue_next gives MODELWIRE_CLOSED to every thread.
 */
MODELWIRE_API void modelwire_queue_close(const modelwire_queue *queue);

/**
 * Frees an event that was taken from a queue. One that a callback was given is not freed.
 */
MODELWIRE_API void modelwire_event_free(modelwire_event *event);

/**
 * MODELWIRE_EVENT_CHUNK or MODELWIRE_EVENT_DONE; 0 for NULL. Kinds may be added: skip what you
 * do not know.
 *
 * @param event  the event
 */
MODELWIRE_API int32_t modelwire_event_kind(const modelwire_event *event);

/**
 * The tag with which the call was submitted to a queue; 0 for other calls and for NULL.
 *
 * @param event  the event
 */
MODELWIRE_API uint64_t modelwire_event_tag(const modelwire_event *event);

/**
 * The response of a call that ended well, borrowed from the event; NULL for every other event.
 *
 * @param event  the event
 */
MODELWIRE_API const modelwire_response *modelwire_event_response(const modelwire_event *event);

/**
 * The error of a call that failed, borrowed from the event; NULL for every other event.
 *
 * @param event  the event
 */
MODELWIRE_API const modelwire_error *modelwire_event_error(const modelwire_event *event);

/**
 * The chunk's JSON text as the service sent it; NULL for the last event.
 *
 * @param event   the event
 * @param length  its length in bytes; may be NULL
 */
MODELWIRE_API const char *modelwire_event_json(const modelwire_event *event, size_t *length);

/**
 * The piece of output text that the chunk adds: the content of a chat's first choice, or an
 * output text delta of a response; empty for every other chunk, NULL for the last event.
 *
 * @param event   the event
 * @param length  its length in bytes; may be NULL
 */
MODELWIRE_API const char *modelwire_event_text(const modelwire_event *event, size_t *length);

/**
 * The name of the server-sent event, "response.completed" for instance; empty where there was
 * none, as in chat streams; NULL for the last event.
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
 * The tokens that the chunk, or the response at the end, reports.
 *
 * @param event          the event
 * @param input_tokens   may be NULL, like the others
 * @param output_tokens  output
 * @param total_tokens   both together
 * @return MODELWIRE_OK; MODELWIRE_ABSENT if it reports none, and nothing is written; or
 *         MODELWIRE_E_ARGUMENT for NULL
 */
MODELWIRE_API
modelwire_status modelwire_event_usage(const modelwire_event *event,
                                       uint64_t *input_tokens,
                                       uint64_t *output_tokens,
                                       uint64_t *total_tokens);

/**
 * How many tool calls the chunk adds a piece to, in its first choice; 0 for every other event.
 *
 * @param event  the event
 */
MODELWIRE_API size_t modelwire_event_tool_call_count(const modelwire_event *event);

/**
 * Which tool call of the response a piece belongs to; -1 where the service did not say, and beyond
 * the end.
 *
 * @param event  the event
 * @param at     which piece, from 0
 */
MODELWIRE_API
int64_t modelwire_event_tool_call_index(const modelwire_event *event,
                                        size_t at);

/**
 * The id of a tool call, on its first piece mostly; NULL where it is absent.
 *
 * @param event  the event
 * @param at     which piece, from 0
 */
MODELWIRE_API const char *modelwire_event_tool_call_id(const modelwire_event *event, size_t at);

/**
 * The name of the function of a tool call, on its first piece mostly; NULL where it is absent.
 *
 * @param event  the event
 * @param at     which piece, from 0
 */
MODELWIRE_API
const char *modelwire_event_tool_call_name(const modelwire_event *event,
                                           size_t at);

/**
 * A piece of the arguments of a tool call, which together are JSON text; NULL where it is
 * absent.
 *
 * @param event   the event
 * @param at      which piece, from 0
 * @param length  its length in bytes; may be NULL
 */
MODELWIRE_API
const char *modelwire_event_tool_call_arguments(const modelwire_event *event,
                                                size_t at,
                                                size_t *length);

/**
 * Frees a response.
 */
MODELWIRE_API void modelwire_response_free(modelwire_response *response);

/**
 * The JSON text as the service sent it; empty at the end of a stream, whose events were the
 * response.
 *
 * @param response  the response
 * @param length    its length in bytes; may be NULL
 */
MODELWIRE_API
const char *modelwire_response_json(const modelwire_response *response,
                                    size_t *length);

/**
 * The output text: the content of a chat's first choice, or all output text of a response;
 * empty where there is none and at the end of a stream.
 *
 * @param response  the response
 * @param length    its length in bytes; may be NULL
 */
MODELWIRE_API
const char *modelwire_response_text(const modelwire_response *response,
                                    size_t *length);

/**
 * Why the first choice of a chat stopped, or the status of a response; NULL where there is
 * none.
 *
 * @param response  the response
 */
MODELWIRE_API const char *modelwire_response_finish_reason(const modelwire_response *response);

/**
 * The service's name for the exchange, to give to its support; NULL where there is none.
 *
 * @param response  the response
 */
MODELWIRE_API const char *modelwire_response_request_id(const modelwire_response *response);

/**
 * How the response was known to be complete: "document", "done_mark", "final_event" or
 * "finish_reasons".
 *
 * @param response  the response
 */
MODELWIRE_API const char *modelwire_response_end(const modelwire_response *response);

/**
 * The HTTP status, 200 for instance; 0 for NULL.
 *
 * @param response  the response
 */
MODELWIRE_API int32_t modelwire_response_http_status(const modelwire_response *response);

/**
 * How many times the request was attempted: more than once where the retry policy waited and tried
 * again; 0 for NULL.
 *
 * @param response  the response
 */
MODELWIRE_API
int32_t modelwire_response_attempts(const modelwire_response *response);

/**
 * From the start of the first attempt to the end of the response, waits included, in
 * milliseconds; -1 for NULL.
 *
 * @param response  the response
 */
MODELWIRE_API int64_t modelwire_response_elapsed_ms(const modelwire_response *response);

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
 * How many headers the response has.
 *
 * @param response  the response
 */
MODELWIRE_API size_t modelwire_response_header_count(const modelwire_response *response);

/**
 * The name of a header, in lower case and in the order of the response; NULL beyond the end.
 *
 * @param response  the response
 * @param index     from 0
 */
MODELWIRE_API
const char *modelwire_response_header_name(const modelwire_response *response,
                                           size_t index);

/**
 * The value of a header, in the order of the response; NULL beyond the end.
 *
 * @param response  the response
 * @param index     from 0
 */
MODELWIRE_API
const char *modelwire_response_header_value(const modelwire_response *response,
                                            size_t index);

/**
 * 1 if the JSON text was put together from the chunks of a stream, 0 if the service sent it as it
 * is.
 *
 * @param response  the response
 */
MODELWIRE_API
int32_t modelwire_response_is_gathered(const modelwire_response *response);

/**
 * How many tool calls the model made, in the first choice of a chat or anywhere in a response.
 *
 * @param response  the response
 */
MODELWIRE_API size_t modelwire_response_tool_call_count(const modelwire_response *response);

/**
 * What the result of a tool call has to name: its id, or the call_id of a response; empty if
 * the service left it out, NULL beyond the end.
 *
 * @param response  the response
 * @param index     from 0
 */
MODELWIRE_API
const char *modelwire_response_tool_call_id(const modelwire_response *response,
                                            size_t index);

/**
 * The name of the function that a tool call asks for; NULL beyond the end.
 *
 * @param response  the response
 * @param index     from 0
 */
MODELWIRE_API
const char *modelwire_response_tool_call_name(const modelwire_response *response,
                                              size_t index);

/**
 * The arguments of a tool call as JSON text, as the model wrote it; NULL beyond the end.
 *
 * @param response  the response
 * @param index     from 0
 * @param length    its length in bytes; may be NULL
 */
MODELWIRE_API
const char *modelwire_response_tool_call_arguments(const modelwire_response *response,
                                                   size_t index,
                                                   size_t *length);

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
 * A string anywhere in the response, decoded; NULL where there is none.
 *
 * @param response     the response
 * @param path         a JSON pointer (RFC 6901), "/choices/0/message/refusal" for instance
 * @param path_length  its length in bytes, or MODELWIRE_NUL
 * @param length       the result's length in bytes; may be NULL
 */
MODELWIRE_API
const char *modelwire_response_get_text(const modelwire_response *response,
                                        const char *path,
                                        size_t path_length,
                                        size_t *length);

/**
 * Anything in the response as the JSON text that was sent, numbers to their last digit; NULL where
 * there is nothing. The empty path is the whole.
 *
 * @param response     the response
 * @param path         a JSON pointer (RFC 6901), "/choices/0/message/refusal" for instance
 * @param path_length  its length in bytes, or MODELWIRE_NUL
 * @param length       the result's length in bytes; may be NULL
 */
MODELWIRE_API
const char *modelwire_response_get_json(const modelwire_response *response,
                                        const char *path,
                                        size_t path_length,
                                        size_t *length);

/**
 * An integer that fits 64 bits anywhere in the response.
 *
 * @param response     the response
 * @param path         a JSON pointer (RFC 6901), "/choices/0/message/refusal" for instance
 * @param path_length  its length in bytes, or MODELWIRE_NUL
 * @param out          where it is written
 * @return MODELWIRE_OK; MODELWIRE_ABSENT where there is none, and nothing is written; or
 *         MODELWIRE_E_ARGUMENT for NULL
 */
MODELWIRE_API
modelwire_status modelwire_response_get_int(const modelwire_response *response,
                                            const char *path,
                                            size_t path_length,
                                            int64_t *out);

/**
 * A number anywhere in the response.
 *
 * @param response     the response
 * @param path         a JSON pointer (RFC 6901), "/choices/0/message/refusal" for instance
 * @param path_length  its length in bytes, or MODELWIRE_NUL
 * @param out          where it is written
 * @return MODELWIRE_OK; MODELWIRE_ABSENT where there is none, and nothing is written; or
 *         MODELWIRE_E_ARGUMENT for NULL
 */
MODELWIRE_API
modelwire_status modelwire_response_get_number(const modelwire_response *response,
                                               const char *path,
                                               size_t path_length,
                                               double *out);

/**
 * A boolean, as 0 or 1, anywhere in the response.
 *
 * @param response     the response
 * @param path         a JSON pointer (RFC 6901), "/choices/0/message/refusal" for instance
 * @param path_length  its length in bytes, or MODELWIRE_NUL
 * @param out          where it is written
 * @return MODELWIRE_OK; MODELWIRE_ABSENT where there is none, and nothing is written; or
 *         MODELWIRE_E_ARGUMENT for NULL
 */
MODELWIRE_API
modelwire_status modelwire_response_get_bool(const modelwire_response *response,
                                             const char *path,
                                             size_t path_length,
                                             int32_t *out);

/**
 * How many items an array, or members an object, anywhere in the response has; 0 for anything
 * else.
 *
 * @param response     the response
 * @param path         a JSON pointer (RFC 6901), "/choices/0/message/refusal" for instance
 * @param path_length  its length in bytes, or MODELWIRE_NUL
 */
MODELWIRE_API
size_t modelwire_response_get_count(const modelwire_response *response,
                                    const char *path,
                                    size_t path_length);

/**
 * A string anywhere in the chunk, decoded; NULL where there is none.
 *
 * @param event        the event
 * @param path         a JSON pointer (RFC 6901), "/choices/0/message/refusal" for instance
 * @param path_length  its length in bytes, or MODELWIRE_NUL
 * @param length       the result's length in bytes; may be NULL
 */
MODELWIRE_API
const char *modelwire_event_get_text(const modelwire_event *event,
                                     const char *path,
                                     size_t path_length,
                                     size_t *length);

/**
 * Anything in the chunk as the JSON text that was sent, numbers to their last digit; NULL where
 * there is nothing. The empty path is the whole.
 *
 * @param event        the event
 * @param path         a JSON pointer (RFC 6901), "/choices/0/message/refusal" for instance
 * @param path_length  its length in bytes, or MODELWIRE_NUL
 * @param length       the result's length in bytes; may be NULL
 */
MODELWIRE_API
const char *modelwire_event_get_json(const modelwire_event *event,
                                     const char *path,
                                     size_t path_length,
                                     size_t *length);

/**
 * An integer that fits 64 bits anywhere in the chunk.
 *
 * @param event        the event
 * @param path         a JSON pointer (RFC 6901), "/choices/0/message/refusal" for instance
 * @param path_length  its length in bytes, or MODELWIRE_NUL
 * @param out          where it is written
 * @return MODELWIRE_OK; MODELWIRE_ABSENT where there is none, and nothing is written; or
 *         MODELWIRE_E_ARGUMENT for NULL
 */
MODELWIRE_API
modelwire_status modelwire_event_get_int(const modelwire_event *event,
                                         const char *path,
                                         size_t path_length,
                                         int64_t *out);

/**
 * A number anywhere in the chunk.
 *
 * @param event        the event
 * @param path         a JSON pointer (RFC 6901), "/choices/0/message/refusal" for instance
 * @param path_length  its length in bytes, or MODELWIRE_NUL
 * @param out          where it is written
 * @return MODELWIRE_OK; MODELWIRE_ABSENT where there is none, and nothing is written; or
 *         MODELWIRE_E_ARGUMENT for NULL
 */
MODELWIRE_API
modelwire_status modelwire_event_get_number(const modelwire_event *event,
                                            const char *path,
                                            size_t path_length,
                                            double *out);

/**
 * A boolean, as 0 or 1, anywhere in the chunk.
 *
 * @param event        the event
 * @param path         a JSON pointer (RFC 6901), "/choices/0/message/refusal" for instance
 * @param path_length  its length in bytes, or MODELWIRE_NUL
 * @param out          where it is written
 * @return MODELWIRE_OK; MODELWIRE_ABSENT where there is none, and nothing is written; or
 *         MODELWIRE_E_ARGUMENT for NULL
 */
MODELWIRE_API
modelwire_status modelwire_event_get_bool(const modelwire_event *event,
                                          const char *path,
                                          size_t path_length,
                                          int32_t *out);

/**
 * How many items an array, or members an object, anywhere in the chunk has; 0 for anything else.
 *
 * @param event        the event
 * @param path         a JSON pointer (RFC 6901), "/choices/0/message/refusal" for instance
 * @param path_length  its length in bytes, or MODELWIRE_NUL
 */
MODELWIRE_API
size_t modelwire_event_get_count(const modelwire_event *event,
                                 const char *path,
                                 size_t path_length);

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
 * The service's own message where it gave one, else the library's with the cause. Never NULL
 * for an error. A NUL that a service put into it ends it here; modelwire_error_report has all
 * of it.
 *
 * @param error  the error
 */
MODELWIRE_API const char *modelwire_error_message(const modelwire_error *error);

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
 * The body of the failed response, at most 64 KiB of it, the key masked; NULL where none came.
 *
 * @param error   the error
 * @param length  its length in bytes; may be NULL
 */
MODELWIRE_API const char *modelwire_error_body(const modelwire_error *error, size_t *length);

/**
 * What was gathered of the response before it failed, as JSON text, where the call gathers: a
 * part of what was paid for, not the whole. NULL where nothing was.
 *
 * @param error   the error
 * @param length  its length in bytes; may be NULL
 */
MODELWIRE_API const char *modelwire_error_partial(const modelwire_error *error, size_t *length);

/**
 * Everything that support needs, as text of several lines, without the key.
 *
 * @param error   the error
 * @param length  its length in bytes; may be NULL
 */
MODELWIRE_API const char *modelwire_error_report(const modelwire_error *error, size_t *length);

/**
 * The HTTP status; 0 where no response came.
 *
 * @param error  the error
 */
MODELWIRE_API int32_t modelwire_error_http_status(const modelwire_error *error);

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

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MODELWIRE_H */
