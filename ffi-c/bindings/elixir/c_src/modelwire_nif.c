/*
 * The C half of modelwire for Elixir; modelwire.ex says how it is built and used.
 *
 * All calls of the virtual machine share a completion queue. One process, the router, waits for
 * events by enif_select, and adds each to the list of its call. A reader takes the whole list,
 * and gets a message only if it found nothing. A call whose reader is behind is paused.
 * Nothing waits here; dirty schedulers do what may take long.
 */
#include <erl_nif.h>
#include <modelwire.h>
#include <string.h>

#define PAUSED_AT 128    /* as many unread chunks pause their call */
#define COPIED_MAX 4096  /* longer texts are not copied: their binary keeps the event */
#define DIRTY_FROM 65536 /* bytes of a request that a normal scheduler does not check */
#define NIF(name) static ERL_NIF_TERM name(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
#define REQUIRE(condition) if (!(condition)) return enif_make_badarg(env)
#define RESOURCE(name, type) \
  struct name *name; REQUIRE(enif_get_resource(env, argv[0], types[type], (void **)&name))

/* An event that binaries point into. It lives as long as they do. */
struct event { modelwire_event *event; struct event *older; };

/* One call; its address is its tag. The queue holds it until its last event. */
struct call {
  struct event *newest; /* the unread chunks, linked from the newest to the oldest */
  struct event *last;
  size_t unread;
  ErlNifPid owner;
  int is_awaited, is_left; /* the owner waits for a message; nobody wants the call any more */
};

/* What Elixir has of a call: when it is garbage, nobody can read the call any more. */
struct handle { struct call *call; };
struct client { modelwire_client *client; };

/* It lives as long as the virtual machine, also when the module is loaded anew. */
static struct shared {
  ErlNifMutex *lock; /* guards the members of all calls, and the order in which events are laid */
  modelwire_queue *queue;
} *shared;

enum { EVENT, CALL, HANDLE, CLIENT, SHARED, TYPES };
static ErlNifResourceType *types[TYPES];
static uint64_t tag_of(const struct call *call) { return (uint64_t)(uintptr_t)call; }
static ERL_NIF_TERM atom(ErlNifEnv *env, const char *name) { return enif_make_atom(env, name); }

/* What an accessor of the event gives. */
static ERL_NIF_TERM field(ErlNifEnv *env, struct event *event,
                          const char *(*get)(const modelwire_event *, size_t *)) {
  size_t length = 0;
  const char *text = get(event->event, &length);
  if (length > COPIED_MAX) return enif_make_resource_binary(env, event, text, length);
  ERL_NIF_TERM term;
  unsigned char *bytes = enif_make_new_binary(env, length, &term);
  if (length > 0) memcpy(bytes, text, length);
  return term;
}

static const char *info_of(const modelwire_event *event, size_t *length) {
  return modelwire_value_json(modelwire_event_info(event), "", 0, length);
}

/* {Kind, Text, Name, Json}; a response has what is known of it in place of a name. */
static ERL_NIF_TERM term_of(ErlNifEnv *env, struct event *event) {
  int kind = modelwire_event_kind(event->event), is_response = kind == MODELWIRE_EVENT_RESPONSE;
  return enif_make_tuple4(env, enif_make_int(env, kind), field(env, event, modelwire_event_text),
                          field(env, event, is_response ? info_of : modelwire_event_name),
                          field(env, event, modelwire_event_json));
}

/* {ok, Made}, or {error, Json} where there is an error. */
static ERL_NIF_TERM result(ErlNifEnv *env, void *made, modelwire_error *error) {
  size_t length = 0;
  const char *json = modelwire_error_json(error, &length);
  ERL_NIF_TERM term = enif_make_resource(env, made);
  if (error != NULL) memcpy(enif_make_new_binary(env, length, &term), json, length);
  modelwire_error_free(error);
  enif_release_resource(made);
  return enif_make_tuple2(env, atom(env, error == NULL ? "ok" : "error"), term);
}

