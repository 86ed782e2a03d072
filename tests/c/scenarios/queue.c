/*
 * The completion queue on one thread or two: tags, limits, waiting, waking, closing, its
 * descriptor. Many threads are in crowd.c.
 */
#include "check.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 60000

static modelwire_queue *new_queue(int32_t call_events_max) {
  modelwire_queue *queue = NULL;
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_queue_new(call_events_max, &queue, &error), MODELWIRE_OK, error);
  return queue;
}

static modelwire_call *submit(const modelwire_client *client, const modelwire_queue *queue,
                              const char *json, int32_t stream, uint64_t tag) {
  modelwire_call *call = chat_call(client, json);
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_call_submit(call, stream, queue, tag, &error), MODELWIRE_OK, error);
  return call;
}

static modelwire_event *next(const modelwire_queue *queue) {
  modelwire_event *event = NULL;
  CHECK(modelwire_queue_next(queue, PATIENCE_MS, &event) == MODELWIRE_OK);
  CHECK(event != NULL);
  return event;
}

/* The last event of a call, whose chunks are thrown away; it is the next of the queue that is
 * one. */
static void expect_done(const modelwire_queue *queue, uint64_t tag, modelwire_status expected) {
  for (;;) {
    modelwire_event *event = next(queue);
    CHECK(modelwire_event_tag(event) == tag);
    int is_done = is_last(event);
    const modelwire_error *error = modelwire_event_error(event);
    if (is_done) CHECK_STATUS(modelwire_error_status(error), expected, error);
    modelwire_event_free(event);
    if (is_done) return;
  }
}

static void expect(const modelwire_queue *queue, modelwire_status expected) {
  modelwire_event *none = NULL, *several[2] = {NULL, NULL};
  size_t count = 7;
  CHECK(modelwire_queue_next(queue, 0, &none) == expected);
  CHECK(modelwire_queue_take(queue, 0, several, 2, &count) == expected);
  CHECK(none == NULL && several[0] == NULL && several[1] == NULL && count == 7);
}

/* Streams and whole calls on one queue; the tags tell them apart. */
void queue(void) {
  enum { CALLS = 6 };
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue(0);
  modelwire_call *calls[CALLS];
  gathered texts[CALLS] = {{0}};
  const uint64_t first_tag = UINT64_MAX - CALLS + 1;
  expect(queue, MODELWIRE_TIMEOUT);
  for (int i = 0; i < CALLS; i++) {
    char json[200];
    snprintf(json, sizeof json, USAGE_CHAT("echo", "call %d"), i);
    calls[i] = submit(client, queue, json, i % 2, first_tag + (uint64_t)i);
  }
  for (int done = 0; done < CALLS;) {
    modelwire_event *event = next(queue);
    size_t at = (size_t)(modelwire_event_tag(event) - first_tag);
    char expected[32];
    CHECK(at < CALLS);
    snprintf(expected, sizeof expected, "call %d", (int)at);
    if (modelwire_event_kind(event) == MODELWIRE_EVENT_CHUNK) {
      CHECK(at % 2 == 1);
      gather(&texts[at], event);
    } else {
      const modelwire_response *answer = modelwire_event_response(event);
      CHECK_TEXT(modelwire_response_text(answer, NULL), at % 2 == 0 ? expected : "");
      if (at % 2 == 1) CHECK_TEXT(texts[at].text, expected);
      CHECK(modelwire_event_usage(event, NULL, NULL, NULL) == MODELWIRE_OK);
      done++;
    }
    modelwire_event_free(event);
  }
  expect(queue, MODELWIRE_TIMEOUT);
  modelwire_queue_close(queue);
  expect(queue, MODELWIRE_CLOSED);
  expect(queue, MODELWIRE_CLOSED);
  modelwire_queue_free(queue);
  for (int i = 0; i < CALLS; i++) modelwire_call_free(calls[i]);
  modelwire_client_free(client);
}

