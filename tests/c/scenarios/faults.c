/*
 * What a process may do to a library: allow it no thread, send signals. On Linux only.
 */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int32_t go_on(void *user_data, const modelwire_event *event) {
  (void)user_data;
  return event == NULL;
}

/* Looks at the blocked signals of each thread of this process, whose first thread is the program's
 * only one; how many are the library's. */
static int check_masks(const char *of_program) {
  int own = 0;
  DIR *tasks = opendir("/proc/self/task");
  CHECK(tasks != NULL);
  for (struct dirent *task; (task = readdir(tasks)) != NULL;) {
    char path[320], line[256], blocked[32] = "";
    if (task->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/self/task/%s/status", task->d_name);
    FILE *status = fopen(path, "r");
    if (status == NULL) continue; /* it ended meanwhile */
    while (fgets(line, sizeof line, status) != NULL) {
      (void)sscanf(line, "SigBlk: %31s", blocked);
    }
    CHECK(fclose(status) == 0);
    if (atoi(task->d_name) == (int)getpid()) {
      CHECK_TEXT(blocked, of_program);
    } else {
      /* All but those that cannot be blocked: KILL, STOP, and the C library's own, below SIGRTMIN. */
      uint64_t of_library = (UINT64_C(1) << (SIGRTMIN - 1)) - (UINT64_C(1) << 31);
      uint64_t never = UINT64_C(1) << (SIGKILL - 1) | UINT64_C(1) << (SIGSTOP - 1) | of_library;
      CHECK((strtoull(blocked, NULL, 16) | never) == UINT64_MAX);
      own++;
    }
  }
  CHECK(closedir(tasks) == 0);
  return own;
}

static volatile sig_atomic_t taken = 0;
static pthread_t taker;

static void take_signal(int number) {
  taken += number == SIGUSR1;
  /* POSIX does not list it as async-signal-safe; on Linux it is. */
  taker = pthread_self();
}

/* Every signal's action, as the program or its parent left it. */
static void note_actions(struct sigaction *actions) {
  for (int number = 1; number < NSIG; number++) {
    memset(&actions[number], 0, sizeof actions[number]);
    /* Those that the C library keeps for itself cannot be asked for. */
    CHECK(sigaction(number, NULL, &actions[number]) == 0 || errno == EINVAL);
  }
}

/* No mask changes, no action changes; the library's threads take no signal. */
void signals(void) {
  static struct sigaction before[NSIG], after[NSIG];
  struct sigaction action;
  sigset_t own, now;
  memset(&action, 0, sizeof action);
  action.sa_handler = take_signal;
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  CHECK(sigemptyset(&own) == 0 && sigaddset(&own, SIGUSR2) == 0);
  CHECK(pthread_sigmask(SIG_SETMASK, &own, NULL) == 0);
  note_actions(before);

  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue();
  CHECK(modelwire_queue_fd(queue) >= 0);
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("echo", "x"))));
  modelwire_call *started = chat_call(client, ECHO_CHAT("slow", "one two three four five"));
  CHECK(modelwire_call_start(started, 1, go_on, NULL, NULL, NULL) == MODELWIRE_OK);
  submit(client, queue, ECHO_CHAT("slow", "one two three four"), 1, 1);

  CHECK(pthread_sigmask(SIG_SETMASK, NULL, &now) == 0);
  for (int number = 1; number < NSIG; number++) {
    CHECK(sigismember(&own, number) == sigismember(&now, number));
  }
  note_actions(after);
  for (int number = 1; number < NSIG; number++) {
    CHECK(before[number].sa_handler == after[number].sa_handler);
    CHECK(before[number].sa_flags == after[number].sa_flags);
  }

  /* While signals come, events come. */
  for (int is_over = 0; !is_over;) {
    CHECK(kill(getpid(), SIGUSR1) == 0);
    modelwire_event *event = next(queue);
    is_over = is_last(event);
    CHECK(modelwire_event_error(event) == NULL);
    modelwire_event_free(event);
    CHECK(taken > 0);
  }
  modelwire_queue_free(queue);
  modelwire_call_free(started);
  modelwire_client_free(client);
}

