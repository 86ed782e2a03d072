/*
 * Calls that fail, and what their error objects say.
 */
#include "check.h"

void wrong_key(void) {
  modelwire_client *client = client_of_environment();
  modelwire_error *error =
      failure_of(chat_call(client, ECHO_CHAT("echo", "x")), MODELWIRE_E_AUTHENTICATION);
  size_t length = 0;
  CHECK_TEXT(modelwire_error_message(error, &length), "Incorrect API key provided.");
  CHECK(length == strlen(modelwire_error_message(error, NULL)));
  CHECK(contains(error_text(error, "/hint"), "key"));
  CHECK_TEXT(error_text(error, "/type"), "invalid_request_error");
  CHECK_TEXT(error_text(error, "/code"), "invalid_api_key");
  CHECK(error_text(error, "/param") == NULL);
  CHECK(error_int(error, "/http_status") == 401);
  CHECK_TEXT(error_text(error, "/request_id"), "req-1");
  CHECK_TEXT(error_text(error, "/path"), "/v1/chat/completions");
  CHECK_TEXT(error_text(error, "/model"), "echo");
  /* After 2020 and before 2100. */
  CHECK(error_int(error, "/request_time_unix_ms") > INT64_C(1577836800000));
  CHECK(error_int(error, "/request_time_unix_ms") < INT64_C(4102444800000));
  CHECK(error_int(error, "/attempts") == 1);
  CHECK(error_int(error, "/elapsed_ms") >= 0);
  CHECK(error_int(error, "/retry_after_ms") == -1);
  CHECK(error_text(error, "/timeout") == NULL);
  CHECK_TEXT(error_text(error, "/metered"), "normally_not");
  CHECK(contains(error_text(error, "/body"), "\"invalid_api_key\""));
  CHECK(contains(modelwire_error_report(error, &length), "request id: req-1"));
  CHECK(length == strlen(modelwire_error_report(error, NULL)));
  CHECK(contains(modelwire_error_json(error, &length), "\"kind\":\"authentication\""));
  CHECK(length == strlen(modelwire_error_json(error, NULL)));
  modelwire_error_free(error);
  modelwire_client_free(client);
}

void no_key(void) {
  modelwire_client *client = NULL;
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_client_new(NULL, 0, &client, &error), MODELWIRE_E_CONFIG, error);
  CHECK(client == NULL);
  CHECK(contains(modelwire_error_message(error, NULL), "no API key is configured"));
  CHECK(contains(error_text(error, "/hint"), "MODELWIRE_API_KEY"));
  CHECK_TEXT(error_text(error, "/metered"), "not_sent");
  CHECK_TEXT(error_text(error, "/path"), "");
  CHECK(error_int(error, "/request_time_unix_ms") == -1);
  CHECK(error_int(error, "/attempts") == 0);
  CHECK(error_text(error, "/body") == NULL);
  modelwire_error_free(error);
  /* An error object is optional. */
  CHECK(modelwire_client_new(NULL, 0, &client, NULL) == MODELWIRE_E_CONFIG);
  CHECK(modelwire_client_new("{}", 2, &client, NULL) == MODELWIRE_E_CONFIG);
}

void unknown_model(void) {
  modelwire_client *client = client_of_environment();
  modelwire_error *error =
      failure_of(chat_call(client, ECHO_CHAT("no-such-model", "x")), MODELWIRE_E_NOT_FOUND);
  CHECK(error_int(error, "/http_status") == 404);
  CHECK(contains(modelwire_error_message(error, NULL), "no-such-model"));
  CHECK_TEXT(error_text(error, "/code"), "model_not_found");
  CHECK_TEXT(error_text(error, "/model"), "no-such-model");
  CHECK(contains(error_text(error, "/hint"), "model name"));
  modelwire_error_free(error);
  modelwire_client_free(client);
}