/* Errors come as last events; a submission that fails gives none. */
void queue_failures(void) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue(0);
  modelwire_call_free(submit(client, queue, ECHO_CHAT("echo", "x"), 1, 1));
  /* Freed when it may be done already. */
  modelwire_event *event = next(queue);
  while (!is_last(event)) {
    modelwire_event_free(event);
    event = next(queue);
  }
  CHECK(modelwire_event_tag(event) == 1);
  modelwire_event_free(event);
  modelwire_call *call = submit(client, queue, ECHO_CHAT("broken", "x"), 1, 2);
  expect_done(queue, 2, MODELWIRE_E_SERVER);
  CHECK(modelwire_call_submit(call, 1, queue, 3, NULL) == MODELWIRE_E_ARGUMENT);
  modelwire_call_free(call);
  call = submit(client, queue, ECHO_CHAT("cut", "1 2 3 4 5"), 1, 4);
  expect_done(queue, 4, MODELWIRE_E_DISCONNECTED);
  modelwire_call_free(call);
  call = chat_call(client, ECHO_CHAT("echo", "x"));
  modelwire_call_cancel(call);
  CHECK(modelwire_call_submit(call, 1, queue, 5, NULL) == MODELWIRE_E_CANCELLED);
  modelwire_call_free(call);
  call = models_call(client);
  CHECK(modelwire_call_submit(call, 1, queue, 6, NULL) == MODELWIRE_E_ARGUMENT);
  modelwire_call_free(call);
  expect(queue, MODELWIRE_TIMEOUT);
  /* Nothing is left that the close would wait for. */
  modelwire_queue_close(queue);
  expect(queue, MODELWIRE_CLOSED);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

/* An event is its own: it outlives queue, call, client and library. */
void queue_events_stay(void) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue(0);
  modelwire_call *call = submit(client, queue, ECHO_CHAT("echo", "one"), 1, 7);
  modelwire_event *opening = next(queue), *one = next(queue), *finish = next(queue);
  modelwire_event *done = next(queue);
  modelwire_queue_free(queue);
  modelwire_call_free(call);
  modelwire_client_free(client);
  CHECK(modelwire_shutdown(30000) == MODELWIRE_OK);
  CHECK_TEXT(modelwire_event_text(opening, NULL), "");
  CHECK_TEXT(modelwire_event_text(one, NULL), "one");
  CHECK_TEXT(event_text(finish, "/finish_reason"), "stop");
  CHECK(modelwire_response_http_status(modelwire_event_response(done)) == 200);
  modelwire_event_free(done);
  modelwire_event_free(finish);
  modelwire_event_free(one);
  modelwire_event_free(opening);
}

/* Many at once, never more than there is room for; the first one only is waited for. */
void queue_take(void) {
  enum { ROOM = 4 };
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue(0);
  modelwire_event *events[ROOM + 1] = {NULL};
  int chunks = 0, takes = 0, is_done = 0;
  modelwire_call *call = submit(client, queue, ECHO_CHAT("echo", "a b c d e f g h i j k"), 1, 9);
  while (!is_done) {
    size_t count = 0;
    CHECK(modelwire_queue_take(queue, PATIENCE_MS, events, ROOM, &count) == MODELWIRE_OK);
    CHECK(count >= 1 && count <= ROOM && events[ROOM] == NULL);
    takes++;
    for (size_t i = 0; i < count; i++) {
      CHECK(!is_done && modelwire_event_tag(events[i]) == 9);
      is_done = modelwire_event_kind(events[i]) == MODELWIRE_EVENT_DONE;
      chunks += !is_done;
      modelwire_event_free(events[i]);
    }
  }
  CHECK(chunks == 13 && takes >= 4);
  expect(queue, MODELWIRE_TIMEOUT);
  modelwire_call_free(call);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

void queue_timeout(void) {
  modelwire_queue *queue = new_queue(0);
  modelwire_event *event = NULL, *events[1];
  size_t count = 0;
  int64_t from_ms = now_ms();
  CHECK(modelwire_queue_next(queue, 100, &event) == MODELWIRE_TIMEOUT);
  CHECK(now_ms() - from_ms >= 99);
  CHECK(modelwire_queue_take(queue, 100, events, 1, &count) == MODELWIRE_TIMEOUT);
  CHECK(now_ms() - from_ms >= 198 && event == NULL && count == 0);
  modelwire_queue_free(queue);
}

static void *wake_up(void *argument) {
  struct timespec moment = {0, 50000000};
  nanosleep(&moment, NULL);
  modelwire_queue_wakeup(argument);
  return NULL;
}

void queue_wakeup(void) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue(0);
  modelwire_event *event = NULL;
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, wake_up, queue) == 0);
  CHECK(modelwire_queue_next(queue, -1, &event) == MODELWIRE_TIMEOUT);
  CHECK(pthread_join(thread, NULL) == 0);
  /* One that came before the wait is kept for it, and used up by it. */
  modelwire_queue_wakeup(queue);
  CHECK(modelwire_queue_next(queue, -1, &event) == MODELWIRE_TIMEOUT);
  int64_t from_ms = now_ms();
  CHECK(modelwire_queue_next(queue, 100, &event) == MODELWIRE_TIMEOUT);
  CHECK(now_ms() - from_ms >= 99);
  /* It costs no event. */
  modelwire_call *call = submit(client, queue, ECHO_CHAT("echo", "x"), 0, 1);
  modelwire_queue_wakeup(queue);
  int timeouts = 0;
  modelwire_status status;
  while ((status = modelwire_queue_next(queue, PATIENCE_MS, &event)) == MODELWIRE_TIMEOUT) {
    CHECK(++timeouts == 1);
  }
  CHECK(status == MODELWIRE_OK && is_last(event));
  modelwire_event_free(event);
  modelwire_call_free(call);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

