/*
 * What all scenarios share: checks, requests, a text collector, the cue.
 */
#ifndef CHECK_HPP
#define CHECK_HPP

#include <modelwire.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

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

/* The same, with the usage asked for: a chunk more where it streams. */
inline modelwire::request ask_usage(std::string_view model, std::string_view text) {
  return std::move(ask(model, text).set_json("stream_options", "{\"include_usage\":true}"));
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
inline constexpr std::chrono::seconds PROMPT{30};

/* Waits until something is so, however busy the machine is. */
template <typename Condition>
void eventually(Condition is_so) {
  const auto begun = std::chrono::steady_clock::now();
  while (!is_so()) {
    CHECK(std::chrono::steady_clock::now() - begun < PROMPT * 2);  // clock: bounds a hang
    std::this_thread::sleep_for(std::chrono::milliseconds(1));     // clock: between two looks
  }
}

using kind = modelwire::error_kind;
using namespace std::chrono_literals;

/* The names of all scenarios, for their declarations and for the table of main. */
#define ALL_SCENARIOS(NAME)                                                                    \
  /* answers.cpp, texts.cpp, accessors.cpp */                                                  \
  NAME(models) NAME(chat) NAME(response) NAME(fields) NAME(nul_and_unicode) NAME(tools)        \
  NAME(usage) NAME(request_fields) NAME(request_tools) NAME(options) NAME(stream_only) NAME(plain_and_streamed_answers_swapped) NAME(texts)   \
  NAME(values) NAME(accessors_of_temporaries_copy) NAME(accessors) NAME(usage_taken)                            \
  /* streams.cpp */                                                                            \
  NAME(pull) NAME(pull_response) NAME(pull_twice) NAME(pull_break) NAME(pull_close)            \
  NAME(pull_throw) NAME(pull_cancel) NAME(pull_slowly) NAME(pull_failures) NAME(pull_grammar)  \
  NAME(pull_novel) NAME(gathered) NAME(visit) NAME(visit_stop) NAME(visit_throw)               \
  NAME(visit_nested) NAME(visit_destroy) NAME(pull_poll)                                       \
  /* callbacks.cpp */                                                                          \
  NAME(start) NAME(start_whole) NAME(start_throw) NAME(start_throw_at_end) NAME(start_stop)    \
  NAME(start_cancel) NAME(start_destroy) NAME(start_detach) NAME(start_twice)                  \
  NAME(start_inside) NAME(start_fork) NAME(start_wait)                                         \
  NAME(closing_client)                                                                         \
  /* records.cpp */                                                                            \
  NAME(a_function_runs_before_each_attempt)                                                    \
  NAME(records_of_the_vectors)                                                                 \
  NAME(a_record_names_who_ended_the_call) NAME(on_call_runs_on_a_separate_thread)              \
  NAME(a_client_has_one_on_call_callback_at_a_time) NAME(a_queue_follows_the_calls_of_clients)          \
  NAME(a_forked_child_gets_no_records_of_its_parent)                                                         \
  /* queues.cpp */                                                                             \
  NAME(queue_epoll) NAME(queue_take) NAME(queue_wakeup) NAME(queue_close) NAME(queue_threads)  \
  NAME(queue_limit) NAME(queue_capped) NAME(queue_adaptive) NAME(queue_tags)                   \
  NAME(queue_pause) NAME(queue_log) NAME(queue_interrupted)                                    \
  /* errors.cpp */                                                                             \
  NAME(wrong_key) NAME(no_key) NAME(not_found) NAME(refused) NAME(statuses) NAME(recovers)     \
  NAME(waits_too_long) NAME(lost_connections) NAME(connect_errors) NAME(stream_only_hint)      \
  NAME(envelopes) NAME(key_forms) NAME(bad_json) NAME(problems) NAME(timeouts)                 \
  NAME(pool_timeout) NAME(report) NAME(report_stream) NAME(errors_outlive_their_client)                      \
  NAME(arguments_refused)                                                                      \
  /* handles.cpp */                                                                            \
  NAME(moves) NAME(adoption) NAME(nothing) NAME(cancel_before) NAME(run_twice) NAME(threads)   \
  NAME(free_order) NAME(shut_down) NAME(interrupted)                                           \
  /* stopping.cpp: C++20 */                                                                    \
  NAME(stopping) NAME(awaited)                                                                 \
  /* told.cpp */                                                                               \
  NAME(told)

#define DECLARE(name) void name();
ALL_SCENARIOS(DECLARE)
#undef DECLARE

#endif
