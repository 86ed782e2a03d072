/*
 * What is tortured: `program SCENARIO` makes calls by the C API and says how each ended, a line each, with tabs:
 *
 *   end NAME ok TEXT              NAME is also what the call asks, and so what it is answered
 *   end NAME error KIND METERED MESSAGE
 *   setup NAME KIND MESSAGE       a call could not be started; or with `-`, what all calls need is not there
 *   descriptors BEFORE AFTER      open ones, before the first call and after the shutdown
 *   broken WHAT                   a promise of the API
 *
 * At the end, when nothing fails any more, one more call must succeed; its NAME is `after`.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <modelwire.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *options;

static void fail(const char *what) {
  printf("broken\t%s\n", what);
  exit(1);
}

static void shim(const char *name) {
  void (*function)(void);
  *(void **)&function = dlsym(RTLD_DEFAULT, name);
  if (function != NULL) function();
}

/* How many are open. */
static int descriptors(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/fd");
  if (folder == NULL) fail("opendir");
  while (readdir(folder) != NULL) count++;
  closedir(folder);
  return count;
}

/* What each is. */
static void say_descriptors(void) {
  char name[64], target[256];
  for (int fd = 0; fd < 1024; fd++) {
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(name, target, sizeof target);
    if (length > 0) printf("\t%d=%.*s", fd, (int)length, target);
  }
}

static void say_ok(const char *name, const char *text) {
  printf("end\t%s\tok\t%s\n", name, text == NULL ? "" : text);
  fflush(stdout);
}

static void say_error(const char *name, const modelwire_error *error) {
  const modelwire_value *value = modelwire_error_value(error);
  const char *metered = modelwire_value_text(value, "/metered", MODELWIRE_NUL, NULL);
  printf("end\t%s\terror\t%s\t%s\t%s\n", name, modelwire_status_name(modelwire_error_status(error)),
         metered == NULL ? "-" : metered, modelwire_error_message(error, NULL));
  fflush(stdout);
}

static void setup_failed(const char *name, modelwire_error *error) {
  printf("setup\t%s\t%s\t%s\n", name, modelwire_status_name(modelwire_error_status(error)),
         modelwire_error_message(error, NULL));
  fflush(stdout);
  modelwire_error_free(error);
}

static modelwire_client *new_client(void) {
  modelwire_client *client = NULL;
  modelwire_error *error = NULL;
  if (modelwire_client_new(options, MODELWIRE_NUL, &client, &error) == MODELWIRE_OK) return client;
  setup_failed("-", error);
  return NULL;
}

static char *request(const char *name) {
  static _Thread_local char json[256];
  snprintf(json, sizeof json,
           "{\"model\":\"echo\",\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}", name);
  return json;
}

static modelwire_call *new_call(modelwire_client *client, const char *name) {
  modelwire_request *made = NULL;
  modelwire_call *call = NULL;
  if (modelwire_request_new(MODELWIRE_OPERATION_CHAT, request(name), MODELWIRE_NUL, &made, NULL) !=
      MODELWIRE_OK) {
    fail("request_new");
  }
  modelwire_error *error = NULL;
  if (modelwire_call_new(client, made, 0, &call, &error) != MODELWIRE_OK) setup_failed(name, error);
  modelwire_request_free(made);
  return call;
}

/* A text that grows. */
struct text {
  const char *name;
  char bytes[512];
  size_t length;
  int ends, has_failed, is_final;
  pthread_mutex_t lock;
};

static int32_t add(void *user_data, const modelwire_event *event) {
  struct text *text = user_data;
  size_t length;
  const char *more = modelwire_event_text(event, &length);
  switch (modelwire_event_kind(event)) {
    case MODELWIRE_EVENT_CHUNK:
      if (text->length + length >= sizeof text->bytes) fail("more text than was asked for");
      memcpy(text->bytes + text->length, more, length);
      text->length += length;
      return 0;
    case MODELWIRE_EVENT_RESPONSE:
      if (text->length == 0 && length < sizeof text->bytes) memcpy(text->bytes, more, length);
      text->ends++;
      return 0;
    case MODELWIRE_EVENT_ERROR:
      text->ends++;
      text->has_failed = 1;
      say_error(text->name, modelwire_event_error(event));
      return 0;
    default: fail("an unknown event"); return 1;
  }
}