typedef struct {
  const modelwire_queue *queue;
  int dones;
  modelwire_status status;
} waiter;

/* Takes until something else than an event comes. */
static void *wait_to_the_end(void *argument) {
  waiter *own = argument;
  modelwire_event *event = NULL;
  while ((own->status = modelwire_queue_next(own->queue, -1, &event)) == MODELWIRE_OK) {
    CHECK(is_last(event));
    CHECK(modelwire_error_status(modelwire_event_error(event)) == MODELWIRE_E_CANCELLED);
    own->dones++;
    modelwire_event_free(event);
  }
  return NULL;
}

/* Calls under way end, their last events come out, and every waiting thread is told. */
void queue_close(void) {
  enum { THREADS = 4, CALLS = 3 };
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue(0);
  modelwire_call *calls[CALLS], *late = chat_call(client, ECHO_CHAT("m", "x"));
  pthread_t threads[THREADS];
  waiter waiters[THREADS];
  modelwire_error *error = NULL;
  int dones = 0;
  for (int i = 0; i < CALLS; i++) {
    calls[i] = submit(client, queue, ECHO_CHAT("m", "x"), i % 2, (uint64_t)i);
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
    dones += waiters[i].dones;
  }
  CHECK(dones == CALLS);
  CHECK_STATUS(modelwire_call_submit(late, 0, queue, 9, &error), MODELWIRE_E_CLOSED, error);
  CHECK_TEXT(error_text(error, "/metered"), "not_sent");
  modelwire_error_free(error);
  expect(queue, MODELWIRE_CLOSED);
  modelwire_queue_free(queue);
  for (int i = 0; i < CALLS; i++) modelwire_call_free(calls[i]);
  modelwire_call_free(late);
  modelwire_client_free(client);
}

/* The calls of a freed queue end: the test waits until the service saw their connections close. */
void queue_freed(void) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue(0);
  modelwire_call *calls[3];
  for (int i = 0; i < 3; i++) {
    calls[i] = submit(client, queue, ECHO_CHAT("m", "x"), 1, (uint64_t)i);
    modelwire_event_free(next(queue));
  }
  modelwire_queue_free(queue);
  wait_for_cue();
  for (int i = 0; i < 3; i++) modelwire_call_free(calls[i]);
  modelwire_client_free(client);
}

