/*
 * modelwire: client for OpenAI-compatible model inference services.
 * Generated from ffi-c/src by cbindgen (`make generate`); do not edit.
 *
 *   modelwire_client *client;  modelwire_queue *queue;  modelwire_event *event;
 *   const char *json =
 *       "{\"model\":\"a-model\",\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]}";
 *
 *   modelwire_client_new(NULL, 0, &client, NULL);    base URL and key from the environment
 *   modelwire_queue_new(0, &queue, NULL);
 *   modelwire_queue_submit(queue, client, MODELWIRE_OPERATION_CHAT, json, MODELWIRE_NUL, 1, 7, NULL);
 *   while (modelwire_queue_next(queue, -1, &event) == MODELWIRE_OK) {
 *     int32_t kind = modelwire_event_kind(event);
 *     if (kind == MODELWIRE_EVENT_CHUNK)
 *       fputs(modelwire_event_text(event, NULL), stdout);
 *     if (kind == MODELWIRE_EVENT_ERROR)
 *       puts(modelwire_event_json(event, NULL));
 *     modelwire_event_free(event);
 *     if (kind != MODELWIRE_EVENT_CHUNK)
 *       break;    the last event of call 7
 *   }
 *
 * with every status checked and every handle freed.  Link with -lmodelwire.
 *
 * A COMPLETE BINDING needs fifteen functions: lists, chats, streams, cancel, errors, thousands of
 * calls on one thread:
 *
 *   modelwire_client_new  modelwire_client_free
 *   modelwire_queue_new   modelwire_queue_free    modelwire_queue_fd   modelwire_queue_next
 *   modelwire_queue_submit                        modelwire_queue_cancel
 *   modelwire_event_kind  modelwire_event_tag     modelwire_event_json modelwire_event_free
 *   modelwire_error_json  modelwire_error_free    modelwire_status_name
 *
 * WAYS TO RUN A CALL
 *
 *   modelwire_queue_submit under a tag; events come out of a queue, by a waiting thread or by any
 *                          event loop that watches modelwire_queue_fd
 *   modelwire_call_run     waits for the whole response
 *   modelwire_call_stream  waits, and calls back on this thread for each chunk
 *   modelwire_call_start   returns; a thread of the client's own calls back
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
 *   the kind of an error.  After each call `*out` is what was made, or NULL where the status is not
 *   MODELWIRE_OK; `*err` is the error, or NULL where there is none. What stood there before is not
 *   looked at: free it first. `err` may be NULL.
 * Threads.  A function that takes `const T *` may run on any thread at any time, also while
 *   another runs on the same handle, one that takes `T *` included.  A function that takes `T *`
 *   runs once at a time, and a handle is freed when no function is about to begin with it.  The only
 *   functions for signal handlers are modelwire_queue_wakeup and modelwire_call_wakeup of what is
 *   interruptible.  The library's own threads take no signal of the process.
 *   A thread that waits for all that is under way in its process does the I/O itself meanwhile;
 *   nothing of the program's runs there but its own callbacks, and SIGPIPE is kept from it.
 * NULL.  A NULL handle, one of another type, or a missing `out` gives MODELWIRE_E_ARGUMENT, never a
 *   crash; an accessor gives NULL for a text or a handle, and 0 for a number.  Freeing NULL and
 *   cancelling NULL do nothing.
 * Cancellation.  While a thread runs a function that waits or does I/O, and the callbacks of that
 *   function, pthread_cancel of it is held off: it takes effect at the thread's next cancellation
 *   point after the function has returned.  modelwire_call_cancel or modelwire_queue_wakeup lets it
 *   return.
 * Fork.  A child process makes its own calls with inherited clients; a call that was made before
 *   the fork, started or not, gives MODELWIRE_E_FORKED in the child and is not changed in the parent.
 *
 * CALLBACKS
 *
 * What a callback may call.  "yes" means as anywhere else: it may also wait, and what waits for the
 *   callback waits as long.  "ends X" means yes, and the call ends with MODELWIRE_E_X.  "X" means that
 *   nothing is done, and the function returns MODELWIRE_E_X: CALLBACK where it would wait for the end
 *   of the callback that called it.  "This call" is the one whose callback it is, or in the last two
 *   columns one in flight; the client is the one of the callback.  Of another client everything
 *   is allowed; callbacks of two clients that wait for each other wait forever.
 *   A finalizer may call what its callback may.  Where the function fails that was given it, the
 *   finalizer runs before that function returns, and may free what the function was given.
 *
 *                                on_event of     on_event of     on_call of      on_log of
 *                                call_start      call_stream     client_on_call  set_log
 *   its thread                   the client's    the caller's    one of its own  one of its own
 *   call_run of another call     yes             yes             yes             yes
 *   call_stream of another call  yes             yes             yes             yes
 *   call_start of another call   yes             yes             yes             yes
 *   call_run of this call        ARGUMENT        ARGUMENT        ARGUMENT        ARGUMENT
 *   call_stream of this call     ARGUMENT        ARGUMENT        ARGUMENT        ARGUMENT
 *   call_start of this call      ARGUMENT        ARGUMENT        ARGUMENT        ARGUMENT
 *   call_wait for this call      CALLBACK        ARGUMENT        yes             yes
 *   call_cancel of this call     ends CANCELLED  ends CANCELLED  ends CANCELLED  ends CANCELLED
 *   call_free of this call       ends CANCELLED  ends CANCELLED  ends CANCELLED  ends CANCELLED
 *   event_free of what is given  yes             yes             yes             yes
 *   every function of a queue    yes             yes             yes             yes
 *   client_free                  yes             yes             yes             yes
 *   client_close                 CALLBACK        ends CLOSED     CALLBACK        ends CLOSED
 *   client_on_call               yes             yes             yes             yes
 *   set_log                      yes             yes             yes             CALLBACK
 *   shutdown                     CALLBACK        ends SHUTDOWN   CALLBACK        CALLBACK
 *
 *   What is not in the table waits for nothing, and may be called everywhere.
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

/*
 * A program that was built for this header does not start on a library that is older: the loader
 * names what it misses, modelwire_needs_0_1. Who loads the library by dlopen defines
 * MODELWIRE_DLOPEN and asks modelwire_check_abi and modelwire_version_number.
 */
#if defined(__GNUC__) && !defined(MODELWIRE_DLOPEN)
#ifdef __cplusplus
extern "C" {
#endif
MODELWIRE_API extern const uint8_t modelwire_needs_0_1;
#ifdef __cplusplus
}
#endif
/* Kept by linkers that leave out what is not used. */
#if defined(__has_attribute) && defined(__ELF__)
#if __has_attribute(retain)
__attribute__((retain))
#endif
#endif
static const uint8_t *const modelwire_needs __attribute__((used)) = &modelwire_needs_0_1;
#endif


/**
 * Waits return MODELWIRE_INTERRUPTED when a signal handler ran on the thread that waits, with or without
 * SA_RESTART, or a wakeup came from inside one; and at the latest after 100 ms without anything else, so
 * that a signal is noticed that came just before the wait. Look at your own flags then, and wait on.
 */
