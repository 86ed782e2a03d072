/*
 * Every function, by chance: four threads call them with good and bad arguments, over handles of
 * their own and handles that they share. What each gives is held against what the header promises
 * of all functions; the rest is for the sanitizers.
 *
 * A thread that is given the same seed makes the same choices. What it waits for may differ. The
 * environment gives TEST_SEED, and in TEST_MS how long it takes.
 */
#include "check.h"

#include <pthread.h>

enum { THREADS = 4, OWN = 4, SHARED = 2, CALL_MS = 150 };

/* What threads may use at the same time: only functions that take `const` are called with it. Those
 * who use it have the lock for reading, and who replaces one of them has it for writing. */
static struct {
  pthread_rwlock_t lock;
  modelwire_client *clients[SHARED];
  modelwire_queue *queues[SHARED];
  modelwire_call *calls[SHARED];
  modelwire_request *requests[SHARED];
  modelwire_event *events[SHARED];
  modelwire_value *values[SHARED];
} all;

/* How many callbacks have a finalizer that is still to come. */
static struct {
  pthread_mutex_t lock;
  long tokens, made;
} count;

/* A thread and its own handles. */
typedef struct {
  uint64_t state, steps;
  int number;
  int64_t until_ms;
  modelwire_client *clients[OWN];
  modelwire_queue *queues[OWN];
  modelwire_call *calls[OWN];
  modelwire_request *requests[OWN];
  modelwire_event *events[OWN];
  modelwire_response *responses[OWN];
  modelwire_error *errors[OWN];
  modelwire_value *values[OWN];
} fuzzer;

static uint32_t chance(fuzzer *own, uint32_t below) {
  /* xorshift64* */
  own->state ^= own->state >> 12;
  own->state ^= own->state << 25;
  own->state ^= own->state >> 27;
  return (uint32_t)((own->state * UINT64_C(2685821657736338717)) >> 33) % below;
}

/* A text and what is given as its length. */
typedef struct {
  const char *bytes;
  size_t length;
} text;

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof *(array)))
#define SOME(own, array) ((array)[chance(own, COUNT(array))])

static const char *const REQUESTS[] = {
    ECHO_CHAT("echo", "one two three"),
    USAGE_CHAT("echo-reasoning", "one"),
    ECHO_CHAT("slow", "one two three four five six"),
    ECHO_CHAT("cut", "1 2 3 4 5"),
    ECHO_CHAT("error-in-stream", "1 2 3 4"),
    ECHO_CHAT("broken", "x"),
    ECHO_CHAT("no-such", "x"),
    ECHO_CHAT("echo-stream-only", "x"),
    ECHO_CHAT("echo-tools", "x"),
    "{\"model\":\"echo\",\"input\":\"one two\"}",
    "{\"model\":\"echo\",\"messages\":[],\"stream\":true}",
    "{\"model\":\"echo\"}",
    "{}",
    "[]",
    "{\"model\":\"echo\",\"messages\":[}",
    "{\"model\":\"echo\",\"messages\":[{\"role\":\"user\",\"content\":\"\xff\"}]}",
    "\xf0\x9f\x98",
    "",
    "null",
};

static const char *const OPTIONS[] = {
    "{}",
    "{\"max_retries\":0,\"total_timeout_ms\":100}",
    "{\"gather\":true}",
    "{\"stream_only\":true}",
    "{\"queue_events_max\":1}",
    "{\"queue_bytes_max\":100,\"connections_max\":2}",
    "{\"headers\":{\"x-a\":\"b\"},\"query\":{\"q\":\"1\"}}",
    "{\"without_headers\":[\"x-a\"]}",
    "{\"api_key\":\"sk-wrong\"}",
    "{\"idle_timeout_ms\":null,\"retry_jitter\":0.5}",
    "{\"idle_timeout\":1}",
    "{\"gather\":7}",
    "{\"gather\":true,\"gather\":false}",
    "{",
    "\xff",
    "",
    "7",
};

static const char *const TEXTS[] = {"model", "echo", "user", "a \"quoted\" \\ text", "\n\t\x01",
                                    "\xc3\xa9\xf0\x9f\x98\x80", "\xff", "\xc3", "",
                                    "messages", "input", "max_tokens", "seed", "stream"};

