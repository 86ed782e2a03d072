/*
 * A program as it was written for the first header that there was: a chat. It knows nothing of the
 * library that it will be run with, which has other functions.
 */
#include <modelwire.h>
#include <stdio.h>

int main(void) {
  modelwire_client *client = NULL;
  modelwire_request *request = NULL;
  modelwire_call *call = NULL;
  modelwire_response *response = NULL;
  const char *json = "{\"model\":\"echo\",\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}";
  modelwire_config *config = modelwire_config_new();
  if (modelwire_client_new(config, &client, NULL) == MODELWIRE_OK &&
      modelwire_request_chat_json(json, MODELWIRE_NUL, &request, NULL) == MODELWIRE_OK &&
      modelwire_call_new(client, request, &call, NULL) == MODELWIRE_OK &&
      modelwire_call_run(call, &response, NULL) == MODELWIRE_OK)
    puts(modelwire_response_text(response, NULL));
  modelwire_response_free(response);
  modelwire_call_free(call);
  modelwire_request_free(request);
  modelwire_client_free(client);
  modelwire_config_free(config);
  return response == NULL;
}
