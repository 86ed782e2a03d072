/*
 * What all scenarios share: checks, a client from the environment, requests, a clock.
 */
#ifndef CHECK_H
#define CHECK_H

/* -std=c99 hides pthreads' barriers and clocks otherwise. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "list.h"

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

/* A client of what the environment names. */
modelwire_client *client_of_environment(void);

/* A call that is not run yet; the request is given as JSON text. */
modelwire_call *chat_call(const modelwire_client *client, const char *json);
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

/* Waits until the test says that the service is in the state that the scenario needs. */
void wait_for_cue(void);

/* Milliseconds of a clock that never jumps. */
int64_t now_ms(void);

/* Longest time between a cancel and the return of the call: bounds a hang, measures nothing. */
#define PROMPT_MS 2000

typedef void scenario(void);

#define DECLARE(name) scenario name;
ALL_SCENARIOS(DECLARE)

#endif
