/*
 * Chats in a GLib main loop, as GTK and GStreamer programs have one: g_unix_fd_add watches the
 * queue's descriptor. A text is put together until its chat ends. Ctrl-C ends the chats.
 *
 *   cc glib.c -o glib $(pkg-config --cflags --libs modelwire glib-2.0)
 *   ./glib echo "Say hello." "Count to three."
 */
#include <glib-unix.h>
#include <modelwire.h>
#include <signal.h>
#include <stdlib.h>

/* One chat. Its address is its tag, so that an event leads to it. */
typedef struct {
  char *question;
  GString *answer;
} chat;

static modelwire_queue *queue;
static GMainLoop *loop;
static int failures;

static void fail(const modelwire_error *error) {
  g_printerr("%s\n", modelwire_error_report(error, NULL));
  exit(1);
}

static void handle(const modelwire_event *event) {
  chat *one = (chat *)(uintptr_t)modelwire_event_tag(event);
  if (modelwire_event_kind(event) == MODELWIRE_EVENT_CHUNK) {
    size_t length;
    const char *piece = modelwire_event_text(event, &length);
    g_string_append_len(one->answer, piece, (gssize)length);
    return;
  }
  /* Its last event: the chat is over, and no other one comes with its tag. */
  if (modelwire_event_kind(event) == MODELWIRE_EVENT_ERROR) {
    g_printerr("%s failed: %s\n", one->question, modelwire_event_text(event, NULL));
    failures++;
  } else {
    g_print("%s: %s\n", one->question, one->answer->str);
  }
  g_string_free(one->answer, TRUE);
  g_free(one);
}

/* Readable: take until there is nothing more, then go back to the loop. */
static gboolean on_readable(gint fd, GIOCondition condition, gpointer data) {
  modelwire_event *event;
  (void)fd, (void)condition, (void)data;
  while (modelwire_queue_next(queue, 0, &event) == MODELWIRE_OK) {
    handle(event);
    modelwire_event_free(event);
  }
  if (modelwire_queue_count(queue) == 0) g_main_loop_quit(loop);
  return G_SOURCE_CONTINUE;
}

static gboolean on_interrupt(gpointer data) {
  (void)data;
  modelwire_queue_close(queue); /* each chat ends with an error: cancelled */
  return G_SOURCE_REMOVE;
}

static void ask(const modelwire_client *client, const char *model, char *question) {
  modelwire_request *request = NULL;
  modelwire_error *error = NULL;
  chat *one = g_new0(chat, 1);
  one->question = question;
  one->answer = g_string_new(NULL);
  if (modelwire_request_new(MODELWIRE_OPERATION_CHAT, NULL, 0, &request, &error) ||
      modelwire_request_set_text(request, MODELWIRE_TEXT("model"), MODELWIRE_TEXT(model), &error) ||
      modelwire_request_add_message(request, MODELWIRE_TEXT("user"), MODELWIRE_TEXT(question),
                                    &error) ||
      modelwire_queue_submit_request(queue, client, request, 1, (uintptr_t)one, &error))
    fail(error);
  modelwire_request_free(request);
}

int main(int argc, char **argv) {
  modelwire_client *client;
  modelwire_error *error;
  if (argc < 3) {
    g_printerr("usage: %s MODEL TEXT...\n", argv[0]);
    return 2;
  }
  if (modelwire_client_new(NULL, 0, &client, &error) || modelwire_queue_new(0, &queue, &error))
    fail(error);

  loop = g_main_loop_new(NULL, FALSE);
  guint source = g_unix_fd_add(modelwire_queue_fd(queue), G_IO_IN, on_readable, NULL);
  g_unix_signal_add(SIGINT, on_interrupt, NULL);
  for (int i = 2; i < argc; i++) ask(client, argv[1], argv[i]);
  g_main_loop_run(loop);

  g_source_remove(source); /* before the queue, with which the descriptor goes */
  modelwire_queue_free(queue);
  modelwire_client_free(client);
  g_main_loop_unref(loop);
  return failures != 0;
}
