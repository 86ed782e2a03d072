/*
 * What programs that look at themselves share: a check that ends them, and how many threads they have.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CHECK(condition) \
  ((condition) ? (void)0 : (fprintf(stderr, "%d: %s\n", __LINE__, #condition), exit(1)))

static int threads(void) {
  int count = -2;
  DIR *folder = opendir("/proc/self/task");
  CHECK(folder != NULL);
  while (readdir(folder) != NULL) count++;
  CHECK(closedir(folder) == 0);
  return count;
}

/* A thread is gone from there a moment after it was joined. */
static int threads_are(int count) {
  struct timespec moment = {0, 1000000};
  for (int looks = 0; looks < 60000; looks++) {
    if (threads() == count) return 1;
    nanosleep(&moment, NULL); /* clock: between two looks */
  }
  fprintf(stderr, "%d threads\n", threads());
  return 0;
}
