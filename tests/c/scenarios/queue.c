/*
 * The completion queue on one thread or two: tags, flow, waiting, waking, closing, its descriptor.
 * Many threads are in crowd.c, signals in interrupt.c.
 */
#include "check.h"

#include <pthread.h>

/* Streams and whole calls on one queue; the tags tell them apart. */
void queue(void) {
  enum { CALLS = 6 };
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue();
  gathered texts[CALLS] = {{0}};
  const uint64_t first_tag = UINT64_MAX - CALLS + 1;
  expect_none(queue, MODELWIRE_TIMEOUT);
  for (int i = 0; i < CALLS; i++) {
    char json[200];
    snprintf(json, sizeof json, USAGE_CHAT("echo", "call %d"), i);
    submit(client, queue, json, i % 2, first_tag + (uint64_t)i);
  }
  CHECK(modelwire_queue_count(queue) == CALLS);
  for (size_t left = CALLS; left > 0;) {
    modelwire_event *event = next(queue);
    size_t at = (size_t)(modelwire_event_tag(event) - first_tag);
    char expected[32];
    CHECK(at < CALLS);
    snprintf(expected, sizeof expected, "call %d", (int)at);
    if (!is_last(event)) {
      CHECK(at % 2 == 1);
      gather(&texts[at], event);
    } else {
      CHECK(status_of(event) == MODELWIRE_OK);
      CHECK_TEXT(modelwire_event_text(event, NULL), at % 2 == 0 ? expected : "");
      CHECK_TEXT(modelwire_response_text(modelwire_event_response(event), NULL),
                 at % 2 == 0 ? expected : "");
      if (at % 2 == 1) CHECK_TEXT(texts[at].text, expected);
      CHECK(event_int(event, "/usage/total_tokens") == 4);
      left--;
    }
    CHECK(modelwire_queue_count(queue) == left);
    modelwire_event_free(event);
  }
  expect_none(queue, MODELWIRE_TIMEOUT);
  modelwire_queue_close(queue);
  expect_none(queue, MODELWIRE_CLOSED);
  expect_none(queue, MODELWIRE_CLOSED);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

/* Each operation, as JSON text and as a request; no handle of a call is anywhere. */
void queue_operations(void) {
  static const struct {
    int32_t operation;
    const char *json, *path, *expected;
  } CASES[] = {
      {MODELWIRE_OPERATION_MODELS, NULL, "/data/0/id", "echo"},
      {MODELWIRE_OPERATION_CHAT, ECHO_CHAT("echo", "hi"), "/choices/0/message/content", "hi"},
      {MODELWIRE_OPERATION_RESPONSES, "{\"model\":\"echo\",\"input\":\"hi\"}",
       "/output/0/content/0/text", "hi"},
  };
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue();
  modelwire_error *error = (modelwire_error *)&error;
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    const size_t length = CASES[i].json == NULL ? 0 : strlen(CASES[i].json);
    CHECK_STATUS(modelwire_queue_submit(queue, client, CASES[i].operation, CASES[i].json, length,
                                        0, 1, &error),
                 MODELWIRE_OK, error);
    CHECK(error == NULL);
    modelwire_request *request = request_with(CASES[i].operation, CASES[i].json, NULL);
    CHECK_STATUS(modelwire_queue_submit_request(queue, client, request, 0, 2, &error),
                 MODELWIRE_OK, error);
    modelwire_request_free(request);
    for (int taken = 0; taken < 2; taken++) {
      modelwire_event *event = next(queue);
      CHECK_STATUS(status_of(event), MODELWIRE_OK, modelwire_event_error(event));
      modelwire_value_free((modelwire_value *)modelwire_event_info(event)); /* is borrowed */
      modelwire_response_free((modelwire_response *)modelwire_event_response(event));
      CHECK_TEXT(text_at(modelwire_event_value(event), CASES[i].path), CASES[i].expected);
      CHECK(event_int(event, "/http_status") == 200);
      modelwire_event_free(event);
    }
  }
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

static void refuse_submit(const modelwire_queue *queue, const modelwire_client *client,
                          int32_t operation, const char *json, uint64_t tag,
                          modelwire_status expected, const char *told) {
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_queue_submit(queue, client, operation, json, MODELWIRE_NUL, 0, tag,
                                      &error),
               expected, error);
  CHECK(modelwire_error_status(error) == expected);
  CHECK(contains(modelwire_error_message(error, NULL), told));
  CHECK_TEXT(error_text(error, "/metered"), "not_sent");
  modelwire_error_free(error);
}

