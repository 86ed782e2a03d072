/*
 * Calls that are cancelled: before they run, while they run, from inside a callback, after
 * their end, and thousands of them by one thread while another takes their ends.
 */
#include "check.h"

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

/* A call that another thread cancels when the test says so. `asked_ms` is written before the cancel
 * and read after the join, so no lock is needed. */
typedef struct {
  modelwire_call *call;
  sem_t first_event;
  int64_t asked_ms;
  gathered all;
} shared_call;

static void cancel_now(shared_call *shared) {
  shared->asked_ms = now_ms();
  modelwire_call_cancel(shared->call);
  /* Once more, to no effect. */
  modelwire_call_cancel(shared->call);
}

static void *cancel_at_cue(void *argument) {
  wait_for_cue();
  cancel_now(argument);
  return NULL;
}

static void *cancel_at_first_event(void *argument) {
  shared_call *shared = argument;
  while (sem_wait(&shared->first_event) != 0) continue;
  cancel_now(shared);
  return NULL;
}

static int32_t gather_and_tell(void *user_data, const modelwire_event *event) {
  shared_call *shared = user_data;
  CHECK(gather(&shared->all, event) == 0);
  CHECK(sem_post(&shared->first_event) == 0);
  return 0;
}

static void check_cancelled(shared_call *shared, pthread_t canceller, modelwire_status status,
                            modelwire_error *error, const char *metered) {
  int64_t returned_ms = now_ms();
  CHECK(pthread_join(canceller, NULL) == 0);
  CHECK_STATUS(status, MODELWIRE_E_CANCELLED, error);
  CHECK(returned_ms - shared->asked_ms < PROMPT_MS);
  CHECK_TEXT(error_text(error, "/metered"), metered);
  modelwire_error_free(error);
  modelwire_call_free(shared->call);
}

void cancel_blocked(void) {
  modelwire_client *client = client_of_environment();
  shared_call shared = {.call = chat_call(client, ECHO_CHAT("m", "x"))};
  modelwire_response *answer = NULL;
  modelwire_error *error = NULL;
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, cancel_at_cue, &shared) == 0);
  modelwire_status status = modelwire_call_run(shared.call, &answer, &error);
  check_cancelled(&shared, thread, status, error, "unknown");
  CHECK(answer == NULL);
  modelwire_client_free(client);
}

void cancel_stream(void) {
  modelwire_client *client = client_of_environment();
  shared_call shared = {.call = chat_call(client, ECHO_CHAT("m", "x"))};
  modelwire_response *end = NULL;
  modelwire_error *error = NULL;
  pthread_t thread;
  CHECK(sem_init(&shared.first_event, 0, 0) == 0);
  CHECK(pthread_create(&thread, NULL, cancel_at_first_event, &shared) == 0);
  modelwire_status status =
      modelwire_call_stream(shared.call, gather_and_tell, &shared, &end, &error);
  check_cancelled(&shared, thread, status, error, "entered");
  CHECK_TEXT(shared.all.text, "one ");
  CHECK(end == NULL);
  CHECK(sem_destroy(&shared.first_event) == 0);
  modelwire_client_free(client);
}

void cancel_before(void) {
  modelwire_client *client = client_of_environment();
  modelwire_call *call = chat_call(client, ECHO_CHAT("echo", "x"));
  modelwire_error *error = NULL;
  modelwire_call_cancel(call);
  error = failure_of(call, MODELWIRE_E_CANCELLED);
  CHECK_TEXT(error_text(error, "/metered"), "not_sent");
  CHECK(error_int(error, "/attempts") == 0);
  modelwire_error_free(error);
  modelwire_client_free(client);
}

/* A call that its own callback cancels at the first event. */
typedef struct {
  modelwire_call *call;
  int events;
} own_call;

static int32_t cancel_itself(void *user_data, const modelwire_event *event) {
  own_call *own = user_data;
  own->events++;
  modelwire_call_cancel(own->call);
  /* The event is valid until the callback returns, whatever it does. */
  CHECK(modelwire_event_json(event, NULL)[0] == '{');
  return 0;
}

void cancel_in_callback(void) {
  modelwire_client *client = client_of_environment();
  own_call own = {chat_call(client, ECHO_CHAT("m", "x")), 0};
  modelwire_response *end = NULL;
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_call_stream(own.call, cancel_itself, &own, &end, &error),
               MODELWIRE_E_CANCELLED, error);
  CHECK(own.events == 1);
  CHECK(end == NULL);
  modelwire_error_free(error);
  modelwire_call_free(own.call);
  modelwire_client_free(client);
}

/* A call that is done stays as it is, and so does its client. Again and again: the test counts the
 * connections, and a call that follows at once goes on a fresh one until the service is known. */
void cancel_done(void) {
  modelwire_client *client = client_of_environment();
  for (int round = 0; round < 10; round++) {
    modelwire_call *call = chat_call(client, ECHO_CHAT("echo", "done"));
    modelwire_response *answer = NULL;
    modelwire_error *error = NULL;
    CHECK_STATUS(modelwire_call_run(call, &answer, &error), MODELWIRE_OK, error);
    modelwire_call_cancel(call);
    CHECK_TEXT(modelwire_response_text(answer, NULL), "done");
    modelwire_response_free(answer);
    modelwire_call_free(call);
    sleep_ms(20); /* clock: nothing tells that a connection is back; late in one round harms nothing */
  }
  modelwire_client_free(client);
}

