/*
 * A hundred streams at once on one thread, in an event loop of the program's own: here a bare
 * epoll, and libevent, libuv or glib in the same way. The loop watches the descriptor of a
 * completion queue among whatever else it watches.
 *
 *   cc many.c -o many $(pkg-config --cflags --libs modelwire)
 *   ./many a-model "Say hello."
 */
#include <modelwire.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>

#define STREAMS 100

typedef struct {
  modelwire_call *call;
  size_t chunks, bytes;
  int has_ended;
} stream;

/* Says what went wrong and what to do about it. */
static void tell(const modelwire_error *error) {
  fprintf(stderr, "%s\n%s\n", modelwire_error_message(error), modelwire_error_hint(error));
}

static void fail(const modelwire_error *error) {
  tell(error);
  exit(1);
}

/* One event of one of the streams. Returns 1 if it was the stream's last. */
static int take(stream *streams, const modelwire_event *event) {
  stream *one = &streams[modelwire_event_tag(event)];
  if (modelwire_event_kind(event) == MODELWIRE_EVENT_CHUNK) {
    size_t length;
    modelwire_event_text(event, &length);
    one->chunks++;
    one->bytes += length;
    return 0;
  }
  if (modelwire_event_kind(event) != MODELWIRE_EVENT_DONE) return 0;
  const modelwire_error *error = modelwire_event_error(event);
  static int failures;
  /* What fails one stream mostly fails them all: the first says why. */
  if (error != NULL && failures++ == 0) tell(error);
  one->has_ended = error == NULL;
  modelwire_call_free(one->call);
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s MODEL TEXT\n", argv[0]);
    return 2;
  }
  static stream streams[STREAMS];
  modelwire_client *client;
  modelwire_request *request;
  modelwire_queue *queue;
  modelwire_error *error;

  if (modelwire_client_new(NULL, &client, &error) != MODELWIRE_OK) fail(error);
  if (modelwire_request_chat(argv[1], MODELWIRE_NUL, &request, &error) != MODELWIRE_OK) fail(error);
  modelwire_request_add_message(request, "user", MODELWIRE_NUL, argv[2], MODELWIRE_NUL);
  if (modelwire_queue_new(0, &queue, &error) != MODELWIRE_OK) fail(error);

  for (size_t i = 0; i < STREAMS; i++) {
    if (modelwire_call_new(client, request, &streams[i].call, &error) != MODELWIRE_OK ||
        modelwire_call_submit(streams[i].call, 1, queue, i, &error) != MODELWIRE_OK)
      fail(error);
  }

  int loop = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event watched = {.events = EPOLLIN};
  if (loop < 0 || epoll_ctl(loop, EPOLL_CTL_ADD, modelwire_queue_fd(queue), &watched) != 0) {
    perror("epoll");
    return 1;
  }
  size_t left = STREAMS;
  while (left > 0) {
    struct epoll_event ready;
    if (epoll_wait(loop, &ready, 1, -1) < 1) continue;
    /* Readable: take until there is nothing more, then go back to the loop. */
    modelwire_event *events[64];
    size_t count;
    while (modelwire_queue_take(queue, 0, events, 64, &count) == MODELWIRE_OK) {
      for (size_t i = 0; i < count; i++) {
        left -= (size_t)take(streams, events[i]);
        modelwire_event_free(events[i]);
      }
    }
  }

  size_t ended = 0, chunks = 0, bytes = 0;
  for (size_t i = 0; i < STREAMS; i++) {
    ended += (size_t)streams[i].has_ended;
    chunks += streams[i].chunks;
    bytes += streams[i].bytes;
  }
  printf("%zu of %d streams complete: %zu chunks, %zu bytes of text\n", ended, STREAMS, chunks,
         bytes);
  modelwire_queue_free(queue);
  modelwire_request_free(request);
  modelwire_client_free(client);
  return ended != STREAMS;
}
