package modelwire

import (
	"maps"
	"time"
)

// Option is an option of a client or of one call. Of two that set the same the later one counts.
type Option interface{ set(options map[string]any) }

// Options are any options by the names of docs/options.md.
type Options map[string]any

func (options Options) set(all map[string]any) { maps.Copy(all, options) }

// BaseURL is one of several services of a client; Models are its names of models by requested names.
type BaseURL struct {
	URL    string            `json:"url"`
	APIKey string            `json:"api_key,omitempty"`
	Weight int               `json:"weight,omitempty"`
	Models map[string]string `json:"models,omitempty"`
}

// What is less than a millisecond is one.
func milliseconds(name string, limit time.Duration) Option {
	return Options{name: (limit + time.Millisecond - 1).Milliseconds()}
}

func timeout(name string, limit time.Duration) Option {
	if limit == 0 {
		return Options{name: nil}
	}
	return milliseconds(name, limit)
}

func combined(options []Option) map[string]any {
	all := map[string]any{}
	for _, option := range options {
		if option != nil {
			option.set(all)
		}
	}
	return all
}
