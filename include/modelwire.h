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
 *   modelwire_queue_submit(queue, client, MODELWIRE_OPERATION_CHAT, MODELWIRE_TEXT(json), 1, 7, NULL);
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
 * Real code checks every status and frees every handle.  Link with -lmodelwire.
 *
 * A COMPLETE BINDING needs fifteen functions, for model lists, chats, streams, cancellation, errors,
 * and thousands of calls on one thread:
 *
 *   modelwire_client_new  modelwire_client_free
 *   modelwire_queue_new   modelwire_queue_free    modelwire_queue_fd   modelwire_queue_next
 *   modelwire_queue_submit                        modelwire_queue_cancel
 *   modelwire_event_kind  modelwire_event_tag     modelwire_event_json modelwire_event_free
 *   modelwire_error_json  modelwire_error_free    modelwire_status_name
 *
 * WAYS TO RUN A CALL
 *
 *   modelwire_queue_submit under a tag; a waiting thread, or any event loop that watches
 *                          modelwire_queue_fd, takes the events from the queue
 *   modelwire_call_run     waits for the whole response
 *   modelwire_call_stream  waits, and calls back on this thread for each chunk
 *   modelwire_call_start   returns at once; the client's callback thread calls back
 *
 * CONVENTIONS
 *
 * Ownership.  You own what a function writes through `out` or `err`, and every handle that it
 *   returns as a pointer to non-const; free it with the `_free` function of its type.  What an
 *   accessor returns, and what a callback receives, is borrowed from its parent and valid until the
 *   parent is freed or the callback returns.
 * Strings.  In: pointer and length in bytes, UTF-8, copied; a length of MODELWIRE_NUL means that the
 *   string ends with NUL, and MODELWIRE_TEXT(string) stands for both arguments.  Out: NUL-terminated; an optional size_t pointer receives the length in
 *   bytes.  A string may contain NUL bytes: then rely on the length.
 * Errors.  0 is success, a positive status is an outcome that is not an error, a negative status is
 *   the kind of an error.  Each function sets `*out` to the result.  If the status is not
 *   MODELWIRE_OK, it sets `*out` to NULL and leaves a number unchanged, except that `count` of
 *   modelwire_queue_take becomes 0.  It sets `*err` to the error,
 *   or to NULL if there is none.  Both are overwritten without freeing what they held: free that first.
 *   `err` may be NULL.
 * Threads.  A function that takes `const T *` may run on any thread at any time, even while another
 *   function, including one that takes `T *`, runs on the same handle.  Two functions that take `T *`
 *   must not run at the same time on one handle.  A request is stricter: while a function that takes
 *   `T *` runs on it, no other function may.  A function that takes no handle may run on any
 *   thread at any time, too.  Free a handle only when no thread is about to use it.
 *   Signal handlers may call only modelwire_queue_wakeup and modelwire_call_wakeup, on interruptible
 *   queues and calls.  The library's own threads receive none of the process's signals.
 *   A thread that waits repeatedly does the I/O itself while the only calls in flight are those it waits
 *   for.  Of your code, it runs only the callbacks that it would run anyway; it receives no SIGPIPE from
 *   that I/O.
 * NULL.  A NULL handle, a handle of another type, or a missing `out` gives MODELWIRE_E_ARGUMENT, never
 *   a crash; an accessor returns NULL for a string or a handle, and 0 for a number unless it says
 *   otherwise.  Freeing or
 *   cancelling NULL does nothing.
 * Cancellation.  While a thread runs a function that waits or does I/O, or a callback of that
 *   function, pthread_cancel is deferred: it takes effect at the thread's next cancellation point
 *   after the function has returned.  To make the function return, call modelwire_call_cancel or
 *   modelwire_queue_wakeup.
 * Fork.  A child process can make its own calls with inherited clients.  A call that was created
 *   before the fork, started or not, gives MODELWIRE_E_FORKED in the child and is unchanged in the
 *   parent.  Inherited queues give it, too: create a new queue in the child.
 * Gathering.  By default a stream keeps nothing: its content is only in its chunks.  With the option
 *   gather, the library also gathers the chunks into the whole answer, for the response at the end, and
 *   for "partial" of an error.
 * Answers.  An answer is what the service returns for a call, as JSON or as a stream.  A response is
 *   the operation of /responses, or the handle modelwire_response.
 *
 * CALLBACKS
 *
 * What a callback may call.  "yes": it works as outside of a callback, even if the function
 *   blocks; everything that waits for the callback is then delayed, too.  "ends X": it works, and ends
 *   the call with MODELWIRE_E_X.  "X": it does nothing and returns MODELWIRE_E_X; CALLBACK means that
 *   the function would have to wait for the callback that called it.
 *   "This call" is the call of the callback, or, in the last column, any call of the client in flight;
 *   the client is the client of the callback.  For other clients everything is allowed, but callbacks
 *   of two clients that wait for each other deadlock.
 *   A finalizer may call what its callback may call.  If the function that took a finalizer fails, the
 *   finalizer runs before that function returns, and may free the arguments of that function.
 *
 *                                on_event of     on_event of     on_call of
 *                                call_start      call_stream     client_on_call
 *   its thread                   the client's    the caller's    one of its own
 *   call_run of another call     yes             yes             yes
 *   call_stream of another call  yes             yes             yes
 *   call_start of another call   yes             yes             yes
 *   call_run of this call        ARGUMENT        ARGUMENT        ARGUMENT
 *   call_stream of this call     ARGUMENT        ARGUMENT        ARGUMENT
 *   call_start of this call      ARGUMENT        ARGUMENT        ARGUMENT
 *   call_wait for this call      CALLBACK        ARGUMENT        yes
 *   call_cancel of this call     ends CANCELLED  ends CANCELLED  ends CANCELLED
 *   call_free of this call       ends CANCELLED  ends CANCELLED  ends CANCELLED
 *   event_free of the event      yes             yes             yes
 *   every function of a queue    yes             yes             yes
 *   client_free                  yes             yes             yes
 *   client_close                 CALLBACK        ends CLOSED     CALLBACK
 *   client_on_call               yes             yes             yes
 *   shutdown                     CALLBACK        ends SHUTDOWN   CALLBACK
 *
 *   Functions that are not in the table do not wait, and may be called in every callback.
 *   before_attempt of client_before_attempt runs on helper threads, several at once, and may call what
 *   on_call may, except that call_wait for its own call returns MODELWIRE_E_CALLBACK.
 */


#ifndef MODELWIRE_H
#define MODELWIRE_H

#include <stddef.h>
#include <stdint.h>

/** The length argument of a string that ends with NUL. */
#define MODELWIRE_NUL SIZE_MAX

/** A string that ends with NUL, as two arguments: the pointer and MODELWIRE_NUL. */
#define MODELWIRE_TEXT(string) (string), MODELWIRE_NUL

#if defined(__GNUC__)
#define MODELWIRE_API __attribute__((visibility("default")))
#else
#define MODELWIRE_API
#endif

/*
 * A program that was built for this header does not start with an older minor version: the loader
 * reports that modelwire_needs_0_1 is missing. A program that loads the library with dlopen defines
 * MODELWIRE_DLOPEN and calls modelwire_check_abi and modelwire_version_number.
 */
#if defined(__GNUC__) && !defined(MODELWIRE_DLOPEN)
#ifdef __cplusplus
extern "C" {
#endif
MODELWIRE_API extern const uint8_t modelwire_needs_0_1;
#ifdef __cplusplus
}
#endif
/* Keeps linkers from removing it as unused. */
#if defined(__has_attribute) && defined(__ELF__)
#if __has_attribute(retain)
__attribute__((retain))
#endif
#endif
static const uint8_t *const modelwire_needs __attribute__((used)) = &modelwire_needs_0_1;
#endif


/**
 * Waits return MODELWIRE_INTERRUPTED when a signal handler has run on the waiting thread, with or
 * without SA_RESTART, or when a handler called a wakeup function; and at the latest after 100 ms
 * without any event, so that a signal that arrived just before the wait is noticed. Check your own
 * flags then, and wait again.
 */
#define MODELWIRE_INTERRUPTIBLE 1

/**
 * For a queue: its descriptor is a socket, for event loops that accept only sockets. This uses more
 * descriptors.
 */
#define MODELWIRE_SOCKET 2

/**
 * The version of this header, major * 1000000 + minor * 1000 + patch.
 */
#define MODELWIRE_VERSION_NUMBER 1000

/**
 * The ABI of this header. Within one ABI, functions and constants are only added; a change that would
 * break a compiled program increments this number.
 */
