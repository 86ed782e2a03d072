/*
 * Calls that fail, and what their error objects say.
 */
#include "check.h"

void wrong_key(void) {
  modelwire_client *client = client_of_environment();
  modelwire_error *error =
      failure_of(chat_call(client, ECHO_CHAT("echo", "x")), MODELWIRE_E_AUTHENTICATION);
  size_t length = 0;
  CHECK_TEXT(modelwire_error_message(error), "Incorrect API key provided.");
  CHECK(contains(modelwire_error_hint(error), "key"));
  CHECK_TEXT(modelwire_error_type(error), "invalid_request_error");
  CHECK_TEXT(modelwire_error_code(error), "invalid_api_key");
  CHECK(modelwire_error_param(error) == NULL);
  CHECK(modelwire_error_http_status(error) == 401);
  CHECK_TEXT(modelwire_error_request_id(error), "req-1");
  CHECK_TEXT(modelwire_error_path(error), "/v1/chat/completions");
  CHECK_TEXT(modelwire_error_model(error), "echo");
  /* After 2020 and before 2100. */
  CHECK(modelwire_error_request_time_unix_ms(error) > INT64_C(1577836800000));
  CHECK(modelwire_error_request_time_unix_ms(error) < INT64_C(4102444800000));
  CHECK(modelwire_error_attempts(error) == 1);
  CHECK(modelwire_error_elapsed_ms(error) >= 0);
  CHECK(modelwire_error_retry_after_ms(error) == -1);
  CHECK(modelwire_error_timeout(error) == NULL);
  CHECK_TEXT(modelwire_error_metered(error), "normally_not");
  CHECK(contains(modelwire_error_body(error, &length), "\"invalid_api_key\""));
  CHECK(length == strlen(modelwire_error_body(error, NULL)));
  CHECK(contains(modelwire_error_report(error, &length), "request id: req-1"));
  CHECK(length == strlen(modelwire_error_report(error, NULL)));
  modelwire_error_free(error);
  modelwire_client_free(client);
}

void no_key(void) {
  modelwire_client *client = NULL;
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_client_new(NULL, &client, &error), MODELWIRE_E_CONFIG, error);
  CHECK(client == NULL);
  CHECK(contains(modelwire_error_message(error), "no API key is configured"));
  CHECK(contains(modelwire_error_hint(error), "MODELWIRE_API_KEY"));
  CHECK_TEXT(modelwire_error_metered(error), "not_sent");
  CHECK_TEXT(modelwire_error_path(error), "");
  CHECK(modelwire_error_request_time_unix_ms(error) == -1);
  CHECK(modelwire_error_attempts(error) == 0);
  CHECK(modelwire_error_body(error, NULL) == NULL);
  modelwire_error_free(error);
  /* An error object is optional. */
  CHECK(modelwire_client_new(NULL, &client, NULL) == MODELWIRE_E_CONFIG);
}

void unknown_model(void) {
  modelwire_client *client = client_of_environment();
  modelwire_error *error =
      failure_of(chat_call(client, ECHO_CHAT("no-such-model", "x")), MODELWIRE_E_NOT_FOUND);
  CHECK(modelwire_error_http_status(error) == 404);
  CHECK(contains(modelwire_error_message(error), "no-such-model"));
  CHECK_TEXT(modelwire_error_code(error), "model_not_found");
  CHECK_TEXT(modelwire_error_model(error), "no-such-model");
  CHECK(contains(modelwire_error_hint(error), "model name"));
  modelwire_error_free(error);
  modelwire_client_free(client);
}

void refused(void) {
  modelwire_client *client = client_of_environment();
  modelwire_error *error =
      failure_of(chat_call(client, ECHO_CHAT("echo", "x")), MODELWIRE_E_CONNECT);
  CHECK(contains(modelwire_error_message(error), "refused"));
  CHECK(contains(modelwire_error_hint(error), "base_url"));
  CHECK_TEXT(modelwire_error_metered(error), "not_sent");
  CHECK(modelwire_error_http_status(error) == 0);
  CHECK(modelwire_error_request_id(error) == NULL);
  CHECK(modelwire_error_type(error) == NULL && modelwire_error_code(error) == NULL);
  CHECK_TEXT(modelwire_error_path(error), "/v1/chat/completions");
  CHECK_TEXT(modelwire_error_model(error), "echo");
  CHECK(modelwire_error_request_time_unix_ms(error) > 0);
  CHECK(modelwire_error_attempts(error) == 1);
  modelwire_error_free(error);
  modelwire_client_free(client);
}