#define MODELWIRE_INTERRUPTIBLE 1

/**
 * Of a queue: its descriptor is a socket, for event loops that take nothing else. It needs more
 * descriptors.
 */
#define MODELWIRE_SOCKET 2

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
 * List the models.
 */
#define MODELWIRE_OPERATION_MODELS 1

/**
 * Chat completions.
 */
#define MODELWIRE_OPERATION_CHAT 2

/**
 * Responses.
 */
#define MODELWIRE_OPERATION_RESPONSES 3

/**
 * One chunk of a streamed response.
 */
#define MODELWIRE_EVENT_CHUNK 1

/**
 * The last event of a call that ended well.
 */
#define MODELWIRE_EVENT_RESPONSE 2

/**
 * The last event of a call that failed, was cancelled, or could not begin.
 */
#define MODELWIRE_EVENT_ERROR 3

/**
 * A record of the log; belongs to no call.
 */
#define MODELWIRE_EVENT_LOG 4

/**
 * The record of a call that has ended, in the function of modelwire_client_on_call and in queues with
 * modelwire_queue_follow_calls.
 */
#define MODELWIRE_EVENT_CALL 5

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
 * One exchange with the service: made before it starts, so that any thread can cancel it at any
 * time; run once.
 */
typedef struct modelwire_call modelwire_call;

/**
 * A client of one service: may be shared between threads, which do not wait for each other.
 */
typedef struct modelwire_client modelwire_client;

/**
 * What went wrong, with everything that is known about it; immutable, may be shared between
 * threads.
 */
typedef struct modelwire_error modelwire_error;

/**
 * One event; immutable, may be shared between threads.
 */
typedef struct modelwire_event modelwire_event;

/**
 * The events of many calls in one place; may be shared between threads. Its calls need no handle:
 * each has a tag, any number of the program's, under which it is submitted, cancelled, paused and
 * resumed.
 *
 * A thread waits in modelwire_queue_next.  An event loop watches modelwire_queue_fd for reading
 * and then calls modelwire_queue_next with a timeout of 0 until it gives something else than
 * MODELWIRE_OK.
 */
typedef struct modelwire_queue modelwire_queue;

/**
 * A request of one of the three operations; used by one thread at a time, for any number of
 * calls.
 */
typedef struct modelwire_request modelwire_request;

/**
 * The response to a call; immutable, may be shared between threads.
 */
typedef struct modelwire_response modelwire_response;

/**
 * A JSON text and the values in it; immutable, may be shared between threads.
 *
 * A value is found by a path, a JSON pointer (RFC 6901): "/choices/0/message/refusal" for
 * instance, "" for the whole. What a function gives lives as long as this handle.
 */
typedef struct modelwire_value modelwire_value;

/**
 * The result of a function: 0 is success, positive is an outcome that is no error, negative is
 * the kind of an error.
 */
typedef int32_t modelwire_status;

/**
 * Called for each event, in order.
 *
 * @param user_data  as it was given
 * @param event      valid during the callback
 * @return 0 to go on; anything else ends the call and closes its exchange, or ends the log, or what is
 *         told of calls
 *
 * What it may call: the table CALLBACKS above. It must not throw, longjmp or end its thread
 * (pthread_exit) through the library.
 */
typedef int32_t (*modelwire_event_fn)(void *user_data, const modelwire_event *event);

/**
 * Releases the user_data of a callback. It is called once, when the callback will not be called
 * any more; on which thread, the function that takes it says.
 *
 * @param user_data  as it was given
 */
typedef void (*modelwire_finalizer)(void *user_data);

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
 * A signal, or a wakeup, ended a wait that was made interruptible; no error. What was waited for goes
 * on: look at your own flags, and wait again or cancel.
 */
#define MODELWIRE_INTERRUPTED 5

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
 * One of the timeouts; "timeout" of the error's JSON says which.
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
 * The client or queue was closed.
 */
#define MODELWIRE_E_CLOSED (-18)

/**
 * The call belongs to the parent process.
 */
#define MODELWIRE_E_FORKED (-19)

/**
 * The library was shut down while the call was under way.
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
 * The name of a status, an identifier: "rate_limited" for MODELWIRE_E_RATE_LIMITED for instance, "ok"
 * for MODELWIRE_OK, "wait_timeout" for MODELWIRE_TIMEOUT. Static, never NULL, any thread.
 *
 * @param status  what a function returned
 */
MODELWIRE_API
const char *modelwire_status_name(modelwire_status status);

/**
 * Ends everything that this copy of the library does in this process: every call ends with
 * MODELWIRE_E_SHUTDOWN, callbacks see their last event, the functions of modelwire_client_on_call are told
 * of every call and end, the log ends, connections are closed and the library's threads joined. Calls that start meanwhile fail. Afterwards nothing runs, and whatever is
 * used again, old clients and queues included, starts afresh. Optional: a process may simply exit.
 *
 * For a host that goes away, or a plugin with a static copy of its own before it is unloaded. A
 * plugin that shares the library with others closes its clients instead (modelwire_client_close).
 *
 * @param timeout_ms  longest wait in milliseconds; negative waits without end
 * @return MODELWIRE_OK; MODELWIRE_TIMEOUT if a thread did not end in time, because a callback
 *         hangs for instance: it ends on its own, and the next shutdown waits for it again; or
 *         MODELWIRE_E_CALLBACK (see CALLBACKS)
 *
 * Any thread.
 */
MODELWIRE_API
modelwire_status modelwire_shutdown(int32_t timeout_ms);

/**
 * Makes a client. Connects to nothing yet.
 *
 * What is not among the options has its default; base URL and key come from the environment then
 * (MODELWIRE_BASE_URL or OPENAI_BASE_URL, MODELWIRE_API_KEY or OPENAI_API_KEY).
 *
 * @param options  one JSON object with options by name, as docs/options.md has them:
 *                 {"base_url":"https://host/v1","api_key":"...","idle_timeout_ms":30000} for
 *                 instance; UTF-8, copied; NULL means none
 * @param length   its length in bytes, or MODELWIRE_NUL
 * @param out      the client; free it with modelwire_client_free
 * @param err      what is wrong, on failure: it names the option, and of an unknown one the nearest
 *                 that there is; may be NULL
 * @return MODELWIRE_OK; MODELWIRE_E_CONFIG if the options are wrong or miss something; or
 *         MODELWIRE_E_ARGUMENT for what is not UTF-8
 */
MODELWIRE_API
modelwire_status modelwire_client_new(const char *options,
                                      size_t length,
                                      modelwire_client **out,
                                      modelwire_error **err);

/**
 * Frees a client. Its calls go on and keep what they need; the function of modelwire_client_on_call is
 * still told of them.
 */
MODELWIRE_API
void modelwire_client_free(modelwire_client *client);

