/*
 * modelwire for C++17 and later: a header-only wrapper around modelwire.h.
 *
 *   #include <modelwire.hpp>
 *
 *   modelwire::client client;                       // base URL and key from the environment
 *   auto question = modelwire::request::chat("a-model").user("Hello");
 *   std::cout << client.run(question).text() << '\n';
 *   for (auto&& chunk : client.stream(question)) std::cout << chunk.text() << std::flush;
 *
 * Link with -lmodelwire. Headers that need only the names include modelwire_fwd.hpp; for coroutines
 * include modelwire_coro.hpp.
 *
 * WAYS TO RUN A CALL
 *
 *   client.run(request)             waits for the whole response
 *   client.stream(request)          a range of chunks, pulled by a loop: a slow loop makes the
 *                                   service wait; leaving the loop early ends the call. An
 *                                   event loop watches stream.fd() and calls stream.next(0ms)
 *   client.stream(request, lambda)  waits, and calls the lambda on this thread for each chunk
 *   client.start(request, lambda)   returns at once; the client's callback thread calls the lambda
 *   queue.submit(client, request, tag)
 *                                   returns at once; a waiting thread, or any event loop that
 *                                   watches queue.fd(), takes the events of many calls from the
 *                                   queue, each with its tag
 *
 * CONVENTIONS
 *
 * Ownership.  A handle owns its C object, frees it, and can be moved but not copied. `get()` lends
 *   the C pointer, `release()` gives up ownership of it, and a constructor adopts one. A moved-from
 *   handle is empty: using it is a modelwire::error, never a crash.
 * Views.  A std::string_view, value_view, event_view or response_view is borrowed from the object
 *   that returned it and valid as long as that object lives. A temporary returns copies of texts
 *   (`auto reason = client.run(request).finish_reason();` is a std::string), and most code that
*   would dangle does not compile (`client.run(request).headers()`). Views of existing texts are
*   NUL-terminated, and may contain NULs.
 * Strings.  UTF-8; every function copies the strings that it takes.
 * Times.  std::chrono, in whole milliseconds. The longest time of a wait is `unlimited` by default;
 *   0 does not wait. std::optional is empty where there is no value.
 * Errors.  What can fail has two forms. `run` throws a modelwire::error; `try_run` returns a
 *   result<>, which holds the value or the error. Without exceptions only the second form exists.
 *   The functions that fill a request never fail: it keeps its first error, and using it gives that
 *   error. Only what the JSON of another library throws passes through. A config is checked when a
 *   client is made from it.
 * Callbacks.  An exception from a lambda never passes through the library: `stream` rethrows it
 *   unchanged to the caller; `start` keeps it for call::thrown() and call::join(). A callback may
 *   destroy its own call; modelwire.h lists under CALLBACKS what else it may do.
 * Threads.  A const member function may run on any thread at any time, also concurrently with
 *   others; any other member function needs exclusive use of its object. Views are immutable.
 * Fork.  A child process can make its own calls with inherited clients.
 * Plugins.  When call::join(), call::wait(), a destructor of a started call or client::close() has
 *   returned, the callback no longer runs: its code may be unloaded.
 * Macros.  No name here is a macro of X11, curses, Qt, PostgreSQL, Python or Windows.
 */
#ifndef MODELWIRE_HPP
#define MODELWIRE_HPP

/* Function-like macros with names of the standard library, which other headers are known to define:
 * saved here, and restored at the end. */
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

#include <modelwire.h>

#include <modelwire_fwd.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#if __cplusplus >= 202002L
#include <version>
#endif
#if defined(__cpp_lib_expected)
#include <expected>
#endif
#if defined(__cpp_lib_jthread)
#include <stop_token>
#endif