/* A client with waits of a millisecond, and otherwise as the environment says. */
static modelwire_client *impatient_client(int32_t retries_max) {
  modelwire_config *config = modelwire_config_new();
  modelwire_client *client = NULL;
  modelwire_error *error = NULL;
  CHECK(modelwire_config_set_retry(config, retries_max, 1, -1) == MODELWIRE_OK);
  CHECK_STATUS(modelwire_client_new(config, &client, &error), MODELWIRE_OK, error);
  modelwire_config_free(config);
  return client;
}

void recovers(void) {
  modelwire_client *client = impatient_client(-1);
  modelwire_response *answer = answer_of(chat_call(client, ECHO_CHAT("recovers", "at last")));
  CHECK_TEXT(modelwire_response_text(answer, NULL), "at last");
  CHECK(modelwire_response_attempts(answer) == 3);
  CHECK(modelwire_response_elapsed_ms(answer) >= 3); /* it waited 1 ms, and then 2 */
  modelwire_response_free(answer);
  modelwire_client_free(client);
}

void not_retried(void) {
  modelwire_client *client = impatient_client(0);
  modelwire_error *error =
      failure_of(chat_call(client, ECHO_CHAT("recovers", "x")), MODELWIRE_E_RATE_LIMITED);
  CHECK(modelwire_error_attempts(error) == 1);
  CHECK_TEXT(modelwire_error_metered(error), "unknown");
  modelwire_error_free(error);
  error = failure_of(chat_call(client, ECHO_CHAT("forbidden", "x")), MODELWIRE_E_PERMISSION);
  CHECK(contains(modelwire_error_hint(error), "balance"));
  modelwire_error_free(error);
  error = failure_of(chat_call(client, ECHO_CHAT("broken", "x")), MODELWIRE_E_SERVER);
  CHECK(modelwire_error_http_status(error) == 500);
  modelwire_error_free(error);
  modelwire_client_free(client);
}

void stream_only(void) {
  modelwire_client *client = client_of_environment();
  modelwire_error *error =
      failure_of(chat_call(client, ECHO_CHAT("echo-stream-only", "x")), MODELWIRE_E_INVALID_REQUEST);
  CHECK_TEXT(modelwire_error_param(error), "stream");
  CHECK(contains(modelwire_error_hint(error), "only by streaming"));
  modelwire_error_free(error);
  modelwire_client_free(client);
}

/* The service answers with one envelope after another. */
void envelopes(void) {
  static const char *const MESSAGES[] = {"flat", "text", "detail", "plain", "in an array"};
  modelwire_client *client = client_of_environment();
  for (size_t i = 0; i < sizeof MESSAGES / sizeof *MESSAGES; i++) {
    modelwire_error *error =
        failure_of(chat_call(client, ECHO_CHAT("echo", "x")), MODELWIRE_E_SERVER);
    CHECK_TEXT(modelwire_error_message(error), MESSAGES[i]);
    modelwire_error_free(error);
  }
  modelwire_client_free(client);
}

static modelwire_status client_status(const char *key, modelwire_client **client,
                                      modelwire_error **error) {
  modelwire_config *config = modelwire_config_new();
  CHECK(modelwire_config_set_api_key(config, key, MODELWIRE_NUL) == MODELWIRE_OK);
  modelwire_status status = modelwire_client_new(config, client, error);
  modelwire_config_free(config);
  return status;
}

