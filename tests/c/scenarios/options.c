/*
 * What a client and a request can be told: bounds, timeouts, retries, headers, proxy,
 * certificates. The test scripts the responses, and looks at what was sent and at the waits that
 * were logged.
 */
#include "check.h"

#include <math.h>

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

/* The number of the last limit: they are numbered from 1 on, without a gap. */
static int32_t last_limit(void) {
  modelwire_config *config = modelwire_config_new();
  int32_t last = 0;
  while (modelwire_config_set_limit(config, last + 1, 1000) == MODELWIRE_OK) last++;
  modelwire_config_free(config);
  return last;
}

/* Values that no limit takes; what was set before stays. */
static void refuse_limits(modelwire_config *config, int32_t limit) {
  static const int64_t WRONG[] = {0, -1, INT64_MIN, INT64_C(1) + INT32_MAX, INT64_MAX};
  for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
    CHECK(modelwire_config_set_limit(config, limit, WRONG[i]) == MODELWIRE_E_ARGUMENT);
  }
}

/* A client with this bound, which later refusals have not changed. */
static modelwire_client *limited_client(int32_t limit, int64_t value) {
  modelwire_config *config = modelwire_config_new();
  CHECK(modelwire_config_set_limit(config, limit, value) == MODELWIRE_OK);
  refuse_limits(config, limit);
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
  CHECK(contains(modelwire_error_message(error, NULL), "event_bytes_max = 200"));
  CHECK_TEXT(all.text, "before ");
  modelwire_error_free(error);
  modelwire_call_free(call);
  modelwire_client_free(client);

  client = limited_client(MODELWIRE_LIMIT_RESPONSE_BYTES, 200);
  error = failure_of(chat_call(client, ECHO_CHAT("m", "x")), MODELWIRE_E_PROTOCOL);
  CHECK(contains(modelwire_error_message(error, NULL), "response_bytes_max = 200"));
  CHECK_TEXT(error_text(error, "/metered"), "entered");
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
  CHECK(contains(modelwire_error_message(error, NULL), "headers_max = 10"));
  modelwire_error_free(error);
  modelwire_client_free(client);
}

void limits_refused(void) {
  modelwire_config *config = modelwire_config_new();
  const int32_t last = last_limit();
  CHECK(last >= MODELWIRE_LIMIT_CONNECTIONS);
  for (int32_t limit = 1; limit <= last; limit++) {
    CHECK(modelwire_config_set_limit(config, limit, INT32_MAX) == MODELWIRE_OK);
    CHECK(modelwire_config_set_limit(config, limit, 1000) == MODELWIRE_OK);
  }
  CHECK(modelwire_config_set_limit(config, 0, 1000) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_set_limit(config, last + 1, 1000) == MODELWIRE_E_ARGUMENT);
  /* What is refused leaves the bound that was set. */
  CHECK(modelwire_config_set_limit(config, MODELWIRE_LIMIT_HEADERS, 1) == MODELWIRE_OK);
  for (int32_t limit = 1; limit <= last; limit++) {
    refuse_limits(config, limit);
  }
  modelwire_client *client = client_of(config);
  modelwire_error *error =
      failure_of(chat_call(client, ECHO_CHAT("echo", "x")), MODELWIRE_E_PROTOCOL);
  CHECK(contains(modelwire_error_message(error, NULL), "headers_max = 1"));
  modelwire_error_free(error);
  modelwire_client_free(client);
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
  CHECK(contains(modelwire_error_message(error, NULL), "through the proxy 127.0.0.1:1"));
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
  CHECK(contains(modelwire_error_message(error, NULL), "proxy"));
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
    CHECK(contains(modelwire_error_message(error, NULL), "CA") ||
          contains(modelwire_error_message(error, NULL), "ertificate"));
    modelwire_error_free(error);

    config = modelwire_config_new();
    CHECK(modelwire_config_set_client_certificate_pem(config, BAD[i], MODELWIRE_NUL) ==
          MODELWIRE_OK);
    error = refusal_of(config);
    CHECK(contains(modelwire_error_message(error, NULL), "ertificate") ||
          contains(modelwire_error_message(error, NULL), "PEM"));
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
  CHECK(modelwire_call_new(client, request, 0, &call, NULL) == MODELWIRE_OK);
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
    CHECK_TEXT(error_text(error, "/timeout"), CASES[i].name);
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
  CHECK(error_int(error, "/attempts") == 2);
  modelwire_error_free(error);
  modelwire_client_free(client);
}

