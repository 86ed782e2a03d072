/*
 * Handles that are freed in any order, under threads that wait, and by whoever is told last.
 */
#include "check.h"

#include <pthread.h>
#include <semaphore.h>

/* A generator of numbers that are the same each time. */
static uint32_t chance(uint32_t *state, uint32_t below) {
  *state = *state * UINT32_C(1664525) + UINT32_C(1013904223);
  return (*state >> 8) % below;
}

typedef struct {
  modelwire_queue *queue;
  int kind, goes_on;
  long thread;
  sem_t waiting;
  modelwire_status status;
} waiter;

static void *wait_in_queue(void *argument) {
  waiter *own = argument;
  modelwire_event *event = (modelwire_event *)&event;
  size_t count = 7;
  /* What the first call of a function costs is over: behind this line it does nothing but wait inside. */
  CHECK(modelwire_queue_next(own->queue, 0, &event) == MODELWIRE_TIMEOUT);
  CHECK(modelwire_queue_take(own->queue, 0, &event, 1, &count) == MODELWIRE_TIMEOUT);
  own->thread = thread_number();
  CHECK(sem_post(&own->waiting) == 0);
  do {
    own->status = own->kind % 2 == 0 ? modelwire_queue_next(own->queue, -1, &event)
                                     : modelwire_queue_take(own->queue, -1, &event, 1, &count);
  } while (own->status == MODELWIRE_INTERRUPTED && own->goes_on);
  return NULL;
}

/* Threads inside the queue are woken and told that it is closed, whether it is closed or freed. An
 * interruptible wait ends by itself after 100 ms: it may be over when the queue is freed, and then it is
 * not begun again. The service never answers. */
void queue_freed_under_threads(void) {
  enum { THREADS = 4 };
  modelwire_client *client = client_of_environment();
  for (uint32_t flags = 0; flags < 4; flags++) {
    for (int is_freed = 0; is_freed < 2; is_freed++) {
      modelwire_queue *queue = NULL;
      pthread_t threads[THREADS];
      waiter waiters[THREADS];
      CHECK(modelwire_queue_new(flags, &queue, NULL) == MODELWIRE_OK);
      if (flags % 2 == 1) CHECK(modelwire_queue_fd(queue) >= 0);
      for (int i = 0; i < THREADS; i++) {
        waiters[i] = (waiter){.queue = queue, .kind = i, .goes_on = !is_freed};
        CHECK(sem_init(&waiters[i].waiting, 0, 0) == 0);
        CHECK(pthread_create(&threads[i], NULL, wait_in_queue, &waiters[i]) == 0);
        while (sem_wait(&waiters[i].waiting) != 0) continue;
      }
      for (int i = 0; i < THREADS; i++) wait_until_asleep(waiters[i].thread);
      if (!is_freed) modelwire_queue_close(queue);
      if (is_freed) modelwire_queue_free(queue);
      for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        int may_be_over = is_freed && (flags & MODELWIRE_INTERRUPTIBLE) != 0;
        CHECK(waiters[i].status == MODELWIRE_CLOSED ||
              (may_be_over && waiters[i].status == MODELWIRE_INTERRUPTED));
        CHECK(sem_destroy(&waiters[i].waiting) == 0);
      }
      if (!is_freed) modelwire_queue_free(queue);
    }
  }
  modelwire_client_free(client);
}

/* The queue owns its calls: neither the client nor the request is needed any more. */
void queue_owns_calls(void) {
  modelwire_client *client = client_of_environment();
  modelwire_queue *queue = new_queue();
  modelwire_request *request =
      request_with(MODELWIRE_OPERATION_CHAT, ECHO_CHAT("slow", "one two"), NULL);
  for (uint64_t tag = 0; tag < 10; tag++) {
    CHECK(modelwire_queue_submit_request(queue, client, request, 1, tag, NULL) == MODELWIRE_OK);
  }
  modelwire_request_free(request);
  modelwire_client_free(client);
  gathered texts[10] = {{0}};
  for (int ends = 0; ends < 10;) {
    modelwire_event *event = next(queue);
    if (is_last(event)) {
      CHECK_STATUS(status_of(event), MODELWIRE_OK, modelwire_event_error(event));
      CHECK_TEXT(texts[modelwire_event_tag(event)].text, "one two");
      ends++;
    } else {
      gather(&texts[modelwire_event_tag(event)], event);
    }
    modelwire_event_free(event);
  }
  modelwire_queue_free(queue);
}

