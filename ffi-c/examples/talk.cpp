// A stream as a range, in C++17; modelwire.hpp says everything else.
//
//   c++ -std=c++17 talk.cpp -o talk $(pkg-config --cflags --libs modelwire)
//   ./talk echo "Say hello."
#include <iostream>
#include <modelwire.hpp>

int main(int argc, char **argv) try {
  if (argc != 3) {
    std::cerr << "usage: " << argv[0] << " MODEL TEXT\n";
    return 2;
  }
  const modelwire::client client;  // base URL and key come from the environment
  const auto request = modelwire::request::chat(argv[1]).user(argv[2]);

  // The next chunk is waited for as the loop comes to it; leaving the loop closes the exchange.
  for (auto &&chunk : client.stream(request)) std::cout << chunk.text() << std::flush;
  std::cout << '\n';
  return 0;
} catch (const modelwire::error &error) {
  std::cerr << error.report() << '\n';  // everything for support, without the key; a hint too
  return 1;
}