namespace modelwire {
inline namespace MODELWIRE_FLAVOUR {

/// As the longest time of a wait: no limit.
inline constexpr std::chrono::milliseconds unlimited{-1};

/// As a timeout of a client or a request: no timeout.
inline constexpr std::nullopt_t no_timeout = std::nullopt;

/// The kinds of errors: one for each negative status, and one for an interrupted wait. Kinds may
/// be added.
enum class error_kind : modelwire_status {
  interrupted = MODELWIRE_INTERRUPTED,  ///< A signal or a wakeup ended the wait: wait again.
  argument = MODELWIRE_E_ARGUMENT,      ///< An argument is invalid; nothing was sent.
  config = MODELWIRE_E_CONFIG,          ///< The configuration is invalid; nothing was sent.
  invalid_request = MODELWIRE_E_INVALID_REQUEST,  ///< Status 400: the request is invalid.
  authentication = MODELWIRE_E_AUTHENTICATION,    ///< Status 401: the key is missing or wrong.
  permission = MODELWIRE_E_PERMISSION,  ///< Status 403: not permitted for account, model or key.
  not_found = MODELWIRE_E_NOT_FOUND,    ///< Status 404: wrong path, or no such model.
  rate_limited = MODELWIRE_E_RATE_LIMITED,  ///< Status 429: a limit.
  server = MODELWIRE_E_SERVER,              ///< Status 5xx: a temporary failure of the service.
  status = MODELWIRE_E_STATUS,              ///< Any other status that is not success.
  connect = MODELWIRE_E_CONNECT,            ///< No connection, or no thread for one.
  tls = MODELWIRE_E_TLS,                    ///< The TLS handshake or a certificate failed.
  timed_out = MODELWIRE_E_TIMEOUT,          ///< A timeout; error::timeout_name() names it.
  disconnected = MODELWIRE_E_DISCONNECTED,  ///< The connection was lost after sending.
  protocol = MODELWIRE_E_PROTOCOL,      ///< The response is malformed or too large.
  incomplete = MODELWIRE_E_INCOMPLETE,  ///< A stream ended without its end mark.
  stream = MODELWIRE_E_STREAM,        ///< An error reported after a success status.
  cancelled = MODELWIRE_E_CANCELLED,  ///< The call was cancelled.
  closed = MODELWIRE_E_CLOSED,        ///< The client or the queue was closed.
  forked = MODELWIRE_E_FORKED,        ///< The call belongs to the parent process.
  shutdown = MODELWIRE_E_SHUTDOWN,    ///< The library was shut down during the call.
  internal = MODELWIRE_E_INTERNAL,    ///< A bug in the library.
  callback = MODELWIRE_E_CALLBACK,    ///< Not allowed inside this callback.
};

/// An operation of the service.
enum class operation : std::int32_t {
  models = MODELWIRE_OPERATION_MODELS,        ///< The model list: GET /models.
  chat = MODELWIRE_OPERATION_CHAT,            ///< A chat completion: POST /chat/completions.
  responses = MODELWIRE_OPERATION_RESPONSES,  ///< A response: POST /responses.
};

/// Whether the response is streamed.
enum class mode : std::int32_t {
  whole = 0,   ///< One RESPONSE event.
  stream = 1,  ///< A CHUNK event for each chunk, then RESPONSE.
};

/// A callback's decision about its call or about the log.
enum class flow : std::int32_t {
  go_on = 0,  ///< Continue with the next event.
  stop = 1,   ///< End the call, or the log.
};

/// How a wait for events ended.
enum class waited : std::int32_t {
  taken = MODELWIRE_OK,                 ///< An event was taken.
  timed_out = MODELWIRE_TIMEOUT,        ///< No event in time, or wakeup() was called.
  closed = MODELWIRE_CLOSED,            ///< The queue is closed and every event was taken.
  interrupted = MODELWIRE_INTERRUPTED,  ///< A signal or wakeup() ended an interruptible wait.
};

/// How a call or a queue waits; combine flags with `|`.
enum class wait_flags : std::uint32_t {
  none = 0,  ///< The default: a signal does not end a wait.
  /// A wait ends as interrupted when a signal handler has run on the waiting thread or wakeup()
  /// was called, which is then allowed in a signal handler, and at the latest after 100 ms
  /// without any event. The call continues: check your own flags, and wait again.
  interruptible = MODELWIRE_INTERRUPTIBLE,
  /// The descriptor of the queue is a socket, for event loops that accept only sockets.
  socket = MODELWIRE_SOCKET,
};

/// Combines flags.
constexpr wait_flags operator|(wait_flags one, wait_flags other) noexcept {
  return static_cast<wait_flags>(static_cast<std::uint32_t>(one) |
                                 static_cast<std::uint32_t>(other));
}

namespace detail {

/// A text of C with its length; empty where there is none.
inline std::optional<std::string_view> optional_view(const char* text,
                                                     std::size_t length) noexcept {
  if (text == nullptr) return std::nullopt;
  return std::string_view{text, length};
}

/// A text that a C function returns for a handle; empty where there is none.
template <class T>
std::string_view view(const char* (*accessor)(const T*, std::size_t*), const T* handle) noexcept {
  std::size_t length = 0;
  const char* text = accessor(handle, &length);
  return optional_view(text, length).value_or(std::string_view{});
}

/// A copy of a string, where there is one.
inline std::optional<std::string> copied(std::optional<std::string_view> text) {
  if (!text) return std::nullopt;
  return std::string(*text);
}

/// The start of a string for C, which accepts no NULL: an empty view may have one.
inline const char* start(std::string_view text) noexcept {
  return text.data() == nullptr ? "" : text.data();
}

/// A wait for C, which counts in 32 bits; negative is unlimited.
inline std::int32_t wait_ms(std::chrono::milliseconds longest) noexcept {
  if (longest.count() < 0) return -1;
  return longest.count() > INT32_MAX ? INT32_MAX : static_cast<std::int32_t>(longest.count());
}

/// The path of a member of an item of an array: "/headers/0/name".
inline std::string item(std::string_view array, std::size_t at, std::string_view member) {
  return std::string(array) + '/' + std::to_string(at) + std::string(member);
}

/// For types that write themselves as JSON text, nlohmann::json for instance.
template <class Json>
using if_dumped = decltype(std::string_view(std::declval<const Json&>().dump()));

/// A type that lends views into itself: `make().view()` would dangle.
template <class T, class = void>
struct is_lender : std::false_type {};
template <class T>
struct is_lender<T, std::void_t<typename T::lends_views>> : std::true_type {};

}  // namespace detail

/// A text in a braced list. Not made of two pointers, as a std::string_view in C++20 would be.
class text_item {
 public:
  /// From a NUL-terminated text.
  text_item(const char* text) : text_(text) {}
  /// From any other text.
  text_item(std::string_view text) noexcept : text_(text) {}
  /// From a std::string.
  text_item(const std::string& text) noexcept : text_(text) {}
  text_item(std::nullptr_t) = delete;

  /// The text, borrowed.
  [[nodiscard]] std::string_view view() const noexcept { return text_; }

 private:
  std::string_view text_;
};

/// Builds a path (a JSON pointer, RFC 6901) from keys and indices, and escapes them:
/// `path("models", "a/b", 0)` is "/models/a~1b/0".
template <class... Parts>
std::string path(const Parts&... parts) {
  std::string all;
  const auto add = [&all](const auto& part) {
    all += '/';
    if constexpr (std::is_integral_v<std::decay_t<decltype(part)>>) {
      all += std::to_string(part);
    } else {
      for (const char c : std::string_view(part)) {
        if (c == '~') {
          all += "~0";
        } else if (c == '/') {
          all += "~1";
        } else {
          all += c;
        }
      }
    }
  };
  (add(parts), ...);
  return all;
}

/// A JSON text whose values are read by path, borrowed from a response, an event, an error or a
/// value. A path is a JSON pointer, "/choices/0/message/refusal" for instance; the empty path is
/// the whole text. An empty view has no values. Any thread.
class value_view {
 public:
  /// Views a value of C; empty for NULL.
  explicit value_view(const modelwire_value* borrowed = nullptr) noexcept : object_(borrowed) {}

  /// The C object, still owned by its owner; NULL if there is none.
  [[nodiscard]] const modelwire_value* get() const noexcept { return object_; }
  /// Whether there is one.
  explicit operator bool() const noexcept { return object_ != nullptr; }

  /// A field as `std::string_view` (decoded, borrowed), `std::string`, `std::int64_t` (integers
  /// that fit), `double` (any number) or `bool`; empty if there is none of this type.
  template <class V>
  [[nodiscard]] std::optional<V> get(std::string_view path) const {
    static_assert(std::is_same_v<V, std::string_view> || std::is_same_v<V, std::string> ||
                      std::is_same_v<V, std::int64_t> || std::is_same_v<V, double> ||
                      std::is_same_v<V, bool>,
                  "get std::string_view, std::string, std::int64_t, double or bool");
    if constexpr (std::is_same_v<V, std::string_view>) {
      return text(path);
    } else if constexpr (std::is_same_v<V, std::string>) {
      return detail::copied(text(path));
    } else if constexpr (std::is_same_v<V, std::int64_t>) {
      return read<V>(modelwire_value_int, path);
    } else if constexpr (std::is_same_v<V, double>) {
      return read<V>(modelwire_value_number, path);
    } else {
      const auto word = json(path);
      return word == "true" || word == "false" ? std::optional<bool>(word == "true") : std::nullopt;
    }
  }

  /// A text, decoded and borrowed; empty if there is none.
  [[nodiscard]] std::optional<std::string_view> text(std::string_view path = {}) const noexcept {
    std::size_t length = 0;
    const char* text = modelwire_value_text(object_, detail::start(path), path.size(), &length);
    return detail::optional_view(text, length);
  }

  /// Any value as its JSON text, with all digits of numbers; borrowed.
  [[nodiscard]] std::optional<std::string_view> json(std::string_view path = {}) const noexcept {
    std::size_t length = 0;
    const char* text = modelwire_value_json(object_, detail::start(path), path.size(), &length);
    return detail::optional_view(text, length);
  }

  /// The number of items of an array, or of members of an object; 0 for anything else.
  [[nodiscard]] std::size_t count(std::string_view path = {}) const noexcept {
    return modelwire_value_count(object_, detail::start(path), path.size());
  }

  /// The name of a member of an object, by index; decoded and borrowed. `path(name)` is its path.
  std::optional<std::string_view> name(std::size_t index,
                                       std::string_view path = {}) const noexcept {
    std::size_t length = 0;
    const char* name =
        modelwire_value_name(object_, detail::start(path), path.size(), index, &length);
    return detail::optional_view(name, length);
  }

 private:
  template <class Out>
  std::optional<Out> read(modelwire_status (*field)(const modelwire_value*, const char*,
                                                    std::size_t, Out*),
                          std::string_view path) const noexcept {
    Out out{};
    if (field(object_, detail::start(path), path.size(), &out) != MODELWIRE_OK) {
      return std::nullopt;
    }
    return out;
  }

  const modelwire_value* object_;
};

namespace detail {

/// A duration in milliseconds in a value.
inline std::optional<std::chrono::milliseconds> milliseconds(value_view of,
                                                             std::string_view path) {
  const auto count = of.get<std::int64_t>(path);
  if (!count) return std::nullopt;
  return std::chrono::milliseconds(*count);
}

/// A point in time in a value, in milliseconds since 1970.
inline std::optional<std::chrono::system_clock::time_point> moment(value_view of,
                                                                   std::string_view path) {
  const auto since = milliseconds(of, path);
  if (!since) return std::nullopt;
  return std::chrono::system_clock::time_point(*since);
}

/// A number that fits an int; 0 where there is none.
inline int small_number(value_view of, std::string_view path) {
  return static_cast<int>(of.get<std::int64_t>(path).value_or(0));
}

/// Frees the object of a unique_ptr with a C function.
template <class T, void (*Free)(T*)>
struct deleter {
  void operator()(T* object) const noexcept { Free(object); }
};

/// Owns a C object: movable, not copyable; empty after a move.
template <class T, void (*Free)(T*)>
class handle {
 public:
  /// The C object, still owned by this handle; NULL if it is empty.
  [[nodiscard]] T* get() const noexcept { return owned_.get(); }

  /// Gives ownership of the C object to the caller; the handle is empty afterwards.
  [[nodiscard]] T* release() noexcept { return owned_.release(); }

  /// Whether there is an object.
  explicit operator bool() const noexcept { return owned_ != nullptr; }

 protected:
  explicit handle(T* adopted) noexcept : owned_(adopted) {}

 private:
  std::unique_ptr<T, deleter<T, Free>> owned_;
};

/// Owns a C object, and is also a view of it: you can pass it wherever a view is expected. A
/// temporary returns copies instead of views, or does not compile.
template <class View, class T, void (*Free)(T*)>
class owner : public View {
 public:
  /// Tells templates that this type lends views into itself.
  using lends_views = void;

  /// Empty.
  owner() noexcept : View(nullptr) {}
  /// Adopts a C object.
  explicit owner(T* adopted) noexcept : View(adopted) {}
  owner(owner&& other) noexcept : View(other.release()) {}
  owner& operator=(owner&& other) noexcept {
    T* moved = other.release();
    Free(release());
    this->object_ = moved;
    return *this;
  }
  owner(const owner&) = delete;
  owner& operator=(const owner&) = delete;
  ~owner() { Free(release()); }

  /// The C object, still owned by this object; NULL if there is none.
  [[nodiscard]] const T* get() const noexcept { return View::get(); }
  /// Gives ownership of the C object to the caller; this object is empty afterwards.
  [[nodiscard]] T* release() noexcept {
    // It was passed as a T*; only the view made it const.
    return const_cast<T*>(std::exchange(this->object_, nullptr));
  }

  /// As in the view; borrowed. A temporary returns copies.
  [[nodiscard]] std::string_view text() const& noexcept { return View::text(); }
  std::string text() && { return std::string(View::text()); }
  [[nodiscard]] std::string_view json() const& noexcept { return View::json(); }
  std::string json() && { return std::string(View::json()); }
  [[nodiscard]] std::optional<std::string_view> json(std::string_view path) const& {
    return View::json(path);
  }
  std::optional<std::string> json(std::string_view path) && { return copied(View::json(path)); }

  template <class V>
  [[nodiscard]] std::optional<V> get(std::string_view path) const& {
    return View::template get<V>(path);
  }
  template <class V>
  std::optional<V> get(std::string_view path) && {
    static_assert(!std::is_same_v<V, std::string_view>,
                  "the text would dangle: keep what it is asked of, or get std::string");
    return View::template get<V>(path);
  }

  /// Borrowed values that cannot be copied need an object that is kept.
  [[nodiscard]] value_view value() const& noexcept { return View::value(); }
  value_view value() && = delete;
  [[nodiscard]] value_view info() const& noexcept { return View::info(); }
  value_view info() && = delete;
  [[nodiscard]] auto tool_calls() const& { return View::tool_calls(); }
  auto tool_calls() && = delete;
};

/// A type with fields by path: any field that the service sent, including new ones.
template <class T, const modelwire_value* (*Value)(const T*)>
class fields {
 public:
  /// The C object, still owned by its owner; NULL if there is none.
  [[nodiscard]] const T* get() const noexcept { return object_; }
  /// Whether there is one.
  explicit operator bool() const noexcept { return object_ != nullptr; }

  /// The fields, borrowed.
  [[nodiscard]] value_view value() const noexcept { return value_view(Value(object_)); }
  /// A field by its path, as value_view::get.
  template <class V>
  [[nodiscard]] std::optional<V> get(std::string_view path) const {
    return value().template get<V>(path);
  }
  /// Any value as JSON text, by its path, as value_view::json.
  [[nodiscard]] std::optional<std::string_view> json(std::string_view path) const noexcept {
    return value().json(path);
  }
  /// The number of items or members, as value_view::count.
  [[nodiscard]] std::size_t count(std::string_view path) const noexcept {
    return value().count(path);
  }

 protected:
  explicit fields(const T* object) noexcept : object_(object) {}
  const T* object_;
};

}  // namespace detail

/// One rate limit of a service, as far as it reports it.
struct rate_limit {
  std::optional<std::uint64_t> limit;              ///< The total.
  std::optional<std::uint64_t> remaining;          ///< The remainder.
  std::optional<std::chrono::milliseconds> reset;  ///< From the response until the full reset.
};

/// The rate limits of a service, from the headers of a response.
struct rate_limits {
  rate_limit requests;  ///< Of requests, or unspecified in the headers.
  rate_limit tokens;    ///< Of tokens.
  /// Other limits by name, "input_tokens" for instance.
  std::vector<std::pair<std::string, rate_limit>> others;
  /// How long the service asks the client to wait.
  std::optional<std::chrono::milliseconds> retry_after;
};

namespace detail {

inline rate_limit rate_limit_in(value_view of, const std::string& path) {
  const auto count = [&](const char* name) -> std::optional<std::uint64_t> {
    const auto found = of.get<std::int64_t>(path + name);
    if (!found) return std::nullopt;
    return static_cast<std::uint64_t>(*found);
  };
  return rate_limit{count("/limit"), count("/remaining"), milliseconds(of, path + "/reset_ms")};
}

/// The rate limits in the information about a response or an error.
inline std::optional<rate_limits> rate_limits_in(value_view info, std::string_view path) {
  if (info.count(path) == 0) return std::nullopt;
  const std::string in(path);
  rate_limits limits;
  limits.requests = rate_limit_in(info, in + "/requests");
  limits.tokens = rate_limit_in(info, in + "/tokens");
  const std::size_t count = info.count(in + "/others");
  for (std::size_t i = 0; i < count; i++) {
    std::string name(info.name(i, in + "/others").value_or(""));
    rate_limit limit = rate_limit_in(info, in + "/others/" + name);
    limits.others.emplace_back(std::move(name), limit);
  }
  limits.retry_after = milliseconds(info, in + "/retry_after_ms");
  return limits;
}

}  // namespace detail

/// An error with everything that is known about it. A value: it can be copied, kept, and thrown
/// on another thread. Its texts are borrowed from it; a temporary,
/// `client.try_run(request).error().message()`, returns copies. It never contains the API key.
class error : public std::runtime_error {
 public:
  /// Copies a C error object, which the caller still owns.
  explicit error(const modelwire_error* source) : error(source, nullptr) {}

  /// An error of a call that was never sent.
  ///
  /// @param status   one of MODELWIRE_E_...
  /// @param message  what is wrong
  /// @param hint     what to do about it
  error(modelwire_status status, std::string_view message, std::string_view hint = {})
      : std::runtime_error(told(status, message, hint)) {
    auto own = std::make_shared<facts>();
    own->status = status;
    own->message = message;
    own->hint = hint;
    own->report = what();
    facts_ = std::move(own);
  }

  /// Takes a C error object, which is freed with the last copy of the error.
  ///
  /// @param status  used if there is no object
  static error adopt(modelwire_error* object, modelwire_status status = MODELWIRE_E_INTERNAL) {
    if (object != nullptr) return error(object, object);
    if (status == MODELWIRE_INTERRUPTED) {
      return error(status, "a signal or a wakeup ended the wait; the call goes on",
                   "Run the call again to wait on.");
    }
    return error(status, "the library gave no reason");
  }

  /// Copies share their contents, so copying never throws. Moving copies: the source stays valid.
  error(const error& other) noexcept = default;
  /// As the copy constructor.
  error& operator=(const error& other) noexcept = default;

  /// The negative status, MODELWIRE_E_RATE_LIMITED for instance, or MODELWIRE_INTERRUPTED.
  [[nodiscard]] modelwire_status status() const noexcept { return facts_->status; }
  /// The status as a kind, for use in a switch.
  [[nodiscard]] error_kind kind() const noexcept { return static_cast<error_kind>(facts_->status); }
  /// The name of the kind, "rate_limited" for instance. `what()` is this, the message and the
  /// hint.
  [[nodiscard]] std::string_view kind_name() const noexcept {
    return modelwire_status_name(facts_->status);
  }
  /// The service's own message if it sent one, otherwise the library's message with the cause.
  [[nodiscard]] std::string_view message() const& noexcept { return facts_->message; }
  /// What to do about it; may be empty.
  [[nodiscard]] std::string_view hint() const& noexcept { return facts_->hint; }
  /// The first header with a name, ignoring case, of the response that failed.
  std::optional<std::string_view> header(std::string_view name) const&;
  /// The record of the call: its attempts, waits, chunks and end, with their times; empty for an
  /// error before the call started.
  std::optional<call_record> timing() const;
  /// All headers of the response that failed, in response order.
  std::vector<modelwire::header> headers() const&;
  /// Whether the call may have been metered: "not_sent", "normally_not", "entered" or "unknown".
  [[nodiscard]] std::string_view metered() const& noexcept {
    return info().text("/metered").value_or("not_sent");
  }
  // <accessors of error>
  /// Where the documentation explains errors of this kind.
  [[nodiscard]] std::string_view doc_url() const& noexcept {
    return info().text("/doc_url").value_or("");
  }
  /// The HTTP status; absent if no response arrived.
  [[nodiscard]] int http_status() const { return detail::small_number(info(), "/http_status"); }
  /// "type" of the service's error object.
  [[nodiscard]] std::optional<std::string_view> type() const& noexcept {
    return info().text("/type");
  }
  /// "code" of the service's error object as text.
  [[nodiscard]] std::optional<std::string_view> code() const& noexcept {
    return info().text("/code");
  }
  /// "param" of the service's error object.
  [[nodiscard]] std::optional<std::string_view> param() const& noexcept {
    return info().text("/param");
  }
  /// The service's identifier of the request, which its support asks for.
  [[nodiscard]] std::optional<std::string_view> request_id() const& noexcept {
    return info().text("/request_id");
  }
  /// The path of the request; empty if there was none.
  [[nodiscard]] std::string_view path() const& noexcept {
    return info().text("/path").value_or("");
  }
  /// The requested model.
  [[nodiscard]] std::optional<std::string_view> model() const& noexcept {
    return info().text("/model");
  }
  /// The name of the timeout that expired, "idle_timeout" for instance (option idle_timeout_ms).
  [[nodiscard]] std::optional<std::string_view> timeout_name() const& noexcept {
    return info().text("/timeout");
  }
  /// The body of the failed response, truncated to its limit, 64 KiB by default.
  [[nodiscard]] std::optional<std::string_view> body() const& noexcept {
    return info().text("/body");
  }
  /// The part of the response gathered before the failure, as JSON text, if the call gathers.
  [[nodiscard]] std::optional<std::string_view> partial() const& noexcept {
    return info().text("/partial");
  }
  /// When the first attempt started; absent if none did.
  [[nodiscard]] std::optional<std::chrono::system_clock::time_point> request_time() const {
    return detail::moment(info(), "/request_time_unix_ms");
  }
  /// The number of attempts.
  [[nodiscard]] int attempts() const { return detail::small_number(info(), "/attempts"); }
  /// The time from the start of the call's first wait or attempt to the failure.
  [[nodiscard]] std::chrono::milliseconds elapsed() const {
    return detail::milliseconds(info(), "/elapsed_ms").value_or(std::chrono::milliseconds(0));
  }
  /// How long the service asked to wait.
  [[nodiscard]] std::optional<std::chrono::milliseconds> retry_after() const {
    return detail::milliseconds(info(), "/retry_after_ms");
  }
  /// The rate limits that the headers report: "requests" and "tokens", each with "limit",
  /// "remaining" and "reset_ms" (counted from the answer), "others" by name, and
  /// "retry_after_ms". Absent if the headers report none.
  [[nodiscard]] std::optional<modelwire::rate_limits> rate_limits() const {
    return detail::rate_limits_in(info(), "/rate_limits");
  }
  // </accessors>
  /// A report for support, as text of several lines.
  [[nodiscard]] std::string_view report() const& noexcept { return facts_->report; }
  /// All of this, except the report, as a JSON object; empty for an error that the wrapper made.
  [[nodiscard]] std::string_view json() const& noexcept { return info().json().value_or(""); }
  /// The same as fields; empty for an error that the wrapper made.
  [[nodiscard]] value_view info() const& noexcept { return facts_->info; }

  /// @name The same for a temporary error: copies.
  /// @{
  std::string message() && { return std::string(std::as_const(*this).message()); }
  std::string hint() && { return std::string(std::as_const(*this).hint()); }
  std::optional<std::string> header(std::string_view name) && {
    return detail::copied(std::as_const(*this).header(name));
  }
  std::vector<modelwire::header> headers() && = delete;
  std::string metered() && { return std::string(std::as_const(*this).metered()); }
  // <accessors copied error>
  [[nodiscard]] std::string doc_url() && { return std::string(std::as_const(*this).doc_url()); }
  [[nodiscard]] std::optional<std::string> type() && {
    return detail::copied(std::as_const(*this).type());
  }
  [[nodiscard]] std::optional<std::string> code() && {
    return detail::copied(std::as_const(*this).code());
  }
  [[nodiscard]] std::optional<std::string> param() && {
    return detail::copied(std::as_const(*this).param());
  }
  [[nodiscard]] std::optional<std::string> request_id() && {
    return detail::copied(std::as_const(*this).request_id());
  }
  [[nodiscard]] std::string path() && { return std::string(std::as_const(*this).path()); }
  [[nodiscard]] std::optional<std::string> model() && {
    return detail::copied(std::as_const(*this).model());
  }
  [[nodiscard]] std::optional<std::string> timeout_name() && {
    return detail::copied(std::as_const(*this).timeout_name());
  }
  [[nodiscard]] std::optional<std::string> body() && {
    return detail::copied(std::as_const(*this).body());
  }
  [[nodiscard]] std::optional<std::string> partial() && {
    return detail::copied(std::as_const(*this).partial());
  }
  // </accessors>
  std::string report() && { return std::string(std::as_const(*this).report()); }
  std::string json() && { return std::string(std::as_const(*this).json()); }
  value_view info() && = delete;
  /// @}

 private:
  using owned_value =
      std::unique_ptr<modelwire_value, detail::deleter<modelwire_value, modelwire_value_free>>;
  using owned_error =
      std::unique_ptr<modelwire_error, detail::deleter<modelwire_error, modelwire_error_free>>;

  struct facts {
    modelwire_status status = MODELWIRE_E_INTERNAL;
    std::string message, hint, report;
    owned_error object;  // an adopted object
    owned_value copy;    // a copy of an object that another owns
    value_view info;     // of the one that exists
  };

  /// @param adopted  the same object, if this error takes ownership
  error(const modelwire_error* source, modelwire_error* adopted)
      : error(modelwire_error_status(source), detail::view(modelwire_error_message, source),
              value_view(modelwire_error_value(source)).text("/hint").value_or("")) {
    auto own = std::make_shared<facts>();
    own->object.reset(adopted);
    own->status = facts_->status;
    own->message = facts_->message;
    own->hint = facts_->hint;
    own->report = source == nullptr ? what() : detail::view(modelwire_error_report, source);
    if (adopted != nullptr) {
      own->info = value_view(modelwire_error_value(adopted));
    } else if (source != nullptr) {
      const std::string_view json = detail::view(modelwire_error_json, source);
      modelwire_value* copy = nullptr;
      // An object that cannot be copied still has its kind, message, hint and report.
      (void)modelwire_value_new(detail::start(json), json.size(), &copy, nullptr);
      own->copy.reset(copy);
      own->info = value_view(copy);
    }
    facts_ = std::move(own);
  }

  /// The text of `what()`: an uncaught exception shows only this.
  static std::string told(modelwire_status status, std::string_view message,
                          std::string_view hint) {
    std::string text(modelwire_status_name(status));
    text.append(": ").append(message);
    if (hint.empty()) return text;
    if (text.find_last_of(".!?") != text.size() - 1) text += '.';
    return text.append(" Hint: ").append(hint);
  }

  // Shared: copying an exception must not throw.
  std::shared_ptr<const facts> facts_;
};

/// A value or an error.
///
///   if (auto answer = client.try_run(request)) use(*answer); else complain(answer.error());
template <class T>
class [[nodiscard]] result {
 public:
  /// Success.
  result(T value) : value_(std::move(value)) {}
  /// Failure.
  result(modelwire::error failure) : error_(std::move(failure)) {}

  /// Whether there is a value.
  explicit operator bool() const noexcept { return value_.has_value(); }
  /// The value, which must exist.
  T& operator*() & noexcept { return *value_; }
  /// The value, which must exist.
  const T& operator*() const& noexcept { return *value_; }
  /// The value, which must exist, to move out.
  T&& operator*() && noexcept { return *std::move(value_); }
  /// A member of the value, which must exist.
  T* operator->() & noexcept { return &*value_; }
  /// A member of the value, which must exist.
  const T* operator->() const& noexcept { return &*value_; }
  /// A member of a value that lends no views.
  template <class U = T, std::enable_if_t<!detail::is_lender<U>::value, int> = 0>
  U* operator->() && noexcept {
    return &*value_;
  }
  /// A value that lends views must be kept.
  template <class U = T, std::enable_if_t<detail::is_lender<U>::value, long> = 0>
  U* operator->() && = delete;
  /// The error, which must exist.
  [[nodiscard]] const modelwire::error& error() const& noexcept { return *error_; }
  /// The error of a temporary result, which must exist.
  modelwire::error error() && noexcept { return *error_; }

#if MODELWIRE_EXCEPTIONS
  /// The value; throws the error if there is none.
  T value() && {
    if (error_) throw *std::move(error_);
    return *std::move(value_);
  }
#endif
#if defined(__cpp_lib_expected)
  /// The same as std::expected, for its `and_then`, `transform` and `or_else`.
  operator std::expected<T, modelwire::error>() && {
    if (error_) return std::unexpected(*std::move(error_));
    return *std::move(value_);
  }
#endif

 private:
  std::optional<T> value_;
  std::optional<modelwire::error> error_;
};

/// Success without a value, or an error.
template <>
class [[nodiscard]] result<void> {
 public:
  /// Success.
  result() = default;
  /// Failure.
  result(modelwire::error failure) : error_(std::move(failure)) {}

  /// Whether it succeeded.
  explicit operator bool() const noexcept { return !error_; }
  /// The error, which must exist.
  [[nodiscard]] const modelwire::error& error() const& noexcept { return *error_; }
  /// The error of a temporary result, which must exist.
  modelwire::error error() && noexcept { return *error_; }

#if MODELWIRE_EXCEPTIONS
  /// Throws the error if there is one.
  void value() && {
    if (error_) throw *std::move(error_);
  }
#endif
#if defined(__cpp_lib_expected)
  /// The same as std::expected.
  operator std::expected<void, modelwire::error>() && {
    if (error_) return std::unexpected(*std::move(error_));
    return {};
  }
#endif

 private:
  std::optional<modelwire::error> error_;
};

namespace detail {

/// The outcome of a C function: success, or its error.
inline result<void> outcome(modelwire_status status, modelwire_error* failure) {
  if (status != MODELWIRE_OK) return modelwire::error::adopt(failure, status);
  return {};
}

/// The outcome of a C wait: whether it was reached in time, or its error.
inline result<bool> outcome_of_wait(modelwire_status status, modelwire_error* failure) {
  if (status == MODELWIRE_OK) return true;
  if (status > 0) return false;
  return modelwire::error::adopt(failure, status);
}

}  // namespace detail

/// A JSON text from the program or the library, with its fields by path: a value_view that owns
/// its text. The text must be exactly one JSON value.
class value : public detail::handle<modelwire_value, modelwire_value_free> {
 public:
  /// Tells templates that this type lends views into itself.
  using lends_views = void;

  /// Adopts a value of C; NULL makes an empty one.
  explicit value(modelwire_value* adopted = nullptr) noexcept : handle(adopted) {}

  /// Parses a JSON text and copies it; text that is not JSON is an error that names the byte.
  static result<value> parse(std::string_view json) {
    modelwire_value* out = nullptr;
    modelwire_error* failure = nullptr;
    const modelwire_status status =
        modelwire_value_new(detail::start(json), json.size(), &out, &failure);
    if (status != MODELWIRE_OK) return modelwire::error::adopt(failure, status);
    return value(out);
  }

#if MODELWIRE_EXCEPTIONS
  /// As `parse`, but throws.
  explicit value(std::string_view json) : value(parse(json).value()) {}
#endif

  /// The JSON string of a text, which `json` returns with its quotes and escapes; an error for text
  /// that is not UTF-8.
  static result<value> of_text(std::string_view text) {
    modelwire_value* out = nullptr;
    modelwire_error* failure = nullptr;
    const modelwire_status status =
        modelwire_value_new_text(detail::start(text), text.size(), &out, &failure);
    if (status != MODELWIRE_OK) return modelwire::error::adopt(failure, status);
    return value(out);
  }

  /// Its fields, borrowed.
  [[nodiscard]] value_view view() const& noexcept { return value_view(handle::get()); }
  /// Borrowed values need an object that is kept.
  value_view view() && = delete;
  /// Converts implicitly wherever a view is expected.
  operator value_view() const& noexcept { return view(); }

  /// The C object, still owned by this object; NULL if there is none.
  [[nodiscard]] const modelwire_value* get() const noexcept { return handle::get(); }
  /// As value_view::get; a std::string_view is borrowed.
  template <class V>
  [[nodiscard]] std::optional<V> get(std::string_view path) const& {
    return view().template get<V>(path);
  }
  /// For a temporary: any type except std::string_view.
  template <class V>
  std::optional<V> get(std::string_view path) && {
    static_assert(!std::is_same_v<V, std::string_view>,
                  "the text would dangle: keep the value, or get std::string");
    return std::as_const(*this).template get<V>(path);
  }
  /// As value_view::json, borrowed.
  [[nodiscard]] std::optional<std::string_view> json(std::string_view path = {}) const& noexcept {
    return view().json(path);
  }
  /// The same for a temporary: a copy.
  std::optional<std::string> json(std::string_view path = {}) && {
    return detail::copied(std::as_const(*this).json(path));
  }
  /// As value_view::text, borrowed.
  [[nodiscard]] std::optional<std::string_view> text(std::string_view path = {}) const& noexcept {
    return view().text(path);
  }
  /// The same for a temporary: a copy.
  std::optional<std::string> text(std::string_view path = {}) && {
    return detail::copied(std::as_const(*this).text(path));
  }
  /// As value_view::count.
  [[nodiscard]] std::size_t count(std::string_view path = {}) const noexcept {
    return value_view(handle::get()).count(path);
  }
  /// As value_view::name.
  std::optional<std::string_view> name(std::size_t index,
                                       std::string_view path = {}) const& noexcept {
    return view().name(index, path);
  }
  /// The same for a temporary: a copy.
  std::optional<std::string> name(std::size_t index, std::string_view path = {}) && {
    return detail::copied(std::as_const(*this).name(index, path));
  }
};

/// For nlohmann::json and libraries like it: `nlohmann::json j = answer.value();`. An empty view is
/// null.
template <class Json, class = decltype(Json::parse(std::string_view()))>
void to_json(Json& out, const value_view& from) {
  const std::optional<std::string_view> text = from.json();
  out = text ? Json::parse(*text) : Json();
}

/// Why an answer ended, the same for chats and responses. Reasons may be added.
enum class finish : std::int32_t {
  none = MODELWIRE_FINISH_NONE,              ///< Not known.
  stop = MODELWIRE_FINISH_STOP,              ///< It is complete.
  length = MODELWIRE_FINISH_LENGTH,          ///< A limit of tokens truncated it.
  tool_calls = MODELWIRE_FINISH_TOOL_CALLS,  ///< It is complete and calls tools.
  content_filter = MODELWIRE_FINISH_CONTENT_FILTER,  ///< A content filter truncated it.
  other = MODELWIRE_FINISH_OTHER,            ///< `finish_reason` is its text.
};

/// Tokens as the service reported them.
struct token_usage {
  std::uint64_t input_tokens = 0;         ///< The input.
  std::uint64_t output_tokens = 0;        ///< The output.
  std::uint64_t total_tokens = 0;         ///< Input and output.
  std::uint64_t cached_input_tokens = 0;  ///< Input read from the cache.
  std::uint64_t cache_write_tokens = 0;   ///< Input written to the cache.
  std::uint64_t reasoning_tokens = 0;     ///< Output for reasoning.
  std::uint64_t audio_input_tokens = 0;   ///< Audio input.
  std::uint64_t audio_output_tokens = 0;  ///< Audio output.
};

/// The usage of the answered calls of a client.
struct client_usage : token_usage {
  std::uint64_t calls = 0;  ///< Answered chats and responses.
  /// The number of these without reported usage: the token totals do not include them.
  std::uint64_t calls_without_usage = 0;
};

/// A header of a response; its texts are borrowed from the response.
struct header {
  std::string_view name;   ///< In lower case.
  std::string_view value;  ///< Its value.
};

/// A tool call of a response; its texts are borrowed from the response.
struct tool_call {
  std::string_view id;         ///< The id for its result; empty if omitted.
  std::string_view name;       ///< The function to call.
  std::string_view arguments;  ///< JSON text as the model wrote it.
};

/// A fragment of a tool call in a chunk; its texts are borrowed from the event.
struct tool_call_piece {
  std::optional<std::int64_t> index;          ///< The tool call that it belongs to.
  std::optional<std::string_view> id;         ///< Usually on the first fragment.
  std::optional<std::string_view> name;       ///< Usually on the first fragment.
  std::optional<std::string_view> arguments;  ///< A fragment of the JSON text.
};

/// One attempt of a call. Times are counted from the start of the call.
struct attempt_record {
  std::chrono::microseconds start{0};   ///< When it began.
  std::optional<std::string> base_url;  ///< To which it was sent, if the client has several.
  std::optional<std::string> address;   ///< The peer: the service or a proxy.
  std::optional<bool> reused;           ///< Whether it reused a connection.
  std::optional<std::chrono::microseconds> dns;         ///< The time of the DNS lookup.
  std::optional<std::chrono::microseconds> connect;     ///< The time to connect.
  std::optional<std::chrono::microseconds> tls;         ///< The time of the TLS handshake.
  std::optional<std::chrono::microseconds> head;        ///< When the response head was complete.
  std::optional<std::chrono::microseconds> first_byte;  ///< When the first body byte arrived.
  std::chrono::microseconds end{0};                     ///< When it ended.
  std::optional<int> status;                            ///< The HTTP status of the response.
  std::optional<std::string> kind;  ///< The kind of its error, "rate_limited" for instance.
};

/// A period in which a call had to wait. Times are counted from the start of the call.
struct wait_record {
  std::string reason;  ///< "retry", "connection", "turn" or "reuse".
  std::chrono::microseconds start{0};   ///< When it began.
  std::chrono::microseconds length{0};  ///< How long it took.
};

/// The record of a call that has ended, with or without success; a value that you can keep. Times
/// are counted from the start of the call. It never contains the API key.
struct call_record {
  /// The number of records dropped since the previous one, because the queue was full (4096 records, or
  /// 64 MiB of answers and chunk times).
  std::uint64_t dropped = 0;
  std::chrono::system_clock::time_point start;  ///< When the call was started.
  std::string operation;                        ///< "models", "chat" or "responses".
  std::string path;                             ///< Of the request.
  std::optional<std::string> model;             ///< The requested model.
  bool streamed = false;                        ///< Whether the caller requested a stream.
  std::vector<attempt_record> attempts;         ///< The last 32, in order.
  std::uint64_t attempts_count = 0;             ///< Their total number.
  std::vector<wait_record> waits;               ///< The last 32, in order.
  std::uint64_t waits_count = 0;                ///< Their total number.
  std::optional<std::chrono::microseconds> first_chunk;  ///< When the first chunk was read.
  std::optional<std::chrono::microseconds> last_chunk;   ///< When the last chunk was read.
  std::uint64_t chunks = 0;                              ///< The number of chunks.
  /// When each was read, for the first 16384, with the option `chunk_times`; otherwise empty.
  std::vector<std::chrono::microseconds> chunk_times;
  /// How long the stream was not read any further because its queue was full.
  std::chrono::microseconds consumer_wait{0};
  std::chrono::microseconds elapsed{0};  ///< From the start to the end.
  /// Where most of the time went, or where it failed: "queue", "retry", "dns", "connect", "proxy",
  /// "tls", "service", "stream" or "consumer".
  std::optional<std::string> bottleneck;
  std::optional<std::string> kind;       ///< The kind of its error; empty after success.
  std::optional<int> status;             ///< The HTTP status of the answer.
  std::optional<std::string> request_id;      ///< The service's id of the request.
  std::optional<std::string> response_id;     ///< The id of the answer.
  std::optional<std::string> response_model;  ///< The model that answered, as the service names it.
  std::optional<std::string> finish_reason;   ///< Why the first choice of a chat stopped.
  std::optional<token_usage> usage;           ///< As reported, even before a failure.
  /// Whether it may have been metered: "not_sent", "normally_not", "entered" or "unknown".
  std::string metered;
  std::uint64_t bytes_out = 0;  ///< Of the sent bodies of all attempts.
  std::uint64_t bytes_in = 0;   ///< Of the received bodies, as transferred.
  /// Who ended it early: "program", "dropped", "closed" or "shutdown".
  std::optional<std::string> cancelled_by;
  std::string json;  ///< All of it except `dropped`, as the JSON object of C.
};

namespace detail {

inline std::uint64_t tokens(value_view of, std::string_view in, std::string_view name) {
  const auto count = of.get<std::int64_t>(std::string(in).append(name));
  return static_cast<std::uint64_t>(count.value_or(0));
}

/// The tokens in a usage object, or in a sum.
inline token_usage tokens_in(value_view of, std::string_view path) {
  token_usage used;
  used.input_tokens = tokens(of, path, "/input_tokens");
  used.output_tokens = tokens(of, path, "/output_tokens");
  used.total_tokens = tokens(of, path, "/total_tokens");
  used.cached_input_tokens = tokens(of, path, "/cached_input_tokens");
  used.cache_write_tokens = tokens(of, path, "/cache_write_tokens");
  used.reasoning_tokens = tokens(of, path, "/reasoning_tokens");
  used.audio_input_tokens = tokens(of, path, "/audio_input_tokens");
  used.audio_output_tokens = tokens(of, path, "/audio_output_tokens");
  return used;
}

/// The usage in the information about a response or a chunk.
inline std::optional<token_usage> usage_in(value_view info, std::string_view path) {
  if (info.count(path) == 0) return std::nullopt;
  return tokens_in(info, path);
}

/// Reads the members of an object within a value.
struct members {
  value_view of;
  std::string at;

  [[nodiscard]] std::string path(std::string_view name) const {
    return std::string(at).append(name);
  }
  [[nodiscard]] std::optional<std::string> text(std::string_view name) const {
    return of.get<std::string>(path(name));
  }
  std::uint64_t number(std::string_view name) const { return tokens(of, at, name); }
  [[nodiscard]] std::optional<int> status() const {
    const auto found = of.get<std::int64_t>(path("/status"));
    if (!found) return std::nullopt;
    return static_cast<int>(*found);
  }
  [[nodiscard]] std::optional<std::chrono::microseconds> time(std::string_view name) const {
    const auto found = of.get<std::int64_t>(path(name));
    if (!found) return std::nullopt;
    return std::chrono::microseconds(*found);
  }
  [[nodiscard]] std::chrono::microseconds known_time(std::string_view name) const {
    return time(name).value_or(std::chrono::microseconds(0));
  }
};

/// The integers of a JSON array that has only integers, read at once: there may be many.
inline std::vector<std::chrono::microseconds> times_in(std::string_view array) {
  std::vector<std::chrono::microseconds> all;
  std::int64_t number = 0;
  bool is_in_number = false;
  for (const char c : array) {
    const bool is_digit = c >= '0' && c <= '9';
    if (is_digit) number = number * 10 + (c - '0');
    if (!is_digit && is_in_number) {
      all.emplace_back(number);
      number = 0;
    }
    is_in_number = is_digit;
  }
  return all;
}

/// The record of a call in a value.
inline std::optional<call_record> record_in(value_view of, std::string_view at) {
  if (of.count(at) == 0) return std::nullopt;
  const members in{of, std::string(at)};
  call_record record;
  const auto start = moment(of, in.path("/start_unix_ms"));
  record.start = start.value_or(std::chrono::system_clock::time_point{});
  record.operation = in.text("/operation").value_or("");
  record.path = in.text("/path").value_or("");
  record.model = in.text("/model");
  record.streamed = of.get<bool>(in.path("/streamed")).value_or(false);
  record.attempts.resize(of.count(in.path("/attempts")));
  for (std::size_t i = 0; i < record.attempts.size(); i++) {
    const members one{of, item(in.path("/attempts"), i, "")};
    attempt_record& attempt = record.attempts[i];
    attempt.start = one.known_time("/start_us");
    attempt.base_url = one.text("/base_url");
    attempt.address = one.text("/address");
    attempt.reused = of.get<bool>(one.path("/reused"));
    attempt.dns = one.time("/dns_us");
    attempt.connect = one.time("/connect_us");
    attempt.tls = one.time("/tls_us");
    attempt.head = one.time("/head_us");
    attempt.first_byte = one.time("/first_byte_us");
    attempt.end = one.known_time("/end_us");
    attempt.status = one.status();
    attempt.kind = one.text("/kind");
  }
  record.attempts_count = in.number("/attempts_count");
  record.waits.resize(of.count(in.path("/waits")));
  for (std::size_t i = 0; i < record.waits.size(); i++) {
    const members one{of, item(in.path("/waits"), i, "")};
    record.waits[i].reason = one.text("/reason").value_or("");
    record.waits[i].start = one.known_time("/start_us");
    record.waits[i].length = one.known_time("/length_us");
  }
  record.waits_count = in.number("/waits_count");
  record.first_chunk = in.time("/first_chunk_us");
  record.last_chunk = in.time("/last_chunk_us");
  record.chunks = in.number("/chunks");
  record.chunk_times = times_in(of.json(in.path("/chunk_times_us")).value_or(""));
  record.consumer_wait = in.known_time("/consumer_wait_us");
  record.elapsed = in.known_time("/elapsed_us");
  record.bottleneck = in.text("/bottleneck");
  record.kind = in.text("/kind");
  record.status = in.status();
  record.request_id = in.text("/request_id");
  record.response_id = in.text("/response_id");
  record.response_model = in.text("/response_model");
  record.finish_reason = in.text("/finish_reason");
  record.usage = usage_in(of, in.path("/usage"));
  record.metered = in.text("/metered").value_or("");
  record.bytes_out = in.number("/bytes_out");
  record.bytes_in = in.number("/bytes_in");
  record.cancelled_by = in.text("/cancelled_by");
  record.json = of.json(at).value_or("");
  return record;
}

inline bool is_same_name(std::string_view one, std::string_view other) noexcept {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  if (one.size() != other.size()) return false;
  for (std::size_t i = 0; i < one.size(); i++) {
    if (lower(one[i]) != lower(other[i])) return false;
  }
  return true;
}

/// The first header with a name in the information about a response or an error.
inline std::optional<std::string_view> header_in(value_view info, std::string_view name) {
  const std::size_t count = info.count("/headers");
  for (std::size_t i = 0; i < count; i++) {
    const auto here = info.text(item("/headers", i, "/name"));
    if (here && is_same_name(*here, name)) return info.text(item("/headers", i, "/value"));
  }
  return std::nullopt;
}

/// All headers in the information about a response or an error.
inline std::vector<header> headers_in(value_view info) {
  std::vector<header> all(info.count("/headers"));
  for (std::size_t i = 0; i < all.size(); i++) {
    all[i].name = info.text(item("/headers", i, "/name")).value_or("");
    all[i].value = info.text(item("/headers", i, "/value")).value_or("");
  }
  return all;
}

}  // namespace detail

inline std::optional<call_record> error::timing() const {
  return detail::record_in(info(), "/timing");
}

inline std::optional<std::string_view> error::header(std::string_view name) const& {
  return detail::header_in(info(), name);
}

inline std::vector<header> error::headers() const& {
  return detail::headers_in(info());
}

/// The response to a call, borrowed from a response, an event or a stream. An empty view has no
/// values. Any thread.
class response_view : public detail::fields<modelwire_response, modelwire_response_value> {
 public:
  /// Views a response of C; empty for NULL.
  explicit response_view(const modelwire_response* borrowed = nullptr) noexcept
      : fields(borrowed) {}

  /// Any field as JSON text, by its path.
  using fields::json;
  /// The JSON text as the service sent it; empty at the end of a stream, where the chunks were
  /// the response, unless the call gathered.
  [[nodiscard]] std::string_view json() const noexcept {
    return detail::view(modelwire_response_json, object_);
  }
  /// The output text: the content of a chat's first choice, or all output text of a response;
  /// empty if there is none, and at the end of a stream.
  [[nodiscard]] std::string_view text() const noexcept {
    return detail::view(modelwire_response_text, object_);
  }
  /// What the library knows about the call, as one object, which the functions below read.
  [[nodiscard]] value_view info() const noexcept {
    return value_view(modelwire_response_info(object_));
  }
  // <accessors of response>
  /// The HTTP status, 200 for instance.
  [[nodiscard]] int http_status() const { return detail::small_number(info(), "/http_status"); }
  /// The service's identifier of the request, which its support asks for.
  [[nodiscard]] std::optional<std::string_view> request_id() const noexcept {
    return info().text("/request_id");
  }
  /// "id" of the answer, the service's identifier for it.
  [[nodiscard]] std::optional<std::string_view> id() const noexcept { return info().text("/id"); }
  /// The model that answered, as the service names it.
  [[nodiscard]] std::optional<std::string_view> model() const noexcept {
    return info().text("/model");
  }
  /// The number of attempts: more than 1 if the request was retried.
  [[nodiscard]] int attempts() const { return detail::small_number(info(), "/attempts"); }
  /// The time from the start of the call's first wait or attempt to the end of the response.
  [[nodiscard]] std::chrono::milliseconds elapsed() const {
    return detail::milliseconds(info(), "/elapsed_ms").value_or(std::chrono::milliseconds(0));
  }
  /// How the response was known to be complete: "document", "done_mark", "final_event" or
  /// "finish_reasons".
  [[nodiscard]] std::string_view end_mark() const noexcept {
    return info().text("/end").value_or("");
  }
  /// Whether the JSON text was assembled from the chunks of a stream.
  [[nodiscard]] bool is_gathered() const {
    return info().get<bool>("/is_gathered").value_or(false);
  }
  /// The model's reasoning: that of a chat's first choice, whatever the service calls it, or of
  /// all reasoning items of a response, with their summaries where they have no text. Empty if
  /// there is none, and at the end of a stream that was not gathered.
  [[nodiscard]] std::string_view reasoning() const noexcept {
    return info().text("/reasoning").value_or("");
  }
  /// Why the first choice of a chat stopped, "stop" for instance, or the status of a response.
  /// Absent at the end of a stream that was not gathered, where a chunk had it.
  [[nodiscard]] std::optional<std::string_view> finish_reason() const noexcept {
    return info().text("/finish_reason");
  }
  /// The tokens that the service reported, also for a stream: "input_tokens", "output_tokens" and
  /// "total_tokens", and of these "cached_input_tokens", "cache_write_tokens",
  /// "reasoning_tokens", "audio_input_tokens" and "audio_output_tokens", 0 if the service does
  /// not report them.
  [[nodiscard]] std::optional<token_usage> usage() const {
    return detail::usage_in(info(), "/usage");
  }
  /// The rate limits that the headers report: "requests" and "tokens", each with "limit",
  /// "remaining" and "reset_ms" (counted from the answer), "others" by name, and
  /// "retry_after_ms". Absent if the headers report none.
  [[nodiscard]] std::optional<modelwire::rate_limits> rate_limits() const {
    return detail::rate_limits_in(info(), "/rate_limits");
  }
  /// The record of the call, an object with its attempts, waits, chunks and end, and their times.
  [[nodiscard]] std::optional<call_record> timing() const {
    return detail::record_in(info(), "/timing");
  }
  // </accessors>
  /// Why the answer ended, as one of a few reasons that are the same for chats and responses.
  [[nodiscard]] finish finish_kind() const noexcept {
    return static_cast<finish>(modelwire_response_finish_reason(object_));
  }
  /// The first header with a name, ignoring case.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const {
    return detail::header_in(info(), name);
  }
  /// All headers, in the order of the response.
  [[nodiscard]] std::vector<modelwire::header> headers() const {
    return detail::headers_in(info());
  }
  /// The tool calls of a chat's first choice, or of a response.
  [[nodiscard]] std::vector<tool_call> tool_calls() const {
    const value_view about = info();
    std::vector<tool_call> all(about.count("/tool_calls"));
    for (std::size_t i = 0; i < all.size(); i++) {
      all[i].id = about.text(detail::item("/tool_calls", i, "/id")).value_or("");
      all[i].name = about.text(detail::item("/tool_calls", i, "/name")).value_or("");
      all[i].arguments = about.text(detail::item("/tool_calls", i, "/arguments")).value_or("");
    }
    return all;
  }
  /// The ids of a model list; none for other responses.
  [[nodiscard]] std::vector<std::string_view> model_ids() const {
    const value_view about = info();
    std::vector<std::string_view> all(about.count("/models"));
    for (std::size_t i = 0; i < all.size(); i++) {
      all[i] = about.text(detail::item("/models", i, "")).value_or("");
    }
    return all;
  }
};

/// The response to a call, owned.
class response : public detail::owner<response_view, modelwire_response, modelwire_response_free> {
 public:
  using owner::owner;

