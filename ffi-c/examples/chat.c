/*
 * One chat completion, built without a JSON library.
 *
 *   cc chat.c -o chat $(pkg-config --cflags --libs modelwire)
 *   ./chat a-model "Say hello."
 */
#include <inttypes.h>
#include <modelwire.h>
#include <stdio.h>

/* Says everything that is known about a failure, what to do about it too, for a log or for support;
 * the key is not in it. */
static int fail(modelwire_error *error) {
  fprintf(stderr, "%s\n", modelwire_error_report(error, NULL));
  modelwire_error_free(error);
  return 1;
}

/* Two messages, a number of tokens, a temperature; each may fail for text that is not UTF-8. */
static int fill(modelwire_request *request, const char *model, const char *text,
                modelwire_error **error) {
  return modelwire_request_set_text(request, "model", MODELWIRE_NUL, model, MODELWIRE_NUL,
                                    error) == MODELWIRE_OK &&
         modelwire_request_add_message(request, "system", MODELWIRE_NUL, "Be brief.",
                                       MODELWIRE_NUL, error) == MODELWIRE_OK &&
         modelwire_request_add_message(request, "user", MODELWIRE_NUL, text, MODELWIRE_NUL,
                                       error) == MODELWIRE_OK &&
         modelwire_request_set_json(request, "max_tokens", MODELWIRE_NUL, "200", MODELWIRE_NUL,
                                    error) == MODELWIRE_OK &&
         modelwire_request_set_json(request, "temperature", MODELWIRE_NUL, "0.2", MODELWIRE_NUL,
                                    error) == MODELWIRE_OK;
}

static void show(const modelwire_response *answer) {
  /* What the library knows of the answer, and what the service sent: JSON both, read by paths. */
  const modelwire_value *known = modelwire_response_info(answer);
  const modelwire_value *sent = modelwire_response_value(answer);
  const char *reason = modelwire_value_text(known, "/finish_reason", MODELWIRE_NUL, NULL);
  const char *role = modelwire_value_text(sent, "/choices/0/message/role", MODELWIRE_NUL, NULL);
  int64_t input = 0, output = 0;
  /* Whichever is absent leaves its number alone. */
  modelwire_value_int(known, "/usage/input_tokens", MODELWIRE_NUL, &input);
  modelwire_value_int(known, "/usage/output_tokens", MODELWIRE_NUL, &output);
  puts(modelwire_response_text(answer, NULL));
  printf("(%s; %" PRId64 " tokens in, %" PRId64 " out)\n", reason == NULL ? "unknown" : reason,
         input, output);
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
