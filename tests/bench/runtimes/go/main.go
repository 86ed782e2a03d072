// What a client of Go costs: bench-go CLIENT WORK BASE_URL OPERATIONS AT_ONCE, with the client
// modelwire, or usual: net/http and encoding/json; and the work chat or stream.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	modelwire "modelwire.dev/go"
)

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type request struct {
	Model    string    `json:"model"`
	Messages []message `json:"messages"`
	Stream   bool      `json:"stream,omitempty"`
}

var asked = request{Model: "bench", Messages: []message{{"user", "hello"}}}

type seen struct{ events, textBytes int }

func (seen *seen) add(text string) {
	seen.events++
	seen.textBytes += len(text)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "failed:", err)
		os.Exit(1)
	}
}

// client does one whole chat, or reads one stream.
type client interface {
	chat(seen *seen)
	stream(seen *seen)
}

type modelwireClient struct{ client *modelwire.Client }

func newModelwire(baseURL string, atOnce int) client {
	options := modelwire.Options{"base_url": baseURL, "api_key": "sk-test"}
	options["connections_max"] = max(1000, atOnce+100)
	made, err := modelwire.New(options)
	check(err)
	return modelwireClient{made}
}

func (client modelwireClient) chat(seen *seen) {
	response, err := client.client.Chat(context.Background(), asked)
	check(err)
	seen.add(response.Text)
}

func (client modelwireClient) stream(seen *seen) {
	for chunk, err := range client.client.ChatStream(context.Background(), asked).Chunks() {
		check(err)
		seen.add(chunk.Text)
	}
}

type usualClient struct {
	url    string
	client *http.Client
}

func newUsual(baseURL string, atOnce int) client {
	transport := &http.Transport{MaxIdleConnsPerHost: atOnce}
	return usualClient{baseURL + "/chat/completions", &http.Client{Transport: transport}}
}

func (client usualClient) send(asked request) *http.Response {
	body, err := json.Marshal(asked)
	check(err)
	request, err := http.NewRequest("POST", client.url, bytes.NewReader(body))
	check(err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer sk-test")
	response, err := client.client.Do(request)
	check(err)
	if response.StatusCode != 200 {
		check(fmt.Errorf("status %d", response.StatusCode))
	}
	return response
}

func (client usualClient) chat(seen *seen) {
	response := client.send(asked)
	defer response.Body.Close()
	var answer struct{ Choices []struct{ Message message } }
	text, err := io.ReadAll(response.Body)
	check(err)
	check(json.Unmarshal(text, &answer))
	seen.add(answer.Choices[0].Message.Content)
}

func (client usualClient) stream(seen *seen) {
	asked := asked
	asked.Stream = true
	response := client.send(asked)
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		data, isData := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !isData || bytes.Equal(data, []byte("[DONE]")) {
			continue
		}
		var chunk struct{ Choices []struct{ Delta message } }
		check(json.Unmarshal(data, &chunk))
		seen.add(chunk.Choices[0].Delta.Content)
	}
	check(lines.Err())
}

func cpuUs() float64 {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e3
}

func main() {
	work, baseURL := os.Args[2], os.Args[3]
	operations, err := strconv.Atoi(os.Args[4])
	check(err)
	atOnce, err := strconv.Atoi(os.Args[5])
	check(err)
	clients := map[string]func(string, int) client{"modelwire": newModelwire, "usual": newUsual}

	cpu, wall := cpuUs(), time.Now()
	client := clients[os.Args[1]](baseURL, atOnce)
	parts := make([]seen, atOnce)
	var all sync.WaitGroup
	for number := range parts {
		all.Add(1)
		go func() {
			defer all.Done()
			var own seen // of this goroutine alone, until the end
			if work == "stream" {
				client.stream(&own)
			} else {
				for range operations / atOnce {
					client.chat(&own)
				}
			}
			parts[number] = own
		}()
	}
	all.Wait()
	var total seen
	for _, part := range parts {
		total.events += part.events
		total.textBytes += part.textBytes
	}
	cpu, us := cpuUs()-cpu, float64(time.Since(wall).Nanoseconds())/1e3
	fmt.Printf("{\"cpu_us\":%.1f,\"wall_us\":%.1f,\"events\":%d,\"text_bytes\":%d}\n",
		cpu, us, total.events, total.textBytes)
}
