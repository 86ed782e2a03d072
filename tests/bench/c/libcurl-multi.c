/*
 * libcurl's multi interface and jansson: as many easy handles as there are requests at the same time, on one
 * thread, each used again when its answer has come.
 */
#include "curl.h"

/* A handle and its answer. */
struct transfer {
  CURL *curl;
  struct body body;
};

static struct seen work(const struct task *task) {
  struct seen seen = {0, 0};
  struct target target = target_of(task);
  struct transfer *transfers = calloc(task->at_once, sizeof *transfers);
  unsigned long in_all = target.stream ? task->at_once : task->operations;
  unsigned long started = 0, done = 0;
  CURLM *multi = curl_multi_init();
  if (multi == NULL || transfers == NULL) fail("memory");
  for (; started < task->at_once; started++) {
    struct transfer *transfer = &transfers[started];
    transfer->body.seen = &seen;
    transfer->curl = handle_for(&target, &transfer->body);
    curl_easy_setopt(transfer->curl, CURLOPT_PRIVATE, transfer);
    if (curl_multi_add_handle(multi, transfer->curl) != CURLM_OK) fail("curl_multi_add_handle");
  }
  while (done < in_all) {
    int running, queued;
    CURLMsg *message;
    if (curl_multi_perform(multi, &running) != CURLM_OK) fail("curl_multi_perform");
    while ((message = curl_multi_info_read(multi, &queued)) != NULL) {
      struct transfer *transfer;
      if (message->msg != CURLMSG_DONE) continue;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&transfer);
      finish(transfer->curl, message->data.result, &target, &transfer->body);
      curl_multi_remove_handle(multi, transfer->curl);
      done++;
      if (started < in_all) {
        started++;
        if (curl_multi_add_handle(multi, transfer->curl) != CURLM_OK) fail("curl_multi_add_handle");
      }
    }
    if (done < in_all && curl_multi_poll(multi, NULL, 0, 1000, NULL) != CURLM_OK) {
      fail("curl_multi_poll");
    }
  }
  for (unsigned long i = 0; i < task->at_once; i++) {
    curl_easy_cleanup(transfers[i].curl);
    free(transfers[i].body.bytes);
  }
  curl_multi_cleanup(multi);
  curl_slist_free_all(target.headers);
  free(transfers);
  return seen;
}

int main(int argc, char **argv) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
  return measure(argc, argv, work);
}
