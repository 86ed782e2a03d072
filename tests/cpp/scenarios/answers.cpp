/*
 * Calls that are answered whole, and what requests put on the wire.
 */
#include "check.hpp"

#include <limits>

void models() {
  const modelwire::client client;
  const auto list = client.models();
  const auto ids = list.model_ids();
  CHECK(ids.size() > 1);
  CHECK_EQUAL(ids[0], "echo");
  CHECK_EQUAL(list.http_status(), 200);
  CHECK_EQUAL(list.count("/data"), ids.size());
  CHECK_EQUAL(list.get<std::string>("/data/0/owned_by"), "modelwire-service");
  CHECK(contains(list.json(), "\"owned_by\":\"modelwire-service\""));
  CHECK(list.text().empty() && !list.finish_reason() && !list.usage());
  CHECK(list.tool_calls().empty());
  // Of a response that nobody keeps they are copies.
  for (const auto& id : client.models().model_ids()) CHECK(!id.empty());
  static_assert(std::is_same_v<decltype(client.models().model_ids()), std::vector<std::string>>);
}

void chat() {
  const modelwire::client client;
  const auto answer = client.chat("echo", "one two three");
  CHECK_EQUAL(answer.text(), "one two three");
  CHECK_EQUAL(answer.finish_reason(), "stop");
  CHECK_EQUAL(answer.request_id(), "req-1");
  CHECK_EQUAL(answer.header("X-Request-ID"), "req-1");
  CHECK(!answer.header("x-absent"));
  CHECK_EQUAL(answer.http_status(), 200);
  CHECK_EQUAL(answer.end_mark(), "document");
  CHECK(!answer.is_gathered() && answer.model_ids().empty());
  CHECK_EQUAL(answer.usage()->input_tokens, 3u);
  CHECK_EQUAL(answer.usage()->output_tokens, 3u);
  CHECK_EQUAL(answer.usage()->total_tokens, 6u);
  bool has_type = false;
  for (auto [name, value] : answer.headers()) {
    has_type = has_type || (name == "content-type" && value == "application/json");
  }
  CHECK(has_type);
  const auto kept = client.chat("echo", "a text that is too long to be kept in a string itself").text();
  CHECK_EQUAL(kept, "a text that is too long to be kept in a string itself");
  const auto cut =
      client.run(modelwire::request::chat("echo").system("s").user("one two three").max_tokens(2));
  CHECK_EQUAL(cut.text(), "one two");
  CHECK_EQUAL(cut.finish_reason(), "length");
}

void response() {
  const modelwire::client client;
  const auto answer = client.respond("echo", "one two three");
  CHECK_EQUAL(answer.text(), "one two three");
  CHECK_EQUAL(answer.finish_reason(), "completed");
  CHECK_EQUAL(answer.usage()->total_tokens, 6u);
  CHECK_EQUAL(answer.get<std::string_view>("/object"), "response");
  const auto cut =
      client.run(modelwire::request::responses("echo").input("one two three").max_tokens(2));
  CHECK_EQUAL(cut.text(), "one two");
  const auto whole = modelwire::request::responses_json(
      R"({"model":"echo","input":[{"role":"user","content":"in parts"}]})");
  CHECK_EQUAL(client.run(whole).text(), "in parts");
}

/* Fields that nobody knows, of every type. */
void fields() {
  const auto answer = modelwire::client().run(ask("m"));
  CHECK_EQUAL(answer.json(),
              R"({"choices":[{}],"novel":[1.10,null,true,"a\u00e9",{"big":123456789012345678901}],)"
              R"("":7,"a/b":-3})");
  CHECK(answer.text().empty() && !answer.finish_reason() && !answer.request_id());
  CHECK(!answer.usage());
  CHECK(answer.get<double>("/novel/0") == 1.1);
  CHECK_EQUAL(*answer.json("/novel/0"), "1.10");
  CHECK_EQUAL(*answer.json("/novel/1"), "null");
  CHECK(answer.get<bool>("/novel/2") == true);
  CHECK_EQUAL(answer.get<std::string_view>("/novel/3"), "a\xc3\xa9");
  CHECK_EQUAL(*answer.json("/novel/4/big"), "123456789012345678901");
  CHECK(!answer.get<std::int64_t>("/novel/4/big"));
  CHECK(answer.get<std::int64_t>("/") == 7);
  CHECK(answer.get<std::int64_t>("/a~1b") == -3);
  CHECK(answer.json("") == answer.json());
  CHECK_EQUAL(answer.count("/novel"), 5u);
  CHECK_EQUAL(answer.count(""), 4u);
  // Absent, or of another type.
  CHECK(!answer.json("/absent") && !answer.get<std::string>("/absent"));
  CHECK(!answer.get<std::string_view>("/novel/0") && !answer.get<bool>("/novel/0"));
  CHECK(!answer.get<double>("/novel/3") && !answer.get<std::int64_t>("/novel/0"));
  CHECK_EQUAL(answer.count("/novel/3"), 0u);
}

