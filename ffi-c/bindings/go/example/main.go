// Streams one chat: go run ./example MODEL TEXT
package main

import (
	"context"
	"fmt"
	"log"
	"modelwire"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	client, err := modelwire.New(nil) // base URL and key from the environment
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	message := map[string]any{"role": "user", "content": os.Args[2]}
	request := map[string]any{"model": os.Args[1], "messages": []any{message}}
	stream := client.ChatStream(ctx, request, modelwire.Options{"idle_timeout_ms": 60_000})
	for chunk, err := range stream.Chunks() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(chunk.Text)
	}
	fmt.Printf("\n(%d ms)\n", stream.Response().Info().ElapsedMS)
}
