/*
 * What a client and a request can be told: bounds, timeouts, retries, headers, proxy,
 * certificates. The test scripts the answers and looks at what was sent. Knows no log.
 */
#include "check.h"

/* A client of this configuration, which is freed. */
static modelwire_client *client_of(modelwire_config *config) {
  modelwire_client *client = NULL;
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_client_new(config, &client, &error), MODELWIRE_OK, error);
  modelwire_config_free(config);
  return client;
}

/* The error of this configuration, which is freed. */
static modelwire_error *refusal_of(modelwire_config *config) {
  modelwire_client *client = NULL;
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_client_new(config, &client, &error), MODELWIRE_E_CONFIG, error);
  CHECK(client == NULL);
  modelwire_config_free(config);
  return error;
}

static modelwire_client *limited_client(int32_t limit, int64_t value) {
  modelwire_config *config = modelwire_config_new();
  CHECK(modelwire_config_set_limit(config, limit, value) == MODELWIRE_OK);
  CHECK(modelwire_config_set_retry(config, 0, -1, -1) == MODELWIRE_OK);
  return client_of(config);
}

/* The service answers each with a little more than the bound. */
void limits(void) {
  modelwire_client *client = limited_client(MODELWIRE_LIMIT_EVENT_BYTES, 200);
  modelwire_call *call = chat_call(client, ECHO_CHAT("m", "x"));
  modelwire_response *end = NULL;
  modelwire_error *error = NULL;
  gathered all = {0};
  CHECK_STATUS(modelwire_call_stream(call, gather, &all, &end, &error), MODELWIRE_E_PROTOCOL,
               error);
  CHECK(contains(modelwire_error_message(error), "event_bytes_max = 200"));
  CHECK_TEXT(all.text, "before ");
  modelwire_error_free(error);
  modelwire_call_free(call);
  modelwire_client_free(client);

  client = limited_client(MODELWIRE_LIMIT_ANSWER_BYTES, 200);
  error = failure_of(chat_call(client, ECHO_CHAT("m", "x")), MODELWIRE_E_PROTOCOL);
  CHECK(contains(modelwire_error_message(error), "answer_bytes_max = 200"));
  CHECK_TEXT(modelwire_error_metered(error), "entered");
  modelwire_error_free(error);
  modelwire_client_free(client);

  client = limited_client(MODELWIRE_LIMIT_ERROR_BODY_BYTES, 200);
  error = failure_of(chat_call(client, ECHO_CHAT("m", "x")), MODELWIRE_E_SERVER);
  size_t length = 0;
  CHECK(modelwire_error_body(error, &length) != NULL && length == 200);
  modelwire_error_free(error);
  modelwire_client_free(client);

  client = limited_client(MODELWIRE_LIMIT_HEADERS, 10);
  error = failure_of(chat_call(client, ECHO_CHAT("m", "x")), MODELWIRE_E_PROTOCOL);
  CHECK(contains(modelwire_error_message(error), "headers_max = 10"));
  modelwire_error_free(error);
  modelwire_client_free(client);
}

void limits_refused(void) {
  modelwire_config *config = modelwire_config_new();
  for (int32_t limit = MODELWIRE_LIMIT_EVENT_BYTES; limit <= MODELWIRE_LIMIT_QUEUE_EVENTS;
       limit++) {
    CHECK(modelwire_config_set_limit(config, limit, 0) == MODELWIRE_E_ARGUMENT);
    CHECK(modelwire_config_set_limit(config, limit, INT64_MIN) == MODELWIRE_E_ARGUMENT);
    CHECK(modelwire_config_set_limit(config, limit, 1000) == MODELWIRE_OK);
  }
  CHECK(modelwire_config_set_limit(config, 0, 1000) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_set_limit(config, MODELWIRE_LIMIT_QUEUE_EVENTS + 1, 1000) ==
        MODELWIRE_E_ARGUMENT);
  /* What no bound can be is seen when the client is made. */
  CHECK(modelwire_config_set_limit(config, MODELWIRE_LIMIT_ANSWER_BYTES, INT64_MAX) ==
        MODELWIRE_OK);
  modelwire_error *error = refusal_of(config);
  CHECK(contains(modelwire_error_message(error), "answer_bytes_max"));
  modelwire_error_free(error);
}

/* The environment names a host that is nowhere; the proxy that is the argument is the test's. */
void through_proxy(void) {
  modelwire_config *config = modelwire_config_new();
  CHECK(modelwire_config_set_proxy(config, getenv("TEST_PROXY"), MODELWIRE_NUL) == MODELWIRE_OK);
  modelwire_client *client = client_of(config);
  modelwire_response *answer = answer_of(chat_call(client, ECHO_CHAT("m", "x")));
  CHECK_TEXT(modelwire_response_text(answer, NULL), "by proxy");
  modelwire_response_free(answer);
  modelwire_client_free(client);
}

