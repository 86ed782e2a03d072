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

void an_answer_tells() {
  const modelwire::client client;
  book notes = listen(client);
  const auto answer = client.run(ask_usage("echo", "one two").tag(7));
  const auto record = notes.next();
  CHECK_EQUAL(record.tag, 7u);
  CHECK_EQUAL(record.dropped, 0u);
  CHECK_EQUAL(record.json, answer.timing()->json);
  CHECK_EQUAL(record.operation, "chat");
  CHECK_EQUAL(record.path, "/v1/chat/completions");
  CHECK_EQUAL(record.model.value(), "echo");
  CHECK_EQUAL(record.finish_reason.value(), "stop");
  CHECK_EQUAL(record.response_model.value(), "echo");
  CHECK_EQUAL(record.metered, "entered");
  CHECK(!record.kind && !record.cancelled_by && !record.streamed && !record.first_chunk);
  CHECK_EQUAL(record.status.value(), 200);
  CHECK_EQUAL(record.usage->total_tokens, answer.usage()->total_tokens);
  CHECK_EQUAL(record.attempts.size(), 1u);
  const auto& attempt = record.attempts[0];
  CHECK(attempt.end == record.elapsed && attempt.head <= attempt.first_byte);
  CHECK(attempt.status == 200 && !attempt.kind && attempt.address->rfind("127.0.0.1:", 0) == 0);
  CHECK(record.bytes_in > 0 && record.bytes_out > 0 && record.waits.empty());
  const auto now = std::chrono::system_clock::now();
  CHECK(record.start <= now && now - record.start < 1h);
}

void a_stream_tells_of_its_chunks() {
  const modelwire::client client;
  book notes = listen(client);
  std::uint64_t chunks = 0;
  for (auto&& chunk : client.stream(ask("echo", "one two").chunk_times())) chunks += chunk.is_chunk();
  const auto record = notes.next();
  CHECK(record.streamed && record.chunks == chunks);
  CHECK_EQUAL(record.chunk_times.size(), chunks);
  CHECK(record.chunk_times.front() == record.first_chunk);
  CHECK(record.chunk_times.back() == record.last_chunk && record.last_chunk <= record.elapsed);
}

void retries_tell_of_each_attempt() {
  const modelwire::client client;
  book notes = listen(client);
  client.run(ask("recovers"));
  const auto record = notes.next();
  CHECK_EQUAL(record.attempts.size(), 3u);
  CHECK_EQUAL(record.attempts_count, 3u);
  CHECK(record.attempts[0].kind && !record.attempts[2].kind);
  CHECK_EQUAL(record.waits.size(), 2u);
  CHECK_EQUAL(record.waits[1].reason, "retry");
  CHECK(record.waits[1].start > record.waits[0].start && record.waits[1].length > 0us);
  const auto error = failure_of(kind::server, [&] { client.run(ask("broken")); });
  const auto failed = notes.next();
  CHECK_EQUAL(failed.kind.value(), error.kind_name());
  CHECK_EQUAL(failed.status.value(), error.http_status());
  CHECK_EQUAL(failed.json, error.timing()->json);
  CHECK(!modelwire::error(MODELWIRE_E_ARGUMENT, "none").timing());
}

void it_tells_who_ended_a_call() {
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

void a_function_is_told_on_a_thread_of_its_own() {
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

void a_client_has_a_function_of_its_own() {
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
    CHECK(event->call_tag() == 7 && event->is_call() == event->record().has_value());
    is_told = is_told || event->is_call();
    is_answered = is_answered || event->is_response();
    if (event->is_call()) CHECK(event->tag() == 10 && event->record()->tag == 7);
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

void a_forked_child_is_told_nothing() {
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
