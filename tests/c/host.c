/*
 * A host of plugins (plugged.c): loads them, lets them work, unloads them, again and again. Its
 * arguments are two files of the same plugin. It does not use the library.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) \
  ((condition) ? (void)0 : (fprintf(stderr, "%d: %s\n", __LINE__, #condition), exit(1)))

enum { ROUNDS = 40 };

static void *load(const char *path) {
  void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (plugin == NULL) fprintf(stderr, "%s\n", dlerror());
  CHECK(plugin != NULL);
  return plugin;
}

/* POSIX lets dlsym's pointer be a function. */
static int tell(void *plugin, const char *name) {
  int (*function)(void);
  *(void **)&function = dlsym(plugin, name);
  CHECK(function != NULL);
  return function();
}

static void tell_void(void *plugin, const char *name) {
  void (*function)(void);
  *(void **)&function = dlsym(plugin, name);
  CHECK(function != NULL);
  function();
}

/* Its code is really gone: whoever runs it now crashes. */
static void unload(void *plugin, const char *path) {
  CHECK(dlclose(plugin) == 0);
  CHECK(dlopen(path, RTLD_NOW | RTLD_NOLOAD) == NULL);
}

static void unload_after(const char *path, const char *work) {
  for (int round = 0; round < ROUNDS; round++) {
    void *plugin = load(path);
    tell_void(plugin, "plugin_open");
    tell_void(plugin, work);
    if (strcmp(work, "plugin_close") != 0) tell_void(plugin, "plugin_close");
    unload(plugin, path);
  }
}

/* What one of them ends is its own, whatever it does. */
static void two(const char *const *paths) {
  void *first = load(paths[0]), *second = load(paths[1]);
  tell_void(first, "plugin_open");
  tell_void(second, "plugin_open");
  CHECK(tell(first, "plugin_run") == 0 && tell(second, "plugin_run") == 0);
  tell_void(first, "plugin_close");
  CHECK(tell(second, "plugin_run") == 0);
  unload(first, paths[0]);
  CHECK(tell(second, "plugin_run") == 0);
  first = load(paths[0]);
  tell_void(first, "plugin_open");
  CHECK(tell(first, "plugin_run") == 0);
  for (int round = 0; round < 5; round++) {
    tell_void(first, "plugin_shutdown");
    CHECK(tell(second, "plugin_run") == 0);
    tell_void(second, "plugin_wait");
    CHECK(tell(first, "plugin_run") == 0);
  }
  tell_void(first, "plugin_shutdown");
  tell_void(first, "plugin_close");
  unload(first, paths[0]);
  CHECK(tell(second, "plugin_run") == 0);
  tell_void(second, "plugin_close");
  tell_void(second, "plugin_shutdown");
  unload(second, paths[1]);
}

int main(int argc, char **argv) {
  CHECK(argc == 3);
  const char *const paths[] = {argv[1], argv[2]};
  unload_after(paths[0], "plugin_wait");
  unload_after(paths[0], "plugin_wait_cancelled");
  unload_after(paths[0], "plugin_close");
  two(paths);
  return 0;
}
