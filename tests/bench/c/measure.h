/*
 * What every C client of the benchmark does around its work: reads the arguments, takes CPU and
 * wall time, tells what it received as one line of JSON.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define CHAT "{\"model\":\"bench\",\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}"
#define CHAT_STREAM \
  "{\"model\":\"bench\",\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}],\"stream\":true}"

struct seen {
  unsigned long events, text_bytes;
};

/* The command line of a client: WORK BASE_URL OPERATIONS AT_ONCE. */
struct task {
  const char *work, *base_url;
  unsigned long operations, at_once;
};

static inline void fail(const char *what) {
  fprintf(stderr, "failed: %s\n", what);
  exit(EXIT_FAILURE);
}

static inline void seen_add(struct seen *seen, size_t text_bytes) {
  seen->events++;
  seen->text_bytes += text_bytes;
}

static inline double cpu_us(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return 1e6 * (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static inline double wall_us(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

/* Runs the work that the command line names between two looks at the clocks, and tells. */
static inline int measure(int argc, char **argv, struct seen (*work)(const struct task *)) {
  if (argc != 5) fail("usage: WORK BASE_URL OPERATIONS AT_ONCE");
  struct task task = {argv[1], argv[2], strtoul(argv[3], NULL, 10), strtoul(argv[4], NULL, 10)};
  double cpu = cpu_us(), wall = wall_us();
  struct seen seen = work(&task);
  cpu = cpu_us() - cpu;
  wall = wall_us() - wall;
  printf("{\"cpu_us\":%.1f,\"wall_us\":%.1f,\"events\":%lu,\"text_bytes\":%lu}\n", cpu, wall,
         seen.events, seen.text_bytes);
  return EXIT_SUCCESS;
}

#endif
