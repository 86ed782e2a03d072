/*
 * What calls tell at their ends: one record for each, to a function and out of a queue, whatever happens to
 * the call, the client, the library and the process.
 */
#include "check.h"

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

/* What the function of one client was told. It runs on one thread at a time; the test looks behind
 * the semaphores: no lock is needed. */
typedef struct book {
  modelwire_client *client;
  modelwire_value *records[8];
  int count, finalizers;
  int64_t dropped;
  const struct book *earlier;
  sem_t told, over, let_go;
  /* What it does at each record, and returns; may be NULL. */
  int32_t (*act)(struct book *book);
} book;

static void wait_for(sem_t *told) {
  struct timespec end;
  CHECK(clock_gettime(CLOCK_REALTIME, &end) == 0);
  end.tv_sec += PATIENCE_MS / 1000;
  while (sem_timedwait(told, &end) != 0) CHECK(time(NULL) < end.tv_sec);
}

/* What holds of every record. */
static void check_record(const modelwire_event *event) {
  const modelwire_value *record = modelwire_event_value(event);
  size_t length = 0;
  const char *json = modelwire_event_json(event, &length);
  int64_t last_us = 0, start_ms = int_at(record, "/start_unix_ms");
  CHECK(modelwire_event_kind(event) == MODELWIRE_EVENT_CALL && !is_last(event));
  CHECK(modelwire_event_response(event) == NULL && modelwire_event_error(event) == NULL);
  CHECK_TEXT(modelwire_event_text(event, NULL), "");
  CHECK_TEXT(modelwire_event_name(event, NULL), "");
  CHECK(strlen(json) == length && !contains(json, "sk-test"));
  CHECK_TEXT(modelwire_value_json(record, "", 0, NULL), json);
  CHECK(start_ms > INT64_C(1577836800000) && start_ms < INT64_C(4102444800000));
  CHECK(count_at(record, "/attempts") == (size_t)int_at(record, "/attempts_count"));
  for (size_t i = 0; i < count_at(record, "/attempts"); i++) {
    char at[64];
    snprintf(at, sizeof at, "/attempts/%zu/start_us", i);
    CHECK(int_at(record, at) >= last_us);
    snprintf(at, sizeof at, "/attempts/%zu/end_us", i);
    CHECK(int_at(record, at) >= last_us);
    last_us = int_at(record, at);
  }
  CHECK(int_at(record, "/elapsed_us") >= last_us);
  CHECK(int_at(record, "/first_chunk_us") <= int_at(record, "/last_chunk_us"));
  CHECK((int_at(record, "/chunks") > 0) == (int_at(record, "/first_chunk_us") >= 0));
}

static void note(book *notes, const modelwire_event *event) {
  check_record(event);
  if (notes->count < 8) {
    modelwire_value **place = &notes->records[notes->count];
    const char *json = modelwire_event_json(event, NULL);
    CHECK(modelwire_value_new(json, MODELWIRE_NUL, place, NULL) == MODELWIRE_OK);
  }
  notes->count++;
  notes->dropped += event_int(event, "/dropped");
}

static int32_t tell(void *user_data, const modelwire_event *event) {
  book *notes = user_data;
  char name[17];
  thread_name(name);
  CHECK_TEXT(name, "mw-observer");
  CHECK(modelwire_event_tag(event) == 0 && notes->finalizers == 0);
  /* The one before was told first, and is over. */
  CHECK(notes->earlier == NULL || notes->earlier->finalizers == 1);
  note(notes, event);
  int32_t stops = notes->act == NULL ? 0 : notes->act(notes);
  CHECK(sem_post(&notes->told) == 0);
  return stops;
}

static void finish(void *user_data) {
  book *notes = user_data;
  CHECK(notes->finalizers++ == 0);
  CHECK(sem_post(&notes->over) == 0);
}

static book *new_book(modelwire_client *client) {
  book *notes = calloc(1, sizeof *notes);
  CHECK(notes != NULL && sem_init(&notes->told, 0, 0) == 0 && sem_init(&notes->over, 0, 0) == 0);
  CHECK(sem_init(&notes->let_go, 0, 0) == 0);
  notes->client = client;
  return notes;
}

