/*
 * The soak in C: `program MODE NUMBER SECONDS AT_ONCE` makes calls, and says how each ended as judge.rs reads it.
 * MODE is `callbacks` or `queue`.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <inttypes.h>
#include <modelwire.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TAKEN 64

struct call {
  uint64_t number;
  modelwire_call *call; /* with callbacks */
  int is_stream, is_cancelled, is_free;
  uint32_t chunks, sum;
  int64_t cancel_after, pause_after;
};

static unsigned long program, seconds, at_once;
static modelwire_client *clients[2];
static uint64_t next_number, records, dropped, attempts_of_records;
static struct call *calls;
static sem_t free_calls;

static void fail(const char *what) {
  fprintf(stderr, "failed: %s\n", what);
  exit(1);
}

static uint64_t roll(uint64_t *state, uint64_t below) {
  uint64_t mixed = *state += 0x9e3779b97f4a7c15u;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
  return (mixed ^ (mixed >> 31)) % below;
}

static uint32_t crc32(uint32_t sum, const char *bytes, size_t length) {
  static uint32_t table[256];
  if (table[1] == 0) {
    for (uint32_t i = 0; i < 256; i++) {
      uint32_t value = i;
      for (int bit = 0; bit < 8; bit++) value = (value >> 1) ^ (0xedb88320u & (0u - (value & 1)));
      table[i] = value;
    }
  }
  sum = ~sum;
  for (size_t i = 0; i < length; i++) sum = (sum >> 8) ^ table[(sum ^ (unsigned char)bytes[i]) & 0xff];
  return ~sum;
}

static int descriptors(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/fd");
  if (folder == NULL) fail("opendir");
  while (readdir(folder) != NULL) count++;
  closedir(folder);
  return count;
}

static int64_t number_at(const modelwire_value *value, const char *path) {
  int64_t number = 0;
  modelwire_value_int(value, path, MODELWIRE_NUL, &number);
  return number;
}

static void say(struct call *call, const char *kind, const char *metered, int64_t attempts) {
  printf("%" PRIu64 " %s %s %" PRId64 " %u %u %d\n", call->number, kind, metered == NULL ? "-" : metered,
         attempts, call->chunks, call->sum, call->is_cancelled);
}

/* 0: not the last event; 1: the last; -1: the call shall end here. */
static int take(struct call *call, const modelwire_event *event) {
  size_t length;
  const char *text;
  const modelwire_value *value;
  switch (modelwire_event_kind(event)) {
    case MODELWIRE_EVENT_CHUNK:
      text = modelwire_event_text(event, &length);
      if (length == 0) return 0;
      call->sum = crc32(call->sum, text, length);
      return ++call->chunks == call->cancel_after ? -1 : 0;
    case MODELWIRE_EVENT_RESPONSE:
      if (!call->is_stream) {
        text = modelwire_event_text(event, &length);
        call->sum = crc32(0, text, length);
      }
      say(call, "ok", NULL, number_at(modelwire_event_info(event), "/timing/attempts_count"));
      return 1;
    case MODELWIRE_EVENT_ERROR:
      value = modelwire_error_value(modelwire_event_error(event));
      say(call, modelwire_status_name(modelwire_error_status(modelwire_event_error(event))),
          modelwire_value_text(value, "/metered", MODELWIRE_NUL, NULL),
          number_at(value, "/timing/attempts_count"));
      return 1;
    default: fail("an unknown event"); return 1;
  }
}

/* Each client has a thread for its records. */
static int32_t ended(void *user_data, const modelwire_event *event) {
  (void)user_data;
  uint64_t attempts = (uint64_t)number_at(modelwire_event_value(event), "/attempts_count");
  uint64_t before = (uint64_t)number_at(modelwire_event_info(event), "/dropped");
  __atomic_fetch_add(&attempts_of_records, attempts, __ATOMIC_RELAXED);
  __atomic_fetch_add(&dropped, before, __ATOMIC_RELAXED);
  __atomic_fetch_add(&records, 1, __ATOMIC_RELEASE);
  return 0;
}