void refused(void) {
  modelwire_client *client = client_of_environment();
  modelwire_error *error =
      failure_of(chat_call(client, ECHO_CHAT("echo", "x")), MODELWIRE_E_CONNECT);
  CHECK(contains(modelwire_error_message(error, NULL), "refused"));
  CHECK(contains(error_text(error, "/hint"), "base_url"));
  CHECK_TEXT(error_text(error, "/metered"), "not_sent");
  CHECK(error_int(error, "/http_status") == -1);
  CHECK(error_text(error, "/request_id") == NULL);
  CHECK(error_text(error, "/type") == NULL && error_text(error, "/code") == NULL);
  CHECK_TEXT(error_text(error, "/path"), "/v1/chat/completions");
  CHECK_TEXT(error_text(error, "/model"), "echo");
  CHECK(error_int(error, "/request_time_unix_ms") > 0);
  CHECK(error_int(error, "/attempts") == 1);
  modelwire_error_free(error);
  modelwire_client_free(client);
}

void recovers(void) {
  modelwire_client *client = client_with("{\"retry_first_wait_ms\":1}");
  modelwire_response *answer = answer_of(chat_call(client, ECHO_CHAT("recovers", "at last")));
  CHECK_TEXT(modelwire_response_text(answer, NULL), "at last");
  CHECK(answer_int(answer, "/attempts") == 3);
  CHECK(answer_int(answer, "/elapsed_ms") >= 3); /* it waited 1 ms, and then 2 */
  modelwire_response_free(answer);
  modelwire_client_free(client);
}

void not_retried(void) {
  modelwire_client *client = client_with("{\"max_retries\":0}");
  modelwire_error *error =
      failure_of(chat_call(client, ECHO_CHAT("recovers", "x")), MODELWIRE_E_RATE_LIMITED);
  CHECK(error_int(error, "/attempts") == 1);
  CHECK_TEXT(error_text(error, "/metered"), "unknown");
  modelwire_error_free(error);
  error = failure_of(chat_call(client, ECHO_CHAT("forbidden", "x")), MODELWIRE_E_PERMISSION);
  CHECK(contains(error_text(error, "/hint"), "balance"));
  modelwire_error_free(error);
  error = failure_of(chat_call(client, ECHO_CHAT("broken", "x")), MODELWIRE_E_SERVER);
  CHECK(error_int(error, "/http_status") == 500);
  modelwire_error_free(error);
  modelwire_client_free(client);
}

void stream_only(void) {
  modelwire_client *client = client_of_environment();
  modelwire_call *call = chat_call(client, ECHO_CHAT("echo-stream-only", "x"));
  modelwire_error *error = failure_of(call, MODELWIRE_E_INVALID_REQUEST);
  CHECK_TEXT(error_text(error, "/param"), "stream");
  CHECK(contains(error_text(error, "/hint"), "only supports streaming"));
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
    CHECK_TEXT(modelwire_error_message(error, NULL), MESSAGES[i]);
    modelwire_error_free(error);
  }
  modelwire_client_free(client);
}

void key_forms(void) {
  static const struct {
    /* As it stands in JSON. */
    const char *key;
    const char *message;
  } WRONG[] = {
      {"", "empty"},
      {"sk-secret part", "byte 9"},
      {"sk-secr\xc3\xa9t", "byte 7"},
      {"Bearer sk-secret", "\"Bearer \""},
      {"\\\"sk-secret\\\"", "in quotes"},
      {"'sk-secret'", "in quotes"},
      {"`sk-secret`", "in quotes"},
      {"\xe2\x80\x9csk-secret\xe2\x80\x9d", "in quotes"},
      {"<sk-secret>", "in angle brackets"},
      {"OPENAI_API_KEY=sk-secret", "a name and an equals sign"},
      {"export OPENAI_API_KEY=sk-secret", "a name and an equals sign"},
      {"$OPENAI_API_KEY", "name of a variable"},
      {"${KEY:-sk-secret}", "name of a variable"},
      {"sk-secr...t", "incomplete"},
      {"sk-secr\xe2\x80\xa6t", "incomplete"},
      {"sk-secr***t", "incomplete"},
  };
  for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
    modelwire_error *error = refusal_of("{\"api_key\":\"%s\"}", WRONG[i].key);
    CHECK(contains(modelwire_error_message(error, NULL), WRONG[i].message));
    CHECK(contains(error_text(error, "/hint"), "control panel"));
    CHECK(!contains(modelwire_error_report(error, NULL), "sk-secr"));
    CHECK(!contains(modelwire_error_report(error, NULL), "OPENAI"));
    CHECK(!contains(modelwire_error_json(error, NULL), "sk-secr"));
    modelwire_error_free(error);
  }
  /* White space around it, Unicode's too, comes from copying. */
  modelwire_client *client = client_with("{\"api_key\":\" \xc2\xa0sk-test\\r\\n\"}");
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
    if (modelwire_request_new(MODELWIRE_OPERATION_CHAT, CASES[i].json, MODELWIRE_NUL, &request,
                              &error) == MODELWIRE_OK) {
      /* Only the way of running it shows that it is wrong. */
      modelwire_request_free(request);
      error = failure_of(chat_call(client, CASES[i].json), MODELWIRE_E_ARGUMENT);
    }
    CHECK(modelwire_error_status(error) == MODELWIRE_E_ARGUMENT);
    if (!contains(modelwire_error_message(error, NULL), CASES[i].message)) {
      CHECK_TEXT(modelwire_error_message(error, NULL), CASES[i].message);
    }
    CHECK_TEXT(error_text(error, "/metered"), "not_sent");
    CHECK(error_int(error, "/attempts") == 0);
    modelwire_error_free(error);
  }
  modelwire_client_free(client);
}

