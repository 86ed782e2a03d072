/*
 * The completion queue: with an event loop, with threads, closed.
 */
#include "check.hpp"

#include <atomic>
#include <sys/epoll.h>
#include <thread>
#include <unistd.h>

static constexpr std::uint64_t STREAMS = 100;

/* One thread, one epoll, a hundred streams. */
void queue_epoll() {
  const modelwire::client client;
  const modelwire::queue queue;
  std::vector<modelwire::call> calls;
  std::vector<std::string> texts(STREAMS);
  for (std::uint64_t i = 0; i < STREAMS; i++) {
    calls.push_back(queue.submit(client, ask_usage("echo", "stream " + std::to_string(i)), i));
  }
  const int loop = epoll_create1(EPOLL_CLOEXEC);
  CHECK(loop >= 0 && queue.fd() >= 0);
  epoll_event watched{};
  watched.events = EPOLLIN;
  CHECK(epoll_ctl(loop, EPOLL_CTL_ADD, queue.fd(), &watched) == 0);
  std::uint64_t done = 0;
  while (done < STREAMS) {
    CHECK(epoll_wait(loop, &watched, 1, 60000) == 1);
    while (auto event = queue.next(0ms)) {
      texts[event->tag()] += event->text();
      if (!event->is_done()) continue;
      CHECK(!event->error());
      CHECK_EQUAL(event->response().usage()->total_tokens, 4u);
      done++;
    }
  }
  for (std::uint64_t i = 0; i < STREAMS; i++) {
    CHECK_EQUAL(texts[i], "stream " + std::to_string(i));
  }
  close(loop);
}

/* Whole responses, submitted in each way and taken many at a time. */
void queue_take() {
  const modelwire::client client;
  const modelwire::queue queue;
  std::vector<modelwire::call> calls;
  for (std::uint64_t tag = 1; tag <= 40; tag++) {
    calls.push_back(client.call(ask("echo", std::to_string(tag))));
    calls.back().submit(queue, tag, modelwire::mode::whole);
  }
  std::vector<modelwire::event> events;
  std::uint64_t tags = 0, count = 0;
  while (count < 40) {
    CHECK(queue.take(events, modelwire::forever, count < 20 ? 3 : 50) == modelwire::waited::taken);
    CHECK(!events.empty());
    if (count < 20) CHECK(events.size() <= 3);
    for (auto& event : events) {
      CHECK(event.is_done());
      CHECK_EQUAL(event.response().text(), std::to_string(event.tag()));
      tags += event.tag();
      count++;
    }
  }
  CHECK_EQUAL(tags, 40u * 41u / 2u);
  CHECK(queue.take(events, 0ms) == modelwire::waited::timed_out && events.empty());
  failure_of(kind::argument, [&] { queue.take(events, 0ms, 0); });
  // An event outlives its queue and its call.
  calls.push_back(queue.submit(client, ask("echo", "kept"), 41, modelwire::mode::whole));
  modelwire::event kept = std::move(*queue.next());
  calls.clear();
  CHECK_EQUAL(kept.response().text(), "kept");
}

void queue_wakeup() {
  const modelwire::queue queue;
  const auto begin = std::chrono::steady_clock::now();
  CHECK(!queue.next(0ms) && !queue.next(20ms) && !queue.next(0ms).is_closed());
  CHECK(std::chrono::steady_clock::now() - begin >= 20ms);
  std::thread waker([&] { queue.wakeup(); });
  CHECK(!queue.next(PROMPT));
  waker.join();
  CHECK(std::chrono::steady_clock::now() - begin < PROMPT);
}

void queue_close() {
  const modelwire::client client;
  modelwire::queue queue(4);
  auto call = queue.submit(client, ask("m"), 5);
  auto first = queue.next();
  CHECK(first && first->is_chunk());
  CHECK_EQUAL(first->tag(), 5u);
  queue.close();
  wait_for_cue();
  int done = 0;
  while (auto event = queue.next()) {
    if (!event->is_done()) continue;
    CHECK(event->error()->kind() == kind::cancelled && !event->response());
    done++;
  }
  CHECK_EQUAL(done, 1);
  CHECK(queue.next(0ms).is_closed());
  std::vector<modelwire::event> events;
  CHECK(queue.take(events) == modelwire::waited::closed);
  failure_of(kind::closed, [&] { (void)queue.submit(client, ask("m")); });
  // Destroying a queue, or a call, ends what is under way.
  auto other = modelwire::queue();
  call = other.submit(client, ask("m"));
  CHECK(other.next()->is_chunk());
  other = modelwire::queue();
  call = other.submit(client, ask("m"), 6);
  CHECK(other.next()->is_chunk());
  call = modelwire::call();
  auto last = other.next(PROMPT);
  while (last && last->is_chunk()) last = other.next(PROMPT);
  CHECK(last && last->is_done() && last->tag() == 6);
}

void queue_threads() {
  const modelwire::client client;
  const modelwire::queue queue;
  std::vector<modelwire::call> calls;
  for (std::uint64_t i = 0; i < STREAMS; i++) calls.push_back(queue.submit(client, ask(), i));
  std::atomic<std::uint64_t> done = 0;
  std::vector<std::thread> takers;
  for (int i = 0; i < 4; i++) {
    takers.emplace_back([&] {
      while (auto event = queue.next()) {
        if (event->is_done() && ++done == STREAMS) queue.close();
      }
    });
  }
  for (auto& taker : takers) taker.join();
  CHECK_EQUAL(done.load(), STREAMS);
}

/* The smallest limit on what waits, and a reader that comes late: nothing is lost. */
void queue_limit() {
  const modelwire::client client;
  const modelwire::queue queue(2);
  auto call = queue.submit(client, ask("echo", "a b c d e f g h i j k l m n o p"));
  std::this_thread::sleep_for(100ms);
  std::vector<modelwire::event> events;
  CHECK(queue.take(events) == modelwire::waited::taken);
  std::string text;
  for (bool is_done = false; !is_done;) {
    for (auto& event : events) {
      text += event.text();
      is_done = is_done || event.is_done();
    }
    if (!is_done) CHECK(queue.take(events) == modelwire::waited::taken);
  }
  CHECK_EQUAL(text, "a b c d e f g h i j k l m n o p");
}

/* Many calls, few connections: the test counts them. */
void queue_capped() {
  const modelwire::client client(modelwire::config().limit(modelwire::limit::connections, 4));
  const modelwire::queue queue;
  std::vector<modelwire::call> calls;
  std::vector<std::string> texts(50);
  for (std::uint64_t tag = 0; tag < texts.size(); tag++) {
    calls.push_back(queue.submit(client, ask("echo", std::to_string(tag)), tag));
  }
  for (std::size_t done = 0; done < texts.size();) {
    const auto event = queue.next(60s);
    CHECK(event && !event->error());
    texts[event->tag()] += event->text();
    done += event->is_done();
  }
  for (std::size_t tag = 0; tag < texts.size(); tag++) CHECK_EQUAL(texts[tag], std::to_string(tag));
}

/* Eight calls at the same time on a service that takes two a second: all are answered. */
void queue_adaptive() {
  const modelwire::client client(modelwire::config().retry_adaptive());
  const modelwire::queue queue;
  std::vector<modelwire::call> calls;
  for (std::uint64_t tag = 0; tag < 8; tag++) {
    calls.push_back(queue.submit(client, ask("limited", "a b"), tag, modelwire::mode::whole));
  }
  for (std::size_t done = 0; done < calls.size(); done++) {
    const auto event = queue.next(60s);
    CHECK(event && event->is_done() && !event->error());
  }
}
