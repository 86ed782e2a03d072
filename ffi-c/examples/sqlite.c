/*
 * A SQLite extension: chats in SQL.
 *
 *   cc -shared -fPIC sqlite.c -o modelwire_sqlite.so $(pkg-config --cflags --libs modelwire)
 *   sqlite3 :memory: '.load ./modelwire_sqlite' "SELECT modelwire_chat('echo', 'Say hello.')" \
 *     "SELECT piece FROM modelwire_stream('echo', 'Count to three.')"
 */
#include <modelwire.h>
#include <sqlite3ext.h>
#include <string.h>
SQLITE_EXTENSION_INIT1

/* Sends a chat on its way, with a queue of its own: its waits are interruptible, so that a Ctrl-C
 * in the shell is noticed at once and sqlite3_interrupt of another thread within 100 ms. */
static modelwire_queue *ask(const modelwire_client *client, sqlite3_value **arguments, int stream,
                            modelwire_error **error) {
  modelwire_queue *queue = NULL;
  modelwire_request *request = NULL;
  const char *model = (const char *)sqlite3_value_text(arguments[0]);
  const char *text = (const char *)sqlite3_value_text(arguments[1]);
  if (modelwire_request_new(MODELWIRE_OPERATION_CHAT, NULL, 0, &request, error) ||
      modelwire_request_set_text(request, MODELWIRE_TEXT("model"), MODELWIRE_TEXT(model), error) ||
      modelwire_request_add_message(request, MODELWIRE_TEXT("user"), MODELWIRE_TEXT(text), error) ||
      modelwire_queue_new(MODELWIRE_INTERRUPTIBLE, &queue, error) ||
      modelwire_queue_submit_request(queue, client, request, stream, 0, error)) {
    modelwire_queue_free(queue);
    queue = NULL;
  }
  modelwire_request_free(request);
  return queue;
}

/* The next event, or NULL if the statement is interrupted meanwhile. A statement inside of one that
 * is interrupted is so too; SQLite says it in no other way before 3.41 (sqlite3_is_interrupted). */
static modelwire_event *next_event(sqlite3 *db, const modelwire_queue *queue) {
  modelwire_event *event;
  while (modelwire_queue_next(queue, -1, &event) == MODELWIRE_INTERRUPTED)
    if (sqlite3_exec(db, "SELECT 1", NULL, NULL, NULL) == SQLITE_INTERRUPT) break;
  return event;
}

