/*
 * A plugin that runs calls with callbacks and is unloaded behind them: what `join`, `wait`, a
 * destructor and `client.close` promise is that nothing of it runs any more. It knows not who loads
 * it.
 */
#include <modelwire.hpp>

/* Slow to go, so that whoever believes too early that it is over unloads the code it stands in. */
struct slow_end {
  bool is_last = true;
  slow_end() = default;
  slow_end(slow_end&& other) noexcept : is_last(std::exchange(other.is_last, false)) {}
  slow_end& operator=(slow_end&&) = delete;
  ~slow_end() {
    volatile long spent = 0;
    for (long i = 0; is_last && i < 2'000'000; i++) spent = spent + i;
  }
};

/* Runs a call in one of the ways that wait for its end; gives how many events there were. */
extern "C" int run_in_plugin(int way);
extern "C" int run_in_plugin(int way) {
  int events = 0;
  const modelwire::client client;
  auto count = [&events, end = slow_end()](const modelwire::event_view&) { events++; };
  const auto request = modelwire::request::chat("echo").user("one two");
  auto call = client.start(request, std::move(count));
  if (way == 0) call.join();
  if (way == 1 && !call.wait()) return -1;
  if (way == 2) call.detach();
  if (way == 2 && !client.close()) return -1;
  return way == 3 ? 1 : events;  // the destructor waits
}
