/*
 * Signals: what interrupts a wait, what does not, and what a handler may do. The service answers
 * late or never.
 */
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

/* What the handler does and tells, on whichever thread. It may touch nothing else. */
static const modelwire_call *handled_call;
static const modelwire_queue *handled_queue;
static int taken;

static void take_signal(int number) {
  (void)number;
  __atomic_add_fetch(&taken, 1, __ATOMIC_SEQ_CST);
  modelwire_queue_wakeup(__atomic_load_n(&handled_queue, __ATOMIC_SEQ_CST));
  modelwire_call_wakeup(__atomic_load_n(&handled_call, __ATOMIC_SEQ_CST));
}

static int signals_taken(void) { return __atomic_load_n(&taken, __ATOMIC_SEQ_CST); }

static void wake_in_handler(const modelwire_call *call, const modelwire_queue *queue) {
  __atomic_store_n(&handled_call, call, __ATOMIC_SEQ_CST);
  __atomic_store_n(&handled_queue, queue, __ATOMIC_SEQ_CST);
}

static void handle(int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = take_signal;
  action.sa_flags = flags;
  CHECK(sigaction(SIGINT, &action, NULL) == 0);
  wake_in_handler(NULL, NULL);
  __atomic_store_n(&taken, 0, __ATOMIC_SEQ_CST);
}

/* Sends signals to one thread, or to the process, until it is told to stop. */
typedef struct {
  pthread_t thread, target;
  int is_process;
  int is_over;
} sender;

static void *send_signals(void *argument) {
  sender *own = argument;
  for (;;) {
    sleep_ms(30); /* clock: the pace of the signals */
    if (__atomic_load_n(&own->is_over, __ATOMIC_SEQ_CST)) break;
    CHECK((own->is_process ? kill(getpid(), SIGINT) : pthread_kill(own->target, SIGINT)) == 0);
  }
  return NULL;
}

static void start_sending(sender *own, int is_process) {
  own->target = pthread_self();
  own->is_process = is_process;
  own->is_over = 0;
  CHECK(pthread_create(&own->thread, NULL, send_signals, own) == 0);
  EVENTUALLY(signals_taken() > 0);
}

static void stop_sending(sender *own) {
  __atomic_store_n(&own->is_over, 1, __ATOMIC_SEQ_CST);
  CHECK(pthread_join(own->thread, NULL) == 0);
  CHECK(signals_taken() > 0);
}

/* Everything that waits. */
typedef struct {
  const modelwire_client *client;
  modelwire_call *call;
  modelwire_queue *queue;
  gathered all;
  int events;
} work;

static modelwire_status by_run(work *own) {
  modelwire_response *answer = (modelwire_response *)&answer;
  modelwire_error *error = (modelwire_error *)&error;
  modelwire_status status = modelwire_call_run(own->call, &answer, &error);
  CHECK((status == MODELWIRE_OK) == (answer != NULL) && (status < 0) == (error != NULL));
  modelwire_response_free(answer);
  modelwire_error_free(error);
  return status;
}

static modelwire_status by_stream(work *own) {
  modelwire_response *end = (modelwire_response *)&end;
  modelwire_error *error = (modelwire_error *)&error;
  modelwire_status status = modelwire_call_stream(own->call, gather, &own->all, &end, &error);
  CHECK((status == MODELWIRE_OK) == (end != NULL) && (status < 0) == (error != NULL));
  modelwire_response_free(end);
  modelwire_error_free(error);
  return status;
}

static modelwire_status by_wait(work *own) {
  return modelwire_call_wait(own->call, PATIENCE_MS, NULL);
}

static modelwire_status by_wait_for_ever(work *own) {
  return modelwire_call_wait(own->call, -1, NULL);
}

/* A last event is the end, and any other an interruption of no interest. */
static modelwire_status taken_event(work *own, modelwire_status status, modelwire_event *event) {
  CHECK((status == MODELWIRE_OK) == (event != NULL));
  while (status == MODELWIRE_OK && !is_last(event)) {
    own->events++;
    modelwire_event_free(event);
    status = modelwire_queue_next(own->queue, PATIENCE_MS, &event);
    CHECK((status == MODELWIRE_OK) == (event != NULL));
  }
  if (status == MODELWIRE_OK) status = status_of(event);
  modelwire_event_free(event);
  return status;
}

static modelwire_status by_next(work *own) {
  modelwire_event *event = (modelwire_event *)&event;
  modelwire_status status = modelwire_queue_next(own->queue, PATIENCE_MS, &event);
  return taken_event(own, status, event);
}

