/*
 * The completion queue: with an event loop, with threads, closed.
 */
#include "check.hpp"

#include <atomic>
#include <csignal>
#include <limits>
#include <pthread.h>
#include <sys/epoll.h>
#include <thread>
#include <unistd.h>

static constexpr std::uint64_t STREAMS = 100;

/* One thread, one epoll, a hundred streams. */
void queue_epoll() {
  const modelwire::client client;
  const modelwire::queue queue;
  std::vector<std::string> texts(STREAMS);
  for (std::uint64_t i = 0; i < STREAMS; i++) {
    queue.submit(client, ask_usage("echo", "stream " + std::to_string(i)), i);
  }
  CHECK_EQUAL(queue.count(), STREAMS);
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
      if (!event->is_last()) continue;
      CHECK(!event->error());
      CHECK_EQUAL(event->response().usage()->total_tokens, 4u);
      done++;
    }
  }
  for (std::uint64_t i = 0; i < STREAMS; i++) {
    CHECK_EQUAL(texts[i], "stream " + std::to_string(i));
  }
  CHECK_EQUAL(queue.count(), 0u);
  close(loop);
}

/* Whole responses, submitted in each way and taken many at a time. */
void queue_take() {
  const modelwire::client client;
  const modelwire::queue queue;
  for (std::uint64_t tag = 1; tag <= 40; tag++) {
    const auto text = std::to_string(tag);
    if (tag % 2 == 0) {
      queue.submit(client, ask("echo", text), tag, modelwire::mode::whole);
    } else {
      const auto json = R"({"model":"echo","input":")" + text + "\"}";
      queue.submit(client, modelwire::operation::responses, json, tag, modelwire::mode::whole);
    }
  }
  std::vector<modelwire::event> events;
  std::uint64_t tags = 0, count = 0;
  while (count < 40) {
    const auto how = queue.take(events, modelwire::unlimited, count < 20 ? 3 : 50);
    CHECK(how == modelwire::waited::taken);
    CHECK(!events.empty());
    if (count < 20) CHECK(events.size() <= 3);
    for (auto& event : events) {
      CHECK(event.is_last());
      CHECK_EQUAL(event.response().text(), std::to_string(event.tag()));
      tags += event.tag();
      count++;
    }
  }
  CHECK_EQUAL(tags, 40u * 41u / 2u);
  CHECK(queue.take(events, 0ms) == modelwire::waited::timed_out && events.empty());
  failure_of(kind::argument, [&] { queue.take(events, 0ms, 0); });
  // An event outlives its queue and its call.
  modelwire::event kept;
  {
    const modelwire::queue other;
    other.submit(client, ask("echo", "kept"), 41, modelwire::mode::whole);
    kept = *other.next();
  }
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
  CHECK(std::chrono::steady_clock::now() - begin < PROMPT);  // clock: bounds a hang
}

void queue_close() {
  const modelwire::client client;
  modelwire::queue queue;
  queue.submit(client, ask("m"), 5);
  auto first = queue.next();
  CHECK(first && first->is_chunk());
  CHECK_EQUAL(first->tag(), 5u);
  queue.close();
  wait_for_cue();
  int done = 0;
  while (auto event = queue.next()) {
    if (!event->is_last()) continue;
    CHECK(event->error()->kind() == kind::cancelled && !event->response());
    done++;
  }
  CHECK_EQUAL(done, 1);
  CHECK(queue.next(0ms).is_closed());
  std::vector<modelwire::event> events;
  CHECK(queue.take(events) == modelwire::waited::closed);
  failure_of(kind::closed, [&] { queue.submit(client, ask("m"), 5); });
  // Destroying a queue, or cancelling a call, ends what is under way.
  auto other = modelwire::queue();
  other.submit(client, ask("m"), 1);
  CHECK((*other.next()).is_chunk());
  other = modelwire::queue();
  other.submit(client, ask("m"), 6);
  CHECK((*other.next()).is_chunk());
  CHECK(other.cancel(6));
  auto last = other.next(PROMPT);
  while (last && last->is_chunk()) last = other.next(PROMPT);
  CHECK(last && last->is_error() && last->tag() == 6);
  CHECK(last->error()->kind() == kind::cancelled);
}