/**
 * Ends what a client does: refuses new calls, ends those under way with MODELWIRE_E_CLOSED, closes
 * its connections, and returns when every callback of its started calls has seen its last event, the
 * function of modelwire_client_on_call was told of every call, and every finalizer has returned. What a host or a plugin does before it goes away: nothing of it is
 * called by this client afterwards. Other clients are not touched.
 *
 * @param client      the client; it is still to be freed
 * @param timeout_ms  longest wait in milliseconds; negative waits without end
 * @param err         what is wrong, on failure; may be NULL
 * @return MODELWIRE_OK; MODELWIRE_TIMEOUT if a callback did not return in time: waiting again goes
 *         on; or MODELWIRE_E_CALLBACK (see CALLBACKS)
 *
 * Any thread. Closing again only waits.
 */
MODELWIRE_API
modelwire_status modelwire_client_close(const modelwire_client *client,
                                        int32_t timeout_ms,
                                        modelwire_error **err);

/**
 * What the answered chats and responses of a client used so far, in this process, as a JSON object:
 * "calls"; "calls_without_usage", those among them whose responses reported none; "input_tokens",
 * "output_tokens", "total_tokens"; of these "cached_input_tokens", "cache_write_tokens",
 * "reasoning_tokens", "audio_input_tokens", "audio_output_tokens"; "models", an object with the same
 * ten for each requested model; "keys", an object with all of this, "models" too, for each key; and
 * "key_id", the name in "keys" of the client's own key. Keys are named by the first 16 hexadecimal
 * digits, in lower case, of the SHA-256 of "modelwire:" and the key; of more than 4096 keys the last
 * ones are summed up as "other". Of more than 16384 models, those of each key counted, the last ones are
 * summed up as "(other)", as are those with names of more than 1024 bytes. Model lists and calls that failed or were stopped do not count. A sum
 * that would be larger than 2^63 - 1 is that.
 *
 * @param client  the client
 * @return the sums as they are now; free them with modelwire_value_free; NULL for NULL
 */
MODELWIRE_API
modelwire_value *modelwire_client_usage(const modelwire_client *client);

/**
 * What modelwire_client_usage gives, and sets all sums back to 0 in one step: a call that ends
 * meanwhile is in these sums or in the next ones, never in both and never in none. Of clients that
 * share their sums it takes those of all.
 *
 * @param client  the client
 * @return the sums as they were; free them with modelwire_value_free; NULL for NULL
 */
MODELWIRE_API
modelwire_value *modelwire_client_take_usage(const modelwire_client *client);

/**
 * Calls a function with the record of each call of a client, in place of an earlier function: once for each
 * call that was started, after it has ended, however it ended, in the order of the ends, on one thread of the library.
 * No call waits for the function, which may block and run calls. At most 4096 records wait for it, with 64 MiB of
 * answers and times of chunks; further ones are dropped, and the next event has their number ("dropped" of
 * modelwire_event_info). The function is called a moment after the program can see the end of the call;
 * modelwire_client_close waits for the last one. The same record is "timing" in modelwire_response_info
 * and in modelwire_error_value. A program with a loop uses modelwire_queue_follow_calls, without another thread.
 *
 * An earlier function first gets the calls that ended before; its finalizer has returned when the new
 * function is called for the first time. The function lives as long as the client and its calls. It ends, after
 * what waits for it, at modelwire_client_close and at modelwire_shutdown, which wait for that; after a shutdown
 * it can be set again. A forked child has none: neither the function nor its finalizer is called there.
 *
 * @param client     the client
 * @param on_call    called with one event of kind MODELWIRE_EVENT_CALL for each call, whose record
 *                   modelwire_event_json and modelwire_event_value give; a nonzero return ends this; NULL
 *                   ends it too, for calls that end from now on
 * @param user_data  handed to both functions; may be NULL
 * @param finalizer  releases user_data, once, when the function will not be called any more, on its
 *                   thread, or here if this function fails; may be NULL
 * @param err        what is wrong, on failure, which leaves an earlier function as it is; may be NULL
 * @return MODELWIRE_OK; MODELWIRE_E_CLOSED if the client was closed, MODELWIRE_E_SHUTDOWN during a
 *         shutdown; or MODELWIRE_E_ARGUMENT for NULL
 *
 * Any thread, the function itself too.
 */
MODELWIRE_API
modelwire_status modelwire_client_on_call(const modelwire_client *client,
                                          modelwire_event_fn on_call,
                                          void *user_data,
                                          modelwire_finalizer finalizer,
                                          modelwire_error **err);

/**
 * Makes a request from whole JSON text, or an empty one to be filled by modelwire_request_set_text
 * ("model" and, of a response, "input"), modelwire_request_add_message and the other setters, which
 * escape strings, for programs without a JSON library.
 *
 * A chat has at least "model" and "messages", a response "model" and "input". The text is sent as it
 * is, but for "stream": that follows from how the call is made, and a "stream" that says otherwise
 * is an error. Each message is an object with a "role", a string, and "content", a string or an
 * array; only where the role is none of "user", "system", "developer" and "tool" may the content be
 * null or absent. "max_tokens" of a chat and "max_output_tokens" of a response are 1 or more, or
 * null.
 *
 * @param operation  MODELWIRE_OPERATION_...
 * @param json       one JSON object, UTF-8, copied; checked here; NULL for an empty request, and for
 *                   the model list, which has no body
 * @param length     its length in bytes, or MODELWIRE_NUL
 * @param out        the request; free it with modelwire_request_free
 * @param err        what is wrong, on failure: it names the byte or the field; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for an unknown operation, what is not JSON, or a field
 *         that is missing or cannot be right
 */
MODELWIRE_API
modelwire_status modelwire_request_new(int32_t operation,
                                       const char *json,
                                       size_t length,
                                       modelwire_request **out,
                                       modelwire_error **err);

/**
 * Frees a request; calls made from it keep their copy.
 */
MODELWIRE_API void modelwire_request_free(modelwire_request *request);

/**
 * Adds a message to a chat that is filled field by field, behind those of a "messages" that was set by
 * modelwire_request_set_json. A longer conversation generally costs more
 * and takes longer.
 *
 * @param request         the request
 * @param role            "system", "user", "assistant"; copied
 * @param role_length     its length in bytes, or MODELWIRE_NUL
 * @param content         the text, copied
 * @param content_length  its length in bytes, or MODELWIRE_NUL
 * @param err             what is wrong, on failure; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not UTF-8, or a request that is
 *         not a chat being filled
 */
MODELWIRE_API
modelwire_status modelwire_request_add_message(modelwire_request *request,
                                               const char *role,
                                               size_t role_length,
                                               const char *content,
                                               size_t content_length,
                                               modelwire_error **err);

/**
 * Sets a field to a string: "model", "input", "reasoning_effort" for instance. A second value
 * replaces the first.
 *
 * @param request       the request, being filled field by field
 * @param name          the field's name, copied
 * @param name_length   its length in bytes, or MODELWIRE_NUL
 * @param value         the text, copied
 * @param value_length  its length in bytes, or MODELWIRE_NUL
 * @param err           what is wrong, on failure; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not UTF-8, or a request that
 *         takes no fields
 */
MODELWIRE_API
modelwire_status modelwire_request_set_text(modelwire_request *request,
                                            const char *name,
                                            size_t name_length,
                                            const char *value,
                                            size_t value_length,
                                            modelwire_error **err);

