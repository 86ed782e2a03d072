/*
 * What a client and a request can be told, by the names of options: bounds, timeouts, retries,
 * headers, query, proxy, certificates. The test scripts the responses, and looks at what was sent
 * and at the waits that were logged.
 */
#include "check.h"

/* Options of a client that are refused with this. */
static void refuse_client(const char *options, const char *told) {
  modelwire_error *error = refusal_of("%s", options);
  if (!contains(modelwire_error_message(error, NULL), told)) {
    CHECK_TEXT(modelwire_error_message(error, NULL), told);
  }
  CHECK(!contains(modelwire_error_report(error, NULL), "secret"));
  CHECK(!contains(modelwire_error_json(error, NULL), "secret"));
  modelwire_error_free(error);
}

/* The same of one call. */
static void refuse_request(modelwire_request *request, const char *options, const char *told) {
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_request_set_options(request, options, MODELWIRE_NUL, &error),
               MODELWIRE_E_ARGUMENT, error);
  if (!contains(modelwire_error_message(error, NULL), told)) {
    CHECK_TEXT(modelwire_error_message(error, NULL), told);
  }
  CHECK_TEXT(error_text(error, "/metered"), "not_sent");
  modelwire_error_free(error);
}

/* A client with this bound. */
static modelwire_client *limited_client(const char *name, int value) {
  return client_with("{\"%s\":%d,\"max_retries\":0}", name, value);
}

/* The service answers each with a little more than the bound. */
void limits(void) {
  modelwire_client *client = limited_client("event_bytes_max", 200);
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

  client = limited_client("response_bytes_max", 200);
  error = failure_of(chat_call(client, ECHO_CHAT("m", "x")), MODELWIRE_E_PROTOCOL);
  CHECK(contains(modelwire_error_message(error, NULL), "response_bytes_max = 200"));
  CHECK_TEXT(error_text(error, "/metered"), "entered");
  modelwire_error_free(error);
  modelwire_client_free(client);

  client = limited_client("error_body_bytes_max", 200);
  error = failure_of(chat_call(client, ECHO_CHAT("m", "x")), MODELWIRE_E_SERVER);
  CHECK(strlen(error_text(error, "/body")) == 200);
  modelwire_error_free(error);
  modelwire_client_free(client);

  client = limited_client("headers_max", 10);
  error = failure_of(chat_call(client, ECHO_CHAT("m", "x")), MODELWIRE_E_PROTOCOL);
  CHECK(contains(modelwire_error_message(error, NULL), "headers_max = 10"));
  modelwire_error_free(error);
  modelwire_client_free(client);
}

void limits_refused(void) {
  static const char *const BOUNDS[] = {
      "event_bytes_max",  "response_bytes_max",   "error_body_bytes_max",
      "headers_max",      "queue_bytes_max",      "queue_events_max",
      "connections_max",  "idle_connections_max", "idle_connection_ms_max"};
  static const char *const WRONG[] = {"0", "-1", "2147483648", "1.5", "1e3", "\"1\"", "null",
                                      "99999999999999999999"};
  for (size_t i = 0; i < sizeof BOUNDS / sizeof *BOUNDS; i++) {
    char options[80];
    modelwire_client_free(client_with("{\"%s\":2147483647}", BOUNDS[i]));
    modelwire_client_free(client_with("{\"%s\":1}", BOUNDS[i]));
    for (size_t at = 0; at < sizeof WRONG / sizeof *WRONG; at++) {
      snprintf(options, sizeof options, "{\"%s\":%s}", BOUNDS[i], WRONG[at]);
      refuse_client(options, BOUNDS[i]);
    }
  }
  modelwire_client *client = client_with("{\"headers_max\":1}");
  modelwire_error *error =
      failure_of(chat_call(client, ECHO_CHAT("echo", "x")), MODELWIRE_E_PROTOCOL);
  CHECK(contains(modelwire_error_message(error, NULL), "headers_max = 1"));
  modelwire_error_free(error);
  modelwire_client_free(client);
}