#define MODELWIRE_ABI 1

/**
 * The model list.
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
 * The last event of a call that succeeded.
 */
#define MODELWIRE_EVENT_RESPONSE 2

/**
 * The last event of a call that failed, was cancelled, or could not start.
 */
#define MODELWIRE_EVENT_ERROR 3

/**
 * A record of the log; does not belong to a call.
 */
#define MODELWIRE_EVENT_LOG 4

/**
 * The record of a call that has ended, for the callback of modelwire_client_on_call and in queues with
 * modelwire_queue_follow_calls.
 */
#define MODELWIRE_EVENT_CALL 5

/**
 * For modelwire_event_read_all: the text, see modelwire_event_text.
 */
#define MODELWIRE_READ_TEXT 1

/**
 * For modelwire_event_read_all: the JSON text, see modelwire_event_json.
 */
#define MODELWIRE_READ_JSON 2

/**
 * For modelwire_event_read_all: the name, see modelwire_event_name.
 */
#define MODELWIRE_READ_NAME 4

/**
 * For modelwire_event_read_all: frees each event once it is read, and sets its place to NULL.
 */
#define MODELWIRE_READ_FREE 8

/**
 * The answer names no reason, or it is a model list or the end of a stream that was not gathered.
 */
#define MODELWIRE_FINISH_NONE 0

/**
 * The answer is complete.
 */
#define MODELWIRE_FINISH_STOP 1

/**
 * A limit of tokens truncated the answer.
 */
#define MODELWIRE_FINISH_LENGTH 2

/**
 * The answer is complete and calls tools, also where the service names another reason or none.
 */
#define MODELWIRE_FINISH_TOOL_CALLS 3

/**
 * A content filter truncated the answer.
 */
#define MODELWIRE_FINISH_CONTENT_FILTER 4

/**
 * Another reason, "failed" of a response for instance: "finish_reason" of modelwire_response_info is
 * its text.
 */
#define MODELWIRE_FINISH_OTHER 5

/**
 * Input tokens.
 */
#define MODELWIRE_TOKENS_INPUT 1

/**
 * Output tokens.
 */
#define MODELWIRE_TOKENS_OUTPUT 2

/**
 * Input and output tokens.
 */
#define MODELWIRE_TOKENS_TOTAL 3

/**
 * Of the input tokens, those that the service read from its cache.
 */
#define MODELWIRE_TOKENS_CACHED_INPUT 4

/**
 * Of the output tokens, those for reasoning.
 */
#define MODELWIRE_TOKENS_REASONING 5

/**
 * No log.
 */
#define MODELWIRE_LOG_OFF 0

/**
 * A failure that is not reported otherwise.
 */
#define MODELWIRE_LOG_ERROR 1

/**
 * Something that needs attention.
 */
#define MODELWIRE_LOG_WARN 2

/**
 * Something worth knowing.
 */
#define MODELWIRE_LOG_INFO 3

/**
 * What the library does: attempts, waits, call ends, connections.
 */
#define MODELWIRE_LOG_DEBUG 4

/**
 * Every detail.
 */
#define MODELWIRE_LOG_TRACE 5

/**
 * An attempt of a call that is about to be sent, for the callback of modelwire_client_before_attempt.
 */
typedef struct modelwire_attempt modelwire_attempt;

/**
 * One call to the service, with all its attempts. You create it before it starts, so that any thread
 * can cancel it at any time; it runs once.
 */
typedef struct modelwire_call modelwire_call;

/**
 * A client of one service; may be shared between threads, which do not block each other.
 */
typedef struct modelwire_client modelwire_client;

/**
 * An error with everything that is known about it; immutable, may be shared between threads.
 */
typedef struct modelwire_error modelwire_error;

/**
 * One event; immutable, may be shared between threads.
 */
typedef struct modelwire_event modelwire_event;

/**
 * A queue for the events of many calls; may be shared between threads. Its calls need no handle: each
 * has a tag, any number that the program chooses, which identifies it to submit, cancel, pause and
 * resume.
 *
 * A thread waits in modelwire_queue_next. An event loop watches modelwire_queue_fd for reading and
 * then calls modelwire_queue_next with a timeout of 0 until it returns something other than
 * MODELWIRE_OK.
 */
typedef struct modelwire_queue modelwire_queue;

/**
 * A request for one of the three operations; used by one thread at a time, for any number of calls.
 */
typedef struct modelwire_request modelwire_request;

/**
 * The response to a call; immutable, may be shared between threads.
 */
typedef struct modelwire_response modelwire_response;

/**
 * A JSON text and the values in it; immutable, may be shared between threads.
 *
 * A path, which is a JSON pointer (RFC 6901), addresses a value: for instance
 * "/choices/0/message/refusal", or "" for the whole text. What a function returns lives as long as
 * this handle.
 */
typedef struct modelwire_value modelwire_value;

/**
 * The result of a function: 0 is success, a positive number is an outcome that is not an error, a
 * negative number is the kind of an error.
 */
typedef int32_t modelwire_status;

/**
 * Called for each event, in order.
 *
 * @param user_data  the pointer that was passed with the callback
 * @param event      valid during the callback
 * @return 0 to continue; any other value ends the call, or, for call records, removes the callback
 *
 * The table under CALLBACKS above lists what it may call. It must not throw, longjmp or end its thread
 * (pthread_exit) through the library.
 */
typedef int32_t (*modelwire_event_fn)(void *user_data, const modelwire_event *event);

/**
 * Releases the user_data of a callback. It is called once, when the callback will not be called again;
 * the function that takes it documents the thread.
 *
 * @param user_data  the pointer that was passed with the callback
 */
typedef void (*modelwire_finalizer)(void *user_data);

/**
 * Called before each attempt.
 *
 * @param user_data  the pointer that was passed with the callback
 * @param attempt    valid during the callback
 * @return 0 to send the attempt; any other value refuses it
 *
 * It may call what on_call may (the table under CALLBACKS above), but modelwire_call_wait for its own call returns
 * MODELWIRE_E_CALLBACK. It must not throw, longjmp or end its thread (pthread_exit) through the library.
 */
typedef int32_t (*modelwire_attempt_fn)(void *user_data, const modelwire_attempt *attempt);

/**
 * Success.
 */
#define MODELWIRE_OK 0

/**
 * A callback ended its stream by returning nonzero.
 */
#define MODELWIRE_STOPPED 1

/**
 * The caller's wait timed out; not an error. (A call that times out gives MODELWIRE_E_TIMEOUT.)
 */
#define MODELWIRE_TIMEOUT 2

/**
 * The requested item does not exist.
 */
#define MODELWIRE_ABSENT 3

/**
 * The queue is closed and empty; not an error.
 */
#define MODELWIRE_CLOSED 4

/**
 * A signal or a wakeup ended an interruptible wait; not an error. The call continues: check your own
 * flags, then wait again or cancel.
 */
#define MODELWIRE_INTERRUPTED 5

/**
 * An argument is invalid; nothing was sent.
 */
#define MODELWIRE_E_ARGUMENT (-1)

/**
 * The configuration is invalid or incomplete; nothing was sent.
 */
#define MODELWIRE_E_CONFIG (-2)

/**
 * Status 400: the request is invalid.
 */
#define MODELWIRE_E_INVALID_REQUEST (-3)

/**
 * Status 401: the key is missing, wrong or malformed.
 */
#define MODELWIRE_E_AUTHENTICATION (-4)

/**
 * Status 403: not permitted for this account, balance, model or key.
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
 * Status 5xx: a temporary failure of the service.
 */
#define MODELWIRE_E_SERVER (-8)

/**
 * Any other status that is not success.
 */
#define MODELWIRE_E_STATUS (-9)

/**
 * No connection: refused, unreachable, host name not found, or no thread or descriptor for one.
 */
#define MODELWIRE_E_CONNECT (-10)

/**
 * The TLS handshake or a certificate failed.
 */
#define MODELWIRE_E_TLS (-11)

/**
 * A timeout expired; "timeout" in the error's JSON says which.
 */
#define MODELWIRE_E_TIMEOUT (-12)

/**
 * The connection was lost after the request was sent.
 */
#define MODELWIRE_E_DISCONNECTED (-13)

/**
 * The response violates the protocol, or exceeds a size limit.
 */
#define MODELWIRE_E_PROTOCOL (-14)

/**
 * A stream ended without its end mark.
 */
#define MODELWIRE_E_INCOMPLETE (-15)

/**
 * The service reported an error after a success status, usually in a stream.
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
 * The library was shut down while the call was in flight.
 */
