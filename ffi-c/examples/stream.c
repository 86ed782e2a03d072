/*
 * Prints an answer while it is being written; Ctrl-C ends it and closes the exchange.
 *
 *   cc stream.c -o stream $(pkg-config --cflags --libs modelwire)
 *   ./stream echo "Tell a story."
 */
#include <modelwire.h>
#include <signal.h>
#include <stdio.h>

static modelwire_call *call;
static volatile sig_atomic_t is_interrupted;

static void on_interrupt(int signal) {
  (void)signal;
  is_interrupted = 1;
  modelwire_call_wakeup(call); /* may be called here, since the call is interruptible */
}

/* Called on the thread that runs the call, for each chunk in order. */
static int32_t print_piece(void *user_data, const modelwire_event *event) {
  size_t length = 0;
  const char *piece = modelwire_event_text(event, &length);
  (void)user_data;
  fwrite(piece, 1, length, stdout);
  fflush(stdout);
  return 0; /* anything else would end the stream */
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s MODEL TEXT\n", argv[0]);
    return 2;
  }
  modelwire_client *client = NULL;
  modelwire_request *request = NULL;
  modelwire_response *end = NULL;
  modelwire_error *error = NULL;
  modelwire_status status = MODELWIRE_E_ARGUMENT;

  if (modelwire_client_new(NULL, 0, &client, &error) == MODELWIRE_OK &&
      modelwire_request_new(MODELWIRE_OPERATION_CHAT, NULL, 0, &request, &error) ==
          MODELWIRE_OK &&
      modelwire_request_set_text(request, MODELWIRE_TEXT("model"), MODELWIRE_TEXT(argv[1]),
                                 &error) == MODELWIRE_OK &&
      modelwire_request_add_message(request, MODELWIRE_TEXT("user"), MODELWIRE_TEXT(argv[2]),
                                    &error) == MODELWIRE_OK &&
      modelwire_call_new(client, request, MODELWIRE_INTERRUPTIBLE, &call, &error) ==
          MODELWIRE_OK) {
    signal(SIGINT, on_interrupt);
    do {
      /* A signal interrupts the wait, and the stream goes on with the next. */
      if (is_interrupted) modelwire_call_cancel(call);
      status = modelwire_call_stream(call, print_piece, NULL, &end, &error);
    } while (status == MODELWIRE_INTERRUPTED);
    signal(SIGINT, SIG_DFL);
  }
  puts("");
  if (status < 0 && status != MODELWIRE_E_CANCELLED) {
    const char *hint =
        modelwire_value_text(modelwire_error_value(error), MODELWIRE_TEXT("/hint"), NULL);
    fprintf(stderr, "%s\n%s\n", modelwire_error_message(error, NULL), hint);
  }

  modelwire_error_free(error);
  modelwire_response_free(end);
  modelwire_call_free(call);
  modelwire_request_free(request);
  modelwire_client_free(client);
  return status < 0;
}