static const char *const JSONS[] = {"1", "null", "[1,2,{\"a\":[]}]",
                                    "{\"a\":{\"b\":\"c\\u0000d\"}}",
                                    "\"\\ud83d\\ude00\"", "\"\\ud83d\"", "-0.5e300", "1e999",
                                    "[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]", "{\"a\":1,\"a\":2}",
                                    "tru", "", "\xff", "[1,]", "18446744073709551616"};

static const char *const PATHS[] = {"", "/", "/a", "/a/b", "/0", "/2/a", "/-1", "/00", "~", "/~",
                                    "/~0~1", "/\xff", "/choices/0/delta/content", "/usage",
                                    "/headers/0/name", "/message", "/tool_calls/0/id", "a"};

/* Mostly as it is; sometimes NULL, or with another length. */
static text varied(fuzzer *own, const char *bytes) {
  switch (chance(own, 16)) {
    case 0:
      return (text){NULL, chance(own, 3)};
    case 1:
      return (text){NULL, MODELWIRE_NUL};
    case 2:
      return (text){bytes, 0};
    case 3:
      return (text){bytes, chance(own, (uint32_t)strlen(bytes) + 1)};
    case 4:
      /* Longer than any text that is taken: refused before a byte is read. */
      return (text){bytes, SIZE_MAX - 1 - chance(own, 9)};
    case 5:
    case 6:
    case 7:
      return (text){bytes, strlen(bytes)};
    default:
      return (text){bytes, MODELWIRE_NUL};
  }
}

static const int32_t OPERATIONS[] = {MODELWIRE_OPERATION_CHAT,   MODELWIRE_OPERATION_CHAT,
                                     MODELWIRE_OPERATION_CHAT,   MODELWIRE_OPERATION_CHAT,
                                     MODELWIRE_OPERATION_MODELS, MODELWIRE_OPERATION_RESPONSES,
                                     0,                          4,
                                     -1,                         INT32_MAX};

static const uint32_t FLAGS[] = {0, 0, MODELWIRE_INTERRUPTIBLE, MODELWIRE_SOCKET, 3, 4, UINT32_MAX};

static uint64_t tag(fuzzer *own) {
  static const uint64_t TAGS[] = {0, 1, 2, 3, 4, UINT64_MAX};
  return SOME(own, TAGS);
}

static int32_t wait_ms(fuzzer *own) { return (int32_t)chance(own, 6); }

/* What all functions promise of their status and of what they give. */
static void judge(fuzzer *own, modelwire_status status, modelwire_error **err) {
  CHECK(status <= MODELWIRE_INTERRUPTED && status >= MODELWIRE_E_CALLBACK);
  CHECK(strcmp(modelwire_status_name(status), "unknown_status") != 0);
  if (err == NULL) return;
  CHECK((*err != NULL) == (status < 0));
  CHECK(modelwire_error_status(*err) == (status < 0 ? status : 0));
  if (*err == NULL) return;
  CHECK(modelwire_error_message(*err, NULL) != NULL);
  modelwire_error **place = &own->errors[chance(own, OWN)];
  modelwire_error_free(*place);
  *place = *err;
}

/* A place for an error, with what nobody may read in it; or none. */
#define WITH_ERROR                                                       \
  modelwire_error *error = (modelwire_error *)(void *)own;              \
  modelwire_error **err = chance(own, 4) == 0 ? NULL : &error

/* A place for an output, or none; what is made goes into one of the thread's own places. */
#define WITH_OUT(type)                          \
  type *made = (type *)(void *)own;             \
  type **out = chance(own, 40) == 0 ? NULL : &made

#define KEEP(type, places, free_function, status)                \
  do {                                                           \
    if (out == NULL) break;                                      \
    CHECK((made != NULL) == ((status) == MODELWIRE_OK));         \
    if (made == NULL) break;                                     \
    type **place = &(places)[chance(own, OWN)];                  \
    free_function(*place);                                       \
    *place = made;                                               \
  } while (0)

/* One of the thread's own handles, one that all share, or NULL. */
#define ONE(name) \
  (chance(own, 3) == 0 ? SOME(own, all.name) : SOME(own, own->name))

/* What a callback is given, and frees at its end. */
typedef struct {
  fuzzer own;
  int events, ends;
} token;

static token *new_token(fuzzer *of) {
  token *fresh = calloc(1, sizeof *fresh);
  CHECK(fresh != NULL);
  fresh->own.state = of->state | 1;
  pthread_mutex_lock(&count.lock);
  count.tokens++;
  count.made++;
  pthread_mutex_unlock(&count.lock);
  return fresh;
}