static int32_t count_event(void *user_data, const modelwire_event *event) {
  CHECK(user_data != NULL && event != NULL);
  return 0;
}

static void count_end(void *user_data) {
  CHECK(sem_post(user_data) == 0);
}

/* Everything that there is, made, used a little, and freed in every order. */
void freed_in_any_order(void) {
  enum { ROUNDS = 60, CLIENTS = 2, QUEUES = 2, CALLS = 3, EVENTS = 4 };
  enum { ALL = CLIENTS + QUEUES + CALLS + EVENTS + 1 };
  const char *seed = getenv("TEST_SEED");
  uint32_t state = seed == NULL ? 15 : (uint32_t)strtoul(seed, NULL, 10);
  fprintf(stderr, "TEST_SEED=%lu\n", (unsigned long)state);
  sem_t finalizers;
  CHECK(sem_init(&finalizers, 0, 0) == 0);
  for (int round = 0; round < ROUNDS; round++) {
    modelwire_client *clients[CLIENTS];
    modelwire_queue *queues[QUEUES];
    modelwire_call *calls[CALLS];
    modelwire_event *events[EVENTS] = {NULL};
    modelwire_request *request =
        request_with(MODELWIRE_OPERATION_CHAT, ECHO_CHAT("slow", "one two three"), NULL);
    for (int i = 0; i < CLIENTS; i++) clients[i] = client_of_environment();
    for (int i = 0; i < QUEUES; i++) {
      CHECK(modelwire_queue_new(chance(&state, 4), &queues[i], NULL) == MODELWIRE_OK);
      for (uint64_t tag = 0; tag < 3; tag++) {
        const modelwire_client *client = clients[chance(&state, CLIENTS)];
        CHECK(modelwire_queue_submit_request(queues[i], client, request, 1, tag, NULL) ==
              MODELWIRE_OK);
      }
    }
    for (int i = 0; i < CALLS; i++) {
      const modelwire_client *client = clients[chance(&state, CLIENTS)];
      CHECK(modelwire_call_new(client, request, chance(&state, 2), &calls[i], NULL) ==
            MODELWIRE_OK);
      if (i == 0) continue;
      CHECK(modelwire_call_start(calls[i], 1, count_event, &finalizers, count_end, NULL) ==
            MODELWIRE_OK);
    }
    for (int i = 0; i < EVENTS; i++) {
      (void)modelwire_queue_next(queues[chance(&state, QUEUES)], (int32_t)chance(&state, 20),
                                 &events[i]);
    }
    (void)modelwire_queue_pause(queues[0], 0);
    int order[ALL];
    for (int i = 0; i < ALL; i++) {
      int at = (int)chance(&state, (uint32_t)i + 1);
      order[i] = order[at];
      order[at] = i;
    }
    for (int i = 0; i < ALL; i++) {
      int what = order[i];
      if (what < CLIENTS) {
        modelwire_client_free(clients[what]);
      } else if ((what -= CLIENTS) < QUEUES) {
        if (chance(&state, 2) == 0) modelwire_queue_close(queues[what]);
        modelwire_queue_free(queues[what]);
      } else if ((what -= QUEUES) < CALLS) {
        modelwire_call_free(calls[what]);
      } else if ((what -= CALLS) < EVENTS) {
        if (events[what] != NULL) CHECK(modelwire_event_text(events[what], NULL) != NULL);
        modelwire_event_free(events[what]);
      } else {
        modelwire_request_free(request);
      }
    }
  }
  /* Each finalizer comes, though nobody is left to ask for it. */
  for (int i = 0; i < ROUNDS * (CALLS - 1); i++) {
    while (sem_wait(&finalizers) != 0) continue;
  }
  CHECK(modelwire_shutdown(PATIENCE_MS) == MODELWIRE_OK);
  CHECK(sem_trywait(&finalizers) != 0 && sem_destroy(&finalizers) == 0);
}