static void finalize(void *user_data) { ((struct text *)user_data)->is_final++; }

static void run(modelwire_client *client, const char *name) {
  modelwire_call *call = new_call(client, name);
  modelwire_response *response = NULL;
  modelwire_error *error = NULL;
  if (call == NULL) return;
  if (modelwire_call_run(call, &response, &error) == MODELWIRE_OK) {
    say_ok(name, modelwire_response_text(response, NULL));
  } else {
    say_error(name, error);
  }
  modelwire_response_free(response);
  modelwire_error_free(error);
  modelwire_call_free(call);
}

static void plain(void) {
  modelwire_client *client = new_client();
  if (client == NULL) return;
  run(client, "first one");
  run(client, "second one");
  modelwire_client_free(client);
}

static void streamed(void) {
  modelwire_client *client = new_client();
  if (client == NULL) return;
  for (int i = 0; i < 2; i++) {
    struct text text = {.name = i == 0 ? "first stream of words" : "second stream of words"};
    modelwire_call *call = new_call(client, text.name);
    modelwire_response *response = NULL;
    modelwire_error *error = NULL;
    if (call == NULL) continue;
    if (modelwire_call_stream(call, add, &text, &response, &error) == MODELWIRE_OK) {
      say_ok(text.name, text.bytes);
    } else {
      say_error(text.name, error);
    }
    modelwire_response_free(response);
    modelwire_error_free(error);
    modelwire_call_free(call);
  }
  modelwire_client_free(client);
}

static void queue(void) {
  static const char *const names[] = {"queued plain", "queued stream of words", "queued later"};
  struct text texts[3] = {0};
  modelwire_client *client = new_client();
  modelwire_queue *made = NULL;
  modelwire_error *error = NULL;
  int unfinished = 0;
  if (client == NULL) return;
  if (modelwire_queue_new(MODELWIRE_INTERRUPTIBLE, &made, &error) != MODELWIRE_OK) {
    setup_failed("-", error);
    modelwire_client_free(client);
    return;
  }
  modelwire_queue_fd(made);
  for (int i = 0; i < 3; i++) {
    texts[i].name = names[i];
    if (modelwire_queue_submit(made, client, MODELWIRE_OPERATION_CHAT, request(names[i]),
                               MODELWIRE_NUL, i == 1, (uint64_t)i, &error) == MODELWIRE_OK) {
      unfinished++;
    } else {
      setup_failed(names[i], error);
    }
  }
  while (unfinished > 0) {
    modelwire_event *events[8];
    size_t count;
    modelwire_status status = modelwire_queue_take(made, 20000, events, 8, &count);
    if (status == MODELWIRE_INTERRUPTED) continue;
    if (status != MODELWIRE_OK) {
      printf("broken\tqueue_take %s\n", modelwire_status_name(status));
      break;
    }
    for (size_t i = 0; i < count; i++) {
      struct text *text = &texts[modelwire_event_tag(events[i])];
      int ends = text->ends;
      add(text, events[i]);
      if (text->ends > ends) {
        unfinished--;
        if (!text->has_failed) say_ok(text->name, text->bytes);
      }
      modelwire_event_free(events[i]);
    }
  }
  modelwire_queue_free(made);
  modelwire_client_free(client);
}