static modelwire_status on_call(book *notes, modelwire_error **error) {
  return modelwire_client_on_call(notes->client, tell, notes, finish, error);
}

/* A function that is told of the calls of a client. */
static book *listen(modelwire_client *client, int32_t (*act)(book *notes)) {
  modelwire_error *error = NULL;
  book *notes = new_book(client);
  notes->act = act;
  CHECK_STATUS(on_call(notes, &error), MODELWIRE_OK, error);
  return notes;
}

static void end_on_call(modelwire_client *client) {
  CHECK(modelwire_client_on_call(client, NULL, NULL, NULL, NULL) == MODELWIRE_OK);
}

/* The next record that the function is told. */
static const modelwire_value *next_record(book *notes) {
  wait_for(&notes->told);
  return notes->records[notes->count - 1];
}

/* It was told so many, and is over. */
static void close_book(book *notes, int expected) {
  wait_for(&notes->over);
  CHECK(notes->count == expected && notes->finalizers == 1);
  for (int i = 0; i < 8; i++) modelwire_value_free(notes->records[i]);
  CHECK(sem_destroy(&notes->told) == 0 && sem_destroy(&notes->over) == 0);
  CHECK(sem_destroy(&notes->let_go) == 0);
  free(notes);
}

static void close_client(modelwire_client *client) {
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_client_close(client, PATIENCE_MS, &error), MODELWIRE_OK, error);
  modelwire_client_free(client);
}

static modelwire_response *call_once(modelwire_client *client) {
  return answer_of(chat_call(client, USAGE_CHAT("echo", "one two")));
}

/* Cancels its call at the first chunk, where it is to. */
static int32_t cancel_at_chunk(void *user_data, const modelwire_event *event) {
  (void)event;
  return *(const int *)user_data;
}

static int32_t operation_of(const char *name) {
  if (strcmp(name, "models") == 0) return MODELWIRE_OPERATION_MODELS;
  return strcmp(name, "chat") == 0 ? MODELWIRE_OPERATION_CHAT : MODELWIRE_OPERATION_RESPONSES;
}

/* Makes the call, and prints the record: that of the function, which the answer or the error has too. */
static void print_record(const char *base_url, const char *operation, const char *way,
                         const char *options, const char *body) {
  modelwire_client *client =
      client_with("{\"base_url\":\"%s\",\"api_key\":\"sk-test\"}", base_url);
  book *notes = listen(client, NULL);
  int32_t kind = operation_of(operation);
  int is_cancelled = strcmp(way, "cancel") == 0, is_gathered = strcmp(way, "gather") == 0;
  modelwire_request *request = NULL;
  modelwire_call *call = NULL;
  modelwire_response *answer = NULL;
  modelwire_error *error = NULL;
  CHECK(modelwire_request_new(kind, kind == MODELWIRE_OPERATION_MODELS ? NULL : body,
                              MODELWIRE_NUL, &request, NULL) == MODELWIRE_OK);
  CHECK(modelwire_request_set_options(request, options, MODELWIRE_NUL, NULL) == MODELWIRE_OK);
  options = is_gathered ? "{\"gather\":true}"
            : strcmp(way, "underneath") == 0 ? "{\"stream_only\":true}" : "{}";
  CHECK(modelwire_request_set_options(request, options, MODELWIRE_NUL, NULL) == MODELWIRE_OK);
  CHECK(modelwire_call_new(client, request, 0, &call, NULL) == MODELWIRE_OK);
  modelwire_status status =
      is_cancelled || is_gathered || strcmp(way, "stream") == 0
          ? modelwire_call_stream(call, cancel_at_chunk, &is_cancelled, &answer, &error)
          : modelwire_call_run(call, &answer, &error);
  const modelwire_value *record = next_record(notes);
  const modelwire_value *of =
      status == MODELWIRE_OK ? modelwire_response_info(answer) : modelwire_error_value(error);
  const char *json = modelwire_value_json(record, "", 0, NULL);
  CHECK((status == MODELWIRE_STOPPED) == is_cancelled);
  if (!is_cancelled) CHECK_TEXT(modelwire_value_json(of, "/timing", MODELWIRE_NUL, NULL), json);
  printf("%s\n", json);
  modelwire_response_free(answer);
  modelwire_error_free(error);
  modelwire_call_free(call);
  modelwire_request_free(request);
  close_client(client);
  close_book(notes, 1);
}

