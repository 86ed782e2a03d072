/*
 * A thread that is cancelled (pthread_cancel) in the library or on its way into it: the function does
 * its work and returns, and the thread ends at its next own cancellation point.
 */
#include "check.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

/* A thread that waits in one function, and how that wait is ended. */
typedef struct waiting {
  void (*wait)(struct waiting *here);
  void (*end)(struct waiting *here);
  int is_cancelled_before, has_returned;
  modelwire_client *client;
  modelwire_call *call;
  modelwire_queue *queue;
  sem_t entered, cancelled, hangs, let_go;
} waiting;

static void wait_for(sem_t *told) {
  while (sem_wait(told) != 0) continue;
}

/* Waits for the first time that it is called. */
static int32_t hang(void *user_data, const modelwire_event *event) {
  waiting *here = user_data;
  CHECK(event != NULL);
  if (sem_post(&here->hangs) == 0) wait_for(&here->let_go);
  CHECK(sem_post(&here->let_go) == 0);
  return 0;
}

static int32_t ignore(void *user_data, const modelwire_event *event) {
  CHECK(user_data == NULL && event != NULL);
  return 0;
}

/* From now on the thread may be cancelled, and its wait ended. */
static void enters(waiting *here) { CHECK(sem_post(&here->entered) == 0); }

static void run(waiting *here) {
  modelwire_response *answer = NULL;
  enters(here);
  CHECK(modelwire_call_run(here->call, &answer, NULL) == MODELWIRE_E_CANCELLED);
}

static void stream_chunks(waiting *here) {
  modelwire_response *answer = NULL;
  enters(here);
  CHECK(modelwire_call_stream(here->call, ignore, NULL, &answer, NULL) == MODELWIRE_E_CANCELLED);
}

static void start_and_wait(waiting *here) {
  CHECK(modelwire_call_start(here->call, 1, ignore, NULL, NULL, NULL) == MODELWIRE_OK);
  enters(here);
  CHECK(modelwire_call_wait(here->call, PATIENCE_MS, NULL) == MODELWIRE_OK);
}

static void run_interruptibly(waiting *here) {
  modelwire_request *request =
      request_with(MODELWIRE_OPERATION_CHAT, ECHO_CHAT("m", "x"), NULL);
  modelwire_call *call = NULL;
  modelwire_response *answer = NULL;
  enters(here);
  CHECK(modelwire_call_new(here->client, request, MODELWIRE_INTERRUPTIBLE, &call, NULL) ==
        MODELWIRE_OK);
  CHECK(modelwire_call_run(call, &answer, NULL) == MODELWIRE_INTERRUPTED);
  modelwire_call_cancel(call);
  CHECK(modelwire_call_run(call, &answer, NULL) == MODELWIRE_E_CANCELLED);
  modelwire_call_free(call);
  modelwire_request_free(request);
}

static void cancel_call(waiting *here) { modelwire_call_cancel(here->call); }

/* Nothing is to be done: the wait ends by itself. */
static void leave_alone(waiting *here) { CHECK(here->client != NULL); }

/* Of these calls nothing but a first chunk comes. */
static void next_of(waiting *here, uint32_t flags) {
  modelwire_queue *queue = NULL;
  modelwire_event *event = NULL;
  size_t count = 0;
  CHECK(modelwire_queue_new(flags, &queue, NULL) == MODELWIRE_OK);
  CHECK(modelwire_queue_fd(queue) >= 0);
  submit(here->client, queue, ECHO_CHAT("m", "x"), 1, 1);
  CHECK(modelwire_queue_next(queue, PATIENCE_MS, &event) != MODELWIRE_E_ARGUMENT);
  modelwire_event_free(event);
  modelwire_queue_wakeup(queue);
  while (modelwire_queue_take(queue, PATIENCE_MS, &event, 1, &count) == MODELWIRE_OK) {
    modelwire_event_free(event);
  }
  CHECK(modelwire_queue_pause(queue, 1) == MODELWIRE_OK);
  CHECK(modelwire_queue_resume(queue, 1) == MODELWIRE_OK);
  CHECK(modelwire_queue_cancel(queue, 1) == MODELWIRE_OK);
  expect_end(queue, 1, MODELWIRE_E_CANCELLED);
  modelwire_queue_close(queue);
  modelwire_queue_free(queue);
}

static void take_and_drain(waiting *here) {
  enters(here);
  next_of(here, 0);
  next_of(here, MODELWIRE_SOCKET);
  next_of(here, MODELWIRE_INTERRUPTIBLE);
}

static void wait_in_queue(waiting *here) {
  modelwire_event *event = NULL;
  enters(here);
  CHECK(modelwire_queue_next(here->queue, PATIENCE_MS, &event) == MODELWIRE_TIMEOUT);
}

static void wait_in_queue_for_some(waiting *here) {
  modelwire_event *event = NULL;
  size_t count = 0;
  enters(here);
  CHECK(modelwire_queue_take(here->queue, PATIENCE_MS, &event, 1, &count) == MODELWIRE_TIMEOUT);
}

static void wake_queue(waiting *here) { modelwire_queue_wakeup(here->queue); }

/* A callback hangs, for whose end these wait. */
static void start_hanging(waiting *here) {
  CHECK(modelwire_call_start(here->call, 1, hang, here, NULL, NULL) == MODELWIRE_OK);
  while (sem_trywait(&here->hangs) != 0) continue;
}

