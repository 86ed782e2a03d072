/*
 * Threads, processes and the ends of handles and of the library.
 */
#include "check.h"

#include <pthread.h>

#define THREADS 8
#define CALLS_EACH 20

typedef struct {
  const modelwire_client *client;
  int number;
} worker;

static void *work(void *argument) {
  const worker *own = argument;
  for (int i = 0; i < CALLS_EACH; i++) {
    char json[200], text[32];
    snprintf(text, sizeof text, "thread %d call %d", own->number, i);
    snprintf(json, sizeof json, USAGE_CHAT("echo", "%s"), text);
    modelwire_call *call = chat_call(own->client, json);
    modelwire_response *answer = NULL;
    modelwire_error *error = NULL;
    /* Every other call streams. */
    if (i % 2 == 0) {
      CHECK_STATUS(modelwire_call_run(call, &answer, &error), MODELWIRE_OK, error);
      CHECK_TEXT(modelwire_response_text(answer, NULL), text);
    } else {
      gathered all = {0};
      CHECK_STATUS(modelwire_call_stream(call, gather, &all, &answer, &error), MODELWIRE_OK,
                   error);
      CHECK_TEXT(all.text, text);
    }
    modelwire_response_free(answer);
    modelwire_call_free(call);
  }
  return NULL;
}

void threads(void) {
  modelwire_client *client = client_of_environment();
  pthread_t running[THREADS];
  worker workers[THREADS];
  for (int i = 0; i < THREADS; i++) {
    workers[i] = (worker){client, i};
    CHECK(pthread_create(&running[i], NULL, work, &workers[i]) == 0);
  }
  for (int i = 0; i < THREADS; i++) CHECK(pthread_join(running[i], NULL) == 0);
  CHECK(usage_of(client, "/calls") == THREADS * CALLS_EACH);
  /* Four words there and four back. */
  CHECK(usage_of(client, "/total_tokens") == THREADS * CALLS_EACH * 8);
  modelwire_client_free(client);
}

/* Several I/O threads: their number is set before the first call, and eight threads that call at once
 * get whole answers. */
void io_threads(void) {
  modelwire_error *error = NULL;
  CHECK(modelwire_set_io_threads(0, &error) == MODELWIRE_E_CONFIG);
  CHECK(strstr(modelwire_error_message(error, NULL), "must be 1 to 16") != NULL);
  modelwire_error_free(error);
  CHECK(modelwire_set_io_threads(17, NULL) == MODELWIRE_E_CONFIG);
  CHECK_STATUS(modelwire_set_io_threads(4, &error), MODELWIRE_OK, error);
  threads();
  CHECK(modelwire_set_io_threads(3, NULL) == MODELWIRE_E_CONFIG);
  CHECK(modelwire_shutdown(PATIENCE_MS) == MODELWIRE_OK);
  CHECK(modelwire_set_io_threads(1, NULL) == MODELWIRE_OK);
}

/* The library starts afresh when it is used again: what was made before works, and what is made
 * after; what was given before stays. */
void shutdown_then_call(void) {
  modelwire_client *client = client_of_environment();
  modelwire_response *answer = answer_of(chat_call(client, ECHO_CHAT("echo", "before")));
  modelwire_call *waiting = chat_call(client, ECHO_CHAT("echo", "after"));
  modelwire_queue *queue = new_queue();
  CHECK(modelwire_shutdown(30000) == MODELWIRE_OK);
  CHECK(modelwire_shutdown(-1) == MODELWIRE_OK);
  CHECK_TEXT(modelwire_response_text(answer, NULL), "before");
  modelwire_response_free(answer);
  answer = answer_of(waiting);
  CHECK_TEXT(modelwire_response_text(answer, NULL), "after");
  modelwire_response_free(answer);
  modelwire_response_free(answer_of(models_call(client)));
  for (int round = 0; round < 3; round++) {
    submit(client, queue, ECHO_CHAT("echo", "one two"), 1, 7);
    expect_end(queue, 7, MODELWIRE_OK);
    CHECK(modelwire_shutdown(30000) == MODELWIRE_OK);
  }
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

static void *shut_down_at_cue(void *argument) {
  int64_t *asked_ms = argument;
  wait_for_cue();
  *asked_ms = now_ms();
  CHECK(modelwire_shutdown(30000) == MODELWIRE_OK);
  return NULL;
}

void shutdown_blocked(void) {
  modelwire_client *client = client_of_environment();
  modelwire_call *call = chat_call(client, ECHO_CHAT("m", "x"));
  pthread_t thread;
  int64_t asked_ms = 0;
  CHECK(pthread_create(&thread, NULL, shut_down_at_cue, &asked_ms) == 0);
  modelwire_error *error = failure_of(call, MODELWIRE_E_SHUTDOWN);
  int64_t returned_ms = now_ms();
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(returned_ms - asked_ms < PROMPT_MS);
  CHECK_TEXT(error_text(error, "/metered"), "unknown");
  modelwire_error_free(error);
  modelwire_client_free(client);
}

/* What a child inherits: a client that it can use and a call that it cannot. */
static int child(const modelwire_client *client, modelwire_call *inherited) {
  modelwire_response *answer = NULL;
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_call_run(inherited, &answer, &error), MODELWIRE_E_FORKED, error);
  modelwire_error_free(error);
  modelwire_call_free(inherited);
  answer = answer_of(chat_call(client, ECHO_CHAT("echo", "in the child")));
  CHECK_TEXT(modelwire_response_text(answer, NULL), "in the child");
  modelwire_response_free(answer);
  return 0;
}

