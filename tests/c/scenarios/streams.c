/*
 * Calls that are answered piece by piece.
 */
#include "check.h"

void stream(void) {
  modelwire_client *client = client_of_environment();
  modelwire_call *call = chat_call(client, USAGE_CHAT("echo", "one two three four"));
  modelwire_response *end = NULL;
  modelwire_error *error = NULL;
  gathered all = {0};
  CHECK_STATUS(modelwire_call_stream(call, gather, &all, &end, &error), MODELWIRE_OK, error);
  CHECK_TEXT(all.text, "one two three four");
  CHECK_TEXT(all.finish_reason, "stop");
  /* The role, four words, the finish, the usage. */
  CHECK(all.events == 7);
  CHECK_TEXT(modelwire_response_json(end, NULL), "");
  CHECK_TEXT(modelwire_response_text(end, NULL), "");
  CHECK(answer_int(end, "/http_status") == 200);
  CHECK_TEXT(answer_text(end, "/request_id"), "req-1");
  CHECK_TEXT(header_of(end, "content-type"), "text/event-stream");
  CHECK(answer_int(end, "/usage/input_tokens") == 4);
  CHECK(answer_int(end, "/usage/output_tokens") == 4);
  CHECK(answer_int(end, "/usage/total_tokens") == 8);
  CHECK(usage_of(client, "/calls") == 1 && usage_of(client, "/total_tokens") == 8);
  modelwire_response_free(end);
  modelwire_call_free(call);
  modelwire_client_free(client);
}

/* The names of a response stream's events, one a line. */
static int32_t print_name(void *user_data, const modelwire_event *event) {
  size_t length = 0;
  const char *name = modelwire_event_name(event, &length);
  CHECK(length == strlen(name));
  CHECK(contains(modelwire_event_json(event, NULL), name));
  printf("%s\n", name);
  return gather(user_data, event);
}

void response_stream(void) {
  modelwire_client *client = client_of_environment();
  modelwire_call *call = response_call(client, "{\"model\":\"echo\",\"input\":\"one two\"}");
  modelwire_response *end = NULL;
  modelwire_error *error = NULL;
  gathered all = {0};
  CHECK_STATUS(modelwire_call_stream(call, print_name, &all, &end, &error), MODELWIRE_OK, error);
  CHECK_TEXT(all.text, "one two");
  CHECK(answer_int(end, "/usage/total_tokens") == 4);
  modelwire_response_free(end);
  modelwire_call_free(call);
  modelwire_client_free(client);
}

/* Counts down; at 0 it ends the stream. */
static int32_t stop_at_zero(void *user_data, const modelwire_event *event) {
  int *left = user_data;
  CHECK(modelwire_event_json(event, NULL) != NULL);
  CHECK(*left > 0);
  return --*left == 0;
}

static void stop_after(int events) {
  modelwire_client *client = client_of_environment();
  modelwire_call *call = chat_call(client, ECHO_CHAT("m", "x"));
  modelwire_response *end = NULL;
  modelwire_error *error = NULL;
  int left = events;
  CHECK_STATUS(modelwire_call_stream(call, stop_at_zero, &left, &end, &error),
               MODELWIRE_STOPPED, error);
  CHECK(left == 0 && end == NULL && error == NULL);
  /* The test gives the cue when the service saw the connection close: it is not our exit. */
  wait_for_cue();
  modelwire_call_free(call);
  modelwire_client_free(client);
}

/* The service sends one event and then never another: it is here before the response ends. */
void stream_incremental(void) { stop_after(1); }

void stream_stopped(void) { stop_after(3); }

void stream_cut(void) {
  modelwire_client *client = client_of_environment();
  modelwire_call *call = chat_call(client, ECHO_CHAT("cut", "one two three four five"));
  modelwire_response *end = NULL;
  modelwire_error *error = NULL;
  gathered all = {0};
  CHECK_STATUS(modelwire_call_stream(call, gather, &all, &end, &error),
               MODELWIRE_E_DISCONNECTED, error);
  CHECK_TEXT(all.text, "one two three ");
  CHECK(all.finish_reason[0] == '\0' && end == NULL);
  CHECK_TEXT(error_text(error, "/metered"), "entered");
  CHECK(error_int(error, "/http_status") == 200);
  CHECK(error_int(error, "/attempts") == 1);
  modelwire_error_free(error);
  modelwire_call_free(call);
  modelwire_client_free(client);
}

/* The error of a stream of this model, after its three words. */
static modelwire_error *stream_failure(modelwire_client *client, const char *body) {
  modelwire_call *call = chat_call(client, body);
  modelwire_error *error = NULL;
  modelwire_response *end = NULL;
  gathered all = {0};
  CHECK_STATUS(modelwire_call_stream(call, gather, &all, &end, &error), MODELWIRE_E_STREAM,
               error);
  CHECK_TEXT(all.text, "one two three ");
  CHECK(end == NULL);
  modelwire_call_free(call);
  return error;
}

void stream_error(void) {
  modelwire_client *client = client_of_environment();
  modelwire_error *error = stream_failure(client, ECHO_CHAT("error-in-stream", "one two three four"));
  CHECK_TEXT(modelwire_error_message(error, NULL), "The upstream provider failed.");
  CHECK_TEXT(error_text(error, "/type"), "server_error");
  CHECK_TEXT(error_text(error, "/code"), "upstream_failed");
  CHECK_TEXT(error_text(error, "/metered"), "entered");
  CHECK(contains(error_text(error, "/body"), "{\"error\":{"));
  CHECK_TEXT(error_text(error, "/request_id"), "req-1");
  modelwire_error_free(error);
  modelwire_client_free(client);
}

/* The words before an error outside of `error`, as FastChat sends it, are no whole answer. */
void stream_flat_error(void) {
  modelwire_client *client = client_of_environment();
  modelwire_error *error = stream_failure(client, ECHO_CHAT("flat-error", "one two three four"));
  CHECK_TEXT(error_text(error, "/code"), "50002");
  modelwire_error_free(error);
  modelwire_client_free(client);
}

void stream_nul_bytes(void) {
  modelwire_client *client = client_of_environment();
  modelwire_call *call = chat_call(client, ECHO_CHAT("m", "x"));
  modelwire_response *end = NULL;
  modelwire_error *error = NULL;
  gathered all = {0};
  CHECK_STATUS(modelwire_call_stream(call, gather, &all, &end, &error), MODELWIRE_OK, error);
  CHECK(all.length == 4);
  CHECK(memcmp(all.text, "a\0bc", 5) == 0);
  modelwire_response_free(end);
  modelwire_call_free(call);
  modelwire_client_free(client);
}

/* A client, and what a call of it that ran inside a callback said. */
typedef struct {
  modelwire_client *client;
  int calls;
} nest;

static int32_t call_inside(void *user_data, const modelwire_event *event) {
  nest *inner = user_data;
  modelwire_response *answer =
      answer_of(chat_call(inner->client, ECHO_CHAT("echo", "from inside")));
  CHECK_TEXT(modelwire_response_text(answer, NULL), "from inside");
  CHECK(modelwire_event_json(event, NULL) != NULL);
  modelwire_response_free(answer);
  inner->calls++;
  return 0;
}

void nested_call(void) {
  nest inner = {client_of_environment(), 0};
  modelwire_call *call = chat_call(inner.client, ECHO_CHAT("echo", "one two"));
  modelwire_response *end = NULL;
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_call_stream(call, call_inside, &inner, &end, &error), MODELWIRE_OK,
               error);
  CHECK(inner.calls == 4);
  modelwire_response_free(end);
  modelwire_call_free(call);
  modelwire_client_free(inner.client);
}