/* The end of the library: each call has its last event, and the queue still gives it. */
void queue_shutdown(void) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue(0);
  modelwire_call *call = submit(client, queue, ECHO_CHAT("m", "x"), 1, 5);
  modelwire_call *late = chat_call(client, ECHO_CHAT("m", "x"));
  wait_for_cue();
  CHECK(modelwire_shutdown(30000) == MODELWIRE_OK);
  CHECK(modelwire_call_submit(late, 1, queue, 6, NULL) == MODELWIRE_E_SHUTDOWN);
  expect_done(queue, 5, MODELWIRE_E_SHUTDOWN);
  expect(queue, MODELWIRE_TIMEOUT);
  modelwire_queue_close(queue);
  expect(queue, MODELWIRE_CLOSED);
  modelwire_queue_free(queue);
  modelwire_call_free(late);
  modelwire_call_free(call);
  modelwire_client_free(client);
}

/* How a program sees that a descriptor is readable, within a time. */
typedef int watcher(int fd, int timeout_ms);

static int by_poll(int fd, int timeout_ms) {
  struct pollfd watched = {fd, POLLIN, 0};
  int ready = poll(&watched, 1, timeout_ms);
  CHECK(ready >= 0 && (watched.revents & (POLLERR | POLLHUP | POLLNVAL)) == 0);
  return ready;
}

static int by_select(int fd, int timeout_ms) {
  fd_set watched;
  struct timeval timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000};
  FD_ZERO(&watched);
  FD_SET(fd, &watched);
  return select(fd + 1, &watched, NULL, NULL, &timeout);
}

static int epoll_of(int fd, uint32_t events) {
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {events, {0}};
  CHECK(epoll >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0);
  return epoll;
}

static int epoll_waits(int epoll, int timeout_ms) {
  struct epoll_event event;
  return epoll_wait(epoll, &event, 1, timeout_ms);
}

static int by_epoll(int fd, int timeout_ms) {
  int epoll = epoll_of(fd, EPOLLIN);
  int ready = epoll_waits(epoll, timeout_ms);
  CHECK(close(epoll) == 0);
  return ready;
}

/* Takes everything that is there; how many were last events. */
static int take_all(const modelwire_queue *queue, modelwire_status expected) {
  modelwire_event *event = NULL;
  modelwire_status status;
  int dones = 0;
  while ((status = modelwire_queue_next(queue, 0, &event)) == MODELWIRE_OK) {
    dones += is_last(event);
    modelwire_event_free(event);
  }
  CHECK(status == expected);
  return dones;
}

