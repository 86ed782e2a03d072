/*
 * Calls that fail, and what their errors say.
 */
#include "check.hpp"

#include <thread>

void wrong_key() {
  const modelwire::client client;
  const auto error = failure_of(kind::authentication, [&] { client.chat("echo", "x"); });
  CHECK_EQUAL(error.status(), MODELWIRE_E_AUTHENTICATION);
  CHECK_EQUAL(error.kind_name(), "authentication");
  // What to do is part of it: an exception that nobody catches shows nothing else.
  CHECK_EQUAL(std::string_view(error.what()),
              "authentication: Incorrect API key provided. Hint: " + std::string(error.hint()));
  CHECK_EQUAL(error.message(), "Incorrect API key provided.");
  CHECK(contains(error.hint(), "key"));
  CHECK_EQUAL(error.type(), "invalid_request_error");
  CHECK_EQUAL(error.code(), "invalid_api_key");
  CHECK(!error.param() && !error.retry_after() && !error.timeout_name() && !error.partial());
  CHECK_EQUAL(error.http_status(), 401);
  CHECK_EQUAL(error.request_id(), "req-1");
  CHECK_EQUAL(error.path(), "/v1/chat/completions");
  CHECK_EQUAL(error.model(), "echo");
  CHECK_EQUAL(error.attempts(), 1);
  // clock: no number that is none
  CHECK(error.elapsed() >= 0ms && error.elapsed() < 1h);
  const auto age = std::chrono::system_clock::now() - *error.request_time();
  CHECK(age > -1min && age < 1h);
  CHECK_EQUAL(error.metered(), "normally_not");
  CHECK(contains(*error.body(), "\"invalid_api_key\""));
  CHECK(contains(error.report(), "request id: req-1"));
}

void no_key() {
  const auto error = failure_of(kind::config, [] { modelwire::client(); });
  CHECK(contains(error.message(), "no API key is configured"));
  CHECK(contains(error.hint(), "MODELWIRE_API_KEY"));
  CHECK_EQUAL(error.metered(), "not_sent");
  CHECK(error.path().empty() && !error.request_time() && !error.body() && !error.model());
  CHECK_EQUAL(error.attempts(), 0);
  const auto made = modelwire::client::make();
  CHECK(!made && made.error().kind() == kind::config);
}

/* An unknown model, and a base URL without its version. */
void not_found() {
  const modelwire::client client;
  const auto error = failure_of(kind::not_found, [&] { client.chat("no-such-model", "x"); });
  CHECK_EQUAL(error.http_status(), 404);
  CHECK_EQUAL(error.code(), "model_not_found");
  CHECK_EQUAL(error.model(), "no-such-model");
  CHECK(contains(error.hint(), "model name"));
  const std::string base_url = std::getenv("MODELWIRE_BASE_URL");
  const modelwire::client slashed(modelwire::config().base_url(base_url + "/"));
  CHECK_EQUAL(slashed.chat("echo", "x").text(), "x");
  const modelwire::client cut(
      modelwire::config().base_url(base_url.substr(0, base_url.size() - 3)));
  const auto lost = failure_of(kind::not_found, [&] { cut.models(); });
  CHECK(contains(lost.hint(), "The base URL does not end in /v1."));
  // To list models is no processing by one.
  CHECK_EQUAL(lost.metered(), "normally_not");
}

void refused() {
  const modelwire::client client;
  const auto error = failure_of(kind::connect, [&] { client.chat("echo", "x"); });
  CHECK(contains(error.message(), "refused"));
  CHECK(contains(error.hint(), "base_url"));
  CHECK_EQUAL(error.metered(), "not_sent");
  CHECK_EQUAL(error.http_status(), 0);
  CHECK(!error.request_id() && !error.type() && !error.code() && !error.body());
  CHECK_EQUAL(error.path(), "/v1/chat/completions");
  CHECK_EQUAL(error.model(), "echo");
  CHECK(error.request_time().has_value());
  CHECK_EQUAL(error.attempts(), 1);
}

