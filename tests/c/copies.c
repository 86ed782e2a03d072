/*
 * Two copies of the library in one process, as a plugin of Python and its host may have them: what the
 * one does to signals, the log, threads, forks and the end of the process is nothing to the other. Its
 * arguments are their files. It is not linked with the library.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define MODELWIRE_DLOPEN
#include <modelwire.h>

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "own_threads.h"

#define FUNCTIONS(DO)                                                                          \
  DO(status_name) DO(shutdown) DO(queue_log) DO(client_new) DO(client_free) DO(queue_new)      \
  DO(queue_free) DO(queue_next) DO(queue_submit) DO(queue_cancel) DO(queue_wakeup)             \
  DO(event_kind) DO(event_tag) DO(event_text) DO(event_free)

/* One copy: its functions, and what of it is in use. */
typedef struct {
#define MEMBER(name) __typeof__(&modelwire_##name) name;
  FUNCTIONS(MEMBER)
  modelwire_client *client;
  modelwire_queue *queue;
  int records; /* of the log, taken since the last look */
} copy;

static copy copies[2];

/* POSIX lets dlsym's pointer be a function. */
static void load(copy *own, const char *path, int scope) {
  void *library = dlopen(path, RTLD_NOW | scope);
  if (library == NULL) fprintf(stderr, "%s\n", dlerror());
  CHECK(library != NULL);
#define FIND(name) CHECK((*(void **)&own->name = dlsym(library, "modelwire_" #name)) != NULL);
  FUNCTIONS(FIND)
}

static void open_client(copy *own) {
  CHECK(own->client_new(NULL, 0, &own->client, NULL) == MODELWIRE_OK);
  CHECK(own->queue_new(0, &own->queue, NULL) == MODELWIRE_OK);
}

static void close_client(copy *own) {
  own->queue_free(own->queue);
  own->client_free(own->client);
}

static void submit(copy *own, const modelwire_client *client, int32_t stream, uint64_t tag) {
  char json[200];
  snprintf(json, sizeof json, "{\"model\":\"echo\",\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}",
           own == copies ? "one one one" : "two two two");
  CHECK(own->queue_submit(own->queue, client, MODELWIRE_OPERATION_CHAT, json, MODELWIRE_NUL, stream, tag,
                          NULL) == MODELWIRE_OK);
}

/* Counts an event that is a record of the log; its kind. */
static int32_t count(copy *own, const modelwire_event *event) {
  int32_t kind = own->event_kind(event);
  own->records += kind == MODELWIRE_EVENT_LOG;
  return kind;
}

/* The kind of the last event of a call; the events of others are skipped. */
static int32_t last_of(copy *own, uint64_t tag) {
  for (;;) {
    modelwire_event *event = NULL;
    CHECK(own->queue_next(own->queue, 60000, &event) == MODELWIRE_OK);
    int32_t kind = count(own, event);
    int is_it = own->event_tag(event) == tag;
    if (is_it && kind == MODELWIRE_EVENT_RESPONSE)
      CHECK(strcmp(own->event_text(event, NULL), own == copies ? "one one one" : "two two two") == 0);
    own->event_free(event);
    if (is_it && kind != MODELWIRE_EVENT_CHUNK) return kind;
  }
}

static void call(copy *own) {
  submit(own, own->client, 0, 1);
  CHECK(last_of(own, 1) == MODELWIRE_EVENT_RESPONSE);
}

/* A call under way, of which something came, and that ends by a cancel only. */
static void begin(copy *own) {
  char options[512];
  modelwire_client *client = NULL;
  modelwire_event *event = NULL;
  const char *url = getenv("STALLING_URL");
  CHECK(url != NULL && strlen(url) < 400);
  snprintf(options, sizeof options, "{\"base_url\":\"%s\"}", url);
  CHECK(own->client_new(options, MODELWIRE_NUL, &client, NULL) == MODELWIRE_OK);
  submit(own, client, 1, 2);
  own->client_free(client);
  CHECK(own->queue_next(own->queue, 60000, &event) == MODELWIRE_OK);
  CHECK(own->event_kind(event) == MODELWIRE_EVENT_CHUNK);
  own->event_free(event);
}

static void cancel(copy *own) {
  CHECK(own->queue_cancel(own->queue, 2) == MODELWIRE_OK);
  CHECK(last_of(own, 2) == MODELWIRE_EVENT_ERROR);
}

/* The number of log records taken from its queue since the last look, with those that are there. */
static int records_of(copy *own) {
  modelwire_event *event = NULL;
  while (own->queue_next(own->queue, 0, &event) == MODELWIRE_OK) {
    (void)count(own, event);
    own->event_free(event);
  }
  int records = own->records;
  own->records = 0;
  return records;
}

