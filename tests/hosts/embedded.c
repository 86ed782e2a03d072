/*
 * A host that is linked with libmodelwire and embeds Python, whose program imports the package `modelwire`:
 * two libraries of one name, perhaps of two versions, in one process. A stream of C goes on all the while.
 *
 *   embedded FOLDER python|c    FOLDER has the package; which of the two ends first
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <modelwire.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition) \
  ((condition) ? (void)0 : (fprintf(stderr, "%d: %s\n", __LINE__, #condition), exit(1)))

static const char chat[] =
    "{\"model\":\"echo\",\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}";
static const char no_model[] =
    "{\"model\":\"none\",\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}";

enum { STREAM, RECORD };

static modelwire_queue *queue;
static atomic_int chunks, ends, records;

/* Takes what comes of C's stream and of C's log, on a thread of its own. */
static void *takes(void *unused) {
  modelwire_event *event;
  (void)unused;
  while (modelwire_queue_next(queue, -1, &event) == MODELWIRE_OK) {
    int is_stream = modelwire_event_tag(event) == STREAM;
    int32_t kind = modelwire_event_kind(event);
    if (!is_stream) atomic_fetch_add(&records, 1);
    if (is_stream && kind == MODELWIRE_EVENT_CHUNK) atomic_fetch_add(&chunks, 1);
    if (is_stream && (kind == MODELWIRE_EVENT_ERROR || kind == MODELWIRE_EVENT_RESPONSE))
      atomic_fetch_add(&ends, 1);
    modelwire_event_free(event);
  }
  return NULL;
}

/* Whether C's stream gives one more chunk, within ten seconds. */
static int goes_on(void) {
  struct timespec time = {0, 1000000};
  int before = atomic_load(&chunks);
  /* clock: between two looks */
  for (int i = 0; i < 10000 && atomic_load(&chunks) == before; i++) nanosleep(&time, NULL);
  return atomic_load(&chunks) > before && atomic_load(&ends) == 0;
}

static void python(const char *source) {
  if (PyRun_SimpleString(source) != 0) exit(1);
}

/* A plain call of C to the service that plays; returns its status. */
static modelwire_status ask(const char *json) {
  const char *options = getenv("PLAYED");
  modelwire_client *client;
  modelwire_request *request;
  modelwire_call *call;
  modelwire_response *response = NULL;
  modelwire_status status;
  CHECK(!modelwire_client_new(options, MODELWIRE_NUL, &client, NULL));
  CHECK(!modelwire_request_new(MODELWIRE_OPERATION_CHAT, json, MODELWIRE_NUL, &request, NULL));
  CHECK(!modelwire_call_new(client, request, 0, &call, NULL));
  status = modelwire_call_run(call, &response, NULL);
  modelwire_response_free(response);
  modelwire_call_free(call);
  modelwire_request_free(request);
  modelwire_client_free(client);
  return status;
}

static const char begin[] =
    "import logging, os, signal, sys, threading\n"
    "import modelwire\n"
    "MESSAGES = [{'role': 'user', 'content': 'x'}]\n"
    "service = modelwire.testing.Service()\n"
    "client = modelwire.Client(base_url=service.base_url, api_key=service.api_key)\n"
    /* For C, which calls the service that lives in Python's extension. */
    "os.environ['PLAYED'] = ('{\"base_url\": \"%s\", \"api_key\": \"%s\"}'\n"
    "                        % (service.base_url, service.api_key))\n"
    "endless = modelwire.Client()\n"
    "def ask(model='echo'):\n"
    "    return client.chat.completions.create(model=model, messages=MESSAGES)\n"
    "def stream():\n"
    "    return endless.chat.completions.create(model='m', messages=MESSAGES, stream=True)\n"
    "class Kept(logging.Handler):\n"
    "    messages = []\n"
    "    def emit(self, record):\n"
    "        self.messages.append(record.getMessage())\n"
    "logging.getLogger('modelwire').addHandler(Kept())\n";

