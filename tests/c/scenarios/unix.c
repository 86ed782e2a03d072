/*
 * What the scenarios ask of Unix systems.
 */
#include "check.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

int is_readable(int fd, int timeout_ms) {
  struct pollfd watched = {fd, POLLIN, 0};
  int ready = poll(&watched, 1, timeout_ms);
  CHECK(ready >= 0 && (watched.revents & (POLLERR | POLLHUP | POLLNVAL)) == 0);
  return ready;
}

int is_readable_by_select(int fd, int timeout_ms) {
  fd_set watched;
  struct timeval timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000};
  FD_ZERO(&watched);
  FD_SET((size_t)fd, &watched);
  return select(fd + 1, &watched, NULL, NULL, &timeout);
}

int watch_of(int fd, int is_edge) {
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {EPOLLIN | (is_edge ? EPOLLET : 0u), {0}};
  CHECK(epoll >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0);
  return epoll;
}

int watch_waits(int watch, int timeout_ms) {
  struct epoll_event event;
  return epoll_wait(watch, &event, 1, timeout_ms);
}

void watch_ends(int watch) { CHECK(close(watch) == 0); }

void read_some(int fd) {
  char bytes[8];
  CHECK(read(fd, bytes, sizeof bytes) <= (ssize_t)sizeof bytes);
}

void check_descriptor(int fd, int is_socket) {
  struct stat status;
  CHECK(fstat(fd, &status) == 0);
  CHECK(!S_ISSOCK(status.st_mode) == !is_socket);
  CHECK((fcntl(fd, F_GETFL) & O_NONBLOCK) != 0 && (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
}

long memory_kib(void) {
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

void thread_name(char name[17]) {
  memset(name, 0, 17);
  CHECK(prctl(PR_GET_NAME, name, 0, 0, 0) == 0);
}

long thread_number(void) {
  char path[64] = {0};
  CHECK(readlink("/proc/thread-self", path, sizeof path - 1) > 0);
  return strtol(strrchr(path, '/') + 1, NULL, 10);
}

/* Whether the system says that it sleeps, and how often it has given its processor away so far. One that
 * is gone sleeps for ever. */
static int is_asleep(long thread, long *switches) {
  char path[64], line[128], state = '?';
  snprintf(path, sizeof path, "/proc/self/task/%ld/status", thread);
  FILE *status = fopen(path, "r");
  if (status == NULL) return 1;
  while (fgets(line, sizeof line, status) != NULL) {
    if (strncmp(line, "State:", 6) == 0) state = line[7];
    if (strncmp(line, "voluntary_ctxt_switches:", 24) == 0) *switches = strtol(line + 24, NULL, 10);
  }
  CHECK(fclose(status) == 0);
  return state == 'S';
}

/* In one and the same sleep at several looks: it waits for no lock that is free in a moment. An
 * interruptible wait is not one sleep for long, so the looks are few. */
void wait_until_asleep(long thread) {
  enum { LOOKS = 5 };
  long before = -1, now = -1;
  const int64_t begun_ms = now_ms();
  for (int looks = 0; looks < LOOKS; before = now) {
    /* clock: bounds a hang */
    CHECK(now_ms() - begun_ms < PATIENCE_MS);
    looks = is_asleep(thread, &now) && now == before ? looks + 1 : 0;
    sleep_ms(1); /* clock: between two looks */
  }
}

void default_sigpipe(void) { CHECK(signal(SIGPIPE, SIG_DFL) != SIG_ERR); }

void check_sigpipe(void) {
  sigset_t pending, blocked;
  CHECK(sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 0);
  CHECK(pthread_sigmask(SIG_BLOCK, NULL, &blocked) == 0 && sigismember(&blocked, SIGPIPE) == 0);
}

static sigset_t signals_before;

void signals_come_elsewhere(void) {
  sigset_t all;
  CHECK(sigfillset(&all) == 0);
  CHECK(pthread_sigmask(SIG_SETMASK, &all, &signals_before) == 0);
}

void signals_come_here(void) {
  CHECK(pthread_sigmask(SIG_SETMASK, &signals_before, NULL) == 0);
}

long fork_here(void) {
  pid_t pid = fork();
  CHECK(pid >= 0);
  return (long)pid;
}

int child_succeeded(long child) {
  int status = -1;
  CHECK(waitpid((pid_t)child, &status, 0) == (pid_t)child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void leave_child(int status) { _exit(status); }

void plain_streams(void) {}
