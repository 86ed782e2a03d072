/*
 * A plugin with callbacks: begins calls of its own, and ends them as docs/embedding.md says, so
 * that it may be unloaded. PLUGIN_STATIC: it has a copy of the library of its own.
 */
#include <modelwire.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#define CHECK(condition) \
  do { \
    if (!(condition)) return fprintf(stderr, "%d: %s\n", __LINE__, #condition), __LINE__; \
  } while (0)

enum { CALLS = 8 };

static const char request[] =
    "{\"model\":\"any\",\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}";

static modelwire_client *client;
static modelwire_queue *queue;
static modelwire_call *calls[CALLS];
static int has_log;
static atomic_int events, over;

int plugin_begin(int with_log);
int plugin_events(void);
int plugin_end(void);

static void pause_for(long nanoseconds) {
  struct timespec time = {0, nanoseconds};
  /* clock: the slowness itself */
  nanosleep(&time, NULL);
}

/* What runs when its plugin is unloaded is no more there: both come back late. */
static int32_t on_event(void *user_data, const modelwire_event *event) {
  (void)user_data, (void)event;
  atomic_fetch_add(&events, 1);
  pause_for(1000000);
  return 0;
}

static void on_over(void *user_data) {
  (void)user_data;
  atomic_fetch_add(&over, 1);
  pause_for(1000000);
}

int plugin_begin(int with_log) {
  modelwire_request *chat;
  has_log = with_log;
  /* Where it was not really unloaded they are as they were. */
  atomic_store(&events, 0), atomic_store(&over, 0);
  CHECK(!modelwire_client_new(NULL, 0, &client, NULL));
  CHECK(!modelwire_queue_new(0, &queue, NULL));
  if (has_log) CHECK(!modelwire_queue_log(queue, MODELWIRE_LOG_TRACE, CALLS, NULL));
  CHECK(!modelwire_request_new(MODELWIRE_OPERATION_CHAT, request, MODELWIRE_NUL, &chat, NULL));
  for (unsigned i = 0; i < CALLS; i++) {
    CHECK(!modelwire_call_new(client, chat, 0, &calls[i], NULL));
    CHECK(!modelwire_call_start(calls[i], 1, on_event, NULL, on_over, NULL));
    CHECK(!modelwire_queue_submit_request(queue, client, chat, 1, i, NULL));
  }
  modelwire_request_free(chat);
  return 0;
}

int plugin_events(void) { return atomic_load(&events); }

int plugin_end(void) {
  CHECK(modelwire_client_close(client, 5000, NULL) == MODELWIRE_OK);
  CHECK(atomic_load(&over) == CALLS);
  if (has_log) {
    modelwire_event *event = NULL;
    int records = 0;
    while (modelwire_queue_next(queue, 0, &event) == MODELWIRE_OK) {
      records += modelwire_event_kind(event) == MODELWIRE_EVENT_LOG;
      modelwire_event_free(event);
    }
    CHECK(records > 0);
  }
  modelwire_queue_free(queue);
  for (unsigned i = 0; i < CALLS; i++) modelwire_call_free(calls[i]);
  modelwire_client_free(client);
#ifdef PLUGIN_STATIC
  CHECK(modelwire_shutdown(5000) == MODELWIRE_OK);
#endif
  return 0;
}
