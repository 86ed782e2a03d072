/*
 * Calls that are started: callbacks on the client's thread, exactly one last event, then the
 * finalizer, then nothing, on every path.
 */
#include "check.h"

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

/* What the callbacks of one call saw. They run on one thread, one after another, and the test
 * looks after `over`: no lock is needed. */
typedef struct watch {
  modelwire_client *client;
  modelwire_call *call;
  int chunks, ends, finalizers;
  modelwire_status status;
  pthread_t thread;
  gathered all;
  sem_t over;
  /* What the callback does at each event, and returns; may be NULL. */
  int32_t (*act)(struct watch *watch, const modelwire_event *event);
  void *more;
} watch;

static void check_thread(watch *seen) {
  char name[17];
  thread_name(name);
  /* The library's own thread for callbacks, and never the one that does the I/O. */
  CHECK(strncmp(name, "mw-cb-", 6) == 0);
  if (seen->chunks + seen->ends == 0) seen->thread = pthread_self();
  CHECK(pthread_equal(seen->thread, pthread_self()));
}

static int32_t see(void *user_data, const modelwire_event *event) {
  watch *seen = user_data;
  check_thread(seen);
  CHECK(seen->ends == 0 && seen->finalizers == 0);
  CHECK(modelwire_event_tag(event) == 0);
  if (modelwire_event_kind(event) == MODELWIRE_EVENT_CHUNK) {
    seen->chunks++;
    gather(&seen->all, event);
  } else {
    const modelwire_response *answer = modelwire_event_response(event);
    const modelwire_error *error = modelwire_event_error(event);
    CHECK(is_last(event) && (answer == NULL) != (error == NULL));
    CHECK_TEXT(modelwire_event_text(event, NULL), error == NULL
                                                      ? modelwire_response_text(answer, NULL)
                                                      : modelwire_error_message(error, NULL));
    CHECK_TEXT(modelwire_event_json(event, NULL), error == NULL
                                                      ? modelwire_response_json(answer, NULL)
                                                      : modelwire_error_json(error, NULL));
    CHECK_TEXT(modelwire_event_name(event, NULL), "");
    CHECK(error == NULL || event_text(event, "/finish_reason") == NULL);
    seen->ends++;
    seen->status = status_of(event);
  }
  return seen->act == NULL ? 0 : seen->act(seen, event);
}

static void finish(void *user_data) {
  watch *seen = user_data;
  check_thread(seen);
  CHECK(seen->ends == 1 && seen->finalizers == 0);
  seen->finalizers++;
  CHECK(sem_post(&seen->over) == 0);
}

static watch *watching(modelwire_client *client, const char *json) {
  watch *fresh = calloc(1, sizeof *fresh);
  CHECK(fresh != NULL && sem_init(&fresh->over, 0, 0) == 0);
  fresh->client = client;
  fresh->call = chat_call(client, json);
  fresh->status = 99;
  return fresh;
}

static void start(watch *seen, int32_t stream) {
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_call_start(seen->call, stream, see, seen, finish, &error), MODELWIRE_OK,
               error);
}

static void wait_for(sem_t *told) {
  struct timespec end;
  CHECK(clock_gettime(CLOCK_REALTIME, &end) == 0);
  end.tv_sec += 60;
  /* clock: bounds a hang */
  while (sem_timedwait(told, &end) != 0) CHECK(now_ms() != 0 && time(NULL) < end.tv_sec);
}

static void wait_over(watch *seen) {
  wait_for(&seen->over);
  CHECK(seen->ends == 1 && seen->finalizers == 1);
}

/* Looks once more, when the library has ended: nothing came after the end. */
static void free_watch(watch *seen) {
  CHECK(seen->ends == 1 && seen->finalizers == 1);
  modelwire_call_free(seen->call);
  CHECK(sem_destroy(&seen->over) == 0);
  free(seen);
}

static void shut_down(void) { CHECK(modelwire_shutdown(30000) == MODELWIRE_OK); }

