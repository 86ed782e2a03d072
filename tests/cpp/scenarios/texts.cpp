/*
 * Every text that the library gives of a response, an event or an error: one line for each, with
 * the C function that it comes from and with what it is in the responses that `text_samples` of
 * tests/c/src scripts.
 *
 * A text that is missing here is named by a test.
 */
#include "check.hpp"

/* The C function is named for the test that looks for what is missing. */
#define TEXT(function, value, expected) (static_cast<void>(function), CHECK_EQUAL(value, expected))

static void of_answer(const modelwire::response& answer) {
  const auto header = answer.headers().at(0);
  const auto call = answer.tool_calls().at(0);
  TEXT(modelwire_response_json, answer.json(), answer.json("").value());
  TEXT(modelwire_response_text, answer.text(), "whole");
  TEXT(modelwire_response_finish_reason, answer.finish_reason(), "stop");
  TEXT(modelwire_response_request_id, answer.request_id(), "req_1");
  TEXT(modelwire_response_end, answer.end_mark(), "document");
  TEXT(modelwire_response_header_name, header.name, "content-type");
  TEXT(modelwire_response_header_value, header.value, "application/json");
  TEXT(modelwire_response_tool_call_id, call.id, "call_1");
  TEXT(modelwire_response_tool_call_name, call.name, "search");
  TEXT(modelwire_response_tool_call_arguments, call.arguments, R"({"q":1})");
}

static void of_event(const modelwire::event_view& event) {
  const auto call = event.tool_calls().at(0);
  TEXT(modelwire_event_json, event.json(), event.json("").value());
  TEXT(modelwire_event_text, event.text(), "piece");
  TEXT(modelwire_event_name, event.name(), "named");
  TEXT(modelwire_event_finish_reason, event.finish_reason(), "length");
  TEXT(modelwire_event_tool_call_id, call.id, "call_1");
  TEXT(modelwire_event_tool_call_name, call.name, "search");
  TEXT(modelwire_event_tool_call_arguments, call.arguments, R"({"q":1})");
}

static void of_refusal(const modelwire::error& error) {
  TEXT(modelwire_error_message, error.message(), "No.");
  TEXT(modelwire_error_hint, error.hint(),
       "Reproduce with a minimal request, then add parameters one by one. Some models answer only "
       "by streaming.");
  TEXT(modelwire_error_type, error.type(), "a_type");
  TEXT(modelwire_error_code, error.code(), "a_code");
  TEXT(modelwire_error_param, error.param(), "a_param");
  TEXT(modelwire_error_request_id, error.request_id(), "req_1");
  TEXT(modelwire_error_path, error.path(), "/scripts/s/v1/chat/completions");
  TEXT(modelwire_error_model, error.model(), "echo");
  TEXT(modelwire_error_metered, error.metered(), "unknown");
  TEXT(modelwire_error_body, error.body(),
       R"({"error":{"message":"No.","type":"a_type","code":"a_code","param":"a_param"}})");
  TEXT(modelwire_error_report, contains(error.report(), "a_param"), true);
  CHECK(!error.partial() && !error.timeout());
}

static void of_broken_stream(const modelwire::error& error) {
  TEXT(modelwire_error_partial, error.partial(),
       R"({"choices":[{"index":0,"message":{"role":"assistant","content":"half"},)"
       R"("finish_reason":null}]})");
}

static void of_timeout(const modelwire::error& error) {
  TEXT(modelwire_error_timeout, error.timeout(), "first_byte_timeout");
}

void texts() {
  modelwire::client client;
  TEXT(modelwire_response_model_id, client.models().model_ids().at(0), "model-1");
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
  of_timeout(failure_of(kind::timeout, [&] { client.run(ask().first_byte_timeout(300ms)); }));

  // An error of the wrapper's own, and one of no object at all.
  const modelwire::error own(MODELWIRE_E_CLOSED, "said", "done");
  CHECK_EQUAL(own.message(), "said");
  CHECK_EQUAL(own.hint(), "done");
  CHECK_EQUAL(own.metered(), "not_sent");
  CHECK_EQUAL(own.report(), "closed: said");
  CHECK(own.path().empty() && own.path().data() != nullptr && !own.model() && !own.body());
  const modelwire::error none(nullptr);
  CHECK_EQUAL(none.report(), none.what());
  CHECK(none.message().empty() && !none.code());
}
