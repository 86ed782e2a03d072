/*
 * Waits for what the library still does: a started call that is over, a client that is closed. When
 * they return, no callback and no finalizer of it runs any more.
 */
#include "check.h"

#include <pthread.h>
#include <semaphore.h>

/* What the callbacks of one call do and saw. */
typedef struct watch {
  modelwire_client *client;
  modelwire_call *call;
  sem_t first, let_go;
  int events, ends, finalizers, is_over;
  modelwire_status status;
  void (*act)(struct watch *seen);
} watch;

static int32_t see(void *user_data, const modelwire_event *event) {
  watch *seen = user_data;
  CHECK(seen->finalizers == 0);
  if (is_last(event)) {
    seen->ends++;
    seen->status = status_of(event);
  }
  if (seen->events++ == 0) CHECK(sem_post(&seen->first) == 0);
  if (seen->act != NULL) seen->act(seen);
  return 0;
}

/* Takes its time: a wait that does not wait for its return sees that it is not over. */
static void finish(void *user_data) {
  watch *seen = user_data;
  seen->finalizers++;
  sleep_ms(30); /* clock: the slowness itself */
  seen->is_over = 1;
}

static watch *start(modelwire_client *client, const char *json, void (*act)(watch *seen)) {
  watch *fresh = calloc(1, sizeof *fresh);
  modelwire_error *error = NULL;
  CHECK(fresh != NULL && sem_init(&fresh->first, 0, 0) == 0 && sem_init(&fresh->let_go, 0, 0) == 0);
  fresh->client = client;
  fresh->act = act;
  fresh->call = chat_call(client, json);
  CHECK_STATUS(modelwire_call_start(fresh->call, 1, see, fresh, finish, &error), MODELWIRE_OK,
               error);
  return fresh;
}

static void wait_for(sem_t *told) {
  while (sem_wait(told) != 0) continue;
}

static void free_watch(watch *seen) {
  CHECK(seen->ends == 1 && seen->finalizers == 1 && seen->is_over == 1);
  modelwire_call_free(seen->call);
  CHECK(sem_destroy(&seen->first) == 0 && sem_destroy(&seen->let_go) == 0);
  free(seen);
}

static void hang(watch *seen) {
  if (seen->events == 1) wait_for(&seen->let_go);
}

static void *wait_beside(void *argument) {
  watch *seen = argument;
  CHECK(modelwire_call_wait(seen->call, PATIENCE_MS, NULL) == MODELWIRE_OK);
  CHECK(seen->is_over == 1);
  return NULL;
}

/* Until the finalizer has returned; any number of threads, as often as they like. */
void call_waits(void) {
  enum { THREADS = 3 };
  modelwire_client *client = client_of_environment();
  modelwire_error *error = (modelwire_error *)&error;
  pthread_t threads[THREADS];
  for (int round = 0; round < 5; round++) {
    watch *seen = start(client, ECHO_CHAT("echo", "one two"), hang);
    CHECK_STATUS(modelwire_call_wait(seen->call, 0, &error), MODELWIRE_TIMEOUT, error);
    CHECK(error == NULL);
    wait_for(&seen->first);
    int64_t asked_ms = now_ms();
    CHECK(modelwire_call_wait(seen->call, 50, NULL) == MODELWIRE_TIMEOUT);
    CHECK(now_ms() - asked_ms >= 49);
    for (int i = 0; i < THREADS; i++) {
      CHECK(pthread_create(&threads[i], NULL, wait_beside, seen) == 0);
    }
    CHECK(sem_post(&seen->let_go) == 0);
    CHECK_STATUS(modelwire_call_wait(seen->call, -1, &error), MODELWIRE_OK, error);
    CHECK(error == NULL && seen->is_over == 1 && seen->status == MODELWIRE_OK);
    CHECK(modelwire_call_wait(seen->call, 0, NULL) == MODELWIRE_OK);
    for (int i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    free_watch(seen);
  }
  modelwire_client_free(client);
}

/* One that is cancelled is over soon; the service never ends its stream. */
void call_waits_cancelled(void) {
  modelwire_client *client = client_of_environment();
  watch *seen = start(client, ECHO_CHAT("m", "x"), NULL);
  wait_for(&seen->first);
  modelwire_call_cancel(seen->call);
  int64_t asked_ms = now_ms();
  CHECK(modelwire_call_wait(seen->call, -1, NULL) == MODELWIRE_OK);
  /* clock: bounds a hang */
  CHECK(now_ms() - asked_ms < PROMPT_MS);
  CHECK(seen->status == MODELWIRE_E_CANCELLED);
  free_watch(seen);
  modelwire_client_free(client);
}

static void wait_inside(watch *seen) {
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_call_wait(seen->call, -1, &error), MODELWIRE_E_CALLBACK, error);
  CHECK(modelwire_error_status(error) == MODELWIRE_E_CALLBACK);
  modelwire_error_free(error);
  CHECK_STATUS(modelwire_client_close(seen->client, -1, &error), MODELWIRE_E_CALLBACK, error);
  modelwire_error_free(error);
}