/* Every end that the played service has, whole and streamed. */
void started(void) {
  static const struct {
    const char *json;
    modelwire_status whole, streamed;
    const char *text;
  } CASES[] = {
      {ECHO_CHAT("echo", "one two"), MODELWIRE_OK, MODELWIRE_OK, "one two"},
      {ECHO_CHAT("broken", "x"), MODELWIRE_E_SERVER, MODELWIRE_E_SERVER, ""},
      {ECHO_CHAT("no-such", "x"), MODELWIRE_E_NOT_FOUND, MODELWIRE_E_NOT_FOUND, ""},
      {ECHO_CHAT("cut", "1 2 3 4 5"), MODELWIRE_OK, MODELWIRE_E_DISCONNECTED, "1 2 3 "},
      {ECHO_CHAT("error-in-stream", "1 2 3 4"), MODELWIRE_OK, MODELWIRE_E_STREAM, "1 2 3 "},
  };
  enum { COUNT = sizeof CASES / sizeof *CASES };
  watch *seen[2 * COUNT];
  modelwire_client *client = client_of_environment();
  for (size_t i = 0; i < COUNT; i++) {
    seen[2 * i] = watching(client, CASES[i].json);
    start(seen[2 * i], 0);
    seen[2 * i + 1] = watching(client, CASES[i].json);
    start(seen[2 * i + 1], 1);
  }
  for (size_t i = 0; i < COUNT; i++) {
    wait_over(seen[2 * i]);
    wait_over(seen[2 * i + 1]);
    if (CASES[i].streamed != MODELWIRE_E_DISCONNECTED) {
      CHECK(seen[2 * i]->chunks == 0);
    }
    if (CASES[i].whole != MODELWIRE_OK) CHECK(seen[2 * i]->status == CASES[i].whole);
    CHECK(seen[2 * i + 1]->status == CASES[i].streamed);
    CHECK_TEXT(seen[2 * i + 1]->all.text, CASES[i].text);
  }
  CHECK(seen[0]->status == MODELWIRE_OK);
  shut_down();
  for (size_t i = 0; i < 2 * COUNT; i++) free_watch(seen[i]);
  modelwire_client_free(client);
}

/* A list of models, whole; the response is in the last event. */
static int32_t look_at_models(watch *seen, const modelwire_event *event) {
  const modelwire_response *list = modelwire_event_response(event);
  CHECK(seen->ends == 1);
  CHECK_TEXT(answer_text(list, "/models/0"), "echo");
  CHECK(event_int(event, "/usage/total_tokens") == -1);
  return 0;
}

void started_models(void) {
  modelwire_client *client = client_of_environment();
  watch *seen = watching(client, ECHO_CHAT("m", "x"));
  modelwire_call_free(seen->call);
  seen->call = models_call(client);
  seen->act = look_at_models;
  start(seen, 0);
  wait_over(seen);
  CHECK(seen->status == MODELWIRE_OK);
  shut_down();
  free_watch(seen);
  modelwire_client_free(client);
}

static void check_end(modelwire_status expected, int32_t stream) {
  modelwire_client *client = client_of_environment();
  watch *seen = watching(client, ECHO_CHAT("m", "x"));
  start(seen, stream);
  wait_over(seen);
  if (seen->status != expected) {
    CHECK_TEXT(modelwire_status_name(seen->status), modelwire_status_name(expected));
  }
  shut_down();
  free_watch(seen);
  modelwire_client_free(client);
}

void started_refused(void) { check_end(MODELWIRE_E_CONNECT, 1); }

void started_timeout(void) {
  modelwire_client *client = client_with("{\"first_byte_timeout_ms\":100}");
  watch *seen = watching(client, ECHO_CHAT("m", "x"));
  start(seen, 1);
  wait_over(seen);
  CHECK(seen->status == MODELWIRE_E_TIMEOUT && seen->chunks == 0);
  shut_down();
  free_watch(seen);
  modelwire_client_free(client);
}

/* In flight: the service has the request and does not answer. */
void started_cancelled(void) {
  modelwire_client *client = client_of_environment();
  watch *seen = watching(client, ECHO_CHAT("m", "x"));
  start(seen, 0);
  wait_for_cue();
  CHECK(seen->ends == 0);
  modelwire_call_cancel(seen->call);
  wait_over(seen);
  CHECK(seen->status == MODELWIRE_E_CANCELLED);
  modelwire_call_cancel(seen->call);
  shut_down();
  free_watch(seen);
  modelwire_client_free(client);
}

static int32_t cancel_inside(watch *seen, const modelwire_event *event) {
  modelwire_call_cancel(seen->call);
  CHECK(seen->ends == 1 || modelwire_event_json(event, NULL)[0] == '{');
  return 0;
}

static int32_t stop(watch *seen, const modelwire_event *event) {
  CHECK(event != NULL);
  /* What the callback returns for the last event has no effect. */
  return seen->chunks == 1 ? 1 : -1;
}

static int32_t free_call_inside(watch *seen, const modelwire_event *event) {
  modelwire_call_free(seen->call);
  seen->call = NULL;
  CHECK(seen->ends == 1 || modelwire_event_json(event, NULL)[0] == '{');
  return 0;
}

