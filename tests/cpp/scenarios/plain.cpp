/*
 * A program without exceptions and without type information, as embedded and game code is built:
 * every way to run, what fails, and nothing that throws.
 */
#include <modelwire.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <type_traits>

#if defined(__cpp_exceptions) || defined(__cpp_rtti)
#error "this is about programs without them"
#endif

static void check(bool holds, int line) {
  if (holds) return;
  std::fprintf(stderr, "plain.cpp:%d does not hold\n", line);
  std::_Exit(1);
}
#define CHECK(condition) check(static_cast<bool>(condition), __LINE__)

using kind = modelwire::error_kind;

static modelwire::request ask(std::string_view model, std::string_view text) {
  return modelwire::request::chat(model).user(text);
}

static modelwire::request ask_usage(std::string_view model, std::string_view text) {
  return std::move(ask(model, text).set_json("stream_options", "{\"include_usage\":true}"));
}

static void run_every_way(const modelwire::client& client) {
  auto answer = client.try_run(ask("echo", "one two"));
  CHECK(answer && answer->text() == "one two");

  std::string text;
  auto stream = client.try_stream(ask_usage("echo", "one two"));
  CHECK(stream);
  for (auto&& chunk : *stream) text += chunk.text();
  CHECK(text == "one two" && stream->failure() == nullptr);
  CHECK(stream->try_response()->usage()->total_tokens == 4);

  auto end = client.try_stream(ask("echo", "one two"), [&](const modelwire::event_view& chunk) {
    text += chunk.text();
    return chunk.text() == "one " ? modelwire::flow::stop : modelwire::flow::go_on;
  });
  CHECK(end && !*end && text == "one twoone ");

  bool is_done = false;
  auto call = client.try_start(ask("echo", "one"), [&](const modelwire::event_view& event) {
    is_done = event.is_last() && !event.error();
  });
  CHECK(call && call->wait() && is_done && call->thrown() == nullptr);

  auto queue = modelwire::queue::make();
  CHECK(queue);
  const auto submitted = queue->try_submit(client, ask("echo", "one"), 7, modelwire::mode::whole);
  auto event = queue->try_next();
  CHECK(submitted && event && *event && (**event).tag() == 7);
  CHECK((**event).response().text() == "one");
  std::vector<modelwire::event> events;
  CHECK(*queue->try_take(events, std::chrono::milliseconds(0)) == modelwire::waited::timed_out);

  const auto value = modelwire::value::parse("{\"a\":[1]}");
  CHECK(value && value->get<std::int64_t>("/a/0") == 1 && client.usage().calls > 0);
  auto polled = client.try_stream(ask("slow", "one two"));
  CHECK(polled && polled->fd() >= 0);
  while (!polled->is_over()) CHECK(polled->try_next(std::chrono::milliseconds(10)));
  CHECK(polled->failure() == nullptr);
}

static void fail_every_way(const modelwire::client& client) {
  auto answer = client.try_run(ask("no-such-model", "x"));
  CHECK(!answer && answer.error().kind() == kind::not_found);
  CHECK(answer.error().http_status() == 404 && !answer.error().report().empty());

  // The loop ends, and failure() tells that it was not the end.
  std::string text;
  auto stream = client.try_stream(ask("cut", "one two three four five"));
  for (auto&& chunk : *stream) text += chunk.text();
  CHECK(text == "one two three ");
  CHECK(stream->failure() != nullptr && stream->failure()->kind() == kind::disconnected);
  CHECK(!stream->try_response());

  auto end = client.try_stream(ask("broken", "x"), [](const modelwire::event_view&) {});
  CHECK(!end && end.error().kind() == kind::server);

  auto bad = modelwire::request::chat_json("{");
  CHECK(bad.problem() != nullptr && bad.problem()->kind() == kind::argument);
  CHECK(!client.try_run(bad) && !client.try_stream(bad) && !client.try_call(bad));
  CHECK(!client.try_start(bad, [](const modelwire::event_view&) {}));
  auto wrong = modelwire::client::make(modelwire::config().base_url("no url"));
  CHECK(!wrong && wrong.error().kind() == kind::config);
  auto queue = modelwire::queue::make();
  queue->close();
  auto refused = queue->try_submit(client, ask("echo", "x"), 1);
  CHECK(!refused && refused.error().kind() == kind::closed);
  CHECK((*queue->try_next()).is_closed());
}

int main() {
  std::thread([] {
    auto client = modelwire::client::make();
    CHECK(client);
    run_every_way(*client);
    fail_every_way(*client);
    CHECK(*client->try_close());
    CHECK(*modelwire::try_shutdown());
  }).join();
}
