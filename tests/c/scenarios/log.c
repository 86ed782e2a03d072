/*
 * The log: batches, levels, its end, its change, and what its callback may do.
 */
#include "check.h"

#include <semaphore.h>
#include <time.h>

/* What one log got. Its callbacks run on one thread, one after another, and set_log returns after
 * the last of them: what it counts needs no lock. */
typedef struct {
  int batches, records, finalizers, debug, own;
  int32_t lowest;
  modelwire_client *client;
} log_book;

static void keep(void *user_data, const modelwire_log_batch *batch) {
  log_book *book = user_data;
  size_t count = modelwire_log_batch_count(batch), length = 0;
  CHECK(book->finalizers == 0);
  CHECK(count > 0 && count <= 256);
  for (size_t i = 0; i < count; i++) {
    const char *message = modelwire_log_batch_message(batch, i, &length);
    int32_t level = modelwire_log_batch_level(batch, i);
    int64_t unix_ms = modelwire_log_batch_unix_ms(batch, i);
    const char *target = modelwire_log_batch_target(batch, i);
    CHECK(level >= MODELWIRE_LOG_ERROR && level <= MODELWIRE_LOG_TRACE);
    CHECK(unix_ms > INT64_C(1577836800000) && unix_ms < INT64_C(4102444800000));
    CHECK(target[0] != '\0' && strlen(message) == length);
    if (level > book->lowest) book->lowest = level;
    book->debug += level == MODELWIRE_LOG_DEBUG;
    book->own += strcmp(target, "modelwire") == 0;
    printf("%d %s %s\n", (int)level, target, message);
  }
  CHECK(modelwire_log_batch_level(batch, count) == 0);
  CHECK(modelwire_log_batch_unix_ms(batch, count) == -1);
  CHECK(modelwire_log_batch_target(batch, count) == NULL);
  length = 7;
  CHECK(modelwire_log_batch_message(batch, count, &length) == NULL && length == 0);
  book->batches++;
  book->records += (int)count;
}

static void finish(void *user_data) { ((log_book *)user_data)->finalizers++; }

static void set_log(int32_t level, log_book *book) {
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_set_log(level, keep, book, finish, &error), MODELWIRE_OK, error);
}

static void end_log(void) {
  CHECK(modelwire_set_log(MODELWIRE_LOG_OFF, NULL, NULL, NULL, NULL) == MODELWIRE_OK);
}

static void call_once(modelwire_client *client) {
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("echo", "x"))));
}

/* All that was logged is here when the log has ended; then nothing more comes. */
void log_ends(void) {
  log_book book = {0};
  modelwire_client *client = client_of_environment();
  call_once(client);
  set_log(MODELWIRE_LOG_DEBUG, &book);
  CHECK(book.finalizers == 0);
  for (int i = 0; i < 5; i++) call_once(client);
  modelwire_error_free(
      failure_of(chat_call(client, ECHO_CHAT("broken", "x")), MODELWIRE_E_SERVER));
  end_log();
  int records = book.records;
  CHECK(book.debug >= 5 && book.own >= 1 && book.lowest == MODELWIRE_LOG_DEBUG && book.finalizers == 1);
  call_once(client);
  end_log();
  CHECK(book.records == records && book.finalizers == 1);
  modelwire_client_free(client);
}

/* A good call is worth no error; every detail is more than some. */
void log_levels(void) {
  log_book quiet = {0}, some = {0}, every = {0}, failures = {0}, retries = {0};
  modelwire_client *client = client_of_environment();
  /* A failed call is a warning, and the waits of a call that is tried again are worth knowing. */
  set_log(MODELWIRE_LOG_WARN, &failures);
  call_once(client);
  modelwire_error_free(
      failure_of(chat_call(client, ECHO_CHAT("broken", "x")), MODELWIRE_E_SERVER));
  set_log(MODELWIRE_LOG_INFO, &retries);
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("recovers", "x"))));
  set_log(MODELWIRE_LOG_ERROR, &quiet);
  call_once(client);
  set_log(MODELWIRE_LOG_DEBUG, &some);
  call_once(client);
  set_log(MODELWIRE_LOG_TRACE, &every);
  modelwire_client_free(client);
  client = client_of_environment();
  call_once(client);
  end_log();
  CHECK(failures.records == 1 && failures.own == 1 && failures.lowest == MODELWIRE_LOG_WARN);
  CHECK(retries.records == 2 && retries.own == 2 && retries.lowest == MODELWIRE_LOG_INFO);
  CHECK(quiet.records == 0 && quiet.finalizers == 1);
  CHECK(some.records > 0 && some.lowest <= MODELWIRE_LOG_DEBUG && some.finalizers == 1);
  CHECK(every.records >= some.records && every.finalizers == 1);
  modelwire_client_free(client);
}