/* Takes the request. */
static void refuse_fields(const modelwire_client *client, modelwire_request *request,
                          const char *message, const char *hint) {
  modelwire_error *error = failure_of(call_of(client, request), MODELWIRE_E_ARGUMENT);
  CHECK(contains(modelwire_error_message(error, NULL), message));
  CHECK(contains(error_text(error, "/hint"), hint));
  CHECK_TEXT(error_text(error, "/metered"), "not_sent");
  modelwire_error_free(error);
}

/* A chat that is filled field by field, with one number more. */
static modelwire_request *chat_with(const char *name, const char *json) {
  modelwire_request *chat = empty_request(MODELWIRE_OPERATION_CHAT);
  CHECK(modelwire_request_set_text(chat, "model", 5, "m", 1, NULL) == MODELWIRE_OK);
  CHECK(modelwire_request_add_message(chat, "user", 4, "x", 1, NULL) == MODELWIRE_OK);
  CHECK(modelwire_request_set_json(chat, name, MODELWIRE_NUL, json, MODELWIRE_NUL, NULL) ==
        MODELWIRE_OK);
  return chat;
}

#define CHAT_OF(messages, more) "{\"model\":\"m\",\"messages\":[" messages "]" more "}"
#define RESPONSE_OF(input, more) "{\"model\":\"m\",\"input\":" input more "}"
#define SAID "{\"role\":\"user\",\"content\":\"x\"}"

void arguments_refused(void) {
  enum { CHAT = MODELWIRE_OPERATION_CHAT, RESPONSES = MODELWIRE_OPERATION_RESPONSES };
  static const struct {
    int32_t operation;
    const char *json;
    const char *message;
    const char *hint;
  } CASES[] = {
      {CHAT, CHAT_OF("{\"role\":\"user\"}", ""), "messages[0].content is missing", "\"\""},
      {CHAT, CHAT_OF(SAID ",{\"role\":\"tool\",\"content\":null}", ""),
       "messages[1].content must be a string or an array of parts, not null", "tool"},
      {CHAT, CHAT_OF("{\"role\":\"system\",\"content\":null}", ""), "messages[0].content", "\"\""},
      {CHAT, CHAT_OF("{\"role\":\"developer\"}", ""), "messages[0].content is missing", "\"\""},
      {CHAT, CHAT_OF("{\"role\":\"assistant\",\"content\":{\"a\":1}}", ""),
       "messages[0].content must be a string or an array of parts, not {\"a\":1}", "[{...}]"},
      {CHAT, CHAT_OF(SAID, ",\"max_tokens\":0"), "max_tokens must be at least 1, not 0",
       "max_tokens"},
      {CHAT, CHAT_OF(SAID, ",\"max_output_tokens\":5"), "max_output_tokens is 5",
       "Write max_tokens"},
      {RESPONSES, RESPONSE_OF("null", ""),
       "input must be a string or an array of items, not null", ""},
      {RESPONSES, RESPONSE_OF(SAID, ""), "input must be a string", "[{...}]"},
      {RESPONSES, RESPONSE_OF("\"x\"", ",\"max_output_tokens\":-1"),
       "max_output_tokens must be at least 1, not -1", "max_output_tokens"},
      {RESPONSES, RESPONSE_OF("\"x\"", ",\"max_tokens\":5"), "max_tokens is 5",
       "Write max_output_tokens"},
  };
  modelwire_client *client = client_of_environment();
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    modelwire_request *request = NULL;
    modelwire_error *error = NULL;
    CHECK_STATUS(modelwire_request_new(CASES[i].operation, CASES[i].json, MODELWIRE_NUL, &request,
                                       &error),
                 MODELWIRE_E_ARGUMENT, error);
    CHECK(request == NULL);
    CHECK(contains(modelwire_error_message(error, NULL), CASES[i].message));
    CHECK(contains(error_text(error, "/hint"), CASES[i].hint));
    CHECK_TEXT(error_text(error, "/metered"), "not_sent");
    modelwire_error_free(error);
  }
  /* Field by field it is seen when the call starts. */
  refuse_fields(client, chat_with("max_tokens", "0"), "max_tokens must be at least 1, not 0",
                "max_tokens");
  refuse_fields(client, chat_with("max_output_tokens", "5"), "max_output_tokens is 5",
                "Write max_tokens");
  modelwire_request *plain = empty_request(RESPONSES);
  CHECK(modelwire_request_set_text(plain, "model", 5, "m", 1, NULL) == MODELWIRE_OK);
  CHECK(modelwire_request_set_json(plain, "input", 5, "7", 1, NULL) == MODELWIRE_OK);
  refuse_fields(client, plain, "input must be a string or an array of items, not 7", "");
  modelwire_client_free(client);
}