/**
 * Sets a field to an integer: "max_tokens", "seed" for instance.
 *
 * @param request      the request, being filled field by field
 * @param name         the field's name, copied
 * @param name_length  its length in bytes, or MODELWIRE_NUL
 * @param value        the integer
 * @param err          what is wrong, on failure; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not UTF-8, or a request that
 *         takes no fields
 */
MODELWIRE_API
modelwire_status modelwire_request_set_int(modelwire_request *request,
                                           const char *name,
                                           size_t name_length,
                                           int64_t value,
                                           modelwire_error **err);

/**
 * Sets a field to a number: "temperature" for instance.
 *
 * @param request      the request, being filled field by field
 * @param name         the field's name, copied
 * @param name_length  its length in bytes, or MODELWIRE_NUL
 * @param value        the number; JSON has neither infinities nor NaN
 * @param err          what is wrong, on failure; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not UTF-8, a number that JSON
 *         does not have, or a request that takes no fields
 */
MODELWIRE_API
modelwire_status modelwire_request_set_number(modelwire_request *request,
                                              const char *name,
                                              size_t name_length,
                                              double value,
                                              modelwire_error **err);

/**
 * Sets a field to a boolean: "parallel_tool_calls" for instance.
 *
 * @param request      the request, being filled field by field
 * @param name         the field's name, copied
 * @param name_length  its length in bytes, or MODELWIRE_NUL
 * @param value        0 is false, anything else true
 * @param err          what is wrong, on failure; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not UTF-8, or a request that
 *         takes no fields
 */
MODELWIRE_API
modelwire_status modelwire_request_set_bool(modelwire_request *request,
                                            const char *name,
                                            size_t name_length,
                                            int32_t value,
                                            modelwire_error **err);

/**
 * Sets a field to any JSON value: "tools", "response_format", "messages" with images, numbers of any
 * size. Sent as it is.
 *
 * @param request      the request, being filled field by field
 * @param name         the field's name, copied
 * @param name_length  its length in bytes, or MODELWIRE_NUL
 * @param json         one JSON value, copied; checked here
 * @param json_length  its length in bytes, or MODELWIRE_NUL
 * @param err          what is wrong, on failure, with the position; may be NULL
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
 * Sets options of the calls that are made from this request, in place of the client's: headers,
 * the API key, timeouts, retrying, gathering. All of them or, on failure, none. A second object adds to
 * the first; an option that it names anew is replaced, headers and query parameters add up.
 *
 * @param request  the request
 * @param json     one JSON object with options by name, as docs/options.md has them:
 *                 {"total_timeout_ms":5000,"headers":{"x-a":"b"},"gather":true} for instance; copied
 * @param length   its length in bytes, or MODELWIRE_NUL
 * @param err      what is wrong, on failure: it names the option, and of an unknown one the nearest
 *                 that there is; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT
 */
MODELWIRE_API
modelwire_status modelwire_request_set_options(modelwire_request *request,
                                               const char *json,
                                               size_t length,
                                               modelwire_error **err);

/**
 * Makes an empty queue.
 *
 * @param flags  0, or MODELWIRE_INTERRUPTIBLE and MODELWIRE_SOCKET joined by |
 * @param out    the queue; free it with modelwire_queue_free
 * @param err    what is wrong, on failure; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for a NULL out or unknown flags
 */
MODELWIRE_API
modelwire_status modelwire_queue_new(uint32_t flags,
                                     modelwire_queue **out,
                                     modelwire_error **err);

/**
 * Frees a queue. Its unfinished calls are cancelled; events that were not taken are lost. Threads that
 * wait in it return MODELWIRE_CLOSED; none may begin to.
 */
MODELWIRE_API
void modelwire_queue_free(modelwire_queue *queue);

/**
 * Refuses new calls and cancels those under way. Their last events come out as always; then
 * modelwire_queue_next gives MODELWIRE_CLOSED to every thread.
 */
MODELWIRE_API void modelwire_queue_close(const modelwire_queue *queue);

/**
 * Lets one thread that waits in modelwire_queue_next, or the next one that would, return
 * MODELWIRE_TIMEOUT; of an interruptible queue MODELWIRE_INTERRUPTED. Any thread; of an interruptible
 * queue also a signal handler.
 */
MODELWIRE_API
void modelwire_queue_wakeup(const modelwire_queue *queue);

/**
 * A descriptor that is readable while there may be something to take, and once the queue is
 * closed and drained. Non-blocking and close-on-exec; it works in epoll (level and edge triggered),
 * poll, select and every loop built on them. An eventfd where there is one; a socket where
 * MODELWIRE_SOCKET asks for it. What is read from it has no meaning; the library reads it itself.
 *
 * @param queue  the queue
 * @return the descriptor, the same each time; -1 if none can be made, in a forked child, and for
 *         NULL
 *
 * It belongs to the queue: do not close it; a loop that closes what it watches gets a dup of it.
 *
 * On Windows it is always a socket, which select, WSAPoll and loops over them can watch: cast it to
 * SOCKET, of which Windows uses 32 bits and no more.
 */
MODELWIRE_API
int32_t modelwire_queue_fd(const modelwire_queue *queue);

/**
 * Takes the next event of any call. The events of one call come in order; no call can starve the
 * others.
 *
 * @param queue       the queue
 * @param timeout_ms  longest wait in milliseconds; 0 does not wait, negative waits without end
 * @param out         the event; free it with modelwire_event_free
 * @return MODELWIRE_OK; MODELWIRE_TIMEOUT if there was none in time, or modelwire_queue_wakeup
 *         was called; MODELWIRE_INTERRUPTED of an interruptible queue; MODELWIRE_CLOSED if the queue
 *         was closed and every event was taken; MODELWIRE_E_FORKED in a forked child;
 *         MODELWIRE_E_ARGUMENT for NULL
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
 * @param timeout_ms  longest wait in milliseconds; 0 does not wait, negative waits without end
 * @param out         an array of max places; the events that were taken are written to its
 *                    beginning, NULL to the others; free each event with modelwire_event_free
 * @param max         how many events to take at most, at least 1
 * @param count       how many were taken; 0 where it is not MODELWIRE_OK
 * @return as modelwire_queue_next
 */
MODELWIRE_API
modelwire_status modelwire_queue_take(const modelwire_queue *queue,
                                      int32_t timeout_ms,
                                      modelwire_event **out,
                                      size_t max,
                                      size_t *count);

/**
 * Sends a request on its way; its events come out of the queue under a tag, the last of them of kind
 * MODELWIRE_EVENT_RESPONSE or MODELWIRE_EVENT_ERROR, exactly once. Whatever is wrong with the request,
 * or happens to it, is told by that event.
 *
 * @param queue      the queue
 * @param client     the client
 * @param operation  MODELWIRE_OPERATION_...
 * @param json       the request as modelwire_request_new takes it, copied; NULL for the model list
 * @param length     its length in bytes, or MODELWIRE_NUL
 * @param stream     1 for a response piece by piece, 0 for a whole one
 * @param tag        any number that no unfinished call of the queue has: an index, or a pointer
 * @param err        what is wrong, on failure; may be NULL
 * @return MODELWIRE_OK; MODELWIRE_E_CLOSED if the queue was closed; or MODELWIRE_E_ARGUMENT for NULL,
 *         an unknown operation, a stream that is neither 1 nor 0, what is not UTF-8, or a tag in use: then
 *         no event comes
 */
