// Structured output with nlohmann::json: the schema and the request as JSON, the answer as
// JSON. Needs nlohmann-json3-dev; modelwire.hpp says everything else.
//
//   c++ -std=c++17 json.cpp -o json $(pkg-config --cflags --libs modelwire)
//   ./json echo '{"city":"Rome","people":2800000}'
#include <iostream>
#include <modelwire.hpp>
#include <nlohmann/json.hpp>

using nlohmann::json;

int main(int argc, char** argv) try {
  if (argc != 3) return std::cerr << "usage: " << argv[0] << " MODEL TEXT\n", 2;
  const json schema = {
      {"type", "object"},
      {"properties", {{"city", {{"type", "string"}}}, {"people", {{"type", "integer"}}}}}};
  const modelwire::client client;  // base URL and key come from the environment
  const auto request =
      modelwire::request::chat(argv[1])
          .messages({{"system", "Answer in JSON."}, {"user", argv[2]}})
          .set("stop", {"\n\n", "###"})
          .set_json("response_format",
                    json{{"type", "json_schema"},
                         {"json_schema", {{"name", "city"}, {"schema", schema}}}});
  const auto answer = client.run(request);
  if (answer.finish_kind() == modelwire::finish::length) return std::cerr << "truncated\n", 1;
  const json city = json::parse(answer.text());
  const json sent = answer.value();  // the whole answer, with any field of the service
  std::cout << city.at("city").get<std::string>() << ": " << city.at("people") << " people ("
            << sent.at("model") << ")\n";
} catch (const std::exception& failure) {
  std::cerr << failure.what() << '\n';
  return 1;
}