void key_forms(void) {
  static const struct {
    const char *key;
    const char *message;
  } WRONG[] = {
      {"", "empty"},
      {"sk-secret part", "byte 9"},
      {"sk-secr\xc3\xa9t", "byte 7"},
      {"Bearer sk-secret", "\"Bearer \""},
      {"\"sk-secret\"", "in quotes"},
      {"'sk-secret'", "in quotes"},
      {"`sk-secret`", "in quotes"},
      {"\xe2\x80\x9csk-secret\xe2\x80\x9d", "in quotes"},
      {"<sk-secret>", "in angle brackets"},
      {"OPENAI_API_KEY=sk-secret", "a name and an equals sign"},
      {"export OPENAI_API_KEY=sk-secret", "a name and an equals sign"},
      {"$OPENAI_API_KEY", "name of a variable"},
      {"${KEY:-sk-secret}", "name of a variable"},
      {"sk-secr...t", "not whole"},
      {"sk-secr\xe2\x80\xa6t", "not whole"},
      {"sk-secr***t", "not whole"},
  };
  modelwire_client *client = NULL;
  modelwire_error *error = NULL;
  for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
    CHECK(client_status(WRONG[i].key, &client, &error) == MODELWIRE_E_CONFIG);
    CHECK(contains(modelwire_error_message(error), WRONG[i].message));
    CHECK(contains(modelwire_error_hint(error), "control panel"));
    CHECK(!contains(modelwire_error_report(error, NULL), "sk-secr"));
    CHECK(!contains(modelwire_error_report(error, NULL), "OPENAI"));
    CHECK(client == NULL);
    modelwire_error_free(error);
    error = NULL;
  }
  /* White space around it, Unicode's too, comes from copying. */
  CHECK_STATUS(client_status(" \xc2\xa0sk-test\r\n", &client, &error), MODELWIRE_OK, error);
  modelwire_response_free(answer_of(models_call(client)));
  modelwire_client_free(client);
}

void bad_json(void) {
  static const struct {
    const char *json;
    const char *message;
  } CASES[] = {
      {"{\"model\":\"echo\",\"messages\":[}", "at byte 28"},
      {"", "at byte 0"},
      {"[]", "at byte 0"},
      {"{\"model\":\"echo\",\"messages\":[]} x", "at byte 31"},
      {"{\"messages\":[]}", "model is missing"},
      {"{\"model\":\"echo\"}", "messages is missing"},
      {"{\"model\":7,\"messages\":[]}", "model must be a non-empty string"},
      {"{\"model\":\"echo\",\"messages\":[],\"stream\":true}", "stream"},
  };
  modelwire_client *client = client_of_environment();
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    modelwire_request *request = NULL;
    modelwire_error *error = NULL;
    if (modelwire_request_chat_json(CASES[i].json, MODELWIRE_NUL, &request, &error) ==
        MODELWIRE_OK) {
      /* Only the way of running it shows that it is wrong. */
      modelwire_request_free(request);
      error = failure_of(chat_call(client, CASES[i].json), MODELWIRE_E_ARGUMENT);
    }
    CHECK(modelwire_error_status(error) == MODELWIRE_E_ARGUMENT);
    if (!contains(modelwire_error_message(error), CASES[i].message)) {
      CHECK_TEXT(modelwire_error_message(error), CASES[i].message);
    }
    CHECK_TEXT(modelwire_error_metered(error), "not_sent");
    CHECK(modelwire_error_attempts(error) == 0);
    modelwire_error_free(error);
  }
  modelwire_client_free(client);
}

static void refuse_fields(const modelwire_client *client, modelwire_request *request,
                          const char *message, const char *hint) {
  modelwire_call *call = NULL;
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_call_new(client, request, &call, &error), MODELWIRE_OK, error);
  error = failure_of(call, MODELWIRE_E_ARGUMENT);
  CHECK(contains(modelwire_error_message(error), message));
  CHECK(contains(modelwire_error_hint(error), hint));
  CHECK_TEXT(modelwire_error_metered(error), "not_sent");
  modelwire_error_free(error);
  modelwire_request_free(request);
}

#define CHAT_OF(messages, more) "{\"model\":\"m\",\"messages\":[" messages "]" more "}"
#define RESPONSE_OF(input, more) "{\"model\":\"m\",\"input\":" input more "}"
#define SAID "{\"role\":\"user\",\"content\":\"x\"}"

