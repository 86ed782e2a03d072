/*
 * What C++20 brings: stop tokens, and coroutines over an event loop of a few lines. It knows no
 * executor of anybody's.
 */
#include "check.hpp"

#if defined(__cpp_lib_jthread) && defined(__cpp_impl_coroutine)

#include <modelwire_coro.hpp>

#include <map>
#include <poll.h>
#include <thread>

/* A stop that is requested ends what waits; one that was requested before lets nothing begin. */
void stopping() {
  const modelwire::client client;
  std::jthread whole([&](std::stop_token stop) {
    failure_of(kind::cancelled, [&] { client.run(ask("m"), stop); });
  });
  wait_for_cue();
  whole.request_stop();
  whole.join();

  std::string text;
  std::stop_source source;
  auto stream = client.stream(ask("m"), source.get_token());
  text += stream.next()->text();
  std::jthread stopper([&] {
    std::this_thread::sleep_for(50ms);  // clock: before or in the wait, both are to end the same
    source.request_stop();
  });
  failure_of(kind::cancelled, [&] {
    for (auto&& chunk : stream) text += chunk.text();
  });
  CHECK_EQUAL(text, "one ");
  stopper.join();

  const auto late = failure_of(kind::cancelled, [&] { client.run(ask("m"), source.get_token()); });
  CHECK_EQUAL(late.metered(), "not_sent");
  failure_of(kind::cancelled,
             [&] { client.stream(ask("m"), [](auto&&) {}, source.get_token()); });
  auto call = client.start(ask("m"), [](const modelwire::event_view&) {});
  CHECK(call.wait(source.get_token()));
  // A token that is never stopped changes nothing, and one may go after its call.
  std::stop_source other;
  client.stream(ask("m"), [](auto&&) { return modelwire::flow::stop; }, other.get_token());
  auto left = client.stream(ask("m"), other.get_token());
  CHECK_EQUAL(left.next()->text(), "one ");
}

namespace {

/* The smallest event loop, and the smallest coroutine. */
struct loop {
  std::multimap<int, std::function<void()>> watched;

  void watch(int fd, std::function<void()> ready) { watched.emplace(fd, std::move(ready)); }

  void run() {
    while (!watched.empty()) {
      std::vector<pollfd> all;
      for (const auto& [fd, ready] : watched) all.push_back({fd, POLLIN, 0});
      CHECK(poll(all.data(), all.size(), 60000) > 0);
      for (const auto& one : all) {
        if (one.revents == 0) continue;
        const auto found = watched.find(one.fd);
        if (found == watched.end()) continue;
        const auto ready = std::move(found->second);
        watched.erase(found);
        ready();
      }
    }
  }
};

struct task {
  struct promise_type {
    std::exception_ptr thrown;
    task get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { thrown = std::current_exception(); }
  };

  std::coroutine_handle<promise_type> handle;

  task(std::coroutine_handle<promise_type> of) : handle(of) {}
  task(task&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  ~task() {
    if (handle) handle.destroy();
  }
  void check() const {
    CHECK(handle.done());
    if (handle.promise().thrown) std::rethrow_exception(handle.promise().thrown);
  }
};

task talk(modelwire::coro::client service, int number, std::string& text) {
  auto stream = service.stream(ask("slow", "stream " + std::to_string(number)));
  while (const auto* chunk = co_await stream.next()) text += chunk->text();
  CHECK_EQUAL(stream.get().response().http_status(), 200);
  CHECK(co_await stream.next() == nullptr);
  const auto answer = co_await service.run(ask("echo", "whole"));
  CHECK_EQUAL(answer.response().http_status(), 200);
  text += ", " + std::string(answer.text());
}

task fail(modelwire::coro::client service) {
  const auto lost = co_await service.try_run(ask("no-such-model"));
  CHECK(!lost && lost.error().kind() == kind::not_found);
  auto stream = service.try_stream(ask("no-such-model"));
  CHECK(stream);
  const auto chunk = co_await stream->try_next();
  CHECK(!chunk && chunk.error().kind() == kind::not_found);
  const auto bad = co_await service.try_run(ask().max_tokens(0));
  CHECK(!bad && bad.error().kind() == kind::argument);
  co_await service.run(ask("broken"));
  CHECK(!"reached");
}

task wait_for_ever(modelwire::coro::client service, bool& is_reached) {
  auto stream = service.stream(ask("slow", "one two three four five six seven eight nine ten"));
  while (const auto* chunk = co_await stream.next()) CHECK(chunk->is_chunk());
  is_reached = true;
}

}  // namespace

/* Coroutines on one thread. What fails is thrown in them; one that is destroyed is forgotten. */
void awaited() {
  const modelwire::client client;
  loop events;
  const modelwire::coro::client service(
      client, [&](int fd, std::function<void()> ready) { events.watch(fd, std::move(ready)); });
  std::vector<std::string> texts(20);
  std::vector<task> tasks;
  for (std::size_t i = 0; i < texts.size(); i++) {
    tasks.push_back(talk(service, static_cast<int>(i), texts[i]));
  }
  const auto failing = fail(service);
  bool is_reached = false;
  std::vector<std::function<void()>> stale;
  {
    const modelwire::coro::client forgotten(
        client, [&](int, std::function<void()> ready) { stale.push_back(std::move(ready)); });
    const auto waiting = wait_for_ever(forgotten, is_reached);
    CHECK_EQUAL(stale.size(), 1u);
  }
  for (const auto& ready : stale) ready();
  CHECK(!is_reached);
  events.run();
  for (std::size_t i = 0; i < texts.size(); i++) {
    tasks[i].check();
    CHECK_EQUAL(texts[i], "stream " + std::to_string(i) + ", whole");
  }
  failure_of(kind::server, [&] { failing.check(); });
}

#else

void stopping() { check_failed(__FILE__, __LINE__, "C++20", "compile this with -std=c++20"); }
void awaited() { stopping(); }

#endif
