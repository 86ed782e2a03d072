// Streams one chat: go run modelwire.dev/go/example MODEL TEXT
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"time"

	modelwire "modelwire.dev/go"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: example MODEL TEXT")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	client, err := modelwire.New() // base URL and key from the environment
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	request := modelwire.ChatRequest{
		Model:    os.Args[1],
		Messages: []modelwire.Message{modelwire.User(os.Args[2])},
	}
	stream := client.ChatStream(ctx, request, modelwire.WithIdleTimeout(time.Minute))
	for chunk, err := range stream.Chunks() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(chunk.Text)
	}
	fmt.Printf("\n(%d ms)\n", stream.Response().Info().ElapsedMS)
}
