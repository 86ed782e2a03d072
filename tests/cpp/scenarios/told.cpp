/*
 * Prints what the wrapper tells of the streams that the test gives it on standard input; the test
 * compares. A line is "BASE_URL OPERATION"; what is told is a list of fields, each "NAME BYTES", a
 * line end, the bytes, a line end; "over" ends a stream.
 */
#include "check.hpp"

static void tell(std::string_view name, std::string_view text) {
  std::cout << name << ' ' << text.size() << '\n' << text << '\n';
}

static void tell_if(std::string_view name, std::optional<std::string_view> text) {
  if (text) tell(name, *text);
}

static void tell_usage(std::string_view name, const std::optional<modelwire::token_usage>& usage) {
  if (!usage) return;
  const auto number = [](auto tokens) { return std::to_string(tokens); };
  tell(name, "[" + number(usage->input_tokens) + "," + number(usage->output_tokens) + "," +
                 number(usage->total_tokens) + "]");
}

void told() {
  std::string base_url, operation;
  while (std::cin >> base_url >> operation) {
    const modelwire::client client(modelwire::config().base_url(base_url).api_key("sk-test"));
    auto request = operation == "chat" ? ask() : modelwire::request::responses("echo").input("x");
    auto stream = client.stream(std::move(request.gather()));
    for (auto&& chunk : stream) {
      tell("chunk", chunk.json());
      tell("chunk_text", chunk.text());
      tell_if("chunk_reason", chunk.finish_reason());
      tell_usage("chunk_usage", chunk.usage());
      for (const auto& piece : chunk.tool_calls()) {
        tell("call", piece.index ? std::to_string(*piece.index) : std::string());
        tell_if("call_id", piece.id);
        tell_if("call_name", piece.name);
        tell_if("call_arguments", piece.arguments);
      }
    }
    const auto answer = stream.response();
    tell("json", answer.json());
    tell("text", answer.text());
    tell_if("finish_reason", answer.finish_reason());
    tell_usage("usage", answer.usage());
    for (const auto& call : answer.tool_calls()) {
      tell("call", "");
      tell("call_id", call.id);
      tell("call_name", call.name);
      tell("call_arguments", call.arguments);
    }
    tell("over", "");
  }
}
