/*
 * Prints an answer while it is being written; Ctrl-C ends it and closes the exchange.
 *
 *   cc stream.c -o stream $(pkg-config --cflags --libs modelwire)
 *   ./stream a-model "Tell a story."
 */
#include <modelwire.h>
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal) {
  (void)signal;
  interrupted = 1; /* nothing of the library may be called in a signal handler */
}

/* Called on the thread that runs the call, for each chunk in order. */
static int32_t print_piece(void *user_data, const modelwire_event *event) {
  (void)user_data;
  fputs(modelwire_event_text(event, NULL), stdout);
  fflush(stdout);
  return interrupted; /* anything but 0 ends the stream */
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s MODEL TEXT\n", argv[0]);
    return 2;
  }
  modelwire_client *client = NULL;
  modelwire_request *request = NULL;
  modelwire_call *call = NULL;
  modelwire_response *end = NULL;
  modelwire_error *error = NULL;
  modelwire_status status;

  signal(SIGINT, on_interrupt);
  if ((status = modelwire_client_new(NULL, &client, &error)) == MODELWIRE_OK &&
      (status = modelwire_request_chat(argv[1], MODELWIRE_NUL, &request, &error)) ==
          MODELWIRE_OK) {
    modelwire_request_add_message(request, "user", MODELWIRE_NUL, argv[2], MODELWIRE_NUL);
    if ((status = modelwire_call_new(client, request, &call, &error)) == MODELWIRE_OK)
      status = modelwire_call_stream(call, print_piece, NULL, &end, &error);
  }
  puts("");
  if (status < 0)
    fprintf(stderr, "%s\n%s\n", modelwire_error_message(error), modelwire_error_hint(error));

  modelwire_error_free(error);
  modelwire_response_free(end);
  modelwire_call_free(call);
  modelwire_request_free(request);
  modelwire_client_free(client);
  return status < 0;
}