static modelwire_status by_next_for_ever(work *own) {
  modelwire_event *event = (modelwire_event *)&event;
  modelwire_status status = modelwire_queue_next(own->queue, -1, &event);
  return taken_event(own, status, event);
}

static modelwire_status by_take(work *own) {
  modelwire_event *event = NULL;
  size_t count = 7;
  modelwire_status status = modelwire_queue_take(own->queue, -1, &event, 1, &count);
  CHECK(count == (status == MODELWIRE_OK ? 1 : 0));
  return taken_event(own, status, event);
}

static const struct {
  modelwire_status (*wait)(work *own);
  int is_queue, is_started;
} WAYS[] = {{by_run, 0, 0},  {by_stream, 0, 0}, {by_wait, 0, 1},          {by_wait_for_ever, 0, 1},
            {by_next, 1, 0}, {by_take, 1, 0},   {by_next_for_ever, 1, 0}};

enum { WAYS_COUNT = sizeof WAYS / sizeof *WAYS };

static int32_t go_on(void *user_data, const modelwire_event *event) {
  (void)user_data;
  return event == NULL;
}

/* A work that is under way, or will be with the first wait. */
static work begin(const modelwire_client *client, size_t way, uint32_t flags) {
  work fresh = {.client = client};
  modelwire_error *error = NULL;
  if (WAYS[way].is_queue) {
    CHECK_STATUS(modelwire_queue_new(flags, &fresh.queue, &error), MODELWIRE_OK, error);
    submit(client, fresh.queue, ECHO_CHAT("m", "x"), 1, 1);
    return fresh;
  }
  modelwire_request *request = request_with(MODELWIRE_OPERATION_CHAT, ECHO_CHAT("m", "x"), NULL);
  CHECK_STATUS(modelwire_call_new(client, request, flags, &fresh.call, &error), MODELWIRE_OK,
               error);
  modelwire_request_free(request);
  if (WAYS[way].is_started) {
    CHECK_STATUS(modelwire_call_start(fresh.call, 1, go_on, NULL, NULL, &error), MODELWIRE_OK,
                 error);
  }
  return fresh;
}

static void end(work *own) {
  wake_in_handler(NULL, NULL);
  modelwire_call_free(own->call);
  modelwire_queue_free(own->queue);
}

/* Waits to the end; how often it was interrupted. */
static int wait_on(work *own, size_t way) {
  int interruptions = 0;
  modelwire_status status;
  while ((status = WAYS[way].wait(own)) == MODELWIRE_INTERRUPTED) interruptions++;
  CHECK_TEXT(modelwire_status_name(status), "ok");
  return interruptions;
}

/* A signal that comes before the wait or after it interrupts nothing, and on a busy machine these
 * may be most: in one of ROUNDS_MAX rounds, half of the signals must interrupt it. */
enum { ROUNDS_MAX = 5 };

/* The service answers after half a second, while signals come. Whether half of them interrupted the
 * wait; none may that was not made interruptible. */
static int is_interrupted(const modelwire_client *client, size_t way, int flags,
                          uint32_t is_asked) {
  sender signals;
  handle(flags);
  work own = begin(client, way, is_asked ? MODELWIRE_INTERRUPTIBLE : 0);
  start_sending(&signals, 0);
  int interruptions = wait_on(&own, way);
  stop_sending(&signals);
  CHECK(is_asked || interruptions == 0);
  if (way == 1) CHECK_TEXT(own.all.text, "late");
  if (WAYS[way].is_queue) CHECK(own.events > 0);
  end(&own);
  return 2 * interruptions >= signals_taken();
}

/* A wait that was made interruptible is interrupted by signals, whatever SA_RESTART says, and goes
 * on when it is run again; any other goes on by itself. Without a signal it would return every
 * tenth of a second. */
static void interrupt_each(int flags) {
  modelwire_client *client = client_of_environment();
  for (size_t way = 0; way < WAYS_COUNT; way++) {
    is_interrupted(client, way, flags, 0);
    int rounds = 1;
    while (!is_interrupted(client, way, flags, 1)) CHECK(rounds++ < ROUNDS_MAX);
  }
  modelwire_client_free(client);
}

void interrupted(void) { interrupt_each(0); }

void interrupted_with_restart(void) { interrupt_each(SA_RESTART); }

