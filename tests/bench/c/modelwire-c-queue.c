/*
 * modelwire's C API by completion queue: any number of calls on one queue, events taken by one
 * thread. Knows no other client.
 */
#include <modelwire.h>

#include "measure.h"

#define TAKEN_AT_ONCE 64

struct calls {
  modelwire_client *client;
  modelwire_request *request;
  modelwire_queue *queue;
  modelwire_call **of_tag;
  int stream;
};

static void submit(struct calls *calls, unsigned long tag) {
  if (modelwire_call_new(calls->client, calls->request, &calls->of_tag[tag], NULL) !=
      MODELWIRE_OK) {
    fail("call_new");
  }
  if (modelwire_call_submit(calls->of_tag[tag], calls->stream, calls->queue, tag, NULL) !=
      MODELWIRE_OK) {
    fail("submit");
  }
}

/* One event; 1 if it was the last of its call. */
static int one_event(const modelwire_event *event, struct seen *seen) {
  size_t length = 0;
  if (modelwire_event_kind(event) == MODELWIRE_EVENT_CHUNK) {
    modelwire_event_text(event, &length);
    seen_add(seen, length);
    return 0;
  }
  return modelwire_event_kind(event) == MODELWIRE_EVENT_DONE;
}

static void ended(const struct calls *calls, const modelwire_event *event, struct seen *seen) {
  size_t length = 0;
  const modelwire_response *answer = modelwire_event_response(event);
  if (answer == NULL) fail("a call");
  if (calls->stream) return;
  modelwire_response_text(answer, &length);
  seen_add(seen, length);
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
      if (one_event(events[i], seen)) {
        unsigned long tag = modelwire_event_tag(events[i]);
        ended(calls, events[i], seen);
        modelwire_call_free(calls->of_tag[tag]);
        done++;
        if (started < in_all) {
          started++;
          submit(calls, tag);
        }
      }
      modelwire_event_free(events[i]);
    }
  }
}

static struct seen work(const struct task *task) {
  struct seen seen = {0, 0};
  struct calls calls = {NULL, NULL, NULL, calloc(task->at_once, sizeof(modelwire_call *)),
                        strcmp(task->work, "stream") == 0};
  modelwire_config *config = modelwire_config_new();
  if (!calls.stream && strcmp(task->work, "chat") != 0) fail("no such work");
  modelwire_config_set_base_url(config, task->base_url, MODELWIRE_NUL);
  modelwire_config_set_api_key(config, "sk-test", MODELWIRE_NUL);
  if (task->at_once >= 1000) { /* as its peers, which have no cap */
    modelwire_config_set_limit(config, MODELWIRE_LIMIT_CONNECTIONS, (int64_t)task->at_once + 100);
  }
  if (modelwire_client_new(config, &calls.client, NULL) != MODELWIRE_OK) fail("client_new");
  if (modelwire_request_chat_json(CHAT, MODELWIRE_NUL, &calls.request, NULL) != MODELWIRE_OK) {
    fail("request");
  }
  if (modelwire_queue_new(0, &calls.queue, NULL) != MODELWIRE_OK) fail("queue_new");
  run(&calls, task, &seen);
  modelwire_queue_free(calls.queue);
  modelwire_request_free(calls.request);
  modelwire_client_free(calls.client);
  modelwire_config_free(config);
  free(calls.of_tag);
  return seen;
}

int main(int argc, char **argv) {
  int status = measure(argc, argv, work);
  return modelwire_shutdown(5000) == MODELWIRE_OK ? status : EXIT_FAILURE;
}