static void end_from_inside(int32_t (*act)(watch *seen, const modelwire_event *event)) {
  modelwire_client *client = client_of_environment();
  watch *seen = watching(client, ECHO_CHAT("m", "x"));
  seen->act = act;
  start(seen, 1);
  wait_over(seen);
  CHECK(seen->status == MODELWIRE_E_CANCELLED);
  CHECK(seen->chunks == 1);
  CHECK_TEXT(seen->all.text, "one ");
  shut_down();
  free_watch(seen);
  modelwire_client_free(client);
}

/* The service sends some events and then never another. */
void started_cancelled_inside(void) { end_from_inside(cancel_inside); }
void started_stopped(void) { end_from_inside(stop); }
void started_freed_inside(void) { end_from_inside(free_call_inside); }

/* A freed call ends; so does one that is freed at once. */
void started_freed(void) {
  modelwire_client *client = client_of_environment();
  watch *seen = watching(client, ECHO_CHAT("m", "x"));
  start(seen, 1);
  modelwire_call_free(seen->call);
  seen->call = NULL;
  wait_over(seen);
  CHECK(seen->status == MODELWIRE_E_CANCELLED);
  shut_down();
  free_watch(seen);
  modelwire_client_free(client);
}

/* Counts events that must never come, and finalizers. */
typedef struct {
  int events, finalizers;
} counts;

static int32_t count_event(void *user_data, const modelwire_event *event) {
  CHECK(event != NULL);
  ((counts *)user_data)->events++;
  return 0;
}

static void count_finalizer(void *user_data) { ((counts *)user_data)->finalizers++; }

static void fail_to_start(modelwire_call *call, modelwire_status expected) {
  counts count = {0, 0};
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_call_start(call, 1, count_event, &count, count_finalizer, &error),
               expected, error);
  CHECK(count.events == 0 && count.finalizers == 1);
  CHECK(modelwire_error_status(error) == expected);
  modelwire_error_free(error);
  /* An error object is optional, and so is a finalizer. */
  CHECK(modelwire_call_start(call, 1, count_event, &count, NULL, NULL) < 0);
  CHECK(count.events == 0 && count.finalizers == 1);
}

void start_fails(void) {
  modelwire_client *client = client_of_environment();
  /* Cancelled before the start. */
  modelwire_call *call = chat_call(client, ECHO_CHAT("echo", "x"));
  modelwire_call_cancel(call);
  fail_to_start(call, MODELWIRE_E_CANCELLED);
  modelwire_call_free(call);
  /* Run before; started before. */
  call = chat_call(client, ECHO_CHAT("echo", "x"));
  modelwire_response *answer = NULL;
  CHECK(modelwire_call_run(call, &answer, NULL) == MODELWIRE_OK);
  fail_to_start(call, MODELWIRE_E_ARGUMENT);
  modelwire_response_free(answer);
  modelwire_call_free(call);
  watch *seen = watching(client, ECHO_CHAT("echo", "x"));
  start(seen, 1);
  fail_to_start(seen->call, MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_call_run(seen->call, &answer, NULL) == MODELWIRE_E_ARGUMENT);
  wait_over(seen);
  CHECK(seen->status == MODELWIRE_OK);
  /* A request that cannot be sent: a list that streams. */
  call = models_call(client);
  fail_to_start(call, MODELWIRE_E_ARGUMENT);
  modelwire_call_free(call);
  free_watch(seen);
  modelwire_client_free(client);
}

static int32_t free_client_inside(watch *seen, const modelwire_event *event) {
  CHECK(event != NULL);
  modelwire_client_free(seen->client);
  seen->client = NULL;
  return 0;
}

/* The call keeps what it needs: it goes on to its end. */
void started_without_client(void) {
  watch *seen = watching(client_of_environment(), ECHO_CHAT("echo", "one two"));
  seen->act = free_client_inside;
  start(seen, 1);
  wait_over(seen);
  CHECK(seen->status == MODELWIRE_OK && seen->client == NULL);
  CHECK_TEXT(seen->all.text, "one two");
  shut_down();
  free_watch(seen);
}

