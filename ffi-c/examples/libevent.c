/*
 * An HTTP server of libevent's that answers each POST with a chat, piece by piece as it is written.
 * A reader that is slow holds back its own chat and no other one, without memory of the server's;
 * one that goes away ends it. Ctrl-C ends the server.
 *
 *   cc libevent.c -o libevent $(pkg-config --cflags --libs modelwire libevent)
 *   ./libevent echo 8080 &  curl -N --data "Say hello." http://127.0.0.1:8080/
 */
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <modelwire.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { HOLD_BACK = 64 * 1024 }; /* bytes that wait for a reader, before its chat is paused */

/* One chat; its address is its tag. http is NULL once its reader is gone. */
typedef struct {
  struct evhttp_request *http;
  int has_begun;
} chat;

static const char *model;
static modelwire_client *client;
static modelwire_queue *queue;

static void fail(const modelwire_error *error) {
  fprintf(stderr, "%s\n", modelwire_error_report(error, NULL));
  exit(1);
}

static void on_reader_gone(struct evhttp_connection *connection, void *data) {
  chat *one = data;
  (void)connection;
  one->http = NULL;
  modelwire_queue_cancel(queue, (uintptr_t)one); /* its last event comes, and frees it */
}

static void on_written(struct evhttp_connection *connection, void *data) {
  (void)connection;
  modelwire_queue_resume(queue, (uintptr_t)data); /* a chat that is over is no fault */
}

static void on_request(struct evhttp_request *http, void *data) {
  struct evbuffer *body = evhttp_request_get_input_buffer(http);
  size_t length = evbuffer_get_length(body);
  const char *text = (const char *)evbuffer_pullup(body, -1);
  modelwire_request *request = NULL;
  chat *one = calloc(1, sizeof *one);
  (void)data;
  if (one != NULL &&
      !modelwire_request_new(MODELWIRE_OPERATION_CHAT, NULL, 0, &request, NULL) &&
      !modelwire_request_set_text(request, MODELWIRE_TEXT("model"), MODELWIRE_TEXT(model), NULL) &&
      !modelwire_request_add_message(request, MODELWIRE_TEXT("user"), text, length, NULL) &&
      !modelwire_queue_submit_request(queue, client, request, 1, (uintptr_t)one, NULL)) {
    one->http = http;
    evhttp_connection_set_closecb(evhttp_request_get_connection(http), on_reader_gone, one);
  } else { /* no body, or no UTF-8 */
    evhttp_send_error(http, HTTP_BADREQUEST, NULL);
    free(one);
  }
  modelwire_request_free(request);
}

static void send_piece(chat *one, const modelwire_event *event) {
  struct evhttp_connection *connection = evhttp_request_get_connection(one->http);
  struct bufferevent *stream = evhttp_connection_get_bufferevent(connection);
  struct evbuffer *piece = evbuffer_new();
  size_t length;
  const char *text = modelwire_event_text(event, &length);
  if (!one->has_begun) evhttp_send_reply_start(one->http, HTTP_OK, "OK");
  one->has_begun = 1;
  evbuffer_add(piece, text, length);
  evhttp_send_reply_chunk_with_cb(one->http, piece, on_written, one);
  evbuffer_free(piece);
  if (evbuffer_get_length(bufferevent_get_output(stream)) > HOLD_BACK)
    modelwire_queue_pause(queue, (uintptr_t)one); /* what comes now waits in the socket */
}

static void end(chat *one, const modelwire_event *event) {
  struct evhttp_connection *connection = evhttp_request_get_connection(one->http);
  evhttp_connection_set_closecb(connection, NULL, NULL);
  if (modelwire_event_kind(event) == MODELWIRE_EVENT_RESPONSE) {
    if (!one->has_begun) evhttp_send_reply_start(one->http, HTTP_OK, "OK");
    evhttp_send_reply_end(one->http);
  } else if (one->has_begun) {
    evhttp_connection_free(connection); /* breaks off, so that nobody takes a part for the whole */
  } else {
    evhttp_send_error(one->http, 502, modelwire_status_name(modelwire_error_status(
                                          modelwire_event_error(event))));
  }
}

/* Readable: take until there is nothing more, then go back to the loop. */
static void on_readable(evutil_socket_t fd, short what, void *data) {
  modelwire_event *event;
  (void)fd, (void)what, (void)data;
  while (modelwire_queue_next(queue, 0, &event) == MODELWIRE_OK) {
    chat *one = (chat *)(uintptr_t)modelwire_event_tag(event);
    int is_chunk = modelwire_event_kind(event) == MODELWIRE_EVENT_CHUNK;
    if (one->http != NULL) (is_chunk ? send_piece : end)(one, event);
    if (!is_chunk) free(one);
    modelwire_event_free(event);
  }
}

static void on_interrupt(evutil_socket_t number, short what, void *base) {
  (void)number, (void)what;
  event_base_loopbreak(base);
}

int main(int argc, char **argv) {
  modelwire_error *error;
  if (argc != 3) {
    fprintf(stderr, "usage: %s MODEL PORT\n", argv[0]);
    return 2;
  }
  model = argv[1];
  if (modelwire_client_new(NULL, 0, &client, &error) || modelwire_queue_new(0, &queue, &error))
    fail(error);
  signal(SIGPIPE, SIG_IGN); /* a reader that is gone is no reason to end */

  struct event_base *base = event_base_new();
  struct evhttp *server = evhttp_new(base);
  int fd = modelwire_queue_fd(queue);
  struct event *readable = event_new(base, fd, EV_READ | EV_PERSIST, on_readable, NULL);
  struct event *interrupt = evsignal_new(base, SIGINT, on_interrupt, base);
  event_add(readable, NULL);
  event_add(interrupt, NULL);
  evhttp_set_gencb(server, on_request, NULL);
  if (evhttp_bind_socket(server, "127.0.0.1", (unsigned short)atoi(argv[2])) != 0) return 1;
  event_base_dispatch(base);

  evhttp_free(server); /* readers that are left are told so: their chats end with the queue */
  event_free(interrupt);
  event_free(readable); /* before the queue, with which the descriptor goes */
  event_base_free(base);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
  return 0;
}