/* The next call: its JSON, its operation and what shall become of it. */
static int32_t prepare(struct call *call, char *json, size_t size) {
  modelwire_call *kept = call->call;
  memset(call, 0, sizeof *call);
  call->call = kept;
  call->number = next_number++;
  uint64_t state = (uint64_t)program << 40 | call->number;
  call->is_stream = roll(&state, 5) < 3;
  uint64_t chunks = 1 + roll(&state, roll(&state, 100) == 0 ? 2000 : 32);
  call->cancel_after = roll(&state, 50) == 0 ? (int64_t)roll(&state, chunks + 1) : -1;
  call->pause_after = roll(&state, 50) == 0 ? 1 + (int64_t)roll(&state, chunks) : -1;
  int is_responses = roll(&state, 4) == 0;
  snprintf(json, size,
           is_responses ? "{\"model\":\"soak\",\"input\":\"%lu.%" PRIu64 ".%" PRIu64 "\"}"
                        : "{\"model\":\"soak\",\"messages\":[{\"role\":\"user\",\"content\":\"%lu.%" PRIu64
                          ".%" PRIu64 "\"}]}",
           program, call->number, chunks);
  return is_responses ? MODELWIRE_OPERATION_RESPONSES : MODELWIRE_OPERATION_CHAT;
}

static modelwire_client *client_of(const struct call *call) { return clients[call->number % 4 == 3]; }

static void queue(time_t until) {
  modelwire_queue *made;
  unsigned long unfinished = 0;
  struct call *paused = NULL;
  uint64_t dice = program;
  char json[256];
  if (modelwire_queue_new(0, &made, NULL) != MODELWIRE_OK) fail("queue_new");
  for (int i = 0; i < 2; i++) {
    if (modelwire_queue_follow_calls(made, clients[i], 1, 0, NULL) != MODELWIRE_OK) fail("follow");
  }
  while (unfinished > 0 || time(NULL) < until || records + dropped < next_number) {
    for (unsigned long i = 0; i < at_once && time(NULL) < until && unfinished < at_once; i++) {
      if (!calls[i].is_free) continue;
      int32_t operation = prepare(&calls[i], json, sizeof json);
      if (modelwire_queue_submit(made, client_of(&calls[i]), operation, json, MODELWIRE_NUL,
                                 calls[i].is_stream, i, NULL) != MODELWIRE_OK) {
        fail("queue_submit");
      }
      unfinished++;
      if (calls[i].cancel_after == 0) {
        calls[i].is_cancelled = 1;
        modelwire_queue_cancel(made, i);
      }
    }
    modelwire_event *events[TAKEN];
    size_t count;
    modelwire_status status = modelwire_queue_take(made, 1000, events, TAKEN, &count);
    if (status != MODELWIRE_OK && status != MODELWIRE_TIMEOUT) fail("queue_take");
    for (size_t i = 0; i < count; i++) {
      struct call *call = &calls[modelwire_event_tag(events[i])];
      int32_t kind = modelwire_event_kind(events[i]);
      if (kind == MODELWIRE_EVENT_CALL) {
        ended(NULL, events[i]);
      } else {
        int end = take(call, events[i]);
        if (end == 1) {
          call->is_free = 1;
          unfinished--;
          if (paused == call) paused = NULL;
        } else if (end == -1) {
          call->is_cancelled = 1;
          modelwire_queue_cancel(made, modelwire_event_tag(events[i]));
        } else if (paused == NULL && call->pause_after == call->chunks) {
          paused = call;
          modelwire_queue_pause(made, modelwire_event_tag(events[i]));
        }
      }
      modelwire_event_free(events[i]);
    }
    if (paused != NULL && roll(&dice, 8) == 0) {
      modelwire_queue_resume(made, (uint64_t)(paused - calls));
      paused = NULL;
    }
  }
  modelwire_queue_free(made);
}

static int32_t on_event(void *user_data, const modelwire_event *event) {
  struct call *call = user_data;
  if (take(call, event) != -1) return 0;
  call->is_cancelled = 1;
  return 1;
}

