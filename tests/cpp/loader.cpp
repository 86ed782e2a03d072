/*
 * Loads a plugin, lets it run a call, and unloads it, again and again: loader PLUGIN. It knows
 * modelwire only from the plugin.
 */
#include <dlfcn.h>

#include <cstdio>

#define CHECK(condition)                                                            \
  if (!(condition)) {                                                               \
    std::fprintf(stderr, "loader.cpp:%d: %s: %s\n", __LINE__, #condition, dlerror()); \
    return 1;                                                                       \
  }

int main(int argc, char** argv) {
  CHECK(argc == 2);
  for (int round = 0; round < 40; round++) {
    void* plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    CHECK(plugin != nullptr);
    const auto run = reinterpret_cast<int (*)(int)>(dlsym(plugin, "run_in_plugin"));
    CHECK(run != nullptr);
    CHECK(run(round % 4) > 0);
    CHECK(dlclose(plugin) == 0);
    // It is gone, or this proves nothing.
    CHECK(dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) == nullptr);
  }
  return 0;
}
