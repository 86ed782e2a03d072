/*
 * The example: models; a chat and a response, whole and streamed; a model that only streams; a call
 * that is refused at first; an error; and what it cost. The environment says which service is used.
 *
 *   MODELWIRE_BASE_URL                where the service is, https://host/v1 for instance
 *   MODELWIRE_API_KEY                 the key
 *   MODELWIRE_MODEL                   the model to ask; the first that the service lists if it is
 *                                     not set
 *   MODELWIRE_DEMO_STREAM_ONLY_MODEL  one that only streams; the same one if it is not set
 *   MODELWIRE_DEMO_REFUSED_MODEL      one that answers 429 at first; without it that part is left
 *                                     out
 *
 *   cc demo.c -o demo -lmodelwire && ./demo
 */
#include <inttypes.h>
#include <modelwire.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A model that echoes gives a good answer to it, too. */
#define PROMPT "Hello, and good morning to you!"
#define TOKENS_MAX "40"
#define MODELS_SHOWN_MAX 8
#define MODEL_BYTES_MAX 255

/* The operations that generate. */
typedef enum {
  CHAT = MODELWIRE_OPERATION_CHAT,
  RESPONSE = MODELWIRE_OPERATION_RESPONSES
} operation;

/* What is known of an answer or an error is a JSON object; these look into it, by a path. A text is
 * NULL where there is none, a number 0. */
static const char *text_in(const modelwire_value *known, const char *path) {
  return modelwire_value_text(known, path, MODELWIRE_NUL, NULL);
}

static int64_t number_in(const modelwire_value *known, const char *path) {
  int64_t number = 0;
  modelwire_value_int(known, path, MODELWIRE_NUL, &number);
  return number;
}

/* Says what went wrong and what to do about it. Takes the error. 0, for who returns it. */
static int complain(modelwire_error *error) {
  fprintf(stderr, "%s\nHint: %s\n", modelwire_error_message(error, NULL),
          text_in(modelwire_error_value(error), "/hint"));
  modelwire_error_free(error);
  return 0;
}

/* A variable of the environment that is set, and not to nothing; or NULL. */
static const char *setting(const char *name) {
  const char *value = getenv(name);
  return value == NULL || value[0] == '\0' ? NULL : value;
}

/* A call that is ready to be run; NULL on failure, and then there is an error. */
static modelwire_call *new_call(const modelwire_client *client, operation what, const char *model,
                                int stream_only, modelwire_error **error) {
  modelwire_request *request = NULL;
  modelwire_call *call = NULL;
  const char *limit = what == CHAT ? "max_tokens" : "max_output_tokens";
  const char *options = stream_only ? "{\"stream_only\":true}" : "{}";
  modelwire_status status = modelwire_request_new(what, NULL, 0, &request, error);
  if (status == MODELWIRE_OK)
    status = modelwire_request_set_text(request, "model", MODELWIRE_NUL, model, MODELWIRE_NUL,
                                        error);
  if (status == MODELWIRE_OK)
    status = what == CHAT ? modelwire_request_add_message(request, "user", MODELWIRE_NUL, PROMPT,
                                                          MODELWIRE_NUL, error)
                          : modelwire_request_set_text(request, "input", MODELWIRE_NUL, PROMPT,
                                                       MODELWIRE_NUL, error);
  if (status == MODELWIRE_OK)
    status = modelwire_request_set_json(request, limit, MODELWIRE_NUL, TOKENS_MAX, MODELWIRE_NUL,
                                        error);
  if (status == MODELWIRE_OK)
    status = modelwire_request_set_options(request, options, MODELWIRE_NUL, error);
  if (status == MODELWIRE_OK) modelwire_call_new(client, request, 0, &call, error);
  /* The call has its own copy of the request. */
  modelwire_request_free(request);
  return call;
}

/* A call that is answered whole; NULL on failure, and then there is an error. */
static modelwire_response *ask(const modelwire_client *client, operation what, const char *model,
                               int stream_only, modelwire_error **error) {
  modelwire_response *answer = NULL;
  modelwire_call *call = new_call(client, what, model, stream_only, error);
  if (call != NULL) modelwire_call_run(call, &answer, error);
  modelwire_call_free(call);
  return answer;
}

/* Lists the models. Copies the first one's name to `model`, which has room for it, if it is empty
 * so far. 1 on success. */