  /// @name As in response_view; borrowed. A temporary returns copies.
  /// @{
  // <accessors copied response>
  [[nodiscard]] std::optional<std::string_view> request_id() const& noexcept {
    return response_view::request_id();
  }
  [[nodiscard]] std::optional<std::string> request_id() && {
    return detail::copied(response_view::request_id());
  }
  [[nodiscard]] std::optional<std::string_view> id() const& noexcept { return response_view::id(); }
  [[nodiscard]] std::optional<std::string> id() && { return detail::copied(response_view::id()); }
  [[nodiscard]] std::optional<std::string_view> model() const& noexcept {
    return response_view::model();
  }
  [[nodiscard]] std::optional<std::string> model() && {
    return detail::copied(response_view::model());
  }
  [[nodiscard]] std::string_view end_mark() const& noexcept { return response_view::end_mark(); }
  [[nodiscard]] std::string end_mark() && { return std::string(response_view::end_mark()); }
  [[nodiscard]] std::string_view reasoning() const& noexcept { return response_view::reasoning(); }
  [[nodiscard]] std::string reasoning() && { return std::string(response_view::reasoning()); }
  [[nodiscard]] std::optional<std::string_view> finish_reason() const& noexcept {
    return response_view::finish_reason();
  }
  [[nodiscard]] std::optional<std::string> finish_reason() && {
    return detail::copied(response_view::finish_reason());
  }
  // </accessors>
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const& {
    return response_view::header(name);
  }
  std::optional<std::string> header(std::string_view name) && {
    return detail::copied(response_view::header(name));
  }
  [[nodiscard]] std::vector<std::string_view> model_ids() const& {
    return response_view::model_ids();
  }
  std::vector<std::string> model_ids() && {
    const auto borrowed = response_view::model_ids();
    return std::vector<std::string>(borrowed.begin(), borrowed.end());
  }
  [[nodiscard]] std::vector<modelwire::header> headers() const& { return response_view::headers(); }
  std::vector<modelwire::header> headers() && = delete;
  /// @}
};

/// The level of the log.
enum class log_level : std::int32_t {
  off = MODELWIRE_LOG_OFF,      ///< Nothing.
  error = MODELWIRE_LOG_ERROR,  ///< A failure that is not reported otherwise.
  warn = MODELWIRE_LOG_WARN,    ///< Something that needs attention.
  info = MODELWIRE_LOG_INFO,    ///< Something worth knowing.
  debug = MODELWIRE_LOG_DEBUG,  ///< Attempts, waits, call ends, connections.
  trace = MODELWIRE_LOG_TRACE,  ///< Every detail.
};

/// One record of the log; its texts are borrowed from the event, or valid during the callback.
struct log_record {
  log_level level;                             ///< Its importance.
  std::chrono::system_clock::time_point time;  ///< When it was made.
  std::string_view target;                     ///< "modelwire", or a library that it uses.
  std::string_view message;                    ///< Its text, without the API key.
};

namespace detail {

inline log_level level_named(std::string_view name) noexcept {
  if (name == "error") return log_level::error;
  if (name == "warn") return log_level::warn;
  if (name == "info") return log_level::info;
  if (name == "debug") return log_level::debug;
  return log_level::trace;
}

}  // namespace detail

/// One event, borrowed: a chunk of a stream, the end of a call, the record of a call, or a record
/// of the log. An empty view has no values. Any thread.
class event_view : public detail::fields<modelwire_event, modelwire_event_value> {
 public:
  /// Views an event of C; empty for NULL.
  explicit event_view(const modelwire_event* borrowed = nullptr) noexcept
      : fields(borrowed) {}

