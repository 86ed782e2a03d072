/*
 * Chats in a game's loop, by SDL: each frame takes what has come, and never waits for it. The window's
 * title shows the newest piece of a text. Ctrl-C, or closing the window, ends the chats.
 *
 *   cc sdl.c -o sdl $(pkg-config --cflags --libs modelwire sdl2)
 *   ./sdl echo "Say hello." "Count to three."
 */
#include <SDL.h>
#include <modelwire.h>
#include <stdio.h>
#include <stdlib.h>

static modelwire_queue *queue;
static int failures;

static void fail(const modelwire_error *error) {
  fprintf(stderr, "%s\n", modelwire_error_report(error, NULL));
  exit(1);
}

/* The tag of a chat is the number of its question. */
static void handle(const modelwire_event *event, char **questions, SDL_Window *window) {
  const char *question = questions[modelwire_event_tag(event)];
  const char *text = modelwire_event_text(event, NULL);
  switch (modelwire_event_kind(event)) {
  case MODELWIRE_EVENT_CHUNK:
    if (*text != '\0') SDL_SetWindowTitle(window, text);
    break;
  case MODELWIRE_EVENT_ERROR:
    fprintf(stderr, "%s failed: %s\n", question, text);
    failures++;
    break;
  default: /* its end, which has the whole text, for the request gathers it */
    printf("%s: %s\n", question, text);
  }
}

/* All that has come, and no wait: an event that comes later is one of the next frame. */
static void take(char **questions, SDL_Window *window) {
  modelwire_event *events[64];
  size_t count;
  while (modelwire_queue_take(queue, 0, events, 64, &count) == MODELWIRE_OK)
    for (size_t i = 0; i < count; i++) {
      handle(events[i], questions, window);
      modelwire_event_free(events[i]);
    }
}

static void ask(const modelwire_client *client, const char *model, const char *question, size_t tag) {
  modelwire_request *request = NULL;
  modelwire_error *error = NULL;
  if (modelwire_request_new(MODELWIRE_OPERATION_CHAT, NULL, 0, &request, &error) ||
      modelwire_request_set_text(request, MODELWIRE_TEXT("model"), MODELWIRE_TEXT(model), &error) ||
      modelwire_request_add_message(request, MODELWIRE_TEXT("user"), MODELWIRE_TEXT(question),
                                    &error) ||
      modelwire_request_set_options(request, MODELWIRE_TEXT("{\"gather\":true}"), &error) ||
      modelwire_queue_submit_request(queue, client, request, 1, tag, &error))
    fail(error);
  modelwire_request_free(request);
}

int main(int argc, char **argv) {
  modelwire_client *client;
  modelwire_error *error;
  if (argc < 3) {
    fprintf(stderr, "usage: %s MODEL TEXT...\n", argv[0]);
    return 2;
  }
  if (modelwire_client_new(NULL, 0, &client, &error) || modelwire_queue_new(0, &queue, &error))
    fail(error);
  SDL_Window *window = NULL;
  SDL_Renderer *renderer = NULL;
  if (SDL_Init(SDL_INIT_VIDEO) || SDL_CreateWindowAndRenderer(320, 240, 0, &window, &renderer)) {
    fprintf(stderr, "%s\n", SDL_GetError());
    return 1;
  }
  for (int i = 2; i < argc; i++) ask(client, argv[1], argv[i], (size_t)i);

  /* A game goes on; this one ends with its chats. */
  while (modelwire_queue_count(queue) > 0) {
    SDL_Event event;
    while (SDL_PollEvent(&event))
      if (event.type == SDL_QUIT) modelwire_queue_close(queue); /* each chat ends: cancelled */
    take(argv, window);
    SDL_RenderClear(renderer);
    SDL_RenderPresent(renderer);
    SDL_Delay(16);
  }

  modelwire_queue_free(queue);
  modelwire_client_free(client);
  SDL_DestroyRenderer(renderer);
  SDL_DestroyWindow(window);
  SDL_Quit();
  return failures != 0;
}