/* The vectors, which the test gives on standard input: each five lines, the base URL, the operation, the way,
 * the options and the request. A record is a line. */
void records_of_the_vectors(void) {
  char lines[5][4096];
  for (;;) {
    for (int i = 0; i < 5; i++) {
      if (fgets(lines[i], sizeof lines[i], stdin) == NULL) {
        CHECK(i == 0);
        return;
      }
      lines[i][strcspn(lines[i], "\n")] = '\0';
    }
    print_record(lines[0], lines[1], lines[2], lines[3], lines[4]);
  }
}

/* What is refused before anything is sent was started all the same; what never was tells nothing. */
void a_call_that_fails_to_start_is_recorded(void) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue();
  book *notes = listen(client, NULL);
  modelwire_call_free(chat_call(client, ECHO_CHAT("echo", "never")));
  submit(client, queue, "{\"model\":\"\",\"messages\":[]}", 1, 5);
  expect_end(queue, 5, MODELWIRE_E_ARGUMENT);
  const modelwire_value *record = next_record(notes);
  CHECK_TEXT(text_at(record, "/kind"), modelwire_status_name(MODELWIRE_E_ARGUMENT));
  CHECK_TEXT(text_at(record, "/metered"), "not_sent");
  CHECK(int_at(record, "/attempts_count") == 0);
  modelwire_queue_free(queue);
  close_client(client);
  close_book(notes, 1);
}

/* A call whose first chunk has come, and that goes on. */
typedef struct {
  modelwire_call *call;
  sem_t began;
} running;

static int32_t say_began(void *user_data, const modelwire_event *event) {
  if (modelwire_event_kind(event) == MODELWIRE_EVENT_CHUNK) {
    CHECK(sem_post(&((running *)user_data)->began) == 0);
  }
  return 0;
}

static void begin(running *one, const modelwire_client *client) {
  CHECK(sem_init(&one->began, 0, 0) == 0);
  one->call = chat_call(client, ECHO_CHAT("m", "x"));
  CHECK(modelwire_call_start(one->call, 1, say_began, one, NULL, NULL) == MODELWIRE_OK);
  wait_for(&one->began);
}

static void *cancel(void *call) {
  modelwire_call_cancel(call);
  return NULL;
}

/* Every way of giving up a call: from another thread, freed in mid-call, with its client, with the
 * library. */
void a_record_names_who_ended_the_call(void) {
  modelwire_client *client = client_of_environment();
  book *notes = listen(client, NULL);
  running one;
  pthread_t thread;
  begin(&one, client);
  CHECK(pthread_create(&thread, NULL, cancel, one.call) == 0);
  const modelwire_value *record = next_record(notes);
  CHECK_TEXT(text_at(record, "/cancelled_by"), "program");
  CHECK_TEXT(text_at(record, "/kind"), "cancelled");
  CHECK_TEXT(text_at(record, "/metered"), "entered");
  CHECK(int_at(record, "/chunks") == 1 && int_at(record, "/status") == 200);
  CHECK(pthread_join(thread, NULL) == 0);
  modelwire_call_free(one.call);
  begin(&one, client);
  modelwire_call_free(one.call);
  CHECK_TEXT(text_at(next_record(notes), "/cancelled_by"), "dropped");
  begin(&one, client);
  CHECK(modelwire_client_close(client, PATIENCE_MS, NULL) == MODELWIRE_OK);
  /* The close has waited for the function too. */
  CHECK(notes->count == 3 && notes->finalizers == 1);
  CHECK_TEXT(text_at(notes->records[2], "/cancelled_by"), "closed");
  modelwire_call_free(one.call);
  /* A closed client has no function any more, and takes none. */
  modelwire_error *error = NULL;
  book *refused = new_book(client);
  CHECK_STATUS(on_call(refused, &error), MODELWIRE_E_CLOSED, error);
  modelwire_error_free(error);
  modelwire_error_free(failure_of(chat_call(client, ECHO_CHAT("m", "x")), MODELWIRE_E_CLOSED));
  end_on_call(client);
  close_book(refused, 0);
  modelwire_client_free(client);
  close_book(notes, 3);
  client = client_of_environment();
  notes = listen(client, NULL);
  begin(&one, client);
  CHECK(modelwire_shutdown(PATIENCE_MS) == MODELWIRE_OK);
  CHECK(notes->count == 1 && notes->finalizers == 1);
  CHECK_TEXT(text_at(notes->records[0], "/cancelled_by"), "shutdown");
  modelwire_call_free(one.call);
  close_book(notes, 1);
  /* It is set anew afterwards. */
  notes = listen(client, NULL);
  begin(&one, client);
  modelwire_call_free(one.call);
  next_record(notes);
  close_client(client);
  close_book(notes, 1);
}