/* A tag names one unfinished call; when that is over it is free again. */
void queue_tags() {
  const modelwire::client client;
  const modelwire::queue queue;
  const std::uint64_t highest = std::numeric_limits<std::uint64_t>::max();
  CHECK(!queue.cancel(highest) && !queue.pause(highest) && !queue.resume(highest));
  queue.submit(client, ask(), highest);
  failure_of(kind::argument, [&] { queue.submit(client, ask(), highest); });
  CHECK_EQUAL(queue.count(), 1u);
  for (bool is_over = false; !is_over;) {
    const auto event = queue.next();
    CHECK(event->tag() == highest && !event->error());
    is_over = event->is_last();
  }
  CHECK_EQUAL(queue.count(), 0u);
  // What is wrong comes as the last event.
  queue.submit(client, modelwire::operation::chat, "{", highest);
  const auto wrong = queue.next();
  CHECK(wrong->is_error() && wrong->tag() == highest);
  CHECK(wrong->error()->kind() == kind::argument);
  CHECK_EQUAL(wrong->text(), wrong->error()->message());
  CHECK_EQUAL(wrong->json(), wrong->error()->json());
  queue.submit(client, modelwire::operation::models, {}, highest, modelwire::mode::whole);
  const auto list = queue.next();
  CHECK(list->is_response() && !list->error());
  CHECK_EQUAL(list->response().model_ids().at(0), "echo");
  failure_of(kind::argument,
             [&] { queue.submit(client, static_cast<modelwire::operation>(9), "{}", 1); });
  CHECK(!queue.cancel(highest));
}

/* A call that is paused keeps its events; the others go on. */
void queue_pause() {
  const modelwire::client client;
  const modelwire::queue queue;
  std::string texts[3];
  const auto take_until_last = [&](std::uint64_t tag) {
    while (true) {
      const auto event = queue.next(60s);
      CHECK(event && (event->tag() == tag || event->tag() == 2));
      if (event->is_chunk()) texts[event->tag()] += event->text();
      if (event->is_last() && event->tag() == tag) return event->is_error();
    }
  };
  queue.submit(client, ask("echo", "a b c d e f"), 1);
  CHECK(queue.pause(1));
  queue.submit(client, ask("echo", "g h i"), 2);
  CHECK(!take_until_last(2));
  CHECK(!queue.next(100ms));
  CHECK(texts[1].empty() && queue.count() == 1);
  CHECK(queue.resume(1));
  CHECK(!take_until_last(1));
  CHECK_EQUAL(texts[1], "a b c d e f");
  CHECK_EQUAL(texts[2], "g h i");
  // Cancelling ends a pause.
  queue.submit(client, ask("slow", "a b c d e f g h i j k l m n o p q r s t u v w x y z"), 1);
  CHECK(queue.pause(1) && queue.cancel(1));
  CHECK(take_until_last(1));
}

/* The log as events of a queue; it does not contain the key. */
void queue_log() {
  const modelwire::client client;
  const modelwire::queue queue;
  queue.log(modelwire::log_level::trace, 77);
  client.chat("echo", "x");
  int records = 0;
  for (auto event = queue.next(PROMPT); event; event = queue.next(0ms)) {
    CHECK(event->is_log() && event->tag() == 77 && !event->is_last());
    const auto record = event->log();
    CHECK(record && record->level >= modelwire::log_level::error);
    CHECK(!record->target.empty() && !record->message.empty());
    CHECK(!contains(record->message, "sk-test"));
    CHECK(record->time.time_since_epoch() > 1h);
    CHECK_EQUAL(record->target, event->name());
    CHECK_EQUAL(event->info().text("/message"), record->message);
    records++;
  }
  CHECK(records > 1);
  CHECK_EQUAL(queue.count(), 0u);
  queue.log(modelwire::log_level::off);
  while (queue.next(0ms)) continue;
  client.chat("echo", "x");
  CHECK(!queue.next(0ms));
  failure_of(kind::argument, [&] { queue.log(static_cast<modelwire::log_level>(99)); });
}

