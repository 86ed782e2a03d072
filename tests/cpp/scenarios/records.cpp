/*
 * What calls tell at their ends, to a lambda of their client and out of a queue.
 */
#include "check.hpp"

#include <atomic>
#include <future>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

/* What a lambda was told, for the test to take one by one. */
class book {
 public:
  void put(const modelwire::call_record& record) { all_->next.at(all_->told++).set_value(record); }
  modelwire::call_record next() {
    auto found = all_->next.at(all_->taken++).get_future();
    CHECK(found.wait_for(60s) == std::future_status::ready);
    return found.get();
  }
  std::size_t told() const { return all_->told; }
  /* Counts copies of the lambda that live. */
  long alive() const { return all_.use_count() - 1; }

 private:
  struct shared {
    std::array<std::promise<modelwire::call_record>, 8> next;
    std::atomic<std::size_t> told{0};
    std::size_t taken = 0;
  };
  std::shared_ptr<shared> all_ = std::make_shared<shared>();
};

static book listen(const modelwire::client& client) {
  book notes;
  client.on_call([notes](const modelwire::call_record& record) mutable { notes.put(record); });
  return notes;
}

/* A member, as JSON; null where there is none. */
static void member(const char* name, std::optional<std::string> text) {
  std::cout << ",\"" << name << "\":";
  if (text) {
    std::cout << '"' << *text << '"';
  } else {
    std::cout << "null";
  }
}

static void member(const char* name, std::uint64_t number) {
  std::cout << ",\"" << name << "\":" << number;
}

template <class T>
static void number(const char* name, std::optional<T> number) {
  std::cout << ",\"" << name << "\":";
  if (number) {
    std::cout << *number;
  } else {
    std::cout << "null";
  }
}

static void time(const char* name, std::optional<std::chrono::microseconds> time) {
  number(name, time ? std::optional(time->count()) : std::nullopt);
}

/* The members of a record as the wrapper read them, as a JSON object of the names that they have in C. No
 * text of the vectors needs an escape. */
static void print(const modelwire::call_record& record) {
  std::cout << "{\"streamed\":" << (record.streamed ? "true" : "false") << ",\"attempts\":[";
  for (const auto& one : record.attempts) {
    std::cout << (&one == record.attempts.data() ? "" : ",") << "{\"start_us\":" << one.start.count();
    number("status", one.status);
    member("kind", one.kind);
    member("base_url", one.base_url);
    time("end_us", one.end);
    std::cout << '}';
  }
  std::cout << "],\"waits\":[";
  for (const auto& one : record.waits) {
    std::cout << (&one == record.waits.data() ? "" : ",") << "{\"reason\":\"" << one.reason << "\"}";
    CHECK(one.length > 0us);
  }
  std::cout << "],\"chunk_times_us\":[";
  for (const auto& one : record.chunk_times) {
    std::cout << (&one == record.chunk_times.data() ? "" : ",") << one.count();
  }
  std::cout << ']';
  member("operation", record.operation);
  member("path", record.path);
  member("model", record.model);
  member("attempts_count", record.attempts_count);
  time("first_chunk_us", record.first_chunk);
  time("last_chunk_us", record.last_chunk);
  member("chunks", record.chunks);
  time("elapsed_us", record.elapsed);
  member("kind", record.kind);
  number("status", record.status);
  member("request_id", record.request_id);
  member("response_id", record.response_id);
  member("response_model", record.response_model);
  member("finish_reason", record.finish_reason);
  member("metered", record.metered);
  member("bytes_out", record.bytes_out);
  member("bytes_in", record.bytes_in);
  member("cancelled_by", record.cancelled_by);
  std::cout << ",\"usage\":";
  if (record.usage) {
    std::cout << "{\"input_tokens\":" << record.usage->input_tokens;
    member("output_tokens", record.usage->output_tokens);
    member("total_tokens", record.usage->total_tokens);
    std::cout << '}';
  } else {
    std::cout << "null";
  }
  std::cout << "}\n";
}

static modelwire::request request_of(const std::string& operation, const std::string& body) {
  if (operation == "models") return modelwire::request::models();
  return operation == "chat" ? modelwire::request::chat_json(body)
                             : modelwire::request::responses_json(body);
}

/* The vectors, which the test gives on standard input: each five lines, the base URL, the operation, the way,
 * the options and the request. A record is a line. */
void records_of_the_vectors() {
  std::string base_url, operation, way, options, body;
  while (std::getline(std::cin, base_url) && std::getline(std::cin, operation) &&
         std::getline(std::cin, way) && std::getline(std::cin, options) &&
         std::getline(std::cin, body)) {
    const modelwire::client client(modelwire::config().base_url(base_url).api_key("sk-test"));
    book notes = listen(client);
    auto request = request_of(operation, body);
    request.options(options);
    std::optional<modelwire::call_record> timing;
    try {
      if (way == "whole" || way == "underneath") {
        if (way == "underneath") request.stream_only();
        timing = client.run(request).timing();
      } else {
        auto stream = client.stream(request.gather(way == "gather"));
        for (auto&& chunk : stream) {
          if (way == "cancel" && chunk.is_chunk()) stream.cancel();
        }
        timing = stream.response().timing();
      }
    } catch (const modelwire::error& error) {
      timing = error.timing();
    }
    const auto record = notes.next();
    CHECK_EQUAL(record.json, timing->json);
    CHECK_EQUAL(record.dropped, 0u);
    const auto now = std::chrono::system_clock::now();
    CHECK(record.start <= now && now - record.start < 1h);
    print(record);
  }
}