static void free_token(void *user_data) {
  free(user_data);
  pthread_mutex_lock(&count.lock);
  count.tokens--;
  CHECK(count.tokens >= 0);
  pthread_mutex_unlock(&count.lock);
}

static void look_at_value(fuzzer *own, const modelwire_value *value) {
  text path = varied(own, SOME(own, PATHS));
  size_t length = 77;
  int64_t whole = 0;
  double number = 0;
  const char *found = modelwire_value_text(value, path.bytes, path.length, &length);
  CHECK(found == NULL ? length == 0 : found[length] == '\0');
  found = modelwire_value_json(value, path.bytes, path.length, &length);
  CHECK(found == NULL ? length == 0 : found[length] == '\0');
  judge(own, modelwire_value_int(value, path.bytes, path.length, &whole), NULL);
  judge(own, modelwire_value_number(value, path.bytes, path.length, &number), NULL);
  size_t count = modelwire_value_count(value, path.bytes, path.length);
  CHECK(count < 1000);
  found = modelwire_value_name(value, path.bytes, path.length, 
                               chance(own, (uint32_t)count + 2), &length);
  CHECK(found == NULL ? length == 0 : found[length] == '\0');
}

static void look_at_response(fuzzer *own, const modelwire_response *response) {
  size_t length = 77;
  const char *found = modelwire_response_text(response, &length);
  CHECK(found == NULL ? length == 0 : found[length] == '\0');
  found = modelwire_response_json(response, chance(own, 2) ? &length : NULL);
  CHECK((found == NULL) == (response == NULL));
  int32_t reason = modelwire_response_finish_reason(response);
  CHECK(reason >= MODELWIRE_FINISH_NONE && reason <= MODELWIRE_FINISH_OTHER);
  CHECK(modelwire_response_tokens(response, (int32_t)chance(own, 8)) >= -1);
  look_at_value(own, modelwire_response_value(response));
  look_at_value(own, modelwire_response_info(response));
}

static void look_at_error(fuzzer *own, const modelwire_error *error) {
  size_t length = 77;
  const char *found = modelwire_error_report(error, &length);
  CHECK(found == NULL ? length == 0 : found[length] == '\0');
  found = modelwire_error_json(error, &length);
  CHECK(found == NULL ? error == NULL : found[length - 1] == '}');
  CHECK((modelwire_error_message(error, NULL) == NULL) == (error == NULL));
  CHECK((modelwire_error_status(error) == 0) == (error == NULL));
  look_at_value(own, modelwire_error_value(error));
}

static void look_at_event(fuzzer *own, const modelwire_event *event) {
  size_t length = 77;
  int32_t kind = modelwire_event_kind(event);
  CHECK(event == NULL ? kind == 0 : kind >= 1 && kind <= MODELWIRE_EVENT_CALL);
  const char *found = modelwire_event_text(event, &length);
  CHECK(found == NULL ? length == 0 : found[length] == '\0');
  found = modelwire_event_json(event, &length);
  CHECK(found == NULL ? length == 0 : found[length] == '\0');
  found = modelwire_event_name(event, &length);
  CHECK(found == NULL ? length == 0 : found[length] == '\0');
  look_at_value(own, modelwire_event_value(event));
  look_at_value(own, modelwire_event_info(event));
  if (event != NULL) (void)is_last(event);
  look_at_response(own, modelwire_event_response(event));
  look_at_error(own, modelwire_event_error(event));
  CHECK(event != NULL || modelwire_event_tag(event) == 0);
  modelwire_event *events[1] = {(modelwire_event *)event}; /* which is only read */
  char text[64];
  uint32_t parts = chance(own, 8), room = chance(own, sizeof text + 1);
  size_t lengths[3], read = modelwire_event_read_all(events, 1, parts, NULL, NULL, lengths, text, room);
  CHECK(read <= 1 && (parts != 0 || read == 1) && events[0] == event);
}

/* Several threads run it. */
static int32_t before_attempt(void *user_data, const modelwire_attempt *attempt) {
  CHECK(user_data == NULL && modelwire_attempt_json(attempt, NULL)[0] == '{');
  CHECK(modelwire_attempt_body(attempt, NULL) != NULL);
  CHECK(modelwire_attempt_set_header(attempt, "x-a", 3, "b", 1, NULL) == MODELWIRE_OK);
  return 0;
}