static void close_beside_hanging(waiting *here) {
  start_hanging(here);
  enters(here);
  CHECK(modelwire_client_close(here->client, PATIENCE_MS, NULL) == MODELWIRE_OK);
}

static void shut_down_beside_hanging(waiting *here) {
  start_hanging(here);
  enters(here);
  CHECK(modelwire_shutdown(PATIENCE_MS) == MODELWIRE_OK);
}

static void let_go(waiting *here) { CHECK(sem_post(&here->let_go) == 0); }

/* What waits for nothing, but may do I/O. */
static void make_and_free(waiting *here) {
  enters(here);
  modelwire_client *client = client_of_environment();
  CHECK(modelwire_client_on_call(client, ignore, NULL, NULL, NULL) == MODELWIRE_OK);
  CHECK(modelwire_queue_follow_calls(here->queue, client, 1, 3, NULL) == MODELWIRE_OK);
  CHECK(modelwire_queue_log(here->queue, MODELWIRE_LOG_TRACE, 2, NULL) == MODELWIRE_OK);
  modelwire_call *call = chat_call(client, ECHO_CHAT("m", "x"));
  CHECK(modelwire_call_start(call, 1, ignore, NULL, NULL, NULL) == MODELWIRE_OK);
  modelwire_call_wakeup(call);
  modelwire_call_free(call);
  CHECK(modelwire_queue_log(here->queue, MODELWIRE_LOG_OFF, 2, NULL) == MODELWIRE_OK);
  CHECK(modelwire_queue_follow_calls(here->queue, client, 0, 3, NULL) == MODELWIRE_OK);
  modelwire_client_free(client);
}

static void *enter(void *argument) {
  waiting *here = argument;
  if (here->is_cancelled_before) CHECK(pthread_cancel(pthread_self()) == 0);
  here->wait(here);
  here->has_returned = 1;
  /* No cancellation point. */
  while (sem_trywait(&here->cancelled) != 0) sched_yield();
  pthread_testcancel();
  return NULL;
}

static void try_wait(void (*wait)(waiting *here), void (*end)(waiting *here), int is_before) {
  waiting here = {.wait = wait, .end = end, .is_cancelled_before = is_before};
  pthread_t thread;
  void *how = NULL;
  CHECK(sem_init(&here.entered, 0, 0) == 0 && sem_init(&here.hangs, 0, 0) == 0);
  CHECK(sem_init(&here.let_go, 0, 0) == 0 && sem_init(&here.cancelled, 0, 0) == 0);
  here.client = client_of_environment();
  here.call = chat_call(here.client, ECHO_CHAT("m", "x"));
  here.queue = new_queue();
  CHECK(pthread_create(&thread, NULL, enter, &here) == 0);
  wait_for(&here.entered);
  if (!is_before) CHECK(pthread_cancel(thread) == 0);
  CHECK(sem_post(&here.cancelled) == 0);
  end(&here);
  CHECK(pthread_join(thread, &how) == 0);
  CHECK(how == PTHREAD_CANCELED && here.has_returned);
  modelwire_call_free(here.call);
  CHECK(modelwire_client_close(here.client, PATIENCE_MS, NULL) == MODELWIRE_OK);
  modelwire_client_free(here.client);
  modelwire_queue_free(here.queue);
  CHECK(sem_destroy(&here.entered) == 0 && sem_destroy(&here.hangs) == 0);
  CHECK(sem_destroy(&here.let_go) == 0 && sem_destroy(&here.cancelled) == 0);
}

/* Each function that waits or does I/O. */
void cancelled_threads(void) {
  static const struct {
    void (*wait)(waiting *here);
    void (*end)(waiting *here);
  } WAITS[] = {
      {run, cancel_call},
      {stream_chunks, cancel_call},
      {start_and_wait, cancel_call},
      {run_interruptibly, leave_alone},
      {take_and_drain, leave_alone},
      {wait_in_queue, wake_queue},
      {wait_in_queue_for_some, wake_queue},
      {close_beside_hanging, let_go},
      {shut_down_beside_hanging, let_go},
      {make_and_free, leave_alone},
  };
  for (size_t i = 0; i < sizeof WAITS / sizeof *WAITS; i++) {
    for (int round = 0; round < 10; round++) try_wait(WAITS[i].wait, WAITS[i].end, round % 2);
  }
}

/* In the middle of the I/O: the service has the request and does not answer. */
void cancelled_thread_in_the_middle(void) {
  waiting here = {.wait = run};
  pthread_t thread;
  void *how = NULL;
  CHECK(sem_init(&here.entered, 0, 0) == 0 && sem_init(&here.cancelled, 0, 0) == 0);
  here.client = client_of_environment();
  here.call = chat_call(here.client, ECHO_CHAT("m", "x"));
  CHECK(pthread_create(&thread, NULL, enter, &here) == 0);
  wait_for_cue();
  CHECK(pthread_cancel(thread) == 0 && sem_post(&here.cancelled) == 0);
  modelwire_call_cancel(here.call);
  CHECK(pthread_join(thread, &how) == 0);
  CHECK(how == PTHREAD_CANCELED && here.has_returned);
  modelwire_call_free(here.call);
  modelwire_client_free(here.client);
  CHECK(sem_destroy(&here.entered) == 0 && sem_destroy(&here.cancelled) == 0);
}