/* The environment names a proxy at which nobody listens, and a service. */
void without_proxy(void) {
  modelwire_config *config = modelwire_config_new();
  CHECK(modelwire_config_set_proxy(config, "http://127.0.0.1:1", MODELWIRE_NUL) == MODELWIRE_OK);
  modelwire_client *client = client_of(config);
  modelwire_error *error =
      failure_of(chat_call(client, ECHO_CHAT("echo", "x")), MODELWIRE_E_CONNECT);
  CHECK(contains(modelwire_error_message(error), "through the proxy 127.0.0.1:1"));
  modelwire_error_free(error);
  modelwire_client_free(client);

  config = modelwire_config_new();
  CHECK(modelwire_config_set_proxy(config, "http://127.0.0.1:1", MODELWIRE_NUL) == MODELWIRE_OK);
  CHECK(modelwire_config_set_proxy(config, "", 0) == MODELWIRE_OK);
  client = client_of(config);
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("echo", "x"))));
  modelwire_client_free(client);

  config = modelwire_config_new();
  CHECK(modelwire_config_set_proxy(config, "ftp://user:secret@host", MODELWIRE_NUL) ==
        MODELWIRE_OK);
  error = refusal_of(config);
  CHECK(contains(modelwire_error_message(error), "proxy"));
  CHECK(!contains(modelwire_error_report(error, NULL), "secret"));
  modelwire_error_free(error);
}

void certificates_refused(void) {
  static const char *const BAD[] = {
      "", "no PEM", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"};
  for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
    modelwire_config *config = modelwire_config_new();
    CHECK(modelwire_config_add_ca_pem(config, BAD[i], MODELWIRE_NUL) == MODELWIRE_OK);
    modelwire_error *error = refusal_of(config);
    CHECK(contains(modelwire_error_message(error), "CA") ||
          contains(modelwire_error_message(error), "ertificate"));
    modelwire_error_free(error);

    config = modelwire_config_new();
    CHECK(modelwire_config_set_client_certificate_pem(config, BAD[i], MODELWIRE_NUL) ==
          MODELWIRE_OK);
    error = refusal_of(config);
    CHECK(contains(modelwire_error_message(error), "ertificate") ||
          contains(modelwire_error_message(error), "PEM"));
    modelwire_error_free(error);
  }
  modelwire_config *config = modelwire_config_new();
  CHECK(modelwire_config_add_ca_pem(config, "\xff", 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_set_client_certificate_pem(config, "\xff", 1) == MODELWIRE_E_ARGUMENT);
  /* HTTP/2 is taken; only a service that speaks it can show more. */
  CHECK(modelwire_config_set_http2(config, 1) == MODELWIRE_OK);
  modelwire_client_free(client_of(config));
}

/* A request with one message, whatever the client says of streams. */
static modelwire_request *request_to(const char *model) {
  modelwire_request *request = NULL;
  CHECK(modelwire_request_chat(model, MODELWIRE_NUL, &request, NULL) == MODELWIRE_OK);
  CHECK(modelwire_request_add_message(request, "user", 4, "one two three", MODELWIRE_NUL) ==
        MODELWIRE_OK);
  return request;
}

static modelwire_call *call_of(const modelwire_client *client, modelwire_request *request) {
  modelwire_call *call = NULL;
  CHECK(modelwire_call_new(client, request, &call, NULL) == MODELWIRE_OK);
  modelwire_request_free(request);
  return call;
}

/* The service does not answer, stops in the middle, does not answer. */
void request_timeouts(void) {
  static const struct {
    int64_t first_byte_ms, idle_ms, total_ms;
    const char *name;
  } CASES[] = {{100, -1, -1, "first_byte_timeout"},
               {-1, 100, -1, "idle_timeout"},
               {-1, -1, 100, "total_timeout"}};
  modelwire_client *client = client_of_environment();
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    modelwire_request *request = request_to("m");
    CHECK(modelwire_request_set_timeouts(request, CASES[i].first_byte_ms, CASES[i].idle_ms,
                                         CASES[i].total_ms) == MODELWIRE_OK);
    modelwire_call *call = call_of(client, request);
    modelwire_response *end = NULL;
    modelwire_error *error = NULL;
    gathered all = {0};
    CHECK_STATUS(modelwire_call_stream(call, gather, &all, &end, &error), MODELWIRE_E_TIMEOUT,
                 error);
    CHECK_TEXT(modelwire_error_timeout(error), CASES[i].name);
    CHECK(all.events == (CASES[i].idle_ms > 0));
    modelwire_error_free(error);
    modelwire_call_free(call);
  }
  modelwire_client_free(client);

  /* 0 switches the client's off: the service pauses for longer than the client would wait. */
  modelwire_config *config = modelwire_config_new();
  CHECK(modelwire_config_set_timeouts(config, -1, 50, 50, 50) == MODELWIRE_OK);
  client = client_of(config);
  modelwire_request *request = request_to("m");
  CHECK(modelwire_request_set_timeouts(request, 0, 0, 0) == MODELWIRE_OK);
  modelwire_response *answer = answer_of(call_of(client, request));
  CHECK_TEXT(modelwire_response_text(answer, NULL), "late");
  modelwire_response_free(answer);
  modelwire_client_free(client);
}

