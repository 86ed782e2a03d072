/*
 * The log: records one by one, levels, its end, its change, what its callback may do, and the log
 * as events of a queue.
 */
#include "check.h"

#include <pthread.h>
#include <semaphore.h>

/* What one log got. Its callbacks run on one thread, one after another, and set_log returns after
 * the last of them: what it counts needs no lock. */
typedef struct {
  int records, finalizers, debug, own;
  int32_t lowest;
  modelwire_client *client;
} log_book;

static const char *const LEVELS[] = {"off", "error", "warn", "info", "debug", "trace"};

/* Looks at every field of a record, in each of the ways in which it is told; its level. */
static int32_t level_of(const modelwire_event *event) {
  size_t length = 99, json_length = 99;
  const char *message = modelwire_event_text(event, &length);
  const char *target = modelwire_event_name(event, NULL);
  int64_t unix_ms = event_int(event, "/unix_ms");
  int32_t level = MODELWIRE_LOG_ERROR;
  CHECK(modelwire_event_kind(event) == MODELWIRE_EVENT_LOG);
  CHECK(modelwire_event_response(event) == NULL && modelwire_event_error(event) == NULL);
  CHECK(unix_ms > INT64_C(1577836800000) && unix_ms < INT64_C(4102444800000));
  CHECK(target[0] != '\0' && strlen(message) == length);
  CHECK_TEXT(event_text(event, "/message"), message);
  CHECK_TEXT(event_text(event, "/target"), target);
  CHECK(modelwire_event_json(event, &json_length)[json_length - 1] == '}');
  CHECK_TEXT(text_at(modelwire_event_value(event), "/message"), message);
  const char *name = event_text(event, "/level");
  while (level < MODELWIRE_LOG_TRACE && strcmp(LEVELS[level], name) != 0) level++;
  CHECK_TEXT(name, LEVELS[level]);
  return level;
}

static int32_t keep(void *user_data, const modelwire_event *event) {
  log_book *book = user_data;
  int32_t level = level_of(event);
  const char *target = modelwire_event_name(event, NULL);
  CHECK(book->finalizers == 0 && modelwire_event_tag(event) == 0);
  if (level > book->lowest) book->lowest = level;
  book->debug += level == MODELWIRE_LOG_DEBUG;
  book->own += strcmp(target, "modelwire") == 0;
  printf("%s %s %s\n", LEVELS[level], target, modelwire_event_text(event, NULL));
  book->records++;
  return 0;
}

static void finish(void *user_data) { ((log_book *)user_data)->finalizers++; }

static modelwire_status log_status(int32_t level, modelwire_event_fn on_log, void *user_data,
                                   modelwire_finalizer finalizer, modelwire_error **error) {
  return modelwire_set_log(level, on_log, user_data, finalizer, 30000, error);
}

static void set_log(int32_t level, log_book *book) {
  modelwire_error *error = NULL;
  CHECK_STATUS(log_status(level, keep, book, finish, &error), MODELWIRE_OK, error);
}

