/*
 * A plugin that uses the library with callbacks of its own: it must be over with them before it is
 * unloaded.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <modelwire.h>

#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECK(condition)                                                    \
  ((condition) ? (void)0                                                    \
               : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), exit(1)))

#define CHAT(model) \
  "{\"model\":\"" model "\",\"messages\":[{\"role\":\"user\",\"content\":\"one two three\"}]}"

enum { PATIENCE_MS = 60000 };

/* Shared by the callbacks of one call. */
typedef struct {
  sem_t first, told;
  int events, finalizers;
} watch;

static modelwire_client *client;

static int32_t on_event(void *user_data, const modelwire_event *event) {
  watch *seen = user_data;
  CHECK(event != NULL);
  if (seen->events++ == 0) CHECK(sem_post(&seen->first) == 0);
  return 0;
}

/* Tells the program that it is over, and is not: its own code goes on for a moment. */
static void on_end(void *user_data) {
  watch *seen = user_data;
  struct timespec moment = {0, 3000000};
  seen->finalizers++;
  CHECK(sem_post(&seen->told) == 0);
  nanosleep(&moment, NULL); /* clock: the slowness itself */
}

static modelwire_call *start(const char *json, watch *seen) {
  modelwire_request *request = NULL;
  modelwire_call *call = NULL;
  memset(seen, 0, sizeof *seen);
  CHECK(sem_init(&seen->first, 0, 0) == 0 && sem_init(&seen->told, 0, 0) == 0);
  CHECK(modelwire_request_new(MODELWIRE_OPERATION_CHAT, json, MODELWIRE_NUL, &request, NULL) ==
        MODELWIRE_OK);
  CHECK(modelwire_call_new(client, request, 0, &call, NULL) == MODELWIRE_OK);
  CHECK(modelwire_call_start(call, 1, on_event, seen, on_end, NULL) == MODELWIRE_OK);
  modelwire_request_free(request);
  return call;
}

static void check_over(watch *seen) {
  CHECK(seen->finalizers == 1);
  CHECK(sem_trywait(&seen->told) == 0);
  CHECK(sem_destroy(&seen->told) == 0 && sem_destroy(&seen->first) == 0);
}

MODELWIRE_API void plugin_open(void);
MODELWIRE_API void plugin_wait(void);
MODELWIRE_API void plugin_wait_cancelled(void);
MODELWIRE_API int plugin_run(void);
MODELWIRE_API void plugin_close(void);
MODELWIRE_API void plugin_shutdown(void);

void plugin_open(void) {
  CHECK(client == NULL && modelwire_client_new(NULL, 0, &client, NULL) == MODELWIRE_OK);
}

/* A call to its end. */
void plugin_wait(void) {
  watch seen;
  modelwire_call *call = start(CHAT("echo"), &seen);
  CHECK(modelwire_call_wait(call, PATIENCE_MS, NULL) == MODELWIRE_OK);
  CHECK(seen.events > 2);
  check_over(&seen);
  modelwire_call_free(call);
}

/* A call that is cancelled on its way. */
void plugin_wait_cancelled(void) {
  watch seen;
  modelwire_call *call = start(CHAT("slow"), &seen);
  while (sem_wait(&seen.first) != 0) continue;
  modelwire_call_cancel(call);
  CHECK(modelwire_call_wait(call, PATIENCE_MS, NULL) == MODELWIRE_OK);
  check_over(&seen);
  modelwire_call_free(call);
}

/* A plain call; its status. */
int plugin_run(void) {
  modelwire_request *request = NULL;
  modelwire_call *call = NULL;
  modelwire_response *answer = NULL;
  CHECK(modelwire_request_new(MODELWIRE_OPERATION_CHAT, CHAT("echo"), MODELWIRE_NUL, &request,
                              NULL) == MODELWIRE_OK);
  CHECK(modelwire_call_new(client, request, 0, &call, NULL) == MODELWIRE_OK);
  modelwire_status status = modelwire_call_run(call, &answer, NULL);
  modelwire_response_free(answer);
  modelwire_call_free(call);
  modelwire_request_free(request);
  return status;
}

/* What a plugin does before it is unloaded: here with calls under way, of which one was given up
 * and one ends meanwhile. */
void plugin_close(void) {
  watch seen[3];
  modelwire_call *calls[3];
  for (int i = 0; i < 3; i++) calls[i] = start(i == 2 ? CHAT("echo") : CHAT("slow"), &seen[i]);
  while (sem_wait(&seen[0].first) != 0) continue;
  modelwire_call_free(calls[1]);
  CHECK(modelwire_client_close(client, PATIENCE_MS, NULL) == MODELWIRE_OK);
  for (int i = 0; i < 3; i++) check_over(&seen[i]);
  modelwire_call_free(calls[0]);
  modelwire_call_free(calls[2]);
  modelwire_client_free(client);
  client = NULL;
}

/* What a plugin should leave to its host. */
void plugin_shutdown(void) { CHECK(modelwire_shutdown(PATIENCE_MS) == MODELWIRE_OK); }
