/*
 * A PostgreSQL extension: chats in SQL. Cancelling a statement, terminating a backend and
 * statement_timeout end a chat that is waited for at once, and close its exchange.
 *
 *   SET modelwire.model = 'echo';
 *   SELECT modelwire_chat('Say hello.');
 *   SELECT modelwire_stream('Count to three.');   -- a row for each piece, as it comes
 *
 * Rows come as they are written where the function stands behind SELECT, best under a cursor;
 * behind FROM, PostgreSQL reads them all first.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/latch.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"

#include <modelwire.h>

PG_MODULE_MAGIC;
PG_FUNCTION_INFO_V1(modelwire_chat);
PG_FUNCTION_INFO_V1(modelwire_stream);
void _PG_init(void);

static char *model, *options;
static modelwire_client *client; /* one a process; one that was made before the fork serves too */

/* All that a chat holds of the library. It goes with a memory context, so also when an error is
 * raised; freeing the queue cancels what is not over. */
typedef struct {
  MemoryContextCallback end;
  modelwire_queue *queue;
  modelwire_request *request;
  modelwire_event *event;
  modelwire_error *error;
} Chat;

static void free_chat(void *given) {
  Chat *chat = given;
  modelwire_event_free(chat->event);
  modelwire_error_free(chat->error);
  modelwire_request_free(chat->request);
  modelwire_queue_free(chat->queue);
}

/* The library speaks UTF-8, whatever the database does. */
static char *to_server(const char *utf8, size_t length) {
  return pg_any_to_server(utf8, (int)length, PG_UTF8);
}

static void fail(const modelwire_error *error) {
  size_t message_length, hint_length = 0;
  const char *message = modelwire_error_message(error, &message_length);
  const char *hint = modelwire_value_text(modelwire_error_value(error), MODELWIRE_TEXT("/hint"),
                                          &hint_length);
  ereport(ERROR, (errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
                  errmsg("%s", to_server(message, message_length)),
                  hint_length > 0 ? errhint("%s", to_server(hint, hint_length)) : 0));
}

static Chat *ask(MemoryContext context, text *question, int stream) {
  Chat *chat = MemoryContextAllocZero(context, sizeof *chat);
  const char *utf8 = pg_server_to_any(VARDATA_ANY(question), (int)VARSIZE_ANY_EXHDR(question),
                                      PG_UTF8);
  size_t length = utf8 == VARDATA_ANY(question) ? VARSIZE_ANY_EXHDR(question) : strlen(utf8);
  chat->end = (MemoryContextCallback){.func = free_chat, .arg = chat};
  MemoryContextRegisterResetCallback(context, &chat->end);
  if ((client == NULL && modelwire_client_new(MODELWIRE_TEXT(options), &client, &chat->error)) ||
      modelwire_request_new(MODELWIRE_OPERATION_CHAT, NULL, 0, &chat->request, &chat->error) ||
      modelwire_request_set_text(chat->request, MODELWIRE_TEXT("model"), MODELWIRE_TEXT(model),
                                 &chat->error) ||
      modelwire_request_add_message(chat->request, MODELWIRE_TEXT("user"), utf8, length,
                                    &chat->error) ||
      modelwire_queue_new(0, &chat->queue, &chat->error) ||
      modelwire_queue_submit_request(chat->queue, client, chat->request, stream, 0, &chat->error))
    fail(chat->error);
  return chat;
}

/* The next event that is no error. The latch wakes it for whatever the backend is told: then
 * CHECK_FOR_INTERRUPTS raises the error, and does not come back. Whoever would rather not know of
 * latches makes the queue with MODELWIRE_INTERRUPTIBLE, and checks when modelwire_queue_next gives
 * MODELWIRE_INTERRUPTED. */
static const modelwire_event *next_event(Chat *chat) {
  modelwire_status status;
  modelwire_event_free(chat->event);
  while ((status = modelwire_queue_next(chat->queue, 0, &chat->event)) == MODELWIRE_TIMEOUT) {
    WaitLatchOrSocket(MyLatch, WL_LATCH_SET | WL_SOCKET_READABLE | WL_EXIT_ON_PM_DEATH,
                      modelwire_queue_fd(chat->queue), -1, PG_WAIT_EXTENSION);
    ResetLatch(MyLatch);
    CHECK_FOR_INTERRUPTS();
  }
  if (status != MODELWIRE_OK) elog(ERROR, "modelwire: %s", modelwire_status_name(status));
  if (modelwire_event_kind(chat->event) == MODELWIRE_EVENT_ERROR)
    fail(modelwire_event_error(chat->event));
  return chat->event;
}

static Datum text_of(const modelwire_event *event) {
  size_t length;
  const char *utf8 = modelwire_event_text(event, &length);
  const char *text = to_server(utf8, length);
  if (text != utf8) length = strlen(text);
  return PointerGetDatum(cstring_to_text_with_len(text, (int)length));
}

Datum modelwire_chat(PG_FUNCTION_ARGS) {
  return text_of(next_event(ask(CurrentMemoryContext, PG_GETARG_TEXT_PP(0), 0)));
}

Datum modelwire_stream(PG_FUNCTION_ARGS) {
  FuncCallContext *call;
  const modelwire_event *event;
  if (SRF_IS_FIRSTCALL()) {
    call = SRF_FIRSTCALL_INIT();
    call->user_fctx = ask(call->multi_call_memory_ctx, PG_GETARG_TEXT_PP(0), 1);
  }
  call = SRF_PERCALL_SETUP();
  for (;;) {
    size_t length;
    CHECK_FOR_INTERRUPTS();
    event = next_event(call->user_fctx);
    if (modelwire_event_kind(event) != MODELWIRE_EVENT_CHUNK) SRF_RETURN_DONE(call);
    modelwire_event_text(event, &length);
    if (length > 0) SRF_RETURN_NEXT(call, text_of(event)); /* a chunk may have no text */
  }
}

void _PG_init(void) {
  modelwire_error *error = NULL;
  DefineCustomStringVariable("modelwire.model", "Who answers.", NULL, &model, "", PGC_USERSET, 0,
                             NULL, NULL, NULL);
  /* The key belongs in the server's environment: while this module is not loaded, anybody may
   * read a setting by this name. */
  DefineCustomStringVariable("modelwire.options", "Options of the client, a JSON object.", NULL,
                             &options, "{}", PGC_SIGHUP, GUC_SUPERUSER_ONLY, NULL, NULL, NULL);
  /* Preloaded: what is wrong with the settings is said as the server starts, and every backend has
   * the client from the fork. It has neither threads nor connections before a call. */
  if (process_shared_preload_libraries_in_progress &&
      modelwire_client_new(MODELWIRE_TEXT(options), &client, &error) != MODELWIRE_OK)
    ereport(WARNING, (errmsg("%s", modelwire_error_message(error, NULL))));
  modelwire_error_free(error);
}