/* A callback of a call, of the log or of a client; it may look, and do what is refused inside of it. */
static int32_t on_event(void *user_data, const modelwire_event *event) {
  token *seen = user_data;
  fuzzer *own = &seen->own;
  seen->events++;
  look_at_event(own, event);
  if (chance(own, 8) == 0) CHECK(modelwire_shutdown(0) == MODELWIRE_E_CALLBACK);
  if (chance(own, 8) == 0) sleep_ms(1); /* clock: a callback that takes its time */
  for (int i = 0; i < OWN; i++) {
    modelwire_error_free(own->errors[i]);
    own->errors[i] = NULL;
  }
  int32_t kind = modelwire_event_kind(event);
  if (kind == MODELWIRE_EVENT_LOG || kind == MODELWIRE_EVENT_CALL) return chance(own, 50) == 0;
  CHECK(seen->ends == 0);
  seen->ends += is_last(event);
  return chance(own, 6) == 0;
}

/* The same on the thread that runs the call, where nothing is refused. */
static int32_t on_own_event(void *user_data, const modelwire_event *event) {
  fuzzer *own = user_data;
  look_at_event(own, event);
  CHECK(modelwire_event_kind(event) == MODELWIRE_EVENT_CHUNK && modelwire_event_tag(event) == 0);
  return chance(own, 8) == 0;
}

static modelwire_client *fuzzed_client(int connections) {
  return client_with("{\"max_retries\":0,\"total_timeout_ms\":%d,\"connections_max\":%d}", CALL_MS,
                     connections);
}

static void use_library(fuzzer *own) {
  WITH_ERROR;
  switch (chance(own, 9)) {
    case 0:
      CHECK(modelwire_version_number() == MODELWIRE_VERSION_NUMBER);
      judge(own, modelwire_set_io_threads(chance(own, 5), err), err); /* refused while some run */
      break;
    case 1:
      (void)modelwire_check_abi(chance(own, 3));
      break;
    case 2:
      CHECK(modelwire_status_name((modelwire_status)chance(own, 40) - 30)[0] != '\0');
      break;
    case 3:
      if (chance(own, 20) == 0) judge(own, modelwire_shutdown(wait_ms(own)), NULL);
      break;
    case 4: {
      token *seen = chance(own, 4) != 0 ? new_token(own) : NULL;
      judge(own,
            modelwire_client_on_call(ONE(clients), seen != NULL ? on_event : NULL, seen,
                                     seen != NULL ? free_token : NULL, err),
            err);
      break;
    }
    case 5: {
      const int is_set = chance(own, 2) != 0;
      judge(own,
            modelwire_client_before_attempt(ONE(clients), is_set ? before_attempt : NULL, NULL,
                                            NULL, err),
            err);
      break;
    }
    case 6:
      judge(own,
            modelwire_queue_follow_calls(ONE(queues), ONE(clients), chance(own, 3) != 0, tag(own),
                                         err),
            err);
      break;
    default: {
      int32_t level = (int32_t)chance(own, 8) - 1;
      judge(own, modelwire_queue_log(ONE(queues), level, tag(own), err), err);
      break;
    }
  }
}

static void use_client(fuzzer *own) {
  WITH_ERROR;
  switch (chance(own, 8)) {
    case 0:
    case 1: {
      WITH_OUT(modelwire_client);
      text options = varied(own, SOME(own, OPTIONS));
      modelwire_status status = modelwire_client_new(options.bytes, options.length, out, err);
      judge(own, status, err);
      KEEP(modelwire_client, own->clients, modelwire_client_free, status);
      break;
    }
    case 2: {
      /* One that is bounded in time, so that this ends. */
      modelwire_client **place = &own->clients[chance(own, OWN)];
      modelwire_client_free(*place);
      *place = fuzzed_client(3);
      break;
    }
    case 3:
      if (chance(own, 4) == 0) {
        judge(own, modelwire_client_close(ONE(clients), wait_ms(own), err), err);
      }
      break;
    case 4: {
      modelwire_client **place = &SOME(own, own->clients);
      modelwire_client_free(*place);
      *place = NULL;
      break;
    }
    default: {
      const modelwire_client *client = ONE(clients);
      int32_t reset = (int32_t)chance(own, 3);
      modelwire_value *usage = modelwire_client_usage(client, reset);
      CHECK((usage == NULL) == (client == NULL || reset > 1));
      look_at_value(own, usage);
      modelwire_value_free(usage);
    }
  }
}

