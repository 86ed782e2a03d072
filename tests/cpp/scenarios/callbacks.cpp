/*
 * Calls that are started with a callback on the client's own thread.
 */
#include "check.hpp"

#include <atomic>
#include <future>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

/* Says when it is destroyed, by whomever owned it last. */
struct witness {
  std::shared_ptr<std::atomic<int>> alive = std::make_shared<std::atomic<int>>(0);
  struct token {
    std::shared_ptr<std::atomic<int>> alive;
    explicit token(std::shared_ptr<std::atomic<int>> of) : alive(std::move(of)) { ++*alive; }
    token(token&& other) noexcept : alive(std::move(other.alive)) {}
    token(const token&) = delete;
    token& operator=(const token&) = delete;
    token& operator=(token&&) = delete;
    ~token() {
      if (alive) --*alive;
    }
  };
  token give() const { return token(alive); }
};

void start() {
  const modelwire::client client;
  const witness lambda;
  std::string text;
  int done = 0;
  std::thread::id where;
  auto call = client.start(ask_usage("echo", "one two three"),
                           [&, token = lambda.give()](const modelwire::event_view& event) {
                             where = std::this_thread::get_id();
                             CHECK_EQUAL(done, 0);
                             text += event.text();
                             if (!event.is_last()) return;
                             done++;
                             CHECK(!event.error());
                             CHECK_EQUAL(event.response().usage()->total_tokens, 6u);
                           });
  call.join();
  CHECK_EQUAL(text, "one two three");
  CHECK_EQUAL(done, 1);
  CHECK(where != std::this_thread::get_id());
  CHECK_EQUAL(lambda.alive->load(), 0);
  CHECK(call.wait(0ms) && call.thrown() == nullptr);
  // An error is in the last event; the callback sees it, join() has nothing to say.
  std::promise<modelwire::error> failed;
  auto other = client.start(ask("no-such-model"), [&](const modelwire::event_view& event) {
    if (event.is_last()) failed.set_value(*event.error());
  });
  CHECK(failed.get_future().get().kind() == kind::not_found);
  other.join();
}

void start_whole() {
  const modelwire::client client;
  int events = 0;
  auto call = client.start(
      ask("echo", "one two"),
      [&](const modelwire::event_view& event) {
        events++;
        CHECK(event.is_last());
        CHECK_EQUAL(event.response().text(), "one two");
        return modelwire::flow::go_on;
      },
      modelwire::mode::whole);
  CHECK(call.wait(PROMPT));
  CHECK_EQUAL(events, 1);
}

void start_throw() {
  const modelwire::client client;
  const witness lambda;
  bool is_cancelled = false;
  auto call = client.start(ask("m"), [&, token = lambda.give()](const modelwire::event_view& event) {
    if (event.is_last()) is_cancelled = event.error()->kind() == kind::cancelled;
    if (event.is_chunk()) throw thrown_by_test{7};
  });
  // The exchange is closed, although the service stalls.
  wait_for_cue();
  CHECK(call.wait(PROMPT));
  CHECK(is_cancelled && call.thrown() != nullptr);
  CHECK_EQUAL(lambda.alive->load(), 0);
  for (int times = 0; times < 2; times++) {
    try {
      call.join();
      CHECK(!"it throws");
    } catch (const thrown_by_test& thrown) {
      CHECK_EQUAL(thrown.number, 7);
    }
  }
}

/* The first throw counts; one from the last event costs nobody else's callback. */
void start_throw_at_end() {
  const modelwire::client client;
  auto call = client.start(ask(), [&](const modelwire::event_view& event) {
    throw thrown_by_test{event.is_last() ? 2 : 1};
  });
  auto last = client.start(
      ask(), [](const modelwire::event_view&) { throw thrown_by_test{3}; },
      modelwire::mode::whole);
  auto fine = client.start(ask(), [](const modelwire::event_view&) {});
  for (auto [started, number] : {std::pair{&call, 1}, std::pair{&last, 3}}) {
    try {
      started->join();
      CHECK(!"it throws");
    } catch (const thrown_by_test& thrown) {
      CHECK_EQUAL(thrown.number, number);
    }
  }
  fine.join();
}

void start_stop() {
  const modelwire::client client;
  int events = 0;
  auto call = client.start(ask("m"), [&](const modelwire::event_view& event) {
    events++;
    if (event.is_last()) CHECK(event.error()->kind() == kind::cancelled);
    return modelwire::flow::stop;
  });
  wait_for_cue();
  call.join();
  CHECK_EQUAL(events, 2);
}

void start_cancel() {
  const modelwire::client client;
  auto call = client.call(ask("m"));
  bool is_cancelled = false;
  // From inside the callback, and then from here.
  call.start([&](const modelwire::event_view& event) {
    if (event.is_chunk()) call.cancel();
    if (event.is_last()) is_cancelled = event.error()->kind() == kind::cancelled;
  });
  wait_for_cue();
  call.cancel();
  call.join();
  CHECK(is_cancelled);
}

/* The destructor ends the call and waits, so that the callback may use what is around it. */
void start_destroy() {
  const modelwire::client client;
  const witness lambda;
  std::string log;
  {
    std::promise<void> first;
    auto call = client.start(ask("m"), [&, token = lambda.give()](const modelwire::event_view& e) {
      if (e.is_chunk()) first.set_value();
      if (e.is_last()) log += "done";
    });
    first.get_future().wait();
  }
  CHECK_EQUAL(log, "done");
  CHECK_EQUAL(lambda.alive->load(), 0);
  wait_for_cue();
  // Assigning another one ends the first alike.
  auto call = client.start(ask("m"), [&](const modelwire::event_view& event) {
    if (event.is_last()) log += " again";
  });
  call = modelwire::call();
  CHECK_EQUAL(log, "done again");
}

