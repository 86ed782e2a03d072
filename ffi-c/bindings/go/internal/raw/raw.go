// Package raw is the part of modelwire that calls C: clients, their calls, and the log. What
// fails it tells as the library's JSON.
package raw

// #include "mailbox.h"
import "C"

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// What is asked of a service, and what comes of it.
const (
	Models    = C.MODELWIRE_OPERATION_MODELS
	Chat      = C.MODELWIRE_OPERATION_CHAT
	Responses = C.MODELWIRE_OPERATION_RESPONSES

	ChunkEvent    = C.MODELWIRE_EVENT_CHUNK
	ResponseEvent = C.MODELWIRE_EVENT_RESPONSE
	ErrorEvent    = C.MODELWIRE_EVENT_ERROR
)

// Client is a client of the library. It is freed when nothing of it is in use any more.
type Client struct {
	handle     *C.modelwire_client
	Unfinished atomic.Int64 // calls that were not freed
}

// NewClient makes a client.
func NewClient(options map[string]any) (client *Client, failure []byte, err error) {
	given, err := json.Marshal(merged([]map[string]any{options}))
	if err != nil {
		return nil, nil, err
	}
	client = &Client{}
	var failed *C.modelwire_error
	text := textOf(given)
	C.modelwire_client_new(text.at, text.length, &client.handle, &failed)
	free := func(handle *C.modelwire_client) { C.modelwire_client_free(handle) }
	runtime.AddCleanup(client, free, client.handle)
	return client, failureOf(failed), nil
}

// Close ends its calls.
func (client *Client) Close() error {
	defer runtime.KeepAlive(client)
	C.modelwire_client_close(client.handle, -1, nil)
	return nil
}

// Call is a call with a queue of its own, so that a slow reader makes nobody wait but its service.
type Call struct {
	client  *Client
	release func() bool // lets go of the context
	file    *os.File    // the queue's descriptor, for Go's poller
	guard   sync.Mutex  // of the box's end, for those who do not take
	box     *C.mailbox
	next    C.size_t // event of those in the box
	event   *C.taken_event
}

// NewCall begins a call that the context may end.
func NewCall(ctx context.Context, client *Client, operation, stream int32, request any,
	options []map[string]any) (call *Call, failure []byte, err error) {
	var body []byte
	changes, err := json.Marshal(merged(options))
	if err == nil && request != nil {
		body, err = json.Marshal(request)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, nil, err
	}
	call = &Call{client: client, box: C.mailbox_new()}
	client.Unfinished.Add(1)
	failed := C.mailbox_submit(call.box, client.handle, C.int32_t(operation), C.int32_t(stream),
		textOf(body), textOf(changes))
	if failed != nil {
		call.Free()
		return nil, failureOf(failed), nil
	}
	call.release = context.AfterFunc(ctx, call.Cancel)
	return call, nil, nil
}

// thread is taken by the one call that waits in C, where its thread does the I/O itself while
// nothing else is under way. All others wait in Go's poller.
var thread = make(chan struct{}, 1)

// Next waits for the next event, of which the others then tell, and gives its kind.
func (call *Call) Next() int32 {
	for call.next == call.box.count {
		call.next = 0
		call.take()
	}
	call.event = &call.box.taken[call.next]
	call.next++
	return int32(call.event.kind)
}

// take waits for events, and lets go of those that were taken before.
func (call *Call) take() {
	select {
	case thread <- struct{}{}:
		C.mailbox_take(call.box, -1)
		<-thread
	default:
		call.poll()
	}
}

// poll says whether there is more to come.
func (call *Call) poll() bool {
	if call.file == nil {
		call.file = os.NewFile(uintptr(C.mailbox_descriptor(call.box)), "modelwire queue")
	}
	status := C.modelwire_status(C.MODELWIRE_TIMEOUT)
	connection, err := call.file.SyscallConn()
	if err == nil {
		err = connection.Read(func(uintptr) bool {
			status = C.mailbox_take(call.box, 0)
			return status != C.MODELWIRE_TIMEOUT
		})
	}
	if err != nil { // there are no descriptors any more
		status = C.mailbox_take(call.box, -1)
	}
	return status == C.MODELWIRE_OK
}

// Text of the event.
func (call *Call) Text() string { return stringOf(call.event.text) }

// Name of the event.
func (call *Call) Name() string { return stringOf(call.event.name) }

// JSON of the event.
func (call *Call) JSON() []byte { return bytesOf(C.json_of(call.event.event)) }

// Info of the event.
func (call *Call) Info() []byte { return bytesOf(C.info_of(call.event.event)) }

// Cancel may be called on any goroutine at any time; of no call it does nothing.
func (call *Call) Cancel() {
	if call == nil {
		return
	}
	call.guard.Lock()
	defer call.guard.Unlock()
	if call.box != nil {
		C.modelwire_queue_cancel(call.box.queue, 0)
	}
}

// Free ends the call, if it is not over. Freeing again does nothing, nor freeing no call.
func (call *Call) Free() {
	if call == nil {
		return
	}
	call.guard.Lock()
	defer call.guard.Unlock()
	if call.box == nil {
		return
	}
	if call.release != nil {
		call.release()
	}
	if call.file != nil {
		_ = call.file.Close()
	}
	C.mailbox_free(call.box)
	call.box = nil
	call.client.Unfinished.Add(-1)
}

var (
	logging sync.Mutex
	logged  *C.modelwire_queue
)

// Log gives the records of the log to a logger, at the levels that it has enabled now, on a
// goroutine of its own and in place of an earlier one.
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
	log := &Call{client: &Client{}, box: C.mailbox_new()}
	logged = log.box.queue
	C.modelwire_queue_log(logged, level, 0, nil)
	go log.write(logger)
}

func slogLevel(level C.int32_t) slog.Level { return slog.Level(12 - 4*level) }

func (call *Call) write(logger *slog.Logger) {
	for call.poll() {
		for _, record := range call.box.taken[:call.box.count] {
			level := slogLevel(C.level_of(record.event))
			text, target := stringOf(record.text), stringOf(record.name)
			logger.Log(context.Background(), level, text, "target", target)
		}
	}
	logging.Lock() // it may still be being closed
	defer logging.Unlock()
	call.Free()
}

func merged(all []map[string]any) map[string]any {
	options := map[string]any{}
	for _, some := range all {
		maps.Copy(options, some)
	}
	return options
}

func failureOf(failed *C.modelwire_error) []byte {
	if failed == nil {
		return nil
	}
	defer C.modelwire_error_free(failed)
	return bytesOf(C.error_of(failed))
}

func textOf(text []byte) C.text {
	return C.text{(*C.char)(unsafe.Pointer(unsafe.SliceData(text))), C.size_t(len(text))}
}

func bytesOf(text C.text) []byte { return C.GoBytes(unsafe.Pointer(text.at), C.int(text.length)) }

func stringOf(text C.text) string { return C.GoStringN(text.at, C.int(text.length)) }
