/*
 * A hundred streams at once on one thread, in an event loop of the program's own: here a bare
 * epoll, and libevent, libuv or glib in the same way. The loop watches the descriptor of a
 * completion queue among whatever else it watches. The queue owns the calls: the program knows
 * them by their tags.
 *
 *   cc many.c -o many $(pkg-config --cflags --libs modelwire)
 *   ./many echo "Say hello."
 */
#include <modelwire.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>

#define STREAMS 100

typedef struct {
  size_t chunks, bytes;
  int has_ended;
} stream;

/* Says what went wrong and what to do about it. */
static void tell(const modelwire_error *error) {
  const char *hint =
      modelwire_value_text(modelwire_error_value(error), MODELWIRE_TEXT("/hint"), NULL);
  fprintf(stderr, "%s\n%s\n", modelwire_error_message(error, NULL), hint);
}

static void fail(const modelwire_error *error) {
  tell(error);
  exit(1);
}

/* One event of one of the streams. Returns 1 if it was the stream's last. */
static int take(stream *streams, const modelwire_event *event) {
  static int failures;
  stream *one = &streams[modelwire_event_tag(event)];
  size_t length;
  switch (modelwire_event_kind(event)) {
    case MODELWIRE_EVENT_CHUNK:
      modelwire_event_text(event, &length);
      one->chunks++;
      one->bytes += length;
      return 0;
    case MODELWIRE_EVENT_RESPONSE:
      one->has_ended = 1;
      return 1;
    case MODELWIRE_EVENT_ERROR:
      /* What fails one stream mostly fails them all: the first says why. */
      if (failures++ == 0) tell(modelwire_event_error(event));
      return 1;
    default:
      return 0;
  }
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

  if (modelwire_client_new(NULL, 0, &client, &error) != MODELWIRE_OK ||
      modelwire_queue_new(0, &queue, &error) != MODELWIRE_OK ||
      modelwire_request_new(MODELWIRE_OPERATION_CHAT, NULL, 0, &request, &error) !=
          MODELWIRE_OK ||
      modelwire_request_set_text(request, MODELWIRE_TEXT("model"), MODELWIRE_TEXT(argv[1]),
                                 &error) != MODELWIRE_OK ||
      modelwire_request_add_message(request, MODELWIRE_TEXT("user"), MODELWIRE_TEXT(argv[2]),
                                    &error) != MODELWIRE_OK)
    fail(error);

  /* Whatever is wrong with a call comes as its last event. */
  for (size_t i = 0; i < STREAMS; i++) {
    if (modelwire_queue_submit_request(queue, client, request, 1, i, &error) != MODELWIRE_OK)
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
