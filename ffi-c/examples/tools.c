/*
 * A conversation with two tools: runs what the model calls, and sends the results, until it
 * answers.
 *
 *   cc tools.c -o tools $(pkg-config --cflags --libs modelwire)
 *   ./tools echo-tools Rome
 */
#include <modelwire.h>
#include <stdio.h>
#include <string.h>

static const char *const TOOLS =
    "[{\"type\":\"function\",\"function\":{\"name\":\"weather\",\"parameters\":"
    "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}}}}},"
    "{\"type\":\"function\",\"function\":{\"name\":\"clock\"}}]";

/* A member of the tool call with this number. */
static const char *of_call(const modelwire_value *info, size_t i, const char *member) {
  char path[64];
  snprintf(path, sizeof path, "/tool_calls/%zu/%s", i, member);
  return modelwire_value_text(info, MODELWIRE_TEXT(path), NULL);
}

/* Writes the result of a tool call; an error is a result, too, which the model reads. */
static void run_tool(const char *name, const char *json, char *result, size_t size) {
  modelwire_value *arguments = NULL;
  modelwire_value_new(MODELWIRE_TEXT(json), &arguments, NULL);
  const char *city = modelwire_value_text(arguments, MODELWIRE_TEXT("/city"), NULL);
  snprintf(result, size, "no such tool, or no city");
  if (strcmp(name, "clock") == 0) snprintf(result, size, "It is 14:05.");
  if (strcmp(name, "weather") == 0 && city) snprintf(result, size, "Sunny in %s.", city);
  modelwire_value_free(arguments);
}

int main(int argc, char **argv) {
  modelwire_client *client = NULL;
  modelwire_request *request = NULL;
  modelwire_error *error = NULL;
  if (argc != 3) return fprintf(stderr, "usage: %s MODEL CITY\n", argv[0]), 2;
  /* Each status is 0 for success. */
  int over = modelwire_client_new(NULL, 0, &client, &error) ||
             modelwire_request_new(MODELWIRE_OPERATION_CHAT, NULL, 0, &request, &error) ||
             modelwire_request_set_text(request, MODELWIRE_TEXT("model"),
                                        MODELWIRE_TEXT(argv[1]), &error) ||
             modelwire_request_set_json(request, MODELWIRE_TEXT("tools"), MODELWIRE_TEXT(TOOLS),
                                        &error) ||
             modelwire_request_add_message(request, MODELWIRE_TEXT("user"),
                                           MODELWIRE_TEXT(argv[2]), &error);
  for (int round = 0; !over && round < 8; round++) {
    modelwire_call *call = NULL;
    modelwire_response *answer = NULL;
    over = modelwire_call_new(client, request, 0, &call, &error) ||
           modelwire_call_run(call, &answer, &error);
    const modelwire_value *info = modelwire_response_info(answer);
    if (!over) puts(modelwire_response_text(answer, NULL));
    over = over || modelwire_response_finish_reason(answer) != MODELWIRE_FINISH_TOOL_CALLS ||
           modelwire_request_add_response(request, answer, &error);
    for (size_t i = 0; !over && i < modelwire_value_count(info, MODELWIRE_TEXT("/tool_calls"));
         i++) {
      char result[128];
      run_tool(of_call(info, i, "name"), of_call(info, i, "arguments"), result, sizeof result);
      over = modelwire_request_add_tool_result(request, MODELWIRE_TEXT(of_call(info, i, "id")),
                                               MODELWIRE_TEXT(result), &error);
    }
    modelwire_response_free(answer);
    modelwire_call_free(call);
  }
  if (error != NULL) fprintf(stderr, "%s\n", modelwire_error_report(error, NULL));
  int failed = error != NULL;
  modelwire_error_free(error);
  modelwire_request_free(request);
  modelwire_client_free(client);
  return failed;
}