void nul_and_unicode() {
  const modelwire::client client;
  const std::string_view text{"a\0b \xc3\xa9 \xf0\x9f\x98\x80 \"\\\n\x01", 16};
  CHECK_EQUAL(client.chat("echo", text).text(), text);
  std::string streamed;
  for (auto&& chunk : client.stream(ask("echo", text))) streamed += chunk.text();
  CHECK_EQUAL(streamed, text);
  CHECK_EQUAL(client.respond("echo", text).text(), text);
  // A view of nothing is an empty text.
  CHECK_EQUAL(client.chat("echo", std::string_view{}).text(), "");
}

void tools() {
  const modelwire::client client;
  const auto answer = client.run(ask("echo-tools", "say this"));
  const auto calls = answer.tool_calls();
  CHECK_EQUAL(calls.size(), 1u);
  CHECK(!calls[0].id.empty());
  CHECK_EQUAL(calls[0].name, "echo");
  CHECK(contains(calls[0].arguments, "say this"));
  std::string id, name, arguments;
  for (auto&& chunk : client.stream(ask("echo-tools", "say this"))) {
    for (const auto& piece : chunk.tool_calls()) {
      CHECK(piece.index == 0);
      id += piece.id.value_or("");
      name += piece.name.value_or("");
      arguments += piece.arguments.value_or("");
    }
  }
  CHECK(!id.empty());
  CHECK_EQUAL(name, "echo");
  CHECK_EQUAL(arguments, calls[0].arguments);
}

void usage() {
  const modelwire::client client;
  CHECK_EQUAL(client.usage().calls, 0u);
  client.models();
  client.chat("echo", "one two");
  for (auto&& chunk : client.stream(ask("echo-reasoning", "three"))) CHECK(chunk.is_chunk());
  failure_of(kind::server, [&] { client.chat("broken", "four"); });
  for (auto&& chunk : client.stream(ask_usage("echo-reasoning", "three"))) CHECK(chunk.is_chunk());
  const auto used = client.usage();
  // Neither the list of models, which has no model, nor the failure.
  CHECK_EQUAL(used.calls, 3u);
  // A stream reports none that did not ask: that is not the same as none used.
  CHECK_EQUAL(used.calls_without_usage, 1u);
  CHECK_EQUAL(client.usage("echo-reasoning")->calls_without_usage, 1u);
  CHECK_EQUAL(client.usage("echo")->calls_without_usage, 0u);
  CHECK_EQUAL(used.input_tokens, 3u);
  CHECK_EQUAL(used.total_tokens, used.input_tokens + used.output_tokens);
  CHECK_EQUAL(client.usage("echo")->calls, 1u);
  CHECK_EQUAL(client.usage("echo")->output_tokens, 2u);
  CHECK(!client.usage("broken"));
}