void arguments_refused(void) {
  static const struct {
    int is_chat;
    const char *json;
    const char *message;
    const char *hint;
  } CASES[] = {
      {1, CHAT_OF("{\"role\":\"user\"}", ""), "messages[0].content is missing", "\"\""},
      {1, CHAT_OF(SAID ",{\"role\":\"tool\",\"content\":null}", ""),
       "messages[1].content must be a string or an array of parts, not null", "tool"},
      {1, CHAT_OF("{\"role\":\"system\",\"content\":null}", ""), "messages[0].content", "\"\""},
      {1, CHAT_OF("{\"role\":\"developer\"}", ""), "messages[0].content is missing", "\"\""},
      {1, CHAT_OF("{\"role\":\"assistant\",\"content\":{\"a\":1}}", ""),
       "messages[0].content must be a string or an array of parts, not {\"a\":1}", "[{...}]"},
      {1, CHAT_OF(SAID, ",\"max_tokens\":0"), "max_tokens must be at least 1, not 0",
       "max_tokens"},
      {1, CHAT_OF(SAID, ",\"max_output_tokens\":5"), "max_output_tokens is 5",
       "Write max_tokens"},
      {0, RESPONSE_OF("null", ""), "input must be a string or an array of items, not null", ""},
      {0, RESPONSE_OF(SAID, ""), "input must be a string", "[{...}]"},
      {0, RESPONSE_OF("\"x\"", ",\"max_output_tokens\":-1"),
       "max_output_tokens must be at least 1, not -1", "max_output_tokens"},
      {0, RESPONSE_OF("\"x\"", ",\"max_tokens\":5"), "max_tokens is 5",
       "Write max_output_tokens"},
  };
  modelwire_client *client = client_of_environment();
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    modelwire_request *request = NULL;
    modelwire_error *error = NULL;
    modelwire_status status =
        CASES[i].is_chat
            ? modelwire_request_chat_json(CASES[i].json, MODELWIRE_NUL, &request, &error)
            : modelwire_request_response_json(CASES[i].json, MODELWIRE_NUL, &request, &error);
    CHECK_STATUS(status, MODELWIRE_E_ARGUMENT, error);
    CHECK(request == NULL);
    CHECK(contains(modelwire_error_message(error), CASES[i].message));
    CHECK(contains(modelwire_error_hint(error), CASES[i].hint));
    CHECK_TEXT(modelwire_error_metered(error), "not_sent");
    modelwire_error_free(error);
  }
  /* Field by field it is seen when the call starts. */
  modelwire_request *chat = NULL;
  CHECK(modelwire_request_chat("m", 1, &chat, NULL) == MODELWIRE_OK);
  CHECK(modelwire_request_add_message(chat, "user", 4, "x", 1) == MODELWIRE_OK);
  CHECK(modelwire_request_set_int(chat, "max_tokens", MODELWIRE_NUL, 0) == MODELWIRE_OK);
  refuse_fields(client, chat, "max_tokens must be at least 1, not 0", "max_tokens");
  CHECK(modelwire_request_chat("m", 1, &chat, NULL) == MODELWIRE_OK);
  CHECK(modelwire_request_add_message(chat, "user", 4, "x", 1) == MODELWIRE_OK);
  CHECK(modelwire_request_set_int(chat, "max_output_tokens", MODELWIRE_NUL, 5) == MODELWIRE_OK);
  refuse_fields(client, chat, "max_output_tokens is 5", "Write max_tokens");
  modelwire_request *response = NULL;
  CHECK(modelwire_request_response("m", 1, &response, NULL) == MODELWIRE_OK);
  CHECK(modelwire_request_set_int(response, "input", 5, 7) == MODELWIRE_OK);
  refuse_fields(client, response, "input must be a string or an array of items, not 7", "");
  modelwire_client_free(client);
}

void bad_text(void) {
  modelwire_config *config = modelwire_config_new();
  modelwire_request *request = NULL;
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_request_chat_json("{\"a\":\"\xff\"}", 9, &request, &error),
               MODELWIRE_E_ARGUMENT, error);
  CHECK(contains(modelwire_error_message(error), "not UTF-8 at byte 6"));
  CHECK(request == NULL);
  modelwire_error_free(error);
  CHECK(modelwire_config_set_base_url(config, "\xc3", 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_set_api_key(config, "\xc3", MODELWIRE_NUL) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_add_header(config, "a", 1, "\xc3", 1) == MODELWIRE_E_ARGUMENT);
  /* A length one beyond what the library takes is refused before a byte is read. */
  CHECK(modelwire_config_set_base_url(config, "x", SIZE_MAX - 1) == MODELWIRE_E_ARGUMENT);
  modelwire_config_free(config);
}