static int32_t do_everything(book *notes) {
  if (notes->count > 1) return 0;
  CHECK(modelwire_client_close(notes->client, 0, NULL) == MODELWIRE_E_CALLBACK);
  CHECK(modelwire_shutdown(0) == MODELWIRE_E_CALLBACK);
  /* Its own calls are told, too. */
  modelwire_response_free(call_once(notes->client));
  modelwire_client_free(notes->client);
  return 0;
}

static int32_t hang(book *notes) {
  CHECK(sem_post(&notes->told) == 0);
  wait_for(&notes->let_go);
  return 0;
}

/* It may call, free the client, and block: no call is changed by that. */
void on_call_runs_on_a_separate_thread(void) {
  modelwire_client *client = client_of_environment();
  book *notes = listen(client, do_everything);
  modelwire_response_free(call_once(client)); /* the function frees it */
  close_book(notes, 2);
  client = client_of_environment();
  notes = listen(client, hang);
  for (int i = 0; i < 3; i++) modelwire_response_free(call_once(client));
  wait_for(&notes->told);
  CHECK(notes->count == 1);
  CHECK(modelwire_client_close(client, 100, NULL) == MODELWIRE_TIMEOUT);
  CHECK(modelwire_shutdown(100) == MODELWIRE_TIMEOUT);
  for (int i = 0; i < 3; i++) CHECK(sem_post(&notes->let_go) == 0);
  CHECK(modelwire_shutdown(PATIENCE_MS) == MODELWIRE_OK && notes->finalizers == 1);
  close_client(client);
  close_book(notes, 3);
}

static int32_t stop(book *notes) {
  CHECK(notes->count == 1);
  return 1;
}

/* One at a time, in order, each told what is due; a finalizer once on every path. */
void a_client_has_one_on_call_callback_at_a_time(void) {
  modelwire_client *client = client_of_environment();
  book *first = listen(client, NULL), *second = new_book(client), *third;
  second->earlier = first;
  for (int i = 0; i < 3; i++) modelwire_response_free(call_once(client));
  CHECK(on_call(second, NULL) == MODELWIRE_OK);
  modelwire_response_free(call_once(client));
  end_on_call(client);
  modelwire_response_free(call_once(client));
  end_on_call(client);
  wait_for(&second->over);
  CHECK(sem_post(&second->over) == 0);
  close_book(first, 3);
  close_book(second, 1);
  /* One that has had enough. */
  third = listen(client, stop);
  for (int i = 0; i < 3; i++) modelwire_response_free(call_once(client));
  close_book(third, 1);
  /* What fails ends what it was given, and leaves the one that there is. */
  first = listen(client, NULL);
  second = new_book(NULL);
  modelwire_error *error = NULL;
  CHECK_STATUS(on_call(second, &error), MODELWIRE_E_ARGUMENT, error);
  modelwire_error_free(error);
  close_book(second, 0);
  modelwire_response_free(call_once(client));
  close_client(client);
  close_book(first, 1);
}

