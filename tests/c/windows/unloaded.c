/*
 * Frees modelwire.dll while calls are under way: its code stays, for its threads run in it. Its argument is
 * the file; it is not linked with the library.
 */
#define MODELWIRE_DLOPEN
#include <modelwire.h>

#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#define CHECK(condition) \
  ((condition) ? (void)0 : (fprintf(stderr, "%d: %s\n", __LINE__, #condition), exit(1)))

#define FUNCTIONS(DO)                                                                   \
  DO(version) DO(client_new) DO(client_free) DO(queue_new) DO(queue_free) DO(queue_next) \
  DO(queue_submit) DO(event_kind) DO(event_free)

#define DECLARE(name) static __typeof__(&modelwire_##name) name;
FUNCTIONS(DECLARE)

static HMODULE load(const char *path) {
  HMODULE library = LoadLibraryA(path);
  CHECK(library != NULL);
#define FIND(name) CHECK((*(FARPROC *)&name = GetProcAddress(library, "modelwire_" #name)) != NULL);
  FUNCTIONS(FIND)
  return library;
}

static int is_loaded(void) { return GetModuleHandleA("modelwire.dll") != NULL; }

static DWORD WINAPI take_to_the_end(void *queue) {
  for (int is_over = 0; !is_over;) {
    modelwire_event *event = NULL;
    CHECK(queue_next(queue, 60000, &event) == MODELWIRE_OK);
    int32_t kind = event_kind(event);
    event_free(event);
    CHECK(kind != MODELWIRE_EVENT_ERROR);
    is_over = kind == MODELWIRE_EVENT_RESPONSE;
  }
  return 0;
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  /* Before there is a thread of its own it goes like any other. */
  HMODULE library = load(argv[1]);
  CHECK(version() != NULL);
  CHECK(FreeLibrary(library) && !is_loaded());

  static const char CHAT[] =
      "{\"model\":\"echo\",\"messages\":[{\"role\":\"user\",\"content\":\"one two three\"}]}";
  library = load(argv[1]);
  modelwire_client *client = NULL;
  modelwire_queue *queue = NULL;
  CHECK(client_new(NULL, 0, &client, NULL) == MODELWIRE_OK);
  CHECK(queue_new(0, &queue, NULL) == MODELWIRE_OK);
  CHECK(queue_submit(queue, client, MODELWIRE_OPERATION_CHAT, CHAT, MODELWIRE_NUL, 1, 1, NULL) ==
        MODELWIRE_OK);
  for (int frees = 0; frees < 3; frees++) FreeLibrary(library);
  CHECK(is_loaded());
  /* Also on a thread that ends with what the library left in it. */
  HANDLE thread = CreateThread(NULL, 0, take_to_the_end, queue, 0, NULL);
  CHECK(thread != NULL && WaitForSingleObject(thread, 60000) == WAIT_OBJECT_0);
  queue_free(queue);
  client_free(client);
  CHECK(is_loaded());
  return 0;
}