static int show_models(const modelwire_client *client, char *model) {
  modelwire_request *request = NULL;
  modelwire_call *call = NULL;
  modelwire_response *list = NULL;
  modelwire_error *error = NULL;
  modelwire_status status =
      modelwire_request_new(MODELWIRE_OPERATION_MODELS, NULL, 0, &request, &error);
  if (status == MODELWIRE_OK) status = modelwire_call_new(client, request, 0, &call, &error);
  if (status == MODELWIRE_OK) status = modelwire_call_run(call, &list, &error);
  modelwire_request_free(request);
  modelwire_call_free(call);
  if (status != MODELWIRE_OK) return complain(error);

  const modelwire_value *known = modelwire_response_info(list);
  size_t count = modelwire_value_count(known, "/models", MODELWIRE_NUL);
  printf("Models\n");
  for (size_t i = 0; i < count && i < MODELS_SHOWN_MAX; i++) {
    char path[32];
    snprintf(path, sizeof path, "/models/%zu", i);
    printf("  %s\n", text_in(known, path));
  }
  if (count > MODELS_SHOWN_MAX) printf("  ... and %zu more\n", count - MODELS_SHOWN_MAX);
  if (model[0] == '\0' && count > 0) {
    /* One that does not fit is cut, and then unknown to the service. */
    snprintf(model, MODEL_BYTES_MAX + 1, "%s", text_in(known, "/models/0"));
  }
  modelwire_response_free(list);
  if (model[0] == '\0') fprintf(stderr, "the service lists no model: set MODELWIRE_MODEL\n");
  return model[0] != '\0';
}

/* What a call gave: one of both. Takes it. 1 on success. */
static int show_answer(modelwire_response *answer, modelwire_error *error) {
  if (answer == NULL) return complain(error);
  const char *reason = text_in(modelwire_response_info(answer), "/finish_reason");
  printf("  answered: %s\n", modelwire_response_text(answer, NULL));
  printf("  (finished: %s)\n", reason == NULL ? "unknown" : reason);
  modelwire_response_free(answer);
  return 1;
}

