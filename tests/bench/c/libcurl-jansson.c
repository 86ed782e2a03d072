/*
 * libcurl and jansson, written by hand as their manuals show: one easy handle, used again.
 */
#include "curl.h"

static struct seen work(const struct task *task) {
  struct seen seen = {0, 0};
  struct body body = {NULL, 0, 0, 0, &seen, 0};
  struct target target = target_of(task);
  CURL *curl = handle_for(&target, &body);
  for (unsigned long i = 0; i < (target.stream ? 1 : task->operations); i++) {
    finish(curl, curl_easy_perform(curl), &target, &body);
  }
  curl_easy_cleanup(curl);
  curl_slist_free_all(target.headers);
  free(body.bytes);
  return seen;
}

int main(int argc, char **argv) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
  return measure(argc, argv, work);
}