static void callbacks(void) {
  static const char *const names[] = {"called plain", "called stream of words"};
  struct text texts[2] = {0};
  modelwire_call *calls[2] = {NULL};
  modelwire_client *client = new_client();
  if (client == NULL) return;
  for (int i = 0; i < 2; i++) {
    modelwire_error *error = NULL;
    texts[i].name = names[i];
    calls[i] = new_call(client, names[i]);
    if (calls[i] == NULL) continue;
    if (modelwire_call_start(calls[i], i == 1, add, &texts[i], finalize, &error) != MODELWIRE_OK) {
      if (texts[i].is_final != 1 || texts[i].ends != 0) fail("a start that failed");
      setup_failed(names[i], error);
      modelwire_call_free(calls[i]);
      calls[i] = NULL;
    }
  }
  for (int i = 0; i < 2; i++) {
    modelwire_error *error = NULL;
    if (calls[i] == NULL) continue;
    modelwire_status status = modelwire_call_wait(calls[i], 20000, &error);
    if (status != MODELWIRE_OK) {
      printf("broken\tcall_wait %s %s\n", modelwire_status_name(status),
             error == NULL ? "" : modelwire_error_message(error, NULL));
    }
    modelwire_error_free(error);
    if (texts[i].is_final != 1) printf("broken\tfinalizer %d\n", texts[i].is_final);
    if (!texts[i].has_failed) say_ok(names[i], texts[i].bytes);
    if (texts[i].ends != 1) printf("broken\t%d ends of %s\n", texts[i].ends, names[i]);
    modelwire_call_free(calls[i]);
  }
  modelwire_client_free(client);
}

static void forked(void) {
  modelwire_client *client = new_client();
  if (client == NULL) return;
  run(client, "before the fork");
  pid_t child = fork();
  if (child == 0) {
    run(client, "in the child");
    modelwire_client_free(client);
    exit(modelwire_shutdown(5000) == MODELWIRE_OK ? 0 : 3);
  }
  int status;
  if (child < 0 || waitpid(child, &status, 0) != child) fail("fork");
  if (status != 0) printf("broken\tchild %d\n", status);
  run(client, "after the fork");
  modelwire_client_free(client);
}

/* While a stream runs. */
static void shut(void) {
  struct text text = {.name = "shut down early"};
  modelwire_client *client = new_client();
  if (client == NULL) return;
  modelwire_call *call = new_call(client, text.name);
  modelwire_error *error = NULL;
  if (call != NULL && modelwire_call_start(call, 1, add, &text, finalize, &error) != MODELWIRE_OK) {
    setup_failed(text.name, error);
    modelwire_call_free(call);
    call = NULL;
  }
  modelwire_status status = modelwire_shutdown(10000);
  if (status != MODELWIRE_OK) printf("broken\tshutdown %s\n", modelwire_status_name(status));
  if (call != NULL) {
    if (text.ends != 1 || text.is_final != 1) printf("broken\tend of a shutdown\n");
    if (!text.has_failed) say_ok(text.name, text.bytes);
  }
  modelwire_call_free(call);
  modelwire_client_free(client);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } scenarios[] = {{"plain", plain}, {"streamed", streamed}, {"queue", queue},
                   {"callbacks", callbacks}, {"forked", forked}, {"shut", shut}};
  options = getenv("TORTURE_OPTIONS");
  if (argc != 2 || options == NULL) fail("usage: program SCENARIO, with TORTURE_OPTIONS");
  int before = descriptors(), is_found = 0;
  shim("torture_arm");
  for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
    if (strcmp(scenarios[i].name, argv[1]) != 0) continue;
    is_found = 1;
    scenarios[i].run();
  }
  if (!is_found) fail("no such scenario");
  modelwire_status status = modelwire_shutdown(10000);
  shim("torture_disarm");
  if (status != MODELWIRE_OK) printf("broken\tlast shutdown %s\n", modelwire_status_name(status));
  int after = descriptors();
  for (int i = 0; after > before && i < 2000; i++) {
    usleep(10000); /* a helper thread may still be ending */
    after = descriptors();
  }
  printf("descriptors\t%d\t%d", before, after);
  if (after > before) say_descriptors();
  printf("\n");
  modelwire_client *client = new_client();
  if (client == NULL) fail("no client afterwards");
  run(client, "after");
  modelwire_client_free(client);
  if (modelwire_shutdown(10000) != MODELWIRE_OK) printf("broken\tshutdown afterwards\n");
  return 0;
}
