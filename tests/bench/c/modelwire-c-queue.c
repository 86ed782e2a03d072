/*
 * modelwire's C API by completion queue: any number of calls on one queue, events taken by one
 * thread.
 */
#include <modelwire.h>

#include "measure.h"

#define TAKEN_AT_ONCE 64

struct calls {
  modelwire_client *client;
  modelwire_request *request;
  modelwire_queue *queue;
  int stream;
};

static void submit(struct calls *calls, unsigned long tag) {
  if (modelwire_queue_submit_request(calls->queue, calls->client, calls->request, calls->stream,
                                     tag, NULL) != MODELWIRE_OK) {
    fail("submit");
  }
}

/* One event; 1 if it was the last of its call. */
static int one_event(const struct calls *calls, const modelwire_event *event, struct seen *seen) {
  size_t length = 0;
  int32_t kind = modelwire_event_kind(event);
  if (kind == MODELWIRE_EVENT_ERROR) fail("a call");
  if (kind == MODELWIRE_EVENT_CHUNK || !calls->stream) {
    modelwire_event_text(event, &length);
    seen_add(seen, length);
  }
  return kind == MODELWIRE_EVENT_RESPONSE;
}

static void run(struct calls *calls, const struct task *task, struct seen *seen) {
  unsigned long in_all = calls->stream ? task->at_once : task->operations;
  unsigned long started = 0, done = 0;
  modelwire_event *events[TAKEN_AT_ONCE];
  while (started < task->at_once) submit(calls, started++);
  while (done < in_all) {
    size_t taken = 0;
    if (modelwire_queue_take(calls->queue, -1, events, TAKEN_AT_ONCE, &taken) != MODELWIRE_OK) {
      fail("queue_take");
    }
    for (size_t i = 0; i < taken; i++) {
      if (one_event(calls, events[i], seen)) {
        done++;
        if (started < in_all) {
          started++;
          submit(calls, modelwire_event_tag(events[i]));
        }
      }
      modelwire_event_free(events[i]);
    }
  }
}

static struct seen work(const struct task *task) {
  struct seen seen = {0, 0};
  struct calls calls = {NULL, NULL, NULL, strcmp(task->work, "stream") == 0};
  char options[256];
  /* As its peers, which have no cap. */
  unsigned long connections = task->at_once >= 1000 ? task->at_once + 100 : 1000;
  if (!calls.stream && strcmp(task->work, "chat") != 0) fail("no such work");
  snprintf(options, sizeof options,
           "{\"base_url\":\"%s\",\"api_key\":\"sk-test\",\"connections_max\":%lu}",
           task->base_url, connections);
  if (modelwire_client_new(options, MODELWIRE_NUL, &calls.client, NULL) != MODELWIRE_OK) {
    fail("client_new");
  }
  if (modelwire_request_new(MODELWIRE_OPERATION_CHAT, CHAT, MODELWIRE_NUL, &calls.request, NULL) !=
      MODELWIRE_OK) {
    fail("request");
  }
  if (modelwire_queue_new(0, &calls.queue, NULL) != MODELWIRE_OK) fail("queue_new");
  run(&calls, task, &seen);
  modelwire_queue_free(calls.queue);
  modelwire_request_free(calls.request);
  modelwire_client_free(calls.client);
  return seen;
}

int main(int argc, char **argv) {
  int status = measure(argc, argv, work);
  return modelwire_shutdown(5000) == MODELWIRE_OK ? status : EXIT_FAILURE;
}