static modelwire_queue *new_queue(void) {
  modelwire_queue *queue = NULL;
  CHECK(modelwire_queue_new(0, &queue, NULL) == MODELWIRE_OK);
  return queue;
}

/* Many calls at once, few connections: the test counts them. */
void few_connections(void) {
  enum { CALLS = 50 };
  modelwire_client *client = limited_client(MODELWIRE_LIMIT_CONNECTIONS, 4);
  modelwire_queue *queue = new_queue();
  modelwire_call *calls[CALLS];
  int done[CALLS] = {0};
  for (int i = 0; i < CALLS; i++) {
    calls[i] = chat_call(client, ECHO_CHAT("echo", "one two"));
    CHECK(modelwire_call_submit(calls[i], i % 2, queue, (uint64_t)i, NULL) == MODELWIRE_OK);
  }
  for (int count = 0; count < CALLS;) {
    modelwire_event *event = NULL;
    CHECK(modelwire_queue_next(queue, 60000, &event) == MODELWIRE_OK);
    if (is_last(event)) {
      const modelwire_error *error = modelwire_event_error(event);
      CHECK_STATUS(modelwire_error_status(error), MODELWIRE_OK, error);
      CHECK(done[modelwire_event_tag(event)]++ == 0);
      count++;
    }
    modelwire_event_free(event);
  }
  for (int i = 0; i < CALLS; i++) modelwire_call_free(calls[i]);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

/* A client with one connection, whose timeout of waiting for it is set twice. */
static modelwire_client *single_client(int64_t pool_ms, int64_t then_ms) {
  modelwire_config *config = modelwire_config_new();
  CHECK(modelwire_config_set_limit(config, MODELWIRE_LIMIT_CONNECTIONS, 1) == MODELWIRE_OK);
  CHECK(modelwire_config_set_pool_timeout(config, pool_ms) == MODELWIRE_OK);
  CHECK(modelwire_config_set_pool_timeout(config, then_ms) == MODELWIRE_OK);
  return client_of(config);
}

/* The service answers nobody: the one connection of each client is never free. */
void pool_timeout(void) {
  static const struct {
    int client;
    int64_t pool_ms, total_ms, bound_ms;
    const char *name, *told;
  } CASES[] = {{0, -1, -1, 100, "pool_timeout", "100 ms"},
               {0, 150, -1, 150, "pool_timeout", "150 ms"},
               {0, 0, 200, 200, "total_timeout", "200 ms"},
               {1, 150, -1, 150, "pool_timeout", "150 ms"},
               {1, -1, 200, 200, "total_timeout", "200 ms"}};
  modelwire_client *clients[] = {single_client(100, -1), single_client(100, 0)};
  modelwire_queue *queue = new_queue();
  modelwire_call *stuck[2];
  for (int i = 0; i < 2; i++) {
    stuck[i] = chat_call(clients[i], ECHO_CHAT("m", "x"));
    CHECK(modelwire_call_submit(stuck[i], i, queue, 0, NULL) == MODELWIRE_OK);
  }
  wait_for_cue();
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    modelwire_request *request = request_to("m");
    CHECK(modelwire_request_set_pool_timeout(request, CASES[i].pool_ms) == MODELWIRE_OK);
    CHECK(modelwire_request_set_timeouts(request, -1, -1, CASES[i].total_ms) == MODELWIRE_OK);
    modelwire_error *error =
        failure_of(call_of(clients[CASES[i].client], request), MODELWIRE_E_TIMEOUT);
    CHECK_TEXT(error_text(error, "/timeout"), CASES[i].name);
    CHECK_TEXT(error_text(error, "/metered"), "not_sent");
    CHECK(error_int(error, "/attempts") == 0);
    CHECK(error_int(error, "/elapsed_ms") >= CASES[i].bound_ms);
    CHECK(contains(modelwire_error_message(error, NULL), CASES[i].told));
    CHECK(contains(modelwire_error_message(error, NULL), "connections_max = 1"));
    modelwire_error_free(error);
  }
  for (int i = 0; i < 2; i++) {
    modelwire_call_free(stuck[i]);
    modelwire_client_free(clients[i]);
  }
  modelwire_queue_free(queue);
}