  /// One of MODELWIRE_EVENT_... Kinds may be added: skip unknown ones.
  std::int32_t kind() const noexcept { return modelwire_event_kind(object_); }
  /// Whether it is a chunk of a stream.
  [[nodiscard]] bool is_chunk() const noexcept { return kind() == MODELWIRE_EVENT_CHUNK; }
  /// Whether it is the last event of a call that succeeded.
  [[nodiscard]] bool is_response() const noexcept { return kind() == MODELWIRE_EVENT_RESPONSE; }
  /// Whether it is the last event of a call that failed.
  [[nodiscard]] bool is_error() const noexcept { return kind() == MODELWIRE_EVENT_ERROR; }
  /// Whether it is a record of the log.
  [[nodiscard]] bool is_log() const noexcept { return kind() == MODELWIRE_EVENT_LOG; }
  /// Whether it is the record of a call.
  [[nodiscard]] bool is_call() const noexcept { return kind() == MODELWIRE_EVENT_CALL; }
  /// Whether it is the last event of its call, with the response or the error.
  [[nodiscard]] bool is_last() const noexcept { return is_response() || is_error(); }
  /// The tag with which the call was submitted to a queue; 0 for other calls.
  std::uint64_t tag() const noexcept { return modelwire_event_tag(object_); }

  /// Any field as JSON text, by its path.
  using fields::json;
  /// For a chunk or a response, the JSON text as the service sent it; for an error or a record, a
  /// JSON object from the library.
  [[nodiscard]] std::string_view json() const noexcept {
    return detail::view(modelwire_event_json, object_);
  }
  /// The output text that a chunk adds; the whole text of a response; the message of an error or
  /// a log record.
  [[nodiscard]] std::string_view text() const noexcept {
    return detail::view(modelwire_event_text, object_);
  }
  /// The name of the server-sent event, "response.completed" for instance; empty where there was
  /// none, as in chat streams.
  [[nodiscard]] std::string_view name() const noexcept {
    return detail::view(modelwire_event_name, object_);
  }
  /// What the library knows about the event, as one object, which the functions below read.
  [[nodiscard]] value_view info() const noexcept {
    return value_view(modelwire_event_info(object_));
  }
  // <accessors of chunk>
  /// The reasoning text that the chunk adds, in its first choice or to an item of a response,
  /// whatever the service calls it; empty for other chunks.
  [[nodiscard]] std::string_view reasoning() const noexcept {
    return info().text("/reasoning").value_or("");
  }
  /// Why the first choice stopped, "stop" for instance; absent until it stops.
  [[nodiscard]] std::optional<std::string_view> finish_reason() const noexcept {
    return info().text("/finish_reason");
  }
  /// The tokens that the chunk, or the response at the end, reports: "input_tokens",
  /// "output_tokens" and "total_tokens", and of these "cached_input_tokens",
  /// "cache_write_tokens", "reasoning_tokens", "audio_input_tokens" and "audio_output_tokens", 0
  /// if the service does not report them.
  [[nodiscard]] std::optional<token_usage> usage() const {
    return detail::usage_in(info(), "/usage");
  }
  // </accessors>
  /// The fragments of tool calls that the chunk adds, in its first choice.
  [[nodiscard]] std::vector<tool_call_piece> tool_calls() const {
    const value_view about = info();
    std::vector<tool_call_piece> all(about.count("/tool_calls"));
    for (std::size_t i = 0; i < all.size(); i++) {
      all[i].index = about.get<std::int64_t>(detail::item("/tool_calls", i, "/index"));
      all[i].id = about.text(detail::item("/tool_calls", i, "/id"));
      all[i].name = about.text(detail::item("/tool_calls", i, "/name"));
      all[i].arguments = about.text(detail::item("/tool_calls", i, "/arguments"));
    }
    return all;
  }
  /// The response of a call that succeeded, borrowed from the event; empty for other events.
  [[nodiscard]] response_view response() const noexcept {
    return response_view(modelwire_event_response(object_));
  }
  /// The error of a call that failed, copied; empty for other events.
  [[nodiscard]] std::optional<modelwire::error> error() const {
    const modelwire_error* failure = modelwire_event_error(object_);
    if (failure == nullptr) return std::nullopt;
    return modelwire::error(failure);
  }
  /// The record of a call, copied; empty for other events.
  [[nodiscard]] std::optional<call_record> record() const {
    if (!is_call()) return std::nullopt;
    auto found = detail::record_in(value(), "");
    if (!found) return std::nullopt;
    found->dropped = detail::tokens(info(), "", "/dropped");
    return found;
  }
  /// The record of the log, borrowed from the event; empty for other events.
  [[nodiscard]] std::optional<log_record> log() const {
    if (!is_log()) return std::nullopt;
    const value_view about = info();
    return log_record{detail::level_named(about.text("/level").value_or("")),
                      detail::moment(about, "/unix_ms").value_or(decltype(log_record::time){}),
                      name(), text()};
  }
};

/// One event, owned.
class event : public detail::owner<event_view, modelwire_event, modelwire_event_free> {
 public:
  using owner::owner;

  /// @name As in event_view; borrowed. A temporary returns copies, or does not compile.
  /// @{
  [[nodiscard]] std::string_view name() const& noexcept { return event_view::name(); }
  std::string name() && { return std::string(event_view::name()); }
  // <accessors copied chunk>
  [[nodiscard]] std::string_view reasoning() const& noexcept { return event_view::reasoning(); }
  [[nodiscard]] std::string reasoning() && { return std::string(event_view::reasoning()); }
  [[nodiscard]] std::optional<std::string_view> finish_reason() const& noexcept {
    return event_view::finish_reason();
  }
  [[nodiscard]] std::optional<std::string> finish_reason() && {
    return detail::copied(event_view::finish_reason());
  }
  // </accessors>
  [[nodiscard]] response_view response() const& noexcept { return event_view::response(); }
  response_view response() && = delete;
  [[nodiscard]] std::optional<log_record> log() const& { return event_view::log(); }
  std::optional<log_record> log() && = delete;
  /// @}
};

namespace detail {

/// A text that may contain the API key: its memory is wiped before it is freed.
class wiped_text {
 public:
  wiped_text() = default;
  explicit wiped_text(std::string_view text) { append(text); }
  wiped_text(const wiped_text& other) { append(other.view()); }
  wiped_text(wiped_text&& other) noexcept : text_(std::move(other.text_)) { wipe(other.text_); }
  wiped_text& operator=(wiped_text other) noexcept {
    wipe(text_);
    text_ = std::move(other.text_);
    return *this;
  }
  ~wiped_text() { wipe(text_); }

  [[nodiscard]] std::string_view view() const noexcept { return text_; }

  wiped_text& append(std::string_view more) {
    if (text_.size() + more.size() > text_.capacity()) {
      std::string larger;
      larger.reserve(2 * (text_.size() + more.size()));
      larger = text_;
      wipe(text_);
      text_.swap(larger);
    }
    text_ += more;
    return *this;
  }

 private:

  /// The whole buffer, which may have held a longer text, through a volatile pointer, so that the
  /// compiler keeps the writes.
  static void wipe(std::string& text) noexcept {
    text.resize(text.capacity());
    volatile char* bytes = text.data();
    for (std::size_t i = 0; i < text.size(); i++) bytes[i] = 0;
    text.clear();
  }

  std::string text_;
};

/// A value as JSON text. Texts must be UTF-8, which the library checks.
inline wiped_text json_of(std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  wiped_text json("\"");
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); i++) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
    json.append(text.substr(begin, i - begin));
    begin = i + 1;
    if (byte >= 0x20) {
      json.append("\\").append(text.substr(i, 1));
    } else {
      json.append("\\u00").append(hex.substr(byte / 16, 1)).append(hex.substr(byte % 16, 1));
    }
  }
  return json.append(text.substr(begin)).append("\"");
}

/// A number with a decimal point in every locale. Numbers that JSON does not have become null,
/// which every numeric option rejects.
template <class N>
std::string json_of_number(N number) {
  if (!(number - number >= 0)) return "null";
  std::array<char, 40> digits{};
  int length = 0;
  using limits = std::numeric_limits<N>;
  // The fewest digits that are exact: 0.7f is 0.7.
  for (int precision = limits::digits10; precision <= limits::max_digits10; precision++) {
    length = std::snprintf(digits.data(), digits.size(), "%.*g", precision,
                           static_cast<double>(number));
    if (static_cast<N>(std::strtod(digits.data(), nullptr)) == number) break;
  }
  std::string json;
  for (int i = 0; i < length; i++) {
    const char c = digits[static_cast<std::size_t>(i)];
    const bool is_plain = (c >= '0' && c <= '9') || c == '-' || c == '+' || c == 'e';
    if (is_plain) {
      json += c;
    } else if (json.empty() || json.back() != '.') {
      json += '.';
    }
  }
  return json;
}

#if defined(__cpp_char8_t)
template <class N>
inline constexpr bool is_char8 = std::is_same_v<N, char8_t>;
#else
template <class N>
inline constexpr bool is_char8 = false;
#endif

template <class N>
std::string json_of_arithmetic(N number) {
  static_assert(!std::is_same_v<N, char> && !std::is_same_v<N, wchar_t> &&
                    !std::is_same_v<N, char16_t> && !std::is_same_v<N, char32_t> &&
                    !is_char8<N>,
                "a character is neither a text nor a number");
  if constexpr (std::is_same_v<N, bool>) {
    return number ? "true" : "false";
  } else if constexpr (std::is_floating_point_v<N>) {
    using longest = std::conditional_t<std::is_same_v<N, float>, float, double>;
    return json_of_number(static_cast<longest>(number));
  } else {
    return std::to_string(number);
  }
}

/// The setters that a client's options and a request's options share. `Self` has `put(name,
/// json)`, which takes a value as JSON text.
template <class Self>
class common_options {
 public:
  /// Sets any option by name (see docs/options.md) to a string.
  Self& option(std::string_view name, std::string_view value) & {
    return put(name, json_of(value).view());
  }
  /// Sets any option by name to a boolean or a number.
  template <class N, class = std::enable_if_t<std::is_arithmetic_v<N>>>
  Self& option(std::string_view name, N value) & {
    return put(name, json_of_arithmetic(value));
  }
  /// NULL is not a value.
  Self& option(std::string_view name, std::nullptr_t) & = delete;
  /// Adds a header; a request's header replaces the client's header of the same name.
  Self& header(std::string_view name, std::string_view value) & {
    return member("headers", name, value);
  }
  /// Adds a query parameter to the URL; those of the base URL come first, then the client's, then
  /// the request's.
  Self& query(std::string_view name, std::string_view value) & {
    return member("query", name, value);
  }
  // <options of Self>
  /// The API key, without the word Bearer.
  Self& api_key(std::string_view text) & { return option("api_key", text); }
  /// Makes every plain call stream internally, for models that only stream; off by default.
  Self& stream_only(bool on = true) & { return option("stream_only", on); }
  /// Stores chunk times in the record of each call; off by default.
  Self& chunk_times(bool on = true) & { return option("chunk_times", on); }
  /// Whether pings (SSE comments, blank lines) also reset the idle timeout; off by default.
  Self& pings_reset_idle(bool on = true) & { return option("pings_reset_idle", on); }
  /// The maximum number of retries of one call; 3 by default, 0 disables retries.
  Self& max_retries(std::int64_t count) & { return option("max_retries", count); }
  /// The delay before the first retry, doubled for each further one; 500 ms by default.
  Self& retry_first_wait(std::chrono::milliseconds wait) & {
    return time("retry_first_wait_ms", wait);
  }
  /// The maximum of the doubled delay; 8 s by default.
  Self& retry_wait_max(std::chrono::milliseconds wait) & {
    return time("retry_wait_max_ms", wait);
  }
  /// The HTTP statuses to retry; 429 by default.
  Self& retry_statuses(std::initializer_list<int> statuses) & {
    return numbers("retry_statuses", statuses);
  }
  /// Whether to retry a call if nothing of it was sent, or if an HTTP/2 service rejected it
  /// unprocessed; off by default.
  Self& retry_connect_errors(bool on = true) & { return option("retry_connect_errors", on); }
  /// Whether to retry a call whose connection was lost after some of it was sent; it may then be
  /// billed twice; off by default.
  Self& retry_lost_connections(bool on = true) & {
    return option("retry_lost_connections", on);
  }
  /// Whether to retry a call whose answer did not begin within the first-byte timeout; it may
  /// then be billed twice; off by default.
  Self& retry_first_byte_timeouts(bool on = true) & {
    return option("retry_first_byte_timeouts", on);
  }
  /// Whether to retry a call whose answer began and then failed (an error in the stream, silence,
  /// an empty or truncated body) before any of its content reached the program, or within the
  /// first-content timeout; the failed attempt may be billed in addition; off by default.
  Self& retry_before_content(bool on = true) & { return option("retry_before_content", on); }
  /// The largest random addition to a delay, as a fraction of it; 0.25 by default.
  Self& retry_jitter(double part) & { return option("retry_jitter", part); }
  /// The longest Retry-After that a call waits for; 60 s by default.
  Self& retry_after_max(std::chrono::milliseconds wait) & {
    return time("retry_after_max_ms", wait);
  }
  /// Whether a Retry-After replaces the policy's delay even if it is shorter; off by default.
  Self& retry_after_exact(bool on = true) & { return option("retry_after_exact", on); }
  /// Whether the calls of a client slow down together when the service answers too many of them
  /// with a retried status: fewer are in flight, at the rate that the service accepts; off by
  /// default.
  Self& retry_adaptive(bool on = true) & { return option("retry_adaptive", on); }
  /// The longest wait for a connection while connections_max are in use, and for the call's turn
  /// with retry_adaptive, before each attempt. Off by default.
  Self& pool_timeout(std::optional<std::chrono::milliseconds> longest) & {
    return time("pool_timeout_ms", longest);
  }
  /// The time from the start of an attempt until the response headers are complete. 600 s by
  /// default.
  Self& first_byte_timeout(std::optional<std::chrono::milliseconds> longest) & {
    return time("first_byte_timeout_ms", longest);
  }
  /// The time from the start of an attempt until the first content of its answer: text, reasoning
  /// or a tool call of a stream, or the first byte of a document. Response headers, pings, roles
  /// and empty deltas do not count, and the idle timeout starts with the first content. Off by
  /// default.
  Self& first_content_timeout(std::optional<std::chrono::milliseconds> longest) & {
    return time("first_content_timeout_ms", longest);
  }
  /// The longest pause in the content of an answer's body; pings (SSE comments, blank lines) do
  /// not count, nor does the time that a full queue waits for its consumer. 300 s by default.
  Self& idle_timeout(std::optional<std::chrono::milliseconds> longest) & {
    return time("idle_timeout_ms", longest);
  }
  /// The longest time for all attempts and the delays between them, from the start of the call.
  /// Off by default.
  Self& total_timeout(std::optional<std::chrono::milliseconds> longest) & {
    return time("total_timeout_ms", longest);
  }

