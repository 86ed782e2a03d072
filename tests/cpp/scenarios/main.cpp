/*
 * Runs one scenario by its name, then shuts the library down, so that a leak checker finds nothing
 * that is still in use.
 */
#include "check.hpp"

#include <thread>

#define SCENARIO(name) {#name, name}

static const struct {
  std::string_view name;
  void (*run)();
} SCENARIOS[] = {
    SCENARIO(models), SCENARIO(chat), SCENARIO(response), SCENARIO(fields),
    SCENARIO(nul_and_unicode), SCENARIO(tools), SCENARIO(usage), SCENARIO(request_fields),
    SCENARIO(options), SCENARIO(stream_only), SCENARIO(crossed), SCENARIO(texts),
    SCENARIO(pull), SCENARIO(pull_response), SCENARIO(pull_twice), SCENARIO(pull_break),
    SCENARIO(pull_close), SCENARIO(pull_throw), SCENARIO(pull_cancel), SCENARIO(pull_slowly),
    SCENARIO(pull_failures), SCENARIO(pull_grammar), SCENARIO(pull_novel), SCENARIO(gathered),
    SCENARIO(visit), SCENARIO(visit_stop), SCENARIO(visit_throw), SCENARIO(visit_nested),
    SCENARIO(start), SCENARIO(start_whole), SCENARIO(start_throw), SCENARIO(start_throw_at_end),
    SCENARIO(start_stop), SCENARIO(start_cancel), SCENARIO(start_destroy), SCENARIO(start_detach),
    SCENARIO(start_twice), SCENARIO(start_inside), SCENARIO(start_fork), SCENARIO(logging),
    SCENARIO(queue_epoll), SCENARIO(queue_take), SCENARIO(queue_wakeup), SCENARIO(queue_close),
    SCENARIO(queue_threads), SCENARIO(queue_limit), SCENARIO(queue_capped),
    SCENARIO(wrong_key), SCENARIO(no_key), SCENARIO(not_found), SCENARIO(refused),
    SCENARIO(statuses), SCENARIO(recovers), SCENARIO(waits_too_long), SCENARIO(stream_only_hint),
    SCENARIO(envelopes), SCENARIO(key_forms), SCENARIO(bad_json), SCENARIO(problems),
    SCENARIO(lost_connections), SCENARIO(connect_errors), SCENARIO(pool_timeout),
    SCENARIO(timeouts), SCENARIO(report), SCENARIO(report_stream), SCENARIO(errors_travel),
    SCENARIO(moves), SCENARIO(adoption), SCENARIO(nothing), SCENARIO(cancel_before),
    SCENARIO(run_twice), SCENARIO(threads), SCENARIO(free_order), SCENARIO(shut_down),
};

int main(int argc, char** argv) {
  for (const auto& scenario : SCENARIOS) {
    if (argc != 2 || scenario.name != argv[1]) continue;
    // Not on this thread: Rust's std gives back what it keeps for a thread when the thread ends,
    // and the main thread ends too late for a leak checker to see that.
    std::thread([&] {
      try {
        scenario.run();
      } catch (const modelwire::error& error) {
        check_failed(__FILE__, __LINE__, argv[1], error.report());
      }
      CHECK(modelwire::shutdown(30s));
    }).join();
    return 0;
  }
  std::cerr << "usage: scenarios NAME\n";
  return 2;
}