/* Whatever is wrong with a request or happens to its call comes as its last event; a submission
 * that fails gives none. */
void queue_failures(void) {
  static const struct {
    int32_t operation;
    const char *json, *told;
  } WRONG[] = {
      {MODELWIRE_OPERATION_CHAT, "{\"model\":\"echo\",\"messages\":[}", "at byte 28"},
      {MODELWIRE_OPERATION_CHAT, "", "at byte 0"},
      {MODELWIRE_OPERATION_CHAT, "{\"model\":\"echo\"}", "messages is missing"},
      {MODELWIRE_OPERATION_RESPONSES, "{\"model\":\"echo\",\"input\":7}", "input must be"},
      {MODELWIRE_OPERATION_MODELS, "{\"model\":\"echo\"}", "no body"},
  };
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue();
  submit(client, queue, ECHO_CHAT("echo", "x"), 1, 1);
  expect_end(queue, 1, MODELWIRE_OK);
  submit(client, queue, ECHO_CHAT("broken", "x"), 1, 2);
  expect_end(queue, 2, MODELWIRE_E_SERVER);
  submit(client, queue, ECHO_CHAT("cut", "1 2 3 4 5"), 1, 4);
  expect_end(queue, 4, MODELWIRE_E_DISCONNECTED);
  for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
    modelwire_error *error = NULL;
    CHECK_STATUS(modelwire_queue_submit(queue, client, WRONG[i].operation, WRONG[i].json,
                                        strlen(WRONG[i].json), 0, 5, &error),
                 MODELWIRE_OK, error);
    modelwire_event *event = next(queue);
    CHECK(modelwire_event_tag(event) == 5 && status_of(event) == MODELWIRE_E_ARGUMENT);
    if (!contains(modelwire_event_text(event, NULL), WRONG[i].told)) {
      CHECK_TEXT(modelwire_event_text(event, NULL), WRONG[i].told);
    }
    CHECK_TEXT(event_text(event, "/kind"), "argument");
    CHECK_TEXT(text_at(modelwire_event_value(event), "/metered"), "not_sent");
    CHECK_TEXT(modelwire_event_json(event, NULL),
               modelwire_error_json(modelwire_event_error(event), NULL));
    modelwire_event_free(event);
  }
  /* A list that streams; a request that lacks a field. */
  CHECK(modelwire_queue_submit(queue, client, MODELWIRE_OPERATION_MODELS, NULL, 0, 1, 6, NULL) ==
        MODELWIRE_OK);
  expect_end(queue, 6, MODELWIRE_E_ARGUMENT);
  modelwire_request *request = empty_request(MODELWIRE_OPERATION_CHAT);
  CHECK(modelwire_queue_submit_request(queue, client, request, 1, 7, NULL) == MODELWIRE_OK);
  expect_end(queue, 7, MODELWIRE_E_ARGUMENT);
  modelwire_request_free(request);
  expect_none(queue, MODELWIRE_TIMEOUT);

  refuse_submit(queue, client, 0, "{}", 8, MODELWIRE_E_ARGUMENT, "operation");
  refuse_submit(queue, client, 4, "{}", 8, MODELWIRE_E_ARGUMENT, "operation");
  refuse_submit(queue, client, -1, "{}", 8, MODELWIRE_E_ARGUMENT, "operation");
  refuse_submit(queue, client, MODELWIRE_OPERATION_CHAT, "\xff", 8, MODELWIRE_E_ARGUMENT, "UTF-8");
  refuse_submit(queue, NULL, MODELWIRE_OPERATION_CHAT, "{}", 8, MODELWIRE_E_ARGUMENT, "client");
  CHECK(modelwire_queue_count(queue) == 0);
  expect_none(queue, MODELWIRE_TIMEOUT);
  /* Nothing is left that the close would wait for. */
  modelwire_queue_close(queue);
  expect_none(queue, MODELWIRE_CLOSED);
  refuse_submit(queue, client, MODELWIRE_OPERATION_CHAT, "{}", 8, MODELWIRE_E_CLOSED, "closed");
  CHECK(modelwire_queue_count(queue) == 0);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

/* A tag is a call's own until its last event is taken, and then free for another; one that nobody
 * has is absent. The service never ends its streams. */