void forked(void) {
  modelwire_client *client = client_of_environment();
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("echo", "in the parent"))));
  modelwire_call *call = chat_call(client, ECHO_CHAT("echo", "later"));
  long pid = fork_here();
  if (pid == 0) leave_child(child(client, call));
  CHECK(child_succeeded(pid));
  modelwire_response *answer = answer_of(call);
  CHECK_TEXT(modelwire_response_text(answer, NULL), "later");
  modelwire_response_free(answer);
  modelwire_client_free(client);
}

/* The process that a callback forks off at the first event; 0 in that process, -1 before. */
typedef struct {
  long pid;
  gathered all;
} fork_once;

static int32_t fork_at_first_event(void *user_data, const modelwire_event *event) {
  fork_once *once = user_data;
  if (once->pid == -1) once->pid = fork_here();
  return gather(&once->all, event);
}

/* In mid-stream: the parent's stream goes on, the child's copy of it ends with an error. */
void forked_in_stream(void) {
  modelwire_client *client = client_of_environment();
  modelwire_call *call = chat_call(client, ECHO_CHAT("echo", "one two three"));
  modelwire_response *end = NULL;
  modelwire_error *error = NULL;
  fork_once once = {.pid = -1};
  modelwire_status status =
      modelwire_call_stream(call, fork_at_first_event, &once, &end, &error);
  if (once.pid == 0) {
    CHECK_STATUS(status, MODELWIRE_E_FORKED, error);
    modelwire_error_free(error);
    modelwire_call_cancel(call);
    leave_child(child(client, call));
  }
  CHECK_STATUS(status, MODELWIRE_OK, error);
  CHECK_TEXT(once.all.text, "one two three");
  CHECK(child_succeeded(once.pid));
  modelwire_response_free(end);
  modelwire_call_free(call);
  modelwire_client_free(client);
}

/* Parents may go first: a call outlives its client and its request. */
void free_order(void) {
  modelwire_client *client = client_with("{\"headers\":{\"X-Example\":\"yes\"}}");
  modelwire_call *call = chat_call(client, ECHO_CHAT("echo", "orphan"));
  modelwire_client_free(client);
  modelwire_response *answer = answer_of(call);
  CHECK_TEXT(modelwire_response_text(answer, NULL), "orphan");
  modelwire_response_free(answer);

  /* Calls that never ran, and handles that are not there. */
  client = client_of_environment();
  modelwire_call_free(chat_call(client, ECHO_CHAT("echo", "never")));
  modelwire_client_free(client);
}

/* The service closes while a large request is written, by this thread, which waits alone; the
   signal of a broken pipe would end the program. */
void broken_pipe(void) {
  const size_t size = 8u << 20;
  const char head[] = "{\"model\":\"echo\",\"messages\":[{\"role\":\"user\",\"content\":\"";
  char *json = malloc(size + sizeof head + 8);
  CHECK(json != NULL);
  default_sigpipe();
  memcpy(json, head, sizeof head - 1);
  memset(json + sizeof head - 1, 'x', size);
  strcpy(json + sizeof head - 1 + size, "\"}]}");
  modelwire_client *client = client_of_environment();
  for (int i = 0; i < 24; i++) {
    const int is_large = i % 8 == 7;
    modelwire_call *call = chat_call(client, is_large ? json : ECHO_CHAT("echo", "x"));
    modelwire_response *answer = NULL;
    modelwire_error *error = NULL;
    int32_t status = modelwire_call_run(call, &answer, &error);
    CHECK_STATUS(status, is_large ? MODELWIRE_E_DISCONNECTED : MODELWIRE_OK, error);
    modelwire_error_free(error);
    modelwire_response_free(answer);
    modelwire_call_free(call);
  }
  check_sigpipe();
  modelwire_client_free(client);
  free(json);
}
