/*
 * The lives of handles: moved, adopted, given away, empty, shared, destroyed in any order.
 */
#include "check.hpp"

#include <csignal>
#include <thread>

/* Moves a handle to itself, which changes nothing; the compiler must not see that. */
template <class Handle>
static void move_to_itself(Handle& handle) {
  Handle* same = &handle;
  handle = std::move(*same);
}

/* The sanitizer sees what is used after a move, which is what this is about. */
void moves() {
  modelwire::config config;
  modelwire::client client;
  auto request = ask();
  modelwire::queue queue;
  auto call = client.call(request);
  auto response = client.run(request);
  auto stream = client.stream(request);
  modelwire::value value("[1]");
  queue.submit(client, request, 1);
  auto event = *queue.next();
  move_to_itself(config);
  move_to_itself(client);
  move_to_itself(request);
  move_to_itself(queue);
  move_to_itself(call);
  move_to_itself(response);
  move_to_itself(stream);
  move_to_itself(event);
  move_to_itself(value);
  CHECK(config && client && request && queue && call && response && event && value);
  CHECK_EQUAL(client.run(request).text(), "x");
  CHECK_EQUAL(response.text(), "x");
  CHECK(event.is_chunk() && stream.next() != nullptr);

  modelwire::config config2 = std::move(config);
  modelwire::client client2 = std::move(client);
  modelwire::request request2 = std::move(request);
  modelwire::queue queue2 = std::move(queue);
  modelwire::call call2 = std::move(call);
  modelwire::response response2 = std::move(response);
  modelwire::stream stream2 = std::move(stream);
  modelwire::event event2 = std::move(event);
  modelwire::value value2 = std::move(value);
  CHECK(!config && !client && !request && !queue && !call && !response && !event && !value);

  // What was moved from says so, and what it was moved to works.
  const auto says = [](std::string_view part, auto&& body) {
    const auto error = failure_of(kind::argument, body);
    if (contains(error.message(), part)) return;
    check_failed(__FILE__, __LINE__, part.data(), error.report());
  };
  says("moved from", [&] { modelwire::client made(config); });
  says("moved from", [&] { modelwire::client(config.base_url("http://localhost/v1")); });
  says("client is NULL", [&] { client.run(request2); });
  says("client is NULL", [&] { (void)client.stream(request2); });
  says("moved from", [&] { client2.run(request); });
  says("moved from", [&] { client2.run(request.user("x").max_tokens(3)); });
  says("call is NULL", [&] { call.run(); });
  says("call is NULL", [&] { call.stream([](auto&&) {}); });
  says("call is NULL", [&] { call.start([](auto&&) {}); });
  says("queue is NULL", [&] { queue.submit(client2, request2, 1); });
  says("queue is NULL", [&] { queue.log(modelwire::log_level::error); });
  says("client is NULL", [&] { queue2.submit(client, request2, 2); });
  says("client is NULL", [&] { client.close(); });
  says("moved from", [&] { (void)queue.next(); });
  says("moved from", [&] { stream.next(); });
  says("moved from", [&] { (void)stream.response(); });
  call.cancel();
  call.wakeup();
  stream.cancel();
  stream.close();
  CHECK(stream.is_over() && stream.fd() == -1);
  queue.wakeup();
  queue.close();
  CHECK(!queue.cancel(1) && !queue.pause(1) && !queue.resume(1) && queue.count() == 0);
  CHECK(!value.json() && value2.get<std::int64_t>("/0") == 1);
  CHECK_EQUAL(queue.fd(), -1);
  CHECK_EQUAL(client.usage().calls, 0u);
  CHECK(response.text().empty() && event.json().empty());
  CHECK_EQUAL(call2.run().text(), "x");
  CHECK_EQUAL(response2.text(), "x");
  CHECK(event2.is_chunk() && config2.json() == "{}");
  std::string rest;
  for (auto&& chunk : stream2) rest += chunk.text();
  CHECK_EQUAL(rest, "x");
  // One can be filled again.
  client = std::move(client2);
  request = std::move(request2);
  CHECK_EQUAL(client.run(request).text(), "x");
}

