/*
 * A host that loads the plugins whose paths are its arguments, and unloads each while calls of it
 * are under way, again and again, while the last one goes on. The first argument says who does so:
 * "main", or a "thread" for each, which has ended when its plugin is unloaded.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECK(condition) \
  ((condition) ? (void)0 : (fprintf(stderr, "%d: %s\n", __LINE__, #condition), exit(1)))

enum { ROUNDS = 25, LONG = 20000 };

typedef struct {
  void *handle;
  int (*begin)(int with_log);
  int (*events)(void);
  int (*end)(void);
} plugin;

static plugin loaded(const char *path) {
  plugin it = {.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
  if (it.handle == NULL) fprintf(stderr, "%s\n", dlerror());
  CHECK(it.handle != NULL);
  *(void **)&it.begin = dlsym(it.handle, "plugin_begin");
  *(void **)&it.events = dlsym(it.handle, "plugin_events");
  *(void **)&it.end = dlsym(it.handle, "plugin_end");
  return it;
}

static void wait_a_millisecond(void) {
  struct timespec time = {0, 1000000};
  /* clock: between two looks */
  nanosleep(&time, NULL);
}

static void wait_for_events(plugin it, int more_than) {
  for (int i = 0; i < LONG && it.events() <= more_than; i++) wait_a_millisecond();
  CHECK(it.events() > more_than);
}

static int is_mapped(const char *path) {
  char line[4096];
  int found = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  CHECK(maps != NULL);
  while (fgets(line, sizeof line, maps) != NULL) found |= strstr(line, path) != NULL;
  CHECK(fclose(maps) == 0);
  return found;
}

/* The names of the threads that stay. A client's own threads end soon after it, and not with it. */
static void print_threads(void) {
  char path[300], name[32];
  struct dirent *entry;
  DIR *folder;
  for (int i = 0; i < 200; i++) wait_a_millisecond();
  folder = opendir("/proc/self/task");
  CHECK(folder != NULL);
  while ((entry = readdir(folder)) != NULL) {
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
    FILE *file = fopen(path, "r");
    if (file != NULL && fgets(name, sizeof name, file) != NULL)
      printf(" %.*s", (int)strcspn(name, "\n"), name);
    if (file != NULL) fclose(file);
  }
  CHECK(closedir(folder) == 0);
}

/* What a plugin does between being loaded and being unloaded. */
typedef struct {
  plugin it;
  int with_log, events;
} life;

static void *lived(void *given) {
  life *its = given;
  CHECK(its->it.begin(its->with_log) == 0);
  wait_for_events(its->it, its->events);
  CHECK(its->it.end() == 0);
  return NULL;
}

int main(int argc, char **argv) {
  CHECK(argc >= 4);
  int in_threads = strcmp(argv[1], "thread") == 0, unmapped = 0, loads = 0;
  plugin stays = loaded(argv[argc - 1]);
  CHECK(stays.begin(0) == 0);
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 2; i < argc - 1; i++) {
      /* The log is the library's: one of them has it. */
      life its = {.it = loaded(argv[i]), .with_log = i == 2, .events = round % 4};
      pthread_t thread;
      if (in_threads) {
        CHECK(pthread_create(&thread, NULL, lived, &its) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
      } else {
        lived(&its);
      }
      CHECK(dlclose(its.it.handle) == 0);
      unmapped += !is_mapped(argv[i]);
      loads++;
    }
    wait_for_events(stays, stays.events()); /* it does not notice */
  }
  CHECK(stays.end() == 0);
  CHECK(dlclose(stays.handle) == 0);
  printf("%d of %d unmapped; threads:", unmapped, loads);
  print_threads();
  puts("");
  return 0;
}
