/*
 * Runs one scenario by its name, then shuts the library down, so that a leak checker finds
 * nothing that is still in use. Knows nothing of what a scenario does.
 */
#include "check.h"

#include <pthread.h>

#define SCENARIO(name) {#name, name}

static const struct {
  const char *name;
  scenario *run;
} SCENARIOS[] = {
    SCENARIO(models), SCENARIO(chat), SCENARIO(response), SCENARIO(response_fields_absent),
    SCENARIO(nul_bytes), SCENARIO(usage), SCENARIO(usage_beyond_64_bits),
    SCENARIO(versions),
    SCENARIO(stream), SCENARIO(response_stream), SCENARIO(stream_incremental),
    SCENARIO(stream_stopped), SCENARIO(stream_cut), SCENARIO(stream_error),
    SCENARIO(stream_nul_bytes), SCENARIO(nested_call),
    SCENARIO(wrong_key), SCENARIO(no_key), SCENARIO(unknown_model), SCENARIO(crossed), SCENARIO(stream_underneath), SCENARIO(stream_only), SCENARIO(envelopes), SCENARIO(key_forms), SCENARIO(refused),
    SCENARIO(recovers), SCENARIO(not_retried), SCENARIO(bad_json), SCENARIO(bad_text),
    SCENARIO(timeout_first_byte), SCENARIO(run_twice),
    SCENARIO(report_chat), SCENARIO(report_models), SCENARIO(report_stream),
    SCENARIO(report_headers),
    SCENARIO(cancel_before), SCENARIO(cancel_blocked), SCENARIO(cancel_stream),
    SCENARIO(cancel_in_callback), SCENARIO(cancel_done),
    SCENARIO(threads), SCENARIO(shutdown_then_call), SCENARIO(shutdown_blocked),
    SCENARIO(forked), SCENARIO(forked_in_stream), SCENARIO(free_order),
    SCENARIO(null_arguments),
};

static void *run(void *argument) {
  const size_t *index = argument;
  SCENARIOS[*index].run();
  CHECK(modelwire_shutdown(30000) == MODELWIRE_OK);
  return NULL;
}

int main(int argc, char **argv) {
  for (size_t i = 0; argc == 2 && i < sizeof SCENARIOS / sizeof *SCENARIOS; i++) {
    if (strcmp(SCENARIOS[i].name, argv[1]) == 0) {
      /* Not on this thread: Rust's std gives back what it keeps for a thread when the thread
       * ends, and the main thread ends too late for a leak checker to see that. */
      pthread_t thread;
      CHECK(pthread_create(&thread, NULL, run, &i) == 0);
      CHECK(pthread_join(thread, NULL) == 0);
      return 0;
    }
  }
  fprintf(stderr, "usage: scenarios NAME\n");
  return 2;
}
