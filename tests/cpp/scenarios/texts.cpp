/*
 * Every text that the wrapper gives of a response, an event, an error or a log record, with what it
 * is in the responses that `text_samples` of tests/c/src scripts. A test names one that is missing.
 */
#include "check.hpp"

static void of_models(const modelwire::response& models) {
  CHECK_EQUAL(models.model_ids().at(0), "model-1");
  CHECK_EQUAL(models.json("/data/0/id"), "\"model-1\"");
}

static void of_answer(const modelwire::response& answer) {
  CHECK_EQUAL(answer.text(), "whole");
  CHECK_EQUAL(answer.json(), answer.json("").value());
  CHECK_EQUAL(answer.value().json(), answer.json());
  CHECK_EQUAL(answer.value().text("/choices/0/message/content"), "whole");
  CHECK_EQUAL(answer.finish_reason(), "stop");
  CHECK_EQUAL(answer.request_id(), "req_1");
  CHECK_EQUAL(answer.header("X-Request-Id"), "req_1");
  CHECK_EQUAL(answer.end_mark(), "document");
  CHECK_EQUAL(answer.headers().at(0).name, "content-type");
  CHECK_EQUAL(answer.headers().at(0).value, "application/json");
  CHECK_EQUAL(answer.tool_calls().at(0).id, "call_1");
  CHECK_EQUAL(answer.tool_calls().at(0).name, "search");
  CHECK_EQUAL(answer.tool_calls().at(0).arguments, "{\"q\":1}");
}

static void of_event(const modelwire::event_view& event) {
  CHECK_EQUAL(event.text(), "piece");
  CHECK_EQUAL(event.name(), "named");
  CHECK_EQUAL(event.json(), event.json("").value());
  CHECK_EQUAL(event.finish_reason(), "length");
  CHECK_EQUAL(event.tool_calls().at(0).id, "call_1");
  CHECK_EQUAL(event.tool_calls().at(0).name, "search");
  CHECK_EQUAL(event.tool_calls().at(0).arguments, "{\"q\":1}");
  CHECK(event.tool_calls().at(0).index == 0);
}

static void of_refusal(const modelwire::error& error) {
  CHECK_EQUAL(error.kind_name(), "invalid_request");
  CHECK_EQUAL(error.message(), "No.");
  CHECK_EQUAL(error.hint(),
              "Reproduce it with a minimal request, then add parameters one by one.");
  CHECK_EQUAL(error.type(), "a_type");
  CHECK_EQUAL(error.code(), "a_code");
  CHECK_EQUAL(error.param(), "a_param");
  CHECK_EQUAL(error.request_id(), "req_1");
  CHECK_EQUAL(error.header("X-Request-ID"), "req_1");
  CHECK_EQUAL(error.path(), "/scripts/s/v1/chat/completions");
  CHECK_EQUAL(error.model(), "echo");
  CHECK_EQUAL(error.metered(), "unknown");
  CHECK_EQUAL(error.body(),
              R"({"error":{"message":"No.","type":"a_type","code":"a_code","param":"a_param"}})");
  CHECK(contains(error.report(), "a_param"));
  CHECK_EQUAL(error.json(), error.info().json().value());
  CHECK_EQUAL(error.info().text("/kind"), "invalid_request");
  CHECK(!error.partial() && !error.timeout_name() && !error.header("x-absent"));
  // A copy of what stays somebody else's tells the same.
  modelwire_error* object = nullptr;
  CHECK(modelwire_value_new("{", 1, nullptr, &object) != MODELWIRE_OK);
  const modelwire::error copied(object);
  const auto adopted = modelwire::error::adopt(object);
  CHECK_EQUAL(copied.json(), adopted.json());
  CHECK(!copied.json().empty() && copied.report() == adopted.report());
}

static void of_broken_stream(const modelwire::error& error) {
  CHECK_EQUAL(error.partial(),
              "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"half\"},"
              "\"finish_reason\":null}]}");
}

static void of_timeout(const modelwire::error& error) {
  CHECK_EQUAL(error.timeout_name(), "first_byte_timeout");
}

void texts() {
  modelwire::client client;
  of_models(client.models());
  of_answer(client.run(ask()));
  int events = 0;
  client.stream(ask(), [&](const modelwire::event_view& event) {
    of_event(event);
    events++;
  });
  CHECK_EQUAL(events, 1);
  of_refusal(failure_of(kind::invalid_request, [&] { client.run(ask()); }));
  of_broken_stream(failure_of(kind::disconnected, [&] {
    client.stream(ask().gather(), [](const modelwire::event_view&) {});
  }));
  of_timeout(failure_of(kind::timed_out, [&] { client.run(ask().first_byte_timeout(300ms)); }));

  // An error of the wrapper's own, and one of no object at all.
  const modelwire::error own(MODELWIRE_E_CLOSED, "said", "done");
  CHECK_EQUAL(own.message(), "said");
  CHECK_EQUAL(own.hint(), "done");
  CHECK_EQUAL(own.metered(), "not_sent");
  CHECK_EQUAL(own.report(), "closed: said. Hint: done");
  CHECK(own.path().empty() && own.path().data() != nullptr && !own.model() && !own.body());
  CHECK(own.json().empty() && !own.info() && !own.header("x") && own.http_status() == 0);
  const modelwire::error none(nullptr);
  CHECK_EQUAL(none.report(), none.what());
  CHECK(none.message().empty() && !none.code());
}