/* The environment names a host that is nowhere; the proxy that is the argument is the test's. */
void through_proxy(void) {
  modelwire_client *client = client_with("{\"proxy\":\"%s\"}", getenv("TEST_PROXY"));
  modelwire_response *answer = answer_of(chat_call(client, ECHO_CHAT("m", "x")));
  CHECK_TEXT(modelwire_response_text(answer, NULL), "by proxy");
  modelwire_response_free(answer);
  modelwire_client_free(client);
}

/* The environment names a proxy at which nobody listens, and a service. */
void without_proxy(void) {
  modelwire_client *client = client_with("{\"proxy\":\"http://127.0.0.1:1\"}");
  modelwire_error *error =
      failure_of(chat_call(client, ECHO_CHAT("echo", "x")), MODELWIRE_E_CONNECT);
  CHECK(contains(modelwire_error_message(error, NULL), "through the proxy 127.0.0.1:1"));
  modelwire_error_free(error);
  modelwire_client_free(client);

  client = client_with("{\"proxy\":\"\"}");
  modelwire_response_free(answer_of(chat_call(client, ECHO_CHAT("echo", "x"))));
  modelwire_client_free(client);
  refuse_client("{\"proxy\":\"ftp://user:secret@host\"}", "proxy");
}

void certificates_refused(void) {
  static const char *const BAD[] = {
      "", "no PEM", "-----BEGIN CERTIFICATE-----\\nAAAA\\n-----END CERTIFICATE-----\\n"};
  for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
    modelwire_error *error = refusal_of("{\"ca_pem\":\"%s\"}", BAD[i]);
    CHECK(contains(modelwire_error_message(error, NULL), "CA") ||
          contains(modelwire_error_message(error, NULL), "ertificate"));
    modelwire_error_free(error);
    error = refusal_of("{\"client_certificate_pem\":\"%s\"}", BAD[i]);
    CHECK(contains(modelwire_error_message(error, NULL), "ertificate") ||
          contains(modelwire_error_message(error, NULL), "PEM"));
    modelwire_error_free(error);
  }
  /* HTTP/2 is taken; only a service that speaks it can show more. */
  modelwire_client_free(client_with("{\"http2\":true}"));
}

/* A request with one message, whatever the client says of streams. */
static modelwire_request *request_to(const char *model) {
  modelwire_request *request = empty_request(MODELWIRE_OPERATION_CHAT);
  CHECK(modelwire_request_set_text(request, "model", 5, model, MODELWIRE_NUL, NULL) ==
        MODELWIRE_OK);
  CHECK(modelwire_request_add_message(request, "user", 4, "one two three", MODELWIRE_NUL, NULL) ==
        MODELWIRE_OK);
  return request;
}

static void set_options(modelwire_request *request, const char *options) {
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_request_set_options(request, options, strlen(options), &error),
               MODELWIRE_OK, error);
}

/* The same with options of the call. */
static modelwire_request *request_by(const char *model, const char *options) {
  modelwire_request *request = request_to(model);
  set_options(request, options);
  return request;
}