#define MODELWIRE_E_SHUTDOWN (-20)

/**
 * A bug in this library.
 */
#define MODELWIRE_E_INTERNAL (-21)

/**
 * The function was called from inside a callback whose end it would have to wait for.
 */
#define MODELWIRE_E_CALLBACK (-22)

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The library's version as a number like MODELWIRE_VERSION_NUMBER. Any thread.
 */
MODELWIRE_API uint32_t modelwire_version_number(void);

/**
 * Checks whether this library supports a program that was compiled against a header's ABI.
 *
 * @param header_abi  MODELWIRE_ABI as the program's header defines it
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT if it does not
 *
 * Any thread.
 */
MODELWIRE_API modelwire_status modelwire_check_abi(uint32_t header_abi);

/**
 * The name of a status, an identifier: for instance "rate_limited" for MODELWIRE_E_RATE_LIMITED, "ok"
 * for MODELWIRE_OK, "wait_timeout" for MODELWIRE_TIMEOUT. Static, never NULL, any thread.
 *
 * @param status  what a function returned
 */
MODELWIRE_API
const char *modelwire_status_name(modelwire_status status);

/**
 * Sets the number of threads that do the I/O of this process, 1 to 16; without this, the environment
 * variable MODELWIRE_IO_THREADS sets it; the default is 1. One thread handles about 100,000 chunks a
 * second that arrive one at a time. Each thread has its own connections; the limits on connections
 * apply to all together. A call stays on one thread, the one with the fewest calls in flight when it
 * starts. With several threads, a thread that waits at a queue does no I/O itself.
 *
 * @param count  the number of threads; they start when calls need them
 * @param err    receives the error object if this fails; may be NULL
 * @return MODELWIRE_OK; or MODELWIRE_E_CONFIG if the number is not 1 to 16, or the threads are already
 *         running with a different one: call it before the first call, or after modelwire_shutdown
 *
 * Any thread.
 */
MODELWIRE_API
modelwire_status modelwire_set_io_threads(uint32_t count,
                                          modelwire_error **err);

/**
 * Shuts down this copy of the library in this process. Every call ends with MODELWIRE_E_SHUTDOWN.
 * Callbacks receive the last event of their calls; those of modelwire_client_on_call receive all
 * remaining records, and then end. Connections are closed, and the library's threads are joined. Calls
 * that start during the shutdown fail. Afterwards nothing runs; whatever you use again, including old
 * clients and queues, starts again. Optional: a process may simply exit.
 *
 * For a host that exits, or for a plugin with its own static copy before it is unloaded. A plugin that
 * shares the library with others closes its clients instead (modelwire_client_close).
 *
 * @param timeout_ms  longest wait in milliseconds; a negative value waits without limit
 * @return MODELWIRE_OK; MODELWIRE_TIMEOUT if a thread did not end in time, for instance because a
 *         callback hangs: the thread ends later, and the next shutdown waits for it again; or
 *         MODELWIRE_E_CALLBACK (see CALLBACKS)
 *
 * Any thread.
 */
MODELWIRE_API
modelwire_status modelwire_shutdown(int32_t timeout_ms);

/**
 * Creates a client. Does not connect yet.
 *
 * Options that are not given have their defaults; the defaults of the base URL and the key come from
 * the environment (MODELWIRE_BASE_URL or OPENAI_BASE_URL, MODELWIRE_API_KEY or OPENAI_API_KEY).
 *
 * @param options  one JSON object with options by name (see docs/options.md), for instance
 *                 {"base_url":"https://host/v1","api_key":"...","idle_timeout_ms":30000}; UTF-8,
 *                 copied; NULL means none
 * @param length   its length in bytes, or MODELWIRE_NUL
 * @param out      the client; free it with modelwire_client_free
 * @param err      the error, on failure: it names the option, and suggests one for an unknown name;
 *                 may be NULL
 * @return MODELWIRE_OK; MODELWIRE_E_CONFIG if an option is wrong or missing; or MODELWIRE_E_ARGUMENT
 *         for text that is not UTF-8
 */
MODELWIRE_API
modelwire_status modelwire_client_new(const char *options,
                                      size_t length,
                                      modelwire_client **out,
                                      modelwire_error **err);

/**
 * Frees a client. Its calls continue and keep what they need; the callback of modelwire_client_on_call
 * still receives their records.
 */
MODELWIRE_API
void modelwire_client_free(modelwire_client *client);

/**
 * Closes a client: rejects new calls, ends those in flight with MODELWIRE_E_CLOSED, and closes its
 * connections. Returns when every callback of its started calls has received its last event, the
 * callback of modelwire_client_on_call has received the record of every call, and every finalizer has
 * returned. For a host or a plugin before it is unloaded: afterwards this client calls nothing in it.
 * Other clients are not affected. The last event of a paused call of a queue waits for
 * modelwire_queue_resume.
 *
 * @param client      the client; you must still free it
 * @param timeout_ms  longest wait in milliseconds; a negative value waits without limit
 * @param err         the error, on failure; may be NULL
 * @return MODELWIRE_OK; MODELWIRE_TIMEOUT if a callback did not return in time: call again to continue
 *         waiting; or MODELWIRE_E_CALLBACK (see CALLBACKS)
 *
 * Any thread. Closing again only waits.
 */
MODELWIRE_API
modelwire_status modelwire_client_close(const modelwire_client *client,
                                        int32_t timeout_ms,
                                        modelwire_error **err);

/**
 * The tokens that the answered chats and responses of a client have used so far in this process, as a
 * JSON object: "calls"; "calls_without_usage", how many of these reported no usage; "input_tokens",
 * "output_tokens", "total_tokens"; of these, "cached_input_tokens", "cache_write_tokens",
 * "reasoning_tokens", "audio_input_tokens", "audio_output_tokens"; "models", an object with the same
 * ten for each requested model; "keys", an object with all of this, including "models", for each key;
 * and "key_id", the name in "keys" of the client's own key. A key is named by the first 16 hexadecimal
 * digits, in lower case, of the SHA-256 of "modelwire:" and the key; beyond 4096 keys, further keys
 * are added up under "other". Beyond 16384 models, counted over all keys, further models are added up
 * under "(other)", in parentheses, as are those with names of more than 1024 bytes. Model lists and
 * calls that failed or were stopped do not count. Totals are capped at 2^63 - 1.
 *
 * @param client  the client
 * @param reset   1 to set all totals to 0 in the same atomic step: a call that ends at the same time
 *                is counted once, in these totals or in the next ones; 0 to leave them
 * @return the totals as they are now; free them with modelwire_value_free; NULL if the client is NULL
 *         or reset is neither 1 nor 0
 */
MODELWIRE_API
modelwire_value *modelwire_client_usage(const modelwire_client *client,
                                        int32_t reset);

/**
 * Sets the callback that receives the record of each call of a client; replaces an earlier callback. It is
 * called exactly once for each started call, after the call has ended, however it ended. Records arrive in
 * the order in which calls end, on one thread of the library. No call waits for the callback, which
 * may block and run calls. At most 4096 records are queued for it, and at most 64 MiB of their answers
 * and chunk times; further ones are dropped, and the next event reports how many ("dropped" in
 * modelwire_event_info). The callback runs shortly after the program can see the end of the call;
 * modelwire_client_close waits for the last one. The same record is "timing" in
 * modelwire_response_info and in modelwire_error_value. A program with an event loop uses
 * modelwire_queue_follow_calls, which needs no other thread.
 *
 * An earlier callback first receives the records of the calls that ended before the change; its
 * finalizer returns before the new callback runs for the first time. The callback lives as long as the
 * client and its calls. modelwire_client_close and modelwire_shutdown deliver the queued records, then
 * end it and wait for that; after a shutdown you can set it again. A forked child has none: neither
 * the callback nor its finalizer runs there.
 *
 * @param client     the client
 * @param on_call    called with one event of kind MODELWIRE_EVENT_CALL for each call;
 *                   modelwire_event_json and modelwire_event_value return its record. A nonzero return
 *                   value removes it; NULL here removes it as well, for calls that end from now on
 * @param user_data  passed to both functions; may be NULL
 * @param finalizer  releases user_data, once, when on_call will not be called again, on the thread of
 *                   on_call, or on this thread if this function fails; may be NULL
 * @param err        the error, on failure, which leaves an earlier callback in place; may be NULL
 * @return MODELWIRE_OK; MODELWIRE_E_CLOSED if the client was closed, MODELWIRE_E_SHUTDOWN during a
 *         shutdown; or MODELWIRE_E_ARGUMENT for a NULL client
 *
 * Any thread, including the callback itself.
 */
