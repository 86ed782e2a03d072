/*
 * What all scenarios share: checks, looks into values, clients, calls, queues, a clock.
 */
#ifndef CHECK_H
#define CHECK_H

/* -std=c99 hides pthreads' barriers and clocks otherwise. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "list.h"
#include "system.h"

#include <modelwire.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program with 1, and says where and why, if the condition does not hold. */
#define CHECK(condition) \
  ((condition) ? (void)0 : check_failed(__FILE__, __LINE__, #condition))

/* The same for two statuses; an error object is shown. */
#define CHECK_STATUS(status, expected, error) \
  check_status(__FILE__, __LINE__, #status, (status), (expected), (error))

/* The same for two strings, of which the first may be NULL. */
#define CHECK_TEXT(text, expected) check_text(__FILE__, __LINE__, #text, (text), (expected))

#define ECHO_CHAT(model, text) \
  "{\"model\":\"" model "\",\"messages\":[{\"role\":\"user\",\"content\":\"" text "\"}]}"

/* The same, with the usage asked for: a chunk more where it streams. */
#define USAGE_CHAT(model, text) \
  "{\"model\":\"" model "\",\"stream_options\":{\"include_usage\":true}," \
  "\"messages\":[{\"role\":\"user\",\"content\":\"" text "\"}]}"

void check_failed(const char *file, int line, const char *condition);
void check_status(const char *file, int line, const char *what, modelwire_status status,
                  modelwire_status expected, const modelwire_error *error);
void check_text(const char *file, int line, const char *what, const char *text,
                const char *expected);

/* Whether `part` stands somewhere in `text`. */
int contains(const char *text, const char *part);

/* A text that stands in a value, by its path; NULL where there is none. */
const char *text_at(const modelwire_value *value, const char *path);

/* A whole number there; -1 where there is none: nothing that is counted or measured is negative. */
int64_t int_at(const modelwire_value *value, const char *path);

/* How many items or members stand there. */
size_t count_at(const modelwire_value *value, const char *path);

/* The same of what the library knows of a response, an event or an error. */
const char *answer_text(const modelwire_response *answer, const char *path);
int64_t answer_int(const modelwire_response *answer, const char *path);
size_t answer_count(const modelwire_response *answer, const char *path);
const char *event_text(const modelwire_event *event, const char *path);
int64_t event_int(const modelwire_event *event, const char *path);
const char *error_text(const modelwire_error *error, const char *path);
int64_t error_int(const modelwire_error *error, const char *path);

/* The first header of this name, in lower case; NULL where there is none. */
const char *header_of(const modelwire_response *answer, const char *name);

/* A number of a client's usage, "/calls" or "/models/echo/calls" for instance; -1 where there is
 * none. */
int64_t usage_of(const modelwire_client *client, const char *path);

#if defined(__GNUC__)
#define LIKE_PRINTF __attribute__((format(printf, 1, 2)))
#else
#define LIKE_PRINTF
#endif

/* A client of what the environment names. */
modelwire_client *client_of_environment(void);

/* A client of these options, as one JSON object, beside what the environment names. */
modelwire_client *client_with(const char *options, ...) LIKE_PRINTF;

/* The error of options that no client can be made of. */
modelwire_error *refusal_of(const char *options, ...) LIKE_PRINTF;

/* A request, given as JSON text; options of the call beside it, as one JSON object, or NULL. */
modelwire_request *request_with(int32_t operation, const char *json, const char *options);

/* A request that is filled field by field. */
modelwire_request *empty_request(int32_t operation);

/* A call of a request, which is freed; it is not run yet. */
modelwire_call *call_of(const modelwire_client *client, modelwire_request *request);

/* A call that is not run yet; the request is given as JSON text. */
modelwire_call *chat_call(const modelwire_client *client, const char *json);
modelwire_call *chat_call_with(const modelwire_client *client, const char *json,
                               const char *options);
modelwire_call *response_call(const modelwire_client *client, const char *json);
modelwire_call *models_call(const modelwire_client *client);

/* Runs the call, which has to succeed, and frees it. */
modelwire_response *answer_of(modelwire_call *call);

/* Runs the call, which has to fail with this status, and frees it. */
modelwire_error *failure_of(modelwire_call *call, modelwire_status expected);

/* The events of a stream, gathered by `gather`. */
typedef struct {
  int events;
  size_t length;
  char text[4096];
  char finish_reason[64];
} gathered;

/* A callback that adds each event to the `gathered` that it is given. */
int32_t gather(void *user_data, const modelwire_event *event);

/* A queue without flags. */
modelwire_queue *new_queue(void);

/* Submits a chat, which has to be taken. */
void submit(const modelwire_client *client, const modelwire_queue *queue, const char *json,
            int32_t stream, uint64_t tag);

/* The next event of a queue, which has to come. */
modelwire_event *next(const modelwire_queue *queue);

/* Whether an event is the last one of its call, and how the call ended: 0 for a response. */
int is_last(const modelwire_event *event);
modelwire_status status_of(const modelwire_event *event);

/* The last event of a call, whose chunks are thrown away; there is no event of another one before
 * it. */
void expect_end(const modelwire_queue *queue, uint64_t tag, modelwire_status expected);

/* What the queue gives in place of an event, by next and by take. */
void expect_none(const modelwire_queue *queue, modelwire_status expected);

/* What a bounded part may need. A sanitizer keeps what was freed. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MORE_KIB_MAX (1 << 20)
#else
#define MORE_KIB_MAX (8 << 10)
#endif

/* Longest wait for what has to come: bounds a hang, measures nothing. */
#define PATIENCE_MS 60000

void sleep_ms(int64_t milliseconds);

/* Waits until a condition holds, however busy the machine is. */
#define EVENTUALLY(condition) \
  for (int64_t begun_ms = now_ms(); !(condition); sleep_ms(1)) /* clock: between two looks */ \
    CHECK(now_ms() - begun_ms < PATIENCE_MS && #condition) /* clock: bounds a hang */

/* Waits until the test says that the service is in the state that the scenario needs. */
void wait_for_cue(void);

/* Milliseconds of a clock that never jumps. */
int64_t now_ms(void);

/* Longest time between a cancel and the return of the call: bounds a hang, measures nothing. It is
 * below every time after which a call would come back by itself. */
#define PROMPT_MS 20000

typedef void scenario(void);

#define DECLARE(name) scenario name;
ALL_SCENARIOS(DECLARE)

#endif
