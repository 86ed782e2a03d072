/*
 * What may be called inside a callback: each cell of the table in the header, and what a finalizer may
 * do. The scenario prints its table, and the test finds it in the header.
 */
#include "check.h"

#include <ctype.h>
#include <semaphore.h>
#include <time.h>

/* Where something is called. A finalizer is as its callback. */
enum { ON_EVENT, IN_STREAM, ON_CALL, COLUMNS };
enum { EVENT_OVER = COLUMNS, CALL_OVER, PLACES };

/* How the call ends that is in flight there; GOES_ON if what is called does not end it. */
enum { GOES_ON = 99 };

/* One place, and what is called there. */
typedef struct inside {
  int place, has_acted;
  /* Whether it is to go on behind what is called, which the next chunk shows. */
  int goes_on;
  modelwire_client *client;
  /* In flight: the one whose callback this is, or one of the same client. */
  modelwire_call *call;
  /* What the callback was given; NULL in a finalizer. */
  const modelwire_event *event;
  modelwire_status (*act)(struct inside *here);
  modelwire_status gave, end;
  sem_t chunk, acted, over, records_over;
} inside;

static void wait_for(sem_t *told) {
  struct timespec end;
  CHECK(clock_gettime(CLOCK_REALTIME, &end) == 0);
  end.tv_sec += PATIENCE_MS / 1000;
  while (sem_timedwait(told, &end) != 0) CHECK(time(NULL) < end.tv_sec);
}

static int32_t ignore(void *user_data, const modelwire_event *event) {
  CHECK(user_data == NULL && event != NULL);
  return 0;
}

/* What is called. */

static modelwire_status run_another(inside *here) {
  modelwire_response_free(answer_of(chat_call(here->client, ECHO_CHAT("echo", "x"))));
  return MODELWIRE_OK;
}

static modelwire_status stream_another(inside *here) {
  modelwire_call *call = chat_call(here->client, ECHO_CHAT("echo", "x"));
  modelwire_response *end = NULL;
  modelwire_status status = modelwire_call_stream(call, ignore, NULL, &end, NULL);
  modelwire_response_free(end);
  modelwire_call_free(call);
  return status;
}

static modelwire_status start_another(inside *here) {
  modelwire_call *call = chat_call(here->client, ECHO_CHAT("echo", "x"));
  modelwire_status status = modelwire_call_start(call, 1, ignore, NULL, NULL, NULL);
  modelwire_call_free(call);
  return status;
}

static modelwire_status run_this(inside *here) {
  modelwire_response *answer = NULL;
  return modelwire_call_run(here->call, &answer, NULL);
}

static modelwire_status stream_this(inside *here) {
  modelwire_response *answer = NULL;
  return modelwire_call_stream(here->call, ignore, NULL, &answer, NULL);
}

static modelwire_status start_this(inside *here) {
  return modelwire_call_start(here->call, 1, ignore, NULL, NULL, NULL);
}

static modelwire_status cancel_this(inside *here) {
  modelwire_call_cancel(here->call);
  return MODELWIRE_OK;
}

static modelwire_status free_this(inside *here) {
  modelwire_call_free(here->call);
  here->call = NULL;
  /* What was given before stays good. */
  CHECK(here->event == NULL || modelwire_event_json(here->event, NULL)[0] == '{');
  return MODELWIRE_OK;
}

/* The call is in flight: a wait that may wait runs out. */
static modelwire_status wait_this(inside *here) {
  modelwire_status status = modelwire_call_wait(here->call, 1, NULL);
  return status == MODELWIRE_TIMEOUT ? MODELWIRE_OK : status;
}

static modelwire_status free_client(inside *here) {
  modelwire_client_free(here->client);
  here->client = NULL;
  return MODELWIRE_OK;
}

static modelwire_status close_client(inside *here) {
  return modelwire_client_close(here->client, PATIENCE_MS, NULL);
}

static modelwire_status change_on_call(inside *here) {
  return modelwire_client_on_call(here->client, ignore, NULL, NULL, NULL);
}

static modelwire_status shut_down(inside *here) {
  CHECK(here->act == shut_down);
  return modelwire_shutdown(PATIENCE_MS);
}