/* As `is_interrupted`, where another thread takes the signals, and the handler wakes the wait up. */
static int is_woken_up(const modelwire_client *client, size_t way) {
  sigset_t interrupt;
  CHECK(sigemptyset(&interrupt) == 0 && sigaddset(&interrupt, SIGINT) == 0);
  sender signals;
  handle(SA_RESTART);
  work own = begin(client, way, MODELWIRE_INTERRUPTIBLE);
  wake_in_handler(own.call, own.queue);
  start_sending(&signals, 1);
  CHECK(pthread_sigmask(SIG_BLOCK, &interrupt, NULL) == 0);
  int interruptions = wait_on(&own, way);
  CHECK(pthread_sigmask(SIG_UNBLOCK, &interrupt, NULL) == 0);
  stop_sending(&signals);
  end(&own);
  return 2 * interruptions >= signals_taken();
}

void wakeup_in_handler(void) {
  modelwire_client *client = client_of_environment();
  for (size_t way = 0; way < WAYS_COUNT; way++) {
    int rounds = 1;
    while (!is_woken_up(client, way)) CHECK(rounds++ < ROUNDS_MAX);
  }
  modelwire_client_free(client);
}

/* What a program does with Ctrl-C: it looks at what its handler noted, and cancels. A signal that
 * came just before the wait, and whose handler woke nobody up, is noticed as well. The service
 * never answers. */
void cancel_after_signal(void) {
  modelwire_client *client = client_of_environment();
  for (size_t way = 0; way < WAYS_COUNT; way++) {
    handle(SA_RESTART);
    work own = begin(client, way, MODELWIRE_INTERRUPTIBLE);
    CHECK(raise(SIGINT) == 0 && signals_taken() == 1);
    int64_t from_ms = now_ms();
    CHECK(WAYS[way].wait(&own) == MODELWIRE_INTERRUPTED);
    /* clock: bounds a hang */
    CHECK(now_ms() - from_ms < PROMPT_MS);
    modelwire_call_cancel(own.call);
    if (own.queue != NULL) CHECK(modelwire_queue_cancel(own.queue, 1) == MODELWIRE_OK);
    modelwire_status status;
    while ((status = WAYS[way].wait(&own)) == MODELWIRE_INTERRUPTED) continue;
    CHECK(status == (WAYS[way].is_started ? MODELWIRE_OK : MODELWIRE_E_CANCELLED));
    /* clock: bounds a hang */
    CHECK(now_ms() - from_ms < PROMPT_MS);
    end(&own);
  }
  modelwire_client_free(client);
}

/* A wake-up that comes before the wait is kept for it: a signal may come just before. The service
 * never answers. */
void wakeup_before_wait(void) {
  modelwire_client *client = client_of_environment();
  handle(0);
  for (size_t way = 0; way < WAYS_COUNT; way++) {
    work own = begin(client, way, MODELWIRE_INTERRUPTIBLE);
    for (int round = 0; round < 3; round++) {
      modelwire_call_wakeup(own.call);
      modelwire_queue_wakeup(own.queue);
      CHECK(WAYS[way].wait(&own) == MODELWIRE_INTERRUPTED);
    }
    modelwire_call_cancel(own.call);
    end(&own);
  }
  modelwire_client_free(client);
}

static int32_t stop_at_interruption(void *user_data, const modelwire_event *event) {
  gather(user_data, event);
  return ((gathered *)user_data)->events == 2;
}

/* A stream that is interrupted goes on where it was, with another callback too; and one that was
 * run is not streamed. */
void interrupted_call_keeps_its_mode(void) {
  modelwire_client *client = client_of_environment();
  modelwire_response *answer = NULL;
  modelwire_error *error = NULL;
  gathered all;
  work own;
  modelwire_status status;
  handle(0);
  /* What is there before a wait is delivered first. Where that were both pieces: once more. */
  for (;;) {
    all = (gathered){0};
    own = begin(client, 1, MODELWIRE_INTERRUPTIBLE);
    modelwire_call_wakeup(own.call);
    status = modelwire_call_stream(own.call, stop_at_interruption, &all, &answer, &error);
    if (status == MODELWIRE_INTERRUPTED) break;
    CHECK_STATUS(status, MODELWIRE_STOPPED, error);
    end(&own);
  }
  CHECK_STATUS(modelwire_call_run(own.call, &answer, &error), MODELWIRE_E_ARGUMENT, error);
  modelwire_error_free(error);
  error = NULL;
  do {
    status = modelwire_call_stream(own.call, stop_at_interruption, &all, &answer, &error);
  } while (status == MODELWIRE_INTERRUPTED);
  CHECK_STATUS(status, MODELWIRE_STOPPED, error);
  CHECK_TEXT(all.text, "one two ");
  CHECK(answer == NULL && error == NULL);
  /* It has ended. */
  CHECK(modelwire_call_stream(own.call, gather, &all, &answer, NULL) == MODELWIRE_E_ARGUMENT);
  end(&own);
  modelwire_client_free(client);
}