/* Each status has its kind, and only 429 is tried again. */
void statuses() {
  const modelwire::client client(modelwire::config().max_retries(1).retry_first_wait(1ms));
  for (auto [expected, attempts] :
       {std::pair{kind::invalid_request, 1}, std::pair{kind::authentication, 1},
        std::pair{kind::permission, 1}, std::pair{kind::not_found, 1},
        std::pair{kind::rate_limited, 2}, std::pair{kind::server, 1}, std::pair{kind::server, 1},
        std::pair{kind::status, 1}}) {
    const auto error = failure_of(expected, [&] { client.chat("m", "x"); });
    CHECK_EQUAL(error.attempts(), attempts);
    CHECK(!error.hint().empty());
    if (expected == kind::permission) CHECK(contains(error.hint(), "balance"));
  }
}

void recovers() {
  const modelwire::client client(modelwire::config().max_retries(3).retry_first_wait(1ms));
  const auto answer = client.chat("recovers", "at last");
  CHECK_EQUAL(answer.text(), "at last");
  CHECK_EQUAL(answer.attempts(), 3);
  CHECK(answer.elapsed() >= 3ms);  // it waited 1 ms, and then 2
  // A request's own policy wins over its client's, also when a stream opens.
  // Two calls a second are accepted: one of these is refused, however busy the machine is.
  const auto error =
      failure_of(kind::rate_limited, [&] {
        for (int i = 0; i < 100; i++) client.run(ask("limited").max_retries(0));
      });
  CHECK_EQUAL(error.attempts(), 1);
  CHECK(error.retry_after() && *error.retry_after() > 0ms);
}

void waits_too_long() {
  const modelwire::client client(modelwire::config().retry_after_max(1s));
  const auto error = failure_of(kind::rate_limited, [&] { client.chat("m", "x"); });
  CHECK(error.retry_after() == 50s);
  CHECK_EQUAL(error.attempts(), 1);
}

/* The service closes the connections of all calls but the last when it has read the request. */
void lost_connections() {
  const auto attempts = [](const modelwire::client& client, const modelwire::request& request) {
    const auto error = failure_of(kind::disconnected, [&] { client.run(request); });
    CHECK_EQUAL(error.metered(), "unknown");
    return error.attempts();
  };
  const auto config = [] { return modelwire::config().max_retries(1).retry_first_wait(1ms); };
  const modelwire::client client(config());
  const modelwire::client wanting(
      config().retry_connect_errors().retry_lost_connections().retry_jitter(0));
  CHECK_EQUAL(attempts(client, ask("m")), 1);
  CHECK_EQUAL(attempts(client, ask("m").retry_connect_errors()), 1);
  CHECK_EQUAL(attempts(client, ask("m").retry_lost_connections().max_retries(2)), 3);
  auto jittered = ask("m").max_retries(2).retry_jitter(1).retry_lost_connections();
  CHECK_EQUAL(attempts(client, jittered), 3);
  CHECK_EQUAL(attempts(wanting, ask("m")), 2);
  // A request changes its client's policy in the parts that it names.
  CHECK_EQUAL(attempts(wanting, ask("m").max_retries(2)), 3);
  CHECK_EQUAL(attempts(wanting, ask("m").retry_lost_connections(false)), 1);
  CHECK_EQUAL(wanting.chat("m", "x").text(), "at last");
}

/* Nobody listens. */
void connect_errors() {
  const modelwire::client client(
      modelwire::config().max_retries(2).retry_first_wait(1ms).retry_connect_errors());
  const auto error = failure_of(kind::connect, [&] { client.chat("m", "x"); });
  CHECK_EQUAL(error.attempts(), 3);
  CHECK_EQUAL(error.metered(), "not_sent");
}

void stream_only_hint() {
  const auto error = failure_of(kind::invalid_request,
                                [] { modelwire::client().chat("echo-stream-only", "x"); });
  CHECK_EQUAL(error.param(), "stream");
  CHECK(contains(error.hint(), "only supports streaming"));
}

void envelopes() {
  const modelwire::client client;
  for (auto message : {"flat", "text", "detail", "plain", "in an array"}) {
    CHECK_EQUAL(failure_of(kind::server, [&] { client.chat("m", "x"); }).message(), message);
  }
}

