/*
 * Loaded before a program (LD_PRELOAD): counts its calls of functions that can fail, and makes one of them fail.
 *
 *   TORTURE_FAULT=FUNCTION:N:HOW    the N-th call (N+: and all after it) of this function fails by this errno, or
 *                                   transfers one byte ("short"); getaddrinfo by this EAI code
 *   TORTURE_REPORT=FILE             receives a line "fault" when that happens, and at the end of each process a
 *                                   line "FUNCTION COUNT" for each function
 *   TORTURE_ARMED=1                 counts from the start; otherwise from torture_arm() to torture_disarm()
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define SHORT (-1)

/* Every function: its name. */
#define FUNCTIONS(F) \
  F(socket) F(connect) F(bind) F(send) F(sendto) F(sendmsg) F(recv) F(recvfrom) F(recvmsg) F(read) F(write) \
  F(readv) F(writev) F(pwrite64) F(pread64) F(epoll_create1) F(epoll_ctl) F(epoll_wait) F(poll) F(eventfd) \
  F(pipe2) F(socketpair) F(open) F(open64) F(fsync) F(fdatasync) F(rename) F(ftruncate) F(ftruncate64) \
  F(mmap) F(mmap64) F(pthread_create) F(getaddrinfo) F(getrandom) F(setsockopt) F(getsockopt) F(flock) \
  F(unlink) F(lseek64) F(fcntl) F(fcntl64)

enum function {
#define ENTRY(name) OF_##name,
  FUNCTIONS(ENTRY)
#undef ENTRY
      FUNCTIONS_COUNT
};

static const char *const names[] = {
#define ENTRY(name) #name,
    FUNCTIONS(ENTRY)
#undef ENTRY
};

static atomic_ulong counts[FUNCTIONS_COUNT];
static atomic_int is_armed;
static int fault_function = -1, fault_how, fault_goes_on;
static unsigned long fault_at;
static const char *report;

