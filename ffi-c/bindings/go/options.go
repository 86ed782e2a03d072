package modelwire

import (
	"maps"
	"time"
)

// Option is an option of a client or of one call. Of two that set the same the later one counts.
type Option interface{ set(options map[string]any) }

// Options are any options by the names of docs/options.md, for those without a function here.
type Options map[string]any

func (options Options) set(all map[string]any) { maps.Copy(all, options) }

// WithBaseURL is the service of a client: https://host/v1, for instance.
func WithBaseURL(url string) Option { return Options{"base_url": url} }

// BaseURL is one of several services of a client; Models are its names of models by requested names.
type BaseURL struct {
	URL    string            `json:"url"`
	APIKey string            `json:"api_key,omitempty"`
	Weight int               `json:"weight,omitempty"`
	Models map[string]string `json:"models,omitempty"`
}

// WithBaseURLs are the services of a client, in the order of their preference.
func WithBaseURLs(urls ...BaseURL) Option { return Options{"base_urls": urls} }

// WithBalance spreads the calls of a client over its base URLs by weight.
func WithBalance() Option { return Options{"balance": true} }

// WithAPIKey is the key of a client or of one call.
func WithAPIKey(key string) Option { return Options{"api_key": key} }

// WithHeaders are headers to send, with every call of a client or with one.
func WithHeaders(headers map[string]string) Option { return Options{"headers": headers} }

// WithMaxRetries limits the retries of a call; 0 disables them.
func WithMaxRetries(count int) Option { return Options{"max_retries": count} }

// WithTotalTimeout limits all attempts of a call and the delays between them; 0 is no limit.
func WithTotalTimeout(limit time.Duration) Option { return timeout("total_timeout_ms", limit) }

// WithIdleTimeout limits the pauses in the content of an answer; 0 is no limit.
func WithIdleTimeout(limit time.Duration) Option { return timeout("idle_timeout_ms", limit) }

// WithGather gives the whole answer at the end of a stream.
func WithGather() Option { return Options{"gather": true} }

func timeout(name string, limit time.Duration) Option {
	if limit == 0 {
		return Options{name: nil}
	}
	return Options{name: max(1, limit.Milliseconds())}
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
