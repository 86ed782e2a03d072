/*
 * Chats in a libuv loop: uv_poll watches the queue's descriptor, beside whatever else the loop
 * does. Ctrl-C ends the chats, and the program when they have ended.
 *
 *   cc libuv.c -o libuv $(pkg-config --cflags --libs modelwire libuv)
 *   ./libuv echo "Say hello." "Count to three."
 */
#include <inttypes.h>
#include <modelwire.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

static modelwire_queue *queue;
static uv_poll_t readable;
static uv_signal_t interrupt;
static int failures;

static void fail(const modelwire_error *error) {
  fprintf(stderr, "%s\n", modelwire_error_report(error, NULL));
  exit(1);
}

/* The tag says which of the chats it is. Each ends with exactly one event that is no chunk. */
static void handle(const modelwire_event *event) {
  uint64_t tag = modelwire_event_tag(event);
  const char *text = modelwire_event_text(event, NULL);
  if (modelwire_event_kind(event) == MODELWIRE_EVENT_CHUNK) {
    if (*text != 0) printf("%" PRIu64 ": %s\n", tag, text); /* a chunk may have no text */
  } else if (modelwire_event_kind(event) == MODELWIRE_EVENT_ERROR) {
    fprintf(stderr, "%" PRIu64 " failed: %s\n", tag, text);
    failures++;
  }
}

/* Readable: take until there is nothing more, then go back to the loop. */
static void on_readable(uv_poll_t *poll, int status, int what) {
  modelwire_event *event;
  (void)status, (void)what;
  while (modelwire_queue_next(queue, 0, &event) == MODELWIRE_OK) {
    handle(event);
    modelwire_event_free(event);
  }
  if (modelwire_queue_count(queue) > 0) return;
  uv_poll_stop(poll); /* nothing is left to wait for: the loop ends */
  uv_signal_stop(&interrupt);
}

/* Runs in the loop and not in a signal handler, so everything may be called. */
static void on_interrupt(uv_signal_t *handle, int number) {
  (void)handle, (void)number;
  modelwire_queue_close(queue); /* each chat ends with an error: cancelled */
}

static void submit(const modelwire_client *client, const char *model, const char *text,
                   uint64_t tag) {
  modelwire_request *request = NULL;
  modelwire_error *error = NULL;
  if (modelwire_request_new(MODELWIRE_OPERATION_CHAT, NULL, 0, &request, &error) ||
      modelwire_request_set_text(request, MODELWIRE_TEXT("model"), MODELWIRE_TEXT(model), &error) ||
      modelwire_request_add_message(request, MODELWIRE_TEXT("user"), MODELWIRE_TEXT(text),
                                    &error) ||
      modelwire_queue_submit_request(queue, client, request, 1, tag, &error))
    fail(error);
  modelwire_request_free(request);
}

int main(int argc, char **argv) {
  modelwire_client *client;
  modelwire_error *error;
  uv_loop_t *loop = uv_default_loop();
  if (argc < 3) {
    fprintf(stderr, "usage: %s MODEL TEXT...\n", argv[0]);
    return 2;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (modelwire_client_new(NULL, 0, &client, &error) || modelwire_queue_new(0, &queue, &error))
    fail(error);

  uv_poll_init(loop, &readable, modelwire_queue_fd(queue));
  uv_poll_start(&readable, UV_READABLE, on_readable);
  uv_signal_init(loop, &interrupt);
  uv_signal_start(&interrupt, on_interrupt, SIGINT);
  for (int i = 2; i < argc; i++) submit(client, argv[1], argv[i], (uint64_t)i - 2);
  uv_run(loop, UV_RUN_DEFAULT);

  modelwire_queue_free(queue); /* after uv_poll_stop: the descriptor goes with it */
  modelwire_client_free(client);
  return failures != 0;
}
