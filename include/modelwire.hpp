/*
 * modelwire for C++17 and later: a wrapper around modelwire.h, in one header and without a library
 * of its own.
 *
 *   #include <modelwire.hpp>
 *
 *   modelwire::client client;                       // base URL and key from the environment
 *   auto question = modelwire::request::chat("a-model").user("Hello");
 *   std::cout << client.run(question).text() << '\n';
 *   for (auto&& chunk : client.stream(question)) std::cout << chunk.text() << std::flush;
 *
 * Link with -lmodelwire.
 *
 * FOUR WAYS TO RUN A CALL
 *
 *   client.run(request)             waits for the whole response
 *   client.stream(request)          a range of chunks, pulled by the loop: a loop that waits lets
 *                                   the service wait; a loop that ends early closes the exchange
 *   client.stream(request, lambda)  waits, and calls the lambda on this thread for each chunk
 *   client.start(request, lambda)   returns; the client's callback thread calls the lambda
 *   queue.submit(client, request)   returns; events come out of the queue, by a waiting thread or
 *                                   by any event loop that watches queue.fd()
 *
 * CONVENTIONS
 *
 * Ownership.  A handle owns its C object, frees it, and can be moved but not copied. `get()` lends
 *   the C pointer, `release()` gives it away, and a constructor adopts one. A handle that was
 *   moved from is empty: using it is a modelwire::error, never a crash.
 * Views.  A std::string_view, event_view or response_view is borrowed from the object that it was
 *   asked of and valid as long as that lives. Keep the response, not a view of a temporary one:
 *   `auto reason = client.run(request).finish_reason();` dangles. (`text()` and `model_ids()` of a
 *   temporary response are copies and do not.) Every view of a text that is there has a NUL behind
 *   its last byte, and may have NULs inside.
 * Strings.  UTF-8, copied by whatever they are given to.
 * Times.  std::chrono, counted in milliseconds. std::optional is empty where there is nothing.
 * Errors.  What can fail has two forms. `run` throws a modelwire::error; `try_run` gives a
 *   result<>, which has the value or the error. With exceptions switched off only the second one
 *   is there. Builders (config, request) never fail where they are filled: they remember the first
 *   thing that was wrong, and using them gives that error.
 * Callbacks.  What a lambda throws never passes through the library: `stream` throws it again, on
 *   the caller's side and unchanged; `start` keeps it for call::thrown() and call::join().
 * Threads.  A const member function may run on any thread at any time, also beside others; any
 *   other one needs its object for itself. Views are immutable.
 * Fork.  A child process starts its own calls with inherited clients.
 */
#ifndef MODELWIRE_HPP
#define MODELWIRE_HPP

#include <modelwire.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

/* Units with and without exceptions can be linked into one program: their types have different
 * names for the linker. */
#if defined(__cpp_exceptions)
#define MODELWIRE_EXCEPTIONS 1
#define MODELWIRE_FLAVOUR throwing
#else
#define MODELWIRE_EXCEPTIONS 0
#define MODELWIRE_FLAVOUR unthrowing
#endif