MODELWIRE_API
modelwire_status modelwire_client_on_call(const modelwire_client *client,
                                          modelwire_event_fn on_call,
                                          void *user_data,
                                          modelwire_finalizer finalizer,
                                          modelwire_error **err);

/**
 * Sets the callback that runs before each attempt of each call of a client, also before retries and before
 * moves to another base URL: to sign requests, audit them, or add headers. It replaces an earlier callback.
 *
 * It runs on helper threads of the library, never on the I/O thread, at most 256 at once in the process; its
 * call holds one of connections_max connections meanwhile. A call whose attempt it refuses ends with
 * MODELWIRE_E_CALLBACK, and nothing more is sent; the message has the number that it returned. It may take as
 * long as the call has left (total_timeout_ms), and at most 30 s; a later return is ignored.
 *
 * @param client          the client
 * @param before_attempt  the callback; NULL removes an earlier one, for attempts that begin from now on
 * @param user_data       passed to both functions; may be NULL
 * @param finalizer       releases user_data, once, when the callback was replaced or removed, the client
 *                        closed or freed with all its calls, and no attempt runs it any more; on any thread,
 *                        or on this thread if this function fails; may be NULL
 * @param err             the error, on failure; may be NULL
 * @return MODELWIRE_OK; MODELWIRE_E_CLOSED if the client was closed; or MODELWIRE_E_ARGUMENT for a NULL
 *         client
 *
 * Any thread. modelwire_client_close waits until no callback runs, and releases user_data; modelwire_shutdown
 * waits for it as well.
 */
MODELWIRE_API
modelwire_status modelwire_client_before_attempt(const modelwire_client *client,
                                                 modelwire_attempt_fn before_attempt,
                                                 void *user_data,
                                                 modelwire_finalizer finalizer,
                                                 modelwire_error **err);

/**
 * What is known of an attempt, as a JSON object: "operation", "models", "chat" or "responses"; "url", with its
 * query; "number", that of the attempt of its call, from 1.
 *
 * @param attempt  the attempt
 * @param length   its length in bytes; may be NULL
 */
MODELWIRE_API
const char *modelwire_attempt_json(const modelwire_attempt *attempt,
                                   size_t *length);

/**
 * The request body of an attempt, a JSON text; empty for a model list.
 *
 * @param attempt  the attempt
 * @param length   its length in bytes; may be NULL
 */
MODELWIRE_API
const char *modelwire_attempt_body(const modelwire_attempt *attempt,
                                   size_t *length);

/**
 * Sets a header of this attempt; it replaces one of the client or the request.
 *
 * @param attempt  the attempt
 * @param name     the name
 * @param name_length   its length in bytes, or MODELWIRE_NUL
 * @param value    the value; that of "authorization" replaces the API key, and is not redacted where the
 *                 service echoes it
 * @param value_length  its length in bytes, or MODELWIRE_NUL
 * @param err      the error, on failure; may be NULL
 * @return MODELWIRE_OK; or MODELWIRE_E_ARGUMENT for an invalid name or value, and for a header that the library
 *         sets itself
 */
MODELWIRE_API
modelwire_status modelwire_attempt_set_header(const modelwire_attempt *attempt,
                                              const char *name,
                                              size_t name_length,
                                              const char *value,
                                              size_t value_length,
                                              modelwire_error **err);

/**
 * Creates a request from complete JSON text, or an empty one to fill with modelwire_request_set_text
 * ("model", and "input" for a response), modelwire_request_add_message and the other setters. The
 * setters escape strings, for programs without a JSON library.
 *
 * A chat has at least "model" and "messages", a response "model" and "input". The text is sent as it
 * is, except for "stream", which follows from how the call is run: a "stream" in the text that
 * contradicts it is an error, unless the option stream_only is on. Each message is an object with a
 * string "role" and a "content" that is a string or an array; for roles other than "user", "system",
 * "developer" and "tool", the content may also be null or absent. "max_tokens" of a chat and
 * "max_output_tokens" of a response are 1 or more, or null.
 *
 * @param operation  MODELWIRE_OPERATION_...
 * @param json       one JSON object, UTF-8, copied; checked here; NULL for an empty request, and for
 *                   the model list, which has no body
 * @param length     its length in bytes, or MODELWIRE_NUL
 * @param out        the request; free it with modelwire_request_free
 * @param err        the error, on failure: it names the byte or the field; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for an unknown operation, text that is not JSON, or a
 *         field that is missing or invalid
 */
MODELWIRE_API
modelwire_status modelwire_request_new(int32_t operation,
                                       const char *json,
                                       size_t length,
                                       modelwire_request **out,
                                       modelwire_error **err);

/**
 * Frees a request; calls created from it keep their copy.
 */
MODELWIRE_API void modelwire_request_free(modelwire_request *request);

/**
 * Adds a message to a request that is built field by field: to the messages of a chat or the input of
 * a response, after those set by modelwire_request_set_json, if any. A longer conversation generally
 * costs more and takes longer.
 *
 * @param request         the request
 * @param role            "system", "user", "assistant"; copied
 * @param role_length     its length in bytes, or MODELWIRE_NUL
 * @param content         the text, copied
 * @param content_length  its length in bytes, or MODELWIRE_NUL
 * @param err             the error, on failure; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, text that is not UTF-8, no role, the role
 *         "tool", whose messages modelwire_request_add_tool_result adds, or a request that is not built field
 *         by field
 */
MODELWIRE_API
modelwire_status modelwire_request_add_message(modelwire_request *request,
                                               const char *role,
                                               size_t role_length,
                                               const char *content,
                                               size_t content_length,
                                               modelwire_error **err);

/**
 * Adds a part to the message that modelwire_request_add_message added last, for instance an image to a
 * question. Images are part of the input and generally consume tokens. The texts of an assistant's
 * message in a response are sent as one.
 *
 * @param request       the request, built field by field
 * @param type          "text"; "image_url", for an image that the service fetches; or the media type
 *                      of an image, for instance "image/png", which is sent with the request
 * @param type_length   its length in bytes, or MODELWIRE_NUL
 * @param value         the text, the URL, or the bytes of the image; copied
 * @param value_length  its length in bytes, or MODELWIRE_NUL for a text or a URL
 * @param err           the error, on failure; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, another type, text that is not UTF-8, an image
 *         without bytes or of an assistant, or where something else than a message was added last
 */
MODELWIRE_API
modelwire_status modelwire_request_add_part(modelwire_request *request,
                                            const char *type,
                                            size_t type_length,
                                            const char *value,
                                            size_t value_length,
                                            modelwire_error **err);

/**
 * Adds what the model answered to the conversation, as it sent it: the message of a chat's first choice
 * with its tool calls, or all output items of a response.
 *
 * @param request   the request, built field by field, of the same operation
 * @param response  the answer; that of a stream must have been gathered (option "gather")
 * @param err       the error, on failure; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, or an answer without a message
 */
MODELWIRE_API
modelwire_status modelwire_request_add_response(modelwire_request *request,
                                                const modelwire_response *response,
                                                modelwire_error **err);

/**
 * Adds the result of a tool call, after the answer that has the call. Each call of an answer needs one.
 * For a service that omits the ids of calls, add the messages with modelwire_request_add_json instead.
 *
 * @param request        the request, built field by field
 * @param id             the "id" of the call, in "tool_calls" of modelwire_response_info; copied
 * @param id_length      its length in bytes, or MODELWIRE_NUL
 * @param output         the result, copied
 * @param output_length  its length in bytes, or MODELWIRE_NUL
 * @param err            the error, on failure; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, an empty id, or text that is not UTF-8
 */
MODELWIRE_API
modelwire_status modelwire_request_add_tool_result(modelwire_request *request,
                                                   const char *id,
                                                   size_t id_length,
                                                   const char *output,
                                                   size_t output_length,
                                                   modelwire_error **err);

/**
 * Appends a JSON value to a field that is an array, or absent as yet: a definition to "tools", a message of any form to
 * "messages", an item to "input".
 *
 * @param request      the request, built field by field
 * @param name         the field's name, copied
 * @param name_length  its length in bytes, or MODELWIRE_NUL
 * @param json         one JSON value, copied; checked here
 * @param json_length  its length in bytes, or MODELWIRE_NUL
 * @param err          the error, on failure, with the position; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, text that is not UTF-8 or not JSON, or a field
 *         that is not an array
 */
MODELWIRE_API
modelwire_status modelwire_request_add_json(modelwire_request *request,
                                            const char *name,
                                            size_t name_length,
                                            const char *json,
                                            size_t json_length,
                                            modelwire_error **err);