void request_retries(void) {
  modelwire_config *config = modelwire_config_new();
  CHECK(modelwire_config_set_retry(config, 0, 1, -1) == MODELWIRE_OK);
  modelwire_client *client = client_of(config);
  modelwire_request *request = request_to("recovers");
  CHECK(modelwire_request_set_retry(request, 2, 1, -1) == MODELWIRE_OK);
  modelwire_response_free(answer_of(call_of(client, request)));

  request = request_to("recovers");
  CHECK(modelwire_request_set_retry(request, 1, 1, -1) == MODELWIRE_OK);
  modelwire_error *error = failure_of(call_of(client, request), MODELWIRE_E_RATE_LIMITED);
  CHECK(modelwire_error_attempts(error) == 2);
  modelwire_error_free(error);
  modelwire_client_free(client);
}

/* A Retry-After beyond the bound is told, not waited for. */
void retry_after(void) {
  modelwire_client *client = client_of_environment();
  modelwire_request *request = request_to("m");
  CHECK(modelwire_request_set_retry(request, -1, -1, 2000) == MODELWIRE_OK);
  modelwire_error *error = failure_of(call_of(client, request), MODELWIRE_E_RATE_LIMITED);
  CHECK(modelwire_error_retry_after_ms(error) == 7000);
  CHECK(modelwire_error_attempts(error) == 1);
  modelwire_error_free(error);
  modelwire_client_free(client);
}

void request_headers(void) {
  modelwire_config *config = modelwire_config_new();
  CHECK(modelwire_config_add_header(config, "X-A", 3, "client", MODELWIRE_NUL) == MODELWIRE_OK);
  CHECK(modelwire_config_add_header(config, "X-B", 3, "client", MODELWIRE_NUL) == MODELWIRE_OK);
  modelwire_client *client = client_of(config);
  modelwire_request *request = request_to("echo");
  CHECK(modelwire_request_add_header(request, "x-a and", 3, "request too", 7) == MODELWIRE_OK);
  modelwire_response_free(answer_of(call_of(client, request)));
  modelwire_response_free(answer_of(call_of(client, request_to("echo"))));

  request = request_to("echo");
  CHECK(modelwire_request_add_header(request, "not a name", MODELWIRE_NUL, "x", 1) ==
        MODELWIRE_OK);
  modelwire_call *call = call_of(client, request);
  modelwire_response *answer = NULL;
  modelwire_error *error = NULL;
  CHECK(modelwire_call_run(call, &answer, &error) < 0);
  CHECK_TEXT(modelwire_error_metered(error), "not_sent");
  CHECK(contains(modelwire_error_message(error), "header"));
  modelwire_error_free(error);
  modelwire_call_free(call);
  modelwire_client_free(client);
}

void request_stream_only(void) {
  modelwire_client *client = client_of_environment();
  modelwire_request *request = request_to("echo-stream-only");
  CHECK(modelwire_request_set_stream_only(request, 1) == MODELWIRE_OK);
  modelwire_response *answer = answer_of(call_of(client, request));
  CHECK_TEXT(modelwire_response_text(answer, NULL), "one two three");
  CHECK(modelwire_response_is_gathered(answer) == 1);
  modelwire_response_free(answer);
  modelwire_client_free(client);

  modelwire_config *config = modelwire_config_new();
  CHECK(modelwire_config_set_stream_only(config, 1) == MODELWIRE_OK);
  client = client_of(config);
  request = request_to("echo-stream-only");
  CHECK(modelwire_request_set_stream_only(request, 0) == MODELWIRE_OK);
  modelwire_error_free(failure_of(call_of(client, request), MODELWIRE_E_INVALID_REQUEST));
  modelwire_client_free(client);
}

/* A stream that gathers, and is cut: the error has what came. */
void request_gather(void) {
  modelwire_client *client = client_of_environment();
  modelwire_request *request = request_to("cut");
  CHECK(modelwire_request_set_gather(request, 1) == MODELWIRE_OK);
  modelwire_call *call = call_of(client, request);
  modelwire_response *end = NULL;
  modelwire_error *error = NULL;
  gathered all = {0};
  size_t length = 0;
  CHECK_STATUS(modelwire_call_stream(call, gather, &all, &end, &error), MODELWIRE_E_DISCONNECTED,
               error);
  CHECK(contains(modelwire_error_partial(error, &length), all.text) && all.length > 0);
  CHECK(length == strlen(modelwire_error_partial(error, NULL)));
  modelwire_error_free(error);
  modelwire_call_free(call);
  modelwire_client_free(client);
}