/* The function lives as long as the client and its calls. */
void the_last_call_of_a_dropped_client_is_recorded(void) {
  modelwire_client *client = client_of_environment();
  book *notes = listen(client, NULL);
  running one;
  begin(&one, client);
  modelwire_client_free(client);
  CHECK(notes->count == 0 && notes->finalizers == 0);
  modelwire_call_cancel(one.call);
  CHECK_TEXT(text_at(next_record(notes), "/cancelled_by"), "program");
  modelwire_call_free(one.call);
  close_book(notes, 1);
  /* One without a call: at once. */
  client = client_of_environment();
  notes = listen(client, NULL);
  modelwire_client_free(client);
  close_book(notes, 0);
}

/* Too many for a function that blocks: they are counted, and memory is bounded. */
void dropped_call_records_are_counted(void) {
  enum { WAITING_MAX = 4096, MORE = 3 };
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue();
  book *notes = listen(client, NULL);
  modelwire_event *event = NULL;
  int64_t dropped = 0;
  int count = 0;
  CHECK(modelwire_queue_follow_calls(queue, client, 1, 9, NULL) == MODELWIRE_OK);
  for (int i = 0; i < WAITING_MAX + MORE; i++) {
    modelwire_queue *own = new_queue();
    submit(client, own, "{\"model\":\"\",\"messages\":[]}", 0, 1);
    expect_end(own, 1, MODELWIRE_E_ARGUMENT);
    modelwire_queue_free(own);
  }
  while (modelwire_queue_next(queue, 0, &event) == MODELWIRE_OK) {
    dropped += event_int(event, "/dropped");
    CHECK(event_int(event, "/dropped") == (count++ == 0 ? MORE : 0));
    modelwire_event_free(event);
  }
  CHECK(count == WAITING_MAX && dropped == MORE);
  /* A function that is quick enough loses none; whether this one was is its own business. */
  modelwire_queue_free(queue);
  modelwire_client_close(client, -1, NULL);
  CHECK(notes->count + notes->dropped == WAITING_MAX + MORE);
  modelwire_client_free(client);
  close_book(notes, notes->count);
}

/* The next event, a record under a tag of this queue. */
static void expect_record(const modelwire_queue *queue, uint64_t tag) {
  modelwire_event *event = next(queue);
  check_record(event);
  CHECK(modelwire_event_tag(event) == tag);
  modelwire_event_free(event);
}

/* Records of two clients among the events of calls: no thread of the library enters the program. */
void a_queue_follows_the_calls_of_clients(void) {
  modelwire_client *first = client_of_environment(), *second = client_of_environment();
  modelwire_queue *queue = new_queue();
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_queue_follow_calls(queue, first, 1, 10, &error), MODELWIRE_OK, error);
  CHECK(modelwire_queue_follow_calls(queue, second, 1, 20, NULL) == MODELWIRE_OK);
  CHECK(modelwire_queue_count(queue) == 0);
  modelwire_response_free(call_once(second));
  expect_record(queue, 20);
  /* Another tag, which clients share: what waits has it too. */
  modelwire_response_free(call_once(second));
  CHECK(modelwire_queue_follow_calls(queue, second, 1, 10, NULL) == MODELWIRE_OK);
  expect_record(queue, 10);
  /* A call of the queue: its last event and its record, in any order. */
  submit(first, queue, ECHO_CHAT("echo", "x"), 0, 7);
  for (int kinds = 0; kinds != 3;) {
    modelwire_event *event = next(queue);
    int is_record = modelwire_event_kind(event) == MODELWIRE_EVENT_CALL;
    CHECK(modelwire_event_tag(event) == (is_record ? 10u : 7u));
    CHECK((kinds & (1 << is_record)) == 0);
    kinds |= 1 << is_record;
    modelwire_event_free(event);
  }
  /* The end: what waits is lost. */
  modelwire_response_free(call_once(second));
  CHECK(modelwire_queue_follow_calls(queue, second, 0, 0, NULL) == MODELWIRE_OK);
  modelwire_response_free(call_once(second));
  expect_none(queue, MODELWIRE_TIMEOUT);
  /* A freed client is followed until its last call has ended; a close loses nothing. */
  CHECK(modelwire_queue_follow_calls(queue, second, 1, 20, NULL) == MODELWIRE_OK);
  modelwire_call *call = chat_call(second, ECHO_CHAT("echo", "x"));
  modelwire_client_free(second);
  modelwire_response_free(answer_of(call));
  modelwire_response_free(call_once(first));
  modelwire_queue_close(queue);
  expect_record(queue, 20);
  expect_record(queue, 10);
  expect_none(queue, MODELWIRE_CLOSED);
  modelwire_response_free(call_once(first));
  expect_none(queue, MODELWIRE_CLOSED);
  CHECK_STATUS(modelwire_queue_follow_calls(queue, first, 1, 10, &error), MODELWIRE_E_CLOSED,
               error);
  modelwire_error_free(error);
  modelwire_queue_free(queue);
  modelwire_client_free(first);
}