MODELWIRE_API
modelwire_status modelwire_queue_submit(const modelwire_queue *queue,
                                        const modelwire_client *client,
                                        int32_t operation,
                                        const char *json,
                                        size_t length,
                                        int32_t stream,
                                        uint64_t tag,
                                        modelwire_error **err);

/**
 * As modelwire_queue_submit, with a request that was made before: for one with options of its own, and
 * for programs without a JSON library.
 *
 * @param queue    the queue
 * @param client   the client
 * @param request  the request, copied
 * @param stream   1 for a response piece by piece, 0 for a whole one
 * @param tag      any number that no unfinished call of the queue has
 * @param err      what is wrong, on failure; may be NULL
 * @return as modelwire_queue_submit
 */
MODELWIRE_API
modelwire_status modelwire_queue_submit_request(const modelwire_queue *queue,
                                                const modelwire_client *client,
                                                const modelwire_request *request,
                                                int32_t stream,
                                                uint64_t tag,
                                                modelwire_error **err);

/**
 * Ends a call now: its last event says MODELWIRE_E_CANCELLED, and comes out next, paused or not. One that
 * was received to its end already stays as it is: what waits of it comes out. Any thread, any time.
 *
 * @param queue  the queue
 * @param tag    the call's tag
 * @return MODELWIRE_OK; MODELWIRE_ABSENT if no unfinished call has the tag; MODELWIRE_E_FORKED in a
 *         forked child; or MODELWIRE_E_ARGUMENT for NULL
 */
MODELWIRE_API
modelwire_status modelwire_queue_cancel(const modelwire_queue *queue,
                                        uint64_t tag);

/**
 * Keeps the events of a call back until modelwire_queue_resume, while those of others come out. When
 * as many wait as the client's queue_bytes_max and queue_events_max allow, its body is no longer read,
 * and the service waits too: so a slow consumer of one stream needs no memory of the program's. Its last
 * event is kept back as well, whatever ends the call but modelwire_queue_cancel and the queue's own
 * close, after which no pause holds. The idle timeout stands still meanwhile, the total timeout does not.
 *
 * @param queue  the queue
 * @param tag    the call's tag
 * @return as modelwire_queue_cancel; pausing a paused call is no error
 */
MODELWIRE_API
modelwire_status modelwire_queue_pause(const modelwire_queue *queue,
                                       uint64_t tag);

/**
 * Lets the events of a paused call come out again.
 *
 * @param queue  the queue
 * @param tag    the call's tag
 * @return as modelwire_queue_cancel; resuming a call that is not paused is no error
 */
MODELWIRE_API
modelwire_status modelwire_queue_resume(const modelwire_queue *queue,
                                        uint64_t tag);

/**
 * How many calls have not given their last event yet; 0 for NULL.
 *
 * @param queue  the queue
 */
MODELWIRE_API size_t modelwire_queue_count(const modelwire_queue *queue);

/**
 * Lets the log of the library come out of a queue too, as events of kind MODELWIRE_EVENT_LOG. Other
 * queues and the callback of modelwire_set_log have it as well. At most 4096 records wait; what comes on
 * top is dropped, and a record says how many. Ends when the queue is closed or freed.
 *
 * @param queue  the queue
 * @param level  MODELWIRE_LOG_ERROR to MODELWIRE_LOG_TRACE: records of this level and more important
 *               ones; MODELWIRE_LOG_OFF ends the log here
 * @param tag    the tag of these events; calls may have the same
 * @param err    what is wrong, on failure; may be NULL
 * @return MODELWIRE_OK; MODELWIRE_E_CLOSED if the queue was closed; or MODELWIRE_E_ARGUMENT for NULL or
 *         an unknown level
 */
MODELWIRE_API
modelwire_status modelwire_queue_log(const modelwire_queue *queue,
                                     int32_t level,
                                     uint64_t tag,
                                     modelwire_error **err);

/**
 * Puts the record of each call of a client into a queue too, as an event of kind MODELWIRE_EVENT_CALL: one for
 * each call that was started, wherever it was started, in the queue before the program can see the end of
 * the call. The records are those of modelwire_client_on_call, for a program with a loop. At most 4096
 * wait, of all clients together, with 64 MiB of answers and times of chunks; further ones are dropped, and the next event
 * has their number ("dropped" of modelwire_event_info). A queue that is closed gives the records of its
 * calls, and then no more. A client that is freed is followed until its last call has ended. Ends at
 * modelwire_queue_free.
 *
 * @param queue   the queue
 * @param client  the client
 * @param on      1 to begin, 0 to end: then what waits is lost
 * @param tag     the tag of these events, in place of an earlier one; calls, the log and other clients
 *                may have the same
 * @param err     what is wrong, on failure; may be NULL
 * @return MODELWIRE_OK; MODELWIRE_E_CLOSED if the queue was closed; MODELWIRE_E_FORKED in a forked
 *         child; or MODELWIRE_E_ARGUMENT for NULL or an on that is neither 1 nor 0
 */
MODELWIRE_API
modelwire_status modelwire_queue_follow_calls(const modelwire_queue *queue,
                                              const modelwire_client *client,
                                              int32_t on,
                                              uint64_t tag,
                                              modelwire_error **err);

/**
 * Makes a call that is not started yet.
 *
 * @param client   the client; the call keeps what it needs of it
 * @param request  the request, copied
 * @param flags    0, or MODELWIRE_INTERRUPTIBLE: its waits return MODELWIRE_INTERRUPTED when a signal
 *                 handler ran on the thread that waits
 * @param out      the call; free it with modelwire_call_free
 * @param err      what is wrong, on failure; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or unknown flags
 */
MODELWIRE_API
modelwire_status modelwire_call_new(const modelwire_client *client,
                                    const modelwire_request *request,
                                    uint32_t flags,
                                    modelwire_call **out,
                                    modelwire_error **err);

/**
 * Runs a call that is answered whole, and waits for the response.
 *
 * @param call  the call; a second run gives MODELWIRE_E_ARGUMENT
 * @param out   the response; free it with modelwire_response_free
 * @param err   what went wrong, on failure; may be NULL
 * @return MODELWIRE_OK; MODELWIRE_INTERRUPTED of an interruptible call, which goes on: run it again to
 *         wait on; or the kind of the error
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
 * @param on_event   called for each chunk, in order
 * @param user_data  handed to the callback
 * @param out        how the stream ended and what it used; free it with modelwire_response_free
 * @param err        what went wrong, on failure, after all chunks that came before; may be NULL
 * @return MODELWIRE_OK; MODELWIRE_STOPPED if the callback ended it; MODELWIRE_INTERRUPTED of an
 *         interruptible call, which goes on: run it again to wait on; or the kind of the error
 *
 * Blocks the calling thread only. modelwire_call_cancel ends it at once.
 */