/* What would wait for its own end is refused and does nothing; the call goes on. */
void waits_inside_callbacks_refused(void) {
  modelwire_client *client = client_of_environment();
  watch *seen = start(client, ECHO_CHAT("echo", "one two"), wait_inside);
  CHECK(modelwire_call_wait(seen->call, PATIENCE_MS, NULL) == MODELWIRE_OK);
  CHECK(seen->status == MODELWIRE_OK && seen->events == 5);
  free_watch(seen);
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("echo", "x"))));
  modelwire_client_free(client);
}

static void *run_blocked(void *argument) {
  modelwire_error *error = failure_of(argument, MODELWIRE_E_CLOSED);
  modelwire_error_free(error);
  return NULL;
}

/* Everything that is under way ends: started, run, on a queue. The service never ends a stream. */
void client_closes(void) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue();
  modelwire_error *error = (modelwire_error *)&error;
  watch *seen[3];
  pthread_t thread;
  for (int i = 0; i < 3; i++) seen[i] = start(client, ECHO_CHAT("m", "x"), NULL);
  CHECK(pthread_create(&thread, NULL, run_blocked, chat_call(client, ECHO_CHAT("m", "x"))) == 0);
  submit(client, queue, ECHO_CHAT("m", "x"), 1, 1);
  submit(client, queue, ECHO_CHAT("m", "x"), 1, 2);
  CHECK(modelwire_queue_pause(queue, 2) == MODELWIRE_OK);
  modelwire_call *unstarted = chat_call(client, ECHO_CHAT("m", "x"));
  wait_for_cue();
  int64_t asked_ms = now_ms();
  CHECK_STATUS(modelwire_client_close(client, -1, &error), MODELWIRE_OK, error);
  /* clock: bounds a hang */
  CHECK(error == NULL && now_ms() - asked_ms < PROMPT_MS);
  for (int i = 0; i < 3; i++) {
    CHECK(seen[i]->is_over == 1 && seen[i]->status == MODELWIRE_E_CLOSED);
    free_watch(seen[i]);
  }
  CHECK(pthread_join(thread, NULL) == 0);
  expect_end(queue, 1, MODELWIRE_E_CLOSED);
  /* What is paused is told when it is asked for. */
  expect_none(queue, MODELWIRE_TIMEOUT);
  CHECK(modelwire_queue_resume(queue, 2) == MODELWIRE_OK);
  expect_end(queue, 2, MODELWIRE_E_CLOSED);
  /* No new ones; closing again is harmless. */
  error = failure_of(unstarted, MODELWIRE_E_CLOSED);
  CHECK_TEXT(error_text(error, "/metered"), "not_sent");
  modelwire_error_free(error);
  submit(client, queue, ECHO_CHAT("m", "x"), 1, 3);
  expect_end(queue, 3, MODELWIRE_E_CLOSED);
  CHECK(modelwire_client_close(client, 0, NULL) == MODELWIRE_OK);
  CHECK(usage_of(client, "/calls") == 0);
  /* Another one is another one. */
  modelwire_client *other = client_of_environment();
  submit(other, queue, ECHO_CHAT("m", "x"), 1, 3);
  modelwire_event_free(next(queue));
  modelwire_client_free(client);
  modelwire_client_free(other);
  modelwire_queue_free(queue);
}

/* A callback that hangs: the close says so in its time. A later one waits for the rest. */
void client_closes_with_hanging_callback(void) {
  modelwire_client *client = client_of_environment();
  modelwire_error *error = (modelwire_error *)&error;
  watch *seen = start(client, ECHO_CHAT("echo", "one two"), hang);
  wait_for(&seen->first);
  int64_t asked_ms = now_ms();
  CHECK_STATUS(modelwire_client_close(client, 100, &error), MODELWIRE_TIMEOUT, error);
  /* clock: bounds a hang */
  CHECK(error == NULL && now_ms() - asked_ms >= 99 && now_ms() - asked_ms < PROMPT_MS);
  CHECK(sem_post(&seen->let_go) == 0);
  CHECK(modelwire_client_close(client, PATIENCE_MS, NULL) == MODELWIRE_OK);
  CHECK(seen->is_over == 1);
  free_watch(seen);
  modelwire_client_free(client);
}
