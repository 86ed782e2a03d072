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

  if (modelwire_client_new(NULL, &client, &error) == MODELWIRE_OK &&
      modelwire_request_chat(argv[1], MODELWIRE_NUL, &request, &error) == MODELWIRE_OK) {
    /* These can only fail for NULL and for text that is not UTF-8. */
    modelwire_request_add_message(request, "system", MODELWIRE_NUL, "Be brief.", MODELWIRE_NUL);
    modelwire_request_add_message(request, "user", MODELWIRE_NUL, argv[2], MODELWIRE_NUL);
    modelwire_request_set_max_tokens(request, 200);
    modelwire_request_set_number(request, "temperature", MODELWIRE_NUL, 0.2);
    if (modelwire_call_new(client, request, &call, &error) == MODELWIRE_OK &&
        modelwire_call_run(call, &answer, &error) == MODELWIRE_OK) {
      uint64_t input = 0, output = 0;
      modelwire_response_usage(answer, &input, &output, NULL);
      puts(modelwire_response_text(answer, NULL));
      printf("(%s; %" PRIu64 " tokens in, %" PRIu64 " out)\n",
             modelwire_response_finish_reason(answer), input, output);
      /* What has no accessor of its own is read by its path. */
      const char *role = modelwire_response_get_text(answer, "/choices/0/message/role",
                                                     MODELWIRE_NUL, NULL);
      if (role != NULL) printf("(role: %s)\n", role);
    }
  }

  modelwire_response_free(answer);
  modelwire_call_free(call);
  modelwire_request_free(request);
  modelwire_client_free(client);
  return error == NULL ? 0 : fail(error);
}
