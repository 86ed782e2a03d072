// The scenarios that every binding of modelwire passes: scenarios NAME.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	modelwire "modelwire.dev/go"
)

const oddText = "N\x00UL, \U0001F600 \U0001F468\u200D\U0001F469\u200D\U0001F467, äöü ÄÖÜ ß 你好"

var ctx = context.Background()

func check(holds bool, what string, seen ...any) {
	if !holds {
		fmt.Fprintf(os.Stderr, "%s: %+v\n", what, seen)
		os.Exit(1)
	}
}

func same(expected, seen any, what string) {
	check(reflect.DeepEqual(expected, seen), what+" is not what was expected", expected, seen)
}

// must is for what may not fail.
func must[T any](value T, err error) T {
	check(err == nil, "this failed", err)
	return value
}

// failure is the error that this is, of one of these kinds.
func failure(err error, kinds ...string) *modelwire.Error {
	var failed *modelwire.Error
	check(errors.As(err, &failed), "no error of modelwire, but one of these should be", kinds, err)
	check(slices.Contains(kinds, failed.Kind), "another kind", kinds, failed)
	return failed
}

// names is for an error that tells of this.
func names(err error, part string) {
	check(strings.Contains(err.Error(), part), "the message lacks a part", err, part)
}

func within(seconds int, what string, work func()) {
	done := make(chan struct{})
	go func() {
		work()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Duration(seconds) * time.Second):
		check(false, "not in time", what)
	}
}

func waitUntil(what string, holds func() bool) {
	for deadline := time.Now().Add(20 * time.Second); !holds(); time.Sleep(20 * time.Millisecond) {
		check(time.Now().Before(deadline), "not in time", what)
	}
}

func client(options modelwire.Options) *modelwire.Client { return must(modelwire.New(options)) }

type object = map[string]any

func said(text, model string) object {
	return object{"model": model, "messages": []object{{"role": "user", "content": text}}}
}

func asked(text string) object { return object{"model": "echo", "input": text} }

// read reads a stream to its end.
func read(stream *modelwire.Stream) (text string, chunks []modelwire.Chunk) {
	for chunk, err := range stream.Chunks() {
		check(err == nil, "a stream failed", err)
		text += chunk.Text
		chunks = append(chunks, chunk)
	}
	return text, chunks
}

// begun is a stream of which the first piece of text was read.
func begun(client *modelwire.Client, ctx context.Context) *modelwire.Stream {
	stream := client.ChatStream(ctx, said("x", "echo"))
	same("one ", must(stream.Next()).Text, "the first piece")
	return stream
}

func resident() int {
	status := must(os.ReadFile("/proc/self/status"))
	_, after, _ := bytes.Cut(status, []byte("VmRSS:"))
	return must(strconv.Atoi(string(bytes.Fields(after)[0])))
}

func descriptors() int { return len(must(os.ReadDir("/proc/self/fd"))) }

func cue() { must(bufio.NewReader(os.Stdin).ReadString('\n')) }

