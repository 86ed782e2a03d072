package modelwire

/*
#include <modelwire.h>
#include <stdlib.h>

enum { AT_ONCE = 64 };

typedef struct {
  modelwire_event *event;
  uint64_t tag;
  int32_t kind;
  const char *text, *name;
  size_t text_length, name_length;
} taken_event;

// Each call into C has its price, so one takes many events with all that is always read of them.
static size_t take(const modelwire_queue *queue, taken_event *taken) {
  modelwire_event *events[AT_ONCE];
  size_t count;
  modelwire_queue_take(queue, 0, events, AT_ONCE, &count);
  for (size_t i = 0; i < count; i++, taken++) {
    taken->event = events[i];
    taken->tag = modelwire_event_tag(events[i]);
    taken->kind = modelwire_event_kind(events[i]);
    taken->text = modelwire_event_text(events[i], &taken->text_length);
    taken->name = modelwire_event_name(events[i], &taken->name_length);
  }
  return count;
}

static void free_events(modelwire_event **events, size_t count) {
  for (size_t i = 0; i < count; i++) modelwire_event_free(events[i]);
}
*/
import "C"

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"math"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// One queue has the events of all calls. Go's poller watches its descriptor; of the goroutines that
// wait for their calls, one takes the events of all.
var (
	queue    *C.modelwire_queue
	readable syscall.RawConn
	taken    = (*[C.AT_ONCE]C.taken_event)(C.calloc(C.AT_ONCE, C.sizeof_taken_event))
	taker    = make(chan struct{}, 1) // whoever fills it takes
	calls    sync.Map                 // by tag, until their last event
	last     atomic.Uint64
)

var openQueue = sync.OnceValue(func() (err error) {
	C.modelwire_queue_new(0, &queue, nil)
	readable, err = os.NewFile(uintptr(C.modelwire_queue_fd(queue)), "queue").SyscallConn()
	return err
})

type call struct {
	client   *Client
	tag      C.uint64_t
	ctx      context.Context
	release  func() bool   // of the context
	news     chan struct{} // there is more; closed at the end
	mutex    sync.Mutex    // of what follows
	waiting  []Chunk
	reading  []Chunk // those that waited before
	read     int     // how many of these were read
	number   int     // of the chunk that was read last
	isPaused bool
	isLeft   bool // nobody reads it any more
	isOver   bool
	response *Response
	err      error
}

// start submits a call; one that cannot begin is over.
func (client *Client) start(ctx context.Context, operation, stream C.int32_t, request any,
	options []Options) *call {
	call := &call{client: client, tag: C.uint64_t(last.Add(1)), ctx: ctx, news: make(chan struct{}, 1)}
	call.mutex.Lock()
	defer call.mutex.Unlock()
	calls.Store(call.tag, call)
	call.err = call.submit(operation, stream, request, options)
	if call.err != nil {
		call.end()
	} else {
		call.release = context.AfterFunc(ctx, call.cancel)
	}
	return call
}

func (call *call) submit(operation, stream C.int32_t, content any, all []Options) error {
	options, err := merged(all...)
	body := []byte(nil)
	if err == nil && content != nil {
		body, err = json.Marshal(content)
	}
	if err == nil {
		err = call.ctx.Err()
	}
	if err != nil {
		return err
	}
	var request *C.modelwire_request
	var failure *C.modelwire_error
	C.modelwire_request_new(operation, characters(body), C.size_t(len(body)), &request, &failure)
	if failure == nil {
		C.modelwire_request_set_options(request, characters(options), C.size_t(len(options)), &failure)
	}
	if failure == nil {
		C.modelwire_queue_submit_request(queue, call.client.handle, request, stream, call.tag, &failure)
	}
	C.modelwire_request_free(request)
	return errorOf(failure)
}

func (call *call) end() {
	call.isOver = true
	calls.Delete(call.tag)
	if call.release != nil {
		call.release()
	}
	close(call.news)
}

// wait returns when so many chunks wait, or the call is over.
func (call *call) wait(chunks int) {
	for !call.has(chunks) {
		select {
		case <-call.news:
		case taker <- struct{}{}:
			for !call.has(chunks) {
				take()
			}
			<-taker
		}
	}
}

func (call *call) has(chunks int) bool {
	call.mutex.Lock()
	defer call.mutex.Unlock()
	return call.isOver || len(call.waiting) >= chunks
}

func take() {
	var count C.size_t
	readable.Read(func(uintptr) bool {
		count = C.take(queue, &taken[0])
		return count > 0
	})
	for i := range taken[:count] {
		if found, isThere := calls.Load(taken[i].tag); isThere {
			found.(*call).add(&taken[i])
		}
	}
}

func (call *call) add(event *C.taken_event) {
	call.mutex.Lock()
	defer call.mutex.Unlock()
	text := C.GoStringN(event.text, C.int(event.text_length))
	switch {
	case event.kind == C.MODELWIRE_EVENT_RESPONSE:
		info := infoOf(event.event)
		call.response = &Response{text, jsonOf(event.event), info}
		call.end()
	case event.kind == C.MODELWIRE_EVENT_ERROR:
		failure := newError(jsonOf(event.event))
		if failure.Kind == "cancelled" {
			failure.cause = context.Cause(call.ctx)
		}
		call.err = failure
		call.end()
	case call.isLeft, call.tag == logTag && len(call.waiting) == logMost:
	default:
		name := C.GoStringN(event.name, C.int(event.name_length))
		call.waiting = append(call.waiting, Chunk{text, name, call, 0, event.event})
		if len(call.waiting) > C.AT_ONCE && !call.isPaused && !call.client.isClosed.Load() {
			call.isPaused = true
			C.modelwire_queue_pause(queue, call.tag)
		}
		select {
		case call.news <- struct{}{}:
		default:
		}
		return
	}
	C.modelwire_event_free(event.event)
}