/**
 * Sets a field to a string, for instance "model", "input" or "reasoning_effort". A second value
 * replaces the first.
 *
 * @param request       the request, built field by field
 * @param name          the field's name, copied
 * @param name_length   its length in bytes, or MODELWIRE_NUL
 * @param value         the text, copied
 * @param value_length  its length in bytes, or MODELWIRE_NUL
 * @param err           the error, on failure; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, text that is not UTF-8, or a request created
 *         from JSON text, or a model list
 */
MODELWIRE_API
modelwire_status modelwire_request_set_text(modelwire_request *request,
                                            const char *name,
                                            size_t name_length,
                                            const char *value,
                                            size_t value_length,
                                            modelwire_error **err);

/**
 * Sets a field to any JSON value, for instance "max_tokens" to 200, "temperature" to 0.2, "tools",
 * "response_format", or "messages" with images. The value is sent as it is.
 *
 * @param request      the request, built field by field
 * @param name         the field's name, copied
 * @param name_length  its length in bytes, or MODELWIRE_NUL
 * @param json         one JSON value, copied; checked here
 * @param json_length  its length in bytes, or MODELWIRE_NUL
 * @param err          the error, on failure, with the position; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, text that is not UTF-8 or not JSON, or a
 *         request created from JSON text, or a model list
 */
MODELWIRE_API
modelwire_status modelwire_request_set_json(modelwire_request *request,
                                            const char *name,
                                            size_t name_length,
                                            const char *json,
                                            size_t json_length,
                                            modelwire_error **err);

/**
 * Sets options for the calls that are created from this request, in place of the client's: headers,
 * the API key, timeouts, retries, gathering. Sets all of them or, on failure, none. A second object
 * adds to the first: an option that it names again is replaced; headers and query parameters are
 * added.
 *
 * @param request  the request
 * @param json     one JSON object with options by name (see docs/options.md), for instance
 *                 {"total_timeout_ms":5000,"headers":{"x-a":"b"},"gather":true}; copied
 * @param length   its length in bytes, or MODELWIRE_NUL
 * @param err      the error, on failure: it names the option, and suggests one for an unknown name;
 *                 may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT
 */
MODELWIRE_API
modelwire_status modelwire_request_set_options(modelwire_request *request,
                                               const char *json,
                                               size_t length,
                                               modelwire_error **err);

/**
 * Creates an empty queue.
 *
 * @param flags  0, or MODELWIRE_INTERRUPTIBLE and MODELWIRE_SOCKET combined with |
 * @param out    the queue; free it with modelwire_queue_free
 * @param err    the error, on failure; may be NULL
 * @return MODELWIRE_OK; MODELWIRE_E_ARGUMENT for a NULL out or unknown flags; or MODELWIRE_E_CONNECT if an
 *         interruptible queue gets no descriptor
 */
MODELWIRE_API
modelwire_status modelwire_queue_new(uint32_t flags,
                                     modelwire_queue **out,
                                     modelwire_error **err);

/**
 * Frees a queue. Its unfinished calls are cancelled; events that were not taken are lost. Waiting
 * threads return MODELWIRE_CLOSED; no thread may begin a new wait.
 */
MODELWIRE_API
void modelwire_queue_free(modelwire_queue *queue);

/**
 * Rejects new calls and cancels those in flight. You take their last events as usual; then
 * modelwire_queue_next returns MODELWIRE_CLOSED on every thread.
 */
MODELWIRE_API void modelwire_queue_close(const modelwire_queue *queue);

/**
 * Makes one thread that waits in modelwire_queue_next, or the next one that would wait, return
 * MODELWIRE_TIMEOUT, or MODELWIRE_INTERRUPTED for an interruptible queue. Until then the descriptor is
 * readable. A call with a timeout of 0 takes it only if no thread waits. Any thread; for an interruptible
 * queue, also a signal handler.
 */
MODELWIRE_API
void modelwire_queue_wakeup(const modelwire_queue *queue);

/**
 * A descriptor that is readable while the queue may have an event, and once the queue is closed and
 * drained. Non-blocking and close-on-exec; it works in epoll (level and edge triggered), poll, select
 * and every loop built on them. An eventfd where available; a socket if MODELWIRE_SOCKET is set. The
 * bytes in it have no meaning; the library reads them itself.
 *
 * @param queue  the queue
 * @return the descriptor, the same each time; -1 if none can be made, in a forked child, and for
 *         NULL
 *
 * The queue owns it: do not close it; give a dup of it to a loop that closes the descriptors that it
 * watches.
 *
 * On Windows it is always a socket, which select, WSAPoll and loops built on them can watch: cast it
 * to SOCKET, of which Windows uses only 32 bits.
 */
MODELWIRE_API
int32_t modelwire_queue_fd(const modelwire_queue *queue);

/**
 * Takes the next event of any call. The events of one call arrive in order; no call can starve the
 * others.
 *
 * @param queue       the queue
 * @param timeout_ms  longest wait in milliseconds; 0 does not wait, a negative value waits without
 *                    limit
 * @param out         the event; free it with modelwire_event_free
 * @return MODELWIRE_OK; MODELWIRE_TIMEOUT if no event arrived in time, or modelwire_queue_wakeup was
 *         called; MODELWIRE_INTERRUPTED for an interruptible queue; MODELWIRE_CLOSED if the queue is
 *         closed and every event has been taken; MODELWIRE_E_FORKED in a forked child;
 *         MODELWIRE_E_ARGUMENT for NULL
 *
 * Several threads may take events at the same time. The events of one call are taken in order, but a thread
 * may still work on an earlier one when another takes the last: what belongs to a call is released when both
 * are done.
 */
MODELWIRE_API
modelwire_status modelwire_queue_next(const modelwire_queue *queue,
                                      int32_t timeout_ms,
                                      modelwire_event **out);

/**
 * Takes all events that are ready, up to max, like modelwire_queue_next, and waits only for the first:
 * this costs less per event.
 *
 * @param queue       the queue
 * @param timeout_ms  longest wait in milliseconds; 0 does not wait, a negative value waits without
 *                    limit
 * @param out         an array of max elements; receives the taken events first, then NULL in the
 *                    others; free each event with modelwire_event_free
 * @param max         the maximum number of events to take, at least 1
 * @param count       the number of events taken; 0 if the status is not MODELWIRE_OK
 * @return as modelwire_queue_next
 */
MODELWIRE_API
modelwire_status modelwire_queue_take(const modelwire_queue *queue,
                                      int32_t timeout_ms,
                                      modelwire_event **out,
                                      size_t max,
                                      size_t *count);

/**
 * Submits a request; its events come out of the queue under a tag. The last event is of kind
 * MODELWIRE_EVENT_RESPONSE or MODELWIRE_EVENT_ERROR, exactly once, and reports any error in the
 * request or during the call.
 *
 * @param queue      the queue
 * @param client     the client
 * @param operation  MODELWIRE_OPERATION_...
 * @param json       the request, as for modelwire_request_new, copied; NULL for the model list
 * @param length     its length in bytes, or MODELWIRE_NUL
 * @param stream     1 to stream the response, 0 for a whole response
 * @param tag        any number that no unfinished call of the queue uses: an index, or a pointer
 * @param err        the error, on failure; may be NULL
 * @return MODELWIRE_OK; MODELWIRE_E_CLOSED if the queue was closed; MODELWIRE_E_FORKED in a forked
 *         child; or MODELWIRE_E_ARGUMENT for NULL,
 *         an unknown operation, `stream` that is neither 1 nor 0, text that is not UTF-8, or a tag in
 *         use; after an error no event follows
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
 * Like modelwire_queue_submit, with a request handle: for requests with their own options, and for
 * programs without a JSON library.
 *
 * @param queue    the queue
 * @param client   the client
 * @param request  the request, copied
 * @param stream   1 to stream the response, 0 for a whole response
 * @param tag      any number that no unfinished call of the queue uses
 * @param err      the error, on failure; may be NULL
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
 * Cancels a call now: its last event has MODELWIRE_E_CANCELLED and comes out next, even if the call is
 * paused. If the answer was already received completely, this has no effect: the queued events are
 * still delivered. Any thread, any time.
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
 * Holds back the events of a call until modelwire_queue_resume; the events of other calls still come
 * out. When the waiting events reach queue_bytes_max or queue_events_max of the client, the library
 * stops reading the response body, and the service waits too, so that a slow consumer of one stream
 * uses bounded memory. The last event is held back as well; but a call ended by
 * modelwire_queue_cancel, or by closing the queue, is no longer paused. During a pause the idle
 * timeout stops, the total timeout does not.
 *
 * @param queue  the queue
 * @param tag    the call's tag
 * @return as modelwire_queue_cancel; pausing a paused call is not an error
 */