/* Sums by key and by model, taken and set back at once. */
void usage_taken() {
  const modelwire::client client;
  client.run(ask("m"));
  client.run(ask("m").api_key("sk-other-key"));
  const std::string own = client.key_id();
  CHECK_EQUAL(own, "ff95f1fb950e0b2b");
  CHECK_EQUAL(client.usage().cached_input_tokens, 2u);
  CHECK_EQUAL(client.usage_of_key(own)->reasoning_tokens, 3u);
  CHECK(!client.usage_of_key("sk-other-key"));
  const modelwire::value taken = client.take_usage();
  CHECK_EQUAL(taken.count("/keys"), 2u);
  CHECK(taken.get<std::int64_t>("/keys/" + own + "/models/m/calls") == 1);
  CHECK(!contains(taken.json().value(), "sk-"));
  CHECK_EQUAL(client.usage().calls, 0u);
  CHECK(client.take_usage().get<std::int64_t>("/calls") == 0);
}

/* The test compares what the service got. */
void request_fields() {
  const modelwire::client client;
  auto request = modelwire::request::chat("m");
  request.system("s").user("u").assistant("a").message("developer", "t");
  request.set("text", "v").set("string", std::string("w")).set("view", std::string_view("x"));
  request.set("true", true).set("false", false).set("int", -1).set("long", 5'000'000'000L);
  request.set("short", short{2}).set("unsigned", 3u).set("float", 0.5f).set("double", 1e100);
  request.set("huge", std::numeric_limits<std::uint64_t>::max());
  request.set_json("raw", R"({"n": 1.10, "l": [ ]})").set_json("nothing", "null").max_tokens(9);
  request.header("x-request", "one");
  CHECK(request.problem() == nullptr);
  client.run(request);
  client.run(modelwire::request::chat_json(
      R"({ "novel":1.10, "model":"m","messages":[{"role":"user","content":[1]}]})"));
  client.run(modelwire::request::responses("m")
                 .input("i")
                 .set("text", "v")
                 .set("int", 1)
                 .set_json("raw", "[]")
                 .max_tokens(8));
}

/* What a library for JSON looks like: nlohmann::json has these two. */
struct some_json {
  std::string text;
  static some_json parse(std::string_view text) { return {std::string(text)}; }
  [[nodiscard]] std::string dump() const { return text; }
};

/* A conversation with a tool; the test compares what the service got. */
void request_tools() {
  const modelwire::client client;
  auto request = modelwire::request::chat("m")
                     .add_json("tools", some_json{R"({"type":"function"})"})
                     .set_json("seed", some_json{"1"})
                     .set("temperature", 0.7f)
                     .set("stop", {"a", "\"b\""})
                     .messages({{"system", "brief"}, {"user", "see"}})
                     .text("and")
                     .image_url("https://x/a")
                     .image("image/png", std::string_view("\xff\0", 2));
  const modelwire::response answer = client.run(request);
  request.add_response(answer).tool_result("call-1", "3");
  CHECK(request.problem() == nullptr);
  client.run(request);
  CHECK(answer.finish_kind() == modelwire::finish::tool_calls);
  some_json whole;
  to_json(whole, answer.value());
  CHECK_EQUAL(whole.text, answer.json());
  to_json(whole, modelwire::value::of_text("\"").value());
  CHECK_EQUAL(whole.text, "\"\\\"\"");
  CHECK(!modelwire::value::of_text("\xff"));
  const modelwire::value text = modelwire::value::of_text("a").value();
  CHECK_EQUAL(text.text().value(), "a");
  CHECK(modelwire::request::chat_json(some_json{"{"}).problem() != nullptr);
  CHECK(modelwire::request::responses_json(some_json{"{"}).problem() != nullptr);
  for (const auto& [wrong, why] :
       {std::pair{modelwire::request::chat("m").message("tool", "t"), "id of the call"},
        std::pair{modelwire::request::chat("m").tool_result("", "t"), "id of its call"},
        std::pair{modelwire::request::chat("m").text("t"), "message first"},
        std::pair{modelwire::request::chat("m").user("t").image("image/png", ""), "no bytes"},
        std::pair{modelwire::request::chat("m").add_response(modelwire::response_view()), "request.add_response"}}) {
    CHECK(wrong.problem() != nullptr && contains(wrong.problem()->message(), why));
  }
}

/* Every option once; the test looks at the headers. */
void options() {
  auto config = modelwire::config().header("x-config", "one").header("x-both", "config");
  config.connect_timeout(10s).first_byte_timeout(1min).idle_timeout(1min).total_timeout(1h);
  config.max_retries(2).retry_first_wait(1ms).retry_after_max(10s).retry_wait_max(3s);
  config.headers_max(50).proxy("").http2(false).response_bytes_max(1000).stream_only(false);
  config.connections_max(10).pool_timeout(1min).retry_jitter(0.5).retry_adaptive();
  config.retry_connect_errors().retry_lost_connections().retry_first_byte_timeouts();
  config.retry_statuses({429, 503}).retry_after_exact().pings_reset_idle();
  config.event_bytes_max(1 << 20).error_body_bytes_max(1000).queue_bytes_max(1 << 20);
  config.queue_events_max(100).idle_connections_max(10).idle_connection_max(1s);
  config.query("q", "a&b").header("x-gone", "1").header("x-odd", "\"\\ /");
  config.option("max_retries", 1).option("stream_only", false).option("proxy", "");
  config.option("retry_jitter", 0.1).options(" { } ").options("{\"max_retries\": 2}");
  const modelwire::client client(config);
  auto request = ask().header("x-both", "request").first_byte_timeout(modelwire::no_timeout);
  request.idle_timeout(1min).total_timeout(1min).max_retries(0).stream_only(false).gather(false);
  request.pool_timeout(modelwire::no_timeout).retry_jitter(1).retry_adaptive(false);
  request.retry_connect_errors(false).retry_lost_connections(false).retry_after_exact(false);
  request.retry_first_byte_timeouts(false).retry_first_wait(2ms).retry_wait_max(1s);
  request.retry_statuses({}).retry_after_max(1s).without_header("x-gone").query("r", "2");
  request.option("gather", false).options("{\"idle_timeout_ms\": null}");
  CHECK(request.problem() == nullptr);
  CHECK_EQUAL(client.run(request).text(), "x");
  // The same options as JSON, and what a config writes.
  const modelwire::client from_json(std::string_view(R"({"headers":{"x-json":"1"}})"));
  CHECK_EQUAL(from_json.run(ask().api_key("sk-test")).text(), "x");
  CHECK_EQUAL(modelwire::config().json(), "{}");
  CHECK_EQUAL(modelwire::config().base_url("u\"\n").connect_timeout(modelwire::no_timeout).json(),
              R"({"base_url":"u\"\u000a","connect_timeout_ms":null})");
  const auto jitter = modelwire::config().retry_jitter(0.25).retry_jitter(0.0 / 0.0).json();
  CHECK_EQUAL(jitter, R"({"retry_jitter":0.25,"retry_jitter":null})");
  // The bound holds: it is named with its value.
  const auto error =
      failure_of(kind::protocol, [&] { client.run(ask("echo", std::string(2000, 'y'))); });
  CHECK(contains(error.message(), "1000"));
  // What only a client shows to be wrong.
  failure_of(kind::config, [] { modelwire::client(modelwire::config().ca_pem("no pem")); });
  failure_of(kind::config,
             [] { modelwire::client(modelwire::config().client_certificate_pem("no pem")); });
  failure_of(kind::config, [] { modelwire::client(modelwire::config().proxy("no url")); });
  failure_of(kind::config, [] { modelwire::client(modelwire::config().base_url("no url")); });
  failure_of(kind::config, [] { modelwire::client(std::string_view("[]")); });
}