func (call *call) whole() (*Response, error) {
	call.wait(math.MaxInt)
	return call.response, call.err
}

func (call *call) stream() *Stream {
	stream := &Stream{call}
	runtime.AddCleanup(stream, leave, call)
	return stream
}

func (call *call) next() (Chunk, error) {
	call.mutex.Lock()
	defer call.mutex.Unlock()
	for call.read == len(call.reading) {
		switch {
		case len(call.waiting) > 0:
			call.turn()
		case call.isOver:
			call.turn()
			return Chunk{}, cmp.Or(call.err, io.EOF)
		default:
			call.mutex.Unlock()
			call.wait(1)
			call.mutex.Lock()
		}
	}
	call.number++
	call.read++
	chunk := call.reading[call.read-1]
	chunk.number = call.number
	return chunk, nil
}

// turn frees the chunks that were read, and begins with those that wait.
func (call *call) turn() {
	events := make([]*C.modelwire_event, len(call.reading), len(call.reading)+1)
	for i := range call.reading {
		events[i] = call.reading[i].event
	}
	C.free_events(unsafe.SliceData(events), C.size_t(len(events)))
	clear(call.reading)
	call.reading, call.waiting, call.read = call.waiting, call.reading[:0], 0
	call.number++
	if call.isPaused {
		call.isPaused = false
		C.modelwire_queue_resume(queue, call.tag)
	}
}

// leave ends a call that nobody reads any more.
func leave(call *call) {
	call.mutex.Lock()
	defer call.mutex.Unlock()
	call.isLeft = true
	call.turn() // what was read
	call.turn() // what waited
	if !call.isOver {
		call.cancel()
	}
}

func (call *call) cancel() {
	C.modelwire_queue_cancel(queue, call.tag)
	go call.wait(math.MaxInt) // somebody has to take the last event
}

// json of the chunk that was read last; of an earlier one it is gone.
func (call *call) json(number int) []byte {
	if call == nil {
		return nil // the chunk beside an error
	}
	call.mutex.Lock()
	defer call.mutex.Unlock()
	if number != call.number {
		return nil
	}
	return jsonOf(call.reading[call.read-1].event)
}

func jsonOf(event *C.modelwire_event) []byte {
	var length C.size_t
	text := C.modelwire_event_json(event, &length)
	return bytesOf(text, length)
}

func infoOf(event *C.modelwire_event) []byte {
	var length C.size_t
	text := C.modelwire_value_json(C.modelwire_event_info(event), characters([]byte{}), 0, &length)
	return bytesOf(text, length)
}

func errorOf(handle *C.modelwire_error) error {
	if handle == nil {
		return nil
	}
	var length C.size_t
	text := C.modelwire_error_json(handle, &length)
	defer C.modelwire_error_free(handle)
	return newError(bytesOf(text, length))
}

func newError(text []byte) *Error {
	failure := &Error{JSON: text}
	_ = json.Unmarshal(text, failure)
	return failure
}

func bytesOf(text *C.char, length C.size_t) []byte {
	return C.GoBytes(unsafe.Pointer(text), C.int(length))
}

func characters(text []byte) *C.char { return (*C.char)(unsafe.Pointer(unsafe.SliceData(text))) }

func merged(all ...Options) ([]byte, error) {
	options := Options{}
	for _, some := range all {
		maps.Copy(options, some)
	}
	return json.Marshal(options)
}

// each does something with every call of the client that is not over.
func (client *Client) each(do func(*call)) {
	calls.Range(func(_, found any) bool {
		if found := found.(*call); found.client == client {
			do(found)
		}
		return true
	})
}

const logTag, logMost = 0, 4096

var levels = []string{"error", "warn", "info", "debug", "trace"}

func levelOf(index int) slog.Level { return slog.LevelError - slog.Level(4*index) }

// SetLog hands the log of the library, which is one for all clients, to a logger, in place of an
// earlier one: the levels that are enabled now. nil ends it.
func SetLog(logger *slog.Logger) error {
	if err := openQueue(); err != nil {
		return err
	}
	ctx, level := context.Background(), 0
	for logger != nil && level < len(levels) && logger.Enabled(ctx, levelOf(level)) {
		level++
	}
	log := &call{client: &Client{}, tag: logTag, news: make(chan struct{}, 1)}
	if earlier, isThere := calls.Swap(log.tag, log); isThere {
		earlier := earlier.(*call)
		earlier.mutex.Lock()
		earlier.isLeft, earlier.isOver = true, true
		close(earlier.news)
		earlier.mutex.Unlock()
	}
	C.modelwire_queue_log(queue, C.int32_t(level), logTag, nil)
	go log.write(logger)
	return nil
}

func (log *call) write(logger *slog.Logger) {
	for chunk, err := log.next(); err == nil; chunk, err = log.next() {
		var said struct {
			Level, Target string
			UnixMS        int64 `json:"unix_ms"`
		}
		_ = chunk.Decode(&said)
		level := levelOf(slices.Index(levels, said.Level))
		record := slog.NewRecord(time.UnixMilli(said.UnixMS), level, chunk.Text, 0)
		record.AddAttrs(slog.String("target", said.Target))
		_ = logger.Handler().Handle(context.Background(), record)
	}
}