#define EVERY_RETRY (MODELWIRE_RETRY_CONNECT_ERRORS | MODELWIRE_RETRY_LOST_CONNECTIONS)
#define UNKNOWN_FLAG 4

/* A client that tries again twice after these failures. */
static modelwire_client *retrying_client(uint32_t what) {
  modelwire_config *config = modelwire_config_new();
  CHECK(modelwire_config_set_retry_on(config, EVERY_RETRY & ~what) == MODELWIRE_OK);
  CHECK(modelwire_config_set_retry(config, 2, 1, -1) == MODELWIRE_OK);
  CHECK(modelwire_config_set_retry_on(config, what) == MODELWIRE_OK);
  CHECK(modelwire_config_set_retry_on(config, UNKNOWN_FLAG | EVERY_RETRY) == MODELWIRE_E_ARGUMENT);
  return client_of(config);
}

static void expect_attempts(const modelwire_client *client, modelwire_request *request,
                            int32_t attempts, modelwire_status expected, const char *metered) {
  modelwire_error *error = failure_of(call_of(client, request), expected);
  CHECK(error_int(error, "/attempts") == attempts);
  CHECK_TEXT(error_text(error, "/metered"), metered);
  modelwire_error_free(error);
}

/* Nobody listens. */
void connect_errors(void) {
  for (uint32_t what = 0; what <= EVERY_RETRY; what++) {
    modelwire_client *client = retrying_client(what);
    int32_t attempts = (what & MODELWIRE_RETRY_CONNECT_ERRORS) != 0 ? 3 : 1;
    expect_attempts(client, request_to("m"), attempts, MODELWIRE_E_CONNECT, "not_sent");
    modelwire_request *request = request_to("m");
    CHECK(modelwire_request_set_retry_on(request, MODELWIRE_RETRY_CONNECT_ERRORS) ==
          MODELWIRE_OK);
    CHECK(modelwire_request_set_retry(request, 4, 1, -1) == MODELWIRE_OK);
    expect_attempts(client, request, 5, MODELWIRE_E_CONNECT, "not_sent");
    modelwire_client_free(client);
  }
}

/* Every text setter of a configuration. */
static const struct {
  const char *name;
  modelwire_status (*set)(modelwire_config *config, const char *text, size_t length);
} CONFIG_TEXTS[] = {
    {"base_url", modelwire_config_set_base_url},
    {"api_key", modelwire_config_set_api_key},
    {"ca_pem", modelwire_config_add_ca_pem},
    {"client_certificate_pem", modelwire_config_set_client_certificate_pem},
    {"proxy", modelwire_config_set_proxy},
};

#define TOO_LONG ((size_t)INT32_MAX + 2)

