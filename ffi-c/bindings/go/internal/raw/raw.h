/*
 * What Go asks of the library: each call into C has its price, so one of them is for many events,
 * and for all that is read of each of them.
 */
#include <modelwire.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 64 };

typedef struct {
  const char *at;
  size_t length;
} text;

typedef struct {
  modelwire_event *event;
  uint64_t tag;
  int32_t kind;
  text text, name;
} taken_event;

static modelwire_queue *queue_new(void) {
  modelwire_queue *queue;
  modelwire_queue_new(0, &queue, NULL);
  return queue;
}

/* Waits for events; 0 where there will be none any more. */
static size_t take(const modelwire_queue *queue, taken_event *taken) {
  modelwire_event *events[AT_ONCE];
  size_t count;
  modelwire_queue_take(queue, -1, events, AT_ONCE, &count);
  for (size_t i = 0; i < count; i++, taken++) {
    taken->event = events[i];
    taken->tag = modelwire_event_tag(events[i]);
    taken->kind = modelwire_event_kind(events[i]);
    taken->text.at = modelwire_event_text(events[i], &taken->text.length);
    taken->name.at = modelwire_event_name(events[i], &taken->name.length);
  }
  return count;
}

static void let_go(const taken_event *taken, size_t count) {
  for (size_t i = 0; i < count; i++) modelwire_event_free(taken[i].event);
}

/* What is wrong, if the call could not begin. */
static modelwire_error *submit(const modelwire_queue *queue, const modelwire_client *client,
                               uint64_t tag, int32_t operation, int32_t stream, text json,
                               text options) {
  modelwire_request *request;
  modelwire_error *error;
  modelwire_status status =
      modelwire_request_new(operation, json.at, json.length, &request, &error);
  if (status == MODELWIRE_OK && options.at)
    status = modelwire_request_set_options(request, options.at, options.length, &error);
  if (status == MODELWIRE_OK)
    modelwire_queue_submit_request(queue, client, request, stream, tag, &error);
  modelwire_request_free(request);
  return error;
}

static text json_of(const modelwire_event *event) {
  text json;
  json.at = modelwire_event_json(event, &json.length);
  return json;
}

static text info_of(const modelwire_event *event) {
  text info;
  info.at = modelwire_value_json(modelwire_event_info(event), "", 0, &info.length);
  return info;
}

static text error_of(const modelwire_error *error) {
  text json;
  json.at = modelwire_error_json(error, &json.length);
  return json;
}

/* MODELWIRE_LOG_... of a record. */
static int32_t level_of(const modelwire_event *event) {
  static const char *const names[] = {"error", "warn", "info", "debug", "trace"};
  const char *name = modelwire_value_text(modelwire_event_value(event), "/level", 6, NULL);
  int32_t level = MODELWIRE_LOG_ERROR;
  while (name && level < MODELWIRE_LOG_TRACE && strcmp(name, names[level - 1]) != 0) level++;
  return level;
}
