package modelwire

import "encoding/json"

// ResponsesRequest is the body of a response. What is "", 0 or nil is not sent; Extra has what else
// the service takes, and replaces fields of the same name.
type ResponsesRequest struct {
	Model string `json:"model"`
	Input any    `json:"input"` // a string, or items: []InputItem, or what else becomes their JSON

	Instructions       string            `json:"instructions,omitempty"`
	Tools              []ResponsesTool   `json:"tools,omitempty"`
	ToolChoice         any               `json:"tool_choice,omitempty"` // "none", "auto", "required", or an object
	ParallelToolCalls  *bool             `json:"parallel_tool_calls,omitempty"`
	Text               *ResponsesText    `json:"text,omitempty"`
	Reasoning          *Reasoning        `json:"reasoning,omitempty"`
	Temperature        *float64          `json:"temperature,omitempty"`
	TopP               *float64          `json:"top_p,omitempty"`
	MaxOutputTokens    int               `json:"max_output_tokens,omitempty"`
	PreviousResponseID string            `json:"previous_response_id,omitempty"`
	Store              *bool             `json:"store,omitempty"`
	Include            []string          `json:"include,omitempty"`
	Metadata           map[string]string `json:"metadata,omitempty"`
	Extra              map[string]any    `json:"-"`
}

// MarshalJSON is the JSON that is sent.
func (request ResponsesRequest) MarshalJSON() ([]byte, error) {
	type fields ResponsesRequest
	return withExtra(fields(request), request.Extra)
}

// InputItem is a message, with Role and Content, or what a function gave, with Type
// "function_call_output", CallID and Output, or an item of an earlier answer.
type InputItem struct {
	Type      string `json:"type,omitempty"`
	Role      string `json:"role,omitempty"`
	Content   any    `json:"content,omitempty"` // a string, or parts
	CallID    string `json:"call_id,omitempty"`
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments,omitempty"`
	Output    string `json:"output,omitempty"`
}

// ResponsesTool is a function, whose parameters are a JSON schema, or a tool of the service, which
// may take Extra.
type ResponsesTool struct {
	Type        string         `json:"type"`
	Name        string         `json:"name,omitempty"`
	Description string         `json:"description,omitempty"`
	Parameters  any            `json:"parameters,omitempty"`
	Strict      *bool          `json:"strict,omitempty"`
	Extra       map[string]any `json:"-"`
}

// MarshalJSON is the JSON that is sent.
func (tool ResponsesTool) MarshalJSON() ([]byte, error) {
	type fields ResponsesTool
	return withExtra(fields(tool), tool.Extra)
}

// ResponsesText is the form of the text.
type ResponsesText struct {
	Format *ResponsesFormat `json:"format,omitempty"`
}

// ResponsesFormat is "text", "json_object" or "json_schema", and the schema with its name.
type ResponsesFormat struct {
	Type        string `json:"type"`
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
	Schema      any    `json:"schema,omitempty"`
	Strict      *bool  `json:"strict,omitempty"`
}

// Reasoning is how the model reasons, and whether the answer has a summary of it.
type Reasoning struct {
	Effort  string `json:"effort,omitempty"`
	Summary string `json:"summary,omitempty"`
}

// ResponseObject is the answer; Info of the response has what most programs need of it.
type ResponseObject struct {
	ID, Object, Model, Status string
	CreatedAt                 float64 `json:"created_at"`
	Output                    []OutputItem
	Error                     *struct{ Code, Message string }
	IncompleteDetails         *struct{ Reason string } `json:"incomplete_details"`
	Usage                     json.RawMessage          // as the service sent it
	PreviousResponseID        string                   `json:"previous_response_id"`
	Metadata                  map[string]string
}

// OutputItem is a message, a function call or reasoning, as Type says.
type OutputItem struct {
	Type, ID, Role, Status string
	Content                []struct{ Type, Text, Refusal string }
	CallID                 string `json:"call_id"`
	Name, Arguments        string
	Summary                []struct{ Type, Text string }
}

// ResponseEvent is a chunk of a streamed response; Type says what it is, and what is in it.
type ResponseEvent struct {
	Type         string
	Response     *ResponseObject
	Item         *OutputItem
	ItemID       string `json:"item_id"`
	OutputIndex  int    `json:"output_index"`
	ContentIndex int    `json:"content_index"`
	Delta        string
	Text         string
	Arguments    string
}