void bad_text(void) {
  modelwire_client *client = client_of_environment(), *none = client;
  modelwire_request *request = NULL;
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_request_new(MODELWIRE_OPERATION_CHAT, "{\"a\":\"\xff\"}", 9, &request,
                                     &error),
               MODELWIRE_E_ARGUMENT, error);
  CHECK(contains(modelwire_error_message(error, NULL), "not UTF-8 at byte 6"));
  CHECK(request == NULL);
  modelwire_error_free(error);
  static const char *const OPTIONS[] = {"{\"base_url\":\"\xc3\"}", "{\"api_key\":\"sk-\xc3\"}",
                                        "{\"headers\":{\"a\":\"\xc3\"}}"};
  for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; i++) {
    none = client;
    CHECK_STATUS(modelwire_client_new(OPTIONS[i], MODELWIRE_NUL, &none, &error),
                 MODELWIRE_E_ARGUMENT, error);
    CHECK(none == NULL && contains(modelwire_error_message(error, NULL), "not UTF-8"));
    CHECK(!contains(modelwire_error_message(error, NULL), "sk-"));
    modelwire_error_free(error);
  }
  /* A length one beyond what the library takes is refused before a byte is read. */
  CHECK(modelwire_client_new("x", SIZE_MAX - 1, &none, NULL) == MODELWIRE_E_ARGUMENT);
  modelwire_client_free(client);
}

void timeout_first_byte(void) {
  modelwire_client *client = client_with("{\"first_byte_timeout_ms\":100}");
  modelwire_error *error = failure_of(chat_call(client, ECHO_CHAT("m", "x")), MODELWIRE_E_TIMEOUT);
  CHECK_TEXT(error_text(error, "/timeout"), "first_byte_timeout");
  CHECK(contains(modelwire_error_message(error, NULL), "first_byte_timeout of 100 ms"));
  CHECK_TEXT(error_text(error, "/metered"), "unknown");
  CHECK(error_int(error, "/elapsed_ms") >= 100);
  CHECK(error_int(error, "/http_status") == -1);
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
  CHECK(contains(modelwire_error_message(error, NULL), "started before"));
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
  print_text("message", modelwire_error_message(error, NULL));
  print_text("hint", error_text(error, "/hint"));
  print_text("type", error_text(error, "/type"));
  print_text("code", error_text(error, "/code"));
  print_text("param", error_text(error, "/param"));
  print_text("request id", error_text(error, "/request_id"));
  print_text("path", error_text(error, "/path"));
  print_text("model", error_text(error, "/model"));
  print_text("body", error_text(error, "/body"));
  print_text("report", modelwire_error_report(error, NULL));
  print_text("json", modelwire_error_json(error, NULL));
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
  print_text("request id", answer_text(answer, "/request_id"));
  print_text("x-echo", header_of(answer, "x-echo"));
  print_text("info", modelwire_value_json(modelwire_response_info(answer), "", 0, NULL));
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