MODELWIRE_API
modelwire_status modelwire_queue_pause(const modelwire_queue *queue,
                                       uint64_t tag);

/**
 * Resumes a paused call: its events come out again.
 *
 * @param queue  the queue
 * @param tag    the call's tag
 * @return as modelwire_queue_cancel; resuming a call that is not paused is not an error
 */
MODELWIRE_API
modelwire_status modelwire_queue_resume(const modelwire_queue *queue,
                                        uint64_t tag);

/**
 * The number of calls whose last event has not been taken yet; 0 for NULL.
 *
 * @param queue  the queue
 */
MODELWIRE_API size_t modelwire_queue_count(const modelwire_queue *queue);

/**
 * Delivers the log of the whole library through a queue, as events of kind MODELWIRE_EVENT_LOG; other
 * queues still receive it. At most 4096 records are queued; further records are dropped, and one
 * record reports how many. The log never contains the API key. Ends when the queue is closed or freed.
 *
 * @param queue  the queue
 * @param level  MODELWIRE_LOG_ERROR to MODELWIRE_LOG_TRACE: records of this level and more important
 *               ones; MODELWIRE_LOG_OFF ends the log here
 * @param tag    the tag of these events; calls may use the same tag
 * @param err    the error, on failure; may be NULL
 * @return MODELWIRE_OK; MODELWIRE_E_CLOSED if the queue was closed; MODELWIRE_E_FORKED in a forked
 *         child; or MODELWIRE_E_ARGUMENT for NULL or
 *         an unknown level
 */
MODELWIRE_API
modelwire_status modelwire_queue_log(const modelwire_queue *queue,
                                     int32_t level,
                                     uint64_t tag,
                                     modelwire_error **err);

/**
 * Delivers the record of each call of a client through a queue as well, as an event of kind
 * MODELWIRE_EVENT_CALL: one for each call that is started, by whatever function; it is in the queue before
 * the program can see the end of the call. The records are those of modelwire_client_on_call, for a
 * program with an event loop. At most 4096 are queued, for all clients together, and at most 64 MiB of
 * answers and chunk times; further ones are dropped, and the next event reports how many ("dropped" in
 * modelwire_event_info). A closed queue still delivers the records of the calls that were submitted to
 * it, and no others. After a client is freed, records continue until its last call has ended. Ends at
 * modelwire_queue_free.
 *
 * @param queue   the queue
 * @param client  the client
 * @param on      1 to begin, 0 to end: ending discards the queued records
 * @param tag     the tag of these events, in place of an earlier one; calls, the log and other clients
 *                may use the same tag
 * @param err     the error, on failure; may be NULL
 * @return MODELWIRE_OK; MODELWIRE_E_CLOSED if the queue was closed; MODELWIRE_E_FORKED in a forked
 *         child; or MODELWIRE_E_ARGUMENT for NULL or `on` that is neither 1 nor 0
 */
MODELWIRE_API
modelwire_status modelwire_queue_follow_calls(const modelwire_queue *queue,
                                              const modelwire_client *client,
                                              int32_t on,
                                              uint64_t tag,
                                              modelwire_error **err);

/**
 * Creates a call without starting it.
 *
 * @param client   the client; the call keeps what it needs from it
 * @param request  the request, copied
 * @param flags    0, or MODELWIRE_INTERRUPTIBLE: waits return MODELWIRE_INTERRUPTED when a signal
 *                 handler has run on the waiting thread
 * @param out      the call; free it with modelwire_call_free
 * @param err      the error, on failure; may be NULL
 * @return MODELWIRE_OK; MODELWIRE_E_ARGUMENT for NULL or unknown flags; or MODELWIRE_E_CONNECT if an
 *         interruptible call gets no descriptor
 */
MODELWIRE_API
modelwire_status modelwire_call_new(const modelwire_client *client,
                                    const modelwire_request *request,
                                    uint32_t flags,
                                    modelwire_call **out,
                                    modelwire_error **err);

/**
 * Runs a plain call, that is, without streaming, and waits for the response.
 *
 * @param call  the call; running it again, except after MODELWIRE_INTERRUPTED, returns
 *              MODELWIRE_E_ARGUMENT
 * @param out   the response; free it with modelwire_response_free
 * @param err   the error, on failure; may be NULL
 * @return MODELWIRE_OK; MODELWIRE_INTERRUPTED for an interruptible call, which continues: run it again
 *         to wait again; or the kind of the error
 *
 * Blocks the calling thread only. modelwire_call_cancel from another thread ends the call at once.
 */
MODELWIRE_API
modelwire_status modelwire_call_run(modelwire_call *call,
                                    modelwire_response **out,
                                    modelwire_error **err);

/**
 * Runs a call as a stream, and calls back for each chunk on this thread.
 *
 * @param call       the call; running it again, except after MODELWIRE_INTERRUPTED, returns
 *                   MODELWIRE_E_ARGUMENT
 * @param on_event   called for each chunk, in order
 * @param user_data  passed to the callback
 * @param out        how the stream ended, and its usage; free it with modelwire_response_free
 * @param err        the error, on failure, after all chunks that arrived before it; may be NULL
 * @return MODELWIRE_OK; MODELWIRE_STOPPED if the callback ended it; MODELWIRE_INTERRUPTED for an
 *         interruptible call, which continues: run it again to wait again; or the kind of the error
 *
 * Blocks the calling thread only. modelwire_call_cancel ends the call at once.
 */
MODELWIRE_API
modelwire_status modelwire_call_stream(modelwire_call *call,
                                       modelwire_event_fn on_event,
                                       void *user_data,
                                       modelwire_response **out,
                                       modelwire_error **err);

/**
 * Starts a call and returns; its events go to a callback on the client's callback thread. The callback
 * may block: the I/O continues. The callbacks of one client run one after another; those of two
 * clients may run at the same time.
 *
 * The last event is of kind MODELWIRE_EVENT_RESPONSE or MODELWIRE_EVENT_ERROR, exactly once, however
 * the call ends; then the finalizer runs, once, on that thread, and nothing follows. If the callback
 * ends the call, the last event has MODELWIRE_E_CANCELLED. Freeing an unfinished call cancels it.
 *
 * @param call       the call; starting it again returns MODELWIRE_E_ARGUMENT
 * @param stream     1 to stream the response, 0 for a whole response
 * @param on_event   called for each event, in order
 * @param user_data  passed to both functions, on the callback thread; may be NULL
 * @param finalizer  releases user_data; may be NULL. If the start fails, the finalizer is called
 *                   before this function returns, and on_event is never called.
 * @param err        the error, on failure; may be NULL
 * @return MODELWIRE_OK if the call was started, or the kind of the error; MODELWIRE_E_ARGUMENT for a stream
 *         that is neither 1 nor 0
 *
 * Before you unload the callback's code or tear down its runtime, call modelwire_call_wait or
 * modelwire_client_close: both return only after the finalizer has returned.
 */
MODELWIRE_API
modelwire_status modelwire_call_start(modelwire_call *call,
                                      int32_t stream,
                                      modelwire_event_fn on_event,
                                      void *user_data,
                                      modelwire_finalizer finalizer,
                                      modelwire_error **err);

/**
 * Waits until a started call has ended: its callback has received the last event, and its finalizer
 * has returned. For a call that was never started, or whose start failed, it returns MODELWIRE_OK at
 * once.
 *
 * @param call        the call
 * @param timeout_ms  longest wait in milliseconds; 0 does not wait, a negative value waits without
 *                    limit
 * @param err         the error, on failure; may be NULL
 * @return MODELWIRE_OK; MODELWIRE_TIMEOUT; MODELWIRE_INTERRUPTED for an interruptible call;
 *         MODELWIRE_E_ARGUMENT for a call that was run with
 *         modelwire_call_run or modelwire_call_stream; or MODELWIRE_E_CALLBACK (see CALLBACKS)
 *
 * Any thread.
 */
MODELWIRE_API
modelwire_status modelwire_call_wait(const modelwire_call *call,
                                     int32_t timeout_ms,
                                     modelwire_error **err);

/**
 * Cancels a call now, in any state, even before it starts: it ends with MODELWIRE_E_CANCELLED. A call
 * that has ended stays as it is. Any thread, any time, but not from a signal handler. Code that sees
 * the call end may free it even before this function has returned.
 *
 * @param call  the call; NULL does nothing
 */
