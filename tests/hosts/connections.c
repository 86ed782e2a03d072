/*
 * Connections to SQLite on many threads, with the extension whose path is the second argument. The
 * first is "close": each thread opens a connection, asks and closes it, round after round; the
 * extension is loaded and unloaded each time, and no thread and no descriptor may stay. Or it is
 * "interrupt": a statement that waits is interrupted by another thread; how long that took is
 * printed, in seconds.
 */
#include <dirent.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECK(condition) \
  ((condition) ? (void)0 : (fprintf(stderr, "%d: %s\n", __LINE__, #condition), exit(1)))

enum { THREADS = 20, ROUNDS = 10, TRIES = 7 };

static const char *extension;

static sqlite3 *opened(void) {
  sqlite3 *db;
  char *message = NULL;
  CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK);
  CHECK(sqlite3_enable_load_extension(db, 1) == SQLITE_OK);
  if (sqlite3_load_extension(db, extension, NULL, &message) != SQLITE_OK) {
    fprintf(stderr, "%s\n", message);
    exit(1);
  }
  return db;
}

static void *ask(void *unused) {
  sqlite3 *db = opened();
  sqlite3_stmt *statement;
  const char *sql = "SELECT modelwire_chat('echo', 'hello'), "
                    "(SELECT group_concat(piece, '') FROM modelwire_stream('echo', 'a b'))";
  CHECK(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK);
  CHECK(sqlite3_step(statement) == SQLITE_ROW);
  CHECK(strcmp((const char *)sqlite3_column_text(statement, 0), "hello") == 0);
  CHECK(strcmp((const char *)sqlite3_column_text(statement, 1), "a b") == 0);
  CHECK(sqlite3_finalize(statement) == SQLITE_OK);
  CHECK(sqlite3_close(db) == SQLITE_OK);
  return unused;
}

static int entries(const char *path) {
  int count = 0;
  DIR *folder = opendir(path);
  CHECK(folder != NULL);
  while (readdir(folder) != NULL) count++;
  CHECK(closedir(folder) == 0);
  return count;
}

static void one_round(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, ask, NULL) == 0);
  for (int i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
}

static void close_again_and_again(void) {
  int threads = 0, descriptors = 0, settled = 0;
  one_round();
  threads = entries("/proc/self/task");
  descriptors = entries("/proc/self/fd");
  for (int round = 1; round < ROUNDS; round++) one_round();
  /* What ends soon after a client and not with it: connections. */
  for (int looks = 0; looks < 2000 && !settled; looks++) {
    struct timespec moment = {0, 10000000};
    settled = entries("/proc/self/task") <= threads && entries("/proc/self/fd") <= descriptors;
    /* clock: between two looks */
    if (!settled) nanosleep(&moment, NULL);
  }
  CHECK(settled);
}

static double now(void) {
  struct timespec time;
  CHECK(clock_gettime(CLOCK_MONOTONIC, &time) == 0);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double interrupted_at;
/* Longer each time, so that it is no multiple of what a wait looks after by itself. */
static long soon_ns = 300000000;

static void *interrupt_soon(void *db) {
  struct timespec soon = {0, soon_ns += 17000000};
  /* clock: between two looks */
  nanosleep(&soon, NULL);
  interrupted_at = now();
  sqlite3_interrupt(db);
  return NULL;
}

static void interrupt(const char *sql) {
  sqlite3 *db = opened();
  for (int i = 0; i < TRIES; i++) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, interrupt_soon, db) == 0);
    CHECK(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_INTERRUPT);
    double ended_at = now();
    CHECK(pthread_join(thread, NULL) == 0);
    printf("%.6f\n", ended_at - interrupted_at);
  }
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

int main(int argc, char **argv) {
  CHECK(argc == 3);
  extension = argv[2];
  if (strcmp(argv[1], "close") == 0) {
    close_again_and_again();
  } else {
    interrupt("SELECT modelwire_chat('a', 'b')");
    interrupt("SELECT piece FROM modelwire_stream('a', 'b')");
  }
  return 0;
}