static modelwire_status use_queue(inside *here) {
  modelwire_queue *queue = new_queue();
  submit(here->client, queue, ECHO_CHAT("echo", "x"), 1, 1);
  CHECK(modelwire_queue_fd(queue) >= 0 && modelwire_queue_count(queue) == 1);
  expect_end(queue, 1, MODELWIRE_OK);
  CHECK(modelwire_queue_log(queue, MODELWIRE_LOG_ERROR, 2, NULL) == MODELWIRE_OK);
  CHECK(modelwire_queue_follow_calls(queue, here->client, 1, 3, NULL) == MODELWIRE_OK);
  CHECK(modelwire_queue_follow_calls(queue, here->client, 0, 3, NULL) == MODELWIRE_OK);
  submit(here->client, queue, ECHO_CHAT("echo", "x"), 1, 4);
  CHECK(modelwire_queue_pause(queue, 4) == MODELWIRE_OK);
  CHECK(modelwire_queue_resume(queue, 4) == MODELWIRE_OK);
  CHECK(modelwire_queue_cancel(queue, 4) != MODELWIRE_E_ARGUMENT);
  modelwire_queue_wakeup(queue);
  modelwire_queue_close(queue);
  modelwire_queue_free(queue);
  return MODELWIRE_OK;
}

/* Both are lent: nothing is done, and what they say stays. */
static modelwire_status free_event(inside *here) {
  if (here->event == NULL) return MODELWIRE_OK;
  modelwire_value *lent = (modelwire_value *)(size_t)modelwire_event_value(here->event);
  modelwire_value_free(lent);
  modelwire_event_free((modelwire_event *)(size_t)here->event);
  CHECK(modelwire_event_kind(here->event) > 0 && modelwire_event_json(here->event, NULL) != NULL);
  return MODELWIRE_OK;
}

/* The table: what is given, and how the call ends that is in flight. */

typedef struct {
  modelwire_status gives, end;
} cell;

#define YES {MODELWIRE_OK, GOES_ON}
#define REFUSED(status) {MODELWIRE_E_##status, GOES_ON}
#define ENDS(status) {MODELWIRE_OK, MODELWIRE_E_##status}

static const struct {
  const char *name;
  modelwire_status (*act)(inside *here);
  cell cells[COLUMNS];
} TABLE[] = {
    {"call_run of another call", run_another, {YES, YES, YES}},
    {"call_stream of another call", stream_another, {YES, YES, YES}},
    {"call_start of another call", start_another, {YES, YES, YES}},
    {"call_run of this call",
     run_this,
     {REFUSED(ARGUMENT), REFUSED(ARGUMENT), REFUSED(ARGUMENT)}},
    {"call_stream of this call",
     stream_this,
     {REFUSED(ARGUMENT), REFUSED(ARGUMENT), REFUSED(ARGUMENT)}},
    {"call_start of this call",
     start_this,
     {REFUSED(ARGUMENT), REFUSED(ARGUMENT), REFUSED(ARGUMENT)}},
    {"call_wait for this call",
     wait_this,
     {REFUSED(CALLBACK), REFUSED(ARGUMENT), YES}},
    {"call_cancel of this call",
     cancel_this,
     {ENDS(CANCELLED), ENDS(CANCELLED), ENDS(CANCELLED)}},
    {"call_free of this call",
     free_this,
     {ENDS(CANCELLED), ENDS(CANCELLED), ENDS(CANCELLED)}},
    {"event_free of the event", free_event, {YES, YES, YES}},
    {"every function of a queue", use_queue, {YES, YES, YES}},
    {"client_free", free_client, {YES, YES, YES}},
    {"client_close",
     close_client,
     {REFUSED(CALLBACK), ENDS(CLOSED), REFUSED(CALLBACK)}},
    {"client_on_call", change_on_call, {YES, YES, YES}},
    {"shutdown",
     shut_down,
     {REFUSED(CALLBACK), ENDS(SHUTDOWN), REFUSED(CALLBACK)}},
};