  /// @name The same on a temporary.
  /// @{
  Self&& api_key(std::string_view text) && { return std::move(api_key(text)); }
  Self&& stream_only(bool on = true) && { return std::move(stream_only(on)); }
  Self&& chunk_times(bool on = true) && { return std::move(chunk_times(on)); }
  Self&& pings_reset_idle(bool on = true) && { return std::move(pings_reset_idle(on)); }
  Self&& max_retries(std::int64_t count) && { return std::move(max_retries(count)); }
  Self&& retry_first_wait(std::chrono::milliseconds wait) && {
    return std::move(retry_first_wait(wait));
  }
  Self&& retry_wait_max(std::chrono::milliseconds wait) && {
    return std::move(retry_wait_max(wait));
  }
  Self&& retry_statuses(std::initializer_list<int> statuses) && {
    return std::move(retry_statuses(statuses));
  }
  Self&& retry_connect_errors(bool on = true) && {
    return std::move(retry_connect_errors(on));
  }
  Self&& retry_lost_connections(bool on = true) && {
    return std::move(retry_lost_connections(on));
  }
  Self&& retry_first_byte_timeouts(bool on = true) && {
    return std::move(retry_first_byte_timeouts(on));
  }
  Self&& retry_before_content(bool on = true) && {
    return std::move(retry_before_content(on));
  }
  Self&& retry_jitter(double part) && { return std::move(retry_jitter(part)); }
  Self&& retry_after_max(std::chrono::milliseconds wait) && {
    return std::move(retry_after_max(wait));
  }
  Self&& retry_after_exact(bool on = true) && { return std::move(retry_after_exact(on)); }
  Self&& retry_adaptive(bool on = true) && { return std::move(retry_adaptive(on)); }
  Self&& pool_timeout(std::optional<std::chrono::milliseconds> longest) && {
    return std::move(pool_timeout(longest));
  }
  Self&& first_byte_timeout(std::optional<std::chrono::milliseconds> longest) && {
    return std::move(first_byte_timeout(longest));
  }
  Self&& first_content_timeout(std::optional<std::chrono::milliseconds> longest) && {
    return std::move(first_content_timeout(longest));
  }
  Self&& idle_timeout(std::optional<std::chrono::milliseconds> longest) && {
    return std::move(idle_timeout(longest));
  }
  Self&& total_timeout(std::optional<std::chrono::milliseconds> longest) && {
    return std::move(total_timeout(longest));
  }
  /// @}
  // </options>

  /// @name The same on a temporary.
  /// @{
  Self&& option(std::string_view name, std::string_view value) && {
    return std::move(option(name, value));
  }
  template <class N, class = std::enable_if_t<std::is_arithmetic_v<N>>>
  Self&& option(std::string_view name, N value) && {
    return std::move(option(name, value));
  }
  Self&& option(std::string_view name, std::nullptr_t) && = delete;
  Self&& header(std::string_view name, std::string_view value) && {
    return std::move(header(name, value));
  }
  Self&& query(std::string_view name, std::string_view value) && {
    return std::move(query(name, value));
  }
  /// @}

 protected:
  Self& put(std::string_view name, std::string_view json) & {
    auto& self = static_cast<Self&>(*this);
    self.put_json(name, json);
    return self;
  }
  Self& time(std::string_view name, std::optional<std::chrono::milliseconds> longest) & {
    return put(name, longest ? std::to_string(longest->count()) : "null");
  }
  Self& numbers(std::string_view name, std::initializer_list<int> all) & {
    std::string json;
    for (const int number : all) json += (json.empty() ? "" : ",") + std::to_string(number);
    return put(name, '[' + json + ']');
  }
  Self& member(std::string_view option, std::string_view name, std::string_view value) & {
    wiped_text json("{");
    json.append(json_of(name).view()).append(":").append(json_of(value).view()).append("}");
    return put(option, json.view());
  }
};

/// Whether an object was filled and not moved from.
struct filled {
  bool is_so = true;
  filled() = default;
  filled(const filled&) = default;
  filled(filled&& other) noexcept : is_so(std::exchange(other.is_so, false)) {}
  filled& operator=(filled other) noexcept {
    is_so = other.is_so;
    return *this;
  }
};

}  // namespace detail

/// The options of a client, a JSON object written by setters. Options that are not set have their
/// defaults; those of the base URL and the key come from the environment (MODELWIRE_BASE_URL or
/// OPENAI_BASE_URL, MODELWIRE_API_KEY or OPENAI_API_KEY). The last setting of an option counts;
/// headers, query parameters and certificates are added. The options are checked when a client is
/// made. The memory that contained the key is wiped.
///
///   modelwire::client client(
///       modelwire::config().base_url("https://host/v1").total_timeout(std::chrono::minutes(2)));
class config : public detail::common_options<config> {
 public:
  /// All defaults.
  config() = default;

  /// The options as one JSON object for a client; it contains the API key.
  [[nodiscard]] std::string json() const {
    std::string all("{");
    return all.append(members_.view()).append("}");
  }
  /// Whether it holds options; false after a move.
  explicit operator bool() const noexcept { return filled_.is_so; }

  /// Sets options by name from one JSON object; docs/options.md has the names.
  config& options(std::string_view json) & {
    const auto begin = json.find_first_not_of(" \t\r\n");
    const auto end = json.find_last_not_of(" \t\r\n");
    const bool is_object = begin != json.npos && json[begin] == '{' && json[end] == '}';
    // Text that is not an object makes the whole invalid JSON; the client reports where.
    if (!is_object) return add(json.empty() ? "?" : json);
    const auto inner = json.substr(begin + 1, end - begin - 1);
    return inner.find_first_not_of(" \t\r\n") == inner.npos ? *this : add(inner);
  }
  /// The same on a temporary configuration.
  config&& options(std::string_view json) && { return std::move(options(json)); }
  // <options of config>
  /// The base URL of the service, https://host/v1 for instance, or
  /// http+unix://%2Frun%2Fmodels.sock/v1 at a Unix socket.
  config& base_url(std::string_view text) & { return option("base_url", text); }
  /// Several base URLs instead of base_url, each a string or an object with url and, where
  /// needed, api_key, weight and models (names there by requested names). Attempts that were not
  /// sent or were refused with status 429 continue at the next one at once.
  config& base_urls(std::string_view json) & { return put("base_urls", json); }
  /// Spreads calls over base_urls by weight; by default, all go to the first that does not rest
  /// after failures.
  config& balance(bool on = true) & { return option("balance", on); }
  /// A proxy for every call, http://host:port for instance; https, socks4, socks4a, socks5 and
  /// socks5h also work. Empty for none, regardless of the environment.
  config& proxy(std::string_view text) & { return option("proxy", text); }
  /// Trusted CA certificates in PEM form, in addition to the system's.
  config& ca_pem(std::string_view text) & { return option("ca_pem", text); }
  /// A client certificate, its chain and its private key, together in PEM form.
  config& client_certificate_pem(std::string_view text) & {
    return option("client_certificate_pem", text);
  }
  /// Offers HTTP/2 to an https service; off by default.
  config& http2(bool on = true) & { return option("http2", on); }
  /// How long a connection is silent before the system probes whether the peer is still there,
  /// and the time between probes: three without an answer end the connection. From 1 s to 32767
  /// s, in whole seconds; 15 s by default.
  config& tcp_keepalive(std::optional<std::chrono::milliseconds> longest) & {
    return time("tcp_keepalive_ms", longest);
  }
  /// The header, usually Idempotency-Key, that carries a key with each chat and response: the
  /// same for all attempts of a call, made at random unless the call has idempotency_key; off by
  /// default.
  config& idempotency_header(std::string_view text) & {
    return option("idempotency_header", text);
  }
  /// The longest time to open a connection, including TLS; for clients only. 10 s by default.
  config& connect_timeout(std::optional<std::chrono::milliseconds> longest) & {
    return time("connect_timeout_ms", longest);
  }
  /// The largest server-sent event, in bytes; 16 MiB by default.
  config& event_bytes_max(std::int64_t count) & { return option("event_bytes_max", count); }
  /// The largest answer kept in memory, in bytes; 256 MiB by default.
  config& response_bytes_max(std::int64_t count) & {
    return option("response_bytes_max", count);
  }
  /// The part of a failed answer's body that is read and kept, in bytes; 64 KiB by default.
  config& error_body_bytes_max(std::int64_t count) & {
    return option("error_body_bytes_max", count);
  }
  /// The maximum number of headers of an answer; 100 by default.
  config& headers_max(std::int64_t count) & { return option("headers_max", count); }
  /// The maximum bytes of one call in its queue; beyond it the library stops reading the body;
  /// 256 KiB by default. A single larger event is queued alone.
  config& queue_bytes_max(std::int64_t count) & { return option("queue_bytes_max", count); }
  /// The maximum events of one call in its queue; beyond it the library stops reading the body;
  /// 1024 by default.
  config& queue_events_max(std::int64_t count) & { return option("queue_events_max", count); }
  /// The maximum number of connections in use by calls of the client; 1000 by default, and never
  /// more than 3/8 of the process's descriptor limit (RLIMIT_NOFILE, read at the first call),
  /// which the calls of all clients share. In addition, each client may have up to 1/16 idle and
  /// 1/16 opening: one client uses at most half. Further calls wait in order, and take the first
  /// connection that becomes idle. Calls that share a connection (HTTP/2) are not counted.
  config& connections_max(std::int64_t count) & { return option("connections_max", count); }
  /// The maximum number of idle connections kept for later calls; 1000 by default, and never more
  /// than connections_max and 1/16 of the descriptor limit.
  config& idle_connections_max(std::int64_t count) & {
    return option("idle_connections_max", count);
  }
  /// How long an idle connection is kept, in milliseconds; 4000 by default, because many servers
  /// close theirs after 5 s.
  config& idle_connection_max(std::chrono::milliseconds wait) & {
    return time("idle_connection_ms_max", wait);
  }

  /// @name The same on a temporary.
  /// @{
  config&& base_url(std::string_view text) && { return std::move(base_url(text)); }
  config&& base_urls(std::string_view json) && { return std::move(base_urls(json)); }
  config&& balance(bool on = true) && { return std::move(balance(on)); }
  config&& proxy(std::string_view text) && { return std::move(proxy(text)); }
  config&& ca_pem(std::string_view text) && { return std::move(ca_pem(text)); }
  config&& client_certificate_pem(std::string_view text) && {
    return std::move(client_certificate_pem(text));
  }
  config&& http2(bool on = true) && { return std::move(http2(on)); }
  config&& tcp_keepalive(std::optional<std::chrono::milliseconds> longest) && {
    return std::move(tcp_keepalive(longest));
  }
  config&& idempotency_header(std::string_view text) && {
    return std::move(idempotency_header(text));
  }
  config&& connect_timeout(std::optional<std::chrono::milliseconds> longest) && {
    return std::move(connect_timeout(longest));
  }
  config&& event_bytes_max(std::int64_t count) && { return std::move(event_bytes_max(count)); }
  config&& response_bytes_max(std::int64_t count) && {
    return std::move(response_bytes_max(count));
  }
  config&& error_body_bytes_max(std::int64_t count) && {
    return std::move(error_body_bytes_max(count));
  }
  config&& headers_max(std::int64_t count) && { return std::move(headers_max(count)); }
  config&& queue_bytes_max(std::int64_t count) && { return std::move(queue_bytes_max(count)); }
  config&& queue_events_max(std::int64_t count) && {
    return std::move(queue_events_max(count));
  }
  config&& connections_max(std::int64_t count) && { return std::move(connections_max(count)); }
  config&& idle_connections_max(std::int64_t count) && {
    return std::move(idle_connections_max(count));
  }
  config&& idle_connection_max(std::chrono::milliseconds wait) && {
    return std::move(idle_connection_max(wait));
  }
  /// @}
  // </options>

 private:
  friend class client;
  friend class detail::common_options<config>;

  void put_json(std::string_view name, std::string_view json) {
    detail::wiped_text member = detail::json_of(name);
    add(member.append(":").append(json).view());
  }

  config& add(std::string_view members) {
    if (!members_.view().empty()) members_.append(",");
    members_.append(members);
    return *this;
  }

  [[nodiscard]] detail::wiped_text object() const {
    detail::wiped_text all("{");
    return all.append(members_.view()).append("}");
  }

  detail::wiped_text members_;
  detail::filled filled_;
};

