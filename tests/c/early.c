/*
 * Calls before main and after it, from a constructor and a destructor of the program, in C and as
 * static objects in C++. Prints what each gave.
 */
#include <modelwire.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static modelwire_client *shared_client;
static int32_t on_event(void *user_data, const modelwire_event *event) {
  return user_data == NULL && event == NULL;
}

static void print(const char *place, const char *way, modelwire_status status) {
  printf("%s %s: %s\n", place, way, modelwire_status_name(status));
  fflush(stdout);
}

/* Each way to run a call, with a client that is made here or before. */
static void call(const char *place) {
  static const char JSON[] =
      "{\"model\":\"echo\",\"messages\":[{\"role\":\"user\",\"content\":\"early or late\"}]}";
  modelwire_request *request = NULL;
  modelwire_call *one = NULL;
  modelwire_response *answer = NULL;
  modelwire_queue *queue = NULL;
  modelwire_event *event = NULL;
  modelwire_status status = MODELWIRE_OK;
  if (shared_client == NULL) status = modelwire_client_new(NULL, 0, &shared_client, NULL);
  print(place, "client", status);
  status = modelwire_request_new(MODELWIRE_OPERATION_CHAT, JSON, MODELWIRE_NUL, &request, NULL);
  print(place, "request", status);

  modelwire_call_new(shared_client, request, 0, &one, NULL);
  status = modelwire_call_run(one, &answer, NULL);
  print(place, "run", status);
  if (status == MODELWIRE_OK && strcmp(modelwire_response_text(answer, NULL), "early or late")) {
    _Exit(3);
  }
  modelwire_response_free(answer);
  modelwire_call_free(one);

  modelwire_call_new(shared_client, request, 0, &one, NULL);
  answer = NULL;
  print(place, "stream", modelwire_call_stream(one, on_event, NULL, &answer, NULL));
  modelwire_response_free(answer);
  modelwire_call_free(one);

  modelwire_call_new(shared_client, request, 0, &one, NULL);
  print(place, "start", modelwire_call_start(one, 1, on_event, NULL, NULL, NULL));
  print(place, "wait", modelwire_call_wait(one, 60000, NULL));
  modelwire_call_free(one);

  modelwire_queue_new(0, &queue, NULL);
  status = modelwire_queue_submit_request(queue, shared_client, request, 0, 1, NULL);
  print(place, "submit", status);
  if (status == MODELWIRE_OK) {
    print(place, "next", modelwire_queue_next(queue, 60000, &event));
    print(place, "end", modelwire_error_status(modelwire_event_error(event)));
    modelwire_event_free(event);
  }
  modelwire_queue_free(queue);
  modelwire_request_free(request);
}

#ifdef __cplusplus
static struct Around {
  Around() { call("before"); }
  ~Around() {
    call("after");
    modelwire_client_free(shared_client);
  }
} around;
#else
__attribute__((constructor)) static void before(void) { call("before"); }
__attribute__((destructor)) static void after(void) {
  call("after");
  modelwire_client_free(shared_client);
}
#endif

int main(int argc, char **argv) {
  (void)argv;
  /* With an argument: the library has ended before the destructors run. */
  if (argc > 1) print("main", "shutdown", modelwire_shutdown(30000));
  return 5;
}
