package modelwire

import "encoding/json"

// ChatRequest is the body of a chat. What is "", 0 or nil is not sent; Extra has what else the
// service takes, and replaces fields of the same name.
type ChatRequest struct {
	Model    string    `json:"model"`
	Messages []Message `json:"messages"`

	Tools               []Tool            `json:"tools,omitempty"`
	ToolChoice          any               `json:"tool_choice,omitempty"` // "none", "auto", "required", or an object
	ParallelToolCalls   *bool             `json:"parallel_tool_calls,omitempty"`
	ResponseFormat      *ResponseFormat   `json:"response_format,omitempty"`
	Temperature         *float64          `json:"temperature,omitempty"`
	TopP                *float64          `json:"top_p,omitempty"`
	MaxTokens           int               `json:"max_tokens,omitempty"`
	MaxCompletionTokens int               `json:"max_completion_tokens,omitempty"`
	N                   int               `json:"n,omitempty"`
	Stop                []string          `json:"stop,omitempty"`
	Seed                *int64            `json:"seed,omitempty"`
	PresencePenalty     *float64          `json:"presence_penalty,omitempty"`
	FrequencyPenalty    *float64          `json:"frequency_penalty,omitempty"`
	LogProbs            bool              `json:"logprobs,omitempty"`
	TopLogProbs         int               `json:"top_logprobs,omitempty"`
	ReasoningEffort     string            `json:"reasoning_effort,omitempty"`
	User                string            `json:"user,omitempty"`
	Metadata            map[string]string `json:"metadata,omitempty"`
	StreamOptions       *StreamOptions    `json:"stream_options,omitempty"`
	Extra               map[string]any    `json:"-"`
}

// MarshalJSON is the JSON that is sent.
func (request ChatRequest) MarshalJSON() ([]byte, error) {
	type fields ChatRequest
	return withExtra(fields(request), request.Extra)
}

// StreamOptions ask for the usage at the end of a stream.
type StreamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// Message is one of a chat: of the program, or in an answer, where Extra keeps the fields that are
// not here. The content is Parts where there are some.
type Message struct {
	Role       string
	Content    string
	Parts      []Part
	Name       string
	Refusal    string
	ToolCalls  []ToolCall
	ToolCallID string
	Extra      map[string]any
}

// System is a message with instructions.
func System(text string) Message { return Message{Role: "system", Content: text} }

// User is a message of the user, of one text or, without one, of parts.
func User(text string, parts ...Part) Message {
	if text != "" && len(parts) > 0 {
		parts = append([]Part{TextPart(text)}, parts...)
	}
	return Message{Role: "user", Content: text, Parts: parts}
}

// Assistant is an earlier answer.
func Assistant(text string) Message { return Message{Role: "assistant", Content: text} }

// ToolResult is what a tool gave, whose call had this ID.
func ToolResult(callID, text string) Message {
	return Message{Role: "tool", Content: text, ToolCallID: callID}
}

