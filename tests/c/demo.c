/*
 * The example: models, a chat and a response, whole and streamed, an error, and what it cost.
 * Which service is used, the environment says.
 *
 *   MODELWIRE_BASE_URL  where the service is, https://host/v1 for instance
 *   MODELWIRE_API_KEY   the key
 *   MODELWIRE_MODEL     the model to ask; the first that the service lists if it is not set
 *
 *   cc demo.c -o demo -lmodelwire && ./demo
 */
#include <inttypes.h>
#include <modelwire.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODELS_SHOWN_MAX 8
#define MODEL_BYTES_MAX 255
#define FIELDS_BYTES_MAX 256 /* with the braces around them */

/* One of the operations that generate. The fields are the service's own JSON: all that it knows
 * can be set here, but for "stream", which the library adds. */
typedef struct {
  modelwire_status (*new_request)(const char *json, size_t length, modelwire_request **out,
                                  modelwire_error **err);
  const char *fields;
} operation;

static const operation CHAT = {
    modelwire_request_chat_json,
    "\"max_tokens\":40,"
    "\"messages\":[{\"role\":\"user\",\"content\":\"Say hello in five words.\"}]"};
static const operation RESPONSE = {
    modelwire_request_response_json,
    "\"max_output_tokens\":40,\"input\":\"Say hello in five words.\""};

/* Says what went wrong and what to do about it. Takes the error. */
static void complain(const char *what, modelwire_error *error) {
  fprintf(stderr, "%s: %s\n", what, modelwire_error_message(error));
  fprintf(stderr, "hint: %s\n", modelwire_error_hint(error));
  modelwire_error_free(error);
}

/* Writes a text as the inside of a JSON string; `out` has room for six bytes for each of it. */
static void escape(const char *text, char *out) {
  for (; *text != '\0'; text++) {
    unsigned char byte = (unsigned char)*text;
    if (byte == '"' || byte == '\\') {
      *out++ = '\\';
      *out++ = (char)byte;
    } else if (byte < 0x20) {
      out += sprintf(out, "\\u%04x", (unsigned)byte);
    } else {
      *out++ = (char)byte;
    }
  }
  *out = '\0';
}

/* A call that is ready to be run; NULL on failure. */
static modelwire_call *new_call(const modelwire_client *client, const operation *what,
                                const char *model) {
  char model_json[MODEL_BYTES_MAX * 6 + 1], json[sizeof model_json + FIELDS_BYTES_MAX];
  modelwire_request *request = NULL;
  modelwire_call *call = NULL;
  modelwire_error *error = NULL;
  escape(model, model_json);
  snprintf(json, sizeof json, "{\"model\":\"%s\",%s}", model_json, what->fields);
  modelwire_status status = what->new_request(json, MODELWIRE_NUL, &request, &error);
  if (status == MODELWIRE_OK) status = modelwire_call_new(client, request, &call, &error);
  /* The call has its own copy of the request. */
  modelwire_request_free(request);
  if (status != MODELWIRE_OK) complain("making a call", error);
  return call;
}

/* Lists the models. Copies the first one's name to `model`, which has room for it, if it is empty
 * so far. 1 on success. */
static int show_models(const modelwire_client *client, char *model) {
  modelwire_request *request = NULL;
  modelwire_call *call = NULL;
  modelwire_response *list = NULL;
  modelwire_error *error = NULL;
  modelwire_status status = modelwire_request_models(&request, &error);
  if (status == MODELWIRE_OK) status = modelwire_call_new(client, request, &call, &error);
  if (status == MODELWIRE_OK) status = modelwire_call_run(call, &list, &error);
  modelwire_request_free(request);
  modelwire_call_free(call);
  if (status != MODELWIRE_OK) {
    complain("listing the models", error);
    return 0;
  }

  size_t count = modelwire_response_model_count(list);
  printf("Models\n");
  for (size_t i = 0; i < count && i < MODELS_SHOWN_MAX; i++) {
    printf("  %s\n", modelwire_response_model_id(list, i));
  }
  if (count > MODELS_SHOWN_MAX) printf("  ... and %zu more\n", count - MODELS_SHOWN_MAX);
  if (model[0] == '\0' && count > 0) {
    /* One that does not fit is cut, and then unknown to the service. */
    snprintf(model, MODEL_BYTES_MAX + 1, "%s", modelwire_response_model_id(list, 0));
  }
  modelwire_response_free(list);
  if (model[0] == '\0') fprintf(stderr, "the service lists no model: set MODELWIRE_MODEL\n");
  return model[0] != '\0';
}

/* Some services have no /responses: that is no failure of this program. 1 if so. */
static int is_not_served(const operation *what, const modelwire_error *error) {
  if (what != &RESPONSE || modelwire_error_status(error) != MODELWIRE_E_NOT_FOUND) return 0;
  printf("  (404: this service has no /responses)\n");
  return 1;
}

