// Package modelwire is a client for OpenAI-compatible model inference services, over the C library
// libmodelwire: chats, responses and model lists, whole or streamed, any number of them at once.
//
// It needs Go 1.24, cgo, and libmodelwire with its header and its files for pkg-config (`make
// install` of modelwire). The library is shared, or part of the program with
// go build -tags modelwire_static.
//
//	stream := client.ChatStream(ctx, modelwire.ChatRequest{
//		Model:    "echo",
//		Messages: []modelwire.Message{modelwire.User("Say hello.")},
//	})
//	for chunk, err := range stream.Chunks() {
//		if err != nil {
//			return err
//		}
//		fmt.Print(chunk.Text)
//	}
package modelwire

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"

	"modelwire.dev/go/internal/raw"
)

// Client is a client of one service; any number of goroutines may use it.
type Client struct{ raw *raw.Client }

// New makes a client. Base URL and key come from the environment where the options have none.
func New(options ...Option) (*Client, error) {
	made, failure, err := raw.NewClient(combined(options))
	if failure != nil {
		return nil, newError(failure)
	}
	return &Client{made}, err
}

// Models lists the models: Info().Models of the response.
func (client *Client) Models(ctx context.Context, options ...Option) (*Response, error) {
	return client.begin(ctx, raw.Models, 0, nil, options).whole()
}

// Chat completes a chat. The body is a ChatRequest, or anything else of which encoding/json makes
// the JSON that the service takes.
func (client *Client) Chat(ctx context.Context, body any, options ...Option) (*Response, error) {
	return client.begin(ctx, raw.Chat, 0, body, options).whole()
}

// ChatStream completes a chat piece by piece. Reading the chunks returns its errors.
func (client *Client) ChatStream(ctx context.Context, body any, options ...Option) *Stream {
	return client.begin(ctx, raw.Chat, 1, body, options)
}

// Responses makes a response. The body is a ResponsesRequest, or anything else, as for Chat.
func (client *Client) Responses(ctx context.Context, body any, options ...Option,
) (*Response, error) {
	return client.begin(ctx, raw.Responses, 0, body, options).whole()
}

// ResponsesStream makes a response piece by piece.
func (client *Client) ResponsesStream(ctx context.Context, body any, options ...Option) *Stream {
	return client.begin(ctx, raw.Responses, 1, body, options)
}

// Unfinished says how many calls were not read to their end, left or collected.
func (client *Client) Unfinished() int { return int(client.raw.Unfinished.Load()) }

// Close ends the calls in flight; they and later ones fail with kind "closed".
func (client *Client) Close() error { return client.raw.Close() }

// Stream is an answer that comes piece by piece: range over Chunks, or call Next. Whoever leaves it
// early cancels it; the range does so by itself, and the garbage collector with what nobody has.
type Stream struct {
	ctx      context.Context
	call     *raw.Call
	reading  sync.Mutex   // held while a goroutine reads
	number   atomic.Int64 // of the chunk that was read last
	response *Response
	err      error // of the end
}

func (client *Client) begin(ctx context.Context, operation, isStream int32, body any,
	options []Option) *Stream {
	call, failure, err := raw.NewCall(ctx, client.raw, operation, isStream, body, combined(options))
	if failure != nil {
		err = newError(failure)
	}
	stream := &Stream{ctx: ctx, call: call, err: err}
	runtime.AddCleanup(stream, (*raw.Call).Free, call)
	return stream
}

func (stream *Stream) whole() (*Response, error) {
	if _, err := stream.Next(); err != io.EOF {
		return nil, err
	}
	return stream.response, nil
}

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
	number := stream.number.Add(1)
	stream.reading.Lock()
	defer stream.reading.Unlock()
	for call := stream.call; stream.err == nil; {
		switch call.Next() {
		case raw.ChunkEvent:
			return Chunk{call.Text(), call.Name(), stream, number}, nil
		case raw.ResponseEvent:
			stream.response = &Response{call.Text(), call.JSON(), call.Keep()}
			stream.end(io.EOF)
		case raw.ErrorEvent:
			failure := newError(call.JSON())
			if failure.Kind == "cancelled" {
				failure.cause = context.Cause(stream.ctx)
			}
			stream.end(failure)
		}
	}
	return Chunk{}, stream.err
}

// Response is the end of a stream that was read; nil before.
func (stream *Stream) Response() *Response { return stream.response }

