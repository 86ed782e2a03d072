/*
 * A process that ends in the middle of calls.
 */
#include "check.h"

#include <pthread.h>

static int32_t go_on(void *user_data, const modelwire_event *event) {
  (void)user_data;
  return event == NULL;
}

static void *stream_on(void *argument) {
  modelwire_response *end = NULL;
  /* Whatever comes of it: the process ends first. */
  (void)modelwire_call_stream(argument, go_on, NULL, &end, NULL);
  return NULL;
}

/* Streams in each of the four ways, all running, and then the end of the process. Nothing is
 * freed. */
static void run_streams(void) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue();
  pthread_t thread;
  for (int i = 0; i < 3; i++) {
    modelwire_call *call = chat_call(client, ECHO_CHAT("m", "x"));
    CHECK(modelwire_call_start(call, 1, go_on, NULL, NULL, NULL) == MODELWIRE_OK);
    submit(client, queue, ECHO_CHAT("m", "x"), 1, (uint64_t)i);
    call = chat_call(client, ECHO_CHAT("m", "x"));
    CHECK(pthread_create(&thread, NULL, stream_on, call) == 0);
    CHECK(pthread_detach(thread) == 0);
  }
  modelwire_event_free(next(queue));
}

void exit_streaming(void) {
  run_streams();
  exit(7);
}

/* Beside a thread that waits in the queue for ever. */
static void *wait_for_ever(void *argument) {
  modelwire_event *event = NULL;
  while (modelwire_queue_next(argument, -1, &event) == MODELWIRE_OK) modelwire_event_free(event);
  return NULL;
}

void exit_waiting(void) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue();
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, wait_for_ever, queue) == 0);
  submit(client, queue, ECHO_CHAT("m", "x"), 1, 1);
  run_streams();
  exit(7);
}
