/*
 * Streams that are pulled by a loop, and streams that call a lambda on this thread.
 */
#include "check.hpp"

#include <fstream>
#include <poll.h>
#include <thread>

void pull() {
  const modelwire::client client;
  auto stream = client.stream(ask_usage("echo", "one two three four"));
  const auto early = stream.try_response();
  CHECK(!early && early.error().kind() == kind::argument);
  std::string text;
  int chunks = 0;
  for (auto&& chunk : stream) {
    CHECK(chunk.is_chunk() && !chunk.is_last() && chunk.tag() == 0 && !chunk.error());
    CHECK(contains(chunk.json(), "chat.completion.chunk"));
    CHECK_EQUAL(chunk.get<std::string_view>("/object"), "chat.completion.chunk");
    CHECK_EQUAL(chunk.count("/choices"), chunk.usage() ? 0u : 1u);
    text += chunk.text();
    chunks++;
    if (chunk.finish_reason()) CHECK_EQUAL(*chunk.finish_reason(), "stop");
  }
  CHECK_EQUAL(text, "one two three four");
  CHECK_EQUAL(chunks, 7);
  const auto end = stream.response();
  CHECK_EQUAL(end.usage()->total_tokens, 8u);
  CHECK_EQUAL(end.http_status(), 200);
  CHECK_EQUAL(end.request_id(), "req-1");
  CHECK_EQUAL(end.end_mark(), "done_mark");
  CHECK(end.json().empty() && end.text().empty());
  // Asking again gives the same end, and closing does not take the response away.
  CHECK(stream.next() == nullptr && stream.begin() == stream.end());
  stream.close();
  CHECK(stream.next() == nullptr && stream.failure() == nullptr);
  CHECK_EQUAL(stream.response().usage()->total_tokens, 8u);
}

void pull_response() {
  for (auto&& chunk :
       modelwire::client().stream(modelwire::request::responses("echo").input("one two"))) {
    CHECK(contains(chunk.json(), chunk.name()));
    std::cout << chunk.name() << '\n';
    if (chunk.name() == "response.completed") CHECK_EQUAL(chunk.usage()->total_tokens, 4u);
  }
}

/* A loop that is left is entered again behind the last chunk, also in a stream that was moved. */
void pull_twice() {
  const modelwire::client client;
  auto stream = client.stream(ask_usage("echo", "one two three four"));
  std::string text;
  for (auto&& chunk : stream) {
    text += chunk.text();
    if (text == "one two ") break;
  }
  modelwire::stream moved = std::move(stream);
  for (auto&& chunk : moved) text += chunk.text();
  CHECK_EQUAL(text, "one two three four");
  CHECK_EQUAL(moved.response().usage()->total_tokens, 8u);
}

void pull_break() {
  const modelwire::client client;
  for (auto&& chunk : client.stream(ask("m"))) {
    CHECK_EQUAL(chunk.text(), "one ");
    break;
  }
  // The test gives the cue when the service saw the connection close: it is not our exit.
  wait_for_cue();
}

void pull_close() {
  const modelwire::client client;
  auto stream = client.stream(ask("m"));
  CHECK_EQUAL(stream.next()->text(), "one ");
  stream.close();
  wait_for_cue();
  CHECK(stream.next() == nullptr && stream.failure() == nullptr);
  failure_of(kind::closed, [&] { (void)stream.response(); });
}

void pull_throw() {
  const modelwire::client client;
  try {
    for (auto&& chunk : client.stream(ask("m"))) throw thrown_by_test{int(chunk.text().size())};
    CHECK(!"it throws");
  } catch (const thrown_by_test& thrown) {
    CHECK_EQUAL(thrown.number, 4);
  }
  wait_for_cue();
}

