/*
 * The C scenarios of the benchmark: a stream by callback, plain calls one after another. Prints
 * the CPU time that each operation took in this process. Knows no other client.
 *
 *   bench SCENARIO BASE_URL COUNT
 */
#include <modelwire.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static const char CHAT[] =
    "{\"model\":\"bench\",\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}";

static double cpu_us(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return 1e6 * (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static double wall_us(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static void fail(const char *what) {
  fprintf(stderr, "bench: %s failed\n", what);
  exit(EXIT_FAILURE);
}

struct seen {
  long events;
  size_t text_bytes;
};

static int32_t count(void *user_data, const modelwire_event *event) {
  struct seen *seen = user_data;
  size_t length;
  modelwire_event_text(event, &length);
  seen->events++;
  seen->text_bytes += length;
  return 0;
}

static void run(modelwire_client *client, modelwire_request *request, int stream, long expected) {
  modelwire_call *call = NULL;
  modelwire_response *answer = NULL;
  struct seen seen = {0, 0};
  if (modelwire_call_new(client, request, &call, NULL) != MODELWIRE_OK) fail("call_new");
  if (stream) {
    if (modelwire_call_stream(call, count, &seen, &answer, NULL) != MODELWIRE_OK) fail("stream");
    if (seen.events <= expected || seen.text_bytes < (size_t)expected) fail("counting");
  } else {
    size_t length;
    if (modelwire_call_run(call, &answer, NULL) != MODELWIRE_OK) fail("run");
    modelwire_response_text(answer, &length);
    if (length == 0) fail("text");
  }
  modelwire_response_free(answer);
  modelwire_call_free(call);
}

int main(int argc, char **argv) {
  modelwire_config *config = modelwire_config_new();
  modelwire_client *client = NULL;
  modelwire_request *request = NULL;
  if (argc != 4) fail("usage: bench c-stream|c-plain BASE_URL COUNT;");
  long count_wanted = atol(argv[3]);
  int stream = strcmp(argv[1], "c-stream") == 0;
  double cpu = cpu_us(), wall = wall_us();
  modelwire_config_set_base_url(config, argv[2], MODELWIRE_NUL);
  modelwire_config_set_api_key(config, "sk-test", MODELWIRE_NUL);
  if (modelwire_client_new(config, &client, NULL) != MODELWIRE_OK) fail("client_new");
  if (modelwire_request_chat_json(CHAT, MODELWIRE_NUL, &request, NULL) != MODELWIRE_OK) {
    fail("request");
  }
  if (stream) run(client, request, 1, count_wanted);
  for (long i = 0; !stream && i < count_wanted; i++) run(client, request, 0, 0);
  double n = (double)count_wanted;
  printf("%.4f %.4f %ld\n", (cpu_us() - cpu) / n, (wall_us() - wall) / n, count_wanted);
  modelwire_request_free(request);
  modelwire_client_free(client);
  modelwire_config_free(config);
  return modelwire_shutdown(5000) == MODELWIRE_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
