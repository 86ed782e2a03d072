// Two chats at a time on one thread, as asio's coroutines: each shows its chunks as they come.
// Needs libasio-dev; modelwire.hpp and modelwire_coro.hpp say everything else.
//
//   c++ -std=c++20 asio_coroutines.cpp -o asio_coroutines $(pkg-config --cflags --libs modelwire)
//   ./asio_coroutines echo "Say hello." "Say goodbye."
#include <asio.hpp>
#include <iostream>
#include <modelwire_coro.hpp>

// What modelwire has to know of asio: how a descriptor is watched. Asio closes what it watches, so
// that it is given a duplicate.
static modelwire::coro::watcher watch_with(const asio::any_io_executor& executor) {
  return [executor](int fd, std::function<void()> ready) {
    auto descriptor = std::make_shared<asio::posix::stream_descriptor>(executor, ::dup(fd));
    const auto told = [descriptor, ready](std::error_code) { ready(); };
    descriptor->async_wait(asio::posix::stream_descriptor::wait_read, told);
  };
}

// What asio has to know of modelwire: its awaitables take none but its own.
template <class Awaited>
static asio::awaitable<typename Awaited::value_type> in_asio(Awaited awaited) {
  const auto wait = [&](auto handler) {
    auto shared = std::make_shared<decltype(handler)>(std::move(handler));
    awaited.when_ready([shared] { std::move(*shared)(); });
  };
  if (!awaited.await_ready()) {
    co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(wait, asio::use_awaitable);
  }
  co_return awaited.await_resume();
}

static asio::awaitable<void> talk(const modelwire::client& client, std::string model,
                                  std::string text) {
  const modelwire::coro::client service(client, watch_with(co_await asio::this_coro::executor));
  const auto question = modelwire::request::chat(model).user(text);
  auto stream = service.stream(question);
  while (const auto* chunk = co_await in_asio(stream.next())) std::cout << chunk->text();
  const auto answer = co_await in_asio(service.run(question));
  std::cout << "\nand whole: " << answer.text() << '\n';
}

int main(int argc, char** argv) try {
  if (argc < 3) return std::cerr << "usage: " << argv[0] << " MODEL TEXT...\n", 2;
  const modelwire::client client;  // base URL and key come from the environment
  asio::io_context loop;
  const auto rethrow = [](std::exception_ptr thrown) {
    if (thrown) std::rethrow_exception(thrown);
  };
  for (int i = 2; i < argc; i++) asio::co_spawn(loop, talk(client, argv[1], argv[i]), rethrow);
  loop.run();
  return 0;
} catch (const modelwire::error& error) {
  std::cerr << error.report() << '\n';
  return 1;
}