void pull_cancel() {
  const modelwire::client client;
  auto stream = client.stream(ask("m"));
  CHECK_EQUAL(stream.next()->text(), "one ");
  std::thread canceller([&] {
    wait_for_cue();
    stream.cancel();
  });
  const auto error = failure_of(kind::cancelled, [&] {
    for (auto&& chunk : stream) CHECK(chunk.text().empty());
  });
  canceller.join();
  CHECK_EQUAL(error.metered(), "entered");
  failure_of(kind::cancelled, [&] { stream.next(); });
  failure_of(kind::cancelled, [&] { (void)stream.response(); });
  CHECK(stream.failure() != nullptr);
}

static long resident_kib() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.rfind("VmRSS:", 0) == 0) return std::strtol(line.c_str() + 6, nullptr, 10);
  }
  return -1;
}

/* A stream of 64 MiB that nobody reads for a while: little of it is kept, and nothing is lost. */
void pull_slowly() {
  const modelwire::client client;
  auto stream = client.stream(ask("m"));
  CHECK(stream.next() != nullptr);
  const long before = resident_kib();
  // clock: too much would be here by then; what a slow machine misses, another run sees
  std::this_thread::sleep_for(500ms);
  const long after = resident_kib();
  CHECK(before > 0 && after - before < 16 * 1024);
  long chunks = 1;
  for (auto&& chunk : stream) chunks += chunk.is_chunk();
  CHECK_EQUAL(chunks, 65536 + 1);
}

void pull_failures() {
  const modelwire::client client;
  for (auto [model, expected] : {std::pair{"cut", kind::disconnected},
                                 std::pair{"error-in-stream", kind::stream}}) {
    std::string text;
    auto stream = client.stream(ask(model, "one two three four five"));
    const auto error = failure_of(expected, [&, &chunks = stream] {
      for (auto&& chunk : chunks) text += chunk.text();
    });
    CHECK_EQUAL(text, "one two three ");
    CHECK_EQUAL(error.metered(), "entered");
    CHECK_EQUAL(error.http_status(), 200);
    CHECK_EQUAL(error.attempts(), 1);
    // It stays, in each form.
    CHECK(!stream.try_next() && !stream.try_response());
    CHECK_EQUAL(stream.failure()->message(), error.message());
    if (expected != kind::stream) continue;
    CHECK_EQUAL(error.message(), "The upstream provider failed.");
    CHECK_EQUAL(error.type(), "server_error");
    CHECK_EQUAL(error.code(), "upstream_failed");
    CHECK(contains(*error.body(), "{\"error\":{"));
  }
  // Before the first chunk.
  failure_of(kind::not_found, [&] {
    for (auto&& chunk : client.stream(ask("no-such-model"))) CHECK(chunk.is_last());
  });
}

/* Every form that the grammar of event streams allows; the test splits it at every byte. */
void pull_grammar() {
  std::string text;
  auto stream = modelwire::client().stream(ask("m"));
  for (auto&& chunk : stream) text += chunk.text();
  CHECK_EQUAL(text, "one two three four");
  CHECK_EQUAL(stream.response().end_mark(), "done_mark");
}

/* Chunks of no known shape, then data that is not JSON. */
void pull_novel() {
  auto stream = modelwire::client().stream(ask("m"));
  CHECK_EQUAL(stream.next()->json(), "[1.10]");
  CHECK_EQUAL(stream.next()->json(), "\"text\"");
  CHECK_EQUAL(stream.next()->json(), R"({"novel":true})");
  const auto error = failure_of(kind::protocol, [&] { stream.next(); });
  CHECK(contains(error.message(), "<html>"));
}

void gathered() {
  const modelwire::client client;
  auto stream = client.stream(ask("echo", "one two").gather());
  for (auto&& chunk : stream) CHECK(chunk.is_chunk());
  CHECK_EQUAL(stream.response().text(), "one two");
  CHECK(stream.response().is_gathered() && !stream.response().json().empty());
  const auto end = client.stream(ask("echo", "three").gather(), [](auto&&) {});
  CHECK_EQUAL(end->text(), "three");
}