/* A chat that is answered whole. Sets `stream_only` if that takes this option. 1 on success. */
static int show_chat(const modelwire_client *client, const char *model, int *stream_only) {
  modelwire_error *error = NULL;
  modelwire_response *answer = ask(client, CHAT, model, 0, &error);
  int64_t status = number_in(modelwire_error_value(error), "/http_status"); /* 0 for NULL */
  /* The service tells in no agreed way that a model only streams. It may be that, unless the status
   * speaks of the key or of a limit. */
  if (status >= 400 && status != 401 && status != 429) {
    printf("  (status %" PRId64 ": asked again with stream_only, as by the plain calls below)\n",
           status);
    modelwire_error_free(error);
    error = NULL;
    *stream_only = 1;
    answer = ask(client, CHAT, model, *stream_only, &error);
  }
  return show_answer(answer, error);
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
static int show_stream(const modelwire_client *client, operation what, const char *model) {
  modelwire_response *end = NULL;
  modelwire_error *error = NULL;
  modelwire_call *call = new_call(client, what, model, 0, &error);
  int pieces = 0;
  if (call == NULL) return complain(error);
  printf("  answered: ");
  modelwire_call_stream(call, print_piece, &pieces, &end, &error);
  modelwire_response_free(end);
  modelwire_call_free(call);
  printf("\n");
  if (error != NULL) return complain(error);
  printf("  (%d pieces)\n", pieces);
  return 1;
}

/* A response, whole and streamed. Some services have none: that is no failure of this program. 1 on
 * success. */
static int show_response(const modelwire_client *client, const char *model, int stream_only) {
  modelwire_error *error = NULL;
  modelwire_response *answer = ask(client, RESPONSE, model, stream_only, &error);
  if (error != NULL && modelwire_error_status(error) == MODELWIRE_E_NOT_FOUND) {
    printf("  (404: this service has no /responses)\n");
    modelwire_error_free(error);
    return 1;
  }
  if (!show_answer(answer, error)) return 0;
  printf("Response, streamed\n");
  return show_stream(client, RESPONSE, model);
}

/* A chat that is refused at first. Nothing to do here: the retry policy of the client waits and
 * tries again. 1 on success. */
static int show_refused(const modelwire_client *client, const char *model) {
  modelwire_error *error = NULL;
  modelwire_response *answer = ask(client, CHAT, model, 0, &error);
  int64_t attempts = number_in(modelwire_response_info(answer), "/attempts");
  if (!show_answer(answer, error)) return 0;
  printf("  (answered after %" PRId64 " attempts)\n", attempts);
  return 1;
}

static void print_field(const char *name, const char *value) {
  printf("  %-11s %s\n", name, value == NULL ? "-" : value);
}

/* What the word for metering in an error means. */
static const char *meaning(const char *metered) {
  if (strcmp(metered, "not_sent") == 0) return "nothing was sent";
  if (strcmp(metered, "normally_not") == 0) return "it normally did not reach processing";
  if (strcmp(metered, "entered") == 0) return "the service processed it, at least in part";
  return "the service may or may not have processed it";
}

/* What an error tells. A service may answer an unknown model all the same. */
static void show_error(const modelwire_client *client) {
  modelwire_error *error = NULL;
  modelwire_response *answer = ask(client, CHAT, "no-such-model", 0, &error);
  if (error == NULL) {
    printf("  none: the service answered for \"no-such-model\" all the same\n");
  } else {
    const modelwire_value *known = modelwire_error_value(error);
    const char *metered = text_in(known, "/metered");
    print_field("kind", text_in(known, "/kind"));
    /* A number as it stands there, or null. */
    print_field("http status", modelwire_value_json(known, "/http_status", MODELWIRE_NUL, NULL));
    print_field("message", text_in(known, "/message"));
    print_field("type", text_in(known, "/type"));
    print_field("code", text_in(known, "/code"));
    print_field("model", text_in(known, "/model"));
    print_field("path", text_in(known, "/path"));
    print_field("request id", text_in(known, "/request_id"));
    printf("  %-11s %s: %s\n", "metered", metered, meaning(metered));
    print_field("hint", text_in(known, "/hint"));
  }
  modelwire_response_free(answer);
  modelwire_error_free(error);
}

/* Chats and responses that were answered; lists and failures are not counted. */
static void show_cost(const modelwire_client *client) {
  modelwire_value *usage = modelwire_client_usage(client, 0);
  printf("What it cost\n  calls: %" PRId64 "\n", number_in(usage, "/calls"));
  printf("  of these %" PRId64 " reported no usage: what they used is not among the tokens\n",
         number_in(usage, "/calls_without_usage"));
  printf("  tokens: %" PRId64 " in, %" PRId64 " out, %" PRId64 " in all\n",
         number_in(usage, "/input_tokens"), number_in(usage, "/output_tokens"),
         number_in(usage, "/total_tokens"));
  modelwire_value_free(usage);
}

/* Everything in its order; it stops at the first failure. 1 on success. */
static int show_everything(const modelwire_client *client) {
  char model[MODEL_BYTES_MAX + 1] = "";
  const char *wanted = setting("MODELWIRE_MODEL");
  const char *streaming = setting("MODELWIRE_DEMO_STREAM_ONLY_MODEL");
  const char *refused = setting("MODELWIRE_DEMO_REFUSED_MODEL");
  int stream_only = 0;
  modelwire_error *error = NULL;
  if (wanted != NULL) snprintf(model, sizeof model, "%s", wanted);
  if (!show_models(client, model)) return 0;
  printf("Chat (%s)\n  asked:    %s\n", model, PROMPT);
  if (!show_chat(client, model, &stream_only)) return 0;
  printf("Chat, streamed\n");
  if (!show_stream(client, CHAT, model)) return 0;
  printf("Response\n");
  if (!show_response(client, model, stream_only)) return 0;

  if (streaming == NULL) streaming = model;
  printf("Chat with the option stream_only, for models that only stream (%s)\n", streaming);
  modelwire_response *answer = ask(client, CHAT, streaming, 1, &error);
  if (!show_answer(answer, error)) return 0;
  if (refused != NULL) {
    printf("Chat that is refused with 429 at first (%s)\n", refused);
    if (!show_refused(client, refused)) return 0;
  }

  printf("An error\n");
  show_error(client);
  show_cost(client);
  return 1;
}

int main(void) {
  modelwire_client *client = NULL;
  modelwire_error *error = NULL;
  int is_fine = 0;
  if (modelwire_check_abi(MODELWIRE_ABI) != MODELWIRE_OK) {
    fprintf(stderr, "libmodelwire has another ABI than this program\n");
    return EXIT_FAILURE;
  }
  /* NULL: base URL and key come from the environment. */
  if (modelwire_client_new(NULL, 0, &client, &error) == MODELWIRE_OK) {
    is_fine = show_everything(client);
    modelwire_client_free(client);
  } else {
    complain(error);
  }
  /* Optional: it joins the library's thread, so that a leak checker finds nothing in use. */
  if (modelwire_shutdown(5000) != MODELWIRE_OK) is_fine = 0;
  return is_fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