/* C objects go in and out; each has one owner at every moment. */
void adoption() {
  modelwire_value* number = modelwire::value("7").release();
  const modelwire::value adopted(number);
  CHECK(adopted.get() == number && adopted.get<double>("") == 7);
  modelwire_client* raw = modelwire::client().release();
  const modelwire::client client(raw);
  modelwire::request request(ask("echo", "adopted").release());
  modelwire::call call(client.call(request).release());
  modelwire_response* answer = call.run().release();
  CHECK_EQUAL(modelwire::response_view(answer).text(), "adopted");
  CHECK_EQUAL(modelwire::response(answer).text(), "adopted");
  const modelwire::queue queue(modelwire::queue().release());
  queue.submit(client, request, 1, modelwire::mode::whole);
  modelwire_event* event = (*queue.next()).release();
  CHECK_EQUAL(modelwire::event_view(event).response().text(), "adopted");
  CHECK(modelwire::event(event).is_response());
  modelwire_error* failure = nullptr;
  CHECK(modelwire_call_run(call.get(), &answer, &failure) == MODELWIRE_E_ARGUMENT);
  CHECK(answer == nullptr);
  CHECK(contains(modelwire::error(failure).message(), "started before"));
  CHECK(modelwire::error::adopt(failure).kind() == kind::argument);
  CHECK(modelwire::error::adopt(nullptr).kind() == kind::internal);
  // A started call that is given away: its callback goes on with it.
  auto started = client.start(request, [](const modelwire::event_view&) {});
  modelwire_call* given = started.release();
  CHECK(given != nullptr && !started && started.wait());
  modelwire_call_free(given);
}

/* Views of nothing give nothing. */
void nothing() {
  const modelwire::response_view response;
  CHECK(!response && response.json().empty() && response.text().empty());
  CHECK(!response.finish_reason() && !response.request_id() && !response.header("x"));
  CHECK(response.headers().empty() && response.end_mark().empty() && !response.is_gathered());
  CHECK(response.tool_calls().empty() && !response.usage() && response.model_ids().empty());
  CHECK(!response.json("/a") && !response.get<std::string>("/a") && response.count("") == 0);
  CHECK(!response.get<bool>("/a") && !response.get<double>("/a"));
  CHECK_EQUAL(response.http_status(), 0);
  const modelwire::event event;
  CHECK(!event && event.kind() == 0 && !event.is_chunk() && !event.is_last() && event.tag() == 0);
  CHECK(event.json().empty() && event.text().empty() && event.name().empty());
  CHECK(!event.finish_reason() && !event.usage() && event.tool_calls().empty());
  CHECK(!event.response() && !event.error() && !event.get<std::int64_t>("/a"));
  CHECK(!event.log() && !event.info() && !event.is_response() && !event.is_error());
  CHECK(modelwire::call().wait() && modelwire::call().thrown() == nullptr);
  modelwire::call().detach();
  modelwire::call().cancel();
  modelwire::call().wakeup();
  CHECK_EQUAL(modelwire::version_number(), std::uint32_t{MODELWIRE_VERSION_NUMBER});
}

void cancel_before() {
  const modelwire::client client;
  auto call = client.call(ask());
  call.cancel();
  const auto error = failure_of(kind::cancelled, [&] { call.run(); });
  CHECK_EQUAL(error.metered(), "not_sent");
}

void run_twice() {
  const modelwire::client client;
  auto call = client.call(ask("echo", "once"));
  const auto answer = call.run();
  CHECK(contains(failure_of(kind::argument, [&] { call.run(); }).message(), "started before"));
  failure_of(kind::argument, [&] { call.stream([](auto&&) {}); });
  CHECK_EQUAL(answer.text(), "once");
}