/* In a process whose only thread blocks a signal, it waits until that thread takes it: none of the
 * library's does. */
static int take_it_late(void) {
  sigset_t usr1, pending;
  struct timespec moment = {0, 200000000};
  CHECK(sigemptyset(&usr1) == 0 && sigaddset(&usr1, SIGUSR1) == 0);
  CHECK(pthread_sigmask(SIG_SETMASK, &usr1, NULL) == 0);
  modelwire_client *client = client_of_environment();
  modelwire_client *by_name = client_with("{\"base_url\":\"%s\"}", getenv("TEST_BY_NAME"));
  /* After some calls this thread does the I/O while it waits: it starts the thread for the name. */
  for (int i = 0; i < 4; i++) {
    modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("echo", "x"))));
  }
  modelwire_response_free(answer_of(chat_call(by_name, ECHO_CHAT("echo", "x"))));
  modelwire_call *started = chat_call(client, ECHO_CHAT("slow", "one two three four five"));
  CHECK(modelwire_call_start(started, 1, go_on, NULL, NULL, NULL) == MODELWIRE_OK);
  /* The I/O thread, the callback thread, that for names; and this one, which has its one signal. */
  CHECK(check_masks("0000000000000200") == 3);
  for (int i = 0; i < 10; i++) CHECK(kill(getpid(), SIGUSR1) == 0);
  nanosleep(&moment, NULL); /* clock: nobody takes it, however long it is waited for */
  CHECK(taken == 0);
  CHECK(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR1) == 1);
  CHECK(pthread_sigmask(SIG_UNBLOCK, &usr1, NULL) == 0);
  CHECK(taken == 1 && pthread_equal(taker, pthread_self()));
  CHECK(check_masks("0000000000000000") == 3);
  modelwire_call_free(started);
  modelwire_client_free(by_name);
  modelwire_client_free(client);
  CHECK(modelwire_shutdown(30000) == MODELWIRE_OK);
  return 0;
}

void signals_pending(void) {
  struct sigaction action;
  int status = -1;
  memset(&action, 0, sizeof action);
  action.sa_handler = take_signal;
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) _exit(take_it_late());
  CHECK(waitpid(pid, &status, 0) == pid);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* The process may have no more threads: each way to run a call gives an error. */
static void become_nobody(void) {
  if (geteuid() != 0) return;
  CHECK(setgroups(0, NULL) == 0);
  CHECK(setgid(65534) == 0 && setuid(65534) == 0);
}

static void allow_threads(int is_allowed) {
  struct rlimit limit;
  CHECK(getrlimit(RLIMIT_NPROC, &limit) == 0);
  limit.rlim_cur = is_allowed ? limit.rlim_max : 0;
  CHECK(setrlimit(RLIMIT_NPROC, &limit) == 0);
}

static void count_finalizer(void *user_data) { ++*(int *)user_data; }

static int32_t count_last(void *user_data, const modelwire_event *event) {
  sig_atomic_t *ends = user_data;
  *ends += is_last(event);
  return 0;
}

static void check_refused(modelwire_status status, modelwire_error **refusal) {
  modelwire_error *error = *refusal;
  *refusal = NULL;
  CHECK_STATUS(status, MODELWIRE_E_CONNECT, error);
  CHECK(contains(modelwire_error_message(error, NULL), "cannot be started"));
  CHECK_TEXT(error_text(error, "/metered"), "not_sent");
  modelwire_error_free(error);
}

static void *do_nothing(void *argument) { return argument; }

/* A submission is refused, or the last event says why: whichever, nothing was sent. */
static void check_submit_refused(const modelwire_queue *queue, const modelwire_client *client) {
  modelwire_error *error = NULL;
  modelwire_status status = modelwire_queue_submit(queue, client, MODELWIRE_OPERATION_CHAT,
                                                   ECHO_CHAT("echo", "x"), MODELWIRE_NUL, 1, 1,
                                                   &error);
  if (status != MODELWIRE_OK) {
    check_refused(status, &error);
    return;
  }
  modelwire_event *event = next(queue);
  CHECK(status_of(event) == MODELWIRE_E_CONNECT);
  CHECK(contains(modelwire_event_text(event, NULL), "thread cannot be started"));
  CHECK_TEXT(event_text(event, "/metered"), "not_sent");
  modelwire_event_free(event);
}