void key_forms() {
  const std::pair<const char*, const char*> wrong[] = {
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
      {"$OPENAI_API_KEY", "name of a variable"},
      {"${KEY:-sk-secret}", "name of a variable"},
      {"sk-secr...t", "incomplete"},
      {"sk-secr\xe2\x80\xa6t", "incomplete"},
      {"sk-secr***t", "incomplete"},
  };
  for (auto [key, message] : wrong) {
    const auto error =
        failure_of(kind::config, [&] { modelwire::client(modelwire::config().api_key(key)); });
    CHECK(contains(error.message(), message));
    CHECK(contains(error.hint(), "control panel"));
    for (std::string_view shown : {error.report(), std::string_view(error.what())}) {
      CHECK(!contains(shown, "sk-secr") && !contains(shown, "OPENAI"));
    }
  }
  // White space around it, Unicode's too, comes from copying.
  modelwire::client(modelwire::config().api_key(" \xc2\xa0sk-test\r\n")).models();
}

void bad_json() {
  const modelwire::client client;
  const std::pair<const char*, const char*> cases[] = {
      {R"({"model":"echo","messages":[})", "at byte 28"},
      {"", "at byte 0"},
      {"[]", "at byte 0"},
      {R"({"model":"echo","messages":[]} x)", "at byte 31"},
      {R"({"messages":[]})", "model is missing"},
      {R"({"model":"echo"})", "messages is missing"},
      {R"({"model":7,"messages":[]})", "model must be a non-empty string"},
      {R"({"model":"echo","messages":["x"]})", "messages"},
      {R"({"model":"echo","messages":[],"stream":true})", "stream"},
      {"{\"a\":\"\xff\"}", "not UTF-8 at byte 6"},
  };
  for (auto [json, message] : cases) {
    const auto error =
        failure_of(kind::argument, [&] { client.run(modelwire::request::chat_json(json)); });
    CHECK(contains(error.message(), message));
    CHECK_EQUAL(error.metered(), "not_sent");
    CHECK_EQUAL(error.attempts(), 0);
  }
  failure_of(kind::argument,
             [&] { client.run(modelwire::request::responses_json(R"({"model":"m"})")); });
  failure_of(kind::argument, [&] { client.run(modelwire::request::chat("m")); });
  failure_of(kind::argument, [&] { client.run(modelwire::request::responses("m")); });
  failure_of(kind::argument, [&] { client.run(modelwire::request::chat("").user("x")); });
}

/* What the service would refuse, seen before anything is sent. */
void arguments_refused() {
  const modelwire::client client;
  const auto refused = [&](const modelwire::request& request, const char* message,
                           const char* hint) {
    for (int streamed : {0, 1}) {
      const auto error = failure_of(kind::argument, [&] {
        if (streamed) {
          client.stream(request, [](auto&&) { CHECK(!"called"); });
        } else {
          client.run(request);
        }
      });
      CHECK(contains(error.message(), message) && contains(error.hint(), hint));
      CHECK_EQUAL(error.metered(), "not_sent");
    }
  };
  const auto chat = [](const char* messages) {
    return modelwire::request::chat("m").set_json("messages", messages);
  };
  refused(chat(R"([{"role":"user"}])"), "messages[0].content is missing", "\"\"");
  refused(chat(R"([{"role":"system","content":null}])"), "messages[0].content", "\"\"");
  refused(chat(R"([{"role":"user","content":"x"},{"role":"tool","content":null}])"),
          "messages[1].content must be a string or an array of parts, not null", "tool");
  refused(chat(R"([{"role":"developer"}])"), "messages[0].content is missing", "\"\"");
  refused(chat(R"([{"role":"assistant","content":{"a":1}}])"),
          R"(messages[0].content must be a string or an array of parts, not {"a":1})", "[{...}]");
  refused(ask().set("max_tokens", 0), "max_tokens must be at least 1, not 0", "max_tokens");
  refused(ask().set("max_output_tokens", 5), "max_output_tokens is 5", "Write max_tokens");
  const auto respond = [] { return modelwire::request::responses("m").input("x"); };
  refused(respond().set("max_output_tokens", -1), "max_output_tokens must be at least 1, not -1",
          "max_output_tokens");
  refused(respond().set("max_tokens", 5), "max_tokens is 5", "Write max_output_tokens");
  refused(respond().set_json("input", "null"), "input must be a string or an array of items, not null",
          "");
  refused(respond().set_json("input", R"({"role":"user"})"), "input must be a string", "[{...}]");
}

