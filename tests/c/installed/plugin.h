/* What a plugin gives its host: calls, and the ends of them. */
#include <stdint.h>

struct plugin {
  int (*call)(void);                         /* the kind of a whole call's only event */
  int (*begin)(void);                        /* the kind of the first event of a stream that stalls */
  int32_t (*next_kind)(int32_t timeout_ms);  /* of the stream's next event; 0 where none came */
  int (*cancel)(void);                       /* the stream */
  int (*end)(void);                          /* all of the plugin's copy of the library */
  const void *(*where)(void);                /* a place inside that copy */
};

extern const struct plugin plugin;