void no_threads(void) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue();
  modelwire_response *answer = NULL;
  modelwire_error *error = NULL;
  gathered all = {0};
  pthread_t thread;
  int finalizers = 0;
  static volatile sig_atomic_t ends = 0;
  modelwire_call *run = chat_call(client, ECHO_CHAT("echo", "x"));
  modelwire_call *streamed = chat_call(client, ECHO_CHAT("echo", "x"));
  modelwire_call *started = chat_call(client, ECHO_CHAT("echo", "x"));
  become_nobody();
  allow_threads(0);
  CHECK(pthread_create(&thread, NULL, do_nothing, NULL) == EAGAIN);

  check_refused(modelwire_call_run(run, &answer, &error), &error);
  check_refused(modelwire_call_stream(streamed, gather, &all, &answer, &error), &error);
  check_refused(modelwire_call_start(started, 1, count_last, (void *)&ends, NULL, &error), &error);
  check_submit_refused(queue, client);
  CHECK(modelwire_client_on_call(client, count_last, &finalizers, count_finalizer, &error) ==
        MODELWIRE_E_CONNECT);
  CHECK(contains(modelwire_error_message(error, NULL), "cannot be started"));
  CHECK(finalizers == 1);
  modelwire_error_free(error);
  modelwire_call_free(run);
  modelwire_call_free(streamed);
  modelwire_call_free(started);

  /* The I/O thread alone is there: calls work, started ones do not. */
  allow_threads(1);
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("echo", "x"))));
  allow_threads(0);
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("echo", "x"))));
  started = chat_call(client, ECHO_CHAT("echo", "x"));
  check_refused(
      modelwire_call_start(started, 1, count_last, &finalizers, count_finalizer, &error), &error);
  CHECK(finalizers == 2 && ends == 0);
  modelwire_call_free(started);

  /* Lifted: everything works, with the same client. */
  allow_threads(1);
  started = chat_call(client, ECHO_CHAT("echo", "x"));
  CHECK(modelwire_call_start(started, 1, count_last, (void *)&ends, NULL, NULL) == MODELWIRE_OK);
  submit(client, queue, ECHO_CHAT("echo", "x"), 0, 1);
  expect_end(queue, 1, MODELWIRE_OK);
  CHECK(modelwire_call_wait(started, PATIENCE_MS, NULL) == MODELWIRE_OK && ends == 1);
  modelwire_call_free(started);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

/* A name has to be looked up, which is done on a thread of its own: there is none. */
void no_threads_for_names(void) {
  modelwire_client *client = client_of_environment();
  modelwire_client *by_name = client_with("{\"base_url\":\"%s\"}", getenv("TEST_BY_NAME"));
  modelwire_error *error = NULL;
  modelwire_response *answer = NULL;
  sigset_t blocked;
  become_nobody();
  /* The first starts the I/O thread; after some this thread does the I/O while it waits. */
  for (int i = 0; i < 4; i++) {
    modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("echo", "x"))));
  }
  allow_threads(0);
  modelwire_call *call = chat_call(by_name, ECHO_CHAT("echo", "x"));
  CHECK_STATUS(modelwire_call_run(call, &answer, &error), MODELWIRE_E_CONNECT, error);
  CHECK(answer == NULL && contains(modelwire_error_message(error, NULL), "cannot be started"));
  CHECK_TEXT(error_text(error, "/metered"), "not_sent");
  CHECK_TEXT(error_text(error, "/path"), "/v1/chat/completions");
  modelwire_error_free(error);
  modelwire_call_free(call);
  CHECK(pthread_sigmask(SIG_BLOCK, NULL, &blocked) == 0 && sigismember(&blocked, SIGUSR1) == 0);
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("echo", "x"))));
  allow_threads(1);
  modelwire_response_free(answer_of(chat_call(by_name, ECHO_CHAT("echo", "x"))));
  modelwire_client_free(by_name);
  modelwire_client_free(client);
}
