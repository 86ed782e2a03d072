/*
 * modelwire's C API, blocking: a stream by callback on the calling thread, plain calls one after
 * another.
 */
#include <modelwire.h>

#include "measure.h"

static int32_t count(void *user_data, const modelwire_event *event) {
  size_t length;
  modelwire_event_text(event, &length);
  seen_add(user_data, length);
  return 0;
}

static void run(modelwire_client *client, modelwire_request *request, int stream,
                struct seen *seen) {
  modelwire_call *call = NULL;
  modelwire_response *answer = NULL;
  if (modelwire_call_new(client, request, 0, &call, NULL) != MODELWIRE_OK) fail("call_new");
  if (stream) {
    if (modelwire_call_stream(call, count, seen, &answer, NULL) != MODELWIRE_OK) fail("stream");
  } else {
    size_t length;
    if (modelwire_call_run(call, &answer, NULL) != MODELWIRE_OK) fail("run");
    modelwire_response_text(answer, &length);
    seen_add(seen, length);
  }
  modelwire_response_free(answer);
  modelwire_call_free(call);
}

static struct seen work(const struct task *task) {
  modelwire_client *client = NULL;
  modelwire_request *request = NULL;
  struct seen seen = {0, 0};
  char options[256];
  int stream = strcmp(task->work, "stream") == 0;
  if (!stream && strcmp(task->work, "chat") != 0) fail("no such work");
  snprintf(options, sizeof options, "{\"base_url\":\"%s\",\"api_key\":\"sk-test\"}",
           task->base_url);
  if (modelwire_client_new(options, MODELWIRE_NUL, &client, NULL) != MODELWIRE_OK) {
    fail("client_new");
  }
  if (modelwire_request_new(MODELWIRE_OPERATION_CHAT, CHAT, MODELWIRE_NUL, &request, NULL) !=
      MODELWIRE_OK) {
    fail("request");
  }
  for (unsigned long i = 0; i < (stream ? 1 : task->operations); i++) {
    run(client, request, stream, &seen);
  }
  modelwire_request_free(request);
  modelwire_client_free(client);
  return seen;
}

int main(int argc, char **argv) {
  int status = measure(argc, argv, work);
  return modelwire_shutdown(5000) == MODELWIRE_OK ? status : EXIT_FAILURE;
}