void start_detach() {
  const modelwire::client client;
  const witness lambda;
  auto text = std::make_shared<std::promise<std::string>>();
  {
    auto call = client.start(
        ask("echo", "one two"),
        [text, all = std::string(), token = lambda.give()](const modelwire::event_view& event) mutable {
          all += event.text();
          if (event.is_last()) text->set_value(all);
        });
    call.detach();
    CHECK(!call && call.wait());
  }
  CHECK_EQUAL(text->get_future().get(), "one two");
  eventually([&] { return lambda.alive->load() == 0; });
  // One that is over already.
  auto call = client.start(ask(), [](const modelwire::event_view&) {});
  CHECK(call.wait());
  call.detach();
}

void start_twice() {
  const modelwire::client client;
  const witness lambda;
  int events = 0;
  auto call = client.call(ask());
  call.start([&](const modelwire::event_view&) { events++; }, modelwire::mode::whole);
  const auto error = failure_of(kind::argument, [&] {
    call.start([token = lambda.give()](const modelwire::event_view&) { CHECK(!"called"); });
  });
  CHECK(contains(error.message(), "started before"));
  CHECK_EQUAL(lambda.alive->load(), 0);
  call.join();
  CHECK_EQUAL(events, 1);
  // A call of nothing: the lambda is given back, and there is nothing to wait for.
  modelwire::call empty;
  failure_of(kind::argument, [&] { empty.start([token = lambda.give()](auto&&) {}); });
  CHECK(empty.wait());
  CHECK_EQUAL(lambda.alive->load(), 0);
}

/* Inside a callback everything can be done but to wait for another one. */
void start_inside() {
  const modelwire::client client;
  std::promise<void> entered;
  modelwire::call outer;
  std::atomic<int> inner_done = 0;
  outer = client.call(ask());
  outer.start([&](const modelwire::event_view& event) {
    if (!event.is_last()) return;
    CHECK_EQUAL(client.chat("echo", "inside").text(), "inside");
    std::string text;
    for (auto&& chunk : client.stream(ask("echo", "pulled"))) text += chunk.text();
    CHECK_EQUAL(text, "pulled");
    CHECK(!outer.wait());
    failure_of(kind::callback, [&] { outer.join(); });
    failure_of(kind::callback, [&] { client.close(); });
    failure_of(kind::callback, [] { modelwire::shutdown(); });
    // Its callback has to wait for this one: its destructor must not.
    auto inner = client.start(ask(), [&](const modelwire::event_view& e) {
      inner_done += e.is_last();
    });
    entered.set_value();
  });
  entered.get_future().wait();
  outer.join();
  eventually([&] { return inner_done.load() > 0; });
  CHECK_EQUAL(inner_done.load(), 1);
}

/* A child inherits a started call, and does not wait for a thread that stayed with its parent. */
void start_fork() {
  const modelwire::client client;
  std::promise<void> first;
  auto call = client.start(ask("slow", "one two three"), [&](const modelwire::event_view& event) {
    if (event.is_chunk() && event.text().empty() && !event.finish_reason()) first.set_value();
  });
  first.get_future().wait();
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    CHECK(!call.wait() && call.thrown() == nullptr);
    failure_of(kind::forked, [&] { call.join(); });
    call = modelwire::call();
    CHECK_EQUAL(client.chat("echo", "child").text(), "child");
    std::_Exit(0);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  call.join();
}

/* The end of a wait is the end of the callback: its lambda was destroyed, a slow one too. */
void start_wait() {
  const modelwire::client client;
  struct slow_end {
    std::atomic<bool>* is_over;
    std::shared_ptr<int> last = std::make_shared<int>(0);
    ~slow_end() {
      if (last.use_count() != 1) return;
      std::this_thread::sleep_for(200ms);  // clock: the slowness itself
      *is_over = true;
    }
  };
  for (int round = 0; round < 3; round++) {
    std::atomic<bool> is_over = false;
    auto call = client.start(ask(), [end = slow_end{&is_over}](const modelwire::event_view&) {
      CHECK(!*end.is_over);
    });
    if (round == 0) {
      CHECK(call.wait(PROMPT));
    } else if (round == 1) {
      call.join();
    } else {
      call = modelwire::call();
    }
    CHECK(is_over.load());
    CHECK(call.wait(0ms));
  }
  std::promise<void> entered, leave;
  auto stuck = client.start(ask(), [&, first = true](const modelwire::event_view&) mutable {
    if (!std::exchange(first, false)) return;
    entered.set_value();
    leave.get_future().wait();
  });
  entered.get_future().wait();
  CHECK(!stuck.wait(0ms) && !stuck.wait(20ms));
  leave.set_value();
  CHECK(stuck.wait(PROMPT));
}

/* A client that is closed ends its calls, waits for its callbacks, and takes no more calls. */
void closing_client() {
  const modelwire::client client, other;
  const witness lambda;
  std::promise<void> first;
  kind told = kind::internal;
  auto call = client.start(ask("m"), [&, token = lambda.give()](const modelwire::event_view& event) {
    if (event.is_chunk()) first.set_value();
    if (event.is_last()) told = event.error()->kind();
  });
  first.get_future().wait();
  call.detach();
  CHECK(client.close(PROMPT));
  CHECK(told == kind::closed);
  CHECK_EQUAL(lambda.alive->load(), 0);
  failure_of(kind::closed, [&] { client.chat("echo", "x"); });
  CHECK(client.close());
  // It is nobody else's business.
  auto stream = other.stream(ask("m"));
  CHECK_EQUAL(stream.next()->text(), "one ");
}
