package raw

// #include "raw.h"
import "C"

import (
	"context"
	"log/slog"
	"sync"
)

var (
	logging sync.Mutex
	logged  *C.modelwire_queue
)

// Log gives the records of the log to a logger, at the levels that it has enabled now, on a
// goroutine and a thread of its own and in place of an earlier one.
func Log(logger *slog.Logger) {
	ctx, level := context.Background(), C.int32_t(C.MODELWIRE_LOG_OFF)
	for level < C.MODELWIRE_LOG_TRACE && logger.Enabled(ctx, slogLevel(level+1)) {
		level++
	}
	logging.Lock()
	defer logging.Unlock()
	if logged != nil {
		C.modelwire_queue_close(logged)
	}
	if logged = nil; level > C.MODELWIRE_LOG_OFF {
		logged = C.queue_new()
		C.modelwire_queue_log(logged, level, 0, nil)
		go write(logged, logger)
	}
}

func slogLevel(level C.int32_t) slog.Level { return slog.Level(12 - 4*level) }

func write(queue *C.modelwire_queue, logger *slog.Logger) {
	var taken [C.AT_ONCE]C.taken_event
	for records := taken[:1]; len(records) > 0; {
		records = taken[:C.take(queue, &taken[0])]
		for _, record := range records {
			level := slogLevel(C.level_of(record.event))
			text, target := stringOf(record.text), stringOf(record.name)
			logger.Log(context.Background(), level, text, "target", target)
		}
		letGo(records)
	}
	logging.Lock() // it may still be being closed
	defer logging.Unlock()
	C.modelwire_queue_free(queue)
}