/* The service does not answer, stops in the middle, does not answer. */
void request_timeouts(void) {
  static const struct {
    const char *options, *name;
    int events;
  } CASES[] = {{"{\"first_byte_timeout_ms\":100}", "first_byte_timeout", 0},
               {"{\"idle_timeout_ms\":100}", "idle_timeout", 1},
               {"{\"total_timeout_ms\":100}", "total_timeout", 0}};
  modelwire_client *client = client_of_environment();
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    modelwire_call *call = call_of(client, request_by("m", CASES[i].options));
    modelwire_response *end = NULL;
    modelwire_error *error = NULL;
    gathered all = {0};
    CHECK_STATUS(modelwire_call_stream(call, gather, &all, &end, &error), MODELWIRE_E_TIMEOUT,
                 error);
    CHECK_TEXT(error_text(error, "/timeout"), CASES[i].name);
    CHECK(all.events == CASES[i].events);
    modelwire_error_free(error);
    modelwire_call_free(call);
  }
  modelwire_client_free(client);

  /* null switches the client's off: the service pauses for longer than the client would wait. */
  client = client_with(
      "{\"first_byte_timeout_ms\":50,\"idle_timeout_ms\":50,\"total_timeout_ms\":50}");
  modelwire_response *answer = answer_of(call_of(
      client, request_by("m", "{\"first_byte_timeout_ms\":null,\"idle_timeout_ms\":null,"
                              "\"total_timeout_ms\":null}")));
  CHECK_TEXT(modelwire_response_text(answer, NULL), "late");
  modelwire_response_free(answer);
  modelwire_client_free(client);
}

void request_retries(void) {
  modelwire_client *client = client_with("{\"max_retries\":0,\"retry_first_wait_ms\":1}");
  modelwire_request *request = request_by("recovers", "{\"max_retries\":2}");
  modelwire_response_free(answer_of(call_of(client, request)));

  request = request_by("recovers", "{\"max_retries\":1}");
  modelwire_error *error = failure_of(call_of(client, request), MODELWIRE_E_RATE_LIMITED);
  CHECK(error_int(error, "/attempts") == 2);
  modelwire_error_free(error);
  modelwire_client_free(client);
}