static void use_request(fuzzer *own) {
  WITH_ERROR;
  modelwire_request *request = SOME(own, own->requests);
  text name = varied(own, SOME(own, TEXTS)), value = varied(own, SOME(own, TEXTS));
  text json = varied(own, SOME(own, JSONS)), options = varied(own, SOME(own, OPTIONS));
  switch (chance(own, 14)) {
    case 0:
    case 1: {
      WITH_OUT(modelwire_request);
      text whole = varied(own, SOME(own, REQUESTS));
      modelwire_status status =
          modelwire_request_new(SOME(own, OPERATIONS), whole.bytes, whole.length, out, err);
      judge(own, status, err);
      KEEP(modelwire_request, own->requests, modelwire_request_free, status);
      break;
    }
    case 2:
      judge(own,
            modelwire_request_add_message(request, name.bytes, name.length, value.bytes,
                                          value.length, err),
            err);
      break;
    case 3:
      judge(own,
            modelwire_request_set_text(request, name.bytes, name.length, value.bytes, value.length,
                                       err),
            err);
      break;
    case 4:
      judge(own,
            modelwire_request_set_json(request, name.bytes, name.length, json.bytes, json.length,
                                       err),
            err);
      break;
    case 5:
      judge(own, modelwire_request_set_options(request, options.bytes, options.length, err), err);
      break;
    case 6: {
      const char *type = chance(own, 2) ? "text" : "image/png";
      judge(own,
            modelwire_request_add_part(request, type, MODELWIRE_NUL, value.bytes, value.length,
                                       err),
            err);
      break;
    }
    case 7:
      judge(own, modelwire_request_add_response(request, SOME(own, own->responses), err), err);
      break;
    case 8:
      judge(own,
            modelwire_request_add_tool_result(request, name.bytes, name.length, value.bytes,
                                              value.length, err),
            err);
      break;
    case 9:
      judge(own,
            modelwire_request_add_json(request, chance(own, 2) ? "tools" : "messages",
                                       MODELWIRE_NUL, json.bytes, json.length, err),
            err);
      break;
    default: {
      modelwire_request **place = &SOME(own, own->requests);
      modelwire_request_free(*place);
      *place = NULL;
    }
  }
}

static void use_call(fuzzer *own) {
  WITH_ERROR;
  modelwire_call *call = SOME(own, own->calls);
  switch (chance(own, 12)) {
    case 0:
    case 1:
    case 2: {
      WITH_OUT(modelwire_call);
      modelwire_status status =
          modelwire_call_new(ONE(clients), ONE(requests), SOME(own, FLAGS), out, err);
      judge(own, status, err);
      KEEP(modelwire_call, own->calls, modelwire_call_free, status);
      break;
    }
    case 3: {
      WITH_OUT(modelwire_response);
      modelwire_status status = modelwire_call_run(call, out, err);
      judge(own, status, err);
      KEEP(modelwire_response, own->responses, modelwire_response_free, status);
      break;
    }
    case 4: {
      WITH_OUT(modelwire_response);
      modelwire_status status = modelwire_call_stream(
          call, chance(own, 20) == 0 ? NULL : on_own_event, own, out, err);
      judge(own, status, err);
      KEEP(modelwire_response, own->responses, modelwire_response_free, status);
      break;
    }
    case 5:
    case 6: {
      token *seen = new_token(own);
      modelwire_event_fn callback = chance(own, 20) == 0 ? NULL : on_event;
      judge(own,
            modelwire_call_start(call, (int32_t)chance(own, 3), callback, seen, free_token, err),
            err);
      break;
    }
    case 7:
    case 8:
      judge(own, modelwire_call_wait(ONE(calls), wait_ms(own), err), err);
      break;
    case 9:
      modelwire_call_cancel(ONE(calls));
      break;
    case 10:
      modelwire_call_wakeup(ONE(calls));
      break;
    default: {
      modelwire_call **place = &SOME(own, own->calls);
      modelwire_call_free(*place);
      *place = NULL;
    }
  }
}

static void keep_event(fuzzer *own, modelwire_event *event) {
  modelwire_event **place = &own->events[chance(own, OWN)];
  modelwire_event_free(*place);
  *place = event;
}