void stream_only() {
  const modelwire::client client;
  const auto answer = client.run(ask("echo-stream-only", "one two").stream_only());
  CHECK_EQUAL(answer.text(), "one two");
  CHECK(answer.is_gathered());
  CHECK_EQUAL(answer.end_mark(), "done_mark");
  const modelwire::client streaming(modelwire::config().stream_only());
  CHECK_EQUAL(streaming.chat("echo-stream-only", "three").text(), "three");
}

/* A stream answers a plain call, a document a streamed one; then a stream is cut. */
void plain_and_streamed_answers_swapped() {
  const modelwire::client client;
  const auto gathered = client.run(ask("m"));
  CHECK_EQUAL(gathered.text(), "one two");
  CHECK(gathered.is_gathered());
  CHECK_EQUAL(gathered.end_mark(), "finish_reasons");
  auto stream = client.stream(ask("m"));
  std::string text;
  for (auto&& chunk : stream) text += chunk.text();
  CHECK_EQUAL(text, "whole");
  CHECK_EQUAL(stream.response().end_mark(), "document");
  const auto error = failure_of(kind::disconnected, [&] { client.run(ask("m")); });
  CHECK(error.partial() && contains(*error.partial(), "one "));
}

/* A JSON text of the program's own, and what the library knows of an answer, by path. */
void values() {
  const auto json = R"({"a":{"b/c":[1,2.5,"x\u0000y",null,true]},"":"empty"})";
  const modelwire::value value{std::string_view(json)};
  CHECK(value && *value.json() == json);
  CHECK_EQUAL(modelwire::path("a", "b/c", 0), "/a/b~1c/0");
  CHECK_EQUAL(modelwire::path("~", std::string("/")), "/~0/~1");
  CHECK(value.get<std::int64_t>("/a/b~1c/0") == 1);
  CHECK(value.get<double>(modelwire::path("a", "b/c", 1)) == 2.5);
  CHECK_EQUAL(value.get<std::string>("/a/b~1c/2")->size(), 3u);
  CHECK(!value.get<std::string_view>("/a/b~1c/3") && value.get<bool>("/a/b~1c/4") == true);
  CHECK_EQUAL(value.count("/a/b~1c"), 5u);
  CHECK_EQUAL(value.count(), 2u);
  CHECK(value.name(0) == "a" && value.name(1) == "" && !value.name(2));
  CHECK(value.name(0, "/a") == "b/c" && !value.name(0, "/a/b~1c"));
  const std::optional<std::string> kept = modelwire::value(R"({"n":1})").name(0);
  CHECK(kept == "n");
  CHECK_EQUAL(value.view().text("/"), "empty");
  CHECK(!value.json("/b") && !value.get<double>("/b"));
  const auto moved = [](modelwire::value given) { return given; }(modelwire::value(R"([7])"));
  CHECK(moved.get<std::int64_t>("/0") == 7);
  const auto error = failure_of(kind::argument, [] { modelwire::value("{\"a\":}"); });
  CHECK(contains(error.message(), "5"));
  CHECK(!modelwire::value::parse(""));
  const modelwire::value none;
  CHECK(!none && !none.json() && none.count("") == 0 && !none.get<bool>("/a"));
  const modelwire::client client;
  const auto answer = client.chat("echo", "one two");
  CHECK_EQUAL(answer.info().text("/request_id"), "req-1");
  CHECK(answer.info().get<std::int64_t>("/usage/total_tokens") == 4);
  CHECK_EQUAL(answer.value().text("/choices/0/message/content"), "one two");
  const auto all = client.usage_value();
  CHECK(all.get<std::int64_t>("/models/echo/calls") == 1);
}

