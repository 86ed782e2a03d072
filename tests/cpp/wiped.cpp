/*
 * No memory that the wrapper gives back holds the key: whatever is freed in C++ is looked through
 * first. It knows not what the library does with its own copies.
 */
#include <modelwire.hpp>

#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>

static constexpr char KEY[] = "sk-secret-0123456789abcdef-0123456789abcdef";
static int looked_through = 0, found = 0;

void* operator new(std::size_t size) {
  if (void* memory = std::malloc(size)) return memory;
  std::abort();
}

static void give_back(void* memory) noexcept {
  if (memory != nullptr) {
    looked_through++;
    found += memmem(memory, malloc_usable_size(memory), KEY, sizeof KEY - 1) != nullptr;
  }
  std::free(memory);
}

void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }

int main() {
  {
    // What is not wiped is found.
    const std::string kept(KEY);
  }
  if (found != 1) return 2;
  {
    auto config = modelwire::config().base_url("http://127.0.0.1:1/v1").api_key(KEY);
    for (int i = 0; i < 20; i++) config.header("x-header", "a value that lets it grow");
    const auto copied = config;
    auto moved = std::move(config);
    moved.header("authorization", KEY);
    const modelwire::client client(copied);
    auto request = modelwire::request::chat("m").user("x").api_key(KEY);
    if (request.problem() != nullptr) return 3;
  }
  return found == 1 && looked_through > 50 ? 0 : 1;
}
