// Package raw is the part of modelwire that calls C: clients, their calls, and the log. What
// fails it tells as the library's JSON.
package raw

// #include "raw.h"
import "C"

import (
	"context"
	"encoding/json"
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

// Client is a client of the library. It is freed when nobody has it any more.
type Client struct {
	handle     *C.modelwire_client
	Unfinished atomic.Int64 // calls that were not freed
}

// NewClient makes a client.
func NewClient(options map[string]any) (client *Client, failure []byte, err error) {
	given, err := jsonOf(options)
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

// One queue has the events of all calls. Of the goroutines that wait for theirs one leads: it waits
// in C, where its thread does the I/O itself while it can, and files what it takes to the calls of
// all. The others are parked until their call has something, or they lead.
var (
	queue = C.queue_new()
	lead  = make(chan struct{}, 1) // full while one leads, who fills what follows
	taken = (*[C.AT_ONCE]C.taken_event)(C.calloc(C.AT_ONCE, C.sizeof_taken_event))

	guard sync.Mutex               // of what follows, and of the second half of a call
	calls = map[C.uint64_t]*Call{} // by tag, until they are freed
	last  C.uint64_t
)

// When more than these wait for its reader a call is paused: its service waits too.
const waitingMost = 128

// Call is a call in flight.
type Call struct {
	tag     C.uint64_t
	release func() bool     // lets go of the context
	reading []C.taken_event // with the reader
	next    int             // of these
	event   *C.taken_event  // that was read last
	news    chan struct{}   // full while something waits

	client   *Client // until it is freed
	waiting  []C.taken_event
	isPaused bool
}

// NewCall begins a call that the context may end.
func NewCall(ctx context.Context, client *Client, operation, stream int32, request any,
	options map[string]any) (call *Call, failure []byte, err error) {
	var body []byte
	changes, err := jsonOf(options)
	if err == nil && request != nil {
		body, err = json.Marshal(request)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, nil, err
	}
	call = &Call{client: client, news: make(chan struct{}, 1)}
	client.Unfinished.Add(1)
	guard.Lock()
	last++
	call.tag = last
	calls[call.tag] = call
	guard.Unlock()
	failed := C.submit(queue, client.handle, call.tag, C.int32_t(operation), C.int32_t(stream),
		textOf(body), textOf(changes))
	if failed != nil {
		call.Free()
		return nil, failureOf(failed), nil
	}
	call.release = context.AfterFunc(ctx, call.Cancel)
	return call, nil, nil
}

// Next waits for the next event, of which the others then tell, and gives its kind.
func (call *Call) Next() int32 {
	if call.next == len(call.reading) {
		call.turn()
	}
	call.event = &call.reading[call.next]
	call.next++
	return int32(call.event.kind)
}

// turn lets go of the events that were read, and waits for others.
func (call *Call) turn() {
	letGo(call.reading)
	call.reading, call.next = call.reading[:0], 0
	for !call.collect() {
		select {
		case <-call.news:
		case lead <- struct{}{}:
			for !call.collect() {
				take()
			}
			<-lead
			return
		}
	}
}

// collect says whether something has waited.
func (call *Call) collect() bool {
	guard.Lock()
	defer guard.Unlock()
	if len(call.waiting) == 0 {
		return false
	}
	call.reading, call.waiting = call.waiting, call.reading
	select {
	case <-call.news:
	default:
	}
	if call.isPaused {
		call.isPaused = false
		C.modelwire_queue_resume(queue, call.tag)
	}
	return true
}

func take() {
	count := C.take(queue, &taken[0])
	guard.Lock()
	for i := range taken[:count] {
		file(&taken[i])
	}
	areOthers := len(calls) > 1
	guard.Unlock()
	if areOthers { // what they begin now needs no wake of a thread that waits in C
		runtime.Gosched()
	}
}

func file(event *C.taken_event) {
	call, isThere := calls[event.tag]
	if !isThere {
		C.modelwire_event_free(event.event)
		return
	}
	if len(call.waiting) == 0 {
		call.news <- struct{}{}
	}
	call.waiting = append(call.waiting, *event)
	if len(call.waiting) > waitingMost && !call.isPaused {
		call.isPaused = true
		C.modelwire_queue_pause(queue, call.tag)
	}
}

// Text of the event.
func (call *Call) Text() string { return stringOf(call.event.text) }

// Name of the event.
func (call *Call) Name() string { return stringOf(call.event.name) }

// JSON of the event.
func (call *Call) JSON() []byte { return bytesOf(C.json_of(call.event.event)) }

// Keep keeps the event, beyond the call.
func (call *Call) Keep() *Event {
	event := &Event{call.event.event}
	runtime.AddCleanup(event, func(handle *C.modelwire_event) { C.modelwire_event_free(handle) },
		event.handle)
	call.event.event = nil
	return event
}

// Event is one that was kept.
type Event struct{ handle *C.modelwire_event }

// Info of the event.
func (event *Event) Info() []byte {
	defer runtime.KeepAlive(event)
	return bytesOf(C.info_of(event.handle))
}

// Cancel may be called on any goroutine at any time; of no call it does nothing.
func (call *Call) Cancel() {
	if call != nil {
		C.modelwire_queue_cancel(queue, call.tag)
	}
}

// Free ends the call, if it is not over. Freeing again does nothing, nor freeing no call.
func (call *Call) Free() {
	if call == nil {
		return
	}
	guard.Lock()
	client, waiting := call.client, call.waiting
	call.client, call.waiting = nil, nil
	delete(calls, call.tag)
	guard.Unlock()
	if client == nil {
		return
	}
	if call.release != nil {
		call.release()
	}
	call.Cancel()
	letGo(waiting)
	letGo(call.reading)
	client.Unfinished.Add(-1)
}

func letGo(events []C.taken_event) {
	if len(events) > 0 {
		C.let_go(&events[0], C.size_t(len(events)))
	}
}

// jsonOf gives nil for no options.
func jsonOf(options map[string]any) ([]byte, error) {
	if len(options) == 0 {
		return nil, nil
	}
	return json.Marshal(options)
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
