/*
 * What the clients of libcurl and jansson share: a write callback that splits the body into events and
 * parses each, and a handle that asks for one answer.
 */
#ifndef BENCH_CURL_H
#define BENCH_CURL_H

#include <curl/curl.h>
#include <jansson.h>

#include "measure.h"

/* What has come of the body and was not used yet. */
struct body {
  char *bytes;
  size_t length, room, used;
  struct seen *seen;
  int done;
};

static void keep(struct body *body, const char *bytes, size_t length) {
  if (body->used > 0) {
    memmove(body->bytes, body->bytes + body->used, body->length - body->used);
    body->length -= body->used;
    body->used = 0;
  }
  if (body->length + length > body->room) {
    body->room = 2 * (body->length + length);
    body->bytes = realloc(body->bytes, body->room);
    if (body->bytes == NULL) fail("realloc");
  }
  memcpy(body->bytes + body->length, bytes, length);
  body->length += length;
}

/* The text of choices[0].delta or choices[0].message. */
static void read_choice(struct seen *seen, const char *json, size_t length, const char *said) {
  json_t *chunk = json_loadb(json, length, 0, NULL);
  if (chunk == NULL) fail("not JSON");
  json_t *choice = json_array_get(json_object_get(chunk, "choices"), 0);
  json_t *content = json_object_get(json_object_get(choice, said), "content");
  seen_add(seen, content == NULL ? 0 : json_string_length(content));
  json_decref(chunk);
}

static void data_line(struct body *body, const char *line, size_t length) {
  if (length < 6 || memcmp(line, "data: ", 6) != 0) return;
  line += 6;
  length -= 6;
  if (length == 6 && memcmp(line, "[DONE]", 6) == 0) {
    body->done = 1;
  } else {
    read_choice(body->seen, line, length, "delta");
  }
}

static size_t on_stream(char *bytes, size_t size, size_t count, void *user_data) {
  struct body *body = user_data;
  char *end;
  keep(body, bytes, size * count);
  while ((end = memchr(body->bytes + body->used, '\n', body->length - body->used)) != NULL) {
    data_line(body, body->bytes + body->used, (size_t)(end - body->bytes) - body->used);
    body->used = (size_t)(end - body->bytes) + 1;
  }
  return size * count;
}

static size_t on_answer(char *bytes, size_t size, size_t count, void *user_data) {
  keep(user_data, bytes, size * count);
  return size * count;
}

/* The URL and the headers of all requests. */
struct target {
  char url[512];
  struct curl_slist *headers;
  int stream;
};

static struct target target_of(const struct task *task) {
  struct target target = {"", NULL, strcmp(task->work, "stream") == 0};
  if (!target.stream && strcmp(task->work, "chat") != 0) fail("no such work");
  snprintf(target.url, sizeof target.url, "%s/chat/completions", task->base_url);
  target.headers = curl_slist_append(NULL, "Content-Type: application/json");
  target.headers = curl_slist_append(target.headers, "Authorization: Bearer sk-test");
  return target;
}

/* A handle that asks for an answer, once or again and again. */
static CURL *handle_for(const struct target *target, struct body *body) {
  CURL *curl = curl_easy_init();
  const char *authorities = getenv("SSL_CERT_FILE"); /* libcurl itself does not look there */
  if (curl == NULL) fail("curl_easy_init");
  curl_easy_setopt(curl, CURLOPT_URL, target->url);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, target->headers);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, target->stream ? CHAT_STREAM : CHAT);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, target->stream ? on_stream : on_answer);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, body);
  if (authorities != NULL) curl_easy_setopt(curl, CURLOPT_CAINFO, authorities);
  return curl;
}

/* Checks one request, and reads its answer. */
static void finish(CURL *curl, CURLcode code, const struct target *target, struct body *body) {
  long status = 0;
  if (code != CURLE_OK) fail(curl_easy_strerror(code));
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  if (status != 200) fail("status");
  if (!target->stream) {
    read_choice(body->seen, body->bytes, body->length, "message");
    body->length = 0;
  } else if (!body->done) {
    fail("no [DONE]");
  }
}

#endif