/* A call that is answered whole. 1 on success. */
static int show_whole(const modelwire_client *client, const operation *what, const char *model) {
  modelwire_call *call = new_call(client, what, model);
  modelwire_response *answer = NULL;
  modelwire_error *error = NULL;
  int is_fine = 1;
  if (call == NULL) return 0;
  if (modelwire_call_run(call, &answer, &error) == MODELWIRE_OK) {
    const char *reason = modelwire_response_finish_reason(answer);
    printf("  %s\n", modelwire_response_text(answer, NULL));
    printf("  (finished: %s)\n", reason == NULL ? "unknown" : reason);
  } else if (is_not_served(what, error)) {
    modelwire_error_free(error);
  } else {
    complain("a call", error);
    is_fine = 0;
  }
  modelwire_response_free(answer);
  modelwire_call_free(call);
  return is_fine;
}

/* Called for each event of a stream, on the thread that runs the call. Counts the pieces of text
 * and prints each as soon as it is there. */
static int32_t print_piece(void *user_data, const modelwire_event *event) {
  int *pieces = user_data;
  size_t length = 0;
  const char *text = modelwire_event_text(event, &length);
  if (length == 0) return 0;
  ++*pieces;
  fwrite(text, 1, length, stdout);
  fflush(stdout);
  return 0; /* anything else would end the stream */
}

/* A call that is answered piece by piece. 1 on success. */
static int show_stream(const modelwire_client *client, const operation *what, const char *model) {
  modelwire_call *call = new_call(client, what, model);
  modelwire_response *end = NULL;
  modelwire_error *error = NULL;
  int pieces = 0, is_fine = 1;
  if (call == NULL) return 0;
  printf("  ");
  modelwire_status status = modelwire_call_stream(call, print_piece, &pieces, &end, &error);
  printf("\n");
  if (status == MODELWIRE_OK) {
    printf("  (%d pieces)\n", pieces);
  } else if (is_not_served(what, error)) {
    modelwire_error_free(error);
  } else {
    complain("a stream", error);
    is_fine = 0;
  }
  modelwire_response_free(end);
  modelwire_call_free(call);
  return is_fine;
}

static void print_field(const char *name, const char *value) {
  printf("  %-11s %s\n", name, value == NULL ? "-" : value);
}

/* What an error tells. A service may answer an unknown model all the same. 1 on success. */
static int show_error(const modelwire_client *client) {
  modelwire_call *call = new_call(client, &CHAT, "no-such-model");
  modelwire_response *answer = NULL;
  modelwire_error *error = NULL;
  if (call == NULL) return 0;
  modelwire_status status = modelwire_call_run(call, &answer, &error);
  if (status == MODELWIRE_OK) {
    printf("  none: the service answered for \"no-such-model\" all the same\n");
  } else {
    print_field("status", modelwire_status_name(status));
    printf("  %-11s %" PRId32 "\n", "http status", modelwire_error_http_status(error));
    print_field("message", modelwire_error_message(error));
    print_field("type", modelwire_error_type(error));
    print_field("code", modelwire_error_code(error));
    print_field("model", modelwire_error_model(error));
    print_field("path", modelwire_error_path(error));
    print_field("request id", modelwire_error_request_id(error));
    print_field("metered", modelwire_error_metered(error));
    print_field("hint", modelwire_error_hint(error));
  }
  modelwire_response_free(answer);
  modelwire_error_free(error);
  modelwire_call_free(call);
  return 1;
}

/* Chats and responses that were answered; lists and failures are not counted. 1 on success. */
static int show_cost(const modelwire_client *client) {
  uint64_t calls = 0, input = 0, output = 0, total = 0;
  if (modelwire_client_usage(client, &calls, NULL, &input, &output, &total) != MODELWIRE_OK) return 0;
  printf("What it cost\n  calls: %" PRIu64 "\n", calls);
  printf("  tokens: %" PRIu64 " in, %" PRIu64 " out, %" PRIu64 " in all\n", input, output, total);
  return 1;
}

/* Everything in its order; it stops at the first failure. 1 on success. */
static int show_everything(const modelwire_client *client) {
  char model[MODEL_BYTES_MAX + 1] = "";
  const char *wanted = getenv("MODELWIRE_MODEL");
  if (wanted != NULL) snprintf(model, sizeof model, "%s", wanted);
  if (!show_models(client, model)) return 0;
  printf("Chat (%s)\n", model);
  if (!show_whole(client, &CHAT, model)) return 0;
  printf("Chat, streamed\n");
  if (!show_stream(client, &CHAT, model)) return 0;
  printf("Response\n");
  if (!show_whole(client, &RESPONSE, model)) return 0;
  printf("Response, streamed\n");
  if (!show_stream(client, &RESPONSE, model)) return 0;
  printf("An error\n");
  return show_error(client) && show_cost(client);
}

int main(void) {
  modelwire_client *client = NULL;
  modelwire_error *error = NULL;
  int is_fine = 0;
  if (modelwire_check_abi(MODELWIRE_ABI) != MODELWIRE_OK) {
    fprintf(stderr, "libmodelwire %s has another ABI than this program\n", modelwire_version());
    return EXIT_FAILURE;
  }
  /* NULL: base URL and key come from the environment. */
  if (modelwire_client_new(NULL, &client, &error) == MODELWIRE_OK) {
    is_fine = show_everything(client);
    modelwire_client_free(client);
  } else {
    complain("making a client", error);
  }
  /* Optional: it joins the library's thread, so that a leak checker finds nothing in use. */
  if (modelwire_shutdown(5000) != MODELWIRE_OK) is_fine = 0;
  return is_fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