static void lay(ErlNifEnv *env, struct event *event, int is_chunk) {
  struct call *call = (struct call *)(uintptr_t)modelwire_event_tag(event->event);
  if (is_chunk) event->older = call->newest;
  *(is_chunk ? &call->newest : &call->last) = event;
  if (is_chunk && ++call->unread == PAUSED_AT && !call->is_left) /* paused, it would not end */
    modelwire_queue_pause(shared->queue, tag_of(call));
  ERL_NIF_TERM tag = enif_make_uint64(env, tag_of(call));
  if (call->is_awaited)
    enif_send(env, &call->owner, NULL, enif_make_tuple2(env, atom(env, "modelwire"), tag));
  call->is_awaited = 0;
  if (!is_chunk) enif_release_resource(call);
}

/* The records of the log and of calls among what was taken; or idle, and a message comes when there is more. */
NIF(dispatch) {
  modelwire_event *taken[64];
  ERL_NIF_TERM records = enif_make_list(env, 0);
  size_t count = 0;
  enif_mutex_lock(shared->lock);
  modelwire_queue_take(shared->queue, 0, taken, sizeof taken / sizeof *taken, &count);
  for (size_t i = 0; i < count; i++) {
    int32_t kind = modelwire_event_kind(taken[i]);
    struct event *event = enif_alloc_resource(types[EVENT], sizeof *event);
    *event = (struct event){taken[i], NULL};
    if (kind == MODELWIRE_EVENT_LOG || kind == MODELWIRE_EVENT_CALL)
      records = enif_make_list_cell(env, field(env, event, modelwire_event_json), records);
    if (kind < MODELWIRE_EVENT_CHUNK || kind > MODELWIRE_EVENT_ERROR) enif_release_resource(event);
    else lay(env, event, kind == MODELWIRE_EVENT_CHUNK);
  }
  enif_mutex_unlock(shared->lock);
  enif_consume_timeslice(env, (int)count / 8 + 1); /* percent: an event takes about a microsecond */
  if (count > 0) return records;
  int rc = enif_select(env, modelwire_queue_fd(shared->queue), ERL_NIF_SELECT_READ, shared, NULL,
                       atom(env, "undefined"));
  return rc < 0 ? enif_raise_exception(env, atom(env, "no_descriptor")) : atom(env, "idle");
}

/* The chunks that are there, or the last event; or a number, and {modelwire, Number} comes. */
NIF(read) {
  RESOURCE(handle, HANDLE);
  struct call *call = handle->call;
  ERL_NIF_TERM found = enif_make_list(env, 0);
  enif_mutex_lock(shared->lock);
  struct event *event = call->newest, *last = call->last, *older;
  if (call->unread >= PAUSED_AT) modelwire_queue_resume(shared->queue, tag_of(call));
  call->newest = NULL;
  call->unread = 0;
  call->is_awaited = event == NULL && last == NULL;
  enif_mutex_unlock(shared->lock);
  if (event == NULL)
    return last ? enif_make_list1(env, term_of(env, last)) : enif_make_uint64(env, tag_of(call));
  for (; event != NULL; event = older) {
    older = event->older;
    event->older = NULL;
    found = enif_make_list_cell(env, term_of(env, event), found);
    enif_release_resource(event);
  }
  return found;
}

/* Client, operation, JSON (empty for none), options as JSON, 1 for a stream. */
NIF(submit) {
  int operation, stream;
  ErlNifBinary json, options;
  RESOURCE(client, CLIENT);
  REQUIRE(enif_get_int(env, argv[1], &operation) && enif_get_int(env, argv[4], &stream));
  REQUIRE(enif_inspect_binary(env, argv[2], &json) && enif_inspect_binary(env, argv[3], &options));
  if (json.size > DIRTY_FROM && enif_thread_type() == ERL_NIF_THR_NORMAL_SCHEDULER)
    return enif_schedule_nif(env, "submit", ERL_NIF_DIRTY_JOB_CPU_BOUND, submit, argc, argv);
  const char *text = json.size > 0 ? (const char *)json.data : NULL;
  modelwire_request *request = NULL;
  modelwire_error *error = NULL;
  struct handle *handle = enif_alloc_resource(types[HANDLE], sizeof *handle);
  struct call *call = handle->call = enif_alloc_resource(types[CALL], sizeof *call);
  memset(call, 0, sizeof *call);
  enif_monitor_process(env, call, enif_self(env, &call->owner), NULL);
  enif_keep_resource(call);
  if (modelwire_request_new(operation, text, json.size, &request, &error) < 0 ||
      modelwire_request_set_options(request, (char *)options.data, options.size, &error) < 0 ||
      modelwire_queue_submit_request(shared->queue, client->client, request, stream, tag_of(call),
                                     &error) < 0)
    enif_release_resource(call);
  modelwire_request_free(request);
  return result(env, handle, error);
}

