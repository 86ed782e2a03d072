/*
 * One queue, many calls, many threads: nothing is lost, nothing comes twice, nobody sleeps while
 * there is an event.
 */
#include "check.h"

#include <pthread.h>
#include <time.h>

enum { PRODUCERS = 4, CONSUMERS = 6, UNDER_WAY_MAX = 64 };

/* The role, four words, the finish. */
enum { CHUNKS = 6 };

/* Calls of each producer: the test says how many. */
static int calls_each(void) {
  const char *told = getenv("TEST_CALLS");
  return told == NULL ? 25 : atoi(told);
}

typedef struct {
  modelwire_client *client;
  modelwire_queue *queue;
  int total;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int submitted, done;
} crowd;

typedef struct {
  crowd *all;
  int number;
  /* By tag: what this consumer took. */
  int *chunks, *ends;
} member;

/* Waits for a change of the counts; one that does not come is a lost event. */
static void wait_for_change(crowd *all) {
  struct timespec end;
  CHECK(clock_gettime(CLOCK_REALTIME, &end) == 0);
  end.tv_sec += PATIENCE_MS / 1000;
  CHECK(pthread_cond_timedwait(&all->changed, &all->lock, &end) == 0);
}

static void *produce(void *argument) {
  const member *own = argument;
  crowd *all = own->all;
  for (int i = 0; i < calls_each(); i++) {
    int tag = own->number * calls_each() + i;
    pthread_mutex_lock(&all->lock);
    while (all->submitted - all->done >= UNDER_WAY_MAX) wait_for_change(all);
    all->submitted++;
    pthread_mutex_unlock(&all->lock);
    /* Every fourth is answered whole. */
    submit(all->client, all->queue, ECHO_CHAT("echo", "one two three four"), tag % 4 != 0,
           (uint64_t)tag);
  }
  return NULL;
}

static void count(member *own, modelwire_event *event) {
  crowd *all = own->all;
  uint64_t tag = modelwire_event_tag(event);
  CHECK(tag < (uint64_t)all->total);
  if (modelwire_event_kind(event) == MODELWIRE_EVENT_CHUNK) {
    own->chunks[tag]++;
  } else {
    CHECK_STATUS(status_of(event), MODELWIRE_OK, modelwire_event_error(event));
    own->ends[tag]++;
    pthread_mutex_lock(&all->lock);
    all->done++;
    pthread_cond_broadcast(&all->changed);
    pthread_mutex_unlock(&all->lock);
  }
  modelwire_event_free(event);
}

/* Takes one or several until something else than an event comes. */
static modelwire_status take(member *own, int several, int32_t timeout_ms) {
  modelwire_event *events[8] = {NULL};
  modelwire_status status;
  size_t taken = 1;
  do {
    status = several ? modelwire_queue_take(own->all->queue, timeout_ms, events, 8, &taken)
                     : modelwire_queue_next(own->all->queue, timeout_ms, events);
    for (size_t i = 0; status == MODELWIRE_OK && i < taken; i++) count(own, events[i]);
  } while (status == MODELWIRE_OK);
  return status;
}

static void *consume(void *argument) {
  member *own = argument;
  /* In a loop, two of them: one polls, and one has an edge-triggered watch. */
  int fd = modelwire_queue_fd(own->all->queue), is_watch = own->number == 1;
  int is_loop = own->number % 3 == 1, watch = is_watch ? watch_of(fd, 1) : -1;
  for (;;) {
    int several = own->number % 2;
    modelwire_status status = take(own, several, is_loop ? 0 : own->number == 5 ? 1 : -1);
    if (status == MODELWIRE_CLOSED) break;
    CHECK(status == MODELWIRE_TIMEOUT);
    if (!is_loop) continue;
    CHECK((is_watch ? watch_waits(watch, PATIENCE_MS) : is_readable(fd, PATIENCE_MS)) == 1);
  }
  if (is_watch) watch_ends(watch);
  return NULL;
}