/* Of a response that nobody keeps: copies. What has none does not compile, which a test checks. */
void accessors_of_temporaries_copy() {
  const modelwire::client client;
  const auto reason = client.chat("echo", "one").finish_reason();
  static_assert(std::is_same_v<decltype(reason), const std::optional<std::string>>);
  CHECK_EQUAL(reason, "stop");
  CHECK_EQUAL(client.chat("echo", "one").request_id(), "req-2");
  CHECK_EQUAL(client.chat("echo", "one").header("X-Request-Id"), "req-3");
  CHECK_EQUAL(client.chat("echo", "one").end_mark(), "document");
  CHECK_EQUAL(client.chat("echo", "one").get<std::string>("/object"), "chat.completion");
  CHECK(contains(*client.chat("echo", "one").json("/choices"), "\"one\""));
  CHECK(contains(client.chat("echo", "one").json(), "\"one\""));
  const auto hint = client.try_run(ask("no-such-model")).error().hint();
  static_assert(std::is_same_v<decltype(hint), const std::string>);
  CHECK(contains(hint, "model name"));
  const modelwire::queue queue;
  queue.submit(client, ask("echo", "two"), 1, modelwire::mode::whole);
  const auto text = (*queue.next()).text();
  static_assert(std::is_same_v<decltype(text), const std::string>);
  CHECK_EQUAL(text, "two");
}