void visit() {
  const modelwire::client client;
  const auto here = std::this_thread::get_id();
  std::string text;
  const auto end = client.stream(ask_usage("echo", "one two three"), [&](const auto& chunk) {
    CHECK(std::this_thread::get_id() == here);
    text += chunk.text();
  });
  CHECK_EQUAL(text, "one two three");
  CHECK(end.has_value());
  CHECK_EQUAL(end->usage()->total_tokens, 6u);
  const auto error = failure_of(kind::disconnected, [&] {
    client.stream(ask("cut", "one two three four five"), [](const modelwire::event_view&) {});
  });
  CHECK_EQUAL(error.metered(), "entered");
  // A lambda with a state of its own, and one that says each time to go on.
  int count = 0;
  auto counting = [count]() mutable { return ++count; };
  CHECK(client.stream(ask(), [&](auto&&) { return counting(), modelwire::flow::go_on; }));
  CHECK_EQUAL(counting(), 4);
}

void visit_stop() {
  int left = 3;
  const auto end = modelwire::client().stream(ask("m"), [&](auto&&) {
    return --left == 0 ? modelwire::flow::stop : modelwire::flow::go_on;
  });
  CHECK(!end && left == 0);
  wait_for_cue();
}

void visit_throw() {
  const modelwire::client client;
  int events = 0;
  try {
    client.stream(ask("m"), [&](auto&&) {
      if (++events == 2) throw thrown_by_test{42};
    });
    CHECK(!"it throws");
  } catch (const thrown_by_test& thrown) {
    CHECK_EQUAL(thrown.number, 42);
  }
  CHECK_EQUAL(events, 2);
  wait_for_cue();
}

/* A call that its own lambda destroys is cancelled, and its connection is closed. */
void visit_destroy() {
  const modelwire::client client;
  std::optional<modelwire::call> call(client.call(ask("m")));
  int events = 0;
  const auto end = call->try_stream([&](const modelwire::event_view& event) {
    call.reset();
    CHECK_EQUAL(event.text(), "one ");
    events++;
  });
  CHECK(!end && end.error().kind() == kind::cancelled && events == 1);
  wait_for_cue();
}

/* A call inside a lambda; then one that fails there, whose error comes out as it was. */
void visit_nested() {
  const modelwire::client client;
  int calls = 0;
  client.stream(ask("echo", "one"), [&](auto&&) {
    CHECK_EQUAL(client.chat("echo", "inside").text(), "inside");
    calls++;
  });
  CHECK_EQUAL(calls, 3);
  const auto error = failure_of(kind::server, [&] {
    // Also out of the form that does not throw: it is the lambda's.
    (void)client.try_stream(ask("echo", "one"), [&](auto&&) { client.chat("broken", "x"); });
  });
  CHECK_EQUAL(error.model(), "broken");
}

/* A stream that an event loop watches: nothing of it waits. */
void pull_poll() {
  const modelwire::client client;
  // A machine that is busy may find several words at once: then once more.
  int rounds = 0;
  for (int tries = 0; rounds < 3; tries++) {
    CHECK(tries < 3);
    auto stream = client.stream(ask("slow", "one two three"));
    CHECK(stream.fd() >= 0);
    std::string text;
    for (rounds = 0; !stream.is_over(); rounds++) {
      pollfd watched{stream.fd(), POLLIN, 0};
      CHECK(poll(&watched, 1, 60000) == 1);
      while (const auto* chunk = stream.next(0ms)) text += chunk->text();
    }
    CHECK_EQUAL(text, "one two three");
    CHECK_EQUAL(stream.response().http_status(), 200);
  }
  // A wait that is over in time.
  const char* stalling = std::getenv("MODELWIRE_STALLING_URL");
  const modelwire::client waiting(modelwire::config().base_url(stalling));
  auto slow = waiting.stream(ask("m"));
  while (slow.next(1ms) != nullptr) continue;
  CHECK(!slow.is_over());
  // What ends it is told by the step that finds it.
  auto failing = client.stream(ask("no-such-model"));
  failure_of(kind::not_found, [&] {
    while (!failing.is_over()) failing.next(PROMPT);
  });
  CHECK(failing.is_over() && failing.failure() != nullptr);
}