void a_record_names_who_ended_the_call() {
  const modelwire::client client;
  book notes = listen(client);
  const auto begun = [&] {
    auto began = std::make_shared<std::promise<void>>();
    auto call = client.start(ask("m"), [began](const modelwire::event_view& event) {
      if (event.is_chunk()) began->set_value();
    });
    began->get_future().wait();
    return call;
  };
  {
    const auto call = begun();
    std::thread([&] { call.cancel(); }).join();
    CHECK_EQUAL(notes.next().cancelled_by.value(), "program");
  }
  begun();  // and destroyed
  CHECK(notes.next().cancelled_by.has_value());
  const auto call = begun();
  CHECK(client.close(PROMPT));
  // The close has waited for the lambda as well.
  CHECK_EQUAL(notes.told(), 3u);
  CHECK_EQUAL(notes.alive(), 0);
  CHECK_EQUAL(notes.next().cancelled_by.value(), "closed");
  const auto refused = failure_of(kind::closed, [&] { listen(client); });
  CHECK(!refused.timing());
  client.end_on_call();
}

void on_call_runs_on_a_separate_thread() {
  const modelwire::client client;
  book notes;
  std::promise<void> answered;
  client.on_call([&, notes](const modelwire::call_record& record) mutable {
    notes.put(record);
    if (notes.told() > 1) return;
    failure_of(kind::callback, [&] { client.close(0ms); });
    failure_of(kind::callback, [] { modelwire::shutdown(0ms); });
    client.run(ask());
    answered.set_value();
    throw thrown_by_test{1};  // lost
  });
  client.run(ask());
  answered.get_future().wait();  // a closed client would refuse it
  for (int i = 0; i < 2; i++) client.run(ask());
  CHECK(client.close(PROMPT));
  CHECK(notes.told() == 4 && notes.alive() == 0);
}

void a_client_has_one_on_call_callback_at_a_time() {
  std::optional<modelwire::client> client(std::in_place);
  book first = listen(*client);
  client->run(ask());
  book second = listen(*client);
  client->run(ask());
  second.next();
  // One at a time, in order.
  CHECK(first.told() == 1 && first.alive() == 0);
  book third;
  client->on_call([third](const modelwire::call_record& record) mutable {
    third.put(record);
    return modelwire::flow::stop;
  });
  for (int i = 0; i < 3; i++) client->run(ask());
  eventually([&] { return third.told() > 0; });  // who is taken away before that is told nothing
  client->end_on_call();
  book fourth = listen(*client);
  client->run(ask());
  fourth.next();
  CHECK(third.told() == 1 && third.alive() == 0 && second.alive() == 0);
  client.reset();
  eventually([&] { return fourth.alive() == 0; });
}

void a_queue_follows_the_calls_of_clients() {
  const modelwire::client client;
  const modelwire::queue queue;
  queue.follow_calls(client, 10);
  queue.submit(client, ask("echo", "x"), 7, modelwire::mode::whole);
  bool is_answered = false, is_told = false;
  while (!is_answered || !is_told) {
    const auto event = queue.next(60s);
    CHECK(event->is_call() == event->record().has_value());
    is_told = is_told || event->is_call();
    is_answered = is_answered || event->is_response();
    CHECK_EQUAL(event->tag(), event->is_call() ? 10u : 7u);
  }
  client.run(ask());
  queue.ignore_calls(client);
  client.run(ask());
  CHECK(!queue.next(0ms));
  queue.follow_calls(client);
  client.run(ask());
  queue.close();
  const auto last = queue.next(60s); // which the queue may be told of a moment after its caller
  CHECK(last && last->is_call());
  CHECK(queue.next(0ms).is_closed());
  CHECK(!queue.try_follow_calls(client));
}

void a_forked_child_gets_no_records_of_its_parent() {
  const modelwire::client client;
  book notes = listen(client);
  client.run(ask());
  notes.next();
  const pid_t pid = fork();
  if (pid == 0) {
    client.run(ask());
    book own = listen(client);
    client.run(ask());
    client.close();
    _exit(own.told() == 1 && notes.told() == 1 && own.alive() == 0 ? 0 : 1);
  }
  int status = -1;
  CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  client.run(ask());
  client.close();
  CHECK(notes.told() == 2 && notes.alive() == 0);
}

void a_function_runs_before_each_attempt() {
  const modelwire::client client;
  auto seen = std::make_shared<std::atomic<int>>(0);
  client.before_attempt([seen](const modelwire::attempt_view& attempt) {
    CHECK(attempt.json().find("/chat/completions\"") != std::string_view::npos);
    CHECK(attempt.body().front() == '{');
    attempt.set_header("x-seen", std::to_string(++*seen));
    attempt.set_header("x-empty", std::string_view{});
  });
  client.run(ask());
  CHECK_EQUAL(seen->load(), 1);
  client.before_attempt([](const modelwire::attempt_view&) { return modelwire::flow::stop; });
  CHECK(seen.use_count() == 1);
  CHECK(client.try_run(ask()).error().kind() == modelwire::error_kind::callback);
  client.before_attempt([](const modelwire::attempt_view& attempt) { attempt.set_header("", "x"); });
  CHECK(client.try_run(ask()).error().kind() == modelwire::error_kind::callback);
  client.end_before_attempt();
  client.run(ask());
}