/* A cell as the header has it. */
static void print_cell(const cell *shown) {
  char word[32] = "yes";
  if (shown->gives != MODELWIRE_OK || shown->end != GOES_ON) {
    const int is_refused = shown->gives != MODELWIRE_OK;
    const char *name = modelwire_status_name(is_refused ? shown->gives : shown->end);
    size_t length = (size_t)snprintf(word, sizeof word, "%s", is_refused ? "" : "ends ");
    for (; *name != 0; name++) word[length++] = (char)toupper(*name);
    word[length] = 0;
  }
  printf(" %-15s", word);
}

/* Where it is called. */

static void act(inside *here, const modelwire_event *event) {
  if (here->has_acted) return;
  here->has_acted = 1;
  here->event = event;
  here->gave = here->act(here);
  CHECK(sem_post(&here->acted) == 0);
}

/* Of the call in flight. */
static int32_t on_event(void *user_data, const modelwire_event *event) {
  inside *here = user_data;
  if (is_last(event)) {
    here->end = status_of(event);
    return 0;
  }
  if (here->place == IN_STREAM && here->has_acted) return here->goes_on;
  CHECK(sem_post(&here->chunk) == 0);
  if (here->place == ON_EVENT || here->place == IN_STREAM) act(here, event);
  return here->place == EVENT_OVER;
}

static void on_over(void *user_data) {
  inside *here = user_data;
  if (here->place == EVENT_OVER) act(here, NULL);
  CHECK(sem_post(&here->over) == 0);
}

/* Of the client. */
static int32_t on_record(void *user_data, const modelwire_event *event) {
  inside *here = user_data;
  if (here->place == ON_CALL) act(here, event);
  return 0;
}

static void on_records_over(void *user_data) {
  inside *here = user_data;
  if (here->place == CALL_OVER) act(here, NULL);
  CHECK(sem_post(&here->records_over) == 0);
}

/* Has the callback called that is not of the call in flight, by a call that may fail for that. */
static void reach(inside *here) {
  if (here->place == ON_EVENT || here->place == EVENT_OVER) return;
  modelwire_call *call = chat_call(here->client, ECHO_CHAT("echo", "x"));
  modelwire_response *answer = NULL;
  CHECK(modelwire_client_on_call(here->client, on_record, here, on_records_over, NULL) ==
        MODELWIRE_OK);
  if (here->place == ON_CALL) {
    (void)modelwire_call_run(call, &answer, NULL);
    modelwire_response_free(answer);
  }
  if (here->place == CALL_OVER) {
    CHECK(modelwire_client_on_call(here->client, NULL, NULL, NULL, NULL) == MODELWIRE_OK);
  }
  modelwire_call_free(call);
}

/* The callbacks are of this thread: what comes behind the one that acts stops the stream. */
static void stream_here(inside *here) {
  modelwire_response *answer = NULL;
  do {
    here->end = modelwire_call_stream(here->call, on_event, here, &answer, NULL);
    CHECK((answer == NULL) == (here->end != MODELWIRE_OK));
  } while (here->end == MODELWIRE_INTERRUPTED);
  if (here->end == MODELWIRE_STOPPED) here->end = GOES_ON;
}

/* The callbacks are of other threads: a call that goes on has another chunk. */
static void start_there(inside *here, modelwire_status expected) {
  CHECK(modelwire_call_start(here->call, 1, on_event, here, on_over, NULL) == MODELWIRE_OK);
  wait_for(&here->chunk);
  reach(here);
  wait_for(&here->acted);
  if (here->place == EVENT_OVER) {
    wait_for(&here->over);
    here->end = expected;
  } else if (expected == GOES_ON) {
    while (sem_trywait(&here->chunk) == 0) continue;
    wait_for(&here->chunk);
    modelwire_call_cancel(here->call);
    wait_for(&here->over);
    here->end = GOES_ON;
  } else {
    wait_for(&here->over);
  }
}

