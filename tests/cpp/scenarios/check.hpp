/*
 * What all scenarios share: checks, requests, a text collector, the cue.
 */
#ifndef CHECK_HPP
#define CHECK_HPP

#include <modelwire.hpp>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

/* Ends the program with 1, and says where and why, if the condition does not hold. */
#define CHECK(condition) \
  ((condition) ? (void)0 : check_failed(__FILE__, __LINE__, #condition, {}))

/* The same for two values that can be printed. */
#define CHECK_EQUAL(value, expected) check_equal(__FILE__, __LINE__, #value, (value), (expected))

[[noreturn]] inline void check_failed(const char* file, int line, const char* what,
                                      std::string_view why) {
  std::cerr << file << ':' << line << ": does not hold: " << what << ' ' << why << std::endl;
  std::_Exit(1);
}

template <class Value, class Expected>
void check_equal(const char* file, int line, const char* what, const Value& value,
                 const Expected& expected) {
  if (value == expected) return;
  std::cerr << file << ':' << line << ": " << what << " is not " << expected << " but ";
  if constexpr (std::is_same_v<Value, std::optional<std::string_view>> ||
                std::is_same_v<Value, std::optional<std::string>>) {
    std::cerr << value.value_or("nothing") << std::endl;
  } else {
    std::cerr << value << std::endl;
  }
  std::_Exit(1);
}

/* The error of this kind that the body has to throw. */
template <class Body>
modelwire::error failure_of(modelwire::error_kind kind, Body&& body,
                            const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  try {
    body();
  } catch (const modelwire::error& error) {
    if (error.kind() != kind) check_failed(file, line, "the kind", error.report());
    return error;
  }
  check_failed(file, line, "it throws", {});
}

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/* A chat with a played model. */
inline modelwire::request ask(std::string_view model = "echo", std::string_view text = "x") {
  return modelwire::request::chat(model).user(text);
}

/* Waits until the test says that the service is in the state that the scenario needs. */
inline void wait_for_cue() {
  std::string line;
  CHECK(static_cast<bool>(std::getline(std::cin, line)));
}

/* What is thrown to be found again: no std::exception, and it cannot be mistaken for another. */
struct thrown_by_test {
  int number;
};

/* Longest time between a cancel and its effect: bounds a hang, measures nothing. */
inline constexpr std::chrono::seconds PROMPT{10};

using kind = modelwire::error_kind;
using namespace std::chrono_literals;

#define SCENARIO(name) void name()
SCENARIO(models);
SCENARIO(chat);
SCENARIO(response);
SCENARIO(fields);
SCENARIO(nul_and_unicode);
SCENARIO(tools);
SCENARIO(usage);
SCENARIO(request_fields);
SCENARIO(options);
SCENARIO(stream_only);
SCENARIO(crossed);
SCENARIO(texts);

SCENARIO(pull);
SCENARIO(pull_response);
SCENARIO(pull_twice);
SCENARIO(pull_break);
SCENARIO(pull_close);
SCENARIO(pull_throw);
SCENARIO(pull_cancel);
SCENARIO(pull_slowly);
SCENARIO(pull_failures);
SCENARIO(pull_grammar);
SCENARIO(pull_novel);
SCENARIO(gathered);
SCENARIO(visit);
SCENARIO(visit_stop);
SCENARIO(visit_throw);
SCENARIO(visit_nested);

SCENARIO(start);
SCENARIO(start_whole);
SCENARIO(start_throw);
SCENARIO(start_throw_at_end);
SCENARIO(start_stop);
SCENARIO(start_cancel);
SCENARIO(start_destroy);
SCENARIO(start_detach);
SCENARIO(start_twice);
SCENARIO(start_inside);
SCENARIO(start_fork);
SCENARIO(logging);

SCENARIO(queue_epoll);
SCENARIO(queue_take);
SCENARIO(queue_wakeup);
SCENARIO(queue_close);
SCENARIO(queue_threads);
SCENARIO(queue_limit);
SCENARIO(queue_capped);

SCENARIO(wrong_key);
SCENARIO(no_key);
SCENARIO(not_found);
SCENARIO(refused);
SCENARIO(statuses);
SCENARIO(recovers);
SCENARIO(waits_too_long);
SCENARIO(lost_connections);
SCENARIO(connect_errors);
SCENARIO(stream_only_hint);
SCENARIO(envelopes);
SCENARIO(key_forms);
SCENARIO(bad_json);
SCENARIO(problems);
SCENARIO(timeouts);
SCENARIO(pool_timeout);
SCENARIO(report);
SCENARIO(report_stream);
SCENARIO(errors_travel);

SCENARIO(moves);
SCENARIO(adoption);
SCENARIO(nothing);
SCENARIO(cancel_before);
SCENARIO(run_twice);
SCENARIO(threads);
SCENARIO(free_order);
SCENARIO(shut_down);
#undef SCENARIO

#endif