void timeout_first_byte(void) {
  modelwire_config *config = modelwire_config_new();
  modelwire_client *client = NULL;
  modelwire_error *error = NULL;
  CHECK(modelwire_config_set_timeouts(config, -1, 100, -1, -1) == MODELWIRE_OK);
  CHECK_STATUS(modelwire_client_new(config, &client, &error), MODELWIRE_OK, error);
  modelwire_config_free(config);
  error = failure_of(chat_call(client, ECHO_CHAT("m", "x")), MODELWIRE_E_TIMEOUT);
  CHECK_TEXT(modelwire_error_timeout(error), "first_byte_timeout");
  CHECK(contains(modelwire_error_message(error), "first_byte_timeout of 100 ms"));
  CHECK_TEXT(modelwire_error_metered(error), "unknown");
  CHECK(modelwire_error_elapsed_ms(error) >= 100);
  CHECK(modelwire_error_http_status(error) == 0);
  modelwire_error_free(error);
  modelwire_client_free(client);
}

void run_twice(void) {
  modelwire_client *client = client_of_environment();
  modelwire_call *call = chat_call(client, ECHO_CHAT("echo", "once"));
  modelwire_response *answer = NULL, *again = NULL;
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_call_run(call, &answer, &error), MODELWIRE_OK, error);
  CHECK_STATUS(modelwire_call_run(call, &again, &error), MODELWIRE_E_ARGUMENT, error);
  CHECK(again == NULL);
  CHECK(contains(modelwire_error_message(error), "started before"));
  CHECK_TEXT(modelwire_response_text(answer, NULL), "once");
  modelwire_error_free(error);
  modelwire_response_free(answer);
  modelwire_call_free(call);
  modelwire_client_free(client);
}

static void print_text(const char *name, const char *text) {
  printf("%s: %s\n", name, text == NULL ? "(NULL)" : text);
}

/* Everything that an error object tells, for the test to search. Takes the error. */
static void print_and_free(modelwire_error *error) {
  CHECK(error != NULL);
  print_text("message", modelwire_error_message(error));
  print_text("hint", modelwire_error_hint(error));
  print_text("type", modelwire_error_type(error));
  print_text("code", modelwire_error_code(error));
  print_text("param", modelwire_error_param(error));
  print_text("request id", modelwire_error_request_id(error));
  print_text("path", modelwire_error_path(error));
  print_text("model", modelwire_error_model(error));
  print_text("body", modelwire_error_body(error, NULL));
  print_text("report", modelwire_error_report(error, NULL));
  modelwire_error_free(error);
}

static void report_whole(modelwire_call *call) {
  modelwire_response *answer = NULL;
  modelwire_error *error = NULL;
  CHECK(modelwire_call_run(call, &answer, &error) < 0);
  print_and_free(error);
  modelwire_call_free(call);
}

void report_chat(void) {
  modelwire_client *client = client_of_environment();
  report_whole(chat_call(client, ECHO_CHAT("m", "x")));
  modelwire_client_free(client);
}

/* A response that succeeds, and what its headers tell. */
void report_headers(void) {
  modelwire_client *client = client_of_environment();
  modelwire_response *answer = answer_of(chat_call(client, ECHO_CHAT("m", "x")));
  print_text("request id", modelwire_response_request_id(answer));
  print_text("x-echo", modelwire_response_header(answer, "x-echo", MODELWIRE_NUL));
  modelwire_response_free(answer);
  modelwire_client_free(client);
}

void report_models(void) {
  modelwire_client *client = client_of_environment();
  report_whole(models_call(client));
  modelwire_client_free(client);
}

void report_stream(void) {
  modelwire_client *client = client_of_environment();
  modelwire_call *call = chat_call(client, ECHO_CHAT("m", "x"));
  modelwire_response *end = NULL;
  modelwire_error *error = NULL;
  gathered all = {0};
  CHECK(modelwire_call_stream(call, gather, &all, &end, &error) < 0);
  print_and_free(error);
  modelwire_call_free(call);
  modelwire_client_free(client);
}