namespace modelwire {
inline namespace MODELWIRE_FLAVOUR {

/// Waits as long as it takes.
inline constexpr std::chrono::milliseconds forever{-1};

/// As a timeout of a call: it never runs out.
inline constexpr std::chrono::milliseconds no_timeout{0};

/// As an option: it stays as it is by default.
inline constexpr std::chrono::milliseconds by_default{-1};

/// What a caller can do about an error: one for each negative status. Kinds may be added.
enum class error_kind : modelwire_status {
  argument = MODELWIRE_E_ARGUMENT,                ///< An argument is wrong; nothing was sent.
  config = MODELWIRE_E_CONFIG,                    ///< The configuration is wrong; nothing was sent.
  invalid_request = MODELWIRE_E_INVALID_REQUEST,  ///< Status 400: the request is wrong.
  authentication = MODELWIRE_E_AUTHENTICATION,    ///< Status 401: the key is missing or wrong.
  permission = MODELWIRE_E_PERMISSION,  ///< Status 403: account, balance, model or key forbid it.
  not_found = MODELWIRE_E_NOT_FOUND,    ///< Status 404: wrong path, or no such model.
  rate_limited = MODELWIRE_E_RATE_LIMITED,  ///< Status 429: a limit.
  server = MODELWIRE_E_SERVER,              ///< Status 5xx: a temporary fault of the service.
  status = MODELWIRE_E_STATUS,              ///< Any other status that is not success.
  connect = MODELWIRE_E_CONNECT,            ///< No connection: refused, unreachable, not found.
  tls = MODELWIRE_E_TLS,                    ///< The TLS handshake or a certificate failed.
  timeout = MODELWIRE_E_TIMEOUT,            ///< A timeout; error::timeout() says which.
  disconnected = MODELWIRE_E_DISCONNECTED,  ///< The connection broke off after sending.
  protocol = MODELWIRE_E_PROTOCOL,      ///< The response is not what it should be, or too large.
  incomplete = MODELWIRE_E_INCOMPLETE,  ///< A stream ended without its end mark.
  stream = MODELWIRE_E_STREAM,        ///< The service reported an error under a good status.
  cancelled = MODELWIRE_E_CANCELLED,  ///< The call was cancelled.
  closed = MODELWIRE_E_CLOSED,        ///< The handle was closed.
  forked = MODELWIRE_E_FORKED,        ///< The call belongs to the parent process.
  shutdown = MODELWIRE_E_SHUTDOWN,    ///< The library was shut down.
  internal = MODELWIRE_E_INTERNAL,    ///< A fault of the library.
  callback = MODELWIRE_E_CALLBACK,    ///< Not from inside a callback.
};

namespace detail {

/// A text of C as a view; empty where there is none.
inline std::string_view view(const char* text) noexcept {
  return text == nullptr ? std::string_view{} : std::string_view{text};
}

/// The same where the absence of a text is told apart from an empty one.
inline std::optional<std::string_view> optional_view(const char* text) noexcept {
  if (text == nullptr) return std::nullopt;
  return std::string_view{text};
}

inline std::optional<std::string_view> optional_view(const char* text,
                                                     std::size_t length) noexcept {
  if (text == nullptr) return std::nullopt;
  return std::string_view{text, length};
}

/// A text of a handle, by the C function that gives it: one that is given the handle, or an index
/// too, and may tell the length. Nothing where there is none.
template <class T>
std::optional<std::string_view> optional_view(const char* (*accessor)(const T*),
                                              const T* handle) noexcept {
  return optional_view(accessor(handle));
}

template <class T>
std::optional<std::string_view> optional_view(const char* (*accessor)(const T*, std::size_t*),
                                              const T* handle) noexcept {
  std::size_t length = 0;
  const char* text = accessor(handle, &length);
  return optional_view(text, length);
}

template <class T>
std::optional<std::string_view> optional_view(const char* (*accessor)(const T*, std::size_t),
                                              const T* handle, std::size_t at) noexcept {
  return optional_view(accessor(handle, at));
}

template <class T>
std::optional<std::string_view> optional_view(const char* (*accessor)(const T*, std::size_t,
                                                                      std::size_t*),
                                              const T* handle, std::size_t at) noexcept {
  std::size_t length = 0;
  const char* text = accessor(handle, at, &length);
  return optional_view(text, length);
}

/// The same, empty where there is none.
template <class Accessor, class T, class... At>
std::string_view view(Accessor accessor, const T* handle, At... at) noexcept {
  return optional_view(accessor, handle, at...).value_or(std::string_view{});
}

/// The start of a text for C, which takes no NULL: a view of nothing has one.
inline const char* start(std::string_view text) noexcept {
  return text.data() == nullptr ? "" : text.data();
}

/// Copies of the texts that these C functions give of a handle, each under its function.
template <auto... Accessors>
class copies {
 public:
  /// Copies each text of a handle.
  template <class T>
  void take(const T* handle) {
    (set<Accessors>(optional_view(Accessors, handle)), ...);
  }

  /// Copies one text.
  template <auto Accessor>
  void set(std::optional<std::string_view> text) {
    auto& copy = texts_[place<Accessor>()];
    if (text) {
      copy.emplace(*text);
    } else {
      copy.reset();
    }
  }

  /// One text, borrowed; nothing where there is none.
  template <auto Accessor>
  std::optional<std::string_view> get() const noexcept {
    const auto& copy = texts_[place<Accessor>()];
    if (!copy) return std::nullopt;
    return std::string_view(*copy);
  }

 private:
  template <auto Accessor>
  using constant = std::integral_constant<decltype(Accessor), Accessor>;

  template <auto Accessor>
  static constexpr std::size_t place() {
    constexpr bool is_it[] = {std::is_same_v<constant<Accessor>, constant<Accessors>>...};
    static_assert((std::is_same_v<constant<Accessor>, constant<Accessors>> || ...),
                  "the list of the copies does not name this function");
    std::size_t at = 0;
    while (!is_it[at]) at++;
    return at;
  }

  std::array<std::optional<std::string>, sizeof...(Accessors)> texts_;
};

inline std::optional<std::chrono::milliseconds> optional_ms(std::int64_t count) noexcept {
  if (count < 0) return std::nullopt;
  return std::chrono::milliseconds(count);
}

inline std::chrono::system_clock::time_point time_of(std::int64_t unix_ms) noexcept {
  return std::chrono::system_clock::time_point(std::chrono::milliseconds(unix_ms));
}

/// A wait for C, which counts in 32 bits; negative is for ever.
inline std::int32_t wait_ms(std::chrono::milliseconds wait) noexcept {
  if (wait.count() < 0) return -1;
  return wait.count() > INT32_MAX ? INT32_MAX : static_cast<std::int32_t>(wait.count());
}

/// Owns a C object: moved, not copied; empty once it was moved from.
template <class T, void (*Free)(T*)>
class handle {
 public:
  /// The C object, which stays this handle's; NULL if it is empty.
  T* get() const noexcept { return owned_.get(); }

  /// The C object, which is the caller's from now on; the handle is empty.
  [[nodiscard]] T* release() noexcept { return owned_.release(); }

  /// Whether there is an object.
  explicit operator bool() const noexcept { return owned_ != nullptr; }

 protected:
  explicit handle(T* adopted) noexcept : owned_(adopted) {}

 private:
  struct deleter {
    void operator()(T* object) const noexcept { Free(object); }
  };
  std::unique_ptr<T, deleter> owned_;
};

/// Owns a C object, and is a view of it too: it can be passed wherever a view is wanted.
template <class View, class T, void (*Free)(T*)>
class owner : public View {
 public:
  /// Nothing.
  owner() noexcept : View(nullptr) {}
  /// Adopts an object of C.
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

  /// The C object, which is the caller's from now on; nothing is left here.
  [[nodiscard]] T* release() noexcept {
    // It came as a T*, and only the view made it const.
    return const_cast<T*>(std::exchange(this->object_, nullptr));
  }
};

}  // namespace detail

/// What went wrong, with everything that is known about it. A value: it can be copied, kept, and
/// thrown on another thread. What it tells is borrowed from it. The key is in none of it.
class error : public std::runtime_error {
 public:
  /// Copies what a C error object tells; the object stays the caller's.
  explicit error(const modelwire_error* source)
      : error(modelwire_error_status(source), detail::view(modelwire_error_message(source)),
              detail::view(modelwire_error_hint(source))) {
    facts own = *facts_;
    own.texts.take(source);
    if (source == nullptr) own.texts.set<modelwire_error_report>(what());
    own.http_status = modelwire_error_http_status(source);
    const std::int64_t request_time = modelwire_error_request_time_unix_ms(source);
    if (request_time >= 0) own.request_time = detail::time_of(request_time);
    own.attempts = modelwire_error_attempts(source);
    own.elapsed = detail::optional_ms(modelwire_error_elapsed_ms(source)).value_or(own.elapsed);
    own.retry_after = detail::optional_ms(modelwire_error_retry_after_ms(source));
    facts_ = std::make_shared<const facts>(std::move(own));
  }

  /// An error of a call that was never sent.
  ///
  /// @param status   one of MODELWIRE_E_...
  /// @param message  what is wrong
  /// @param hint     what to do about it
  error(modelwire_status status, std::string_view message, std::string_view hint = {})
      : std::runtime_error(told(status, message, hint)) {
    facts own;
    own.status = status;
    own.texts.set<modelwire_error_message>(message);
    own.texts.set<modelwire_error_hint>(hint);
    own.texts.set<modelwire_error_metered>("not_sent");
    own.texts.set<modelwire_error_report>(what());
    facts_ = std::make_shared<const facts>(std::move(own));
  }

  /// Takes a C error object and frees it.
  ///
  /// @param status  stands for the object where there is none
  static error adopt(modelwire_error* object, modelwire_status status = MODELWIRE_E_INTERNAL) {
    if (object == nullptr) return error(status, "the library gave no reason");
    error copied(object);
    modelwire_error_free(object);
    return copied;
  }

  /// Copies share what they tell, so copying never throws. Moving is copying: the old one stays
  /// whole.
  error(const error& other) noexcept = default;
  /// As the constructor.
  error& operator=(const error& other) noexcept = default;

  /// The negative status, MODELWIRE_E_RATE_LIMITED for instance.
  modelwire_status status() const noexcept { return facts_->status; }
  /// The same as a kind, to switch on.
  error_kind kind() const noexcept { return static_cast<error_kind>(facts_->status); }
  /// Its name, "rate_limited" for instance. `what()` is this, the message and the hint.
  std::string_view kind_name() const noexcept { return modelwire_status_name(facts_->status); }
  /// The service's own message where it gave one, else the library's with the cause.
  std::string_view message() const noexcept { return view<modelwire_error_message>(); }
  /// What to do about it; empty where there is nothing to say.
  std::string_view hint() const noexcept { return view<modelwire_error_hint>(); }
  /// "type" of the service's error object.
  std::optional<std::string_view> type() const noexcept { return text<modelwire_error_type>(); }
  /// "code" of the service's error object as text.
  std::optional<std::string_view> code() const noexcept { return text<modelwire_error_code>(); }
  /// "param" of the service's error object.
  std::optional<std::string_view> param() const noexcept { return text<modelwire_error_param>(); }
  /// The HTTP status; 0 where no response came.
  int http_status() const noexcept { return facts_->http_status; }
  /// The service's name for the exchange, to give to its support.
  std::optional<std::string_view> request_id() const noexcept {
    return text<modelwire_error_request_id>();
  }
  /// How long the service asked to wait.
  std::optional<std::chrono::milliseconds> retry_after() const noexcept {
    return facts_->retry_after;
  }
  /// How many times the request was attempted.
  int attempts() const noexcept { return facts_->attempts; }
  /// From the start of the first attempt to the failure.
  std::chrono::milliseconds elapsed() const noexcept { return facts_->elapsed; }
  /// When the first attempt started; nothing if none did.
  std::optional<std::chrono::system_clock::time_point> request_time() const noexcept {
    return facts_->request_time;
  }
  /// The path of the request; empty if there was none.
  std::string_view path() const noexcept { return view<modelwire_error_path>(); }
  /// The model that was asked for.
  std::optional<std::string_view> model() const noexcept { return text<modelwire_error_model>(); }
  /// Whether the call may have been metered: "not_sent", "normally_not", "entered" or "unknown".
  std::string_view metered() const noexcept { return view<modelwire_error_metered>(); }
  /// The option of the timeout that ran out, "idle_timeout" for instance.
  std::optional<std::string_view> timeout() const noexcept {
    return text<modelwire_error_timeout>();
  }
  /// The body of the failed response within its bound, 64 KiB by default.
  std::optional<std::string_view> body() const noexcept { return text<modelwire_error_body>(); }
  /// What was gathered of the response before it failed, as JSON text, where the call gathers.
  std::optional<std::string_view> partial() const noexcept {
    return text<modelwire_error_partial>();
  }
  /// Everything that support needs, as text of several lines.
  std::string_view report() const noexcept { return view<modelwire_error_report>(); }

 private:
  /// What `what()` says: an exception that nobody catches shows nothing else.
  static std::string told(modelwire_status status, std::string_view message,
                          std::string_view hint) {
    std::string text(modelwire_status_name(status));
    text.append(": ").append(message);
    if (hint.empty()) return text;
    if (text.find_last_of(".!?") != text.size() - 1) text += '.';
    return text.append(" Hint: ").append(hint);
  }

  struct facts {
    modelwire_status status = MODELWIRE_E_INTERNAL;
    // Every text of an error; a new one has its line here and its function above.
    detail::copies<modelwire_error_message, modelwire_error_hint, modelwire_error_type,
                   modelwire_error_code, modelwire_error_param, modelwire_error_request_id,
                   modelwire_error_path, modelwire_error_model, modelwire_error_timeout,
                   modelwire_error_metered, modelwire_error_body, modelwire_error_partial,
                   modelwire_error_report>
        texts;
    int http_status = 0, attempts = 0;
    std::chrono::milliseconds elapsed{0};
    std::optional<std::chrono::milliseconds> retry_after;
    std::optional<std::chrono::system_clock::time_point> request_time;
  };

  template <auto Accessor>
  std::optional<std::string_view> text() const noexcept {
    return facts_->texts.template get<Accessor>();
  }

  template <auto Accessor>
  std::string_view view() const noexcept {
    return text<Accessor>().value_or("");
  }

  // Shared: copying an exception must not throw.
  std::shared_ptr<const facts> facts_;
};

/// A value, or the error that there is in its place.
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
  /// The value, which must be there.
  T& operator*() & noexcept { return *value_; }
  /// The value, which must be there.
  const T& operator*() const& noexcept { return *value_; }
  /// The value, which must be there, to be moved out.
  T&& operator*() && noexcept { return std::move(*value_); }
  /// A member of the value, which must be there.
  T* operator->() noexcept { return &*value_; }
  /// A member of the value, which must be there.
  const T* operator->() const noexcept { return &*value_; }
  /// The error, which must be there.
  const modelwire::error& error() const noexcept { return *error_; }

#if MODELWIRE_EXCEPTIONS
  /// The value; throws the error if there is none.
  T value() && {
    if (error_) throw *std::move(error_);
    return std::move(*value_);
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

  /// Whether it is a success.
  explicit operator bool() const noexcept { return !error_; }
  /// The error, which must be there.
  const modelwire::error& error() const noexcept { return *error_; }

#if MODELWIRE_EXCEPTIONS
  /// Throws the error if there is one.
  void value() && {
    if (error_) throw *std::move(error_);
  }
#endif

 private:
  std::optional<modelwire::error> error_;
};

/// Tokens as the service reported them.
struct token_usage {
  std::uint64_t input_tokens = 0;   ///< What was sent.
  std::uint64_t output_tokens = 0;  ///< What was generated.
  std::uint64_t total_tokens = 0;   ///< Both together.
};

/// What the answered calls of a client used.
struct client_usage : token_usage {
  std::uint64_t calls = 0;  ///< Answered chats and responses.
  /// Those among them that reported no usage: the tokens lack them.
  std::uint64_t calls_without_usage = 0;
};

/// A header of a response; its texts are borrowed from the response.
struct header {
  std::string_view name;   ///< In lower case.
  std::string_view value;  ///< Its value.
};

/// A tool call of a response; its texts are borrowed from the response.
struct tool_call {
  std::string_view id;         ///< What its result has to name; empty if it was left out.
  std::string_view name;       ///< The function that it asks for.
  std::string_view arguments;  ///< JSON text as the model wrote it.
};

/// A piece of a tool call in a chunk; its texts are borrowed from the event.
struct tool_call_piece {
  std::optional<std::int64_t> index;           ///< Which tool call of the response it belongs to.
  std::optional<std::string_view> id;          ///< On the first piece mostly.
  std::optional<std::string_view> name;        ///< On the first piece mostly.
  std::optional<std::string_view> arguments;   ///< A piece of the JSON text.
};

namespace detail {

/// Fields by path, of whatever has some: new fields of a service need no new function here. A path
/// is a JSON pointer (RFC 6901), "/choices/0/message/refusal" for instance.
template <class T, const char* (*Text)(const T*, const char*, std::size_t, std::size_t*),
          const char* (*Json)(const T*, const char*, std::size_t, std::size_t*),
          modelwire_status (*Int)(const T*, const char*, std::size_t, std::int64_t*),
          modelwire_status (*Number)(const T*, const char*, std::size_t, double*),
          modelwire_status (*Bool)(const T*, const char*, std::size_t, std::int32_t*),
          std::size_t (*Count)(const T*, const char*, std::size_t)>
class fields {
 public:
  /// The C object, which stays its owner's; NULL if there is none.
  const T* get() const noexcept { return object_; }
  /// Whether there is one.
  explicit operator bool() const noexcept { return object_ != nullptr; }

  /// A field as `std::string_view` (decoded, borrowed), `std::string`, `std::int64_t` (integers
  /// that fit), `double` (any number) or `bool`; nothing where there is no such thing.
  template <class V>
  std::optional<V> get(std::string_view path) const {
    static_assert(std::is_same_v<V, std::string_view> || std::is_same_v<V, std::string> ||
                      std::is_same_v<V, std::int64_t> || std::is_same_v<V, double> ||
                      std::is_same_v<V, bool>,
                  "get std::string_view, std::string, std::int64_t, double or bool");
    if constexpr (std::is_same_v<V, std::string_view> || std::is_same_v<V, std::string>) {
      std::size_t length = 0;
      const char* text = Text(object_, start(path), path.size(), &length);
      if (text == nullptr) return std::nullopt;
      return V(text, length);
    } else if constexpr (std::is_same_v<V, std::int64_t>) {
      return read<V, std::int64_t>(Int, path);
    } else if constexpr (std::is_same_v<V, double>) {
      return read<V, double>(Number, path);
    } else {
      return read<V, std::int32_t>(Bool, path);
    }
  }

  /// Anything as the JSON text that was sent, numbers to their last digit; borrowed. The empty
  /// path is the whole.
  std::optional<std::string_view> json(std::string_view path) const noexcept {
    std::size_t length = 0;
    const char* text = Json(object_, start(path), path.size(), &length);
    return optional_view(text, length);
  }

  /// How many items an array, or members an object, has; 0 for anything else.
  std::size_t count(std::string_view path) const noexcept {
    return Count(object_, start(path), path.size());
  }

 protected:
  explicit fields(const T* object) noexcept : object_(object) {}
  const T* object_;

 private:
  template <class V, class Out>
  std::optional<V> read(modelwire_status (*field)(const T*, const char*, std::size_t, Out*),
                        std::string_view path) const noexcept {
    Out out{};
    if (field(object_, start(path), path.size(), &out) != MODELWIRE_OK) return std::nullopt;
    if constexpr (std::is_same_v<V, bool>) {
      return out != 0;
    } else {
      return out;
    }
  }
};

using response_fields =
    fields<modelwire_response, modelwire_response_get_text, modelwire_response_get_json,
           modelwire_response_get_int, modelwire_response_get_number, modelwire_response_get_bool,
           modelwire_response_get_count>;

using event_fields = fields<modelwire_event, modelwire_event_get_text, modelwire_event_get_json,
                            modelwire_event_get_int, modelwire_event_get_number,
                            modelwire_event_get_bool, modelwire_event_get_count>;

}  // namespace detail

/// The response to a call, borrowed from a response, an event or a stream. A view of nothing gives
/// nothing. Any thread.
class response_view : public detail::response_fields {
 public:
  /// Looks at a response of C, or at nothing.
  explicit response_view(const modelwire_response* borrowed = nullptr) noexcept
      : fields(borrowed) {}

  /// Any field as JSON text, by its path.
  using fields::json;
  /// The JSON text as the service sent it; empty at the end of a stream, whose chunks were the
  /// response, unless the call gathered.
  std::string_view json() const noexcept { return detail::view(modelwire_response_json, object_); }
  /// The output text: the content of a chat's first choice, or all output text of a response;
  /// empty where there is none and at the end of a stream.
  std::string_view text() const noexcept { return detail::view(modelwire_response_text, object_); }
  /// Why the first choice of a chat stopped, "stop" for instance, or the status of a response.
  std::optional<std::string_view> finish_reason() const noexcept {
    return detail::optional_view(modelwire_response_finish_reason, object_);
  }
  /// The service's name for the exchange, to give to its support.
  std::optional<std::string_view> request_id() const noexcept {
    return detail::optional_view(modelwire_response_request_id, object_);
  }
  /// The HTTP status, 200 for instance; 0 for nothing.
  int http_status() const noexcept { return modelwire_response_http_status(object_); }
  /// How many times the request was attempted; 0 for nothing.
  int attempts() const noexcept { return modelwire_response_attempts(object_); }
  /// From the start of the first attempt to the end of the response, waits included.
  std::chrono::milliseconds elapsed() const noexcept {
    return detail::optional_ms(modelwire_response_elapsed_ms(object_))
        .value_or(std::chrono::milliseconds(0));
  }
  /// The first header of a name, whatever its case.
  std::optional<std::string_view> header(std::string_view name) const noexcept {
    return detail::optional_view(
        modelwire_response_header(object_, detail::start(name), name.size()));
  }
  /// All headers, in the order of the response.
  std::vector<modelwire::header> headers() const {
    std::vector<modelwire::header> all(modelwire_response_header_count(object_));
    for (std::size_t i = 0; i < all.size(); i++) {
      all[i].name = detail::view(modelwire_response_header_name, object_, i);
      all[i].value = detail::view(modelwire_response_header_value, object_, i);
    }
    return all;
  }
  /// How the response was known to be complete: "document", "done_mark", "final_event" or
  /// "finish_reasons".
  std::string_view end_mark() const noexcept {
    return detail::view(modelwire_response_end, object_);
  }
  /// Whether the JSON text was put together from the chunks of a stream.
  bool is_gathered() const noexcept { return modelwire_response_is_gathered(object_) != 0; }
  /// The tool calls of a chat's first choice, or of a response.
  std::vector<tool_call> tool_calls() const {
    std::vector<tool_call> all(modelwire_response_tool_call_count(object_));
    for (std::size_t i = 0; i < all.size(); i++) {
      all[i].id = detail::view(modelwire_response_tool_call_id, object_, i);
      all[i].name = detail::view(modelwire_response_tool_call_name, object_, i);
      all[i].arguments = detail::view(modelwire_response_tool_call_arguments, object_, i);
    }
    return all;
  }
  /// The tokens that the service reported, of a stream too.
  std::optional<token_usage> usage() const noexcept {
    token_usage used;
    if (modelwire_response_usage(object_, &used.input_tokens, &used.output_tokens,
                                 &used.total_tokens) != MODELWIRE_OK) {
      return std::nullopt;
    }
    return used;
  }
  /// The ids of a model list; none for every other response.
  std::vector<std::string_view> model_ids() const {
    std::vector<std::string_view> all(modelwire_response_model_count(object_));
    for (std::size_t i = 0; i < all.size(); i++) {
      all[i] = detail::view(modelwire_response_model_id, object_, i);
    }
    return all;
  }
};

/// The response to a call, owned.
class response : public detail::owner<response_view, modelwire_response, modelwire_response_free> {
 public:
  using owner::owner;

  /// As response_view::text; borrowed.
  std::string_view text() const& noexcept { return response_view::text(); }
  /// The same of a response that nobody keeps, `client.run(request).text()`: a copy, not borrowed.
  std::string text() && { return std::string(response_view::text()); }
  /// As response_view::model_ids; borrowed.
  std::vector<std::string_view> model_ids() const& { return response_view::model_ids(); }
  /// The same of a response that nobody keeps, `client.models().model_ids()`: copies.
  std::vector<std::string> model_ids() && {
    const auto borrowed = response_view::model_ids();
    return std::vector<std::string>(borrowed.begin(), borrowed.end());
  }
};

/// One event of a call, borrowed: a chunk of a stream, or the end of a call. A view of nothing
/// gives nothing. Any thread.
class event_view : public detail::event_fields {
 public:
  /// Looks at an event of C, or at nothing.
  explicit event_view(const modelwire_event* borrowed = nullptr) noexcept
      : fields(borrowed) {}

  /// MODELWIRE_EVENT_CHUNK or MODELWIRE_EVENT_DONE. Kinds may be added: skip what you do not know.
  std::int32_t kind() const noexcept { return modelwire_event_kind(object_); }
  /// Whether it is a chunk of a stream.
  bool is_chunk() const noexcept { return kind() == MODELWIRE_EVENT_CHUNK; }
  /// Whether it is the last event of its call, with the response or the error.
  bool is_done() const noexcept { return kind() == MODELWIRE_EVENT_DONE; }
  /// The tag with which the call was submitted to a queue; 0 for other calls.
  std::uint64_t tag() const noexcept { return modelwire_event_tag(object_); }

  /// Any field as JSON text, by its path.
  using fields::json;
  /// The chunk's JSON text as the service sent it; empty for the last event.
  std::string_view json() const noexcept { return detail::view(modelwire_event_json, object_); }
  /// The piece of output text that the chunk adds; empty for every other event.
  std::string_view text() const noexcept { return detail::view(modelwire_event_text, object_); }
  /// The name of the server-sent event, "response.completed" for instance; empty where there was
  /// none, as in chat streams.
  std::string_view name() const noexcept { return detail::view(modelwire_event_name, object_); }
  /// Why the first choice stopped, "stop" for instance; nothing while it has not.
  std::optional<std::string_view> finish_reason() const noexcept {
    return detail::optional_view(modelwire_event_finish_reason, object_);
  }
  /// The tokens that the chunk, or the response at the end, reports.
  std::optional<token_usage> usage() const noexcept {
    token_usage used;
    if (modelwire_event_usage(object_, &used.input_tokens, &used.output_tokens,
                              &used.total_tokens) != MODELWIRE_OK) {
      return std::nullopt;
    }
    return used;
  }
  /// The pieces of tool calls that the chunk adds, in its first choice.
  std::vector<tool_call_piece> tool_calls() const {
    std::vector<tool_call_piece> all(modelwire_event_tool_call_count(object_));
    for (std::size_t i = 0; i < all.size(); i++) {
      const std::int64_t index = modelwire_event_tool_call_index(object_, i);
      if (index >= 0) all[i].index = index;
      all[i].id = detail::optional_view(modelwire_event_tool_call_id, object_, i);
      all[i].name = detail::optional_view(modelwire_event_tool_call_name, object_, i);
      all[i].arguments = detail::optional_view(modelwire_event_tool_call_arguments, object_, i);
    }
    return all;
  }
  /// The response of a call that ended well, borrowed from the event; nothing for other events.
  response_view response() const noexcept {
    return response_view(modelwire_event_response(object_));
  }
  /// The error of a call that failed, copied; nothing for other events.
  std::optional<modelwire::error> error() const {
    const modelwire_error* failure = modelwire_event_error(object_);
    if (failure == nullptr) return std::nullopt;
    return modelwire::error(failure);
  }
};

/// One event of a call, owned.
class event : public detail::owner<event_view, modelwire_event, modelwire_event_free> {
 public:
  using owner::owner;
};

/// One of the bounds of a client.
enum class limit : std::int32_t {
  // From the table in core/src/bounds.rs, by `make header`.
  /// Largest server-sent event, in bytes; 16 MiB by default.
  event_bytes = MODELWIRE_LIMIT_EVENT_BYTES,
  /// Largest answer that is held whole, in bytes; 256 MiB by default.
  response_bytes = MODELWIRE_LIMIT_RESPONSE_BYTES,
  /// How much of a failed answer's body is read and kept, in bytes; 64 KiB by default.
  error_body_bytes = MODELWIRE_LIMIT_ERROR_BODY_BYTES,
  /// Most headers that an answer may have; 100 by default.
  headers = MODELWIRE_LIMIT_HEADERS,
  /// Bytes of one call that wait to be taken before its body is no longer read; 256 KiB by
  /// default. A single larger event waits alone.
  queue_bytes = MODELWIRE_LIMIT_QUEUE_BYTES,
  /// Events of one call that wait to be taken before its body is no longer read; 1024 by default.
  queue_events = MODELWIRE_LIMIT_QUEUE_EVENTS,
  /// Connections that calls of the client have at once; 1000 by default, and with those that are
  /// idle never more than half of the descriptors that the process may have (RLIMIT_NOFILE, read
  /// at the first call; 6/16 of it for the calls of all clients together, 1/16 each for the
  /// connections that a client has idle and that it is opening). Further calls wait in order, and
  /// take the first connection that gets idle. Calls that share a connection (HTTP/2) are not
  /// counted.
  connections = MODELWIRE_LIMIT_CONNECTIONS,
  /// Connections that are kept for later calls while none uses them; 1000 by default, and never
  /// more than `connections_max` and 1/16 of the descriptors.
  idle_connections = MODELWIRE_LIMIT_IDLE_CONNECTIONS,
  /// How long a connection that no call uses is kept, in milliseconds; 4000 by default, for many
  /// servers close theirs after 5 s.
  idle_connection_ms = MODELWIRE_LIMIT_IDLE_CONNECTION_MS,
};

/// Failures without a response that can be tried again; `|` joins them.
enum class retry_on : std::uint32_t {
  nothing = 0,  ///< Only responses with status 429 are.
  /// Calls of which nothing was sent.
  connect_errors = MODELWIRE_RETRY_CONNECT_ERRORS,
  /// Calls whose connection was lost after something was sent and before the head of a response
  /// came. The service may have processed such a call, and meters it twice then.
  lost_connections = MODELWIRE_RETRY_LOST_CONNECTIONS,
};

/// Both.
constexpr retry_on operator|(retry_on one, retry_on other) noexcept {
  return static_cast<retry_on>(static_cast<std::uint32_t>(one) |
                               static_cast<std::uint32_t>(other));
}

namespace detail {

/// A builder: a handle that remembers the first thing that was wrong.
template <class T, void (*Free)(T*)>
class builder : public handle<T, Free> {
 public:
  /// The first thing that was wrong so far; NULL if all is well. Using the builder gives it, too.
  const modelwire::error* problem() const noexcept { return problem_ ? &*problem_ : nullptr; }

 protected:
  using handle<T, Free>::handle;

  /// Why it cannot be used: the first thing that was wrong, or that it is empty.
  std::optional<modelwire::error> obstacle(std::string_view name) const {
    if (problem_) return problem_;
    if (this->get() != nullptr) return std::nullopt;
    return modelwire::error(MODELWIRE_E_ARGUMENT, std::string(name) + " was moved from",
                            "Make a new one.");
  }

  /// Remembers that a setter failed which gives no error object.
  ///
  /// @param what   the setter
  /// @param rules  what it refuses, for the message
  void note(modelwire_status status, std::string_view what, std::string_view rules) {
    if (status == MODELWIRE_OK || problem_) return;
    const std::string_view why = this->get() == nullptr ? "it was moved from" : rules;
    problem_.emplace(status, std::string(what) + ": " + std::string(why));
  }

  static constexpr std::string_view NO_SUCH_FAILURE = "there is no such failure";
  static constexpr std::string_view NO_PART = "the part is not from 0 to 1";

  std::optional<modelwire::error> problem_;
};

}  // namespace detail

/// What a client is made from. What is not set has its default: base URL and key come from the
/// environment (MODELWIRE_BASE_URL or OPENAI_BASE_URL, MODELWIRE_API_KEY or OPENAI_API_KEY).
///
///   modelwire::client client(
///       modelwire::config().base_url("https://host/v1").total_timeout(std::chrono::minutes(2)));
class config : public detail::builder<modelwire_config, modelwire_config_free> {
 public:
  /// Every default.
  config() noexcept : builder(modelwire_config_new()) {}
  /// Adopts a configuration of C.
  explicit config(modelwire_config* adopted) noexcept : builder(adopted) {}

  /// Where the service is, "https://host/v1" for instance. A trailing slash does not matter; a
  /// query is kept.
  config& base_url(std::string_view url) & {
    note(modelwire_config_set_base_url(get(), detail::start(url), url.size()), "config.base_url",
         NOT_UTF8);
    return *this;
  }
  /// The API key, without the word "Bearer"; white space around it is removed. It never appears
  /// in errors, reports or logs. One that was copied with something else around it, quotes for
  /// instance, or that is not whole, is refused when the client is made.
  config& api_key(std::string_view key) & {
    note(modelwire_config_set_api_key(get(), detail::start(key), key.size()), "config.api_key",
         NOT_UTF8);
    return *this;
  }
  /// Adds a header that is sent with every request.
  config& header(std::string_view name, std::string_view value) & {
    note(modelwire_config_add_header(get(), detail::start(name), name.size(), detail::start(value),
                                     value.size()),
         "config.header", NOT_UTF8);
    return *this;
  }
  /// Opening a connection, TLS included; 10 s, `no_timeout` for none. Here and below a negative one
  /// changes nothing.
  config& connect_timeout(std::chrono::milliseconds timeout) & {
    note(modelwire_config_set_timeouts(get(), timeout.count(), -1, -1, -1),
         "config.connect_timeout", {});
    return *this;
  }
  /// From the start of an attempt to the complete head of its response; 600 s, `no_timeout` for
  /// none.
  config& first_byte_timeout(std::chrono::milliseconds timeout) & {
    note(modelwire_config_set_timeouts(get(), -1, timeout.count(), -1, -1),
         "config.first_byte_timeout", {});
    return *this;
  }
  /// Between two pieces of substance of a response; 300 s, `no_timeout` for none.
  config& idle_timeout(std::chrono::milliseconds timeout) & {
    note(modelwire_config_set_timeouts(get(), -1, -1, timeout.count(), -1), "config.idle_timeout",
         {});
    return *this;
  }
  /// Over all attempts and every wait, from the call's start; `no_timeout` by default.
  config& total_timeout(std::chrono::milliseconds timeout) & {
    note(modelwire_config_set_timeouts(get(), -1, -1, -1, timeout.count()),
         "config.total_timeout", {});
    return *this;
  }
  /// Waiting for a connection where `limit::connections` are in use, before each attempt;
  /// `no_timeout` by default: a call waits its turn.
  config& pool_timeout(std::chrono::milliseconds timeout) & {
    note(modelwire_config_set_pool_timeout(get(), timeout.count()), "config.pool_timeout", {});
    return *this;
  }
  /// How often and after what waits a call is tried again: one that was answered with status 429,
  /// or that failed as `retry_on` says. The waits are lower bounds, to which `retry_jitter` adds.
  ///
  /// @param retries_max      most retries of one call; 3 by default, 0 switches off
  /// @param first_wait       before the first retry, doubled for each further one up to 8 s, and
  ///                         raised to what the service asks for; 500 ms
  /// @param retry_after_max  longest Retry-After that is waited for, a longer one is an error at
  ///                         once; 60 s
  config& retry(std::int32_t retries_max, std::chrono::milliseconds first_wait = by_default,
                std::chrono::milliseconds retry_after_max = by_default) & {
    note(modelwire_config_set_retry(get(), retries_max, first_wait.count(),
                                    retry_after_max.count()),
         "config.retry", {});
    return *this;
  }
  /// Which failures without a response are tried again, beside the responses with status 429;
  /// `retry_on::nothing` by default.
  config& retry_on(modelwire::retry_on what) & {
    note(modelwire_config_set_retry_on(get(), static_cast<std::uint32_t>(what)),
         "config.retry_on", NO_SUCH_FAILURE);
    return *this;
  }
  /// The part of a wait, 0 to 1, that is added by chance at most, so that calls that were refused
  /// together do not come back together; 0.25.
  config& retry_jitter(double part) & {
    note(modelwire_config_set_retry_jitter(get(), part), "config.retry_jitter", NO_PART);
    return *this;
  }
  /// Whether the calls of a client slow down together when the service refuses some of them: a
  /// common pause, then fewer on their way at once and at the rate that the service was seen to
  /// take, and more again when nothing is refused any more; false by default. For many calls at
  /// once on a service whose limits are not known; such a client begins with few of them.
  config& retry_adaptive(bool on = true) & {
    note(modelwire_config_set_retry_adaptive(get(), on), "config.retry_adaptive", {});
    return *this;
  }
  /// Sets one of the bounds, 1 to 2147483647. A response that breaks one is an error that names it.
  config& limit(modelwire::limit which, std::int64_t value) & {
    note(modelwire_config_set_limit(get(), static_cast<std::int32_t>(which), value),
         "config.limit", "there is no such limit, or the value is not from 1 to 2147483647");
    return *this;
  }
  /// Sets options by name from one JSON object, all of them or none; docs/options.md has the names.
  config& options(std::string_view json) & {
    modelwire_error* refused = nullptr;
    const modelwire_status status =
        modelwire_config_set_options(get(), detail::start(json), json.size(), &refused);
    if (status != MODELWIRE_OK) {
      modelwire::error why = modelwire::error::adopt(refused, status);
      if (!problem_) problem_.emplace(std::move(why));
    }
    return *this;
  }
  /// Adds certificates, as PEM text, that are trusted beside the system's; checked when a client
  /// is made.
  config& ca_pem(std::string_view pem) & {
    note(modelwire_config_add_ca_pem(get(), detail::start(pem), pem.size()), "config.ca_pem",
         NOT_UTF8);
    return *this;
  }
  /// The certificate with which the client proves itself to the service, its chain and its
  /// private key, as PEM text; checked when a client is made.
  config& client_certificate_pem(std::string_view pem) & {
    note(modelwire_config_set_client_certificate_pem(get(), detail::start(pem), pem.size()),
         "config.client_certificate_pem", NOT_UTF8);
    return *this;
  }
  /// The proxy for every request, "http://...", "https://..." or "socks5h://..."; empty for none
  /// at all. Without this the environment decides.
  config& proxy(std::string_view url) & {
    note(modelwire_config_set_proxy(get(), detail::start(url), url.size()), "config.proxy",
         NOT_UTF8);
    return *this;
  }
  /// Speaks HTTP/2: many calls share one connection.
  config& http2(bool on = true) & {
    note(modelwire_config_set_http2(get(), on), "config.http2", {});
    return *this;
  }
  /// Lets every call that is answered whole stream underneath and gather its response, for a
  /// service whose models answer only by streaming.
  config& stream_only(bool on = true) & {
    note(modelwire_config_set_stream_only(get(), on), "config.stream_only", {});
    return *this;
  }

  /// @name The same on a configuration that has no name yet.
  /// @{
  config&& base_url(std::string_view url) && { return std::move(base_url(url)); }
  config&& api_key(std::string_view key) && { return std::move(api_key(key)); }
  config&& header(std::string_view name, std::string_view value) && {
    return std::move(header(name, value));
  }
  config&& connect_timeout(std::chrono::milliseconds timeout) && {
    return std::move(connect_timeout(timeout));
  }
  config&& first_byte_timeout(std::chrono::milliseconds timeout) && {
    return std::move(first_byte_timeout(timeout));
  }
  config&& idle_timeout(std::chrono::milliseconds timeout) && {
    return std::move(idle_timeout(timeout));
  }
  config&& total_timeout(std::chrono::milliseconds timeout) && {
    return std::move(total_timeout(timeout));
  }
  config&& pool_timeout(std::chrono::milliseconds timeout) && {
    return std::move(pool_timeout(timeout));
  }
  config&& retry(std::int32_t retries_max, std::chrono::milliseconds first_wait = by_default,
                 std::chrono::milliseconds retry_after_max = by_default) && {
    return std::move(retry(retries_max, first_wait, retry_after_max));
  }
  config&& retry_on(modelwire::retry_on what) && { return std::move(retry_on(what)); }
  config&& retry_jitter(double part) && { return std::move(retry_jitter(part)); }
  config&& retry_adaptive(bool on = true) && { return std::move(retry_adaptive(on)); }
  config&& limit(modelwire::limit which, std::int64_t value) && {
    return std::move(limit(which, value));
  }
  config&& options(std::string_view json) && { return std::move(options(json)); }
  config&& ca_pem(std::string_view pem) && { return std::move(ca_pem(pem)); }
  config&& client_certificate_pem(std::string_view pem) && {
    return std::move(client_certificate_pem(pem));
  }
  config&& proxy(std::string_view url) && { return std::move(proxy(url)); }
  config&& http2(bool on = true) && { return std::move(http2(on)); }
  config&& stream_only(bool on = true) && { return std::move(stream_only(on)); }
  /// @}

 private:
  friend class client;
  static constexpr std::string_view NOT_UTF8 = "the text is not UTF-8, or is too long";
};

/// A request of one of the three operations, for any number of calls.
///
///   auto question = modelwire::request::chat("a-model")
///                       .system("Answer in one word.")
///                       .user("Where is the Eiffel Tower?")
///                       .set("temperature", 0.2);
class request : public detail::builder<modelwire_request, modelwire_request_free> {
 public:
  /// Adopts a request of C.
  explicit request(modelwire_request* adopted) noexcept : builder(adopted) {}

  /// List the models.
  static request models() {
    return made([](auto... out) { return modelwire_request_models(out...); });
  }
  /// A chat completion, to be filled with messages and fields.
  static request chat(std::string_view model) { return made(modelwire_request_chat, model); }
  /// A response, to be filled with its input and fields.
  static request response(std::string_view model) {
    return made(modelwire_request_response, model);
  }
  /// A chat completion from JSON text with at least "model" and "messages". The text is sent as it
  /// is, but for "stream", which follows from how the call is made. What is not JSON is a problem
  /// that names the byte, and so is a field that cannot be right, by its name.
  static request chat_json(std::string_view json) {
    return made(modelwire_request_chat_json, json);
  }
  /// A response from JSON text with at least "model" and "input"; as `chat_json`.
  static request response_json(std::string_view json) {
    return made(modelwire_request_response_json, json);
  }

  /// Adds a message to a chat that is built field by field. A longer conversation generally costs
  /// more and takes longer.
  request& message(std::string_view role, std::string_view content) & {
    note(modelwire_request_add_message(get(), detail::start(role), role.size(),
                                       detail::start(content), content.size()),
         "request.message", "the text is not UTF-8, or the request is no chat built by fields");
    return *this;
  }
  /// A message of the role "system".
  request& system(std::string_view content) & { return message("system", content); }
  /// A message of the role "user".
  request& user(std::string_view content) & { return message("user", content); }
  /// A message of the role "assistant".
  request& assistant(std::string_view content) & { return message("assistant", content); }
  /// The input of a response that is built field by field, as plain text. A longer one generally
  /// costs more and takes longer.
  request& input(std::string_view text) & {
    note(modelwire_request_set_input(get(), detail::start(text), text.size()), "request.input",
         "the text is not UTF-8, or the request is no response built by fields");
    return *this;
  }
  /// The upper bound on the output, in tokens, at least 1: "max_tokens" of a chat,
  /// "max_output_tokens" of a response. Set by another function, it is held to the same bound when
  /// the call is made. A higher bound may consume more.
  request& max_tokens(std::int32_t tokens) & {
    note(modelwire_request_set_max_tokens(get(), tokens), "request.max_tokens",
         tokens < 1 ? "max_tokens must be at least 1" : "the request takes no fields");
    return *this;
  }
  /// Any further field with a text as its value, "reasoning_effort" for instance.
  request& set(std::string_view name, std::string_view value) & {
    note(modelwire_request_set_text(get(), detail::start(name), name.size(), detail::start(value),
                                    value.size()),
         named("request.set", name), "the text is not UTF-8, or the request takes no fields");
    return *this;
  }
  /// Any further field with a boolean, an integer or a number as its value. JSON has neither
  /// infinities nor NaN.
  template <class N, class = std::enable_if_t<std::is_arithmetic_v<N>>>
  request& set(std::string_view name, N value) & {
    static_assert(!std::is_same_v<N, char> && !std::is_same_v<N, wchar_t> &&
                      !std::is_same_v<N, char16_t> && !std::is_same_v<N, char32_t>,
                  "a character is neither a text nor a number");
    const char* begin = detail::start(name);
    modelwire_status status = MODELWIRE_OK;
    if constexpr (std::is_same_v<N, bool>) {
      status = modelwire_request_set_bool(get(), begin, name.size(), value);
    } else if constexpr (std::is_floating_point_v<N>) {
      status = modelwire_request_set_number(get(), begin, name.size(), static_cast<double>(value));
    } else if constexpr (std::is_unsigned_v<N> && sizeof(N) >= sizeof(std::int64_t)) {
      return json(name, std::to_string(value));  // it may be beyond 63 bits
    } else {
      status = modelwire_request_set_int(get(), begin, name.size(), value);
    }
    note(status, named("request.set", name),
         "JSON does not have the number, or the request takes no fields");
    return *this;
  }
  /// NULL is no value; `json(name, "null")` is.
  request& set(std::string_view name, std::nullptr_t) & = delete;
  /// Any further field with JSON text as its value: "tools", "response_format", "messages" with
  /// images, numbers of any size. Sent as it is; what is not JSON is a problem that names the byte.
  request& json(std::string_view name, std::string_view text) & {
    modelwire_error* failure = nullptr;
    const modelwire_status status =
        modelwire_request_set_json(get(), detail::start(name), name.size(), detail::start(text),
                                   text.size(), &failure);
    if (status != MODELWIRE_OK) {
      auto problem = modelwire::error::adopt(failure, status);
      if (!problem_) problem_ = std::move(problem);
    }
    return *this;
  }
  /// A header of this request; it replaces the client's of the same name.
  request& header(std::string_view name, std::string_view value) & {
    note(modelwire_request_add_header(get(), detail::start(name), name.size(),
                                      detail::start(value), value.size()),
         "request.header", "the text is not UTF-8");
    return *this;
  }
  /// From the start of an attempt to the complete head of its response, in place of the client's;
  /// `no_timeout` for none. Here and below a negative one changes nothing.
  request& first_byte_timeout(std::chrono::milliseconds timeout) & {
    note(modelwire_request_set_timeouts(get(), timeout.count(), -1, -1),
         "request.first_byte_timeout", {});
    return *this;
  }
  /// Between two pieces of substance of a response, in place of the client's; `no_timeout` for
  /// none.
  request& idle_timeout(std::chrono::milliseconds timeout) & {
    note(modelwire_request_set_timeouts(get(), -1, timeout.count(), -1), "request.idle_timeout",
         {});
    return *this;
  }
  /// Over all attempts and every wait, in place of the client's; `no_timeout` for none.
  request& total_timeout(std::chrono::milliseconds timeout) & {
    note(modelwire_request_set_timeouts(get(), -1, -1, timeout.count()), "request.total_timeout",
         {});
    return *this;
  }
  /// Waiting for a connection where `limit::connections` are in use, in place of the client's;
  /// `no_timeout` for none.
  request& pool_timeout(std::chrono::milliseconds timeout) & {
    note(modelwire_request_set_pool_timeout(get(), timeout.count()), "request.pool_timeout", {});
    return *this;
  }
  /// How often and after what waits this request is tried again; as config::retry. This, `retry_on`,
  /// `retry_jitter` and `retry_adaptive` add up in any order, and together replace all that the
  /// client says of retrying: what none of them sets is the library's default.
  request& retry(std::int32_t retries_max, std::chrono::milliseconds first_wait = by_default,
                 std::chrono::milliseconds retry_after_max = by_default) & {
    note(modelwire_request_set_retry(get(), retries_max, first_wait.count(),
                                     retry_after_max.count()),
         "request.retry", {});
    return *this;
  }
  /// Which failures without a response this request is tried again after; as config::retry_on, and
  /// in place of the client's as `retry`.
  request& retry_on(modelwire::retry_on what) & {
    note(modelwire_request_set_retry_on(get(), static_cast<std::uint32_t>(what)),
         "request.retry_on", NO_SUCH_FAILURE);
    return *this;
  }
  /// The part of a wait that is added by chance at most; as config::retry_jitter, and in place of
  /// the client's as `retry`.
  request& retry_jitter(double part) & {
    note(modelwire_request_set_retry_jitter(get(), part), "request.retry_jitter", NO_PART);
    return *this;
  }
  /// Whether this request slows down together with the others of its client for which that is set;
  /// as config::retry_adaptive, and in place of the client's as `retry`.
  request& retry_adaptive(bool on = true) & {
    note(modelwire_request_set_retry_adaptive(get(), on), "request.retry_adaptive", {});
    return *this;
  }
  /// Lets this request stream underneath and gather its response when it is run whole, for a model
  /// that answers only by streaming.
  request& stream_only(bool on = true) & {
    note(modelwire_request_set_stream_only(get(), on), "request.stream_only", {});
    return *this;
  }
  /// Lets a stream gather its chunks, so that the response at its end has the whole response too,
  /// and an error has what came before it; needs memory for the response.
  request& gather(bool on = true) & {
    note(modelwire_request_set_gather(get(), on), "request.gather", {});
    return *this;
  }

  /// @name The same on a request that has no name yet.
  /// @{
  request&& message(std::string_view role, std::string_view content) && {
    return std::move(message(role, content));
  }
  request&& system(std::string_view content) && { return std::move(system(content)); }
  request&& user(std::string_view content) && { return std::move(user(content)); }
  request&& assistant(std::string_view content) && { return std::move(assistant(content)); }
  request&& input(std::string_view text) && { return std::move(input(text)); }
  request&& max_tokens(std::int32_t tokens) && { return std::move(max_tokens(tokens)); }
  request&& set(std::string_view name, std::string_view value) && {
    return std::move(set(name, value));
  }
  template <class N, class = std::enable_if_t<std::is_arithmetic_v<N>>>
  request&& set(std::string_view name, N value) && {
    return std::move(set(name, value));
  }
  request&& set(std::string_view name, std::nullptr_t) && = delete;
  request&& json(std::string_view name, std::string_view text) && {
    return std::move(json(name, text));
  }
  request&& header(std::string_view name, std::string_view value) && {
    return std::move(header(name, value));
  }
  request&& first_byte_timeout(std::chrono::milliseconds timeout) && {
    return std::move(first_byte_timeout(timeout));
  }
  request&& idle_timeout(std::chrono::milliseconds timeout) && {
    return std::move(idle_timeout(timeout));
  }
  request&& total_timeout(std::chrono::milliseconds timeout) && {
    return std::move(total_timeout(timeout));
  }
  request&& pool_timeout(std::chrono::milliseconds timeout) && {
    return std::move(pool_timeout(timeout));
  }
  request&& retry(std::int32_t retries_max, std::chrono::milliseconds first_wait = by_default,
                  std::chrono::milliseconds retry_after_max = by_default) && {
    return std::move(retry(retries_max, first_wait, retry_after_max));
  }
  request&& retry_on(modelwire::retry_on what) && { return std::move(retry_on(what)); }
  request&& retry_jitter(double part) && { return std::move(retry_jitter(part)); }
  request&& retry_adaptive(bool on = true) && { return std::move(retry_adaptive(on)); }
  request&& stream_only(bool on = true) && { return std::move(stream_only(on)); }
  request&& gather(bool on = true) && { return std::move(gather(on)); }
  /// @}

 private:
  friend class client;

  template <class Make>
  static request made(Make make) {
    modelwire_request* out = nullptr;
    modelwire_error* failure = nullptr;
    const modelwire_status status = make(&out, &failure);
    request all(out);
    if (status != MODELWIRE_OK) all.problem_ = modelwire::error::adopt(failure, status);
    return all;
  }

  using maker = modelwire_status (*)(const char*, std::size_t, modelwire_request**,
                                     modelwire_error**);
  static request made(maker make, std::string_view text) {
    return made([=](auto... out) { return make(detail::start(text), text.size(), out...); });
  }

  static std::string named(std::string_view setter, std::string_view name) {
    return std::string(setter) + "(\"" + std::string(name) + "\")";
  }
};

/// Whether a response comes whole or piece by piece.
enum class mode : std::int32_t {
  whole = 0,   ///< One DONE event with the response.
  stream = 1,  ///< A CHUNK event for each piece, then DONE.
};

/// What a callback says about its call.
enum class flow {
  go_on,  ///< The next event, please.
  stop,   ///< No more: the exchange is closed.
};

namespace detail {

/// How many callbacks of started calls are running on this thread, one inside another. Whoever
/// waits for a callback from inside one may be waiting for itself.
inline thread_local int callbacks_running = 0;

struct callback_scope {
  callback_scope() noexcept { ++callbacks_running; }
  ~callback_scope() { --callbacks_running; }
  callback_scope(const callback_scope&) = delete;
  callback_scope& operator=(const callback_scope&) = delete;
};

/// Calls a lambda that takes an event and returns a `flow` or nothing.
template <class F>
flow visit(F& lambda, const event_view& event) {
  using returned = std::invoke_result_t<F&, const event_view&>;
  static_assert(std::is_void_v<returned> || std::is_same_v<returned, flow>,
                "a callback returns nothing, or modelwire::flow");
  if constexpr (std::is_void_v<returned>) {
    lambda(event);
    return flow::go_on;
  } else {
    return lambda(event);
  }
}

/// Runs a lambda of the program that the library calls. Exceptions must not pass through the
/// library: the first one is kept, and ends the call.
template <class F>
std::int32_t guarded(std::exception_ptr& thrown, F&& body) noexcept {
#if MODELWIRE_EXCEPTIONS
  try {
    return body() == flow::stop;
  } catch (...) {
    if (!thrown) thrown = std::current_exception();
    return 1;
  }
#else
  (void)thrown;
  return body() == flow::stop;
#endif
}

/// A lambda that lives on the stack of a blocking stream.
template <class F>
struct visitor {
  F& lambda;
  std::exception_ptr thrown;

  static std::int32_t on_event(void* user_data, const modelwire_event* event) noexcept {
    auto& self = *static_cast<visitor*>(user_data);
    return guarded(self.thrown, [&] { return visit(self.lambda, event_view(event)); });
  }
};

/// A started call, as its handle and its callback share it.
struct started {
  std::mutex mutex;
  std::condition_variable ended;
  bool is_over = false;
  std::exception_ptr thrown;
  /// The C handle of a call that was detached: nobody else holds it.
  std::unique_ptr<modelwire_call, void (*)(modelwire_call*)> detached{nullptr, modelwire_call_free};
#if defined(__unix__) || defined(__APPLE__)
  pid_t process = getpid();
  /// In a forked child: the callback thread is in the parent, so no callback will run here.
  bool is_foreign() const noexcept { return process != getpid(); }
#else
  bool is_foreign() const noexcept { return false; }
#endif

  /// Waits until the call is over, for ever if the timeout is negative, and gives whether it is
  /// over. In a forked child and inside a callback it does not wait.
  bool wait(std::chrono::milliseconds timeout) {
    if (is_foreign()) return false;
    std::unique_lock<std::mutex> lock(mutex);
    auto over = [this] { return is_over; };
    if (is_over || callbacks_running > 0) return is_over;
    if (timeout.count() >= 0) return ended.wait_for(lock, timeout, over);
    ended.wait(lock, over);
    return true;
  }
};

/// A lambda that the library owns until the call is over.
template <class F>
struct started_visitor {
  F lambda;
  std::shared_ptr<started> shared;

  static std::int32_t on_event(void* user_data, const modelwire_event* event) noexcept {
    auto& self = *static_cast<started_visitor*>(user_data);
    callback_scope scope;
    std::exception_ptr thrown;
    const std::int32_t stop =
        guarded(thrown, [&] { return visit(self.lambda, event_view(event)); });
    if (thrown) {
      std::lock_guard<std::mutex> lock(self.shared->mutex);
      if (!self.shared->thrown) self.shared->thrown = thrown;
    }
    return stop;
  }

  static void on_end(void* user_data) noexcept {
    callback_scope scope;
    auto* self = static_cast<started_visitor*>(user_data);
    std::shared_ptr<started> shared = self->shared;
    delete self;  // the lambda is destroyed before anybody is told that the call is over
    auto detached = [&] {
      std::lock_guard<std::mutex> lock(shared->mutex);
      shared->is_over = true;
      shared->ended.notify_all();
      return std::move(shared->detached);
    }();
  }
};

}  // namespace detail

class queue;

/// One exchange with the service: made before it starts, so that any thread can cancel it at any
/// time; run once, in one of four ways. Destroying an unfinished one cancels it.
///
/// One that was started with a callback waits in its destructor until the callback was called for
/// the last time and is destroyed, so that the callback may refer to whatever outlives this object;
/// `detach()` gives that up. In a forked child, and inside a callback of a started call, where it
/// could wait for itself, it does not wait.
class call : public detail::handle<modelwire_call, modelwire_call_free> {
 public:
  /// Nothing.
  call() noexcept : handle(nullptr) {}
  /// Adopts a call of C.
  explicit call(modelwire_call* adopted) noexcept : handle(adopted) {}
  /// Takes a call over, started or not.
  call(call&& other) noexcept = default;
  /// The same; the call that was here ends as in the destructor.
  call& operator=(call&& other) noexcept {
    if (this == &other) return *this;
    end();
    handle::operator=(std::move(other));
    started_ = std::move(other.started_);
    return *this;
  }
  /// Cancels what is not over, and waits for the callback if there is one.
  ~call() { end(); }

  /// Runs a call that is answered whole, and waits for the response.
  result<modelwire::response> try_run() {
    modelwire_response* out = nullptr;
    modelwire_error* failure = nullptr;
    const modelwire_status status = modelwire_call_run(get(), &out, &failure);
    if (status != MODELWIRE_OK) return modelwire::error::adopt(failure, status);
    return modelwire::response(out);
  }

  /// Runs a call that is answered piece by piece, and calls back for each piece on this thread.
  ///
  /// @param on_chunk  called with a `const event_view&`, valid during the call; returns nothing,
  ///                  or a `flow`. What it throws ends the call and comes out here, unchanged.
  /// @return how the stream ended and what it used; nothing if the callback ended it
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

  /// Starts a call and returns; its events go to a callback on the client's callback thread, which
  /// may block and run other calls. The callbacks of one client run one after another.
  ///
  /// The last event is DONE, exactly once, however the call ends; then the callback is destroyed.
  /// What it throws ends the call like `flow::stop`, which DONE tells as cancelled; the first one
  /// is kept for `thrown()` and `join()`.
  ///
  /// @param on_event  called with a `const event_view&`, valid during the call; returns nothing,
  ///                  or a `flow`; moved or copied. If the start fails it is only destroyed.
  template <class F>
  result<void> try_start(F&& on_event, mode how = mode::stream) {
    using visitor = detail::started_visitor<std::decay_t<F>>;
    auto shared = std::make_shared<detail::started>();
    auto owned = std::unique_ptr<visitor>(new visitor{std::forward<F>(on_event), shared});
    // Before the start: the callback may look at this object.
    if (!started_) started_ = std::move(shared);
    modelwire_error* failure = nullptr;
    const modelwire_status status =
        modelwire_call_start(get(), static_cast<std::int32_t>(how), visitor::on_event,
                             owned.release(), visitor::on_end, &failure);
    if (status != MODELWIRE_OK) return modelwire::error::adopt(failure, status);
    return {};
  }

  /// Starts a call and returns; its events come out of a queue with this tag, the last of them
  /// DONE, exactly once, however the call ends.
  ///
  /// @param tag  any number: an index, or a pointer of the program's
  result<void> try_submit(const queue& queue, std::uint64_t tag = 0, mode how = mode::stream);

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
  /// As `try_submit`, but throws.
  void submit(const queue& queue, std::uint64_t tag = 0, mode how = mode::stream) {
    try_submit(queue, tag, how).value();
  }
  /// Waits until the callback of a started call was called for the last time and is destroyed;
  /// then throws what it threw. Inside a callback of a started call it throws E_CALLBACK instead
  /// of waiting for itself.
  void join() const {
    if (!wait()) {
      throw modelwire::error(MODELWIRE_E_CALLBACK,
                             "call.join: in a forked child, or inside a callback of a started "
                             "call, it would wait for ever");
    }
    if (auto cause = thrown()) std::rethrow_exception(cause);
  }
#endif

  /// Waits until the callback of a started call was called for the last time and is destroyed.
  ///
  /// @return whether that is so; true for a call that was not started with one. Inside a callback
  ///         of a started call, and in a forked child, it does not wait.
  bool wait(std::chrono::milliseconds timeout = forever) const {
    return !started_ || started_->wait(timeout);
  }

  /// What the callback of a started call threw first; NULL if nothing. Final once `wait()` is true.
  std::exception_ptr thrown() const {
    if (!started_ || started_->is_foreign()) return nullptr;
    std::lock_guard<std::mutex> lock(started_->mutex);
    return started_->thrown;
  }

  /// Lets a started call go on by itself: it is neither cancelled nor waited for, and this object
  /// is empty. Without effect on any other call.
  void detach() {
    if (!started_ || started_->is_foreign()) return;
    auto shared = std::move(started_);
    std::lock_guard<std::mutex> lock(shared->mutex);
    if (!shared->is_over) shared->detached.reset(handle::release());
  }

  /// Ends a call now, in whatever state it is, also before it starts: it fails as cancelled. A
  /// call that is done stays as it is. Any thread, any time, also inside a callback.
  void cancel() const noexcept { modelwire_call_cancel(get()); }

  /// The C object, which is the caller's from now on, with its callback if it has one: this object
  /// is empty and waits for nothing.
  [[nodiscard]] modelwire_call* release() noexcept {
    started_.reset();
    return handle::release();
  }

 private:
  void end() noexcept {
    if (!started_) return;
    cancel();
    started_->wait(forever);
    started_.reset();
  }

  std::shared_ptr<detail::started> started_;
};

/// How a wait for events ended.
enum class waited {
  taken,      ///< There was something.
  timed_out,  ///< There was nothing in time, or wakeup() was called.
  closed,     ///< The queue was closed, and every event was taken.
};

/// What came out of a queue: an event, or the reason why there is none.
class next_event {
 public:
  /// Made by queue::next.
  next_event(waited how, event taken) noexcept : how_(how), event_(std::move(taken)) {}
  /// Whether there is an event.
  explicit operator bool() const noexcept { return how_ == waited::taken; }
  /// The event; one of nothing if there is none. Move it out to keep it.
  event& operator*() noexcept { return event_; }
  /// A member of the event.
  const event* operator->() const noexcept { return &event_; }
  /// Whether the queue was closed and is empty: no event will come any more.
  bool is_closed() const noexcept { return how_ == waited::closed; }

 private:
  waited how_;
  event event_;
};

class client;

/// The events of many calls in one place. Any number of threads may use it at the same time.
///
/// A thread waits in `next`; an event loop watches `fd` for reading and then calls `next` with a
/// timeout of 0 until it gives nothing. Destroying it cancels its unfinished calls.
class queue : public detail::handle<modelwire_queue, modelwire_queue_free> {
 public:
  /// How many events `take` takes at most by default.
  static constexpr std::size_t BATCH = 32;

  /// Adopts a queue of C.
  explicit queue(modelwire_queue* adopted) noexcept : handle(adopted) {}

  /// Makes an empty queue.
  ///
  /// @param call_events_max  how many events of one call wait at most before its body is no longer
  ///                         read, so that the service waits too; at least 2; 0 leaves it to the
  ///                         client's limit, 1024 by default
  static result<queue> make(std::int32_t call_events_max = 0) {
    modelwire_queue* out = nullptr;
    modelwire_error* failure = nullptr;
    const modelwire_status status = modelwire_queue_new(call_events_max, &out, &failure);
    if (status != MODELWIRE_OK) return modelwire::error::adopt(failure, status);
    return queue(out);
  }

  /// Starts a call whose events come out here.
  ///
  /// @param tag  any number: an index, or a pointer of the program's; each event carries it
  /// @return the call, to be kept: destroying it cancels it
  result<call> try_submit(const client& client, const request& request, std::uint64_t tag = 0,
                          mode how = mode::stream) const;

  /// Takes the next event of any call. The events of one call come in order; no call can starve
  /// the others.
  ///
  /// @param timeout  longest wait; 0 does not wait
  /// @return the event, or why there is none; an error for an empty handle and in a forked child
  result<next_event> try_next(std::chrono::milliseconds timeout = forever) const {
    modelwire_event* out = nullptr;
    const auto how =
        outcome(modelwire_queue_next(get(), detail::wait_ms(timeout), &out));
    if (!how) return how.error();
    return next_event(*how, event(out));
  }

  /// Takes as many events as are there, up to a number, and waits only for the first one: cheaper
  /// for each event.
  ///
  /// @param out      the events replace what is in it; its memory is used again
  /// @param timeout  longest wait; 0 does not wait
  /// @param max      how many to take at most, at least 1
  result<waited> try_take(std::vector<event>& out, std::chrono::milliseconds timeout = forever,
                          std::size_t max = BATCH) const {
    out.clear();
    std::array<modelwire_event*, BATCH> few{};
    std::vector<modelwire_event*> many(max > BATCH ? max : 0);
    modelwire_event** places = many.empty() ? few.data() : many.data();
    out.reserve(max);  // so that nothing can throw between taking an event and storing it
    std::size_t count = 0;
    const auto how =
        outcome(modelwire_queue_take(get(), detail::wait_ms(timeout), places, max, &count));
    for (std::size_t i = 0; how && i < count; i++) out.emplace_back(places[i]);
    return how;
  }

#if MODELWIRE_EXCEPTIONS
  /// As `make`, but throws.
  explicit queue(std::int32_t call_events_max = 0) : queue(make(call_events_max).value()) {}
  /// As `try_submit`, but throws.
  [[nodiscard]] call submit(const client& client, const request& request, std::uint64_t tag = 0,
                            mode how = mode::stream) const {
    return try_submit(client, request, tag, how).value();
  }
  /// As `try_next`, but throws.
  ///
  ///   while (auto event = queue.next()) use(*event);      // until the queue is closed
  [[nodiscard]] next_event next(std::chrono::milliseconds timeout = forever) const {
    return try_next(timeout).value();
  }
  /// As `try_take`, but throws.
  waited take(std::vector<event>& out, std::chrono::milliseconds timeout = forever,
              std::size_t max = BATCH) const {
    return try_take(out, timeout, max).value();
  }
#endif

  /// A descriptor that is readable while there may be something to take, and once the queue is
  /// closed and drained; for epoll, poll, select and every loop built on them. It belongs to the
  /// queue, and what is read from it has no meaning. -1 if none can be made.
  int fd() const noexcept { return modelwire_queue_fd(get()); }

  /// Lets one thread that waits, or the next one that would, return without an event.
  void wakeup() const noexcept { modelwire_queue_wakeup(get()); }

  /// Refuses new calls and cancels those under way. Their last events come out as always; then
  /// every thread is told that the queue is closed.
  void close() const noexcept { modelwire_queue_close(get()); }

 private:
  static result<waited> outcome(modelwire_status status) {
    switch (status) {
      case MODELWIRE_OK:
        return waited::taken;
      case MODELWIRE_TIMEOUT:
        return waited::timed_out;
      case MODELWIRE_CLOSED:
        return waited::closed;
      case MODELWIRE_E_FORKED:
        return modelwire::error(status, "the queue belongs to the parent process",
                                "Make a queue in the child.");
      default:
        return modelwire::error(status, "the queue was moved from, or max is 0");
    }
  }
};

inline result<void> call::try_submit(const queue& queue, std::uint64_t tag, mode how) {
  modelwire_error* failure = nullptr;
  const modelwire_status status = modelwire_call_submit(get(), static_cast<std::int32_t>(how),
                                                        queue.get(), tag, &failure);
  if (status != MODELWIRE_OK) return modelwire::error::adopt(failure, status);
  return {};
}

/// A streamed response, pulled by its reader: while nobody reads, little is buffered, and the
/// service waits. Destroying it closes the exchange; so leaving a loop over
/// `client.stream(request)` early does.
///
///   auto stream = client.stream(request);
///   for (auto&& chunk : stream) std::cout << chunk.text();
///   std::cout << stream.response().usage()->total_tokens;
///
/// A loop over a stream that has a name can be left and entered again: it goes on behind the last
/// chunk.
class stream {
 public:
  /// The next chunk; waits for it.
  ///
  /// @return the chunk, borrowed until the next one is asked for; NULL at the end; or what ended
  ///         the stream, after all chunks before it, and each time again
  result<const event*> try_next() {
    if (!state_) return modelwire::error(MODELWIRE_E_ARGUMENT, "the stream was moved from");
    while (!state_->is_over()) {
      if (state_->at == state_->taken.size()) {
        state_->at = 0;
        auto how = state_->events.try_take(state_->taken);
        if (!how) {
          state_->failure = how.error();
          break;
        }
        if (*how == waited::closed) {
          state_->failure.emplace(MODELWIRE_E_CLOSED, "the stream's queue was closed");
        }
        if (*how != waited::taken) continue;
      }
      event& next = state_->taken[state_->at++];
      if (next.is_chunk()) return &next;
      if (next.is_done()) {
        state_->failure = next.error();
        state_->last = std::move(next);
      }
    }
    if (state_->failure) return *state_->failure;
    return nullptr;
  }

  /// How the stream ended and what it used; borrowed. The error that ended it, or one that says
  /// that it has not ended.
  result<response_view> try_response() const {
    if (!state_) return modelwire::error(MODELWIRE_E_ARGUMENT, "the stream was moved from");
    if (state_->failure) return *state_->failure;
    if (state_->last) return state_->last.response();
    if (state_->is_closed) {
      return modelwire::error(MODELWIRE_E_CLOSED, "the stream was closed before its end");
    }
    return modelwire::error(MODELWIRE_E_ARGUMENT, "the stream has not ended",
                            "Read it to its end first.");
  }

  /// What ended the stream before its end; NULL if nothing did so far. After a loop without
  /// exceptions this tells the end from a failure.
  const modelwire::error* failure() const noexcept {
    return state_ && state_->failure ? &*state_->failure : nullptr;
  }

#if MODELWIRE_EXCEPTIONS
  /// As `try_next`, but throws.
  const event* next() { return try_next().value(); }
  /// As `try_response`, but throws.
  response_view response() const { return try_response().value(); }
#endif

  /// Ends the stream from any thread: whoever reads it gets an error that says cancelled.
  void cancel() const noexcept {
    if (state_) state_->call.cancel();
  }

  /// Closes the exchange now. There are no more chunks then; that is no error. Harmless after the
  /// end, whose response stays.
  void close() noexcept {
    if (!state_) return;
    state_->is_closed = true;
    state_->taken.clear();
    state_->at = 0;
    state_->call = modelwire::call();
  }

  /// Walks over the chunks; single pass. With exceptions it throws what ends the stream, without
  /// them it stops there.
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

  /// Waits for the next chunk. The stream must not be moved while it is walked over.
  iterator begin() { return iterator(this); }
  /// The end.
  iterator end() noexcept { return {}; }

 private:
  friend class client;

  struct state {
    modelwire::queue events;
    modelwire::call call;  // declared after its queue, so that it is destroyed first
    std::vector<event> taken;
    std::size_t at = 0;
    event last;
    std::optional<modelwire::error> failure;
    bool is_closed = false;

    state(modelwire::queue from, modelwire::call of)
        : events(std::move(from)), call(std::move(of)) {}
    bool is_over() const noexcept { return is_closed || last || failure; }
  };

  stream(queue events, call call)
      : state_(std::make_unique<state>(std::move(events), std::move(call))) {}

  std::unique_ptr<state> state_;
};

/// A client of one service. Any number of threads may use it at the same time and do not wait for
/// each other; share it by reference. Its calls go on when it is destroyed.
class client : public detail::handle<modelwire_client, modelwire_client_free> {
 public:
  /// Adopts a client of C.
  explicit client(modelwire_client* adopted) noexcept : handle(adopted) {}

  /// Makes a client with every default, from what the environment says. Connects to nothing yet.
  static result<client> make() { return make(config()); }
  /// Makes a client. Connects to nothing yet.
  ///
  /// @param config  copied
  static result<client> make(const config& config) {
    if (modelwire_check_abi(MODELWIRE_ABI) != MODELWIRE_OK) {
      return modelwire::error(MODELWIRE_E_CONFIG,
                              std::string("libmodelwire ") + modelwire_version() +
                                  " has another ABI than this program was compiled for",
                              "Compile the program with the headers of this library.");
    }
    if (auto obstacle = config.obstacle("config")) return *std::move(obstacle);
    modelwire_client* out = nullptr;
    modelwire_error* failure = nullptr;
    const modelwire_status status = modelwire_client_new(config.get(), &out, &failure);
    if (status != MODELWIRE_OK) return modelwire::error::adopt(failure, status);
    return client(out);
  }

  /// Makes a call that is not started yet, to be cancelled from anywhere at any time.
  ///
  /// @param request  copied
  result<modelwire::call> try_call(const request& request) const {
    if (auto obstacle = request.obstacle("request")) return *std::move(obstacle);
    modelwire_call* out = nullptr;
    modelwire_error* failure = nullptr;
    const modelwire_status status = modelwire_call_new(get(), request.get(), &out, &failure);
    if (status != MODELWIRE_OK) return modelwire::error::adopt(failure, status);
    return modelwire::call(out);
  }

  /// Runs a request that is answered whole, and waits for the response.
  result<response> try_run(const request& request) const {
    auto call = try_call(request);
    if (!call) return call.error();
    return call->try_run();
  }

  /// Runs a request that is answered piece by piece, as a range that is pulled by a loop.
  result<modelwire::stream> try_stream(const request& request) const {
    auto events = queue::make();
    if (!events) return events.error();
    auto call = try_call(request);
    if (!call) return call.error();
    if (auto sent = call->try_submit(*events); !sent) return sent.error();
    return modelwire::stream(*std::move(events), *std::move(call));
  }

  /// Runs a request that is answered piece by piece, and calls back for each piece on this thread;
  /// as call::try_stream.
  template <class F>
  result<std::optional<response>> try_stream(const request& request, F&& on_chunk) const {
    auto call = try_call(request);
    if (!call) return call.error();
    return call->try_stream(std::forward<F>(on_chunk));
  }

  /// Starts a request and returns; its events go to a callback on the client's callback thread; as
  /// call::try_start.
  ///
  /// @return the call, to be kept: its destructor cancels it and waits for the callback
  template <class F>
  result<modelwire::call> try_start(const request& request, F&& on_event,
                                    mode how = mode::stream) const {
    auto call = try_call(request);
    if (!call) return call.error();
    if (auto sent = call->try_start(std::forward<F>(on_event), how); !sent) return sent.error();
    return call;
  }

  /// Lists the models; response_view::model_ids has their names.
  result<response> try_models() const { return try_run(request::models()); }
  /// One question to a model.
  result<response> try_chat(std::string_view model, std::string_view text) const {
    return try_run(request::chat(model).user(text));
  }
  /// One input to a model.
  result<response> try_respond(std::string_view model, std::string_view input) const {
    return try_run(request::response(model).input(input));
  }

#if MODELWIRE_EXCEPTIONS
  /// As `make`, but throws.
  client() : client(make().value()) {}
  /// As `make`, but throws.
  explicit client(const config& config) : client(make(config).value()) {}
  /// As `try_call`, but throws.
  [[nodiscard]] modelwire::call call(const request& request) const {
    return try_call(request).value();
  }
  /// As `try_run`, but throws.
  response run(const request& request) const { return try_run(request).value(); }
  /// As `try_stream`, but throws.
  [[nodiscard]] modelwire::stream stream(const request& request) const {
    return try_stream(request).value();
  }
  /// As `try_stream` with a callback, but throws.
  template <class F>
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
#endif

  /// What the answered chats and responses used so far, over all models, in this process. Model
  /// lists and calls that failed or were stopped do not count.
  client_usage usage() const noexcept {
    client_usage used;
    modelwire_client_usage(get(), &used.calls, &used.calls_without_usage, &used.input_tokens,
                           &used.output_tokens, &used.total_tokens);
    return used;
  }
  /// The same of the calls that asked for one model; nothing if none of them was answered.
  std::optional<client_usage> usage(std::string_view model) const noexcept {
    client_usage used;
    if (modelwire_client_usage_of_model(get(), detail::start(model), model.size(), &used.calls,
                                        &used.calls_without_usage, &used.input_tokens,
                                        &used.output_tokens, &used.total_tokens) != MODELWIRE_OK) {
      return std::nullopt;
    }
    return used;
  }
};

inline result<call> queue::try_submit(const client& client, const request& request,
                                      std::uint64_t tag, mode how) const {
  auto call = client.try_call(request);
  if (!call) return call.error();
  if (auto sent = call->try_submit(*this, tag, how); !sent) return sent.error();
  return call;
}

/// How much of the log is wanted.
enum class log_level : std::int32_t {
  off = MODELWIRE_LOG_OFF,      ///< Nothing.
  error = MODELWIRE_LOG_ERROR,  ///< Something failed that nobody is told of otherwise.
  warn = MODELWIRE_LOG_WARN,    ///< Something to look at.
  info = MODELWIRE_LOG_INFO,    ///< Something worth knowing.
  debug = MODELWIRE_LOG_DEBUG,  ///< Attempts, waits, ends of calls, connections.
  trace = MODELWIRE_LOG_TRACE,  ///< Every detail.
};

/// One record of the log; borrowed during the callback.
struct log_record {
  log_level level;                              ///< How important it is.
  std::chrono::system_clock::time_point time;   ///< When it was made.
  std::string_view target;                      ///< "modelwire", or a library below it.
  std::string_view message;                     ///< What it says. The API key is never in it.
};

namespace detail {

template <class F>
struct log_visitor {
  F lambda;

  static void on_log(void* user_data, const modelwire_log_batch* batch) noexcept {
    auto& self = *static_cast<log_visitor*>(user_data);
    const std::size_t count = modelwire_log_batch_count(batch);
    for (std::size_t i = 0; i < count; i++) {
      std::size_t length = 0;
      const char* message = modelwire_log_batch_message(batch, i, &length);
      const log_record record{
          static_cast<log_level>(modelwire_log_batch_level(batch, i)),
          time_of(modelwire_log_batch_unix_ms(batch, i)),
          view(modelwire_log_batch_target(batch, i)),
          optional_view(message, length).value_or(std::string_view{}),
      };
      std::exception_ptr nobody_to_tell;
      guarded(nobody_to_tell, [&] {
        self.lambda(record);
        return flow::go_on;
      });
    }
  }

  static void on_end(void* user_data) noexcept { delete static_cast<log_visitor*>(user_data); }
};

}  // namespace detail

/// Sends the log of the whole library to a callback, in place of any earlier one.
///
/// @param level   records of this level and more important ones; `off` ends the log
/// @param on_log  called with a `const log_record&` on a thread of the library's own, one record
///                after another; moved or copied, and destroyed when another log is set or the log
///                is ended. It may use the library, but for this function and `shutdown`. What it
///                throws is lost, with that record.
template <class F>
result<void> try_set_log(log_level level, F&& on_log) {
  using visitor = detail::log_visitor<std::decay_t<F>>;
  auto owned = std::unique_ptr<visitor>(new visitor{std::forward<F>(on_log)});
  modelwire_error* failure = nullptr;
  const modelwire_status status = modelwire_set_log(static_cast<std::int32_t>(level),
                                                    visitor::on_log, owned.release(),
                                                    visitor::on_end, &failure);
  if (status != MODELWIRE_OK) return modelwire::error::adopt(failure, status);
  return {};
}

/// Ends the log; what was logged before is given to the callback first. Not from inside it.
inline void end_log() noexcept {
  modelwire_set_log(MODELWIRE_LOG_OFF, nullptr, nullptr, nullptr, nullptr);
}

/// Ends every call, closes all connections, lets the callbacks of started calls see their last
/// event, ends the log and joins the library's threads. Calls that start afterwards fail; what was
/// given before goes on working. Optional: a process may simply exit.
///
/// @param timeout  longest wait
/// @return whether every thread ended in time; an error from inside a callback: nothing was done
inline result<bool> try_shutdown(std::chrono::milliseconds timeout = forever) {
  const modelwire_status status = modelwire_shutdown(detail::wait_ms(timeout));
  if (status < 0) {
    return modelwire::error(status, "shutdown was called from inside a callback",
                            "Call it from another thread.");
  }
  return status == MODELWIRE_OK;
}

#if MODELWIRE_EXCEPTIONS
/// As `try_set_log`, but throws.
template <class F>
void set_log(log_level level, F&& on_log) {
  try_set_log(level, std::forward<F>(on_log)).value();
}
/// As `try_shutdown`, but throws.
inline bool shutdown(std::chrono::milliseconds timeout = forever) {
  return try_shutdown(timeout).value();
}
#endif

/// The library's version, "0.1.0" for instance.
inline std::string_view version() noexcept { return modelwire_version(); }

}  // namespace MODELWIRE_FLAVOUR
}  // namespace modelwire

#undef MODELWIRE_FLAVOUR
#undef MODELWIRE_EXCEPTIONS

#endif  // MODELWIRE_HPP
