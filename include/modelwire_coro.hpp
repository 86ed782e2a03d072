/*
 * Calls for C++20 coroutines of any executor: `co_await` a response, `co_await` the next chunk. It
 * has no event loop: the program provides one function that watches a descriptor.
 *
 *   modelwire::coro::client service(client, watch);  // a modelwire::coro::watcher
 *   const auto answer = co_await service.run(question);
 *   std::cout << answer.text() << '\n';
 *   auto stream = service.stream(question);
 *   while (const auto* chunk = co_await stream.next()) std::cout << chunk->text() << std::flush;
 *
 * Coroutine types that accept any awaitable accept these. For types that do not, such as asio's,
 * ffi-c/examples/asio_coroutines.cpp has the eight lines.
 *
 * Threads.  Create, await and destroy an awaitable on the thread of its event loop. A coroutine is
 *   resumed inside the call of `ready`.
 * Ownership.  Destroying a waiting coroutine cancels its call; a later `ready` does nothing.
 */
#ifndef MODELWIRE_CORO_HPP
#define MODELWIRE_CORO_HPP

/* As in modelwire.hpp. */
#pragma push_macro("move")
#pragma push_macro("clear")
#pragma push_macro("erase")
#pragma push_macro("refresh")
#pragma push_macro("min")
#pragma push_macro("max")
#pragma push_macro("snprintf")
#undef move
#undef clear
#undef erase
#undef refresh
#undef min
#undef max
#undef snprintf

#include <modelwire.hpp>

#include <coroutine>
#include <functional>

