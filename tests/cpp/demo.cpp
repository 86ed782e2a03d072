/*
 * The example: models; a chat and a response, whole and streamed; a model that only streams; a call
 * that is refused at first; an error; and what it cost. Which service is used, the environment says.
 *
 *   MODELWIRE_BASE_URL                where the service is, https://host/v1 for instance
 *   MODELWIRE_API_KEY                 the key
 *   MODELWIRE_MODEL                   the model to ask; the first that the service lists if it is
 *                                     not set
 *   MODELWIRE_DEMO_STREAM_ONLY_MODEL  one that only streams; the same one if it is not set
 *   MODELWIRE_DEMO_REFUSED_MODEL      one that answers 429 at first; without it that part is left
 *                                     out
 *
 *   c++ -std=c++17 demo.cpp -o demo -lmodelwire && ./demo
 */
#include <modelwire.hpp>

#include <cstdlib>
#include <iostream>
#include <string>

/* A model that echoes gives a good answer to it, too. */
static constexpr auto PROMPT = "Hello, and good morning to you!";
static constexpr int TOKENS_MAX = 40;
static constexpr std::size_t MODELS_SHOWN_MAX = 8;

/* A variable of the environment; empty if it is not set. */
static std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

static modelwire::request chat(const std::string& model) {
  return modelwire::request::chat(model).user(PROMPT).max_tokens(TOKENS_MAX);
}

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
  const auto wanted = setting("MODELWIRE_MODEL");
  if (!wanted.empty()) return wanted;
  if (!ids.empty()) return std::string(ids[0]);
  std::cerr << "the service lists no model: set MODELWIRE_MODEL\n";
  std::exit(EXIT_FAILURE);
}

static void show_answer(const modelwire::response& answer) {
  std::cout << "  answered: " << answer.text() << '\n';
  std::cout << "  (finished: " << answer.finish_reason().value_or("unknown") << ")\n";
}

/* A chat that is answered whole; gives whether that takes the option `stream_only`. */
static bool show_chat(const modelwire::client& client, const std::string& model) {
  try {
    show_answer(client.run(chat(model)));
    return false;
  } catch (const modelwire::error& error) {
    // The service tells in no agreed way that a model only streams. It may be that, unless the
    // status speaks of the key or of a limit.
    const int status = error.http_status();
    if (status < 400 || status == 401 || status == 429) throw;
    std::cout << "  (status " << status
              << ": asked again with stream_only, as by the plain calls below)\n";
    show_answer(client.run(chat(model).stream_only()));
    return true;
  }
}

/* A call that is answered piece by piece; each piece is shown as soon as it is there. */
static void show_stream(const modelwire::client& client, const modelwire::request& request) {
  int pieces = 0;
  std::cout << "  answered: ";
  for (auto&& chunk : client.stream(request)) {
    if (chunk.text().empty()) continue;
    std::cout << chunk.text() << std::flush;
    pieces++;
  }
  std::cout << "\n  (" << pieces << " pieces)\n";
}

/* A response, whole and streamed. Some services have none: that is no failure of this program. */
static void show_response(const modelwire::client& client, const std::string& model,
                          bool stream_only) {
  const auto response = [&] {
    return modelwire::request::responses(model).input(PROMPT).max_tokens(TOKENS_MAX);
  };
  std::cout << "Response\n";
  try {
    show_answer(client.run(response().stream_only(stream_only)));
  } catch (const modelwire::error& error) {
    if (error.kind() != modelwire::error_kind::not_found) throw;
    std::cout << "  (404: this service has no /responses)\n";
    return;
  }
  std::cout << "Response, streamed\n";
  show_stream(client, response());
}

/* What a word of `metered()` means. */
static std::string_view meaning(std::string_view metered) {
  if (metered == "not_sent") return "nothing was sent";
  if (metered == "normally_not") return "it normally did not reach processing";
  if (metered == "entered") return "the service processed it, at least in part";
  return "the service may or may not have processed it";
}

/* What an error tells. A service may answer an unknown model all the same. */
static void show_error(const modelwire::client& client) {
  std::cout << "An error\n";
  try {
    client.run(chat("no-such-model"));
    std::cout << "  none: the service answered for \"no-such-model\" all the same\n";
  } catch (const modelwire::error& error) {
    const int status = error.http_status();
    std::cout << "  kind        " << error.kind_name() << '\n'
              << "  http status " << (status == 0 ? "-" : std::to_string(status)) << '\n'
              << "  message     " << error.message() << '\n'
              << "  type        " << error.type().value_or("-") << '\n'
              << "  code        " << error.code().value_or("-") << '\n'
              << "  model       " << error.model().value_or("-") << '\n'
              << "  path        " << error.path() << '\n'
              << "  request id  " << error.request_id().value_or("-") << '\n'
              << "  metered     " << error.metered() << ": " << meaning(error.metered()) << '\n'
              << "  hint        " << error.hint() << '\n';
  }
}

/* Chats and responses that were answered; lists and failures are not counted. */
static void show_cost(const modelwire::client& client) {
  const auto used = client.usage();
  std::cout << "What it cost\n  calls: " << used.calls << '\n'
            << "  of these " << used.calls_without_usage
            << " reported no usage: what they used is not among the tokens\n"
            << "  tokens: " << used.input_tokens << " in, " << used.output_tokens << " out, "
            << used.total_tokens << " in all\n";
}

int main() try {
  const modelwire::client client;  // base URL and key come from the environment
  const auto model = show_models(client);
  std::cout << "Chat (" << model << ")\n  asked:    " << PROMPT << '\n';
  const bool stream_only = show_chat(client, model);
  std::cout << "Chat, streamed\n";
  show_stream(client, chat(model));
  show_response(client, model, stream_only);

  auto streaming = setting("MODELWIRE_DEMO_STREAM_ONLY_MODEL");
  if (streaming.empty()) streaming = model;
  std::cout << "Chat with the option stream_only, for models that only stream (" << streaming
            << ")\n";
  show_answer(client.run(chat(streaming).stream_only()));

  const auto refused = setting("MODELWIRE_DEMO_REFUSED_MODEL");
  if (!refused.empty()) {
    std::cout << "Chat that is refused with 429 at first (" << refused << ")\n";
    // Nothing to do here: the retry policy of the client waits and tries again.
    const auto answer = client.run(chat(refused));
    show_answer(answer);
    std::cout << "  (answered after " << answer.attempts() << " attempts)\n";
  }

  show_error(client);
  show_cost(client);
  // Optional: it joins the library's threads, so that a leak checker finds nothing in use.
  modelwire::shutdown(std::chrono::seconds(5));
} catch (const modelwire::error& error) {
  std::cerr << error.what() << '\n';  // the hint is in it
  return EXIT_FAILURE;
}