/* Three calls in three states; the shutdown gives each its end before it returns. */
void started_shutdown(void) {
  modelwire_client *client = client_of_environment();
  watch *seen[3];
  for (int i = 0; i < 3; i++) {
    seen[i] = watching(client, ECHO_CHAT("m", "x"));
    start(seen[i], i % 2);
  }
  wait_for_cue();
  shut_down();
  for (int i = 0; i < 3; i++) {
    CHECK(seen[i]->ends == 1 && seen[i]->finalizers == 1);
    CHECK(seen[i]->status == MODELWIRE_E_SHUTDOWN);
    free_watch(seen[i]);
  }
  modelwire_client_free(client);
}

static int32_t shut_down_inside(watch *seen, const modelwire_event *event) {
  CHECK(event != NULL);
  int64_t asked_ms = now_ms();
  CHECK(modelwire_shutdown(30000) == MODELWIRE_E_CALLBACK);
  CHECK(modelwire_shutdown(-1) == MODELWIRE_E_CALLBACK);
  /* clock: bounds a hang */
  CHECK(now_ms() - asked_ms < PROMPT_MS);
  CHECK(seen->chunks + seen->ends > 0);
  return 0;
}

/* Refused, and nothing was done: the call goes on, and so does the library. */
void shutdown_inside(void) {
  modelwire_client *client = client_of_environment();
  watch *seen = watching(client, ECHO_CHAT("echo", "one two"));
  seen->act = shut_down_inside;
  start(seen, 1);
  wait_over(seen);
  CHECK(seen->status == MODELWIRE_OK);
  CHECK_TEXT(seen->all.text, "one two");
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("echo", "x"))));
  shut_down();
  free_watch(seen);
  modelwire_client_free(client);
}

static int32_t hang(watch *seen, const modelwire_event *event) {
  CHECK(event != NULL);
  sem_t *let_go = seen->more;
  if (seen->chunks + seen->ends == 1) wait_for(let_go);
  return 0;
}

/* A callback that hangs: the shutdown says so in time, and the callback ends on its own. */
void shutdown_with_hanging_callback(void) {
  modelwire_client *client = client_of_environment();
  watch *seen = watching(client, ECHO_CHAT("echo", "one two"));
  sem_t let_go;
  CHECK(sem_init(&let_go, 0, 0) == 0);
  seen->act = hang;
  seen->more = &let_go;
  start(seen, 1);
  int64_t asked_ms = now_ms();
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("echo", "beside it"))));
  CHECK(modelwire_shutdown(100) == MODELWIRE_TIMEOUT);
  /* clock: a call that is made beside it comes back */
  CHECK(now_ms() - asked_ms < 30000);
  CHECK(sem_post(&let_go) == 0);
  wait_over(seen);
  free_watch(seen);
  modelwire_client_free(client);
}

static int32_t call_inside(watch *seen, const modelwire_event *event) {
  CHECK(event != NULL);
  modelwire_response *answer =
      answer_of(chat_call(seen->client, ECHO_CHAT("echo", "from inside")));
  CHECK_TEXT(modelwire_response_text(answer, NULL), "from inside");
  modelwire_response_free(answer);
  gathered all = {0};
  modelwire_response *end = NULL;
  modelwire_call *call = chat_call(seen->client, ECHO_CHAT("echo", "a stream"));
  CHECK(modelwire_call_stream(call, gather, &all, &end, NULL) == MODELWIRE_OK);
  CHECK_TEXT(all.text, "a stream");
  modelwire_response_free(end);
  modelwire_call_free(call);
  if (seen->more != NULL) {
    /* One more call of this very thread, started from inside. */
    start(seen->more, 1);
    seen->more = NULL;
  }
  return 0;
}

void started_calls_inside(void) {
  modelwire_client *client = client_of_environment();
  watch *seen = watching(client, ECHO_CHAT("echo", "one two"));
  watch *later = watching(client, ECHO_CHAT("echo", "later"));
  seen->act = call_inside;
  seen->more = later;
  start(seen, 1);
  wait_over(seen);
  wait_over(later);
  CHECK_TEXT(seen->all.text, "one two");
  CHECK_TEXT(later->all.text, "later");
  CHECK(pthread_equal(seen->thread, later->thread));
  shut_down();
  free_watch(seen);
  free_watch(later);
  modelwire_client_free(client);
}

static int32_t be_alone(watch *seen, const modelwire_event *event) {
  pthread_mutex_t *alone = seen->more;
  CHECK(event != NULL && pthread_mutex_trylock(alone) == 0);
  if (seen->chunks == 1) sleep_ms(1); /* clock: time for another to come in */
  CHECK(pthread_mutex_unlock(alone) == 0);
  return 0;
}

