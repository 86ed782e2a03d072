/** Chat completions: the request and the answers, by the names of the service's JSON. */

export interface ChatRequest {
  model: string;
  messages: Message[];
  tools?: Tool[] | null;
  tool_choice?: "none" | "auto" | "required" | { type: "function"; function: { name: string } };
  parallel_tool_calls?: boolean;
  response_format?: ResponseFormat | null;
  temperature?: number | null;
  top_p?: number | null;
  max_tokens?: number | null;
  max_completion_tokens?: number | null;
  n?: number | null;
  stop?: string | string[] | null;
  seed?: number | null;
  presence_penalty?: number | null;
  frequency_penalty?: number | null;
  logit_bias?: Record<string, number> | null;
  logprobs?: boolean | null;
  top_logprobs?: number | null;
  reasoning_effort?: string | null;
  user?: string;
  metadata?: Record<string, string> | null;
  stream?: boolean | null;
  stream_options?: { include_usage?: boolean } | null;
  /** Whatever else the service takes. */
  [field: string]: unknown;
}

export type Message =
  | { role: "system" | "developer"; content: string | TextPart[]; name?: string }
  | { role: "user"; content: string | Part[]; name?: string }
  | AssistantMessage
  | { role: "tool"; content: string | TextPart[]; tool_call_id: string };

export interface AssistantMessage {
  role: "assistant";
  content?: string | TextPart[] | null;
  refusal?: string | null;
  tool_calls?: ToolCall[];
  name?: string;
}

export interface TextPart {
  type: "text";
  text: string;
}

export type Part =
  | TextPart
  | { type: "image_url"; image_url: { url: string; detail?: "auto" | "low" | "high" } }
  | { type: "input_audio"; input_audio: { data: string; format: string } }
  | { type: "file"; file: { file_data?: string; file_id?: string; filename?: string } };

/** A JSON schema. */
export type Schema = { [keyword: string]: unknown };

export interface Tool {
  type: "function";
  function: { name: string; description?: string; parameters?: Schema; strict?: boolean | null };
}

export interface ToolCall {
  id: string;
  type: "function";
  /** The arguments are JSON text, as the model wrote it. */
  function: { name: string; arguments: string };
}

export type ResponseFormat =
  | { type: "text" | "json_object" }
  | {
      type: "json_schema";
      json_schema: { name: string; description?: string; schema?: Schema; strict?: boolean | null };
    };

/** The usage of a chat as the service sends it; `info.usage` has one form for all operations. */
export interface CompletionUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details?: { cached_tokens?: number; audio_tokens?: number } | null;
  completion_tokens_details?: { reasoning_tokens?: number; audio_tokens?: number } | null;
}

export interface TokenLogprob {
  token: string;
  logprob: number;
  bytes: number[] | null;
  top_logprobs: { token: string; logprob: number; bytes: number[] | null }[];
}

export interface Logprobs {
  content?: TokenLogprob[] | null;
  refusal?: TokenLogprob[] | null;
}

/** "stop", "length", "tool_calls", "content_filter", or a word of the service's own. */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | (string & {});

export interface ChatCompletion {
  id: string;
  object: "chat.completion";
  created: number;
  model: string;
  choices: {
    index: number;
    message: { role: "assistant"; content: string | null } & Omit<AssistantMessage, "content">;
    finish_reason: FinishReason;
    logprobs?: Logprobs | null;
  }[];
  usage?: CompletionUsage | null;
  system_fingerprint?: string | null;
  service_tier?: string | null;
}

export interface ChatCompletionChunk {
  id: string;
  object: "chat.completion.chunk";
  created: number;
  model: string;
  choices: {
    index: number;
    delta: {
      role?: string;
      content?: string | null;
      refusal?: string | null;
      tool_calls?: {
        index: number;
        id?: string;
        type?: "function";
        function?: { name?: string; arguments?: string };
      }[];
    };
    finish_reason: FinishReason | null;
    logprobs?: Logprobs | null;
  }[];
  usage?: CompletionUsage | null;
  system_fingerprint?: string | null;
  service_tier?: string | null;
}

export interface ModelList {
  object: "list";
  data: { id: string; object: "model"; created: number; owned_by: string }[];
}