static void watch_with(watcher *is_readable) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue(0);
  int fd = modelwire_queue_fd(queue);
  CHECK(fd >= 0 && modelwire_queue_fd(queue) == fd);
  CHECK((fcntl(fd, F_GETFL) & O_NONBLOCK) != 0 && (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
  for (int round = 0; round < 5; round++) {
    CHECK(is_readable(fd, 0) == 0);
    modelwire_call *call = submit(client, queue, ECHO_CHAT("echo", "one two three"), 1, 1);
    for (int dones = 0; dones == 0;) {
      CHECK(is_readable(fd, PATIENCE_MS) == 1);
      dones = take_all(queue, MODELWIRE_TIMEOUT);
    }
    modelwire_call_free(call);
  }
  /* A wake-up is something to look at. */
  modelwire_queue_wakeup(queue);
  CHECK(is_readable(fd, PATIENCE_MS) == 1);
  CHECK(take_all(queue, MODELWIRE_TIMEOUT) == 0);
  CHECK(is_readable(fd, 0) == 0);
  /* Closed and drained: readable for ever. */
  modelwire_queue_close(queue);
  for (int round = 0; round < 3; round++) {
    CHECK(is_readable(fd, PATIENCE_MS) == 1);
    CHECK(take_all(queue, MODELWIRE_CLOSED) == 0);
  }
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

void queue_fd_poll(void) { watch_with(by_poll); }
void queue_fd_select(void) { watch_with(by_select); }
void queue_fd_epoll(void) { watch_with(by_epoll); }

/* Edge-triggered: told once for each time that the queue was seen empty. The program may read the
 * descriptor, too. */
void queue_fd_edges(void) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue(0);
  int fd = modelwire_queue_fd(queue), epoll = epoll_of(fd, EPOLLIN | EPOLLET);
  for (int round = 0; round < 20; round++) {
    modelwire_call *call = submit(client, queue, ECHO_CHAT("echo", "one two three"), 1, 1);
    for (int dones = 0; dones == 0;) {
      char byte;
      CHECK(epoll_waits(epoll, PATIENCE_MS) == 1);
      if (round % 2 == 1) CHECK(recv(fd, &byte, 1, 0) <= 1);
      dones = take_all(queue, MODELWIRE_TIMEOUT);
    }
    modelwire_call_free(call);
  }
  modelwire_queue_close(queue);
  CHECK(epoll_waits(epoll, PATIENCE_MS) == 1);
  CHECK(take_all(queue, MODELWIRE_CLOSED) == 0);
  CHECK(close(epoll) == 0);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

/* A descriptor that is asked for when something waits already is readable at once; and a closed
 * queue's is, too. */
void queue_fd_late(void) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue(0), *closed = new_queue(0);
  struct timespec moment = {0, 10000000};
  uint64_t calls = 0;
  modelwire_call *call = submit(client, queue, ECHO_CHAT("echo", "x"), 0, 1);
  while (calls == 0) {
    CHECK(modelwire_client_usage(client, &calls, NULL, NULL, NULL, NULL) == MODELWIRE_OK);
    nanosleep(&moment, NULL);
  }
  CHECK(by_poll(modelwire_queue_fd(queue), PATIENCE_MS) == 1);
  CHECK(take_all(queue, MODELWIRE_TIMEOUT) == 1);
  CHECK(by_poll(modelwire_queue_fd(queue), 0) == 0);
  modelwire_queue_close(closed);
  CHECK(by_poll(modelwire_queue_fd(closed), PATIENCE_MS) == 1);
  CHECK(take_all(closed, MODELWIRE_CLOSED) == 0);
  modelwire_call_free(call);
  modelwire_queue_free(closed);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

/* A loop that closes what it watches has a duplicate; nobody is left to tell then, and no signal
 * is raised. */
void queue_fd_closed(void) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue(0);
  int copy = dup(modelwire_queue_fd(queue));
  CHECK(copy >= 0 && signal(SIGPIPE, SIG_DFL) != SIG_ERR);
  /* The last copy of the program's end of the pair, as a careless loop would. */
  CHECK(shutdown(copy, SHUT_RDWR) == 0 && close(copy) == 0);
  for (int round = 0; round < 3; round++) {
    modelwire_call *call = submit(client, queue, ECHO_CHAT("echo", "one two"), 1, 1);
    expect_done(queue, 1, MODELWIRE_OK);
    expect(queue, MODELWIRE_TIMEOUT);
    modelwire_call_free(call);
  }
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

/* The descriptor itself is closed, which the header forbids: no signal, no crash, no lost event. */
void queue_fd_stolen(void) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue(0);
  CHECK(signal(SIGPIPE, SIG_DFL) != SIG_ERR);
  CHECK(close(modelwire_queue_fd(queue)) == 0);
  for (int round = 0; round < 3; round++) {
    modelwire_call *call = submit(client, queue, ECHO_CHAT("echo", "one two"), 1, 1);
    expect_done(queue, 1, MODELWIRE_OK);
    expect(queue, MODELWIRE_TIMEOUT);
    modelwire_call_free(call);
  }
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

/* The memory that this process has, in KiB. */
static long memory_kib(void) {
  char line[128];
  long kib = -1;
  FILE *status = fopen("/proc/self/status", "r");
  CHECK(status != NULL);
  while (fgets(line, sizeof line, status) != NULL) {
    if (strncmp(line, "VmRSS:", 6) == 0) kib = strtol(line + 6, NULL, 10);
  }
  CHECK(fclose(status) == 0 && kib > 0);
  return kib;
}

/* What a bounded part may need. A sanitizer keeps what was freed. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { MORE_KIB_MAX = 1 << 20 };
#else
enum { MORE_KIB_MAX = 8 << 10 };
#endif

/* A huge stream that nobody takes: a bounded part of it is here, the service waits. Then all of
 * it comes, in order. */
static void hold_back(int32_t call_events_max, int events) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue(call_events_max);
  /* Warm, so that only the stream's own memory is counted. */
  modelwire_call *small = submit(client, queue, ECHO_CHAT("m", "x"), 1, 1);
  expect_done(queue, 1, MODELWIRE_OK);
  long before_kib = memory_kib();
  modelwire_call *huge = submit(client, queue, ECHO_CHAT("m", "x"), 1, 2);
  struct timespec half_a_second = {0, 500000000};
  nanosleep(&half_a_second, NULL);
  CHECK(memory_kib() - before_kib < MORE_KIB_MAX);
  modelwire_event *some[64];
  int chunks = 0, is_done = 0;
  while (!is_done) {
    size_t count = 0;
    CHECK(modelwire_queue_take(queue, PATIENCE_MS, some, 64, &count) == MODELWIRE_OK);
    for (size_t i = 0; i < count; i++) {
      CHECK(!is_done && modelwire_event_tag(some[i]) == 2);
      is_done = modelwire_event_kind(some[i]) == MODELWIRE_EVENT_DONE;
      if (is_done) CHECK(modelwire_event_response(some[i]) != NULL);
      chunks += !is_done;
      modelwire_event_free(some[i]);
    }
  }
  /* And the one that finishes. */
  CHECK(chunks == events + 1);
  CHECK(memory_kib() - before_kib < MORE_KIB_MAX);
  modelwire_call_free(huge);
  modelwire_call_free(small);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

void queue_holds_back(void) { hold_back(0, 40000); }
void queue_holds_back_few(void) { hold_back(2, 40000); }

/* A small call beside a huge one has its turn. */
void queue_is_fair(void) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue(0);
  modelwire_call *huge = submit(client, queue, ECHO_CHAT("m", "x"), 1, 1);
  modelwire_event_free(next(queue));
  modelwire_call *small = submit(client, queue, ECHO_CHAT("m", "x"), 1, 2);
  int huge_chunks = 0;
  for (int is_small_done = 0; !is_small_done;) {
    modelwire_event *event = next(queue);
    int is_done = is_last(event);
    if (modelwire_event_tag(event) == 1) {
      CHECK(!is_done);
      huge_chunks++;
    } else {
      is_small_done = is_done;
    }
    modelwire_event_free(event);
  }
  modelwire_call_cancel(huge);
  expect_done(queue, 1, MODELWIRE_E_CANCELLED);
  modelwire_call_free(small);
  modelwire_call_free(huge);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

/* What a child inherits of a queue: nothing that it can use, everything that it can free; its own
 * queue works. */
static int child(modelwire_client *client, modelwire_queue *inherited, modelwire_call *running) {
  modelwire_event *event = NULL;
  size_t count = 0;
  modelwire_call *own = chat_call(client, ECHO_CHAT("echo", "x"));
  CHECK(modelwire_queue_next(inherited, -1, &event) == MODELWIRE_E_FORKED);
  CHECK(modelwire_queue_take(inherited, -1, &event, 1, &count) == MODELWIRE_E_FORKED);
  CHECK(modelwire_queue_fd(inherited) == -1);
  CHECK(modelwire_call_submit(own, 1, inherited, 1, NULL) == MODELWIRE_E_FORKED);
  modelwire_queue_wakeup(inherited);
  modelwire_queue_close(inherited);
  modelwire_call_cancel(running);
  modelwire_call_free(running);
  modelwire_queue_free(inherited);
  modelwire_queue *queue = new_queue(0);
  CHECK(modelwire_call_submit(own, 1, queue, 3, NULL) == MODELWIRE_OK);
  CHECK(by_poll(modelwire_queue_fd(queue), PATIENCE_MS) == 1);
  expect_done(queue, 3, MODELWIRE_OK);
  modelwire_call_free(own);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
  return 0;
}

void queue_forked(void) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue(0);
  int fd = modelwire_queue_fd(queue), status = -1;
  modelwire_call *call = submit(client, queue, ECHO_CHAT("slow", "one two three"), 1, 1);
  modelwire_event_free(next(queue));
  CHECK(fd >= 0);
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) _exit(child(client, queue, call));
  CHECK(waitpid(pid, &status, 0) == pid);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  expect_done(queue, 1, MODELWIRE_OK);
  modelwire_call_free(call);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}
