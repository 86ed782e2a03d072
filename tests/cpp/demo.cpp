/*
 * The example: models, a chat and a response, whole and streamed, an error, and what it cost.
 * Which service is used, the environment says.
 *
 *   MODELWIRE_BASE_URL  where the service is, https://host/v1 for instance
 *   MODELWIRE_API_KEY   the key
 *   MODELWIRE_MODEL     the model to ask; the first that the service lists if it is not set
 *
 *   c++ -std=c++17 demo.cpp -o demo -lmodelwire && ./demo
 */
#include <modelwire.hpp>

#include <cstdlib>
#include <iostream>
#include <string>

static constexpr std::size_t MODELS_SHOWN_MAX = 8;

/* Lists the models; gives the one to ask. */
static std::string show_models(const modelwire::client& client) {
  const auto list = client.models();
  const auto ids = list.model_ids();
  std::cout << "Models\n";
  for (std::size_t i = 0; i < ids.size() && i < MODELS_SHOWN_MAX; i++) {
    std::cout << "  " << ids[i] << '\n';
  }
  if (ids.size() > MODELS_SHOWN_MAX) {
    std::cout << "  ... and " << ids.size() - MODELS_SHOWN_MAX << " more\n";
  }
  if (const char* wanted = std::getenv("MODELWIRE_MODEL")) return wanted;
  if (!ids.empty()) return std::string(ids[0]);
  std::cerr << "the service lists no model: set MODELWIRE_MODEL\n";
  std::exit(EXIT_FAILURE);
}

/* The same request, answered whole and then piece by piece. */
static void show(const modelwire::client& client, const char* name,
                 const modelwire::request& request) {
  std::cout << name << '\n';
  const auto answer = client.run(request);
  std::cout << "  " << answer.text() << '\n';
  std::cout << "  (finished: " << answer.finish_reason().value_or("unknown") << ")\n";

  std::cout << name << ", streamed\n  ";
  int pieces = 0;
  for (auto&& chunk : client.stream(request)) {
    if (chunk.text().empty()) continue;
    std::cout << chunk.text() << std::flush;
    pieces++;
  }
  std::cout << "\n  (" << pieces << " pieces)\n";
}

/* What an error tells. A service may answer an unknown model all the same. */
static void show_error(const modelwire::client& client) {
  std::cout << "An error\n";
  try {
    client.chat("no-such-model", "Say hello in five words.");
    std::cout << "  none: the service answered for \"no-such-model\" all the same\n";
  } catch (const modelwire::error& error) {
    std::cout << "  kind         " << error.kind_name() << '\n'
              << "  http status  " << error.http_status() << '\n'
              << "  message      " << error.message() << '\n'
              << "  code         " << error.code().value_or("-") << '\n'
              << "  request id   " << error.request_id().value_or("-") << '\n'
              << "  metered      " << error.metered() << '\n'
              << "  hint         " << error.hint() << '\n';
  }
}

int main() try {
  const modelwire::client client;  // base URL and key come from the environment
  const auto model = show_models(client);
  const auto text = "Say hello in five words.";
  show(client, "Chat", modelwire::request::chat(model).user(text).max_tokens(40));
  try {
    show(client, "Response", modelwire::request::response(model).input(text).max_tokens(40));
  } catch (const modelwire::error& error) {
    if (error.kind() != modelwire::error_kind::not_found) throw;
    std::cout << "  (404: this service has no /responses)\n";
  }
  show_error(client);
  const auto used = client.usage();
  std::cout << "What it cost\n  calls: " << used.calls << '\n'
            << "  tokens: " << used.input_tokens << " in, " << used.output_tokens << " out, "
            << used.total_tokens << " in all\n";
  // Optional: it joins the library's threads, so that a leak checker finds nothing in use.
  modelwire::shutdown(std::chrono::seconds(5));
} catch (const modelwire::error& error) {
  std::cerr << error.what() << "\nhint: " << error.hint() << '\n';
  return EXIT_FAILURE;
}
