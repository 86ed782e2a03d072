// Package raw is the part of modelwire that calls C: clients, and boxes that have the events of one
// call each. It knows no chats, and no JSON from inside.
package raw

// #cgo !modelwire_static pkg-config: modelwire
// #cgo modelwire_static pkg-config: modelwire-static
// #include "mailbox.h"
import "C"

import (
	"os"
	"sync"
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

	LogOff   = C.MODELWIRE_LOG_OFF
	LogTrace = C.MODELWIRE_LOG_TRACE
)

// Client is a client of the library, to be freed.
type Client struct{ handle *C.modelwire_client }

// NewClient makes a client, or says in JSON what is wrong.
func NewClient(options []byte) (client Client, failure []byte) {
	var failed *C.modelwire_error
	text := textOf(options)
	C.modelwire_client_new(text.at, text.length, &client.handle, &failed)
	return client, failureOf(failed)
}

// Close ends its calls.
func (client Client) Close() { C.modelwire_client_close(client.handle, -1, nil) }

// Free is for when nobody uses it any more.
func (client Client) Free() { C.modelwire_client_free(client.handle) }

// Box has the queue of one call, and the events that were taken from it.
type Box struct {
	box   *C.mailbox
	file  *os.File   // the queue's descriptor, for Go's poller
	guard sync.Mutex // of the end, for those who do not take
}

// NewBox makes an empty one.
func NewBox() *Box { return &Box{box: C.mailbox_new()} }

// Submit begins the call, or says in JSON what is wrong.
func (box *Box) Submit(client Client, operation, stream int32, request, options []byte) []byte {
	return failureOf(C.mailbox_submit(box.box, client.handle, C.int32_t(operation),
		C.int32_t(stream), textOf(request), textOf(options)))
}

// Log lets the log come here, from this level on.
func (box *Box) Log(level int32) { C.modelwire_queue_log(box.box.queue, C.int32_t(level), 0, nil) }

// thread is taken by the one call that waits in C, where its thread does the I/O itself while nothing
// else is under way. All others wait in Go's poller.
var thread = make(chan struct{}, 1)

// Take waits for events, in place of those that were taken before.
func (box *Box) Take() {
	select {
	case thread <- struct{}{}:
		C.mailbox_take(box.box, -1)
		<-thread
	default:
		box.Poll()
	}
}

// Poll does so in Go's poller, and says whether there is more to come.
func (box *Box) Poll() bool {
	if box.file == nil {
		box.file = os.NewFile(uintptr(C.mailbox_descriptor(box.box)), "modelwire queue")
	}
	status := C.modelwire_status(C.MODELWIRE_OK)
	connection, err := box.file.SyscallConn()
	if err != nil { // there are no descriptors any more
		status = C.mailbox_take(box.box, -1)
	} else {
		_ = connection.Read(func(uintptr) bool {
			status = C.mailbox_take(box.box, 0)
			return status != C.MODELWIRE_TIMEOUT
		})
	}
	return status == C.MODELWIRE_OK
}

// Count says how many events were taken.
func (box *Box) Count() int { return int(box.box.count) }

// Kind of an event.
func (box *Box) Kind(index int) int32 { return int32(box.box.taken[index].kind) }

// Text of an event.
func (box *Box) Text(index int) string { return stringOf(box.box.taken[index].text) }

// Name of an event.
func (box *Box) Name(index int) string { return stringOf(box.box.taken[index].name) }

// JSON of an event.
func (box *Box) JSON(index int) []byte { return bytesOf(C.json_of(box.box.taken[index].event)) }

// Info of an event.
func (box *Box) Info(index int) []byte { return bytesOf(C.info_of(box.box.taken[index].event)) }

// Level of an event of the log.
func (box *Box) Level(index int) int32 { return int32(C.level_of(box.box.taken[index].event)) }

// Cancel ends the call, on any goroutine.
func (box *Box) Cancel() {
	box.guard.Lock()
	defer box.guard.Unlock()
	if box.box != nil {
		C.modelwire_queue_cancel(box.box.queue, 0)
	}
}

// Close ends the log, on any goroutine.
func (box *Box) Close() {
	box.guard.Lock()
	defer box.guard.Unlock()
	if box.box != nil {
		C.modelwire_queue_close(box.box.queue)
	}
}

// Free ends the call, if it is not over, and says whether it has not been called before.
func (box *Box) Free() bool {
	box.guard.Lock()
	defer box.guard.Unlock()
	if box.box == nil {
		return false
	}
	if box.file != nil {
		_ = box.file.Close()
	}
	C.mailbox_free(box.box)
	box.box = nil
	return true
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
