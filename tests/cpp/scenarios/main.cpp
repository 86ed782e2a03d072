/*
 * Runs one scenario by its name, then shuts the library down, so that a leak checker finds nothing
 * that is still in use.
 */
#include "check.hpp"

#include <thread>

#define ENTRY(name) {#name, name},

static const struct {
  std::string_view name;
  void (*run)();
} SCENARIOS[] = {ALL_SCENARIOS(ENTRY)};

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