/* A child is told nothing that the parent asked for, and may ask for itself. */
void a_forked_child_gets_no_records_of_its_parent(void) {
  modelwire_client *client = client_of_environment();
  book *notes = listen(client, NULL);
  modelwire_response_free(call_once(client));
  next_record(notes);
  long pid = fork_here();
  if (pid == 0) {
    modelwire_response_free(call_once(client));
    book *own = listen(client, NULL);
    modelwire_response_free(call_once(client));
    close_client(client);
    CHECK(notes->count == 1 && notes->finalizers == 0);
    close_book(own, 1);
    leave_child(0);
  }
  CHECK(child_succeeded(pid));
  modelwire_response_free(call_once(client));
  close_client(client);
  close_book(notes, 2);
}

typedef struct {
  int count, finalizers;
  int32_t gives;
} hook;

static int32_t before(void *user_data, const modelwire_attempt *attempt) {
  hook *own = user_data;
  size_t length = 0;
  const char *body = modelwire_attempt_body(attempt, &length);
  CHECK(strlen(body) == length && contains(body, "\"model\":\"echo\""));
  CHECK(contains(modelwire_attempt_json(attempt, NULL), "\"operation\":\"chat\""));
  CHECK(contains(modelwire_attempt_json(attempt, NULL), "\"number\":1"));
  own->count++;
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_attempt_set_header(attempt, "a b", MODELWIRE_NUL, "x", 1, &error),
               MODELWIRE_E_ARGUMENT, error);
  modelwire_error_free(error);
  CHECK(modelwire_attempt_set_header(attempt, "x-seen", 6, "yes", MODELWIRE_NUL, NULL) ==
        MODELWIRE_OK);
  CHECK(modelwire_shutdown(0) == MODELWIRE_E_CALLBACK);
  return own->gives;
}

static void end_hook(void *user_data) { ((hook *)user_data)->finalizers++; }

/* It may refuse an attempt, of which nothing is sent; its data is released once. */
void a_callback_runs_before_each_attempt(void) {
  modelwire_client *client = client_of_environment();
  modelwire_error *error = NULL;
  hook first = {0, 0, 0}, second = {0, 0, 7};
  CHECK(modelwire_client_before_attempt(client, before, &first, end_hook, &error) == MODELWIRE_OK);
  modelwire_response_free(call_once(client));
  CHECK(first.count == 1 && first.finalizers == 0);
  CHECK(modelwire_client_before_attempt(client, before, &second, end_hook, &error) == MODELWIRE_OK);
  CHECK(first.finalizers == 1);
  error = failure_of(chat_call(client, ECHO_CHAT("echo", "x")), MODELWIRE_E_CALLBACK);
  CHECK_TEXT(modelwire_error_message(error, NULL),
             "before_attempt refused the attempt: it returned 7");
  CHECK_TEXT(error_text(error, "/metered"), "not_sent");
  modelwire_error_free(error);
  CHECK(modelwire_client_before_attempt(client, NULL, NULL, NULL, &error) == MODELWIRE_OK);
  CHECK(second.count == 1 && second.finalizers == 1);
  modelwire_response_free(call_once(client));
  CHECK(modelwire_client_before_attempt(client, before, &first, end_hook, &error) == MODELWIRE_OK);
  close_client(client);
  CHECK(first.count == 1 && first.finalizers == 2 && second.finalizers == 1);
}