MODELWIRE_API
modelwire_status modelwire_call_stream(modelwire_call *call,
                                       modelwire_event_fn on_event,
                                       void *user_data,
                                       modelwire_response **out,
                                       modelwire_error **err);

/**
 * Starts a call and returns; its events go to a callback on the client's callback thread, which may
 * block: the I/O goes on without it. The callbacks of one client run one after another; those of two
 * clients may run at the same time.
 *
 * The last event is of kind MODELWIRE_EVENT_RESPONSE or MODELWIRE_EVENT_ERROR, exactly once, however
 * the call ends; then comes the finalizer, once, on that thread, and nothing follows. If the callback
 * ends the call, the last event says MODELWIRE_E_CANCELLED. Freeing an unfinished call cancels it.
 *
 * @param call       the call; a second start gives MODELWIRE_E_ARGUMENT
 * @param stream     1 for a response piece by piece, 0 for a whole one
 * @param on_event   called for each event, in order
 * @param user_data  handed to both functions, on the callback thread; may be NULL
 * @param finalizer  releases user_data; may be NULL. If the start fails it is called too, before
 *                   this function returns, and on_event never is.
 * @param err        what is wrong, on failure; may be NULL
 * @return MODELWIRE_OK if the call was started, or the kind of the error; MODELWIRE_E_ARGUMENT for a stream
 *         that is neither 1 nor 0
 *
 * A program that unloads itself, or tears its own runtime down, calls modelwire_call_wait or
 * modelwire_client_close first: they return when the finalizer has returned.
 */
MODELWIRE_API
modelwire_status modelwire_call_start(modelwire_call *call,
                                      int32_t stream,
                                      modelwire_event_fn on_event,
                                      void *user_data,
                                      modelwire_finalizer finalizer,
                                      modelwire_error **err);

/**
 * Waits until a started call is over: its last event was seen, and its finalizer has returned. A call
 * that was not started with callbacks is over at once.
 *
 * @param call        the call
 * @param timeout_ms  longest wait in milliseconds; 0 does not wait, negative waits without end
 * @param err         what is wrong, on failure; may be NULL
 * @return MODELWIRE_OK; MODELWIRE_TIMEOUT; MODELWIRE_INTERRUPTED of an interruptible call;
 *         MODELWIRE_E_ARGUMENT for a call that was run; or MODELWIRE_E_CALLBACK (see CALLBACKS)
 *
 * Any thread.
 */
MODELWIRE_API
modelwire_status modelwire_call_wait(const modelwire_call *call,
                                     int32_t timeout_ms,
                                     modelwire_error **err);

/**
 * Ends a call now, in whatever state it is, also before it starts: it gives
 * MODELWIRE_E_CANCELLED. A call that is done stays as it is. Any thread, any time, but no signal
 * handler. Whoever hears of the end of the call by this may free it before this function has returned.
 *
 * @param call  the call; NULL does nothing
 */
MODELWIRE_API
void modelwire_call_cancel(const modelwire_call *call);

/**
 * Lets the thread that waits in modelwire_call_run, modelwire_call_stream or modelwire_call_wait of an
 * interruptible call, or the next one that would, return MODELWIRE_INTERRUPTED. Any thread, and a
 * signal handler. Does nothing to other calls.
 *
 * @param call  the call; NULL does nothing
 */
MODELWIRE_API
void modelwire_call_wakeup(const modelwire_call *call);

/**
 * Frees a call with which no other thread is about to begin a function. An unfinished one is
 * cancelled: the functions that run with it return, and what it holds is freed then.
 *
 * @param call  the call; NULL does nothing
 */
MODELWIRE_API void modelwire_call_free(modelwire_call *call);

/**
 * Frees an event that was taken from a queue. Does nothing to one that a callback is given.
 */
MODELWIRE_API void modelwire_event_free(modelwire_event *event);

/**
 * MODELWIRE_EVENT_...; 0 for NULL. Kinds may be added: skip what you do not know. The last event of a
 * call is of kind MODELWIRE_EVENT_RESPONSE or MODELWIRE_EVENT_ERROR, always.
 *
 * @param event  the event
 */
MODELWIRE_API
int32_t modelwire_event_kind(const modelwire_event *event);

/**
 * The tag of its call in the queue; 0 in a callback and for NULL.
 *
 * @param event  the event
 */
MODELWIRE_API uint64_t modelwire_event_tag(const modelwire_event *event);

/**
 * What a person reads of it. Of a chunk the piece of output text that it adds: the content of a
 * chat's first choice, or an output text delta of a response; empty for every other chunk. Of a
 * response its whole text, of an error and of the log the message; of the record of a call nothing.
 *
 * @param event   the event
 * @param length  its length in bytes; may be NULL
 */
MODELWIRE_API
const char *modelwire_event_text(const modelwire_event *event,
                                 size_t *length);

/**
 * What a program reads of it. Of a chunk and of a response the JSON text as the service sent it
 * (empty at the end of a stream that was not gathered); of an error what modelwire_error_json gives;
 * of the log an object with "level" ("error" to "trace"), "target", "message" and "unix_ms".
 *
 * Of the record of a call an object, without the key, whose texts of the service are cut after 1024
 * bytes. Times are whole microseconds counted from the start of the call; what there is none of is
 * null. Members:
 *
 * "start_unix_ms", when the call was started, in milliseconds since 1970; "operation", "models", "chat"
 * or "responses"; "path" of the request; "model" that was asked for; "streamed", whether the caller
 * asked for a stream; "attempts", the last 32 of them (see below); "attempts_count", of all; "waits", the
 * last 32, objects with "reason" ("retry", the time before another attempt; "connection", one of
 * connections_max; "turn", behind other calls where retrying is adaptive; "reuse", a moment in which the
 * service may close a connection that carried a stream just now), "start_us" and "length_us";
 * "waits_count", of all; "first_chunk_us" and "last_chunk_us", when these were read, also where they are
 * gathered only; "chunks", how many came; "chunk_times_us", when each was read, the first 16384, with the
 * option chunk_times, else empty; "elapsed_us", the end; "kind", the name of the status that it failed
 * with; "status", the HTTP status; "request_id", the service's name for the exchange; "response_id",
 * "response_model" and "finish_reason", what the answer says of itself, also one that broke off;
 * "usage", as modelwire_response_info has it; "metered", whether the call may have been metered:
 * "not_sent", "normally_not", "entered" or "unknown"; "bytes_out" and "bytes_in", of the bodies of all
 * attempts, as they were on the wire; "cancelled_by", who ended it before its end: "program", "dropped"
 * (what held it was freed), "closed" (its client), "shutdown".
 *
 * An attempt is an object with "start_us"; "address", what it was connected to, a proxy maybe; "reused",
 * whether the connection was there before; how long its own connection took, "dns_us" to look the host up,
 * "connect_us" with what a proxy took and "tls_us" for the handshake; "head_us", when the head of the
 * answer was complete; "first_byte_us", when the first byte of its body came; "end_us"; "status"; "kind".
 *
 * @param event   the event
 * @param length  its length in bytes; may be NULL
 */