static void use_queue(fuzzer *own) {
  WITH_ERROR;
  switch (chance(own, 24)) {
    case 0: {
      WITH_OUT(modelwire_queue);
      modelwire_status status = modelwire_queue_new(SOME(own, FLAGS), out, err);
      judge(own, status, err);
      KEEP(modelwire_queue, own->queues, modelwire_queue_free, status);
      break;
    }
    case 1: {
      modelwire_queue **place = &SOME(own, own->queues);
      modelwire_queue_free(*place);
      *place = NULL;
      break;
    }
    case 2:
      if (chance(own, 4) == 0) modelwire_queue_close(ONE(queues));
      break;
    case 3:
      modelwire_queue_wakeup(ONE(queues));
      break;
    case 4:
      CHECK(modelwire_queue_fd(ONE(queues)) >= -1);
      break;
    case 5:
      judge(own, modelwire_queue_cancel(ONE(queues), tag(own)), NULL);
      break;
    case 6:
      judge(own, modelwire_queue_pause(ONE(queues), tag(own)), NULL);
      break;
    case 7:
    case 8:
      judge(own, modelwire_queue_resume(ONE(queues), tag(own)), NULL);
      break;
    case 9:
      CHECK(modelwire_queue_count(ONE(queues)) <= 6);
      break;
    case 10:
    case 11: {
      modelwire_event *taken[3];
      size_t number = 77;
      uint32_t max = chance(own, 4);
      modelwire_status status =
          modelwire_queue_take(ONE(queues), wait_ms(own), taken, max, &number);
      judge(own, status, NULL);
      CHECK(status == MODELWIRE_OK ? number >= 1 && number <= max : number == 0);
      for (size_t i = 0; i < number; i++) {
        look_at_event(own, taken[i]);
        keep_event(own, taken[i]);
      }
      break;
    }
    case 12:
    case 13:
    case 14:
    case 15: {
      text json = varied(own, SOME(own, REQUESTS));
      judge(own,
            modelwire_queue_submit(ONE(queues), ONE(clients), SOME(own, OPERATIONS), json.bytes,
                                   json.length, (int32_t)chance(own, 3), tag(own), err),
            err);
      break;
    }
    case 16:
    case 17:
      judge(own,
            modelwire_queue_submit_request(ONE(queues), ONE(clients), ONE(requests),
                                           (int32_t)chance(own, 2), tag(own), err),
            err);
      break;
    default: {
      modelwire_event *event = (modelwire_event *)(void *)own;
      modelwire_status status = modelwire_queue_next(ONE(queues), wait_ms(own), &event);
      judge(own, status, NULL);
      CHECK((event != NULL) == (status == MODELWIRE_OK));
      look_at_event(own, event);
      if (event != NULL) keep_event(own, event);
    }
  }
}

static void use_what_was_given(fuzzer *own) {
  WITH_ERROR;
  switch (chance(own, 8)) {
    case 0: {
      WITH_OUT(modelwire_value);
      text json = varied(own, SOME(own, JSONS));
      modelwire_status status =
          chance(own, 4) == 0 ? modelwire_value_new_text(json.bytes, json.length, out, err)
                              : modelwire_value_new(json.bytes, json.length, out, err);
      judge(own, status, err);
      KEEP(modelwire_value, own->values, modelwire_value_free, status);
      break;
    }
    case 1: {
      modelwire_value **place = &SOME(own, own->values);
      modelwire_value_free(*place);
      *place = NULL;
      break;
    }
    case 2:
      look_at_value(own, ONE(values));
      break;
    case 3: {
      modelwire_response **place = &SOME(own, own->responses);
      look_at_response(own, *place);
      modelwire_response_free(*place);
      *place = NULL;
      break;
    }
    case 4: {
      modelwire_error **place = &SOME(own, own->errors);
      look_at_error(own, *place);
      modelwire_error_free(*place);
      *place = NULL;
      break;
    }
    case 5: {
      modelwire_event **place = &SOME(own, own->events);
      modelwire_event_free(*place);
      *place = NULL;
      break;
    }
    default:
      look_at_event(own, ONE(events));
  }
}

/* Alone: swaps one of the thread's own handles for one that all share. */
#define SWAP(type, name)                       \
  do {                                         \
    type **shared = &SOME(own, all.name);      \
    type **mine = &SOME(own, own->name);       \
    type *other = *shared;                     \
    *shared = *mine;                           \
    *mine = other;                             \
  } while (0)