MODELWIRE_API
void modelwire_call_cancel(const modelwire_call *call);

/**
 * Makes the thread that waits in modelwire_call_run, modelwire_call_stream or modelwire_call_wait of an
 * interruptible call, or the next one that would wait, return MODELWIRE_INTERRUPTED. May be called on
 * any thread and in a signal handler. Has no effect on calls that are not interruptible.
 *
 * @param call  the call; NULL does nothing
 */
MODELWIRE_API
void modelwire_call_wakeup(const modelwire_call *call);

/**
 * Frees a call. No other thread may be about to call a function with it. An unfinished call is
 * cancelled: the functions that run with it return, and its memory is freed then.
 *
 * @param call  the call; NULL does nothing
 */
MODELWIRE_API void modelwire_call_free(modelwire_call *call);

/**
 * Frees an event that was taken from a queue. Does nothing to an event that a callback received.
 */
MODELWIRE_API
void modelwire_event_free(modelwire_event *event);

/**
 * The kind of an event, MODELWIRE_EVENT_...; 0 for NULL. Kinds may be added: skip unknown ones. The
 * last event of a call is always of kind MODELWIRE_EVENT_RESPONSE or MODELWIRE_EVENT_ERROR.
 *
 * @param event  the event
 */
MODELWIRE_API
int32_t modelwire_event_kind(const modelwire_event *event);

/**
 * The tag of the event's call in the queue; 0 in a callback and for NULL.
 *
 * @param event  the event
 */
MODELWIRE_API uint64_t modelwire_event_tag(const modelwire_event *event);

/**
 * The event's human-readable text. For a chunk, the output text that it adds: the content of a chat's
 * first choice, or an output text delta of a response; empty for other chunks. For a response, its
 * whole text; for an error and a log record, the message; for the record of a call, the empty string.
 *
 * @param event   the event
 * @param length  its length in bytes; may be NULL
 */
MODELWIRE_API
const char *modelwire_event_text(const modelwire_event *event,
                                 size_t *length);

/**
 * The event's machine-readable JSON text. For a chunk and a response, the text as the service sent it
 * (empty at the end of a stream that was not gathered); for an error, what modelwire_error_json
 * returns; for a log record, an object with "level" ("error" to "trace"), "target", "message" and
 * "unix_ms".
 *
 * For the record of a call, an object without the API key; texts from the service are truncated to
 * 1024 bytes. Times are whole microseconds since the start of the call; absent values are null.
 * Members:
 *
 * "start_unix_ms", when the call was started, in milliseconds since 1970; "operation", "models",
 * "chat" or "responses"; "path" of the request; "model", the requested model; "streamed", whether the
 * caller requested a stream; "attempts", the last 32 of them (see below); "attempts_count", how many
 * there were in all; "waits", the last 32, objects with "reason" ("retry", the delay before another
 * attempt; "connection", for a free connection under connections_max; "turn", behind other calls of
 * the client with retry_adaptive; "reuse", a short delay in which the service may close a connection
 * that has just carried a stream), "start_us" and "length_us"; "waits_count", how many there were in
 * all; "first_chunk_us" and "last_chunk_us", when these were read, even if chunks are only gathered;
 * "chunks", the number of chunks; "chunk_times_us", when each was read, for the first 16384, with the
 * option chunk_times, otherwise empty; "consumer_wait_us", how long the stream was not read any further
 * because its queue was full; "elapsed_us", when the call ended; "bottleneck", where most of this time
 * went, or where the call failed: "queue" (of the client), "retry", "dns", "connect", "proxy", "tls",
 * "service" (before its answer began), "stream" or "consumer"; "kind", the kind of its error as
 * modelwire_status_name names it; "status", the HTTP status; "request_id", the service's
 * identifier of the request; "response_id", "response_model" and "finish_reason", as the answer states
 * them, even if it was truncated; "usage", as in modelwire_response_info; "metered", whether the call
 * may have been metered, that is, counted by the service for billing: "not_sent", "normally_not",
 * "entered" (part of an answer arrived) or "unknown"; "bytes_out" and "bytes_in", of the bodies of all
 * attempts, as transferred; "cancelled_by", who ended it early: "program", "dropped" (its handle was
 * freed), "closed" (its client), "shutdown".
 *
 * An attempt is an object with "start_us"; "base_url", where it was sent, if the client has several
 * (base_urls); "address", the peer of the connection, possibly a proxy;
 * "reused", whether the connection already existed; the time that a new connection took, "dns_us" for
 * the DNS lookup, "connect_us" including the proxy's part, and "tls_us" for the handshake; "head_us",
 * when the response headers were complete; "first_byte_us", when the first byte of the body arrived;
 * "end_us"; "status"; "kind".
 *
 * @param event   the event
 * @param length  its length in bytes; may be NULL
 */
MODELWIRE_API
const char *modelwire_event_json(const modelwire_event *event,
                                 size_t *length);

/**
 * The name of the server-sent event, "response.completed" for instance; empty if it had none, as in
 * chat streams. For a log record, its source: "modelwire", or a library that it uses.
 *
 * @param event   the event
 * @param length  its length in bytes; may be NULL
 */
MODELWIRE_API
const char *modelwire_event_name(const modelwire_event *event,
                                 size_t *length);

/**
 * The fields of modelwire_event_json, to read by path; borrowed. NULL for NULL.
 *
 * @param event  the event
 */
MODELWIRE_API const modelwire_value *modelwire_event_value(const modelwire_event *event);

/**
 * What the library knows about the event, as a JSON object to read by path; borrowed. NULL for NULL.
 * For a response, what modelwire_response_info returns; for an error, what modelwire_error_json
 * returns; for the record of a call, an object with "dropped", the number of records dropped since the
 * previous one. For a chunk, with null for absent members:
 *
 * - "name": The name of the server-sent event, "response.completed" for instance; empty if it
 *   had none, as in chat streams.
 * - "reasoning": The reasoning text that the chunk adds, in its first choice or to an item of
 *   a response, whatever the service calls it; empty for other chunks.
 * - "finish_reason": Why the first choice stopped, "stop" for instance; absent until it
 *   stops.
 * - "usage": The tokens that the chunk, or the response at the end, reports: "input_tokens",
 *   "output_tokens" and "total_tokens", and of these "cached_input_tokens",
 *   "cache_write_tokens", "reasoning_tokens", "audio_input_tokens" and "audio_output_tokens", 0
 *   if the service does not report them.
 * - "tool_calls": The fragments of tool calls that the chunk adds in its first choice:
 *   "index" (which call), "id", "name" and "arguments" (fragments that together form JSON
 *   text).
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
 * Reads many events in one call, for runtimes in which calls into C are expensive: their tags and
 * kinds, and the chosen texts of all of them in one buffer, one after another and without a NUL. Or
 * frees many in one call.
 *
 * @param events     an array of count events, from modelwire_queue_take for instance
 * @param count      how many events there are
 * @param parts      what to read: MODELWIRE_READ_TEXT, MODELWIRE_READ_JSON and MODELWIRE_READ_NAME
 *                   combined with |, or none of them; and MODELWIRE_READ_FREE, without which the
 *                   events stay the caller's
 * @param tags       an array of count elements receives what modelwire_event_tag returns; may be NULL
 * @param kinds      an array of count elements receives what modelwire_event_kind returns; may be NULL
 * @param lengths    an array of count elements for each part receives the lengths in bytes: those of
 *                   the first event in the order text, JSON, name, then those of the second; may be
 *                   NULL where there are no parts
 * @param texts      a buffer receives the parts in the same order; may be NULL where there are none
 * @param texts_max  the size of the buffer in bytes
 * @return how many events were read, from the first on: fewer than count where the parts of the next
 *         one do not fit into the rest of the buffer. Go on with that one; where none fits into the
 *         whole buffer, read it with modelwire_event_text and its siblings. 0 for NULL or unknown parts
 */
MODELWIRE_API
size_t modelwire_event_read_all(modelwire_event **events,
                                size_t count,
                                uint32_t parts,
                                uint64_t *tags,
                                int32_t *kinds,
                                size_t *lengths,
                                char *texts,
                                size_t texts_max);

/**
 * Frees a response.
 */
MODELWIRE_API void modelwire_response_free(modelwire_response *response);

/**
 * The output text: the content of a chat's first choice, or all output text of a response; empty if
 * there is none, and at the end of a stream that was not gathered.
 *
 * @param response  the response
 * @param length    its length in bytes; may be NULL
 */
MODELWIRE_API
const char *modelwire_response_text(const modelwire_response *response,
                                    size_t *length);

