/*
 * The queue of one call and what was taken from it, for Go: each call into C has its price, so one
 * of them is for many events, and for all that is read of each of them.
 */
#include <fcntl.h>
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
  int32_t kind;
  text text, name;
} taken_event;

typedef struct {
  modelwire_queue *queue;
  size_t count;
  taken_event taken[AT_ONCE];
} mailbox;

static mailbox *mailbox_new(void) {
  mailbox *box = malloc(sizeof *box);
  box->count = 0;
  modelwire_queue_new(0, &box->queue, NULL);
  return box;
}

static void mailbox_clear(mailbox *box) {
  for (size_t i = 0; i < box->count; i++) modelwire_event_free(box->taken[i].event);
  box->count = 0;
}

/* Ends the call, if it is not over. */
static void mailbox_free(mailbox *box) {
  mailbox_clear(box);
  modelwire_queue_free(box->queue);
  free(box);
}

/* Lets go of what was taken before. */
static modelwire_status mailbox_take(mailbox *box, int32_t timeout_ms) {
  modelwire_event *events[AT_ONCE];
  size_t count;
  mailbox_clear(box);
  modelwire_status status = modelwire_queue_take(box->queue, timeout_ms, events, AT_ONCE, &count);
  for (size_t i = 0; i < count; i++) {
    taken_event *taken = &box->taken[i];
    taken->event = events[i];
    taken->kind = modelwire_event_kind(events[i]);
    taken->text.at = modelwire_event_text(events[i], &taken->text.length);
    taken->name.at = modelwire_event_name(events[i], &taken->name.length);
  }
  box->count = count;
  return status;
}

/* A descriptor that Go may watch and close; -1 if there is none. */
static int mailbox_descriptor(const mailbox *box) {
  return fcntl(modelwire_queue_fd(box->queue), F_DUPFD_CLOEXEC, 0);
}

/* What is wrong, if the call could not begin. */
static modelwire_error *mailbox_submit(const mailbox *box, const modelwire_client *client,
                                       int32_t operation, int32_t stream, text json,
                                       text options) {
  modelwire_request *request;
  modelwire_error *error;
  modelwire_status status =
      modelwire_request_new(operation, json.at, json.length, &request, &error);
  if (status == MODELWIRE_OK && options.at)
    status = modelwire_request_set_options(request, options.at, options.length, &error);
  if (status == MODELWIRE_OK)
    modelwire_queue_submit_request(box->queue, client, request, stream, 0, &error);
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