/* The process that made the call is gone, or nobody can read it any more. */
static void end_call(ErlNifEnv *env, void *call, ErlNifPid *owner, ErlNifMonitor *monitor) {
  enif_mutex_lock(shared->lock);
  ((struct call *)call)->is_left = 1;
  modelwire_queue_cancel(shared->queue, tag_of(call));
  enif_mutex_unlock(shared->lock);
}

NIF(cancel) {
  RESOURCE(handle, HANDLE);
  end_call(env, handle->call, NULL, NULL);
  return atom(env, "ok");
}

/* Options, and 1 where dispatch is to give records of the client's calls. */
NIF(open_client) {
  int is_followed;
  ErlNifBinary options;
  REQUIRE(enif_inspect_binary(env, argv[0], &options) && enif_get_int(env, argv[1], &is_followed));
  modelwire_error *error = NULL;
  struct client *client = enif_alloc_resource(types[CLIENT], sizeof *client);
  if (!modelwire_client_new((const char *)options.data, options.size, &client->client, &error))
    modelwire_queue_follow_calls(shared->queue, client->client, is_followed, 0, &error);
  return result(env, client, error);
}

NIF(close_client) {
  RESOURCE(client, CLIENT);
  modelwire_client_close(client->client, -1, NULL);
  return atom(env, "ok");
}

NIF(set_log) {
  int level;
  REQUIRE(enif_get_int(env, argv[0], &level) && !modelwire_queue_log(shared->queue, level, 0, 0));
  return atom(env, "ok");
}

NIF(unfinished) { return enif_make_uint64(env, modelwire_queue_count(shared->queue)); }

static void free_handle(ErlNifEnv *env, void *handle) {
  end_call(env, ((struct handle *)handle)->call, NULL, NULL);
  enif_release_resource(((struct handle *)handle)->call);
}

static void free_call(ErlNifEnv *env, void *freed) {
  struct call *call = freed;
  if (call->newest != NULL) enif_release_resource(call->newest);
  if (call->last != NULL) enif_release_resource(call->last);
}

static void free_event(ErlNifEnv *env, void *freed) {
  struct event *event = freed;
  if (event->older != NULL) enif_release_resource(event->older);
  modelwire_event_free(event->event);
}

static void free_client(ErlNifEnv *env, void *client) {
  modelwire_client_free(((struct client *)client)->client);
}

/* enif_select asks for it; the descriptor lives as long as the virtual machine. */
static void stop(ErlNifEnv *env, void *selected, ErlNifEvent descriptor, int is_direct) {}

static int adopt(ErlNifEnv *env, void **data, void **old_data, ERL_NIF_TERM info) {
  const char *names[TYPES] = {"event", "call", "handle", "client", "shared"};
  const ErlNifResourceTypeInit inits[TYPES] = {{free_event}, {free_call, .down = end_call},
                                               {free_handle}, {free_client}, {.stop = stop}};
  const ErlNifResourceFlags flags = ERL_NIF_RT_CREATE | ERL_NIF_RT_TAKEOVER;
  for (int i = 0; i < TYPES; i++)
    if (!(types[i] = enif_open_resource_type_x(env, names[i], &inits[i], flags, NULL))) return 1;
  *data = shared = old_data ? *old_data : enif_alloc_resource(types[SHARED], sizeof *shared);
  if (old_data != NULL) return 0;
  shared->lock = enif_mutex_create("modelwire");
  return modelwire_queue_new(0, &shared->queue, NULL) < 0 || modelwire_queue_fd(shared->queue) < 0;
}

static int load(ErlNifEnv *env, void **to, ERL_NIF_TERM info) { return adopt(env, to, NULL, info); }

static ErlNifFunc functions[] = {
    {"dispatch", 0, dispatch}, {"read", 1, read}, {"submit", 5, submit}, {"cancel", 1, cancel},
    {"log", 1, set_log}, {"unfinished", 0, unfinished},
    {"client", 2, open_client, ERL_NIF_DIRTY_JOB_IO_BOUND},
    {"close", 1, close_client, ERL_NIF_DIRTY_JOB_IO_BOUND}};
ERL_NIF_INIT(Elixir.Modelwire.Native, functions, load, NULL, adopt, NULL)