/* The callbacks of one client never run at the same time, whatever thread started them. */
void started_serial(void) {
  enum { CALLS = 16 };
  modelwire_client *client = client_of_environment();
  watch *seen[CALLS];
  pthread_mutex_t alone = PTHREAD_MUTEX_INITIALIZER;
  for (int i = 0; i < CALLS; i++) {
    seen[i] = watching(client, ECHO_CHAT("echo", "one two three"));
    seen[i]->act = be_alone;
    seen[i]->more = &alone;
    start(seen[i], 1);
  }
  for (int i = 0; i < CALLS; i++) {
    wait_over(seen[i]);
    CHECK_TEXT(seen[i]->all.text, "one two three");
    CHECK(pthread_equal(seen[i]->thread, seen[0]->thread));
  }
  shut_down();
  for (int i = 0; i < CALLS; i++) free_watch(seen[i]);
  CHECK(pthread_mutex_destroy(&alone) == 0);
  modelwire_client_free(client);
}

/* Two callbacks that wait for each other. */
typedef struct {
  sem_t mine, other;
} meeting;

static int32_t meet(watch *seen, const modelwire_event *event) {
  sem_t **places = seen->more;
  CHECK(event != NULL);
  if (seen->chunks + seen->ends == 1) {
    CHECK(sem_post(places[0]) == 0);
    wait_for(places[1]);
  }
  return 0;
}

/* Those of two clients do run at the same time. */
void started_parallel(void) {
  modelwire_client *clients[2] = {client_of_environment(), client_of_environment()};
  meeting place;
  CHECK(sem_init(&place.mine, 0, 0) == 0 && sem_init(&place.other, 0, 0) == 0);
  sem_t *ways[2][2] = {{&place.mine, &place.other}, {&place.other, &place.mine}};
  watch *seen[2];
  for (int i = 0; i < 2; i++) {
    seen[i] = watching(clients[i], ECHO_CHAT("echo", "one two"));
    seen[i]->act = meet;
    seen[i]->more = ways[i];
    start(seen[i], 1);
  }
  for (int i = 0; i < 2; i++) wait_over(seen[i]);
  CHECK(!pthread_equal(seen[0]->thread, seen[1]->thread));
  shut_down();
  for (int i = 0; i < 2; i++) {
    free_watch(seen[i]);
    modelwire_client_free(clients[i]);
  }
}

typedef struct {
  const modelwire_client *client;
  int calls;
} runner;

static void *run_some(void *argument) {
  runner *own = argument;
  for (int i = 0; i < 10; i++) {
    modelwire_response *answer = answer_of(chat_call(own->client, ECHO_CHAT("m", "x")));
    CHECK_TEXT(modelwire_response_text(answer, NULL), "others");
    modelwire_response_free(answer);
    own->calls++;
  }
  return NULL;
}

static void *stream_for_ever(void *argument) {
  watch *seen = argument;
  modelwire_response *end = NULL;
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_call_stream(seen->call, gather, &seen->all, &end, &error),
               MODELWIRE_E_CANCELLED, error);
  modelwire_error_free(error);
  return NULL;
}

/* One client, two streams that hang, a callback that blocks: all other threads go on. */
void independent(void) {
  enum { THREADS = 6 };
  modelwire_client *client = client_of_environment();
  watch *blocked = watching(client, ECHO_CHAT("m", "x"));
  watch *started_one = watching(client, ECHO_CHAT("m", "x"));
  pthread_t streaming, running[THREADS];
  runner runners[THREADS];
  sem_t let_go;
  CHECK(sem_init(&let_go, 0, 0) == 0);
  CHECK(pthread_create(&streaming, NULL, stream_for_ever, blocked) == 0);
  started_one->act = hang;
  started_one->more = &let_go;
  start(started_one, 1);
  /* Both have their answers, which do not end. */
  wait_for_cue();
  for (int i = 0; i < THREADS; i++) {
    runners[i] = (runner){client, 0};
    CHECK(pthread_create(&running[i], NULL, run_some, &runners[i]) == 0);
  }
  for (int i = 0; i < THREADS; i++) {
    CHECK(pthread_join(running[i], NULL) == 0);
    CHECK(runners[i].calls == 10);
  }
  modelwire_call_cancel(blocked->call);
  CHECK(pthread_join(streaming, NULL) == 0);
  CHECK(sem_post(&let_go) == 0);
  modelwire_call_cancel(started_one->call);
  wait_over(started_one);
  shut_down();
  free_watch(started_one);
  modelwire_call_free(blocked->call);
  CHECK(sem_destroy(&blocked->over) == 0);
  free(blocked);
  modelwire_client_free(client);
}