static void swap(fuzzer *own) {
  CHECK(pthread_rwlock_wrlock(&all.lock) == 0);
  switch (chance(own, 6)) {
    case 0:
      SWAP(modelwire_client, clients);
      break;
    case 1:
      SWAP(modelwire_queue, queues);
      break;
    case 2:
      SWAP(modelwire_call, calls);
      break;
    case 3:
      SWAP(modelwire_request, requests);
      break;
    case 4:
      SWAP(modelwire_event, events);
      break;
    default:
      SWAP(modelwire_value, values);
  }
  CHECK(pthread_rwlock_unlock(&all.lock) == 0);
}

static void step(fuzzer *own) {
  uint32_t what = chance(own, 100);
  if (what < 2) {
    swap(own);
    return;
  }
  CHECK(pthread_rwlock_rdlock(&all.lock) == 0);
  if (what < 6) {
    use_library(own);
  } else if (what < 12) {
    use_client(own);
  } else if (what < 28) {
    use_request(own);
  } else if (what < 50) {
    use_call(own);
  } else if (what < 85) {
    use_queue(own);
  } else {
    use_what_was_given(own);
  }
  CHECK(pthread_rwlock_unlock(&all.lock) == 0);
}

static void free_all(fuzzer *own) {
  for (int i = 0; i < OWN; i++) {
    modelwire_event_free(own->events[i]);
    modelwire_response_free(own->responses[i]);
    modelwire_error_free(own->errors[i]);
    modelwire_value_free(own->values[i]);
    modelwire_call_free(own->calls[i]);
    modelwire_request_free(own->requests[i]);
    modelwire_queue_free(own->queues[i]);
    modelwire_client_free(own->clients[i]);
  }
}

static void *fuzz_on(void *argument) {
  fuzzer *own = argument;
  own->clients[0] = fuzzed_client(2);
  own->queues[0] = new_queue();
  own->requests[0] = request_with(MODELWIRE_OPERATION_CHAT, REQUESTS[0], NULL);
  /* clock: how long it is tried */
  for (own->steps = 0; now_ms() < own->until_ms; own->steps++) step(own);
  free_all(own);
  return NULL;
}

static long number_of(const char *name, long otherwise) {
  const char *told = getenv(name);
  return told == NULL ? otherwise : strtol(told, NULL, 10);
}

void fuzz(void) {
  static fuzzer fuzzers[THREADS];
  pthread_t threads[THREADS];
  const long seed = number_of("TEST_SEED", 15), milliseconds = number_of("TEST_MS", 3000);
  CHECK(pthread_rwlock_init(&all.lock, NULL) == 0 && pthread_mutex_init(&count.lock, NULL) == 0);
  for (int i = 0; i < SHARED; i++) {
    all.clients[i] = fuzzed_client(4);
    all.queues[i] = new_queue();
    all.requests[i] = request_with(MODELWIRE_OPERATION_CHAT, REQUESTS[i * 2], NULL);
  }
  for (int i = 0; i < THREADS; i++) {
    fuzzers[i].number = i;
    fuzzers[i].state = (uint64_t)seed * 1000003 + (uint64_t)i * 7919 + 1;
    fuzzers[i].until_ms = now_ms() + milliseconds;
    CHECK(pthread_create(&threads[i], NULL, fuzz_on, &fuzzers[i]) == 0);
  }
  uint64_t steps = 0;
  for (int i = 0; i < THREADS; i++) {
    CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(fuzzers[i].steps > 0);
    steps += fuzzers[i].steps;
  }
  for (int i = 0; i < SHARED; i++) {
    modelwire_event_free(all.events[i]);
    modelwire_value_free(all.values[i]);
    modelwire_call_free(all.calls[i]);
    modelwire_request_free(all.requests[i]);
    modelwire_queue_free(all.queues[i]);
    modelwire_client_free(all.clients[i]);
  }
  /* Each finalizer came, once. */
  CHECK(modelwire_shutdown(PATIENCE_MS) == MODELWIRE_OK);
  CHECK(count.tokens == 0 && count.made > 0);
  CHECK(pthread_rwlock_destroy(&all.lock) == 0 && pthread_mutex_destroy(&count.lock) == 0);
  printf("seed %ld: %llu steps, %ld callbacks\n", seed, (unsigned long long)steps, count.made);
}
