/*
 * One chat completion, built without a JSON library.
 *
 *   cc chat.c -o chat $(pkg-config --cflags --libs modelwire)
 *   ./chat echo "Say hello."
 */
#include <inttypes.h>
#include <modelwire.h>
#include <stdio.h>

/* Says everything that is known about a failure, what to do about it too, for a log or for
 * support; the key is not in it. */
static int fail(modelwire_error *error) {
  fprintf(stderr, "%s\n", modelwire_error_report(error, NULL));
  modelwire_error_free(error);
  return 1;
}

/* Two messages, a number of tokens, a temperature; each may fail for text that is not UTF-8. */
static int fill(modelwire_request *request, const char *model, const char *text,
                modelwire_error **error) {
  return modelwire_request_set_text(request, MODELWIRE_TEXT("model"), MODELWIRE_TEXT(model),
                                    error) == MODELWIRE_OK &&
         modelwire_request_add_message(request, MODELWIRE_TEXT("system"),
                                       MODELWIRE_TEXT("Be brief."), error) == MODELWIRE_OK &&
         modelwire_request_add_message(request, MODELWIRE_TEXT("user"), MODELWIRE_TEXT(text),
                                       error) == MODELWIRE_OK &&
         modelwire_request_set_json(request, MODELWIRE_TEXT("max_tokens"),
                                    MODELWIRE_TEXT("200"), error) == MODELWIRE_OK &&
         modelwire_request_set_json(request, MODELWIRE_TEXT("temperature"),
                                    MODELWIRE_TEXT("0.2"), error) == MODELWIRE_OK;
}

static void show(const modelwire_response *answer) {
  /* What the library knows of the answer, and what the service sent: JSON both, read by paths.
   */
  const modelwire_value *known = modelwire_response_info(answer);
  const modelwire_value *sent = modelwire_response_value(answer);
  const char *role =
      modelwire_value_text(sent, MODELWIRE_TEXT("/choices/0/message/role"), NULL);
  const char *reason = modelwire_value_text(known, MODELWIRE_TEXT("/finish_reason"), NULL);
  puts(modelwire_response_text(answer, NULL));
  printf("(%s; %" PRId64 " tokens in, %" PRId64 " out)\n", reason == NULL ? "unknown" : reason,
         modelwire_response_tokens(answer, MODELWIRE_TOKENS_INPUT),
         modelwire_response_tokens(answer, MODELWIRE_TOKENS_OUTPUT));
  if (modelwire_response_finish_reason(answer) == MODELWIRE_FINISH_LENGTH) puts("(truncated)");
  if (role != NULL) printf("(role: %s)\n", role);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s MODEL TEXT\n", argv[0]);
    return 2;
  }
  modelwire_client *client = NULL;
  modelwire_request *request = NULL;
  modelwire_call *call = NULL;
  modelwire_response *answer = NULL;
  modelwire_error *error = NULL;

  if (modelwire_client_new(NULL, 0, &client, &error) == MODELWIRE_OK &&
      modelwire_request_new(MODELWIRE_OPERATION_CHAT, NULL, 0, &request, &error) ==
          MODELWIRE_OK &&
      fill(request, argv[1], argv[2], &error) &&
      modelwire_call_new(client, request, 0, &call, &error) == MODELWIRE_OK &&
      modelwire_call_run(call, &answer, &error) == MODELWIRE_OK) {
    show(answer);
  }

  modelwire_response_free(answer);
  modelwire_call_free(call);
  modelwire_request_free(request);
  modelwire_client_free(client);
  return error == NULL ? 0 : fail(error);
}
