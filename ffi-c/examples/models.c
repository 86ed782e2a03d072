/*
 * Lists the models of a service. Base URL and key come from the environment: MODELWIRE_BASE_URL
 * and MODELWIRE_API_KEY.
 *
 *   cc models.c -o models $(pkg-config --cflags --libs modelwire)
 */
#include <modelwire.h>
#include <stdio.h>

static int fail(modelwire_error *error) {
  fprintf(stderr, "%s\n%s\n", modelwire_error_message(error), modelwire_error_hint(error));
  modelwire_error_free(error);
  return 1;
}

int main(void) {
  modelwire_client *client = NULL;
  modelwire_request *request = NULL;
  modelwire_call *call = NULL;
  modelwire_response *answer = NULL;
  modelwire_error *error = NULL;

  /* Any failure ends here: what was made so far is freed below, freeing NULL does nothing. */
  if (modelwire_client_new(NULL, &client, &error) == MODELWIRE_OK &&
      modelwire_request_models(&request, &error) == MODELWIRE_OK &&
      modelwire_call_new(client, request, &call, &error) == MODELWIRE_OK &&
      modelwire_call_run(call, &answer, &error) == MODELWIRE_OK) {
    for (size_t i = 0; i < modelwire_response_model_count(answer); i++)
      puts(modelwire_response_model_id(answer, i));
  }

  modelwire_response_free(answer);
  modelwire_call_free(call);
  modelwire_request_free(request);
  modelwire_client_free(client);
  return error == NULL ? 0 : fail(error);
}