namespace modelwire {
inline namespace MODELWIRE_FLAVOUR {
namespace coro {

/// What an event loop must do: call `ready` once, from the loop and not from inside this function,
/// when the descriptor is readable. The library owns the descriptor: give a duplicate to a loop
/// that closes the descriptors that it watches. The library may close it earlier, if nothing waits
/// any longer.
using watcher = std::function<void(int fd, std::function<void()> ready)>;

/// The awaitable of a coroutine; created by the classes below.
///
/// @tparam Throws whether it returns a T and throws the error, or returns a result<T>
template <class T, bool Throws>
class [[nodiscard]] awaited {
 public:
  /// The type of the `co_await` expression.
  using value_type = std::conditional_t<Throws, T, result<T>>;
  /// Checks, without waiting, whether the result is ready.
  using looker = std::function<std::optional<result<T>>()>;

  /// Awaits the result that `look` finds when the descriptor is readable.
  awaited(int fd, watcher watch, looker look)
      : fd_(fd), watch_(std::move(watch)), look_(std::move(look)) {}
  /// Movable until it waits.
  awaited(awaited&&) = default;
  awaited& operator=(awaited&&) = delete;
  /// A waiting coroutine is not resumed any more.
  ~awaited() {
    if (waiting_) *waiting_ = nullptr;
  }

  /// Whether the result is already there.
  bool await_ready() {
    found_ = look_();
    if (!found_ && fd_ < 0) {
      found_.emplace(error(MODELWIRE_E_INTERNAL, "there is no descriptor to wait for",
                           "The process may have no more descriptors: see RLIMIT_NOFILE."));
    }
    return found_.has_value();
  }
  /// Waits for it.
  void await_suspend(std::coroutine_handle<> who) {
    when_ready([who] { who.resume(); });
  }
  /// The result; throws, or returns, the error if there is one.
  value_type await_resume() {
    if constexpr (Throws) {
      return (*std::move(found_)).value();
    } else {
      return *std::move(found_);
    }
  }

  /// For executors with their own awaitables, after `await_ready` was false: calls `then` from the
  /// loop as soon as `await_resume` has a result; `then` may destroy this object.
  void when_ready(std::function<void()> then) {
    then_ = std::move(then);
    waiting_ = std::make_shared<awaited*>(this);
    watch();
  }

 private:
  void watch() {
    watch_(fd_, [waiting = waiting_] {
      if (*waiting != nullptr) (*waiting)->look();
    });
  }

  void look() {
    if (!await_ready()) return watch();
    const auto then = std::move(then_);
    then();
  }

  int fd_;
  watcher watch_;
  looker look_;
  std::optional<result<T>> found_;
  std::function<void()> then_;
  std::shared_ptr<awaited*> waiting_;  // shared with the loop; its pointer is NULL afterwards
};

/// A streamed response whose chunks are awaited; as modelwire::stream.
class stream {
 public:
  /// Awaits the chunks of a stream.
  stream(modelwire::stream from, watcher watch)
      : from_(std::move(from)), watch_(std::move(watch)) {}

  /// `co_await` returns the next chunk, borrowed until the next call, and NULL at the end; or the
  /// error that ended the stream.
  awaited<const event*, false> try_next() & { return next_as<false>(); }
  awaited<const event*, false> try_next() && = delete;
#if MODELWIRE_EXCEPTIONS
  /// As `try_next`, but throws.
  awaited<const event*, true> next() & { return next_as<true>(); }
  awaited<const event*, true> next() && = delete;
#endif

  /// The stream itself: its response at the end, its failure, `cancel()`, `close()`.
  modelwire::stream& get() & noexcept { return from_; }
  modelwire::stream& get() && = delete;

 private:
  template <bool Throws>
  awaited<const event*, Throws> next_as() {
    return {from_.fd(), watch_, [this]() -> std::optional<result<const event*>> {
              auto chunk = from_.try_next(std::chrono::milliseconds(0));
              if (chunk && *chunk == nullptr && !from_.is_over()) return std::nullopt;
              return chunk;
            }};
  }

  modelwire::stream from_;
  watcher watch_;
};

/// A client whose calls are awaited. It borrows the client, which must outlive it.
class client {
 public:
  /// Awaits the calls of a client with this event loop.
  client(const modelwire::client& from, watcher watch) : from_(&from), watch_(std::move(watch)) {}
  client(const modelwire::client&& from, watcher watch) = delete;

  /// `co_await` returns the last event of a call without streaming: its `text()` is the text of
  /// the answer, its `response()` the whole response.
  awaited<event, false> try_run(const request& request) const { return run_as<false>(request); }
  /// Runs a request as a stream.
  result<coro::stream> try_stream(const request& request) const {
    auto made = from_->try_stream(request);
    if (!made) return made.error();
    return coro::stream(*std::move(made), watch_);
  }

#if MODELWIRE_EXCEPTIONS
  /// As `try_run`, but throws.
  awaited<event, true> run(const request& request) const { return run_as<true>(request); }
  /// As `try_stream`, but throws.
  [[nodiscard]] coro::stream stream(const request& request) const {
    return try_stream(request).value();
  }
#endif

 private:
  template <bool Throws>
  awaited<event, Throws> run_as(const request& request) const {
    auto made = queue::make();
    auto sent = made ? made->try_submit(*from_, request, 1, mode::whole) : made.error();
    if (!sent) {
      return {-1, watch_, [why = sent.error()] { return std::optional<result<event>>(why); }};
    }
    auto events = std::make_shared<queue>(*std::move(made));
    return {events->fd(), watch_, [events]() -> std::optional<result<event>> {
              auto next = events->try_next(std::chrono::milliseconds(0));
              if (!next) return next.error();
              if (!*next) return std::nullopt;
              if (auto failure = (**next).error()) return *std::move(failure);
              return *std::move(*next);
            }};
  }

  const modelwire::client* from_;
  watcher watch_;
};

}  // namespace coro
}  // namespace MODELWIRE_FLAVOUR
}  // namespace modelwire

#pragma pop_macro("move")
#pragma pop_macro("clear")
#pragma pop_macro("erase")
#pragma pop_macro("refresh")
#pragma pop_macro("min")
#pragma pop_macro("max")
#pragma pop_macro("snprintf")

#endif  // MODELWIRE_CORO_HPP
