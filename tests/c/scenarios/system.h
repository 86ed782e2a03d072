/*
 * What the scenarios ask of a system, each in its own way: unix.c and windows.c. What one has not fails
 * there; which scenarios are left out for that, and why, stands in tests/release.
 */
#ifndef SYSTEM_H
#define SYSTEM_H

/* Whether a descriptor is readable within a time: 1 or 0. */
int is_readable(int fd, int timeout_ms);
int is_readable_by_select(int fd, int timeout_ms);

/* A watch that stays, edge-triggered or not; where a system has none, it looks anew each time. */
int watch_of(int fd, int is_edge);
int watch_waits(int watch, int timeout_ms);
void watch_ends(int watch);

/* Reads what is there, of some bytes, as a program may. */
void read_some(int fd);

/* It is of the kind that was asked for, it does not block, and no program that is started gets it. */
void check_descriptor(int fd, int is_socket);

/* The memory that this process has, in KiB. */
long memory_kib(void);

/* The name of this thread, cut to fit. */
void thread_name(char name[17]);

/* The number of this thread; and a wait until the thread with a number does nothing but wait. */
long thread_number(void);
void wait_until_asleep(long thread);

/* Has SIGPIPE do what it does by default; sees that none is left to this thread, and its mask as it was. */
void default_sigpipe(void);
void check_sigpipe(void);

/* A thread that only waits for another takes none of the signals that are sent to the process. */
void signals_come_elsewhere(void);
void signals_come_here(void);

/* A copy of this process: 0 there, a number here, of which the other tells if the copy ended well. */
long fork_here(void);
int child_succeeded(long child);
void leave_child(int status);

/* Has the standard streams carry every byte as it is. */
void plain_streams(void);

#endif
