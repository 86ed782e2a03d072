/*
 * A program that loads the library at run time, uses it, and unloads it, again and again; its
 * threads, maps and descriptors must not grow. It is not linked with the library: its argument is
 * the file.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

/* Nothing of the header may need the library at link time. */
#define MODELWIRE_DLOPEN
#include <modelwire.h>

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECK(condition) \
  ((condition) ? (void)0 : (fprintf(stderr, "%d: %s\n", __LINE__, #condition), exit(1)))

/* The C library may give a late thread a heap of its own; a leak would be one a round. */
enum { ROUNDS = 50, MAPS_MORE = 8 };

/* A function of the library: POSIX lets dlsym's pointer be one. */
#define LOAD(name)                                     \
  __typeof__(&name) loaded_##name;                     \
  *(void **)&loaded_##name = dlsym(library, #name);    \
  CHECK(loaded_##name != NULL)

typedef struct {
  int threads, maps, descriptors;
} sizes;

static int entries(const char *path) {
  int count = 0;
  DIR *folder = opendir(path);
  CHECK(folder != NULL);
  while (readdir(folder) != NULL) count++;
  CHECK(closedir(folder) == 0);
  return count;
}

static sizes measure(void) {
  int character, lines = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  CHECK(maps != NULL);
  while ((character = getc(maps)) != EOF) lines += character == '\n';
  CHECK(fclose(maps) == 0);
  return (sizes){entries("/proc/self/task"), lines, entries("/proc/self/fd")};
}

static int32_t on_event(void *user_data, const modelwire_event *event) {
  (void)user_data;
  return event == NULL;
}

static void one_round(const char *path) {
  static const char CHAT[] =
      "{\"model\":\"echo\",\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}";
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) fprintf(stderr, "%s\n", dlerror());
  CHECK(library != NULL);
  LOAD(modelwire_client_new);
  LOAD(modelwire_client_free);
  LOAD(modelwire_request_new);
  LOAD(modelwire_request_free);
  LOAD(modelwire_call_new);
  LOAD(modelwire_call_run);
  LOAD(modelwire_call_start);
  LOAD(modelwire_call_wait);
  LOAD(modelwire_call_free);
  LOAD(modelwire_response_free);
  LOAD(modelwire_queue_new);
  LOAD(modelwire_queue_fd);
  LOAD(modelwire_queue_next);
  LOAD(modelwire_queue_submit);
  LOAD(modelwire_queue_free);
  LOAD(modelwire_event_kind);
  LOAD(modelwire_event_free);
  modelwire_client *client = NULL;
  modelwire_request *request = NULL;
  modelwire_call *run = NULL, *started = NULL;
  modelwire_response *answer = NULL;
  modelwire_queue *queue = NULL;
  modelwire_event *event = NULL;
  CHECK(loaded_modelwire_client_new(NULL, 0, &client, NULL) == MODELWIRE_OK);
  CHECK(loaded_modelwire_request_new(MODELWIRE_OPERATION_CHAT, CHAT, MODELWIRE_NUL, &request,
                                     NULL) == MODELWIRE_OK);
  CHECK(loaded_modelwire_call_new(client, request, 0, &run, NULL) == MODELWIRE_OK);
  CHECK(loaded_modelwire_call_run(run, &answer, NULL) == MODELWIRE_OK);
  loaded_modelwire_response_free(answer);
  CHECK(loaded_modelwire_call_new(client, request, 0, &started, NULL) == MODELWIRE_OK);
  CHECK(loaded_modelwire_call_start(started, 1, on_event, NULL, NULL, NULL) == MODELWIRE_OK);
  CHECK(loaded_modelwire_queue_new(0, &queue, NULL) == MODELWIRE_OK);
  CHECK(loaded_modelwire_queue_fd(queue) >= 0);
  CHECK(loaded_modelwire_queue_submit(queue, client, MODELWIRE_OPERATION_CHAT, CHAT,
                                      MODELWIRE_NUL, 1, 1, NULL) == MODELWIRE_OK);
  for (int is_over = 0; !is_over;) {
    CHECK(loaded_modelwire_queue_next(queue, 60000, &event) == MODELWIRE_OK);
    is_over = loaded_modelwire_event_kind(event) == MODELWIRE_EVENT_RESPONSE;
    loaded_modelwire_event_free(event);
  }
  CHECK(loaded_modelwire_call_wait(started, 60000, NULL) == MODELWIRE_OK);
  loaded_modelwire_queue_free(queue);
  loaded_modelwire_call_free(started);
  loaded_modelwire_call_free(run);
  loaded_modelwire_request_free(request);
  loaded_modelwire_client_free(client);
  CHECK(dlclose(library) == 0);
}

/* Waits for what ends soon after a client and not with it: its callback thread, connections. The
 * thread that does the I/O stays, with its epoll, a copy of that, and what wakes it. */
static sizes settled(sizes before) {
  struct timespec moment = {0, 1000000};
  sizes now = measure();
  for (int looks = 0, good = 0; looks < 60000 && good < 20; looks++) {
    now = measure();
    int is_good = now.threads == before.threads + 1 && now.descriptors == before.descriptors + 3;
    good = is_good ? good + 1 : 0;
    nanosleep(&moment, NULL); /* clock: between two looks */
  }
  return now;
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  sizes before = measure(), first = before, last = before;
  for (int round = 0; round < ROUNDS; round++) {
    one_round(argv[1]);
    last = settled(before);
    if (round == 0) first = last;
  }
  if (last.threads > first.threads || last.maps > first.maps + MAPS_MORE ||
      last.descriptors > first.descriptors) {
    fprintf(stderr, "threads %d then %d, maps %d then %d, descriptors %d then %d\n", first.threads,
            last.threads, first.maps, last.maps, first.descriptors, last.descriptors);
    return 1;
  }
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  LOAD(modelwire_shutdown);
  CHECK(loaded_modelwire_shutdown(30000) == MODELWIRE_OK);
  CHECK(entries("/proc/self/task") == 3);
  CHECK(dlclose(library) == 0);
  return 0;
}