MODELWIRE_API
const char *modelwire_event_json(const modelwire_event *event,
                                 size_t *length);

/**
 * The name of the server-sent event, "response.completed" for instance; empty where there was none,
 * as in chat streams. Of the log who says it: "modelwire", or a library below it.
 *
 * @param event   the event
 * @param length  its length in bytes; may be NULL
 */
MODELWIRE_API
const char *modelwire_event_name(const modelwire_event *event,
                                 size_t *length);

/**
 * The fields of modelwire_event_json, to be read by path; borrowed. NULL for NULL.
 *
 * @param event  the event
 */
MODELWIRE_API const modelwire_value *modelwire_event_value(const modelwire_event *event);

/**
 * What the library knows of it, as a JSON object to be read by path; borrowed. NULL for NULL. Of a
 * response what modelwire_response_info gives, of an error what modelwire_error_json gives; of the record
 * of a call an object with "dropped", how many records found no room since the one before. Of a
 * chunk, null where there is none:
 *
 * - "name": The name of the server-sent event, "response.completed" for instance; empty where
 *   there was none, as in chat streams.
 * - "reasoning": The piece of reasoning that the chunk adds, in its first choice or to an
 *   item of a response, under whatever name the service has for it; empty for every other
 *   chunk.
 * - "finish_reason": Why the first choice stopped, "stop" for instance; nothing while it has
 *   not.
 * - "usage": The tokens that the chunk, or the response at the end, reports: "input_tokens",
 *   "output_tokens" and "total_tokens", and of these "cached_input_tokens",
 *   "cache_write_tokens", "reasoning_tokens", "audio_input_tokens" and "audio_output_tokens", 0
 *   where the service says nothing of them.
 * - "tool_calls": The pieces of tool calls that the chunk adds in its first choice: "index"
 *   (which call), "id", "name" and "arguments" (pieces, which together are JSON text).
 *
 * @param event  the event
 */
MODELWIRE_API
const modelwire_value *modelwire_event_info(const modelwire_event *event);

/**
 * The response of an event of kind MODELWIRE_EVENT_RESPONSE, borrowed; NULL for every other one.
 *
 * @param event  the event
 */
MODELWIRE_API
const modelwire_response *modelwire_event_response(const modelwire_event *event);

/**
 * The error of an event of kind MODELWIRE_EVENT_ERROR, borrowed; NULL for every other one.
 *
 * @param event  the event
 */
MODELWIRE_API const modelwire_error *modelwire_event_error(const modelwire_event *event);

/**
 * Frees a response.
 */
MODELWIRE_API void modelwire_response_free(modelwire_response *response);

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
 * The JSON text as the service sent it, or as it was gathered; empty at the end of a stream that
 * was not gathered, whose events were the response.
 *
 * @param response  the response
 * @param length    its length in bytes; may be NULL
 */
MODELWIRE_API
const char *modelwire_response_json(const modelwire_response *response,
                                    size_t *length);

/**
 * The fields of modelwire_response_json, to be read by path; borrowed. NULL for NULL.
 *
 * @param response  the response
 */
MODELWIRE_API
const modelwire_value *modelwire_response_value(const modelwire_response *response);

/**
 * What the library knows of the response, as a JSON object to be read by path; borrowed. NULL for
 * NULL. Members, null where there is none:
 *
 * - "http_status": The HTTP status, 200 for instance.
 * - "request_id": The service's name for the exchange, to give to its support.
 * - "id": "id" of the answer, the service's name for it.
 * - "model": The model that answered, as it calls itself.
 * - "attempts": How many times the request was attempted: more than 1 where the retry policy
 *   tried again.
 * - "elapsed_ms": From the start of the first attempt to the end of the response, waits
 *   included.
 * - "end": How the response was known to be complete: "document", "done_mark", "final_event"
 *   or "finish_reasons".
 * - "is_gathered": Whether the JSON text was put together from the chunks of a stream.
 * - "reasoning": What the model thought before it spoke: that of a chat's first choice under
 *   whatever name the service has for it, or of all reasoning items of a response, their
 *   summaries where they have no text of their own. Empty where there is none, and at the end
 *   of a stream that was not gathered.
 * - "finish_reason": Why the first choice of a chat stopped, "stop" for instance, or the
 *   status of a response. Nothing at the end of a stream that was not gathered, whose chunks
 *   had it.
 * - "usage": The tokens that the service reported, of a stream too: "input_tokens",
 *   "output_tokens" and "total_tokens", and of these "cached_input_tokens",
 *   "cache_write_tokens", "reasoning_tokens", "audio_input_tokens" and "audio_output_tokens", 0
 *   where the service says nothing of them.
 * - "tool_calls": The tool calls of a chat's first choice, or anywhere in a response: "id"
 *   (what a result has to name), "name" and "arguments" (JSON text as the model wrote it).
 *   Nothing at the end of a stream that was not gathered.
 * - "models": The ids of a model list; none for every other response. Nothing at the end of a
 *   stream that was not gathered.
 * - "headers": All headers in the order of the response: "name", in lower case, and "value".
 * - "rate_limits": What the headers say of the limits of the service: "requests" and
 *   "tokens", each with "limit", "remaining" and "reset_ms" (from the answer on), "others" by
 *   name, and "retry_after_ms". Nothing where they say nothing.
 * - "timing": The record of the call, an object: its attempts, waits, chunks and end, with
 *   their times.
 *
 * "timing" is what modelwire_event_json gives of the record of a call.
 *
 * @param response  the response
 */
MODELWIRE_API
const modelwire_value *modelwire_response_info(const modelwire_response *response);

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
 * The service's own message where it gave one, else the library's with the cause.
 *
 * @param error   the error
 * @param length  its length in bytes; may be NULL
 */
MODELWIRE_API const char *modelwire_error_message(const modelwire_error *error, size_t *length);

/**
 * Everything that support needs, as text of several lines, without the key.
 *
 * @param error   the error
 * @param length  its length in bytes; may be NULL
 */
MODELWIRE_API const char *modelwire_error_report(const modelwire_error *error, size_t *length);

/**
 * All that is known of the error, as one JSON object without the key. Members, null where there is
 * none:
 *
 * - "kind": The name of its kind, which is that of the status in C, "rate_limited" for
 *   instance.
 * - "message": The service's own message where it gave one, else the library's with the
 *   cause.
 * - "hint": What to do about it; empty where there is nothing to say.
 * - "http_status": The HTTP status; nothing where no response came.
 * - "type": "type" of the service's error object.
 * - "code": "code" of the service's error object as text.
 * - "param": "param" of the service's error object.
 * - "request_id": The service's name for the exchange, to give to its support.
 * - "path": The path of the request; empty if there was none.
 * - "model": The model that was asked for.
 * - "timeout": The option of the timeout that ran out, "idle_timeout" for instance.
 * - "metered": Whether the call may have been metered: "not_sent", "normally_not", "entered"
 *   or "unknown".
 * - "body": The body of the failed response within its bound, 64 KiB by default.
 * - "partial": What was gathered of the response before it failed, as JSON text, where the
 *   call gathers.
 * - "headers": All headers of the response that failed: "name", in lower case, and "value".
 * - "request_time_unix_ms": When the first attempt started; nothing if none did.
 * - "attempts": How many times the request was attempted.
 * - "elapsed_ms": From the start of the first attempt to the failure.
 * - "retry_after_ms": How long the service asked to wait.
 * - "rate_limits": What the headers say of the limits of the service: "requests" and
 *   "tokens", each with "limit", "remaining" and "reset_ms" (from the answer on), "others" by
 *   name, and "retry_after_ms". Nothing where they say nothing.
 * - "timing": The record of the call, an object: its attempts, waits, chunks and end, with
 *   their times.
 *
 * "timing" is what modelwire_event_json gives of the record of a call.
 *
 * @param error   the error
 * @param length  its length in bytes; may be NULL
 */