/* A builder remembers the first thing that was wrong, names it, and every use of it says so. */
void problems() {
  const modelwire::client client;
  const modelwire::queue queue;
  auto request = modelwire::request::chat("m").user("x").max_tokens(0).set("t", "\xff");
  CHECK(request.problem() && contains(request.problem()->message(), "request.max_tokens"));
  for (auto use : {+[](const modelwire::client& of, const modelwire::queue&,
                       const modelwire::request& bad) { of.run(bad); },
                   +[](const modelwire::client& of, const modelwire::queue&,
                       const modelwire::request& bad) { (void)of.stream(bad); },
                   +[](const modelwire::client& of, const modelwire::queue&,
                       const modelwire::request& bad) { of.stream(bad, [](auto&&) {}); },
                   +[](const modelwire::client& of, const modelwire::queue&,
                       const modelwire::request& bad) { (void)of.start(bad, [](auto&&) {}); },
                   +[](const modelwire::client& of, const modelwire::queue& to,
                       const modelwire::request& bad) { to.submit(of, bad, 1); },
                   +[](const modelwire::client& of, const modelwire::queue&,
                       const modelwire::request& bad) { (void)of.call(bad); }}) {
    const auto error = failure_of(kind::argument, [&] { use(client, queue, request); });
    CHECK(contains(error.message(), "request.max_tokens"));
  }
  const auto why = [](const modelwire::request& bad) { return bad.problem()->message(); };
  CHECK(contains(why(ask().input("a chat has none")), "request.input"));
  CHECK(contains(why(modelwire::request::models().user("x")), "request.message"));
  CHECK(contains(why(ask().set("n", 0.0 / 0.0)), "request.set(\"n\")"));
  CHECK(contains(why(ask().set_json("n", "[1")), "at byte"));
  CHECK(contains(why(ask().header("h", "\xff")), "request.header"));
  CHECK(contains(why(modelwire::request::chat_json(R"({"model":"m","messages":[]})").set("n", 1)),
                 "request.set"));
  CHECK(contains(why(ask().options("{\"idle_timeout\":1}")), "idle_timeout_ms"));
  CHECK(contains(why(ask().options("[")), "request.options"));
  // A configuration is judged as a whole, when a client is made of it.
  const auto told = [](const modelwire::config& bad) {
    const auto made = modelwire::client::make(bad);
    CHECK(!made && made.error().metered() == "not_sent");
    return std::string(made.error().message());
  };
  for (double part : {2.0, -0.1, 0.0 / 0.0}) {
    CHECK(contains(why(ask().retry_jitter(part)), "request.retry_jitter"));
    CHECK(contains(told(modelwire::config().retry_jitter(part)), "retry_jitter"));
  }
  CHECK(contains(told(modelwire::config().headers_max(0).http2()), "headers_max"));
  CHECK(contains(told(modelwire::config().connections_max(1LL << 31)), "connections_max"));
  CHECK(modelwire::client::make(modelwire::config().connections_max((1LL << 31) - 1)));
  CHECK(contains(told(modelwire::config().idle_timeout(-1ms)), "idle_timeout"));
  CHECK(contains(told(modelwire::config().options("{\"http3\":true}")), "http3"));
  CHECK(contains(told(modelwire::config().options("{\"idle_timeout\":1}")), "idle_timeout_ms"));
  CHECK(modelwire::client::make(modelwire::config().options("{\"http2\":true}")));
  for (auto json : {"", "[]", "no", "{\"a\":1}}", "{"}) {
    CHECK(!told(modelwire::config().http2().options(json)).empty());
  }
  CHECK(!told(modelwire::config().proxy("\xff")).empty());
}

/* Each timeout, of the client and of the request; the service never answers, or stalls. */
void timeouts() {
  const modelwire::client patient;
  const modelwire::client hasty(modelwire::config().first_byte_timeout(100ms));
  const auto check = [](std::string_view option, auto&& body) {
    const auto error = failure_of(kind::timed_out, body);
    CHECK_EQUAL(error.timeout_name(), option);
    CHECK(contains(error.message(), option) && contains(error.message(), "100 ms"));
    CHECK(error.elapsed() >= 100ms && error.elapsed() < PROMPT);  // clock: bounds a hang
    return error;
  };
  const auto error = check("first_byte_timeout", [&] { hasty.chat("m", "x"); });
  CHECK_EQUAL(error.metered(), "unknown");
  CHECK_EQUAL(error.http_status(), 0);
  check("first_byte_timeout", [&] { patient.run(ask("m").first_byte_timeout(100ms)); });
  check("total_timeout", [&] { patient.run(ask("m").total_timeout(100ms)); });
  check("total_timeout", [&] {
    patient.stream(ask("m").total_timeout(100ms), [](auto&&) { CHECK(!"called"); });
  });
  const std::string stalling = std::getenv("MODELWIRE_STALLING_URL");
  const modelwire::client idle(modelwire::config().base_url(stalling).idle_timeout(100ms));
  std::string text;
  check("idle_timeout", [&] {
    for (auto&& chunk : idle.stream(ask("m"))) text += chunk.text();
  });
  CHECK_EQUAL(text, "one ");
}