/* Nothing of the cell runs any more when it returns, in whatever state it left the rest. */
static void end_all(inside *here) {
  const int has_records = here->place != IN_STREAM && here->place != ON_EVENT &&
                          here->place != EVENT_OVER;
  if (here->call != NULL && here->place != IN_STREAM) {
    CHECK(modelwire_call_wait(here->call, PATIENCE_MS, NULL) == MODELWIRE_OK);
  }
  modelwire_call_free(here->call);
  if (here->client != NULL) {
    CHECK(modelwire_client_close(here->client, PATIENCE_MS, NULL) == MODELWIRE_OK);
  }
  modelwire_client_free(here->client);
  if (has_records) wait_for(&here->records_over);
  CHECK(sem_destroy(&here->chunk) == 0 && sem_destroy(&here->acted) == 0);
  CHECK(sem_destroy(&here->over) == 0 && sem_destroy(&here->records_over) == 0);
}

static void try_cell(int place, uint32_t flags, modelwire_status (*what)(inside *here),
                     const cell *expected, const char *json) {
  inside here = {.place = place, .goes_on = expected->end == GOES_ON, .act = what, .gave = 99};
  modelwire_request *request = request_with(MODELWIRE_OPERATION_CHAT, json, NULL);
  CHECK(sem_init(&here.chunk, 0, 0) == 0 && sem_init(&here.acted, 0, 0) == 0);
  CHECK(sem_init(&here.over, 0, 0) == 0 && sem_init(&here.records_over, 0, 0) == 0);
  here.client = client_of_environment();
  CHECK(modelwire_call_new(here.client, request, flags, &here.call, NULL) == MODELWIRE_OK);
  modelwire_request_free(request);
  if (place == IN_STREAM) {
    stream_here(&here);
  } else {
    start_there(&here, expected->end);
  }
  CHECK_STATUS(here.gave, expected->gives, NULL);
  CHECK_STATUS(here.end, expected->end, NULL);
  end_all(&here);
}

/* A stream of this model lasts longer than any cell. */
enum { WORDS = 2000 };

void inside_callbacks(void) {
  static const int COLUMN_OF[PLACES] = {ON_EVENT, IN_STREAM, ON_CALL, ON_EVENT, ON_CALL};
  static const char HEAD[] = "{\"model\":\"echo\",\"messages\":[{\"role\":\"user\",\"content\":\"";
  char *json = calloc(1, sizeof HEAD + 2 * WORDS + 8);
  CHECK(json != NULL);
  strcpy(json, HEAD);
  for (char *at = json + sizeof HEAD - 1; at < json + sizeof HEAD - 1 + 2 * WORDS; at += 2) {
    memcpy(at, "x ", 2);
  }
  strcat(json, "\"}]}");
  for (size_t row = 0; row < sizeof TABLE / sizeof *TABLE; row++) {
    printf("%-28s", TABLE[row].name);
    for (int column = 0; column < COLUMNS; column++) print_cell(&TABLE[row].cells[column]);
    printf("\n");
    fflush(stdout);
    for (int place = 0; place < PLACES; place++) {
      const cell *expected = &TABLE[row].cells[COLUMN_OF[place]];
      try_cell(place, 0, TABLE[row].act, expected, json);
      if (place > IN_STREAM) continue;
      try_cell(place, MODELWIRE_INTERRUPTIBLE, TABLE[row].act, expected, json);
    }
  }
  free(json);
}

static int32_t never(void *user_data, const modelwire_event *event) {
  CHECK(user_data == NULL && event == NULL && "a callback of a function that failed");
  return 1;
}

static void free_call(void *user_data) { modelwire_call_free(user_data); }

static void free_client_too(void *user_data) { modelwire_client_free(user_data); }

/* A function that fails calls the finalizer before it returns: that frees what the function has. */
void freed_in_finalizer_of_failure(void) {
  modelwire_client *client = client_of_environment();
  modelwire_call *call = chat_call(client, ECHO_CHAT("echo", "x"));
  modelwire_call_cancel(call);
  CHECK(modelwire_call_start(call, 1, never, call, free_call, NULL) == MODELWIRE_E_CANCELLED);
  call = chat_call(client, ECHO_CHAT("echo", "x"));
  CHECK(modelwire_client_close(client, PATIENCE_MS, NULL) == MODELWIRE_OK);
  CHECK(modelwire_call_start(call, 1, never, call, free_call, NULL) == MODELWIRE_E_CLOSED);
  CHECK(modelwire_client_on_call(client, never, client, free_client_too, NULL) ==
        MODELWIRE_E_CLOSED);
}
