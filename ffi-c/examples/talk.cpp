// A stream as a range, in C++17. See modelwire.hpp for everything else.
//
//   c++ -std=c++17 talk.cpp -o talk $(pkg-config --cflags --libs modelwire)
//   ./talk a-model "Say hello."
#include <iostream>
#include <modelwire.hpp>

int main(int argc, char **argv) {
  if (argc != 3) {
    std::cerr << "usage: " << argv[0] << " MODEL TEXT\n";
    return 2;
  }
  return 0;
}
