// Package modelwire is a client for OpenAI-compatible model inference services, over the C library
// libmodelwire: chats, responses and model lists, whole or streamed, any number of them at once.
//
// It needs Go 1.24, cgo, and libmodelwire with its header and its files for pkg-config (`make
// install` of modelwire). Copy this folder beside your program, and tell Go where it is:
//
//	go mod edit -require=modelwire@v0.0.0 -replace=modelwire=./modelwire
//	go build                           links libmodelwire.so
//	go build -tags modelwire_static    links libmodelwire.a
//
// To run its example, with OPENAI_BASE_URL and OPENAI_API_KEY set: go run ./example MODEL TEXT
package modelwire

// #cgo !modelwire_static pkg-config: modelwire
// #cgo modelwire_static pkg-config: modelwire-static
// #include <modelwire.h>
import "C"

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"math"
	"runtime"
	"sync/atomic"
)

// Options of a client or of one call, by the names of docs/options.md.
type Options map[string]any

// Client is a client of one service; any number of goroutines may use it.
type Client struct {
	handle   *C.modelwire_client
	isClosed atomic.Bool
}

// New makes a client. Base URL and key come from the environment where the options have none.
func New(options Options) (*Client, error) {
	text, err := merged(options)
	if err == nil {
		err = openQueue()
	}
	if err != nil {
		return nil, err
	}
	client, failure := &Client{}, (*C.modelwire_error)(nil)
	C.modelwire_client_new(characters(text), C.size_t(len(text)), &client.handle, &failure)
	if failure != nil {
		return nil, errorOf(failure)
	}
	free := func(handle *C.modelwire_client) { C.modelwire_client_free(handle) }
	runtime.AddCleanup(client, free, client.handle)
	return client, nil
}

// Models lists the models: Info().Models of the response.
func (client *Client) Models(ctx context.Context, options ...Options) (*Response, error) {
	return client.start(ctx, C.MODELWIRE_OPERATION_MODELS, 0, nil, options).whole()
}

// Chat completes a chat. The request is anything of which encoding/json makes the service's JSON.
func (client *Client) Chat(ctx context.Context, request any, options ...Options) (*Response, error) {
	return client.start(ctx, C.MODELWIRE_OPERATION_CHAT, 0, request, options).whole()
}

// ChatStream completes a chat piece by piece. What goes wrong is told where the chunks are read.
func (client *Client) ChatStream(ctx context.Context, request any, options ...Options) *Stream {
	return client.start(ctx, C.MODELWIRE_OPERATION_CHAT, 1, request, options).stream()
}

// Responses makes a response.
func (client *Client) Responses(ctx context.Context, request any, options ...Options) (*Response, error) {
	return client.start(ctx, C.MODELWIRE_OPERATION_RESPONSES, 0, request, options).whole()
}

// ResponsesStream makes a response piece by piece.
func (client *Client) ResponsesStream(ctx context.Context, request any, options ...Options) *Stream {
	return client.start(ctx, C.MODELWIRE_OPERATION_RESPONSES, 1, request, options).stream()
}

// Close ends the calls under way and waits for that. They and later ones fail with kind "closed".
func (client *Client) Close() error {
	client.isClosed.Store(true)
	C.modelwire_client_close(client.handle, -1, nil)
	client.each(func(call *call) {
		call.mutex.Lock()
		C.modelwire_queue_resume(queue, call.tag)
		call.mutex.Unlock()
		call.wait(math.MaxInt)
	})
	return nil
}

// Unfinished says how many calls of the client have not seen their last event.
func (client *Client) Unfinished() (count int) {
	client.each(func(*call) { count++ })
	return count
}

// Stream is an answer that comes piece by piece: range over Chunks, or call Next. Whoever leaves it
// early cancels it; the range does so by itself, and the garbage collector with what nobody has.
type Stream struct{ call *call }

// Chunks are those that are left; an error ends them.
func (stream *Stream) Chunks() iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		defer stream.Cancel()
		for chunk, err := stream.Next(); err != io.EOF; chunk, err = stream.Next() {
			if !yield(chunk, err) || err != nil {
				return
			}
		}
	}
}

// Next waits for a chunk; after the last one it gives io.EOF.
func (stream *Stream) Next() (Chunk, error) {
	defer runtime.KeepAlive(stream)
	return stream.call.next()
}

// Cancel ends the exchange, on any goroutine: who reads gets an error of kind "cancelled".
func (stream *Stream) Cancel() {
	leave(stream.call)
	runtime.KeepAlive(stream)
}

// Response is the end of a stream that was read; nil before.
func (stream *Stream) Response() *Response {
	stream.call.mutex.Lock()
	defer stream.call.mutex.Unlock()
	return stream.call.response
}

// Chunk is one piece of a stream.
type Chunk struct {
	Text, Name string // what it adds to the text; the name of the server-sent event, if it has one
	call       *call
	number     int
	event      *C.modelwire_event
}

// JSON is the chunk as the service sent it. It is gone once the next chunk was asked for.
func (chunk Chunk) JSON() json.RawMessage { return chunk.call.json(chunk.number) }

// Decode reads the JSON as json.Unmarshal does.
func (chunk Chunk) Decode(into any) error { return json.Unmarshal(chunk.JSON(), into) }

// Response is a whole answer, or the end of a stream, whose chunks had the text.
type Response struct {
	Text string
	JSON json.RawMessage // as the service sent it
	info []byte
}

// Decode reads the JSON as json.Unmarshal does.
func (response *Response) Decode(into any) error { return json.Unmarshal(response.JSON, into) }

// Info is what the library knows of the response.
func (response *Response) Info() (info Info) {
	_ = json.Unmarshal(response.info, &info)
	return info
}

// Info is what is known of an answered call; what is absent is "", 0 or nil.
type Info struct {
	Exchange
	FinishReason string                                 `json:"finish_reason"`
	ToolCalls    []struct{ ID, Name, Arguments string } `json:"tool_calls"`
	IsGathered   bool                                   `json:"is_gathered"`
	Usage        struct {
		InputTokens  int64 `json:"input_tokens"`
		OutputTokens int64 `json:"output_tokens"`
		TotalTokens  int64 `json:"total_tokens"`
	}
	Models []string
	End    string
}

// Exchange is what is known of any call.
type Exchange struct {
	HTTPStatus int    `json:"http_status"`
	RequestID  string `json:"request_id"`
	ElapsedMS  int64  `json:"elapsed_ms"`
	Attempts   int
	Headers    []struct{ Name, Value string }
}

// Error is what is known of a failed call, as JSON too; what is absent is "", 0 or nil. Where a
// context ended the call, errors.Is finds the context's cause.
type Error struct {
	Exchange
	Kind, Message, Hint, Type, Code, Param, Path, Model string
	Timeout, Metered, Body, Partial                     string
	RequestTimeUnixMS                                   int64           `json:"request_time_unix_ms"`
	RetryAfterMS                                        *int64          `json:"retry_after_ms"`
	JSON                                                json.RawMessage `json:"-"`
	cause                                               error
}

func (failure *Error) Error() string {
	return failure.Kind + ": " + failure.Message + " (" + failure.Hint + ")"
}

// Unwrap gives the cause of the context that ended the call.
func (failure *Error) Unwrap() error { return failure.cause }