/* modelwire_chat(model, text) */
static void chat(sqlite3_context *context, int count, sqlite3_value **arguments) {
  modelwire_error *error = NULL;
  modelwire_event *event = NULL;
  modelwire_queue *queue = ask(sqlite3_user_data(context), arguments, 0, &error);
  (void)count;
  if (queue != NULL) event = next_event(sqlite3_context_db_handle(context), queue);
  if (error != NULL) {
    sqlite3_result_error(context, modelwire_error_message(error, NULL), -1);
  } else if (event == NULL) {
    sqlite3_result_error_code(context, SQLITE_INTERRUPT);
  } else {
    size_t length;
    const char *text = modelwire_event_text(event, &length); /* the answer, or what went wrong */
    if (modelwire_event_kind(event) == MODELWIRE_EVENT_RESPONSE)
      sqlite3_result_text64(context, text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
    else
      sqlite3_result_error(context, text, (int)length);
  }
  modelwire_event_free(event);
  modelwire_error_free(error);
  modelwire_queue_free(queue); /* cancels what is not over */
}

/* modelwire_stream(model, text): a table with a row for each piece, read as it is written. */
typedef struct {
  sqlite3_vtab base;
  sqlite3 *db;
  const modelwire_client *client;
} table;

typedef struct {
  sqlite3_vtab_cursor base;
  modelwire_queue *queue;
  modelwire_event *event; /* the piece where the cursor stands, or the end */
  sqlite3_int64 row;
} cursor;

static int table_connect(sqlite3 *db, void *client, int argc, const char *const *argv,
                         sqlite3_vtab **out, char **message) {
  (void)argc, (void)argv, (void)message;
  table *made = sqlite3_malloc(sizeof *made);
  if (made == NULL) return SQLITE_NOMEM;
  *made = (table){.db = db, .client = client};
  *out = &made->base;
  sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
  return sqlite3_declare_vtab(db, "CREATE TABLE x(piece TEXT, model HIDDEN, question HIDDEN)");
}

static int table_disconnect(sqlite3_vtab *given) {
  sqlite3_free(given);
  return SQLITE_OK;
}

/* The two arguments are conditions on the hidden columns: both are needed. */
static int table_plan(sqlite3_vtab *given, sqlite3_index_info *plan) {
  int found = 0;
  (void)given;
  for (int i = 0; i < plan->nConstraint; i++) {
    int column = plan->aConstraint[i].iColumn;
    if (column < 1 || !plan->aConstraint[i].usable ||
        plan->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
      continue;
    plan->aConstraintUsage[i].argvIndex = column;
    plan->aConstraintUsage[i].omit = 1;
    found |= column;
  }
  return found == 3 ? SQLITE_OK : SQLITE_CONSTRAINT;
}

static int cursor_open(sqlite3_vtab *given, sqlite3_vtab_cursor **out) {
  (void)given;
  cursor *made = sqlite3_malloc(sizeof *made);
  if (made == NULL) return SQLITE_NOMEM;
  memset(made, 0, sizeof *made);
  *out = &made->base;
  return SQLITE_OK;
}

static int cursor_close(sqlite3_vtab_cursor *given) {
  cursor *at = (cursor *)given;
  modelwire_event_free(at->event);
  modelwire_queue_free(at->queue); /* cancels a chat that was not read to its end */
  sqlite3_free(at);
  return SQLITE_OK;
}

static int cursor_fail(cursor *at, const char *message) {
  sqlite3_free(at->base.pVtab->zErrMsg);
  at->base.pVtab->zErrMsg = sqlite3_mprintf("%s", message);
  return SQLITE_ERROR;
}

static int cursor_next(sqlite3_vtab_cursor *given) {
  cursor *at = (cursor *)given;
  size_t length = 0;
  do { /* a chunk may have no text: the first and the last of most streams */
    modelwire_event_free(at->event);
    at->event = next_event(((table *)given->pVtab)->db, at->queue);
    if (at->event == NULL) return SQLITE_INTERRUPT;
    if (modelwire_event_kind(at->event) == MODELWIRE_EVENT_ERROR)
      return cursor_fail(at, modelwire_event_text(at->event, NULL));
    modelwire_event_text(at->event, &length);
  } while (length == 0 && modelwire_event_kind(at->event) == MODELWIRE_EVENT_CHUNK);
  at->row++;
  return SQLITE_OK;
}

static int cursor_filter(sqlite3_vtab_cursor *given, int number, const char *text, int argc,
                         sqlite3_value **arguments) {
  cursor *at = (cursor *)given;
  modelwire_error *error = NULL;
  (void)number, (void)text, (void)argc;
  modelwire_queue_free(at->queue);
  at->queue = ask(((table *)given->pVtab)->client, arguments, 1, &error);
  if (at->queue != NULL) return cursor_next(given);
  cursor_fail(at, modelwire_error_message(error, NULL));
  modelwire_error_free(error);
  return SQLITE_ERROR;
}

static int cursor_is_over(sqlite3_vtab_cursor *given) {
  return modelwire_event_kind(((cursor *)given)->event) != MODELWIRE_EVENT_CHUNK;
}

static int cursor_column(sqlite3_vtab_cursor *given, sqlite3_context *context, int column) {
  size_t length;
  const char *text = modelwire_event_text(((cursor *)given)->event, &length);
  if (column == 0)
    sqlite3_result_text64(context, text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
  return SQLITE_OK;
}

static int cursor_row(sqlite3_vtab_cursor *given, sqlite3_int64 *row) {
  *row = ((cursor *)given)->row;
  return SQLITE_OK;
}

static const sqlite3_module stream = {
    .xConnect = table_connect, .xDisconnect = table_disconnect, .xBestIndex = table_plan,
    .xOpen = cursor_open, .xClose = cursor_close, .xFilter = cursor_filter, .xNext = cursor_next,
    .xEof = cursor_is_over, .xColumn = cursor_column, .xRowid = cursor_row};

static void free_client(void *client) { modelwire_client_free(client); }

/* Each database connection has a client of its own, which goes with it. DIRECTONLY: no trigger or
 * view of a database that somebody else wrote may spend money. */
int sqlite3_modelwiresqlite_init(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
  SQLITE_EXTENSION_INIT2(api);
  modelwire_client *client;
  modelwire_error *error;
  if (modelwire_client_new(NULL, 0, &client, &error) != MODELWIRE_OK) {
    *message = sqlite3_mprintf("%s", modelwire_error_message(error, NULL));
    modelwire_error_free(error);
    return SQLITE_ERROR;
  }
  int status = sqlite3_create_function_v2(db, "modelwire_chat", 2, SQLITE_UTF8 | SQLITE_DIRECTONLY,
                                          client, chat, NULL, NULL, free_client);
  if (status != SQLITE_OK) return status; /* the client is freed already */
  return sqlite3_create_module(db, "modelwire_stream", &stream, client);
}