/// A request for one of the three operations, for any number of calls. One thread at a time fills
/// it; it keeps its first error.
///
///   auto question = modelwire::request::chat("a-model")
///                       .system("Answer in one word.")
///                       .user("Where is the Eiffel Tower?")
///                       .set("temperature", 0.2);
class request : public detail::handle<modelwire_request, modelwire_request_free>,
                public detail::common_options<request> {
 public:
  /// Adopts a request of C.
  ///
  /// @param what  its operation, which determines the field that `max_tokens` sets
  explicit request(modelwire_request* adopted, operation what = operation::chat) noexcept
      : handle(adopted), operation_(what) {}

  /// The model list.
  static request models() { return request(operation::models, std::nullopt); }
  /// A chat completion, to fill with messages and fields.
  static request chat(std::string_view model) {
    return std::move(request(operation::chat, std::nullopt).set("model", model));
  }
  /// A response, to fill with its input and fields.
  static request responses(std::string_view model) {
    return std::move(request(operation::responses, std::nullopt).set("model", model));
  }
  /// A chat completion from JSON text with at least "model" and "messages". The text is sent as
  /// it is, except for "stream", which follows from how the call is run. Text that is not JSON is
  /// an error that names the byte; an invalid field is an error that names the field.
  static request chat_json(std::string_view json) { return request(operation::chat, json); }
  /// The same from an nlohmann::json.
  template <class Json, class = detail::if_dumped<Json>>
  static request chat_json(const Json& json) {
    return chat_json(std::string_view(json.dump()));
  }
  /// A response from JSON text with at least "model" and "input"; as `chat_json`.
  static request responses_json(std::string_view json) {
    return request(operation::responses, json);
  }
  /// The same from an nlohmann::json.
  template <class Json, class = detail::if_dumped<Json>>
  static request responses_json(const Json& json) {
    return responses_json(std::string_view(json.dump()));
  }

  /// The first error so far; NULL if there is none. Using the request gives this error, too.
  [[nodiscard]] const modelwire::error* problem() const noexcept {
    return problem_ ? &*problem_ : nullptr;
  }

  /// Adds a message to a request that is built field by field: to the messages of a chat or the input
  /// of a response. A longer conversation generally costs more and takes longer. The result of a tool
  /// is a `tool_result`.
  request& message(std::string_view role, std::string_view content) & {
    return note("request.message", [&](auto* failure) {
      return modelwire_request_add_message(get(), detail::start(role), role.size(),
                                           detail::start(content), content.size(), failure);
    });
  }
  /// Adds messages, each as its role and its content.
  request& messages(std::initializer_list<std::pair<text_item, text_item>> all) & {
    for (const auto& [role, content] : all) message(role.view(), content.view());
    return *this;
  }
  /// A message of the role "system".
  request& system(std::string_view content) & { return message("system", content); }
  /// A message of the role "user".
  request& user(std::string_view content) & { return message("user", content); }
  /// A message of the role "assistant".
  request& assistant(std::string_view content) & { return message("assistant", content); }
  /// Adds a text to the last message.
  request& text(std::string_view words) & { return part("text", words); }
  /// Adds an image, which the service fetches, to the last message. Images are part of the input and
  /// generally consume tokens.
  request& image_url(std::string_view url) & { return part("image_url", url); }
  /// Adds an image to the last message: its media type, "image/png" for instance, and its bytes.
  request& image(std::string_view media_type, std::string_view bytes) & {
    return part(media_type, bytes);
  }
  /// Adds what the model answered to the conversation, as it sent it, with its tool calls. A stream
  /// must have been gathered.
  request& add_response(const response_view& answer) & {
    return note("request.add_response", [&](auto* failure) {
      return modelwire_request_add_response(get(), answer.get(), failure);
    });
  }
  /// Adds the result of a tool call by its id, after the answer that has the call.
  request& tool_result(std::string_view id, std::string_view output) & {
    return note("request.tool_result", [&](auto* failure) {
      return modelwire_request_add_tool_result(get(), detail::start(id), id.size(),
                                               detail::start(output), output.size(), failure);
    });
  }
  /// Appends JSON text to a field that is an array: a definition to "tools", an item to "input".
  request& add_json(std::string_view name, std::string_view text) & {
    return note("request.add_json", [&](auto* failure) {
      return modelwire_request_add_json(get(), detail::start(name), name.size(),
                                        detail::start(text), text.size(), failure);
    });
  }
  /// The same from an nlohmann::json.
  template <class Json, class = detail::if_dumped<Json>>
  request& add_json(std::string_view name, const Json& json) & {
    return add_json(name, std::string_view(json.dump()));
  }
  /// The input of a response that is built field by field, as plain text. A longer input
  /// generally costs more and takes longer.
  request& input(std::string_view text) & {
    if (operation_ != operation::responses) {
      return refuse("request.input", "only a response has an input, a chat has messages");
    }
    return set("input", text);
  }
  /// The maximum of the output, in tokens, at least 1: "max_tokens" of a chat,
  /// "max_output_tokens" of a response. A value set by another function is checked in the same
  /// way when the call is made. A higher maximum may consume more.
  request& max_tokens(std::int32_t tokens) & {
    if (tokens < 1) return refuse("request.max_tokens", "max_tokens must be at least 1");
    return set(operation_ == operation::responses ? "max_output_tokens" : "max_tokens", tokens);
  }
  /// Sets any other field to a string, "reasoning_effort" for instance.
  request& set(std::string_view name, std::string_view value) & {
    return note_field(name, [&](auto* failure) {
      return modelwire_request_set_text(get(), detail::start(name), name.size(),
                                        detail::start(value), value.size(), failure);
    });
  }
  /// Sets any other field to a boolean, an integer or a number. JSON has no infinities and no
  /// NaN.
  template <class N, class = std::enable_if_t<std::is_arithmetic_v<N>>>
  request& set(std::string_view name, N value) & {
    if constexpr (std::is_floating_point_v<N>) {
      if (!(value - value >= 0)) {
        return refuse(field_setter(name), "JSON has no infinities and no NaN");
      }
    }
    return set_json(name, detail::json_of_arithmetic(value));
  }
  /// Sets any other field to an array of strings, "stop" for instance.
  request& set(std::string_view name, std::initializer_list<text_item> values) & {
    detail::wiped_text list("[");
    for (const text_item& value : values) {
      list.append(&value == values.begin() ? "" : ",");
      list.append(detail::json_of(value.view()).view());
    }
    return set_json(name, list.append("]").view());
  }
  /// NULL is not a value; `set_json(name, "null")` is.
  request& set(std::string_view name, std::nullptr_t) & = delete;
  /// Sets any other field to JSON text: "tools", "response_format", "messages" with images,
  /// numbers of any size. Sent as it is; text that is not JSON is an error that names the byte.
  request& set_json(std::string_view name, std::string_view text) & {
    return note_field(name, [&](auto* failure) {
      return modelwire_request_set_json(get(), detail::start(name), name.size(),
                                        detail::start(text), text.size(), failure);
    });
  }
  /// The same from an nlohmann::json.
  template <class Json, class = detail::if_dumped<Json>>
  request& set_json(std::string_view name, const Json& json) & {
    return set_json(name, std::string_view(json.dump()));
  }
  /// A list in braces is not JSON, and NULL neither.
  request& set_json(std::string_view, std::initializer_list<text_item>) & = delete;
  request& set_json(std::string_view, std::nullptr_t) & = delete;
  request& add_json(std::string_view, std::initializer_list<text_item>) & = delete;
  request& add_json(std::string_view, std::nullptr_t) & = delete;
  /// Sets options of this request by name from one JSON object, all of them or none: they
  /// override the client's. docs/options.md has the names.
  request& options(std::string_view json) & { return set_options("request.options", json); }
  /// Omits a header that the client would send.
  request& without_header(std::string_view name) & {
    detail::wiped_text list("[");
    return put("without_headers", list.append(detail::json_of(name).view()).append("]").view());
  }
  // <options of request>
  /// The idempotency key of this call, the same for all its attempts, in the client's
  /// idempotency_header, otherwise in Idempotency-Key.
  request& idempotency_key(std::string_view text) & { return option("idempotency_key", text); }
  /// Gathers the chunks of this streamed call, so that the end of the stream also has the whole
  /// answer, and an error the part before it; off by default, which keeps memory use constant.
  request& gather(bool on = true) & { return option("gather", on); }

  /// @name The same on a temporary.
  /// @{
  request&& idempotency_key(std::string_view text) && {
    return std::move(idempotency_key(text));
  }
  request&& gather(bool on = true) && { return std::move(gather(on)); }
  /// @}
  // </options>

  /// @name The same on a temporary request.
  /// @{
  request&& message(std::string_view role, std::string_view content) && {
    return std::move(message(role, content));
  }
  request&& messages(std::initializer_list<std::pair<text_item, text_item>> all) && {
    return std::move(messages(all));
  }
  request&& system(std::string_view content) && { return std::move(system(content)); }
  request&& user(std::string_view content) && { return std::move(user(content)); }
  request&& assistant(std::string_view content) && { return std::move(assistant(content)); }
  request&& text(std::string_view words) && { return std::move(text(words)); }
  request&& image_url(std::string_view url) && { return std::move(image_url(url)); }
  request&& image(std::string_view media_type, std::string_view bytes) && {
    return std::move(image(media_type, bytes));
  }
  request&& add_response(const response_view& answer) && {
    return std::move(add_response(answer));
  }
  request&& tool_result(std::string_view id, std::string_view output) && {
    return std::move(tool_result(id, output));
  }
  template <class Json, class = detail::if_dumped<Json>>
  request&& add_json(std::string_view name, const Json& json) && {
    return std::move(add_json(name, json));
  }
  request&& add_json(std::string_view name, std::string_view text) && {
    return std::move(add_json(name, text));
  }
  request&& input(std::string_view text) && { return std::move(input(text)); }
  request&& max_tokens(std::int32_t tokens) && { return std::move(max_tokens(tokens)); }
  request&& set(std::string_view name, std::string_view value) && {
    return std::move(set(name, value));
  }
  template <class N, class = std::enable_if_t<std::is_arithmetic_v<N>>>
  request&& set(std::string_view name, N value) && {
    return std::move(set(name, value));
  }
  request&& set(std::string_view name, std::initializer_list<text_item> values) && {
    return std::move(set(name, values));
  }
  request&& set(std::string_view name, std::nullptr_t) && = delete;
  template <class Json, class = detail::if_dumped<Json>>
  request&& set_json(std::string_view name, const Json& json) && {
    return std::move(set_json(name, json));
  }
  request&& set_json(std::string_view name, std::string_view text) && {
    return std::move(set_json(name, text));
  }
  request&& set_json(std::string_view, std::initializer_list<text_item>) && = delete;
  request&& set_json(std::string_view, std::nullptr_t) && = delete;
  request&& add_json(std::string_view, std::initializer_list<text_item>) && = delete;
  request&& add_json(std::string_view, std::nullptr_t) && = delete;
  request&& options(std::string_view json) && { return std::move(options(json)); }
  request&& without_header(std::string_view name) && { return std::move(without_header(name)); }
  /// @}

 private:
  friend class client;
  friend class queue;
  friend class detail::common_options<request>;

  request(operation what, std::optional<std::string_view> json)
      : handle(nullptr), operation_(what) {
    modelwire_request* out = nullptr;
    modelwire_error* failure = nullptr;
    const char* text = json ? detail::start(*json) : nullptr;
    const modelwire_status status = modelwire_request_new(
        static_cast<std::int32_t>(what), text, json ? json->size() : 0, &out, &failure);
    if (status != MODELWIRE_OK) problem_ = modelwire::error::adopt(failure, status);
    handle::operator=(request(out, what));
  }

  /// Why it cannot be used: its first error, or that it is empty.
  [[nodiscard]] std::optional<modelwire::error> obstacle() const {
    if (problem_) return problem_;
    if (get() != nullptr) return std::nullopt;
    return modelwire::error(MODELWIRE_E_ARGUMENT, "request was moved from", "Make a new one.");
  }

  /// Calls a setter of C, and keeps its error if it is the first.
  template <class Set>
  request& note(std::string_view what, Set&& set) {
    modelwire_error* failure = nullptr;
    const modelwire_status status = set(&failure);
    if (status == MODELWIRE_OK) return *this;
    const modelwire::error refused = modelwire::error::adopt(failure, status);
    if (problem_) return *this;
    if (get() == nullptr) return refuse(what, "it was moved from");
    problem_.emplace(status, std::string(what).append(": ").append(refused.message()),
                     refused.hint());
    return *this;
  }

  request& part(std::string_view type, std::string_view value) {
    return note("request.part", [&](auto* failure) {
      return modelwire_request_add_part(get(), detail::start(type), type.size(),
                                        detail::start(value), value.size(), failure);
    });
  }

  template <class Set>
  request& note_field(std::string_view name, Set&& set) {
    return note(field_setter(name), std::forward<Set>(set));
  }

  static std::string field_setter(std::string_view name) {
    return std::string("request.set(\"").append(name).append("\")");
  }

  request& refuse(std::string_view what, std::string_view why) {
    if (!problem_) {
      problem_.emplace(MODELWIRE_E_ARGUMENT, std::string(what).append(": ").append(why));
    }
    return *this;
  }

  request& set_options(std::string_view what, std::string_view json) {
    return note(what, [&](auto* failure) {
      return modelwire_request_set_options(get(), detail::start(json), json.size(), failure);
    });
  }

  void put_json(std::string_view name, std::string_view json) {
    detail::wiped_text object("{");
    object.append(detail::json_of(name).view()).append(":").append(json).append("}");
    set_options(std::string("request.").append(name), object.view());
  }

  operation operation_;
  std::optional<modelwire::error> problem_;
};

namespace detail {

/// Calls a lambda that takes an event, or a record of the log, and returns a `flow` or nothing.
template <class F, class Seen>
flow visit(F& lambda, const Seen& seen) {
  using returned = std::invoke_result_t<F&, const Seen&>;
  static_assert(std::is_void_v<returned> || std::is_same_v<returned, flow>,
                "a callback returns nothing, or modelwire::flow");
  if constexpr (std::is_void_v<returned>) {
    lambda(seen);
    return flow::go_on;
  } else {
    return lambda(seen);
  }
}

/// Runs a lambda of the program that the library calls. Exceptions must not pass through the
/// library: the exception is kept, and counts as `flow::stop`.
template <class F>
flow guarded(std::exception_ptr& thrown, F&& body) noexcept {
#if MODELWIRE_EXCEPTIONS
  try {
    return body();
  } catch (...) {
    thrown = std::current_exception();
    return flow::stop;
  }
#else
  (void)thrown;
  return body();
#endif
}

/// A lambda that lives on the stack of a blocking stream.
template <class F>
struct visitor {
  F& lambda;
  std::exception_ptr thrown;

  static std::int32_t on_event(void* user_data, const modelwire_event* event) noexcept {
    auto& self = *static_cast<visitor*>(user_data);
    return guarded(self.thrown, [&] { return visit(self.lambda, event_view(event)); }) ==
           flow::stop;
  }
};

/// State shared by a started call's handle and its callback. Callbacks of one call run one after
/// another, so they need no lock, and a forked child finds no held lock.
class started {
 public:
  /// Keeps the exception of the callback, if it is the first.
  void keep(std::exception_ptr thrown) noexcept {
    if (has_thrown_.load(std::memory_order_relaxed)) return;
    thrown_ = std::move(thrown);
    has_thrown_.store(true, std::memory_order_release);
  }

  /// The first exception of the callback.
  [[nodiscard]] std::exception_ptr thrown() const noexcept {
    return has_thrown_.load(std::memory_order_acquire) ? thrown_ : nullptr;
  }

  /// Takes the handle of a detached call, and frees it when the call has ended.
  void leave(modelwire_call* call) noexcept {
    left_ = call;
    if (state_.exchange(detached) == over) modelwire_call_free(call);
  }

  /// The callback has run for the last time and is destroyed.
  void end() noexcept {
    if (state_.exchange(over) == detached) modelwire_call_free(left_);
  }

 private:
  enum state { running, detached, over };
  std::atomic<state> state_{running};
  std::atomic<bool> has_thrown_{false};
  std::exception_ptr thrown_;
  modelwire_call* left_ = nullptr;
};

/// A lambda that the library owns until the call has ended.
template <class F>
struct started_visitor {
  F lambda;
  std::shared_ptr<started> shared;

  static std::int32_t on_event(void* user_data, const modelwire_event* event) noexcept {
    auto& self = *static_cast<started_visitor*>(user_data);
    std::exception_ptr thrown;
    const flow how = guarded(thrown, [&] { return visit(self.lambda, event_view(event)); });
    if (thrown) self.shared->keep(std::move(thrown));
    return how == flow::stop;
  }

  static void on_end(void* user_data) noexcept {
    auto* self = static_cast<started_visitor*>(user_data);
    const std::shared_ptr<started> shared = std::move(self->shared);
    delete self;
    shared->end();
  }
};

template <class F>
struct call_visitor {
  F lambda;

  static std::int32_t on_call(void* user_data, const modelwire_event* event) noexcept {
    auto& self = *static_cast<call_visitor*>(user_data);
    std::exception_ptr nobody_to_tell;
    const flow how = guarded(nobody_to_tell, [&] {
      const auto record = event_view(event).record();
      return record ? visit(self.lambda, *record) : flow::go_on;
    });
    return how == flow::stop && !nobody_to_tell;
  }

  static void on_end(void* user_data) noexcept { delete static_cast<call_visitor*>(user_data); }
};

}  // namespace detail

/// An attempt that is about to be sent, for `client::before_attempt`. Valid while that runs.
class attempt_view {
 public:
  /// Views an attempt of C; empty for NULL.
  explicit attempt_view(const modelwire_attempt* borrowed = nullptr) noexcept
      : object_(borrowed) {}

  /// A JSON object: "operation", "url" with its query, and "number", that of the attempt of its call, from 1.
  [[nodiscard]] std::string_view json() const noexcept {
    return detail::view(modelwire_attempt_json, object_);
  }
  /// The JSON text of the request; empty for a model list.
  [[nodiscard]] std::string_view body() const noexcept {
    return detail::view(modelwire_attempt_body, object_);
  }
  /// Sets a header of this attempt; it replaces one of the client or the request. "authorization" replaces the
  /// API key, and is not redacted where the service echoes it.
  result<void> try_set_header(std::string_view name, std::string_view value) const {
    modelwire_error* failure = nullptr;
    const modelwire_status status = modelwire_attempt_set_header(
        object_, detail::start(name), name.size(), detail::start(value), value.size(), &failure);
    return detail::outcome(status, failure);
  }
#if MODELWIRE_EXCEPTIONS
  /// As `try_set_header`, but throws.
  void set_header(std::string_view name, std::string_view value) const {
    try_set_header(name, value).value();
  }
#endif

 private:
  const modelwire_attempt* object_;
};

namespace detail {

template <class F>
struct attempt_visitor {
  F lambda;

  static std::int32_t before(void* user_data, const modelwire_attempt* attempt) noexcept {
    auto& self = *static_cast<attempt_visitor*>(user_data);
    std::exception_ptr refusal;
    const flow how = guarded(refusal, [&] { return visit(self.lambda, attempt_view(attempt)); });
    return how == flow::stop || refusal;
  }

  static void on_end(void* user_data) noexcept { delete static_cast<attempt_visitor*>(user_data); }
};

}  // namespace detail

/// One call of the service, with all its attempts. You create it before it starts, so that any
/// thread can cancel it at any time; it runs once, in one of three ways. Destroying an unfinished
/// call cancels it.
///
/// The destructor of a call that was started with a callback waits until the callback has run for
/// the last time and is destroyed, so that the callback may refer to anything that outlives this
/// object; `detach()` disables that. In a forked child, and inside a callback of the same client,
/// where it could wait for itself, the destructor does not wait. For calls by tag, without an
/// object each, use modelwire::queue.
class call : public detail::handle<modelwire_call, modelwire_call_free> {
 public:
  /// Empty.
  call() noexcept : handle(nullptr) {}
  /// Adopts a call of C.
  explicit call(modelwire_call* adopted) noexcept : handle(adopted) {}
  /// Takes over a call, started or not.
  call(call&& other) noexcept = default;
  /// The same; the previous call of this object ends as in the destructor.
  call& operator=(call&& other) noexcept {
    if (this == &other) return *this;
    end();
    handle::operator=(std::move(other));
    started_ = std::move(other.started_);
    return *this;
  }
  /// Cancels an unfinished call, and waits for the callback if there is one.
  ~call() { end(); }

  /// Runs a call without streaming, and waits for the response. An interruptible call may give an
  /// error of the kind `interrupted`: the call continues; run it again to wait again.
  result<modelwire::response> try_run() {
    modelwire_response* out = nullptr;
    modelwire_error* failure = nullptr;
    const modelwire_status status = modelwire_call_run(get(), &out, &failure);
    if (status != MODELWIRE_OK) return modelwire::error::adopt(failure, status);
    return modelwire::response(out);
  }

  /// Runs a call as a stream, and calls back for each chunk on this thread. Interrupted as
  /// `try_run`; the next `try_stream` continues after the last chunk.
  ///
  /// @param on_chunk  called with a `const event_view&`, valid during the call; returns nothing,
  ///                  or a `flow`. An exception ends the call and is rethrown here, unchanged.
  /// @return how the stream ended, and its usage; empty if the callback ended it
  template <class F>
  result<std::optional<modelwire::response>> try_stream(F&& on_chunk) {
    using lambda = std::remove_reference_t<F>;
    detail::visitor<lambda> visitor{on_chunk, nullptr};
    modelwire_response* out = nullptr;
    modelwire_error* failure = nullptr;
    const modelwire_status status = modelwire_call_stream(
        get(), detail::visitor<lambda>::on_event, &visitor, &out, &failure);
#if MODELWIRE_EXCEPTIONS
    if (visitor.thrown) {
      modelwire_response_free(out);
      modelwire_error_free(failure);
      std::rethrow_exception(std::move(visitor.thrown));
    }
#endif
    if (status == MODELWIRE_STOPPED) return std::optional<modelwire::response>();
    if (status != MODELWIRE_OK) return modelwire::error::adopt(failure, status);
    return std::optional<modelwire::response>(modelwire::response(out));
  }

