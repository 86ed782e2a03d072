/*
 * Runs one scenario by its name, then shuts the library down, so that a leak checker finds
 * nothing that is still in use.
 */
#include "check.h"

#include <pthread.h>

#define ENTRY(name) {#name, name},

static const struct {
  const char *name;
  scenario *run;
} SCENARIOS[] = {ALL_SCENARIOS(ENTRY)};

static void *run(void *argument) {
  const size_t *index = argument;
  signals_come_here();
  SCENARIOS[*index].run();
  CHECK(modelwire_shutdown(30000) == MODELWIRE_OK);
  return NULL;
}

int main(int argc, char **argv) {
  plain_streams();
  for (size_t i = 0; argc == 2 && i < sizeof SCENARIOS / sizeof *SCENARIOS; i++) {
    if (strcmp(SCENARIOS[i].name, argv[1]) == 0) {
      /* Not on this thread: Rust's std gives back what it keeps for a thread when the thread
       * ends, and the main thread ends too late for a leak checker to see that. */
      pthread_t thread;
      signals_come_elsewhere();
      CHECK(pthread_create(&thread, NULL, run, &i) == 0);
      CHECK(pthread_join(thread, NULL) == 0);
      return 0;
    }
  }
  fprintf(stderr, "usage: scenarios NAME\n");
  return 2;
}
