/*
 * Flow control of calls that share a queue: a paused one costs a bounded memory, and the others
 * nothing. The test scripts the streams.
 */
#include "check.h"

/* One huge stream that is paused, and 99 that are taken: these come to their ends, and the huge one
 * waits in its socket. Then all of it comes. */
void queue_paused(void) {
  enum { STREAMS = 100, PAUSED = 0, CHUNKS = 40001, CHUNKS_OF_OTHERS = 21 };
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue();
  int chunks[STREAMS] = {0}, ends = 0;
  /* Warm, so that only the streams' own memory is counted. */
  submit(client, queue, ECHO_CHAT("m", "x"), 1, 1);
  expect_end(queue, 1, MODELWIRE_OK);
  long before_kib = memory_kib(), most_kib = 0;
  submit(client, queue, ECHO_CHAT("m", "x"), 1, PAUSED);
  modelwire_event_free(next(queue));
  CHECK(modelwire_queue_pause(queue, PAUSED) == MODELWIRE_OK);
  for (uint64_t tag = 1; tag < STREAMS; tag++) submit(client, queue, ECHO_CHAT("m", "x"), 1, tag);
  while (ends < STREAMS - 1) {
    modelwire_event *event = next(queue);
    uint64_t tag = modelwire_event_tag(event);
    CHECK(tag != PAUSED && tag < STREAMS);
    if (is_last(event)) {
      CHECK_STATUS(status_of(event), MODELWIRE_OK, modelwire_event_error(event));
      CHECK(chunks[tag] == CHUNKS_OF_OTHERS);
      long kib = memory_kib() - before_kib;
      if (kib > most_kib) most_kib = kib;
      ends++;
    } else {
      chunks[tag]++;
    }
    modelwire_event_free(event);
  }
  /* A hundred connections, and a bounded part of forty megabytes. */
  CHECK(most_kib < 2 * MORE_KIB_MAX);
  expect_none(queue, MODELWIRE_TIMEOUT);
  CHECK(is_readable(modelwire_queue_fd(queue), 0) == 0 && modelwire_queue_count(queue) == 1);
  CHECK(modelwire_queue_resume(queue, PAUSED) == MODELWIRE_OK);
  int huge = 1;
  for (int is_over = 0; !is_over;) {
    modelwire_event *event = next(queue);
    CHECK(modelwire_event_tag(event) == PAUSED);
    is_over = is_last(event);
    if (is_over) CHECK_STATUS(status_of(event), MODELWIRE_OK, modelwire_event_error(event));
    huge += !is_over;
    modelwire_event_free(event);
  }
  CHECK(huge == CHUNKS);
  CHECK(memory_kib() - before_kib < 2 * MORE_KIB_MAX);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

/* Not even the last event of a paused call comes out, nor is anybody told that there is one. */
void queue_pause_holds(void) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue();
  for (int round = 0; round < 3; round++) {
    for (uint64_t tag = 0; tag < 3; tag++) {
      submit(client, queue, ECHO_CHAT("slow", "one two three"), tag != 2, tag);
      CHECK(modelwire_queue_pause(queue, tag) == MODELWIRE_OK);
    }
    CHECK(modelwire_queue_pause(queue, 1) == MODELWIRE_OK);
    /* All of it is here: the client has counted what it used. */
    EVENTUALLY(usage_of(client, "/calls") == 3 * (round + 1));
    /* A loop that was told in vain is not told again. */
    sleep_ms(50); /* clock: nothing may come, however long it is waited for */
    expect_none(queue, MODELWIRE_TIMEOUT);
    CHECK(is_readable(modelwire_queue_fd(queue), 50) == 0);
    CHECK(modelwire_queue_count(queue) == 3);
    for (uint64_t tag = 3; tag-- > 0;) {
      CHECK(modelwire_queue_resume(queue, tag) == MODELWIRE_OK);
      CHECK(is_readable(modelwire_queue_fd(queue), PATIENCE_MS) == 1);
      expect_end(queue, tag, MODELWIRE_OK);
      CHECK(modelwire_queue_resume(queue, tag) == MODELWIRE_ABSENT);
    }
    expect_none(queue, MODELWIRE_TIMEOUT);
    CHECK(is_readable(modelwire_queue_fd(queue), 0) == 0);
  }
  /* One that is not paused may be resumed. */
  submit(client, queue, ECHO_CHAT("slow", "one"), 1, 1);
  CHECK(modelwire_queue_resume(queue, 1) == MODELWIRE_OK);
  expect_end(queue, 1, MODELWIRE_OK);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

/* A pause in the middle: what was taken at once is whole and in order all the same. */
void queue_pause_in_the_middle(void) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue();
  modelwire_event *event = NULL;
  gathered all = {0};
  submit(client, queue, ECHO_CHAT("slow", "a b c d e f g h"), 1, 1);
  for (int is_over = 0; !is_over;) {
    event = next(queue);
    is_over = is_last(event);
    if (!is_over) gather(&all, event);
    modelwire_event_free(event);
    if (is_over) break;
    CHECK(modelwire_queue_pause(queue, 1) == MODELWIRE_OK);
    CHECK(modelwire_queue_next(queue, 30, &event) == MODELWIRE_TIMEOUT);
    CHECK(modelwire_queue_resume(queue, 1) == MODELWIRE_OK);
  }
  CHECK_TEXT(all.text, "a b c d e f g h");
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

/* What ends a call ends its pause: the last event comes out. The service never ends its stream. */
void queue_pause_ends(void) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue();
  submit(client, queue, ECHO_CHAT("m", "x"), 1, 1);
  modelwire_event_free(next(queue));
  CHECK(modelwire_queue_pause(queue, 1) == MODELWIRE_OK);
  CHECK(modelwire_queue_cancel(queue, 1) == MODELWIRE_OK);
  expect_end(queue, 1, MODELWIRE_E_CANCELLED);

  submit(client, queue, ECHO_CHAT("m", "x"), 1, 2);
  modelwire_event_free(next(queue));
  CHECK(modelwire_queue_pause(queue, 2) == MODELWIRE_OK);
  modelwire_queue_close(queue);
  expect_end(queue, 2, MODELWIRE_E_CANCELLED);
  expect_none(queue, MODELWIRE_CLOSED);
  modelwire_queue_free(queue);

  /* A paused call is freed with its queue, and ends with its client. */
  queue = new_queue();
  submit(client, queue, ECHO_CHAT("m", "x"), 1, 3);
  CHECK(modelwire_queue_pause(queue, 3) == MODELWIRE_OK);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}