static const char calls_and_streams[] =
    "opened = stream()\n"
    "for _ in range(20):\n"
    "    assert ask().choices[0].message.content is not None\n"
    "    assert next(opened).choices[0].delta.content == 'x'\n"
    "names = [open(f'/proc/self/task/{task}/comm').read().strip()\n"
    "         for task in os.listdir('/proc/self/task')]\n"
    "assert sum(name.startswith('mw-io') for name in names) == 2, names\n";

static const char interrupted[] =
    "threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
    "try:\n"
    "    for chunk in opened:\n"
    "        pass\n"
    "    raise SystemExit('it ended')\n"
    "except KeyboardInterrupt:\n"
    "    pass\n"
    "opened = stream()\n"
    "next(opened)\n";

static const char forked[] =
    "child = os.fork()\n"
    "if child == 0:\n"
    "    code = 1\n"
    "    try:\n"
    "        ask()\n"
    "        code = 0\n"
    "    finally:\n"
    "        os._exit(code)\n"
    "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0\n"
    "assert next(opened).choices[0].delta.content == 'x'\n";

static const char fails[] =
    "modelwire.enable_logging('WARNING')\n"
    "try:\n"
    "    ask('none')\n"
    "    raise SystemExit('it is there')\n"
    "except modelwire.NotFoundError:\n"
    "    pass\n";

static const char told_of_one[] =
    "modelwire.disable_logging()\n"
    "assert len(Kept.messages) == 1, Kept.messages\n";

/* A child of the host's own calls with both. */
static void fork_in_c(void) {
  int status;
  pid_t child;
  PyOS_BeforeFork();
  child = fork();
  if (child == 0) {
    PyOS_AfterFork_Child();
    python("ask()\n");
    _exit(ask(chat) == MODELWIRE_OK ? 0 : 1);
  }
  PyOS_AfterFork_Parent();
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* What each logs, it logs alone. */
static void log_in_both(void) {
  struct timespec time = {0, 200000000};
  CHECK(!modelwire_queue_log(queue, MODELWIRE_LOG_WARN, RECORD, NULL));
  python(fails);
  /* clock: between two looks */
  nanosleep(&time, NULL);
  CHECK(atomic_load(&records) == 0);
  CHECK(ask(no_model) == MODELWIRE_E_NOT_FOUND);
  /* clock: between two looks */
  nanosleep(&time, NULL);
  CHECK(atomic_load(&records) == 1);
  python(told_of_one);
}

int main(int argc, char **argv) {
  pthread_t thread;
  modelwire_client *client;
  int python_first = argc == 3 && strcmp(argv[2], "python") == 0;
  CHECK(argc == 3);
  CHECK(setenv("PYTHONPATH", argv[1], 1) == 0);
  CHECK(!modelwire_client_new(NULL, 0, &client, NULL));
  CHECK(!modelwire_queue_new(0, &queue, NULL));
  CHECK(!modelwire_queue_submit(queue, client, MODELWIRE_OPERATION_CHAT, chat, MODELWIRE_NUL, 1,
                                STREAM, NULL));
  CHECK(pthread_create(&thread, NULL, takes, NULL) == 0);
  CHECK(goes_on());

  Py_InitializeEx(1);
  python(begin);
  python(calls_and_streams);
  for (int i = 0; i < 20; i++) CHECK(ask(chat) == MODELWIRE_OK);
  CHECK(goes_on());
  python(interrupted);
  CHECK(goes_on());
  python(forked);
  fork_in_c();
  CHECK(goes_on());
  log_in_both();
  CHECK(goes_on());

  if (python_first) {
    CHECK(Py_FinalizeEx() == 0);
    CHECK(goes_on());
    CHECK(modelwire_shutdown(5000) == MODELWIRE_OK);
  } else {
    CHECK(modelwire_shutdown(5000) == MODELWIRE_OK);
    python("ask()\nassert next(opened).choices[0].delta.content == 'x'\n");
    CHECK(Py_FinalizeEx() == 0);
  }
  modelwire_queue_close(queue);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(atomic_load(&ends) == 1);
  modelwire_queue_free(queue);
  modelwire_client_free(client);
  puts("both ended");
  return 0;
}