/* Calls that one thread cancels, each once, while the end of each is taken and its handle freed by
 * whoever sees that end. So many are under way. */
typedef struct {
  modelwire_client *client;
  modelwire_queue *queue;
  int total;
  sem_t submitted, room, ended;
  modelwire_call **calls;
} storm;

enum { UNDER_WAY = 200 };

/* A call of the storm. */
typedef struct {
  storm *all;
  modelwire_call *call;
  int ends;
} drop;

static void new_storm(storm *all) {
  const char *told = getenv("TEST_CALLS");
  memset(all, 0, sizeof *all);
  all->total = told == NULL ? 400 : atoi(told);
  /* Most of them wait for a connection when they are cancelled, and some for an answer. */
  all->client = client_with("{\"connections_max\":50}");
  CHECK(sem_init(&all->submitted, 0, 0) == 0 && sem_init(&all->room, 0, UNDER_WAY) == 0);
  CHECK(sem_init(&all->ended, 0, 0) == 0);
}

static void free_storm(storm *all) {
  CHECK(sem_destroy(&all->submitted) == 0 && sem_destroy(&all->room) == 0);
  CHECK(sem_destroy(&all->ended) == 0);
  modelwire_client_free(all->client);
}

static void take(sem_t *told) {
  while (sem_wait(told) != 0) continue;
}

static void *cancel_tags(void *argument) {
  storm *all = argument;
  for (int tag = 0; tag < all->total; tag++) {
    take(&all->submitted);
    CHECK(modelwire_queue_cancel(all->queue, (uint64_t)tag) == MODELWIRE_OK);
  }
  return NULL;
}

static void *take_ends(void *argument) {
  storm *all = argument;
  for (int count = 0; count < all->total; count++) {
    modelwire_event *event = next(all->queue);
    CHECK(status_of(event) == MODELWIRE_E_CANCELLED);
    modelwire_event_free(event);
    CHECK(sem_post(&all->room) == 0);
  }
  return NULL;
}

/* The service never answers. */
void cancel_storm_of_tags(void) {
  storm all;
  pthread_t canceller, taker;
  new_storm(&all);
  all.queue = new_queue();
  CHECK(pthread_create(&canceller, NULL, cancel_tags, &all) == 0);
  CHECK(pthread_create(&taker, NULL, take_ends, &all) == 0);
  for (int tag = 0; tag < all.total; tag++) {
    take(&all.room);
    submit(all.client, all.queue, ECHO_CHAT("m", "x"), tag % 2, (uint64_t)tag);
    CHECK(sem_post(&all.submitted) == 0);
  }
  CHECK(pthread_join(canceller, NULL) == 0 && pthread_join(taker, NULL) == 0);
  CHECK(modelwire_queue_count(all.queue) == 0);
  modelwire_queue_free(all.queue);
  free_storm(&all);
}

/* The last event is all that comes: the handle may be freed, though the cancel that brought it has
 * not returned. */
static int32_t free_at_end(void *user_data, const modelwire_event *event) {
  drop *own = user_data;
  CHECK(status_of(event) == MODELWIRE_E_CANCELLED && own->ends++ == 0);
  modelwire_call_free(own->call);
  return 0;
}

static void end_drop(void *user_data) {
  drop *own = user_data;
  storm *all = own->all;
  CHECK(own->ends == 1);
  free(own);
  CHECK(sem_post(&all->room) == 0 && sem_post(&all->ended) == 0);
}

static void *cancel_calls(void *argument) {
  storm *all = argument;
  for (int at = 0; at < all->total; at++) {
    take(&all->submitted);
    modelwire_call_cancel(all->calls[at]);
  }
  return NULL;
}

/* The same with handles of started calls. */
void cancel_storm_of_calls(void) {
  storm all;
  pthread_t canceller;
  new_storm(&all);
  all.calls = calloc((size_t)all.total, sizeof *all.calls);
  CHECK(all.calls != NULL);
  CHECK(pthread_create(&canceller, NULL, cancel_calls, &all) == 0);
  for (int at = 0; at < all.total; at++) {
    drop *own = calloc(1, sizeof *own);
    CHECK(own != NULL);
    take(&all.room);
    own->all = &all;
    own->call = all.calls[at] = chat_call(all.client, ECHO_CHAT("m", "x"));
    CHECK(modelwire_call_start(own->call, at % 2, free_at_end, own, end_drop, NULL) ==
          MODELWIRE_OK);
    CHECK(sem_post(&all.submitted) == 0);
  }
  CHECK(pthread_join(canceller, NULL) == 0);
  for (int at = 0; at < all.total; at++) take(&all.ended);
  CHECK(modelwire_client_close(all.client, PATIENCE_MS, NULL) == MODELWIRE_OK);
  free(all.calls);
  free_storm(&all);
}