/* Many calls at once, few connections: the test counts them. */
void few_connections(void) {
  enum { CALLS = 50 };
  modelwire_client *client = limited_client("connections_max", 4);
  modelwire_queue *queue = new_queue();
  int ends[CALLS] = {0};
  for (int i = 0; i < CALLS; i++) {
    submit(client, queue, ECHO_CHAT("echo", "one two"), i % 2, (uint64_t)i);
  }
  for (int count = 0; count < CALLS;) {
    modelwire_event *event = next(queue);
    if (is_last(event)) {
      CHECK_STATUS(status_of(event), MODELWIRE_OK, modelwire_event_error(event));
      CHECK(ends[modelwire_event_tag(event)]++ == 0);
      count++;
    }
    modelwire_event_free(event);
  }
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

/* The service answers nobody: the one connection of each client is never free. */
void pool_timeout(void) {
  static const struct {
    int client;
    int64_t bound_ms;
    const char *options, *name, *told;
  } CASES[] = {
      {0, 100, "{}", "pool_timeout", "100 ms"},
      {0, 150, "{\"pool_timeout_ms\":150}", "pool_timeout", "150 ms"},
      {0, 200, "{\"pool_timeout_ms\":null,\"total_timeout_ms\":200}", "total_timeout", "200 ms"},
      {1, 150, "{\"pool_timeout_ms\":150}", "pool_timeout", "150 ms"},
      {1, 200, "{\"total_timeout_ms\":200}", "total_timeout", "200 ms"}};
  modelwire_client *clients[] = {
      client_with("{\"connections_max\":1,\"pool_timeout_ms\":100}"),
      client_with("{\"connections_max\":1,\"pool_timeout_ms\":null}")};
  modelwire_queue *queue = new_queue();
  for (int i = 0; i < 2; i++) submit(clients[i], queue, ECHO_CHAT("m", "x"), i, (uint64_t)i);
  wait_for_cue();
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    modelwire_request *request = request_by("m", CASES[i].options);
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
  for (int i = 0; i < 2; i++) modelwire_client_free(clients[i]);
  modelwire_queue_free(queue);
}

/* What is tried again beside refusals. */
enum { CONNECT_ERRORS = 1, LOST_CONNECTIONS = 2, EVERYTHING = 3 };

/* A client that tries again twice after these failures. */
static modelwire_client *retrying_client(int what) {
  return client_with("{\"max_retries\":2,\"retry_first_wait_ms\":1,\"retry_connect_errors\":%s,"
                     "\"retry_lost_connections\":%s}",
                     what & CONNECT_ERRORS ? "true" : "false",
                     what & LOST_CONNECTIONS ? "true" : "false");
}

static void expect_attempts(const modelwire_client *client, modelwire_request *request,
                            int attempts, modelwire_status expected, const char *metered) {
  modelwire_error *error = failure_of(call_of(client, request), expected);
  CHECK(error_int(error, "/attempts") == attempts);
  CHECK_TEXT(error_text(error, "/metered"), metered);
  modelwire_error_free(error);
}

/* Nobody listens. */
void connect_errors(void) {
  for (int what = 0; what <= EVERYTHING; what++) {
    modelwire_client *client = retrying_client(what);
    int attempts = what & CONNECT_ERRORS ? 3 : 1;
    expect_attempts(client, request_to("m"), attempts, MODELWIRE_E_CONNECT, "not_sent");
    modelwire_request *request =
        request_by("m", "{\"retry_connect_errors\":true,\"max_retries\":4}");
    expect_attempts(client, request, 5, MODELWIRE_E_CONNECT, "not_sent");
    modelwire_client_free(client);
  }
}

/* Options as JSON: one client with all that it needs from one text. */
void options_as_json(void) {
  modelwire_client *client = client_with(
      "{\"base_url\":\"%s\",\"api_key\":\"sk-kept\",\"headers\":{\"x-kept\":\"kept\"},"
      "\"proxy\":\"\",\"max_retries\":0,\"total_timeout_ms\":null,"
      "\"query\":{\"api-version\":\"1\",\"a b\":\"c&d\"}}",
      getenv("TEST_BASE_URL"));
  static const struct {
    const char *json, *told;
  } WRONG[] = {
      {"[]", "not an object"},
      {"null", "not an object"},
      {"{", "not JSON"},
      {"", "not JSON"},
      {"{\"headers_max\":0}", "headers_max is 0"},
      {"{\"idle_timeout_ms\":0}", "idle_timeout is zero"},
      {"{\"http2\":\"sk-secret\"}", "http2 takes true or false"},
      {"{\"api_key\":[\"sk-secret\"]}", "api_key takes"},
      {"{\"headers\":{\"x-a\":7}}", "headers takes"},
      {"{\"query\":[\"a\"]}", "query takes"},
      {"{\"base_urls\":\"x\"}", "base_urls takes an array"},
      {"{\"base_urls\":[\"x\"]}", "base_urls[0]: base_url is not a URL"},
      {"{\"base_urls\":[{\"api_key\":\"sk-secret\"}]}", "base_urls[0] has no url"},
      {"{\"balance\":true}", "balance needs base_urls"},
      /* The nearest known name, where one is near. */
      {"{\"http3\":true}", "unknown option \"http3\": did you mean \"http2\"?"},
      {"{\"idle_timeout\":1}",
       "unknown option \"idle_timeout\": did you mean \"idle_timeout_ms\"?"},
      {"{\"retries_max\":1}", "unknown option \"retries_max\""},
      {"{\"base_ulr\":\"x\"}", "did you mean \"base_url\"?"},
  };
  for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
    refuse_client(WRONG[i].json, WRONG[i].told);
  }
  /* The test sees what is sent. */
  modelwire_response_free(answer_of(call_of(client, request_to("m"))));
  modelwire_client_free(client);
  /* Nothing listens at the first of two services. */
  client = client_with("{\"base_urls\":[\"http://127.0.0.1:1/v1\",{\"url\":\"%s\","
                       "\"api_key\":\"sk-kept\",\"weight\":2}],\"proxy\":\"\","
                       "\"headers\":{\"x-kept\":\"kept\"},\"query\":{\"api-version\":\"1\","
                       "\"a b\":\"c&d\"}}",
                       getenv("TEST_BASE_URL"));
  modelwire_response_free(answer_of(call_of(client, request_to("m"))));
  modelwire_client_free(client);
}

