/*
 * What the scenarios ask of Windows, and what it has not.
 */
#include "check.h"

#include <winsock2.h>
#include <windows.h>

#include <fcntl.h>
#include <io.h>
#include <psapi.h>

int is_readable(int fd, int timeout_ms) {
  WSAPOLLFD watched = {(SOCKET)fd, POLLRDNORM, 0};
  int ready = WSAPoll(&watched, 1, timeout_ms);
  CHECK(ready >= 0 && (watched.revents & (POLLERR | POLLHUP | POLLNVAL)) == 0);
  return ready;
}

int is_readable_by_select(int fd, int timeout_ms) {
  fd_set watched = {1, {(SOCKET)fd}};
  struct timeval timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000};
  return select(0, &watched, NULL, NULL, &timeout);
}

int watch_of(int fd, int is_edge) {
  (void)is_edge;
  return fd;
}

int watch_waits(int watch, int timeout_ms) { return is_readable(watch, timeout_ms); }

void watch_ends(int watch) { (void)watch; }

void read_some(int fd) {
  char bytes[8];
  CHECK(recv((SOCKET)fd, bytes, sizeof bytes, 0) <= (int)sizeof bytes);
}

/* Always a socket. That it does not block has no call that asks. */
void check_descriptor(int fd, int is_socket) {
  (void)is_socket;
  DWORD flags = 0;
  int type = 0, length = sizeof type;
  CHECK(getsockopt((SOCKET)fd, SOL_SOCKET, SO_TYPE, (char *)&type, &length) == 0);
  CHECK(type == SOCK_STREAM);
  CHECK(GetHandleInformation((HANDLE)(INT_PTR)fd, &flags) && (flags & HANDLE_FLAG_INHERIT) == 0);
}

long memory_kib(void) {
  PROCESS_MEMORY_COUNTERS counters = {.cb = sizeof counters};
  CHECK(GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters));
  return (long)(counters.WorkingSetSize >> 10);
}

void thread_name(char name[17]) {
  typedef HRESULT WINAPI describe(HANDLE thread, PWSTR *text);
  describe *found;
  PWSTR text = NULL;
  /* mingw has it in no library. */
  *(FARPROC *)&found = GetProcAddress(GetModuleHandleA("kernelbase.dll"), "GetThreadDescription");
  CHECK(found != NULL && found(GetCurrentThread(), &text) >= 0);
  memset(name, 0, 17);
  for (int i = 0; i < 16 && text[i] != 0; i++) name[i] = (char)text[i];
  LocalFree(text);
}

long thread_number(void) { return (long)GetCurrentThreadId(); }

/* What another thread does has no call that asks. */
void wait_until_asleep(long thread) {
  (void)thread;
  sleep_ms(200); /* clock: Windows does not say that a thread waits */
}

void default_sigpipe(void) {}
void check_sigpipe(void) {}
void signals_come_elsewhere(void) {}
void signals_come_here(void) {}

long fork_here(void) {
  CHECK(!"Windows has no forks");
  return -1;
}

int child_succeeded(long child) { return child < 0; }

void leave_child(int status) { exit(status); }

void plain_streams(void) {
  CHECK(_setmode(_fileno(stdin), _O_BINARY) != -1 && _setmode(_fileno(stdout), _O_BINARY) != -1);
}