  /// Starts a call and returns; its events go to a callback on the client's callback thread. The
  /// callback may block and run other calls. The callbacks of one client run one after another.
  ///
  /// The last event is RESPONSE or ERROR, exactly once, however the call ends; then the callback
  /// is destroyed. An exception ends the call like `flow::stop`, with an ERROR of kind cancelled;
  /// the first exception is kept for `thrown()` and `join()`.
  ///
  /// @param on_event  called with a `const event_view&`, valid during the call; returns nothing,
  ///                  or a `flow`; moved or copied. If the start fails, it is only destroyed.
  template <class F>
  result<void> try_start(F&& on_event, mode how = mode::stream) {
    using visitor = detail::started_visitor<std::decay_t<F>>;
    auto shared = std::make_shared<detail::started>();
    auto owned = std::unique_ptr<visitor>(new visitor{std::forward<F>(on_event), shared});
    const bool is_first = !started_;
    // Before the start: the callback may look at this object.
    if (is_first) started_ = std::move(shared);
    modelwire_error* failure = nullptr;
    const modelwire_status status =
        modelwire_call_start(get(), static_cast<std::int32_t>(how), visitor::on_event,
                             owned.release(), visitor::on_end, &failure);
    if (status == MODELWIRE_OK) return {};
    if (is_first) started_.reset();
    return modelwire::error::adopt(failure, status);
  }

#if MODELWIRE_EXCEPTIONS
  /// As `try_run`, but throws.
  modelwire::response run() { return try_run().value(); }
  /// As `try_stream`, but throws.
  template <class F>
  std::optional<modelwire::response> stream(F&& on_chunk) {
    return try_stream(std::forward<F>(on_chunk)).value();
  }
  /// As `try_start`, but throws.
  template <class F>
  void start(F&& on_event, mode how = mode::stream) {
    try_start(std::forward<F>(on_event), how).value();
  }
  /// Waits until the callback of a started call has run for the last time and is destroyed, even
  /// if signals interrupt the wait; then rethrows its exception. Inside a callback of the same
  /// client, and in a forked child, it throws an error instead of waiting forever.
  void join() const {
    if (started_) {
      modelwire_error* failure = nullptr;
      const modelwire_status status = wait_on(&failure);
      if (status != MODELWIRE_OK) throw modelwire::error::adopt(failure, status);
    }
    if (auto cause = thrown()) std::rethrow_exception(cause);
  }
#endif

  /// Waits until the callback of a started call has run for the last time and is destroyed: then
  /// its code may be unloaded.
  ///
  /// @param longest  longest wait; 0 does not wait
  /// @return true once the callback is destroyed, and for a call that was not started with a
  ///         callback; false on timeout, at once inside a callback of the same client and in a
  ///         forked child, and if a signal or `wakeup()` interrupted an interruptible call.
  bool wait(std::chrono::milliseconds longest = unlimited) const noexcept {
    return !started_ ||
           modelwire_call_wait(get(), detail::wait_ms(longest), nullptr) == MODELWIRE_OK;
  }

  /// The first exception of the callback of a started call; NULL if none. Final once `wait()` is
  /// true.
  [[nodiscard]] std::exception_ptr thrown() const noexcept {
    return started_ ? started_->thrown() : nullptr;
  }

  /// Detaches a started call: it is neither cancelled nor waited for, and this object is empty.
  /// Has no effect on other calls. Only client::close() waits for it.
  void detach() noexcept {
    if (auto shared = std::move(started_)) shared->leave(handle::release());
  }

  /// Cancels a call now, in any state, even before it starts. A call that has ended stays as it
  /// is. Any thread, any time, also inside a callback, but not in a signal handler: there, call
  /// `wakeup`, and cancel after the wait.
  void cancel() const noexcept { modelwire_call_cancel(get()); }

  /// Lets one thread that waits for an interruptible call, or the next thread that would wait,
  /// return as interrupted; the call continues. Any thread, also in a signal handler.
  void wakeup() const noexcept { modelwire_call_wakeup(get()); }

  /// Gives ownership of the C object to the caller, with its callback if it has one: this object
  /// is empty and waits for nothing.
  [[nodiscard]] modelwire_call* release() noexcept {
    started_.reset();
    return handle::release();
  }

#if defined(__cpp_lib_jthread)
  /// As `wait`, without limit; a stop request cancels the call, and the function waits for its
  /// end.
  bool wait(std::stop_token stop) const {
    const std::stop_callback watch(std::move(stop), [this]() noexcept { cancel(); });
    return !started_ || wait_on(nullptr) == MODELWIRE_OK;
  }
#endif

 private:
  modelwire_status wait_on(modelwire_error** failure) const noexcept {
    modelwire_status status;
    do {
      status = modelwire_call_wait(get(), -1, failure);
    } while (status == MODELWIRE_INTERRUPTED);
    return status;
  }

  void end() noexcept {
    if (!started_) return;
    cancel();
    (void)wait_on(nullptr);
    started_.reset();
  }

  std::shared_ptr<detail::started> started_;
};

/// The result of a wait on a queue: an event, or the reason why there is none.
class next_event {
 public:
  /// Tells templates that this type lends views into itself.
  using lends_views = void;

  /// Made by queue::next.
  next_event(waited how, event taken) noexcept : how_(how), event_(std::move(taken)) {}
  /// Whether there is an event.
  explicit operator bool() const noexcept { return how_ == waited::taken; }
  /// The event; empty if there is none. Move it out to keep it.
  event& operator*() & noexcept { return event_; }
  /// The event, borrowed.
  const event& operator*() const& noexcept { return event_; }
  /// The event of a temporary.
  event&& operator*() && noexcept { return std::move(event_); }
  /// A member of the event; not for a temporary.
  const event* operator->() const& noexcept { return &event_; }
  const event* operator->() && = delete;
  /// How the wait ended.
  [[nodiscard]] waited how() const noexcept { return how_; }
  /// Whether the queue is closed and empty: there will be no more events.
  [[nodiscard]] bool is_closed() const noexcept { return how_ == waited::closed; }

 private:
  waited how_;
  event event_;
};

/// A queue for the events of many calls, each call identified by a tag. Any number of threads may
/// use it at the same time.
///
/// A thread waits in `next`; an event loop watches `fd` for reading and then calls `next(0ms)`
/// until it returns no event. The queue owns its calls: destroying it cancels unfinished ones.
///
///   modelwire::queue queue;
///   for (std::size_t i = 0; i < requests.size(); i++) queue.submit(client, requests[i], i);
///   while (queue.count() > 0) {
///     auto event = queue.next();
///     if (event->is_chunk()) texts[event->tag()] += event->text();
///   }
class queue : public detail::handle<modelwire_queue, modelwire_queue_free> {
 public:
  /// The default maximum number of events for `take`.
  static constexpr std::size_t batch = 32;

  /// Adopts a queue of C.
  explicit queue(modelwire_queue* adopted) noexcept : handle(adopted) {}

  /// Creates an empty queue.
  static result<queue> make(wait_flags how = wait_flags::none) {
    modelwire_queue* out = nullptr;
    modelwire_error* failure = nullptr;
    const modelwire_status status =
        modelwire_queue_new(static_cast<std::uint32_t>(how), &out, &failure);
    if (status != MODELWIRE_OK) return modelwire::error::adopt(failure, status);
    return queue(out);
  }

  /// Starts a call whose events come out here; the last one is RESPONSE or ERROR, exactly once,
  /// however the call ends, and reports any error in the request. The function returns an error,
  /// and there is no event, if the queue is closed, if an unfinished call of the queue has the
  /// tag, or if filling the request failed.
  ///
  /// @param request  copied
  /// @param tag      any number, such as an index or a pointer; each event carries it
  result<void> try_submit(const client& client, const request& request, std::uint64_t tag,
                          mode how = mode::stream) const;

  /// The same for a request as JSON text; "" for the model list.
  result<void> try_submit(const client& client, operation what, std::string_view json,
                          std::uint64_t tag, mode how = mode::stream) const;

  /// Delivers the library's log here as well, as events of the kind LOG. Other queues and the
  /// callback of `set_log` still receive it.
  ///
  /// @param level  records of this level and more important ones; `off` ends it
  result<void> try_log(log_level level, std::uint64_t tag = 0) const {
    modelwire_error* failure = nullptr;
    const modelwire_status status =
        modelwire_queue_log(get(), static_cast<std::int32_t>(level), tag, &failure);
    return detail::outcome(status, failure);
  }

  /// Delivers the records of a client's calls through this queue as well, as events of the kind
  /// CALL: those of client::on_call, for a program with an event loop. At most 4096 are queued,
  /// for all clients together, and at most 64 MiB of answers and chunk times; further ones are dropped. A
  /// closed queue delivers the records of its calls before its end.
  ///
  /// @param tag  the tag of these events, in place of an earlier one
  result<void> try_follow_calls(const client& client, std::uint64_t tag = 0) const;
  /// Ends these events; queued ones are discarded.
  result<void> try_ignore_calls(const client& client) const;

  /// Takes the next event of any call. The events of one call arrive in order; no call can starve
  /// the others.
  ///
  /// @param longest  longest wait; 0 does not wait
  /// @return the event, or why there is none; an error for an empty handle and in a forked child
  result<next_event> try_next(std::chrono::milliseconds longest = unlimited) const {
    modelwire_event* out = nullptr;
    const auto how = outcome(modelwire_queue_next(get(), detail::wait_ms(longest), &out));
    if (!how) return how.error();
    return next_event(*how, event(out));
  }

  /// Takes all events that are ready, up to a number, and waits only for the first: this costs
  /// less per event.
  ///
  /// @param out      receives the events in place of its contents; its memory is reused
  /// @param longest  longest wait; 0 does not wait
  /// @param most     the maximum number to take, at least 1
  result<waited> try_take(std::vector<event>& out, std::chrono::milliseconds longest = unlimited,
                          std::size_t most = batch) const {
    out.clear();
    std::array<modelwire_event*, batch> few{};
    std::vector<modelwire_event*> many(most > batch ? most : 0);
    modelwire_event** places = many.empty() ? few.data() : many.data();
    out.reserve(most);  // so that nothing can throw between taking an event and storing it
    std::size_t count = 0;
    const auto how =
        outcome(modelwire_queue_take(get(), detail::wait_ms(longest), places, most, &count));
    for (std::size_t i = 0; how && i < count; i++) out.emplace_back(places[i]);
    return how;
  }

#if MODELWIRE_EXCEPTIONS
  /// As `make`, but throws.
  explicit queue(wait_flags how = wait_flags::none) : queue(make(how).value()) {}
  /// As `try_submit`, but throws.
  void submit(const client& client, const request& request, std::uint64_t tag,
              mode how = mode::stream) const {
    try_submit(client, request, tag, how).value();
  }
  /// As `try_submit`, but throws.
  void submit(const client& client, operation what, std::string_view json, std::uint64_t tag,
              mode how = mode::stream) const {
    try_submit(client, what, json, tag, how).value();
  }
  /// As `try_log`, but throws.
  void log(log_level level, std::uint64_t tag = 0) const { try_log(level, tag).value(); }
  /// As `try_follow_calls`, but throws.
  void follow_calls(const client& client, std::uint64_t tag = 0) const {
    try_follow_calls(client, tag).value();
  }
  /// As `try_ignore_calls`, but throws.
  void ignore_calls(const client& client) const { try_ignore_calls(client).value(); }
  /// As `try_next`, but throws.
  ///
  ///   while (auto event = queue.next()) use(*event);      // until the queue is closed
  [[nodiscard]] next_event next(std::chrono::milliseconds longest = unlimited) const {
    return try_next(longest).value();
  }
  /// As `try_take`, but throws.
  waited take(std::vector<event>& out, std::chrono::milliseconds longest = unlimited,
              std::size_t most = batch) const {
    return try_take(out, longest, most).value();
  }
#endif

  /// Cancels the call with this tag: its last event is an ERROR of kind cancelled, unless the
  /// answer was already received completely. Any thread.
  ///
  /// @return whether an unfinished call has the tag
  bool cancel(std::uint64_t tag) const noexcept {
    return modelwire_queue_cancel(get(), tag) == MODELWIRE_OK;
  }
  /// Holds back the events of one call until `resume`. When as many wait as the client allows
  /// (`queue_bytes_max`, `queue_events_max`), the library stops reading the body. Cancelling the
  /// call ends the pause.
  ///
  /// @return whether an unfinished call has the tag
  bool pause(std::uint64_t tag) const noexcept {
    return modelwire_queue_pause(get(), tag) == MODELWIRE_OK;
  }
  /// Ends a pause.
  ///
  /// @return whether an unfinished call has the tag
  bool resume(std::uint64_t tag) const noexcept {
    return modelwire_queue_resume(get(), tag) == MODELWIRE_OK;
  }
  /// The number of unfinished calls: their last event has not been taken.
  [[nodiscard]] std::size_t count() const noexcept { return modelwire_queue_count(get()); }

  /// A descriptor that is readable while the queue may have an event, and once the queue is
  /// closed and drained; for epoll, poll, select and every loop built on them. The queue owns it;
  /// the bytes in it have no meaning. -1 if none can be made.
  [[nodiscard]] int fd() const noexcept { return modelwire_queue_fd(get()); }

  /// Lets one waiting thread, or the next thread that would wait, return without an event; in a
  /// signal handler only if the queue is interruptible.
  void wakeup() const noexcept { modelwire_queue_wakeup(get()); }

  /// Rejects new calls and cancels those in flight. You take their last events as usual; then
  /// every wait reports that the queue is closed.
  void close() const noexcept { modelwire_queue_close(get()); }

 private:
  static result<waited> outcome(modelwire_status status) {
    if (status >= 0) return static_cast<waited>(status);
    if (status == MODELWIRE_E_FORKED) {
      return modelwire::error(status, "the queue belongs to the parent process",
                              "Make a queue in the child.");
    }
    return modelwire::error(status, "the queue was moved from, or the number to take is 0");
  }
};

/// A streamed response, pulled by its reader: without a reader, little is buffered, and the
/// service waits. Destroying it ends the call; so does leaving a loop over
/// `client.stream(request)` early.
///
///   auto stream = client.stream(request);
///   for (auto&& chunk : stream) std::cout << chunk.text();
///   std::cout << stream.response().usage()->total_tokens;
///
/// You can leave and reenter a loop over a named stream: it continues after the last chunk. In an
/// event loop, whenever `stream.fd()` is readable:
///
///   while (auto* chunk = stream.next(0ms)) std::cout << chunk->text();
///   if (stream.is_over()) finish();
class stream {
 public:
  /// The next chunk; waits for it.
  ///
  /// @param longest  longest wait; 0 does not wait
  /// @return the chunk, borrowed until the next call; NULL if none arrived in time, and at the
  ///         end, which `is_over` distinguishes; or the error that ended the stream, after all
  ///         chunks before it, on every call
  result<const event*> try_next(std::chrono::milliseconds longest = unlimited) & {
    if (!state_) return modelwire::error(MODELWIRE_E_ARGUMENT, "the stream was moved from");
    while (!is_over()) {
      if (state_->at == state_->taken.size()) {
        state_->at = 0;
        auto how = state_->events.try_take(state_->taken, longest);
        if (!how) {
          state_->failure = how.error();
          break;
        }
        if (*how == waited::closed) {
          state_->failure.emplace(MODELWIRE_E_CLOSED, "the stream's queue was closed");
        }
        if (*how == waited::timed_out) return nullptr;
        if (*how != waited::taken) continue;
      }
      event& next = state_->taken[state_->at++];
      if (next.is_chunk()) return &next;
      if (next.is_last()) {
        state_->failure = next.error();
        state_->last = std::move(next);
      }
    }
    if (state_->failure) return *state_->failure;
    return nullptr;
  }
  /// The chunk of a temporary stream would dangle.
  result<const event*> try_next(std::chrono::milliseconds longest = unlimited) && = delete;

  /// How the stream ended, and its usage; borrowed. If it failed, its error; before its
  /// end, an error that says so.
  result<response_view> try_response() const& {
    if (!state_) return modelwire::error(MODELWIRE_E_ARGUMENT, "the stream was moved from");
    if (state_->failure) return *state_->failure;
    if (state_->last) return state_->last.response();
    if (state_->is_closed) {
      return modelwire::error(MODELWIRE_E_CLOSED, "the stream was closed before its end");
    }
    return modelwire::error(MODELWIRE_E_ARGUMENT, "the stream has not ended",
                            "Read it to its end first.");
  }
  result<response_view> try_response() && = delete;

  /// The error that ended the stream early; NULL if there is none so far. After a loop without
  /// exceptions it distinguishes the end from a failure.
  [[nodiscard]] const modelwire::error* failure() const& noexcept {
    return state_ && state_->failure ? &*state_->failure : nullptr;
  }
  const modelwire::error* failure() && = delete;

#if MODELWIRE_EXCEPTIONS
  /// As `try_next`, but throws.
  const event* next(std::chrono::milliseconds longest = unlimited) & {
    return try_next(longest).value();
  }
  const event* next(std::chrono::milliseconds longest = unlimited) && = delete;
  /// As `try_response`, but throws.
  [[nodiscard]] response_view response() const& { return try_response().value(); }
  response_view response() && = delete;
#endif

  /// Whether there are no more chunks: the stream ended, failed, was closed or moved from.
  [[nodiscard]] bool is_over() const noexcept {
    return !state_ || state_->is_closed || state_->last || state_->failure;
  }

  /// A descriptor that is readable when `next(0ms)` may return something, for every event loop.
  /// Each time, call `next(0ms)` until it returns NULL: chunks that were received together do not
  /// make it readable again. The stream owns it and closes it. -1 if none can be made, and for a
  /// moved-from stream.
  [[nodiscard]] int fd() const noexcept { return state_ ? state_->events.fd() : -1; }

  /// Cancels the stream from any thread: its reader gets an error of kind cancelled.
  void cancel() const noexcept {
    if (state_) state_->events.cancel(tag);
  }

  /// Ends the call now. There are no more chunks then; this is not an error. Has no effect
  /// after the end; the response stays.
  void close() noexcept {
    if (!state_) return;
    state_->is_closed = true;
    state_->taken.clear();
    state_->at = 0;
    state_->events.cancel(tag);
  }

  /// Iterates over the chunks; single pass. With exceptions it throws the error that ends the
  /// stream, without them it stops there.
  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;  ///< Single pass.
    using value_type = event;                           ///< A chunk.
    using difference_type = std::ptrdiff_t;             ///< Never used.
    using pointer = const event*;                       ///< Borrowed until the next step.
    using reference = const event&;                     ///< Borrowed until the next step.

    /// The end.
    iterator() noexcept = default;
    /// The chunk.
    reference operator*() const noexcept { return *chunk_; }
    /// A member of the chunk.
    pointer operator->() const noexcept { return chunk_; }
    /// Waits for the next chunk.
    iterator& operator++() {
#if MODELWIRE_EXCEPTIONS
      chunk_ = stream_->next();
#else
      auto next = stream_->try_next();
      chunk_ = next ? *next : nullptr;
#endif
      return *this;
    }
    /// Waits for the next chunk.
    void operator++(int) { ++*this; }
    /// Whether both are at the end, or neither is.
    friend bool operator==(const iterator& left, const iterator& right) noexcept {
      return left.chunk_ == right.chunk_;
    }
    /// Whether one of them is at the end.
    friend bool operator!=(const iterator& left, const iterator& right) noexcept {
      return left.chunk_ != right.chunk_;
    }