void queue_tags(void) {
  static const uint64_t NOBODY[] = {0, 1, UINT64_MAX};
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue(), *other = new_queue();
  for (size_t i = 0; i < sizeof NOBODY / sizeof *NOBODY; i++) {
    CHECK(modelwire_queue_cancel(queue, NOBODY[i]) == MODELWIRE_ABSENT);
    CHECK(modelwire_queue_pause(queue, NOBODY[i]) == MODELWIRE_ABSENT);
    CHECK(modelwire_queue_resume(queue, NOBODY[i]) == MODELWIRE_ABSENT);
  }
  for (uint64_t tag = 0; tag < 3; tag++) submit(client, queue, ECHO_CHAT("m", "x"), 1, tag);
  /* Another queue has its own. */
  submit(client, other, ECHO_CHAT("m", "x"), 1, 1);
  refuse_submit(queue, client, MODELWIRE_OPERATION_CHAT, ECHO_CHAT("m", "x"), 1,
                MODELWIRE_E_ARGUMENT, "tag");
  CHECK(modelwire_queue_count(queue) == 3 && modelwire_queue_count(other) == 1);
  CHECK(modelwire_queue_cancel(queue, 1) == MODELWIRE_OK);
  /* Over, but not taken: still its own. */
  sleep_ms(100); /* clock: nothing changes, however long it is waited for */
  CHECK(modelwire_queue_count(queue) == 3);
  refuse_submit(queue, client, MODELWIRE_OPERATION_CHAT, ECHO_CHAT("m", "x"), 1,
                MODELWIRE_E_ARGUMENT, "tag");
  for (int is_over = 0; !is_over;) {
    modelwire_event *event = next(queue);
    is_over = is_last(event);
    if (is_over) {
      CHECK(modelwire_event_tag(event) == 1 && status_of(event) == MODELWIRE_E_CANCELLED);
      /* Taken and not yet freed. */
      CHECK(modelwire_queue_count(queue) == 2);
      CHECK(modelwire_queue_cancel(queue, 1) == MODELWIRE_ABSENT);
      submit(client, queue, ECHO_CHAT("m", "x"), 1, 1);
    }
    modelwire_event_free(event);
  }
  CHECK(modelwire_queue_count(queue) == 3);
  /* Cancelled twice, and one that was not. */
  CHECK(modelwire_queue_cancel(queue, 1) == MODELWIRE_OK);
  CHECK(modelwire_queue_cancel(queue, 1) == MODELWIRE_OK);
  modelwire_queue_free(queue);
  modelwire_event_free(next(other));
  CHECK(modelwire_queue_count(other) == 1);
  modelwire_queue_free(other);
  modelwire_client_free(client);
}

/* An event is its own: it outlives queue, client and library. */
void queue_events_stay(void) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue();
  submit(client, queue, ECHO_CHAT("echo", "one"), 1, 7);
  modelwire_event *opening = next(queue), *one = next(queue), *finish = next(queue);
  modelwire_event *end = next(queue);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
  CHECK(modelwire_shutdown(30000) == MODELWIRE_OK);
  CHECK_TEXT(modelwire_event_text(opening, NULL), "");
  CHECK_TEXT(modelwire_event_text(one, NULL), "one");
  CHECK_TEXT(text_at(modelwire_event_value(one), "/choices/0/delta/content"), "one");
  CHECK_TEXT(event_text(finish, "/finish_reason"), "stop");
  CHECK(answer_int(modelwire_event_response(end), "/http_status") == 200);
  modelwire_event_free(end);
  modelwire_event_free(finish);
  modelwire_event_free(one);
  modelwire_event_free(opening);
}

