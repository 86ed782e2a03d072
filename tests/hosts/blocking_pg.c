/*
 * modelwire_blocking(text): a chat in PostgreSQL by a blocking call that was made interruptible, by
 * whose waits alone the backend hears what it is told: no queue, no latch.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include <modelwire.h>

PG_MODULE_MAGIC;
PG_FUNCTION_INFO_V1(modelwire_blocking);

static modelwire_client *client;

static void free_call(void *call) { modelwire_call_free(call); }

Datum modelwire_blocking(PG_FUNCTION_ARGS) {
  modelwire_request *request = NULL;
  modelwire_call *call = NULL;
  modelwire_response *response = NULL;
  modelwire_error *error = NULL;
  modelwire_status status;
  MemoryContextCallback *end = palloc0(sizeof *end);
  text *answer;
  if ((client == NULL && modelwire_client_new(NULL, 0, &client, &error)) ||
      modelwire_request_new(MODELWIRE_OPERATION_CHAT, NULL, 0, &request, &error) ||
      modelwire_request_set_text(request, "model", MODELWIRE_NUL, "any", MODELWIRE_NUL, &error) ||
      modelwire_request_add_message(request, "user", MODELWIRE_NUL,
                                    text_to_cstring(PG_GETARG_TEXT_PP(0)), MODELWIRE_NUL, &error) ||
      modelwire_call_new(client, request, MODELWIRE_INTERRUPTIBLE, &call, &error))
    elog(ERROR, "%s", modelwire_error_message(error, NULL));
  modelwire_request_free(request);
  end->func = free_call;
  end->arg = call;
  MemoryContextRegisterResetCallback(CurrentMemoryContext, end);
  while ((status = modelwire_call_run(call, &response, &error)) == MODELWIRE_INTERRUPTED)
    CHECK_FOR_INTERRUPTS();
  if (status != MODELWIRE_OK) elog(ERROR, "%s", modelwire_error_message(error, NULL));
  answer = cstring_to_text(modelwire_response_text(response, NULL));
  modelwire_response_free(response);
  PG_RETURN_TEXT_P(answer);
}