// Cancel ends the exchange, on any goroutine: its reader gets an error of kind "cancelled".
func (stream *Stream) Cancel() {
	stream.call.Cancel()
	if stream.reading.TryLock() { // without a reader, which would do this at the end
		defer stream.reading.Unlock()
		stream.end(&Error{Kind: "cancelled", Message: "the stream was closed", Hint: "start another"})
	}
}

func (stream *Stream) end(err error) {
	if stream.err == nil {
		stream.err = err
		stream.number.Add(1)
		stream.call.Free()
	}
}

// Chunk is one piece of a stream.
type Chunk struct {
	Text, Name string // what it adds to the text; the name of the server-sent event, if it has one
	stream     *Stream
	number     int64
}

// JSON is the chunk as the service sent it. It is gone once the next chunk was asked for.
func (chunk Chunk) JSON() json.RawMessage {
	stream := chunk.stream
	if stream == nil || chunk.number != stream.number.Load() {
		return nil
	}
	stream.reading.Lock()
	defer stream.reading.Unlock()
	if chunk.number != stream.number.Load() {
		return nil
	}
	return stream.call.JSON()
}

// Decode reads the JSON as json.Unmarshal does, into a ChatCompletionChunk for instance.
func (chunk Chunk) Decode(into any) error { return json.Unmarshal(chunk.JSON(), into) }

// Response is a whole answer, or the end of a stream, whose chunks had the text.
type Response struct {
	Text string
	JSON json.RawMessage // as the service sent it
	kept *raw.Event
}

// Decode reads the JSON as json.Unmarshal does, into a ChatCompletion for instance.
func (response *Response) Decode(into any) error { return json.Unmarshal(response.JSON, into) }

// Info is what the library knows of the response.
func (response *Response) Info() (info Info) {
	if response.kept != nil {
		_ = json.Unmarshal(response.kept.Info(), &info)
	}
	return info
}

// Info is what is known of an answered call; what is absent is "", 0 or nil.
type Info struct {
	Exchange
	ID, Model, Reasoning string
	FinishReason         string                                 `json:"finish_reason"`
	ToolCalls            []struct{ ID, Name, Arguments string } `json:"tool_calls"`
	Usage                Usage
	Models               []string
	IsGathered           bool `json:"is_gathered"`
	End                  string
}

// Usage is the tokens that the service reports; what it does not report is 0.
type Usage struct {
	InputTokens       int64 `json:"input_tokens"`
	OutputTokens      int64 `json:"output_tokens"`
	TotalTokens       int64 `json:"total_tokens"`
	CachedInputTokens int64 `json:"cached_input_tokens"`
	CacheWriteTokens  int64 `json:"cache_write_tokens"`
	ReasoningTokens   int64 `json:"reasoning_tokens"`
	AudioInputTokens  int64 `json:"audio_input_tokens"`
	AudioOutputTokens int64 `json:"audio_output_tokens"`
}

// Exchange is what is known of any call.
type Exchange struct {
	HTTPStatus int    `json:"http_status"`
	RequestID  string `json:"request_id"`
	ElapsedMS  int64  `json:"elapsed_ms"`
	Attempts   int
	Headers    []struct{ Name, Value string }
	RateLimits json.RawMessage `json:"rate_limits"` // what the headers say of limits
	Timing     json.RawMessage // the record of the call
}

// Error is what is known of a failed call, as JSON too; what is absent is "", 0 or nil. Where a
// context ended the call, errors.Is finds the context's cause.
type Error struct {
	Exchange
	Kind, Message, Hint, Type, Code string
	Param, Path, Model, Timeout     string
	Metered, Body, Partial          string
	DocURL                          string          `json:"doc_url"`
	RequestTimeUnixMS               int64           `json:"request_time_unix_ms"`
	RetryAfterMS                    *int64          `json:"retry_after_ms"`
	JSON                            json.RawMessage `json:"-"`
	cause                           error
}

func newError(text []byte) *Error {
	failure := &Error{JSON: text}
	_ = json.Unmarshal(text, failure)
	return failure
}

func (failure *Error) Error() string {
	if failure.Hint == "" {
		return failure.Kind + ": " + failure.Message
	}
	return failure.Kind + ": " + failure.Message + " (" + failure.Hint + ")"
}

// Unwrap gives the cause of a context that ended the call.
func (failure *Error) Unwrap() error { return failure.cause }

// SetLog hands the log of the library, which is one for all clients, to a logger in place of an
// earlier one, at the levels that it has enabled now. One that discards everything ends it.
func SetLog(logger *slog.Logger) { raw.Log(logger) }