/* The one connection of each client has a call that is never answered. */
void pool_timeout() {
  const modelwire::client client(modelwire::config().connections_max(1));
  auto config = modelwire::config();
  config.connections_max(1).pool_timeout(100ms);
  const modelwire::client hasty(config);
  const modelwire::queue queue;
  queue.submit(client, ask("m"), 1);
  queue.submit(hasty, ask("m"), 2);
  wait_for_cue();
  const auto check = [](std::string_view option, std::string_view bound, auto&& body) {
    const auto error = failure_of(kind::timed_out, body);
    CHECK_EQUAL(error.timeout_name(), option);
    CHECK_EQUAL(error.metered(), "not_sent");
    CHECK_EQUAL(error.attempts(), 0);
    CHECK(contains(error.message(), bound) && contains(error.message(), "connections_max = 1"));
    CHECK(error.elapsed() >= 100ms && error.elapsed() < PROMPT);  // clock: bounds a hang
  };
  check("pool_timeout", "100 ms", [&] { hasty.run(ask("m")); });
  check("pool_timeout", "150 ms", [&] { client.run(ask("m").pool_timeout(150ms)); });
  check("pool_timeout", "150 ms", [&] {
    for (auto&& chunk : client.stream(ask("m").pool_timeout(150ms))) (void)chunk;
  });
  check("total_timeout", "200 ms", [&] {
    hasty.run(ask("m").pool_timeout(modelwire::no_timeout).total_timeout(200ms));
  });
}

static void print(std::string_view name, std::optional<std::string_view> text) {
  std::cout << name << ": " << text.value_or("(nothing)") << '\n';
}

/* Everything that an error tells, for the test to search. */
static void print(const modelwire::error& error) {
  print("what", error.what());
  print("message", error.message());
  print("hint", error.hint());
  print("type", error.type());
  print("code", error.code());
  print("param", error.param());
  print("request id", error.request_id());
  print("path", error.path());
  print("model", error.model());
  print("body", error.body());
  print("partial", error.partial());
  print("report", error.report());
}

void report() {
  const auto outcome = modelwire::client().try_run(ask("m"));
  CHECK(!outcome);
  print(outcome.error());
}

void report_stream() {
  const auto outcome = modelwire::client().try_stream(ask("m").gather(), [](auto&&) {});
  CHECK(!outcome);
  print(outcome.error());
}

/* An error is a value: it outlives everything, is copied, and is thrown on another thread. */
void errors_outlive_their_client() {
  std::exception_ptr caught;
  std::optional<modelwire::error> copied;
  {
    const modelwire::client client;
    try {
      client.chat("broken", "x");
    } catch (const modelwire::error& error) {
      caught = std::current_exception();
      copied = error;
    }
  }
  std::thread([&] {
    try {
      std::rethrow_exception(caught);
    } catch (const std::runtime_error& error) {
      CHECK(contains(error.what(), "server: "));
      CHECK(dynamic_cast<const modelwire::error*>(&error) != nullptr);
    }
  }).join();
  caught = nullptr;
  const modelwire::error assigned = std::move(*copied);
  CHECK_EQUAL(assigned.http_status(), 500);
  // One that was moved from says the same: nothing in it is taken away.
  CHECK_EQUAL(copied->http_status(), 500);
  const modelwire::error own(MODELWIRE_E_STATUS, "mine", "do this");
  CHECK_EQUAL(std::string_view(own.what()), "status: mine. Hint: do this");
  CHECK_EQUAL(std::string_view(modelwire::error(MODELWIRE_E_STATUS, "mine").what()), "status: mine");
  CHECK_EQUAL(own.hint(), "do this");
  CHECK_EQUAL(own.metered(), "not_sent");
}