/* Many at once, never more than there is room for; the first one only is waited for. */
void queue_take(void) {
  enum { ROOM = 4 };
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue();
  modelwire_event *events[ROOM + 1] = {NULL};
  int chunks = 0, takes = 0, is_over = 0;
  submit(client, queue, ECHO_CHAT("echo", "a b c d e f g h i j k"), 1, 9);
  while (!is_over) {
    size_t count = 0;
    CHECK(modelwire_queue_take(queue, PATIENCE_MS, events, ROOM, &count) == MODELWIRE_OK);
    CHECK(count >= 1 && count <= ROOM && events[ROOM] == NULL);
    takes++;
    for (size_t i = 0; i < count; i++) {
      CHECK(!is_over && modelwire_event_tag(events[i]) == 9);
      is_over = is_last(events[i]);
      chunks += !is_over;
      modelwire_event_free(events[i]);
    }
  }
  CHECK(chunks == 13 && takes >= 4);
  expect_none(queue, MODELWIRE_TIMEOUT);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

/* What the functions for one event say of it stands at its place in the arrays. */
static void expect_read(modelwire_event **events, size_t count, uint32_t parts, size_t texts_max) {
  enum { ROOM = 64 };
  typedef const char *(*reader)(const modelwire_event *, size_t *);
  const reader readers[] = {modelwire_event_text, modelwire_event_json, modelwire_event_name};
  uint64_t tags[ROOM];
  int32_t kinds[ROOM];
  size_t lengths[ROOM * 3];
  char *texts = malloc(texts_max + 1);
  CHECK(texts != NULL && count <= ROOM);
  texts[texts_max] = '~';
  size_t read = modelwire_event_read_all(events, count, parts, tags, kinds, lengths, texts, texts_max);
  CHECK(texts[texts_max] == '~' && read <= count);
  size_t used = 0, place = 0, wanted = 0;
  for (size_t i = 0; i < count; i++) {
    if (i < read) {
      CHECK(tags[i] == modelwire_event_tag(events[i]) && kinds[i] == modelwire_event_kind(events[i]));
    }
    for (int part = 0; part < 3; part++) {
      if (!(parts & 1U << part)) continue;
      size_t length = 0;
      const char *text = readers[part](events[i], &length);
      if (i == read) wanted += length;
      if (i >= read) continue;
      CHECK(lengths[place++] == length && memcmp(texts + used, text, length) == 0);
      used += length;
    }
  }
  /* It ended where the next one had no room, and nowhere else. */
  CHECK(used <= texts_max && (read == count || used + wanted > texts_max));
  free(texts);
}

void queue_read_all(void) {
  enum { ROOM = 64 };
  const uint32_t all = MODELWIRE_READ_TEXT | MODELWIRE_READ_JSON | MODELWIRE_READ_NAME;
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue();
  modelwire_event *events[ROOM];
  size_t count = 0;
  const char *request = "{\"model\":\"echo\",\"input\":\"a word-that-is-longer-than-what-an-event-"
                        "keeps-in-itself-\\u00e9 c\"}";
  int32_t responses = MODELWIRE_OPERATION_RESPONSES;
  CHECK(modelwire_queue_submit(queue, client, responses, MODELWIRE_TEXT(request), 1, 7, NULL) == MODELWIRE_OK);
  submit(client, queue, ECHO_CHAT("no-such-model", "x"), 0, 8);
  for (int ends = 0; ends < 2; count++) {
    CHECK(count < ROOM && modelwire_queue_next(queue, PATIENCE_MS, &events[count]) == MODELWIRE_OK);
    ends += is_last(events[count]);
  }
  CHECK(count >= 8); /* of a stream of responses, and the error */
  for (uint32_t parts = 0; parts <= all; parts++) {
    for (size_t texts_max = 0; texts_max < 2000; texts_max += 41) {
      expect_read(events, count, parts, texts_max);
    }
    expect_read(events, count, parts, 1 << 20);
  }
  uint64_t tags[ROOM];
  CHECK(modelwire_event_read_all(events, count, 0, tags, NULL, NULL, NULL, 0) == count && tags[0] >= 7);
  /* Frees what it read, and nothing else; then the rest. */
  size_t lengths[ROOM], read;
  char text[32];
  read = modelwire_event_read_all(events, count, MODELWIRE_READ_JSON | MODELWIRE_READ_FREE, NULL, NULL,
                                  lengths, text, sizeof text);
  CHECK(read < count);
  for (size_t i = 0; i < count; i++) CHECK((events[i] == NULL) == (i < read));
  for (int times = 0; times < 2; times++) {
    CHECK(modelwire_event_read_all(events, count, MODELWIRE_READ_FREE, NULL, NULL, NULL, NULL, 0) == count);
    for (size_t i = 0; i < count; i++) CHECK(events[i] == NULL);
  }
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

void queue_timeout(void) {
  modelwire_queue *queue = new_queue();
  modelwire_event *event = NULL, *events[1];
  size_t count = 0;
  int64_t from_ms = now_ms();
  CHECK(modelwire_queue_next(queue, 100, &event) == MODELWIRE_TIMEOUT);
  CHECK(now_ms() - from_ms >= 99);
  CHECK(modelwire_queue_take(queue, 100, events, 1, &count) == MODELWIRE_TIMEOUT);
  CHECK(now_ms() - from_ms >= 198 && event == NULL && count == 0);
  modelwire_queue_free(queue);
}

typedef struct {
  modelwire_queue *queue;
  long waiter;
} sleeper;

static void *wake_up(void *argument) {
  sleeper *own = argument;
  wait_until_asleep(own->waiter);
  modelwire_queue_wakeup(own->queue);
  return NULL;
}

/* A wake-up of a queue with these flags; a wait ends with this then. */
static void wake_with(uint32_t flags, modelwire_status woken) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = NULL;
  modelwire_event *event = NULL;
  pthread_t thread;
  CHECK(modelwire_queue_new(flags, &queue, NULL) == MODELWIRE_OK);
  sleeper own = {queue, thread_number()};
  CHECK(pthread_create(&thread, NULL, wake_up, &own) == 0);
  CHECK(modelwire_queue_next(queue, -1, &event) == woken);
  CHECK(pthread_join(thread, NULL) == 0);
  /* One that came before the wait is kept for it, and used up by it. */
  modelwire_queue_wakeup(queue);
  CHECK(modelwire_queue_next(queue, -1, &event) == woken);
  int64_t from_ms = now_ms();
  CHECK(modelwire_queue_next(queue, 50, &event) == MODELWIRE_TIMEOUT);
  CHECK(now_ms() - from_ms >= 49);
  /* It costs no event. */
  submit(client, queue, ECHO_CHAT("echo", "x"), 0, 1);
  modelwire_queue_wakeup(queue);
  int wakes = 0;
  modelwire_status status;
  while ((status = modelwire_queue_next(queue, PATIENCE_MS, &event)) == woken) wakes++;
  CHECK(status == MODELWIRE_OK && is_last(event));
  CHECK(wakes <= 1 || (flags & MODELWIRE_INTERRUPTIBLE) != 0);
  modelwire_event_free(event);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

void queue_wakeup(void) {
  wake_with(0, MODELWIRE_TIMEOUT);
  wake_with(MODELWIRE_SOCKET, MODELWIRE_TIMEOUT);
  wake_with(MODELWIRE_INTERRUPTIBLE, MODELWIRE_INTERRUPTED);
  wake_with(MODELWIRE_INTERRUPTIBLE | MODELWIRE_SOCKET, MODELWIRE_INTERRUPTED);
}

/* Flags that there are not. */
void queue_flags(void) {
  static const uint32_t UNKNOWN[] = {4, 8, 7, UINT32_C(1) << 31, UINT32_MAX};
  modelwire_client *client = client_of_environment();
  modelwire_request *request = request_with(MODELWIRE_OPERATION_CHAT, ECHO_CHAT("m", "x"), NULL);
  for (size_t i = 0; i < sizeof UNKNOWN / sizeof *UNKNOWN; i++) {
    modelwire_queue *queue = (modelwire_queue *)&queue;
    modelwire_call *call = (modelwire_call *)&call;
    modelwire_error *error = NULL;
    CHECK_STATUS(modelwire_queue_new(UNKNOWN[i], &queue, &error), MODELWIRE_E_ARGUMENT, error);
    CHECK(queue == NULL && contains(modelwire_error_message(error, NULL), "flags"));
    modelwire_error_free(error);
    CHECK_STATUS(modelwire_call_new(client, request, UNKNOWN[i], &call, &error),
                 MODELWIRE_E_ARGUMENT, error);
    CHECK(call == NULL && contains(modelwire_error_message(error, NULL), "flags"));
    modelwire_error_free(error);
  }
  /* A call has no descriptor. */
  modelwire_call *call = NULL;
  CHECK(modelwire_call_new(client, request, MODELWIRE_SOCKET, &call, NULL) ==
        MODELWIRE_E_ARGUMENT);
  modelwire_request_free(request);
  modelwire_client_free(client);
}

static int32_t never(void *user_data, const modelwire_event *event) {
  CHECK(user_data == NULL && event == NULL && "a callback of a function that failed");
  return 1;
}

static void refuse_switch(modelwire_status status, const char *said, modelwire_error *error) {
  CHECK_STATUS(status, MODELWIRE_E_ARGUMENT, error);
  CHECK(contains(modelwire_error_message(error, NULL), said));
  modelwire_error_free(error);
}

/* What is 1 or 0 is nothing else: refused by its name, and no event comes. */
void queue_boolean_arguments(void) {
  static const int32_t WRONG[] = {2, 5, -1, INT32_MIN, INT32_MAX};
  const char *json = ECHO_CHAT("echo", "x");
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue();
  modelwire_request *request = request_with(MODELWIRE_OPERATION_CHAT, json, NULL);
  modelwire_call *call = chat_call(client, json);
  for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
    char stream[64], on[64];
    modelwire_error *error = NULL;
    snprintf(stream, sizeof stream, "stream is %ld", (long)WRONG[i]);
    snprintf(on, sizeof on, "on is %ld", (long)WRONG[i]);
    modelwire_status status = modelwire_queue_submit(queue, client, MODELWIRE_OPERATION_CHAT, json,
                                                     MODELWIRE_NUL, WRONG[i], 1, &error);
    refuse_switch(status, stream, error);
    status = modelwire_queue_submit_request(queue, client, request, WRONG[i], 1, &error);
    refuse_switch(status, stream, error);
    status = modelwire_call_start(call, WRONG[i], never, NULL, NULL, &error);
    refuse_switch(status, stream, error);
    status = modelwire_queue_follow_calls(queue, client, WRONG[i], 2, &error);
    refuse_switch(status, on, error);
  }
  CHECK(modelwire_queue_count(queue) == 0);
  expect_none(queue, MODELWIRE_TIMEOUT);
  /* It was not started. */
  modelwire_response_free(answer_of(call));
  modelwire_request_free(request);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

typedef struct {
  const modelwire_queue *queue;
  int ends;
  modelwire_status status;
} waiter;

/* Takes until something else than an event comes. */
static void *wait_to_the_end(void *argument) {
  waiter *own = argument;
  modelwire_event *event = NULL;
  while ((own->status = modelwire_queue_next(own->queue, -1, &event)) == MODELWIRE_OK) {
    CHECK(status_of(event) == MODELWIRE_E_CANCELLED);
    own->ends++;
    modelwire_event_free(event);
  }
  return NULL;
}

/* Calls under way end, their last events come out, and every waiting thread is told. */
void queue_close(void) {
  enum { THREADS = 4, CALLS = 3 };
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue();
  pthread_t threads[THREADS];
  waiter waiters[THREADS];
  int ends = 0;
  for (int i = 0; i < CALLS; i++) {
    submit(client, queue, ECHO_CHAT("m", "x"), i % 2, (uint64_t)i);
  }
  wait_for_cue();
  for (int i = 0; i < THREADS; i++) {
    waiters[i] = (waiter){queue, 0, MODELWIRE_OK};
    CHECK(pthread_create(&threads[i], NULL, wait_to_the_end, &waiters[i]) == 0);
  }
  modelwire_queue_close(queue);
  modelwire_queue_close(queue);
  for (int i = 0; i < THREADS; i++) {
    CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(waiters[i].status == MODELWIRE_CLOSED);
    ends += waiters[i].ends;
  }
  CHECK(ends == CALLS);
  refuse_submit(queue, client, MODELWIRE_OPERATION_CHAT, ECHO_CHAT("m", "x"), 9,
                MODELWIRE_E_CLOSED, "closed");
  expect_none(queue, MODELWIRE_CLOSED);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

/* The calls of a freed queue end: the test waits until the service saw their connections close. */
void queue_freed(void) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue();
  for (int i = 0; i < 3; i++) {
    submit(client, queue, ECHO_CHAT("m", "x"), 1, (uint64_t)i);
    modelwire_event_free(next(queue));
  }
  modelwire_queue_free(queue);
  wait_for_cue();
  modelwire_client_free(client);
}

/* The end of the library: each call has its last event, and the queue still gives it; then it
 * takes calls again. The service never answers. */
void queue_shutdown(void) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue();
  submit(client, queue, ECHO_CHAT("m", "x"), 1, 5);
  wait_for_cue();
  CHECK(modelwire_shutdown(30000) == MODELWIRE_OK);
  expect_end(queue, 5, MODELWIRE_E_SHUTDOWN);
  expect_none(queue, MODELWIRE_TIMEOUT);
  submit(client, queue, ECHO_CHAT("m", "x"), 1, 5);
  CHECK(modelwire_queue_cancel(queue, 5) == MODELWIRE_OK);
  expect_end(queue, 5, MODELWIRE_E_CANCELLED);
  modelwire_queue_close(queue);
  expect_none(queue, MODELWIRE_CLOSED);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

/* How a program sees that a descriptor is readable, within a time. */
typedef int watcher(int fd, int timeout_ms);

static int by_watch(int fd, int timeout_ms) {
  int watch = watch_of(fd, 0);
  int ready = watch_waits(watch, timeout_ms);
  watch_ends(watch);
  return ready;
}

/* Takes everything that is there; how many were last events. */
static int take_all(const modelwire_queue *queue, modelwire_status expected) {
  modelwire_event *event = NULL;
  modelwire_status status;
  int ends = 0;
  while ((status = modelwire_queue_next(queue, 0, &event)) == MODELWIRE_OK) {
    ends += is_last(event);
    modelwire_event_free(event);
  }
  CHECK(status == expected);
  return ends;
}

static modelwire_queue *queue_with(uint32_t flags) {
  modelwire_queue *queue = NULL;
  CHECK(modelwire_queue_new(flags, &queue, NULL) == MODELWIRE_OK);
  return queue;
}

/* Every kind of descriptor; what the wait gives for a wake-up. */
static const struct {
  uint32_t flags;
  modelwire_status woken;
} KINDS[] = {{0, MODELWIRE_TIMEOUT},
             {MODELWIRE_SOCKET, MODELWIRE_TIMEOUT},
             {MODELWIRE_INTERRUPTIBLE, MODELWIRE_INTERRUPTED},
             {MODELWIRE_INTERRUPTIBLE | MODELWIRE_SOCKET, MODELWIRE_INTERRUPTED}};

static void watch_one(watcher *sees, size_t kind) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = queue_with(KINDS[kind].flags);
  int fd = modelwire_queue_fd(queue);
  CHECK(fd >= 0 && modelwire_queue_fd(queue) == fd);
  check_descriptor(fd, (KINDS[kind].flags & MODELWIRE_SOCKET) != 0);
  for (int round = 0; round < 5; round++) {
    CHECK(sees(fd, 0) == 0);
    submit(client, queue, ECHO_CHAT("echo", "one two three"), 1, 1);
    for (int ends = 0; ends == 0;) {
      CHECK(sees(fd, PATIENCE_MS) == 1);
      ends = take_all(queue, MODELWIRE_TIMEOUT);
    }
  }
  /* A wake-up is something to look at. */
  modelwire_queue_wakeup(queue);
  CHECK(sees(fd, PATIENCE_MS) == 1);
  CHECK(take_all(queue, KINDS[kind].woken) == 0);
  CHECK(sees(fd, 0) == 0);
  /* Closed and drained: readable for ever. */
  modelwire_queue_close(queue);
  for (int round = 0; round < 3; round++) {
    CHECK(sees(fd, PATIENCE_MS) == 1);
    CHECK(take_all(queue, MODELWIRE_CLOSED) == 0);
  }
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

static void watch_with(watcher *sees) {
  for (size_t kind = 0; kind < sizeof KINDS / sizeof *KINDS; kind++) watch_one(sees, kind);
}

void queue_fd_poll(void) { watch_with(is_readable); }
void queue_fd_select(void) { watch_with(is_readable_by_select); }
void queue_fd_epoll(void) { watch_with(by_watch); }

/* Edge-triggered: told once for each time that the queue was seen empty. The program may read the
 * descriptor, too. */
static void watch_edges(uint32_t flags) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = queue_with(flags);
  int fd = modelwire_queue_fd(queue), watch = watch_of(fd, 1);
  for (int round = 0; round < 20; round++) {
    submit(client, queue, ECHO_CHAT("echo", "one two three"), 1, 1);
    for (int ends = 0; ends == 0;) {
      CHECK(watch_waits(watch, PATIENCE_MS) == 1);
      if (round % 2 == 1) read_some(fd);
      ends = take_all(queue, MODELWIRE_TIMEOUT);
    }
  }
  modelwire_queue_close(queue);
  CHECK(watch_waits(watch, PATIENCE_MS) == 1);
  CHECK(take_all(queue, MODELWIRE_CLOSED) == 0);
  watch_ends(watch);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

void queue_fd_edges(void) {
  watch_edges(0);
  watch_edges(MODELWIRE_SOCKET);
}

/* A descriptor that is asked for when something waits already is readable at once; and a closed
 * queue's is, too. */
void queue_fd_late(void) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue(), *closed = new_queue();
  submit(client, queue, ECHO_CHAT("echo", "x"), 0, 1);
  EVENTUALLY(usage_of(client, "/calls") > 0);
  CHECK(is_readable(modelwire_queue_fd(queue), PATIENCE_MS) == 1);
  CHECK(take_all(queue, MODELWIRE_TIMEOUT) == 1);
  CHECK(is_readable(modelwire_queue_fd(queue), 0) == 0);
  modelwire_queue_close(closed);
  CHECK(is_readable(modelwire_queue_fd(closed), PATIENCE_MS) == 1);
  CHECK(take_all(closed, MODELWIRE_CLOSED) == 0);
  modelwire_queue_free(closed);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

/* A huge stream that nobody takes: a bounded part of it is here, the service waits. Then all of
 * it comes, in order. */
static void hold_back(const char *options, int events) {
  modelwire_client *client = client_with("%s", options);
  modelwire_queue *queue = new_queue();
  /* Warm, so that only the stream's own memory is counted. */
  submit(client, queue, ECHO_CHAT("m", "x"), 1, 1);
  expect_end(queue, 1, MODELWIRE_OK);
  long before_kib = memory_kib();
  submit(client, queue, ECHO_CHAT("m", "x"), 1, 2);
  sleep_ms(500); /* clock: too much would be here by then; what a slow machine misses, the end sees */
  CHECK(memory_kib() - before_kib < MORE_KIB_MAX);
  modelwire_event *some[64];
  int chunks = 0, is_over = 0;
  while (!is_over) {
    size_t count = 0;
    CHECK(modelwire_queue_take(queue, PATIENCE_MS, some, 64, &count) == MODELWIRE_OK);
    for (size_t i = 0; i < count; i++) {
      CHECK(!is_over && modelwire_event_tag(some[i]) == 2);
      is_over = is_last(some[i]);
      if (is_over) CHECK(status_of(some[i]) == MODELWIRE_OK);
      chunks += !is_over;
      modelwire_event_free(some[i]);
    }
  }
  /* And the one that finishes. */
  CHECK(chunks == events + 1);
  CHECK(memory_kib() - before_kib < MORE_KIB_MAX);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

void queue_backpressure(void) { hold_back("{}", 40000); }
void queue_backpressure_two_events(void) { hold_back("{\"queue_events_max\":2}", 40000); }

/* A small call beside a huge one has its turn. */
void queue_is_fair(void) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue();
  submit(client, queue, ECHO_CHAT("m", "x"), 1, 1);
  modelwire_event_free(next(queue));
  submit(client, queue, ECHO_CHAT("m", "x"), 1, 2);
  int huge_chunks = 0;
  for (int is_small_done = 0; !is_small_done;) {
    modelwire_event *event = next(queue);
    int is_over = is_last(event);
    if (modelwire_event_tag(event) == 1) {
      CHECK(!is_over);
      huge_chunks++;
    } else {
      is_small_done = is_over;
    }
    modelwire_event_free(event);
  }
  CHECK(modelwire_queue_cancel(queue, 1) == MODELWIRE_OK);
  expect_end(queue, 1, MODELWIRE_E_CANCELLED);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

/* What a child inherits of a queue: nothing that it can use, everything that it can free; its own
 * queue works. */
static int child(modelwire_client *client, modelwire_queue *inherited) {
  modelwire_event *event = NULL;
  size_t count = 0;
  CHECK(modelwire_queue_next(inherited, -1, &event) == MODELWIRE_E_FORKED);
  CHECK(modelwire_queue_take(inherited, -1, &event, 1, &count) == MODELWIRE_E_FORKED);
  CHECK(modelwire_queue_fd(inherited) == -1);
  refuse_submit(inherited, client, MODELWIRE_OPERATION_CHAT, ECHO_CHAT("echo", "x"), 7,
                MODELWIRE_E_FORKED, "parent process");
  /* None of this reaches the parent. */
  modelwire_queue_wakeup(inherited);
  (void)modelwire_queue_pause(inherited, 1);
  (void)modelwire_queue_cancel(inherited, 1);
  modelwire_queue_close(inherited);
  modelwire_queue_free(inherited);
  modelwire_queue *queue = new_queue();
  submit(client, queue, ECHO_CHAT("echo", "x"), 1, 3);
  CHECK(is_readable(modelwire_queue_fd(queue), PATIENCE_MS) == 1);
  expect_end(queue, 3, MODELWIRE_OK);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
  return 0;
}

void queue_forked(void) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue();
  int fd = modelwire_queue_fd(queue);
  submit(client, queue, ECHO_CHAT("slow", "one two three"), 1, 1);
  modelwire_event_free(next(queue));
  CHECK(fd >= 0);
  long pid = fork_here();
  if (pid == 0) leave_child(child(client, queue));
  CHECK(child_succeeded(pid));
  expect_end(queue, 1, MODELWIRE_OK);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}