/**
 * The JSON text as the service sent it, or as it was gathered; empty at the end of a stream that was
 * not gathered, whose content was in its events.
 *
 * @param response  the response
 * @param length    its length in bytes; may be NULL
 */
MODELWIRE_API
const char *modelwire_response_json(const modelwire_response *response,
                                    size_t *length);

/**
 * The fields of modelwire_response_json, to read by path; borrowed. NULL for NULL.
 *
 * @param response  the response
 */
MODELWIRE_API
const modelwire_value *modelwire_response_value(const modelwire_response *response);

/**
 * What the library knows about the response, as a JSON object to read by path; borrowed. NULL for
 * NULL. Members, null where absent:
 *
 * - "http_status": The HTTP status, 200 for instance.
 * - "request_id": The service's identifier of the request, which its support asks for.
 * - "id": "id" of the answer, the service's identifier for it.
 * - "model": The model that answered, as the service names it.
 * - "attempts": The number of attempts: more than 1 if the request was retried.
 * - "elapsed_ms": The time from the start of the call's first wait or attempt to the end of
 *   the response.
 * - "end": How the response was known to be complete: "document", "done_mark", "final_event"
 *   or "finish_reasons".
 * - "is_gathered": Whether the JSON text was assembled from the chunks of a stream.
 * - "reasoning": The model's reasoning: that of a chat's first choice, whatever the service
 *   calls it, or of all reasoning items of a response, with their summaries where they have no
 *   text. Empty if there is none, and at the end of a stream that was not gathered.
 * - "finish_reason": Why the first choice of a chat stopped, "stop" for instance, or the
 *   status of a response. Absent at the end of a stream that was not gathered, where a chunk
 *   had it.
 * - "usage": The tokens that the service reported, also for a stream: "input_tokens",
 *   "output_tokens" and "total_tokens", and of these "cached_input_tokens",
 *   "cache_write_tokens", "reasoning_tokens", "audio_input_tokens" and "audio_output_tokens", 0
 *   if the service does not report them.
 * - "tool_calls": The tool calls of a chat's first choice, or anywhere in a response: "id"
 *   (which a result must refer to), "name" and "arguments" (JSON text as the model wrote it).
 *   Absent at the end of a stream that was not gathered.
 * - "models": The ids of a model list; none for other responses. Absent at the end of a
 *   stream that was not gathered.
 * - "headers": All headers in response order: "name", in lower case, and "value".
 * - "rate_limits": The rate limits that the headers report: "requests" and "tokens", each
 *   with "limit", "remaining" and "reset_ms" (counted from the answer), "others" by name, and
 *   "retry_after_ms". Absent if the headers report none.
 * - "timing": The record of the call, an object with its attempts, waits, chunks and end, and
 *   their times.
 *
 * "timing" is what modelwire_event_json returns for the record of a call.
 *
 * @param response  the response
 */
MODELWIRE_API
const modelwire_value *modelwire_response_info(const modelwire_response *response);

/**
 * Why the answer ended, as a number that is the same for chats and responses: MODELWIRE_FINISH_...
 * Reasons may be added: treat unknown ones as MODELWIRE_FINISH_OTHER.
 *
 * @param response  the response
 */
MODELWIRE_API
int32_t modelwire_response_finish_reason(const modelwire_response *response);

/**
 * Tokens that the service reported, also for a stream; -1 if it reported none, or for an unknown
 * kind. Details that a service leaves out are 0.
 *
 * @param response  the response
 * @param kind      MODELWIRE_TOKENS_...
 */
MODELWIRE_API
int64_t modelwire_response_tokens(const modelwire_response *response,
                                  int32_t kind);

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
 * The service's own message if it sent one, otherwise the library's message with the cause.
 *
 * @param error   the error
 * @param length  its length in bytes; may be NULL
 */
MODELWIRE_API const char *modelwire_error_message(const modelwire_error *error, size_t *length);

/**
 * A report for support, as text of several lines, without the API key.
 *
 * @param error   the error
 * @param length  its length in bytes; may be NULL
 */
MODELWIRE_API const char *modelwire_error_report(const modelwire_error *error, size_t *length);

/**
 * Everything that is known about the error, as one JSON object without the API key. Members, null
 * where absent:
 *
 * - "kind": The name of its kind, "rate_limited" for instance; the same as the name of the
 *   status in C.
 * - "message": The service's own message if it sent one, otherwise the library's message with
 *   the cause.
 * - "hint": What to do about it; may be empty.
 * - "doc_url": Where the documentation explains errors of this kind.
 * - "http_status": The HTTP status; absent if no response arrived.
 * - "type": "type" of the service's error object.
 * - "code": "code" of the service's error object as text.
 * - "param": "param" of the service's error object.
 * - "request_id": The service's identifier of the request, which its support asks for.
 * - "path": The path of the request; empty if there was none.
 * - "model": The requested model.
 * - "timeout": The name of the timeout that expired, "idle_timeout" for instance (option
 *   idle_timeout_ms).
 * - "metered": Whether the call may have been metered: "not_sent", "normally_not", "entered"
 *   or "unknown".
 * - "body": The body of the failed response, truncated to its limit, 64 KiB by default.
 * - "partial": The part of the response gathered before the failure, as JSON text, if the
 *   call gathers.
 * - "headers": All headers of the response that failed: "name", in lower case, and "value".
 * - "request_time_unix_ms": When the first attempt started; absent if none did.
 * - "attempts": The number of attempts.
 * - "elapsed_ms": The time from the start of the call's first wait or attempt to the failure.
 * - "retry_after_ms": How long the service asked to wait.
 * - "rate_limits": The rate limits that the headers report: "requests" and "tokens", each
 *   with "limit", "remaining" and "reset_ms" (counted from the answer), "others" by name, and
 *   "retry_after_ms". Absent if the headers report none.
 * - "timing": The record of the call, an object with its attempts, waits, chunks and end, and
 *   their times.
 *
 * "timing" is what modelwire_event_json returns for the record of a call.
 *
 * @param error   the error
 * @param length  its length in bytes; may be NULL
 */
MODELWIRE_API
const char *modelwire_error_json(const modelwire_error *error,
                                 size_t *length);

/**
 * The members of modelwire_error_json, to read by path; borrowed. NULL for NULL.
 *
 * @param error  the error
 */
MODELWIRE_API const modelwire_value *modelwire_error_value(const modelwire_error *error);

/**
 * Parses a JSON text, for instance the arguments of a tool call.
 *
 * @param json    one JSON value, UTF-8, copied; checked here
 * @param length  its length in bytes, or MODELWIRE_NUL
 * @param out     the value; free it with modelwire_value_free
 * @param err     the error, on failure, with the byte position; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or text that is not JSON
 */
MODELWIRE_API
modelwire_status modelwire_value_new(const char *json,
                                     size_t length,
                                     modelwire_value **out,
                                     modelwire_error **err);

/**
 * Makes the JSON string of a text, which modelwire_value_json returns with its quotes and escapes: for
 * a text inside JSON that a program writes itself.
 *
 * @param text    the text, UTF-8, copied
 * @param length  its length in bytes, or MODELWIRE_NUL
 * @param out     the value; free it with modelwire_value_free
 * @param err     the error, on failure; may be NULL
 * @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or text that is not UTF-8
 */
MODELWIRE_API
modelwire_status modelwire_value_new_text(const char *text,
                                          size_t length,
                                          modelwire_value **out,
                                          modelwire_error **err);

/**
 * Frees a value that the caller owns. Does nothing to a value borrowed from a response, an event or an
 * error.
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
 * Any value as JSON text, exactly as it was sent, including all digits of numbers; NULL where there is
 * none.
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
 * An integer that fits 64 bits and has neither a point nor an exponent, or a boolean: 1 for true, 0 for false.
 *
 * @param value        the value
 * @param path         a JSON pointer (RFC 6901)
 * @param path_length  its length in bytes, or MODELWIRE_NUL
 * @param out          receives the value
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
 * @param out          receives the value
 * @return MODELWIRE_OK; MODELWIRE_ABSENT where there is none, and nothing is written; or
 *         MODELWIRE_E_ARGUMENT for NULL
 */
MODELWIRE_API
modelwire_status modelwire_value_number(const modelwire_value *value,
                                        const char *path,
                                        size_t path_length,
                                        double *out);

/**
 * The number of items of an array, or of members of an object; 0 for anything else.
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
 * the order in which they were sent, including duplicates; modelwire_value_count returns their number.
 * In a path, write "~" in a name as "~0" and "/" as "~1".
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

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MODELWIRE_H */
