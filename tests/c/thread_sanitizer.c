/*
 * What Rust's ThreadSanitizer calls and gcc's does not have: the plain functions, whose memory the
 * sanitizer watches all the same. Linked into programs that have the sanitizer.
 */
#include <string.h>

void *__tsan_memcpy(void *to, const void *from, size_t size);
void *__tsan_memmove(void *to, const void *from, size_t size);
void *__tsan_memset(void *to, int byte, size_t size);

void *__tsan_memcpy(void *to, const void *from, size_t size) { return memcpy(to, from, size); }

void *__tsan_memmove(void *to, const void *from, size_t size) { return memmove(to, from, size); }

void *__tsan_memset(void *to, int byte, size_t size) { return memset(to, byte, size); }