static void say(const char *line) {
  int fd = (int)syscall(SYS_openat, AT_FDCWD, report, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return;
  if (syscall(SYS_write, fd, line, strlen(line)) < 0) abort();
  syscall(SYS_close, fd);
}

__attribute__((constructor)) static void begin(void) {
  const char *fault = getenv("TORTURE_FAULT");
  char name[32], how[32], goes_on[2] = "";
  report = getenv("TORTURE_REPORT");
  is_armed = getenv("TORTURE_ARMED") != NULL;
  if (fault == NULL) return;
  if (sscanf(fault, "%31[^:]:%lu%1[+]:%31s", name, &fault_at, goes_on, how) != 4 &&
      sscanf(fault, "%31[^:]:%lu:%31s", name, &fault_at, how) != 3) {
    abort();
  }
  fault_goes_on = goes_on[0] == '+';
  fault_how = strcmp(how, "short") == 0 ? SHORT : atoi(how);
  for (int i = 0; i < FUNCTIONS_COUNT; i++) {
    if (strcmp(names[i], name) == 0) fault_function = i;
  }
  if (fault_function < 0 || fault_how == 0) abort();
}

__attribute__((destructor)) static void end(void) {
  char line[64];
  if (report == NULL) return;
  for (int i = 0; i < FUNCTIONS_COUNT; i++) {
    if (counts[i] == 0) continue;
    snprintf(line, sizeof line, "%s %lu\n", names[i], counts[i]);
    say(line);
  }
}

void torture_arm(void) { is_armed = 1; }
void torture_disarm(void) { is_armed = 0; }

/* How this call fails; 0 if it does not. */
static int fault(enum function function) {
  if (!is_armed) return 0;
  unsigned long number = atomic_fetch_add(&counts[function], 1) + 1;
  if ((int)function != fault_function) return 0;
  if (fault_goes_on ? number < fault_at : number != fault_at) return 0;
  if (report != NULL && number == fault_at) say("fault\n");
  return fault_how;
}

/* A file, or a socket that leads to another machine. */
static int leads_out(int fd) {
  struct stat about;
  struct sockaddr_storage own;
  socklen_t length = sizeof own;
  if (fstat(fd, &about) != 0) return 0;
  if (S_ISREG(about.st_mode)) return 1;
  return S_ISSOCK(about.st_mode) && getsockname(fd, (struct sockaddr *)&own, &length) == 0 &&
         own.ss_family != AF_UNIX;
}

#define REAL(name) \
  static __typeof__(&name) real; \
  if (real == NULL) *(void **)&real = dlsym(RTLD_NEXT, #name)

/* Fails this call by errno, if it is its turn. */
#define MAY_FAIL(name, failed) \
  int how = fault(OF_##name); \
  if (how > 0) { \
    errno = how; \
    return failed; \
  }

/* A function that fails by errno. */
#define PLAIN(type, name, parameters, arguments) \
  type name parameters { \
    REAL(name); \
    MAY_FAIL(name, (type)-1) \
    return real arguments; \
  }

/* One that transfers bytes. Only of files and of sockets that lead to another machine: the kernel fails no eventfd,
 * pipe or pair of local sockets in these ways. */
#define TRANSFER(name, parameters, arguments) \
  ssize_t name parameters { \
    REAL(name); \
    if (leads_out(fd)) { \
      MAY_FAIL(name, -1) \
    } \
    return real arguments; \
  }

/* One that may transfer fewer of `count` bytes. */
#define COUNTED(name, parameters, arguments) \
  ssize_t name parameters { \
    REAL(name); \
    if (leads_out(fd)) { \
      MAY_FAIL(name, -1) \
      if (how == SHORT) count = count > 0; \
    } \
    return real arguments; \
  }

PLAIN(int, socket, (int domain, int type, int protocol), (domain, type, protocol))
PLAIN(int, connect, (int fd, const struct sockaddr *to, socklen_t length), (fd, to, length))
PLAIN(int, bind, (int fd, const struct sockaddr *to, socklen_t length), (fd, to, length))
PLAIN(int, epoll_create1, (int flags), (flags))
PLAIN(int, epoll_ctl, (int fd, int what, int of, struct epoll_event *event), (fd, what, of, event))
PLAIN(int, epoll_wait, (int fd, struct epoll_event *events, int most, int timeout), (fd, events, most, timeout))
PLAIN(int, poll, (struct pollfd * fds, nfds_t count, int timeout), (fds, count, timeout))
PLAIN(int, eventfd, (unsigned first, int flags), (first, flags))
PLAIN(int, pipe2, (int fds[2], int flags), (fds, flags))
PLAIN(int, socketpair, (int domain, int type, int protocol, int fds[2]), (domain, type, protocol, fds))
PLAIN(int, fsync, (int fd), (fd))
PLAIN(int, fdatasync, (int fd), (fd))
PLAIN(int, rename, (const char *from, const char *to), (from, to))
PLAIN(int, ftruncate, (int fd, off_t length), (fd, length))
PLAIN(int, ftruncate64, (int fd, off64_t length), (fd, length))
PLAIN(off64_t, lseek64, (int fd, off64_t offset, int whence), (fd, offset, whence))
PLAIN(int, flock, (int fd, int what), (fd, what))
PLAIN(int, unlink, (const char *path), (path))
PLAIN(ssize_t, getrandom, (void *bytes, size_t count, unsigned flags), (bytes, count, flags))
PLAIN(int, setsockopt, (int fd, int level, int name, const void *value, socklen_t length),
      (fd, level, name, value, length))
PLAIN(int, getsockopt, (int fd, int level, int name, void *value, socklen_t *length),
      (fd, level, name, value, length))

TRANSFER(send, (int fd, const void *bytes, size_t count, int flags), (fd, bytes, count, flags))
TRANSFER(sendto,
         (int fd, const void *bytes, size_t count, int flags, const struct sockaddr *to, socklen_t length),
         (fd, bytes, count, flags, to, length))
TRANSFER(recv, (int fd, void *bytes, size_t count, int flags), (fd, bytes, count, flags))
TRANSFER(recvfrom,
         (int fd, void *bytes, size_t count, int flags, struct sockaddr *from, socklen_t *length),
         (fd, bytes, count, flags, from, length))
TRANSFER(sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags))
TRANSFER(recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags))
TRANSFER(readv, (int fd, const struct iovec *parts, int count), (fd, parts, count))
TRANSFER(writev, (int fd, const struct iovec *parts, int count), (fd, parts, count))
COUNTED(read, (int fd, void *bytes, size_t count), (fd, bytes, count))
COUNTED(write, (int fd, const void *bytes, size_t count), (fd, bytes, count))
COUNTED(pread64, (int fd, void *bytes, size_t count, off64_t at), (fd, bytes, count, at))
COUNTED(pwrite64, (int fd, const void *bytes, size_t count, off64_t at), (fd, bytes, count, at))

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name); \
    va_list more; \
    va_start(more, flags); \
    mode_t mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(more, mode_t) : 0; \
    va_end(more); \
    MAY_FAIL(name, -1) \
    return real(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

#define FCNTL(name) \
  int name(int fd, int what, ...) { \
    REAL(name); \
    va_list more; \
    va_start(more, what); \
    void *argument = va_arg(more, void *); \
    va_end(more); \
    MAY_FAIL(name, -1) \
    return real(fd, what, argument); \
  }
FCNTL(fcntl)
FCNTL(fcntl64)

/* Of files only: what else is mapped is memory. */
#define MMAP(name, offset_type) \
  void *name(void *at, size_t length, int access, int flags, int fd, offset_type offset) { \
    REAL(name); \
    if (fd >= 0) { \
      MAY_FAIL(name, MAP_FAILED) \
    } \
    return real(at, length, access, flags, fd, offset); \
  }
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

/* Those that return what is wrong. */
int pthread_create(pthread_t *thread, const pthread_attr_t *with, void *(*run)(void *), void *data) {
  REAL(pthread_create);
  int how = fault(OF_pthread_create);
  return how > 0 ? how : real(thread, with, run, data);
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
  REAL(getaddrinfo);
  int how = fault(OF_getaddrinfo);
  if (how == EAI_SYSTEM) errno = EIO;
  return how != 0 ? how : real(node, service, hints, found);
}