void queue_many_threads(void) {
  crowd all = {.client = client_of_environment(), .total = PRODUCERS * calls_each()};
  member producers[PRODUCERS], consumers[CONSUMERS];
  pthread_t producing[PRODUCERS], consuming[CONSUMERS];
  CHECK(modelwire_queue_new(0, &all.queue, NULL) == MODELWIRE_OK);
  CHECK(pthread_mutex_init(&all.lock, NULL) == 0 && pthread_cond_init(&all.changed, NULL) == 0);
  for (int i = 0; i < CONSUMERS; i++) {
    int *counts = calloc((size_t)all.total * 2, sizeof *counts);
    CHECK(counts != NULL);
    consumers[i] = (member){&all, i, counts, counts + all.total};
    CHECK(pthread_create(&consuming[i], NULL, consume, &consumers[i]) == 0);
  }
  for (int i = 0; i < PRODUCERS; i++) {
    producers[i] = (member){&all, i, NULL, NULL};
    CHECK(pthread_create(&producing[i], NULL, produce, &producers[i]) == 0);
  }
  for (int i = 0; i < PRODUCERS; i++) CHECK(pthread_join(producing[i], NULL) == 0);
  pthread_mutex_lock(&all.lock);
  while (all.done < all.total) wait_for_change(&all);
  pthread_mutex_unlock(&all.lock);
  modelwire_queue_close(all.queue);
  for (int i = 0; i < CONSUMERS; i++) CHECK(pthread_join(consuming[i], NULL) == 0);
  for (int tag = 0; tag < all.total; tag++) {
    int chunks = 0, ends = 0;
    for (int i = 0; i < CONSUMERS; i++) {
      chunks += consumers[i].chunks[tag];
      ends += consumers[i].ends[tag];
    }
    CHECK(chunks == (tag % 4 == 0 ? 0 : CHUNKS) && ends == 1);
  }
  for (int i = 0; i < CONSUMERS; i++) free(consumers[i].chunks);
  modelwire_queue_free(all.queue);
  CHECK(pthread_cond_destroy(&all.changed) == 0 && pthread_mutex_destroy(&all.lock) == 0);
  modelwire_client_free(all.client);
}

/* A hundred streams at the same time, one thread, one watch. */
void queue_hundred_streams(void) {
  enum { STREAMS = 100 };
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue();
  gathered *texts = calloc(STREAMS, sizeof *texts);
  CHECK(texts != NULL);
  int watch = watch_of(modelwire_queue_fd(queue), 0), done = 0;
  for (int i = 0; i < STREAMS; i++) {
    char json[160];
    snprintf(json, sizeof json, ECHO_CHAT("slow", "stream %d"), i);
    submit(client, queue, json, 1, (uint64_t)(uintptr_t)&texts[i]);
  }
  while (done < STREAMS) {
    modelwire_event *event = NULL;
    CHECK(watch_waits(watch, PATIENCE_MS) == 1);
    while (modelwire_queue_next(queue, 0, &event) == MODELWIRE_OK) {
      gathered *text = (gathered *)(uintptr_t)modelwire_event_tag(event);
      if (is_last(event)) {
        CHECK(status_of(event) == MODELWIRE_OK);
        done++;
      } else {
        gather(text, event);
      }
      modelwire_event_free(event);
    }
  }
  for (int i = 0; i < STREAMS; i++) {
    char expected[32];
    snprintf(expected, sizeof expected, "stream %d", i);
    CHECK_TEXT(texts[i].text, expected);
  }
  watch_ends(watch);
  free(texts);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

/* Ten calls at the same time on a service that takes two a second: all are answered. The option is
 * set for the client, or for each request. */
static void ten_at_once(const char *of_client, const char *of_request) {
  enum { CALLS = 10 };
  modelwire_client *client = client_with("%s", of_client);
  modelwire_queue *queue = new_queue();
  for (int i = 0; i < CALLS; i++) {
    modelwire_request *request =
        request_with(MODELWIRE_OPERATION_CHAT, ECHO_CHAT("limited", "a b"), of_request);
    CHECK(modelwire_queue_submit_request(queue, client, request, 0, (uint64_t)i, NULL) ==
          MODELWIRE_OK);
    modelwire_request_free(request);
  }
  for (int ends = 0; ends < CALLS; ends++) {
    modelwire_event *event = next(queue);
    CHECK_STATUS(status_of(event), MODELWIRE_OK, modelwire_event_error(event));
    modelwire_event_free(event);
  }
  modelwire_queue_free(queue);
  modelwire_client_free(client);
}

void queue_adaptive(void) { ten_at_once("{\"retry_adaptive\":true}", NULL); }

void queue_adaptive_requests(void) { ten_at_once("{}", "{\"retry_adaptive\":true}"); }