static void end_log(void) {
  CHECK(log_status(MODELWIRE_LOG_OFF, NULL, NULL, NULL, NULL) == MODELWIRE_OK);
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
  CHECK(book.debug >= 5 && book.own >= 1);
  CHECK(book.lowest == MODELWIRE_LOG_DEBUG && book.finalizers == 1);
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
  CHECK(log_status(MODELWIRE_LOG_TRACE + 1, keep, &refused, finish, &error) ==
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

static int32_t try_everything(void *user_data, const modelwire_event *event) {
  log_book *book = user_data, other = {0};
  CHECK(level_of(event) <= MODELWIRE_LOG_DEBUG);
  if (book->records++ > 0) return 0;
  modelwire_error *error = NULL;
  CHECK_STATUS(log_status(MODELWIRE_LOG_DEBUG, keep, &other, finish, &error),
               MODELWIRE_E_CALLBACK, error);
  CHECK(contains(modelwire_error_message(error, NULL), "inside"));
  CHECK(other.finalizers == 1 && book->finalizers == 0);
  modelwire_error_free(error);
  CHECK(log_status(MODELWIRE_LOG_OFF, NULL, NULL, NULL, NULL) == MODELWIRE_E_CALLBACK);
  CHECK(modelwire_shutdown(0) == MODELWIRE_E_CALLBACK);
  /* Running a call is allowed. */
  call_once(book->client);
  return 0;
}

void log_inside(void) {
  log_book book = {.client = client_of_environment()};
  modelwire_error *error = NULL;
  CHECK_STATUS(log_status(MODELWIRE_LOG_DEBUG, try_everything, &book, finish, &error),
               MODELWIRE_OK, error);
  call_once(book.client);
  end_log();
  CHECK(book.records > 0 && book.finalizers == 1);
  call_once(book.client);
  modelwire_client_free(book.client);
}

/* A callback that has had enough ends its log itself; its finalizer comes then. */
static int32_t keep_two(void *user_data, const modelwire_event *event) {
  keep(user_data, event);
  return ((log_book *)user_data)->records == 2;
}

void log_stopped(void) {
  log_book book = {0}, next_one = {0};
  modelwire_client *client = client_of_environment();
  CHECK(log_status(MODELWIRE_LOG_TRACE, keep_two, &book, finish, NULL) == MODELWIRE_OK);
  for (int i = 0; i < 5; i++) call_once(client);
  end_log();
  CHECK(book.records == 2 && book.finalizers == 1);
  set_log(MODELWIRE_LOG_DEBUG, &next_one);
  call_once(client);
  end_log();
  CHECK(next_one.records > 0 && next_one.finalizers == 1 && book.records == 2);
  modelwire_client_free(client);
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

/* A callback that another thread waits for. */
typedef struct {
  sem_t running, let_go, ended;
  int tried, finalizers;
  long ender;
} ending_log;

static void finish_ending(void *user_data) {
  ending_log *ending = user_data;
  ending->finalizers++;
  CHECK(sem_post(&ending->ended) == 0);
}

static void new_ending(ending_log *ending) {
  memset(ending, 0, sizeof *ending);
  CHECK(sem_init(&ending->running, 0, 0) == 0 && sem_init(&ending->let_go, 0, 0) == 0);
  CHECK(sem_init(&ending->ended, 0, 0) == 0);
}

/* Changes the log from inside, while another thread is ending it and waits for this callback. */
static int32_t change_late(void *user_data, const modelwire_event *event) {
  ending_log *ending = user_data;
  log_book other = {0};
  CHECK(level_of(event) <= MODELWIRE_LOG_DEBUG);
  if (ending->tried++ > 0) return 0;
  CHECK(sem_post(&ending->running) == 0);
  wait_until_asleep(ending->ender);
  CHECK(log_status(MODELWIRE_LOG_DEBUG, keep, &other, finish, NULL) == MODELWIRE_E_CALLBACK);
  CHECK(other.finalizers == 1 && ending->finalizers == 0);
  return 0;
}

void log_inside_at_its_end(void) {
  ending_log ending;
  modelwire_client *client = client_of_environment();
  new_ending(&ending);
  ending.ender = thread_number();
  CHECK(log_status(MODELWIRE_LOG_DEBUG, change_late, &ending, finish_ending, NULL) ==
        MODELWIRE_OK);
  call_once(client);
  while (sem_wait(&ending.running) != 0) continue;
  int64_t asked_ms = now_ms();
  end_log();
  /* clock: bounds a hang */
  CHECK(now_ms() - asked_ms < PROMPT_MS);
  CHECK(ending.tried > 0 && ending.finalizers == 1);
  modelwire_client_free(client);
}

/* Delivered on the very thread that ends the log, by a runtime with one thread: it hangs for as
 * long as that thread waits. */
static int32_t hang(void *user_data, const modelwire_event *event) {
  ending_log *ending = user_data;
  CHECK(level_of(event) <= MODELWIRE_LOG_DEBUG);
  if (ending->tried++ > 0) return 0;
  CHECK(sem_post(&ending->running) == 0);
  while (sem_wait(&ending->let_go) != 0) continue;
  return 0;
}

/* The end of a log whose callback hangs says so in its time. Calls work meanwhile, and so does
 * another log; then it ends by itself. */
void log_hangs(void) {
  ending_log ending;
  log_book other = {0};
  modelwire_client *client = client_of_environment();
  modelwire_error *error = NULL;
  new_ending(&ending);
  CHECK(log_status(MODELWIRE_LOG_DEBUG, hang, &ending, finish_ending, NULL) == MODELWIRE_OK);
  call_once(client);
  while (sem_wait(&ending.running) != 0) continue;
  int64_t asked_ms = now_ms();
  CHECK_STATUS(modelwire_set_log(MODELWIRE_LOG_OFF, NULL, NULL, NULL, 300, &error),
               MODELWIRE_TIMEOUT, error);
  /* clock: bounds a hang */
  CHECK(error == NULL && now_ms() - asked_ms >= 299 && now_ms() - asked_ms < PROMPT_MS);
  call_once(client);
  CHECK(ending.finalizers == 0);
  /* Another log takes its place; it waits for the earlier one as long as it is told. */
  CHECK(modelwire_set_log(MODELWIRE_LOG_DEBUG, keep, &other, finish, 0, NULL) >= 0);
  call_once(client);
  CHECK(ending.finalizers == 0);
  CHECK(sem_post(&ending.let_go) == 0);
  while (sem_wait(&ending.ended) != 0) continue;
  CHECK(ending.finalizers == 1);
  end_log();
  CHECK(other.records > 0 && other.finalizers == 1);
  modelwire_client_free(client);
}

/* How many records of the log come out of a queue before the call with this tag is over, among the
 * events of which they stand. */
static int records_until(const modelwire_queue *queue, uint64_t call, uint64_t log) {
  int records = 0, chunks = 0;
  for (int is_over = 0; !is_over;) {
    modelwire_event *event = next(queue);
    if (modelwire_event_kind(event) == MODELWIRE_EVENT_LOG) {
      CHECK(modelwire_event_tag(event) == log && level_of(event) <= MODELWIRE_LOG_DEBUG);
      records++;
    } else {
      CHECK(modelwire_event_tag(event) == call);
      is_over = is_last(event);
      chunks += !is_over;
    }
    modelwire_event_free(event);
  }
  CHECK(chunks == 4);
  return records;
}

/* Takes what is left of the log, within a time: it comes from another thread. */
static int records_left(const modelwire_queue *queue, int32_t timeout_ms) {
  modelwire_event *event = NULL;
  int records = 0;
  while (modelwire_queue_next(queue, timeout_ms, &event) == MODELWIRE_OK) {
    CHECK(modelwire_event_kind(event) == MODELWIRE_EVENT_LOG);
    modelwire_event_free(event);
    records++;
  }
  return records;
}

/* The log as data: events of a queue, beside those of calls, for programs that take no callback of
 * another thread. It is no call of the queue. */
void log_queue(void) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue(), *other = new_queue();
  modelwire_error *error = NULL;
  log_book book = {0};
  CHECK_STATUS(modelwire_queue_log(queue, MODELWIRE_LOG_TRACE + 1, 9, &error),
               MODELWIRE_E_ARGUMENT, error);
  modelwire_error_free(error);
  CHECK_STATUS(modelwire_queue_log(queue, MODELWIRE_LOG_DEBUG, 9, &error), MODELWIRE_OK, error);
  CHECK(error == NULL && modelwire_queue_count(queue) == 0);
  submit(client, queue, ECHO_CHAT("echo", "one two"), 1, 9);
  CHECK(modelwire_queue_count(queue) == 1);
  int records = records_until(queue, 9, 9);
  records += records_left(queue, 500);
  CHECK(records > 0);
  CHECK(modelwire_queue_cancel(queue, 9) == MODELWIRE_ABSENT);
  /* Ended: nothing more. */
  CHECK(modelwire_queue_log(queue, MODELWIRE_LOG_OFF, 9, NULL) == MODELWIRE_OK);
  records_left(queue, 0);
  submit(client, queue, ECHO_CHAT("echo", "one two"), 1, 8);
  CHECK(records_until(queue, 8, 9) == 0);
  /* A callback and another queue have the same; each has its own end and its own level. */
  CHECK(modelwire_queue_log(queue, MODELWIRE_LOG_DEBUG, 7, NULL) == MODELWIRE_OK);
  CHECK(modelwire_queue_log(other, MODELWIRE_LOG_ERROR, 5, NULL) == MODELWIRE_OK);
  set_log(MODELWIRE_LOG_DEBUG, &book);
  submit(client, queue, ECHO_CHAT("echo", "one two"), 1, 6);
  records = records_until(queue, 6, 7);
  end_log();
  CHECK(book.debug > 0 && book.finalizers == 1);
  CHECK(records + records_left(queue, 500) > 0 && records_left(other, 0) == 0);
  modelwire_queue_free(other);
  /* A closed queue has none, and one that is freed ends its own. */
  CHECK(modelwire_queue_log(queue, MODELWIRE_LOG_DEBUG, 7, NULL) == MODELWIRE_OK);
  modelwire_queue_free(queue);
  call_once(client);
  queue = new_queue();
  modelwire_queue_close(queue);
  CHECK_STATUS(modelwire_queue_log(queue, MODELWIRE_LOG_DEBUG, 7, &error), MODELWIRE_E_CLOSED,
               error);
  modelwire_error_free(error);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

/* Nobody takes the log of a queue: it is bounded, and what was dropped is told. */
void log_queue_full(void) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue();
  call_once(client);
  long before_kib = memory_kib();
  CHECK(modelwire_queue_log(queue, MODELWIRE_LOG_TRACE, 1, NULL) == MODELWIRE_OK);
  for (int i = 0; i < 1500; i++) call_once(client);
  CHECK(memory_kib() - before_kib < MORE_KIB_MAX);
  int records = 0, is_told = 0;
  modelwire_event *event = NULL;
  while (modelwire_queue_next(queue, 500, &event) == MODELWIRE_OK) {
    is_told = is_told || contains(modelwire_event_text(event, NULL), "dropped");
    modelwire_event_free(event);
    records++;
  }
  /* 4096 wait at most; what the thread of the log has in its hands comes on top. */
  CHECK(is_told && records >= 4096 && records < 10000);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}
