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
      client.run(modelwire::request::response("echo").input("one two three").max_tokens(2));
  CHECK_EQUAL(cut.text(), "one two");
  const auto whole = modelwire::request::response_json(
      R"({"model":"echo","input":[{"role":"user","content":"in parts"}]})");
  CHECK_EQUAL(client.run(whole).text(), "in parts");
}

/* Fields that nobody knows, of every type. */
void fields() {
  const auto answer = modelwire::client().run(ask("m"));
  CHECK_EQUAL(answer.json(),
              R"({"novel":[1.10,null,true,"a\u00e9",{"big":123456789012345678901}],"":7,"a/b":-3})");
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
  CHECK_EQUAL(answer.count(""), 3u);
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

/* The test compares what the service got. */
void request_fields() {
  const modelwire::client client;
  auto request = modelwire::request::chat("m");
  request.system("s").user("u").assistant("a").message("tool", "t");
  request.set("text", "v").set("string", std::string("w")).set("view", std::string_view("x"));
  request.set("true", true).set("false", false).set("int", -1).set("long", 5'000'000'000L);
  request.set("short", short{2}).set("unsigned", 3u).set("float", 0.5f).set("double", 1e100);
  request.set("huge", std::numeric_limits<std::uint64_t>::max());
  request.json("raw", R"({"n": 1.10, "l": [ ]})").json("nothing", "null").max_tokens(9);
  request.header("x-request", "one");
  CHECK(request.problem() == nullptr);
  client.run(request);
  client.run(modelwire::request::chat_json(
      R"({ "novel":1.10, "model":"m","messages":[{"role":"user","content":[1]}]})"));
  client.run(modelwire::request::response("m")
                 .input("i")
                 .set("text", "v")
                 .set("int", 1)
                 .json("raw", "[]")
                 .max_tokens(8));
}

/* Every option once; the test looks at the headers. */
void options() {
  auto config = modelwire::config().header("x-config", "one").header("x-both", "config");
  config.connect_timeout(10s).first_byte_timeout(1min).idle_timeout(1min).total_timeout(1h);
  config.retry(2, 1ms, 10s).limit(modelwire::limit::headers, 50).proxy("").http2(false);
  config.limit(modelwire::limit::response_bytes, 1000).stream_only(false);
  config.limit(modelwire::limit::connections, 10).pool_timeout(1min).retry_jitter(0.5);
  config.retry_adaptive();
  config.retry_on(modelwire::retry_on::connect_errors | modelwire::retry_on::lost_connections);
  const modelwire::client client(config);
  auto request = ask().header("x-both", "request").first_byte_timeout(modelwire::no_timeout);
  request.idle_timeout(1min).total_timeout(1min).retry(0).stream_only(false).gather(false);
  request.pool_timeout(modelwire::no_timeout).retry_jitter(1);
  request.retry_on(modelwire::retry_on::nothing).retry_adaptive(false);
  CHECK_EQUAL(client.run(request).text(), "x");
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
void crossed() {
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
