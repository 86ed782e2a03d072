/*
 * A program as it was written for the first header of the ABI 0.1: a chat, the same with a callback,
 * and two streams by tag of which one is cancelled. It knows nothing of later functions.
 */
#include <modelwire.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) \
  ((condition) ? (void)0 : (fprintf(stderr, "%d: %s\n", __LINE__, #condition), exit(1)))
#define CHAT(model) \
  "{\"model\":\"" model "\",\"messages\":[{\"role\":\"user\",\"content\":\"one two three\"}]}"

static int pieces, finalizers;
static int32_t on_event(void *user_data, const modelwire_event *event) {
  CHECK(user_data == &pieces);
  pieces += modelwire_event_kind(event) == MODELWIRE_EVENT_CHUNK;
  return 0;
}
static void on_end(void *user_data) { finalizers += user_data == &pieces; }

int main(void) {
  modelwire_client *client = NULL;
  modelwire_request *request = NULL;
  modelwire_call *call = NULL;
  modelwire_response *response = NULL;
  modelwire_error *error = NULL;
  modelwire_queue *queue = NULL;
  modelwire_event *event = NULL;
  int64_t tokens = 0;
  char said[64] = "";
  CHECK(modelwire_check_abi(MODELWIRE_ABI) == MODELWIRE_OK);
  CHECK(modelwire_version_number() >= MODELWIRE_VERSION_NUMBER);
  CHECK(modelwire_client_new("{\"idle_timeout_ms\":30000}", MODELWIRE_NUL, &client, NULL) == 0);

  CHECK(modelwire_request_new(MODELWIRE_OPERATION_CHAT, NULL, 0, &request, NULL) == MODELWIRE_OK);
  CHECK(modelwire_request_set_text(request, "model", MODELWIRE_NUL, "echo", MODELWIRE_NUL, NULL) == 0);
  CHECK(modelwire_request_add_message(request, "user", MODELWIRE_NUL, "hello", 5, NULL) == 0);
  CHECK(modelwire_call_new(client, request, 0, &call, NULL) == MODELWIRE_OK);
  CHECK(modelwire_call_run(call, &response, NULL) == MODELWIRE_OK);
  CHECK(strcmp(modelwire_response_text(response, NULL), "hello") == 0);
  CHECK(modelwire_value_int(modelwire_response_info(response), "/usage/total_tokens", MODELWIRE_NUL,
                            &tokens) == MODELWIRE_OK && tokens > 0);
  CHECK(modelwire_call_run(call, &response, &error) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_error_status(error) == MODELWIRE_E_ARGUMENT);
  modelwire_error_free(error);
  modelwire_response_free(response);
  modelwire_call_free(call);

  CHECK(modelwire_call_new(client, request, 0, &call, NULL) == MODELWIRE_OK);
  CHECK(modelwire_call_start(call, 1, on_event, &pieces, on_end, NULL) == MODELWIRE_OK);
  CHECK(modelwire_call_wait(call, 60000, NULL) == MODELWIRE_OK);
  CHECK(pieces > 0 && finalizers == 1);
  modelwire_call_free(call);
  modelwire_request_free(request);

  CHECK(modelwire_queue_new(0, &queue, NULL) == MODELWIRE_OK);
  CHECK(modelwire_queue_fd(queue) >= 0);
  CHECK(modelwire_queue_submit(queue, client, MODELWIRE_OPERATION_CHAT, CHAT("echo"), MODELWIRE_NUL, 1,
                               7, NULL) == MODELWIRE_OK);
  CHECK(modelwire_queue_submit(queue, client, MODELWIRE_OPERATION_CHAT, CHAT("slow"), MODELWIRE_NUL, 1,
                               8, NULL) == MODELWIRE_OK);
  CHECK(modelwire_queue_cancel(queue, 8) == MODELWIRE_OK);
  while (modelwire_queue_count(queue) > 0) {
    CHECK(modelwire_queue_next(queue, 60000, &event) == MODELWIRE_OK);
    uint64_t tag = modelwire_event_tag(event);
    if (modelwire_event_kind(event) == MODELWIRE_EVENT_CHUNK && tag == 7) {
      CHECK(strlen(said) + strlen(modelwire_event_text(event, NULL)) < sizeof said);
      strcat(said, modelwire_event_text(event, NULL));
    } else if (modelwire_event_kind(event) == MODELWIRE_EVENT_RESPONSE) {
      CHECK(tag == 7 && strcmp(said, "one two three") == 0);
    } else if (modelwire_event_kind(event) == MODELWIRE_EVENT_ERROR) {
      CHECK(tag == 8);
      CHECK(modelwire_error_status(modelwire_event_error(event)) == MODELWIRE_E_CANCELLED);
    }
    modelwire_event_free(event);
  }
  modelwire_queue_free(queue);
  modelwire_client_free(client);
  CHECK(modelwire_shutdown(30000) == MODELWIRE_OK);
  puts("runs");
  return 0;
}