/* What is refused changes nothing of a request, not even what stands beside it in the same text. */
void refused_changes_nothing(void) {
  /* The environment names a host that is nowhere; the service is the argument's. */
  modelwire_client *client =
      client_with("{\"base_url\":\"%s\",\"api_key\":\"sk-kept\",\"proxy\":\"\","
                  "\"headers\":{\"x-kept\":\"kept\"}}",
                  getenv("TEST_BASE_URL"));
  modelwire_request *request =
      request_by("m", "{\"headers\":{\"x-own\":\"kept\"},\"total_timeout_ms\":60000}");
#define CHANGED "\"headers\":{\"x-own\":\"changed\",\"x-more\":\"y\"},\"total_timeout_ms\":1"
  static const struct {
    const char *options, *told;
  } WRONG[] = {{"{" CHANGED ",\"nothing\":1}", "unknown option \"nothing\""},
               {"{" CHANGED ",\"gather\":1}", "gather takes true or false"},
               {"{" CHANGED ",\"retry_jitter\":7}", "retry_jitter"},
               {"{" CHANGED ",\"max_retries\":-1}", "max_retries"},
               {"{" CHANGED ",\"idle_timeout_ms\":0}", "idle_timeout"},
               {"{" CHANGED ",\"connect_timeout_ms\":1}", "connect_timeout_ms"},
               {"{" CHANGED, "not JSON"},
               {"7", "not an object"}};
  for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
    refuse_request(request, WRONG[i].options, WRONG[i].told);
  }
  modelwire_error *error = NULL;
  CHECK_STATUS(modelwire_request_set_options(request, "{\"api_key\":\"\xff\"}", MODELWIRE_NUL,
                                             &error),
               MODELWIRE_E_ARGUMENT, error);
  CHECK(contains(modelwire_error_message(error, NULL), "not UTF-8"));
  modelwire_error_free(error);
  CHECK(modelwire_request_set_options(request, "{}", SIZE_MAX - 1, NULL) == MODELWIRE_E_ARGUMENT);
  /* The test sees what is sent. */
  modelwire_response_free(answer_of(call_of(client, request)));
  modelwire_client_free(client);

  /* Only defaults: the environment decides. */
  client = client_with("{\"max_retries\":1,\"retry_first_wait_ms\":1}");
  expect_attempts(client, request_to("m"), 1, MODELWIRE_E_CONNECT, "not_sent");
  modelwire_client_free(client);
}