var scenarios = map[string]func(){
	"plain": func() {
		client := client(nil)
		models := must(client.Models(ctx))
		check(slices.Contains(models.Info().Models, "echo"), "models", models.Info())
		response := must(client.Chat(ctx, said("plain words", "echo")))
		same("plain words", response.Text, "the text")
		var document struct {
			Choices []struct{ Message struct{ Content string } }
		}
		check(response.Decode(&document) == nil, "the document", string(response.JSON))
		same("plain words", document.Choices[0].Message.Content, "the document's text")
		info := response.Info()
		same([]int{200, 1}, []int{info.HTTPStatus, info.Attempts}, "status and attempts")
		check(info.Usage.TotalTokens > 0 && len(info.Headers) > 0, "what is known", info)
		same("plain words", must(client.Responses(ctx, asked("plain words"))).Text, "the response")
	},

	"streamed": func() {
		client := client(nil)
		var texts, deltas string
		pieces := 0
		stream := client.ChatStream(ctx, said("one two three four", "echo"))
		var last modelwire.Chunk
		for chunk, err := range stream.Chunks() {
			check(err == nil, "a stream failed", err)
			var document struct {
				Choices []struct{ Delta struct{ Content string } }
			}
			check(chunk.Decode(&document) == nil, "a document", string(chunk.JSON()))
			check(last.JSON() == nil, "the JSON of an earlier chunk")
			for _, choice := range document.Choices {
				deltas += choice.Delta.Content
			}
			if texts += chunk.Text; chunk.Text != "" {
				pieces++
			}
			last = chunk
		}
		check(pieces >= 2, "pieces", pieces)
		same("one two three four", texts, "the texts")
		same("one two three four", deltas, "the documents")
		same(200, stream.Response().Info().HTTPStatus, "the response at the end")
		_, err := stream.Next()
		same(io.EOF, err, "what comes after the end")

		gathered := modelwire.Options{"gather": true}
		stream = client.ChatStream(ctx, said("all of it", "echo"), gathered)
		read(stream)
		same("all of it", stream.Response().Text, "a gathered text")
		same("stop", stream.Response().Info().FinishReason, "the finish reason")

		text, chunks := read(client.ResponsesStream(ctx, asked("one two three four")))
		same("one two three four", text, "the texts of a response")
		seen := map[string]bool{}
		for _, chunk := range chunks {
			seen[chunk.Name] = true
		}
		check(seen["response.output_text.delta"], "names", seen)

		same(oddText, must(client.Chat(ctx, said(oddText, "echo"))).Text, "odd text")
		text, _ = read(client.ChatStream(ctx, said(oddText, "echo")))
		same(oddText, text, "odd text by a stream")
	},

	"missing": func() {
		client := client(nil)
		_, whole := client.Chat(ctx, said("x", "no-such-model"))
		_, streamed := client.ChatStream(ctx, said("x", "no-such-model")).Next()
		for _, err := range []error{whole, streamed} {
			failed := failure(err, "not_found")
			same([]int{404, 1}, []int{failed.HTTPStatus, failed.Attempts}, "status and attempts")
			same("no-such-model", failed.Model, "the model")
			for _, part := range []string{failed.Kind, failed.Message, failed.Hint} {
				check(part != "", "a part is missing", err)
				names(err, part)
			}
			var known, members object
			check(json.Unmarshal(failed.JSON, &known) == nil, "its JSON", string(failed.JSON))
			check(json.Unmarshal(must(json.Marshal(failed)), &members) == nil, "members", failed)
			for name, value := range known {
				member, isThere := members[name]
				if !isThere { // a name of one word, which Go begins with a capital letter
					member, isThere = members[strings.ToUpper(name[:1])+name[1:]]
				}
				check(isThere, "a member is missing", name)
				if list, isList := value.([]any); isList {
					check(len(list) == len(failed.Headers), "headers", list, failed.Headers)
				} else if value != nil {
					same(value, member, name)
				}
			}
			same(22, len(known), "the number of members")
		}
	},

	// Go's own: requests and answers as structs.
	"typed": func() {
		client := must(modelwire.New(nil, modelwire.WithMaxRetries(0), modelwire.WithTotalTimeout(0)))
		schema := object{"type": "object", "properties": object{"text": object{"type": "string"}}}
		request := modelwire.ChatRequest{
			Model: "echo-tools",
			Messages: []modelwire.Message{modelwire.System("Be short."),
				modelwire.User("one two", modelwire.ImagePart("data:,"))},
			Tools: []modelwire.Tool{modelwire.FunctionTool("echo", "", schema)},
			Extra: map[string]any{"temperature": 1, "a_field": true},
		}
		sent := string(must(json.Marshal(request)))
		for _, part := range []string{`"a_field":true`, `"temperature":1`, `{"type":"text","text":"one two"}`,
			`"parameters":{"properties"`} {
			check(strings.Contains(sent, part), "the request lacks a part", part, sent)
		}
		check(!strings.Contains(sent, "top_p"), "the request has what is not set", sent)

		request.Messages[1] = modelwire.User("one two")
		var completion modelwire.ChatCompletion
		check(must(client.Chat(ctx, request)).Decode(&completion) == nil, "the answer")
		message := completion.Choices[0].Message
		same("tool_calls", completion.Choices[0].FinishReason, "the finish reason")
		same("echo", message.ToolCalls[0].Function.Name, "the tool")
		result := modelwire.ToolResult(message.ToolCalls[0].ID, "two")
		request.Messages = append(request.Messages, message, result)
		check(strings.Contains(string(must(json.Marshal(message))), `"content":null`), "no content", message)
		must(client.Chat(ctx, request)) // the service takes its message back, and the result

		stream := client.ChatStream(ctx, modelwire.ChatRequest{Model: "echo",
			Messages: []modelwire.Message{modelwire.User("one two")}},
			modelwire.WithGather(true), modelwire.WithIdleTimeout(time.Minute))
		text := ""
		for chunk, err := range stream.Chunks() {
			var event modelwire.ChatCompletionChunk
			check(must(chunk, err).Decode(&event) == nil, "a chunk")
			for _, choice := range event.Choices {
				text += choice.Delta.Content
			}
		}
		same("one two", text, "the chunks")
		check(stream.Response().Decode(&completion) == nil, "the gathered answer")
		same("one two", completion.Choices[0].Message.Content, "the gathered text")

		asked := modelwire.ResponsesRequest{Model: "echo", Input: "one two"}
		var answer modelwire.ResponseObject
		check(must(client.Responses(ctx, asked)).Decode(&answer) == nil, "the response")
		same("one two", answer.Output[0].Content[0].Text, "the text of the response")
		asked.Input = []modelwire.InputItem{{Role: "user", Content: "one two"}}
		text = ""
		for chunk, err := range client.ResponsesStream(ctx, asked).Chunks() {
			var event modelwire.ResponseEvent
			check(must(chunk, err).Decode(&event) == nil, "an event")
			text += event.Delta
		}
		same("one two", text, "the events")
	},

	"no_key": func() {
		_, err := modelwire.New()
		names(failure(err, "config"), "key")
	},

	"wrong_request": func() {
		client := client(nil)
		_, err := client.Chat(ctx, object{"model": "echo"})
		names(failure(err, "argument"), "messages")
		wrong := object{"model": "echo", "messages": []object{{"role": 1}}}
		_, err = client.ChatStream(ctx, wrong).Next()
		names(failure(err, "argument"), "role")
		_, err = client.Chat(ctx, func() {})
		check(err != nil, "what is no JSON was taken")
		same(0, client.Unfinished(), "unfinished calls")
	},

	"options": func() {
		client := client(nil)
		patient := modelwire.Options{"total_timeout_ms": 20_000}
		response := must(client.Chat(ctx, said("x", "echo"), patient))
		same("x", response.Text, "the text")
		_, err := client.Chat(ctx, said("a b c d", "slow"), modelwire.Options{"max_retries": 0},
			modelwire.Options{"total_timeout_ms": 1})
		same("total_timeout", failure(err, "timeout").Timeout, "the timeout")
		_, err = client.Chat(ctx, said("x", "echo"), modelwire.Options{"no_such_option": 1})
		names(failure(err, "argument"), "no_such_option")
		service := modelwire.BaseURL{URL: os.Getenv("MODELWIRE_BASE_URL"), Weight: 2}
		other := modelwire.BaseURL{URL: "http://127.0.0.1:1/v1"}
		several := must(modelwire.New(modelwire.WithBaseURLs(service, other)))
		same("x", must(several.Chat(ctx, said("x", "echo"))).Text, "of the first service")
		_, err = modelwire.New(modelwire.Options{"no_such_option": 1})
		names(failure(err, "config"), "no_such_option")
	},

	"cut": func() {
		stream := client(nil).ChatStream(ctx, said("x", "echo"))
		same("half ", must(stream.Next()).Text, "what came before")
		_, err := stream.Next()
		failure(err, "disconnected")
		_, again := stream.Next()
		same(err, again, "the error that is read again")
	},

	"cancel": func() {
		client := client(nil)
		stream := begun(client, ctx)
		time.AfterFunc(100*time.Millisecond, stream.Cancel)
		within(20, "cancelling", func() {
			_, err := stream.Next()
			failure(err, "cancelled")
			same("cancelled: the call was cancelled", err.Error(), "an error without a hint")
		})
		for chunk, err := range client.ChatStream(ctx, said("x", "echo")).Chunks() {
			same("one ", must(chunk, err).Text, "the first piece")
			break
		}
		fmt.Println("left")
		cue()
		waitUntil("the end of the calls", func() bool { return client.Unfinished() == 0 })
	},

	"slow_reader": func() {
		client := client(nil)
		slow := client.ChatStream(ctx, said("x", "echo"))
		must(slow.Next())
		before, count := resident(), 1
		for range 20 {
			text, _ := read(client.ChatStream(ctx, said("x", "echo")))
			same(20_000, len(text), "the text of a small one")
		}
		time.Sleep(200 * time.Millisecond)
		check(resident()-before < 40<<10, "memory grew", before, resident())
		bytes := 1000
		for chunk, err := range slow.Chunks() {
			if must(chunk, err).Text != "" {
				count++
			}
			bytes += len(chunk.Text)
		}
		same([]int{64_000, 64_000_000}, []int{count, bytes}, "the chunks of the slow one")
	},

	"many": func() {
		client := client(modelwire.Options{"connections_max": 1100})
		for _, count := range []int{100, 1000} {
			var all sync.WaitGroup
			for number := range count {
				all.Add(1)
				go func() {
					defer all.Done()
					expected := fmt.Sprintf("stream %d", number)
					text, _ := read(client.ChatStream(ctx, said(expected, "slow")))
					same(expected, text, "the text of one of many")
				}()
			}
			all.Wait()
		}
		same(0, client.Unfinished(), "unfinished calls")
	},

	"finalizers": func() {
		kept, dropped := client(nil), client(nil)
		held, cancel := context.WithCancel(ctx) // it goes on, and must not hold them
		for number := range 50 {
			begun([]*modelwire.Client{kept, dropped}[number%2], held)
		}
		gone := make(chan struct{})
		runtime.AddCleanup(dropped, func(int) { close(gone) }, 0)
		dropped = nil
		waitUntil("the end of the calls", func() bool {
			runtime.GC()
			return kept.Unfinished() == 0
		})
		waitUntil("the end of the client", func() bool {
			runtime.GC()
			select {
			case <-gone:
				return true
			default:
				return false
			}
		})
		cue()
		cancel()
	},

	"clients": func() {
		var open, memory int
		for number := 1; number <= 2000; number++ {
			client := client(nil)
			if number%100 == 0 {
				same("x", must(client.Chat(ctx, said("x", "echo"))).Text, "the text")
			}
			if number%2 == 0 {
				client.Close()
			}
			if number == 200 {
				open, memory = descriptors(), resident()
			}
		}
		check(descriptors()-open < 20, "descriptors", open, descriptors())
		check(resident()-memory < 16<<10, "memory grew", memory, resident())
		fmt.Println("descriptors:", open, descriptors(), "memory:", memory, resident())
	},

	// Go's own: whatever goroutines do to the same streams, no call is left and nothing races.
	"together": func() {
		client := client(modelwire.Options{"connections_max": 400})
		var all sync.WaitGroup
		for number := range 600 {
			all.Add(1)
			go func() {
				defer all.Done()
				limited, cancel := context.WithCancel(ctx)
				defer cancel()
				stream := client.ChatStream(limited, said("a b c d e f g h", "slow"))
				switch number % 6 {
				case 0:
					time.AfterFunc(time.Duration(number)*time.Millisecond/10, stream.Cancel)
				case 1:
					time.AfterFunc(time.Duration(number)*time.Millisecond/10, cancel)
				case 2:
					go stream.Cancel()
					stream.Cancel()
				case 3:
					other := make(chan struct{})
					go func() {
						for _, err := stream.Next(); err == nil; _, err = stream.Next() {
						}
						close(other)
					}()
					defer func() { <-other }()
				case 4:
					return
				}
				var asked sync.WaitGroup
				for chunk, err := range stream.Chunks() {
					if err != nil {
						failure(err, "cancelled", "closed")
					}
					for range 2 {
						asked.Add(1)
						go func() {
							defer asked.Done()
							text := chunk.JSON()
							check(text == nil || json.Valid(text), "what is no JSON", text)
						}()
					}
				}
				asked.Wait()
			}()
		}
		time.AfterFunc(150*time.Millisecond, func() { client.Close() })
		all.Wait()
		waitUntil("the end of the calls", func() bool {
			runtime.GC()
			return client.Unfinished() == 0
		})
	},

	// Go's own: where there are no descriptors for its poller, calls wait on threads.
	"descriptors": func() {
		client := client(nil)
		first := client.ChatStream(ctx, said("first", "slow"))
		must(first.Next())
		var limit syscall.Rlimit
		check(syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil, "the limit")
		streams := []*modelwire.Stream{}
		for number := range 8 {
			streams = append(streams, client.ChatStream(ctx, said(fmt.Sprint(number), "slow")))
		}
		cue() // all are connected
		limit.Cur = 3
		check(syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit) == nil, "the limit")
		var all sync.WaitGroup
		for number, stream := range streams {
			all.Add(1)
			go func() {
				defer all.Done()
				text, _ := read(stream)
				same(fmt.Sprint(number), text, "a text")
			}()
		}
		all.Wait()
	},

	"log": func() {
		logged := &lockedBuffer{}
		debug := &slog.HandlerOptions{Level: slog.LevelDebug}
		logger := slog.New(slog.NewJSONHandler(logged, debug))
		modelwire.SetLog(logger)
		client := client(nil)
		must(client.Chat(ctx, said("x", "echo")))
		waitUntil("a record", func() bool { return strings.Count(logged.text(), "\n") >= 2 })
		modelwire.SetLog(slog.New(slog.DiscardHandler))
		time.Sleep(100 * time.Millisecond)
		before := logged.text()
		must(client.Chat(ctx, said("x", "echo")))
		time.Sleep(100 * time.Millisecond)
		same(before, logged.text(), "the log after its end")
		check(!strings.Contains(before, "sk-test"), "the key is in the log")
		for _, line := range strings.Split(strings.TrimSpace(before), "\n") {
			var record struct {
				Level, Msg, Target string
			}
			check(json.Unmarshal([]byte(line), &record) == nil, "a record", line)
			check(record.Level == "DEBUG" || record.Level == "INFO", "a level", line)
			check(record.Msg != "" && record.Target != "", "a record", line)
		}
	},

	"close": func() {
		client := client(nil)
		stream := begun(client, ctx)
		time.AfterFunc(100*time.Millisecond, func() { client.Close() })
		within(20, "closing", func() {
			_, err := stream.Next()
			failure(err, "closed")
		})
		_, err := client.Chat(ctx, said("x", "echo"))
		failure(err, "closed")
		within(20, "closing again", func() { client.Close() })
		same(0, client.Unfinished(), "unfinished calls")
	},

	"interrupt": func() {
		client := client(nil)
		heard := make(chan os.Signal, 1)
		signal.Notify(heard, syscall.SIGUSR1)
		limited, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		time.AfterFunc(100*time.Millisecond, func() { syscall.Kill(os.Getpid(), syscall.SIGUSR1) })
		within(20, "the context's end", func() {
			_, err := client.Chat(limited, said("x", "echo"))
			failure(err, "cancelled")
			check(errors.Is(err, context.DeadlineExceeded), "the cause is missing", err)
		})
		waitUntil("a signal", func() bool { return len(heard) == 1 })
		waitUntil("the end of the call", func() bool { return client.Unfinished() == 0 })
		_, err := client.Chat(limited, said("x", "echo"))
		check(errors.Is(err, context.DeadlineExceeded), "a context that is over", err)
		cause := errors.New("a reason")
		reasoned, because := context.WithCancelCause(ctx)
		stream := client.ChatStream(reasoned, said("x", "echo"))
		because(cause)
		_, err = stream.Next()
		check(errors.Is(err, cause), "the cause is missing", err)
	},
}

type lockedBuffer struct {
	mutex  sync.Mutex
	buffer bytes.Buffer
}

func (locked *lockedBuffer) Write(text []byte) (int, error) {
	locked.mutex.Lock()
	defer locked.mutex.Unlock()
	return locked.buffer.Write(text)
}

func (locked *lockedBuffer) text() string {
	locked.mutex.Lock()
	defer locked.mutex.Unlock()
	return locked.buffer.String()
}

func main() {
	scenario, isThere := scenarios[os.Args[1]]
	check(isThere, "no such scenario", os.Args[1])
	scenario()
}