static const modelwire::queue* woken_in_handler = nullptr;

/* A signal ends an interruptible wait, and its handler may wake the queue; the call goes on. */
void queue_interrupted() {
  const modelwire::client client;
  const modelwire::queue queue(modelwire::wait_flags::interruptible |
                               modelwire::wait_flags::socket);
  woken_in_handler = &queue;
  struct sigaction action {};
  action.sa_handler = [](int) { woken_in_handler->wakeup(); };
  CHECK(sigaction(SIGUSR1, &action, nullptr) == 0);
  CHECK(raise(SIGUSR1) == 0);
  CHECK(queue.next(PROMPT).how() == modelwire::waited::interrupted);
  queue.submit(client, ask("echo", "goes on"), 1, modelwire::mode::whole);
  const pthread_t self = pthread_self();
  action.sa_handler = [](int) {};
  CHECK(sigaction(SIGUSR1, &action, nullptr) == 0);
  // It looks up now and then by itself.
  auto answer = queue.next(PROMPT);
  while (answer.how() == modelwire::waited::interrupted) answer = queue.next(PROMPT);
  CHECK(answer && answer->text() == "goes on");
  std::thread killer([&] { CHECK(pthread_kill(self, SIGUSR1) == 0); });
  CHECK(queue.next(PROMPT).how() == modelwire::waited::interrupted);
  killer.join();
}

void queue_threads() {
  const modelwire::client client;
  const modelwire::queue queue;
  for (std::uint64_t i = 0; i < STREAMS; i++) queue.submit(client, ask(), i);
  std::atomic<std::uint64_t> done = 0;
  std::vector<std::thread> takers;
  for (int i = 0; i < 4; i++) {
    takers.emplace_back([&] {
      while (auto event = queue.next()) {
        if (event->is_last() && ++done == STREAMS) queue.close();
      }
    });
  }
  for (auto& taker : takers) taker.join();
  CHECK_EQUAL(done.load(), STREAMS);
}

/* The smallest limit on what waits, and a reader that comes late: nothing is lost. */
void queue_limit() {
  const modelwire::client client(modelwire::config().queue_events_max(2));
  const modelwire::queue queue;
  queue.submit(client, ask("echo", "a b c d e f g h i j k l m n o p"), 0);
  std::this_thread::sleep_for(100ms);  // clock: the slowness itself
  std::vector<modelwire::event> events;
  CHECK(queue.take(events) == modelwire::waited::taken);
  std::string text;
  for (bool is_done = false; !is_done;) {
    for (auto& event : events) {
      text += event.text();
      is_done = is_done || event.is_last();
    }
    if (!is_done) CHECK(queue.take(events) == modelwire::waited::taken);
  }
  CHECK_EQUAL(text, "a b c d e f g h i j k l m n o p");
}

/* Many calls, few connections: the test counts them. */
void queue_capped() {
  const modelwire::client client(modelwire::config().connections_max(4));
  const modelwire::queue queue;
  std::vector<std::string> texts(50);
  for (std::uint64_t tag = 0; tag < texts.size(); tag++) {
    queue.submit(client, ask("echo", std::to_string(tag)), tag);
  }
  for (std::size_t done = 0; done < texts.size();) {
    const auto event = queue.next(60s);
    CHECK(event && !event->error());
    if (event->is_chunk()) texts[event->tag()] += event->text();
    done += event->is_last();
  }
  for (std::size_t tag = 0; tag < texts.size(); tag++) CHECK_EQUAL(texts[tag], std::to_string(tag));
}

/* Ten calls at the same time on a service that takes two a second: all are answered. */
void queue_adaptive() {
  const modelwire::client client(modelwire::config().retry_adaptive());
  const modelwire::queue queue;
  for (std::uint64_t tag = 0; tag < 10; tag++) {
    queue.submit(client, ask("limited", "a b"), tag, modelwire::mode::whole);
  }
  for (int done = 0; done < 10; done++) {
    const auto event = queue.next(60s);
    CHECK(event && event->is_last() && !event->error());
  }
}
