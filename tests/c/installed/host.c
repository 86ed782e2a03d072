/*
 * Loads two plugins that have a static copy of the library each, with all of their symbols for
 * everybody, and sees that the copies do not know of each other. Its arguments are their files.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "plugin.h"

#include <dlfcn.h>
#include <modelwire.h>
#include <stdio.h>
#include <stdlib.h>

#include "../own_threads.h"

static const struct plugin *load(const char *path, void **handle) {
  *handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (*handle == NULL) fprintf(stderr, "%s\n", dlerror());
  CHECK(*handle != NULL);
  const struct plugin *found = dlsym(*handle, "plugin");
  CHECK(found != NULL);
  return found;
}

int main(int argc, char **argv) {
  CHECK(argc == 3);
  void *handles[2];
  const struct plugin *one = load(argv[1], &handles[0]), *two = load(argv[2], &handles[1]);
  CHECK(one != two);
  CHECK(dlsym(RTLD_DEFAULT, "modelwire_version_number") == NULL);
  CHECK(dlsym(RTLD_DEFAULT, "rust_eh_personality") == NULL);
  CHECK(one->where() != two->where());

  /* Each works, with threads of its own. */
  int none = threads();
  CHECK(one->call() == MODELWIRE_EVENT_RESPONSE);
  CHECK(one->begin() == MODELWIRE_EVENT_CHUNK);
  int with_one = threads();
  CHECK(with_one > none);
  CHECK(two->call() == MODELWIRE_EVENT_RESPONSE);
  CHECK(two->begin() == MODELWIRE_EVENT_CHUNK);
  CHECK(threads() > with_one);

  /* The end of the one is no end of the other. */
  int with_two = threads();
  CHECK(one->end() == MODELWIRE_OK);
  CHECK(threads_are(with_two - (with_one - none)));
  CHECK(dlclose(handles[0]) == 0);
  CHECK(two->next_kind(100) == 0);
  CHECK(two->call() == MODELWIRE_EVENT_RESPONSE);
  CHECK(two->cancel() == MODELWIRE_OK);
  CHECK(two->next_kind(60000) == MODELWIRE_EVENT_ERROR);

  /* And the first one may come again. */
  one = load(argv[1], &handles[0]);
  CHECK(one->call() == MODELWIRE_EVENT_RESPONSE);
  CHECK(one->end() == MODELWIRE_OK);
  CHECK(two->call() == MODELWIRE_EVENT_RESPONSE);
  CHECK(two->end() == MODELWIRE_OK);
  CHECK(dlclose(handles[0]) == 0 && dlclose(handles[1]) == 0);
  CHECK(threads_are(none));
  return 0;
}