MODELWIRE_API
const char *modelwire_error_json(const modelwire_error *error,
                                 size_t *length);

/**
 * The members of modelwire_error_json, to be read by path; borrowed. NULL for NULL.
 *
 * @param error  the error
 */
MODELWIRE_API const modelwire_value *modelwire_error_value(const modelwire_error *error);

/**
 * Reads a JSON text: the arguments of a tool call for instance.
 *
 * @param json    one JSON value, UTF-8, copied; checked here
 * @param length  its length in bytes, or MODELWIRE_NUL
 * @param out     the value; free it with modelwire_value_free
 * @param err     what is wrong, on failure, with the byte; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or what is not JSON
 */
MODELWIRE_API
modelwire_status modelwire_value_new(const char *json,
                                     size_t length,
                                     modelwire_value **out,
                                     modelwire_error **err);

/**
 * Frees a value that was given to the caller. Does nothing to one that is borrowed from a response, an
 * event or an error.
 */
MODELWIRE_API
void modelwire_value_free(modelwire_value *value);

/**
 * A string, decoded; NULL where there is none.
 *
 * @param value        the value
 * @param path         a JSON pointer (RFC 6901)
 * @param path_length  its length in bytes, or MODELWIRE_NUL
 * @param length       the result's length in bytes; may be NULL
 */
MODELWIRE_API
const char *modelwire_value_text(const modelwire_value *value,
                                 const char *path,
                                 size_t path_length,
                                 size_t *length);

/**
 * Anything as JSON text as it was sent, numbers to their last digit; NULL where there is nothing.
 *
 * @param value        the value
 * @param path         a JSON pointer (RFC 6901); "" is the whole
 * @param path_length  its length in bytes, or MODELWIRE_NUL
 * @param length       the result's length in bytes; may be NULL
 */
MODELWIRE_API
const char *modelwire_value_json(const modelwire_value *value,
                                 const char *path,
                                 size_t path_length,
                                 size_t *length);

/**
 * An integer that fits 64 bits.
 *
 * @param value        the value
 * @param path         a JSON pointer (RFC 6901)
 * @param path_length  its length in bytes, or MODELWIRE_NUL
 * @param out          where it is written
 * @return MODELWIRE_OK; MODELWIRE_ABSENT where there is none, and nothing is written; or
 *         MODELWIRE_E_ARGUMENT for NULL
 */
MODELWIRE_API
modelwire_status modelwire_value_int(const modelwire_value *value,
                                     const char *path,
                                     size_t path_length,
                                     int64_t *out);

/**
 * A number.
 *
 * @param value        the value
 * @param path         a JSON pointer (RFC 6901)
 * @param path_length  its length in bytes, or MODELWIRE_NUL
 * @param out          where it is written
 * @return MODELWIRE_OK; MODELWIRE_ABSENT where there is none, and nothing is written; or
 *         MODELWIRE_E_ARGUMENT for NULL
 */
MODELWIRE_API
modelwire_status modelwire_value_number(const modelwire_value *value,
                                        const char *path,
                                        size_t path_length,
                                        double *out);

/**
 * A boolean, as 0 or 1.
 *
 * @param value        the value
 * @param path         a JSON pointer (RFC 6901)
 * @param path_length  its length in bytes, or MODELWIRE_NUL
 * @param out          where it is written
 * @return MODELWIRE_OK; MODELWIRE_ABSENT where there is none, and nothing is written; or
 *         MODELWIRE_E_ARGUMENT for NULL
 */
MODELWIRE_API
modelwire_status modelwire_value_bool(const modelwire_value *value,
                                      const char *path,
                                      size_t path_length,
                                      int32_t *out);

/**
 * How many items an array, or members an object has; 0 for anything else.
 *
 * @param value        the value
 * @param path         a JSON pointer (RFC 6901); "" is the whole
 * @param path_length  its length in bytes, or MODELWIRE_NUL
 */
MODELWIRE_API
size_t modelwire_value_count(const modelwire_value *value,
                             const char *path,
                             size_t path_length);

/**
 * The name of a member of an object, decoded; NULL where there is none. Members are counted from 0 in
 * the order in which they were sent, duplicates included; modelwire_value_count says how many there
 * are. In a path "~" of a name is written "~0", and "/" "~1".
 *
 * @param value        the value
 * @param path         the object's JSON pointer (RFC 6901); "" is the whole
 * @param path_length  its length in bytes, or MODELWIRE_NUL
 * @param index        which member
 * @param length       the result's length in bytes; may be NULL
 */
MODELWIRE_API
const char *modelwire_value_name(const modelwire_value *value,
                                 const char *path,
                                 size_t path_length,
                                 size_t index,
                                 size_t *length);

/**
 * Hands the log of the library to a callback, in place of an earlier one, on one thread of the
 * library's own. At most 4096 records wait for it; what comes on top is dropped, and a record says
 * how many. The API key is never in it. A runtime that cannot take a callback on a foreign thread
 * takes the log from a queue.
 *
 * @param level       MODELWIRE_LOG_ERROR to MODELWIRE_LOG_TRACE: records of this level and more
 *                    important ones; MODELWIRE_LOG_OFF ends the log
 * @param on_log      called with one event of kind MODELWIRE_EVENT_LOG for each record; a nonzero
 *                    return ends the log; NULL ends it too
 * @param user_data   handed to both functions; may be NULL
 * @param finalizer   releases user_data, once, when another log is set, the log is ended, or this
 *                    function fails; may be NULL
 * @param timeout_ms  longest wait, in milliseconds, until the earlier callback has been given what was
 *                    logged before and its finalizer has returned; negative waits without end, which
 *                    must not be where its runtime delivers it on the thread that waits
 * @param err         what is wrong, on failure; may be NULL
 * @return MODELWIRE_OK; MODELWIRE_TIMEOUT if the earlier callback is not over: it ends by itself, and
 *         its finalizer is called then; MODELWIRE_E_ARGUMENT for an unknown level; or
 *         MODELWIRE_E_CALLBACK (see CALLBACKS)
 */
MODELWIRE_API
modelwire_status modelwire_set_log(int32_t level,
                                   modelwire_event_fn on_log,
                                   void *user_data,
                                   modelwire_finalizer finalizer,
                                   int32_t timeout_ms,
                                   modelwire_error **err);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MODELWIRE_H */
