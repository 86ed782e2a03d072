/*
 * Lists the models of a service. Base URL and key come from the environment: MODELWIRE_BASE_URL
 * and MODELWIRE_API_KEY.
 *
 *   cc models.c -o models $(pkg-config --cflags --libs modelwire)
 */
#include <modelwire.h>
#include <stdio.h>

/* Says what went wrong and what to do about it. */
static int fail(modelwire_error *error) {
  const char *hint =
      modelwire_value_text(modelwire_error_value(error), MODELWIRE_TEXT("/hint"), NULL);
  fprintf(stderr, "%s\n%s\n", modelwire_error_message(error, NULL), hint);
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
  if (modelwire_client_new(NULL, 0, &client, &error) == MODELWIRE_OK &&
      modelwire_request_new(MODELWIRE_OPERATION_MODELS, NULL, 0, &request, &error) ==
          MODELWIRE_OK &&
      modelwire_call_new(client, request, 0, &call, &error) == MODELWIRE_OK &&
      modelwire_call_run(call, &answer, &error) == MODELWIRE_OK) {
    /* What the library knows of an answer is a JSON object; its fields are read by their paths.
     */
    const modelwire_value *known = modelwire_response_info(answer);
    size_t count = modelwire_value_count(known, MODELWIRE_TEXT("/models"));
    for (size_t i = 0; i < count; i++) {
      char path[32];
      snprintf(path, sizeof path, "/models/%zu", i);
      puts(modelwire_value_text(known, MODELWIRE_TEXT(path), NULL));
    }
  }

  modelwire_response_free(answer);
  modelwire_call_free(call);
  modelwire_request_free(request);
  modelwire_client_free(client);
  return error == NULL ? 0 : fail(error);
}