/* Each logs its own calls, and none of the other's. */
static void logs(copy *one, copy *two) {
  CHECK(one->queue_log(one->queue, MODELWIRE_LOG_TRACE, 9, NULL) == MODELWIRE_OK);
  call(two);
  CHECK(records_of(one) == 0);
  CHECK(two->queue_log(two->queue, MODELWIRE_LOG_TRACE, 9, NULL) == MODELWIRE_OK);
  CHECK(one->queue_log(one->queue, MODELWIRE_LOG_OFF, 9, NULL) == MODELWIRE_OK);
  call(one);
  CHECK(records_of(one) == 0 && records_of(two) == 0);
  call(two);
  CHECK(records_of(two) > 0 && records_of(one) == 0);
  CHECK(two->queue_log(two->queue, MODELWIRE_LOG_OFF, 9, NULL) == MODELWIRE_OK);
  call(two);
  CHECK(records_of(two) == 0);
}

/* What the process does with signals, and this thread. */
static void look(struct sigaction *actions, sigset_t *mask) {
  for (int number = 1; number < NSIG; number++)
    if (sigaction(number, NULL, &actions[number]) != 0) memset(&actions[number], 0, sizeof *actions);
  CHECK(pthread_sigmask(SIG_SETMASK, NULL, mask) == 0);
}

static void check_signals_left_alone(const struct sigaction *before, const sigset_t *mask) {
  static struct sigaction now[NSIG];
  sigset_t mask_now;
  look(now, &mask_now);
  for (int number = 1; number < NSIG; number++) {
    CHECK(now[number].sa_handler == before[number].sa_handler);
    CHECK(now[number].sa_flags == before[number].sa_flags);
    CHECK(sigismember(&mask_now, number) == sigismember(mask, number));
  }
}

/* A thread that waits in its copy until a handler lets it. */
typedef struct {
  copy *own;
  pthread_t thread;
  int is_waiting, is_over;
} waiter;

static copy *woken;
static void wake(int number) {
  copy *own = __atomic_load_n(&woken, __ATOMIC_SEQ_CST);
  if (number == SIGUSR1) own->queue_wakeup(own->queue);
}

static void *wait_for_wakeup(void *argument) {
  waiter *self = argument;
  modelwire_event *event = NULL;
  __atomic_store_n(&self->is_waiting, 1, __ATOMIC_SEQ_CST);
  CHECK(self->own->queue_next(self->own->queue, 60000, &event) == MODELWIRE_TIMEOUT);
  __atomic_store_n(&self->is_over, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

/* Both wait; what a handler tells the one is not heard by the other. */
static void signals(void) {
  struct sigaction action;
  struct timespec moment = {0, 50000000};
  waiter waiters[2];
  memset(&action, 0, sizeof action);
  action.sa_handler = wake;
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  for (int i = 0; i < 2; i++) {
    memset(&waiters[i], 0, sizeof waiters[i]);
    waiters[i].own = &copies[i];
    CHECK(pthread_create(&waiters[i].thread, NULL, wait_for_wakeup, &waiters[i]) == 0);
  }
  for (int i = 0; i < 2; i++) {
    while (!__atomic_load_n(&waiters[i].is_waiting, __ATOMIC_SEQ_CST)) {
      nanosleep(&moment, NULL); /* clock: between two looks */
    }
  }
  for (int i = 0; i < 2; i++) {
    __atomic_store_n(&woken, &copies[i], __ATOMIC_SEQ_CST);
    CHECK(pthread_kill(waiters[i].thread, SIGUSR1) == 0);
    CHECK(pthread_join(waiters[i].thread, NULL) == 0);
    if (i == 0) nanosleep(&moment, NULL); /* clock: the other hears nothing, however long */
    CHECK(__atomic_load_n(&waiters[1].is_over, __ATOMIC_SEQ_CST) == i);
  }
}

/* A child begins anew with both; the calls of the parent go on. */
static void forks(void) {
  int status = 0;
  begin(&copies[0]);
  begin(&copies[1]);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    for (int i = 0; i < 2; i++) {
      open_client(&copies[i]);
      call(&copies[i]);
    }
    exit(9);
  }
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 9);
  cancel(&copies[0]);
  cancel(&copies[1]);
}

int main(int argc, char **argv) {
  static struct sigaction actions[NSIG];
  sigset_t mask;
  CHECK(argc == 3);
  look(actions, &mask);
  load(&copies[0], argv[1], RTLD_GLOBAL);
  load(&copies[1], argv[2], RTLD_GLOBAL);
  copy *one = &copies[0], *two = &copies[1];
  CHECK(one->client_new != two->client_new && one->status_name(0) != two->status_name(0));

  /* Threads, and that each is left alone by the end of the other. */
  int none = threads();
  open_client(one);
  call(one);
  int with_one = threads();
  CHECK(with_one > none);
  open_client(two);
  begin(two);
  CHECK(threads() > with_one);
  close_client(one);
  CHECK(one->shutdown(30000) == MODELWIRE_OK);
  CHECK(threads() < with_one + with_one - none);
  submit(two, two->client, 0, 1);
  CHECK(last_of(two, 1) == MODELWIRE_EVENT_RESPONSE);
  cancel(two);
  close_client(two);
  CHECK(two->shutdown(30000) == MODELWIRE_OK);
  CHECK(threads_are(none));

  open_client(one);
  open_client(two);
  logs(one, two);
  logs(two, one);
  check_signals_left_alone(actions, &mask);
  signals();
  forks();

  /* The end of the process, with calls of both under way. */
  begin(one);
  begin(two);
  exit(5);
}