   private:
    friend class stream;
    explicit iterator(modelwire::stream* stream) : stream_(stream) { ++*this; }
    modelwire::stream* stream_ = nullptr;
    const event* chunk_ = nullptr;
  };

  /// Waits for the next chunk. The stream must not be moved during the iteration.
  iterator begin() & { return iterator(this); }
  iterator begin() && = delete;
  /// The end.
  iterator end() noexcept { return {}; }

 private:
  friend class client;
  static constexpr std::uint64_t tag = 0;

  struct state {
    modelwire::queue events;
    std::vector<event> taken;
    std::size_t at = 0;
    event last;
    std::optional<modelwire::error> failure;
    bool is_closed = false;
    /// Watches for a stop request; declared last, so that it is destroyed first.
    std::shared_ptr<void> watch;

    explicit state(modelwire::queue from) : events(std::move(from)) {}
  };

  explicit stream(queue events) : state_(std::make_unique<state>(std::move(events))) {}

  std::unique_ptr<state> state_;
};

/// A client of one service. Any number of threads may use it at the same time without blocking
/// each other; share it by reference. Its calls continue when it is destroyed.
class client : public detail::handle<modelwire_client, modelwire_client_free> {
 public:
  /// Adopts a client of C.
  explicit client(modelwire_client* adopted) noexcept : handle(adopted) {}

  /// Creates a client with all defaults, from the environment. Does not connect yet.
  static result<client> make() { return made(nullptr, 0); }
  /// Creates a client. Does not connect yet.
  ///
  /// @param config  copied
  static result<client> make(const config& config) {
    if (!config) {
      return modelwire::error(MODELWIRE_E_ARGUMENT, "config was moved from", "Make a new one.");
    }
    const detail::wiped_text options = config.object();
    return made(options.view().data(), options.view().size());
  }
  /// Creates a client from one JSON object of options; docs/options.md has their names.
  static result<client> make(std::string_view options) {
    return made(detail::start(options), options.size());
  }

  /// Creates a call without starting it; any thread can cancel it at any time.
  ///
  /// @param request  copied
  /// @param how      `wait_flags::interruptible`, or none
  result<modelwire::call> try_call(const request& request,
                                   wait_flags how = wait_flags::none) const {
    if (auto obstacle = request.obstacle()) return *std::move(obstacle);
    modelwire_call* out = nullptr;
    modelwire_error* failure = nullptr;
    const modelwire_status status = modelwire_call_new(
        get(), request.get(), static_cast<std::uint32_t>(how), &out, &failure);
    if (status != MODELWIRE_OK) return modelwire::error::adopt(failure, status);
    return modelwire::call(out);
  }

  /// Runs a request without streaming, and waits for the response.
  result<response> try_run(const request& request) const {
    auto call = try_call(request);
    if (!call) return call.error();
    return call->try_run();
  }

  /// Runs a request as a stream, a range that a loop pulls. The first step reports errors in the
  /// request, except those from filling it.
  result<modelwire::stream> try_stream(const request& request) const {
    auto events = queue::make();
    if (!events) return events.error();
    auto sent = events->try_submit(*this, request, modelwire::stream::tag);
    if (!sent) return sent.error();
    return modelwire::stream(*std::move(events));
  }

  /// Runs a request as a stream, and calls back for each chunk on this thread; as
  /// call::try_stream.
  template <class F, class = std::enable_if_t<std::is_invocable_v<F&, const event_view&>>>
  result<std::optional<response>> try_stream(const request& request, F&& on_chunk) const {
    auto call = try_call(request);
    if (!call) return call.error();
    return call->try_stream(std::forward<F>(on_chunk));
  }

  /// Starts a request and returns; its events go to a callback on the client's callback thread; as
  /// call::try_start.
  ///
  /// @return the call, which you must keep: its destructor cancels it and waits for the callback
  template <class F>
  result<modelwire::call> try_start(const request& request, F&& on_event,
                                    mode how = mode::stream) const {
    auto call = try_call(request);
    if (!call) return call.error();
    if (auto sent = call->try_start(std::forward<F>(on_event), how); !sent) return sent.error();
    return call;
  }

  /// Lists the models; response_view::model_ids returns their ids.
  result<response> try_models() const { return try_run(request::models()); }
  /// Sends one question to a model.
  result<response> try_chat(std::string_view model, std::string_view text) const {
    return try_run(request::chat(model).user(text));
  }
  /// Sends one input to a model.
  result<response> try_respond(std::string_view model, std::string_view input) const {
    return try_run(request::responses(model).input(input));
  }

  /// Sets the callback that receives the record of each call, in place of an earlier callback:
  /// once for each call that was started, after it has ended, however it ended. No call waits for
  /// the callback: at most 4096 records, and 64 MiB of their answers and chunk times, are queued;
  /// further ones are dropped and counted.
  ///
  ///   client.on_call([](const modelwire::call_record& call) {
  ///     if (call.first_chunk) std::clog << call.first_chunk->count() << " us\n";
  ///   });
  ///
  /// @param on_call  called with a `const call_record&` on one thread of the library, one record
  ///                 after another, shortly after its call has ended; returns nothing, or a
  ///                 `flow`, which may end the callbacks; moved or copied, and destroyed after
  ///                 the queued records: when another one is set, when the client and its calls
  ///                 are gone, at `close` and at a shutdown, which wait for it. It may use the
  ///                 library. Its exceptions are discarded.
  template <class F>
  result<void> try_on_call(F&& on_call) const {
    using visitor = detail::call_visitor<std::decay_t<F>>;
    auto owned = std::unique_ptr<visitor>(new visitor{std::forward<F>(on_call)});
    modelwire_error* failure = nullptr;
    const modelwire_status status = modelwire_client_on_call(
        get(), visitor::on_call, owned.release(), visitor::on_end, &failure);
    return detail::outcome(status, failure);
  }
  /// Ends the callbacks of `on_call`, for calls that end from now on; does not wait.
  result<void> try_end_on_call() const {
    modelwire_error* failure = nullptr;
    const modelwire_status status =
        modelwire_client_on_call(get(), nullptr, nullptr, nullptr, &failure);
    return detail::outcome(status, failure);
  }

  /// Sets the function that runs before each attempt of each call, also before retries: to sign requests,
  /// audit them, or add headers. It replaces an earlier one.
  ///
  ///   client.before_attempt([](const modelwire::attempt_view& attempt) {
  ///     attempt.set_header("x-length", std::to_string(attempt.body().size()));
  ///   });
  ///
  /// @param before  called with a `const attempt_view&` on helper threads of the library, on several at once,
  ///                for at most 30 s; returns nothing, or a `flow`: `flow::stop` refuses the attempt, and so does
  ///                an exception; the call then ends with error_kind::callback. Destroyed when it was replaced or
  ///                removed and no attempt runs it any more, at the latest by `close`.
  template <class F>
  result<void> try_before_attempt(F&& before) const {
    using visitor = detail::attempt_visitor<std::decay_t<F>>;
    auto owned = std::unique_ptr<visitor>(new visitor{std::forward<F>(before)});
    modelwire_error* failure = nullptr;
    const modelwire_status status = modelwire_client_before_attempt(
        get(), visitor::before, owned.release(), visitor::on_end, &failure);
    return detail::outcome(status, failure);
  }
  /// Removes the function of `before_attempt`, for attempts that begin from now on.
  result<void> try_end_before_attempt() const {
    modelwire_error* failure = nullptr;
    const modelwire_status status =
        modelwire_client_before_attempt(get(), nullptr, nullptr, nullptr, &failure);
    return detail::outcome(status, failure);
  }

  /// Rejects new calls, ends those in flight as closed, and waits until every callback of its
  /// started calls, including detached ones, and that of `on_call`, after all records, has run
  /// for the last time and is destroyed: then the client no longer runs code of the program. A
  /// plugin closes its clients before it is unloaded.
  ///
  /// @param longest  longest wait; 0 does not wait
  /// @return true when all that is done, false on timeout; an error inside one of its callbacks
  result<bool> try_close(std::chrono::milliseconds longest = unlimited) const {
    modelwire_error* failure = nullptr;
    const modelwire_status status =
        modelwire_client_close(get(), detail::wait_ms(longest), &failure);
    return detail::outcome_of_wait(status, failure);
  }

#if MODELWIRE_EXCEPTIONS
  /// As `make`, but throws.
  client() : client(make().value()) {}
  /// As `make`, but throws.
  explicit client(const config& config) : client(make(config).value()) {}
  /// As `make`, but throws.
  explicit client(std::string_view options) : client(make(options).value()) {}
  /// As `try_call`, but throws.
  [[nodiscard]] modelwire::call call(const request& request,
                                     wait_flags how = wait_flags::none) const {
    return try_call(request, how).value();
  }
  /// As `try_run`, but throws.
  response run(const request& request) const { return try_run(request).value(); }
  /// As `try_stream`, but throws.
  [[nodiscard]] modelwire::stream stream(const request& request) const {
    return try_stream(request).value();
  }
  /// As `try_stream` with a callback, but throws.
  template <class F, class = std::enable_if_t<std::is_invocable_v<F&, const event_view&>>>
  std::optional<response> stream(const request& request, F&& on_chunk) const {
    return try_stream(request, std::forward<F>(on_chunk)).value();
  }
  /// As `try_start`, but throws.
  template <class F>
  [[nodiscard]] modelwire::call start(const request& request, F&& on_event,
                                      mode how = mode::stream) const {
    return try_start(request, std::forward<F>(on_event), how).value();
  }
  /// As `try_models`, but throws.
  response models() const { return try_models().value(); }
  /// As `try_chat`, but throws.
  response chat(std::string_view model, std::string_view text) const {
    return try_chat(model, text).value();
  }
  /// As `try_respond`, but throws.
  response respond(std::string_view model, std::string_view input) const {
    return try_respond(model, input).value();
  }
  /// As `try_on_call`, but throws.
  template <class F>
  void on_call(F&& on_call) const {
    try_on_call(std::forward<F>(on_call)).value();
  }
  /// As `try_before_attempt`, but throws.
  template <class F>
  void before_attempt(F&& before) const {
    try_before_attempt(std::forward<F>(before)).value();
  }
  /// As `try_end_before_attempt`, but throws.
  void end_before_attempt() const { try_end_before_attempt().value(); }
  /// As `try_end_on_call`, but throws.
  void end_on_call() const { try_end_on_call().value(); }
  /// As `try_close`, but throws.
  bool close(std::chrono::milliseconds longest = unlimited) const {
    return try_close(longest).value();
  }
#endif

#if defined(__cpp_lib_jthread)
  /// As above; a stop request cancels the call, which fails as cancelled.
  result<response> try_run(const request& request, std::stop_token stop) const {
    auto call = try_call(request);
    if (!call) return call.error();
    const std::stop_callback watch(std::move(stop), [&call]() noexcept { call->cancel(); });
    return call->try_run();
  }
  /// As above; a stop request at any time before its end cancels the stream.
  result<modelwire::stream> try_stream(const request& request, std::stop_token stop) const {
    auto made = try_stream(request);
    if (!made) return made;
    const canceller cancel{made->state_->events.get()};
    made->state_->watch =
        std::make_shared<std::stop_callback<canceller>>(std::move(stop), cancel);
    return made;
  }
  /// As above; a stop request cancels the call, which fails as cancelled.
  template <class F>
  result<std::optional<response>> try_stream(const request& request, F&& on_chunk,
                                             std::stop_token stop) const {
    auto call = try_call(request);
    if (!call) return call.error();
    const std::stop_callback watch(std::move(stop), [&call]() noexcept { call->cancel(); });
    return call->try_stream(std::forward<F>(on_chunk));
  }
#if MODELWIRE_EXCEPTIONS
  /// As `try_run`, but throws.
  response run(const request& request, std::stop_token stop) const {
    return try_run(request, std::move(stop)).value();
  }
  /// As `try_stream`, but throws.
  [[nodiscard]] modelwire::stream stream(const request& request, std::stop_token stop) const {
    return try_stream(request, std::move(stop)).value();
  }
  /// As `try_stream` with a callback, but throws.
  template <class F>
  std::optional<response> stream(const request& request, F&& on_chunk,
                                 std::stop_token stop) const {
    return try_stream(request, std::forward<F>(on_chunk), std::move(stop)).value();
  }
#endif
#endif

  /// The usage of the answered chats and responses so far, over all models, in this process.
  /// Model lists and calls that failed or were stopped do not count. Models beyond 16384 are
  /// added up under "(other)".
  [[nodiscard]] client_usage usage() const { return usage_at(usage_value(), ""); }
  /// The same for the calls that requested one model; empty if none of them was answered.
  [[nodiscard]] std::optional<client_usage> usage(std::string_view model) const {
    return usage_below("models", model);
  }
  /// The same for the calls made with one key, by its id; empty if none of them was answered.
  [[nodiscard]] std::optional<client_usage> usage_of_key(std::string_view id) const {
    return usage_below("keys", id);
  }
  /// The id of the client's own key: the first 16 hexadecimal digits, in lower case, of the
  /// SHA-256 of "modelwire:" and the key.
  [[nodiscard]] std::string key_id() const {
    return usage_value().get<std::string>("/key_id").value_or("");
  }
  /// Returns what `usage_value` returns and resets all totals to 0 in one atomic step: a call that
  /// ends at the same time is in these sums or in the next ones.
  value take_usage() const { return value(modelwire_client_usage(get(), 1)); }
  /// The same for all models and keys, as the JSON object of modelwire_client_usage in C.
  [[nodiscard]] value usage_value() const { return value(modelwire_client_usage(get(), 0)); }

 private:
#if defined(__cpp_lib_jthread)
  struct canceller {
    const modelwire_queue* events;
    void operator()() const noexcept { modelwire_queue_cancel(events, modelwire::stream::tag); }
  };
#endif

  static result<client> made(const char* options, std::size_t length) {
    if (modelwire_check_abi(MODELWIRE_ABI) != MODELWIRE_OK) {
      return modelwire::error(MODELWIRE_E_CONFIG,
                              "libmodelwire has another ABI than this program was compiled for",
                              "Compile the program with the headers of this library.");
    }
    modelwire_client* out = nullptr;
    modelwire_error* failure = nullptr;
    const modelwire_status status = modelwire_client_new(options, length, &out, &failure);
    if (status != MODELWIRE_OK) return modelwire::error::adopt(failure, status);
    return client(out);
  }

  [[nodiscard]] std::optional<client_usage> usage_below(std::string_view group,
                                                        std::string_view name) const {
    const value all = usage_value();
    const std::string at = path(group, name);
    if (all.count(at) == 0) return std::nullopt;
    return usage_at(all, at);
  }

  static client_usage usage_at(const value& all, std::string_view at) {
    client_usage used;
    static_cast<token_usage&>(used) = detail::tokens_in(all.view(), at);
    used.calls = detail::tokens(all.view(), at, "/calls");
    used.calls_without_usage = detail::tokens(all.view(), at, "/calls_without_usage");
    return used;
  }
};

inline result<void> queue::try_submit(const client& client, const request& request,
                                      std::uint64_t tag, mode how) const {
  if (auto obstacle = request.obstacle()) return *std::move(obstacle);
  modelwire_error* failure = nullptr;
  const modelwire_status status =
      modelwire_queue_submit_request(get(), client.get(), request.get(),
                                     static_cast<std::int32_t>(how), tag, &failure);
  return detail::outcome(status, failure);
}

inline result<void> queue::try_submit(const client& client, operation what, std::string_view json,
                                      std::uint64_t tag, mode how) const {
  modelwire_error* failure = nullptr;
  const modelwire_status status = modelwire_queue_submit(
      get(), client.get(), static_cast<std::int32_t>(what), json.empty() ? nullptr : json.data(),
      json.size(), static_cast<std::int32_t>(how), tag, &failure);
  return detail::outcome(status, failure);
}

inline result<void> queue::try_follow_calls(const client& client, std::uint64_t tag) const {
  modelwire_error* failure = nullptr;
  const modelwire_status status =
      modelwire_queue_follow_calls(get(), client.get(), 1, tag, &failure);
  return detail::outcome(status, failure);
}

inline result<void> queue::try_ignore_calls(const client& client) const {
  modelwire_error* failure = nullptr;
  const modelwire_status status =
      modelwire_queue_follow_calls(get(), client.get(), 0, 0, &failure);
  return detail::outcome(status, failure);
}

/// Sets the number of threads that do the I/O of this process, 1 to 16; without this, the environment
/// variable MODELWIRE_IO_THREADS sets it; the default is 1. Call it before the first call: a
/// different number while the threads are running is an error of the kind `config`. See
/// modelwire_set_io_threads for what several threads change.
inline result<void> try_set_io_threads(std::uint32_t count) {
  modelwire_error* failure = nullptr;
  const modelwire_status status = modelwire_set_io_threads(count, &failure);
  return detail::outcome(status, failure);
}

#if MODELWIRE_EXCEPTIONS
/// As `try_set_io_threads`, but throws.
inline void set_io_threads(std::uint32_t count) { try_set_io_threads(count).value(); }
#endif

/// Ends every call of this copy of the library, closes all connections, delivers the last events
/// of started calls to their callbacks and joins the library's threads. Clients, queues and
/// requests stay valid: the library starts again when you use it. Optional: a process may simply
/// exit. A plugin closes its own clients instead, which affects no other code.
///
/// @param longest  longest wait
/// @return whether every thread ended in time; an error from inside a callback: nothing was done
inline result<bool> try_shutdown(std::chrono::milliseconds longest = unlimited) {
  const modelwire_status status = modelwire_shutdown(detail::wait_ms(longest));
  if (status < 0) {
    return modelwire::error(status, "shutdown was called from inside a callback",
                            "Call it from another thread.");
  }
  return status == MODELWIRE_OK;
}

#if MODELWIRE_EXCEPTIONS
/// As `try_shutdown`, but throws.
inline bool shutdown(std::chrono::milliseconds longest = unlimited) {
  return try_shutdown(longest).value();
}
#endif

/// The library's version, major * 1000000 + minor * 1000 + patch.
inline std::uint32_t version_number() noexcept { return modelwire_version_number(); }

}  // namespace MODELWIRE_FLAVOUR
}  // namespace modelwire

#pragma pop_macro("move")
#pragma pop_macro("clear")
#pragma pop_macro("erase")
#pragma pop_macro("refresh")
#pragma pop_macro("min")
#pragma pop_macro("max")
#pragma pop_macro("snprintf")

#endif  // MODELWIRE_HPP