static void finalize(void *user_data) {
  __atomic_store_n(&((struct call *)user_data)->is_free, 1, __ATOMIC_RELEASE);
  sem_post(&free_calls);
}

static void callbacks(time_t until) {
  char json[256];
  for (int i = 0; i < 2; i++) {
    if (modelwire_client_on_call(clients[i], ended, NULL, NULL, NULL) != MODELWIRE_OK) fail("on_call");
  }
  while (time(NULL) < until) {
    sem_wait(&free_calls);
    struct call *call = calls;
    while (!__atomic_load_n(&call->is_free, __ATOMIC_ACQUIRE)) call = call + 1 < calls + at_once ? call + 1 : calls;
    modelwire_call_free(call->call);
    call->call = NULL;
    int32_t operation = prepare(call, json, sizeof json);
    modelwire_request *request;
    if (modelwire_request_new(operation, json, MODELWIRE_NUL, &request, NULL) != MODELWIRE_OK ||
        modelwire_call_new(client_of(call), request, 0, &call->call, NULL) != MODELWIRE_OK) {
      fail("call_new");
    }
    modelwire_request_free(request);
    modelwire_call *made = call->call;
    int cancels = call->cancel_after == 0;
    call->is_cancelled = cancels;
    if (modelwire_call_start(made, call->is_stream, on_event, call, finalize, NULL) != MODELWIRE_OK) fail("call_start");
    if (cancels) modelwire_call_cancel(made);
  }
  for (unsigned long i = 0; i < at_once; i++) {
    if (calls[i].call != NULL && modelwire_call_wait(calls[i].call, -1, NULL) != MODELWIRE_OK) fail("call_wait");
    modelwire_call_free(calls[i].call);
  }
}

int main(int argc, char **argv) {
  int64_t used = 0, unused = 0, input = 0, output = 0;
  if (argc != 5) fail("usage: MODE NUMBER SECONDS AT_ONCE");
  program = strtoul(argv[2], NULL, 10);
  seconds = strtoul(argv[3], NULL, 10);
  at_once = strtoul(argv[4], NULL, 10);
  setvbuf(stdout, NULL, _IOLBF, 0);
  calls = calloc(at_once, sizeof *calls);
  if (calls == NULL || sem_init(&free_calls, 0, (unsigned)at_once) != 0) fail("memory");
  for (unsigned long i = 0; i < at_once; i++) calls[i].is_free = 1;
  crc32(0, "", 0);
  int before = descriptors();
  for (int i = 0; i < 2; i++) {
    const char *options = getenv(i == 0 ? "SOAK_OPTIONS" : "SOAK_GENEROUS");
    if (modelwire_client_new(options, MODELWIRE_NUL, &clients[i], NULL) != MODELWIRE_OK) fail("client_new");
  }
  time_t until = time(NULL) + (time_t)seconds;
  if (strcmp(argv[1], "queue") == 0) {
    queue(until);
  } else {
    callbacks(until);
  }
  for (int i = 0; i < 2; i++) {
    modelwire_value *sums = modelwire_client_usage(clients[i], 0);
    int64_t without = number_at(sums, "/calls_without_usage");
    used += number_at(sums, "/calls") - without;
    unused += without;
    input += number_at(sums, "/input_tokens");
    output += number_at(sums, "/output_tokens");
    modelwire_value_free(sums);
    if (modelwire_client_close(clients[i], -1, NULL) != MODELWIRE_OK) fail("client_close");
    modelwire_client_free(clients[i]);
  }
  if (modelwire_shutdown(-1) != MODELWIRE_OK) fail("shutdown");
  for (int i = 0; descriptors() > before && i < 2000; i++) usleep(10000); /* what is being closed */
  printf("said calls=%" PRIu64 " records=%" PRIu64 " dropped=%" PRIu64 " attempts=%" PRIu64 " used=%" PRId64
         " unused=%" PRId64 " input=%" PRId64 " output=%" PRId64 " before=%d after=%d\n",
         next_number, records, dropped, attempts_of_records, used, unused, input, output, before, descriptors());
  return 0;
}