void threads() {
  const modelwire::client client;
  const auto request = ask("echo", "shared");
  std::vector<std::thread> all;
  for (int number = 0; number < 8; number++) {
    all.emplace_back([&, number] {
      for (int i = 0; i < 10; i++) {
        const auto text = std::to_string(number) + " " + std::to_string(i);
        CHECK_EQUAL(client.chat("echo", text).text(), text);
        std::string streamed;
        for (auto&& chunk : client.stream(request)) streamed += chunk.text();
        CHECK_EQUAL(streamed, "shared");
      }
    });
  }
  for (auto& thread : all) thread.join();
  CHECK_EQUAL(client.usage().calls, 160u);
}

/* Whatever goes first, the rest goes on. */
void free_order() {
  std::optional<modelwire::client> client(std::in_place);
  std::optional<modelwire::request> request(ask("echo", "one two"));
  auto stream = client->stream(*request);
  auto call = client->call(*request);
  request.reset();
  std::string started;
  auto other = client->start(ask("echo", "three"),
                             [&](const modelwire::event_view& event) { started += event.text(); });
  client.reset();
  std::string text;
  for (auto&& chunk : stream) text += chunk.text();
  CHECK_EQUAL(text, "one two");
  CHECK_EQUAL(call.run().text(), "one two");
  other.join();
  CHECK_EQUAL(started, "three");
}

void shut_down() {
  const modelwire::client client;
  // 20 s of it: no machine is so slow that it ends before the shutdown.
  std::string words;
  for (int i = 0; i < 100; i++) words += "word ";
  const auto answer = client.chat("echo", "before");
  auto stream = client.stream(ask("slow", words));
  bool is_told = false;
  auto started = client.start(ask("slow", words), [&](const auto& event) {
    if (event.is_last()) is_told = event.error()->kind() == kind::shutdown;
  });
  CHECK(stream.next() != nullptr);
  CHECK(modelwire::shutdown(30s) && modelwire::shutdown());
  started.join();
  CHECK(is_told);
  failure_of(kind::config, [] { modelwire::set_io_threads(0); });
  modelwire::set_io_threads(2);
  failure_of(kind::shutdown, [&] {
    while (stream.next() != nullptr) continue;
  });
  CHECK_EQUAL(answer.text(), "before");
  // It starts afresh, with what was made before.
  CHECK_EQUAL(client.chat("echo", "after").text(), "after");
  std::string text;
  for (auto&& chunk : client.stream(ask("echo", "after all"))) text += chunk.text();
  CHECK_EQUAL(text, "after all");
  CHECK(!modelwire::try_set_io_threads(1)); // two are running
}

static const modelwire::call* woken_in_handler = nullptr;

/* A signal handler ends the wait for a call, and not the call. */
void interrupted() {
  const modelwire::client client;
  const auto call = [&] { return client.call(ask("m"), modelwire::wait_flags::interruptible); };
  struct sigaction action {};
  action.sa_handler = [](int) { woken_in_handler->wakeup(); };
  CHECK(sigaction(SIGUSR1, &action, nullptr) == 0);
  const auto signal_for = [](const modelwire::call& of) {
    woken_in_handler = &of;
    CHECK(raise(SIGUSR1) == 0);
  };
  auto whole = call();
  signal_for(whole);
  const auto error = failure_of(kind::interrupted, [&] { whole.run(); });
  CHECK(error.status() == MODELWIRE_INTERRUPTED && error.kind_name() == "interrupted");
  whole.cancel();
  failure_of(kind::cancelled, [&] { whole.run(); });
  // A stream goes on behind the last chunk.
  auto streamed = call();
  std::string text;
  const auto add = [&](const modelwire::event_view& chunk) { text += chunk.text(); };
  while (text.empty()) failure_of(kind::interrupted, [&] { streamed.stream(add); });
  signal_for(streamed);
  failure_of(kind::interrupted, [&] { streamed.stream(add); });
  streamed.cancel();
  failure_of(kind::cancelled, [&] { streamed.stream(add); });
  CHECK_EQUAL(text, "one ");
  // And so does a started one.
  auto started = call();
  started.start([](const modelwire::event_view&) {});
  signal_for(started);
  CHECK(!started.wait(PROMPT));
  started.cancel();
  started.join();
}