/* Each log has its own records and its own end; a failed change leaves the old one. */
void log_changes(void) {
  log_book first = {0}, second = {0}, refused = {0};
  modelwire_client *client = client_of_environment();
  modelwire_error *error = NULL;
  set_log(MODELWIRE_LOG_DEBUG, &first);
  call_once(client);
  CHECK(modelwire_set_log(MODELWIRE_LOG_TRACE + 1, keep, &refused, finish, &error) ==
        MODELWIRE_E_ARGUMENT);
  CHECK(contains(modelwire_error_message(error, NULL), "level is 6"));
  modelwire_error_free(error);
  CHECK(refused.finalizers == 1 && first.finalizers == 0);
  call_once(client);
  set_log(MODELWIRE_LOG_DEBUG, &second);
  CHECK(first.finalizers == 1 && first.debug >= 2);
  int records = first.records;
  call_once(client);
  CHECK(first.records == records);
  /* The end of the library ends the log. */
  modelwire_client_free(client);
  CHECK(modelwire_shutdown(30000) == MODELWIRE_OK);
  CHECK(second.finalizers == 1 && second.debug >= 1 && refused.records == 0);
}

static void try_everything(void *user_data, const modelwire_log_batch *batch) {
  log_book *book = user_data, other = {0};
  CHECK(modelwire_log_batch_count(batch) > 0);
  if (book->batches++ > 0) return;
  modelwire_error *error = NULL;
  CHECK(modelwire_set_log(MODELWIRE_LOG_DEBUG, keep, &other, finish, &error) ==
        MODELWIRE_E_ARGUMENT);
  CHECK(contains(modelwire_error_message(error, NULL), "inside"));
  CHECK(other.finalizers == 1 && book->finalizers == 0);
  modelwire_error_free(error);
  CHECK(modelwire_set_log(MODELWIRE_LOG_OFF, NULL, NULL, NULL, NULL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_shutdown(0) == MODELWIRE_E_CALLBACK);
  /* Running a call is allowed. */
  call_once(book->client);
}

void log_inside(void) {
  log_book book = {.client = client_of_environment()};
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_set_log(MODELWIRE_LOG_DEBUG, try_everything, &book, finish, &error),
               MODELWIRE_OK, error);
  call_once(book.client);
  end_log();
  CHECK(book.batches > 0 && book.finalizers == 1);
  call_once(book.client);
  modelwire_client_free(book.client);
}

/* The finest log of a call that fails and of one that streams, printed for the test to search. */
void log_key(void) {
  log_book book = {0};
  set_log(MODELWIRE_LOG_TRACE, &book);
  modelwire_client *client = client_of_environment();
  modelwire_error_free(failure_of(chat_call(client, ECHO_CHAT("m", "x")), MODELWIRE_E_SERVER));
  modelwire_call *call = chat_call(client, ECHO_CHAT("m", "x"));
  modelwire_response *end = NULL;
  gathered all = {0};
  CHECK(modelwire_call_stream(call, gather, &all, &end, NULL) == MODELWIRE_OK);
  modelwire_response_free(end);
  modelwire_call_free(call);
  modelwire_client_free(client);
  end_log();
  CHECK(book.records > 0);
}

/* Changes the log from inside, while another thread is ending it and waits for this callback. */
typedef struct {
  sem_t running;
  int tried, finalizers;
} ending_log;

static void finish_ending(void *user_data) { ((ending_log *)user_data)->finalizers++; }

static void change_late(void *user_data, const modelwire_log_batch *batch) {
  ending_log *ending = user_data;
  log_book other = {0};
  struct timespec while_it_ends = {0, 200000000};
  CHECK(modelwire_log_batch_count(batch) > 0);
  if (ending->tried++ > 0) return;
  CHECK(sem_post(&ending->running) == 0);
  nanosleep(&while_it_ends, NULL);
  CHECK(modelwire_set_log(MODELWIRE_LOG_DEBUG, keep, &other, finish, NULL) ==
        MODELWIRE_E_ARGUMENT);
  CHECK(other.finalizers == 1 && ending->finalizers == 0);
}

void log_inside_at_its_end(void) {
  ending_log ending = {.tried = 0};
  modelwire_client *client = client_of_environment();
  CHECK(sem_init(&ending.running, 0, 0) == 0);
  CHECK(modelwire_set_log(MODELWIRE_LOG_DEBUG, change_late, &ending, finish_ending, NULL) ==
        MODELWIRE_OK);
  call_once(client);
  while (sem_wait(&ending.running) != 0) continue;
  int64_t asked_ms = now_ms();
  end_log();
  CHECK(now_ms() - asked_ms < PROMPT_MS);
  CHECK(ending.tried > 0 && ending.finalizers == 1);
  modelwire_client_free(client);
}
