/*
 * Every text that the library gives of a response, an event or an error, by the list that the tests of
 * C have as well. A text that is missing in both is named by a test.
 */
#include "../../c/scenarios/texts.h"

#include "check.hpp"

/* The C function is named for the test that looks for what is missing. */
#define TEXT(function, value, expected)                                   \
  (static_cast<void>(function), CHECK_EQUAL(value, expected));

static void of_models(const modelwire::response& models) {
  TEXTS_OF_MODELS(TEXT, TEXT, TEXT, TEXT)
}

static void of_answer(const modelwire::response& answer) {
  TEXT(modelwire_response_json, answer.json(), answer.json("").value())
  TEXTS_OF_ANSWER(TEXT, TEXT, TEXT, TEXT)
}

static void of_event(const modelwire::event_view& event) {
  TEXT(modelwire_event_json, event.json(), event.json("").value())
  TEXTS_OF_EVENT(TEXT, TEXT, TEXT, TEXT)
}

static void of_refusal(const modelwire::error& error) {
  TEXTS_OF_REFUSAL(TEXT, TEXT, TEXT, TEXT)
  TEXT(modelwire_error_model, error.model(), "echo")
  TEXT(modelwire_error_report, contains(error.report(), "a_param"), true)
  CHECK(!error.partial() && !error.timeout());
}

static void of_broken_stream(const modelwire::error& error) {
  TEXTS_OF_BROKEN_STREAM(TEXT, TEXT, TEXT, TEXT)
}

static void of_timeout(const modelwire::error& error) {
  TEXTS_OF_TIMEOUT(TEXT, TEXT, TEXT, TEXT)
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
  of_timeout(failure_of(kind::timeout, [&] { client.run(ask().first_byte_timeout(300ms)); }));

  // An error of the wrapper's own, and one of no object at all.
  const modelwire::error own(MODELWIRE_E_CLOSED, "said", "done");
  CHECK_EQUAL(own.message(), "said");
  CHECK_EQUAL(own.hint(), "done");
  CHECK_EQUAL(own.metered(), "not_sent");
  CHECK_EQUAL(own.report(), "closed: said. Hint: done");
  CHECK(own.path().empty() && own.path().data() != nullptr && !own.model() && !own.body());
  const modelwire::error none(nullptr);
  CHECK_EQUAL(none.report(), none.what());
  CHECK(none.message().empty() && !none.code());
}
