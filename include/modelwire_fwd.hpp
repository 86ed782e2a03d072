/*
 * Forward declarations of the names in modelwire.hpp, for headers that need only the names.
 *
 *   #include <modelwire_fwd.hpp>
 *   class chat_window { void show(const modelwire::response& answer); };
 *
 * Use this header instead of your own declarations: the names are in an inline namespace, one for
 * units with exceptions and one for units without, so that both can be linked into one program.
 */
#ifndef MODELWIRE_FWD_HPP
#define MODELWIRE_FWD_HPP

#include <cstdint>

#if defined(__cpp_exceptions)
#define MODELWIRE_EXCEPTIONS 1
#define MODELWIRE_FLAVOUR throwing
#else
#define MODELWIRE_EXCEPTIONS 0
#define MODELWIRE_FLAVOUR unthrowing
#endif

namespace modelwire {
inline namespace MODELWIRE_FLAVOUR {

class error;
template <class T>
class result;

class value_view;
class value;
class response_view;
class response;
class event_view;
class event;
class next_event;

class config;
class request;
class client;
class call;
class queue;
class stream;

struct token_usage;
struct client_usage;
struct rate_limit;
struct rate_limits;
struct header;
struct tool_call;
struct tool_call_piece;
struct log_record;
struct attempt_record;
struct wait_record;
struct call_record;

enum class error_kind : std::int32_t;
enum class finish : std::int32_t;
enum class operation : std::int32_t;
enum class mode : std::int32_t;
enum class flow : std::int32_t;
enum class waited : std::int32_t;
enum class log_level : std::int32_t;
enum class wait_flags : std::uint32_t;

namespace coro {
class client;
class stream;
}  // namespace coro

}  // namespace MODELWIRE_FLAVOUR
}  // namespace modelwire

#endif  // MODELWIRE_FWD_HPP