/* Every call of a setter that is refused. */
static void refuse_all(modelwire_config *config) {
  for (size_t i = 0; i < sizeof CONFIG_TEXTS / sizeof *CONFIG_TEXTS; i++) {
    CHECK(CONFIG_TEXTS[i].set(config, NULL, 0) == MODELWIRE_E_ARGUMENT);
    CHECK(CONFIG_TEXTS[i].set(config, "\xff", 1) == MODELWIRE_E_ARGUMENT);
    CHECK(CONFIG_TEXTS[i].set(config, "a", TOO_LONG) == MODELWIRE_E_ARGUMENT);
  }
  CHECK(modelwire_config_add_header(config, "x-kept", 6, "\xff", 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_add_header(config, "x-kept", 6, NULL, 0) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_add_header(config, "x-\xff", 3, "a", 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_set_retry_on(config, UNKNOWN_FLAG | EVERY_RETRY) ==
        MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_set_retry_jitter(config, 7) == MODELWIRE_E_ARGUMENT);
  for (int32_t limit = 0; limit <= last_limit() + 1; limit++) {
    refuse_limits(config, limit);
  }
  CHECK(modelwire_config_set_limit(config, 0, 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_config_set_options(config, "{\"proxy\":\"http://h\",\"nothing\":1}",
                                     MODELWIRE_NUL, NULL) == MODELWIRE_E_CONFIG);
  CHECK(modelwire_config_set_limit(config, last_limit() + 1, 1) == MODELWIRE_E_ARGUMENT);
}

/* Options as JSON: one client with all that it needs from one text. */
void options_as_json(void) {
  char json[256];
  const int length =
      snprintf(json, sizeof json,
               "{\"base_url\":\"%s\",\"api_key\":\"sk-kept\",\"headers\":{\"x-kept\":\"kept\"},"
               "\"proxy\":\"\",\"retries_max\":0,\"total_timeout_ms\":null}",
               getenv("TEST_BASE_URL"));
  CHECK(length > 0 && (size_t)length < sizeof json);
  modelwire_config *config = modelwire_config_new();
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_config_set_options(config, json, (size_t)length, &error), MODELWIRE_OK,
               error);
  static const struct {
    const char *json, *told;
  } WRONG[] = {
      {"[]", "not an object"},
      {"{", "not JSON"},
      {"{\"headers_max\":0}", "headers_max is 0"},
      {"{\"idle_timeout_ms\":0}", "idle_timeout is zero"},
      {"{\"http2\":\"sk-secret\"}", "http2 takes true or false"},
      {"{\"http3\":true}", "no option \"http3\""},
  };
  for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
    CHECK_STATUS(modelwire_config_set_options(config, WRONG[i].json, MODELWIRE_NUL, &error),
                 MODELWIRE_E_CONFIG, error);
    CHECK(contains(modelwire_error_message(error, NULL), WRONG[i].told));
    CHECK(!contains(modelwire_error_report(error, NULL), "secret"));
    modelwire_error_free(error);
  }
  /* The test sees what is sent. */
  modelwire_client *client = client_of(config);
  modelwire_response_free(answer_of(call_of(client, request_to("m"))));
  modelwire_client_free(client);
}

/* What is refused changes nothing: neither what was set before nor what was left alone. */
void refused_changes_nothing(void) {
  /* The environment names a host that is nowhere; the service is the argument's. */
  const char *const service = getenv("TEST_BASE_URL");
  CHECK(service != NULL);
  modelwire_config *config = modelwire_config_new();
  CHECK(modelwire_config_set_base_url(config, service, MODELWIRE_NUL) == MODELWIRE_OK);
  CHECK(modelwire_config_set_api_key(config, "sk-kept", MODELWIRE_NUL) == MODELWIRE_OK);
  CHECK(modelwire_config_add_header(config, "x-kept", 6, "kept", 4) == MODELWIRE_OK);
  CHECK(modelwire_config_set_proxy(config, "", 0) == MODELWIRE_OK);
  refuse_all(config);
  modelwire_client *client = client_of(config);
  modelwire_request *request = request_to("m");
  CHECK(modelwire_request_add_header(request, "x-own", 5, "kept", 4) == MODELWIRE_OK);
  CHECK(modelwire_request_add_header(request, "x-own", 5, "\xff", 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_add_header(request, "x-\xff", 3, "a", 1) == MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_add_header(request, "x-own", 5, "a", TOO_LONG) ==
        MODELWIRE_E_ARGUMENT);
  CHECK(modelwire_request_set_retry_on(request, UNKNOWN_FLAG | EVERY_RETRY) ==
        MODELWIRE_E_ARGUMENT);
  /* The test sees what is sent. */
  modelwire_response_free(answer_of(call_of(client, request)));
  modelwire_client_free(client);

  /* Only defaults: the environment decides as before. */
  config = modelwire_config_new();
  refuse_all(config);
  CHECK(modelwire_config_set_retry(config, 1, 1, -1) == MODELWIRE_OK);
  client = client_of(config);
  expect_attempts(client, request_to("m"), 1, MODELWIRE_E_CONNECT, "not_sent");
  modelwire_client_free(client);

  /* A proxy, behind which nobody is. */
  config = modelwire_config_new();
  CHECK(modelwire_config_set_base_url(config, service, MODELWIRE_NUL) == MODELWIRE_OK);
  CHECK(modelwire_config_set_proxy(config, "http://127.0.0.1:1", MODELWIRE_NUL) == MODELWIRE_OK);
  refuse_all(config);
  client = client_of(config);
  expect_attempts(client, request_to("m"), 1, MODELWIRE_E_CONNECT, "not_sent");
  modelwire_client_free(client);

  /* Certificates that cannot be read. */
  for (int i = 0; i < 2; i++) {
    config = modelwire_config_new();
    CHECK((i == 0 ? modelwire_config_add_ca_pem : modelwire_config_set_client_certificate_pem)(
              config, "no certificate", MODELWIRE_NUL) == MODELWIRE_OK);
    refuse_all(config);
    modelwire_error_free(refusal_of(config));
  }
}

/* What a request is told of retrying: retries, jitter, or on what. */
typedef struct {
  char what;
  int32_t value;
} step;

static void tell(modelwire_request *request, step told) {
  modelwire_status expected = MODELWIRE_OK, status;
  if (told.what == 'r') {
    status = modelwire_request_set_retry(request, told.value, 1, -1);
  } else if (told.what == 'j') {
    status = modelwire_request_set_retry_jitter(request, told.value);
  } else {
    status = modelwire_request_set_retry_on(request, (uint32_t)told.value);
    if (told.value < 0 || told.value >= UNKNOWN_FLAG) expected = MODELWIRE_E_ARGUMENT;
  }
  CHECK(status == expected);
}

/* The service closes each connection when it has read the request, but for the very last. */
void lost_connections(void) {
  enum { LOST = MODELWIRE_RETRY_LOST_CONNECTIONS };
  static const struct {
    step steps[3];
    uint32_t client;
    int32_t attempts;
  } CASES[] = {/* In any order. */
               {{{'r', 1}, {'o', LOST}, {'j', 0}}, 0, 2},
               {{{'o', LOST}, {'j', 0}, {'r', 1}}, 0, 2},
               {{{'j', 0}, {'r', 1}, {'o', LOST}}, 0, 2},
               /* In place of what was told before, and of what the client says. */
               {{{'r', 1}, {'o', LOST}, {'o', MODELWIRE_RETRY_CONNECT_ERRORS}}, 0, 1},
               {{{'r', 0}, {'o', LOST}, {'r', 1}}, 0, 2},
               {{{'r', 0}, {'o', LOST}, {'r', -1}}, 0, 4},
               {{{'j', 1}, {'r', 1}, {'j', 0}}, EVERY_RETRY, 1},
               /* What is refused leaves what was told, or the client's. */
               {{{'r', 1}, {'o', LOST}, {'o', UNKNOWN_FLAG}}, 0, 2},
               {{{'o', UNKNOWN_FLAG}, {'o', 8}, {'o', -1}}, EVERY_RETRY, 3}};
  for (uint32_t what = 0; what <= EVERY_RETRY; what++) {
    modelwire_client *client = retrying_client(what);
    int32_t attempts = (what & LOST) != 0 ? 3 : 1;
    expect_attempts(client, request_to("m"), attempts, MODELWIRE_E_DISCONNECTED, "unknown");
    modelwire_client_free(client);
  }
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    modelwire_client *client = retrying_client(CASES[i].client);
    modelwire_request *request = request_to("m");
    for (int at = 0; at < 3; at++) tell(request, CASES[i].steps[at]);
    expect_attempts(client, request, CASES[i].attempts, MODELWIRE_E_DISCONNECTED, "unknown");
    modelwire_client_free(client);
  }
  modelwire_client *client = retrying_client(LOST);
  modelwire_response *answer = answer_of(call_of(client, request_to("m")));
  CHECK_TEXT(modelwire_response_text(answer, NULL), "at last");
  modelwire_response_free(answer);
  modelwire_client_free(client);
}

static void print_log(void *user_data, const modelwire_log_batch *batch) {
  (void)user_data;
  for (size_t i = 0; i < modelwire_log_batch_count(batch); i++) {
    puts(modelwire_log_batch_message(batch, i, NULL));
  }
}

/* Calls that are refused twice, of a client with this jitter; -1 is the default. */
static void refused_calls(int calls, double of_client, double of_request) {
  modelwire_config *config = modelwire_config_new();
  CHECK(modelwire_config_set_retry(config, 1, 20, -1) == MODELWIRE_OK);
  if (of_client >= 0) {
    CHECK(modelwire_config_set_retry_jitter(config, of_client) == MODELWIRE_OK);
  }
  CHECK(modelwire_config_set_retry_jitter(config, 1.5) == MODELWIRE_E_ARGUMENT);
  modelwire_client *client = client_of(config);
  while (calls-- > 0) {
    modelwire_request *request = request_to("m");
    if (of_request >= 0) {
      CHECK(modelwire_request_set_retry_jitter(request, of_request) == MODELWIRE_OK);
      CHECK(modelwire_request_set_retry(request, 1, 20, -1) == MODELWIRE_OK);
    }
    CHECK(modelwire_request_set_retry_jitter(request, 1.5) == MODELWIRE_E_ARGUMENT);
    expect_attempts(client, request, 2, MODELWIRE_E_RATE_LIMITED, "unknown");
  }
  modelwire_client_free(client);
}

/* The waits are in the log, which the test reads. */
void retry_jitter(void) {
  CHECK(modelwire_set_log(MODELWIRE_LOG_DEBUG, print_log, NULL, NULL, NULL) == MODELWIRE_OK);
  refused_calls(3, 0, -1);
  refused_calls(20, 1, -1);
  refused_calls(3, 1, 0);
  refused_calls(20, 0, 1);
  refused_calls(20, -1, -1);
  CHECK(modelwire_set_log(MODELWIRE_LOG_OFF, NULL, NULL, NULL, NULL) == MODELWIRE_OK);
}

void retries_refused(void) {
  static const uint32_t UNKNOWN[] = {UNKNOWN_FLAG, 5, 0x80000000u, 0xffffffffu};
  const double wrong[] = {2, 1.0000001, -0.0000001, -1, NAN, INFINITY, -INFINITY};
  const double right[] = {0, 0.5, 1};
  modelwire_config *config = modelwire_config_new();
  modelwire_request *request = request_to("m");
  for (size_t i = 0; i < sizeof UNKNOWN / sizeof *UNKNOWN; i++) {
    CHECK(modelwire_config_set_retry_on(config, UNKNOWN[i]) == MODELWIRE_E_ARGUMENT);
    CHECK(modelwire_request_set_retry_on(request, UNKNOWN[i]) == MODELWIRE_E_ARGUMENT);
  }
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    CHECK(modelwire_config_set_retry_jitter(config, wrong[i]) == MODELWIRE_E_ARGUMENT);
    CHECK(modelwire_request_set_retry_jitter(request, wrong[i]) == MODELWIRE_E_ARGUMENT);
  }
  for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
    CHECK(modelwire_config_set_retry_jitter(config, right[i]) == MODELWIRE_OK);
    CHECK(modelwire_request_set_retry_jitter(request, right[i]) == MODELWIRE_OK);
  }
  modelwire_request_free(request);
  modelwire_client_free(client_of(config));
}

/* A Retry-After beyond the bound is told, not waited for. */
void retry_after(void) {
  modelwire_client *client = client_of_environment();
  modelwire_request *request = request_to("m");
  CHECK(modelwire_request_set_retry(request, -1, -1, 2000) == MODELWIRE_OK);
  modelwire_error *error = failure_of(call_of(client, request), MODELWIRE_E_RATE_LIMITED);
  CHECK(error_int(error, "/retry_after_ms") == 7000);
  CHECK(error_int(error, "/attempts") == 1);
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
  CHECK_TEXT(error_text(error, "/metered"), "not_sent");
  CHECK(contains(modelwire_error_message(error, NULL), "header"));
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
  CHECK(length == strlen(error_text(error, "/partial")));
  modelwire_error_free(error);
  modelwire_call_free(call);
  modelwire_client_free(client);
}
