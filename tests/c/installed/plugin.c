/*
 * A plugin that links the static library, for the host beside it: calls through a queue of its own.
 */
#include "plugin.h"

#include <modelwire.h>
#include <stdlib.h>
#include <string.h>

static modelwire_client *client;
static modelwire_queue *queue;

static int submit(const char *options, uint64_t tag, int32_t stream) {
  static const char JSON[] =
      "{\"model\":\"echo\",\"messages\":[{\"role\":\"user\",\"content\":\"apart\"}]}";
  if (queue == NULL && modelwire_queue_new(0, &queue, NULL) != MODELWIRE_OK) return -1;
  if (modelwire_client_new(options, MODELWIRE_NUL, &client, NULL) != MODELWIRE_OK) return -2;
  int status = modelwire_queue_submit(queue, client, MODELWIRE_OPERATION_CHAT, JSON, MODELWIRE_NUL,
                                      stream, tag, NULL);
  modelwire_client_free(client);
  client = NULL;
  return status;
}

static int32_t next_kind(int32_t timeout_ms) {
  modelwire_event *event = NULL;
  if (modelwire_queue_next(queue, timeout_ms, &event) != MODELWIRE_OK) return 0;
  int32_t kind = modelwire_event_kind(event);
  modelwire_event_free(event);
  return kind;
}

static int call(void) {
  int status = submit("{}", 1, 0);
  return status != MODELWIRE_OK ? status : next_kind(60000);
}

static int begin(void) {
  char options[512] = "{\"base_url\":\"";
  const char *url = getenv("STALLING_URL");
  if (url == NULL || strlen(url) > 400) return -3;
  strcat(strcat(options, url), "\"}");
  int status = submit(options, 2, 1);
  return status != MODELWIRE_OK ? status : next_kind(60000);
}

static int cancel(void) { return modelwire_queue_cancel(queue, 2); }

static int end(void) {
  int status = modelwire_shutdown(30000);
  modelwire_queue_free(queue);
  queue = NULL;
  return status;
}

static const void *where(void) { return (const void *)modelwire_status_name(MODELWIRE_OK); }

const struct plugin plugin = {call, begin, next_kind, cancel, end, where};