type messageFields struct {
	Role       string     `json:"role"`
	Content    any        `json:"content"`
	Name       string     `json:"name,omitempty"`
	Refusal    string     `json:"refusal,omitempty"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

// MarshalJSON is the JSON that is sent.
func (message Message) MarshalJSON() ([]byte, error) {
	var content any = message.Content
	if message.Parts != nil {
		content = message.Parts
	} else if message.Content == "" && message.ToolCalls != nil {
		content = nil
	}
	fields := messageFields{message.Role, content, message.Name, message.Refusal,
		message.ToolCalls, message.ToolCallID}
	return withExtra(fields, message.Extra)
}

// UnmarshalJSON reads a message of an answer.
func (message *Message) UnmarshalJSON(text []byte) error {
	var content json.RawMessage
	fields := messageFields{Content: &content}
	if err := json.Unmarshal(text, &fields); err != nil {
		return err
	}
	*message = Message{Role: fields.Role, Name: fields.Name, Refusal: fields.Refusal,
		ToolCalls: fields.ToolCalls, ToolCallID: fields.ToolCallID}
	if err := json.Unmarshal(text, &message.Extra); err != nil {
		return err
	}
	for _, known := range []string{"role", "content", "name", "refusal", "tool_calls", "tool_call_id"} {
		delete(message.Extra, known)
	}
	if len(content) > 0 && content[0] == '[' {
		return json.Unmarshal(content, &message.Parts)
	} else if len(content) > 0 {
		return json.Unmarshal(content, &message.Content)
	}
	return nil
}

// Part is a part of a message, of the kind that Type says.
type Part struct {
	Type       string      `json:"type"`
	Text       string      `json:"text,omitempty"`
	ImageURL   *ImageURL   `json:"image_url,omitempty"`
	InputAudio *InputAudio `json:"input_audio,omitempty"`
	File       *File       `json:"file,omitempty"`
}

// ImageURL is where an image is; a data: URL has it within.
type ImageURL struct {
	URL    string `json:"url"`
	Detail string `json:"detail,omitempty"`
}

// InputAudio is sound, its data as base64.
type InputAudio struct {
	Data   string `json:"data"`
	Format string `json:"format"`
}

// File is one that the service has, or its data.
type File struct {
	FileID   string `json:"file_id,omitempty"`
	FileData string `json:"file_data,omitempty"`
	Filename string `json:"filename,omitempty"`
}

// TextPart is a part of text.
func TextPart(text string) Part { return Part{Type: "text", Text: text} }

// ImagePart is an image.
func ImagePart(url string) Part { return Part{Type: "image_url", ImageURL: &ImageURL{URL: url}} }

// Tool is a function that the model may call.
type Tool struct {
	Type     string   `json:"type"`
	Function Function `json:"function"`
}

// Function describes a tool; its parameters are a JSON schema.
type Function struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Parameters  any    `json:"parameters,omitempty"`
	Strict      *bool  `json:"strict,omitempty"`
}

// FunctionTool is a tool; its parameters are a JSON schema.
func FunctionTool(name, description string, parameters any) Tool {
	return Tool{"function", Function{Name: name, Description: description, Parameters: parameters}}
}

// ToolCall is what the model wants called; its arguments are JSON text as the model wrote it.
type ToolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function FunctionCall `json:"function"`
}

// FunctionCall is the function of a ToolCall.
type FunctionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// ResponseFormat is "text", "json_object" or "json_schema", and the schema.
type ResponseFormat struct {
	Type       string      `json:"type"`
	JSONSchema *JSONSchema `json:"json_schema,omitempty"`
}

// JSONSchema is a schema with its name.
type JSONSchema struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Schema      any    `json:"schema"`
	Strict      *bool  `json:"strict,omitempty"`
}

// SchemaFormat asks for an answer that keeps to a JSON schema.
func SchemaFormat(name string, schema any) *ResponseFormat {
	strict := true
	return &ResponseFormat{"json_schema", &JSONSchema{Name: name, Schema: schema, Strict: &strict}}
}

// ChatCompletion is the answer to a chat; Info of the response has what most programs need of it.
type ChatCompletion struct {
	ID, Object, Model string
	Created           int64
	Choices           []struct {
		Index        int
		Message      Message
		FinishReason string `json:"finish_reason"`
		LogProbs     json.RawMessage
	}
	Usage             json.RawMessage // as the service sent it
	SystemFingerprint string          `json:"system_fingerprint"`
	ServiceTier       string          `json:"service_tier"`
}

// ChatCompletionChunk is a chunk of a chat.
type ChatCompletionChunk struct {
	ID, Object, Model string
	Created           int64
	Choices           []struct {
		Index int
		Delta struct {
			Role, Content, Refusal string
			ToolCalls              []struct {
				Index    int
				ID, Type string
				Function FunctionCall
			} `json:"tool_calls"`
		}
		FinishReason string `json:"finish_reason"`
		LogProbs     json.RawMessage
	}
	Usage             json.RawMessage // as the service sent it, in the last one
	SystemFingerprint string          `json:"system_fingerprint"`
	ServiceTier       string          `json:"service_tier"`
}

// withExtra is the JSON of a struct, with further fields.
func withExtra(fields any, extra map[string]any) ([]byte, error) {
	text, err := json.Marshal(fields)
	if err != nil || len(extra) == 0 {
		return text, err
	}
	all := map[string]any{}
	known := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &known); err != nil {
		return nil, err
	}
	for name, value := range known {
		all[name] = value
	}
	for name, value := range extra {
		all[name] = value
	}
	return json.Marshal(all)
}