/* The service closes each connection when it has read the request, but for the very last. */
void lost_connections(void) {
#define ONCE "\"max_retries\":1"
#define LOST "\"retry_lost_connections\":true"
#define NO_JITTER "\"retry_jitter\":0"
#define NONSENSE "{\"retry_lost_connections\":false,\"retries\":0}"
  static const struct {
    const char *steps[3];
    int client, attempts;
  } CASES[] = {/* In any order, and all at once. */
               {{"{" ONCE "}", "{" LOST "}", "{" NO_JITTER "}"}, 0, 2},
               {{"{" LOST "}", "{" NO_JITTER "}", "{" ONCE "}"}, 0, 2},
               {{"{" NO_JITTER "}", "{" ONCE "}", "{" LOST "}"}, 0, 2},
               {{"{" ONCE "," LOST "," NO_JITTER "}", "{}", "{}"}, 0, 2},
               /* In place of what was told before. */
               {{"{" ONCE "}", "{" LOST "}", "{\"retry_lost_connections\":false}"}, 0, 1},
               {{"{\"max_retries\":0}", "{" LOST "}", "{" ONCE "}"}, 0, 2},
               /* What is not told is the client's. */
               {{"{" NO_JITTER "}", "{" LOST "}", "{}"}, 0, 3},
               {{"{\"retry_jitter\":1}", "{" ONCE "}", "{" NO_JITTER "}"}, EVERYTHING, 2},
               /* What is refused leaves what was told, or the client's. */
               {{"{" ONCE "}", "{" LOST "}", NONSENSE}, 0, 2},
               {{NONSENSE, "{\"retry_jitter\":2}", NONSENSE}, EVERYTHING, 3}};
  for (int what = 0; what <= EVERYTHING; what++) {
    modelwire_client *client = retrying_client(what);
    int attempts = what & LOST_CONNECTIONS ? 3 : 1;
    expect_attempts(client, request_to("m"), attempts, MODELWIRE_E_DISCONNECTED, "unknown");
    modelwire_client_free(client);
  }
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    modelwire_client *client = retrying_client(CASES[i].client);
    modelwire_request *request = request_to("m");
    for (int at = 0; at < 3; at++) {
      const char *options = CASES[i].steps[at];
      if (contains(options, "\"retries\"") || contains(options, "jitter\":2")) {
        refuse_request(request, options, "");
      } else {
        set_options(request, options);
      }
    }
    expect_attempts(client, request, CASES[i].attempts, MODELWIRE_E_DISCONNECTED, "unknown");
    modelwire_client_free(client);
  }
  modelwire_client *client = retrying_client(LOST_CONNECTIONS);
  modelwire_response *answer = answer_of(call_of(client, request_to("m")));
  CHECK_TEXT(modelwire_response_text(answer, NULL), "at last");
  modelwire_response_free(answer);
  modelwire_client_free(client);
}

/* Calls that are refused twice, of a client with this jitter; "" is the default. */
static void refused_calls(int calls, const char *of_client, const char *of_request) {
  modelwire_client *client =
      client_with("{%s%s\"max_retries\":1,\"retry_first_wait_ms\":20}", of_client,
                  of_client[0] == '\0' ? "" : ",");
  while (calls-- > 0) {
    char options[40];
    snprintf(options, sizeof options, "{%s}", of_request);
    expect_attempts(client, request_by("m", options), 2, MODELWIRE_E_RATE_LIMITED, "unknown");
  }
  modelwire_client_free(client);
}

/* The waits are in the log, which the test reads. */
void retry_jitter(void) {
  modelwire_queue *queue = new_queue();
  modelwire_event *event = NULL;
  CHECK(modelwire_queue_log(queue, MODELWIRE_LOG_DEBUG, 0, NULL) == MODELWIRE_OK);
  refused_calls(3, "\"retry_jitter\":0", "");
  refused_calls(20, "\"retry_jitter\":1", "");
  refused_calls(3, "\"retry_jitter\":1", "\"retry_jitter\":0");
  refused_calls(20, "\"retry_jitter\":0", "\"retry_jitter\":1");
  refused_calls(20, "", "");
  while (modelwire_queue_next(queue, 0, &event) == MODELWIRE_OK) {
    puts(modelwire_event_text(event, NULL));
    modelwire_event_free(event);
  }
  modelwire_queue_free(queue);
}

void retries_refused(void) {
  static const char *const WRONG[] = {
      "{\"retry_jitter\":2}",           "{\"retry_jitter\":1.0000001}",
      "{\"retry_jitter\":-0.0000001}",  "{\"retry_jitter\":-1}",
      "{\"retry_jitter\":\"0\"}",       "{\"retry_jitter\":null}",
      "{\"max_retries\":-1}",           "{\"retry_first_wait_ms\":-1}",
      "{\"retry_connect_errors\":1}",   "{\"retry_lost_connections\":null}",
      "{\"retry_statuses\":429}",       "{\"retry_adaptive\":\"yes\"}"};
  static const char *const RIGHT[] = {
      "{\"retry_jitter\":0}",           "{\"retry_jitter\":0.5}",
      "{\"retry_jitter\":1}",           "{\"max_retries\":0}",
      "{\"retry_statuses\":[429,503]}", "{\"retry_adaptive\":true}"};
  modelwire_request *request = request_to("m");
  for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
    refuse_client(WRONG[i], "retr");
    refuse_request(request, WRONG[i], "retr");
  }
  for (size_t i = 0; i < sizeof RIGHT / sizeof *RIGHT; i++) {
    modelwire_client_free(client_with("%s", RIGHT[i]));
    set_options(request, RIGHT[i]);
  }
  modelwire_request_free(request);
}

