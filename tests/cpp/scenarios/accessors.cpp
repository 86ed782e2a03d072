/*
 * Every row of the table of accessors: what its function gives in C++ is what the sample of the row gives. accessors.h
 * lists them, and `accessor_samples` of tests/c/src answers in their order. A type that is new in the wrapper
 * gets its JSON here.
 */
#include "check.hpp"

#include "../../c/accessors.h"

/* What a function gave as JSON text, as the member of the same name has it. */
static std::string told(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') json += '\\';
    json += c;
  }
  return json + '"';
}
static std::string told(std::int64_t number) { return std::to_string(number); }
static std::string told(std::uint64_t number) { return std::to_string(number); }
static std::string told(int number) { return std::to_string(number); }
static std::string told(bool flag) { return flag ? "true" : "false"; }
static std::string told(std::chrono::milliseconds time) { return std::to_string(time.count()); }
static std::string told(std::chrono::system_clock::time_point time) {
  return std::to_string(time.time_since_epoch().count());
}
static std::string told(const modelwire::token_usage& usage) {
  return "{\"input_tokens\":" + std::to_string(usage.input_tokens) +
         ",\"output_tokens\":" + std::to_string(usage.output_tokens) +
         ",\"total_tokens\":" + std::to_string(usage.total_tokens) +
         ",\"cached_input_tokens\":" + std::to_string(usage.cached_input_tokens) +
         ",\"cache_write_tokens\":" + std::to_string(usage.cache_write_tokens) +
         ",\"reasoning_tokens\":" + std::to_string(usage.reasoning_tokens) +
         ",\"audio_input_tokens\":" + std::to_string(usage.audio_input_tokens) +
         ",\"audio_output_tokens\":" + std::to_string(usage.audio_output_tokens) + '}';
}
static std::string told(const modelwire::call_record& record) { return record.json; }

static std::string told(const modelwire::rate_limits& limits);

template <class Value>
static std::string told(const std::optional<Value>& value) {
  return value ? told(*value) : "null";
}

static std::string told(const modelwire::header& header) {
  return "{\"name\":" + told(header.name) + ",\"value\":" + told(header.value) + '}';
}
static std::string told(const modelwire::tool_call& tool) {
  return "{\"id\":" + told(tool.id) + ",\"name\":" + told(tool.name) +
         ",\"arguments\":" + told(tool.arguments) + '}';
}
static std::string told(const modelwire::tool_call_piece& piece) {
  return "{\"index\":" + told(piece.index) + ",\"id\":" + told(piece.id) +
         ",\"name\":" + told(piece.name) + ",\"arguments\":" + told(piece.arguments) + '}';
}

template <class Item>
static std::string told(const std::vector<Item>& items) {
  std::string json = "[";
  for (const Item& item : items) json += (json.size() > 1 ? "," : "") + told(item);
  return json + ']';
}

static std::string told(const modelwire::rate_limit& limit) {
  return "{\"limit\":" + told(limit.limit) + ",\"remaining\":" + told(limit.remaining) +
         ",\"reset_ms\":" + told(limit.reset) + '}';
}
static std::string told(const modelwire::rate_limits& limits) {
  std::string others = "{";
  for (const auto& [name, limit] : limits.others) {
    others += (others.size() > 1 ? "," : "") + told(name) + ':' + told(limit);
  }
  return "{\"requests\":" + told(limits.requests) + ",\"tokens\":" + told(limits.tokens) +
         ",\"others\":" + others + "},\"retry_after_ms\":" + told(limits.retry_after) + '}';
}

/* "*" stands for anything but null. */
static void gives(std::string_view function, const std::string& found,
                  std::string_view expected) {
  if (expected == "*" ? found != "null" : found == expected) return;
  check_failed(__FILE__, __LINE__, function.data(), found + " is not " + std::string(expected));
}

/* An owner's function and its view's: what is kept lends, what nobody keeps is copied. */
#define OF_CHUNK(function, member, expected)                                        \
  {                                                                                 \
    int events = 0;                                                                 \
    client.stream(ask("m"), [&](const modelwire::event_view& chunk) {               \
      if (events++ > 0) return; /* what makes an answer of the stream */            \
      gives("chunk." #function, told(chunk.function()), expected);                  \
    });                                                                             \
    CHECK_EQUAL(events, 2);                                                         \
  }
#define OF_RESPONSE(function, member, expected)                                     \
  {                                                                                 \
    const modelwire::response response = client.run(ask("m"));                      \
    gives("response." #function, told(response.function()), expected);              \
  }
#define OF_ERROR(function, member, expected)                                        \
  {                                                                                 \
    const modelwire::error error =                                                  \
        failure_of(kind::rate_limited, [&] { client.run(ask("m").max_retries(0)); }); \
    gives("error." #function, told(error.function()), expected);                    \
  }

void accessors() {
  modelwire::client client;
  CHUNK_ACCESSORS(OF_CHUNK)
  RESPONSE_ACCESSORS(OF_RESPONSE)
  ERROR_ACCESSORS(OF_ERROR)
}
