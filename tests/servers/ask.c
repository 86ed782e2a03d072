/*
 * Makes the calls of one case at once, on one queue: a JSON object on standard input, of which `options` are
 * the client's, `bodies` the requests. Prints every event as one JSON array.
 */
#include <modelwire.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INPUT_MAX = 1 << 20, CALLS_MAX = 64 };

static void fail(const char *what, const modelwire_error *error) {
  fprintf(stderr, "%s: %s\n", what, error == NULL ? "" : modelwire_error_message(error, NULL));
  exit(1);
}

static modelwire_value *input(void) {
  static char text[INPUT_MAX];
  modelwire_value *value = NULL;
  size_t length = fread(text, 1, sizeof text, stdin);
  if (modelwire_value_new(text, length, &value, NULL) != MODELWIRE_OK) fail("not JSON", NULL);
  return value;
}

static int32_t operation_of(const modelwire_value *value) {
  const char *name = modelwire_value_text(value, "/operation", MODELWIRE_NUL, NULL);
  if (strcmp(name, "models") == 0) return MODELWIRE_OPERATION_MODELS;
  return strcmp(name, "chat") == 0 ? MODELWIRE_OPERATION_CHAT : MODELWIRE_OPERATION_RESPONSES;
}

/* Prints an event; gives its kind. */
static int32_t show(const modelwire_event *event) {
  static int is_first = 1;
  int32_t kind = modelwire_event_kind(event);
  size_t length = 0;
  const char *json = modelwire_event_json(event, &length);
  const char *name = kind == MODELWIRE_EVENT_CHUNK      ? "chunk"
                     : kind == MODELWIRE_EVENT_RESPONSE ? "response"
                                                        : "error";
  printf("%s{\"call\":%llu,\"%s\":%.*s}", is_first ? "[" : ",\n",
         (unsigned long long)modelwire_event_tag(event), name, length == 0 ? 4 : (int)length,
         length == 0 ? "null" : json);
  is_first = 0;
  return kind;
}

int main(void) {
  modelwire_client *client = NULL;
  modelwire_queue *queue = NULL;
  modelwire_error *error = NULL;
  modelwire_event *event = NULL;
  modelwire_value *value = input();
  int64_t leave = 0, stream = 0, chunks[CALLS_MAX] = {0};
  const char *options = modelwire_value_text(value, "/options", MODELWIRE_NUL, NULL);
  size_t count = modelwire_value_count(value, "/bodies", MODELWIRE_NUL);
  (void)modelwire_value_int(value, "/leave", MODELWIRE_NUL, &leave);
  (void)modelwire_value_int(value, "/stream", MODELWIRE_NUL, &stream);
  if (count > CALLS_MAX) fail("too many calls", NULL);
  if (modelwire_client_new(options, MODELWIRE_NUL, &client, &error) != MODELWIRE_OK ||
      modelwire_queue_new(0, &queue, &error) != MODELWIRE_OK) {
    fail("client", error);
  }
  for (size_t call = 0; call < count; call++) {
    char path[32];
    size_t length = 0;
    snprintf(path, sizeof path, "/bodies/%zu", call);
    const char *body = modelwire_value_text(value, path, MODELWIRE_NUL, &length);
    if (modelwire_queue_submit(queue, client, operation_of(value), body, length, (int32_t)stream, call,
                               &error) != MODELWIRE_OK) {
      fail("submit", error);
    }
  }
  while (modelwire_queue_count(queue) > 0 &&
         modelwire_queue_next(queue, -1, &event) == MODELWIRE_OK) {
    uint64_t call = modelwire_event_tag(event);
    if (show(event) == MODELWIRE_EVENT_CHUNK && ++chunks[call] == leave) {
      (void)modelwire_queue_cancel(queue, call);
    }
    modelwire_event_free(event);
  }
  puts("]");
  modelwire_queue_free(queue);
  modelwire_client_free(client);
  modelwire_value_free(value);
  return 0;
}