/* A Retry-After beyond the bound is told, not waited for. */
void retry_after(void) {
  modelwire_client *client = client_of_environment();
  modelwire_request *request = request_by("m", "{\"retry_after_max_ms\":2000}");
  modelwire_error *error = failure_of(call_of(client, request), MODELWIRE_E_RATE_LIMITED);
  CHECK(error_int(error, "/retry_after_ms") == 7000);
  CHECK(error_int(error, "/attempts") == 1);
  modelwire_error_free(error);
  modelwire_client_free(client);
}

void request_headers(void) {
  modelwire_client *client =
      client_with("{\"headers\":{\"X-A\":\"client\",\"X-B\":\"client\"}}");
  modelwire_request *request = request_by("echo", "{\"headers\":{\"x-a\":\"request\"}}");
  modelwire_response_free(answer_of(call_of(client, request)));
  modelwire_response_free(answer_of(call_of(client, request_to("echo"))));

  request = request_to("echo");
  refuse_request(request, "{\"headers\":{\"not a name\":\"x\"}}", "header");
  refuse_request(request, "{\"headers\":{\"x-a\":\"not a\\nvalue\"}}", "header");
  modelwire_request_free(request);
  modelwire_client_free(client);
}

/* A key of one call, headers that are left out, and a query: the test sees what is sent. */
void request_options(void) {
  modelwire_client *client = client_with(
      "{\"headers\":{\"x-a\":\"client\",\"x-b\":\"client\"},\"query\":{\"a\":\"1\",\"b\":\"2\"}}");
  modelwire_request *request = request_by(
      "m", "{\"api_key\":\"sk-own\",\"without_headers\":[\"X-A\"],\"query\":{\"b\":\"3 4\"}}");
  modelwire_response_free(answer_of(call_of(client, request)));
  modelwire_client_free(client);
}

void request_stream_only(void) {
  modelwire_client *client = client_of_environment();
  modelwire_request *request = request_by("echo-stream-only", "{\"stream_only\":true}");
  modelwire_response *answer = answer_of(call_of(client, request));
  int64_t is_gathered = -1;
  CHECK_TEXT(modelwire_response_text(answer, NULL), "one two three");
  CHECK(modelwire_value_int(modelwire_response_info(answer), "/is_gathered", MODELWIRE_NUL,
                            &is_gathered) == MODELWIRE_OK);
  CHECK(is_gathered == 1);
  modelwire_response_free(answer);
  modelwire_client_free(client);

  client = client_with("{\"stream_only\":true}");
  request = request_by("echo-stream-only", "{\"stream_only\":false}");
  modelwire_error_free(failure_of(call_of(client, request), MODELWIRE_E_INVALID_REQUEST));
  modelwire_client_free(client);
}

/* A stream that gathers, and is cut: the error has what came. */
void request_gather(void) {
  modelwire_client *client = client_of_environment();
  modelwire_call *call = call_of(client, request_by("cut", "{\"gather\":true}"));
  modelwire_response *end = NULL;
  modelwire_error *error = NULL;
  gathered all = {0};
  CHECK_STATUS(modelwire_call_stream(call, gather, &all, &end, &error), MODELWIRE_E_DISCONNECTED,
               error);
  CHECK(contains(error_text(error, "/partial"), all.text) && all.length > 0);
  modelwire_error_free(error);
  modelwire_call_free(call);
  modelwire_client_free(client);
}
